//! What `libm` lacks, in `f64`, for host and device.

use core::f64::consts::PI;

/// `sin(π x)`.
pub(crate) fn sinpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x == libm::trunc(x) {
        return 0f64.copysign(x);
    }
    let turn = x - 2.0 * libm::rint(x * 0.5);
    let size = turn.abs();
    let value = if size <= 0.25 {
        libm::sin(PI * size)
    } else if size <= 0.75 {
        libm::cos(PI * (0.5 - size))
    } else {
        libm::sin(PI * (1.0 - size))
    };
    value.copysign(turn)
}

/// `cos(π x)`.
pub(crate) fn cospi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let size = (x - 2.0 * libm::rint(x * 0.5)).abs();
    if size == 0.5 {
        0.0
    } else if size <= 0.25 {
        libm::cos(PI * size)
    } else if size <= 0.75 {
        libm::sin(PI * (0.5 - size))
    } else {
        -libm::cos(PI * (1.0 - size))
    }
}

/// A root of a function that falls or grows like the error function, from a guess that is right to about 1 in 1000.
fn refine(mut x: f64, difference: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..5 {
        let step = difference(x) * 0.886_226_925_452_758 * libm::exp(x * x);
        x -= step / (1.0 + x * step);
    }
    x
}

/// A guess at the inverse error function of `±sqrt(1 - product)`.
fn guess(product: f64) -> f64 {
    let log = libm::log(product);
    let half = 2.0 / (PI * 0.147) + log * 0.5;
    libm::sqrt(libm::sqrt(half * half - log / 0.147) - half)
}

/// The inverse of the error function.
pub(crate) fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    if size.is_nan() || size > 1.0 {
        return f64::NAN;
    }
    let value = if size == 1.0 {
        f64::INFINITY
    } else if size < 1e-8 {
        size * 0.886_226_925_452_758
    } else if size > 0.5 {
        refine(guess((1.0 - size) * (1.0 + size)), |x| {
            (1.0 - size) - libm::erfc(x)
        })
    } else {
        refine(guess((1.0 - size) * (1.0 + size)), |x| libm::erf(x) - size)
    };
    value.copysign(y)
}

/// The inverse of the complementary error function.
pub(crate) fn erfcinv(y: f64) -> f64 {
    if y.is_nan() || !(0.0..=2.0).contains(&y) {
        return f64::NAN;
    }
    let size = if y > 1.0 { 2.0 - y } else { y };
    let value = if size == 0.0 {
        f64::INFINITY
    } else if size >= 0.5 {
        erfinv(1.0 - size)
    } else {
        refine(guess(size * (2.0 - size)), |x| size - libm::erfc(x))
    };
    if y > 1.0 { -value } else { value }
}

/// The gamma function, NaN at its poles below 0.
pub(crate) fn tgamma(x: f64) -> f64 {
    if x == 0.0 {
        f64::INFINITY.copysign(x)
    } else if x < 0.0 && x == libm::trunc(x) {
        f64::NAN
    } else {
        libm::tgamma(x)
    }
}

/// Where CUDA tells a bound of `lgamma`: its zeros are elsewhere.
pub(crate) fn promised(x: f64) -> bool {
    !(-10.001..=-2.264).contains(&x)
}

/// The logarithm of the gamma function; 0 where nothing is promised.
pub(crate) fn lgamma(x: f64) -> f64 {
    if promised(x) { libm::lgamma(x) } else { 0.0 }
}

/// `acosh`, NaN below 1.
pub(crate) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// `1 / sqrt(x)`.
pub(crate) fn rsqrt(x: f64) -> f64 {
    1.0 / libm::sqrt(x)
}

/// `1 / cbrt(x)`.
pub(crate) fn rcbrt(x: f64) -> f64 {
    1.0 / libm::cbrt(x)
}
