//! What fragments are made of: numbers, packed into the registers of a lane.

use crate::mma::{B1, S4, Tf32, U4};
use crate::{Bf16, F16, Plain};

mod sealed {
    pub trait Sealed {}
}

/// The elements of a fragment: `F16`, `Bf16`, `Tf32`, `f32`, `f64`, `i8`, `u8`, `i32`, [`S4`], [`U4`], [`B1`].
///
/// Of `S4`, `U4` and `B1` a matrix in memory and a register are words of eight, eight and 32, the first in the lowest bits.
///
/// ```compile_fail,E0277
/// struct Mine;
/// impl warploom_device_std::wmma::Elements for Mine {}
/// ```
pub trait Elements: sealed::Sealed + 'static {
    /// What a matrix in memory is made of, and what [`Fragment::map`](super::Fragment::map) sees: the number itself, or a word of
    /// several numbers with fewer than 8 bits.
    type Value: Plain;
    /// A register.
    #[doc(hidden)]
    type Word: Copy + Default;
    /// Bits of an element.
    #[doc(hidden)]
    const BITS: usize;
    /// The word with this value in each place.
    #[doc(hidden)]
    fn splat(value: Self::Value) -> Self::Word;
    /// `f` of each value of two words.
    #[doc(hidden)]
    fn zip(
        a: Self::Word,
        b: Self::Word,
        f: impl FnMut(Self::Value, Self::Value) -> Self::Value,
    ) -> Self::Word;
}

/// Numbers that fill a register, with the conversions to its bits and back.
macro_rules! whole {
    ($($ty:ty, $value:ty, $word:ty, $bits:literal, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Elements for $ty {
            type Value = $value;
            type Word = $word;
            const BITS: usize = $bits;
            #[inline(always)]
            fn splat(value: $value) -> $word {
                $to(value)
            }
            #[inline(always)]
            fn zip(a: $word, b: $word, mut f: impl FnMut($value, $value) -> $value) -> $word {
                $to(f($from(a), $from(b)))
            }
        }
    )*};
}

whole! {
    f32, f32, u32, 32, f32::to_bits, f32::from_bits;
    f64, f64, u64, 64, f64::to_bits, f64::from_bits;
    i32, i32, u32, 32, i32::cast_unsigned, u32::cast_signed;
    Tf32, Tf32, u32, 32, Tf32::to_bits, Tf32::from_bits;
    S4, u32, u32, 4, u32::from, u32::from;
    U4, u32, u32, 4, u32::from, u32::from;
    B1, u32, u32, 1, u32::from, u32::from;
}

/// Numbers of which a register has several, the first in the lowest bits.
macro_rules! packed {
    ($($ty:ty, $word:ty, $bits:literal, $to:expr, $from:expr, $($place:literal)*;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Elements for $ty {
            type Value = $ty;
            type Word = u32;
            const BITS: usize = $bits;
            #[inline(always)]
            fn splat(value: $ty) -> u32 {
                let bits = u32::from($to(value));
                0 $(| bits << ($place * $bits))*
            }
            #[inline(always)]
            fn zip(a: u32, b: u32, mut f: impl FnMut($ty, $ty) -> $ty) -> u32 {
                let mut at = |place: u32| {
                    let (a, b) = ($from((a >> place) as $word), $from((b >> place) as $word));
                    u32::from($to(f(a, b))) << place
                };
                0 $(| at($place * $bits))*
            }
        }
    )*};
}

packed! {
    F16, u16, 16, F16::to_bits, F16::from_bits, 0 1;
    Bf16, u16, 16, Bf16::to_bits, Bf16::from_bits, 0 1;
    i8, u8, 8, i8::cast_unsigned, u8::cast_signed, 0 1 2 3;
    u8, u8, 8, u8::from, u8::from, 0 1 2 3;
}

/// The registers of a lane.
#[doc(hidden)]
pub trait Registers: Copy {
    /// A register.
    type Word: Copy;
    /// How many there are.
    const COUNT: usize;
    /// The same in each.
    fn splat(word: Self::Word) -> Self;
    /// `f` of each pair.
    fn zip(self, other: Self, f: impl FnMut(Self::Word, Self::Word) -> Self::Word) -> Self;
}

impl<W: Copy + Default, const N: usize> Registers for [W; N] {
    type Word = W;
    const COUNT: usize = N;

    #[inline(always)]
    fn splat(word: W) -> Self {
        [word; N]
    }

    #[inline(always)]
    fn zip(mut self, other: Self, mut f: impl FnMut(W, W) -> W) -> Self {
        // A constant number of steps, which LLVM unrolls: all indices are constants then, and the array stays in registers.
        let mut i = 0;
        while i < N {
            self[i] = f(self[i], other[i]);
            i += 1;
        }
        self
    }
}

/// Registers that an instruction is about to write.
#[inline(always)]
pub(super) fn zeroed<W: Copy + Default, const N: usize>() -> [W; N] {
    [W::default(); N]
}
