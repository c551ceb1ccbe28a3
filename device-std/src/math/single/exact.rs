//! Functions whose result is exact: the parts of a float, integers near it, remainders in `super::remainder`.

use crate::intrinsics as raw;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
/// Exponent bits of 1.0.
const BIAS: i32 = 127;

/// `x * 2^k` for `k` in -126..=127: one multiplication, one rounding.
#[inline(always)]
fn scale(x: f32, k: i32) -> f32 {
    x * f32::from_bits(((k + BIAS) as u32) << 23)
}

/// `a * b + c`, rounded once. CUDA: `fmaf`. Exact rounding.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::fma(2.0, 3.0, 1.0), 7.0);
/// ```
#[inline(always)]
#[must_use]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    raw::fma_f32(a, b, c)
}

/// `(m, e)` with `x == m * 2^e` and `0.5 <= |m| < 1`; `(x, 0)` for 0, infinity and NaN. CUDA: `frexpf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::frexp(12.0), (0.75, 4));
/// ```
#[inline]
#[must_use]
pub fn frexp(x: f32) -> (f32, i32) {
    const UP: f32 = 33_554_432.0; // 2^25: lifts every subnormal number
    let small = x.abs() < f32::MIN_POSITIVE;
    let lifted = if small { x * UP } else { x };
    let bits = lifted.to_bits();
    let e = ((bits >> 23) & 0xff) as i32 - if small { 25 } else { 0 } - (BIAS - 1);
    let m = f32::from_bits((bits & 0x807f_ffff) | 0x3f00_0000);
    if x == 0.0 || !x.is_finite() {
        (x, 0)
    } else {
        (m, e)
    }
}

/// `x * 2^n`, rounded once. CUDA: `ldexpf`. Exact rounding.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::ldexp(1.5, 4), 24.0);
/// assert_eq!(single::ldexp(1.0, -149), f32::from_bits(1));
/// ```
#[inline]
#[must_use]
pub fn ldexp(x: f32, n: i32) -> f32 {
    // From normal to normal it is an addition to the exponent field.
    let exponent = ((x.to_bits() >> 23) & 0xff).cast_signed();
    let moved = exponent.wrapping_add(n);
    if (1..=254).contains(&exponent) && (1..=254).contains(&moved) {
        return f32::from_bits(x.to_bits().wrapping_add((n << 23).cast_unsigned()));
    }
    scaled_in_steps(x, n)
}

/// [`ldexp`] of any numbers.
#[cold]
#[inline(never)]
fn scaled_in_steps(x: f32, n: i32) -> f32 {
    // A factor of 2^-102 leaves what is subnormal after it so small that the next one, below 2^-24, gives 0 or the smallest float
    // whatever the rounding: results are rounded once.
    let first = if n < -126 { -102 } else { n.min(127) };
    let n = (n - first).clamp(-300, 300);
    let second = if n < -126 { -102 } else { n.min(127) };
    let third = (n - second).clamp(-126, 127);
    scale(scale(scale(x, first), second), third)
}

/// `x * 2^n`, rounded once. CUDA: `scalbnf`. Exact rounding.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::scalbn(1.5, 3), 12.0);
/// ```
#[inline]
#[must_use]
pub fn scalbn(x: f32, n: i32) -> f32 {
    ldexp(x, n)
}

/// `x * 2^n`, rounded once. CUDA: `scalblnf`. Exact rounding.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::scalbln(1.5, 3), 12.0);
/// ```
#[inline]
#[must_use]
pub fn scalbln(x: f32, n: i64) -> f32 {
    ldexp(x, n.clamp(-1000, 1000) as i32)
}

/// The exponent of `x` as an integer: `floor(log2(|x|))`; `i32::MIN` for 0 and NaN, `i32::MAX` for infinities. CUDA: `ilogbf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::ilogb(12.0), 3);
/// ```
#[inline]
#[must_use]
pub fn ilogb(x: f32) -> i32 {
    let exponent = ((x.to_bits() >> 23) & 0xff).cast_signed();
    if (1..=254).contains(&exponent) {
        return exponent - BIAS;
    }
    let bits = x.to_bits() & !SIGN;
    if bits == INFINITY {
        i32::MAX
    } else if bits == 0 || bits > INFINITY {
        i32::MIN
    } else {
        -118 - bits.leading_zeros().cast_signed()
    }
}

/// The exponent of `x` as a float; negative infinity for 0, infinity for infinities. CUDA: `logbf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::logb(12.0), 3.0);
/// ```
#[inline]
#[must_use]
pub fn logb(x: f32) -> f32 {
    if x == 0.0 {
        return f32::NEG_INFINITY;
    }
    if !x.is_finite() {
        return x * x;
    }
    ilogb(x) as f32
}

/// `(fraction, whole)`: the part of `x` behind the point and the integer towards zero, both with the sign of `x`. CUDA: `modff`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::modf(-2.5), (-0.5, -2.0));
/// ```
#[inline]
#[must_use]
pub fn modf(x: f32) -> (f32, f32) {
    let whole = raw::trunc_f32(x);
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    (fraction.copysign(x), whole)
}

/// `x - y` if `x > y`, else 0; NaN if either is. CUDA: `fdimf`. Exact rounding.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::fdim(3.0, 1.0), 2.0);
/// ```
#[inline]
#[must_use]
pub fn fdim(x: f32, y: f32) -> f32 {
    if x <= y { 0.0 } else { x - y }
}

/// The next float after `x` in the direction of `y`; `y` if they are equal. CUDA: `nextafterf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::nextafter(1.0, 1.0), 1.0);
/// ```
#[inline]
#[must_use]
pub fn nextafter(x: f32, y: f32) -> f32 {
    if x == y {
        return y;
    }
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    if x == 0.0 {
        return f32::from_bits((y.to_bits() & SIGN) | 1);
    }
    // Away from zero counts up, towards zero counts down.
    let away = (x < y) == (x > 0.0);
    let bits = x.to_bits();
    f32::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// A quiet NaN that carries the low 22 bits of `payload`. CUDA: `nanf`, whose string is the number.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::nan(5).to_bits(), 0x7fc0_0005);
/// ```
#[inline]
#[must_use]
pub fn nan(payload: u32) -> f32 {
    f32::from_bits(0x7fc0_0000 | (payload & 0x003f_ffff))
}

/// The integer nearest to `x`, away from zero in a tie. CUDA: `roundf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::round(2.5), 3.0);
/// ```
#[inline]
#[must_use]
pub fn round(x: f32) -> f32 {
    // The largest float below a half: a half itself would carry 0.49999997 and odd integers above 2^23 to the next integer.
    raw::trunc_f32(x + 0.499_999_97f32.copysign(x))
}

macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident = $of:path;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name(x: f32) -> f32 {
            $of(x)
        }
    )*};
}

integers! {
    /// The integer next to `x` towards zero. CUDA: `truncf`. Exact.
    trunc = raw::trunc_f32;
    /// The largest integer not above `x`. CUDA: `floorf`. Exact.
    floor = raw::floor_f32;
    /// The smallest integer not below `x`. CUDA: `ceilf`. Exact.
    ceil = raw::ceil_f32;
    /// The integer nearest to `x`, even in a tie. CUDA: `rintf`. Exact.
    rint = raw::rint_f32;
    /// The integer nearest to `x`, even in a tie. CUDA: `nearbyintf`. Exact.
    nearbyint = raw::rint_f32;
    /// The integer nearest to `x`, even in a tie. C23 and LLVM: `roundeven`. Exact.
    roundeven = raw::rint_f32;
    /// The correctly rounded square root. CUDA: `sqrtf`. Exact rounding.
    sqrt = raw::sqrt_f32;
}

macro_rules! to_integers {
    ($($(#[$doc:meta])* $name:ident = $of:path;)*) => {$(
        $(#[$doc])*
        /// Out of range gives the end of the range, NaN gives 0.
        #[inline]
        #[must_use]
        pub fn $name(x: f32) -> i64 {
            $of(x) as i64
        }
    )*};
}

to_integers! {
    /// The integer nearest to `x`, even in a tie. CUDA: `lrintf`, where `long` has 64 bits. Exact.
    lrint = rint;
    /// The integer nearest to `x`, even in a tie. CUDA: `llrintf`. Exact.
    llrint = rint;
    /// The integer nearest to `x`, away from zero in a tie. CUDA: `lroundf`, where `long` has 64 bits. Exact.
    lround = round;
    /// The integer nearest to `x`, away from zero in a tie. CUDA: `llroundf`. Exact.
    llround = round;
}

/// The size of `x` with the sign of `y`. CUDA: `copysignf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::copysign(3.0, -1.0), -3.0);
/// ```
#[inline(always)]
#[must_use]
pub fn copysign(x: f32, y: f32) -> f32 {
    x.copysign(y)
}

/// `x` without its sign. CUDA: `fabsf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::fabs(-2.0), 2.0);
/// ```
#[inline(always)]
#[must_use]
pub fn fabs(x: f32) -> f32 {
    x.abs()
}

/// The smaller one; if one is NaN, the other. CUDA: `fminf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::fmin(1.0, 2.0), 1.0);
/// ```
#[inline(always)]
#[must_use]
pub fn fmin(x: f32, y: f32) -> f32 {
    x.min(y)
}

/// The larger one; if one is NaN, the other. CUDA: `fmaxf`. Exact.
///
/// ```
/// use warploom_device_std::math::single;
/// assert_eq!(single::fmax(1.0, 2.0), 2.0);
/// ```
#[inline(always)]
#[must_use]
pub fn fmax(x: f32, y: f32) -> f32 {
    x.max(y)
}

/// Whether the sign bit is set. CUDA: `signbit`.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!(single::signbit(-0.0));
/// ```
#[inline(always)]
#[must_use]
pub fn signbit(x: f32) -> bool {
    x.is_sign_negative()
}

/// Whether `x` is neither infinite nor NaN. CUDA: `isfinite`.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!(single::isfinite(1.0) && !single::isfinite(f32::NAN));
/// ```
#[inline(always)]
#[must_use]
pub fn isfinite(x: f32) -> bool {
    x.is_finite()
}

/// Whether `x` is infinite. CUDA: `isinf`.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!(single::isinf(f32::NEG_INFINITY));
/// ```
#[inline(always)]
#[must_use]
pub fn isinf(x: f32) -> bool {
    x.is_infinite()
}

/// Whether `x` is no number. CUDA: `isnan`.
///
/// ```
/// use warploom_device_std::math::single;
/// assert!(single::isnan(f32::NAN));
/// ```
#[inline(always)]
#[must_use]
pub fn isnan(x: f32) -> bool {
    x.is_nan()
}
