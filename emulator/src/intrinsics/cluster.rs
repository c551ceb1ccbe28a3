//! What the blocks of a cluster, or of a cooperative grid, do together.

use std::panic::Location;

use super::{fail, inside};
use crate::engine::co_resident::OutOfTurn;
use crate::engine::fiber::Running;

indices! {
    /// Clusters of the grid, x. PTX: `%nclusterid.x`.
    clusters = |running| running.shape.clusters()[0];
    /// Clusters of the grid, y. PTX: `%nclusterid.y`.
    clusters_y = |running| running.shape.clusters()[1];
    /// Clusters of the grid, z. PTX: `%nclusterid.z`.
    clusters_z = |running| running.shape.clusters()[2];
    /// Place of the cluster in the grid, x. PTX: `%clusterid.x`.
    cluster_idx_x = |running| split(running, 0).0;
    /// Place of the cluster in the grid, y. PTX: `%clusterid.y`.
    cluster_idx_y = |running| split(running, 1).0;
    /// Place of the cluster in the grid, z. PTX: `%clusterid.z`.
    cluster_idx_z = |running| split(running, 2).0;
    /// Place of the block in its cluster, x. PTX: `%cluster_ctaid.x`.
    cluster_block_idx_x = |running| split(running, 0).1;
    /// Place of the block in its cluster, y. PTX: `%cluster_ctaid.y`.
    cluster_block_idx_y = |running| split(running, 1).1;
    /// Place of the block in its cluster, z. PTX: `%cluster_ctaid.z`.
    cluster_block_idx_z = |running| split(running, 2).1;
    /// Blocks of a cluster, x. PTX: `%cluster_nctaid.x`.
    cluster_dim_x = |running| running.shape.together.cluster[0];
    /// Blocks of a cluster, y. PTX: `%cluster_nctaid.y`.
    cluster_dim_y = |running| running.shape.together.cluster[1];
    /// Blocks of a cluster, z. PTX: `%cluster_nctaid.z`.
    cluster_dim_z = |running| running.shape.together.cluster[2];
    /// Number of the block in its cluster, x fastest. PTX: `%cluster_ctarank`.
    cluster_block_rank = |running| (running.member % running.shape.cluster_blocks()) as u32;
    /// Blocks of a cluster. PTX: `%cluster_nctarank`.
    cluster_blocks = |running| running.shape.cluster_blocks() as u32;
}

/// Place of the cluster in the grid, and of the block in the cluster.
fn split(running: &Running<'_>, axis: usize) -> (u32, u32) {
    let (block, cluster) = (
        running.registers.block.get()[axis],
        running.shape.together.cluster[axis],
    );
    (block / cluster, block % cluster)
}

/// Arrives at the barrier of the cluster, and goes on; orders what this thread wrote before [`cluster_wait`] of the others.
///
/// The thread calls [`cluster_wait`] before it arrives again. CUDA: `cluster.barrier_arrive()`. PTX: `barrier.cluster.arrive.release`.
/// Compute capability: 9.0.
///
/// # Panics
/// If the thread arrived before and did not wait. Outside a kernel.
///
/// # Safety
/// None here, where all of it is checked; a GPU checks nothing.
#[track_caller]
pub unsafe fn cluster_arrive() {
    checked(inside("cluster_arrive", |running| {
        running.arrive_at_cluster()
    }));
}

/// Waits until all threads of the cluster that have not exited have arrived, as this one did.
///
/// CUDA: `cluster.barrier_wait()`. PTX: `barrier.cluster.wait.acquire`. Compute capability: 9.0.
///
/// # Panics
/// If the thread did not arrive. Outside a kernel.
///
/// # Safety
/// None here, where all of it is checked; a GPU checks nothing.
#[inline(always)]
#[track_caller]
pub unsafe fn cluster_wait() {
    let caller = Location::caller();
    let waited = inside("cluster_wait", |running| {
        let waits = running.waits_for_cluster(running.place(caller));
        if waits == Ok(true) {
            running.wait();
        }
        waits.map(drop)
    });
    checked(waited);
}

/// Waits until all threads of the cooperative grid are here. In each block those that have exited are not waited for; a block that is
/// over is, for ever.
///
/// Orders all memory accesses of the grid before and after it. CUDA: `grid.sync()`. Compute capability: 6.0.
///
/// # Panics
/// If the launch is not cooperative. Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn grid_sync() {
    let caller = Location::caller();
    let cooperative = inside("grid_sync", |running| {
        let waits = running.waits_for_grid(running.place(caller));
        if waits == Some(true) {
            running.wait();
        }
        waits.is_some()
    });
    if !cooperative {
        fail("`grid_sync` in a launch that is not cooperative: the other blocks may never start");
    }
}

/// The address in the shared memory of the cluster's block number `rank` that corresponds to `address`.
///
/// All blocks of a cluster have their shared memory laid out alike. CUDA: `cluster.map_shared_rank`. PTX: `mapa`. Compute capability: 9.0.
///
/// # Panics
/// If `address` is not in the shared memory of the cluster, or there is no block of this rank. Outside a kernel.
///
/// # Safety
/// None here, where all of it is checked; a GPU checks nothing.
#[track_caller]
pub unsafe fn map_shared(address: *mut u8, rank: u32) -> *mut u8 {
    let mapped = inside("map_shared", |running| {
        let (_, offset) = running.locate_shared(address)?;
        running.shared_of(rank, offset)
    });
    match mapped {
        Some(mapped) => mapped,
        None => fail(&format!(
            "`map_shared({address:p}, {rank})`: the address is not in shared memory, or the cluster has no block of this rank"
        )),
    }
}

/// The rank of the cluster's block in whose shared memory `address` lies.
///
/// CUDA: `cluster.query_shared_rank`. PTX: `getctarank`. Compute capability: 9.0.
///
/// # Panics
/// If `address` is not in the shared memory of the cluster. Outside a kernel.
///
/// # Safety
/// None here, where all of it is checked; a GPU checks nothing.
#[track_caller]
#[must_use]
pub unsafe fn shared_rank(address: *const u8) -> u32 {
    match inside("shared_rank", |running| running.locate_shared(address)) {
        Some((rank, _)) => rank,
        None => fail(&format!(
            "`shared_rank({address:p})`: the address is not in shared memory"
        )),
    }
}

#[track_caller]
fn checked(outcome: Result<(), OutOfTurn>) {
    match outcome {
        Ok(()) => {}
        Err(OutOfTurn::ArrivedTwice) => {
            fail("`cluster_arrive` twice without `cluster_wait` in between");
        }
        Err(OutOfTurn::NotArrived) => fail("`cluster_wait` without `cluster_arrive` before it"),
    }
}
