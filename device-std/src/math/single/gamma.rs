//! The gamma function and its logarithm.

use core::f32::consts::{LOG2_E, PI};

use super::logarithm::log;
use super::power::{exp2_pair, log2_pair};
use super::trig::sinpi;
use crate::intrinsics as raw;

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// `p[0] + p[1] x + …`, from the last coefficient.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, p: [f32; N]) -> f32 {
    let mut sum = p[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = fma(sum, x, p[i]);
    }
    sum
}

/// `1 / Γ(1 + t)` for `t` in -0.5..=0.5: relative error 2^-28.4.
#[inline(always)]
fn inverse_gamma(t: f32) -> f32 {
    let p = [
        1.0,
        0.577_215_7,
        -0.655_878_2,
        -0.042_003_676,
        0.166_541_93,
        -0.042_178_307,
        -0.009_652_041,
        0.007_102_726,
        -0.001_058_573_1,
    ];
    polynomial(t, p)
}

/// The gamma function. CUDA: `tgammaf`, at most 11 ulp; infinite at 0, NaN at negative integers and negative infinity.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::tgamma(5.0), 24.0);
/// ```
#[inline]
#[must_use]
pub fn tgamma(x: f32) -> f32 {
    if x.abs() > 8.0 {
        return far(x);
    }
    // x = n + t: by Γ(x + 1) = x Γ(x) from 1 + t to x.
    let n = raw::rint_f32(x);
    let inverse = inverse_gamma(x - n);
    let (mut above, mut below) = (1.0, inverse);
    let (mut factor, mut step) = (x, n);
    while step > 1.0 {
        factor -= 1.0;
        step -= 1.0;
        above *= factor;
    }
    while step < 1.0 {
        below *= factor;
        factor += 1.0;
        step += 1.0;
    }
    let value = above * raw::rcp_approx_f32(below);
    // At the poles below 0 the product is 0.
    if x < 0.0 && x == n { f32::NAN } else { value }
}

/// [`tgamma`] for `x` above 8 in size, and NaN: Stirling's series.
#[inline(always)]
fn far(x: f32) -> f32 {
    let size = x.abs();
    let limited = if size > 60.0 { 60.0 } else { size };
    // Γ(x) = x^(x - 1/2) e^-x S(1/x): relative error of the series 2^-33.7.
    let series = polynomial(
        raw::rcp_approx_ftz_f32(limited),
        [2.506_628_3, 0.208_885_65, 0.008_705_863, -0.006_778_624],
    );
    let (high, low) = log2_pair(limited, 0.0);
    let power = limited - 0.5;
    let product = raw::mul_apart_f32(power, high);
    let fall = raw::mul_apart_f32(limited, LOG2_E);
    let sum = product - fall;
    let lost = (product - sum) - fall;
    let low = fma(power, low, fma(power, high, -product))
        - fma(limited, 1.925_963e-8, fma(limited, LOG2_E, -fall))
        + lost;
    if x > 0.0 {
        return exp2_pair((sum, low)) * series;
    }
    // Γ(-x) Γ(x) = -π / (x sin(π x))
    let sine = sinpi(size);
    // Scaled by 2^60 until the end, since the power alone may be subnormal.
    let lifted = 60.0 - sum;
    let low = ((60.0 - lifted) - sum) - low;
    let value = exp2_pair((lifted, low)) * (-PI * raw::rcp_approx_ftz_f32(limited * sine * series));
    let value = if size > 60.0 {
        0f32.copysign(-sine)
    } else {
        value * (1.0 / 1_152_921_504_606_846_976.0)
    };
    if x < 0.0 && sine.abs() > 0.0 {
        value
    } else {
        f32::NAN
    }
}

/// The logarithm of the gamma function of positive `x`.
#[inline(always)]
fn log_gamma(x: f32) -> f32 {
    if x >= 7.8 {
        // (x - 1/2) (log x - 1) + log(2π) / 2 - 1/2 + S(1/x^2) / x: error of the series 2^-25.
        let inverse = raw::rcp_approx_ftz_f32(x);
        let series = fma(
            fma(-0.002_764_806, inverse * inverse, 0.083_333_306),
            inverse,
            0.418_938_53,
        );
        let log = log(x) - 1.0;
        let value = fma(x - 0.5, log, series);
        return if x == f32::INFINITY { x } else { value };
    }
    if x >= 3.0 {
        // By x - 5: relative error 2^-23.5.
        let p = [
            3.178_054,
            1.506_117_8,
            0.110_659_52,
            -0.008_132_381,
            8.952_569e-4,
            -1.166_001_5e-4,
            1.592_622_2e-5,
            -2.753_095e-6,
            6.392_276e-7,
            -8.012_533e-8,
        ];
        return polynomial(x - 5.0, p);
    }
    if x >= 1.5 {
        // By x - 2, where it is 0: relative error 2^-24.
        let t = x - 2.0;
        let p = [
            0.422_784_36,
            0.322_467_06,
            -0.067_353_65,
            0.020_579_806,
            -0.007_370_628,
            0.002_894_253_7,
            -0.001_257_023_4,
            5.355_795e-4,
            -1.326_097_4e-4,
        ];
        // Not a product, which would make the zero negative for some.
        return fma(t, polynomial(t, p), 0.0);
    }
    // By x - 1, where it is 0, or for small x of Γ(x + 1) = x Γ(x).
    let small = x < 0.7;
    let t = if small { x } else { x - 1.0 };
    let value = if small {
        // In 0..0.7: relative error 2^-26.4.
        let p = [
            -0.577_215_7,
            0.822_467_2,
            -0.400_676_07,
            0.270_317_23,
            -0.204_822,
            0.156_545_76,
            -0.104_751_885,
            0.049_734_194,
            -0.011_653_499,
        ];
        fma(t, polynomial(t, p), 0.0)
    } else {
        // In -0.3..0.5: relative error 2^-25.3.
        let p = [
            -0.577_215_7,
            0.822_466_97,
            -0.400_687_2,
            0.270_594_18,
            -0.207_281_07,
            0.168_915_6,
            -0.145_331_16,
            0.135_870_71,
            -0.116_492_37,
            0.054_299_682,
        ];
        fma(t, polynomial(t, p), 0.0)
    };
    if small { value - log(x) } else { value }
}

/// The logarithm of `|Γ(x)|`. CUDA: `lgammaf`, at most 6 ulp outside of -10.001..-2.264; infinite at 0 and negative integers.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::lgamma(1.0), 0.0);
/// ```
#[inline]
#[must_use]
pub fn lgamma(x: f32) -> f32 {
    let size = x.abs();
    let value = log_gamma(size);
    if x >= 0.0 || size < 1e-15 {
        return value;
    }
    if x.is_nan() {
        return x;
    }
    if x == f32::NEG_INFINITY {
        return f32::INFINITY;
    }
    // Γ(-x) Γ(x) = -π / (x sin(π x)).
    let sine = sinpi(size).abs();
    if sine == 0.0 {
        f32::INFINITY
    } else {
        1.144_729_9 - log(size * sine) - value
    }
}
