//! Static shared memory without phases: raw, with atomics for the safe part.

use super::{element_outside, refuse_oversized};
use crate::atomic::{AtomicF32, AtomicF64};
use crate::const_text::Text;
use crate::scope::Scope;
use crate::{Plain, intrinsics as raw};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};

/// `N` elements of static shared memory, raw. Made by [`shared_array!`](crate::shared_array).
///
/// Starts with an unspecified value. The elements are the same in all threads of a block and different in each block.
/// CUDA: `__shared__ T array[N]`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DisjointSlice, Index1D, shared_array};
/// use core::sync::atomic::Ordering::Relaxed;
/// fn histogram(i: Index1D, block: Block, x: &[u8], mut y: DisjointSlice<u32>) {
///     let bins = shared_array!(u32, 256);
///     bins.atomic(block.thread()).store(0, Relaxed);
///     block.sync();
///     bins.atomic(x[i.get()] as usize).fetch_add(1, Relaxed);
///     block.sync();
///     if let Some(y) = y.get_mut(i) {
///         *y = bins.atomic(block.thread()).load(Relaxed);
///     }
/// }
/// # let (x, mut y) = (vec![7u8; 512], vec![0u32; 512]);
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [2, 1, 1], block: [256, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     histogram(Index1D::from_launch(), Block::from_launch(), &x,
/// #         DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!((y[7], y[8], y[256 + 7]), (256, 0, 256));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// The array ends with the block:
/// ```compile_fail,E0716
/// use warploom_device_std::shared_array;
/// fn kernel() -> &'static core::sync::atomic::AtomicU32 {
///     let bins: warploom_device_std::SharedArray<'static, u32, 8> = shared_array!(u32, 8);
///     bins.atomic(0)
/// }
/// ```
/// and so do the parts that the macro makes it of:
/// ```compile_fail,E0716
/// use std::cell::Cell;
/// use warploom_device_std::{shared::RawArray, shared_array};
/// thread_local! { static KEPT: Cell<Option<RawArray<'static, u32, 8>>> = const { Cell::new(None) } }
/// fn kernel() {
///     let bins: warploom_device_std::SharedArray<'static, u32, 8> = shared_array!(u32, 8);
///     KEPT.set(Some(bins.raw));
/// }
/// ```
/// ```compile_fail,E0133
/// let raw = warploom_device_std::shared::RawArray::<'static, u32, 8>::of(|| ());
/// ```
pub struct SharedArray<'a, T: Plain, const N: usize> {
    #[doc(hidden)]
    pub scope: &'a Scope,
    #[doc(hidden)]
    pub raw: RawArray<'a, T, N>,
}

impl<T: Plain, const N: usize> Clone for SharedArray<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Plain, const N: usize> Copy for SharedArray<'_, T, N> {}

impl<'a, T: Plain, const N: usize> SharedArray<'a, T, N> {
    /// The number of elements.
    #[inline(always)]
    #[must_use]
    pub const fn len(self) -> usize {
        N
    }

    /// Whether there are no elements.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        N == 0
    }

    /// The first element. What goes through the pointer is up to the caller.
    #[inline(always)]
    #[must_use]
    pub fn as_ptr(self) -> *mut T {
        self.raw.start
    }

    /// Reads element `i`.
    ///
    /// # Panics
    /// When `i` is not below `N`.
    ///
    /// # Safety
    /// No other thread writes the element at the same time, not even atomically: a barrier lies between.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn get(self, i: usize) -> T {
        // SAFETY: within the array (checked), aligned, holds some value (`T` is plain); the caller excludes races.
        unsafe { self.raw.at(i).read() }
    }

    /// Writes element `i`.
    ///
    /// # Panics
    /// When `i` is not below `N`.
    ///
    /// # Safety
    /// No other thread accesses the element at the same time, not even atomically: a barrier lies between.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn set(self, i: usize, value: T) {
        // SAFETY: within the array (checked) and aligned; the caller excludes races.
        unsafe { self.raw.at(i).write(value) }
    }

    /// Element `i` as an atomic.
    ///
    /// # Panics
    /// When `i` is not below `N`. On the emulator also when the array was named in asynchronous code whose state is not on the thread's stack:
    /// that may outlive the block and its memory. Name the array in a function that is not `async`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn atomic(self, i: usize) -> &'a T::Atomic
    where
        T: AtomicElement,
    {
        #[cfg(not(warploom_device))]
        if !self.scope.is_of_this_thread() {
            misused(
                "a `shared_array!` in asynchronous code whose state is not on the thread's stack, and may outlive the block; \
                 use it in a function that is not `async`",
            );
        }
        #[cfg(not(warploom_device))]
        if !self.scope.is_of_array(self.raw.number) {
            // The parts are public, for the macro: those of an array of a block that is over would get another frame.
            misused(
                "a `SharedArray` made of the parts of two; use the arrays as `shared_array!` returns them",
            );
        }
        // SAFETY: within the array (checked); same size as `T` and no larger alignment than the array's 16; valid as long as the block runs,
        // which the frame behind `'a` does not outlive; the caller of each non-atomic access promised that it does not race.
        unsafe { &*self.raw.at(i).cast::<T::Atomic>() }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
#[cfg(not(warploom_device))]
#[expect(
    clippy::panic,
    reason = "a kernel reports misuse by a panic, which the host gets as an error"
)]
fn misused(how: &'static str) -> ! {
    panic!("{how}")
}

/// The address behind a [`SharedArray`], valid as long as the frame that made it.
#[doc(hidden)]
pub struct RawArray<'a, T: Plain, const N: usize> {
    start: *mut T,
    /// That of the frame.
    #[cfg(not(warploom_device))]
    number: u64,
    frame: PhantomData<&'a Scope>,
}

impl<T: Plain, const N: usize> Clone for RawArray<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Plain, const N: usize> Copy for RawArray<'_, T, N> {}

impl<T: Plain, const N: usize> RawArray<'_, T, N> {
    /// The array of the place in the program that the type of `_site` names: a closure, which has a type of its own everywhere.
    ///
    /// # Safety
    /// The result is used in the block that runs, and no longer.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn of<Site: Fn() + 'static>(_site: Site) -> Self {
        const {
            refuse_oversized::<T, N>(
                Text::new().with("a shared array has "),
                " elements",
                "take a smaller array",
            );
        };
        RawArray {
            start: raw::shared_site::<T, N, Site>().cast(),
            #[cfg(not(warploom_device))]
            number: warploom_emulator::intrinsics::latest_frame(),
            frame: PhantomData,
        }
    }

    /// The array whose start `map` gives.
    #[inline(always)]
    #[must_use]
    pub(crate) fn mapped(self, map: impl FnOnce(*mut T) -> *mut T) -> Self {
        RawArray {
            start: map(self.start),
            ..self
        }
    }

    #[inline(always)]
    #[track_caller]
    fn at(self, i: usize) -> *mut T {
        if i >= N {
            element_outside(i, N);
        }
        // SAFETY: within the array.
        unsafe { self.start.add(i) }
    }
}

/// Numbers of which a shared array can hand out atomics.
///
/// ```
/// use warploom_device_std::SharedArray;
/// use std::sync::atomic::Ordering::Relaxed;
/// fn count(bins: SharedArray<'_, u32, 64>, value: u32) {
///     bins.atomic(value as usize % 64).fetch_add(1, Relaxed); // `u32` is an `AtomicElement`
/// }
/// ```
pub trait AtomicElement: Plain + sealed::Sealed {
    /// The atomic of the same size and alignment.
    type Atomic: Sync;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! atomic_elements {
    ($($plain:ty = $atomic:ty),* $(,)?) => {$(
        impl sealed::Sealed for $plain {}
        impl AtomicElement for $plain {
            type Atomic = $atomic;
        }
        const _: () = assert!(size_of::<$plain>() == size_of::<$atomic>() && align_of::<$atomic>() <= 16);
    )*};
}
atomic_elements!(
    u32 = AtomicU32,
    i32 = AtomicI32,
    u64 = AtomicU64,
    i64 = AtomicI64,
    f32 = AtomicF32,
    f64 = AtomicF64
);

//@ rows: MS-5, GVAR-7
/// Static shared memory: `shared_array!(f32, 256)` is a [`SharedArray`] of 256 `f32`, one per block and place in the program.
///
/// Rows of two dimensions are elements that are arrays: `shared_array!([f32; 17], 16)`. There is no initial value:
/// ```compile_fail
/// let tile = warploom_device_std::shared_array!(u32, 4, [0; 4]);
/// ```
#[macro_export]
macro_rules! shared_array {
    ($element:ty, $len:expr) => {
        $crate::SharedArray {
            // SAFETY: a temporary of the frame in which the macro stands; the borrow keeps it there.
            scope: &unsafe { $crate::scope::Scope::of_array() },
            // SAFETY: the array has one lifetime for both, which the scope keeps to the frame.
            raw: unsafe { $crate::shared::RawArray::<'_, $element, { $len }>::of(|| ()) },
        }
    };
}
