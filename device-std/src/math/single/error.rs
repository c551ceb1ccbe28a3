//! The error function, its complement, and their inverses.

use super::exponential::exp;
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

/// The error function. CUDA: `erff`, at most 3 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::erf(f32::INFINITY), 1.0);
/// ```
#[inline]
#[must_use]
pub fn erf(x: f32) -> f32 {
    let size = x.abs();
    if size < 0.9 {
        // erf(x) / x - 1 by x^2: relative error 2^-26.
        let p = [
            0.128_379_15,
            -0.376_125_07,
            0.112_819_76,
            -0.026_773_242,
            0.005_004_034,
            -6.051_55e-4,
        ];
        return fma(polynomial(x * x, p), x, x);
    }
    // log2(erfc(x)) / -x in 0.9..=4: error of erf(x) 2^-28.3. Beyond, erf(x) is 1.
    let p = [
        1.628_110_2,
        0.917_120_2,
        0.151_896_97,
        -0.033_046_514,
        0.004_645_474_7,
        -3.095_996e-4,
    ];
    let value = 1.0 - raw::ex2_approx_ftz_f32(-size * polynomial(size, p));
    let value = if size > 4.0 { 1.0 } else { value };
    value.copysign(x)
}

/// `1 - erf(x)`. CUDA: `erfcf`, at most 6 ulp.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::erfc(0.5) - 0.479_500_122).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn erfc(x: f32) -> f32 {
    // From 10.1 on the result is 0.
    let size = if x.abs() > 10.1 { 10.1 } else { x.abs() };
    // erfc(x) e^(x^2) (1 + 2x) as a polynomial of (x - 2) / (x + 2): relative error 2^-25.9.
    let inverse = raw::rcp_approx_ftz_f32(size + 2.0);
    let t = (size - 2.0) * inverse;
    let t = fma(fma(t, -size, fma(t, -2.0, size - 2.0)), inverse, t);
    let p = [
        1.276_978_4,
        -0.092_763_916,
        -0.166_030_96,
        0.164_054_59,
        -0.054_207_508,
        -0.008_057_903,
        0.008_640_463,
        0.001_314_05,
        -0.001_238_316,
        -0.000_404_749_1,
    ];
    let scaled = polynomial(t, p) * raw::rcp_approx_ftz_f32(fma(size, 2.0, 1.0));
    // e^(-x^2) with what the rounded square lacks.
    let square = raw::mul_apart_f32(size, size);
    let power = exp(-square);
    let power = fma(-fma(size, size, -square), power, power);
    let value = scaled * power;
    if x < 0.0 { 2.0 - value } else { value }
}

/// `erfinv(y) / y` from `product`, which is `1 - y^2`: a polynomial of `w`, its negative logarithm to base 2, or of the root of `w`.
///
/// `small` where the product may be less than 2^-24.
#[inline(always)]
fn inverse_ratio(product: f32, small: bool) -> f32 {
    let w = -raw::lg2_approx_f32(product);
    if w < 8.0 {
        // Relative error 2^-24.7.
        let p = [
            0.886_226_9,
            0.160_820_36,
            0.005_546_184_3,
            -7.738_934e-4,
            -3.194_805e-5,
            8.148_853e-6,
            2.013_218_4e-7,
            -1.189_783_8e-7,
            9.348_474e-9,
            -2.502_716_4e-10,
        ];
        return polynomial(w, p);
    }
    let root = raw::sqrt_approx_ftz_f32(w);
    let value = if small && w > 24.0 {
        // Up to 150, by the root less 8: relative error 2^-22.8.
        let p = [
            6.526_478,
            0.840_001_05,
            -3.545_281_7e-4,
            -1.792_604_5e-6,
            3.804_020_5e-6,
            -1.043_209_4e-6,
            2.505_898_5e-7,
            -2.544_695_5e-8,
        ];
        polynomial(root - 8.0, p)
    } else {
        // Up to 24, by the root less 3.8: relative error 2^-23.3.
        let p = [
            2.997_182_1,
            0.836_085,
            0.004_474_507_6,
            -0.002_731_144_2,
            0.001_633_543_9,
            -9.296_267_6e-4,
            3.455_537_7e-4,
            -4.988_037_5e-5,
        ];
        polynomial(root - 3.8, p)
    };
    if product == 0.0 { f32::INFINITY } else { value }
}

/// The inverse of the error function. CUDA: `erfinvf`, at most 5 ulp; infinite at -1 and 1, NaN beyond.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::erfinv(0.5) - 0.476_936_276).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn erfinv(y: f32) -> f32 {
    y * inverse_ratio(fma(y, -y, 1.0), false)
}

/// The inverse of the complementary error function. CUDA: `erfcinvf`, at most 7 ulp; infinite at 0 and 2, NaN outside.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::erfcinv(0.5) - 0.476_936_276).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn erfcinv(y: f32) -> f32 {
    // 1 - (1 - y)^2 is y (2 - y).
    (1.0 - y) * inverse_ratio(y * (2.0 - y), true)
}
