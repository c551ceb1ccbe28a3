//! Shared memory of other blocks of a cluster.

use warploom::device_std::atomic::{Atomic, Relaxed, scope};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// Each block reads its neighbour's shared memory between two barriers of the cluster.
#[kernel(cluster(2, 1, 1))]
fn neighbours_tile(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers of the cluster around the accesses to the other block.
    unsafe {
        tile.set(t, x[i.get()]);
        cluster.sync();
        let value = cluster
            .map_shared_rank(tile, cluster.rank() ^ 1)
            .get(31 - t);
        cluster.sync();
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A histogram that is spread over the blocks of a cluster, with atomics on the other's shared memory.
#[kernel(cluster(2, 1, 1))]
fn histogram_over_a_cluster(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    totals: &[Atomic<u32>],
) {
    let bins = shared_array!(u32, 16);
    let t = block.thread();
    // SAFETY: zeroed before a barrier of the cluster, changed by atomics of its scope, read after another.
    unsafe {
        if t < 16 {
            bins.set(t, 0);
        }
        cluster.sync();
        let bin = x[i.get()] as usize % 32;
        let there = cluster.map_shared_rank(bins, bin / 16);
        let bin = there.as_ptr().add(bin % 16);
        Atomic::<u32, scope::Cluster>::from_ptr(bin).fetch_add(1, Relaxed);
        cluster.sync();
        if t < 16 {
            totals[16 * cluster.rank() + t].fetch_add(bins.get(t), Relaxed);
        }
        cluster.sync();
    }
}

/// The barrier of the cluster in two halves, with work of one's own between them.
#[kernel(cluster(2, 1, 1))]
fn cluster_arrival_and_wait(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: written before the arrival, read after the wait, and a further barrier before the blocks end.
    unsafe {
        tile.set(t, x[i.get()]);
        let arrival = cluster.arrive();
        let own = 2 * x[i.get()];
        arrival.wait();
        let other = cluster.map_shared_rank(tile, cluster.rank() ^ 1).get(t);
        cluster.sync();
        if let Some(y) = y.get_mut(i) {
            *y = own + other;
        }
    }
}

/// Each block writes into its neighbour's shared memory, which the neighbour reads after a barrier.
#[kernel(cluster(2, 1, 1))]
fn written_by_the_neighbour(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers of the cluster before and after the writes to the other block.
    unsafe {
        cluster.sync();
        cluster
            .map_shared_rank(tile, cluster.rank() ^ 1)
            .set(t, x[i.get()] + 1);
        cluster.sync();
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(31 - t);
        }
    }
}

cases!("clusters.rs":
    correct!(neighbours_tile, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, neighbours_tile, (4, 32), &input, &mut y);
        run.expect(&y, |i| x[((i / 32) ^ 1) * 32 + 31 - i % 32])
    }),
    correct!(histogram_over_a_cluster, |run| {
        let x = noise(128);
        let (input, mut totals) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, histogram_over_a_cluster, (4, 32), &input, totals.as_atomics());
        run.expect(&totals, |bin| x.iter().filter(|&&v| v as usize % 32 == bin).count() as u32)
    }),
    correct!(cluster_arrival_and_wait, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, cluster_arrival_and_wait, (4, 32), &input, &mut y);
        run.expect(&y, |i| 2 * x[i] + x[i ^ 32])
    }),
    correct!(written_by_the_neighbour, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, written_by_the_neighbour, (4, 32), &input, &mut y);
        run.expect(&y, |i| x[((i / 32) ^ 1) * 32 + 31 - i % 32] + 1)
    }),
);
