//! What is multiplied, what it is added up in, and what results are stored as.

use warploom::device_std::mma::{E4m3, E5m2, Tf32};
use warploom::device_std::{Bf16, Bf16x2, F16, F16x2, Plain};

use crate::Error;
use crate::bulk::Bulk;
use crate::call::Call;
use crate::epilogue::Epilogue;
use crate::matrix::Layout;
use crate::plan::Tile;

mod sealed {
    pub trait Sealed {}
}

/// Numbers in which products are added up: `f32`, `f64` or `i32`.
pub trait Sum: Plain + sealed::Sealed + PartialEq + Default {
    /// One.
    const ONE: Self;

    /// `self + other`; integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// `self * other`; integers wrap.
    #[must_use]
    fn times(self, other: Self) -> Self;
    /// `self * other + third`, rounded once; integers wrap.
    #[must_use]
    fn times_plus(self, other: Self, third: Self) -> Self;
}

macro_rules! sums {
    ($($ty:ident $one:literal, |$a:ident, $b:ident, $c:ident| $plus:expr, $times:expr, $times_plus:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Sum for $ty {
            const ONE: Self = $one;

            #[inline(always)]
            fn plus(self, $b: Self) -> Self {
                let $a = self;
                $plus
            }

            #[inline(always)]
            fn times(self, $b: Self) -> Self {
                let $a = self;
                $times
            }

            #[inline(always)]
            fn times_plus(self, $b: Self, $c: Self) -> Self {
                let $a = self;
                $times_plus
            }
        }
    )*};
}

sums! {
    f32 1.0, |a, b, c| a + b, a * b, a.mul_add(b, c);
    f64 1.0, |a, b, c| a + b, a * b, a.mul_add(b, c);
    i32 1, |a, b, c| a.wrapping_add(b), a.wrapping_mul(b), a.wrapping_mul(b).wrapping_add(c);
}

/// Elements of the result of products that are added up in `S`.
///
/// | sums | results |
/// |---|---|
/// | `f32` | `f32`, [`F16`], [`Bf16`] (nearest) |
/// | `f64` | `f64` |
/// | `i32` | `i32` |
#[diagnostic::on_unimplemented(
    message = "a product that is added up in `{S}` has no results of `{Self}`",
    note = "sums of `f32` are stored as `f32`, `F16` or `Bf16`, those of `f64` and `i32` as they are"
)]
pub trait Output<S: Sum>: Plain {
    /// The number as a sum.
    #[doc(hidden)]
    fn widen(self) -> S;
    /// The nearest number of a sum.
    #[doc(hidden)]
    fn narrow(sum: S) -> Self;

    /// Those of four sums: GPUs round two to 16 bits in one instruction.
    #[doc(hidden)]
    #[inline(always)]
    fn narrow_quad(sums: [S; 4]) -> [Self; 4] {
        sums.map(Self::narrow)
    }
}

macro_rules! outputs {
    ($($ty:ident: $sum:ident, |$x:ident| $widen:expr, $narrow:expr $(, $pair:ident)?;)*) => {$(
        impl Output<$sum> for $ty {
            #[inline(always)]
            fn widen(self) -> $sum {
                let $x = self;
                $widen
            }

            #[inline(always)]
            fn narrow($x: $sum) -> Self {
                $narrow
            }

            $(
                #[inline(always)]
                fn narrow_quad([a, b, c, d]: [$sum; 4]) -> [Self; 4] {
                    let [low, high] = [$pair::from_f32s(a, b), $pair::from_f32s(c, d)];
                    let bits = |pair: $pair| [pair.to_bits() as u16, (pair.to_bits() >> 16) as u16];
                    let ([a, b], [c, d]) = (bits(low), bits(high));
                    [a, b, c, d].map($ty::from_bits)
                }
            )?
        }
    )*};
}

outputs! {
    f32: f32, |x| x, x;
    F16: f32, |x| x.to_f32(), F16::from_f32(x), F16x2;
    Bf16: f32, |x| x.to_f32(), Bf16::from_f32(x), Bf16x2;
    f64: f64, |x| x, x;
    i32: i32, |x| x, x;
}

/// Elements of the operands, each with the arithmetic that a product of them has by itself.
#[diagnostic::on_unimplemented(
    message = "there is no product of matrices of `{Self}`",
    note = "elements are `f32`, `f64`, `F16`, `Bf16`, `i8`, `E4m3` or `E5m2`"
)]
pub trait Element: Plain {
    /// The arithmetic.
    type Arithmetic: Arithmetic + Numbers<Element = Self>;
}

/// How elements are multiplied and added up.
///
/// | type | elements | sums | on tensor cores | compute capability |
/// |---|---|---|---|---|
/// | `f32` | `f32` | `f32`, fused multiply-adds | no | 7.5 |
/// | [`Tf32`] | `f32`, of which the lowest 13 bits are ignored | `f32` | m16n8k8; on 9.0 also `wgmma` | 8.0 |
/// | [`F16`], [`Bf16`] | the same | `f32` | m16n8k16; on 9.0 also `wgmma` | 8.0 |
/// | [`E4m3`], [`E5m2`] | the same | `f32` | m16n8k32; on 9.0 also `wgmma`, whose sums of 128 products are added in `f32` | 8.9 |
/// | `i8` | `i8` | `i32`, wrapping | m16n8k32; on 9.0 also `wgmma` | 8.0 |
/// | `f64` | `f64` | `f64`, fused multiply-adds | m8n8k4; from 9.0 on m16n8k4 | 8.0 |
///
/// Devices without these instructions use fused multiply-adds of the sums' type, for all elements: slower, and with [`Tf32`] of all bits.
pub trait Arithmetic: Numbers + Bulk + Sized {
    /// The compute capability from which on there are tensor cores for it, as 80 for 8.0.
    #[doc(hidden)]
    const TENSOR_CORES: Option<u32>;
    /// The tiles of its kernels.
    #[doc(hidden)]
    const TILES: &'static [Tile];

    /// Launches the kernel of tile `tile` of [`Self::TILES`].
    #[doc(hidden)]
    fn launch<LA: Layout, LB: Layout, O: Output<Self::Sum>, E: Epilogue<Self::Sum>>(
        tile: usize,
        call: Call<'_, Self, O, E>,
    ) -> Result<(), Error>;
}

/// The numbers of an [`Arithmetic`].
pub trait Numbers: sealed::Sealed + Send + Sync + 'static {
    /// Elements of the operands.
    type Element: Plain;
    /// What products are added up in.
    type Sum: Sum;

    /// The element as a sum.
    #[doc(hidden)]
    fn widen(element: Self::Element) -> Self::Sum;
}

macro_rules! numbers {
    ($($ty:ident: $element:ident $sum:ident, |$x:ident| $widen:expr;)*) => {$(
        impl Numbers for $ty {
            type Element = $element;
            type Sum = $sum;

            #[inline(always)]
            fn widen($x: $element) -> $sum {
                $widen
            }
        }
    )*};
}

numbers! {
    f32: f32 f32, |x| x;
    Tf32: f32 f32, |x| x;
    F16: F16 f32, |x| x.to_f32();
    Bf16: Bf16 f32, |x| x.to_f32();
    E4m3: E4m3 f32, |x| x.to_f32();
    E5m2: E5m2 f32, |x| x.to_f32();
    i8: i8 i32, |x| x.into();
    f64: f64 f64, |x| x;
}

macro_rules! elements {
    ($($ty:ident)*) => {$(
        impl Element for $ty {
            type Arithmetic = $ty;
        }
    )*};
}

impl sealed::Sealed for Tf32 {}
impl sealed::Sealed for F16 {}
impl sealed::Sealed for Bf16 {}
impl sealed::Sealed for E4m3 {}
impl sealed::Sealed for E5m2 {}
impl sealed::Sealed for i8 {}

elements! { f32 F16 Bf16 E4m3 E5m2 i8 f64 }
