//! Inverse trigonometric functions.

use core::f64::consts::{FRAC_PI_2, PI};

use super::machine::{fma, high, polynomial, quotient, reciprocal, root};

/// (atan(t) / t - 1) / t^2 by t^2, for |t| up to 1: relative error of the arc tangent below 2^-54.7.
const ATAN: [f64; 19] = [
    -0.33333333333331994,
    0.19999999999774995,
    -0.14285714272363692,
    0.11111110705762521,
    -0.09090901661233727,
    0.07692217351267731,
    -0.06665892398227913,
    0.05877476226562702,
    -0.05239892884737332,
    0.046759088645278904,
    -0.04097092929527517,
    0.03414569023499426,
    -0.02593126572363821,
    0.017084581582464918,
    -0.009265667874728541,
    0.003900591189031766,
    -0.0011808191971219217,
    0.0002268599144848189,
    -2.0663412775438886e-05,
];
/// (asin(s) / s - 1) / s^2 by s^2, for |s| up to one half (and a little more): relative error of the arc sine below 2^-55.8.
const ASIN: [f64; 12] = [
    0.1666666666666535,
    0.07500000000351265,
    0.04464285681642871,
    0.03038195963247446,
    0.02237174606694603,
    0.01735988689526616,
    0.013883423277516127,
    0.012181193349327626,
    0.006475804415500459,
    0.019671982548234365,
    -0.016451234277478622,
    0.03206884060943585,
];
/// What π/2 is above `FRAC_PI_2`.
const PI_2_LO: f64 = 6.123_233_995_736_766e-17;
/// What π is above `PI`.
const PI_LO: f64 = 1.224_646_799_147_353_2e-16;

/// `s` and what is to be added for the arc sine of the square root of `z`, 0 up to a quarter; NaN for negative `z`.
#[inline(always)]
fn asin_of_root(z: f64) -> (f64, f64) {
    let (s, rest) = root(z);
    let (s, rest) = if z == 0.0 { (0.0, 0.0) } else { (s, rest) };
    (s, fma(s * z, polynomial(&ASIN, z), rest))
}

/// The arc sine of `x`. CUDA: `asin`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::asin(0.5) - 0.523_598_775_598_298_9).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn asin(x: f64) -> f64 {
    let size = x.abs();
    if high(size) < 0x3fe0_0000 {
        let z = x * x;
        return fma(polynomial(&ASIN, z) * z, x, x);
    }
    let (s, more) = asin_of_root(fma(size, -0.5, 0.5));
    let result = fma(s, -2.0, FRAC_PI_2) + fma(more, -2.0, PI_2_LO);
    result.copysign(x)
}

/// The arc cosine of `x`. CUDA: `acos`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::acos(0.5) - 1.047_197_551_196_597_9).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn acos(x: f64) -> f64 {
    let size = x.abs();
    if high(size) < 0x3fe0_0000 {
        let z = x * x;
        return FRAC_PI_2 - (x + fma(polynomial(&ASIN, z) * z, x, -PI_2_LO));
    }
    let (s, more) = asin_of_root(fma(size, -0.5, 0.5));
    if x > 0.0 {
        2.0 * (s + more)
    } else {
        fma(s, -2.0, PI) + fma(more, -2.0, PI_LO)
    }
}

/// The arc tangent of `t`, 0 up to 1.
#[inline(always)]
fn atan_small(t: f64) -> f64 {
    let z = t * t;
    fma(polynomial(&ATAN, z) * z, t, t)
}

/// The arc tangent of `x`. CUDA: `atan`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::atan(0.5) - 0.463_647_609_000_806_1).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn atan(x: f64) -> f64 {
    let size = x.abs();
    let large = size > 1.0;
    let t = if large {
        // Reciprocals of what is beyond 10^300 make no difference, and that of infinity is no number in this way.
        reciprocal(if size > 1e300 { 1e300 } else { size })
    } else {
        size
    };
    let p = atan_small(t);
    let result = if large { FRAC_PI_2 - (p - PI_2_LO) } else { p };
    result.copysign(x)
}

/// The angle of the point (`x`, `y`), -π up to π. CUDA: `atan2`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::atan2(1.0, 2.0) - 0.463_647_609_000_806_1).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (height, width) = (y.abs(), x.abs());
    let steep = height > width;
    let (most, least) = if steep {
        (height, width)
    } else {
        (width, height)
    };
    // Both between 2^-400 and 2^400: no step of the division leaves the normal numbers.
    let ordinary = |v: f64| (high(v) as u32).wrapping_sub(0x26f0_0000) < 0x3200_0000;
    let t = if ordinary(most) && ordinary(least) {
        quotient(least, most)
    } else {
        ratio_of_extremes(least, most)
    };
    let p = atan_small(t);
    // Across the vertical axis the angle is turned from there, on the left from the axis that points to it.
    let (axis, axis_lo, turn) = if steep {
        (FRAC_PI_2, PI_2_LO, p.copysign(x))
    } else {
        (PI, PI_LO, p)
    };
    let angle = if steep || high(x) < 0 {
        axis - (turn - axis_lo)
    } else {
        p
    };
    angle.copysign(y)
}

#[cold]
#[inline(never)]
fn ratio_of_extremes(least: f64, most: f64) -> f64 {
    if least.is_nan() || most.is_nan() {
        least + most
    } else if least == most {
        // Both infinite, or both 0.
        if least == 0.0 { 0.0 } else { 1.0 }
    } else {
        least / most
    }
}
