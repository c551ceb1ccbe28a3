//! Statics in managed memory.

use super::{StaticName, StaticValue};
use core::cell::UnsafeCell;
use core::ops::Deref;

/// A static in managed memory; made by [`managed_static!`](crate::managed_static). In kernels it derefs to `T`.
///
/// # Panics
/// In host code the deref panics: the host asks a device for the static by `device.managed(&NAME)?`.
///
/// ```should_panic
/// # use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// warploom_device_std::managed_static! { static TOTAL: AtomicU32 = AtomicU32::new(10); }
/// TOTAL.load(Relaxed); // static `…::TOTAL` is in device memory, and this is host code: …
/// ```
/// Declared by the macro alone, because its memory is made by name:
/// ```compile_fail,E0133
/// use warploom_device_std::statics::{ManagedStatic, StaticName};
/// let name = StaticName { path: "other::TOTAL", file: "src/lib.rs", line: 1, column: 1 };
/// ManagedStatic::<std::sync::atomic::AtomicU64>::__new(name, 0.into());
/// ```
#[repr(C)]
#[derive(Debug)]
pub struct ManagedStatic<T: StaticValue> {
    /// Where the memory is. The runtime writes it when it loads the device code; behind it stands the initial value.
    #[cfg(warploom_device)]
    address: UnsafeCell<*const T>,
    #[cfg(not(warploom_device))]
    name: StaticName,
    value: UnsafeCell<T>,
}

// SAFETY: `T` is `Sync`; the address is written before the first kernel runs.
unsafe impl<T: StaticValue> Sync for ManagedStatic<T> {}

impl<T: StaticValue> ManagedStatic<T> {
    #[cfg(not(warploom_device))]
    /// # Safety
    /// Called by the macro that declares the static: the device linker and the runtime know it by this name.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn __new(name: StaticName, value: T) -> Self {
        ManagedStatic {
            name,
            value: UnsafeCell::new(value),
        }
    }

    #[cfg(warploom_device)]
    /// # Safety
    /// Called by the macro that declares the static: the device linker and the runtime know it by this name.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn __new(value: T) -> Self {
        ManagedStatic {
            address: UnsafeCell::new(core::ptr::null()),
            value: UnsafeCell::new(value),
        }
    }

    /// Under which name the device code has it.
    #[doc(hidden)]
    #[must_use]
    pub fn name(&self) -> StaticName {
        #[cfg(not(warploom_device))]
        return self.name;
        #[cfg(warploom_device)]
        super::constant::NO_NAME
    }

    /// Where the emulator has it.
    #[doc(hidden)]
    #[must_use]
    pub fn emulated(&self) -> *const T {
        self.value.get()
    }
}

impl<T: StaticValue> Deref for ManagedStatic<T> {
    type Target = T;

    #[inline(always)]
    #[track_caller]
    fn deref(&self) -> &T {
        #[cfg(not(warploom_device))]
        {
            self.name.check_in_kernel("device.managed");
            // SAFETY: initialised; changes go through atomics or unsafe functions of `T`.
            unsafe { &*self.value.get() }
        }
        #[cfg(warploom_device)]
        // SAFETY: the runtime put the address of initialised memory there before the kernel started; the rest as on the host.
        unsafe {
            &**self.address.get()
        }
    }
}

/// Statics in managed memory, in the form of ordinary statics: `managed_static! { static TOTAL: AtomicU32 = AtomicU32::new(10); }`
/// declares a [`ManagedStatic`]. CUDA: `__managed__`.
///
/// Host and kernels use the same memory, at the same address: kernels by the static's name, the host through
/// `device.managed(&TOTAL)?`, which may be used while kernels run. For that the GPU must allow access from both sides at once
/// (compute capability 6.0 and above on Linux); on others the launch is refused. The type is one of atomics and
/// [`DeviceCell`](crate::DeviceCell)s.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use warploom_device_std::{Index1D, managed_static};
/// managed_static! {
///     static TOTAL: AtomicU32 = AtomicU32::new(10);
/// }
/// fn add(i: Index1D, x: &[u32]) {
///     TOTAL.fetch_add(x[i.get()], Relaxed);
/// }
/// # let x = Vec::from_iter(0..64u32);
/// # let shape = Shape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe { add(Index1D::from_launch(), &x) })?;
/// # assert_eq!(unsafe { (*TOTAL.emulated()).load(Relaxed) }, 10 + 63 * 32);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// References and plain values, which host and kernels would change under each other, are refused:
/// ```compile_fail,E0277
/// warploom_device_std::managed_static! { static TOTAL: u32 = 10; }
/// ```
#[macro_export]
macro_rules! managed_static {
    ($($(#[$attr:meta])* $vis:vis static $name:ident: $ty:ty = $init:expr;)+) => {$(
        $crate::__static_item!("managed", $(#[$attr])* $vis $name: ManagedStatic<$ty> = $init);
    )+};
}
