//! Hyperbolic functions and their inverses.

use super::exponential::{EXP, exp_pair, reduce};
use super::logarithm::{log_of_double, log1p_pair};
use super::machine::{
    add_exponent, fast_two_sum, fma, high, polynomial, power_of_two, quotient, rcp_seed,
    reciprocal, root, scale, two_sum,
};

/// (sinh(x) / x - 1) / x^2 by x^2, for |x| up to 1: relative error of the sine below 2^-63.
const SINH: [f64; 7] = [
    0.16666666666666669,
    0.008333333333333139,
    0.00019841269841437505,
    2.755731915538316e-06,
    2.5052123392535742e-08,
    1.605724072050381e-10,
    7.75930297669295e-13,
];
/// (tanh(x) / x - 1) / x^2 by x^2, for |x| up to 0.552: relative error of the tangent below 2^-55.
const TANH: [f64; 10] = [
    -0.3333333333333227,
    0.13333333333162412,
    -0.053968253872767664,
    0.021869485890981085,
    -0.008863193321238206,
    0.003591709733148127,
    -0.0014531655372065496,
    0.0005789796326308907,
    -0.00021003697078971924,
    5.083257030970729e-05,
];

/// `(e^a - e^-a) / 2` as `(p, n)`, `p * 2^n`, for `a` in 0..=1000.
#[inline(always)]
fn half_of_difference(a: f64) -> (f64, i32) {
    let (p, rest, n) = exp_pair(a, 0.0);
    let q = reciprocal(p);
    let q = fma(-rest * q, q, q);
    // From 2^-64 on the other one does not count.
    let other = -q * power_of_two(-2 * n.clamp(0, 32));
    let (sum, lost) = fast_two_sum(p, other);
    (sum + (lost + rest), n.wrapping_sub(1))
}

/// `p * 2^n` for a size above 709: infinity for too large ones, the argument for NaN.
#[cold]
#[inline(never)]
fn overflowing(a: f64, p: f64, n: i32) -> f64 {
    if a < 711.0 {
        scale(p, n)
    } else if a.is_nan() {
        a
    } else {
        f64::INFINITY
    }
}

/// The hyperbolic sine. CUDA: `sinh`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::sinh(0.5) - 0.521_095_305_493_747_4).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn sinh(x: f64) -> f64 {
    let a = x.abs();
    if high(a) < 0x3ff0_0000 {
        let z = x * x;
        return fma(polynomial(&SINH, z) * z, x, x);
    }
    let (p, n) = half_of_difference(a);
    let result = if high(a) < 0x4086_2000 {
        add_exponent(p, n)
    } else {
        overflowing(a, p, n)
    };
    result.copysign(x)
}

/// `e^x` as `(one, tail, n)`, `(one + tail) 2^n`: good to about 2^-55, the error of the reduced argument.
#[inline(always)]
fn exp_parts(x: f64) -> (f64, f64, i32) {
    let (r, n) = reduce(x);
    let (one, lost) = fast_two_sum(1.0, r);
    (one, fma(r * r, polynomial(&EXP, r), lost), n)
}

/// The hyperbolic cosine. CUDA: `cosh`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::cosh(0.5) - 1.127_625_965_206_380_7).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn cosh(x: f64) -> f64 {
    let a = x.abs();
    let (one, tail, n) = exp_parts(a);
    // e^-a counts up to 2^-64 of the sum. All but the last addition is small, so that only that one rounds.
    let power = power_of_two(-2 * n.min(32));
    let p = one + fma(reciprocal(one + tail), power, tail);
    let n = n.wrapping_sub(1);
    if high(a) < 0x4086_2000 {
        add_exponent(p, n)
    } else {
        overflowing(a, p, n)
    }
}

/// The hyperbolic tangent. CUDA: `tanh`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::tanh(0.5) - 0.462_117_157_260_009_7).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    if high(a) < 0x3fe1_a000 {
        let z = x * x;
        return fma(fma(polynomial(&TANH, z), z, 0.0), x, x);
    }
    // 1 - 2 / (e^2a + 1). From 20 on it is 1.
    let a = if a > 22.0 { 22.0 } else { a };
    let (one, tail, n) = exp_parts(a + a);
    // The divisor over 2^n, in two parts.
    let power = power_of_two(-n);
    let rest = tail + power;
    let (d, lost) = fast_two_sum(one, rest);
    // The seed has 21 bits: one less its product is exact from 2^-33 on, so that only the last step rounds. Of smaller products the
    // correction is below half an ulp: both steps together err by less than one.
    let seed = rcp_seed(d);
    let q = seed * (power + power);
    let e = fma(-lost, seed, fma(-d, seed, 1.0));
    fma(-q, fma(e, e, e), 1.0 - q).copysign(x)
}

/// Upper word of 2^28: from there on, 1 does not count against a square.
const LARGE: i32 = 0x41b0_0000;

/// The inverse of the hyperbolic sine. CUDA: `asinh`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::asinh(0.5) - 0.481_211_825_059_603_5).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let result = if high(a) < LARGE {
        // log(1 + (a + a^2 / (1 + sqrt(1 + a^2)))).
        let square = a * a;
        let (s, _) = root(1.0 + square);
        let (sum, lost) = two_sum(a, quotient(square, 1.0 + s));
        log1p_pair(sum, lost)
    } else {
        log_of_double(a)
    };
    result.copysign(x)
}

/// The inverse of the hyperbolic cosine. CUDA: `acosh`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::acosh(1.5) - 0.962_423_650_119_206_9).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn acosh(x: f64) -> f64 {
    if x > 1.0 && high(x) < LARGE {
        // With t = x - 1: log(1 + (t + sqrt(t^2 + 2 t))).
        let t = x - 1.0;
        let (s, rest) = root(fma(t, t, t + t));
        let (sum, lost) = two_sum(t, s);
        log1p_pair(sum, lost + rest)
    } else if x > 1.0 {
        log_of_double(x)
    } else if x == 1.0 {
        0.0
    } else {
        f64::NAN
    }
}

/// The inverse of the hyperbolic tangent. CUDA: `atanh`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::atanh(0.5) - 0.549_306_144_334_054_8).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    if high(a) >= 0x3ff0_0000 {
        return if a == 1.0 {
            f64::INFINITY.copysign(x)
        } else {
            f64::NAN
        };
    }
    // log(1 + 2a / (1 - a)) / 2, the quotient in two parts.
    let d = 1.0 - a;
    let d_lo = (1.0 - d) - a;
    let r = reciprocal(d);
    let twice = a + a;
    let q = twice * r;
    let q_lo = r * fma(-q, d_lo, fma(-q, d, twice));
    (0.5 * log1p_pair(q, q_lo)).copysign(x)
}
