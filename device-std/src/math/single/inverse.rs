//! The inverse trigonometric functions.

use core::f32::consts::{FRAC_PI_2, PI};

use crate::intrinsics as raw;

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// `asin(s)` for `s` in 0..=0.5, `z = s^2`: relative error of the polynomial 2^-27.6.
#[inline(always)]
fn asin_small(s: f32, z: f32) -> f32 {
    let p = fma(0.042_166_412, z, 0.024_180_774);
    let p = fma(p, z, 0.045_469_772);
    let p = fma(p, z, 0.074_953_064);
    let p = fma(p, z, 0.166_667_52);
    fma(p * z, s, s)
}

/// Whether `|x|` is above a half, and `asin(|x|)`, or then `asin(sqrt((1 - |x|) / 2))`.
#[inline(always)]
fn halved(x: f32) -> (bool, f32) {
    let size = x.abs();
    let large = size > 0.5;
    let z = if large {
        fma(size, -0.5, 0.5)
    } else {
        size * size
    };
    let s = if large {
        raw::sqrt_approx_ftz_f32(z)
    } else {
        size
    };
    (large, asin_small(s, z))
}

/// `asin(x)`. CUDA: `asinf`, at most 4 ulp; NaN outside of -1..=1.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::asin(0.5) - 0.523_598_776).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn asin(x: f32) -> f32 {
    let (large, part) = halved(x);
    let value = if large {
        fma(part, -2.0, FRAC_PI_2)
    } else {
        part
    };
    value.copysign(x)
}

/// `acos(x)`. CUDA: `acosf`, at most 3 ulp; NaN outside of -1..=1.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::acos(0.5) - 1.047_197_551).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn acos(x: f32) -> f32 {
    let (large, part) = halved(x);
    let signed = part.copysign(x);
    if large {
        let base = if x < 0.0 { PI } else { 0.0 };
        fma(signed, 2.0, base)
    } else {
        FRAC_PI_2 - signed
    }
}

/// `atan(t)` for `t` in 0..=1: relative error of the polynomial 2^-25.8.
#[inline(always)]
fn atan_small(t: f32) -> f32 {
    let z = t * t;
    let p = fma(0.002_919_422_7, z, -0.016_363_192);
    let p = fma(p, z, 0.043_204_732);
    let p = fma(p, z, -0.075_516_604);
    let p = fma(p, z, 0.106_657_69);
    let p = fma(p, z, -0.142_110_02);
    let p = fma(p, z, 0.199_937_67);
    let p = fma(p, z, -0.333_331_53);
    fma(p * z, t, t)
}

/// `atan(x)`. CUDA: `atanf`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::atan(f32::INFINITY), core::f32::consts::FRAC_PI_2);
/// ```
#[inline]
#[must_use]
pub fn atan(x: f32) -> f32 {
    let size = x.abs();
    let large = size > 1.0;
    let part = atan_small(if large {
        raw::rcp_approx_ftz_f32(size)
    } else {
        size
    });
    let value = if large { FRAC_PI_2 - part } else { part };
    value.copysign(x)
}

/// The angle of the point `(x, y)`, in -π..=π. CUDA: `atan2f`, at most 3 ulp; zeros and infinities as C says.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::atan2(1.0, 2.0) - 0.463_647_609).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (width, height) = (x.abs(), y.abs());
    let (large, small) = (width.max(height), width.min(height));
    // By a power of two into a range where a reciprocal is neither subnormal nor infinite.
    let exponent = (large.to_bits() & 0x7f80_0000).max(0x0080_0000);
    let scale = f32::from_bits(0x7f80_0000 - exponent);
    let inverse = raw::rcp_approx_ftz_f32(large * scale);
    let t = (small * scale) * inverse;
    let t = fma(fma(-t, large * scale, small * scale), inverse, t);
    // Both zero, or one infinite.
    let t = if small == large { 1.0 } else { t };
    let t = if large == 0.0 || (large == f32::INFINITY && small != large) {
        0.0
    } else {
        t
    };
    let angle = atan_small(t);
    let angle = if height > width {
        FRAC_PI_2 - angle
    } else {
        angle
    };
    let angle = if x.is_sign_negative() {
        PI - angle
    } else {
        angle
    };
    let angle = if x.is_nan() || y.is_nan() {
        f32::NAN
    } else {
        angle
    };
    angle.copysign(y)
}
