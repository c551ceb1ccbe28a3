//! `F16x2` and `Bf16x2`: two numbers in one register.

use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::bits::halves;
use super::{Bf16, F16, bf16, f16};

const SIGNS: u32 = 0x8000_8000;

macro_rules! pair {
    ($(#[$doc:meta])* $name:ident of $scalar:ident $bits:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Default)]
        pub struct $name(u32);

        // SAFETY: a `u32` in `repr(transparent)`; each bit pattern is a value.
        unsafe impl crate::Plain for $name {}

        impl $name {
            /// The pair of `low`, which comes first in memory, and `high`.
            #[inline(always)]
            #[must_use]
            pub const fn new(low: $scalar, high: $scalar) -> Self {
                $name((high.to_bits() as u32) << 16 | low.to_bits() as u32)
            }

            /// The same number twice.
            #[inline(always)]
            #[must_use]
            pub const fn splat(x: $scalar) -> Self {
                Self::new(x, x)
            }

            /// Both numbers, each the nearest.
            #[inline(always)]
            #[must_use]
            pub fn from_f32s(low: f32, high: f32) -> Self {
                $name($bits::from_f32s(low, high))
            }

            /// Both numbers, low first, exactly.
            #[inline(always)]
            #[must_use]
            pub fn to_f32s(self) -> [f32; 2] {
                [self.low().to_f32(), self.high().to_f32()]
            }

            /// The pair with these bits; the low number in the low half.
            #[inline(always)]
            #[must_use]
            pub const fn from_bits(bits: u32) -> Self {
                $name(bits)
            }

            /// The bits of both.
            #[inline(always)]
            #[must_use]
            pub const fn to_bits(self) -> u32 {
                self.0
            }

            /// The first number.
            #[inline(always)]
            #[must_use]
            pub const fn low(self) -> $scalar {
                $scalar::from_bits(self.0 as u16)
            }

            /// The second number.
            #[inline(always)]
            #[must_use]
            pub const fn high(self) -> $scalar {
                $scalar::from_bits((self.0 >> 16) as u16)
            }

            /// High and low exchanged.
            #[inline(always)]
            #[must_use]
            pub const fn swap(self) -> Self {
                $name(self.0.rotate_left(16))
            }

            /// `self * factor + summand` of each, rounded once. CUDA: `__hfma2`.
            #[inline(always)]
            #[must_use]
            pub fn mul_add(self, factor: Self, summand: Self) -> Self {
                $name($bits::fma2(self.0, factor.0, summand.0))
            }

            /// The square root of each.
            #[inline(always)]
            #[must_use]
            pub fn sqrt(self) -> Self {
                Self::new(self.low().sqrt(), self.high().sqrt())
            }

            /// The lesser of each, as for the single number. CUDA: `__hmin2`.
            #[inline(always)]
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                $name($bits::min2(self.0, other.0))
            }

            /// The greater of each, as for the single number. CUDA: `__hmax2`.
            #[inline(always)]
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                $name($bits::max2(self.0, other.0))
            }

            /// Both without their signs. CUDA: `__habs2`.
            #[inline(always)]
            #[must_use]
            pub const fn abs(self) -> Self {
                $name(self.0 & !SIGNS)
            }

            /// `0xffff` in each half in which the numbers are equal, 0 in the others. CUDA: `__heq2_mask`.
            #[inline(always)]
            #[must_use]
            pub fn eq_mask(self, other: Self) -> u32 {
                self.compare(other, |a, b| a == b)
            }

            /// `0xffff` in each half in which the numbers differ or one is none. CUDA: `__hneu2_mask`.
            #[inline(always)]
            #[must_use]
            pub fn ne_mask(self, other: Self) -> u32 {
                !self.eq_mask(other)
            }

            /// `0xffff` in each half in which `self` is less. CUDA: `__hlt2_mask`.
            #[inline(always)]
            #[must_use]
            pub fn lt_mask(self, other: Self) -> u32 {
                self.compare(other, |a, b| a < b)
            }

            /// `0xffff` in each half in which `self` is less or equal. CUDA: `__hle2_mask`.
            #[inline(always)]
            #[must_use]
            pub fn le_mask(self, other: Self) -> u32 {
                self.compare(other, |a, b| a <= b)
            }

            /// `0xffff` in each half in which `self` is greater. CUDA: `__hgt2_mask`.
            #[inline(always)]
            #[must_use]
            pub fn gt_mask(self, other: Self) -> u32 {
                other.lt_mask(self)
            }

            /// `0xffff` in each half in which `self` is greater or equal. CUDA: `__hge2_mask`.
            #[inline(always)]
            #[must_use]
            pub fn ge_mask(self, other: Self) -> u32 {
                other.le_mask(self)
            }

            #[inline(always)]
            fn compare(self, other: Self, holds: impl Fn($scalar, $scalar) -> bool) -> u32 {
                halves(self.0, other.0, |a, b| {
                    let holds = holds($scalar::from_bits(a), $scalar::from_bits(b));
                    0u16.wrapping_sub(holds.into())
                })
            }
        }

        pair!(@operator $name $bits Add add add2 AddAssign add_assign);
        pair!(@operator $name $bits Sub sub sub2 SubAssign sub_assign);
        pair!(@operator $name $bits Mul mul mul2 MulAssign mul_assign);

        impl Div for $name {
            type Output = $name;
            #[inline(always)]
            fn div(self, other: $name) -> $name {
                $name::new(self.low() / other.low(), self.high() / other.high())
            }
        }
        impl Neg for $name {
            type Output = $name;
            #[inline(always)]
            fn neg(self) -> $name {
                $name(self.0 ^ SIGNS)
            }
        }
        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &$name) -> bool {
                self.eq_mask(*other) == u32::MAX
            }
        }
        impl From<[$scalar; 2]> for $name {
            #[inline(always)]
            fn from([low, high]: [$scalar; 2]) -> $name {
                $name::new(low, high)
            }
        }
        impl From<$name> for [$scalar; 2] {
            #[inline(always)]
            fn from(pair: $name) -> [$scalar; 2] {
                [pair.low(), pair.high()]
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut pair = f.debug_tuple(stringify!($name));
                pair.field(&self.low()).field(&self.high()).finish()
            }
        }
    };
    (@operator $name:ident $bits:ident $op:ident $method:ident $two:ident $assign:ident $assign_method:ident) => {
        impl $op for $name {
            type Output = $name;
            #[inline(always)]
            fn $method(self, other: $name) -> $name {
                $name($bits::$two(self.0, other.0))
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

pair! {
    /// Two [`F16`] in four bytes, aligned to four. CUDA: `__half2`. Compute capability: 5.3.
    ///
    /// ```
    /// use warploom_device_std::half::F16x2;
    /// let (a, b) = (F16x2::from_f32s(1.0, 2.0), F16x2::from_f32s(0.5, 4.0));
    /// assert_eq!((a * b).to_f32s(), [0.5, 8.0]);
    /// assert_eq!(a.mul_add(b, b).to_f32s(), [1.0, 12.0]);
    /// assert_eq!(a.lt_mask(b), 0xffff_0000);
    /// ```
    F16x2 of F16 f16
}

pair! {
    /// Two [`Bf16`] in four bytes, aligned to four. CUDA: `__nv_bfloat162`. Two at once from compute capability 8.0 on.
    ///
    /// ```
    /// use warploom_device_std::half::Bf16x2;
    /// let a = Bf16x2::from_f32s(1.0, -2.0);
    /// assert_eq!((a + a).max(a).to_f32s(), [2.0, -2.0]);
    /// ```
    Bf16x2 of Bf16 bf16
}
