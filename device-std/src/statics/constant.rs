//! Statics in constant memory.

use super::{Static, StaticName, sealed};
use crate::Plain;
use core::cell::UnsafeCell;
use core::ops::Deref;
#[cfg(not(warploom_device))]
use core::sync::atomic::{AtomicPtr, Ordering};

/// The device pass does not use it.
#[cfg(warploom_device)]
pub(super) const NO_NAME: StaticName = StaticName {
    path: "",
    file: "",
    line: 0,
    column: 0,
};

/// A static in constant memory; made by [`constant_static!`](crate::constant_static). In kernels it derefs to `T`.
///
/// # Panics
/// In host code the deref panics: the host asks a device for the static by `device.symbol(&NAME)?`.
///
/// ```should_panic
/// warploom_device_std::constant_static! { static SCALE: f32 = 2.0; }
/// let _ = *SCALE; // static `…::SCALE` is in device memory, and this is host code: …
/// ```
#[cfg_attr(warploom_device, repr(transparent))]
#[derive(Debug)]
pub struct ConstantStatic<T: Plain> {
    #[cfg(not(warploom_device))]
    name: StaticName,
    /// What the host wrote last; null if it never did. Never freed: a kernel of the emulator may have kept a reference.
    #[cfg(not(warploom_device))]
    written: AtomicPtr<T>,
    /// The cell keeps the compiler from reading the initial value at build time.
    value: UnsafeCell<T>,
}

// SAFETY: `T` is `Sync`; no code of a program writes the cell: the host changes it between kernels, on the emulator by `written`.
unsafe impl<T: Plain> Sync for ConstantStatic<T> {}

impl<T: Plain> ConstantStatic<T> {
    #[cfg(not(warploom_device))]
    /// # Safety
    /// Called by the macro that declares the static: the device linker and the runtime know it by this name.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn __new(name: StaticName, value: T) -> Self {
        const {
            assert!(
                size_of::<T>() <= CONSTANT_BYTES,
                "constant memory has 65536 bytes"
            )
        };
        ConstantStatic {
            name,
            written: AtomicPtr::new(core::ptr::null_mut()),
            value: UnsafeCell::new(value),
        }
    }

    #[cfg(warploom_device)]
    /// # Safety
    /// Called by the macro that declares the static: the device linker and the runtime know it by this name.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn __new(value: T) -> Self {
        ConstantStatic {
            value: UnsafeCell::new(value),
        }
    }

    #[inline(always)]
    fn current(&self) -> *const T {
        #[cfg(not(warploom_device))]
        {
            let written = self.written.load(Ordering::Acquire);
            if !written.is_null() {
                return written;
            }
        }
        self.value.get()
    }
}

/// Bytes of constant memory that the statics of one image have at most, on every GPU.
#[cfg(not(warploom_device))]
const CONSTANT_BYTES: usize = 65_536;

impl<T: Plain> Deref for ConstantStatic<T> {
    type Target = T;

    #[inline(always)]
    #[track_caller]
    fn deref(&self) -> &T {
        #[cfg(not(warploom_device))]
        self.name.check_in_kernel("device.symbol");
        // SAFETY: initialised; not written while a kernel runs, and never on the emulator.
        unsafe { &*self.current() }
    }
}

impl<T: Plain> sealed::Sealed for ConstantStatic<T> {}

impl<T: Plain> Static for ConstantStatic<T> {
    type Plain = T;

    fn name(&self) -> StaticName {
        #[cfg(not(warploom_device))]
        return self.name;
        #[cfg(warploom_device)]
        NO_NAME
    }

    fn is_constant(&self) -> bool {
        true
    }

    fn emulated(&self) -> *const u8 {
        self.current().cast()
    }

    fn emulated_value(&self) -> T {
        // SAFETY: initialised, and never written.
        unsafe { *self.current() }
    }

    fn set_emulated_value(&self, value: T, keep: &dyn Fn(T) -> &'static T) {
        #[cfg(not(warploom_device))]
        {
            let kept: *const T = keep(value);
            self.written.store(kept.cast_mut(), Ordering::Release);
        }
        #[cfg(warploom_device)]
        let _ = (value, keep);
    }
}

//@ rows: MS-2
/// Statics in constant memory, in the form of ordinary statics: `constant_static! { static COEF: [f32; 16] = [0.0; 16]; }` declares a
/// [`ConstantStatic`]. CUDA: `__constant__`.
///
/// Kernels read it, fastest where all threads of a warp read one element. The host writes it between kernels through
/// `device.symbol(&COEF)?`; a static that no kernel of the program uses has no memory on a GPU, so that asking for it is an error
/// there. The type is [`Plain`]. All constant statics that one kernel uses have at most 65536 bytes together. The emulator keeps every
/// value that was ever written, because a reference to it may have been kept.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice, Index1D, constant_static};
/// constant_static! {
///     /// Highest power first.
///     static COEF: [f32; 3] = [1.0, 0.0, -1.0];
/// }
/// fn horner(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
///     if let Some(y) = y.get_mut(i) {
///         *y = COEF.iter().fold(0.0, |sum, c| sum * x[i.get()] + c);
///     }
/// }
/// # let (x, mut y) = (vec![3.0f32; 32], vec![0f32; 32]);
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     horner(Index1D::from_launch(), &x, DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!(y[31], 8.0);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Kernels do not write it:
/// ```compile_fail,E0594
/// warploom_device_std::constant_static! { static COEF: [f32; 3] = [0.0; 3]; }
/// fn kernel() { COEF[0] = 1.0; }
/// ```
/// nor hide a cell in it:
/// ```compile_fail,E0277
/// warploom_device_std::constant_static! { static COUNT: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0); }
/// ```
/// More than constant memory has:
/// ```compile_fail,E0080
/// warploom_device_std::constant_static! { static TABLE: [f64; 8193] = [0.0; 8193]; }
/// ```
#[macro_export]
macro_rules! constant_static {
    ($($(#[$attr:meta])* $vis:vis static $name:ident: $ty:ty = $init:expr;)+) => {$(
        $crate::__static_item!("constant", $(#[$attr])* $vis $name: ConstantStatic<$ty> = $init);
    )+};
}
