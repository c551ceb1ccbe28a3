//! Shared memory of other blocks of a cluster.

use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// facebookexperimental/triton#1105: blocks of a cluster end while others still read their shared memory.
#[kernel(cluster(2, 1, 1))]
fn peer_block_has_left<const BUG: bool>(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers of the cluster around the accesses to the other block. The bug is the point.
    unsafe {
        tile.set(t, 2 * x[i.get()]);
        cluster.sync();
        let peer = cluster.map_shared_rank(tile, cluster.rank() ^ 1);
        let sum = tile.get(t) + peer.get(t); //~ WL0013
        if !BUG {
            cluster.sync();
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// mlc-ai/TIRx-kernels#42: a slot that consumers in both blocks of a pair read is published again without hearing from the other block.
#[kernel(cluster(2, 1, 1))]
fn published_over_the_peer<const BUG: bool>(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    rounds: u32,
    mut y: DisjointSlice<u32>,
) {
    let slot = shared_array!(u32, 1);
    let mut sum = 0;
    // SAFETY: barriers of the cluster between publishing and reading, and before the next round. The bug is the point.
    unsafe {
        for round in 0..rounds {
            if cluster.rank() == 0 && block.thread() == 0 {
                slot.set(0, round + 1); //~ WL0101|WL0113 first
            }
            cluster.sync();
            sum += cluster.map_shared_rank(slot, 0).get(0); //~ WL0101|WL0113 second //~? WL0103
            if BUG {
                block.sync();
            } else {
                cluster.sync();
            }
        }
        cluster.sync();
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

cases!("clusters.rs":
    case!(peer_block_has_left, "facebookexperimental/triton#1105", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, peer_block_has_left, (4, 32), &input, &mut y);
        run.expect(&y, |i| 2 * (x[i] + x[i ^ 32]))
    }),
    case!(published_over_the_peer, "mlc-ai/TIRx-kernels#42", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, published_over_the_peer, (4, 32), 3, &mut y);
        run.expect(&y, |_| 6)
    }),
);
