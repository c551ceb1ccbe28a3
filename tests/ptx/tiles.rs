//! The safe tile costs what the raw array costs: shared accesses, one barrier, no checks that cannot fail.
//@ release

use warploom::prelude::*;

#[kernel(block(256))]
fn turned(
    block: Block,
    i: Index1D,
    mut tile: SharedTile<f32, 256>,
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    tile.fill(|_| x.get(i.get()).copied().unwrap_or(0.0));
    let view = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = view[255 - block.thread()];
    }
}
// ptx: st.shared.b32
// ptx: bar.sync
// ptx: ld.shared.b32
// ptx-count: 1 bar.sync
// ptx-count: 1 st.shared
// ptx-not: cvta.shared
// ptx-not: panic

#[test]
fn a_tile_costs_what_an_array_costs() {
    warploom_harness::ptx_file!("tiles.rs");
}
