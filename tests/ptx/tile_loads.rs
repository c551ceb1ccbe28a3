//! A loop that fills a tile with checked elements is straight code where all of them fit: ptxas can have many loads under way.
//@ release

use warploom::prelude::*;

#[kernel(block(32))]
fn rows(
    block: Block,
    i: Index1D,
    width: u32,
    x: &[f32],
    mut tile: SharedTile<f32, 1024>,
    mut y: DisjointSlice<f32>,
) {
    let lane = block.thread();
    let base = block.index() * 32;
    for row in 0..32 {
        tile.set_own(row, x[(base + row) * width as usize + lane]);
    }
    let tile = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = tile[lane * 32];
    }
}
// Between two rows there is their distance and nothing else.
// ptx: ld.global.nc.b32
// ptx-next: st.shared.b32
// ptx-next: or.b64
// ptx-next: mul.lo.s64
// ptx-next: shl.b64
// ptx-next: add.s64
// ptx-next: ld.global.nc.b32
// ptx-next: st.shared.b32
// ptx: ld.global.nc.b32
// ptx: +3968]
// ptx-count: 1 bar.sync

#[test]
fn rows_of_a_tile_are_loaded_without_branches() {
    warploom_harness::ptx_file!("tile_loads.rs");
}
