//! Reductions of a kernel that fixes its block do not ask which threads take part, where none can have returned.
//@ release

use warploom::prelude::*;

#[kernel(block(256))]
fn sum_of_warps(i: Index1D, warp: Warp, x: &[f32], mut y: DisjointSlice<f32, PerWarp>) {
    let x = x.get(i.get()).copied().unwrap_or(0.0);
    let sum = warp.reduce(x, |a, b| a + b);
    if let Some(leader) = warp.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = sum;
    }
}
// ptx-count: 5 shfl.sync.bfly.b32
// ptx-not: vote.sync
// ptx-not: shfl.sync.idx

#[kernel(block(256))]
fn sum_of_blocks(block: Block, x: &[f32], mut y: DisjointSlice<f32, PerBlock>) {
    let own = block.index() * 256 + block.thread();
    let sum = block.reduce(x.get(own).copied().unwrap_or(0.0), |a, b| a + b);
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = sum;
    }
}
// ptx-count: 8 shfl.sync.bfly.b32
// ptx-count: 2 bar.sync
// ptx-not: bar.red
// ptx-not: vote.sync

/// A thread that returned takes no part.
#[kernel(block(256))]
fn sum_of_those_left(i: Index1D, warp: Warp, x: &[f32], mut y: DisjointSlice<f32, PerWarp>) {
    if i.get() >= x.len() {
        return;
    }
    let sum = warp.reduce(x[i.get()], |a, b| a + b);
    if let Some(leader) = warp.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = sum;
    }
}
// ptx: vote.sync.ballot.b32

#[test]
fn reductions_of_whole_blocks_ask_for_no_threads() {
    warploom_harness::ptx_file!("whole_blocks.rs");
}
