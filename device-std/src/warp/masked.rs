//! The forms that name the lanes that take part.

use super::shuffle::exchange;
use super::{LaneMask, Match, Reduce, ReduceBits, Shuffle, Warp, Width, combine};
use crate::intrinsics as raw;

/// The forms that name the lanes that take part.
///
/// # Safety
/// For each: the caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
/// A GPU does not check it; the emulator does.
impl Warp<'_> {
    /// [`sync`](Self::sync) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn sync_mask(self, mask: impl Into<LaneMask>) {
        // SAFETY: the caller's promise.
        unsafe { raw::warp_sync(mask.into().bits()) };
    }

    /// [`shuffle_idx`](Self::shuffle_idx) among the lanes of `mask`; unspecified if lane `lane` is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_idx_mask<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        lane: u32,
    ) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.shuffle_idx_mask_in(mask, value, lane, Width::W32) }
    }

    /// [`shuffle_idx_in`](Self::shuffle_idx_in) among the lanes of `mask`; unspecified if lane `lane` is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_idx_mask_in<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        lane: u32,
        width: Width,
    ) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            exchange!(T, value, |word| raw::shuffle_idx(
                mask,
                word,
                lane,
                width.to_last()
            ))
        }
    }

    /// [`shuffle_up`](Self::shuffle_up) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_up_mask<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        delta: u32,
    ) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.shuffle_up_mask_in(mask, value, delta, Width::W32) }
    }

    /// [`shuffle_up_in`](Self::shuffle_up_in) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_up_mask_in<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        delta: u32,
        width: Width,
    ) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            exchange!(T, value, |word| raw::shuffle_up(
                mask,
                word,
                delta,
                width.to_first()
            ))
        }
    }

    /// [`shuffle_down`](Self::shuffle_down) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_down_mask<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        delta: u32,
    ) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.shuffle_down_mask_in(mask, value, delta, Width::W32) }
    }

    /// [`shuffle_down_in`](Self::shuffle_down_in) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_down_mask_in<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        delta: u32,
        width: Width,
    ) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            exchange!(T, value, |word| raw::shuffle_down(
                mask,
                word,
                delta,
                width.to_last()
            ))
        }
    }

    /// [`shuffle_xor`](Self::shuffle_xor) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_xor_mask<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        flip: u32,
    ) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.shuffle_xor_mask_in(mask, value, flip, Width::W32) }
    }

    /// [`shuffle_xor_in`](Self::shuffle_xor_in) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn shuffle_xor_mask_in<T: Shuffle>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
        flip: u32,
        width: Width,
    ) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            exchange!(T, value, |word| raw::shuffle_bfly(
                mask,
                word,
                flip,
                width.to_last()
            ))
        }
    }

    /// [`ballot`](Self::ballot) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn ballot_mask(self, mask: impl Into<LaneMask>, p: bool) -> LaneMask {
        // SAFETY: the caller's promise.
        LaneMask::from_bits(unsafe { raw::vote_ballot(mask.into().bits(), p) })
    }

    /// [`any`](Self::any) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn any_mask(self, mask: impl Into<LaneMask>, p: bool) -> bool {
        // SAFETY: the caller's promise.
        unsafe { raw::vote_any(mask.into().bits(), p) }
    }

    /// [`all`](Self::all) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn all_mask(self, mask: impl Into<LaneMask>, p: bool) -> bool {
        // SAFETY: the caller's promise.
        unsafe { raw::vote_all(mask.into().bits(), p) }
    }

    /// [`uniform`](Self::uniform) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn uniform_mask(self, mask: impl Into<LaneMask>, p: bool) -> bool {
        // SAFETY: the caller's promise.
        unsafe { raw::vote_uni(mask.into().bits(), p) }
    }

    /// [`match_any`](Self::match_any) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn match_any_mask<T: Match>(self, mask: impl Into<LaneMask>, value: T) -> LaneMask {
        // SAFETY: the caller's promise.
        LaneMask::from_bits(unsafe { value.any_of(mask.into().bits()) })
    }

    /// [`match_all`](Self::match_all) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn match_all_mask<T: Match>(
        self,
        mask: impl Into<LaneMask>,
        value: T,
    ) -> Option<LaneMask> {
        // SAFETY: the caller's promise.
        some_lanes(unsafe { value.all_of(mask.into().bits()) })
    }

    /// [`reduce_sum`](Self::reduce_sum) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_sum_mask<T: Reduce>(self, mask: impl Into<LaneMask>, value: T) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            match value.hardware_sum(mask) {
                Some(result) => result,
                None => combine::reduce(mask, segment(mask), value, &T::sum),
            }
        }
    }

    /// [`reduce_min`](Self::reduce_min) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_min_mask<T: Reduce>(self, mask: impl Into<LaneMask>, value: T) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            match value.hardware_least(mask) {
                Some(result) => result,
                None => combine::reduce(mask, segment(mask), value, &T::least),
            }
        }
    }

    /// [`reduce_max`](Self::reduce_max) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_max_mask<T: Reduce>(self, mask: impl Into<LaneMask>, value: T) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            match value.hardware_greatest(mask) {
                Some(result) => result,
                None => combine::reduce(mask, segment(mask), value, &T::greatest),
            }
        }
    }

    /// [`reduce_and`](Self::reduce_and) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_and_mask<T: ReduceBits>(self, mask: impl Into<LaneMask>, value: T) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            match value.hardware_and(mask) {
                Some(result) => result,
                None => combine::reduce(mask, segment(mask), value, &T::and),
            }
        }
    }

    /// [`reduce_or`](Self::reduce_or) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_or_mask<T: ReduceBits>(self, mask: impl Into<LaneMask>, value: T) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            match value.hardware_or(mask) {
                Some(result) => result,
                None => combine::reduce(mask, segment(mask), value, &T::or),
            }
        }
    }

    /// [`reduce_xor`](Self::reduce_xor) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_xor_mask<T: ReduceBits>(self, mask: impl Into<LaneMask>, value: T) -> T {
        let mask = mask.into().bits();
        // SAFETY: the caller's promise.
        unsafe {
            match value.hardware_xor(mask) {
                Some(result) => result,
                None => combine::reduce(mask, segment(mask), value, &T::xor),
            }
        }
    }
}

/// Which lanes hold the same, if any: a match gives none where they differ.
#[inline(always)]
pub(super) fn some_lanes(mask: u32) -> Option<LaneMask> {
    (mask != 0).then_some(LaneMask::from_bits(mask))
}

/// 32 for the whole warp, which is combined in pairs; 0 for any other mask.
#[inline(always)]
fn segment(mask: u32) -> u32 {
    if mask == u32::MAX { 32 } else { 0 }
}
