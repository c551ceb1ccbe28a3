//! Sine, cosine and tangent, of radians and of half turns.
//!
//! Arguments are reduced by subtracting a multiple of π (or π/2) that is held in three floats, with fused multiplications: exact but for
//! the last one. Polynomials are minimax fits whose error, relative to the function, is told beside them.

use crate::intrinsics as raw;

/// Adding this to a float below 2^22 rounds it to an integer, which is then in the low bits of the sum.
const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23
/// Up to here the three floats of π suffice.
const LARGE: f32 = 105_615.0;

const INV_PI: f32 = 0.318_309_87;
const TWO_OVER_PI: f32 = 0.636_619_75;
/// π in three floats, all rounded down: a negative zero stays one when multiples of positive numbers are taken from it.
const PI: [f32; 3] = [3.141_592_5, 1.509_957_9e-7, 1.078_060_5e-14];
/// π/2 likewise.
const HALF_PI: [f32; 3] = [f32::from_bits(0x3fc9_0fda), 7.549_789_4e-8, 5.390_302_5e-15];

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// `x - n * unit`.
#[inline(always)]
fn subtract(x: f32, n: f32, unit: [f32; 3]) -> f32 {
    fma(n, -unit[2], fma(n, -unit[1], fma(n, -unit[0], x)))
}

/// `x` with its sign turned if `n` is odd.
#[inline(always)]
fn turn(x: f32, n: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ (n << 31))
}

/// The sine of `r` in -π/2..=π/2: relative error of the polynomial 2^-27.3.
#[inline(always)]
fn sin_half(r: f32) -> f32 {
    let z = r * r;
    let p = fma(2.606_095_7e-6, z, -1.980_977_7e-4);
    let p = fma(p, z, 0.008_333_069);
    let p = fma(p, z, -0.166_666_6);
    fma(r * z, p, r)
}

/// The sine of `r` in -π/4..=π/4: relative error of the polynomial 2^-27.9.
#[inline(always)]
fn sin_quarter(r: f32, z: f32) -> f32 {
    let p = fma(-1.951_809_5e-4, z, 0.008_332_188);
    let p = fma(p, z, -0.166_666_55);
    fma(p, z, 1.0) * r
}

/// The cosine of the root of `z` in 0..=(π/4)^2: relative error of the polynomial 2^-33.
#[inline(always)]
fn cos_quarter(z: f32) -> f32 {
    let p = fma(2.443_232_7e-5, z, -0.001_388_731);
    let p = fma(p, z, 0.041_666_646);
    fma(fma(p, z, -0.5), z, 1.0)
}

/// The nearest multiple of π, its low bits, and what `x` differs from it. Also for [`large`] arguments.
#[inline(always)]
fn by_pi(x: f32) -> (f32, u32) {
    let rounded = fma(x, INV_PI, ROUND);
    if x.abs() > LARGE {
        return unpack(large(x, 0, 1));
    }
    (subtract(x, rounded - ROUND, PI), rounded.to_bits())
}

/// As [`by_pi`], for π/2.
#[inline(always)]
fn by_half_pi(x: f32) -> (f32, u32) {
    let rounded = fma(x, TWO_OVER_PI, ROUND);
    if x.abs() > LARGE {
        return unpack(large(x, 0, 2));
    }
    (subtract(x, rounded - ROUND, HALF_PI), rounded.to_bits())
}

/// `sin(x)`. CUDA: `sinf`, at most 2 ulp; NaN for infinities.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::sin(-0.0).to_bits(), (-0.0f32).to_bits());
/// assert!((single::sin(1e10) + 0.487_506_03).abs() < 1e-7);
/// ```
#[inline]
#[must_use]
pub fn sin(x: f32) -> f32 {
    // The sign apart: the polynomial would lose that of zero.
    let (r, n) = by_pi(x.abs());
    turn(sin_half(r), n ^ (x.to_bits() >> 31))
}

/// `cos(x)`. CUDA: `cosf`, at most 2 ulp; NaN for infinities.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::cos(0.5) - 0.877_582_562).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn cos(x: f32) -> f32 {
    /// Between integers and halves: the sum of this and a number of 0.5 or more is an integer, and the difference back has the half.
    const ROUND_TO_HALVES: f32 = 8_388_607.5;
    let (r, n) = if x.abs() > LARGE {
        unpack(large(x, 1, 1))
    } else {
        // n + 1/2 is the nearest odd multiple of π/2 in units of π; cos(x) = (-1)^n sin((n + 1/2) π - x).
        let rounded = fma(x.abs(), INV_PI, ROUND_TO_HALVES).max(8_388_608.0);
        let r = -subtract(x.abs(), rounded - ROUND_TO_HALVES, PI);
        (r, rounded.to_bits())
    };
    turn(sin_half(r), n)
}

/// `(sin(x), cos(x))`. CUDA: `sincosf`, each at most 2 ulp; NaN for infinities.
///
/// ```
/// use warploom_device_std::math::single;
/// let (s, c) = single::sincos(0.5);
/// assert!((s * s + c * c - 1.0).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn sincos(x: f32) -> (f32, f32) {
    let (r, n) = by_half_pi(x);
    let z = r * r;
    let (sin, cos) = (sin_quarter(r, z), cos_quarter(z));
    let (sin, cos) = if n & 1 == 1 { (cos, sin) } else { (sin, cos) };
    (turn(sin, n >> 1), turn(cos, (n + 1) >> 1))
}

/// `tan(x)`. CUDA: `tanf`, at most 4 ulp; NaN for infinities.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::tan(0.5) - 0.546_302_49).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn tan(x: f32) -> f32 {
    let (r, n) = by_half_pi(x);
    let z = r * r;
    // (tan(r) / r - 1) / r^2 for r in -π/4..=π/4: relative error 2^-25.7.
    let p = fma(0.009_396_526, z, 0.003_101_482_8);
    let p = fma(p, z, 0.024_441_391);
    let p = fma(p, z, 0.053_408_2);
    let p = fma(p, z, 0.133_388_36);
    let p = fma(p, z, 0.333_331_56);
    let tan = fma(z * r, p, r);
    if n & 1 == 1 {
        raw::rcp_approx_ftz_f32(-tan)
    } else {
        tan
    }
}

/// What [`large`] packed.
#[inline(always)]
fn unpack(packed: u64) -> (f32, u32) {
    (f32::from_bits(packed as u32), (packed >> 32) as u32)
}

/// `x + quarters * π/2` as a multiple of π (`shift` 1) or π/2 (`shift` 2) in the upper half, and the rest in the lower half.
///
/// Multiplies the 24 bits of `x` with those bits of 2/π whose products are neither multiples of a turn nor too small to matter: the
/// phase in quarter turns, as a fraction of 62 bits.
#[cold]
#[inline(never)]
fn large(x: f32, quarters: u64, shift: u32) -> u64 {
    /// 2/π, most significant word first, behind a word of zeros.
    const BITS: [u32; 8] = [
        0,
        0xa2f9_836e,
        0x4e44_1529,
        0xfc27_57d1,
        0xf534_ddc0,
        0xdb62_9599,
        0x3c43_9041,
        0xfe51_63ab,
    ];
    if !x.is_finite() {
        return u64::from(f32::NAN.to_bits());
    }
    let bits = x.to_bits();
    let mantissa = u64::from((bits & 0x007f_ffff) | 0x0080_0000);
    // The window starts two bits above the unit of the product: |x| is `mantissa` times 2 to the power of `exponent - 150`.
    let start = ((bits >> 23) & 0xff) + 30 - 150;
    let first = (start / 32) as usize;
    let word = |i: usize| u64::from(BITS[(first + i).min(7)]);
    let pair = |i: usize| (((word(i) << 32) | word(i + 1)) << (start % 32)) >> 32;
    let (high, middle, low) = (pair(0), pair(1), pair(2));
    let phase = (mantissa.wrapping_mul(high) << 32)
        .wrapping_add(mantissa * middle)
        .wrapping_add((mantissa * low) >> 32);
    let phase = if x < 0.0 { phase.wrapping_neg() } else { phase };
    let phase = phase.wrapping_add(quarters << 62);
    let n = ((phase >> (63 - shift)) + 1) >> 1;
    let rest = (phase << shift).cast_signed();
    // The rest is in units of 2^-64 π (or half of it); two floats hold it.
    let high = rest as f32;
    let low = (rest - high as i64) as f32;
    let [first, second, _] = if shift == 1 { PI } else { HALF_PI };
    let r = fma(high, first, fma(high, second, low * first)) * (1.0 / 18_446_744_073_709_551_616.0);
    (n << 32) | u64::from(r.to_bits())
}

/// `sin(π x)`. CUDA: `sinpif`, at most 2 ulp; zeros have the sign of `x`; NaN for infinities.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::sinpi(0.25) - 0.707_106_781).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn sinpi(x: f32) -> f32 {
    let r = half_turn(x.abs());
    // Into -1/2..=1/2: sin(π - t) = sin(t).
    let r = if r.abs() > 0.5 {
        1f32.copysign(r) - r
    } else {
        r
    };
    f32::from_bits(sin_of_half_turns(r).to_bits() ^ (x.to_bits() & 0x8000_0000))
}

/// `cos(π x)`. CUDA: `cospif`, at most 2 ulp; NaN for infinities.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!((single::cospi(0.25) - 0.707_106_781).abs() < 1e-6);
/// ```
#[inline]
#[must_use]
pub fn cospi(x: f32) -> f32 {
    sin_of_half_turns(0.5 - half_turn(x.abs()).abs())
}

/// `(sin(π x), cos(π x))`. CUDA: `sincospif`, each at most 2 ulp; NaN for infinities.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::sincospi(0.5), (1.0, 0.0));
/// ```
#[inline]
#[must_use]
pub fn sincospi(x: f32) -> (f32, f32) {
    (sinpi(x), cospi(x))
}

/// `x` less the nearest even integer: exact, in -1..=1.
#[inline(always)]
fn half_turn(x: f32) -> f32 {
    fma(raw::rint_f32(x * 0.5), -2.0, x)
}

/// `sin(π r)` for `r` in -1/2..=1/2: relative error of the polynomial 2^-27.2.
#[inline(always)]
fn sin_of_half_turns(r: f32) -> f32 {
    let z = r * r;
    let p = fma(0.077_719_04, z, -0.598_331_33);
    let p = fma(p, z, 2.550_086_3);
    let p = fma(p, z, -5.167_711);
    // π in two floats; what the first lacks is added last.
    fma(r, core::f32::consts::PI, r * fma(p, z, -8.742_278e-8))
}
