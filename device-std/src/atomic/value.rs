//! Which types have which atomic operations.

use crate::{Plain, arch, intrinsics as raw};

mod sealed {
    pub trait Sealed {}
}

/// Values that can be loaded and stored as one; with the right number of bits also exchanged.
///
/// 8 bits and 16 bits: load, store; 16 bits: compare-exchange; 32, 64 and 128 bits: all, swap included. Implemented for integers and
/// floats; implement it for a struct of your own to exchange it as one.
///
/// # Safety
/// The type has the size of [`Bits`](Self::Bits), and at least its alignment. (Both are also checked when an operation is compiled.)
///
/// ```
/// use warploom_device_std::{Plain, atomic::{AcqRel, Acquire, Atomic, AtomicValue, Relaxed}};
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// #[repr(C, align(16))]
/// struct Best { score: f64, index: u64 }
/// // SAFETY: 16 bytes without padding, each pattern of bits is a value; aligned to 16.
/// unsafe impl Plain for Best {}
/// // SAFETY: as above.
/// unsafe impl AtomicValue for Best { type Bits = u128; }
/// let best = Atomic::<Best>::new(Best { score: 1.0, index: 7 });
/// let _ = best.fetch_update(AcqRel, Acquire, |b| (b.score < 2.5).then_some(Best { score: 2.5, index: 9 }));
/// assert_eq!(best.load(Relaxed).index, 9);
/// ```
/// Without the alignment it does not compile:
/// ```compile_fail,E0080
/// use warploom_device_std::{Plain, atomic::{Atomic, AtomicValue, Relaxed}};
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Best { score: f64, index: u64 } // aligned to 8
/// unsafe impl Plain for Best {}
/// unsafe impl AtomicValue for Best { type Bits = u128; }
/// Atomic::<Best>::new(Best { score: 1.0, index: 7 }).load(Relaxed);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be loaded and stored as one",
    note = "numbers of 8, 16, 32, 64 and 128 bits can; for a struct of that size and alignment implement `AtomicValue`"
)]
pub unsafe trait AtomicValue: Plain {
    /// The unsigned integer of the same size.
    type Bits: AtomicInt;
}

/// `u8`, `u16`, `u32`, `u64`, `u128`.
///
/// ```
/// use warploom_device_std::atomic::AtomicInt;
/// fn bytes<T: AtomicInt>() -> usize {
///     size_of::<T>()
/// }
/// assert_eq!((bytes::<u8>(), bytes::<u128>()), (1, 16));
/// ```
pub trait AtomicInt: Plain + PartialEq + sealed::Sealed {
    /// # Safety
    /// As `intrinsics::atomic_load_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn load(p: *mut Self, how: u32) -> Self;
    /// # Safety
    /// As `intrinsics::atomic_store_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn store(p: *mut Self, v: Self, how: u32);
}

/// Sizes that can be compared and exchanged: `u16`, `u32`, `u64`, `u128`.
///
/// ```
/// use warploom_device_std::atomic::ExchangeInt;
/// fn bytes<T: ExchangeInt>() -> usize {
///     size_of::<T>()
/// }
/// assert_eq!((bytes::<u16>(), bytes::<u128>()), (2, 16));
/// ```
#[diagnostic::on_unimplemented(
    message = "no GPU compares and exchanges as few bits as `{Self}` has"
)]
pub trait ExchangeInt: AtomicInt {
    /// # Safety
    /// As `intrinsics::atomic_cas_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn exchange(p: *mut Self, c: Self, v: Self, how: u32) -> Self;
}

/// Sizes that can be swapped: `u32`, `u64`, `u128`.
///
/// ```
/// use warploom_device_std::atomic::SwapInt;
/// fn bytes<T: SwapInt>() -> usize {
///     size_of::<T>()
/// }
/// assert_eq!((bytes::<u32>(), bytes::<u128>()), (4, 16));
/// ```
#[diagnostic::on_unimplemented(message = "no GPU swaps as few bits as `{Self}` has")]
pub trait SwapInt: AtomicInt {
    /// # Safety
    /// As `intrinsics::atomic_swap_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn swap(p: *mut Self, v: Self, how: u32) -> Self;
}

macro_rules! ints {
    ($($int:ident: $load:ident $store:ident $($exchange:ident $($swap:ident)?)?;)*) => {$(
        impl sealed::Sealed for $int {}
        impl AtomicInt for $int {
            #[inline(always)]
            unsafe fn load(p: *mut Self, how: u32) -> Self {
                // SAFETY: the caller's.
                unsafe { raw::$load(p, how) }
            }
            #[inline(always)]
            unsafe fn store(p: *mut Self, v: Self, how: u32) {
                // SAFETY: the caller's.
                unsafe { raw::$store(p, v, how) }
            }
        }
        $(impl ExchangeInt for $int {
            #[inline(always)]
            unsafe fn exchange(p: *mut Self, c: Self, v: Self, how: u32) -> Self {
                // SAFETY: the caller's.
                unsafe { raw::$exchange(p, c, v, how) }
            }
        }
        $(impl SwapInt for $int {
            #[inline(always)]
            unsafe fn swap(p: *mut Self, v: Self, how: u32) -> Self {
                // SAFETY: the caller's.
                unsafe { raw::$swap(p, v, how) }
            }
        })?)?
    )*};
}
ints! {
    u8: atomic_load_u8 atomic_store_u8;
    u16: atomic_load_u16 atomic_store_u16 atomic_cas_u16;
    u32: atomic_load_u32 atomic_store_u32 atomic_cas_u32 atomic_swap_u32;
    u64: atomic_load_u64 atomic_store_u64 atomic_cas_u64 atomic_swap_u64;
    u128: atomic_load_u128 atomic_store_u128 atomic_cas_u128 atomic_swap_u128;
}

macro_rules! values {
    ($($ty:ty as $bits:ty),*) => {$(
        // SAFETY: a number of this size and alignment on all hosts and devices (checked where it is used).
        unsafe impl AtomicValue for $ty { type Bits = $bits; }
    )*};
}
values!(
    u8 as u8, i8 as u8, u16 as u16, i16 as u16, u32 as u32, i32 as u32, u64 as u64, i64 as u64
);
values!(u128 as u128, i128 as u128, f32 as u32, f64 as u64);

//@ rows: AT-1
/// Numbers to which can be added: `i32`, `u32`, `i64`, `u64`, `f32`, `f64`; each lane for itself `[f32; 2]` and `[f32; 4]`.
///
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{Atomic, Relaxed};
/// Atomic::<u16>::new(0).fetch_add(1, Relaxed); // PTX has no such instruction
/// ```
#[diagnostic::on_unimplemented(
    message = "no GPU adds to `{Self}` atomically",
    note = "GPUs add to `i32`, `u32`, `i64`, `u64`, `f32`, `f64`, half floats, and lane by lane to `[f32; 2]` and `[f32; 4]`"
)]
pub trait AtomicAdd: Plain {
    /// # Safety
    /// As `intrinsics::atomic_fetch_add_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn add(p: *mut Self, v: Self, how: u32) -> Self;
    /// # Safety
    /// As `intrinsics::atomic_fetch_sub_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn sub(p: *mut Self, v: Self, how: u32) -> Self;
}

/// Numbers with operations on bits: `i32`, `u32`, `i64`, `u64`.
///
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{Atomic, Relaxed};
/// Atomic::<f32>::new(0.0).fetch_or(1.0, Relaxed);
/// ```
#[diagnostic::on_unimplemented(
    message = "no GPU combines the bits of `{Self}` atomically",
    note = "GPUs do so with `i32`, `u32`, `i64`, `u64`"
)]
pub trait AtomicBits: Plain {
    /// # Safety
    /// As `intrinsics::atomic_fetch_and_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn and(p: *mut Self, v: Self, how: u32) -> Self;
    /// # Safety
    /// As `intrinsics::atomic_fetch_or_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn or(p: *mut Self, v: Self, how: u32) -> Self;
    /// # Safety
    /// As `intrinsics::atomic_fetch_xor_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn xor(p: *mut Self, v: Self, how: u32) -> Self;
}

/// Numbers with a minimum and a maximum: `i32`, `u32`, `i64`, `u64`.
///
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{Atomic, Relaxed};
/// Atomic::<f64>::new(0.0).fetch_min(1.0, Relaxed);
/// ```
#[diagnostic::on_unimplemented(
    message = "no GPU takes the minimum or maximum of `{Self}` atomically",
    note = "GPUs do so with `i32`, `u32`, `i64`, `u64`; write others with `fetch_update`"
)]
pub trait AtomicMinMax: Plain {
    /// # Safety
    /// As `intrinsics::atomic_fetch_min_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn min(p: *mut Self, v: Self, how: u32) -> Self;
    /// # Safety
    /// As `intrinsics::atomic_fetch_max_u32`.
    #[doc(hidden)]
    #[cfg_attr(not(warploom_device), track_caller)]
    unsafe fn max(p: *mut Self, v: Self, how: u32) -> Self;
}

macro_rules! methods {
    ($($(#[$doc:meta])* $method:ident($int:ty) = $raw:ident;)*) => {$(
        #[inline(always)]
        unsafe fn $method(p: *mut Self, v: Self, how: u32) -> Self {
            // SAFETY: the caller's; an integer of the same size.
            unsafe { raw::$raw(p.cast::<$int>(), v as $int, how) as Self }
        }
    )*};
}

macro_rules! integers {
    ($($ty:ty as $bits:ty: $add:ident $sub:ident $and:ident $or:ident $xor:ident $min:ident $max:ident;)*) => {$(
        impl AtomicAdd for $ty { methods! { add($bits) = $add; sub($bits) = $sub; } }
        impl AtomicBits for $ty { methods! { and($bits) = $and; or($bits) = $or; xor($bits) = $xor; } }
        impl AtomicMinMax for $ty { methods! { min($ty) = $min; max($ty) = $max; } }
    )*};
}
integers! {
    u32 as u32: atomic_fetch_add_u32 atomic_fetch_sub_u32 atomic_fetch_and_u32 atomic_fetch_or_u32 atomic_fetch_xor_u32
        atomic_fetch_min_u32 atomic_fetch_max_u32;
    i32 as u32: atomic_fetch_add_u32 atomic_fetch_sub_u32 atomic_fetch_and_u32 atomic_fetch_or_u32 atomic_fetch_xor_u32
        atomic_fetch_min_i32 atomic_fetch_max_i32;
    u64 as u64: atomic_fetch_add_u64 atomic_fetch_sub_u64 atomic_fetch_and_u64 atomic_fetch_or_u64 atomic_fetch_xor_u64
        atomic_fetch_min_u64 atomic_fetch_max_u64;
    i64 as u64: atomic_fetch_add_u64 atomic_fetch_sub_u64 atomic_fetch_and_u64 atomic_fetch_or_u64 atomic_fetch_xor_u64
        atomic_fetch_min_i64 atomic_fetch_max_i64;
}

macro_rules! floats {
    ($($ty:ty: $add:ident;)*) => {$(
        impl AtomicAdd for $ty {
            #[inline(always)]
            unsafe fn add(p: *mut Self, v: Self, how: u32) -> Self {
                // SAFETY: the caller's.
                unsafe { raw::$add(p, v, how) }
            }
            #[inline(always)]
            unsafe fn sub(p: *mut Self, v: Self, how: u32) -> Self {
                // SAFETY: the caller's.
                unsafe { raw::$add(p, -v, how) }
            }
        }
    )*};
}
floats! { f32: atomic_fetch_add_f32; f64: atomic_fetch_add_f64; }

macro_rules! float_vectors {
    ($($n:literal: $add:ident($($i:literal)*);)*) => {$(
        impl AtomicAdd for [f32; $n] {
            #[inline(always)]
            unsafe fn add(p: *mut Self, v: Self, how: u32) -> Self {
                let mut before = [0.0; $n];
                let p = p.cast::<f32>();
                // One instruction, where there is one: compute capability 9.0, global memory, aligned. Elsewhere as many as lanes,
                // which is the same: only the lanes are atomic.
                if arch() >= 90 && p.addr() % size_of::<Self>() == 0 && raw::is_global(p.cast()) {
                    // SAFETY: the caller's; global and aligned, as was just seen.
                    unsafe { raw::$add(p, $(v[$i],)* before.as_mut_ptr(), how) };
                } else {
                    // SAFETY: the caller's; lane `i` lies within.
                    $(before[$i] = unsafe { raw::atomic_fetch_add_f32(p.add($i), v[$i], how) };)*
                }
                before
            }
            #[inline(always)]
            unsafe fn sub(p: *mut Self, v: Self, how: u32) -> Self {
                // SAFETY: the caller's.
                unsafe { Self::add(p, v.map(|v| -v), how) }
            }
        }
    )*};
}
float_vectors! {
    2: atomic_fetch_add_f32x2(0 1);
    4: atomic_fetch_add_f32x4(0 1 2 3);
}
