//! Remainders of divisions, all exact.

use super::exact::{copysign, ldexp};
use super::machine::{fma, high, power_of_two, trunc};

/// `x - n y` for the integer `n` next to `x / y` towards zero; exact. CUDA: `fmod`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::fmod(-7.5, 2.0), -1.5);
/// ```
#[inline]
#[must_use]
pub fn fmod(x: f64, y: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    let (ordinary_a, ordinary_b) = (ordinary(a), ordinary(b));
    // The quotient of ordinary numbers below 2^53 is one step; a smaller numerator is its own remainder.
    let size = if ordinary_a && ordinary_b && a < b * 4_503_599_627_370_496.0 {
        step(a, b)
    } else {
        fmod_of_sizes(a, b)
    };
    copysign(size, x)
}

/// Between 2^-900 and 2^900: no step leaves the normal numbers.
#[inline(always)]
fn ordinary(a: f64) -> bool {
    (high(a) as u32).wrapping_sub(0x07b0_0000) < 0x7080_0000
}

/// `a` modulo `b`, for `a / b` below 2^52.
#[inline(always)]
fn step(a: f64, b: f64) -> f64 {
    // The quotient may be rounded up to the next integer; the remainder is exact even then, and `b` corrects it.
    let n = trunc(a / b);
    let r = fma(-n, b, a);
    if r < 0.0 { r + b } else { r }
}

/// The general case: `b` times a power of two takes the upper digits away, 52 at a time.
#[cold]
#[inline(never)]
fn fmod_of_sizes(a: f64, b: f64) -> f64 {
    if !(a < f64::INFINITY) || !(b > 0.0) {
        return f64::NAN;
    }
    if !(b < f64::INFINITY) {
        // An infinite divisor leaves the number, NaN stays.
        return if b.is_nan() { b } else { a };
    }
    if a < b {
        return a;
    }
    // a = n 2^e, b = m 2^f: the remainder of n 2^(e - f) by m, in integers below 2^53; e is not below f, since a is not below b.
    let (n, e) = integer(a);
    let (m, f) = integer(b);
    let divisor = m as f64;
    let mut rest = step(n as f64, divisor);
    let mut shift = e - f;
    while shift > 0 {
        let by = shift.min(51);
        // The quotient is below 2^51, since `rest` is below the divisor.
        rest = step(rest * power_of_two(by), divisor);
        shift -= by;
    }
    ldexp(rest, f)
}

/// The mantissa as an integer and the power of two that it is to be multiplied by.
#[inline(always)]
fn integer(a: f64) -> (u64, i32) {
    let stored = (high(a) >> 20) & 0x7ff;
    let fraction = a.to_bits() & 0x000f_ffff_ffff_ffff;
    if stored == 0 {
        (fraction, -1074)
    } else {
        (fraction | 0x0010_0000_0000_0000, stored - 1075)
    }
}

/// `x - n y` for the integer `n` nearest to `x / y`, even in a tie; exact. CUDA: `remainder`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::remainder(7.5, 2.0), -0.5);
/// ```
#[inline]
#[must_use]
pub fn remainder(x: f64, y: f64) -> f64 {
    remquo(x, y).0
}

/// [`remainder`], and the low three bits of `n` with its sign. CUDA: `remquo`.
///
/// ```
/// assert_eq!(warploom_device_std::math::double::remquo(29.0, 3.0), (-1.0, 2));
/// ```
#[inline]
#[must_use]
pub fn remquo(x: f64, y: f64) -> (f64, i32) {
    let (a, b) = (x.abs(), y.abs());
    if !(a < f64::INFINITY) || !(b > 0.0) {
        return (f64::NAN, 0);
    }
    // Modulo 8 |y|, where that is finite; the quotient is below 8 elsewhere.
    let eight = 8.0 * b;
    let mut r = if eight < f64::INFINITY {
        fmod(a, eight)
    } else {
        a
    };
    let mut n = 0;
    if r >= 4.0 * b {
        r -= 4.0 * b;
        n += 4;
    }
    if r >= 2.0 * b {
        r -= 2.0 * b;
        n += 2;
    }
    if r >= b {
        r -= b;
        n += 1;
    }
    // Half of a subnormal divisor is no number: compare twice the remainder, or half the divisor.
    let (twice, whole) = if b < 1e300 { (r + r, b) } else { (r, 0.5 * b) };
    if twice > whole || (twice == whole && n & 1 == 1) {
        r -= b;
        n += 1;
    }
    let n = n & 7;
    let r = if x.is_sign_negative() { -r } else { r };
    (
        r,
        if x.is_sign_negative() != y.is_sign_negative() {
            -n
        } else {
            n
        },
    )
}
