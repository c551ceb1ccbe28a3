//! Which types may cross between host and kernel.
//!
//! [`Plain`]: elements of buffers and of shared memory. [`KernelArg`]: what is passed by value. [`SliceElement`]: what a kernel may
//! see through `&[T]`.

use core::sync::atomic;

use crate::layout;

/// Any bit pattern is a value, and no value points anywhere: the element of a buffer, a slice or a shared tile.
///
/// Implemented for the integers, `f32`, `f64` and arrays of them; `#[derive(Plain)]` adds structs.
///
/// # Safety
/// Every bit pattern of `size_of::<Self>()` bytes is a valid value, there are no padding bytes, and the type holds no pointer,
/// reference or handle. The layout is the same on host and device: `repr(C)` or `repr(transparent)`.
///
/// ```
/// fn bytes<T: warploom_device_std::Plain>(n: usize) -> usize { n * size_of::<T>() }
/// assert_eq!(bytes::<[f32; 4]>(2), 32);
/// ```
/// ```compile_fail,E0277
/// fn bytes<T: warploom_device_std::Plain>(n: usize) -> usize { n * size_of::<T>() }
/// bytes::<&u32>(2); // a pointer of the host means nothing to a kernel
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data: it cannot be an element of a buffer or of shared memory",
    label = "not plain data",
    note = "plain are the integers, `f32`, `f64`, arrays of them, and `#[repr(C)]` structs of them with `#[derive(Plain)]`",
    note = "for `bool` and `char` use `u8` and `u32`: a buffer may hold any bit pattern"
)]
pub unsafe trait Plain: Copy + Send + Sync + 'static {
    /// Fingerprint of names and places of the fields, which a launch compares with that of the device code.
    #[doc(hidden)]
    const LAYOUT: u64 = layout::opaque::<Self>();
}

/// What a kernel may take by value.
///
/// All [`Plain`] types, `bool`, `char`; `#[derive(KernelArg)]` adds structs whose fields are arguments themselves.
///
/// # Safety
/// The layout is the same on host and device (`repr(C)`, `repr(transparent)`, or a primitive type) and no value holds a pointer,
/// reference or handle.
///
/// ```compile_fail,E0277
/// fn pass<T: warploom_device_std::KernelArg>(_: T) {}
/// pass(String::from("host memory"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    label = "not a kernel argument",
    note = "pass buffers as slices; for a struct of numbers, `bool` and `char` add `#[derive(Clone, Copy, KernelArg)]` and `#[repr(C)]`"
)]
pub unsafe trait KernelArg: Copy + 'static {
    /// Fingerprint of names and places of the fields, which a launch compares with that of the device code.
    #[doc(hidden)]
    const LAYOUT: u64 = layout::opaque::<Self>();
}

/// What a kernel may see through `&[T]`: plain data, which no thread writes meanwhile, or atomics, which any thread may write.
///
/// # Safety
/// Same size, alignment and valid bit patterns as [`SliceElement::Plain`]; [`SliceElement::READ_ONLY`] only if there is no interior
/// mutability: a kernel may then load the slice through the read-only cache.
///
/// ```
/// use warploom_device_std::SliceElement;
/// const { assert!(<u32 as SliceElement>::READ_ONLY) };
/// const { assert!(!<std::sync::atomic::AtomicU32 as SliceElement>::READ_ONLY) };
/// ```
#[diagnostic::on_unimplemented(
    message = "a kernel cannot read a slice of `{Self}`",
    label = "not an element that a kernel may read through `&[_]`",
    note = "elements are plain data (see `Plain`) or atomics: `AtomicU32`, `AtomicI32`, `AtomicU64`, `AtomicI64`, `AtomicF32`, `AtomicF64`"
)]
pub unsafe trait SliceElement: Sync + 'static {
    /// The plain type of the same layout: `u32` for `AtomicU32`, `T` itself for plain data.
    type Plain: Plain;
    /// Whether nothing can change behind a shared reference.
    const READ_ONLY: bool;
}

macro_rules! plain {
    ($($ty:ty)*) => {$(
        // SAFETY: a primitive number without padding; each bit pattern is a value.
        unsafe impl Plain for $ty {
            const LAYOUT: u64 = layout::name(stringify!($ty));
        }
    )*};
}
plain!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

// SAFETY: an array adds no padding, and its elements are plain.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {
    const LAYOUT: u64 = layout::with(T::LAYOUT, N as u128);
}

// SAFETY: plain types have one layout on both sides and hold no pointer.
unsafe impl<T: Plain> KernelArg for T {
    const LAYOUT: u64 = <T as Plain>::LAYOUT;
}
// SAFETY: one byte, 0 or 1, on both sides; the host's value is valid and is copied as it is.
unsafe impl KernelArg for bool {
    const LAYOUT: u64 = layout::name("bool");
}
// SAFETY: four bytes on both sides; the host's value is valid and is copied as it is.
unsafe impl KernelArg for char {
    const LAYOUT: u64 = layout::name("char");
}

// SAFETY: `T` is its own plain type; `Copy` types have no interior mutability (`UnsafeCell` is not `Copy`).
unsafe impl<T: Plain> SliceElement for T {
    type Plain = T;
    const READ_ONLY: bool = {
        let _ = T::LAYOUT;
        true
    };
}

macro_rules! atomic_element {
    ($($atomic:ty = $plain:ty),* $(,)?) => {$(
        // SAFETY: an atomic has size, alignment and bit patterns of its number; checked below.
        unsafe impl SliceElement for $atomic {
            type Plain = $plain;
            const READ_ONLY: bool = false;
        }
        const _: () = assert!(size_of::<$atomic>() == size_of::<$plain>() && align_of::<$atomic>() == align_of::<$plain>());
    )*};
}
atomic_element! {
    atomic::AtomicU32 = u32, atomic::AtomicI32 = i32,
    atomic::AtomicU64 = u64, atomic::AtomicI64 = i64,
}
