//! How a tool's library gets hold of NVTX calls.
//!
//! NVTX is a convention, not a library: the caller has a table of function pointers, which are null, loads the library that
//! an environment variable names, and hands it a function that finds the tables. The library puts its own functions there. The
//! numbers of modules and functions and the layouts below are those of NVTX version 3; tools rely on them.

use std::ffi::{CString, OsStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

/// Where the tool's library is.
const VARIABLE: &str = if cfg!(target_pointer_width = "64") {
    "NVTX_INJECTION64_PATH"
} else {
    "NVTX_INJECTION32_PATH"
};

/// Why no tool listens to ranges and marks.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoTool {
    /// No profiler started the program.
    #[error(
        "no profiler listens: {variable} is not set; start the program with one, such as `nsys profile`"
    )]
    NotAsked {
        /// The variable that names a profiler's library.
        variable: &'static str,
    },
    /// The variable names something else.
    #[error(
        "no profiler listens: {variable} is {path}, which is no library of a profiler: {reason}"
    )]
    NotLoaded {
        /// The variable that names a profiler's library.
        variable: &'static str,
        /// Its value.
        path: String,
        /// What went wrong.
        reason: String,
    },
    /// The profiler's library did not want to.
    #[error("no profiler listens: the library {path} declined")]
    Declined {
        /// The library.
        path: String,
    },
}

/// Loads the tool's library, at the first call.
pub(super) fn tool() -> &'static Result<(), NoTool> {
    static TOOL: OnceLock<Result<(), NoTool>> = OnceLock::new();
    TOOL.get_or_init(|| load(std::env::var_os(VARIABLE).as_deref()))
}

fn load(path: Option<&OsStr>) -> Result<(), NoTool> {
    let Some(path) = path else {
        return Err(NoTool::NotAsked { variable: VARIABLE });
    };
    let text = || path.to_string_lossy().into_owned();
    let not_loaded = |error: libloading::Error| NoTool::NotLoaded {
        variable: VARIABLE,
        path: text(),
        reason: error.to_string(),
    };
    // SAFETY: the user who set the variable asked for this library to run in this process.
    let library = unsafe { Library::new(path) }.map_err(not_loaded)?;
    // SAFETY: NVTX gives the function of this name this type.
    let initialise = unsafe { library.get::<Initialise>(b"InitializeInjectionNvtx2\0") };
    let initialise = *initialise.map_err(not_loaded)?;
    // SAFETY: a function of the library, which is loaded.
    if !unsafe { attach(initialise) } {
        return Err(NoTool::Declined { path: text() });
    }
    std::mem::forget(library); // its functions stand in the tables for the rest of the program
    Ok(())
}

/// What a tool's library is started with: a function that gives a table by its number.
type Initialise = unsafe extern "system" fn(extern "system" fn(u32) -> *const c_void) -> c_int;

/// Lets a tool put its functions into the tables; `false` if it does not want to.
///
/// # Safety
/// `initialise` and what it puts into the tables are functions of the right types, as long as the program runs if it accepts.
unsafe fn attach(initialise: Initialise) -> bool {
    // SAFETY: the caller's promise.
    if unsafe { initialise(export_table) } != 0 {
        return true;
    }
    for (slots, _) in MODULES.iter().flatten() {
        for slot in *slots {
            slot.store(ptr::null_mut(), Ordering::Release);
        }
    }
    false
}

/// A function of the tool, or null.
type Slot = AtomicPtr<c_void>;

/// The addresses of slots: what the tool sees. The first is null, as no function has number 0; a null ends the list.
#[repr(transparent)]
struct Addresses<const N: usize>([*const Slot; N]);

// SAFETY: addresses of statics, never changed.
unsafe impl<const N: usize> Sync for Addresses<N> {}

macro_rules! modules {
    ($($name:ident $table:ident $count:literal)*) => { $(
        static $name: [Slot; $count] = [const { AtomicPtr::new(ptr::null_mut()) }; $count];
        static $table: Addresses<{ $count + 1 }> = {
            let mut all = [ptr::null(); $count + 1];
            let mut i = 1;
            while i < $count {
                all[i] = &raw const $name[i];
                i += 1;
            }
            Addresses(all)
        };
    )* };
}

// How many numbers of functions each module has, number 0 included. All modules are there, because a tool may fill them unasked.
modules! {
    CORE CORE_TABLE 16
    CUDA CUDA_TABLE 9
    OPENCL OPENCL_TABLE 15
    CUDART CUDART_TABLE 7
    CORE2 CORE2_TABLE 16
    SYNC SYNC_TABLE 7
}

/// Slots of each module, by its number, with the table that a tool gets.
static MODULES: [Option<(&[Slot], Start)>; 7] = [
    None,
    Some((&CORE, Start(CORE_TABLE.0.as_ptr()))),
    Some((&CUDA, Start(CUDA_TABLE.0.as_ptr()))),
    Some((&OPENCL, Start(OPENCL_TABLE.0.as_ptr()))),
    Some((&CUDART, Start(CUDART_TABLE.0.as_ptr()))),
    Some((&CORE2, Start(CORE2_TABLE.0.as_ptr()))),
    Some((&SYNC, Start(SYNC_TABLE.0.as_ptr()))),
];

/// Where a table starts.
#[derive(Clone, Copy)]
struct Start(*const *const Slot);

// SAFETY: the address of a static.
unsafe impl Sync for Start {}

/// Numbers of functions in [`CORE`].
mod core {
    pub(super) const MARK: usize = 2;
    pub(super) const RANGE_START: usize = 5;
    pub(super) const RANGE_END: usize = 7;
    pub(super) const RANGE_PUSH: usize = 9;
    pub(super) const RANGE_POP: usize = 11;
    pub(super) const NAME_THREAD: usize = 14;
}

/// Number of the function in [`CUDA`] that names a stream.
const NAME_STREAM: usize = 5;

#[repr(C)]
struct Callbacks {
    size: usize,
    find: extern "system" fn(c_uint, *mut *const *const Slot, *mut c_uint) -> c_int,
}

#[repr(C)]
struct Version {
    size: usize,
    version: u32,
    reserved: u32,
    set_tool_version: extern "system" fn(u32),
}

static CALLBACKS: Callbacks = Callbacks {
    size: size_of::<Callbacks>(),
    find: find_module,
};

static VERSION: Version = Version {
    size: size_of::<Version>(),
    version: 3,
    reserved: 0,
    set_tool_version,
};

/// What the tool asks first.
extern "system" fn export_table(id: u32) -> *const c_void {
    match id {
        1 => (&raw const CALLBACKS).cast(),
        3 => (&raw const VERSION).cast(),
        _ => ptr::null(),
    }
}

/// What the tool asks then: where the slots of a module are, and how many numbers it has. 0 for a module that there is not.
extern "system" fn find_module(
    module: c_uint,
    table: *mut *const *const Slot,
    count: *mut c_uint,
) -> c_int {
    let module = usize::try_from(module).ok().and_then(|m| MODULES.get(m));
    let Some(Some((slots, start))) = module else {
        return 0;
    };
    if !count.is_null() {
        // SAFETY: the tool's variable for the answer.
        unsafe { count.write(slots.len() as c_uint) };
    }
    if !table.is_null() {
        // SAFETY: as above.
        unsafe { table.write(start.0) };
    }
    1
}

extern "system" fn set_tool_version(_version: u32) {}

/// The tool's function of this slot, if there is one.
fn function(slot: &Slot) -> Option<*mut c_void> {
    if tool().is_err() {
        return None;
    }
    let function = slot.load(Ordering::Acquire);
    (!function.is_null()).then_some(function)
}

/// Calls the tool's function of a slot; `None` if there is none. `$text`, if given, is a C string.
macro_rules! call {
    ($slot:expr, fn($($type:ty),*) $(-> $result:ty)?, $($arg:expr),*) => {
        function($slot).map(|function| {
            // SAFETY: NVTX gives the function of this number this type.
            let function: unsafe extern "system" fn($($type),*) $(-> $result)? = unsafe { std::mem::transmute(function) };
            // SAFETY: the tool's library stays loaded; texts are C strings that stay until the call returns.
            unsafe { function($($arg),*) }
        })
    };
}

/// The text up to its first zero byte.
fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

pub(super) fn mark(name: &str) {
    let _ = call!(&CORE[core::MARK], fn(*const c_char), c_text(name).as_ptr());
}

/// Whether it was begun.
pub(super) fn push(name: &str) -> bool {
    let slot = &CORE[core::RANGE_PUSH];
    call!(slot, fn(*const c_char) -> c_int, c_text(name).as_ptr()).is_some()
}

pub(super) fn pop() {
    let _ = call!(&CORE[core::RANGE_POP], fn() -> c_int,);
}

/// The range's number.
pub(super) fn start(name: &str) -> Option<u64> {
    let slot = &CORE[core::RANGE_START];
    call!(slot, fn(*const c_char) -> u64, c_text(name).as_ptr())
}

pub(super) fn end(id: u64) {
    let _ = call!(&CORE[core::RANGE_END], fn(u64), id);
}

pub(super) fn name_thread(name: &str) {
    let slot = &CORE[core::NAME_THREAD];
    if function(slot).is_none() {
        return;
    }
    if let Some(thread) = thread_number() {
        let _ = call!(slot, fn(u32, *const c_char), thread, c_text(name).as_ptr());
    }
}

/// The system's number of this thread.
fn thread_number() -> Option<u32> {
    // A link to `<process>/task/<thread>`.
    let link = std::fs::read_link("/proc/thread-self").ok()?;
    link.file_name()?.to_str()?.parse().ok()
}

pub(super) fn name_stream(stream: *mut c_void, name: &str) {
    let slot = &CUDA[NAME_STREAM];
    let _ = call!(
        slot,
        fn(*mut c_void, *const c_char),
        stream,
        c_text(name).as_ptr()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_variable_there_is_no_tool() {
        assert_eq!(load(None), Err(NoTool::NotAsked { variable: VARIABLE }));
    }

    #[test]
    fn a_library_that_cannot_be_loaded_is_named() {
        let text = load(Some(OsStr::new("/absent/tool.so")))
            .unwrap_err()
            .to_string();
        assert!(text.contains("/absent/tool.so"), "{text}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_of_something_else_is_refused() {
        let text = load(Some(OsStr::new("libc.so.6"))).unwrap_err().to_string();
        assert!(text.contains("InitializeInjectionNvtx2"), "{text}");
    }

    extern "system" fn decline(tables: extern "system" fn(u32) -> *const c_void) -> c_int {
        let callbacks: *const Callbacks = tables(1).cast();
        let (mut table, mut count) = (ptr::null(), 0);
        // SAFETY: the tool gives the program's table of callbacks.
        let find = unsafe { (*callbacks).find };
        assert_eq!(find(6, &raw mut table, &raw mut count), 1);
        // SAFETY: the table of this number is of this type and has `count` slots.
        let slots = unsafe { std::slice::from_raw_parts(table, count as usize) };
        for slot in &slots[1..] {
            // SAFETY: slots 1 to `count` - 1 point to the program's function pointers, which may be written while the tool is started.
            unsafe { &**slot }.store(ptr::dangling_mut(), Ordering::Release);
        }
        0
    }

    #[test]
    fn a_tool_that_declines_leaves_nothing_behind() {
        // SAFETY: the function is of the right type, and declines.
        assert!(!unsafe { attach(decline) });
        assert!(
            SYNC.iter()
                .all(|slot| slot.load(Ordering::Acquire).is_null())
        );
    }

    #[test]
    fn every_module_has_its_slots() {
        for (module, expected) in [
            (0, None),
            (1, Some(16)),
            (2, Some(9)),
            (6, Some(7)),
            (7, None),
        ] {
            let (mut table, mut count) = (ptr::null(), 0);
            let found = find_module(module, &raw mut table, &raw mut count);
            assert_eq!((found == 1).then_some(count), expected, "module {module}");
            if let Some(count) = expected {
                // SAFETY: the table has one address for each number, and a null after them.
                let table = unsafe { std::slice::from_raw_parts(table, count as usize + 1) };
                let null = |at: &*const Slot| at.is_null();
                assert!(null(&table[0]) && null(&table[count as usize]));
                assert!(!table[1..count as usize].iter().any(null));
            }
        }
        assert!(export_table(0).is_null() && export_table(2).is_null());
    }

    #[test]
    fn texts_end_at_a_zero_byte() {
        assert_eq!(c_text("a\0b").as_bytes(), b"a");
        assert_eq!(c_text("né").to_str(), Ok("né"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn threads_have_numbers() {
        let here = thread_number().unwrap();
        let there = std::thread::spawn(thread_number).join().unwrap();
        assert_ne!(Some(here), there);
    }
}
