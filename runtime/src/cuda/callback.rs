//! What may be done inside a host function that a stream calls.
//!
//! CUDA forbids to call the driver there. What this runtime does there is refused ([`in_host_callback`]), and what is dropped there is
//! dropped on another thread ([`run_outside_callback`]).

use std::cell::Cell;
use std::thread;

use super::result::DriverError;
use super::sys;

thread_local! {
    pub(super) static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread runs a host function just now.
#[inline]
pub(crate) fn in_host_callback() -> bool {
    IN_CALLBACK.get()
}

/// The answer to a call of the driver from inside a host function.
#[cold]
pub(crate) fn not_permitted() -> DriverError {
    DriverError {
        code: sys::CUDA_ERROR_NOT_PERMITTED,
        name: "CUDA_ERROR_NOT_PERMITTED".to_owned(),
        text: "a host function of a stream must not use the device; tell another thread to do it"
            .to_owned(),
        call: "cuCtxSetCurrent",
        launches: Box::default(),
    }
}

/// Does what must not be done inside a host function: at once, or on a thread of its own if the calling thread is inside one.
pub(crate) fn run_outside_callback(work: impl FnOnce() + Send + 'static) {
    if !in_host_callback() {
        return work();
    }
    let name = "warploom-drop".to_owned();
    // No code waits for the thread: the host function must not. Where no thread can be made, the driver's object leaks.
    let _ = thread::Builder::new().name(name).spawn(work);
}
