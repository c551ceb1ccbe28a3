//! Bulk copies: one thread begins a copy of many bytes, or of a box of a tensor, which a unit of the multiprocessor carries out. Compute capability 9.0 (PTX 8.0).
//!
//! Into shared memory a copy ends at an [`Mbarrier`]: the phase ends when all threads have arrived and as many bytes have been written as
//! [`arrive_expecting`](crate::Mbarrier::arrive_expecting) said. Out of shared memory the thread makes groups of its copies ([`commit_group`]) and waits for these
//! ([`wait_group`], [`wait_group_read`]). Copies do not see what threads wrote to shared memory before a [`fence_proxy_async`].
//!
//! Tensors come as kernel parameters, [`TensorSource`] and [`TensorTarget`]; the host makes them, `TensorMap` and `TensorMapMut` of the runtime. Beginning a copy is `unsafe`: nothing
//! in the types says when other threads use the shared memory. The emulator checks what the safety sections ask for: bytes that are not those expected, accesses before the copy has
//! ended, missing fences, addresses.
//!
//! ```
//! # use warploom_emulator::{run, Shape};
//! use warploom_device_std::{Block, Mbarrier, shared_array, tma};
//! fn kernel(block: Block, x: &[f32]) {
//!     let (memory, tile) = (shared_array!(u64, 1), shared_array!(u128, 64));
//!     // SAFETY: one thread initialises the barrier and begins the copy; all wait for its end before they read what it wrote.
//!     unsafe {
//!         let barrier = Mbarrier::new(memory, 0);
//!         if block.thread() == 0 {
//!             barrier.init(1);
//!             tma::fence_mbarrier_init();
//!         }
//!         block.sync();
//!         if block.thread() == 0 {
//!             let _ = barrier.arrive_expecting(1024);
//!             tma::copy_to_shared(tile.as_ptr().cast(), x.as_ptr().cast(), 1024, barrier);
//!         }
//!         barrier.wait_parity(0);
//!         assert_eq!(tile.get(block.thread()), 0x3f80_0000_3f80_0000_3f80_0000_3f80_0000);
//!     }
//! }
//! # #[repr(align(16))] struct Aligned([f32; 256]);
//! # static X: Aligned = Aligned([1.0; 256]);
//! # run(Shape::new([1, 1, 1], [64, 1, 1]), &|| kernel(unsafe { Block::from_launch() }, &X.0))?;
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```

mod element; // types of elements, and what reductions they have
mod tensor; // kernel parameters

pub use element::{ReduceAdd, ReduceBits, ReduceCount, ReduceMinMax, TensorElement};
pub use tensor::{RawTensorMap, TensorSource, TensorTarget};

use crate::{Mbarrier, intrinsics as raw};

/// Begins to copy `bytes` bytes from global to shared memory; the copy ends in the current phase of `barrier`.
///
/// CUDA: `cuda::ptx::cp_async_bulk`, `cuda::memcpy_async`. PTX: `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`. Compute capability: 9.0.
///
/// # Safety
/// `from` is in global memory and valid for reads of `bytes` bytes, `to` in the block's shared memory and valid for writes of them; both and `bytes` are multiples of 16. Until
/// the phase has ended no thread accesses the target or writes the source, and other accesses of the target are ordered before this call. The phase expects these bytes.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn copy_to_shared(to: *mut u8, from: *const u8, bytes: u32, barrier: Mbarrier<'_>) {
    // SAFETY: the caller's promise.
    unsafe { raw::bulk_load(to, from, bytes, barrier.as_ptr()) }
}

/// As [`copy_to_shared`], into the shared memory of each block of the cluster whose bit in `blocks` is set: to the offset that `to` has, ending at the barrier at the offset that
/// `barrier` has there.
///
/// PTX: `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster`. Compute capability: 9.0.
///
/// # Safety
/// As for [`copy_to_shared`], in each of these blocks, which are there until the copy has ended.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn copy_to_cluster_shared(
    to: *mut u8,
    from: *const u8,
    bytes: u32,
    barrier: Mbarrier<'_>,
    blocks: u16,
) {
    // SAFETY: the caller's promise.
    unsafe { raw::bulk_load_multicast(to, from, bytes, barrier.as_ptr(), blocks) }
}

/// Begins to copy `bytes` bytes from the block's shared memory to that of another block of the cluster; the copy ends in the current phase of `barrier`, which is in that block.
///
/// The addresses are those that [`Cluster::map_shared_address`](crate::Cluster::map_shared_address) gives. PTX: `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes`.
/// Compute capability: 9.0.
///
/// # Safety
/// As for [`copy_to_shared`]; that block is there until the copy has ended.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn copy_to_block(to: *mut u8, from: *const u8, bytes: u32, barrier: *mut u64) {
    // SAFETY: the caller's promise.
    unsafe { raw::bulk_to_cluster(to, from, bytes, barrier) }
}

/// Begins to copy `bytes` bytes from shared to global memory. [`commit_group`] and [`wait_group`] follow.
///
/// PTX: `cp.async.bulk.global.shared::cta.bulk_group`. Compute capability: 9.0.
///
/// # Safety
/// `from` is in the block's shared memory and valid for reads of `bytes` bytes, `to` in global memory and valid for writes of them; both and `bytes` are multiples of 16. No thread
/// writes the source before [`wait_group_read`], or accesses the target before [`wait_group`]; the block does not end before [`wait_group_read`]. What threads wrote to the source lies
/// before a [`fence_proxy_async`] of theirs, and that before this call.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn copy_to_global(to: *mut u8, from: *const u8, bytes: u32) {
    // SAFETY: the caller's promise.
    unsafe { raw::bulk_store(to, from, bytes) }
}

/// Asks for `bytes` bytes of global memory to be brought to the second cache. PTX: `cp.async.bulk.prefetch.L2.global`. Compute capability: 9.0.
///
/// # Safety
/// `from` is in global memory and valid for reads of them; both are multiples of 16.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn prefetch(from: *const u8, bytes: u32) {
    // SAFETY: the caller's promise.
    unsafe { raw::bulk_prefetch(from, bytes) }
}

/// Makes a group of the copies to global memory that this thread has begun since the last group.
///
/// CUDA: `cuda::ptx::cp_async_bulk_commit_group`. PTX: `cp.async.bulk.commit_group`. Compute capability: 9.0.
///
/// # Safety
/// All code that counts the thread's groups meanwhile allows for one more.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn commit_group() {
    // SAFETY: the caller's promise.
    unsafe { raw::bulk_commit() }
}

/// The number of groups that may be left is known when the kernel is compiled.
macro_rules! by_number {
    ($n:ident: $($wait:ident $number:literal)*) => {
        const {
            assert!(
                $n < 8,
                "at most 7 groups of bulk copies may be left under way: wait for more of them"
            );
        }
        match $n {
            // SAFETY: the caller of the function promises what the instruction asks for.
            $($number => unsafe { raw::$wait() },)*
            _ => {}
        }
    };
}

/// Waits until at most `N` of the thread's groups of copies to global memory are under way, the latest: what the others wrote is seen by this thread. `N` is at most 7.
///
/// CUDA: `cuda::ptx::cp_async_bulk_wait_group`. PTX: `cp.async.bulk.wait_group`. Compute capability: 9.0.
///
/// # Safety
/// As promised for each copy.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn wait_group<const N: usize>() {
    by_number!(N: bulk_wait_0 0 bulk_wait_1 1 bulk_wait_2 2 bulk_wait_3 3 bulk_wait_4 4 bulk_wait_5 5 bulk_wait_6 6 bulk_wait_7 7);
}

/// Waits until at most `N` of the thread's groups of copies to global memory may still read their sources, the latest: those of the others may be written again. `N` is at most 7.
///
/// CUDA: `cuda::ptx::cp_async_bulk_wait_group_read`. PTX: `cp.async.bulk.wait_group.read`. Compute capability: 9.0.
///
/// # Safety
/// As promised for each copy.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn wait_group_read<const N: usize>() {
    by_number!(N: bulk_wait_read_0 0 bulk_wait_read_1 1 bulk_wait_read_2 2 bulk_wait_read_3 3 bulk_wait_read_4 4 bulk_wait_read_5 5 bulk_wait_read_6 6 bulk_wait_read_7 7);
}

/// Orders this thread's accesses before the fence and what bulk copies, and products of warp groups, do that begin after it.
///
/// Each thread that wrote shared memory which such a copy reads makes one, before the barrier that lies between. CUDA: `cuda::ptx::fence_proxy_async`. PTX: `fence.proxy.async`.
/// Compute capability: 9.0.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub fn fence_proxy_async() {
    raw::fence_proxy_async();
}

/// Lets the other blocks of the cluster, and copies, see the barriers in memory that this thread has initialised; a barrier of the block or the cluster follows.
///
/// CUDA: `cuda::ptx::fence_mbarrier_init`. PTX: `fence.mbarrier_init.release.cluster`. Compute capability: 9.0.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub fn fence_mbarrier_init() {
    raw::fence_mbarrier_init();
}
