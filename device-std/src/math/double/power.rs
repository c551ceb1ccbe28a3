//! Powers and roots.

use super::exponential::{exp_small, extreme, is_below, reduce};
use super::logarithm::{normal, split};
use crate::intrinsics::{ex2_approx_ftz_f32, lg2_approx_ftz_f32};

use super::machine::{
    LN2_HI, LN2_LO, add_exponent, fast_two_sum, fma, high, polynomial, power_of_two, reciprocal,
    reciprocal_root, root, trunc,
};

/// (artanh(s) / s - 1 - s^2 / 3) / s^4 by s^2, for |s| up to 0.1717: relative error of the logarithm below 2^-73.
const ARTANH: [f64; 8] = [
    0.1999999999999999,
    0.14285714285722584,
    0.111111111087607,
    0.09090909436157883,
    0.07692278362419018,
    0.06668161687456717,
    0.058373458144515784,
    0.0599505685086466,
];
const THIRD: f64 = 1.0 / 3.0;
const THIRD_LO: f64 = 1.850_371_707_708_594e-17;

/// The logarithm of a positive finite number as an unevaluated sum of two, good to about 65 bits.
#[inline(always)]
pub(super) fn log_wide(x: f64) -> (f64, f64) {
    let (x, scaled) = normal(x);
    let (m, e) = split(x);
    let e = f64::from(e - scaled);
    // s = (m - 1) / (m + 1) in two parts.
    let f = m - 1.0;
    let (d, d_lo) = fast_two_sum(1.0, m);
    let r = reciprocal(d);
    let s = f * r;
    let s_lo = r * fma(-s, d_lo, fma(-s, d, f));
    let v = s * s;
    let v_lo = fma(s + s, s_lo, fma(s, s, -v));
    // artanh(s) = s + s v c, c = 1/3 + v (1/5 + …) in two parts.
    let tail = polynomial(&ARTANH, v) * v;
    let (c, c_lo) = fast_two_sum(THIRD, tail);
    let c_lo = c_lo + THIRD_LO;
    let w = v * c;
    let w_lo = fma(v, c, -w) + fma(v, c_lo, v_lo * c);
    let z = s * w;
    let z_lo = fma(s, w, -z) + fma(s, w_lo, s_lo * w);
    let (half, half_lo) = fast_two_sum(s, z);
    let half_lo = half_lo + (s_lo + z_lo);
    let (sum, lost) = fast_two_sum(e * LN2_HI, half + half);
    let rest = fma(e, LN2_LO, fma(half_lo, 2.0, lost));
    fast_two_sum(sum, rest)
}

/// e to the power of `x + more`; infinity and 0 where that leaves the range.
#[inline(always)]
pub(super) fn exp_of_sum(x: f64, more: f64) -> f64 {
    let (r, n) = reduce(x);
    let p = exp_small(r + more);
    if is_below(x, 0x4086_2000) {
        add_exponent(p, n)
    } else {
        extreme(x, p, n, -746.0, 710.0)
    }
}

/// `x` to the power of `y`. CUDA: `pow`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::pow(2.0, 0.5) - 1.414_213_562_373_095_1).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    let (l, l_lo) = log_wide(x.abs());
    let product = y * l;
    let result = exp_of_sum(product, fma(y, l_lo, fma(y, l, -product)));
    let plain_base = (high(x) as u32).wrapping_sub(0x0010_0000) < 0x7fe0_0000;
    if plain_base && is_below(y, 0x7ff0_0000) {
        result
    } else {
        pow_special(x, y, result)
    }
}

/// Bases that are zero, negative, subnormal, infinite or NaN, and exponents that are not finite. `result` is that of `|x|`.
#[cold]
#[inline(never)]
fn pow_special(x: f64, y: f64, result: f64) -> f64 {
    let is_integer = trunc(y) == y;
    // From 2^53 on all are even.
    let is_odd = is_integer && y.abs() < 9_007_199_254_740_992.0 && (y as i64) & 1 == 1;
    let negative = is_odd && x.is_sign_negative();
    let size = x.abs();
    if y == 0.0 || x == 1.0 {
        1.0
    } else if x.is_nan() || y.is_nan() {
        x + y
    } else if y.is_infinite() && size == 1.0 {
        1.0
    } else if y.is_infinite() {
        if (size > 1.0) == (y > 0.0) {
            f64::INFINITY
        } else {
            0.0
        }
    } else if x == 0.0 || x.is_infinite() {
        let size = if (x == 0.0) == (y < 0.0) {
            f64::INFINITY
        } else {
            0.0
        };
        if negative { -size } else { size }
    } else if x < 0.0 && !is_integer {
        f64::NAN
    } else if negative {
        -result
    } else {
        result
    }
}

/// What both roots of `m`, `x` over a power of 8, start from.
struct CubeRoot {
    /// `m^(-1/3)`, relative error below 2^-20, and so few bits that its square is exact.
    seed: f64,
    /// `m seed^2`, about the root, and what rounding took from it.
    root: f64,
    lost: f64,
    /// `1 - m seed^3`, to about 2^-70.
    h: f64,
    /// A third of the exponent that `x` has more than `m`.
    third: i32,
}

/// For positive `x` with an ordinary exponent.
#[inline(always)]
fn cube_root_parts(x: f64) -> CubeRoot {
    let e = (high(x) >> 20 & 0x7ff) - 1023;
    // The third is rounded down: the sum is not negative. `m` is in 1..8.
    let third = (((e + 1080) * 21_846) >> 16) - 360;
    let m = add_exponent(x, -3 * third);
    let seed = f64::from(ex2_approx_ftz_f32(
        lg2_approx_ftz_f32(m as f32) * (-1.0 / 3.0),
    ));
    let square = seed * seed;
    let root = m * square;
    let lost = fma(m, square, -root);
    let h = fma(-lost, seed, fma(-root, seed, 1.0));
    CubeRoot {
        seed,
        root,
        lost,
        h,
        third,
    }
}

/// The cube root. CUDA: `cbrt`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::cbrt(2.0) - 1.259_921_049_894_873_2).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn cbrt(x: f64) -> f64 {
    let (scaled, by) = normal(x.abs());
    let parts = cube_root_parts(scaled);
    // root (1 - h)^(-2/3), by its series; the cube of `h` does not count.
    let series = fma(parts.h, 5.0 / 9.0, 2.0 / 3.0);
    let c = parts.root + fma(parts.root * parts.h, series, parts.lost);
    let result = add_exponent(c, parts.third - by / 3);
    // 0, infinity and NaN are their own roots.
    let finite = is_below(x, 0x7ff0_0000) && x != 0.0;
    if finite { result.copysign(x) } else { x + x }
}

/// `1 / cbrt(x)`. CUDA: `rcbrt`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::rcbrt(2.0) - 0.793_700_525_984_099_8).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn rcbrt(x: f64) -> f64 {
    let (scaled, by) = normal(x.abs());
    let parts = cube_root_parts(scaled);
    // seed (1 - h)^(-1/3), by its series.
    let series = fma(parts.h, 2.0 / 9.0, THIRD);
    let y = fma(parts.seed * parts.h, series, parts.seed);
    let result = add_exponent(y, by / 3 - parts.third);
    let finite = is_below(x, 0x7ff0_0000) && x != 0.0;
    if finite { result.copysign(x) } else { 1.0 / x }
}

/// `1 / sqrt(x)`. CUDA: `rsqrt`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::rsqrt(2.0) - 0.707_106_781_186_547_6).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn rsqrt(x: f64) -> f64 {
    if (high(x) as u32).wrapping_sub(0x0010_0000) < 0x7fe0_0000 {
        reciprocal_root(x)
    } else {
        rsqrt_special(x)
    }
}

#[cold]
#[inline(never)]
fn rsqrt_special(x: f64) -> f64 {
    if x == 0.0 || x == f64::INFINITY {
        1.0 / x
    } else if x > 0.0 {
        // Subnormal: 2^54, and the root of it.
        reciprocal_root(x * super::machine::TWO_54) * 134_217_728.0
    } else if x < 0.0 {
        f64::NAN
    } else {
        x
    }
}

/// `sqrt(x * x + y * y)` without overflow or underflow in between. CUDA: `hypot`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::hypot(3.0, 4.0) - 5.0).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (most, least) = if x > y { (x, y) } else { (y, x) };
    // NaN in `x` is `least` here, in `y` it is `most`.
    if (high(most) as u32).wrapping_sub(0x0010_0000) < 0x7fe0_0000 && is_below(least, 0x7ff0_0000) {
        hypot_of_normal(most, least)
    } else {
        hypot_special(x, y)
    }
}

#[inline(always)]
fn hypot_of_normal(most: f64, least: f64) -> f64 {
    let e = ((high(most) >> 20) - 1023).clamp(-1022, 1022);
    let power = power_of_two(-e);
    let (a, b) = (most * power, least * power);
    let (s, rest) = root(fma(a, a, b * b));
    (s + rest) * power_of_two(e)
}

#[cold]
#[inline(never)]
fn hypot_special(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() {
        f64::INFINITY
    } else if x.is_nan() || y.is_nan() {
        x + y
    } else if x == 0.0 {
        y
    } else if y == 0.0 {
        x
    } else {
        // Both are subnormal.
        let (x, y) = (x * super::machine::TWO_54, y * super::machine::TWO_54);
        let (most, least) = if x > y { (x, y) } else { (y, x) };
        hypot_of_normal(most, least) / super::machine::TWO_54
    }
}
