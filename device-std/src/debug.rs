//! For debuggers and profilers: break points, profiler counters, and the trap that ends a kernel.
//!
//! Conditions that must hold are std's `assert!` and `debug_assert!`: a thread for which one is false ends, and the host is told the
//! kernel, the place and the thread. The latter cost nothing in release builds.

use crate::intrinsics as raw;

pub use raw::trap;

/// Stops the kernel at a debugger; without one, a GPU ends the kernel with an error.
///
/// The emulator does nothing, or, with `WARPLOOM_BREAKPOINT=1` in the environment, raises `SIGTRAP`, at which a debugger of the host
/// stops. CUDA: `__brkpt`. PTX: `brkpt`. All GPUs.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::debug::breakpoint;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     breakpoint(); // nothing without a debugger
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn breakpoint() {
    raw::breakpoint();
}

/// Adds 1 for the warp to hardware counter `COUNTER`, 0 to 7, which a profiler shows as `prof_trigger_00` to `prof_trigger_07`.
///
/// Nothing on the emulator. CUDA: `__prof_trigger`. PTX: `pmevent`. All GPUs.
///
/// ```
/// warploom_device_std::debug::prof_trigger::<7>();
/// ```
/// ```compile_fail,E0080
/// warploom_device_std::debug::prof_trigger::<8>(); // 8 to 15 are reserved
/// ```
#[inline(always)]
pub fn prof_trigger<const COUNTER: u32>() {
    const {
        assert!(COUNTER < 8, "a profiler has the counters 0 to 7");
    }
    match COUNTER {
        0 => raw::prof_trigger_0(),
        1 => raw::prof_trigger_1(),
        2 => raw::prof_trigger_2(),
        3 => raw::prof_trigger_3(),
        4 => raw::prof_trigger_4(),
        5 => raw::prof_trigger_5(),
        6 => raw::prof_trigger_6(),
        _ => raw::prof_trigger_7(),
    }
}
