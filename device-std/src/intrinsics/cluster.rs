//! What the blocks of a cluster, or of a cooperative grid, do together.

use super::Intrinsic;

intrinsics! {
    /// Clusters of the grid along x. PTX `%nclusterid.x`, 7.8 · sm_90.
    scalar fn clusters() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %nclusterid.x;";
    /// Clusters of the grid along y. PTX `%nclusterid.y`, 7.8 · sm_90.
    scalar fn clusters_y() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %nclusterid.y;";
    /// Clusters of the grid along z. PTX `%nclusterid.z`, 7.8 · sm_90.
    scalar fn clusters_z() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %nclusterid.z;";
    /// The cluster's x coordinate in the grid, in clusters. PTX `%clusterid.x`, 7.8 · sm_90.
    scalar fn cluster_idx_x() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %clusterid.x;";
    /// The cluster's y coordinate in the grid, in clusters. PTX `%clusterid.y`, 7.8 · sm_90.
    scalar fn cluster_idx_y() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %clusterid.y;";
    /// The cluster's z coordinate in the grid, in clusters. PTX `%clusterid.z`, 7.8 · sm_90.
    scalar fn cluster_idx_z() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %clusterid.z;";
    /// The block's x coordinate in its cluster. PTX `%cluster_ctaid.x`, 7.8 · sm_90.
    scalar fn cluster_block_idx_x() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_ctaid.x;";
    /// The block's y coordinate in its cluster. PTX `%cluster_ctaid.y`, 7.8 · sm_90.
    scalar fn cluster_block_idx_y() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_ctaid.y;";
    /// The block's z coordinate in its cluster. PTX `%cluster_ctaid.z`, 7.8 · sm_90.
    scalar fn cluster_block_idx_z() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_ctaid.z;";
    /// Blocks of a cluster along x. PTX `%cluster_nctaid.x`, 7.8 · sm_90.
    scalar fn cluster_dim_x() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_nctaid.x;";
    /// Blocks of a cluster along y. PTX `%cluster_nctaid.y`, 7.8 · sm_90.
    scalar fn cluster_dim_y() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_nctaid.y;";
    /// Blocks of a cluster along z. PTX `%cluster_nctaid.z`, 7.8 · sm_90.
    scalar fn cluster_dim_z() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_nctaid.z;";
    /// The block's number in its cluster, x fastest. PTX `%cluster_ctarank`, 7.8 · sm_90.
    scalar fn cluster_block_rank() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_ctarank;";
    /// Blocks of a cluster. PTX `%cluster_nctarank`, 7.8 · sm_90.
    scalar fn cluster_blocks() -> u32 = "asm:sm90+ptx78|mov.u32 $0, %cluster_nctarank;";
}

unsafe_intrinsics! {
    /// Arrives at the barrier of the cluster and goes on. What this thread wrote is seen by those that [`cluster_wait`].
    /// CUDA `cluster.barrier_arrive` · PTX `barrier.cluster.arrive.release`, 8.0 · sm_90.
    ///
    /// # Safety
    /// The thread has called [`cluster_wait`] since it last arrived. Safe code has [`crate::Cluster`].
    unsafe fn cluster_arrive() = "asm:volatile+memory+convergent+sm90+ptx80|barrier.cluster.arrive.release;";
    /// Waits until all threads of the cluster that have not exited have arrived.
    /// CUDA `cluster.barrier_wait` · PTX `barrier.cluster.wait.acquire`, 8.0 · sm_90.
    ///
    /// # Safety
    /// The thread has called [`cluster_arrive`] since it last waited. Safe code has [`crate::Cluster`].
    unsafe fn cluster_wait() = "asm:volatile+memory+convergent+sm90+ptx80|barrier.cluster.wait.acquire;";
    /// The address in the shared memory of the cluster's block number `rank` that corresponds to `address`.
    /// CUDA `cluster.map_shared_rank` · PTX `mapa.u64`, 7.8 · sm_90.
    ///
    /// # Safety
    /// `address` lies in the shared memory of a block of this cluster, and the cluster has a block of this rank.
    unsafe fn map_shared(address: *mut u8, rank: u32) -> *mut u8 = "asm:sm90+ptx78|mapa.u64 $0, $1, $2;";
    /// The rank of the cluster's block in whose shared memory `address` lies.
    /// CUDA `cluster.query_shared_rank` · PTX `getctarank.u64`, 7.8 · sm_90.
    ///
    /// # Safety
    /// `address` lies in the shared memory of a block of this cluster.
    unsafe fn shared_rank(address: *const u8) -> u32 = "asm:sm90+ptx78|getctarank.u64 $0, $1;";
}
