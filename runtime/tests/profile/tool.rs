//! A profiler's library: writes down which calls reach it, a line each, to the file that `TOOL_LOG` names. Built by the test beside it.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs::OpenOptions;
use std::io::Write;

type Find = extern "system" fn(c_uint, *mut *mut *mut *const c_void, *mut c_uint) -> c_int;

#[repr(C)]
struct Callbacks {
    size: usize,
    find: Find,
}

fn note(line: &str) {
    let path = std::env::var_os("TOOL_LOG").expect("TOOL_LOG is set");
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .expect("the log opens");
    writeln!(file, "{line}").expect("the log takes a line");
}

/// # Safety
/// `text` is a C string.
unsafe fn read(text: *const c_char) -> String {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

// SAFETY, for all: NVTX calls them with C strings.
unsafe extern "system" fn mark(text: *const c_char) {
    note(&format!("mark {}", unsafe { read(text) }));
}

unsafe extern "system" fn push(text: *const c_char) -> c_int {
    note(&format!("push {}", unsafe { read(text) }));
    0
}

unsafe extern "system" fn pop() -> c_int {
    note("pop");
    0
}

unsafe extern "system" fn start(text: *const c_char) -> u64 {
    note(&format!("start {}", unsafe { read(text) }));
    u64::MAX - 6
}

unsafe extern "system" fn end(id: u64) {
    note(&format!("end {}", u64::MAX - id));
}

unsafe extern "system" fn name_thread(thread: u32, text: *const c_char) {
    let known = std::path::Path::new(&format!("/proc/self/task/{thread}")).exists();
    note(&format!("thread {known} {}", unsafe { read(text) }));
}

/// What NVTX starts the library with.
///
/// # Safety
/// `tables` gives the tables of NVTX.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn InitializeInjectionNvtx2(
    tables: extern "system" fn(u32) -> *const c_void,
) -> c_int {
    let callbacks = tables(1).cast::<Callbacks>();
    let (mut table, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: the table of this number has this layout; its function fills both variables; the slots may be written now.
    unsafe {
        assert!((*callbacks).size >= size_of::<Callbacks>());
        assert_eq!(((*callbacks).find)(1, &raw mut table, &raw mut count), 1);
        assert!(count >= 16);
        **table.add(2) = mark as *const c_void;
        **table.add(5) = start as *const c_void;
        **table.add(7) = end as *const c_void;
        **table.add(9) = push as *const c_void;
        **table.add(11) = pop as *const c_void;
        **table.add(14) = name_thread as *const c_void;
    }
    note("attached");
    1
}
