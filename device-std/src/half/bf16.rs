//! `Bf16` as bits: instructions from 8.0, wider arithmetic with one rounding before.
//!
//! 8.0 has `fma` alone; sums and products are its special cases. `f32` has more than twice the bits of a `Bf16`, so that rounding a sum,
//! product, quotient or root to `f32` first does not change what it is rounded to then.

use crate::arch;
use crate::intrinsics as raw;

pub(super) const INFINITE: u16 = 0x7f80;
const ONE: u16 = 0x3f80;
const MINUS_ONE: u16 = 0xbf80;
const MINUS_ZERO: u16 = 0x8000;

/// The same number in both halves.
const fn both(x: u16) -> u32 {
    (x as u32) << 16 | x as u32
}

#[inline(always)]
pub(super) fn to_f32(x: u16) -> f32 {
    f32::from_bits(u32::from(x) << 16)
}

#[inline(always)]
pub(super) fn from_f32(x: f32) -> u16 {
    if arch() >= 80 {
        raw::f32_to_bf16_rn(x)
    } else if x.is_nan() {
        0x7fff
    } else {
        // A carry out of the significand is the next exponent, up to infinity.
        let bits = x.to_bits();
        ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
    }
}

/// Two at once, the first in the low half.
#[inline(always)]
pub(super) fn from_f32s(low: f32, high: f32) -> u32 {
    if arch() >= 80 {
        raw::f32s_to_bf16x2_rn(low, high)
    } else {
        u32::from(from_f32(high)) << 16 | u32::from(from_f32(low))
    }
}

/// Rounds to `f32` so that nothing is lost for the next rounding: what is between two numbers becomes the one with an odd last bit.
#[inline(always)]
pub(super) fn from_f64(x: f64) -> u16 {
    let near = x as f32;
    let (wide, bits) = (f64::from(near), near.to_bits());
    let exact = wide == x || x.is_nan() || bits & 1 == 1;
    from_f32(match exact {
        true => near,
        false if x.abs() > wide.abs() => f32::from_bits(bits + 1),
        false => f32::from_bits(bits - 1),
    })
}

#[inline(always)]
pub(super) fn add(a: u16, b: u16) -> u16 {
    if arch() >= 80 {
        raw::bf16_fma(a, ONE, b)
    } else {
        from_f32(to_f32(a) + to_f32(b))
    }
}

#[inline(always)]
pub(super) fn sub(a: u16, b: u16) -> u16 {
    if arch() >= 80 {
        raw::bf16_fma(b, MINUS_ONE, a)
    } else {
        from_f32(to_f32(a) - to_f32(b))
    }
}

#[inline(always)]
pub(super) fn mul(a: u16, b: u16) -> u16 {
    if arch() >= 80 {
        raw::bf16_fma(a, b, MINUS_ZERO)
    } else {
        from_f32(to_f32(a) * to_f32(b))
    }
}

#[inline(always)]
pub(super) fn fma(a: u16, b: u16, c: u16) -> u16 {
    if arch() >= 80 {
        return raw::bf16_fma(a, b, c);
    }
    // The product is exact in f64. Of the sum, `rest` is what rounding lost: if anything, the result is made odd, as in `from_f64`.
    let product = f64::from(to_f32(a)) * f64::from(to_f32(b));
    let c = f64::from(to_f32(c));
    let sum = product + c;
    let of_c = sum - product;
    let rest = (product - (sum - of_c)) + (c - of_c);
    let bits = sum.to_bits();
    let exact = rest == 0.0 || bits & 1 == 1 || !sum.is_finite();
    from_f64(match exact {
        true => sum,
        false if (rest > 0.0) == (sum > 0.0) => f64::from_bits(bits + 1),
        false => f64::from_bits(bits - 1),
    })
}

#[inline(always)]
pub(super) fn min(a: u16, b: u16) -> u16 {
    if arch() >= 80 {
        raw::bf16_min(a, b)
    } else {
        super::bits::extreme(a, b, INFINITE, 0)
    }
}

#[inline(always)]
pub(super) fn max(a: u16, b: u16) -> u16 {
    if arch() >= 80 {
        raw::bf16_max(a, b)
    } else {
        super::bits::extreme(a, b, INFINITE, -1)
    }
}

#[inline(always)]
pub(super) fn add2(a: u32, b: u32) -> u32 {
    if arch() >= 80 {
        raw::bf16x2_fma(a, both(ONE), b)
    } else {
        super::bits::halves(a, b, add)
    }
}

#[inline(always)]
pub(super) fn sub2(a: u32, b: u32) -> u32 {
    if arch() >= 80 {
        raw::bf16x2_fma(b, both(MINUS_ONE), a)
    } else {
        super::bits::halves(a, b, sub)
    }
}

#[inline(always)]
pub(super) fn mul2(a: u32, b: u32) -> u32 {
    if arch() >= 80 {
        raw::bf16x2_fma(a, b, both(MINUS_ZERO))
    } else {
        super::bits::halves(a, b, mul)
    }
}

#[inline(always)]
pub(super) fn fma2(a: u32, b: u32, c: u32) -> u32 {
    if arch() >= 80 {
        return raw::bf16x2_fma(a, b, c);
    }
    let low = fma(a as u16, b as u16, c as u16);
    let high = fma((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}

#[inline(always)]
pub(super) fn min2(a: u32, b: u32) -> u32 {
    if arch() >= 80 {
        raw::bf16x2_min(a, b)
    } else {
        super::bits::halves(a, b, min)
    }
}

#[inline(always)]
pub(super) fn max2(a: u32, b: u32) -> u32 {
    if arch() >= 80 {
        raw::bf16x2_max(a, b)
    } else {
        super::bits::halves(a, b, max)
    }
}
