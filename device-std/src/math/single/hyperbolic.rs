//! The hyperbolic functions and their inverses.

use super::logarithm::log_of_1_and;
use crate::intrinsics as raw;

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// `sinh(x)`. CUDA: `sinhf`, at most 3 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::sinh(0.5) - 0.521_095_305).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn sinh(x: f32) -> f32 {
    let size = x.abs();
    if size < 1.0 {
        // (sinh(x) / x - 1) / x^2: relative error 2^-25.3.
        let z = size * size;
        let p = fma(2.037_334e-4, z, 0.008_330_271);
        let p = fma(p, z, 0.166_667_16);
        return fma(p, z * x, x);
    }
    let half = super::exponential::half_exp(size);
    fma(raw::rcp_approx_ftz_f32(half), -0.25, half).copysign(x)
}

/// `cosh(x)`. CUDA: `coshf`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::cosh(0.5) - 1.127_625_965).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn cosh(x: f32) -> f32 {
    let half = super::exponential::half_exp(x.abs());
    fma(raw::rcp_approx_ftz_f32(half), 0.25, half)
}

/// `tanh(x)`. CUDA: `tanhf`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::tanh(0.5) - 0.462_117_157).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    let size = x.abs();
    if size < 0.6 {
        // (tanh(x) / x - 1) / x^2: relative error 2^-28.4.
        let z = x * x;
        let p = fma(-0.005_897_972, z, 0.020_798_627);
        let p = fma(p, z, -0.053_784_717);
        let p = fma(p, z, 0.133_319_36);
        let p = fma(p, z, -0.333_333);
        return fma(p, z, 1.0) * x;
    }
    // 1 - 2 / (e^2x + 1)
    let power = raw::ex2_approx_ftz_f32(size * (2.0 * core::f32::consts::LOG2_E));
    fma(raw::rcp_approx_ftz_f32(power + 1.0), -2.0, 1.0).copysign(x)
}

/// Above this, 1 is lost beside the square.
const HUGE: f32 = 1_073_741_824.0; // 2^30

/// `asinh(x)`. CUDA: `asinhf`, at most 3 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::asinh(0.5) - 0.481_211_825).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn asinh(x: f32) -> f32 {
    let size = x.abs();
    let square = size * size;
    // log(x + sqrt(x^2 + 1)), where the sum less 1 is x + x^2 / (1 + sqrt(x^2 + 1)).
    let root = raw::sqrt_approx_ftz_f32(square + 1.0);
    let more = fma(square, raw::rcp_approx_ftz_f32(1.0 + root), size);
    let value = if size > HUGE {
        log_of_1_and(size, 1.0)
    } else {
        log_of_1_and(more, 0.0)
    };
    let value = if size.is_finite() { value } else { size };
    value.copysign(x)
}

/// `acosh(x)`. CUDA: `acoshf`, at most 4 ulp; NaN below 1.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::acosh(1.5) - 0.962_423_65).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn acosh(x: f32) -> f32 {
    let t = x - 1.0;
    // log(x + sqrt(x^2 - 1)) with t = x - 1: the sum less 1 is t + sqrt(t^2 + 2t).
    let more = t + raw::sqrt_approx_ftz_f32(fma(t, t, t + t));
    let huge = x > HUGE;
    let value = log_of_1_and(if huge { t } else { more }, if huge { 1.0 } else { 0.0 });
    let value = if x < f32::INFINITY { value } else { x };
    if x < 1.0 { f32::NAN } else { value }
}

/// `atanh(x)`. CUDA: `atanhf`, at most 3 ulp; infinite at -1 and 1, NaN beyond.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::atanh(0.5) - 0.549_306_144).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn atanh(x: f32) -> f32 {
    let size = x.abs();
    // 2x / (1 - x) as 2x + 2x^2 / (1 - x): the quotient's error counts for less.
    let double = size + size;
    let ratio = fma(double * size, raw::rcp_approx_ftz_f32(1.0 - size), double);
    let value = 0.5 * log_of_1_and(ratio, 0.0);
    let outside = if size == 1.0 { f32::INFINITY } else { f32::NAN };
    let value = if size < 1.0 { value } else { outside };
    value.copysign(x)
}
