//! Additions of half floats, on their bits; and the macro that gives them to the types.

use crate::half::{Bf16, Bf16x2, F16, F16x2};
use crate::{arch, intrinsics as raw};

/// Makes half floats, or pairs of them, atomic: the last number is the sign's bits.
macro_rules! half_atomics {
    ($($ty:ty as $bits:ty: $add:ident, $sign:literal;)*) => {$(
        // SAFETY: the bits of a half float, or of two, with the integer's size and alignment (checked where it is used).
        unsafe impl $crate::atomic::AtomicValue for $ty { type Bits = $bits; }
        impl $crate::atomic::AtomicAdd for $ty {
            #[inline(always)]
            unsafe fn add(p: *mut Self, v: Self, how: u32) -> Self {
                // SAFETY: the caller's; `AtomicValue` says that both types have the same bits.
                unsafe {
                    let v = ::core::mem::transmute::<Self, $bits>(v);
                    ::core::mem::transmute::<$bits, Self>($crate::atomic::half::$add(p.cast(), v, how))
                }
            }
            #[inline(always)]
            unsafe fn sub(p: *mut Self, v: Self, how: u32) -> Self {
                // SAFETY: as above; the sign is a bit of its own.
                unsafe {
                    let v = ::core::mem::transmute::<Self, $bits>(v) ^ $sign;
                    ::core::mem::transmute::<$bits, Self>($crate::atomic::half::$add(p.cast(), v, how))
                }
            }
        }
    )*};
}
half_atomics! {
    F16 as u16: add_f16, 0x8000;
    F16x2 as u32: add_f16x2, 0x8000_8000;
    Bf16 as u16: add_bf16, 0x8000;
    Bf16x2 as u32: add_bf16x2, 0x8000_8000;
}

/// # Safety
/// As `intrinsics::atomic_fetch_add_f16`.
#[inline(always)]
pub unsafe fn add_f16(p: *mut u16, v: u16, how: u32) -> u16 {
    // SAFETY: the caller's.
    unsafe { raw::atomic_fetch_add_f16(p, v, how) }
}

/// # Safety
/// As `intrinsics::atomic_fetch_add_f16x2`.
#[inline(always)]
pub unsafe fn add_f16x2(p: *mut u32, v: u32, how: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { raw::atomic_fetch_add_f16x2(p, v, how) }
}

macro_rules! bfloat_adds {
    ($($name:ident $bits:ty, $native:ident, $load:ident, $exchange:ident, $sum:ident;)*) => {$(
        /// One instruction from compute capability 9.0 on, a loop around a compare-exchange before, with the same result.
        ///
        /// # Safety
        /// As the intrinsic of this name.
        #[inline(always)]
        pub unsafe fn $name(p: *mut $bits, v: $bits, how: u32) -> $bits {
            if arch() == 0 || arch() >= 90 {
                // SAFETY: the caller's.
                return unsafe { raw::$native(p, v, how) };
            }
            // SAFETY: the caller's; scope is the last two bits, so this is a relaxed load.
            let mut before = unsafe { raw::$load(p, how & 3) };
            loop {
                // SAFETY: the caller's.
                let found = unsafe { raw::$exchange(p, before, $sum(before, v), how) };
                if found == before {
                    return before;
                }
                before = found;
            }
        }
    )*};
}
bfloat_adds! {
    add_bf16 u16, atomic_fetch_add_bf16, atomic_load_u16, atomic_cas_u16, sum;
    add_bf16x2 u32, atomic_fetch_add_bf16x2, atomic_load_u32, atomic_cas_u32, sums;
}

/// The sum of two `bfloat16`, rounded to nearest, ties to even: rounding to `f32` before does not change it, since 24 ≥ 2 × 8 + 2.
#[inline(always)]
fn sum(a: u16, b: u16) -> u16 {
    let sum = f32::from_bits(u32::from(a) << 16) + f32::from_bits(u32::from(b) << 16);
    if sum.is_nan() {
        return 0x7fff;
    }
    let bits = sum.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

#[inline(always)]
fn sums(a: u32, b: u32) -> u32 {
    u32::from(sum((a >> 16) as u16, (b >> 16) as u16)) << 16 | u32::from(sum(a as u16, b as u16))
}
