//! One sum over all products and C, as the tensor cores of Hopper make it.
//!
//! Products are exact and not normalised: significands multiply, exponents add. All addends are aligned to the largest exponent among them and
//! cut off, toward zero, at 25 bits behind its point; what is left is added exactly. A zero has no exponent, and the largest is at least -133:
//! all of that was found by comparison with an H200. An `f32` is cut off toward zero, an `f16` rounded to nearest.

use super::float::{Class, Value};
use crate::exact;

/// The type of an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// IEEE 754 binary16, rounded to nearest even.
    F16,
    /// `f32`, rounded toward zero.
    F32,
}

/// How much of addends and sums is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// 25 bits behind the point of the largest addend; of an `f32` all of its 23.
    Full,
    /// Of elements of 8 bits, where the tensor cores have the type themselves: 13 bits behind the point of the largest addend, and of the sum.
    OfBytes,
}

impl Precision {
    /// Bits behind the point of the largest addend that are kept of all.
    const fn of_addends(self) -> i32 {
        match self {
            Self::Full => 25,
            Self::OfBytes => 13,
        }
    }

    /// Bits behind the point that are kept of an `f32`.
    const fn of_sums(self) -> i32 {
        match self {
            Self::Full => 23,
            Self::OfBytes => 13,
        }
    }
}

/// The least exponent that addends are aligned to.
const LEAST: i32 = -133;

/// The exact sum of what was kept of the addends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exact {
    /// `sum · 2^unit`.
    Finite {
        sum: i64,
        unit: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

/// The sum of `c` and the products of `a` and `b`.
pub(super) fn dot(a: &[Value], b: &[Value], c: Value) -> Exact {
    dot_kept(a, b, c, Precision::Full.of_addends())
}

/// The bits of the sum of `c` and the products of `a` and `b`.
pub(super) fn dot_with(a: &[Value], b: &[Value], c: u64, sum: Sum, precision: Precision) -> u64 {
    let bits = dot_kept(a, b, sum.decode(c), precision.of_addends()).encode(sum);
    match (sum, precision.of_sums()) {
        (Sum::F32, kept @ ..23) if !f32::from_bits(bits as u32).is_nan() => {
            bits >> (23 - kept) << (23 - kept)
        }
        _ => bits,
    }
}

/// The sum of `c` and the products of `a` and `b`, of each of which so many bits are kept behind the point of the largest.
fn dot_kept(a: &[Value], b: &[Value], c: Value, kept: i32) -> Exact {
    let pairs = || a.iter().zip(b);
    let is_finite = |value: &Value| value.class == Class::Finite;
    let all_finite = pairs().all(|(a, b)| is_finite(a) && is_finite(b)) && is_finite(&c);
    if !all_finite {
        return special(a, b, c);
    }
    let largest = pairs().fold(c.exponent.max(LEAST), |largest, (a, b)| {
        largest.max(a.exponent + b.exponent)
    });
    let unit = largest - kept;
    let kept = pairs().map(|(a, b)| {
        let fraction = (a.fraction + b.fraction) as i32;
        cut(
            a.significand * b.significand,
            a.exponent + b.exponent - fraction - unit,
        )
    });
    let sum = cut(c.significand, c.exponent - c.fraction as i32 - unit) + kept.sum::<i64>();
    Exact::Finite { sum, unit }
}

/// `significand · 2^shift`, cut off toward zero.
#[inline]
fn cut(significand: i64, shift: i32) -> i64 {
    match shift {
        0.. => significand << shift,
        -63..0 => {
            let magnitude = significand.abs() >> -shift;
            if significand < 0 {
                -magnitude
            } else {
                magnitude
            }
        }
        _ => 0,
    }
}

/// [`dot`], where an operand is no finite number.
fn special(a: &[Value], b: &[Value], c: Value) -> Exact {
    let (mut positive, mut negative) = (false, false);
    let mut add = |class: Class, sign: i64| {
        positive |= class == Class::Infinite && sign > 0;
        negative |= class == Class::Infinite && sign < 0;
        class != Class::Nan
    };
    let mut is_number = add(c.class, c.significand);
    for (a, b) in a.iter().zip(b) {
        let sign = a.significand.signum() * b.significand.signum();
        is_number &= match (a.class, b.class) {
            (Class::Finite, Class::Finite) => true,
            (Class::Nan, _) | (_, Class::Nan) => false,
            _ if sign == 0 => false, // infinity times zero
            _ => add(Class::Infinite, sign),
        };
    }
    match is_number && !(positive && negative) {
        true => Exact::Infinite { negative },
        false => Exact::Nan,
    }
}

/// [`dot`] where C and the result may have different types, as with `wmma.mma`: the sum is made in the wider one, in front of it C is converted, or the
/// result behind it.
pub(super) fn dot_converted(a: &[Value], b: &[Value], c: u64, (of_c, of_sum): (Sum, Sum)) -> u64 {
    let converted = |bits: u64, from: Sum, to: Sum| {
        let number = exact::decode(bits, from.format());
        exact::encode(number, to.format(), exact::Rounding::Nearest)
    };
    match (of_c, of_sum) {
        (Sum::F16, Sum::F32) => {
            let c = converted(c, of_c, Sum::F32);
            dot(a, b, Sum::F32.decode(c)).encode(Sum::F32)
        }
        (Sum::F32, Sum::F16) => {
            let sum = dot(a, b, of_c.decode(c)).encode(Sum::F32);
            converted(sum, Sum::F32, Sum::F16)
        }
        _ => dot(a, b, of_c.decode(c)).encode(of_sum),
    }
}

/// As `mma.sync` does for operands of 8 bits: what it converts to `f16` are pairs of elements, and of each four that share a register the first two go
/// into a first sum, the others into a second on top of it; C is added to that, rounded to nearest.
pub(super) fn dot_in_halves(a: &[Value], b: &[Value], c: u64, of_c: Sum, sum: Sum) -> u64 {
    let half = |of: &[Value], second: bool| -> Vec<Value> {
        let numbered = of.iter().enumerate();
        let own = numbered.filter(|(k, _)| (k % 4 >= 2) == second);
        own.map(|(_, value)| *value).collect()
    };
    let first = dot(&half(a, false), &half(b, false), sum.decode(0)).encode(sum);
    let both = dot(&half(a, true), &half(b, true), sum.decode(first)).encode(sum);
    let all = exact::add(
        exact::decode(both, sum.format()),
        exact::decode(c, of_c.format()),
        exact::Rounding::Nearest,
    );
    exact::encode(all, sum.format(), exact::Rounding::Nearest)
}

impl Sum {
    /// Bits of an accumulator.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 => 16,
            Self::F32 => 32,
        }
    }

    pub(super) fn decode(self, bits: u64) -> Value {
        match self {
            Self::F16 => Value::decode(bits, 5, 10),
            Self::F32 => Value::decode(bits, 8, 23),
        }
    }

    const fn format(self) -> exact::Format {
        match self {
            Self::F16 => exact::F16,
            Self::F32 => exact::F32,
        }
    }
}

impl Exact {
    /// The bits of the accumulator that becomes of it.
    pub(super) fn encode(self, to: Sum) -> u64 {
        // Bits behind the point, exponent of the last bit of subnormal numbers, infinity.
        let (fraction, least, infinity) = match to {
            Sum::F16 => (10, -24, 0x7c00),
            Sum::F32 => (23, -149, 0x7f80_0000),
        };
        let sign = |negative: bool| u64::from(negative) << (to.bits() - 1);
        let (sum, unit) = match self {
            Self::Nan => return (1 << (to.bits() - 1)) - 1,
            Self::Infinite { negative } => return sign(negative) | infinity,
            Self::Finite { sum: 0, .. } => return 0,
            Self::Finite { sum, unit } => (sum, unit),
        };
        let magnitude = sum.unsigned_abs();
        let top = unit + 63 - magnitude.leading_zeros() as i32;
        let last = least.max(top - fraction);
        let kept = match last - unit {
            shift @ ..=0 => magnitude << -shift,
            shift @ 1..64 => rounded(magnitude, shift, to),
            _ => 0,
        };
        // A carry out of the significand is the next exponent.
        let bits = (((last - least) as u64) << fraction) + kept;
        match bits {
            0 => 0,
            _ => sign(sum < 0) | bits.min(infinity),
        }
    }
}

/// `magnitude / 2^shift`, as the accumulator is rounded.
fn rounded(magnitude: u64, shift: i32, to: Sum) -> u64 {
    let (kept, half) = (magnitude >> shift, 1 << (shift - 1));
    let rest = magnitude - (kept << shift);
    match to {
        Sum::F32 => kept,
        Sum::F16 => kept + u64::from(rest > half || rest == half && kept % 2 == 1),
    }
}
