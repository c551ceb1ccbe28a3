//! The error function, its complement and their inverses.

use super::exponential::{exp_small, reduce};
use super::logarithm::log;
use super::machine::{add_exponent, fma, high, polynomial, quotient, root, scale, two_product};

/// (erf(x) - 2x/√π) / x^3 by x^2, for |x| up to 1: relative error of the function below 2^-56.8.
const ERF: [f64; 11] = [
    -0.37612638903183615,
    0.1128379167094708,
    -0.026866170643499773,
    0.005223977608933267,
    -0.000854832605175853,
    0.00012055296955088702,
    -1.4924772841402677e-05,
    1.644783404841505e-06,
    -1.6211404570991258e-07,
    1.3731920165322538e-08,
    -7.816787866562234e-10,
];
const FRAC_2_SQRT_PI_LESS_1: f64 = 0.12837916709551256;
/// (1 + 2x) e^(x^2) erfc(x) by t = (x - 4) / (x + 4), for x in 0..=28: relative error below 2^-56.2.
const ERFC: [f64; 23] = [
    1.2329951186255526,
    -0.1396211168405629,
    0.015379652102619707,
    0.06809705425473703,
    -0.1010390660362977,
    0.09373283499681118,
    -0.06633036581264433,
    0.037167515562010124,
    -0.01619773404747055,
    0.00503196976264222,
    -0.000757773411356096,
    -0.00019925555915105737,
    0.000150622498313115,
    -2.440293793629994e-05,
    -1.1225350060058162e-05,
    5.717262469276426e-06,
    3.0205394305513776e-07,
    -8.341611678428912e-07,
    6.231946944604617e-08,
    1.1447379921403594e-07,
    -7.771265429765673e-09,
    -1.3348519786252473e-08,
    -1.7056725069013525e-09,
];
/// erfinv(x) / x by w - 3.125, w = -log(1 - x^2) in 0..=6.25: relative error below 2^-52.7.
const INVERSE_A: [f64; 23] = [
    1.653654562683103,
    0.2401581824255895,
    -0.006033670871430719,
    -0.0007407025341653004,
    0.00018673420803643162,
    -1.3882523364918342e-05,
    -1.3654692039312395e-06,
    4.234787804272195e-07,
    -2.907036676871723e-08,
    -4.112635168249543e-09,
    1.0512107349466105e-09,
    -5.4153725859546574e-11,
    -1.2974671543259473e-11,
    2.6334271468348e-12,
    -8.160818940889059e-14,
    -4.0534862992819574e-14,
    6.6486061667557406e-15,
    2.010258937693713e-17,
    -1.341569577192672e-16,
    1.1197115018169672e-17,
    1.3221505822443656e-18,
    -1.6926411203711629e-19,
    -4.3215242509266336e-21,
];
/// The same by √w - 3.25, √w in 2.5..=4: relative error below 2^-53.3.
const INVERSE_B: [f64; 19] = [
    3.0838856104922203,
    1.0052589676941595,
    0.005370914553602239,
    -0.003751208507590798,
    0.0024914420955357893,
    -0.001688275555521482,
    0.0009532893900751178,
    -0.0003550375255829559,
    2.403101691054911e-05,
    6.828488011103975e-05,
    -4.731775459210068e-05,
    1.2475215739821493e-05,
    2.92203140865216e-06,
    -4.0137119737364125e-06,
    1.5051936254159623e-06,
    1.809605812249609e-08,
    -2.774690617495329e-07,
    9.081061382989742e-08,
    3.10794033469953e-09,
];
/// The same by √w - 5, √w in 4..=6: relative error below 2^-54.5.
const INVERSE_C: [f64; 18] = [
    4.849906401408584,
    1.0103004648645462,
    -0.00013871931835337685,
    -0.00021503011986343825,
    7.599527738561824e-05,
    -1.9681770225617366e-05,
    4.5260597873398505e-06,
    -9.930322346013755e-07,
    2.2901572716186612e-07,
    -6.754709685892393e-08,
    2.9124968590765492e-08,
    -1.5271578075463893e-08,
    7.642543573647466e-09,
    -3.454261126821362e-09,
    1.4913318784420745e-09,
    -4.469183300724148e-10,
    -2.307561022062423e-11,
    4.497752487274432e-11,
];
/// The same by √w - 8.25, √w in 6..=10.5: relative error below 2^-51.8.
const INVERSE_D: [f64; 16] = [
    8.12898625503747,
    1.0073755637644406,
    -0.0004551603776216211,
    2.006715437345867e-05,
    7.036646115067653e-07,
    -3.807127295286577e-07,
    7.468254704407833e-08,
    -1.1830183798808077e-08,
    1.702573595400099e-09,
    -2.31860338993393e-10,
    3.054663542913632e-11,
    -3.916574395034201e-12,
    4.661801284040794e-13,
    -5.5788498343341126e-14,
    9.700458469407928e-15,
    -1.239947207619819e-15,
];
/// erfinv(x) / (x √w) by 1/√w - 0.066, √w in 10.49..=27.4: relative error below 2^-56.8.
const INVERSE_E: [f64; 18] = [
    0.9943345949213319,
    -0.13882016591614002,
    -0.5547510412379185,
    2.4972821681194453,
    -9.539802623408697,
    57.64310677712551,
    -439.9976195536677,
    3810.9949177327926,
    -36073.176572853365,
    364299.7848620231,
    -3853383.999997117,
    42327653.64898165,
    -499458929.70387816,
    5978514332.843416,
    -49837569190.97821,
    498482609048.6428,
    -19364874163026.74,
    270659177064545.16,
];

/// The error function. CUDA: `erf`, within 2 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::erf(0.5) - 0.520_499_877_813_046_5).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn erf(x: f64) -> f64 {
    let a = x.abs();
    if high(a) < 0x3ff0_0000 {
        return erf_small(x);
    }
    // From 6 on it is 1.
    let result = 1.0 - erfc_of_size(if a > 6.0 { 6.0 } else { a });
    result.copysign(x)
}

/// `erf(x)` for sizes up to 1.
#[inline(always)]
fn erf_small(x: f64) -> f64 {
    let z = x * x;
    // The 1 in 2/√π is `x` itself: that is rounded only once.
    fma(fma(polynomial(&ERF, z), z, FRAC_2_SQRT_PI_LESS_1), x, x)
}

/// `1 - erf(x)`, accurate where that is small. CUDA: `erfc`, within 5 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::erfc(0.5) - 0.479_500_122_186_953_5).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn erfc(x: f64) -> f64 {
    let a = x.abs();
    if high(a) < 0x3fe0_0000 {
        return 1.0 - erf_small(x);
    }
    // The result is 0 from 27.3 on.
    let result = erfc_of_size(if a > 28.0 { 28.0 } else { a });
    if high(x) < 0 { 2.0 - result } else { result }
}

/// `erfc(x)` for `x` in 0..=28, or NaN.
#[inline(always)]
fn erfc_of_size(x: f64) -> f64 {
    let t = quotient(x - 4.0, x + 4.0);
    let factor = quotient(polynomial(&ERFC, t), fma(x, 2.0, 1.0));
    let (square, lost) = two_product(x, x);
    let (r, n) = reduce(-square);
    let p = exp_small(r - lost) * factor;
    if x.is_nan() {
        // Its lowest bits are the number `n`, which must not change it.
        return x;
    }
    // The factor is at least 2^-6.
    if n > -1000 {
        add_exponent(p, n)
    } else {
        scale(p, n)
    }
}

/// `erfinv(x) / x` of `w = -log(1 - x^2)`.
#[inline(always)]
fn inverse_by_logarithm(w: f64) -> f64 {
    if w < 6.25 {
        return polynomial(&INVERSE_A, w - 3.125);
    }
    let s = root(w).0;
    if s < 4.0 {
        polynomial(&INVERSE_B, s - 3.25)
    } else if s < 6.01 {
        polynomial(&INVERSE_C, s - 5.0)
    } else {
        inverse_of_tiny(s)
    }
}

/// The same where only [`erfcinv`] gets: complements below 10^-15.
#[cold]
#[inline(never)]
fn inverse_of_tiny(s: f64) -> f64 {
    if s < 10.5 {
        polynomial(&INVERSE_D, s - 8.25)
    } else {
        s * polynomial(&INVERSE_E, 1.0 / s - 0.066)
    }
}

/// The inverse of [`erf`]: infinite at -1 and 1, NaN beyond. CUDA: `erfinv`, within 8 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::erfinv(0.5) - 0.476_936_276_204_469_9).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn erfinv(x: f64) -> f64 {
    let a = x.abs();
    if high(a) >= 0x3ff0_0000 {
        return if a == 1.0 {
            f64::INFINITY.copysign(x)
        } else {
            f64::NAN
        };
    }
    x * inverse_by_logarithm(-log(fma(-x, x, 1.0)))
}

/// The inverse of [`erfc`]: infinity at 0, -infinity at 2, NaN outside. CUDA: `erfcinv`, within 8 ulp.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!((double::erfcinv(0.5) - 0.476_936_276_204_469_9).abs() < 1e-14);
/// ```
#[inline]
#[must_use]
pub fn erfcinv(x: f64) -> f64 {
    if !(x > 0.0 && x < 2.0) {
        return if x == 0.0 {
            f64::INFINITY
        } else if x == 2.0 {
            f64::NEG_INFINITY
        } else {
            f64::NAN
        };
    }
    // erfcinv(x) = erfinv(1 - x); the product is accurate where the square would not be.
    let y = 1.0 - x;
    let rest = if x < 0.5 {
        x * (2.0 - x)
    } else {
        fma(-y, y, 1.0)
    };
    y * inverse_by_logarithm(-log(rest))
}
