//! Ties what a kernel gets to one thread of one launch, by a lifetime.
//!
//! A witness that carried the lifetime `'static` could be kept in a thread-local and found there by another thread of the emulator.
//! The code around a kernel's body therefore owns a [`Scope`] and hands every witness through [`Scope::tie`]: the lifetime is then
//! that of a local variable, whatever the kernel's author writes.

use core::marker::PhantomData;

/// The frame of one kernel thread. Made by macros only.
#[doc(hidden)]
pub struct Scope {
    _one_thread: PhantomData<*mut ()>,
    /// Which array it is the frame of, and an address of its own; 0 for that of a kernel thread.
    #[cfg(not(warploom_device))]
    number: u64,
}

impl Scope {
    /// # Safety
    /// The value is a local of a kernel thread's frame and is dropped with it: it is neither leaked nor stored.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn new() -> Self {
        Scope {
            _one_thread: PhantomData,
            #[cfg(not(warploom_device))]
            number: 0,
        }
    }

    /// The frame of one shared array.
    ///
    /// # Safety
    /// As [`Scope::new`]. The array is made next: it takes the number of the latest frame.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn of_array() -> Self {
        Scope {
            _one_thread: PhantomData,
            #[cfg(not(warploom_device))]
            number: warploom_emulator::intrinsics::next_frame(),
        }
    }

    /// Whether it is the frame of the array that took this number.
    #[cfg(not(warploom_device))]
    #[inline(always)]
    pub(crate) fn is_of_array(&self, number: u64) -> bool {
        self.number == number
    }

    /// Whether it lies in the stack of the thread that runs: not in the state of asynchronous code, which may outlive the thread.
    #[cfg(not(warploom_device))]
    #[inline(always)]
    pub(crate) fn is_of_this_thread(&self) -> bool {
        warploom_emulator::intrinsics::is_on_own_stack(core::ptr::from_ref(self).cast())
    }

    /// Gives `witness` the lifetime of this frame.
    ///
    /// ```compile_fail,E0597
    /// use warploom_device_std::{Index1D, scope::Scope};
    /// type Kept = Index1D<'static>; // no macro sees through this name; the frame's lifetime does
    /// fn body(_: Kept) {}
    /// # #[allow(clippy::undocumented_unsafe_blocks)]
    /// fn around() {
    ///     unsafe {
    ///         let scope = Scope::new();
    ///         body(scope.tie(<Kept>::from_launch()));
    ///     }
    /// }
    /// ```
    #[doc(hidden)]
    #[inline(always)]
    pub fn tie<'k, W: Tied<'k>>(&'k self, witness: W) -> W {
        witness
    }

    /// The slice of `len` elements at `data`, with the lifetime of this frame, whatever an attribute made of the body's parameters:
    ///
    /// ```compile_fail,E0597
    /// use warploom_device_std::scope::Scope;
    /// fn body(_: &'static [f32]) {}
    /// # #[allow(clippy::undocumented_unsafe_blocks)]
    /// fn around(data: *const f32) {
    ///     unsafe {
    ///         let scope = Scope::new();
    ///         body(Scope::slice(&scope, data, 4));
    ///     }
    /// }
    /// ```
    ///
    /// # Safety
    /// As [`core::slice::from_raw_parts`], for as long as this frame lives.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn slice<T>(&self, data: *const T, len: usize) -> &[T] {
        // SAFETY: the caller's promise.
        unsafe { core::slice::from_raw_parts(data, len) }
    }
}

/// What [`Scope::tie`] takes: types that carry the lifetime of a kernel thread.
#[doc(hidden)]
pub trait Tied<'k> {}

/// Invariant in `'k`, neither `Send` nor `Sync`: belongs to one thread of one launch.
///
/// ```compile_fail,E0277
/// fn needs_send<T: Send>() {}
/// needs_send::<warploom_device_std::Index1D<'static>>();
/// ```
/// ```compile_fail,E0277
/// fn needs_sync<T: Sync>() {}
/// needs_sync::<warploom_device_std::Index1D<'static>>();
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brand<'k> {
    _thread: PhantomData<*mut ()>,
    _launch: PhantomData<fn(&'k ()) -> &'k ()>,
}

impl Brand<'_> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Brand {
            _thread: PhantomData,
            _launch: PhantomData,
        }
    }
}
