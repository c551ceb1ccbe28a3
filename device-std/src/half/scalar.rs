//! `F16` and `Bf16`.

use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::bits::{NAN, SIGN, order};
use super::{bf16, f16};
use crate::intrinsics as raw;

macro_rules! scalar {
    (
        $(#[$doc:meta])*
        $name:ident $bits:ident: digits $digits:literal, one $one:literal, epsilon $epsilon:literal, least normal $normal:literal, most $most:literal, exact $($small:ident)*
    ) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Default)]
        pub struct $name(u16);

        // SAFETY: a `u16` in `repr(transparent)`; each bit pattern is a value.
        unsafe impl crate::Plain for $name {}

        impl $name {
            /// Bits of the significand, with the leading one.
            pub const MANTISSA_DIGITS: u32 = $digits;
            /// 0.
            pub const ZERO: Self = $name(0);
            /// 1.
            pub const ONE: Self = $name($one);
            /// The difference between 1 and the next greater number.
            pub const EPSILON: Self = $name($epsilon);
            /// The largest number.
            pub const MAX: Self = $name($most);
            /// The most negative number.
            pub const MIN: Self = $name($most | SIGN);
            /// The least positive number with a full significand.
            pub const MIN_POSITIVE: Self = $name($normal);
            /// The least positive number.
            pub const MIN_POSITIVE_SUBNORMAL: Self = $name(1);
            /// Infinity.
            pub const INFINITY: Self = $name($bits::INFINITE);
            /// Negative infinity.
            pub const NEG_INFINITY: Self = $name($bits::INFINITE | SIGN);
            /// Not a number, as a GPU gives it: all bits but the sign.
            pub const NAN: Self = $name(NAN);

            /// The number with these bits.
            #[inline(always)]
            #[must_use]
            pub const fn from_bits(bits: u16) -> Self {
                $name(bits)
            }

            /// The bits: sign, exponent, fraction, from the top.
            #[inline(always)]
            #[must_use]
            pub const fn to_bits(self) -> u16 {
                self.0
            }

            /// The nearest number, of two the one with an even significand; infinity from half a step above [`Self::MAX`].
            #[inline(always)]
            #[must_use]
            pub fn from_f32(x: f32) -> Self {
                $name($bits::from_f32(x))
            }

            /// The nearest number, rounded once, as [`Self::from_f32`].
            #[inline(always)]
            #[must_use]
            pub fn from_f64(x: f64) -> Self {
                $name($bits::from_f64(x))
            }

            /// Exactly this number. The bits of what is no number are unspecified.
            #[inline(always)]
            #[must_use]
            pub fn to_f32(self) -> f32 {
                $bits::to_f32(self.0)
            }

            /// Exactly this number.
            #[inline(always)]
            #[must_use]
            pub fn to_f64(self) -> f64 {
                f64::from(self.to_f32())
            }

            /// `self * factor + summand`, rounded once. CUDA: `__hfma`.
            #[inline(always)]
            #[must_use]
            pub fn mul_add(self, factor: Self, summand: Self) -> Self {
                $name($bits::fma(self.0, factor.0, summand.0))
            }

            /// The square root, rounded once; not a number below −0. CUDA: `hsqrt`.
            #[inline(always)]
            #[must_use]
            pub fn sqrt(self) -> Self {
                Self::from_f32(raw::sqrt_rn_f32(self.to_f32()))
            }

            /// The lesser; −0 is below +0. If one is no number, the other. CUDA: `__hmin`.
            #[inline(always)]
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                $name($bits::min(self.0, other.0))
            }

            /// The greater; −0 is below +0. If one is no number, the other. CUDA: `__hmax`.
            #[inline(always)]
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                $name($bits::max(self.0, other.0))
            }

            /// Without the sign; keeps all other bits. CUDA: `__habs`.
            #[inline(always)]
            #[must_use]
            pub const fn abs(self) -> Self {
                $name(self.0 & !SIGN)
            }

            /// The magnitude of `self` with the sign of `sign`.
            #[inline(always)]
            #[must_use]
            pub const fn copysign(self, sign: Self) -> Self {
                $name(self.0 & !SIGN | sign.0 & SIGN)
            }

            /// Whether this is no number. CUDA: `__hisnan`.
            #[inline(always)]
            #[must_use]
            pub const fn is_nan(self) -> bool {
                self.0 & !SIGN > $bits::INFINITE
            }

            /// Whether this is infinity or its negative. CUDA: `__hisinf`.
            #[inline(always)]
            #[must_use]
            pub const fn is_infinite(self) -> bool {
                self.0 & !SIGN == $bits::INFINITE
            }

            /// Whether this is a number and not infinite.
            #[inline(always)]
            #[must_use]
            pub const fn is_finite(self) -> bool {
                self.0 & !SIGN < $bits::INFINITE
            }

            /// Whether this is closer to 0 than [`Self::MIN_POSITIVE`], but not 0.
            #[inline(always)]
            #[must_use]
            pub const fn is_subnormal(self) -> bool {
                let magnitude = self.0 & !SIGN;
                magnitude != 0 && magnitude < $normal
            }

            /// Whether the sign bit is set: negative numbers, −0.
            #[inline(always)]
            #[must_use]
            pub const fn is_sign_negative(self) -> bool {
                self.0 & SIGN != 0
            }

            /// The order of all bit patterns: negative NaN, numbers with −0 below +0, positive NaN.
            #[inline(always)]
            #[must_use]
            pub fn total_cmp(&self, other: &Self) -> Ordering {
                order(self.0).cmp(&order(other.0))
            }
        }

        scalar!(@operator $name $bits Add add AddAssign add_assign);
        scalar!(@operator $name $bits Sub sub SubAssign sub_assign);
        scalar!(@operator $name $bits Mul mul MulAssign mul_assign);

        impl Div for $name {
            type Output = $name;
            #[inline(always)]
            fn div(self, other: $name) -> $name {
                $name::from_f32(raw::div_rn_f32(self.to_f32(), other.to_f32()))
            }
        }
        impl DivAssign for $name {
            #[inline(always)]
            fn div_assign(&mut self, other: $name) {
                *self = *self / other;
            }
        }
        impl Neg for $name {
            type Output = $name;
            #[inline(always)]
            fn neg(self) -> $name {
                $name(self.0 ^ SIGN)
            }
        }
        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &$name) -> bool {
                self.to_f32() == other.to_f32()
            }
        }
        impl PartialOrd for $name {
            #[inline(always)]
            fn partial_cmp(&self, other: &$name) -> Option<Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }
        impl core::iter::Sum for $name {
            fn sum<I: Iterator<Item = $name>>(numbers: I) -> $name {
                numbers.fold($name::ZERO, Add::add)
            }
        }
        impl From<$name> for f32 {
            #[inline(always)]
            fn from(x: $name) -> f32 {
                x.to_f32()
            }
        }
        impl From<$name> for f64 {
            #[inline(always)]
            fn from(x: $name) -> f64 {
                x.to_f64()
            }
        }
        $(impl From<$small> for $name {
            #[inline(always)]
            fn from(x: $small) -> $name {
                $name::from_f32(x.into())
            }
        })*
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_f32(), f)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_f32(), f)
            }
        }
    };
    (@operator $name:ident $bits:ident $op:ident $method:ident $assign:ident $assign_method:ident) => {
        impl $op for $name {
            type Output = $name;
            #[inline(always)]
            fn $method(self, other: $name) -> $name {
                $name($bits::$method(self.0, other.0))
            }
        }
        impl $assign for $name {
            #[inline(always)]
            fn $assign_method(&mut self, other: $name) {
                *self = $op::$method(*self, other);
            }
        }
    };
}

scalar! {
    /// Half precision: 1 bit sign, 5 bits exponent, 10 bits fraction. CUDA: `__half`. Compute capability: 5.3.
    ///
    /// ```
    /// use warploom_device_std::half::F16;
    /// let x = F16::from_f32(0.1);
    /// assert_eq!(x.to_bits(), 0x2e66);
    /// assert_eq!(x.mul_add(x, F16::ONE), F16::from_f32(1.01));
    /// assert_eq!(F16::MAX + F16::MAX, F16::INFINITY);
    /// assert!(F16::from(3u8) < F16::from(4i8).sqrt() + F16::from(2u8));
    /// ```
    F16 f16: digits 11, one 0x3c00, epsilon 0x1400, least normal 0x0400, most 0x7bff, exact i8 u8
}

scalar! {
    /// The upper half of an `f32`: 1 bit sign, 8 bits exponent, 7 bits fraction. CUDA: `__nv_bfloat16`.
    ///
    /// Calculates with `fma.rn.bf16` from compute capability 8.0 on, in `f32` and `f64` before, with the same results.
    ///
    /// ```
    /// use warploom_device_std::half::Bf16;
    /// let x = Bf16::from_f32(3.0e38);
    /// assert_eq!(x + x, Bf16::INFINITY);
    /// assert_eq!(Bf16::from_f32(256.0) + Bf16::ONE, Bf16::from_f32(256.0)); // a tie: 257 needs 9 bits
    /// ```
    Bf16 bf16: digits 8, one 0x3f80, epsilon 0x3c00, least normal 0x0080, most 0x7f7f, exact i8 u8
}

impl F16 {
    /// The next number toward zero. CUDA: `__float2half_rz`.
    #[inline(always)]
    #[must_use]
    pub fn from_f32_rz(x: f32) -> Self {
        F16(raw::f32_to_f16_rz(x))
    }

    /// The least number that is not below `x`. CUDA: `__float2half_ru`.
    #[inline(always)]
    #[must_use]
    pub fn from_f32_ru(x: f32) -> Self {
        F16(raw::f32_to_f16_ru(x))
    }

    /// The greatest number that is not above `x`. CUDA: `__float2half_rd`.
    #[inline(always)]
    #[must_use]
    pub fn from_f32_rd(x: f32) -> Self {
        F16(raw::f32_to_f16_rd(x))
    }
}
