//! Integer operations that std does not have.
//!
//! The others of CUDA are std's, and the same instruction: `__clz` is `leading_zeros`, `__popc` `count_ones`, `__brev` `reverse_bits`,
//! `__float_as_int` `to_bits`. `__ffs` is [`find_first_set`].
//!
//! ```
//! use warploom_device_std::integer::{byte_permute, funnel_shift_left, mul_hi, sad};
//! assert_eq!(mul_hi(u32::MAX, 16), 15);
//! assert_eq!(sad(3i32, -4, 100), 107);
//! assert_eq!(byte_permute(0x3322_1100, 0x7766_5544, 0x0123), 0x0011_2233);
//! assert_eq!(funnel_shift_left(0x8000_0000, 0x1, 1), 0x3);
//! ```

use crate::intrinsics as raw;

pub use raw::{dp2a_hi_i32, dp2a_hi_u32, dp2a_lo_i32, dp2a_lo_u32, dp4a_i32, dp4a_u32};

/// `i16`, `u16`, `i32`, `u32`, `i64` and `u64`.
///
/// ```
/// use warploom_device_std::integer::{Integer, mul_hi};
/// fn high<T: Integer>(a: T, b: T) -> T {
///     mul_hi(a, b)
/// }
/// assert_eq!((high(1u32 << 31, 6), high(1u64 << 63, 6)), (3, 3));
/// ```
pub trait Integer: sealed::Integer {}

/// The upper half of the product, in twice the bits. CUDA: `__mulhi`, `__umulhi`, `__mul64hi`, `__umul64hi`.
///
/// ```
/// assert_eq!(warploom_device_std::integer::mul_hi(-1i64, 5), -1);
/// ```
#[inline(always)]
#[must_use]
pub fn mul_hi<T: Integer>(a: T, b: T) -> T {
    T::mul_hi(a, b)
}

/// `sum + |a - b|`, wrapping. The difference itself does not wrap. CUDA: `__sad`, `__usad`.
///
/// ```
/// assert_eq!(warploom_device_std::integer::sad(7u16, 9, 1), 3);
/// ```
#[inline(always)]
#[must_use]
pub fn sad<T: Integer>(a: T, b: T, sum: T) -> T {
    T::sad(a, b, sum)
}

/// The place of the lowest set bit, counted from 1; 0 for 0. CUDA: `__ffs`, `__ffsll`.
///
/// ```
/// use warploom_device_std::integer::find_first_set;
/// assert_eq!((find_first_set(0u32), find_first_set(12u32), find_first_set(i64::MIN)), (0, 3, 64));
/// ```
#[inline(always)]
#[must_use]
pub fn find_first_set<T: Integer>(x: T) -> u32 {
    T::find_first_set(x)
}

/// The low 32 bits of the product of the low 24 bits, as signed numbers. CUDA: `__mul24`.
///
/// Not faster than `*` on any GPU that we support.
///
/// ```
/// assert_eq!(warploom_device_std::integer::mul24(0x0100_0003, -2), -6); // the top 8 bits are ignored
/// ```
#[inline(always)]
#[must_use]
pub fn mul24(a: i32, b: i32) -> i32 {
    raw::mul24_i32(a, b)
}

/// The low 32 bits of the product of the low 24 bits. CUDA: `__umul24`.
///
/// ```
/// assert_eq!(warploom_device_std::integer::umul24(0xff00_0003, 2), 6);
/// ```
#[inline(always)]
#[must_use]
pub fn umul24(a: u32, b: u32) -> u32 {
    raw::mul24_u32(a, b)
}

/// Four bytes out of eight: nibble k of `selector` says which byte of `b:a` becomes byte k (`a` holds bytes 0 to 3, `b` 4 to 7).
///
/// Bit 3 of a nibble asks for eight copies of that byte's top bit instead. Bits above 16 are ignored. CUDA: `__byte_perm`.
///
/// ```
/// use warploom_device_std::integer::byte_permute;
/// assert_eq!(byte_permute(0x8000_00ff, 0, 0xb8_48), 0xff_ff_00_ff);
/// ```
#[inline(always)]
#[must_use]
pub fn byte_permute(a: u32, b: u32, selector: u32) -> u32 {
    raw::byte_permute(a, b, selector)
}

/// The upper word of `high:low` shifted left by `n % 32`. CUDA: `__funnelshift_l`. Compute capability: 3.2.
///
/// ```
/// assert_eq!(warploom_device_std::integer::funnel_shift_left(0xf000_0000, 1, 36), 0x1f);
/// ```
#[inline(always)]
#[must_use]
pub fn funnel_shift_left(low: u32, high: u32, n: u32) -> u32 {
    raw::funnel_left_wrap(low, high, n)
}

/// The upper word of `high:low` shifted left by `n`, at most 32. CUDA: `__funnelshift_lc`. Compute capability: 3.2.
///
/// ```
/// assert_eq!(warploom_device_std::integer::funnel_shift_left_clamped(7, 1, 40), 7);
/// ```
#[inline(always)]
#[must_use]
pub fn funnel_shift_left_clamped(low: u32, high: u32, n: u32) -> u32 {
    raw::funnel_left_clamp(low, high, n)
}

/// The lower word of `high:low` shifted right by `n % 32`. CUDA: `__funnelshift_r`. Compute capability: 3.2.
///
/// ```
/// assert_eq!(warploom_device_std::integer::funnel_shift_right(0x10, 0xf, 36), 0xf000_0001);
/// ```
#[inline(always)]
#[must_use]
pub fn funnel_shift_right(low: u32, high: u32, n: u32) -> u32 {
    raw::funnel_right_wrap(low, high, n)
}

/// The lower word of `high:low` shifted right by `n`, at most 32. CUDA: `__funnelshift_rc`. Compute capability: 3.2.
///
/// ```
/// assert_eq!(warploom_device_std::integer::funnel_shift_right_clamped(7, 1, 40), 1);
/// ```
#[inline(always)]
#[must_use]
pub fn funnel_shift_right_clamped(low: u32, high: u32, n: u32) -> u32 {
    raw::funnel_right_clamp(low, high, n)
}

/// The number with these upper and lower words. CUDA: `__hiloint2double`.
///
/// ```
/// use warploom_device_std::integer::{f64_from_words, f64_high_word, f64_low_word};
/// assert_eq!(f64_from_words(0x4000_0000, 0), 2.0);
/// assert_eq!((f64_high_word(-2.0), f64_low_word(-2.0)), (0xc000_0000u32 as i32, 0));
/// ```
#[inline(always)]
#[must_use]
pub const fn f64_from_words(high: i32, low: i32) -> f64 {
    f64::from_bits((high as u32 as u64) << 32 | low as u32 as u64)
}

/// Sign, exponent and the upper 20 bits of the fraction. CUDA: `__double2hiint`. Example: [`f64_from_words`].
///
/// ```
/// use warploom_device_std::integer::f64_high_word;
/// assert_eq!(f64_high_word(1.0), 0x3ff0_0000);
/// ```
#[inline(always)]
#[must_use]
pub const fn f64_high_word(x: f64) -> i32 {
    (x.to_bits() >> 32) as i32
}

/// The lower 32 bits of the fraction. CUDA: `__double2loint`. Example: [`f64_from_words`].
///
/// ```
/// use warploom_device_std::integer::f64_low_word;
/// assert_eq!(f64_low_word(1.0), 0);
/// ```
#[inline(always)]
#[must_use]
pub const fn f64_low_word(x: f64) -> i32 {
    x.to_bits() as i32
}

mod sealed {
    pub trait Integer: Copy {
        fn mul_hi(a: Self, b: Self) -> Self;
        fn sad(a: Self, b: Self, sum: Self) -> Self;
        fn find_first_set(x: Self) -> u32;
    }
}

macro_rules! integers {
    ($($ty:ident $mul_hi:ident $sad:ident;)*) => {$(
        impl Integer for $ty {}
        impl sealed::Integer for $ty {
            #[inline(always)]
            fn mul_hi(a: $ty, b: $ty) -> $ty {
                raw::$mul_hi(a, b)
            }
            #[inline(always)]
            fn sad(a: $ty, b: $ty, sum: $ty) -> $ty {
                raw::$sad(a, b, sum)
            }
            #[inline(always)]
            fn find_first_set(x: $ty) -> u32 {
                // The lowest set bit alone; nothing is left of 0.
                $ty::BITS - (x & x.wrapping_neg()).leading_zeros()
            }
        }
    )*};
}
integers! {
    i16 mul_hi_i16 sad_i16;
    u16 mul_hi_u16 sad_u16;
    i32 mul_hi_i32 sad_i32;
    u32 mul_hi_u32 sad_u32;
    i64 mul_hi_i64 sad_i64;
    u64 mul_hi_u64 sad_u64;
}
