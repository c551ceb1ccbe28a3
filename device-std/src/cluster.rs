//! The cluster: blocks that run at the same time on neighbouring multiprocessors, and reach each other's shared memory.

use crate::index::linear_thread;
use crate::scope::{Brand, Tied};
use crate::{Dim3, Plain, SharedArray, block_dim, intrinsics as raw};

/// The cluster of this thread. A witness: comes as a kernel parameter.
///
/// How many blocks a cluster has is said by the kernel, `#[kernel(cluster(2, 1, 1))]`, or by the launch, `Launch::cluster`; where neither
/// says it, each block is a cluster of its own. CUDA: `cooperative_groups::this_cluster`. Compute capability: 9.0.
///
/// ```
/// # use warploom_emulator::{run_together, Shape, Together};
/// use core::sync::atomic::Ordering::Relaxed;
/// use warploom_device_std::{Block, Cluster, shared_array};
/// /// Counts what all blocks of the cluster have seen, in the shared memory of its first block.
/// fn count(mut cluster: Cluster, block: Block, seen: u32) -> u32 {
///     let total = shared_array!(u32, 1);
///     if block.thread() == 0 {
///         total.atomic(0).store(0, Relaxed);
///     }
///     cluster.sync();
///     // SAFETY: all blocks have started, by the barrier before, and none ends before all are done, by the one after.
///     let first = unsafe { cluster.map_shared_rank(total, 0) };
///     first.atomic(0).fetch_add(seen, Relaxed);
///     cluster.sync();
///     let sum = first.atomic(0).load(Relaxed);
///     cluster.sync();
///     sum
/// }
/// # let clusters = Together { cluster: [3, 1, 1], cooperative: false };
/// # run_together(Shape::new([6, 1, 1], [40, 1, 1]), clusters, &|| unsafe {
/// #     assert_eq!(count(Cluster::from_launch(), Block::from_launch(), 2), 240);
/// # })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub struct Cluster<'k> {
    /// The thread arrived, and the token that should have waited was leaked.
    owes_a_wait: bool,
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for Cluster<'k> {}

impl<'k> Cluster<'k> {
    /// The block's number in its cluster, x fastest. CUDA: `cluster.block_rank()`.
    #[inline(always)]
    #[must_use]
    pub fn rank(&self) -> usize {
        raw::cluster_block_rank() as usize
    }

    /// The number of blocks of a cluster. CUDA: `cluster.num_blocks()`.
    #[inline(always)]
    #[must_use]
    pub fn blocks(&self) -> usize {
        raw::cluster_blocks() as usize
    }

    /// The thread's number in its cluster: blocks by rank, the threads of each x fastest. CUDA: `cluster.thread_rank()`.
    #[inline(always)]
    #[must_use]
    pub fn thread(&self) -> usize {
        self.rank() * block_dim().count() as usize + linear_thread() as usize
    }

    /// The number of threads of a cluster. CUDA: `cluster.num_threads()`.
    #[inline(always)]
    #[must_use]
    pub fn threads(&self) -> usize {
        self.blocks() * block_dim().count() as usize
    }

    /// The block's coordinates in its cluster. CUDA: `cluster.block_index()`, PTX: `%cluster_ctaid`.
    #[inline(always)]
    #[must_use]
    pub fn block_idx(&self) -> Dim3 {
        Dim3 {
            x: raw::cluster_block_idx_x(),
            y: raw::cluster_block_idx_y(),
            z: raw::cluster_block_idx_z(),
        }
    }

    /// The extents of a cluster in blocks. CUDA: `cluster.dim_blocks()`, PTX: `%cluster_nctaid`.
    #[inline(always)]
    #[must_use]
    pub fn dim(&self) -> Dim3 {
        Dim3 {
            x: raw::cluster_dim_x(),
            y: raw::cluster_dim_y(),
            z: raw::cluster_dim_z(),
        }
    }

    /// The cluster's coordinates in the grid, in clusters. PTX: `%clusterid`.
    #[inline(always)]
    #[must_use]
    pub fn idx(&self) -> Dim3 {
        Dim3 {
            x: raw::cluster_idx_x(),
            y: raw::cluster_idx_y(),
            z: raw::cluster_idx_z(),
        }
    }

    /// The extents of the grid in clusters. PTX: `%nclusterid`.
    #[inline(always)]
    #[must_use]
    pub fn grid_dim(&self) -> Dim3 {
        Dim3 {
            x: raw::clusters(),
            y: raw::clusters_y(),
            z: raw::clusters_z(),
        }
    }

    /// Waits until every thread of the cluster that has not returned arrives; orders memory accesses within the cluster.
    ///
    /// If a thread that has not returned never comes, a GPU waits for ever and the emulator reports a deadlock with the place where each
    /// lane waits. CUDA: `cluster.sync()`. PTX: `barrier.cluster.arrive.release`, `barrier.cluster.wait.acquire`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync(&mut self) {
        self.arrive().wait();
    }

    /// Arrives at the barrier of [`sync`](Self::sync) and goes on; [`ClusterArrival::wait`] is the other half.
    ///
    /// What this thread wrote before is seen by the others after their wait. In between there is time for work of the thread's own.
    /// CUDA: `cluster.barrier_arrive()`. PTX: `barrier.cluster.arrive.release`.
    ///
    /// ```
    /// # use warploom_emulator::{run_together, Shape, Together};
    /// use warploom_device_std::Cluster;
    /// fn kernel(mut cluster: Cluster) {
    ///     let arrival = cluster.arrive();
    ///     // work that the other blocks need not see
    ///     arrival.wait();
    /// }
    /// # let clusters = Together { cluster: [2, 1, 1], cooperative: false };
    /// # run_together(Shape::new([4, 1, 1], [40, 1, 1]), clusters, &|| unsafe { kernel(Cluster::from_launch()) })?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    /// A thread does not arrive twice:
    /// ```compile_fail,E0499
    /// fn kernel(mut cluster: warploom_device_std::Cluster) {
    ///     let first = cluster.arrive();
    ///     cluster.sync();
    ///     first.wait();
    /// }
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn arrive(&mut self) -> ClusterArrival<'_, 'k> {
        if self.owes_a_wait {
            // SAFETY: the thread arrived and has not waited.
            unsafe { raw::cluster_wait() }
        }
        // SAFETY: the thread has waited since it last arrived. There is one `Cluster` for each thread.
        unsafe { raw::cluster_arrive() }
        self.owes_a_wait = true;
        ClusterArrival { cluster: self }
    }

    /// The same array in the shared memory of the cluster's block number `rank`.
    ///
    /// CUDA: `cluster.map_shared_rank`. PTX: `mapa`.
    ///
    /// # Panics
    /// If the cluster has no block of this rank.
    ///
    /// # Safety
    /// `array` is one of this block, or was mapped from one. All accesses to its elements, atomic or not, happen while that block
    /// is there: after a [`sync`](Self::sync) in its code, and before another one. The block cannot end in between, unless by a panic of
    /// all its threads; an access then loses the context.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub unsafe fn map_shared_rank<'a, T: Plain, const N: usize>(
        &self,
        array: SharedArray<'a, T, N>,
        rank: usize,
    ) -> SharedArray<'a, T, N> {
        self.check(rank);
        // SAFETY: an address in shared memory, as the caller promises, that is not read or written here; of a rank that was just checked.
        let raw = array.raw.mapped(|start| unsafe { map(start, rank) });
        SharedArray { raw, ..array }
    }

    /// The address in the shared memory of the cluster's block number `rank` that corresponds to `address`.
    ///
    /// For memory that is no [`SharedArray`]: dynamic shared memory, for instance. PTX: `mapa`.
    ///
    /// # Panics
    /// If the cluster has no block of this rank.
    ///
    /// # Safety
    /// `address` lies in the shared memory of a block of this cluster. Accesses through the result keep to what
    /// [`map_shared_rank`](Self::map_shared_rank) says, and do not race.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub unsafe fn map_shared_address<T>(&self, address: *mut T, rank: usize) -> *mut T {
        self.check(rank);
        // SAFETY: the caller's promise; the rank was just checked.
        unsafe { map(address, rank) }
    }

    /// The rank of the block in whose shared memory `address` lies. CUDA: `cluster.query_shared_rank`. PTX: `getctarank`.
    ///
    /// # Safety
    /// `address` lies in the shared memory of a block of this cluster.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub unsafe fn shared_rank<T>(&self, address: *const T) -> usize {
        // SAFETY: the caller's promise.
        unsafe { raw::shared_rank(address.cast()) as usize }
    }

    /// In the function that the kernel calls: from a closure in it the panic would name the closure's line.
    #[inline(always)]
    #[track_caller]
    fn check(&self, rank: usize) {
        let blocks = self.blocks();
        assert!(
            rank < blocks,
            "block {rank} of a cluster of {blocks} blocks"
        );
    }

    /// # Safety
    /// Called by the code around a kernel, once for each thread.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        Cluster {
            owes_a_wait: false,
            _brand: Brand::new(),
        }
    }
}

/// The thread has arrived at the barrier of its cluster, and has yet to wait. Dropping it waits, too.
///
/// CUDA: the token of `cluster.barrier_arrive()`.
///
/// ```
/// use warploom_device_std::Cluster;
/// fn overlap(cluster: &mut Cluster) {
///     let arrival = cluster.arrive();
///     // What needs nothing of the other blocks.
///     arrival.wait();
/// }
/// ```
#[must_use = "the thread arrived; `wait()` is where it may rely on the others"]
pub struct ClusterArrival<'c, 'k> {
    cluster: &'c mut Cluster<'k>,
}

/// # Safety
/// The address is one of shared memory of the cluster, which has a block of this rank.
#[inline(always)]
unsafe fn map<T>(address: *mut T, rank: usize) -> *mut T {
    // SAFETY: the caller's promise.
    unsafe { raw::map_shared(address.cast(), rank as u32).cast() }
}

impl ClusterArrival<'_, '_> {
    /// Waits until every thread of the cluster that has not returned has arrived; what they wrote before that is seen from now on.
    ///
    /// CUDA: `cluster.barrier_wait()`. PTX: `barrier.cluster.wait.acquire`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn wait(self) {
        let arrival = core::mem::ManuallyDrop::new(self);
        // SAFETY: the thread arrived when this was made; it is waited for once, for the destructor does not run.
        unsafe { raw::cluster_wait() }
        // SAFETY: read once, from a value that is not used any more.
        let ended = unsafe { core::ptr::read(&raw const arrival.cluster) };
        ended.owes_a_wait = false;
    }
}

impl Drop for ClusterArrival<'_, '_> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the thread arrived when this was made, and has not waited.
        unsafe { raw::cluster_wait() }
        self.cluster.owes_a_wait = false;
    }
}
