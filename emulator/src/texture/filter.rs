//! Weighted sums of texels, in the fixed-point arithmetic of the hardware.

use super::axis::{Axis, ONE};

/// Weights of four texels of one plane: at (0, 0), (1, 0), (0, 1) and (1, 1).
pub(super) type Quad<T> = [T; 4];

/// What is left of `whole` for the lower and for the upper one of two.
const fn split(whole: u32, upper: u32) -> [u32; 2] {
    let above = (whole * upper + ONE / 2) / ONE;
    [whole - above, above]
}

/// The part of a plane of a whole of `plane`, split among its four texels. First along x, with halves for the upper one; then along y, with halves for the corners (0, 0) and (1, 1).
pub(super) fn quad(plane: u32, x: Axis, y: Axis) -> Quad<u32> {
    let [left, right] = split(plane, x.weight);
    let [lower_right, upper_right] = split(right, y.weight);
    let [upper_left, lower_left] = split(left, ONE - y.weight);
    [lower_left, lower_right, upper_left, upper_right]
}

/// Gives the weight of a corner to the three others: a third each, and what is left to the opposite one.
pub(super) fn share(weights: &mut Quad<u32>, missing: usize) {
    let third = (weights[missing] * 85 + ONE / 2) / ONE;
    for beside in [missing ^ 1, missing ^ 2] {
        weights[beside] += third;
    }
    weights[missing ^ 3] += weights[missing] - 2 * third;
    weights[missing] = 0;
}

/// Of two planes or levels, the parts of a whole, with halves for the lower one.
pub(super) fn planes(whole: u32, upper: u32) -> [u32; 2] {
    let [above, below] = split(whole, ONE - upper);
    [below, above]
}

/// One channel of a plane.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part {
    /// The level of detail that the plane is of.
    pub(super) level: u32,
    /// Of the corners (0, 0), (1, 0), (0, 1) and (1, 1).
    pub(super) weights: Quad<u32>,
    /// As in memory.
    pub(super) bits: Quad<u32>,
}

impl Part {
    /// One texel alone.
    pub(super) const fn whole(bits: u32) -> Self {
        Part {
            level: 0,
            weights: [ONE, 0, 0, 0],
            bits: [bits; 4],
        }
    }

    /// The weighted sum of integers.
    pub(super) fn sum(&self, integer: impl Fn(u32) -> i64) -> i64 {
        let products = (0..4).map(|at| i64::from(self.weights[at]) * integer(self.bits[at]));
        products.sum()
    }
}

/// The types that sums are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Float {
    /// Bits of the fraction.
    fraction: u32,
    /// What is added to an exponent.
    bias: i32,
    /// Fraction bits of a texel that are kept, counted from the greatest exponent of the four of a plane.
    kept: i32,
}

pub(super) const F32: Float = Float {
    fraction: 23,
    bias: 127,
    kept: 27,
};
pub(super) const F16: Float = Float {
    fraction: 10,
    bias: 15,
    kept: 14,
};
/// Of the linear values of sRGB.
pub(super) const SRGB: Float = Float {
    fraction: 10,
    bias: 15,
    kept: 7,
};

/// A number in memory, as `significand · 2^(exponent - bias - fraction)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) significand: i64,
    pub(super) exponent: i32,
}

/// A weighted sum in 256ths of the last bit that is kept of texels of this exponent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Total {
    sum: i64,
    exponent: i32,
}

impl Float {
    const fn exponents(self) -> u32 {
        2 * self.bias.cast_unsigned() + 1
    }

    /// What is no number, as an `f32` with the payload that fits into the format.
    pub(super) const fn nan(self) -> u32 {
        0x7fff_ffff & u32::MAX << (23 - self.fraction)
    }

    /// A finite number; a biased exponent of 0 counts as 1.
    fn term(self, bits: u32) -> Term {
        let exponent = bits >> self.fraction & self.exponents();
        let fraction = bits & ((1 << self.fraction) - 1);
        let subnormal = self.fraction < 23;
        let magnitude = match exponent {
            0 if subnormal => i64::from(fraction),
            0 => 0,
            _ => i64::from(fraction | 1 << self.fraction),
        };
        Term {
            significand: if self.is_negative(bits) {
                -magnitude
            } else {
                magnitude
            },
            exponent: exponent.max(1).cast_signed(),
        }
    }

    const fn sign(self) -> u32 {
        self.fraction + (self.exponents() + 1).ilog2()
    }

    const fn is_negative(self, bits: u32) -> bool {
        bits >> self.sign() & 1 == 1
    }

    /// The sum of planes, as bits of an `f32`.
    pub(super) fn sum(self, parts: &[Part]) -> u32 {
        if let Some(result) = self.special(parts) {
            return result;
        }
        let total = self.total(parts, |bits| self.term(bits));
        // All texels that are there, also if their weights were rounded to 0.
        let mut texels = parts.iter().flat_map(|part| part.bits);
        let is_negative_zero = |bits| self.is_negative(bits) && self.term(bits).significand == 0;
        match texels.all(is_negative_zero) {
            true => SIGN,
            false => self.rounded(total),
        }
    }

    /// The sum of planes before it is rounded.
    pub(super) fn total(self, parts: &[Part], term: impl Fn(u32) -> Term) -> Total {
        let plane = |part: &Part| self.plane(part.weights, part.bits.map(&term));
        if let [part] = parts {
            let (sum, exponent) = plane(part);
            return Total { sum, exponent };
        }
        // One level after the other is added to what there is, in units of a greatest exponent that is a multiple of 4; what is below is cut off towards −∞.
        let (mut total, mut unit) = (0i64, 0);
        for level in parts.chunk_by(|a, b| a.level == b.level) {
            let planes = level.iter().map(plane);
            let greatest = planes.clone().map(|(_, greatest)| greatest & !3).max();
            let shared = unit.max(greatest.unwrap_or(0));
            let sums = planes.map(|(sum, greatest)| scaled(sum, greatest - shared));
            total = scaled(total, unit - shared) + sums.sum::<i64>();
            unit = shared;
        }
        Total {
            sum: total,
            exponent: unit,
        }
    }

    /// The result where not all texels are finite. One counts also if its weight was rounded to 0.
    fn special(self, parts: &[Part]) -> Option<u32> {
        let mut infinite = None;
        for part in parts {
            for bits in part.bits {
                let magnitude = bits & !(1 << self.sign());
                let infinity = self.exponents() << self.fraction;
                if magnitude < infinity {
                    continue;
                }
                let negative = self.is_negative(bits);
                if magnitude > infinity || infinite == Some(!negative) {
                    return Some(self.nan());
                }
                infinite = Some(negative);
            }
        }
        infinite.map(|negative| INFINITY | u32::from(negative) << 31)
    }

    /// The sum of a plane in units of its greatest exponent, and that.
    fn plane(self, weights: Quad<u32>, terms: Quad<Term>) -> (i64, i32) {
        let counts = |at: &usize| weights[*at] > 0 && terms[*at].significand != 0;
        let greatest = (0..4).filter(counts).map(|at| terms[at].exponent).max();
        let greatest = greatest.unwrap_or(1);
        let cut = |term: Term| {
            let shift = self.kept - self.fraction.cast_signed() - (greatest - term.exponent);
            let magnitude = term.significand.abs();
            let cut = match shift {
                0.. => magnitude << shift,
                -62..0 => magnitude >> -shift,
                _ => 0,
            };
            cut * term.significand.signum()
        };
        let products = (0..4).map(|at| match weights[at] {
            0 => 0,
            weight => i64::from(weight) * cut(terms[at]),
        });
        (products.sum(), greatest)
    }

    /// A sum in this format, halves away from zero, as bits of an `f32`.
    pub(super) fn rounded(self, total: Total) -> u32 {
        let exponent = total.exponent - self.bias - self.kept - 8;
        let sign = u32::from(total.sum < 0) << 31;
        let magnitude = total.sum.unsigned_abs();
        if magnitude == 0 {
            return 0;
        }
        let top = 64 - magnitude.leading_zeros().cast_signed();
        // Exponent of the last bit of the result.
        let least = 1 - self.bias - self.fraction.cast_signed();
        let last = (exponent + top - 1 - self.fraction.cast_signed()).max(least);
        let shift = last - exponent;
        let kept = match shift {
            1..=63 => (magnitude + (1 << (shift - 1))) >> shift,
            64.. => 0,
            _ => magnitude << -shift,
        };
        if self.fraction == 23 && kept < 1 << 23 {
            return sign;
        }
        let value = kept as f64 * f64::from(last).exp2();
        let largest =
            (2.0 - f64::from(-self.fraction.cast_signed()).exp2()) * f64::from(self.bias).exp2();
        if kept == 0 {
            return sign;
        }
        if value > largest {
            return sign | INFINITY;
        }
        sign | (value as f32).to_bits()
    }
}

/// `value · 2^exponent`, cut off towards −∞.
const fn scaled(value: i64, exponent: i32) -> i64 {
    match exponent {
        0.. => value << exponent,
        -63..0 => value >> -exponent,
        _ => value >> 63,
    }
}

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
