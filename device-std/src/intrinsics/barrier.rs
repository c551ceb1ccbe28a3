//! What the threads of a block do together.

/// Waits at the block's barrier `id` (0..16) until every thread of the block that has not returned arrives there; orders memory.
///
/// CUDA `__syncthreads` for id 0 · PTX `barrier.cta.sync`, 6.0 · sm_30, the aligned form: from compute capability 7.0 on, it completes when each thread of the block that has not returned is there.
///
/// # Safety
/// `id` is 0, or an id that no [`crate::SharedTile`] or [`crate::DoubleTile`] of this kernel uses ([`crate::NamedBarrier::new`] says which
/// they use): a thread that arrives at a tile's barrier from elsewhere would release the others before it has stopped writing. Safe code has
/// [`crate::sync_threads`].
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn barrier(id: u32) {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.llvm.nvvm.barrier.cta.sync.aligned.all"]
            fn device(id: u32);
        }
        // SAFETY: the type of the LLVM intrinsic; the caller keeps the section above.
        unsafe { device(id) }
    }
    #[cfg(not(warploom_device))]
    // SAFETY: the emulator's function asks for no more than the section above, which the caller keeps.
    unsafe {
        warploom_emulator::intrinsics::barrier(id);
    }
}

/// For instrumented code on the emulator.
#[cfg(not(warploom_device))]
pub(crate) const SHIMS: &[super::Shim] = &[{
    unsafe extern "C-unwind" fn shim(id: u32) {
        // SAFETY: instrumented code calls it where the kernel called the function.
        unsafe { barrier(id) }
    }
    super::Shim {
        symbol: "__warploom.llvm.nvvm.barrier.cta.sync.aligned.all",
        address: shim as *const (),
    }
}];

unsafe_intrinsics! {
    /// Waits as [`barrier`] does; the number of threads of the block that have not returned and come with `p`, the same in each.
    /// CUDA `__syncthreads_count` for id 0 · PTX `barrier.cta.red.popc.u32`, 6.0 · sm_30, the aligned form.
    ///
    /// # Safety
    /// As for [`barrier`]. Threads that meet at one barrier make the same call: PTX leaves undefined what another one does.
    unsafe fn barrier_count(id: u32, p: bool) -> u32 = "llvm.nvvm.barrier.cta.red.popc.aligned.all";
    /// Waits as [`barrier`] does; whether `p` holds in all threads of the block that have not returned, the same in each.
    /// CUDA `__syncthreads_and` for id 0 · PTX `barrier.cta.red.and.pred`, 6.0 · sm_30, the aligned form.
    ///
    /// # Safety
    /// As for [`barrier_count`].
    unsafe fn barrier_all(id: u32, p: bool) -> bool = "llvm.nvvm.barrier.cta.red.and.aligned.all";
    /// Waits as [`barrier`] does; whether `p` holds in any thread of the block that has not returned, the same in each.
    /// CUDA `__syncthreads_or` for id 0 · PTX `barrier.cta.red.or.pred`, 6.0 · sm_30, the aligned form.
    ///
    /// # Safety
    /// As for [`barrier_count`].
    unsafe fn barrier_any(id: u32, p: bool) -> bool = "llvm.nvvm.barrier.cta.red.or.aligned.all";
    /// Waits at the block's barrier `id` until `threads` threads have arrived there, this one included; orders memory.
    /// PTX `barrier.cta.sync id, threads`, 6.0 · sm_30, the aligned form.
    ///
    /// # Safety
    /// As for [`barrier`]; all threads of the warp make this call, all that meet give the same `threads`, a multiple of 32.
    unsafe fn barrier_sync_threads(id: u32, threads: u32) = "llvm.nvvm.barrier.cta.sync.aligned.count";
    /// Arrives at the block's barrier `id` without waiting; orders what the thread did before. PTX `barrier.cta.arrive id, threads`, 6.0 · sm_30.
    ///
    /// # Safety
    /// As for [`barrier_sync_threads`].
    unsafe fn barrier_arrive_threads(id: u32, threads: u32) = "llvm.nvvm.barrier.cta.arrive.aligned.count";
}
