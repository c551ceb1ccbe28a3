//! Arithmetic and conversions in a rounding of choice: to nearest, toward zero, up, down.
//!
//! The mode is a type, [`Rn`], [`Rz`], [`Ru`] or [`Rd`], and the operations are its functions: `Ru::add(a, b)` is CUDA's `__fadd_ru` for
//! `f32` and `__dadd_ru` for `f64`. Each rounds its exact result once, to subnormal numbers too, and is never joined with a neighbour to a
//! fused operation. A result that overflows becomes infinity or the largest number, as its mode says. The bits of a result that is no
//! number are unspecified, as for all arithmetic of Rust.
//!
//! ```
//! use warploom_device_std::round::{Rd, Rounding, Ru};
//!
//! /// A sum that is certainly within what it returns.
//! fn sum(numbers: &[f32]) -> (f32, f32) {
//!     numbers.iter().fold((0.0, 0.0), |(low, high), &x| (Rd::add(low, x), Ru::add(high, x)))
//! }
//! let (low, high) = sum(&[0.1; 10]);
//! assert!(low < 1.0 && 1.0 < high);
//! ```

use crate::intrinsics as raw;

/// A rule for results between two numbers: [`Rn`], [`Rz`], [`Ru`], [`Rd`].
///
/// ```
/// use warploom_device_std::round::{Float, Rd, Rn, Rounding, Ru, Rz};
/// fn thirds<R: Rounding>() -> f64 { R::div(1.0, 3.0) }
/// assert!(thirds::<Rd>() == thirds::<Rz>() && thirds::<Rd>() < thirds::<Ru>());
/// assert_eq!((Rn::to_integer::<i32, _>(2.5f32), Ru::to_integer::<i32, _>(2.5f32)), (2, 3));
/// ```
pub trait Rounding: sealed::Sealed {
    /// The rule as a value.
    const MODE: Mode;

    /// `a + b`. CUDA: `__fadd_r?`, `__dadd_r?`.
    #[inline(always)]
    #[must_use]
    fn add<F: Float>(a: F, b: F) -> F {
        F::add(Self::MODE, a, b)
    }

    /// `a - b`. CUDA: `__fsub_r?`, `__dsub_r?`.
    #[inline(always)]
    #[must_use]
    fn sub<F: Float>(a: F, b: F) -> F {
        F::sub(Self::MODE, a, b)
    }

    /// `a * b`. CUDA: `__fmul_r?`, `__dmul_r?`.
    #[inline(always)]
    #[must_use]
    fn mul<F: Float>(a: F, b: F) -> F {
        F::mul(Self::MODE, a, b)
    }

    /// `a * b + c`, rounded once. CUDA: `__fmaf_r?`, `__fma_r?`.
    #[inline(always)]
    #[must_use]
    fn mul_add<F: Float>(a: F, b: F, c: F) -> F {
        F::fma(Self::MODE, a, b, c)
    }

    /// `a / b`. CUDA: `__fdiv_r?`, `__ddiv_r?`.
    #[inline(always)]
    #[must_use]
    fn div<F: Float>(a: F, b: F) -> F {
        F::div(Self::MODE, a, b)
    }

    /// `1 / x`. CUDA: `__frcp_r?`, `__drcp_r?`.
    #[inline(always)]
    #[must_use]
    fn recip<F: Float>(x: F) -> F {
        F::rcp(Self::MODE, x)
    }

    /// The square root. CUDA: `__fsqrt_r?`, `__dsqrt_r?`.
    #[inline(always)]
    #[must_use]
    fn sqrt<F: Float>(x: F) -> F {
        F::sqrt(Self::MODE, x)
    }

    /// The integer next to `x`. CUDA: `__float2int_r?`, `__double2ull_r?` and the like.
    ///
    /// What is out of range becomes the nearest integer in range. NaN becomes what the instruction gives: 0 from `f32` to 32 bit,
    /// the top bit alone (`i32::MIN`, `1 << 63`) in all other cases. (`x as i32` is 0 for NaN, always.)
    #[inline(always)]
    #[must_use]
    fn to_integer<I: Integer, F: Float>(x: F) -> I {
        F::to_integer(Self::MODE, x)
    }

    /// The number next to `n`. CUDA: `__int2float_r?`, `__ull2double_r?` and the like.
    #[inline(always)]
    #[must_use]
    fn from_integer<F: Float, I: Integer>(n: I) -> F {
        F::from_integer(Self::MODE, n)
    }

    /// The `f32` next to `x`. CUDA: `__double2float_r?`.
    #[inline(always)]
    #[must_use]
    fn narrow(x: f64) -> f32 {
        match Self::MODE {
            Mode::Nearest => raw::f64_to_f32_rn(x),
            Mode::TowardZero => raw::f64_to_f32_rz(x),
            Mode::Up => raw::f64_to_f32_ru(x),
            Mode::Down => raw::f64_to_f32_rd(x),
        }
    }
}

/// The four rules. In code always the constant of a [`Rounding`]: the instruction has the rule in it.
///
/// ```
/// use warploom_device_std::round::{Mode, Rounding, Rz};
/// assert_eq!(<Rz as Rounding>::MODE, Mode::TowardZero);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The nearer number; of two equally near ones that with an even significand.
    Nearest,
    /// The one nearer to zero.
    TowardZero,
    /// The greater one.
    Up,
    /// The lesser one.
    Down,
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident = $mode:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl sealed::Sealed for $name {}
        impl Rounding for $name {
            const MODE: Mode = Mode::$mode;
        }
    )*};
}
modes! {
    /// To nearest, ties to even: what `+` does. CUDA: `_rn`, PTX: `.rn`.
    Rn = Nearest;
    /// Toward zero. CUDA: `_rz`, PTX: `.rz`.
    Rz = TowardZero;
    /// Up, toward +∞. CUDA: `_ru`, PTX: `.rp`.
    Ru = Up;
    /// Down, toward −∞. CUDA: `_rd`, PTX: `.rm`.
    Rd = Down;
}

/// `f32` and `f64`, for [`Rounding`].
///
/// ```
/// use warploom_device_std::round::{Float, Rounding, Rz};
/// fn third<T: Float + From<f32>>() -> T {
///     Rz::div(T::from(1.0), T::from(3.0))
/// }
/// assert!(third::<f32>() < 0.333_333_34 && third::<f64>() < 0.333_333_333_4);
/// ```
pub trait Float: sealed::Float {}
impl Float for f32 {}
impl Float for f64 {}

/// `i32`, `u32`, `i64` and `u64`, for [`Rounding`].
///
/// ```
/// use warploom_device_std::round::{Integer, Rounding, Ru};
/// fn up<T: Integer>(_: T) {}
/// up(1u32);
/// assert_eq!(Ru::to_integer::<i32, f32>(1.5), 2);
/// ```
pub trait Integer: sealed::Integer {}
impl Integer for i32 {}
impl Integer for u32 {}
impl Integer for i64 {}
impl Integer for u64 {}

mod sealed {
    use super::{Mode, raw};

    pub trait Sealed {}

    pub trait Float: Copy {
        fn add(mode: Mode, a: Self, b: Self) -> Self;
        fn sub(mode: Mode, a: Self, b: Self) -> Self;
        fn mul(mode: Mode, a: Self, b: Self) -> Self;
        fn fma(mode: Mode, a: Self, b: Self, c: Self) -> Self;
        fn div(mode: Mode, a: Self, b: Self) -> Self;
        fn rcp(mode: Mode, a: Self) -> Self;
        fn sqrt(mode: Mode, a: Self) -> Self;
        fn to_integer<I: Integer>(mode: Mode, x: Self) -> I;
        fn from_integer<I: Integer>(mode: Mode, n: I) -> Self;
    }

    pub trait Integer: Copy {
        fn from_f32(mode: Mode, x: f32) -> Self;
        fn from_f64(mode: Mode, x: f64) -> Self;
        fn to_f32(mode: Mode, n: Self) -> f32;
        fn to_f64(mode: Mode, n: Self) -> f64;
    }

    macro_rules! operations {
        ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $rn:ident $rz:ident $ru:ident $rd:ident;)*) => {$(
            #[inline(always)]
            fn $name(mode: Mode, $($arg: $ty),*) -> $out {
                match mode {
                    Mode::Nearest => raw::$rn($($arg),*),
                    Mode::TowardZero => raw::$rz($($arg),*),
                    Mode::Up => raw::$ru($($arg),*),
                    Mode::Down => raw::$rd($($arg),*),
                }
            }
        )*};
    }

    impl Float for f32 {
        operations! {
            add(a: f32, b: f32) -> f32 = add_rn_f32 add_rz_f32 add_ru_f32 add_rd_f32;
            mul(a: f32, b: f32) -> f32 = mul_rn_f32 mul_rz_f32 mul_ru_f32 mul_rd_f32;
            fma(a: f32, b: f32, c: f32) -> f32 = fma_rn_f32 fma_rz_f32 fma_ru_f32 fma_rd_f32;
            div(a: f32, b: f32) -> f32 = div_rn_f32 div_rz_f32 div_ru_f32 div_rd_f32;
            rcp(a: f32) -> f32 = rcp_rn_f32 rcp_rz_f32 rcp_ru_f32 rcp_rd_f32;
            sqrt(a: f32) -> f32 = sqrt_rn_f32 sqrt_rz_f32 sqrt_ru_f32 sqrt_rd_f32;
        }
        #[inline(always)]
        fn sub(mode: Mode, a: f32, b: f32) -> f32 {
            Self::add(mode, a, -b)
        }
        #[inline(always)]
        fn to_integer<I: Integer>(mode: Mode, x: f32) -> I {
            I::from_f32(mode, x)
        }
        #[inline(always)]
        fn from_integer<I: Integer>(mode: Mode, n: I) -> f32 {
            I::to_f32(mode, n)
        }
    }

    impl Float for f64 {
        operations! {
            add(a: f64, b: f64) -> f64 = add_rn_f64 add_rz_f64 add_ru_f64 add_rd_f64;
            mul(a: f64, b: f64) -> f64 = mul_rn_f64 mul_rz_f64 mul_ru_f64 mul_rd_f64;
            fma(a: f64, b: f64, c: f64) -> f64 = fma_rn_f64 fma_rz_f64 fma_ru_f64 fma_rd_f64;
            div(a: f64, b: f64) -> f64 = div_rn_f64 div_rz_f64 div_ru_f64 div_rd_f64;
            rcp(a: f64) -> f64 = rcp_rn_f64 rcp_rz_f64 rcp_ru_f64 rcp_rd_f64;
            sqrt(a: f64) -> f64 = sqrt_rn_f64 sqrt_rz_f64 sqrt_ru_f64 sqrt_rd_f64;
        }
        #[inline(always)]
        fn sub(mode: Mode, a: f64, b: f64) -> f64 {
            Self::add(mode, a, -b)
        }
        #[inline(always)]
        fn to_integer<I: Integer>(mode: Mode, x: f64) -> I {
            I::from_f64(mode, x)
        }
        #[inline(always)]
        fn from_integer<I: Integer>(mode: Mode, n: I) -> f64 {
            I::to_f64(mode, n)
        }
    }

    macro_rules! integers {
        ($($int:ident { $($name:ident($arg:ident: $ty:ident) -> $out:ident = $rn:ident $rz:ident $ru:ident $rd:ident;)* })*) => {$(
            impl Integer for $int {
                operations! { $($name($arg: $ty) -> $out = $rn $rz $ru $rd;)* }
            }
        )*};
    }
    integers! {
        i32 {
            from_f32(x: f32) -> i32 = f32_to_i32_rn f32_to_i32_rz f32_to_i32_ru f32_to_i32_rd;
            from_f64(x: f64) -> i32 = f64_to_i32_rn f64_to_i32_rz f64_to_i32_ru f64_to_i32_rd;
            to_f32(n: i32) -> f32 = i32_to_f32_rn i32_to_f32_rz i32_to_f32_ru i32_to_f32_rd;
            to_f64(n: i32) -> f64 = i32_to_f64_rn i32_to_f64_rn i32_to_f64_rn i32_to_f64_rn;
        }
        u32 {
            from_f32(x: f32) -> u32 = f32_to_u32_rn f32_to_u32_rz f32_to_u32_ru f32_to_u32_rd;
            from_f64(x: f64) -> u32 = f64_to_u32_rn f64_to_u32_rz f64_to_u32_ru f64_to_u32_rd;
            to_f32(n: u32) -> f32 = u32_to_f32_rn u32_to_f32_rz u32_to_f32_ru u32_to_f32_rd;
            to_f64(n: u32) -> f64 = u32_to_f64_rn u32_to_f64_rn u32_to_f64_rn u32_to_f64_rn;
        }
        i64 {
            from_f32(x: f32) -> i64 = f32_to_i64_rn f32_to_i64_rz f32_to_i64_ru f32_to_i64_rd;
            from_f64(x: f64) -> i64 = f64_to_i64_rn f64_to_i64_rz f64_to_i64_ru f64_to_i64_rd;
            to_f32(n: i64) -> f32 = i64_to_f32_rn i64_to_f32_rz i64_to_f32_ru i64_to_f32_rd;
            to_f64(n: i64) -> f64 = i64_to_f64_rn i64_to_f64_rz i64_to_f64_ru i64_to_f64_rd;
        }
        u64 {
            from_f32(x: f32) -> u64 = f32_to_u64_rn f32_to_u64_rz f32_to_u64_ru f32_to_u64_rd;
            from_f64(x: f64) -> u64 = f64_to_u64_rn f64_to_u64_rz f64_to_u64_ru f64_to_u64_rd;
            to_f32(n: u64) -> f32 = u64_to_f32_rn u64_to_f32_rz u64_to_f32_ru u64_to_f32_rd;
            to_f64(n: u64) -> f64 = u64_to_f64_rn u64_to_f64_rz u64_to_f64_ru u64_to_f64_rd;
        }
    }
}
