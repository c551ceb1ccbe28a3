//! 16-bit floating point, as bits, in exact arithmetic and rounded once.

use crate::exact::{self, BF16, F16, F32, F64, Format, Number, Rounding};

fn read(bits: u16, format: Format) -> Number {
    exact::decode(bits.into(), format)
}

fn write(value: Number, format: Format, mode: Rounding) -> u16 {
    exact::encode(value, format, mode) as u16
}

fn sum(a: u16, b: u16, format: Format) -> u16 {
    let sum = exact::add(read(a, format), read(b, format), Rounding::Nearest);
    write(sum, format, Rounding::Nearest)
}

fn product(a: u16, b: u16, format: Format) -> u16 {
    let product = exact::mul(read(a, format), read(b, format));
    write(product, format, Rounding::Nearest)
}

fn fused(a: u16, b: u16, c: u16, format: Format) -> u16 {
    let product = exact::mul(read(a, format), read(b, format));
    let sum = exact::add(product, read(c, format), Rounding::Nearest);
    write(sum, format, Rounding::Nearest)
}

/// The lesser of two with `flip` 0, the greater with `flip` −1.
fn extreme(a: u16, b: u16, format: Format, flip: i16) -> u16 {
    // In two's complement the order of bits is that of numbers, with −0 below +0.
    let key = |bits: u16| {
        let bits = bits as i16;
        (bits ^ (bits >> 15 & i16::MAX)) ^ flip
    };
    match (read(a, format), read(b, format)) {
        (Number::Nan, Number::Nan) => write(Number::Nan, format, Rounding::Nearest),
        (Number::Nan, _) => b,
        (_, Number::Nan) => a,
        _ if key(a) <= key(b) => a,
        _ => b,
    }
}

fn halves(a: u32, b: u32, each: impl Fn(u16, u16) -> u16) -> u32 {
    let low = each(a as u16, b as u16);
    let high = each((a >> 16) as u16, (b >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}

macro_rules! two {
    ($($(#[$doc:meta])* $name:ident $pair:ident = |$a:ident, $b:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name($a: u16, $b: u16) -> u16 {
            $body
        }
        $(#[$doc])*
        ///
        /// Both halves.
        #[must_use]
        pub fn $pair(a: u32, b: u32) -> u32 {
            halves(a, b, $name)
        }
    )*};
}
two! {
    /// `a + b`, to nearest.
    f16_add f16x2_add = |a, b| sum(a, b, F16);
    /// `a - b`, to nearest.
    f16_sub f16x2_sub = |a, b| sum(a, b ^ 0x8000, F16);
    /// `a * b`, to nearest.
    f16_mul f16x2_mul = |a, b| product(a, b, F16);
    /// The lesser of two, or the one that is a number.
    f16_min f16x2_min = |a, b| extreme(a, b, F16, 0);
    /// The greater of two, or the one that is a number.
    f16_max f16x2_max = |a, b| extreme(a, b, F16, -1);
    /// The lesser of two, or the one that is a number.
    bf16_min bf16x2_min = |a, b| extreme(a, b, BF16, 0);
    /// The greater of two, or the one that is a number.
    bf16_max bf16x2_max = |a, b| extreme(a, b, BF16, -1);
}

macro_rules! fma {
    ($($name:ident $pair:ident $format:ident;)*) => {$(
        /// `a * b + c`, rounded once, to nearest.
        #[must_use]
        pub fn $name(a: u16, b: u16, c: u16) -> u16 {
            fused(a, b, c, $format)
        }
        /// `a * b + c`, rounded once, to nearest. Both halves.
        #[must_use]
        pub fn $pair(a: u32, b: u32, c: u32) -> u32 {
            let low = $name(a as u16, b as u16, c as u16);
            let high = $name((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
            u32::from(high) << 16 | u32::from(low)
        }
    )*};
}
fma! {
    f16_fma f16x2_fma F16;
    bf16_fma bf16x2_fma BF16;
}

/// The number in single precision; exact.
#[must_use]
pub fn f16_to_f32(x: u16) -> f32 {
    f32::from_bits(exact::encode(read(x, F16), F32, Rounding::Nearest) as u32)
}

macro_rules! from_floats {
    ($($name:ident $from:ident $source:ident $format:ident $mode:ident;)*) => {$(
        #[doc = concat!("The number as ", stringify!($format), ", rounded: ", stringify!($mode), ".")]
        #[must_use]
        pub fn $name(x: $from) -> u16 {
            write(exact::decode(x.to_bits().into(), $source), $format, Rounding::$mode)
        }
    )*};
}
from_floats! {
    f32_to_f16_rn f32 F32 F16 Nearest;
    f32_to_f16_rz f32 F32 F16 Zero;
    f32_to_f16_ru f32 F32 F16 Up;
    f32_to_f16_rd f32 F32 F16 Down;
    f64_to_f16_rn f64 F64 F16 Nearest;
    f32_to_bf16_rn f32 F32 BF16 Nearest;
}

/// Both numbers as `F16`, to nearest, the first in the low half.
#[must_use]
pub fn f32s_to_f16x2_rn(low: f32, high: f32) -> u32 {
    u32::from(f32_to_f16_rn(high)) << 16 | u32::from(f32_to_f16_rn(low))
}

/// Both numbers as `BF16`, to nearest, the first in the low half.
#[must_use]
pub fn f32s_to_bf16x2_rn(low: f32, high: f32) -> u32 {
    u32::from(f32_to_bf16_rn(high)) << 16 | u32::from(f32_to_bf16_rn(low))
}
