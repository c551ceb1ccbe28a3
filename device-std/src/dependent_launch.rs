//! Programmatic dependent launch: a kernel starts before the kernel ahead of it in its stream has ended, and waits for it.

use crate::arch;
use crate::intrinsics as raw;

/// Lets the next kernel of the stream start before this one has ended, if it is a `#[kernel(dependent_launch)]`.
///
/// It starts when all blocks of this grid have made the call or have ended, and there is room for its blocks beside those that still run.
/// Its threads wait, before the first instruction of its body, until this grid has ended and all that it wrote is visible. So the call
/// may stand anywhere, and changes no result; it saves the time from the end of a grid to the start of the next one. The blocks that
/// wait take room from kernels of other streams.
///
/// Does nothing where the next operation of the stream is another one: a copy, a kernel without `dependent_launch`, a node of a graph.
/// Nothing on the emulator, where a launch has ended before the next one starts, and nothing in images for architectures before `sm_90`.
/// CUDA: `cudaTriggerProgrammaticLaunchCompletion`. PTX: `griddepcontrol.launch_dependents`. Compute capability: 9.0.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use warploom_device_std::launch_dependents;
/// /// The next kernel reads the sum.
/// fn add_up(sum: &AtomicU32) {
///     launch_dependents();
///     sum.fetch_add(1, Relaxed);
/// }
/// # let sum = AtomicU32::new(0);
/// # run(Shape::new([3, 1, 1], [40, 1, 1]), &|| add_up(&sum))?;
/// # assert_eq!(sum.into_inner(), 120);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn launch_dependents() {
    if arch() >= 90 {
        raw::launch_dependents();
    }
}
