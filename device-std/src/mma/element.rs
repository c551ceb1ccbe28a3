//! Types of elements: those that Rust or this library has, and those that exist in tensor cores alone.

use super::tf32::Tf32;
use crate::{Bf16, F16, Plain};

mod sealed {
    pub trait Sealed {}
}

/// How elements lie in a register.
#[doc(hidden)]
pub trait Packed: sealed::Sealed + Copy + 'static {
    /// Bits of an element.
    const BITS: u32;
    /// Elements in a register; 1 for an `f64`, which has two registers.
    const PER_REGISTER: u32 = if Self::BITS > 32 { 1 } else { 32 / Self::BITS };

    /// The bits, zero-extended.
    fn into_bits(self) -> u64;
    /// The element in the lowest bits; those above mean nothing.
    fn of_bits(bits: u64) -> Self;
}

/// What A and B consist of: [`F16`], [`Bf16`], [`Tf32`], `f64`, [`E4m3`], [`E5m2`], `i8`, `u8`, [`S4`], [`U4`], [`B1`].
pub trait Element: Packed {}

/// What C and D consist of: [`F16`], `f32`, `f64`, `i32`; [`Bf16`] to be stored.
pub trait SumElement: Packed {}

macro_rules! bytes {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name(u8);

        // SAFETY: a `u8` in `repr(transparent)`; each bit pattern is a value.
        unsafe impl Plain for $name {}

        impl $name {
            /// The number with these bits.
            #[inline(always)]
            #[must_use]
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits)
            }

            /// The bits: sign, exponent, fraction, from the top.
            #[inline(always)]
            #[must_use]
            pub const fn to_bits(self) -> u8 {
                self.0
            }
        }
    )*};
}

bytes! {
    /// A float of 8 bits: 4 of exponent, 3 of fraction, no infinities. CUDA: `__nv_fp8_e4m3`.
    E4m3;
    /// A float of 8 bits: 5 of exponent, 2 of fraction, the upper half of an [`F16`]. CUDA: `__nv_fp8_e5m2`.
    E5m2;
}

impl E4m3 {
    /// The nearest number, of two the one with an even significand; the largest one, 448, for what is larger. CUDA: `__nv_cvt_float_to_fp8`
    /// with `__NV_SATFINITE`.
    #[must_use]
    pub fn from_f32(x: f32) -> Self {
        Self(fp8(x, 3, 7, 0x7e))
    }

    /// Exactly this number.
    #[must_use]
    pub fn to_f32(self) -> f32 {
        let (field, fraction) = (i32::from(self.0 >> 3 & 15), f32::from(self.0 & 7));
        let magnitude = match (field, self.0 & 7) {
            (15, 7) => return f32::NAN,
            (0, _) => fraction * power_of_two(-9),
            _ => (8.0 + fraction) * power_of_two(field - 10),
        };
        if self.0 >> 7 == 1 {
            -magnitude
        } else {
            magnitude
        }
    }
}

impl E5m2 {
    /// The nearest number, of two the one with an even significand; the largest one, 57344, for what is larger. CUDA: `__nv_cvt_float_to_fp8`
    /// with `__NV_SATFINITE`.
    #[must_use]
    pub fn from_f32(x: f32) -> Self {
        Self(fp8(x, 2, 15, 0x7b))
    }

    /// Exactly this number.
    #[must_use]
    pub fn to_f32(self) -> f32 {
        F16::from_bits(u16::from(self.0) << 8).to_f32()
    }
}

const fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// The bits of the nearest number with `fraction` bits of fraction and this bias of the exponent, at most `most`.
fn fp8(x: f32, fraction: u32, bias: i32, most: u8) -> u8 {
    let sign = (x.to_bits() >> 24) as u8 & 0x80;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7f;
    }
    // Exponent of the last bit of the result, and the significand in units of it, rounded.
    let exponent = ((magnitude >> 23) as i32 - 127).max(1 - bias);
    let last = exponent - fraction as i32;
    let significand = match magnitude >> 23 {
        0 => magnitude,
        _ => magnitude & 0x7f_ffff | 0x80_0000,
    };
    let shift = (last - (((magnitude >> 23) as i32).max(1) - 150)) as u32;
    let kept = match shift {
        0..32 => {
            let (kept, rest) = (significand >> shift, significand & ((1 << shift) - 1));
            let half = 1u32 << (shift - 1);
            kept + u32::from(rest > half || rest == half && kept % 2 == 1)
        }
        _ => 0,
    };
    let field = (exponent - (1 - bias)) as u32; // a carry and the leading bit add to it
    sign | ((field << fraction) + kept).min(most.into()) as u8
}

macro_rules! nibbles {
    ($($(#[$doc:meta])* $name:ident $of:ident $least:literal $most:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name($of);

        impl $name {
            /// The lowest 4 bits of `x`.
            #[inline(always)]
            #[must_use]
            pub const fn wrapping(x: $of) -> Self {
                Self(x << 4 >> 4)
            }

            #[doc = concat!("The nearest number of ", $least, " to ", $most, ".")]
            #[inline(always)]
            #[must_use]
            pub fn saturating(x: $of) -> Self {
                Self(x.clamp($least, $most))
            }

            /// The number.
            #[inline(always)]
            #[must_use]
            pub const fn get(self) -> $of {
                self.0
            }
        }
    )*};
}

nibbles! {
    /// An integer of 4 bits with a sign, -8 to 7. PTX: `.s4`; CUDA: `wmma::experimental::precision::s4`.
    S4 i8 -8 7;
    /// An integer of 4 bits, 0 to 15. PTX: `.u4`; CUDA: `wmma::experimental::precision::u4`.
    U4 u8 0 15;
}

/// A single bit. PTX: `.b1`; CUDA: `wmma::experimental::precision::b1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct B1(pub bool);

macro_rules! packed {
    ($($ty:ident $bits:literal $($role:ident)*: |$x:ident| $to:expr, |$b:ident| $from:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Packed for $ty {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn into_bits(self) -> u64 {
                let $x = self;
                $to
            }

            #[inline(always)]
            fn of_bits($b: u64) -> Self {
                $from
            }
        }
        $(impl $role for $ty {})*
    )*};
}

packed! {
    F16 16 Element SumElement: |x| x.to_bits().into(), |bits| F16::from_bits(bits as u16);
    Bf16 16 Element SumElement: |x| x.to_bits().into(), |bits| Bf16::from_bits(bits as u16);
    Tf32 32 Element: |x| x.to_bits().into(), |bits| Tf32::from_bits(bits as u32);
    f64 64 Element SumElement: |x| x.to_bits(), |bits| f64::from_bits(bits);
    E4m3 8 Element: |x| x.0.into(), |bits| E4m3(bits as u8);
    E5m2 8 Element: |x| x.0.into(), |bits| E5m2(bits as u8);
    i8 8 Element: |x| x.cast_unsigned().into(), |bits| bits as i8;
    u8 8 Element: |x| x.into(), |bits| bits as u8;
    S4 4 Element: |x| (x.0.cast_unsigned() & 15).into(), |bits| S4::wrapping(bits as i8);
    U4 4 Element: |x| x.0.into(), |bits| U4::wrapping(bits as u8);
    B1 1 Element: |x| x.0.into(), |bits| B1(bits & 1 == 1);
    f32 32 SumElement: |x| x.to_bits().into(), |bits| f32::from_bits(bits as u32);
    i32 32 SumElement: |x| x.cast_unsigned().into(), |bits| bits as i32;
}
