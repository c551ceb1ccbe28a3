//! The ends of the order of keys.

use warploom::device_std::{Bf16, F16};

use crate::radix_sort::RadixKey;

/// A key whose type has a first and a last value in the order of [`RadixKey`]: what the smallest and the largest of no elements are.
///
/// Implemented for all integers (`MIN` and `MAX`), and for [`F16`], [`Bf16`], `f32` and `f64` (the negative and the positive NaN with all bits set, since the order is that of
/// [`f32::total_cmp`]).
///
/// ```
/// use warploom_algorithms::Extremes;
/// assert_eq!((u8::FIRST, u8::LAST, i32::FIRST), (0, 255, i32::MIN));
/// assert!(f32::FIRST.total_cmp(&f32::NEG_INFINITY).is_lt() && f32::LAST.total_cmp(&f32::INFINITY).is_gt());
/// ```
pub trait Extremes: RadixKey {
    /// No value comes before it.
    const FIRST: Self;
    /// No value comes after it.
    const LAST: Self;
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Extremes for $ty {
            const FIRST: Self = <$ty>::MIN;
            const LAST: Self = <$ty>::MAX;
        }
    )*};
}
integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! floats {
    ($($ty:ty: $bits:ty;)*) => {$(
        impl Extremes for $ty {
            const FIRST: Self = <$ty>::from_bits(<$bits>::MAX);
            const LAST: Self = <$ty>::from_bits(<$bits>::MAX >> 1);
        }
    )*};
}
floats! {
    F16: u16;
    Bf16: u16;
    f32: u32;
    f64: u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_extremes_are_the_smallest_and_the_largest() {
        assert_eq!((i64::FIRST.bits(), i64::LAST.bits()), (0, u64::MAX));
        assert_eq!((f32::FIRST.bits(), f32::LAST.bits()), (0, u32::MAX));
        assert_eq!((F16::FIRST.bits(), Bf16::LAST.bits()), (0, u16::MAX));
    }
}
