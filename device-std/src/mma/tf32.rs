//! Numbers of 19 bits in 32.

use crate::{Plain, arch, intrinsics as raw};
use core::fmt;

/// The factors of tensor cores with the range of `f32` and 10 bits of fraction: an `f32` whose last 13 bits do not count.
///
/// It has no arithmetic of its own: products of fragments, of [`mma`](super) and [`wmma`](crate::wmma), are its use. Made by rounding, [`from_f32`](Self::from_f32): a product that got an
/// `f32` as it is would drop the last 13 bits. CUDA: `wmma::precision::tf32`, which is a `float` there; PTX: `.tf32`. Products need compute capability 8.0.
///
/// ```
/// use warploom_device_std::mma::Tf32;
/// assert_eq!(Tf32::from_f32(1.0).to_f32(), 1.0);
/// assert_eq!(Tf32::from_f32(1.0 + 1.0 / 2048.0).to_f32(), 1.0 + 1.0 / 1024.0); // a tie: away from zero
/// assert_eq!(Tf32::from_f32(-0.1).to_f32(), -0.099_975_586);
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Default)]
pub struct Tf32(u32);

// SAFETY: a `u32` in `repr(transparent)`; each bit pattern is a value.
unsafe impl Plain for Tf32 {}

/// The bits that do not count.
const IGNORED: u32 = 0x1fff;
/// Half of the least that counts.
const HALF: u32 = 0x1000;

impl Tf32 {
    /// The nearest number, of two the one farther from zero; infinity from half a step above the greatest.
    ///
    /// Of what is no number the last 13 bits are dropped, as GPUs do; if the others of the fraction are 0, that is infinity.
    /// One instruction from compute capability 8.0 on, a few before, with the same bits. CUDA: `__float_to_tf32`. PTX: `cvt.rna.tf32.f32`.
    #[inline(always)]
    #[must_use]
    pub fn from_f32(x: f32) -> Self {
        if arch() >= 80 {
            return Tf32(raw::f32_to_tf32_rna(x));
        }
        // A carry out of the fraction is the next exponent, up to infinity.
        let bits = x.to_bits() + if x.is_finite() { HALF } else { 0 };
        Tf32(bits & !IGNORED)
    }

    /// The number itself, of which products ignore the last 13 bits: it is rounded toward zero.
    #[inline(always)]
    #[must_use]
    pub const fn truncate(x: f32) -> Self {
        Tf32(x.to_bits())
    }

    /// The number with these bits, those of an `f32`; the last 13 do not count.
    #[inline(always)]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Tf32(bits)
    }

    /// The bits, with the last 13 as they were given.
    #[inline(always)]
    #[must_use]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The number that products take: with the last 13 bits 0.
    #[inline(always)]
    #[must_use]
    pub const fn to_f32(self) -> f32 {
        f32::from_bits(self.0 & !IGNORED)
    }
}

impl PartialEq for Tf32 {
    #[inline(always)]
    fn eq(&self, other: &Tf32) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl From<Tf32> for f32 {
    #[inline(always)]
    fn from(x: Tf32) -> f32 {
        x.to_f32()
    }
}

impl fmt::Debug for Tf32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f32(), f)
    }
}
