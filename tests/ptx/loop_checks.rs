//! A loop whose indices grow evenly is checked once, before it: what runs then has no checks, and loads are not kept apart by them.
//@ release

use warploom::prelude::*;

/// One row and one column: a step of one, and a step that is known at launch.
#[kernel]
fn product(at: Index2D, a: &[f32], b: &[f32], n: u32, mut c: DisjointSlice2D<f32>) {
    let n = n as usize;
    let (x, y) = (at.x(), at.y());
    if let Some(c) = c.get_mut(at) {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[y * n + k] * b[k * n + x];
        }
        *c = sum;
    }
}
// Unrolled: two loads, four times, without a jump between them; and what is left over.
// ptx: ld.global.nc
// ptx-next: ld.global.nc
// ptx-count: 12 ld.global.nc
// The loop with checks is there, for launches that do not fit.
// ptx: panic_bounds_check

#[test]
fn loops_that_fit_have_no_checks() {
    warploom_harness::ptx_file!("loop_checks.rs");
}
