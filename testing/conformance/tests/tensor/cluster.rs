//! Copies to the shared memory of several blocks of a cluster.

use warploom::device_std::{Mbarrier, TensorSource, tma};
use warploom::prelude::*;
use warploom_harness::device_test::check;

use super::expected::{Kib, matrix};

/// The first block of a cluster of two brings a box to both; each block then brings one of its own to a second place in both.
#[kernel(cluster(2, 1, 1), block(128))]
fn share(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: TensorSource<u32, 2>,
    mut y: DisjointSlice<[u32; 3]>,
) {
    let (tiles, memory) = (shared_array!(Kib, 3), shared_array!(u64, 2));
    let (t, rank) = (block.thread(), cluster.rank());
    let tile = |i: usize| tiles.as_ptr().wrapping_add(i).cast::<u8>();
    // SAFETY: the memory has room for two barriers.
    let full = |i: usize| unsafe { Mbarrier::new(memory, i) };
    if t == 0 {
        // SAFETY: initialised by one thread, before others use it.
        unsafe { full(0).init(1) };
        // SAFETY: as above; one thread of each block arrives here.
        unsafe { full(1).init(2) };
        tma::fence_mbarrier_init();
    }
    cluster.sync();
    if t == 0 {
        // SAFETY: a barrier, at which one box of 512 bytes ends.
        let _ = unsafe { full(0).arrive_expecting(512) };
        // SAFETY: two boxes end here, before both blocks have arrived.
        unsafe { full(1).expect(1024) };
        for other in 0..2 {
            // SAFETY: the barrier is initialised in both blocks, which are there until the end.
            unsafe { full(1).arrive_at_block(other) };
        }
    }
    cluster.sync();
    if t == 0 {
        if rank == 0 {
            // SAFETY: nothing uses the tiles before the phases have ended; both blocks are there.
            unsafe { x.load_multicast(tile(0), [0, 0], full(0), 0b11) };
        }
        let (to, at) = (tile(1 + rank), [0, 8 + 8 * rank as i32]);
        // SAFETY: as above.
        unsafe { x.load_multicast(to, at, full(1), 0b11) };
    }
    for barrier in 0..2 {
        // SAFETY: a barrier.
        unsafe { full(barrier).wait_parity(0) };
    }
    if let Some(y) = y.get_mut(i) {
        // SAFETY: each tile has 128 words, and the copies have ended.
        *y = [0, 1, 2].map(|i| unsafe { tile(i).cast::<u32>().wrapping_add(t).read() });
    }
    cluster.sync();
}

//@ rows: TMA-multicast
#[test]
fn a_box_goes_to_all_blocks() {
    let x: Vec<u32> = (0..16 * 24).map(|i| i * 5 + 1).collect();
    let word = |box_row: usize, i: usize| x[(box_row + i / 16) * 16 + i % 16];
    let expected: Vec<[u32; 3]> = (0..4 * 128)
        .map(|i| [0, 8, 16].map(|row| word(row, i % 128)))
        .collect();
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&x)?, device.zeroed(expected.len())?);
        let map = matrix::<u32>(16, 24, [16, 8], [0, 0]).source(x.as_slice())?;
        share::launch(stream, (4, 128), &map, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Each block sends what it has to the other one.
#[kernel(cluster(2, 1, 1), block(64))]
fn swap(block: Block, mut cluster: Cluster, i: Index1D, mut y: DisjointSlice<u32>) {
    let (tiles, memory) = (shared_array!(Kib, 2), shared_array!(u64, 1));
    let (t, rank) = (block.thread(), cluster.rank());
    let tile = |i: usize| tiles.as_ptr().wrapping_add(i).cast::<u32>();
    // SAFETY: the memory has room for a barrier.
    let full = unsafe { Mbarrier::new(memory, 0) };
    if t == 0 {
        // SAFETY: initialised by one thread, before others use it.
        unsafe { full.init(1) };
        tma::fence_mbarrier_init();
    }
    // SAFETY: each thread writes a word of its own.
    unsafe { tile(0).wrapping_add(t).write(i.get() as u32 * 3) };
    tma::fence_proxy_async();
    cluster.sync();
    if t == 0 {
        // SAFETY: a barrier, at which one copy of 256 bytes ends.
        let _ = unsafe { full.arrive_expecting(256) };
        // SAFETY: addresses in shared memory; the cluster has another block, which is there until the end.
        let to = unsafe { cluster.map_shared_address(tile(1), 1 - rank) };
        // SAFETY: as above.
        let barrier = unsafe { cluster.map_shared_address(full.as_ptr(), 1 - rank) };
        // SAFETY: written before the fence; nothing uses the target before the phase has ended.
        unsafe { tma::copy_to_block(to.cast(), tile(0).cast(), 256, barrier) };
    }
    // SAFETY: a barrier.
    unsafe { full.wait_parity(0) };
    if let Some(y) = y.get_mut(i) {
        // SAFETY: the copy has ended.
        *y = unsafe { tile(1).wrapping_add(t).read() };
    }
    cluster.sync();
}

//@ rows: TMA-bulk
#[test]
fn blocks_send_bytes_to_each_other() {
    let expected: Vec<u32> = (0..4 * 64).map(|i| (i ^ 64) * 3).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        swap::launch(stream, (4, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
