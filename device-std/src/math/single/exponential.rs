//! Powers of e, 2 and 10: one hardware power of two after the argument is reduced.

use crate::intrinsics as raw;

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// The least n, -126, becomes 0, and the largest, 127, becomes 1.
const SHIFT: f32 = 0.498_023_72; // 126 / 253
/// log2(e) / 253
const LOG2_E_OVER_253: f32 = 0.005_702_352;

/// `2^(x * (high + low))`: `high + low` is the logarithm of the base, and `scaled` that over 253.
#[inline(always)]
fn power(x: f32, high: f32, low: f32, scaled: f32) -> f32 {
    // An integer near x * high, kept within -126..=127 by a saturated multiplication: `rounded` has n + 127 in its low bits.
    let rounded = fma(raw::fma_sat_f32(x, scaled, SHIFT), 253.0, 12_582_913.0);
    let n = rounded - 12_583_039.0;
    let rest = fma(x, low, fma(x, high, -n));
    // Beyond the range of n the rest is large, which makes infinity or 0.
    raw::ex2_approx_ftz_f32(rest) * f32::from_bits(rounded.to_bits() << 23)
}

/// `e^x`. CUDA: `expf`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::exp(0.0), 1.0);
/// assert_eq!(single::exp(f32::NEG_INFINITY), 0.0);
/// ```
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    power(x, core::f32::consts::LOG2_E, 1.925_963e-8, LOG2_E_OVER_253)
}

/// `10^x`. CUDA: `exp10f`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::exp10(0.5) - 3.162_277_66).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn exp10(x: f32) -> f32 {
    power(x, core::f32::consts::LOG2_10, 7.059_537e-8, 0.013_130_151)
}

/// `2^x`. CUDA: `exp2f`, at most 2 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::exp2(0.5) - 1.414_213_562).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    raw::ex2_approx_f32(x)
}

/// `e^x / 2` for `x` of 0 or more, which overflows later than `e^x`.
#[inline(always)]
pub(super) fn half_exp(x: f32) -> f32 {
    let rounded = fma(
        raw::fma_sat_f32(x, LOG2_E_OVER_253, SHIFT),
        253.0,
        12_582_913.0,
    );
    let n = rounded - 12_583_039.0;
    let rest = fma(x, 1.925_963e-8, fma(x, core::f32::consts::LOG2_E, -n));
    raw::ex2_approx_ftz_f32(rest) * f32::from_bits(rounded.to_bits().wrapping_sub(1) << 23)
}

/// `e^x - 1`, accurate near 0. CUDA: `expm1f`, at most 1 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::expm1(0.5) - 0.648_721_271).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn expm1(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    // Up to 128; a larger rest then overflows.
    let rounded = fma(x, core::f32::consts::LOG2_E, ROUND).min(ROUND + 128.0);
    let n = rounded - ROUND;
    let f = fma(n, 1.904_654_2e-9, fma(n, -core::f32::consts::LN_2, x));
    // (e^f - 1 - f) / f^2: relative error of e^f - 1 is 2^-26.
    let p = fma(0.001_387_188, f, 0.008_366_877);
    let p = fma(p, f, 0.041_667_43);
    let p = fma(p, f, 0.166_665_42);
    let p = fma(p, f, 0.499_999_97);
    let curve = p * f * f;
    // Half of 2^n, since 2^128 is none. What is large and nearly exact comes first.
    let half = f32::from_bits((rounded.to_bits() << 23).wrapping_add(126 << 23));
    let value = fma(curve, half, fma(f, half, half - 0.5));
    let value = if x < -18.0 { -1.0 } else { value + value };
    value.copysign(x)
}
