//! Where the records of printing threads go. The emulator only hands the address on; it knows nothing of their form.

use std::cell::Cell;
use std::ptr;

thread_local! {
    /// The ring of the run that has this OS thread. All lanes of a block run on one OS thread, which serves one run at a time.
    static RING: Cell<*mut u8> = const { Cell::new(ptr::null_mut()) };
}

/// Lets the lanes that run on this OS thread find their ring at `ring`. The program of a run calls it first thing.
///
/// ```
/// use warploom_emulator::{Shape, intrinsics, run};
///
/// let mut ring = 0u8;
/// let at = (&raw mut ring).expose_provenance();
/// run(Shape::new([3, 1, 1], [70, 1, 1]), &|| {
///     intrinsics::print_to(std::ptr::with_exposed_provenance_mut(at));
///     assert_eq!(intrinsics::print_ring().addr(), at);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline]
pub fn print_to(ring: *mut u8) {
    RING.set(ring);
}

/// What [`print_to`] was told last on this OS thread; null at first, and outside kernels.
#[inline]
#[must_use]
pub fn print_ring() -> *mut u8 {
    if crate::fiber::on_lane() {
        RING.get()
    } else {
        ptr::null_mut()
    }
}
