//! Buffers as atomics, for kernels whose threads write the same elements.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};

use warploom_device_std::atomic::{Atomic, Scope};
use warploom_device_std::{AtomicF32, AtomicF64, Plain};

use super::DeviceBuffer;
use crate::view::DeviceSlice;

/// Elements that have an atomic form of the same size: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`.
pub trait AtomicElement: Plain + sealed::Sealed {
    /// The atomic form.
    type Atomic: Sync;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! atomic_elements {
    ($($plain:ty => $atomic:ty,)*) => { $(
        impl sealed::Sealed for $plain {}
        impl AtomicElement for $plain {
            type Atomic = $atomic;
        }
    )* };
}

atomic_elements! {
    u32 => AtomicU32,
    i32 => AtomicI32,
    u64 => AtomicU64,
    i64 => AtomicI64,
    f32 => AtomicF32,
    f64 => AtomicF64,
}

impl<T: AtomicElement> DeviceBuffer<T> {
    /// All elements as atomics, for kernels whose threads write the same elements. Kernels take it as `&[AtomicU32]`.
    ///
    /// Borrows the buffer exclusively: while the view is there, no one reads the elements in another way.
    ///
    /// ```compile_fail,E0502
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut counts = device.zeroed::<u32>(256).unwrap();
    /// let (atomics, plain) = (counts.as_atomic(), counts.as_slice());
    /// drop((atomics, plain));
    /// ```
    /// ```
    /// # use std::sync::atomic::AtomicU32;
    /// # use warploom_runtime::DeviceSlice;
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut counts = device.zeroed::<u32>(256)?;
    /// let view: DeviceSlice<'_, AtomicU32> = counts.as_atomic();
    /// assert_eq!(view.len(), 256);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn as_atomic(&mut self) -> DeviceSlice<'_, T::Atomic> {
        const {
            assert!(size_of::<T>() == size_of::<T::Atomic>());
        }
        // SAFETY: the memory holds `len` elements of the same size, aligned to 256 bytes; `self` is borrowed exclusively, so
        // that all other accesses come before or after.
        unsafe { DeviceSlice::new(&self.buffer, self.buffer.start().cast(), self.len) }
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// All elements as [`Atomic`]s of any type and scope. Kernels take it as `&[Atomic<T, S>]`.
    ///
    /// Borrows the buffer exclusively: while the view is there, no one reads the elements in another way.
    ///
    /// ```
    /// # use warploom_device_std::atomic::{Atomic, scope};
    /// # use warploom_runtime::DeviceSlice;
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut flags = device.zeroed::<u16>(256)?;
    /// let view: DeviceSlice<'_, Atomic<u16, scope::System>> = flags.as_atomics();
    /// assert_eq!(view.len(), 256);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn as_atomics<S: Scope>(&mut self) -> DeviceSlice<'_, Atomic<T, S>> {
        // SAFETY: the memory holds `len` elements of the same layout; `self` is borrowed exclusively, so that all other accesses
        // come before or after.
        unsafe { DeviceSlice::new(&self.buffer, self.buffer.start().cast(), self.len) }
    }
}
