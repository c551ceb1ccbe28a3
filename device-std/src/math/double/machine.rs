//! Words, exponents, polynomials and reciprocals: what all functions of this folder are made of.

pub(super) use crate::intrinsics::{
    ceil_f64 as ceil, floor_f64 as floor, fma_f64 as fma, rcp_approx_ftz_f64 as rcp_seed,
    rint_f64 as rint, rsqrt_approx_ftz_f64 as rsqrt_seed, trunc_f64 as trunc,
};

/// Added to a number below 2^51 it leaves the nearest integer in the low bits: 1.5 · 2^52.
pub(super) const SHIFT: f64 = 6_755_399_441_055_744.0;
/// The upper 42 bits of ln 2: products with the exponents of `f64` are exact.
pub(super) const LN2_HI: f64 = 0.693_147_180_559_890_3;
/// ln 2 - [`LN2_HI`].
pub(super) const LN2_LO: f64 = 5.497_923_018_708_371e-14;
pub(super) const TWO_54: f64 = 18_014_398_509_481_984.0;

/// The upper word: sign, exponent, 20 bits.
#[inline(always)]
pub(super) const fn high(x: f64) -> i32 {
    (x.to_bits() >> 32) as i32
}

/// The lower word.
#[inline(always)]
pub(super) const fn low(x: f64) -> i32 {
    x.to_bits() as i32
}

#[inline(always)]
pub(super) const fn from_words(high: i32, low: i32) -> f64 {
    f64::from_bits((high as u32 as u64) << 32 | low as u32 as u64)
}

/// `x * 2^n`, for `x` and result normal.
#[inline(always)]
pub(super) const fn add_exponent(x: f64, n: i32) -> f64 {
    from_words(high(x).wrapping_add(n << 20), low(x))
}

/// `2^n`, for -1022..=1023.
#[inline(always)]
pub(super) const fn power_of_two(n: i32) -> f64 {
    from_words(n.wrapping_add(1023) << 20, 0)
}

/// `x * 2^n`, rounded once, for `x` in 0.5..=2 or NaN and `n` in -2044..=2046.
#[inline(always)]
pub(super) fn scale(x: f64, n: i32) -> f64 {
    let half = n >> 1;
    x * power_of_two(half) * power_of_two(n - half)
}

/// `c[0] + c[1] x + c[2] x^2 + …`.
#[inline(always)]
pub(super) fn polynomial<const N: usize>(c: &[f64; N], x: f64) -> f64 {
    let mut sum = c[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = fma(sum, x, c[i]);
    }
    sum
}

/// `1 / d` within 1 ulp, for `d` and result normal.
#[inline(always)]
pub(super) fn reciprocal(d: f64) -> f64 {
    let seed = rcp_seed(d);
    let e = fma(-d, seed, 1.0);
    let e = fma(e, e, e);
    fma(e, seed, seed)
}

/// `n / d` within 0.51 ulp, for `d`, `1 / d` and result normal.
#[inline(always)]
pub(super) fn quotient(n: f64, d: f64) -> f64 {
    let r = reciprocal(d);
    let q = n * r;
    fma(fma(-q, d, n), r, q)
}

/// `1 / sqrt(x)` within 0.51 ulp, for normal `x`.
#[inline(always)]
pub(super) fn reciprocal_root(x: f64) -> f64 {
    let y = rsqrt_seed(x);
    // The seed has 21 bits: its square is exact.
    let e = fma(-x, y * y, 1.0);
    fma(y * e, fma(e, 0.375, 0.5), y)
}

/// `sqrt(x)` as a pair `(s, rest)` with `s` within 0.51 ulp and `s + rest` good to about 100 bits, for normal `x` above 2^-900.
#[inline(always)]
pub(super) fn root(x: f64) -> (f64, f64) {
    let y = reciprocal_root(x);
    let s = x * y;
    (s, fma(-s, s, x) * (0.5 * y))
}

/// The sum and what rounding took from it, for `|a| >= |b|`.
#[inline(always)]
pub(super) fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// The sum and what rounding took from it.
#[inline(always)]
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// The product and what rounding took from it.
#[inline(always)]
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, fma(a, b, -product))
}
