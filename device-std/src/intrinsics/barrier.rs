//! What the threads of a block do together.

/// Waits at the block's barrier `id` (0..16) until every thread of the block that has not returned arrives there; orders memory.
///
/// CUDA `__syncthreads` for id 0 · PTX `barrier.cta.sync`, 6.0 · sm_30, the aligned form: from compute capability 7.0 on, it completes when each thread of the block that has not returned is there.
///
/// # Safety
/// `id` is 0, or an id that no [`crate::SharedTile`] of this kernel uses (tile `k` uses `1 + 2k` and `2 + 2k`): a thread that arrives
/// at a tile's barrier from elsewhere would release the others before it has stopped writing. Safe code has [`crate::sync_threads`].
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
    warploom_emulator::intrinsics::barrier(id);
}
