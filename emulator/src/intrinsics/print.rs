//! Where the records of printing threads go. The emulator only hands the address on; it knows nothing of their form.

use std::ptr;

use crate::engine::fiber;

/// What the [`Options`](crate::check::Options) of the run say; null outside kernels.
///
/// ```
/// use warploom_emulator::{Shape, Together, check::Options, intrinsics, run_with};
///
/// let mut ring = 0u8;
/// let mut options = Options::default();
/// options.prints = (&raw mut ring).expose_provenance();
/// let outcome = run_with(Shape::new([3, 1, 1], [70, 1, 1]), Together::default(), &options, &|| {
///     assert_eq!(intrinsics::print_ring().addr(), options.prints);
/// });
/// assert_eq!(outcome.fault, None);
/// assert!(intrinsics::print_ring().is_null());
/// ```
#[inline]
#[must_use]
pub fn print_ring() -> *mut u8 {
    fiber::with_running(|running| running.prints())
        .map_or(ptr::null_mut(), ptr::with_exposed_provenance_mut)
}
