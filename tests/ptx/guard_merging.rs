//! A loop with a barrier is not versioned: its checks are decided in the preheader, and skipped together before the loads.
//@ release

use warploom::prelude::*;

/// Four numbers in each tile of eight rows; `step_by` counts how many tiles are left.
#[kernel(block(64))]
fn tiles(
    i: Index1D,
    block: Block,
    a: &[f32],
    n: u32,
    mut tile: SharedTile<f32, 256>,
    mut out: DisjointSlice<f32>,
) {
    let n = n as usize;
    let mut sum = 0.0;
    for start in (0..n).step_by(8) {
        let four = [0, 1, 2, 3].map(|k| a[(start + 2 * k) * n + i.get()]);
        for (k, number) in four.into_iter().enumerate() {
            tile.set_own(k, number);
        }
        let whole = tile.publish(&block);
        for k in 0..8 {
            sum += whole[32 * k + block.thread() % 32];
        }
        tile = whole.reclaim(&block);
    }
    if let Some(out) = out.get_mut(i) {
        *out = sum;
    }
}
// The four loads are in one piece of code, so that they are under way together: no way out is between them.
// ptx: ld.global.nc
// ptx-next: add.s64
// ptx-next: ld.global.nc
// ptx-next: add.s64
// ptx-next: ld.global.nc
// ptx-next: add.s64
// ptx-next: ld.global.nc
// The loop is there once.
// ptx-count: 4 ld.global.nc
// ptx-count: 2 bar.sync
// Launches that do not fit fail where they always did.
// ptx: panic_bounds_check

#[test]
fn checks_of_a_loop_with_barriers_are_skipped_together() {
    warploom_harness::ptx_file!("guard_merging.rs");
}
