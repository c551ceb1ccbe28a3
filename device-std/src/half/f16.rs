//! Half precision as bits. Every GPU that we support calculates with it.

use crate::arch;
use crate::intrinsics as raw;

pub(super) use raw::{
    f16_add as add, f16_fma as fma, f16_mul as mul, f16_sub as sub, f16_to_f32 as to_f32,
    f16x2_add as add2, f16x2_fma as fma2, f16x2_mul as mul2, f16x2_sub as sub2,
    f32_to_f16_rn as from_f32,
};

/// Of a NaN, GPUs keep other bits here than from `f32`.
#[inline(always)]
pub(super) fn from_f64(x: f64) -> u16 {
    if x.is_nan() {
        0x7fff
    } else {
        raw::f64_to_f16_rn(x)
    }
}

/// Two at once, the first in the low half.
#[inline(always)]
pub(super) fn from_f32s(low: f32, high: f32) -> u32 {
    if arch() >= 80 {
        raw::f32s_to_f16x2_rn(low, high)
    } else {
        u32::from(from_f32(high)) << 16 | u32::from(from_f32(low))
    }
}

/// All bits of the exponent: what is above, without the sign, is not a number.
pub(super) const INFINITE: u16 = 0x7c00;

#[inline(always)]
pub(super) fn min(a: u16, b: u16) -> u16 {
    if arch() >= 80 {
        raw::f16_min(a, b)
    } else {
        super::bits::extreme(a, b, INFINITE, 0)
    }
}

#[inline(always)]
pub(super) fn max(a: u16, b: u16) -> u16 {
    if arch() >= 80 {
        raw::f16_max(a, b)
    } else {
        super::bits::extreme(a, b, INFINITE, -1)
    }
}

#[inline(always)]
pub(super) fn min2(a: u32, b: u32) -> u32 {
    if arch() >= 80 {
        raw::f16x2_min(a, b)
    } else {
        super::bits::halves(a, b, min)
    }
}

#[inline(always)]
pub(super) fn max2(a: u32, b: u32) -> u32 {
    if arch() >= 80 {
        raw::f16x2_max(a, b)
    } else {
        super::bits::halves(a, b, max)
    }
}
