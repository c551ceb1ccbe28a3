//! Hints as types, and the widths that a load or store can have.

use crate::{Plain, intrinsics as raw};
use core::mem::MaybeUninit;

mod sealed {
    pub trait Sealed {}
}

/// How a load is cached. Hints are types: a store's hint does not compile.
///
/// ```
/// use warploom_device_std::memory::{LoadHint, Streaming, load};
/// fn first<H: LoadHint>(x: &[f32], hint: H) -> f32 {
///     // SAFETY: a reference to a whole element.
///     unsafe { load(&raw const x[0], hint) }
/// }
/// assert_eq!(first(&[3.0], Streaming), 3.0);
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not a hint for loads")]
pub trait LoadHint: Copy + sealed::Sealed {
    /// Number of PTX's operator.
    #[doc(hidden)]
    const CODE: u32;
}

/// How a store is cached. Hints are types: a load's hint does not compile.
///
/// ```
/// use warploom_device_std::memory::{StoreHint, Streaming, store};
/// fn set<H: StoreHint>(x: &mut f32, hint: H) {
///     // SAFETY: a reference to a whole element.
///     unsafe { store(x, 3.0, hint) }
/// }
/// let mut x = 0.0;
/// set(&mut x, Streaming);
/// assert_eq!(x, 3.0);
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not a hint for stores")]
pub trait StoreHint: Copy + sealed::Sealed {
    /// Number of PTX's operator.
    #[doc(hidden)]
    const CODE: u32;
}

macro_rules! hints {
    ($($(#[$doc:meta])* $name:ident: $($what:ident = $code:literal)*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;
        impl sealed::Sealed for $name {}
        $(impl $what for $name {
            const CODE: u32 = $code;
        })*
    )*};
}

hints! {
    /// Cached at all levels: likely to be read again. CUDA: `__ldca`. PTX: `.ca`.
    CacheAll: LoadHint = 0;
    /// Cached in the second level only. CUDA: `__ldcg`, `__stcg`. PTX: `.cg`.
    CacheGlobal: LoadHint = 1 StoreHint = 1;
    /// Likely to be accessed once: the first to be evicted. CUDA: `__ldcs`, `__stcs`. PTX: `.cs`.
    Streaming: LoadHint = 2 StoreHint = 2;
    /// Not needed any more after this. CUDA: `__ldlu`. PTX: `.lu`.
    LastUse: LoadHint = 3;
    /// Not cached: fetched again each time. CUDA: `__ldcv`. PTX: `.cv`.
    Volatile: LoadHint = 4;
    /// Through the read-only cache, which does not see writes. CUDA: `__ldg`. PTX: `ld.global.nc`.
    ReadOnly: LoadHint = 5;
    /// Written back at all levels, as usual. CUDA: `__stwb`. PTX: `.wb`.
    WriteBack: StoreHint = 0;
    /// Written through to the system's memory. CUDA: `__stwt`. PTX: `.wt`.
    WriteThrough: StoreHint = 3;
}

/// What one load or store can move: numbers of 8 to 64 bits, and 2 or 4 of them. Not 3.
///
/// ```
/// use warploom_device_std::memory::{Access, ldg};
/// fn read<T: Access>(x: &T) -> T {
///     ldg(x)
/// }
/// assert_eq!(read(&[1.0f32, 2.0]), [1.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "no load or store has the shape of `{Self}`",
    note = "there are those of a number of 8 to 64 bits and of 2 or 4 such numbers; pad 3 to 4"
)]
pub trait Access: Plain + sealed::Sealed {}

/// Types that a load or store moves as one: `accesses!(Float2, Float4)`. They have 1, 2, 4, 8, 16 or 32 bytes.
macro_rules! accesses {
    ($($ty:ty),* $(,)?) => {$(
        impl sealed::Sealed for $ty {}
        impl Access for $ty {}
        const _: () = assert!(size_of::<$ty>().is_power_of_two() && size_of::<$ty>() <= 32);
    )*};
}
accesses!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
accesses!([u8; 2], [i8; 2], [u16; 2], [i16; 2], [u32; 2], [i32; 2]);
accesses!([u64; 2], [i64; 2], [f32; 2], [f64; 2]);
accesses!([u8; 4], [i8; 4], [u16; 4], [i16; 4], [u32; 4], [i32; 4]);
accesses!([u64; 4], [i64; 4], [f32; 4], [f64; 4]);

/// # Safety
/// As [`super::load`].
#[inline(always)]
pub(super) unsafe fn load<T: Access>(p: *const T, hint: u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let out = value.as_mut_ptr();
    // An `[u8; 4]` may be less aligned here than a `u32`, hence `write_unaligned`.
    macro_rules! read {
        ($word:ty, $value:expr) => {{
            // SAFETY: the caller's promise.
            let word = unsafe { $value };
            // SAFETY: the whole of `value`, whose size is that of the word.
            unsafe { out.cast::<$word>().write_unaligned(word) }
        }};
    }
    match size_of::<T>() {
        1 => read!(u8, raw::load_hinted_u8(p.cast(), hint)),
        2 => read!(u16, raw::load_hinted_u16(p.cast(), hint)),
        4 => read!(u32, raw::load_hinted_u32(p.cast(), hint)),
        8 => read!(u64, raw::load_hinted_u64(p.cast(), hint)),
        16 => read!([u64; 2], wide(p.cast(), hint)),
        _ => {
            let p = p.cast::<u64>();
            // SAFETY: 32 bytes behind `p`.
            let upper = unsafe { p.add(2) };
            // SAFETY: the caller's promise.
            let low = unsafe { wide(p, hint) };
            read!([[u64; 2]; 2], [low, wide(upper, hint)]);
        }
    }
    // SAFETY: each branch wrote the whole of `value`.
    unsafe { value.assume_init() }
}

/// # Safety
/// As `intrinsics::load_hinted_u128`.
#[inline(always)]
unsafe fn wide(p: *const u64, hint: u32) -> [u64; 2] {
    let mut out = [0; 2];
    // SAFETY: the caller's; `out` has 16 bytes.
    unsafe { raw::load_hinted_u128(p, out.as_mut_ptr(), hint) };
    out
}

/// # Safety
/// As [`super::store`].
#[inline(always)]
pub(super) unsafe fn store<T: Access>(p: *mut T, value: T, hint: u32) {
    let from = &raw const value;
    // Each branch reads the whole of `value`, whose alignment may be smaller than the word's.
    macro_rules! write {
        ($store:ident, $word:ty) => {{
            // SAFETY: the whole of `value`, whose size is that of the word.
            let word = unsafe { from.cast::<$word>().read_unaligned() };
            // SAFETY: the caller's promise.
            unsafe { raw::$store(p.cast(), word, hint) }
        }};
    }
    match size_of::<T>() {
        1 => write!(store_hinted_u8, u8),
        2 => write!(store_hinted_u16, u16),
        4 => write!(store_hinted_u32, u32),
        8 => write!(store_hinted_u64, u64),
        16 => {
            // SAFETY: the whole of `value`.
            let two = unsafe { from.cast::<[u64; 2]>().read_unaligned() };
            // SAFETY: the caller's promise.
            unsafe { raw::store_hinted_u128(p.cast(), two.as_ptr(), hint) };
        }
        _ => {
            // SAFETY: the whole of `value`.
            let [low, high] = unsafe { from.cast::<[[u64; 2]; 2]>().read_unaligned() };
            let p = p.cast::<u64>();
            // SAFETY: 32 bytes behind `p`.
            let upper = unsafe { p.add(2) };
            // SAFETY: the caller's promise.
            unsafe { raw::store_hinted_u128(p, low.as_ptr(), hint) };
            // SAFETY: the caller's promise.
            unsafe { raw::store_hinted_u128(upper, high.as_ptr(), hint) };
        }
    }
}
