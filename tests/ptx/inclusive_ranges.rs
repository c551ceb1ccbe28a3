//! A loop over an inclusive range is unrolled, and counts as one over a half-open range does: nothing asks whether the range is exhausted.
//@ release

use warploom::prelude::*;

/// Each iteration has its number as a constant; the barrier behind the loop changes nothing.
#[kernel(block(256))]
fn nine(
    block: Block,
    i: Index1D,
    x: &[f32],
    mut tile: SharedTile<f32, 256>,
    mut y: DisjointSlice<f32>,
) {
    let mut sum = 0.0;
    for k in 0..=8 {
        sum += x[i.get() + k] * k as f32;
    }
    tile.set_own(0, sum);
    let tile = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = tile[255 - block.thread()];
    }
}
// ptx: 0f40400000
// ptx: 0f40E00000
// ptx-not: cvt.rn.f32
// ptx-count: 1 bar.sync

/// One iteration, four, and the loop with checks for what does not fit.
#[kernel(block(256))]
fn up_to(
    block: Block,
    i: Index1D,
    last: u32,
    x: &[f32],
    mut tile: SharedTile<f32, 256>,
    mut y: DisjointSlice<f32>,
) {
    let mut sum = 0.0;
    for k in 0..=last as usize {
        sum += x[i.get() + k] * k as f32;
    }
    tile.set_own(0, sum);
    let tile = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = tile[255 - block.thread()];
    }
}
// ptx-count: 6 ld.global.nc.b32
// ptx-not: selp
// ptx-count: 1 bar.sync

/// Where it starts is not known either: whether it is empty is asked once, before the loop. Four iterations, one, and the loop with checks.
#[expect(
    clippy::needless_range_loop,
    reason = "the loop over an inclusive range is what is tested"
)]
#[kernel(block(256))]
fn around(i: Index1D, radius: usize, n: usize, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0.0;
        for k in i.get().saturating_sub(radius)..=(i.get() + radius).min(n - 1) {
            sum += x[k];
        }
        *y = sum;
    }
}
// ptx-count: 6 ld.global.nc.b32

#[test]
fn inclusive_ranges_are_counted_loops() {
    warploom_harness::ptx_file!("inclusive_ranges.rs");
}
