//! A loop whose indices grow evenly is checked once, before it: what runs then has no checks, and loads are not kept apart by them. What is left over
//! of it when it is unrolled comes before it, and an address that moves by what the launch says is one addition in each round: so little else lives
//! in registers that ptxas has room for many loads under way.
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

#[test]
fn loops_that_fit_have_no_checks() {
    warploom_harness::ptx_file!("loop_checks.rs");
}
