//! CUDA's fast forms of `f32` functions: a few instructions each, and less accurate than [`super::single`].
//!
//! They end in approximations of the hardware, so a GPU's results differ from the emulator's, which are rounded from the exact value of
//! each approximation. The emulator keeps the bounds of CUDA's guide; of a GPU no more is promised than the manual of PTX does of its
//! instructions. Where the two differ, both bounds are given. Subnormal arguments count as 0 in logarithms, subnormal results become 0 in powers.
//! `#[kernel(fast_math)]` puts such forms in the place of std's functions in a whole kernel.

use core::f32::consts::{LN_2, LOG2_10, LOG2_E, LOG10_2};

use crate::intrinsics as raw;

/// `sin(x)`: absolute error at most 2^-20.5 in -π..=π, larger outside; on the emulator 2^-21.41. CUDA: `__sinf`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::sin(1.0) - 0.841_470_98).abs() < 1e-6);
/// ```
#[inline(always)]
#[must_use]
pub fn sin(x: f32) -> f32 {
    raw::sin_approx_f32(x)
}

/// `cos(x)`: absolute error at most 2^-20.5 in -π..=π, larger outside; on the emulator 2^-21.19. CUDA: `__cosf`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::cos(0.5) - 0.877_582_562).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn cos(x: f32) -> f32 {
    raw::cos_approx_f32(x)
}

/// `(sin(x), cos(x))` as [`sin`] and [`cos`] give them. CUDA: `__sincosf`.
///
/// ```
/// use warploom_device_std::math::fast;
/// let (s, c) = fast::sincos(0.5);
/// assert!((s * s + c * c - 1.0).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn sincos(x: f32) -> (f32, f32) {
    (sin(x), cos(x))
}

/// `sin(x) * (1 / cos(x))` of the fast forms. CUDA: `__tanf`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::tan(0.5) - 0.546_302_49).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn tan(x: f32) -> f32 {
    sin(x) * raw::rcp_approx_ftz_f32(cos(x))
}

/// `e^x` within `2 + floor(|1.16 x|)` ulp. CUDA: `__expf`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::exp(0.5) - 1.648_721_271).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn exp(x: f32) -> f32 {
    raw::ex2_approx_ftz_f32(x * LOG2_E)
}

/// `10^x` within `2 + floor(|2.95 x|)` ulp. CUDA: `__exp10f`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::exp10(0.5) - 3.162_277_66).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn exp10(x: f32) -> f32 {
    raw::ex2_approx_ftz_f32(x * LOG2_10)
}

/// `2^x` within 2 ulp. CUDA: `exp2f` under `-use_fast_math`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::exp2(0.5) - 1.414_213_562).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    raw::ex2_approx_ftz_f32(x)
}

/// The natural logarithm: absolute error at most 2^-21.41 in 0.5..=2, 3 ulp elsewhere. CUDA: `__logf`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::log(2.0) - 0.693_147_181).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn log(x: f32) -> f32 {
    raw::lg2_approx_ftz_f32(x) * LN_2
}

/// The logarithm to base 2: absolute error at most 2^-22 in 0.5..=2, 2 ulp elsewhere. CUDA: `__log2f`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::log2(3.0) - 1.584_962_501).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn log2(x: f32) -> f32 {
    raw::lg2_approx_ftz_f32(x)
}

/// The logarithm to base 10: absolute error at most 2^-23 in 0.5..=2, 3 ulp elsewhere; on the emulator 2^-24. CUDA: `__log10f`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::log10(2.0) - 0.301_029_996).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn log10(x: f32) -> f32 {
    raw::lg2_approx_ftz_f32(x) * LOG10_2
}

/// `2^(y * log2(x))` of the fast forms, for `x` of 0 or more. CUDA: `__powf`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert!((fast::pow(2.0, 0.5) - 1.414_213_562).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    exp2(y * log2(x))
}

/// `x / y` within 2 ulp for `|y|` in 2^-126..=2^126; 0 for larger `y`, NaN if `x` is then infinite. CUDA: `__fdividef`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert_eq!(fast::divide(3.0, 2.0), 1.5);
/// assert_eq!(fast::divide(3.0, 2e38), 0.0);
/// ```
#[inline(always)]
#[must_use]
pub fn divide(x: f32, y: f32) -> f32 {
    raw::div_approx_f32(x, y)
}

/// `x` clamped to 0..=1; NaN becomes 0. CUDA: `__saturatef`.
///
/// ```
/// use warploom_device_std::math::fast;
/// assert_eq!([-1.0, 0.25, 7.0, f32::NAN].map(fast::saturate), [0.0, 0.25, 1.0, 0.0]);
/// ```
#[inline(always)]
#[must_use]
pub fn saturate(x: f32) -> f32 {
    raw::fma_sat_f32(x, 1.0, 0.0)
}
