//! Loads and stores that say how they want to be cached, prefetches, and copies by a whole block.
//!
//! Caching is a hint: it changes no result. Ordinary reads and writes need none of this, and the compiler uses the read-only cache for
//! a kernel's `&[T]` by itself.

mod access; // which types, and how wide
mod copy; // by all threads of a block

pub use access::{
    Access, CacheAll, CacheGlobal, LastUse, LoadHint, ReadOnly, StoreHint, Streaming, Volatile,
    WriteBack, WriteThrough,
};
pub use copy::copy_block;

use crate::intrinsics as raw;

/// Reads an element of a slice that no thread writes while the kernel runs.
///
/// An ordinary read: where `x` comes from a kernel's own `&[T]`, the compiler knows that it is read-only and loads it through the
/// read-only cache. It decides, because it can prove that; [`load`] with [`ReadOnly`] leaves the proof to you. CUDA: `__ldg`. PTX:
/// `ld.global.nc`, 3.1. Compute capability: 3.5.
///
/// ```
/// assert_eq!(warploom_device_std::memory::ldg(&[1.5_f32, 2.0][1]), 2.0);
/// ```
/// Vectors have 2 or 4 elements:
/// ```compile_fail,E0277
/// warploom_device_std::memory::ldg(&[1.5_f32, 2.0, 3.0]);
/// ```
#[inline(always)]
#[must_use]
pub fn ldg<T: Access>(x: &T) -> T {
    *x
}

/// Reads `*p` with a hint: [`CacheAll`], [`CacheGlobal`], [`Streaming`], [`LastUse`], [`Volatile`], [`ReadOnly`].
///
/// One instruction for up to 16 bytes, two for 32. CUDA: `__ldca`, `__ldcg`, `__ldcs`, `__ldlu`, `__ldcv`, `__ldg`. PTX: `ld.ca` …
/// `ld.global.nc`, 2.0.
///
/// # Safety
/// `p` is valid for reads and aligned to the size of `T` (to 16 if that is 32), no thread writes `*p` at the same time, and for
/// [`ReadOnly`] it lies in global memory and no thread writes it while the kernel runs.
///
/// ```
/// use warploom_device_std::memory::{Streaming, load};
/// let x = 7_u16;
/// // SAFETY: valid and aligned, and no thread writes it.
/// assert_eq!(unsafe { load(&raw const x, Streaming) }, 7);
/// ```
/// ```compile_fail,E0277
/// use warploom_device_std::memory::{Streaming, load};
/// let x = [1_u32, 2, 3];
/// unsafe { load(&raw const x, Streaming) }; // no load has three elements
/// ```
/// ```compile_fail,E0277
/// use warploom_device_std::memory::{WriteThrough, load};
/// let x = 1_u32;
/// unsafe { load(&raw const x, WriteThrough) }; // a hint for stores
/// ```
#[inline(always)]
#[must_use]
pub unsafe fn load<T: Access, H: LoadHint>(p: *const T, _hint: H) -> T {
    // SAFETY: the caller's.
    unsafe { access::load(p, H::CODE) }
}

/// Writes `*p` with a hint: [`WriteBack`], [`CacheGlobal`], [`Streaming`], [`WriteThrough`].
///
/// One instruction for up to 16 bytes, two for 32. CUDA: `__stwb`, `__stcg`, `__stcs`, `__stwt`. PTX: `st.wb`, `st.cg`, `st.cs`,
/// `st.wt`, 2.0.
///
/// # Safety
/// `p` is valid for writes and aligned to the size of `T` (to 16 if that is 32), and no other thread accesses `*p` at the same time.
///
/// ```
/// use warploom_device_std::memory::{WriteThrough, store};
/// let mut x = 0_u64;
/// // SAFETY: valid and aligned, and no other thread accesses it.
/// unsafe { store(&raw mut x, 9, WriteThrough) };
/// assert_eq!(x, 9);
/// ```
#[inline(always)]
pub unsafe fn store<T: Access, H: StoreHint>(p: *mut T, value: T, _hint: H) {
    // SAFETY: the caller's.
    unsafe { access::store(p, value, H::CODE) }
}

/// Asks for the cache line of `x` in the second-level cache. A hint. PTX: `prefetch.L2`, 2.0. Nothing for a type without bytes: its address
/// is a number, on which the compiler of driver 580 crashes.
///
/// ```
/// let x = [1_u32, 2];
/// warploom_device_std::memory::prefetch_l2(&x[1]);
/// ```
#[inline(always)]
pub fn prefetch_l2<T>(x: &T) {
    if size_of::<T>() > 0 {
        // SAFETY: a reference points into memory of the kernel.
        unsafe { raw::prefetch_l2(core::ptr::from_ref(x).cast()) }
    }
}

/// Asks for the cache line of `x` in the first-level cache. A hint. PTX: `prefetch.L1`, 2.0. Nothing for a type without bytes.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::memory::prefetch_l1;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     let x = [1.0f32; 4];
///     prefetch_l1(&x);
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn prefetch_l1<T>(x: &T) {
    if size_of::<T>() > 0 {
        // SAFETY: a reference points into memory of the kernel.
        unsafe { raw::prefetch_l1(core::ptr::from_ref(x).cast()) }
    }
}
