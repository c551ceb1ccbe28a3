//! Minima and maxima of sums, as dynamic programming needs them: CUDA's DPX functions.
//!
//! For `i32`, `u32` and pairs of 16-bit integers, [`I16x2`] and [`U16x2`]. One instruction each from compute capability 9.0 on, a few
//! before. Sums wrap around, in each half for itself. The `relu` forms raise what is negative to 0.
//!
//! ```
//! use warploom_device_std::dpx::{U16x2, add_max_relu, max3, max3_relu, min_with_pred};
//! assert_eq!(max3_relu(-15, 8, 5), 8);
//! assert_eq!(add_max_relu(-5, 4, -2), 0);
//! assert_eq!(min_with_pred(9u32, 6), (6, false)); // the first one is not the lesser
//! let [a, b, c] = [0x0005_0002, 0x0007_0004, 0x0002_0006].map(U16x2);
//! assert_eq!(max3(a, b, c), U16x2(0x0007_0006));
//! ```

use crate::arch;
use crate::intrinsics as raw;

/// `i32`, `u32`, [`I16x2`] or [`U16x2`].
///
/// ```
/// use warploom_device_std::dpx::{I16x2, Lanes, max3};
/// fn best<T: Lanes>(x: [T; 3]) -> T {
///     max3(x[0], x[1], x[2])
/// }
/// assert_eq!(best([3, 9, 5]), 9);
/// assert_eq!(best([I16x2::new(1, -1), I16x2::new(2, -2), I16x2::new(0, 7)]), I16x2::new(2, 7));
/// ```
pub trait Lanes: sealed::Lanes {
    /// One answer per number: `bool`, or `[bool; 2]` with the low half first.
    type Predicate;
}

/// `i32` or [`I16x2`]: what may be negative.
///
/// ```compile_fail,E0277
/// warploom_device_std::dpx::max_relu(1u32, 2); // never below 0
/// ```
pub trait SignedLanes: Lanes {}

/// Two `i16` in a word, the first in the low half.
///
/// ```
/// use warploom_device_std::dpx::I16x2;
/// let x = I16x2::new(-1, 7);
/// assert_eq!((x.low(), x.high(), x.0), (-1, 7, 0x0007_ffff));
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct I16x2(pub u32);

/// Two `u16` in a word, the first in the low half.
///
/// ```
/// use warploom_device_std::dpx::U16x2;
/// let x = U16x2::new(1, 7);
/// assert_eq!((x.low(), x.high(), x.0), (1, 7, 0x0007_0001));
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct U16x2(pub u32);

/// The greatest of three. CUDA: `__vimax3_s32`, `__vimax3_u16x2` …
///
/// ```
/// # use warploom_device_std::dpx::max3;
/// assert_eq!(max3(3i32, -7, 5), 5);
/// ```
#[inline(always)]
#[must_use]
pub fn max3<T: Lanes>(a: T, b: T, c: T) -> T {
    a.max(b).max(c)
}

/// The least of three. CUDA: `__vimin3_s32` …
///
/// ```
/// # use warploom_device_std::dpx::min3;
/// assert_eq!(min3(3u32, 7, 5), 3);
/// ```
#[inline(always)]
#[must_use]
pub fn min3<T: Lanes>(a: T, b: T, c: T) -> T {
    a.min(b).min(c)
}

/// The greatest of two and 0. CUDA: `__vimax_s32_relu`, `__vimax_s16x2_relu`.
///
/// ```
/// # use warploom_device_std::dpx::max_relu;
/// assert_eq!(max_relu(-3i32, -7), 0);
/// ```
#[inline(always)]
#[must_use]
pub fn max_relu<T: SignedLanes>(a: T, b: T) -> T {
    a.max(b).max(T::ZERO)
}

/// The lesser of two, or 0 if that is negative. CUDA: `__vimin_s32_relu`, `__vimin_s16x2_relu`.
///
/// ```
/// # use warploom_device_std::dpx::min_relu;
/// assert_eq!(min_relu(3i32, 7), 3);
/// ```
#[inline(always)]
#[must_use]
pub fn min_relu<T: SignedLanes>(a: T, b: T) -> T {
    a.min(b).max(T::ZERO)
}

/// The greatest of three and 0. CUDA: `__vimax3_s32_relu`, `__vimax3_s16x2_relu`.
///
/// ```
/// # use warploom_device_std::dpx::max3_relu;
/// assert_eq!(max3_relu(-15i32, -2, -4), 0);
/// ```
#[inline(always)]
#[must_use]
pub fn max3_relu<T: SignedLanes>(a: T, b: T, c: T) -> T {
    max3(a, b, c).max(T::ZERO)
}

/// The least of three, or 0 if that is negative. CUDA: `__vimin3_s32_relu`, `__vimin3_s16x2_relu`.
///
/// ```
/// # use warploom_device_std::dpx::min3_relu;
/// assert_eq!(min3_relu(15i32, 2, 4), 2);
/// ```
#[inline(always)]
#[must_use]
pub fn min3_relu<T: SignedLanes>(a: T, b: T, c: T) -> T {
    min3(a, b, c).max(T::ZERO)
}

/// The greater, and whether it is the first (`a >= b`). CUDA: `__vibmax_s32` …
///
/// ```
/// # use warploom_device_std::dpx::max_with_pred;
/// assert_eq!(max_with_pred(4i32, 4), (4, true));
/// ```
#[inline(always)]
#[must_use]
pub fn max_with_pred<T: Lanes>(a: T, b: T) -> (T, T::Predicate) {
    (a.max(b), T::not_less(a, b))
}

/// The lesser, and whether it is the first (`a <= b`). CUDA: `__vibmin_s32` …
///
/// ```
/// # use warploom_device_std::dpx::min_with_pred;
/// assert_eq!(min_with_pred(9u32, 6), (6, false));
/// ```
#[inline(always)]
#[must_use]
pub fn min_with_pred<T: Lanes>(a: T, b: T) -> (T, T::Predicate) {
    (a.min(b), T::not_less(b, a))
}

/// The greater of `a + b` and `c`; the sum wraps. CUDA: `__viaddmax_s32` …
///
/// ```
/// # use warploom_device_std::dpx::add_max;
/// assert_eq!(add_max(i32::MAX, 1, 0), 0);
/// ```
#[inline(always)]
#[must_use]
pub fn add_max<T: Lanes>(a: T, b: T, c: T) -> T {
    a.add(b).max(c)
}

/// The lesser of `a + b` and `c`; the sum wraps. CUDA: `__viaddmin_s32` …
///
/// ```
/// # use warploom_device_std::dpx::add_min;
/// assert_eq!(add_min(2u32, 3, 9), 5);
/// ```
#[inline(always)]
#[must_use]
pub fn add_min<T: Lanes>(a: T, b: T, c: T) -> T {
    a.add(b).min(c)
}

/// The greatest of `a + b`, `c` and 0; the sum wraps. CUDA: `__viaddmax_s32_relu`, `__viaddmax_s16x2_relu`.
///
/// ```
/// # use warploom_device_std::dpx::add_max_relu;
/// assert_eq!(add_max_relu(-5i32, 6, -2), 1);
/// ```
#[inline(always)]
#[must_use]
pub fn add_max_relu<T: SignedLanes>(a: T, b: T, c: T) -> T {
    add_max(a, b, c).max(T::ZERO)
}

/// The lesser of `a + b` and `c`, or 0 if that is negative; the sum wraps. CUDA: `__viaddmin_s32_relu`, `__viaddmin_s16x2_relu`.
///
/// ```
/// # use warploom_device_std::dpx::add_min_relu;
/// assert_eq!(add_min_relu(-5i32, 6, 2), 1);
/// ```
#[inline(always)]
#[must_use]
pub fn add_min_relu<T: SignedLanes>(a: T, b: T, c: T) -> T {
    add_min(a, b, c).max(T::ZERO)
}

mod sealed {
    pub trait Lanes: Copy {
        const ZERO: Self;
        fn min(self, other: Self) -> Self;
        fn max(self, other: Self) -> Self;
        fn add(self, other: Self) -> Self;
        fn not_less(a: Self, b: Self) -> <Self as super::Lanes>::Predicate
        where
            Self: super::Lanes;
    }
}

macro_rules! single {
    ($($ty:ident)*) => {$(
        impl Lanes for $ty {
            type Predicate = bool;
        }
        impl sealed::Lanes for $ty {
            const ZERO: $ty = 0;
            #[inline(always)]
            fn min(self, other: $ty) -> $ty {
                Ord::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: $ty) -> $ty {
                Ord::max(self, other)
            }
            #[inline(always)]
            fn add(self, other: $ty) -> $ty {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn not_less(a: $ty, b: $ty) -> bool {
                a >= b
            }
        }
    )*};
}
single!(i32 u32);
impl SignedLanes for i32 {}
impl SignedLanes for I16x2 {}

macro_rules! double {
    ($($name:ident $ty:ident $min:ident $max:ident;)*) => {$(
        // SAFETY: a `u32` in `repr(transparent)`; each bit pattern is a value.
        unsafe impl crate::Plain for $name {}

        impl $name {
            /// The pair of `low`, which comes first in memory, and `high`.
            #[inline(always)]
            #[must_use]
            pub const fn new(low: $ty, high: $ty) -> Self {
                $name((high as u16 as u32) << 16 | low as u16 as u32)
            }

            /// The first number.
            #[inline(always)]
            #[must_use]
            pub const fn low(self) -> $ty {
                self.0 as $ty
            }

            /// The second number.
            #[inline(always)]
            #[must_use]
            pub const fn high(self) -> $ty {
                (self.0 >> 16) as $ty
            }
        }
        impl Lanes for $name {
            type Predicate = [bool; 2];
        }
        impl sealed::Lanes for $name {
            const ZERO: $name = $name(0);
            #[inline(always)]
            fn min(self, other: $name) -> $name {
                if arch() >= 90 {
                    return $name(raw::$min(self.0, other.0));
                }
                $name::new(self.low().min(other.low()), self.high().min(other.high()))
            }
            #[inline(always)]
            fn max(self, other: $name) -> $name {
                if arch() >= 90 {
                    return $name(raw::$max(self.0, other.0));
                }
                $name::new(self.low().max(other.low()), self.high().max(other.high()))
            }
            #[inline(always)]
            fn add(self, other: $name) -> $name {
                if arch() >= 90 {
                    return $name(raw::add_u16x2(self.0, other.0));
                }
                $name::new(self.low().wrapping_add(other.low()), self.high().wrapping_add(other.high()))
            }
            #[inline(always)]
            fn not_less(a: $name, b: $name) -> [bool; 2] {
                [a.low() >= b.low(), a.high() >= b.high()]
            }
        }
    )*};
}
double! {
    I16x2 i16 min_s16x2 max_s16x2;
    U16x2 u16 min_u16x2 max_u16x2;
}
