//! The functions of one or two `f64`, by their C names. Plain Rust, the same on the device and on the emulator.

/// `sin`.
#[inline]
#[must_use]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// `cos`.
#[inline]
#[must_use]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// `tan`.
#[inline]
#[must_use]
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

/// `asin`.
#[inline]
#[must_use]
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}

/// `acos`.
#[inline]
#[must_use]
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}

/// `atan`.
#[inline]
#[must_use]
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}

/// `sinh`.
#[inline]
#[must_use]
pub fn sinh(x: f64) -> f64 {
    libm::sinh(x)
}

/// `cosh`.
#[inline]
#[must_use]
pub fn cosh(x: f64) -> f64 {
    libm::cosh(x)
}

/// `tanh`.
#[inline]
#[must_use]
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

/// `asinh`.
#[inline]
#[must_use]
pub fn asinh(x: f64) -> f64 {
    libm::asinh(x)
}

/// `acosh`.
#[inline]
#[must_use]
pub fn acosh(x: f64) -> f64 {
    libm::acosh(x)
}

/// `atanh`.
#[inline]
#[must_use]
pub fn atanh(x: f64) -> f64 {
    libm::atanh(x)
}

/// `exp`.
#[inline]
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// `exp2`.
#[inline]
#[must_use]
pub fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// `exp10`.
#[inline]
#[must_use]
pub fn exp10(x: f64) -> f64 {
    libm::exp10(x)
}

/// `expm1`.
#[inline]
#[must_use]
pub fn expm1(x: f64) -> f64 {
    libm::expm1(x)
}

/// `log`.
#[inline]
#[must_use]
pub fn log(x: f64) -> f64 {
    libm::log(x)
}

/// `log2`.
#[inline]
#[must_use]
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// `log10`.
#[inline]
#[must_use]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// `log1p`.
#[inline]
#[must_use]
pub fn log1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// `cbrt`.
#[inline]
#[must_use]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// `round`.
#[inline]
#[must_use]
pub fn round(x: f64) -> f64 {
    libm::round(x)
}

/// `roundeven`.
#[inline]
#[must_use]
pub fn roundeven(x: f64) -> f64 {
    libm::roundeven(x)
}

/// `trunc`.
#[inline]
#[must_use]
pub fn trunc(x: f64) -> f64 {
    libm::trunc(x)
}

/// `floor`.
#[inline]
#[must_use]
pub fn floor(x: f64) -> f64 {
    libm::floor(x)
}

/// `ceil`.
#[inline]
#[must_use]
pub fn ceil(x: f64) -> f64 {
    libm::ceil(x)
}

/// `erf`.
#[inline]
#[must_use]
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// `erfc`.
#[inline]
#[must_use]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// `tgamma`.
#[inline]
#[must_use]
pub fn tgamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// `atan2`.
#[inline]
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// `pow`.
#[inline]
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// `hypot`.
#[inline]
#[must_use]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// `fmod`.
#[inline]
#[must_use]
pub fn fmod(x: f64, y: f64) -> f64 {
    libm::fmod(x, y)
}

/// `fdim`.
#[inline]
#[must_use]
pub fn fdim(x: f64, y: f64) -> f64 {
    libm::fdim(x, y)
}
