//! What the lanes of a warp do together.

use super::Intrinsic;

lane_intrinsics! {
    /// Waits until every lane of `mask` that has not returned arrives with the same mask; orders their memory accesses.
    /// CUDA `__syncwarp` · PTX `bar.warp.sync`, 6.0 · sm_30.
    unsafe convergent fn warp_sync(mask: u32) = "llvm.nvvm.bar.warp.sync";
    /// The lanes of `mask` that have not returned and in which `p` holds; the same answer in each.
    /// CUDA `__ballot_sync` · PTX `vote.sync.ballot.b32`, 6.0 · sm_30 · orders no memory.
    unsafe convergent fn vote_ballot(mask: u32, p: bool) -> u32 = "llvm.nvvm.vote.ballot.sync";
    /// Whether `p` holds in any lane of `mask` that has not returned; the same answer in each.
    /// CUDA `__any_sync` · PTX `vote.sync.any.pred`, 6.0 · sm_30 · orders no memory.
    unsafe convergent fn vote_any(mask: u32, p: bool) -> bool = "llvm.nvvm.vote.any.sync";
    /// Whether `p` holds in all lanes of `mask` that have not returned; the same answer in each.
    /// CUDA `__all_sync` · PTX `vote.sync.all.pred`, 6.0 · sm_30 · orders no memory.
    unsafe convergent fn vote_all(mask: u32, p: bool) -> bool = "llvm.nvvm.vote.all.sync";
    /// The `value` of lane `lane`, within the segments that `clamp` (PTX operand *c*) describes.
    /// CUDA `__shfl_sync` · PTX `shfl.sync.idx.b32`, 6.0 · sm_30 · orders no memory.
    /// The value of a lane that is not in `mask` or has returned is unspecified.
    unsafe convergent fn shuffle_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.idx.i32";
    /// The `value` of the lane `delta` below, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_up_sync` · PTX `shfl.sync.up.b32`, 6.0 · sm_30 · orders no memory.
    /// The value of a lane that is not in `mask` or has returned is unspecified.
    unsafe convergent fn shuffle_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.up.i32";
    /// The `value` of the lane `delta` above, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_down_sync` · PTX `shfl.sync.down.b32`, 6.0 · sm_30 · orders no memory.
    /// The value of a lane that is not in `mask` or has returned is unspecified.
    unsafe convergent fn shuffle_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.down.i32";
    /// The `value` of the lane whose number differs in the bits of `flip`, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_xor_sync` · PTX `shfl.sync.bfly.b32`, 6.0 · sm_30 · orders no memory.
    /// The value of a lane that is not in `mask` or has returned is unspecified.
    unsafe convergent fn shuffle_bfly(mask: u32, value: u32, flip: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.bfly.i32";
    /// Whether `p` is the same in all lanes of `mask` that have not returned; the same answer in each.
    /// PTX `vote.sync.uni.pred`, 6.0 · sm_30 · orders no memory.
    unsafe convergent fn vote_uni(mask: u32, p: bool) -> bool = "llvm.nvvm.vote.uni.sync";
    /// The lanes of `mask` that have not returned and hold the same `value`.
    /// CUDA `__match_any_sync` · PTX `match.any.sync.b32`, 6.0 · sm_70 · orders no memory.
    unsafe convergent fn match_any_u32(mask: u32, value: u32) -> u32 = "asm:volatile+convergent|match.any.sync.b32 $0, $2, $1;";
    /// The lanes of `mask` that have not returned and hold the same `value`.
    /// CUDA `__match_any_sync` · PTX `match.any.sync.b64`, 6.0 · sm_70 · orders no memory.
    unsafe convergent fn match_any_u64(mask: u32, value: u64) -> u32 = "asm:volatile+convergent|match.any.sync.b64 $0, $2, $1;";
    /// The lanes of `mask` that have not returned if all of them hold the same `value`, else 0; the same answer in each.
    /// CUDA `__match_all_sync` · PTX `match.all.sync.b32`, 6.0 · sm_70 · orders no memory.
    unsafe convergent fn match_all_u32(mask: u32, value: u32) -> u32 = "asm:volatile+convergent|match.all.sync.b32 $0, $2, $1;";
    /// The lanes of `mask` that have not returned if all of them hold the same `value`, else 0; the same answer in each.
    /// CUDA `__match_all_sync` · PTX `match.all.sync.b64`, 6.0 · sm_70 · orders no memory.
    unsafe convergent fn match_all_u64(mask: u32, value: u64) -> u32 = "asm:volatile+convergent|match.all.sync.b64 $0, $2, $1;";
    /// The wrapping sum over the lanes of `mask` that have not returned; the same in each.
    /// CUDA `__reduce_add_sync` · PTX `redux.sync.add.u32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_add(mask: u32, value: u32) -> u32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.add.u32 $0, $2, $1;";
    /// The least value over the lanes of `mask` that have not returned; the same in each.
    /// CUDA `__reduce_min_sync` · PTX `redux.sync.min.u32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_min_u32(mask: u32, value: u32) -> u32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.min.u32 $0, $2, $1;";
    /// The greatest value over the lanes of `mask` that have not returned; the same in each.
    /// CUDA `__reduce_max_sync` · PTX `redux.sync.max.u32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_max_u32(mask: u32, value: u32) -> u32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.max.u32 $0, $2, $1;";
    /// The least value over the lanes of `mask` that have not returned; the same in each.
    /// CUDA `__reduce_min_sync` · PTX `redux.sync.min.s32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_min_i32(mask: u32, value: i32) -> i32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.min.s32 $0, $2, $1;";
    /// The greatest value over the lanes of `mask` that have not returned; the same in each.
    /// CUDA `__reduce_max_sync` · PTX `redux.sync.max.s32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_max_i32(mask: u32, value: i32) -> i32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.max.s32 $0, $2, $1;";
    /// The bits that are set in all lanes of `mask` that have not returned; the same in each.
    /// CUDA `__reduce_and_sync` · PTX `redux.sync.and.b32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_and(mask: u32, value: u32) -> u32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.and.b32 $0, $2, $1;";
    /// The bits that are set in any lane of `mask` that has not returned; the same in each.
    /// CUDA `__reduce_or_sync` · PTX `redux.sync.or.b32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_or(mask: u32, value: u32) -> u32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.or.b32 $0, $2, $1;";
    /// The bits that are set in an odd number of lanes of `mask` that have not returned; the same in each.
    /// CUDA `__reduce_xor_sync` · PTX `redux.sync.xor.b32`, 7.0 · sm_80 · orders no memory.
    unsafe convergent fn redux_xor(mask: u32, value: u32) -> u32 = "asm:volatile+convergent+sm80+ptx70|redux.sync.xor.b32 $0, $2, $1;";
}

intrinsics! {
    /// The lanes that happen to run together with this one. A hint, no promise: lanes may part and join at any time.
    /// CUDA `__activemask` · PTX `activemask.b32`, 6.2 · sm_30.
    convergent fn active_mask() -> u32 = "llvm.nvvm.activemask";
    /// The thread's own lane as a mask. PTX `%lanemask_eq`, 2.0 · sm_20.
    scalar fn lanemask_eq() -> u32 = "llvm.nvvm.read.ptx.sreg.lanemask.eq";
    /// The lanes below the thread's own. PTX `%lanemask_lt`, 2.0 · sm_20.
    scalar fn lanemask_lt() -> u32 = "llvm.nvvm.read.ptx.sreg.lanemask.lt";
    /// The thread's own lane and those below. PTX `%lanemask_le`, 2.0 · sm_20.
    scalar fn lanemask_le() -> u32 = "llvm.nvvm.read.ptx.sreg.lanemask.le";
    /// The lanes above the thread's own. PTX `%lanemask_gt`, 2.0 · sm_20.
    scalar fn lanemask_gt() -> u32 = "llvm.nvvm.read.ptx.sreg.lanemask.gt";
    /// The thread's own lane and those above. PTX `%lanemask_ge`, 2.0 · sm_20.
    scalar fn lanemask_ge() -> u32 = "llvm.nvvm.read.ptx.sreg.lanemask.ge";
}
