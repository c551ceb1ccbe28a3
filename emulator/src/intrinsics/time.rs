//! Clocks, and sleep.

use std::cell::Cell;
use std::panic::Location;
use std::sync::OnceLock;
use std::time::Instant;

use super::inside;
use crate::engine::fiber;

thread_local! {
    /// What [`clock64`] gave last on this OS thread, which stands for a multiprocessor.
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// The lower half of [`clock64`]. CUDA: `clock`. PTX: `%clock`.
#[must_use]
#[track_caller]
pub fn clock() -> u32 {
    clock64() as u32
}

/// A counter that grows by at least one between two calls on one multiprocessor: here the host's nanoseconds.
///
/// CUDA: `clock64`. PTX: `%clock64`.
#[must_use]
#[track_caller]
pub fn clock64() -> u64 {
    let now = global_timer();
    LAST.with(|last| {
        let next = now.max(last.get() + 1);
        last.set(next);
        next
    })
}

/// Nanoseconds since some moment, the same for all threads; here the first call of the process. PTX: `%globaltimer`.
#[must_use]
#[track_caller]
pub fn global_timer() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    // A loop that reads a clock may give up by itself: fast runs have no other sign of that, checked ones do not wait for it.
    fiber::with_running(|running| {
        if !running.spin.is_checked() {
            running.memory_changed();
        }
    });
    let elapsed = START.get_or_init(Instant::now).elapsed();
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

/// Lets all other threads of the block that can run do so; `ns` nanoseconds need not have passed. When all threads sleep, other OS threads may run.
///
/// A loop that waits for other threads and calls this ends, if theirs does. CUDA: `__nanosleep`. Compute capability: 7.0.
///
/// # Panics
/// Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn nanosleep(ns: u32) {
    let _ = ns;
    let caller = Location::caller();
    inside("nanosleep", |running| running.sleep(running.place(caller)));
}
