//! Binary floating point in integers: every operation exact, then rounded once, in any of four modes.
//!
//! What a host's own arithmetic cannot do: other modes than to nearest, and formats of 16 bits. A number is `significand · 2^exponent`
//! with a significand of at most 128 bits; what is cut off below is remembered as `sticky`. Bits of NaN are those that a GPU gives.

use std::cmp::Ordering;

/// Which neighbour a value between two numbers becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// The nearer one; of two equally near ones that with an even significand. PTX `.rn`.
    Nearest,
    /// The one nearer to zero. PTX `.rz`.
    Zero,
    /// The greater one. PTX `.rp`.
    Up,
    /// The lesser one. PTX `.rm`.
    Down,
}

/// A format of IEEE 754 kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of a number.
    width: u32,
    /// Bits of them behind the leading one.
    fraction: u32,
    /// What operations give for "not a number".
    nan: u64,
}

pub(crate) const F16: Format = format(16, 10, 0x7fff);
pub(crate) const BF16: Format = format(16, 7, 0x7fff);
pub(crate) const F32: Format = format(32, 23, 0x7fff_ffff);
pub(crate) const F64: Format = format(64, 52, 0x7fff_ffff_ffff_ffff);

const fn format(width: u32, fraction: u32, nan: u64) -> Format {
    Format {
        width,
        fraction,
        nan,
    }
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.width - self.fraction - 2)) - 1
    }

    /// Exponent of the last bit of subnormal numbers.
    fn least(self) -> i32 {
        1 - self.bias() - self.fraction as i32
    }

    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.width - 1)
    }

    fn infinite(self, negative: bool) -> u64 {
        let exponents = (1 << (self.width - 1 - self.fraction)) - 1;
        self.sign(negative) | exponents << self.fraction
    }
}

/// What the bits of a number mean.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Nan,
    Infinite { negative: bool },
    Finite(Finite),
}

/// `significand · 2^exponent`; zero has a sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finite {
    pub(crate) negative: bool,
    pub(crate) significand: u128,
    pub(crate) exponent: i32,
    /// Whether the magnitude is greater than that, by less than one unit of `exponent`. Then the significand has more bits than
    /// any result.
    pub(crate) sticky: bool,
}

impl Finite {
    pub(crate) fn new(negative: bool, significand: u128, exponent: i32) -> Self {
        Finite {
            negative,
            significand,
            exponent,
            sticky: false,
        }
    }

    fn is_zero(self) -> bool {
        self.significand == 0 && !self.sticky
    }

    /// Exponent of the bit above the highest one.
    fn top(self) -> i32 {
        self.exponent + length(self.significand) as i32
    }

    /// The significand in units of `2^exponent`, cut off, and how what was cut off compares with one half.
    fn cut(self, exponent: i32) -> (u128, Ordering, bool) {
        let shift = exponent - self.exponent;
        let (kept, rest, half) = match shift {
            ..=0 => (self.significand << -shift, 0, 1),
            1..128 => {
                let kept = self.significand >> shift;
                (kept, self.significand - (kept << shift), 1 << (shift - 1))
            }
            128 => (0, self.significand, 1 << 127),
            _ => (0, u128::from(self.significand != 0), 2),
        };
        let beside_half = match rest.cmp(&half) {
            Ordering::Equal if self.sticky => Ordering::Greater,
            other => other,
        };
        (kept, beside_half, rest != 0 || self.sticky)
    }

    /// The integer number of units `2^exponent` that the rule gives for the magnitude.
    fn rounded(self, exponent: i32, mode: Rounding) -> u128 {
        let (kept, beside_half, inexact) = self.cut(exponent);
        let away = match mode {
            Rounding::Nearest => {
                beside_half == Ordering::Greater || beside_half == Ordering::Equal && kept % 2 == 1
            }
            Rounding::Zero => false,
            Rounding::Up => inexact && !self.negative,
            Rounding::Down => inexact && self.negative,
        };
        kept + u128::from(away)
    }
}

fn length(significand: u128) -> u32 {
    128 - significand.leading_zeros()
}

/// Reads `bits` of a number of that format.
pub(crate) fn decode(bits: u64, format: Format) -> Number {
    let negative = bits >> (format.width - 1) & 1 == 1;
    let fraction = bits & ((1 << format.fraction) - 1);
    let exponents = (1 << (format.width - 1 - format.fraction)) - 1;
    let exponent = bits >> format.fraction & exponents;
    if exponent == exponents {
        return match fraction {
            0 => Number::Infinite { negative },
            _ => Number::Nan,
        };
    }
    let leading = u64::from(exponent != 0) << format.fraction;
    let exponent = format.least() + (exponent.max(1) - 1) as i32;
    Number::Finite(Finite::new(
        negative,
        u128::from(leading | fraction),
        exponent,
    ))
}

/// The bits of the number that the rule gives for `value`.
pub(crate) fn encode(value: Number, format: Format, mode: Rounding) -> u64 {
    let value = match value {
        Number::Nan => return format.nan,
        Number::Infinite { negative } => return format.infinite(negative),
        Number::Finite(value) if value.is_zero() => return format.sign(value.negative),
        Number::Finite(value) => value,
    };
    let sign = format.sign(value.negative);
    let exponent = format.least().max(value.top() - format.fraction as i32 - 1);
    // A carry out of the significand is the next exponent: adding, not joining, the two does the right thing.
    let significand = value.rounded(exponent, mode) as u64;
    let magnitude = ((exponent - format.least()) as u64) << format.fraction;
    let magnitude = magnitude.saturating_add(significand);
    let infinite = format.infinite(false);
    if magnitude < infinite {
        return sign | magnitude;
    }
    let stays = match mode {
        Rounding::Nearest => false,
        Rounding::Zero => true,
        Rounding::Up => value.negative,
        Rounding::Down => !value.negative,
    };
    sign | (infinite - u64::from(stays))
}

/// `a + b`, exactly or with `sticky`. The mode decides the sign of a zero.
pub(crate) fn add(a: Number, b: Number, mode: Rounding) -> Number {
    let (a, b) = match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => (a, b),
        (Number::Infinite { negative: a }, Number::Infinite { negative: b }) if a != b => {
            return Number::Nan;
        }
        (Number::Nan, _) | (_, Number::Nan) => return Number::Nan,
        (infinite @ Number::Infinite { .. }, _) | (_, infinite) => return infinite,
    };
    Number::Finite(match (a.is_zero(), b.is_zero()) {
        (true, true) if a.negative == b.negative => a,
        (true, true) => Finite::new(mode == Rounding::Down, 0, 0),
        (true, false) => b,
        (false, true) => a,
        (false, false) => add_finite(a, b, mode),
    })
}

/// Neither is zero or sticky.
fn add_finite(a: Finite, b: Finite, mode: Rounding) -> Finite {
    let (large, small) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    // The larger one ends at bit 125: room for a carry, and more than 16 bits below a product of two f64.
    let exponent = large.top() - 126;
    let (high, _, _) = large.cut(exponent);
    let (low, _, sticky) = small.cut(exponent);
    if large.negative == small.negative {
        return Finite {
            negative: large.negative,
            significand: high + low,
            exponent,
            sticky,
        };
    }
    match high.cmp(&low) {
        Ordering::Equal if !sticky => Finite::new(mode == Rounding::Down, 0, 0),
        // Nothing was cut off here: what is cut off lies 126 bits below `large`, so `small` is much smaller.
        Ordering::Less => Finite::new(small.negative, low - high, exponent),
        // high - (low + a part) is (high - low - 1) and the rest of that part.
        _ => Finite {
            negative: large.negative,
            significand: high - low - u128::from(sticky),
            exponent,
            sticky,
        },
    }
}

/// `a · b`, exactly. Not for sticky numbers.
pub(crate) fn mul(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(Finite::new(
            a.negative != b.negative,
            a.significand * b.significand,
            a.exponent + b.exponent,
        )),
        (Number::Infinite { negative: a }, Number::Infinite { negative: b }) => {
            Number::Infinite { negative: a != b }
        }
        (Number::Infinite { negative }, Number::Finite(finite))
        | (Number::Finite(finite), Number::Infinite { negative })
            if !finite.is_zero() =>
        {
            Number::Infinite {
                negative: negative != finite.negative,
            }
        }
        _ => Number::Nan,
    }
}

/// `a / b`, with at least 66 bits.
pub(crate) fn div(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => {
            let negative = a.negative != b.negative;
            match (a.is_zero(), b.is_zero()) {
                (true, true) => Number::Nan,
                (true, false) => Number::Finite(Finite::new(negative, 0, 0)),
                (false, true) => Number::Infinite { negative },
                (false, false) => {
                    let shift = a.significand.leading_zeros();
                    let dividend = a.significand << shift;
                    Number::Finite(Finite {
                        negative,
                        significand: dividend / b.significand,
                        exponent: a.exponent - shift as i32 - b.exponent,
                        sticky: !dividend.is_multiple_of(b.significand),
                    })
                }
            }
        }
        (Number::Infinite { negative }, Number::Finite(b)) => Number::Infinite {
            negative: negative != b.negative,
        },
        (Number::Finite(a), Number::Infinite { negative }) => {
            Number::Finite(Finite::new(a.negative != negative, 0, 0))
        }
        _ => Number::Nan,
    }
}

/// The square root of `x`, with at least 63 bits.
pub(crate) fn sqrt(x: Number) -> Number {
    match x {
        Number::Finite(zero) if zero.is_zero() => x,
        Number::Finite(x) if !x.negative => {
            // An even exponent, and a significand of 127 or 128 bits.
            let free = x.significand.leading_zeros() as i32;
            let shift = free - (x.exponent - free).rem_euclid(2);
            let significand = x.significand << shift;
            let root = significand.isqrt();
            Number::Finite(Finite {
                negative: false,
                significand: root,
                exponent: (x.exponent - shift) / 2,
                sticky: root * root != significand,
            })
        }
        Number::Infinite { negative: false } => x,
        _ => Number::Nan,
    }
}

/// The integer that the rule gives for `x`, between `least` and `most`; `nan` for what is none.
pub(crate) fn to_integer(x: Number, mode: Rounding, least: i128, most: i128, nan: i128) -> i128 {
    match x {
        Number::Nan => nan,
        Number::Infinite { negative: true } => least,
        Number::Infinite { negative: false } => most,
        Number::Finite(x) => {
            let magnitude = match x.top() {
                65.. => i128::MAX,
                _ => x.rounded(0, mode) as i128,
            };
            let value = if x.negative { -magnitude } else { magnitude };
            value.clamp(least, most)
        }
    }
}

/// An integer as a number.
pub(crate) fn from_integer(value: i128) -> Number {
    Number::Finite(Finite::new(value < 0, value.unsigned_abs(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Rounding; 4] = [
        Rounding::Nearest,
        Rounding::Zero,
        Rounding::Up,
        Rounding::Down,
    ];

    /// The bits of `value` in all modes.
    fn all(value: Number, format: Format) -> [u64; 4] {
        MODES.map(|mode| encode(value, format, mode))
    }

    fn f16(x: f64) -> [u64; 4] {
        all(decode(x.to_bits(), F64), F16)
    }

    #[test]
    fn ties_go_to_even_and_the_modes_to_their_sides() {
        let step = 2f64.powi(-10);
        assert_eq!(f16(1.0 + step / 2.0), [0x3c00, 0x3c00, 0x3c01, 0x3c00]);
        assert_eq!(f16(-1.0 - 1.5 * step), [0xbc02, 0xbc01, 0xbc01, 0xbc02]);
        assert_eq!(f16(1.0 + step), [0x3c01; 4]);
    }

    #[test]
    fn subnormal_numbers_are_kept() {
        let least = 2f64.powi(-24);
        assert_eq!(f16(least), [1; 4]);
        assert_eq!(f16(least / 2.0), [0, 0, 1, 0]);
        assert_eq!(f16(-least * 0.75), [0x8001, 0x8000, 0x8000, 0x8001]);
        assert_eq!(
            f16(2f64.powi(-14) - least / 4.0),
            [0x400, 0x3ff, 0x400, 0x3ff]
        );
    }

    #[test]
    fn what_overflows_is_infinite_or_the_greatest() {
        assert_eq!(f16(65519.0), [0x7bff, 0x7bff, 0x7c00, 0x7bff]);
        assert_eq!(f16(65520.0), [0x7c00, 0x7bff, 0x7c00, 0x7bff]);
        assert_eq!(f16(-1e300), [0xfc00, 0xfbff, 0xfbff, 0xfc00]);
    }

    #[test]
    fn zeros_have_signs_and_nan_is_one() {
        let zero = |negative| Number::Finite(Finite::new(negative, 0, 0));
        let sums = MODES.map(|mode| encode(add(zero(false), zero(true), mode), F16, mode));
        assert_eq!(sums, [0, 0, 0, 0x8000]);
        let infinite = Number::Infinite { negative: true };
        assert_eq!(all(mul(infinite, zero(true)), F32), [0x7fff_ffff; 4]);
        assert_eq!(all(sqrt(zero(true)), F16), [0x8000; 4]);
        assert_eq!(all(div(zero(true), infinite), F16), [0; 4]);
    }

    #[test]
    fn what_lies_far_below_still_counts() {
        let (one, tiny) = (Finite::new(false, 1, 0), Finite::new(true, 1, -1000));
        let sum = add(Number::Finite(one), Number::Finite(tiny), Rounding::Down);
        assert_eq!(all(sum, F16), [0x3c00, 0x3bff, 0x3c00, 0x3bff]);
    }

    #[test]
    fn integers_saturate() {
        let to = |x: f64, mode| to_integer(decode(x.to_bits(), F64), mode, -128, 127, 7);
        assert_eq!(MODES.map(|mode| to(2.5, mode)), [2, 2, 3, 2]);
        assert_eq!(MODES.map(|mode| to(-127.5, mode)), [-128, -127, -127, -128]);
        assert_eq!(
            (to(1e300, Rounding::Zero), to(-1e300, Rounding::Zero)),
            (127, -128)
        );
        assert_eq!(to(f64::NAN, Rounding::Zero), 7);
    }
}
