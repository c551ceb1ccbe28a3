//! The gamma function and its logarithm.

use core::f64::consts::{FRAC_1_PI, PI};

use super::exponential::exp_pair;
use super::logarithm::log;
use super::machine::{
    add_exponent, fma, high, polynomial, quotient, rint, scale, trunc, two_product,
};
use super::power::log_wide;
use super::trigonometric::sinpi_size;

/// lgamma(2 + t) / t for t in -0.5..=1: relative error below 2^-56.5.
const LGAMMA_2: [f64; 21] = [
    0.42278433509846713,
    0.3224670334241131,
    -0.06735230105319816,
    0.02058080842780184,
    -0.007385551028674254,
    0.0028905103299910295,
    -0.0011927539112632699,
    0.0005096695394056933,
    -0.00022315477525066348,
    9.945736466740334e-05,
    -4.4925978047734463e-05,
    2.0507979440381035e-05,
    -9.441486763743699e-06,
    4.373411491072523e-06,
    -2.0312929843876183e-06,
    9.518072218558984e-07,
    -4.6279738867248634e-07,
    2.3040910446550182e-07,
    -1.0085787048000672e-07,
    3.02427983279741e-08,
    -4.2931156373634815e-09,
];
/// lgamma(1 + t) / t for t in -0.3..=0.5: relative error below 2^-57.9.
const LGAMMA_1: [f64; 23] = [
    -0.5772156649015329,
    0.8224670334241133,
    -0.40068563438653254,
    0.27058080842771964,
    -0.20738555102824976,
    0.16955717700784495,
    -0.14404989683172775,
    0.1255096687925601,
    -0.11133426117886516,
    0.10009948297148455,
    -0.09095421305295402,
    0.08335343397983684,
    -0.076927733781267,
    0.07143320104388445,
    -0.06673611112490478,
    0.06259411941999796,
    -0.05833474870561637,
    0.05415478693144609,
    -0.053525639663220936,
    0.057975968019889426,
    -0.0562560046865123,
    0.03619876198167074,
    -0.010644052474163609,
];
/// (lgamma(x) - (x - 1/2) log x + x - log(2π) / 2) x by 1/x^2, for x from 8: error below 2^-60.
const STIRLING: [f64; 7] = [
    0.08333333333333333,
    -0.002777777777774101,
    0.0007936507898362215,
    -0.0005952366072931946,
    0.0008414728877303768,
    -0.001890541941760388,
    0.005069287445848395,
];
/// (1 / gamma(1 + t) - 1) / t for |t| up to 0.5: error of the reciprocal below 2^-62.
const GAMMA_NEAR_1: [f64; 16] = [
    0.5772156649015329,
    -0.6558780715202539,
    -0.04200263503409614,
    0.16653861138229178,
    -0.0421977345554936,
    -0.009621971527888937,
    0.007218943245388993,
    -0.001165167591628043,
    -0.00021524165716189337,
    0.00012805027988558953,
    -2.0134982698330852e-05,
    -1.2504775159619476e-06,
    1.1335769296439211e-06,
    -2.0569348175011773e-07,
    4.862015868031191e-09,
    5.123027161975075e-09,
];
/// (gamma(x) / (√2π x^(x - 1/2) e^-x) - 1) x by 1/x, for x from 8: error of the quotient below 2^-59.
const GAMMA_FAR: [f64; 9] = [
    0.08333333333333168,
    0.0034722222227460157,
    -0.0026813272176788652,
    -0.00022946904238741126,
    0.0007839476423938623,
    7.137104412355739e-05,
    -0.000609944965428627,
    5.842561704156878e-05,
    0.0005243056358906204,
];
/// What π is above `PI`.
const PI_LO: f64 = 1.2246467991473532e-16;
/// log(2π) / 2 - 1/2.
const HALF_LOG: f64 = 0.418_938_533_204_672_8;
const ROOT_OF_2_PI: f64 = 2.506_628_274_631_000_7;

/// The logarithm of the absolute value of the gamma function; infinity at zero and negative integers. CUDA: `lgamma`.
///
/// Within 4 ulp, except in -11.0001..=-2.2637 and, further down, next to the places where the gamma function is 1 or -1: there the
/// absolute error is as small as that of neighbours.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::lgamma(0.5) - 0.572_364_942_924_700_4).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn lgamma(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() {
        return x;
    }
    let positive = lgamma_of_size(a);
    if high(x) >= 0 {
        positive
    } else {
        lgamma_reflected(a, positive)
    }
}

/// lgamma(-a), by its reflection.
#[inline(never)]
fn lgamma_reflected(a: f64, positive: f64) -> f64 {
    if trunc(a) == a {
        return f64::INFINITY;
    }
    if a < 1e-19 {
        return -log(a);
    }
    // |gamma(-a)| = π / (a |sin(π a)| gamma(a)).
    let (d, d_lo) = two_product(sinpi_size(a), a);
    let q = PI / d;
    // What the quotient lacks, by its size: it moves the logarithm by as much.
    let lacking = (fma(-q, d, PI) + fma(-q, d_lo, PI_LO)) * FRAC_1_PI;
    (log(q) - positive) + lacking
}

#[inline(always)]
fn lgamma_of_size(a: f64) -> f64 {
    if a >= 8.0 {
        if a > 1e306 {
            return f64::INFINITY;
        }
        let r = 1.0 / a;
        let tail = fma(polynomial(&STIRLING, r * r), r, HALF_LOG);
        return fma(a - 0.5, log(a) - 1.0, tail);
    }
    if a >= 0.7 && a < 1.5 {
        let t = a - 1.0;
        // Never -0.
        return fma(polynomial(&LGAMMA_1, t), t, 0.0);
    }
    // lgamma(2 + t), and what gamma(a) differs by as a factor.
    let (t, factor) = if a < 0.5 {
        (a, a * (1.0 + a))
    } else if a < 0.7 {
        (a - 1.0, a)
    } else {
        let (mut t, mut factor) = (a - 2.0, 1.0);
        while t > 1.0 {
            factor *= 1.0 + t;
            t -= 1.0;
        }
        (t, factor)
    };
    let main = polynomial(&LGAMMA_2, t) * t;
    if a >= 1.5 && a < 3.0 {
        return main;
    }
    let other = log(factor);
    if a < 1.5 { main - other } else { main + other }
}

/// The gamma function; NaN for negative integers. CUDA: `tgamma`, within 8 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::tgamma(0.5) - 1.772_453_850_905_515_9).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn tgamma(x: f64) -> f64 {
    if x.abs() < 8.0 {
        tgamma_near(x)
    } else {
        tgamma_far(x)
    }
}

/// From -8 to 8: a product of neighbours, and a polynomial around 1.
#[inline(always)]
fn tgamma_near(x: f64) -> f64 {
    let n = rint(x);
    let t = x - n;
    let reciprocal_at_1 = fma(polynomial(&GAMMA_NEAR_1, t), t, 1.0);
    let mut factor = 1.0;
    if n >= 1.0 {
        // (x - 1) (x - 2) … (1 + t).
        let mut y = x - 1.0;
        while y > t + 0.5 {
            factor *= y;
            y -= 1.0;
        }
        return quotient(factor, reciprocal_at_1);
    }
    // 1 / (x (x + 1) … t).
    let mut y = x;
    while y < t - 0.5 {
        factor *= y;
        y += 1.0;
    }
    if n != x {
        1.0 / (factor * t * reciprocal_at_1)
    } else if x == 0.0 {
        1.0 / x
    } else {
        f64::NAN
    }
}

#[inline(never)]
fn tgamma_far(x: f64) -> f64 {
    let a = x.abs();
    if x.is_nan() || (x < 0.0 && trunc(x) == x) {
        return if x.is_nan() { x } else { f64::NAN };
    }
    // The largest with a finite result is 171.62437695630271; from -184.1 down it is 0.
    if a > 190.0 {
        let odd = trunc(0.5 * a) * 2.0 != trunc(a);
        return if x > 0.0 {
            f64::INFINITY
        } else if odd {
            0.0
        } else {
            -0.0
        };
    }
    // gamma(a) = √2π e^((a - 1/2) log a - a) (1 + …); its exponent in two parts.
    let (l, l_lo) = log_wide(a);
    let (product, lost) = two_product(a - 0.5, l);
    let exponent = product - a;
    let lost = fma(a - 0.5, l_lo, lost) + ((product - exponent) - a);
    let r = 1.0 / a;
    let factor = ROOT_OF_2_PI * fma(polynomial(&GAMMA_FAR, r), r, 1.0);
    if x > 0.0 {
        let (p, rest, n) = exp_pair(exponent, lost);
        return scaled((p + rest) * factor, n);
    }
    // gamma(-a) = -π / (a sin(π a) gamma(a)).
    let (p, rest, n) = exp_pair(-exponent, -lost);
    // Positive where the integer above `a` is even.
    let sign = if trunc(0.5 * a) * 2.0 == trunc(a) {
        -PI
    } else {
        PI
    };
    scaled((p + rest) * (sign / (a * sinpi_size(a) * factor)), n)
}

#[inline(always)]
fn scaled(x: f64, n: i32) -> f64 {
    if n.abs() < 900 {
        add_exponent(x, n)
    } else {
        scale(x, n)
    }
}
