//! Reductions and scans over the lanes of a mask that have not returned: the one implementation behind warps and their groups.

use super::numbers::{Reduce, ReduceBits};
use super::shuffle::{Shuffle, exchange, to_first, to_last};
use crate::intrinsics as raw;

/// Combines the values of the lanes of `mask`, the same in each. `width` is the number of lanes if `mask` is one segment of that
/// width, and 0 otherwise.
///
/// Pairs at distances `width / 2` … 1 if no lane is missing, so each step combines the same two values in both lanes of a pair;
/// otherwise in lane order.
///
/// # Safety
/// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub(crate) unsafe fn reduce<T: Shuffle>(
    mask: u32,
    width: u32,
    value: T,
    op: &impl Fn(T, T) -> T,
) -> T {
    // SAFETY: the caller's promise.
    let present = unsafe { raw::vote_ballot(mask, true) };
    // SAFETY: the caller's promise.
    unsafe { reduce_present(mask, width, present, value, op) }
}

/// [`reduce`] where it is known which lanes of the mask have not returned.
///
/// # Safety
/// As [`reduce`]; `present` are those lanes.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub(crate) unsafe fn reduce_present<T: Shuffle>(
    mask: u32,
    width: u32,
    present: u32,
    value: T,
    op: &impl Fn(T, T) -> T,
) -> T {
    if width != 0 && present == mask {
        let mut sum = value;
        let mut flip = width / 2;
        while flip > 0 {
            // SAFETY: the caller's promise.
            let other = unsafe {
                exchange!(T, sum, |word| raw::shuffle_bfly(
                    mask,
                    word,
                    flip,
                    to_last(width)
                ))
            };
            sum = op(sum, other);
            flip /= 2;
        }
        return sum;
    }
    // `present` is the same in each lane, so all make the same calls; the caller is in it.
    let mut rest = present & present.wrapping_sub(1);
    let first = present.trailing_zeros();
    // SAFETY: the caller's promise.
    let mut sum = unsafe { exchange!(T, value, |word| raw::shuffle_idx(mask, word, first, 31)) };
    while rest != 0 {
        let lane = rest.trailing_zeros();
        // SAFETY: the caller's promise.
        let other = unsafe { exchange!(T, value, |word| raw::shuffle_idx(mask, word, lane, 31)) };
        sum = op(sum, other);
        rest &= rest - 1;
    }
    sum
}

/// The reductions with an instruction of their own on some architectures; otherwise by [`reduce`].
macro_rules! reductions {
    ($($name:ident: $bound:ident, $instruction:ident;)*) => {$(
        /// # Safety
        /// As [`reduce`].
        #[inline(always)]
        #[cfg_attr(not(warploom_device), track_caller)]
        pub(crate) unsafe fn $name<T: $bound>(mask: u32, width: u32, value: T) -> T {
            // SAFETY: the caller's promise.
            match unsafe { value.$instruction(mask) } {
                Some(result) => result,
                // SAFETY: the caller's promise.
                None => unsafe { reduce(mask, width, value, &T::$name) },
            }
        }
    )*};
}
reductions! {
    sum: Reduce, hardware_sum;
    least: Reduce, hardware_least;
    greatest: Reduce, hardware_greatest;
    and: ReduceBits, hardware_and;
    or: ReduceBits, hardware_or;
    xor: ReduceBits, hardware_xor;
}

/// Combines the values of the lanes of `mask` up to the caller's own, in lane order.
///
/// # Safety
/// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub(crate) unsafe fn scan<T: Shuffle>(
    mask: u32,
    width: u32,
    value: T,
    op: &impl Fn(T, T) -> T,
) -> T {
    // SAFETY: the caller's promise.
    let present = unsafe { raw::vote_ballot(mask, true) };
    if width != 0 && present == mask {
        let rank = raw::lane_id() & (width - 1);
        let mut sum = value;
        let mut delta = 1;
        while delta < width {
            // SAFETY: the caller's promise.
            let below = unsafe {
                exchange!(T, sum, |word| raw::shuffle_up(
                    mask,
                    word,
                    delta,
                    to_first(width)
                ))
            };
            if rank >= delta {
                sum = op(below, sum);
            }
            delta *= 2;
        }
        return sum;
    }
    let own = raw::lane_id();
    let mut rest = present & present.wrapping_sub(1);
    let first = present.trailing_zeros();
    // SAFETY: the caller's promise.
    let mut sum = unsafe { exchange!(T, value, |word| raw::shuffle_idx(mask, word, first, 31)) };
    while rest != 0 {
        let lane = rest.trailing_zeros();
        // SAFETY: the caller's promise.
        let other = unsafe { exchange!(T, value, |word| raw::shuffle_idx(mask, word, lane, 31)) };
        if lane <= own {
            sum = op(sum, other);
        }
        rest &= rest - 1;
    }
    sum
}

/// Combines the values of the lanes of `mask` below the caller's own, in lane order; `first` in the lowest lane.
///
/// # Safety
/// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub(crate) unsafe fn scan_before<T: Shuffle>(
    mask: u32,
    width: u32,
    value: T,
    first: T,
    op: &impl Fn(T, T) -> T,
) -> T {
    // SAFETY: the caller's promise.
    let up_to = unsafe { scan(mask, width, value, op) };
    // SAFETY: the caller's promise.
    let present = unsafe { raw::vote_ballot(mask, true) };
    let below = present & raw::lanemask_lt();
    let source = if below == 0 {
        raw::lane_id()
    } else {
        31 - below.leading_zeros()
    };
    // SAFETY: the caller's promise.
    let before = unsafe { exchange!(T, up_to, |word| raw::shuffle_idx(mask, word, source, 31)) };
    if below == 0 { first } else { before }
}
