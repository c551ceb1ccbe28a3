//! Statics in global memory.

use super::{Static, StaticName, StaticValue, sealed};
use core::cell::UnsafeCell;
use core::ops::Deref;

//@ rows: GVAR-12, GVAR-15
/// A static in a device's global memory; made by [`device_static!`](crate::device_static). In kernels it derefs to `T`.
///
/// # Panics
/// In host code the deref panics: the host asks a device for the static by `device.symbol(&NAME)?`.
///
/// ```should_panic
/// # use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// warploom_device_std::device_static! { static COUNT: AtomicU32 = AtomicU32::new(4); }
/// COUNT.load(Relaxed); // static `…::COUNT` is in device memory, and this is host code: …
/// ```
/// An address of the host does not go into a device's memory:
/// ```compile_fail,E0277
/// warploom_device_std::device_static! { static NEXT: &'static core::sync::atomic::AtomicU32 = &core::sync::atomic::AtomicU32::new(0); }
/// ```
#[cfg_attr(warploom_device, repr(transparent))]
#[derive(Debug)]
pub struct DeviceStatic<T: StaticValue> {
    #[cfg(not(warploom_device))]
    name: StaticName,
    #[cfg(not(warploom_device))]
    value: UnsafeCell<T>,
    /// The cell keeps the compiler from following the address at build time.
    #[cfg(warploom_device)]
    place: UnsafeCell<*const StaticPlace<T>>,
}

/// The memory of a [`DeviceStatic`].
#[cfg(warploom_device)]
#[doc(hidden)]
#[repr(transparent)]
#[derive(Debug)]
pub struct StaticPlace<T: StaticValue>(UnsafeCell<T>);

// SAFETY: as `DeviceStatic`.
#[cfg(warploom_device)]
unsafe impl<T: StaticValue> Sync for StaticPlace<T> {}

#[cfg(warploom_device)]
impl<T: StaticValue> StaticPlace<T> {
    /// # Safety
    /// Called by the macro that declares the static: the device linker and the runtime know it by this name.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn __new(value: T) -> Self {
        StaticPlace(UnsafeCell::new(value))
    }
}

// SAFETY: `T` is `Sync`; what else reads and writes the bytes is the host, which copies them as atomics do (`Static`).
unsafe impl<T: StaticValue> Sync for DeviceStatic<T> {}

impl<T: StaticValue> DeviceStatic<T> {
    #[cfg(not(warploom_device))]
    /// # Safety
    /// Called by the macro that declares the static: the device linker and the runtime know it by this name.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn __new(name: StaticName, value: T) -> Self {
        DeviceStatic {
            name,
            value: UnsafeCell::new(value),
        }
    }

    #[cfg(warploom_device)]
    /// # Safety
    /// Called by the macro that declares the static: the device linker and the runtime know it by this name.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn __new(place: &'static StaticPlace<T>) -> Self {
        DeviceStatic {
            place: UnsafeCell::new(place),
        }
    }

    /// Where the value is.
    #[inline(always)]
    fn start(&self) -> *mut T {
        #[cfg(not(warploom_device))]
        return self.value.get();
        #[cfg(warploom_device)]
        // SAFETY: the address of a static, which the device linker or the runtime put there before the kernel started.
        unsafe {
            (**self.place.get()).0.get()
        }
    }
}

impl<T: StaticValue> Deref for DeviceStatic<T> {
    type Target = T;

    #[inline(always)]
    #[track_caller]
    fn deref(&self) -> &T {
        #[cfg(not(warploom_device))]
        self.name.check_in_kernel("device.symbol");
        // SAFETY: initialised; changes go through atomics or unsafe functions of `T`.
        unsafe { &*self.start() }
    }
}

impl<T: StaticValue> sealed::Sealed for DeviceStatic<T> {}

impl<T: StaticValue> Static for DeviceStatic<T> {
    type Plain = T::Plain;

    fn name(&self) -> StaticName {
        #[cfg(not(warploom_device))]
        return self.name;
        #[cfg(warploom_device)]
        super::constant::NO_NAME
    }

    fn is_constant(&self) -> bool {
        false
    }

    fn emulated(&self) -> *const u8 {
        self.start().cast()
    }

    fn emulated_value(&self) -> T::Plain {
        let mut value = core::mem::MaybeUninit::<T::Plain>::uninit();
        let to = value.as_mut_ptr().cast::<u8>();
        let copy = |at: usize, from: Word<'_>| match from {
            // SAFETY: `T` and its plain form have one size and alignment.
            Word::Byte(from) => unsafe { put(to, at, from.load(RELAXED)) },
            // SAFETY: as above.
            Word::Two(from) => unsafe { put(to, at, from.load(RELAXED)) },
            // SAFETY: as above.
            Word::Four(from) => unsafe { put(to, at, from.load(RELAXED)) },
            // SAFETY: as above.
            Word::Eight(from) => unsafe { put(to, at, from.load(RELAXED)) },
        };
        // SAFETY: the address of a `T`, which other threads change atomically or not at all.
        unsafe { words::<T>(copy, self.start().cast()) };
        // SAFETY: all bytes were written, and any bytes are a plain value.
        unsafe { value.assume_init() }
    }

    fn set_emulated_value(&self, value: T::Plain, _keep: &dyn Fn(T::Plain) -> &'static T::Plain) {
        let from = (&raw const value).cast::<u8>();
        let copy = |at: usize, to: Word<'_>| match to {
            // SAFETY: `T` and its plain form have one size and alignment; the bytes of `T` may be anything (`StaticValue`).
            Word::Byte(to) => to.store(unsafe { get(from, at) }, RELAXED),
            // SAFETY: as above.
            Word::Two(to) => to.store(unsafe { get(from, at) }, RELAXED),
            // SAFETY: as above.
            Word::Four(to) => to.store(unsafe { get(from, at) }, RELAXED),
            // SAFETY: as above.
            Word::Eight(to) => to.store(unsafe { get(from, at) }, RELAXED),
        };
        // SAFETY: the address of a `T`, which other threads change atomically or not at all.
        unsafe { words::<T>(copy, self.start().cast()) };
    }
}

/// # Safety
/// The `W` at byte `at` is valid for writes and aligned.
unsafe fn put<W>(start: *mut u8, at: usize, word: W) {
    // SAFETY: the caller's promise.
    let to = unsafe { start.add(at) };
    // SAFETY: the caller's promise.
    unsafe { to.cast::<W>().write(word) };
}

/// # Safety
/// The `W` at byte `at` is valid for reads and aligned.
unsafe fn get<W>(start: *const u8, at: usize) -> W {
    // SAFETY: the caller's promise.
    let from = unsafe { start.add(at) };
    // SAFETY: the caller's promise.
    unsafe { from.cast::<W>().read() }
}

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed as RELAXED};

/// A piece of the static's memory, as large as its alignment allows.
enum Word<'a> {
    Byte(&'a AtomicU8),
    Two(&'a AtomicU16),
    Four(&'a AtomicU32),
    Eight(&'a AtomicU64),
}

/// Walks over the memory of a `T` in pieces: kernels of another OS thread may use the same memory.
///
/// # Safety
/// `start` is the address of a `T`.
unsafe fn words<T>(mut each: impl FnMut(usize, Word<'_>), start: *mut u8) {
    let step = match align_of::<T>() {
        1 => 1,
        2 => 2,
        4 => 4,
        _ => 8,
    };
    for at in (0..size_of::<T>()).step_by(step) {
        // SAFETY: within the `T`, whose size is a multiple of its alignment, hence of `step`.
        let start = unsafe { start.add(at) };
        let word = match step {
            // SAFETY: a part of the `T`, accessed atomically while kernels run.
            1 => Word::Byte(unsafe { AtomicU8::from_ptr(start) }),
            // SAFETY: as above; aligned as the `T`.
            2 => Word::Two(unsafe { AtomicU16::from_ptr(start.cast()) }),
            // SAFETY: as above; aligned as the `T`.
            4 => Word::Four(unsafe { AtomicU32::from_ptr(start.cast()) }),
            // SAFETY: as above.
            _ => Word::Eight(unsafe { AtomicU64::from_ptr(start.cast()) }),
        };
        each(at, word);
    }
}

//@ rows: GVAR-10
/// Statics in a device's global memory, in the form of ordinary statics: `device_static! { static COUNT: AtomicU32 = AtomicU32::new(4); }`
/// declares a [`DeviceStatic`]. CUDA: `__device__`.
///
/// Visible to all threads of all kernels, for as long as the device is open. The first kernel finds the initial value. The type is an
/// atomic, a [`DeviceCell`](crate::DeviceCell), or an array of them ([`StaticValue`](crate::statics::StaticValue)). The host copies
/// values in and out through `device.symbol(&COUNT)?`; a static that no kernel of the program uses has no memory on a GPU, so that
/// asking for it is an error there.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use warploom_device_std::{Index1D, device_static};
/// device_static! {
///     /// How many numbers were even.
///     pub static EVEN: AtomicU32 = AtomicU32::new(0);
///     static LAST: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
/// }
/// fn count(i: Index1D, x: &[u32]) {
///     if x[i.get()] % 2 == 0 {
///         EVEN.fetch_add(1, Relaxed);
///         LAST[1].fetch_max(i.get() as u32, Relaxed);
///     }
/// }
/// # let x = Vec::from_iter(0..96u32);
/// # let shape = Shape { grid: [3, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe { count(Index1D::from_launch(), &x) })?;
/// # use warploom_device_std::statics::Static;
/// # assert_eq!((EVEN.emulated_value(), LAST.emulated_value()), (48, [0, 94]));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Other types would be changed by threads that do not know of each other:
/// ```compile_fail,E0277
/// warploom_device_std::device_static! { static COUNT: core::cell::Cell<u32> = core::cell::Cell::new(0); }
/// ```
/// There is no declaration without a definition:
/// ```compile_fail
/// warploom_device_std::device_static! { static COUNT: core::sync::atomic::AtomicU32; }
/// ```
/// and no static in a struct:
/// ```compile_fail
/// struct Holder {
///     warploom_device_std::device_static! { static COUNT: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0); }
/// }
/// ```
#[macro_export]
macro_rules! device_static {
    ($($(#[$attr:meta])* $vis:vis static $name:ident: $ty:ty = $init:expr;)+) => {$(
        $crate::__static_item!("device", $(#[$attr])* $vis $name: DeviceStatic<$ty> = $init);
    )+};
}

#[cfg(all(test, not(warploom_device)))]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// The sizes of the pieces in which the host copies a `T`.
    fn pieces<T>(value: &mut T) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let note = |at: usize, word: Word<'_>| {
            let size = match word {
                Word::Byte(_) => 1,
                Word::Two(_) => 2,
                Word::Four(_) => 4,
                Word::Eight(_) => 8,
            };
            found.push((at, size));
        };
        // SAFETY: the address of a `T` that nothing else accesses.
        unsafe { words::<T>(note, core::ptr::from_mut(value).cast()) };
        found
    }

    /// Accesses of two sizes to one place at a time are undefined, even if both are atomic.
    #[test]
    fn statics_are_copied_in_the_pieces_that_kernels_access() {
        assert_eq!(pieces(&mut [0u8; 3]), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(pieces(&mut [0u16; 3]), [(0, 2), (2, 2), (4, 2)]);
        assert_eq!(pieces(&mut [0f32; 2]), [(0, 4), (4, 4)]);
        assert_eq!(pieces(&mut [0u64; 2]), [(0, 8), (8, 8)]);
    }
}
