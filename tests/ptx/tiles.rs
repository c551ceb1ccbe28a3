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

/// One barrier for each step, and one before the first.
#[kernel(block(256))]
fn running_sums(
    i: Index1D,
    block: Block,
    mut tile: DoubleTile<u32, 256>,
    mut y: DisjointSlice<u32>,
) {
    let t = block.thread();
    tile.set_own(0, i.get() as u32);
    let mut tile = tile.publish(&block);
    for step in 0..8 {
        let other = if t >> step != 0 {
            tile[t - (1 << step)]
        } else {
            0
        };
        tile.set_own(0, tile[t] + other);
        tile.publish(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = tile[t];
    }
}
// ptx: st.shared.b32
// ptx: bar.sync
// ptx-count: 9 bar.sync
// ptx-count: 9 st.shared
// ptx-not: cvta.shared
// ptx-not: panic

/// A loop whose length nothing says: the step's barrier and the first.
#[kernel(block(256))]
fn steps(
    i: Index1D,
    block: Block,
    mut tile: DoubleTile<f32, 256>,
    n: u32,
    mut y: DisjointSlice<f32>,
) {
    let t = block.thread();
    tile.set_own(0, i.get() as f32);
    let mut tile = tile.publish(&block);
    for _ in 0..n {
        tile.set_own(0, tile[t] * 0.5 + tile[255 - t]);
        tile.publish(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = tile[t];
    }
}
// ptx: bar.sync
// ptx-count: 2 bar.sync
// ptx-count: 2 st.shared
// ptx-not: panic

/// Four tiles, and one barrier for each change of phase.
#[kernel(block(128))]
fn together(
    block: Block,
    i: Index1D,
    mut a: SharedTile<f32, 128>,
    mut b: SharedTile<f32, 128>,
    mut c: SharedTile<f32, 128>,
    mut d: SharedTile<f32, 128>,
    mut y: DisjointSlice<f32>,
) {
    let (t, own) = (block.thread(), i.get() as f32);
    a.set_own(0, own);
    b.set_own(0, own);
    c.set_own(0, own);
    d.set_own(0, own);
    let (va, vb, vc, vd) = (a, b, c, d).publish(&block);
    let sum = va[127 - t] + vb[t ^ 1] + vc[t ^ 2] + vd[t ^ 4];
    (a, b, c, d) = (va, vb, vc, vd).reclaim(&block);
    a.set_own(0, sum);
    c.set_own(0, sum);
    d.set_own(0, sum);
    let (a, b) = (a, b).publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = a[127 - t] + b[t ^ 1] + c.get_own(0) + d.get_own(0);
    }
}
// ptx: bar.sync 15;
// ptx: bar.sync 15;
// ptx: bar.sync 3;
// ptx-count: 3 bar.sync
// ptx-not: panic

/// A block of constant size fills a tile without a loop, and without checks where its threads divide the slots.
#[kernel(block(128))]
fn filled(
    block: Block,
    i: Index1D,
    mut tile: SharedTile<f32, 1280>,
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    tile.fill(|slot| x.get(slot).copied().unwrap_or(0.0));
    let view = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = view[1279 - block.thread()];
    }
}
// ptx-count: 10 st.shared
// ptx-count: 10 ld.global.nc.b32

/// Where launches choose the block, it is a loop.
#[kernel]
fn filled_in_a_loop(
    block: Block,
    i: Index1D,
    mut tile: SharedTile<f32, 1280>,
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    tile.fill(|slot| x.get(slot).copied().unwrap_or(0.0));
    let view = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = view[1279 & block.thread()];
    }
}
// ptx-count: 1 st.shared
// ptx-not: div.u

#[test]
fn a_tile_costs_what_an_array_costs() {
    warploom_harness::ptx_file!("tiles.rs");
}
