//! The fake's own functions, for tests: what happened, and what is to happen.

use std::ffi::{CStr, c_char};

use crate::code::Code;
use crate::memory::Kind;
use crate::options::Rule;
use crate::state::{Held, State};

/// A text from the caller; nothing if it is null or no UTF-8.
///
/// # Safety
/// `text` is null or points to a C string that lives long enough.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// Sets an option (see the crate's README); 0, or -1 if there is none of this name.
///
/// # Safety
/// `key` is null or points to a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warploom_fake_set(key: *const c_char, value: u64) -> i32 {
    // SAFETY: the caller's promise.
    let key = unsafe { text(key) }.unwrap_or_default();
    let mut held = Held::lock();
    held.options.set(key, value).map_or(-1, |()| 0)
}

/// Makes calls fail: `FUNCTION:NTH:CODE` with the how manieth call from now on, `*` for any function or each call. 0, or -1 if the text
/// is no rule. Null: no call fails any more.
///
/// # Safety
/// `rule` is null or points to a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warploom_fake_fail(rule: *const c_char) -> i32 {
    let mut held = Held::lock();
    if rule.is_null() {
        held.rules.clear();
        return 0;
    }
    // SAFETY: the caller's promise.
    match unsafe { text(rule) }.and_then(Rule::parse) {
        Some(rule) => held.rules.push(rule),
        None => return -1,
    }
    0
}

/// From now on calls of this function take so many milliseconds before they do anything, and others go on meanwhile. Null: none does.
///
/// # Safety
/// `function` is null or points to a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warploom_fake_slow(function: *const c_char, milliseconds: u64) {
    // SAFETY: the caller's promise.
    let function = unsafe { text(function) };
    Held::lock().slow = function.map(|function| (function.to_owned(), milliseconds));
}

/// A number by its name; -1 if there is none: see `count`.
///
/// # Safety
/// `of` is null or points to a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warploom_fake_count(of: *const c_char) -> i64 {
    // SAFETY: the caller's promise.
    let of = unsafe { text(of) }.unwrap_or_default();
    count(&Held::lock(), of)
        .and_then(|n| i64::try_from(n).ok())
        .unwrap_or(-1)
}

/// Live handles of a kind, or how often something happened.
fn count(state: &State, of: &str) -> Option<u64> {
    let memory = |kind| state.regions.values().filter(|r| r.kind == kind).count() as u64;
    let streams = state
        .streams
        .iter()
        .filter(|(_, s)| !s.is_null && !s.destroyed);
    let number = match of {
        "contexts" => {
            let own = state.contexts.iter().filter(|(_, c)| c.own).count() as u64;
            own + state.gpus.iter().map(|gpu| gpu.retained).sum::<u64>()
        }
        "modules" => state.modules.len() as u64,
        "functions" => state.functions.len() as u64,
        "streams" => streams.count() as u64,
        "events" => state.events.len() as u64,
        "graphs" => state.graphs.len() as u64,
        "executable graphs" => state.executables.len() as u64,
        "pools" => state.pools.iter().filter(|(_, pool)| pool.own).count() as u64,
        "links" => state.links.len() as u64,
        "device memory" => memory(Kind::Device),
        "pinned memory" => memory(Kind::Pinned),
        "registered memory" => memory(Kind::Registered),
        "managed memory" => memory(Kind::Managed),
        "arrays" => state
            .arrays
            .iter()
            .filter(|(_, array)| array.of == 0)
            .count() as u64,
        "external memory" => state.external.len() as u64,
        "graphics resources" => state.graphics.len() as u64,
        "external semaphores" => state.semaphores.len() as u64,
        "shareable memory" => state.allocations.len() as u64,
        "mipmapped arrays" => state.mipmapped.len() as u64,
        "textures" => state.textures.len() as u64,
        "surfaces" => state.surfaces.len() as u64,
        "device bytes" => (0..state.gpus.len() as u64)
            .map(|d| state.used(d as i32))
            .sum(),
        "calls" => state.calls,
        "injected" => state.injected,
        "launches" => state.launches,
        "threads" => state.threads_run,
        "complaints" => state.complaints.len() as u64,
        _ => return None,
    };
    Some(number)
}

/// Starts a list of calls anew.
#[unsafe(no_mangle)]
pub extern "C" fn warploom_fake_start_log() {
    Held::lock().log = Some(vec![]);
}

/// A text by its name: `log` (functions that were called, one per line) or `complaints`. Writes at most `room` bytes and gives how many
/// there are.
///
/// # Safety
/// `of` is null or points to a C string; `to` has room for `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warploom_fake_text(of: *const c_char, to: *mut u8, room: usize) -> usize {
    let held = Held::lock();
    // SAFETY: the caller's promise.
    let all = match unsafe { text(of) } {
        Some("log") => held.log.as_deref().unwrap_or_default().join("\n"),
        Some("complaints") => held.complaints.join("\n"),
        _ => return 0,
    };
    if !to.is_null() {
        // SAFETY: the caller's promise.
        unsafe { to.copy_from_nonoverlapping(all.as_ptr(), all.len().min(room)) };
    }
    all.len()
}

/// Breaks a GPU's primary context as an error of a kernel does; 0, or a code.
#[unsafe(no_mangle)]
pub extern "C" fn warploom_fake_break(device: i32, code: i32) -> i32 {
    let mut held = Held::lock();
    match held.gpu(device).map(|gpu| gpu.context) {
        Ok(context) => {
            held.breaks(context, Code(code));
            0
        }
        Err(code) => code.0,
    }
}

/// Forgets everything but the options and whether `cuInit` was called: handles, memory, counts, rules.
#[unsafe(no_mangle)]
pub extern "C" fn warploom_fake_reset() {
    Held::lock().reset();
}
