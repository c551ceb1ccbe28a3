//! Roots: reciprocal square roots, cube roots, the length of a vector.

use crate::intrinsics as raw;

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// `1 / sqrt(x)`. CUDA: `rsqrtf`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::rsqrt(2.0) - 0.707_106_781).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    raw::rsqrt_approx_f32(x)
}

/// Subnormal numbers times 2^24, whose roots are then divided by 2^8; all others as they are.
#[inline(always)]
fn lifted(x: f32) -> (f32, bool) {
    let small = x.abs() < f32::MIN_POSITIVE;
    (if small { x * 16_777_216.0 } else { x }, small)
}

/// `cbrt(x)`. CUDA: `cbrtf`, at most 1 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::cbrt(-27.0), -3.0);
/// ```
#[inline]
#[must_use]
pub fn cbrt(x: f32) -> f32 {
    let (y, small) = lifted(x);
    // y^(-2/3) by logarithm and power, near enough that one step of Newton's method is exact but for its rounding.
    let inverse_square = raw::ex2_approx_ftz_f32(raw::lg2_approx_ftz_f32(y.abs()) * (-2.0 / 3.0));
    let root = y * inverse_square;
    // The square's rounding counts for a third in the root.
    let rest = fma(-(root * root), root, y);
    let value = fma(rest * inverse_square, 1.0 / 3.0, root);
    let value = if small { value * (1.0 / 256.0) } else { value };
    // Zero, infinity and NaN are their own roots.
    if x == 0.0 || !x.is_finite() { x } else { value }
}

/// `1 / cbrt(x)`. CUDA: `rcbrtf`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::rcbrt(2.0) - 0.793_700_526).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn rcbrt(x: f32) -> f32 {
    let (y, small) = lifted(x);
    let size = y.abs();
    let guess = raw::ex2_approx_ftz_f32(raw::lg2_approx_ftz_f32(size) * (-1.0 / 3.0));
    let rest = fma(-size * guess, guess * guess, 1.0);
    let value = fma(rest * guess, 1.0 / 3.0, guess);
    // Zero and infinity give what the hardware gives.
    let value = if size == 0.0 || size == f32::INFINITY {
        guess
    } else {
        value
    };
    let value = if small { value * 256.0 } else { value };
    value.copysign(x)
}

/// `sqrt(x^2 + y^2)` without overflow on the way. CUDA: `hypotf`, at most 3 ulp; infinite if either is, even beside NaN.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::hypot(3.0, 4.0) - 5.0).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn hypot(x: f32, y: f32) -> f32 {
    let (x, y) = (x.abs(), y.abs());
    let (large, small) = (x.max(y), x.min(y));
    // By a power of two to where squares neither overflow nor vanish: `large` becomes 2..4, or at least 2^-22 if it is subnormal.
    let exponent = (large.to_bits() & 0x7f80_0000).clamp(0x0080_0000, 0x7f00_0000);
    let scale = f32::from_bits(0x7f80_0000 - exponent);
    let (a, b) = (large * scale, small * scale);
    let length = raw::sqrt_approx_ftz_f32(fma(a, a, b * b));
    let value = (length * 0.5) * f32::from_bits(exponent);
    let value = if x.is_nan() || y.is_nan() {
        f32::NAN
    } else {
        value
    };
    if large == f32::INFINITY { large } else { value }
}
