//! The functions of one or two `f32`, by their C names. Plain Rust, the same on the device and on the emulator.

mod exact; // parts of a float, integers near it
mod remainder; // long division

pub use exact::*;
pub use remainder::*;

/// `sin`.
#[inline]
#[must_use]
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// `cos`.
#[inline]
#[must_use]
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// `tan`.
#[inline]
#[must_use]
pub fn tan(x: f32) -> f32 {
    libm::tanf(x)
}

/// `asin`.
#[inline]
#[must_use]
pub fn asin(x: f32) -> f32 {
    libm::asinf(x)
}

/// `acos`.
#[inline]
#[must_use]
pub fn acos(x: f32) -> f32 {
    libm::acosf(x)
}

/// `atan`.
#[inline]
#[must_use]
pub fn atan(x: f32) -> f32 {
    libm::atanf(x)
}

/// `sinh`.
#[inline]
#[must_use]
pub fn sinh(x: f32) -> f32 {
    libm::sinhf(x)
}

/// `cosh`.
#[inline]
#[must_use]
pub fn cosh(x: f32) -> f32 {
    libm::coshf(x)
}

/// `tanh`.
#[inline]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    libm::tanhf(x)
}

/// `asinh`.
#[inline]
#[must_use]
pub fn asinh(x: f32) -> f32 {
    libm::asinhf(x)
}

/// `acosh`.
#[inline]
#[must_use]
pub fn acosh(x: f32) -> f32 {
    libm::acoshf(x)
}

/// `atanh`.
#[inline]
#[must_use]
pub fn atanh(x: f32) -> f32 {
    libm::atanhf(x)
}

/// `exp`.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    libm::expf(x)
}

/// `exp2`.
#[inline]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    libm::exp2f(x)
}

/// `exp10`.
#[inline]
#[must_use]
pub fn exp10(x: f32) -> f32 {
    libm::exp10f(x)
}

/// `expm1`.
#[inline]
#[must_use]
pub fn expm1(x: f32) -> f32 {
    libm::expm1f(x)
}

/// `log`.
#[inline]
#[must_use]
pub fn log(x: f32) -> f32 {
    libm::logf(x)
}

/// `log2`.
#[inline]
#[must_use]
pub fn log2(x: f32) -> f32 {
    libm::log2f(x)
}

/// `log10`.
#[inline]
#[must_use]
pub fn log10(x: f32) -> f32 {
    libm::log10f(x)
}

/// `log1p`.
#[inline]
#[must_use]
pub fn log1p(x: f32) -> f32 {
    libm::log1pf(x)
}

/// `cbrt`.
#[inline]
#[must_use]
pub fn cbrt(x: f32) -> f32 {
    libm::cbrtf(x)
}

/// `erf`.
#[inline]
#[must_use]
pub fn erf(x: f32) -> f32 {
    libm::erff(x)
}

/// `erfc`.
#[inline]
#[must_use]
pub fn erfc(x: f32) -> f32 {
    libm::erfcf(x)
}

/// `tgamma`.
#[inline]
#[must_use]
pub fn tgamma(x: f32) -> f32 {
    libm::tgammaf(x)
}

/// `atan2`.
#[inline]
#[must_use]
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

/// `pow`.
#[inline]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}

/// `hypot`.
#[inline]
#[must_use]
pub fn hypot(x: f32, y: f32) -> f32 {
    libm::hypotf(x, y)
}

/// `rsqrt`.
#[inline]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    1.0 / libm::sqrtf(x)
}

/// `rcbrt`.
#[inline]
#[must_use]
pub fn rcbrt(x: f32) -> f32 {
    1.0 / libm::cbrtf(x)
}

/// `sinpi`.
#[inline]
#[must_use]
pub fn sinpi(x: f32) -> f32 {
    x
}

/// `cospi`.
#[inline]
#[must_use]
pub fn cospi(x: f32) -> f32 {
    x
}

/// `erfinv`.
#[inline]
#[must_use]
pub fn erfinv(x: f32) -> f32 {
    x
}

/// `erfcinv`.
#[inline]
#[must_use]
pub fn erfcinv(x: f32) -> f32 {
    x
}

/// `lgamma`.
#[inline]
#[must_use]
pub fn lgamma(x: f32) -> f32 {
    libm::lgammaf(x)
}

/// `sinpi` and `cospi`.
#[inline]
#[must_use]
pub fn sincospi(x: f32) -> (f32, f32) {
    (sinpi(x), cospi(x))
}
