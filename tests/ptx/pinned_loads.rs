//! What a warp's loop reads before the check of an index that is read too stays before it: both are under way together.
//@ release

use warploom::prelude::*;

#[kernel(block(64))]
fn row(
    i: Index1D,
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let end = starts[1] as usize;
    let mut at = starts[0] as usize + i.get();
    let mut sum = 0.0;
    while at < end {
        sum += values[at] * x[columns[at] as usize];
        at += 32;
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}
// Value and column, then the check, then what it is about.
// ptx: ld.global.nc.b32
// ptx: mov.b32 ..., %r
// ptx: ld.global.nc.b32
// ptx-next: setp
// ptx-next: bra
// ptx: ld.global.nc.b32
// ptx-next: mul

#[test]
fn values_and_indices_are_read_together() {
    warploom_harness::ptx_file!("pinned_loads.rs");
}
