//! Shared memory that is distributed over the blocks of a cluster.

use core::sync::atomic::Ordering::Relaxed;

use warploom::device_std::Cluster;
use warploom::prelude::*;
use warploom::shared_array;
use warploom_harness::device_test::on_each_device;

/// Bins of one block; the cluster has them all.
const BINS: usize = 64;

/// A histogram whose bins are spread over the blocks of the cluster.
#[kernel(cluster)]
fn histogram(
    block: Block,
    mut cluster: Cluster,
    x: &[u32],
    totals: &[core::sync::atomic::AtomicU32],
) {
    let bins = shared_array!(u32, 64);
    let mut i = block.thread();
    while i < BINS {
        bins.atomic(i).store(0, Relaxed);
        i += block.threads();
    }
    cluster.sync();
    let (all, threads) = (BINS * cluster.blocks(), cluster.threads());
    let mut i = cluster.idx().x as usize * threads + cluster.thread();
    while i < x.len() {
        let bin = x[i] as usize % all;
        // SAFETY: all blocks of the cluster have started (the barrier above) and none ends before all are done (the one below).
        let there = unsafe { cluster.map_shared_rank(bins, bin / BINS) };
        there.atomic(bin % BINS).fetch_add(1, Relaxed);
        i += threads * cluster.grid_dim().x as usize;
    }
    cluster.sync();
    let mut i = block.thread();
    while i < BINS {
        let total = &totals[cluster.rank() * BINS + i];
        total.fetch_add(bins.atomic(i).load(Relaxed), Relaxed);
        i += block.threads();
    }
}

//@ rows: CG-cluster
#[test]
fn a_histogram_over_the_blocks_of_a_cluster() {
    let x: Vec<u32> = (0..20_011u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 5)
        .collect();
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        let values = device.upload(&x)?;
        for (blocks, cluster, threads) in
            [(1, 1, 96), (4, 2, 70), (8, 4, 128), (16, 8, 32), (9, 3, 40)]
        {
            let bins = BINS * cluster as usize;
            let mut expected = vec![0u32; bins];
            for value in &x {
                expected[*value as usize % bins] += 1;
            }
            let mut totals = device.zeroed::<u32>(bins)?;
            let shape = Launch::new(blocks, threads).cluster(cluster);
            histogram::launch(stream, shape, &values, totals.as_atomic())?;
            assert_eq!(totals.to_vec(stream)?, expected, "on {}", device.name());
        }
        Ok(())
    });
}

/// Steps of a stencil whose rows stay in shared memory: what lies beyond the own part is read from the neighbours.
#[kernel(cluster, block(96))]
fn stencil(
    i: Index1D,
    block: Block,
    mut cluster: Cluster,
    steps: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let parts = shared_array!([u32; 2], 96);
    let (me, n) = (block.thread(), block.threads());
    let (rank, blocks) = (cluster.rank(), cluster.blocks());
    // SAFETY: each thread writes its own element.
    unsafe { parts.set(me, [x[i.get()], 0]) };
    cluster.sync();
    for step in 0..steps as usize {
        let (from, to) = (step % 2, (step + 1) % 2);
        let at = |rank: usize, place: usize| {
            // SAFETY: all blocks are there from the barrier above to the one below the loop.
            let part = unsafe { cluster.map_shared_rank(parts, rank) };
            // SAFETY: all callers' elements are below `n`, the length of each part.
            let element = unsafe { part.as_ptr().add(place) };
            // SAFETY: an element has two halves.
            let half = unsafe { element.cast::<u32>().add(from) };
            // SAFETY: no thread writes half `from` in this step; a barrier lies between the steps.
            unsafe { half.read() }
        };
        let left = if me > 0 {
            at(rank, me - 1)
        } else {
            at((rank + blocks - 1) % blocks, n - 1)
        };
        let right = if me + 1 < n {
            at(rank, me + 1)
        } else {
            at((rank + 1) % blocks, 0)
        };
        let own = at(rank, me);
        let next = left
            .wrapping_add(own.wrapping_mul(3))
            .wrapping_add(right.wrapping_mul(5));
        // SAFETY: this thread's element.
        let element = unsafe { parts.as_ptr().add(me) };
        // SAFETY: an element has two halves.
        let half = unsafe { element.cast::<u32>().add(to) };
        // SAFETY: this thread alone writes its element, and no thread reads half `to` in this step.
        unsafe { half.write(next) };
        cluster.sync();
    }
    // SAFETY: the own element, and no thread writes any more.
    let last = unsafe { parts.get(me) }[steps as usize % 2];
    if let Some(y) = y.get_mut(i) {
        *y = last;
    }
}

//@ rows: CG-cluster
#[test]
fn a_stencil_exchanges_its_halo() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        for (blocks, cluster) in [(1usize, 1usize), (6, 2), (8, 4), (8, 8)] {
            let x: Vec<u32> = (0..blocks as u32 * 96).map(|i| i * i + 7).collect();
            let mut expected = x.clone();
            for part in expected.chunks_mut(cluster * 96) {
                for _ in 0..7 {
                    let old = part.to_vec();
                    let n = part.len();
                    for (i, new) in part.iter_mut().enumerate() {
                        let (left, right) = (old[(i + n - 1) % n], old[(i + 1) % n]);
                        *new = left
                            .wrapping_add(old[i].wrapping_mul(3))
                            .wrapping_add(right.wrapping_mul(5));
                    }
                }
            }
            let values = device.upload(&x)?;
            let mut y = device.zeroed(x.len())?;
            let shape = Launch::covering(x.len()).cluster(cluster as u32);
            stencil::launch(stream, shape, 7, &values, &mut y)?;
            assert_eq!(y.to_vec(stream)?, expected, "on {}", device.name());
        }
        Ok(())
    });
}

/// Dynamic shared memory of the next block, and the rank of the block that owns an address.
#[kernel(cluster(4))]
fn ring(block: Block, mut cluster: Cluster, mut y: DisjointSlice<[u32; 3], PerBlock>) {
    let words = dynamic_shared!(u32);
    if block.thread() == 0 {
        // SAFETY: one thread of the block, and no thread reads before the barrier.
        unsafe { words.set(3, 10 + block.index() as u32) };
    }
    cluster.sync();
    let next = (cluster.rank() + 1) % cluster.blocks();
    // SAFETY: the array has more than three elements.
    let at = unsafe { words.as_ptr().add(3) };
    // SAFETY: an address of this block's shared memory; the other blocks have not returned before the barrier below.
    let there = unsafe { cluster.map_shared_address(at, next) };
    // SAFETY: an initialised element, which no thread writes meanwhile.
    let value = unsafe { there.read() };
    // SAFETY: an address of shared memory.
    let rank = unsafe { cluster.shared_rank(there) } as u32;
    // SAFETY: as above.
    let own = unsafe { cluster.shared_rank(at) } as u32;
    cluster.sync();
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = [value, rank, own];
    }
}

//@ rows: CG-cluster
#[test]
fn addresses_map_to_other_blocks() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        let mut y = device.zeroed(8)?;
        ring::launch(stream, Launch::new(8, 45).dynamic_shared(64), &mut y)?;
        let expected: Vec<[u32; 3]> = (0..8)
            .map(|block| {
                let next = (block + 1) % 4;
                [10 + block / 4 * 4 + next, next, block % 4]
            })
            .collect();
        assert_eq!(y.to_vec(stream)?, expected);
        Ok(())
    });
}

#[kernel(cluster(2))]
fn beyond(cluster: Cluster) {
    let words = shared_array!(u32, 4);
    // SAFETY: only asked for.
    let there = unsafe { cluster.map_shared_rank(words, 2) };
    let _ = there.as_ptr();
}

//@ rows: CG-cluster
#[test]
fn a_rank_that_is_not_there_is_a_panic() {
    for device in warploom_harness::device_test::devices() {
        if device.limits().cluster_blocks > 0 {
            let stream = device.stream().unwrap();
            beyond::launch(&stream, (2, 1)).unwrap();
            let text = stream.synchronize().unwrap_err().to_string();
            assert!(text.contains("block 2 of a cluster of 2 blocks"), "{text}");
        }
    }
}
