//! Powers with any base: a logarithm in two floats, and a power of two of a sum of two floats.

use crate::intrinsics as raw;

/// `a * b + c`, rounded once.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// A number as the sum of two, the second less than an ulp of the first.
pub(super) type Pair = (f32, f32);

/// `log2(x) + extra` for positive normal `x` and an integer: absolute error about 2^-33 of 1, or of itself if that is smaller.
#[inline(always)]
pub(super) fn log2_pair(x: f32, extra: f32) -> Pair {
    /// 2 / ln 2 in two floats.
    const SCALE: Pair = (2.885_39, 3.851_926e-8);
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(0x3f35_04f3) & 0xff80_0000;
    let m = f32::from_bits(bits.wrapping_sub(exponent));
    let e = fma(exponent.cast_signed() as f32, 1.192_092_9e-7, extra);
    // q + rest = (m - 1) / (m + 1), and log2(m) = 2 / ln 2 * atanh of it.
    let f = m - 1.0;
    let inverse = raw::rcp_approx_ftz_f32(m + 1.0);
    let q = f * inverse;
    let rest = inverse * fma(q, -f, fma(q, -2.0, f));
    // (atanh(q) / q - 1) / q^2 times 2 / ln 2: what it adds has an error of 2^-34.9 q.
    let z = q * q;
    let p = fma(0.336_492, z, 0.411_927_22);
    let p = fma(p, z, 0.577_078_8);
    let p = fma(p, z, 0.961_796_7);
    // Rounded also in kernels that allow contraction: its error is accounted for.
    let high = raw::mul_apart_f32(q, SCALE.0);
    let low = fma(q, SCALE.1, fma(q, SCALE.0, -high));
    // The derivative of atanh is 1 / (1 - z), nearly 1 + z.
    let low = fma(q * z, p, fma(fma(rest, z, rest), SCALE.0, low));
    let sum = e + high;
    (sum, (high - (sum - e)) + low)
}

/// 2 to the power of a sum; infinity and 0 where that is out of range.
#[inline(always)]
pub(super) fn exp2_pair((high, low): Pair) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let low = if high.abs() > 200.0 { 0.0 } else { low };
    let high = high.clamp(-200.0, 200.0);
    let rounded = high + ROUND;
    let power = raw::ex2_approx_ftz_f32((high - (rounded - ROUND)) + low);
    // In two steps, since 2^n may be subnormal or too large.
    let n = (rounded.to_bits() & 0x3fff).cast_signed()
        - ((rounded.to_bits() & 0x2000) << 1).cast_signed();
    let half = n >> 1;
    power
        * f32::from_bits(((half + 127) as u32) << 23)
        * f32::from_bits(((n - half + 127) as u32) << 23)
}

/// `x^y` for positive normal `x`, times `2^(extra y)`.
#[inline(always)]
fn power(x: f32, y: f32, extra: f32) -> f32 {
    let (high, low) = log2_pair(x, extra);
    let product = raw::mul_apart_f32(y, high);
    exp2_pair((product, fma(y, low, fma(y, high, -product))))
}

/// `x^y`. CUDA: `powf`, at most 8 ulp; special values as C says: 1 for `y` of 0 and for `x` of 1, whatever the other is.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::pow(-2.0, 3.0), -8.0);
/// assert!(single::pow(-2.0, 0.5).is_nan());
/// assert_eq!(single::pow(f32::NAN, 0.0), 1.0);
/// ```
#[inline]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    let positive_and_normal = x.to_bits().wrapping_sub(0x0080_0000) < 0x7f00_0000;
    if positive_and_normal && y.is_finite() {
        power(x, y, 0.0)
    } else {
        special(x, y)
    }
}

/// [`pow`] where `x` is not a positive normal number or `y` is not finite.
#[cold]
#[inline(never)]
fn special(x: f32, y: f32) -> f32 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let size = x.abs();
    if y.is_infinite() {
        let grows = (size > 1.0) == (y > 0.0);
        return if size == 1.0 {
            1.0
        } else if grows {
            f32::INFINITY
        } else {
            0.0
        };
    }
    let half = y * 0.5;
    let odd = (y - 2.0 * raw::trunc_f32(half)).abs() == 1.0;
    let value = if size == 0.0 || size == f32::INFINITY {
        if (size == 0.0) == (y > 0.0) {
            0.0
        } else {
            f32::INFINITY
        }
    } else if x < 0.0 && raw::trunc_f32(y) != y {
        f32::NAN
    } else if size < f32::MIN_POSITIVE {
        power(size * 16_777_216.0, y, -24.0)
    } else {
        power(size, y, 0.0)
    };
    if odd && x.is_sign_negative() {
        -value
    } else {
        value
    }
}
