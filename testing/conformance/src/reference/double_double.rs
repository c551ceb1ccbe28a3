//! Unevaluated sums of two `f64`.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The number `self.0 + self.1`, the second at most half a unit in the last place of the first: about 106 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dd(pub f64, pub f64);

/// `value * 2^exponent`: for results beyond the range of `f64`, or so small that the second part would be lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    /// Ordinary in size.
    pub value: Dd,
    /// What it is to be scaled by.
    pub exponent: i32,
}

/// How far `result` is from the reference, in units in the last place of the correctly rounded result; infinity counts as 2^1024.
///
/// NaN where exactly one of both is NaN, 0 where both are.
#[must_use]
pub fn ulp_error_f64(result: f64, reference: Scaled) -> f64 {
    let Scaled { value, exponent } = reference;
    if value.0.is_nan() {
        return if result.is_nan() { 0.0 } else { f64::NAN };
    }
    if value.0.is_infinite() || value.0 == 0.0 {
        return if result == value.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    // Half a last place above the largest number.
    let most = Dd(power_of_two(1024 - exponent), -power_of_two(970 - exponent));
    let overflows = exponent > -30 && (value.abs() - most).0 >= 0.0;
    let difference = if result.is_infinite() {
        if overflows && result == value.0 * f64::INFINITY {
            return 0.0;
        }
        Dd(result.signum() * most.0, 0.0) - value
    } else {
        Dd(scale(result, -exponent), 0.0) - value
    };
    let size = exponent_of(value.0);
    // The exponent of the last place: that of the reference, or the lowest, or the highest.
    let last = (size + exponent - 52).clamp(-1074, 971) - exponent;
    (difference.0 * power_of_two(-last)).abs()
}

/// The exponent of a normal number.
fn exponent_of(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// `2^n` as a number between the lowest and the highest normal one.
pub(super) fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// `x * 2^n` in steps that do not leave the range before the result does.
pub(super) fn scale(x: f64, n: i32) -> f64 {
    let third = n / 3;
    x * power_of_two(third) * power_of_two(third) * power_of_two(n - 2 * third)
}

pub(super) fn two_sum(a: f64, b: f64) -> Dd {
    let sum = a + b;
    let part = sum - a;
    Dd(sum, (a - (sum - part)) + (b - part))
}

fn fast_two_sum(a: f64, b: f64) -> Dd {
    let sum = a + b;
    Dd(sum, b - (sum - a))
}

pub(super) fn two_product(a: f64, b: f64) -> Dd {
    let product = a * b;
    Dd(product, a.mul_add(b, -product))
}

impl From<f64> for Dd {
    fn from(x: f64) -> Self {
        Dd(x, 0.0)
    }
}

impl From<Dd> for Scaled {
    fn from(value: Dd) -> Self {
        Scaled { value, exponent: 0 }
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd(-self.0, -self.1)
    }
}

impl Add for Dd {
    type Output = Dd;
    fn add(self, other: Dd) -> Dd {
        let Dd(high, high_lost) = two_sum(self.0, other.0);
        let Dd(low, low_lost) = two_sum(self.1, other.1);
        let Dd(high, lost) = fast_two_sum(high, high_lost + low);
        fast_two_sum(high, lost + low_lost)
    }
}

impl Sub for Dd {
    type Output = Dd;
    fn sub(self, other: Dd) -> Dd {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Dd;
    fn mul(self, other: Dd) -> Dd {
        let Dd(product, lost) = two_product(self.0, other.0);
        fast_two_sum(product, lost + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Dd {
    type Output = Dd;
    fn div(self, other: Dd) -> Dd {
        let first = self.0 / other.0;
        let rest = self - other * Dd(first, 0.0);
        let second = rest.0 / other.0;
        let rest = rest - other * Dd(second, 0.0);
        fast_two_sum(first, second) + Dd(rest.0 / other.0, 0.0)
    }
}

impl Dd {
    /// The square root of a positive number.
    #[must_use]
    pub fn sqrt(self) -> Dd {
        if self.0 == 0.0 {
            return self;
        }
        let root = self.0.sqrt();
        let rest = self - two_product(root, root);
        fast_two_sum(root, rest.0 / (2.0 * root))
    }

    /// Times a power of two.
    #[must_use]
    pub fn scaled(self, n: i32) -> Dd {
        Dd(scale(self.0, n), scale(self.1, n))
    }

    /// Without its sign.
    #[must_use]
    pub fn abs(self) -> Dd {
        if self.0 < 0.0 { -self } else { self }
    }
}

/// `c[0] + c[1] x + …`.
pub(super) fn polynomial(c: &[Dd], x: Dd) -> Dd {
    let mut sum = Dd(0.0, 0.0);
    for &c in c.iter().rev() {
        sum = sum * x + c;
    }
    sum
}
