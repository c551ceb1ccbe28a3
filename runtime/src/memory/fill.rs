//! Buffers full of one value.

use warploom_device_std::Plain;
use warploom_emulator::check::Birth;

use super::{DeviceBuffer, MemoryError};
use crate::buffer::{Buffer, Fill};
use crate::device::{Backend, Device};
use crate::stream::Stream;
use crate::view::DeviceSliceMut;

impl Device {
    /// Makes a buffer of `len` elements that are all `value`; returns when they are. CUDA: `cuMemAlloc`, `cuMemsetD8`, `cuMemsetD16`,
    /// `cuMemsetD32`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the device has no room for it; what the driver reports.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.filled(3, 0.5f32)?;
    /// assert_eq!(x.to_vec(&stream)?, [0.5; 3]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn filled<T: Plain>(&self, len: usize, value: T) -> Result<DeviceBuffer<T>, MemoryError> {
        let buffer = Buffer::new::<T>(self, len, Birth::Initialised)?;
        let fill = Fill {
            to: buffer.start(),
            pitch: 0,
            value: bytes_of(&value),
            width: len,
            height: 1,
        };
        match &self.0.backend {
            // SAFETY: the memory was allocated for `len` elements and is not shared yet.
            Backend::Emulator(_) => unsafe { fill.write() },
            Backend::Cuda(gpu) => {
                // SAFETY: as above, and it stays until the wait is over.
                unsafe { fill.queue(&gpu.own_stream)? };
                gpu.own_stream.synchronize()?;
            }
        }
        Ok(DeviceBuffer::from_buffer(buffer, len))
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// Sets every element to `value`. Queued on `stream`, which may record a graph; does not wait.
    ///
    /// Fastest for elements of 1, 2 or 4 bytes, and for larger ones that repeat such a unit, as zero does. CUDA: `cuMemsetD8Async`,
    /// `cuMemsetD16Async`, `cuMemsetD32Async`; for other elements `cuMemsetD2D32Async` and its kin, a column for each unit.
    ///
    /// # Errors
    /// [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.alloc_uninit::<u16>(4)?;
    /// x.fill(7, &stream)?;
    /// x.slice_mut(1..3)?.fill(9, &stream)?;
    /// assert_eq!(x.to_vec(&stream)?, [7, 9, 9, 7]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn fill(&mut self, value: T, stream: &Stream) -> Result<(), MemoryError> {
        self.as_slice_mut().fill(value, stream)
    }
}

impl<T: Plain> DeviceSliceMut<'_, T> {
    /// Sets every element to `value`, without a wait; see [`DeviceBuffer::fill`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::fill`].
    #[track_caller]
    pub fn fill(&mut self, value: T, stream: &Stream) -> Result<(), MemoryError> {
        self.buffer().check_home(stream)?;
        let fill = Fill {
            to: self.ptr().cast(),
            pitch: 0,
            value: bytes_of(&value),
            width: self.len(),
            height: 1,
        };
        // SAFETY: this exclusive view has `len` elements of the buffer; the device was checked.
        unsafe { fill.run(self.buffer(), stream) }
    }
}

/// The bytes of a value.
pub(in crate::memory) fn bytes_of<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: a plain type has no padding, so that all its bytes have a value; borrowed like `value`.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}
