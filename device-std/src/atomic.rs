//! Atomics of every width, order and scope: [`Atomic`]. Those of `core::sync::atomic` work in kernels as they are, at the scope of the
//! system.
//!
//! [`AtomicF32`] and [`AtomicF64`] are floats that take `core`'s orders; [`atomic_add`] is one name for adding to any of these.

mod cell; // the one type
#[doc(hidden)]
pub mod half; // additions of half floats
pub mod legacy; // CUDA's names
mod lock; // a lock that threads spin on
mod order; // memory orders as types
pub mod scope; // for whom an operation is atomic
mod value; // which types have which operations

pub use cell::{Atomic, Scoped, fence};
pub use lock::{SpinGuard, SpinLock, SpinLoop, spin_wait};
pub use order::{
    AcqRel, Acquire, FenceOrder, LoadOrder, Order, Relaxed, Release, SeqCst, StoreOrder,
};
pub use scope::Scope;
pub use value::{
    AtomicAdd, AtomicBits, AtomicInt, AtomicMinMax, AtomicValue, ExchangeInt, SwapInt,
};

use crate::{SliceElement, intrinsics as raw};
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

            /// The address of the value.
            #[inline(always)]
            #[must_use]
            pub const fn as_ptr(&self) -> *mut $float {
                self.0.get()
            }

            #[inline(always)]
            fn bits(&self) -> &$bits {
                // SAFETY: same size and alignment (checked below); valid as long as `self`; every access through it is atomic.
                unsafe { <$bits>::from_ptr(self.0.get().cast()) }
            }
        }

        // SAFETY: `repr(transparent)` over the number, whose every bit pattern is a value.
        unsafe impl SliceElement for $name {
            type Plain = $float;
            const READ_ONLY: bool = false;
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
    /// use warploom_device_std::AtomicF32;
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
/// use warploom_device_std::{atomic_add, lane};
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
///
/// ```
/// use warploom_device_std::AtomicF32;
/// use warploom_device_std::atomic::Add;
/// fn count(total: &impl Add<Value = f32>) {
///     total.add_relaxed(1.0);
/// }
/// let total = AtomicF32::new(2.0);
/// count(&total);
/// assert_eq!(total.load(std::sync::atomic::Ordering::Relaxed), 3.0);
/// ```
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

/// Orders the thread's accesses before and after it, as seen by its block. CUDA: `__threadfence_block`. PTX: `fence.sc.cta`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::threadfence_block;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     threadfence_block();
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn threadfence_block() {
    fence(SeqCst, scope::Block);
}

/// Orders the thread's accesses before and after it, as seen by the device. CUDA: `__threadfence`. PTX: `fence.sc.gpu`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::threadfence;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     threadfence();
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn threadfence() {
    fence(SeqCst, scope::Device);
}

/// Orders the thread's accesses before and after it, as seen by the device, other devices and the host. CUDA: `__threadfence_system`. PTX:
/// `fence.sc.sys`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::threadfence_system;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     threadfence_system();
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn threadfence_system() {
    fence(SeqCst, scope::System);
}
