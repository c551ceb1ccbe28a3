//! Logarithms: the exponent, and a polynomial of the mantissa in 2/3..4/3.

use crate::intrinsics as raw;

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// The bits of 2/3: mantissas start there.
const TWO_THIRDS: u32 = 0x3f2a_aaab;
/// One step of the exponent field, as a float.
const STEP: f32 = 1.192_092_9e-7; // 2^-23

/// The logarithm of 2, rounded.
const LN_2: f32 = core::f32::consts::LN_2;

/// `f` and `e` with `x == (1 + f) * 2^e`, `1 + f` in 2/3..4/3. `x` is positive and finite.
#[inline(always)]
fn split(x: f32) -> (f32, f32) {
    // Multiplying by a power of two lifts subnormal numbers to normal ones.
    let small = x < f32::MIN_POSITIVE;
    let lifted = if small { x * 8_388_608.0 } else { x };
    let lift = if small { -23.0 } else { 0.0 };
    let bits = lifted.to_bits();
    let exponent = bits.wrapping_sub(TWO_THIRDS) & 0xff80_0000;
    let f = f32::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    (f, fma(exponent.cast_signed() as f32, STEP, lift))
}

/// `value`, unless `x` is one of those numbers whose logarithm is special.
#[inline(always)]
fn special(x: f32, value: f32) -> f32 {
    // Infinity, NaN and whatever has a sign: infinity stays, all others become NaN.
    let value = if x.to_bits() >= 0x7f80_0000 {
        fma(x, f32::INFINITY, f32::INFINITY)
    } else {
        value
    };
    if x == 0.0 { f32::NEG_INFINITY } else { value }
}

/// `log(1 + f)` for `1 + f` in 2/3..4/3: relative error of the polynomial 2^-25.2.
#[inline(always)]
fn log_near_1(f: f32) -> f32 {
    let p = fma(0.140_205_82, f, -0.153_835_98);
    let p = fma(p, f, 0.139_971_35);
    let p = fma(p, f, -0.164_170_3);
    let p = fma(p, f, 0.200_110_73);
    let p = fma(p, f, -0.250_077_5);
    let p = fma(p, f, 0.333_332);
    let p = fma(p, f, -0.499_999_37);
    fma(p * f, f, f)
}

/// The natural logarithm. CUDA: `logf`, at most 1 ulp; negative infinity for 0, NaN below.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::log(1.0), 0.0);
/// assert_eq!(single::log(0.0), f32::NEG_INFINITY);
/// ```
#[inline]
#[must_use]
pub fn log(x: f32) -> f32 {
    let (f, e) = split(x);
    special(x, fma(e, LN_2, log_near_1(f)))
}

/// The logarithm to base 2. CUDA: `log2f`, at most 3 ulp; negative infinity for 0, NaN below.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::log2(3.0) - 1.584_962_501).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn log2(x: f32) -> f32 {
    let (f, e) = split(x);
    // log2(1 + f) / f: relative error 2^-25.
    let p = fma(0.200_472_33, f, -0.221_012_34);
    let p = fma(p, f, 0.202_424_69);
    let p = fma(p, f, -0.237_046_05);
    let p = fma(p, f, 0.288_653_05);
    let p = fma(p, f, -0.360_772_7);
    let p = fma(p, f, 0.480_898_1);
    let p = fma(p, f, -0.721_346_86);
    let p = fma(p, f, core::f32::consts::LOG2_E);
    special(x, fma(p, f, e))
}

/// The logarithm to base 10. CUDA: `log10f`, at most 3 ulp; negative infinity for 0, NaN below.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::log10(2.0) - 0.301_029_996).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn log10(x: f32) -> f32 {
    let (f, e) = split(x);
    // log10(1 + f) / f: relative error 2^-25.
    let p = fma(0.061_127_722, f, -0.066_375_73);
    let p = fma(p, f, 0.060_690_925);
    let p = fma(p, f, -0.071_391_48);
    let p = fma(p, f, 0.086_920_02);
    let p = fma(p, f, -0.108_601_21);
    let p = fma(p, f, 0.144_763_59);
    let p = fma(p, f, -0.217_147_08);
    let p = fma(p, f, core::f32::consts::LOG10_E);
    // The logarithm of 2 in two parts; the products of the first with exponents are exact.
    special(x, fma(e, 4.605_038_5e-6, fma(p, f, e * 0.301_025_4)))
}

/// `log((1 + x) * 2^extra)` for positive `1 + x`, without its rounding.
#[inline(always)]
pub(super) fn log_of_1_and(x: f32, extra: f32) -> f32 {
    let sum = 1.0 + x;
    let exponent = sum.to_bits().wrapping_sub(0x3f40_0000) & 0xff80_0000;
    // (1 + x) / 2^e - 1, from x itself: x / 2^e by its exponent, since it is not small where e is not 0; and 4 / 2^e, which is no
    // subnormal number.
    let scaled = f32::from_bits(x.to_bits().wrapping_sub(exponent));
    let four = f32::from_bits(0x4080_0000u32.wrapping_sub(exponent));
    let f = scaled + fma(four, 0.25, -1.0);
    let e = fma(exponent.cast_signed() as f32, STEP, extra);
    // (log(1 + f) - f) / f^2 for 1 + f in 3/4..3/2: relative error of the logarithm 2^-25.1.
    let p = fma(0.054_173_37, f, -0.120_700_35);
    let p = fma(p, f, 0.149_830_45);
    let p = fma(p, f, -0.168_220_86);
    let p = fma(p, f, 0.199_771_05);
    let p = fma(p, f, -0.249_934_94);
    let p = fma(p, f, 0.333_335_5);
    let p = fma(p, f, -0.500_000_6);
    fma(e, LN_2, fma(p * f, f, f))
}

/// `log(1 + x)`, accurate near 0. CUDA: `log1pf`, at most 2 ulp; negative infinity for -1, NaN below.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::log1p(0.5) - 0.405_465_108).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn log1p(x: f32) -> f32 {
    let value = log_of_1_and(x, 0.0);
    // Below -1 and at NaN, NaN; infinity stays.
    let value = if x < f32::INFINITY && x > -1.0 {
        value
    } else {
        fma(x, f32::INFINITY, f32::INFINITY)
    };
    let value = if x == -1.0 { f32::NEG_INFINITY } else { value };
    // Zero has its sign.
    value.copysign(x)
}
