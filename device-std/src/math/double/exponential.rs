//! Powers of e, 2 and 10: the exponent is split off, a polynomial does the rest.

use core::f64::consts::{LN_2, LN_10, LOG2_10, LOG2_E};

use super::machine::{
    LN2_HI, LN2_LO, SHIFT, add_exponent, fast_two_sum, fma, high, low, polynomial, power_of_two,
    scale,
};

/// (e^r - 1 - r) / r^2 for |r| below 0.3469, so that e^r has an error below 2^-57.9.
pub(super) const EXP: [f64; 10] = [
    0.5000000000000013,
    0.166666666666667,
    0.04166666666651447,
    0.008333333333307838,
    0.0013888888947297979,
    0.000198412699160745,
    2.4801489618159332e-05,
    2.755721739726941e-06,
    2.7631406325389245e-07,
    2.5117538255208362e-08,
];
/// (2^r - 1) / r for |r| up to 0.5, so that 2^r has an error below 2^-58.
const EXP2: [f64; 11] = [
    LN_2,
    0.24022650695910133,
    0.05550410866482174,
    0.009618129107593049,
    0.001333355814637881,
    0.00015403530458470973,
    1.5252733867805936e-05,
    1.321543460759451e-06,
    1.0178046344823022e-07,
    7.073898297981475e-09,
    4.4574048994911553e-10,
];
/// (e^r - 1 - r) / r^2 for |r| up to 0.505, so that e^r - 1 has a relative error below 2^-61.
const EXPM1: [f64; 12] = [
    0.5,
    0.16666666666666666,
    0.04166666666666776,
    0.008333333333333567,
    0.0013888888888544191,
    0.00019841269840760375,
    2.4801587765801438e-05,
    2.755731974766866e-06,
    2.755701562252058e-07,
    2.505183088849873e-08,
    2.097199157705322e-09,
    1.6132374703647928e-10,
];
/// log10(2): its upper 42 bits, and the rest times ln 10.
const LOG10_2_HI: f64 = 0.30102999566395283;
const LOG10_2_LO: f64 = 6.530912947994468e-14;
/// ln 10 less `LN_10`.
const LN_10_LO: f64 = -2.1707562233822494e-16;

/// `x = n ln 2 + r` with `|r|` at most half of ln 2 (and a little more).
#[inline(always)]
pub(super) fn reduce(x: f64) -> (f64, i32) {
    let shifted = fma(x, LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    (fma(n, -LN2_LO, fma(n, -LN2_HI, x)), low(shifted))
}

/// e^r for small `r`.
#[inline(always)]
pub(super) fn exp_small(r: f64) -> f64 {
    fma(fma(polynomial(&EXP, r), r, 1.0), r, 1.0)
}

/// Whether `|x|` is below the number with this upper word; false for NaN.
#[inline(always)]
pub(super) fn is_below(x: f64, word: i32) -> bool {
    high(x) & 0x7fff_ffff < word
}

/// `p * 2^n` where the result may leave the normal numbers: 0 up to `zero`, infinity from `infinity` on.
#[cold]
#[inline(never)]
pub(super) fn extreme(x: f64, p: f64, n: i32, zero: f64, infinity: f64) -> f64 {
    if x >= infinity {
        f64::INFINITY
    } else if x <= zero {
        0.0
    } else if x.is_nan() {
        x
    } else {
        scale(p, n)
    }
}

/// e to the power of `x`. CUDA: `exp`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::exp(0.5) - 1.648_721_270_700_128_2).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn exp(x: f64) -> f64 {
    let (r, n) = reduce(x);
    let p = exp_small(r);
    if is_below(x, 0x4086_2000) {
        add_exponent(p, n)
    } else {
        // The largest argument with a finite result is 709.7827128933840, the smallest with one above 0 is -745.1332191019411.
        extreme(x, p, n, -745.133_219_101_941_2, 709.782_712_893_384_1)
    }
}

/// 2 to the power of `x`. CUDA: `exp2`, within 1 ulp; exact for integers.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::exp2(0.5) - 1.414_213_562_373_095_1).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn exp2(x: f64) -> f64 {
    let shifted = x + SHIFT;
    let r = x - (shifted - SHIFT);
    let p = fma(polynomial(&EXP2, r), r, 1.0);
    if is_below(x, 0x408f_f000) {
        add_exponent(p, low(shifted))
    } else {
        extreme(x, p, low(shifted), -1075.0, 1024.0)
    }
}

/// 10 to the power of `x`. CUDA: `exp10`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::exp10(0.5) - 3.162_277_660_168_379_5).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn exp10(x: f64) -> f64 {
    let shifted = fma(x, LOG2_10, SHIFT);
    let n = shifted - SHIFT;
    // Exact; the product with ln 10 is then rounded once.
    let r = fma(n, -LOG10_2_HI, x);
    let p = exp_small(fma(r, LN_10, fma(r, LN_10_LO, n * -LOG10_2_LO)));
    if is_below(x, 0x4073_3000) {
        add_exponent(p, low(shifted))
    } else {
        extreme(
            x,
            p,
            low(shifted),
            -323.606_724_795_336_1,
            308.254_715_559_916_75,
        )
    }
}

/// `e^x - 1`, accurate for small `x` too. CUDA: `expm1`, within 1 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::expm1(0.5) - 0.648_721_270_700_128_2).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn expm1(x: f64) -> f64 {
    if !is_below(x, 0x4042_0000) {
        return expm1_far(x);
    }
    // Up to 0.5 without splitting: there `2 (e^r - 1) + 1` would cancel.
    let shifted = if is_below(x, 0x3fe0_0000) {
        SHIFT
    } else {
        fma(x, LOG2_E, SHIFT)
    };
    let n = shifted - SHIFT;
    let exact = fma(n, -LN2_HI, x);
    let below = n * LN2_LO;
    let r = exact - below;
    let rest = (exact - r) - below;
    let m = r + fma(r * r, polynomial(&EXPM1, r), rest);
    let power = power_of_two(low(shifted));
    fma(m, power, power - 1.0).copysign(x)
}

/// From 36 on the power of 2 and 1 no longer fit into one number; from 45 on the 1 does not count.
#[cold]
#[inline(never)]
fn expm1_far(x: f64) -> f64 {
    if x > 0.0 && x < 45.0 {
        let (p, rest, n) = exp_pair(x, 0.0);
        let power = power_of_two(n);
        fma(p, power, fma(rest, power, -1.0))
    } else if x > 0.0 {
        exp(x)
    } else {
        exp(x) - 1.0
    }
}

/// `e^(x + more)` as `(p, rest, n)`, `(p + rest) 2^n`, good to about 60 bits, for `|x|` below 1000.
#[inline(always)]
pub(super) fn exp_pair(x: f64, more: f64) -> (f64, f64, i32) {
    let shifted = fma(x, LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let exact = fma(n, -LN2_HI, x);
    let below = fma(n, LN2_LO, -more);
    let r = exact - below;
    let rest = (exact - r) - below;
    let tail = fma(r * r, polynomial(&EXPM1, r), rest);
    let (one, lost) = fast_two_sum(1.0, r);
    let (p, rest) = fast_two_sum(one, lost + fma(r, rest, tail));
    (p, rest, low(shifted))
}
