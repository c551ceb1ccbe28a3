//! What reductions do with numbers: sum, least, greatest, bits; by one instruction where the hardware has it.

use super::Shuffle;
use crate::{arch, intrinsics as raw};

/// What [`Warp::reduce_sum`](crate::Warp::reduce_sum), `reduce_min` and `reduce_max` combine: all integers, `f32`, `f64`.
///
/// ```
/// fn sum<T: warploom_device_std::warp::Reduce>(warp: warploom_device_std::Warp, value: T) -> T { warp.reduce_sum(value) }
/// ```
pub trait Reduce: Shuffle {
    #[doc(hidden)]
    #[must_use]
    fn sum(self, other: Self) -> Self;
    #[doc(hidden)]
    #[must_use]
    fn least(self, other: Self) -> Self;
    #[doc(hidden)]
    #[must_use]
    fn greatest(self, other: Self) -> Self;
    /// The sum over the lanes of `mask` by one instruction, where there is one for this type.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn hardware_sum(self, _mask: u32) -> Option<Self> {
        None
    }
    /// # Safety
    /// As for the intrinsics that take a mask.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn hardware_least(self, _mask: u32) -> Option<Self> {
        None
    }
    /// # Safety
    /// As for the intrinsics that take a mask.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn hardware_greatest(self, _mask: u32) -> Option<Self> {
        None
    }
}

/// What [`Warp::reduce_and`](crate::Warp::reduce_and), `reduce_or` and `reduce_xor` combine: all integers.
///
/// ```
/// fn common<T: warploom_device_std::warp::ReduceBits>(warp: warploom_device_std::Warp, value: T) -> T { warp.reduce_and(value) }
/// ```
pub trait ReduceBits: Shuffle {
    #[doc(hidden)]
    #[must_use]
    fn and(self, other: Self) -> Self;
    #[doc(hidden)]
    #[must_use]
    fn or(self, other: Self) -> Self;
    #[doc(hidden)]
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// # Safety
    /// As for the intrinsics that take a mask.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn hardware_and(self, _mask: u32) -> Option<Self> {
        None
    }
    /// # Safety
    /// As for the intrinsics that take a mask.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn hardware_or(self, _mask: u32) -> Option<Self> {
        None
    }
    /// # Safety
    /// As for the intrinsics that take a mask.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn hardware_xor(self, _mask: u32) -> Option<Self> {
        None
    }
}

/// What [`Warp::match_any`](crate::Warp::match_any) and `match_all` compare, bit for bit: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`.
///
/// ```compile_fail,E0277
/// fn kernel(warp: warploom_device_std::Warp) { warp.match_any(3u16); }
/// ```
/// The instruction behind it takes any mask, and is `unsafe`:
/// ```compile_fail,E0133
/// fn lanes(value: u32) -> u32 { warploom_device_std::warp::Match::any_of(value, 1) }
/// ```
pub trait Match: crate::Plain + sealed::Sealed {
    /// # Safety
    /// As for the intrinsics that take a mask.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn any_of(self, mask: u32) -> u32;
    /// # Safety
    /// As for the intrinsics that take a mask.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn all_of(self, mask: u32) -> u32;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! hardware {
    ($($name:ident = $instruction:ident as $word:ty;)*) => {$(
        #[inline(always)]
        unsafe fn $name(self, mask: u32) -> Option<Self> {
            // A constant of the image: only one of the two ways is compiled.
            // SAFETY: the caller's promise.
            (arch() >= 80).then(|| unsafe { raw::$instruction(mask, self as $word) } as Self)
        }
    )*};
}

macro_rules! integers {
    ($($ty:ty { $($number:tt)* } { $($bits:tt)* })*) => {$(
        impl Reduce for $ty {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }
            hardware! { $($number)* }
        }
        impl ReduceBits for $ty {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            hardware! { $($bits)* }
        }
    )*};
}
integers! {
    u32 {
        hardware_sum = redux_add as u32;
        hardware_least = redux_min_u32 as u32;
        hardware_greatest = redux_max_u32 as u32;
    } {
        hardware_and = redux_and as u32;
        hardware_or = redux_or as u32;
        hardware_xor = redux_xor as u32;
    }
    i32 {
        hardware_sum = redux_add as u32;
        hardware_least = redux_min_i32 as i32;
        hardware_greatest = redux_max_i32 as i32;
    } {
        hardware_and = redux_and as u32;
        hardware_or = redux_or as u32;
        hardware_xor = redux_xor as u32;
    }
    u8 {} {} u16 {} {} u64 {} {} u128 {} {} usize {} {}
    i8 {} {} i16 {} {} i64 {} {} i128 {} {} isize {} {}
}

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl Reduce for $ty {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}
floats!(f32 f64);

macro_rules! matches {
    ($($ty:ty, $any:ident, $all:ident, |$value:ident| $bits:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Match for $ty {
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn any_of(self, mask: u32) -> u32 {
                let $value = self;
                // SAFETY: the caller's promise.
                unsafe { raw::$any(mask, $bits) }
            }
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn all_of(self, mask: u32) -> u32 {
                let $value = self;
                // SAFETY: the caller's promise.
                unsafe { raw::$all(mask, $bits) }
            }
        }
    )*};
}
matches! {
    u32, match_any_u32, match_all_u32, |v| v;
    i32, match_any_u32, match_all_u32, |v| v.cast_unsigned();
    f32, match_any_u32, match_all_u32, |v| v.to_bits();
    u64, match_any_u64, match_all_u64, |v| v;
    i64, match_any_u64, match_all_u64, |v| v.cast_unsigned();
    f64, match_any_u64, match_all_u64, |v| v.to_bits();
}
