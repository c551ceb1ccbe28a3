//! Random elements of matrices, in several distributions that are hard for tensor cores.

use warploom::device_std::mma::{B1, E4m3, E5m2, S4, Tf32, U4};
use warploom::prelude::*;

/// What the elements of the matrices are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Distribution {
    /// Any bits; integers too.
    Uniform,
    /// Exponents next to each other.
    Near,
    /// Neighbours in a row cancel, so that a small C and cut-off bits decide.
    Cancelling,
    /// Products and C at the lower end of the range.
    Subnormal,
    /// Three of four elements are zeros of either sign, the others of any size.
    Sparse,
    /// Infinities and NaN among others.
    Special,
    /// Sums at the upper end of the range.
    Overflow,
    /// Exponents far from each other.
    Apart,
}

impl Distribution {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Uniform,
        Self::Near,
        Self::Cancelling,
        Self::Subnormal,
        Self::Sparse,
        Self::Special,
        Self::Overflow,
        Self::Apart,
    ];

    /// The one of this number.
    #[inline(always)]
    #[must_use]
    pub fn of(number: u32) -> Self {
        match number {
            0 => Self::Uniform,
            1 => Self::Near,
            2 => Self::Cancelling,
            3 => Self::Subnormal,
            4 => Self::Sparse,
            5 => Self::Special,
            6 => Self::Overflow,
            _ => Self::Apart,
        }
    }
}

/// Which product, and what its elements are like.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The number of the product.
    pub product: u64,
    /// What its elements are like.
    pub distribution: Distribution,
}

/// Bits that depend on all of `x` (the finaliser of SplitMix64).
#[inline(always)]
#[must_use]
fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// What an element of D adds to the hash of results.
#[inline(always)]
#[must_use]
pub fn hash_of_element(product: u64, row: u64, column: u64, bits: u64) -> u64 {
    mix(mix(product << 16 | row << 8 | column) ^ bits)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Factor,
    Sum,
}

impl Rows {
    /// Random bits for one element of a matrix.
    #[inline(always)]
    pub(super) fn random(self, matrix: u64, row: usize, column: usize) -> u64 {
        let place =
            (row as u64) << 16 | (column as u64) << 32 | matrix << 48 | self.distribution as u64;
        mix(mix(self.product)
            .wrapping_add(place)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// A type of elements.
pub trait Number: Copy {
    /// The element that is made of random bits.
    #[doc(hidden)]
    fn make(random: u64, distribution: Distribution, is_sum: bool) -> Self;

    /// The element with the opposite sign.
    #[doc(hidden)]
    fn negated(self) -> Self;

    /// The bits, zero-extended.
    fn bits(self) -> u64;

    /// An element of A.
    #[inline(always)]
    fn of_a(rows: Rows, row: usize, k: usize) -> Self {
        if rows.distribution != Distribution::Cancelling {
            return Self::make(rows.random(1, row, k), rows.distribution, false);
        }
        let one = Self::make(rows.random(1, row, k / 2), rows.distribution, false);
        // One pair of 16 does not cancel.
        let spared = rows.random(4, row, k / 2).is_multiple_of(16);
        if k % 2 == 1 && !spared {
            one.negated()
        } else {
            one
        }
    }

    /// An element of B.
    #[inline(always)]
    fn of_b(rows: Rows, k: usize, column: usize) -> Self {
        let k = if rows.distribution == Distribution::Cancelling {
            k / 2
        } else {
            k
        };
        Self::make(rows.random(2, k, column), rows.distribution, false)
    }

    /// An element of C.
    #[inline(always)]
    fn of_c(rows: Rows, row: usize, column: usize) -> Self {
        Self::make(rows.random(3, row, column), rows.distribution, true)
    }
}

/// [`Number::of_a`], called: a lane has up to 64 elements, and copies of this code took most of the time in which kernels of single warps are compiled. Those of
/// warp groups may have no calls.
#[inline(never)]
pub(super) fn element_of_a<T: Number>(rows: Rows, row: usize, k: usize) -> T {
    T::of_a(rows, row, k)
}

/// [`Number::of_b`], called.
#[inline(never)]
pub(super) fn element_of_b<T: Number>(rows: Rows, k: usize, column: usize) -> T {
    T::of_b(rows, k, column)
}

/// [`Number::of_c`], called.
#[inline(never)]
pub(super) fn element_of_c<T: Number>(rows: Rows, row: usize, column: usize) -> T {
    T::of_c(rows, row, column)
}

/// The bits of a floating-point number with so many bits of exponent and fraction, of which `product` are those of the exponents of sums.
#[inline(always)]
fn float(
    random: u64,
    distribution: Distribution,
    role: Role,
    (exponent, fraction): (u32, u32),
    sums: u32,
) -> u64 {
    let bias = (1i64 << (exponent - 1)) - 1;
    let highest = 2 * bias + 1;
    let any = (random >> 40 & 0xffff) as i64;
    let sign = random >> 63 << (exponent + fraction);
    let low = mix(random) & ((1 << fraction) - 1);
    let sum_bias = (1i64 << (sums - 1)) - 1;
    let is_sum = role == Role::Sum;
    let field = match distribution {
        Distribution::Uniform => any % (highest + 1),
        Distribution::Near => bias - 4 + any % 8,
        Distribution::Cancelling if is_sum => bias - 30 + any % 32,
        Distribution::Cancelling => bias - 3 + any % 6,
        Distribution::Subnormal if is_sum => any % 4,
        // Products around the least normal sum, as far as the format reaches.
        Distribution::Subnormal => bias - sum_bias / 2 - 8 + any % 12,
        Distribution::Sparse if any % 4 != 0 => return sign,
        Distribution::Sparse => (any >> 2) % highest,
        Distribution::Special => match any % 32 {
            0 => return sign | (highest as u64) << fraction,
            1 => highest,
            _ => bias - 4 + (any >> 5) % 8,
        },
        Distribution::Overflow if is_sum => highest - 1 - any % 3,
        Distribution::Overflow => bias + sum_bias / 2 - 2 + any % 3,
        Distribution::Apart => bias - 14 + any % 28,
    };
    sign | (field.clamp(0, highest) as u64) << fraction | low
}

/// An integer of so many bits.
#[inline(always)]
fn integer(random: u64, distribution: Distribution, bits: u32, is_sum: bool) -> u64 {
    let mask = (1u64 << bits) - 1;
    let any = random & mask;
    match distribution {
        // The greatest and the least, signed or not.
        Distribution::Near | Distribution::Overflow if is_sum => {
            let far = if random >> 63 == 0 {
                0x7fff_ffff
            } else {
                0x8000_0000
            };
            u64::from(far ^ (random >> 32) as u32 & 0x3_ffff)
        }
        Distribution::Near => [0, mask, 1 << (bits - 1), mask >> 1][(random >> 40) as usize % 4],
        Distribution::Overflow => any | 1 << (bits - 1),
        Distribution::Sparse if random >> 40 & 3 != 0 => 0,
        _ => any,
    }
}

macro_rules! floats {
    ($($ty:ident $bits:ident $exponent:literal $fraction:literal $sums:literal;)*) => {$(
        impl Number for $ty {
            #[inline(always)]
            fn make(random: u64, distribution: Distribution, is_sum: bool) -> Self {
                let role = if is_sum { Role::Sum } else { Role::Factor };
                Self::from_bits(float(random, distribution, role, ($exponent, $fraction), $sums) as $bits)
            }

            #[inline(always)]
            fn negated(self) -> Self {
                Self::from_bits(self.to_bits() ^ 1 << ($exponent + $fraction))
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    )*};
}

floats! {
    F16 u16 5 10 5;
    Bf16 u16 8 7 8;
    E4m3 u8 4 3 5;
    E5m2 u8 5 2 5;
    f32 u32 8 23 8;
    f64 u64 11 52 11;
}

impl Number for Tf32 {
    #[inline(always)]
    fn make(random: u64, distribution: Distribution, is_sum: bool) -> Self {
        Self::truncate(f32::make(random, distribution, is_sum))
    }

    #[inline(always)]
    fn negated(self) -> Self {
        Self::from_bits(self.to_bits() ^ 0x8000_0000)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

macro_rules! integers {
    ($($ty:ident $bits:literal: |$value:ident| $make:expr, |$x:ident| $to:expr;)*) => {$(
        impl Number for $ty {
            #[inline(always)]
            fn make(random: u64, distribution: Distribution, is_sum: bool) -> Self {
                let $value = integer(random, distribution, $bits, is_sum);
                $make
            }

            #[inline(always)]
            fn negated(self) -> Self {
                let $value = self.bits().wrapping_neg();
                $make
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                let $x = self;
                $to
            }
        }
    )*};
}

integers! {
    i8 8: |bits| bits as i8, |x| x.cast_unsigned().into();
    u8 8: |bits| bits as u8, |x| x.into();
    S4 4: |bits| S4::wrapping(bits as i8), |x| (x.get().cast_unsigned() & 15).into();
    U4 4: |bits| U4::wrapping(bits as u8), |x| x.get().into();
    B1 1: |bits| B1(bits & 1 == 1), |x| x.0.into();
    i32 32: |bits| bits as i32, |x| x.cast_unsigned().into();
}
