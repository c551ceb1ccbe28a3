//! What the lanes of a warp do together.

use super::Intrinsic;

intrinsics! {
    /// Waits until every lane of `mask` that has not returned arrives with the same mask; orders their memory accesses.
    /// CUDA `__syncwarp` · PTX `bar.warp.sync`, 6.0 · sm_30.
    /// The caller is in `mask`; otherwise the result of the call is that it may wait for ever (the emulator reports it).
    convergent fn warp_sync(mask: u32) = "llvm.nvvm.bar.warp.sync";
    /// The lanes of `mask` that have not returned and in which `p` holds; the same answer in each.
    /// CUDA `__ballot_sync` · PTX `vote.sync.ballot.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn vote_ballot(mask: u32, p: bool) -> u32 = "llvm.nvvm.vote.ballot.sync";
    /// Whether `p` holds in any lane of `mask` that has not returned; the same answer in each.
    /// CUDA `__any_sync` · PTX `vote.sync.any.pred`, 6.0 · sm_30 · orders no memory.
    convergent fn vote_any(mask: u32, p: bool) -> bool = "llvm.nvvm.vote.any.sync";
    /// Whether `p` holds in all lanes of `mask` that have not returned; the same answer in each.
    /// CUDA `__all_sync` · PTX `vote.sync.all.pred`, 6.0 · sm_30 · orders no memory.
    convergent fn vote_all(mask: u32, p: bool) -> bool = "llvm.nvvm.vote.all.sync";
    /// The lanes that happen to run together with this one. A hint, no promise: lanes may part and join at any time.
    /// CUDA `__activemask` · PTX `activemask.b32`, 6.2 · sm_30.
    convergent fn active_mask() -> u32 = "llvm.nvvm.activemask";
    /// The `value` of lane `lane`, within the segments that `clamp` (PTX operand *c*) describes.
    /// CUDA `__shfl_sync` · PTX `shfl.sync.idx.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.idx.i32";
    /// The `value` of the lane `delta` below, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_up_sync` · PTX `shfl.sync.up.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.up.i32";
    /// The `value` of the lane `delta` above, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_down_sync` · PTX `shfl.sync.down.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.down.i32";
    /// The `value` of the lane whose number differs in the bits of `flip`, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_xor_sync` · PTX `shfl.sync.bfly.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_bfly(mask: u32, value: u32, flip: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.bfly.i32";
}
