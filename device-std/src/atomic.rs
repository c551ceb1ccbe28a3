//! Atomics: those of `core::sync::atomic` work in kernels as they are; here are floating point numbers and one name for adding.

use crate::intrinsics as raw;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

macro_rules! atomic_float {
    ($(#[$doc:meta])* $name:ident, $float:ty, $bits:ty, $add:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name(UnsafeCell<$float>);

        // SAFETY: every access through a shared reference is atomic.
        unsafe impl Sync for $name {}

        impl $name {
            /// A number in memory of its own.
            #[must_use]
            pub const fn new(value: $float) -> Self {
                Self(UnsafeCell::new(value))
            }

            /// The value now.
            #[inline(always)]
            #[must_use]
            pub fn load(&self, order: Ordering) -> $float {
                <$float>::from_bits(self.bits().load(order))
            }

            /// Replaces the value.
            #[inline(always)]
            pub fn store(&self, value: $float, order: Ordering) {
                self.bits().store(value.to_bits(), order);
            }

            /// Adds `value` in one step and returns the sum before; relaxed, as seen by the whole device.
            ///
            /// The order in which threads add is not fixed, so a sum of many may differ from run to run in its last digits.
            /// CUDA: `atomicAdd`. Compute capability: 3.0 for `f32`, 6.0 for `f64`.
            #[inline(always)]
            pub fn fetch_add(&self, value: $float) -> $float {
                // SAFETY: the pointer is aligned and valid as long as `self`, whose every access is atomic.
                unsafe { raw::$add(self.0.get(), value) }
            }

            #[inline(always)]
            fn bits(&self) -> &$bits {
                // SAFETY: same size and alignment (checked below); valid as long as `self`; every access through it is atomic.
                unsafe { <$bits>::from_ptr(self.0.get().cast()) }
            }
        }

        const _: () = assert!(size_of::<$float>() == size_of::<$bits>() && align_of::<$float>() == align_of::<$bits>());

        impl From<$float> for $name {
            fn from(value: $float) -> Self {
                Self::new(value)
            }
        }

        impl Add for $name {
            type Value = $float;
            #[inline(always)]
            fn add_relaxed(&self, value: $float) -> $float {
                self.fetch_add(value)
            }
        }
    };
}

atomic_float! {
    /// An `f32` that many threads may add to. Same layout as `f32`.
    ///
    /// ```
    /// # use warploom_emulator::{run, Shape};
    /// use warploom_device::AtomicF32;
    /// use std::sync::atomic::Ordering;
    /// let sum = AtomicF32::new(0.0);
    /// # let shape = Shape { grid: [3, 1, 1], block: [50, 1, 1], dynamic_shared_bytes: 0, workers: None };
    /// run(shape, &|| { sum.fetch_add(1.0); })?; // 3 blocks of 50 threads
    /// assert_eq!(sum.load(Ordering::Relaxed), 150.0);
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    AtomicF32, f32, AtomicU32, atomic_add_f32
}
atomic_float! {
    /// An `f64` that many threads may add to. Same layout as `f64`.
    AtomicF64, f64, AtomicU64, atomic_add_f64
}

/// Adds `value` to `target` in one step and returns the value before; relaxed, as seen by the whole device. Integers wrap.
///
/// For `AtomicU32`, `AtomicI32`, `AtomicU64`, [`AtomicF32`] and [`AtomicF64`]. CUDA: `atomicAdd`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device::{atomic_add, lane};
/// use std::sync::atomic::AtomicU32;
/// let sum = AtomicU32::new(0);
/// # let shape = Shape { grid: [1, 1, 1], block: [64, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| { atomic_add(&sum, lane()); })?; // two warps
/// assert_eq!(sum.into_inner(), 2 * 31 * 32 / 2);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn atomic_add<A: Add>(target: &A, value: A::Value) -> A::Value {
    target.add_relaxed(value)
}

/// What [`atomic_add`] adds to.
pub trait Add: Sync {
    /// The number inside.
    type Value;
    /// Adds `value` in one step and returns the value before.
    fn add_relaxed(&self, value: Self::Value) -> Self::Value;
}

macro_rules! add {
    ($($atomic:ty, $value:ty, $add:ident;)*) => {$(
        impl Add for $atomic {
            type Value = $value;
            #[inline(always)]
            fn add_relaxed(&self, value: $value) -> $value {
                // SAFETY: the pointer is aligned and valid as long as `self`, whose every access is atomic.
                unsafe { raw::$add(self.as_ptr(), value) }
            }
        }
    )*};
}
add! {
    AtomicU32, u32, atomic_add_u32;
    AtomicI32, i32, atomic_add_i32;
    AtomicU64, u64, atomic_add_u64;
}
