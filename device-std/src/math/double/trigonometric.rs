//! Sine, cosine and tangent: the argument modulo π/2, then a polynomial each.

use core::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

use super::machine::{SHIFT, fma, from_words, high, low, polynomial, reciprocal, trunc};
use super::reduction::reduce_large;

/// (sin(r) / r - 1) / r^2 by r^2, for |r| up to π/4 (and a little more): relative error of the sine below 2^-58.
const SIN: [f64; 6] = [
    -0.16666666666666632,
    0.008333333333322417,
    -0.00019841269829807474,
    2.7557313691008095e-06,
    -2.505075785409962e-08,
    1.589677420705935e-10,
];
/// (cos(r) - 1 + r^2 / 2) / r^4 by r^2, for the same r: error of the cosine below 2^-64.
const COS: [f64; 6] = [
    0.0416666666666666,
    -0.00138888888888741,
    2.4801587289466484e-05,
    -2.7557314347496556e-07,
    2.0875722581052715e-09,
    -1.1359610355272724e-11,
];
/// (tan(r) / r - 1) / r^2 by r^2, for the same r: relative error of the tangent below 2^-56.
const TAN: [f64; 14] = [
    0.33333333333332715,
    0.13333333333422875,
    0.05396825392294968,
    0.021869489693425243,
    0.008863218033536482,
    0.003592298808424489,
    0.00145470143036509,
    0.0005952928872549766,
    0.00022173295683209615,
    0.00013780988461959215,
    -2.8134702527394127e-05,
    9.10072330028602e-05,
    -4.569001267136679e-05,
    2.105311386257583e-05,
];
/// (sin(πr) / r - π) / r^2 by r^2, for |r| up to 0.5, first its constant: relative error of the sine below 2^-55.
const SIN_PI_CUBE: f64 = -5.16771278004997;
const SIN_PI: [f64; 7] = [
    2.55016403987734,
    -0.5992645293203419,
    0.08214588659672367,
    -0.0073704307192746345,
    0.00046630087181209095,
    -2.1906194400003934e-05,
    7.725653764871911e-07,
];
/// What π/2 is above `FRAC_PI_2`, in two parts; both positive, so that the reduced -0 is -0.
const PI_2_MID: f64 = 6.123_233_995_736_765e-17;
const PI_2_LO: f64 = 1.082_856_673_921_914e-32;
/// π - 2.5, rounded once.
const PI_LESS_2_5: f64 = 0.641_592_653_589_793_2;
/// What π is above `PI`.
const PI_LO: f64 = 1.224_646_799_147_353_2e-16;

/// `x` less the nearest multiple of π/2, and the quadrant (its low two bits count). NaN for what is not finite.
#[inline(always)]
fn reduce(x: f64) -> (f64, i32) {
    // Up to 2^16 · π/2 the three products are exact enough; larger arguments need more digits of π.
    if high(x) & 0x7fff_ffff < 0x40f9_2000 {
        let shifted = fma(x, FRAC_2_PI, SHIFT);
        let n = shifted - SHIFT;
        let r = fma(n, -PI_2_MID, fma(n, -FRAC_PI_2, x));
        (fma(n, -PI_2_LO, r), low(shifted))
    } else {
        let (r, _, quadrant) = reduce_large(x);
        (r, quadrant)
    }
}

/// [`reduce`], with what `r` lacks: the tangent's relative error is up to π/2 times that of its argument.
#[inline(always)]
fn reduce_more(x: f64) -> (f64, f64, i32) {
    if high(x) & 0x7fff_ffff < 0x40f9_2000 {
        let shifted = fma(x, FRAC_2_PI, SHIFT);
        let n = shifted - SHIFT;
        let first = fma(n, -FRAC_PI_2, x);
        let r = fma(n, -PI_2_LO, fma(n, -PI_2_MID, first));
        let rest = fma(n, -PI_2_LO, fma(n, -PI_2_MID, first - r));
        // Next to a multiple of π/2 the difference above is rounded; but there the tangent is as its argument.
        let rest = if high(r) & 0x7fff_ffff < 0x3e00_0000 {
            0.0
        } else {
            rest
        };
        (r, rest, low(shifted))
    } else {
        reduce_large(x)
    }
}

/// sin(r) for reduced r.
#[inline(always)]
fn sin_small(r: f64) -> f64 {
    let square = r * r;
    // `+ 0.0` keeps the sign of zero: -1/6 · 0 would be -0, and its sum with r 0.
    fma(fma(polynomial(&SIN, square), square, 0.0), r, r)
}

/// cos(r) for reduced r.
#[inline(always)]
fn cos_small(r: f64) -> f64 {
    let square = r * r;
    fma(fma(polynomial(&COS, square), square, -0.5), square, 1.0)
}

/// The sine of `r` plus `quadrant` right angles.
#[inline(always)]
fn sin_of_parts(r: f64, quadrant: i32) -> f64 {
    let value = if quadrant & 1 == 0 {
        sin_small(r)
    } else {
        cos_small(r)
    };
    if quadrant & 2 == 0 { value } else { -value }
}

/// The sine of `x` radians. CUDA: `sin`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::sin(0.5) - 0.479_425_538_604_203).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn sin(x: f64) -> f64 {
    let (r, quadrant) = reduce(x);
    sin_of_parts(r, quadrant)
}

/// The cosine of `x` radians. CUDA: `cos`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::cos(0.5) - 0.877_582_561_890_372_8).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn cos(x: f64) -> f64 {
    let (r, quadrant) = reduce(x);
    sin_of_parts(r, quadrant.wrapping_add(1))
}

/// Sine and cosine of `x` radians. CUDA: `sincos`, within 2 ulp.
///
/// ```
/// let (sin, cos) = warploom_device_std::math::double::sincos(0.0);
/// assert_eq!((sin, cos), (0.0, 1.0));
/// ```
#[inline]
#[must_use]
pub fn sincos(x: f64) -> (f64, f64) {
    let (r, quadrant) = reduce(x);
    both_of_parts(r, quadrant)
}

#[inline(always)]
fn both_of_parts(r: f64, quadrant: i32) -> (f64, f64) {
    let (s, c) = (sin_small(r), cos_small(r));
    let (s, c) = if quadrant & 1 == 0 { (s, c) } else { (c, -s) };
    if quadrant & 2 == 0 { (s, c) } else { (-s, -c) }
}

/// The tangent of `x` radians. CUDA: `tan`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::tan(0.5) - 0.546_302_489_843_790_5).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn tan(x: f64) -> f64 {
    let (r, rest, quadrant) = reduce_more(x);
    let square = r * r;
    // The slope of the tangent is 1 + tan^2, here about 1 + r^2.
    let tail = fma(
        fma(polynomial(&TAN, square), square, 0.0),
        r,
        fma(rest, square, rest),
    );
    // The sign is that of `r`: for zeros the sum would not keep it.
    let t = (r + tail).copysign(r);
    if quadrant & 1 == 0 {
        return t;
    }
    // -1 / (t + what t lost).
    let lost = tail - (t - r);
    let q = reciprocal(-t);
    let residue = fma(lost, q, fma(t, q, 1.0));
    fma(residue, q, q)
}

/// `x`, or from 2^50 on, where [`SHIFT`] would fail, `x` less a multiple of 2: an exact and small number.
#[inline(always)]
fn below_shift(x: f64) -> f64 {
    if high(x) & 0x7fff_ffff < 0x4310_0000 {
        x
    } else {
        x - 2.0 * trunc(0.5 * x)
    }
}

/// `x` less the nearest multiple of one half, times π; and the quadrant.
#[inline(always)]
fn reduce_pi(x: f64) -> (f64, i32) {
    let x = below_shift(x);
    let shifted = fma(x, 2.0, SHIFT);
    let r = fma(shifted - SHIFT, -0.5, x);
    (fma(r, PI, r * PI_LO), low(shifted))
}

/// The size of `sin(π x)` with the sign of `x` less the nearest integer, and that integer (its lowest bit counts). One polynomial
/// for half a turn: with one for each quadrant the threads of a warp would take both ways.
#[inline(always)]
fn half_turn(x: f64) -> (f64, i32) {
    let shifted = x + SHIFT;
    let r = x - (shifted - SHIFT);
    let square = r * r;
    // sin(π r) / r goes from π down to 2: what is rounded early is its small difference to 2.5.
    let small = fma(polynomial(&SIN_PI, square), square * square, PI_LESS_2_5);
    let tail = fma(square, SIN_PI_CUBE, small);
    (fma(r, 2.5, r * tail), low(shifted))
}

/// `x`, or with an odd `n` its opposite.
#[inline(always)]
fn negative_if_odd(x: f64, n: i32) -> f64 {
    from_words(high(x) ^ n << 31, low(x))
}

/// `sin(π x)`: exact zeros (with the sign of `x`) at integers, exact ones between. CUDA: `sinpi`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::sinpi(0.25) - 0.707_106_781_186_547_5).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn sinpi(x: f64) -> f64 {
    let (size, n) = half_turn(below_shift(x));
    if size == 0.0 {
        size.copysign(x)
    } else {
        negative_if_odd(size, n)
    }
}

/// `cos(π x)`: exact zeros (positive) half-way between integers, exact ones at them. CUDA: `cospi`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::cospi(0.25) - 0.707_106_781_186_547_6).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn cospi(x: f64) -> f64 {
    // cos(π a) = -sin(π (a - 1/2)); the difference is exact except next to 0, where the cosine is 1.
    let (size, n) = half_turn(below_shift(x.abs()) - 0.5);
    // `+ 0.0` makes -0 positive.
    negative_if_odd(size, n.wrapping_add(1)) + 0.0
}

/// `|sin(π x)|` within 1 ulp, for functions that go on with it.
#[inline(always)]
pub(super) fn sinpi_size(x: f64) -> f64 {
    let x = x - 2.0 * trunc(0.5 * x);
    let shifted = fma(x, 2.0, SHIFT);
    let turn = fma(shifted - SHIFT, -0.5, x);
    let r = turn * PI;
    let rest = fma(turn, PI_LO, fma(turn, PI, -r));
    let value = if low(shifted) & 1 == 0 {
        let square = r * r;
        r + fma(polynomial(&SIN, square) * square, r, rest)
    } else {
        cos_small(r)
    };
    value.abs()
}

/// `(sin(π x), cos(π x))`. CUDA: `sincospi`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::sincospi(0.5), (1.0, 0.0));
/// ```
#[inline]
#[must_use]
pub fn sincospi(x: f64) -> (f64, f64) {
    let (r, quadrant) = reduce_pi(x);
    let (s, c) = both_of_parts(r, quadrant);
    (if s == 0.0 { s.copysign(x) } else { s }, c + 0.0)
}
