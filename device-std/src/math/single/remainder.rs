//! `fmod`, `remainder`, `remquo`: exact, by long division with as many bits of quotient in a step as a float has.

use super::exact::scalbn;
use crate::intrinsics as raw;

/// Bits of quotient in one step: the approximate quotient is then less than 0.4 off before it is rounded to an integer.
const STEP: i32 = 21;

/// A positive finite number as an integer below 2^24 (normalised: at least 2^23) and a power of two.
#[inline]
fn split(x: f32) -> (u32, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32;
    if exponent == 0 {
        let shift = bits.leading_zeros() as i32 - 8;
        return (bits << shift, 1 - shift);
    }
    ((bits & 0x007f_ffff) | 0x0080_0000, exponent)
}

/// `|x|` reduced to below `|y|`, the low bits of the quotient, and `|y|`; all but the quotient as integers times `2^exponent`.
///
/// Both are finite, `y` is not 0, and `|x| >= |y|`.
#[inline]
fn reduce(x: f32, y: f32) -> (f32, u32, f32, i32) {
    let ((mx, ex), (my, ey)) = (split(x.abs()), split(y.abs()));
    let (divisor, mut rest) = (my as f32, mx as f32);
    let inverse = raw::rcp_approx_ftz_f32(divisor);
    let (mut bits, mut quotient) = (ex - ey, 0u32);
    // The first digit: both are in 2^23..2^24.
    if rest >= divisor {
        rest -= divisor;
        quotient = 1;
    }
    while bits > 0 {
        let step = bits.min(STEP);
        let shifted = rest * f32::from_bits(((step + 127) as u32) << 23);
        let mut digits = raw::rint_f32(shifted * inverse);
        // Exact: an integer smaller than the divisor, since the rounded quotient is less than 1 off.
        rest = raw::fma_f32(-digits, divisor, shifted);
        if rest < 0.0 {
            rest += divisor;
            digits -= 1.0;
        }
        quotient = (quotient << step).wrapping_add(digits as u32);
        bits -= step;
    }
    (rest, quotient, divisor, ey - 150)
}

/// The usual case in a few instructions: `|x|` reduced to below `|y|`, and the quotient, where that has at most 21 bits and nothing is near
/// the ends of the range.
#[inline]
fn reduce_quickly(x: f32, y: f32) -> Option<(f32, f32)> {
    let (x, y) = (x.abs(), y.abs());
    // Neither range has NaN.
    if !(8.7e-19..1.1e18).contains(&y) || !(0.0..y * 2_097_152.0).contains(&x) {
        return None;
    }
    // Off by one at most: the approximate inverse is less than 2^-22 off.
    let near = raw::trunc_f32(x * raw::rcp_approx_ftz_f32(y));
    let rest = raw::fma_f32(-near, y, x);
    // Rounding keeps the sign and the side of `y` on which the exact rest lies.
    let quotient = if rest < 0.0 {
        near - 1.0
    } else if rest >= y {
        near + 1.0
    } else {
        near
    };
    // Exact: below `y`, and a multiple of the last place of the smaller of both.
    Some((raw::fma_f32(-quotient, y, x), quotient))
}

/// What `x` leaves when divided by `y` towards zero: the sign of `x`, smaller than `y`. CUDA: `fmodf`, and Rust's `%`. Exact.
///
/// NaN if `x` is infinite, `y` is 0 or either is NaN.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::fmod(-7.5, 2.0), -1.5);
/// assert_eq!(single::remquo(7.5, 2.0), (-0.5, 4));
/// ```
#[inline]
#[must_use]
pub fn fmod(x: f32, y: f32) -> f32 {
    if let Some((rest, _)) = reduce_quickly(x, y) {
        return rest.copysign(x);
    }
    if !x.is_finite() || y == 0.0 || y.is_nan() {
        return f32::NAN;
    }
    if x.abs() < y.abs() {
        return x;
    }
    let (rest, _, _, exponent) = reduce(x, y);
    scalbn(rest, exponent).copysign(x)
}

/// `x - n * y` for the integer `n` nearest to `x / y`, even in a tie. CUDA: `remainderf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::remainder(7.5, 2.0), -0.5);
/// ```
#[inline]
#[must_use]
pub fn remainder(x: f32, y: f32) -> f32 {
    remquo(x, y).0
}

/// [`remainder`], and the low three bits of `n` with the sign of `x / y`. CUDA: `remquof`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::remquo(7.5, 2.0), (-0.5, 4));
/// ```
#[inline]
#[must_use]
pub fn remquo(x: f32, y: f32) -> (f32, i32) {
    let negative = y.is_sign_negative();
    if let Some((rest, quotient)) = reduce_quickly(x, y) {
        let (y, quotient) = (y.abs(), quotient as u32);
        let up = 2.0 * rest > y || (2.0 * rest == y && quotient & 1 == 1);
        let (value, n) = if up {
            (rest - y, quotient + 1)
        } else {
            (rest, quotient)
        };
        return signed(value, n, x, x.is_sign_negative() != negative);
    }
    if !x.is_finite() || y == 0.0 || y.is_nan() {
        return (f32::NAN, 0);
    }
    if y.is_infinite() {
        return (x, 0);
    }
    let (mut rest, mut quotient, divisor, exponent) = if x.abs() < y.abs() {
        // With the same exponent, where that leaves the bits of `x`; else `x` is far below half of `y`.
        let ((mx, ex), (my, ey)) = (split(x.abs()), split(y.abs()));
        if x == 0.0 || ey - ex > 1 {
            return (x, 0);
        }
        (mx as f32, 0, (my << (ey - ex)) as f32, ex - 150)
    } else {
        reduce(x, y)
    };
    if 2.0 * rest > divisor || (2.0 * rest == divisor && quotient & 1 == 1) {
        rest -= divisor;
        quotient = quotient.wrapping_add(1);
    }
    let value = scalbn(rest, exponent);
    signed(value, quotient, x, x.is_sign_negative() != negative)
}

/// The rest of `|x|` and the quotient as those of `x`.
#[inline]
fn signed(rest: f32, quotient: u32, x: f32, opposite: bool) -> (f32, i32) {
    let n = (quotient & 7) as i32;
    // A rest of nothing has the sign of `x`; otherwise `x` turns the sign.
    let rest = if rest == 0.0 { 0.0 } else { rest };
    let rest = f32::from_bits(rest.to_bits() ^ (x.to_bits() & 0x8000_0000));
    (rest, if opposite { -n } else { n })
}
