//! What can be sorted by its digits.

use warploom::device_std::{Bf16, F16, Plain};

/// A key of a radix sort: a value with an unsigned integer that has the order wanted.
///
/// Implemented for all integers, [`F16`], [`Bf16`], `f32` and `f64`, and for arrays of two or four of these, of which the first element counts most. For a struct with several fields
/// [`RadixFields`](super::RadixFields) puts the bits of fields side by side. Floats have
/// the order of [`f32::total_cmp`]: negative NaN, −∞, negative numbers, −0.0, +0.0, positive numbers, +∞, positive NaN. (CUB takes −0.0 and +0.0 as
/// equal.) Keys have at most 16 bytes.
///
/// # Safety
/// [`bits`](Self::bits) depends on nothing but `self`: equal values give equal bits, whenever and wherever it is called. A sort writes each element to a
/// place that it computes from these bits several times, and two elements to one place if the results differ. It should not panic either: blocks wait for
/// what other blocks count, for ever if one of these has ended.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::RadixKey;
/// #[derive(Clone, Copy, Debug, PartialEq, Plain)]
/// #[repr(C)]
/// struct Particle {
///     cell: u16,
///     mass: u16,
/// }
/// // SAFETY: a field.
/// unsafe impl RadixKey for Particle {
///     type Bits = u16;
///     fn bits(self) -> u16 {
///         self.cell
///     }
/// }
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let x = [(3, 10), (1, 20), (3, 30)].map(|(cell, mass)| Particle { cell, mass });
/// let x = device.upload(&x)?;
/// let mut y = device.alloc_uninit(3)?;
/// stream.sort(&x).into(&mut y)?;
/// let masses: Vec<_> = y.to_vec(&stream)?.iter().map(|x: &Particle| x.mass).collect();
/// assert_eq!(masses, [20, 10, 30]);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub unsafe trait RadixKey: Plain {
    /// An unsigned integer: its size decides how many passes a sort has, one for each 8 bits.
    type Bits: RadixBits;

    /// The integer that has the order of `self` among all keys.
    fn bits(self) -> Self::Bits;
}

/// The integers that a [`RadixKey`] can have: `u8`, `u16`, `u32`, `u64`, `u128`.
pub trait RadixBits: Plain + Ord + Into<u128> + sealed::Sealed {
    /// Number of bits.
    const BITS: u32;

    /// The lowest 32 bits of `self >> shift`.
    #[doc(hidden)]
    fn shifted(self, shift: u32) -> u32;

    /// A word whose bits from `left` on are those of `self` from `shift` on; those below `left`, and those of which `self` has none, are any. `left < 32`.
    #[doc(hidden)]
    fn shifted_to(self, shift: u32, left: u32) -> u32;

    /// The lowest 64 bits.
    #[doc(hidden)]
    fn to_u64(self) -> u64;
}

mod sealed {
    use warploom::device_std::Plain;

    pub trait Sealed {}

    /// Two integers side by side.
    pub trait Half: super::RadixBits {
        type Double: super::RadixBits + Plain;
        fn join(high: Self, low: Self) -> Self::Double;
    }
}

macro_rules! bits {
    ($($ty:ty)*) => {$(
        impl sealed::Sealed for $ty {}

        impl RadixBits for $ty {
            const BITS: u32 = <$ty>::BITS;

            #[inline(always)]
            fn shifted(self, shift: u32) -> u32 {
                self.wrapping_shr(shift) as u32
            }

            #[inline(always)]
            fn shifted_to(self, shift: u32, left: u32) -> u32 {
                if Self::BITS <= 32 {
                    // One instruction.
                    return (self as u32).rotate_right(shift.wrapping_sub(left));
                }
                self.shifted(shift) << left
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }
        }
    )*};
}
bits!(u8 u16 u32 u64 u128);

macro_rules! halves {
    ($($half:ty: $double:ty;)*) => {$(
        impl sealed::Half for $half {
            type Double = $double;

            #[inline(always)]
            fn join(high: $half, low: $half) -> $double {
                <$double>::from(high) << <$half>::BITS | <$double>::from(low)
            }
        }
    )*};
}
halves! {
    u8: u16;
    u16: u32;
    u32: u64;
    u64: u128;
}

macro_rules! unsigned {
    ($($ty:ty: $bits:ty;)*) => {$(
        // SAFETY: the value itself.
        unsafe impl RadixKey for $ty {
            type Bits = $bits;

            #[inline(always)]
            fn bits(self) -> $bits {
                self as $bits
            }
        }
    )*};
}
unsigned! {
    u8: u8;
    u16: u16;
    u32: u32;
    u64: u64;
    u128: u128;
    usize: u64;
}

macro_rules! signed {
    ($($ty:ty: $bits:ty;)*) => {$(
        // SAFETY: computed from the value.
        unsafe impl RadixKey for $ty {
            type Bits = $bits;

            #[inline(always)]
            fn bits(self) -> $bits {
                // Adds half of the range, so that the smallest number becomes 0.
                (self ^ <$ty>::MIN) as $bits
            }
        }
    )*};
}
signed! {
    i8: u8;
    i16: u16;
    i32: u32;
    i64: u64;
    i128: u128;
    isize: u64;
}

macro_rules! floats {
    ($($ty:ty: $bits:ty, $signed:ty;)*) => {$(
        // SAFETY: computed from the value.
        unsafe impl RadixKey for $ty {
            type Bits = $bits;

            #[inline(always)]
            fn bits(self) -> $bits {
                let bits = self.to_bits();
                // Negative numbers: all bits flip, since their magnitudes run the other way. Others: the sign alone, which puts them above.
                let negative = (bits as $signed >> (<$bits>::BITS - 1)) as $bits;
                bits ^ (negative | 1 << (<$bits>::BITS - 1))
            }
        }
    )*};
}
floats! {
    F16: u16, i16;
    Bf16: u16, i16;
    f32: u32, i32;
    f64: u64, i64;
}

// SAFETY: computed from the bits of the elements, which depend on nothing else.
unsafe impl<K: RadixKey<Bits: sealed::Half>> RadixKey for [K; 2] {
    type Bits = <K::Bits as sealed::Half>::Double;

    #[inline(always)]
    fn bits(self) -> Self::Bits {
        let [high, low] = self.map(K::bits);
        sealed::Half::join(high, low)
    }
}

// SAFETY: as above.
unsafe impl<K> RadixKey for [K; 4]
where
    K: RadixKey<Bits: sealed::Half<Double: sealed::Half>>,
{
    type Bits = <<K::Bits as sealed::Half>::Double as sealed::Half>::Double;

    #[inline(always)]
    fn bits(self) -> Self::Bits {
        let [a, b, c, d] = self;
        sealed::Half::join([a, b].bits(), [c, d].bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    /// That the integers have the order of `compare` among all `values`.
    fn check<K: RadixKey>(values: &[K], compare: impl Fn(&K, &K) -> Ordering) {
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                assert_eq!(a.bits().cmp(&b.bits()), compare(a, b), "values {i} and {j}");
            }
        }
    }

    #[test]
    fn floats_have_the_total_order() {
        let all = [
            -f32::NAN,
            f32::NEG_INFINITY,
            f32::MIN,
            -1.5,
            -f32::MIN_POSITIVE,
            -1e-45,
            -0.0,
            0.0,
            1e-45,
            2.0,
            f32::INFINITY,
            f32::NAN,
        ];
        check(&all, f32::total_cmp);
        check(&all.map(f64::from), f64::total_cmp);
        check(&all.map(F16::from_f32), F16::total_cmp);
        check(&all.map(Bf16::from_f32), Bf16::total_cmp);
    }

    #[test]
    fn integers_have_their_order() {
        check(&[i8::MIN, -1, 0, 1, i8::MAX], i8::cmp);
        check(&[i16::MIN, -1, 0, 1, i16::MAX], i16::cmp);
        check(&[i32::MIN, -1, 0, 1, i32::MAX], i32::cmp);
        check(&[i64::MIN, -1, 0, 1, i64::MAX], i64::cmp);
        check(&[i128::MIN, -1, 0, 1, i128::MAX], i128::cmp);
        check(&[0, 1, u64::MAX / 2, u64::MAX], u64::cmp);
    }

    #[test]
    fn of_two_elements_the_first_counts_most() {
        let all = [-1, 0, 7].map(|a| [i64::MIN, -2, 5].map(|b| [a, b]));
        check(all.as_flattened(), <[i64; 2]>::cmp);
    }

    #[test]
    fn of_four_elements_the_first_counts_most() {
        let all = [-1, 0, 7].map(|a| [i8::MIN, 5].map(|b| [[a, 1, b, 9], [1, a, 2, b]]));
        check(all.as_flattened().as_flattened(), <[i8; 4]>::cmp);
    }
}
