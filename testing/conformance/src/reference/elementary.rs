//! Exponentials, logarithms, powers and hyperbolic functions.

use super::double_double::{Dd, Scaled, power_of_two, two_product, two_sum};

/// log 2.
pub(super) const LN_2: Dd = Dd(0.6931471805599453, 2.3190468138462996e-17);
/// log 10.
pub(super) const LN_10: Dd = Dd(2.302585092994046, -2.1707562233822494e-16);
/// 1 / n! from n = 0 on.
pub(super) const INVERSE_FACTORIALS: [Dd; 31] = [
    Dd(1.0, 0.0),
    Dd(1.0, 0.0),
    Dd(0.5, 0.0),
    Dd(0.16666666666666666, 9.25185853854297e-18),
    Dd(0.041666666666666664, 2.3129646346357427e-18),
    Dd(0.008333333333333333, 1.1564823173178714e-19),
    Dd(0.001388888888888889, -5.300543954373577e-20),
    Dd(0.0001984126984126984, 1.7209558293420705e-22),
    Dd(2.48015873015873e-05, 2.1511947866775882e-23),
    Dd(2.7557319223985893e-06, -1.858393274046472e-22),
    Dd(2.755731922398589e-07, 2.3767714622250297e-23),
    Dd(2.505210838544172e-08, -1.448814070935912e-24),
    Dd(2.08767569878681e-09, -1.20734505911326e-25),
    Dd(1.6059043836821613e-10, 1.2585294588752098e-26),
    Dd(1.1470745597729725e-11, 2.0655512752830745e-28),
    Dd(7.647163731819816e-13, 7.03872877733453e-30),
    Dd(4.779477332387385e-14, 4.399205485834081e-31),
    Dd(2.8114572543455206e-15, 1.6508842730861433e-31),
    Dd(1.5619206968586225e-16, 1.1910679660273754e-32),
    Dd(8.22063524662433e-18, 2.2141894119604265e-34),
    Dd(4.110317623312165e-19, 1.4412973378659527e-36),
    Dd(1.9572941063391263e-20, -1.3643503830087908e-36),
    Dd(8.896791392450574e-22, -7.911402614872376e-38),
    Dd(3.868170170630684e-23, -8.843177655482344e-40),
    Dd(1.6117375710961184e-24, -3.6846573564509766e-41),
    Dd(6.446950284384474e-26, -1.9330404233703465e-42),
    Dd(2.4795962632247976e-27, -1.2953730964765229e-43),
    Dd(9.183689863795546e-29, 1.4303150396787322e-45),
    Dd(3.279889237069838e-30, 1.5117542744029879e-46),
    Dd(1.1309962886447716e-31, 1.0498015412959506e-47),
    Dd(3.7699876288159054e-33, 2.5870347832750324e-49),
];
const ONE: Dd = Dd(1.0, 0.0);
/// Below, functions with slope 1 at 0 are their arguments, and products of parts would be subnormal.
const TINY: f64 = 1e-60;

/// `e^x - 1` for |x| up to about 0.35: a series for an eighth of it, then three times `m (m + 2)`.
fn expm1_small(x: Dd) -> Dd {
    let eighth = Dd(x.0 * 0.125, x.1 * 0.125);
    let mut sum = Dd(0.0, 0.0);
    for &c in INVERSE_FACTORIALS[1..17].iter().rev() {
        sum = sum * eighth + c;
    }
    let mut m = sum * eighth;
    for _ in 0..3 {
        m = m * (m + Dd(2.0, 0.0));
    }
    m
}

/// `x` less the nearest multiple of log 2, and which.
fn split(x: Dd) -> (Dd, i32) {
    let n = (x.0.clamp(-1e5, 1e5) * std::f64::consts::LOG2_E).round_ties_even();
    (x - LN_2 * Dd(n, 0.0), n as i32)
}

/// e to the power of a number.
#[must_use]
pub fn exp(x: Dd) -> Scaled {
    let (r, exponent) = split(x);
    Scaled {
        value: expm1_small(r) + ONE,
        exponent,
    }
}

/// 2 to the power of a number.
#[must_use]
pub fn exp2(x: f64) -> Scaled {
    let n = x.clamp(-1e5, 1e5).round_ties_even();
    let value = expm1_small(LN_2 * Dd(x - n, 0.0)) + ONE;
    Scaled {
        value,
        exponent: n as i32,
    }
}

/// 10 to the power of a number.
#[must_use]
pub fn exp10(x: f64) -> Scaled {
    exp(LN_10 * Dd(x, 0.0))
}

/// `e^x - 1`.
#[must_use]
pub fn expm1(x: Dd) -> Scaled {
    if x.0.abs() < TINY {
        return x.into();
    }
    if x.0.abs() < 0.35 {
        return expm1_small(x).into();
    }
    let Scaled { value, exponent } = exp(x);
    if exponent > 200 {
        Scaled { value, exponent }
    } else {
        (value.scaled(exponent) - ONE).into()
    }
}

/// The logarithm of a positive number.
#[must_use]
pub fn log(x: Dd) -> Dd {
    // A mantissa between the roots of one half and 2.
    let (x, more) = if x.0 < 1e-290 {
        (x.scaled(128), 128)
    } else {
        (x, 0)
    };
    let e = ((x.0.to_bits() >> 32) as i32 - 0x3fe6_a09e) >> 20;
    let m = x.scaled(-e);
    log1p_near(m - ONE) + LN_2 * Dd(f64::from(e - more), 0.0)
}

/// `log(1 + z)` for `1 + z` between the roots of one half and 2: a step of third order on `expm1`.
fn log1p_near(z: Dd) -> Dd {
    let seed = Dd(z.0.ln_1p(), 0.0);
    // w = (1 + z) e^-seed - 1.
    let m = expm1_small(-seed);
    let w = m + z * m + z;
    seed + (w + w) / (w + Dd(2.0, 0.0))
}

/// `log(1 + z)`.
#[must_use]
pub fn log1p(z: Dd) -> Dd {
    if z.0 > -0.29 && z.0 < 0.41 {
        log1p_near(z)
    } else {
        log(z + ONE)
    }
}

/// The logarithm to base 2.
#[must_use]
pub fn log2(x: f64) -> Dd {
    log(x.into()) / LN_2
}

/// The logarithm to base 10.
#[must_use]
pub fn log10(x: f64) -> Dd {
    log(x.into()) / LN_10
}

/// A positive number to any power.
#[must_use]
pub fn pow(x: f64, y: f64) -> Scaled {
    exp(log(x.into()) * Dd(y, 0.0))
}

/// The cube root.
#[must_use]
pub fn cbrt(x: f64) -> Scaled {
    if x == 0.0 {
        return Dd(x, 0.0).into();
    }
    // A mantissa of ordinary size: x = m 2^(3 n).
    let n = (exponent(x) as f64 / 3.0).floor() as i32;
    let m = Dd(super::double_double::scale(x, -3 * n), 0.0);
    let seed = Dd(m.0.cbrt(), 0.0);
    let square = seed * seed;
    let value = seed - (square * seed - m) / (square * Dd(3.0, 0.0));
    // Once more, for the square of the error.
    let square = value * value;
    let value = value - (square * value - m) / (square * Dd(3.0, 0.0));
    Scaled { value, exponent: n }
}

/// One over the cube root.
#[must_use]
pub fn rcbrt(x: f64) -> Scaled {
    if x == 0.0 {
        return Dd(f64::INFINITY.copysign(x), 0.0).into();
    }
    let Scaled { value, exponent } = cbrt(x);
    Scaled {
        value: ONE / value,
        exponent: -exponent,
    }
}

/// One over the square root.
#[must_use]
pub fn rsqrt(x: f64) -> Scaled {
    let n = (exponent(x) as f64 / 2.0).floor() as i32;
    let m = Dd(super::double_double::scale(x, -2 * n), 0.0);
    Scaled {
        value: ONE / m.sqrt(),
        exponent: -n,
    }
}

/// The square root of the sum of squares.
#[must_use]
pub fn hypot(x: f64, y: f64) -> Scaled {
    let n = exponent(x).max(exponent(y));
    let (x, y) = (
        super::double_double::scale(x, -n),
        super::double_double::scale(y, -n),
    );
    let value = (two_product(x, x) + two_product(y, y)).sqrt();
    Scaled { value, exponent: n }
}

/// The exponent of a number, subnormal ones too.
fn exponent(x: f64) -> i32 {
    let (x, less) = if x.abs() < 1e-300 {
        (x * power_of_two(100), 100)
    } else {
        (x, 0)
    };
    (x.to_bits() >> 52 & 0x7ff) as i32 - 1023 - less
}

/// `e^x` and `e^-x` of a size up to 700, or the first alone.
fn both(x: f64) -> (Scaled, Dd) {
    let up = exp(x.into());
    let down = if x < 200.0 {
        ONE / up.value.scaled(up.exponent)
    } else {
        Dd(0.0, 0.0)
    };
    (up, down)
}

/// The hyperbolic sine.
#[must_use]
pub fn sinh(x: f64) -> Scaled {
    let a = x.abs();
    let size = if a < TINY {
        Dd(a, 0.0).into()
    } else if a < 0.35 {
        let m = expm1_small(a.into());
        Scaled {
            value: m + m / (m + ONE),
            exponent: -1,
        }
    } else {
        let (up, down) = both(a);
        Scaled {
            value: up.value - down.scaled(-up.exponent),
            exponent: up.exponent - 1,
        }
    };
    if x < 0.0 {
        Scaled {
            value: -size.value,
            ..size
        }
    } else {
        size
    }
}

/// The hyperbolic cosine.
#[must_use]
pub fn cosh(x: f64) -> Scaled {
    let (up, down) = both(x.abs());
    Scaled {
        value: up.value + down.scaled(-up.exponent),
        exponent: up.exponent - 1,
    }
}

/// The hyperbolic tangent.
#[must_use]
pub fn tanh(x: f64) -> Dd {
    if x.abs() < TINY {
        return x.into();
    }
    let twice = x.clamp(-50.0, 50.0) * 2.0;
    let m = expm1(twice.into());
    let m = m.value.scaled(m.exponent);
    m / (m + Dd(2.0, 0.0))
}

/// The inverse of the hyperbolic sine.
#[must_use]
pub fn asinh(x: f64) -> Dd {
    let a = Dd(x.abs(), 0.0);
    let size = if a.0 > 1e30 {
        log(a) + LN_2
    } else {
        let square = a * a;
        log1p(a + square / ((square + ONE).sqrt() + ONE))
    };
    if x < 0.0 { -size } else { size }
}

/// The inverse of the hyperbolic cosine.
#[must_use]
pub fn acosh(x: f64) -> Dd {
    if x > 1e30 {
        return log(x.into()) + LN_2;
    }
    let t = two_sum(x, -1.0);
    log1p(t + (t * (t + Dd(2.0, 0.0))).sqrt())
}

/// The inverse of the hyperbolic tangent.
#[must_use]
pub fn atanh(x: f64) -> Dd {
    let a = x.abs();
    let size = log1p(Dd(a + a, 0.0) / two_sum(1.0, -a));
    Dd(0.5 * size.0, 0.5 * size.1).signed(x)
}

impl Dd {
    /// With the sign of `x`, for a positive number.
    pub(super) fn signed(self, x: f64) -> Dd {
        if x < 0.0 { -self } else { self }
    }
}
