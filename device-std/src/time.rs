//! Clocks, and sleep.

use crate::intrinsics as raw;

/// Cycles of the multiprocessor that the thread runs on, modulo 2^32.
///
/// The difference of two readings by one thread, `wrapping_sub`, is the cycles that passed, those included in which other threads ran.
/// On the emulator the host's nanoseconds. CUDA: `clock`. PTX: `%clock`. All GPUs.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// # let shape = Shape { grid: [1, 1, 1], block: [3, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| {
/// let before = warploom_device_std::time::clock();
/// let after = warploom_device_std::time::clock();
/// assert!(after.wrapping_sub(before) > 0);
/// # })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn clock() -> u32 {
    raw::clock()
}

/// Cycles of the multiprocessor that the thread runs on; see [`clock`]. CUDA: `clock64`. PTX: `%clock64`. All GPUs.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::time::clock64;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     let start = clock64();
///     assert!(clock64() > start);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn clock64() -> u64 {
    raw::clock64()
}

/// Nanoseconds since some moment, the same for all threads of the GPU.
///
/// Many GPUs count in steps of a microsecond or half of one, so that two readings may be equal. PTX: `%globaltimer`. All GPUs.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::time::global_timer_ns;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     let start = global_timer_ns();
///     assert!(global_timer_ns() >= start);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[must_use]
pub fn global_timer_ns() -> u64 {
    raw::global_timer()
}

/// Suspends the thread for a time between 0 and twice `ns` nanoseconds; what is above a millisecond counts as one.
///
/// Loops that wait for other threads should sleep: it leaves them the multiprocessor. On the emulator it lets all other threads of the
/// block run first, and loops without it never end there. No memory access moves across it, but other threads see nothing earlier for
/// it: that takes fences or atomics with an order. CUDA: `__nanosleep`. PTX: `nanosleep`. Compute capability 7.0.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// # use core::sync::atomic::{AtomicU32, Ordering};
/// # let arrived = AtomicU32::new(0);
/// # let shape = Shape { grid: [1, 1, 1], block: [70, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| {
/// arrived.fetch_add(1, Ordering::AcqRel);
/// while arrived.load(Ordering::Acquire) < 70 {
///     warploom_device_std::time::nanosleep(100);
/// }
/// # })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub fn nanosleep(ns: u32) {
    raw::nanosleep(ns);
}
