//! Logarithms: exponent and mantissa `m`, then `log m = 2 artanh((m - 1) / (m + 1))`.

use core::f64::consts::{LOG2_E, LOG10_E};

use super::machine::{
    LN2_HI, LN2_LO, TWO_54, add_exponent, fma, high, polynomial, power_of_two, reciprocal,
};

/// (2 artanh(u / 2) - u) / u^3 by u^2, for |u| up to 0.3434: relative error of the logarithm below 2^-59.
const LOG: [f64; 7] = [
    0.08333333333333419,
    0.012499999999816287,
    0.002232142870551599,
    0.00043402731432854455,
    8.878695792201076e-05,
    1.86937486629801e-05,
    4.515803187075589e-06,
];

/// Upper word of the square root of one half, less the one of 1: mantissas run from there to the square root of 2.
pub(super) const ROOT_OF_HALF: i32 = 0x3fe6_a09e;

/// `log(1 + f)` as `u + rest`, for `1 + f` between the roots of one half and 2.
#[inline(always)]
fn log_pair(f: f64) -> (f64, f64) {
    log_pair_with(f, |lacking| lacking)
}

/// The same; `correct` gets the numerator's rest, to which twice what `f` lacks may be added.
#[inline(always)]
fn log_pair_with(f: f64, correct: impl Fn(f64) -> f64) -> (f64, f64) {
    let r = reciprocal(f + 2.0);
    let half = f * r;
    let u = half + half;
    // What the quotient lacks: (2 f - u (2 + f)) / (2 + f). `f - u` is exact.
    let lacking = f - u;
    let lacking = correct(fma(-u, f, lacking + lacking));
    let square = u * u;
    let tail = polynomial(&LOG, square) * square;
    (u, fma(tail, u, lacking * r))
}

/// `(m, e)` with `x = m * 2^e`, `m` between the roots of one half and 2; for positive normal `x`.
#[inline(always)]
pub(super) fn split(x: f64) -> (f64, i32) {
    let e = high(x).wrapping_sub(ROOT_OF_HALF) >> 20;
    (add_exponent(x, -e), e)
}

/// `x` and the power of two that it was multiplied by, so that no number above 0 is subnormal.
#[inline(always)]
pub(super) fn normal(x: f64) -> (f64, i32) {
    if high(x) < 0x0010_0000 {
        (x * TWO_54, 54)
    } else {
        (x, 0)
    }
}

/// Whether a logarithm of `x` is not a finite number: zero, negative, infinite or NaN.
#[inline(always)]
fn is_special(x: f64) -> bool {
    // The lowest subnormal was multiplied by 2^54.
    (high(x) as u32).wrapping_sub(1) >= 0x7fef_ffff
}

/// The logarithm of such an `x`.
#[inline(always)]
fn special(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        fma(x, f64::INFINITY, f64::INFINITY)
    }
}

/// `e ln 2 + u + rest`, rounded once (nearly).
#[inline(always)]
fn with_exponent(e: i32, u: f64, rest: f64) -> f64 {
    let e = f64::from(e);
    let sum = fma(e, LN2_HI, u);
    let lost = fma(-e, LN2_HI, sum) - u;
    sum + fma(e, LN2_LO, rest - lost)
}

/// The natural logarithm. CUDA: `log`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::log(2.0) - 0.693_147_180_559_945_3).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn log(x: f64) -> f64 {
    let (x, scaled) = normal(x);
    let (m, e) = split(x);
    let (u, rest) = log_pair(m - 1.0);
    let result = with_exponent(e - scaled, u, rest);
    if is_special(x) { special(x) } else { result }
}

/// `log(1 + x)`, accurate for small `x` too. CUDA: `log1p`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::log1p(0.5) - 0.405_465_108_108_164_4).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn log1p(x: f64) -> f64 {
    let result = log1p_pair(x, 0.0);
    let special_word = high(x) as u32 >= 0x7ff0_0000;
    if special_word && !(x > -1.0 && x < f64::INFINITY) {
        special(1.0 + x)
    } else {
        result.copysign(x)
    }
}

/// `log(1 + x + more)`, for finite `x` above -1 and a `more` that is small against it.
#[inline(always)]
pub(super) fn log1p_pair(x: f64, more: f64) -> f64 {
    let sum = 1.0 + x;
    // What the sum lost; exact whichever of both is larger.
    let lost = if x < 1.0 {
        x - (sum - 1.0)
    } else {
        1.0 - (sum - x)
    };
    let e = high(sum).wrapping_sub(ROOT_OF_HALF) >> 20;
    let m = add_exponent(sum, -e) - 1.0;
    let power = power_of_two(-e.min(1022));
    let lost = lost * power;
    let f = m + lost;
    let more = fma(more, power, (m - f) + lost);
    let (u, rest) = log_pair_with(f, |lacking| fma(more, 2.0, lacking));
    with_exponent(e, u, rest)
}

/// The logarithm to base 2. CUDA: `log2`, within 1 ulp; exact for powers of 2.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::log2(3.0) - 1.584_962_500_721_156_1).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn log2(x: f64) -> f64 {
    let (x, scaled) = normal(x);
    let (m, e) = split(x);
    let (u, rest) = log_pair(m - 1.0);
    let product = u * LOG2_E;
    // log2(e) = LOG2_E + 2.04e-17.
    let rest = fma(u, LOG2_E, -product) + fma(u, 2.035_527_374_093_103_3e-17, rest * LOG2_E);
    let e = f64::from(e - scaled);
    let sum = e + product;
    let result = sum + ((product - (sum - e)) + rest);
    if is_special(x) { special(x) } else { result }
}

/// The logarithm to base 10. CUDA: `log10`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::log10(2.0) - 0.301_029_995_663_981_2).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn log10(x: f64) -> f64 {
    let (x, scaled) = normal(x);
    let (m, e) = split(x);
    let (u, rest) = log_pair(m - 1.0);
    let product = u * LOG10_E;
    let rest = fma(u, LOG10_E, -product) + fma(u, 1.098_319_650_216_765e-17, rest * LOG10_E);
    let e = f64::from(e - scaled);
    // log10(2) in two parts; the product with the upper is exact.
    let whole = e * 0.301_029_995_663_952_83;
    let rest = fma(e, 2.836_339_455_104_496_4e-14, rest);
    let sum = whole + product;
    let result = sum + ((product - (sum - whole)) + rest);
    if is_special(x) { special(x) } else { result }
}

/// `log(2 x)` for positive normal `x`; infinity and NaN stay.
#[inline(always)]
pub(super) fn log_of_double(x: f64) -> f64 {
    let (m, e) = split(x);
    let (u, rest) = log_pair(m - 1.0);
    let result = with_exponent(e + 1, u, rest);
    if is_special(x) { x } else { result }
}
