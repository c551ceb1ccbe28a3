//! Plain values that all threads see: callers must keep reads and writes from racing.

use super::StaticValue;
use crate::Plain;
use core::cell::UnsafeCell;

/// A plain value in device or managed memory that all threads of all kernels see; reading and writing is `unsafe`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DeviceCell, device_static};
/// device_static! {
///     static LIMITS: [DeviceCell<f32>; 2] = [DeviceCell::new(-1.0), DeviceCell::new(1.0)];
/// }
/// fn widen(block: Block) {
///     if block.index() == 0 && block.thread() == 0 {
///         // SAFETY: one thread of the only kernel that runs does this.
///         unsafe { LIMITS[1].set(LIMITS[1].get() * 2.0) };
///     }
/// }
/// # let shape = Shape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe { widen(Block::from_launch()) })?;
/// # use warploom_device_std::statics::Static;
/// # assert_eq!(LIMITS.emulated_value(), [-1.0, 2.0]);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[repr(transparent)]
#[derive(Debug)]
pub struct DeviceCell<T: Plain>(UnsafeCell<T>);

// SAFETY: all access to the value is unsafe, and its callers keep it apart.
unsafe impl<T: Plain> Sync for DeviceCell<T> {}

// SAFETY: transparent over `T`, which is plain; all change goes through unsafe functions.
unsafe impl<T: Plain> StaticValue for DeviceCell<T> {
    type Plain = T;
}

impl<T: Plain> DeviceCell<T> {
    /// A cell with an initial value.
    #[must_use]
    pub const fn new(value: T) -> Self {
        DeviceCell(UnsafeCell::new(value))
    }

    /// Where the value is. What goes through the pointer is up to the caller.
    #[inline(always)]
    #[must_use]
    pub const fn as_ptr(&self) -> *mut T {
        self.0.get()
    }

    /// Reads the value.
    ///
    /// # Safety
    /// Neither the host nor a thread of this or another running kernel writes it at the same time.
    #[inline(always)]
    #[must_use]
    pub unsafe fn get(&self) -> T {
        // SAFETY: aligned and initialised; the caller excludes races.
        unsafe { self.0.get().read() }
    }

    /// Writes the value.
    ///
    /// # Safety
    /// Neither the host nor a thread of this or another running kernel reads or writes it at the same time.
    #[inline(always)]
    pub unsafe fn set(&self, value: T) {
        // SAFETY: aligned; the caller excludes races.
        unsafe { self.0.get().write(value) }
    }
}
