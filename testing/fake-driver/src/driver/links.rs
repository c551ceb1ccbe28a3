//! Links.

use std::ffi::{CStr, c_char, c_void};

use crate::code::Code;
use crate::driver::modules::Logs;
use crate::link::Link;
use crate::ptx;
use crate::state::{driver, not_null, put};

/// The number of PTX among the kinds of input.
const PTX: i32 = 1;

driver! {
    /// Starts a link.
    fn cuLinkCreate_v2(state; n: u32, options: *mut i32, values: *mut usize, link: *mut u64) needs Context {
        not_null(link)?;
        let logs = Logs::of(n, options, values)?;
        let context = state.current()?;
        let made = Link { context, logs, pieces: vec![], linked: vec![] };
        let handle = state.links.add(made);
        put(link, handle)
    }

    /// Adds PTX; machine code the fake cannot read.
    fn cuLinkAddData_v2(
        state;
        link: u64, kind: i32, data: *mut c_void, bytes: usize, name: *const c_char, n: u32, options: *mut i32, values: *mut usize,
    ) needs Context {
        not_null(data)?;
        Logs::of(n, options, values)?;
        let logs = state.links.get(link)?.logs;
        if kind != PTX {
            return Err(if (0..=5).contains(&kind) { Code::NO_BINARY_FOR_GPU } else { Code::INVALID_VALUE });
        }
        let text = std::slice::from_raw_parts(data.cast::<u8>(), bytes);
        let text = CStr::from_bytes_until_nul(text).map_err(|_| Code::INVALID_IMAGE)?;
        let text = text.to_str().map_err(|_| Code::INVALID_IMAGE)?.to_owned();
        if let Err(ptx::Wrong { line, reason }) = ptx::read(&text) {
            logs.error(&format!("ptxas application ptx input, line {line}; error   : {reason}"));
            return Err(Code::INVALID_PTX);
        }
        let name = if name.is_null() { String::new() } else { CStr::from_ptr(name).to_string_lossy().into_owned() };
        state.links.get_mut(link)?.pieces.push((name, text));
        Ok(())
    }

    /// Joins what was added; the bytes live as long as the link.
    fn cuLinkComplete(state; link: u64, linked: *mut *mut c_void, bytes: *mut usize) needs Context {
        not_null(linked)?;
        let found = state.links.get_mut(link)?;
        if let Err(refused) = found.link() {
            found.logs.error(&refused.log);
            return Err(refused.code);
        }
        put(linked, found.linked.as_mut_ptr().cast())?;
        if bytes.is_null() { Ok(()) } else { put(bytes, found.linked.len()) }
    }

    /// Ends a link.
    fn cuLinkDestroy(state; link: u64) needs Context {
        state.links.remove(link)?;
        Ok(())
    }
}
