//! The forms that name the lanes that take part: the implementation of the plain forms, too, which name all 32.

use super::shuffle::exchange;
use super::{LaneMask, Match, Reduce, ReduceBits, Shuffle, Warp, Width, combine};
use crate::intrinsics as raw;

/// Methods whose first argument is the mask; the body is `unsafe` and sees the mask as `u32`.
macro_rules! masked {
    ($(
        $(#[doc = $doc:literal])*
        fn $name:ident $(<$t:ident: $bound:ident>)? ($mask:ident $(, $arg:ident: $ty:ty)*) $(-> $out:ty)? { $body:expr }
    )*) => {
        /// The forms that name the lanes that take part.
        ///
        /// # Safety
        /// For each: the caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
        /// A GPU does not check it; the emulator does.
        impl Warp<'_> {$(
            $(#[doc = $doc])*
            ///
            /// # Safety
            /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub unsafe fn $name $(<$t: $bound>)? (self, $mask: impl Into<LaneMask> $(, $arg: $ty)*) $(-> $out)? {
                let $mask = $mask.into().bits();
                // SAFETY: the caller's promise.
                unsafe { $body }
            }
        )*}
    };
}

masked! {
    /// [`sync`](Self::sync) among the lanes of `mask`.
    fn sync_mask(mask) { raw::warp_sync(mask) }

    /// [`shuffle_idx`](Self::shuffle_idx) among the lanes of `mask`; unspecified if lane `lane` is not in it.
    fn shuffle_idx_mask<T: Shuffle>(mask, value: T, lane: u32) -> T {
        exchange!(T, value, |word| raw::shuffle_idx(mask, word, lane, Width::W32.to_last()))
    }

    /// [`shuffle_idx_in`](Self::shuffle_idx_in) among the lanes of `mask`; unspecified if lane `lane` is not in it.
    fn shuffle_idx_mask_in<T: Shuffle>(mask, value: T, lane: u32, width: Width) -> T {
        exchange!(T, value, |word| raw::shuffle_idx(mask, word, lane, width.to_last()))
    }

    /// [`shuffle_up`](Self::shuffle_up) among the lanes of `mask`; unspecified where the source is not in it.
    fn shuffle_up_mask<T: Shuffle>(mask, value: T, delta: u32) -> T {
        exchange!(T, value, |word| raw::shuffle_up(mask, word, delta, Width::W32.to_first()))
    }

    /// [`shuffle_up_in`](Self::shuffle_up_in) among the lanes of `mask`; unspecified where the source is not in it.
    fn shuffle_up_mask_in<T: Shuffle>(mask, value: T, delta: u32, width: Width) -> T {
        exchange!(T, value, |word| raw::shuffle_up(mask, word, delta, width.to_first()))
    }

    /// [`shuffle_down`](Self::shuffle_down) among the lanes of `mask`; unspecified where the source is not in it.
    fn shuffle_down_mask<T: Shuffle>(mask, value: T, delta: u32) -> T {
        exchange!(T, value, |word| raw::shuffle_down(mask, word, delta, Width::W32.to_last()))
    }

    /// [`shuffle_down_in`](Self::shuffle_down_in) among the lanes of `mask`; unspecified where the source is not in it.
    fn shuffle_down_mask_in<T: Shuffle>(mask, value: T, delta: u32, width: Width) -> T {
        exchange!(T, value, |word| raw::shuffle_down(mask, word, delta, width.to_last()))
    }

    /// [`shuffle_xor`](Self::shuffle_xor) among the lanes of `mask`; unspecified where the source is not in it.
    fn shuffle_xor_mask<T: Shuffle>(mask, value: T, flip: u32) -> T {
        exchange!(T, value, |word| raw::shuffle_bfly(mask, word, flip, Width::W32.to_last()))
    }

    /// [`shuffle_xor_in`](Self::shuffle_xor_in) among the lanes of `mask`; unspecified where the source is not in it.
    fn shuffle_xor_mask_in<T: Shuffle>(mask, value: T, flip: u32, width: Width) -> T {
        exchange!(T, value, |word| raw::shuffle_bfly(mask, word, flip, width.to_last()))
    }

    /// [`ballot`](Self::ballot) among the lanes of `mask`.
    fn ballot_mask(mask, p: bool) -> LaneMask { LaneMask::from_bits(raw::vote_ballot(mask, p)) }

    /// [`any`](Self::any) among the lanes of `mask`.
    fn any_mask(mask, p: bool) -> bool { raw::vote_any(mask, p) }

    /// [`all`](Self::all) among the lanes of `mask`.
    fn all_mask(mask, p: bool) -> bool { raw::vote_all(mask, p) }

    /// [`uniform`](Self::uniform) among the lanes of `mask`.
    fn uniform_mask(mask, p: bool) -> bool { raw::vote_uni(mask, p) }

    /// [`match_any`](Self::match_any) among the lanes of `mask`.
    fn match_any_mask<T: Match>(mask, value: T) -> LaneMask { LaneMask::from_bits(value.any_of(mask)) }

    /// [`match_all`](Self::match_all) among the lanes of `mask`.
    fn match_all_mask<T: Match>(mask, value: T) -> Option<LaneMask> { some_lanes(value.all_of(mask)) }

    /// [`reduce_sum`](Self::reduce_sum) among the lanes of `mask`.
    fn reduce_sum_mask<T: Reduce>(mask, value: T) -> T { combine::sum(mask, segment(mask), value) }

    /// [`reduce_min`](Self::reduce_min) among the lanes of `mask`.
    fn reduce_min_mask<T: Reduce>(mask, value: T) -> T { combine::least(mask, segment(mask), value) }

    /// [`reduce_max`](Self::reduce_max) among the lanes of `mask`.
    fn reduce_max_mask<T: Reduce>(mask, value: T) -> T { combine::greatest(mask, segment(mask), value) }

    /// [`reduce_and`](Self::reduce_and) among the lanes of `mask`.
    fn reduce_and_mask<T: ReduceBits>(mask, value: T) -> T { combine::and(mask, segment(mask), value) }

    /// [`reduce_or`](Self::reduce_or) among the lanes of `mask`.
    fn reduce_or_mask<T: ReduceBits>(mask, value: T) -> T { combine::or(mask, segment(mask), value) }

    /// [`reduce_xor`](Self::reduce_xor) among the lanes of `mask`.
    fn reduce_xor_mask<T: ReduceBits>(mask, value: T) -> T { combine::xor(mask, segment(mask), value) }
}

/// The lanes that hold the same value: a match gives none if they differ.
#[inline(always)]
fn some_lanes(mask: u32) -> Option<LaneMask> {
    (mask != 0).then_some(LaneMask::from_bits(mask))
}

/// 32 for the whole warp, which is combined in pairs; 0 for any other mask.
#[inline(always)]
fn segment(mask: u32) -> u32 {
    if mask == u32::MAX { 32 } else { 0 }
}
