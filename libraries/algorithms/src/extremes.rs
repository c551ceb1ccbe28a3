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

    /// Whichever comes first.
    #[doc(hidden)]
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if other.bits() < self.bits() {
            other
        } else {
            self
        }
    }

    /// Whichever comes last.
    #[doc(hidden)]
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if other.bits() > self.bits() {
            other
        } else {
            self
        }
    }
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
    ($($ty:ty: $bits:ty, $signed:ty;)*) => {$(
        impl Extremes for $ty {
            const FIRST: Self = <$ty>::from_bits(<$bits>::MAX);
            const LAST: Self = <$ty>::from_bits(<$bits>::MAX >> 1);

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                extreme!(self, other, $bits, $signed, min)
            }

            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                extreme!(self, other, $bits, $signed, max)
            }
        }
    )*};
}

/// By signed integers that have the order of the floats: those of negative ones with all other bits inverted. Inverting them again gives the float, so that of a chain of these
/// an element costs the inversion and one instruction, where a comparison and a selection would keep the float and its integer.
macro_rules! extreme {
    ($a:ident, $b:ident, $bits:ty, $signed:ty, $method:ident) => {{
        let inverted = |x: $signed| {
            let sign = x >> (<$bits>::BITS - 1);
            x ^ (sign & <$signed>::MAX)
        };
        let [a, b] = [$a, $b].map(|x| inverted(x.to_bits() as $signed));
        Self::from_bits(inverted(a.$method(b)) as $bits)
    }};
}
floats! {
    F16: u16, i16;
    Bf16: u16, i16;
    f32: u32, i32;
    f64: u64, i64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_and_the_larger_have_the_order_of_keys() {
        let places = |x: u64| [0, 1, 2, 5, 12, 15].map(|shift| x >> shift);
        let all = [u64::MAX, 1 << 63, u64::MAX >> 1, 0x7ff0 << 48, 3, 0].map(places);
        let all = || all.as_flattened().iter().copied();
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            check(f64::from_bits(a), f64::from_bits(b));
            check(
                f32::from_bits((a >> 32) as u32),
                f32::from_bits((b >> 32) as u32),
            );
            check(
                F16::from_bits((a >> 48) as u16),
                F16::from_bits((b >> 48) as u16),
            );
            check(
                Bf16::from_bits((a >> 48) as u16),
                Bf16::from_bits((b >> 48) as u16),
            );
            check(a as i64, b as i64);
        }
    }

    fn check<T: Extremes>(a: T, b: T) {
        let (low, high) = (a.bits().min(b.bits()), a.bits().max(b.bits()));
        assert!(a.smaller(b).bits() == low && a.larger(b).bits() == high);
    }

    #[test]
    fn the_bits_of_extremes_are_the_smallest_and_the_largest() {
        assert_eq!((i64::FIRST.bits(), i64::LAST.bits()), (0, u64::MAX));
        assert_eq!((f32::FIRST.bits(), f32::LAST.bits()), (0, u32::MAX));
        assert_eq!((F16::FIRST.bits(), Bf16::LAST.bits()), (0, u16::MAX));
    }
}
