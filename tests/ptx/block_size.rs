//! `block(x, y, z)` fixes the block: the size is a constant of the code and a demand on the launch.

use warploom::prelude::*;

#[kernel(block(16, 8, 2))]
fn fixed(mut y: DisjointSlice<u32, PerBlock>, block: Block) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        let (size, at) = (block_dim(), thread_idx());
        *y = size.x + 100 * size.y + 10000 * size.z + at.x;
    }
}
// ptx: .reqntid 16, 8, 2
// ptx-not: %ntid
// ptx: 20816

/// Threads have numbers below 256, so nothing is checked.
#[kernel(block(256))]
fn in_range(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    let bins = shared_array!(u32, 256);
    bins.atomic(block.thread())
        .store(7, std::sync::atomic::Ordering::Relaxed);
    block.sync();
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = bins.atomic(255).load(std::sync::atomic::Ordering::Relaxed);
    }
}
// ptx: .reqntid 256
// ptx-not: panic

#[test]
fn a_fixed_block_is_a_constant() {
    warploom_harness::ptx_file!("block_size.rs");
}
