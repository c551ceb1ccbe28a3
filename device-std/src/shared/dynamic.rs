//! Shared memory whose size the launch decides: raw.

use super::element_outside;
use crate::scope::{Brand, Tied};
use crate::{Plain, intrinsics as raw};

/// The shared memory whose size the launch decides, seen as elements of `T`; raw. A kernel parameter, or
/// [`dynamic_shared!`](crate::dynamic_shared).
///
/// Every use in a kernel sees the same bytes, from their start. Starts with an unspecified value, aligned to 128 bytes.
/// Parts of several types are cut by [`carve`](Self::carve). CUDA: `extern __shared__`.
///
/// ```
/// use warploom_device_std::DynamicShared;
/// fn words(shared: DynamicShared<u32>) -> usize {
///     shared.len() // as many as the launch gave bytes for, by four
/// }
/// ```
pub struct DynamicShared<'k, T: Plain> {
    start: *mut T,
    len: usize,
    _brand: Brand<'k>,
}

impl<T: Plain> Clone for DynamicShared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Plain> Copy for DynamicShared<'_, T> {}

impl<'k, T: Plain> Tied<'k> for DynamicShared<'k, T> {}

impl<T: Plain> DynamicShared<'_, T> {
    /// The number of whole elements that the launch gave each block.
    #[inline(always)]
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether the launch gave less than one element.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The first element. What goes through the pointer is up to the caller.
    #[inline(always)]
    #[must_use]
    pub fn as_ptr(self) -> *mut T {
        self.start
    }

    /// Reads element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    ///
    /// # Safety
    /// Called in the launch that this value comes from. No other thread writes the element's bytes at the same time.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn get(self, i: usize) -> T {
        // SAFETY: within the memory (checked), aligned, holds some value (`T` is plain); the caller excludes races.
        unsafe { self.at(i).read() }
    }

    /// Writes element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    ///
    /// # Safety
    /// Called in the launch that this value comes from. No other thread accesses the element's bytes at the same time.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn set(self, i: usize, value: T) {
        // SAFETY: within the memory (checked) and aligned; the caller excludes races.
        unsafe { self.at(i).write(value) }
    }

    #[inline(always)]
    #[track_caller]
    fn at(self, i: usize) -> *mut T {
        if i >= self.len {
            element_outside(i, self.len);
        }
        // Wrapping, because nothing here promises that the launch still runs.
        self.start.wrapping_add(i)
    }

    /// `len` elements from `start`.
    #[inline(always)]
    pub(super) fn part(start: *mut T, len: usize) -> Self {
        DynamicShared {
            start,
            len,
            _brand: Brand::new(),
        }
    }

    /// The dynamic shared memory of this block.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn of_block() -> Self {
        const {
            assert!(
                size_of::<T>() > 0 && align_of::<T>() <= 128,
                "dynamic shared memory is aligned to 128 bytes"
            )
        };
        // SAFETY: nothing is read or written here.
        let start = unsafe { raw::dynamic_shared() };
        DynamicShared {
            start: start.cast(),
            len: raw::dynamic_shared_bytes() as usize / size_of::<T>(),
            _brand: Brand::new(),
        }
    }

    /// # Safety
    /// Called by the code around a kernel.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        Self::of_block()
    }
}

/// Dynamic shared memory: `dynamic_shared!(f32)` is a [`DynamicShared`] of `f32`.
#[macro_export]
macro_rules! dynamic_shared {
    ($element:ty) => {
        $crate::DynamicShared::<'_, $element>::of_block()
    };
}
