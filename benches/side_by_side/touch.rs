//! The kernel of the benchmarks that measure the host.

use warploom::prelude::*;

/// Threads of a block.
pub(crate) const THREADS: u32 = 256;

/// Next to nothing, with a usual set of arguments: what is measured is the launch.
#[kernel(fma)]
pub(crate) fn touch(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = a + x[i.get()];
    }
}
