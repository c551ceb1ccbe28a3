//! Groups cost what is written by hand: one instruction per operation, the mask of the tile, the block's barrier.

use warploom::device_std::groups::{Group, WarpGroup};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn of_a_tile(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let tile = block.tile::<16>();
    let v = i.get() as u32;
    tile.sync();
    let seen = tile.shuffle_down(v, 4)
        ^ tile.shuffle_up(v, 4)
        ^ tile.shuffle_xor(v, 4)
        ^ tile.shuffle_idx(v, 4)
        ^ tile.ballot(v % 3 == 1).bits()
        ^ tile.match_any(v).bits()
        ^ u32::from(tile.any(v % 5 == 1))
        ^ u32::from(tile.all(v % 7 != 1));
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 1 bar.warp.sync
// ptx-count: 1 shfl.sync.down.b32
// ptx-count: 1 shfl.sync.up.b32
// ptx-count: 1 shfl.sync.bfly.b32
// ptx-count: 1 shfl.sync.idx.b32
// ptx-count: 1 vote.sync.ballot.b32
// ptx-count: 1 match.any.sync.b32
// ptx-count: 1 vote.sync.any.pred
// ptx-count: 1 vote.sync.all.pred

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn of_any_rank(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let v = i.get() as u32;
    let seen = block.tile::<32>().shuffle_idx(v, v * 3);
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 1 shfl.sync.idx.b32
// ptx-not: and.b32
// ptx-not: %laneid

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn of_a_branch(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let mut seen = 0;
    if i.get() % 3 == 1 {
        let group = warp.coalesced();
        seen = group.rank() + group.size();
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}
// ptx-count: 1 activemask.b32
// ptx-count: 2 popc.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn of_a_block(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let sum = block.reduce(i.get() as u32, u32::wrapping_add);
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}
// ptx: shfl.sync.bfly.b32
// ptx-count: 1 bar.red.popc.u32
// ptx-count: 3 bar.sync 0;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn by_group(block: Block) {
    Group::sync(&block);
}
// ptx-count: 1 bar.sync 0;

//@ rows: CG-block, CG-tile, CG-coalesced, E3-23
#[test]
fn groups_are_the_plain_instructions() {
    warploom_harness::ptx_file!("ptx.rs");
}
