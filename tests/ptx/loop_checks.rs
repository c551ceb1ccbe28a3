//! A loop whose indices are add recurrences is checked once, in its preheader: the version that runs has no checks between its loads. The remainder
//! of the unrolled loop comes first, and an address with a step from the launch is one addition per iteration: that leaves ptxas registers for many
//! loads in flight.
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
// What is left over.
// ptx: .pragma "nounroll";
// ptx: ld.global.nc.b32
// ptx-next: ld.global.nc.b32
// ptx: setp.lt.u32
// Four rounds without a jump between them: the first address of the column as it is, the others by one addition each.
// ptx: ld.global.nc.b32
// ptx-next: ld.global.nc.b32
// ptx: ld.global.nc.b32
// ptx-next: add.s64
// ptx-next: ld.global.nc.b32
// ptx: ld.global.nc.b32
// ptx-next: add.s64
// ptx-next: ld.global.nc.b32
// ptx: ld.global.nc.b32
// ptx-next: add.s64
// ptx-next: ld.global.nc.b32
// The loop with checks is there, for launches that do not fit.
// ptx-count: 12 ld.global.nc
// ptx: panic_bounds_check

/// With signed numbers, as in C: that no index is negative is decided before the loop too. A round, four, and the loop with checks.
#[kernel]
fn signed_product(i: Index1D, a: &[f32], b: &[f32], n: i32, mut c: DisjointSlice<f32>) {
    let (row, column) = (i.get() as i32 / n, i.get() as i32 % n);
    if let Some(c) = c.get_mut(i) {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[(row * n + k) as usize] * b[(k * n + column) as usize];
        }
        *c = sum;
    }
}
// ptx-count: 12 ld.global.nc
// ptx: panic_bounds_check

#[test]
fn loops_that_fit_have_no_checks() {
    warploom_harness::ptx_file!("loop_checks.rs");
}
