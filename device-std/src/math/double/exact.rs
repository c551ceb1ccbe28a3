//! Functions whose results are exact: rounding, and taking floats apart.

use super::machine::{self, high, power_of_two};

macro_rules! rounding {
    ($($(#[$doc:meta])* $name:ident = $of:ident;)*) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name(x: f64) -> f64 {
            machine::$of(x)
        }
    )*};
}

rounding! {
    /// The integer next to `x` towards zero. CUDA: `trunc`.
    trunc = trunc;
    /// The largest integer not above `x`. CUDA: `floor`.
    floor = floor;
    /// The smallest integer not below `x`. CUDA: `ceil`.
    ceil = ceil;
    /// The integer nearest to `x`, even in a tie. CUDA: `rint`.
    rint = rint;
    /// The integer nearest to `x`, even in a tie. CUDA: `nearbyint`.
    nearbyint = rint;
    /// The integer nearest to `x`, even in a tie. C: `roundeven`.
    roundeven = rint;
}

/// The integer nearest to `x`, away from zero in a tie. CUDA: `round`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::round(2.5), 3.0);
/// ```
#[inline]
#[must_use]
pub fn round(x: f64) -> f64 {
    // The number below one half: the sum reaches the next integer, by rounding, for ties and above only. Large odd integers stay.
    machine::trunc(x + 0.499_999_999_999_999_94f64.copysign(x))
}

macro_rules! to_integer {
    ($($(#[$doc:meta])* $name:ident = $of:path;)*) => {$(
        $(#[$doc])*
        ///
        /// Beyond the range of `i64` its end, 0 for NaN.
        #[inline]
        #[must_use]
        pub fn $name(x: f64) -> i64 {
            $of(x) as i64
        }
    )*};
}

to_integer! {
    /// The integer nearest to `x`, even in a tie. CUDA: `lrint`.
    lrint = machine::rint;
    /// The integer nearest to `x`, even in a tie. CUDA: `llrint`.
    llrint = machine::rint;
    /// The integer nearest to `x`, away from zero in a tie. CUDA: `lround`.
    lround = round;
    /// The integer nearest to `x`, away from zero in a tie. CUDA: `llround`.
    llround = round;
}

/// `(m, e)` with `x == m * 2^e` and `0.5 <= |m| < 1`; `e` is 0 for zero, infinities and NaN. CUDA: `frexp`.
///
/// ```
/// assert_eq!(warploom_device_std::math::double::frexp(12.0), (0.75, 4));
/// ```
#[inline]
#[must_use]
pub fn frexp(x: f64) -> (f64, i32) {
    let exponent = high(x) >> 20 & 0x7ff;
    if exponent == 0x7ff || x == 0.0 {
        return (x, 0);
    }
    let (x, scaled) = if exponent == 0 {
        (x * machine::TWO_54, 54)
    } else {
        (x, 0)
    };
    let e = (high(x) >> 20 & 0x7ff) - 1022;
    (machine::add_exponent(x, -e), e - scaled)
}

/// `x * 2^n`, rounded once. CUDA: `ldexp`.
///
/// ```
/// assert_eq!(warploom_device_std::math::double::ldexp(0.75, 4), 12.0);
/// ```
#[inline]
#[must_use]
pub fn ldexp(x: f64, n: i32) -> f64 {
    // The lowest subnormal needs 2098 to overflow; the largest number -2099 to vanish.
    let n = n.clamp(-2200, 2200);
    let exponent = high(x) >> 20 & 0x7ff;
    let result_exponent = exponent + n;
    if exponent != 0 && exponent != 0x7ff && result_exponent > 0 && result_exponent < 0x7ff {
        return machine::add_exponent(x, n);
    }
    ldexp_extreme(x, n)
}

#[cold]
#[inline(never)]
fn ldexp_extreme(x: f64, n: i32) -> f64 {
    let (mut x, mut n) = (x, n);
    let exponent = (high(x) >> 20 & 0x7ff) - 1023;
    if x == 0.0 || exponent == 1024 {
        return x;
    }
    while n > 1000 {
        x *= power_of_two(1000);
        n -= 1000;
    }
    if n < -1000 && exponent > 0 {
        // To an exponent near 0, exactly.
        let part = exponent.min(1000);
        x *= power_of_two(-part);
        n += part;
    }
    if n < -1200 {
        return 0f64.copysign(x);
    }
    if n < -1000 {
        // Exact wherever the result is not 0.
        x *= power_of_two(-200);
        n += 200;
    }
    x * power_of_two(n)
}

/// `x * 2^n`, rounded once. CUDA: `scalbn`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::scalbn(1.5, 3), 12.0);
/// ```
#[inline]
#[must_use]
pub fn scalbn(x: f64, n: i32) -> f64 {
    ldexp(x, n)
}

/// `x * 2^n`, rounded once. CUDA: `scalbln`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::scalbln(1.5, 3), 12.0);
/// ```
#[inline]
#[must_use]
pub fn scalbln(x: f64, n: i64) -> f64 {
    ldexp(x, n.clamp(-2200, 2200) as i32)
}

/// The exponent, `floor(log2(|x|))`: -infinity for zero, infinity for infinities. CUDA: `logb`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::logb(12.0), 3.0);
/// ```
#[inline]
#[must_use]
pub fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if high(x) & 0x7fff_ffff < 0x7ff0_0000 {
        f64::from(exponent(x))
    } else {
        x * x
    }
}

/// The exponent, `floor(log2(|x|))`: `i32::MIN` for zero and NaN, `i32::MAX` for infinities. CUDA: `ilogb`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::ilogb(12.0), 3);
/// ```
#[inline]
#[must_use]
pub fn ilogb(x: f64) -> i32 {
    if x == 0.0 || x.is_nan() {
        i32::MIN
    } else if x.is_infinite() {
        i32::MAX
    } else {
        exponent(x)
    }
}

/// The exponent of a finite number that is not 0.
#[inline(always)]
fn exponent(x: f64) -> i32 {
    let stored = high(x) >> 20 & 0x7ff;
    if stored == 0 {
        (high(x * machine::TWO_54) >> 20 & 0x7ff) - 1077
    } else {
        stored - 1023
    }
}

/// Fraction and whole part of `x`, both with its sign: `(fraction, whole)`. CUDA: `modf`.
///
/// ```
/// assert_eq!(warploom_device_std::math::double::modf(-3.25), (-0.25, -3.0));
/// ```
#[inline]
#[must_use]
pub fn modf(x: f64) -> (f64, f64) {
    let whole = machine::trunc(x);
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    (fraction.copysign(x), whole)
}

/// `x - y` if that is positive, else 0; NaN if one of them is. CUDA: `fdim`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::fdim(3.0, 1.0), 2.0);
/// ```
#[inline]
#[must_use]
pub fn fdim(x: f64, y: f64) -> f64 {
    if x <= y { 0.0 } else { x - y }
}

/// `size` with the sign of `sign`. CUDA: `copysign`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert_eq!(double::copysign(3.0, -1.0), -3.0);
/// ```
#[inline]
#[must_use]
pub fn copysign(size: f64, sign: f64) -> f64 {
    size.copysign(sign)
}

/// The next float after `x` in the direction of `y`; `y` if both are equal. CUDA: `nextafter`.
///
/// ```
/// assert_eq!(warploom_device_std::math::double::nextafter(1.0, 2.0), 1.0 + f64::EPSILON);
/// ```
#[inline]
#[must_use]
pub fn nextafter(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    if x == y {
        return y;
    }
    if x == 0.0 {
        return f64::from_bits(1).copysign(y);
    }
    let bits = x.to_bits();
    // Away from zero the pattern grows.
    let away = (x < y) == (x > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// A quiet NaN that carries the digits of `payload`. CUDA: `nan`.
///
/// ```
/// use warploom_device_std::math::double;
/// assert!(double::nan(5).is_nan());
/// ```
#[inline]
#[must_use]
pub fn nan(payload: u64) -> f64 {
    f64::from_bits(0x7ff8_0000_0000_0000 | payload & 0x0007_ffff_ffff_ffff)
}
