//! Where a block owns a window of the output, its threads store without an atomic and without a check that cannot fail.
//@ release

use warploom::prelude::*;

#[kernel(block(256))]
fn smooth(
    i: Index1D,
    block: Block,
    x: &[f32],
    mut tile: DoubleTile<f32, 256>,
    mut y: DisjointSlice<f32, Windows<248, 4>>,
) {
    let t = block.thread();
    let place = usize::try_from(y.position(i, t)).ok();
    tile.set_own(0, place.and_then(|at| x.get(at)).copied().unwrap_or(0.0));
    let mut tile = tile.publish(&block);
    for _ in 0..4 {
        tile.set_own(0, tile[t.saturating_sub(1)] + tile[(t + 1).min(255)]);
        tile.publish(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = tile[t];
    }
}
// ptx: bar.sync
// ptx: st.global.b32
// ptx-count: 5 bar.sync
// ptx-count: 1 st.global
// ptx-not: relaxed
// ptx-not: atom
// ptx-not: panic

#[test]
fn a_window_is_written_by_plain_stores() {
    warploom_harness::ptx_file!("windows.rs");
}
