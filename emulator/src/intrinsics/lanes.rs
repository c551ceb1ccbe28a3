//! What a warp finds out about the values of its lanes, and which lanes stand where.

use super::{lane_id, meet, vote};
use crate::engine::warp::{Bits, Match, Operands, Reduction, WarpOp};

/// Whether `p` is the same in all lanes of `mask` that have not exited.
///
/// Waits for them. PTX: `vote.sync.uni`. Compute capability: 3.0.
///
/// # Panics
/// If the calling lane is not in `mask`. Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn vote_uni(mask: u32, p: bool) -> bool {
    vote(WarpOp::Uni, mask, p) != 0
}

macro_rules! matches {
    ($($(#[$doc:meta])* $name:ident $ty:ty = $of:ident, $bits:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Waits for all lanes of `mask` that have not exited. Compute capability: 7.0.
        ///
        /// # Panics
        /// If the calling lane is not in `mask`. Outside a kernel.
        #[inline(always)]
        #[track_caller]
        pub fn $name(mask: u32, value: $ty) -> u32 {
            let value = u64::from(value);
            let operands = Operands { value: value as u32, b: (value >> 32) as u32, c: 0 };
            meet(WarpOp::Match(Match::$of, Bits::$bits), mask, operands)
        }
    )*};
}

matches! {
    /// The lanes of `mask` that have not exited and hold the same `value`. CUDA: `__match_any_sync`.
    match_any_u32 u32 = Any, B32;
    /// The lanes of `mask` that have not exited and hold the same `value`. CUDA: `__match_any_sync`.
    match_any_u64 u64 = Any, B64;
    /// The lanes of `mask` that have not exited if all hold the same `value`, else 0. CUDA: `__match_all_sync`.
    match_all_u32 u32 = All, B32;
    /// The lanes of `mask` that have not exited if all hold the same `value`, else 0. CUDA: `__match_all_sync`.
    match_all_u64 u64 = All, B64;
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $ty:ty = $op:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// The same in each lane. Waits for all lanes of `mask` that have not exited. Compute capability: 8.0.
        ///
        /// # Panics
        /// If the calling lane is not in `mask`. Outside a kernel.
        #[inline(always)]
        #[track_caller]
        pub fn $name(mask: u32, value: $ty) -> $ty {
            let operands = Operands { value: value as u32, ..Operands::default() };
            meet(WarpOp::Reduce(Reduction::$op), mask, operands) as $ty
        }
    )*};
}

reductions! {
    /// The wrapping sum over the lanes of `mask` that have not exited. CUDA: `__reduce_add_sync`.
    redux_add u32 = Add;
    /// The least value over the lanes of `mask` that have not exited. CUDA: `__reduce_min_sync`.
    redux_min_u32 u32 = MinU32;
    /// The greatest value over the lanes of `mask` that have not exited. CUDA: `__reduce_max_sync`.
    redux_max_u32 u32 = MaxU32;
    /// The least value over the lanes of `mask` that have not exited. CUDA: `__reduce_min_sync`.
    redux_min_i32 i32 = MinI32;
    /// The greatest value over the lanes of `mask` that have not exited. CUDA: `__reduce_max_sync`.
    redux_max_i32 i32 = MaxI32;
    /// The bits that are set in all lanes of `mask` that have not exited. CUDA: `__reduce_and_sync`.
    redux_and u32 = And;
    /// The bits that are set in any lane of `mask` that has not exited. CUDA: `__reduce_or_sync`.
    redux_or u32 = Or;
    /// The bits that are set in an odd number of lanes of `mask` that have not exited. CUDA: `__reduce_xor_sync`.
    redux_xor u32 = Xor;
}

macro_rules! lane_masks {
    ($($(#[$doc:meta])* $name:ident = $of:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// Outside a kernel.
        #[inline]
        #[track_caller]
        pub fn $name() -> u32 {
            let own = 1u32 << lane_id();
            $of(own)
        }
    )*};
}

lane_masks! {
    /// The thread's own lane as a mask. PTX: `%lanemask_eq`.
    lanemask_eq = |own: u32| own;
    /// The lanes below the thread's own. PTX: `%lanemask_lt`.
    lanemask_lt = |own: u32| own - 1;
    /// The thread's own lane and those below. PTX: `%lanemask_le`.
    lanemask_le = |own: u32| own | (own - 1);
    /// The lanes above the thread's own. PTX: `%lanemask_gt`.
    lanemask_gt = |own: u32| !(own | (own - 1));
    /// The thread's own lane and those above. PTX: `%lanemask_ge`.
    lanemask_ge = |own: u32| !(own - 1);
}
