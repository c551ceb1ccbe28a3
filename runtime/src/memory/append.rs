//! Buffers to which kernels append.

use std::fmt;

use warploom_device_std::Plain;
use warploom_device_std::output::header;
use warploom_emulator::check::Birth;

use super::{DeviceBuffer, MemoryError};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut};

/// Memory in a device to which kernels append elements, and how many they appended. Kernels take it as `AppendSlice<T>`.
///
/// Starts empty. Each launch appends behind what is there, and the order within a launch is unspecified. What was appended is read by
/// [`to_vec`](Self::to_vec), or given to the next kernel by [`elements`](Self::elements).
/// CUDA: an array with a counter for `atomicAdd`.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let mut kept = device.append_buffer::<u32>(1000)?;
/// assert_eq!((kept.len(&stream)?, kept.capacity()), (0, 1000));
/// kept.clear(&stream)?;
/// assert!(kept.to_vec(&stream)?.is_empty());
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// Elements without bytes have no places:
/// ```compile_fail,E0080
/// let nothing = warploom_runtime::Device::emulator().append_buffer::<[u32; 0]>(10);
/// ```
pub struct AppendBuffer<T> {
    /// The count, in as many elements as it takes, and behind it the elements.
    memory: DeviceBuffer<T>,
}

impl Device {
    /// Makes an empty buffer for `capacity` elements that kernels append. CUDA: `cuMemAlloc`, `cuMemsetD8`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the device has no room for it; what the driver reports.
    #[track_caller]
    pub fn append_buffer<T: Plain>(&self, capacity: usize) -> Result<AppendBuffer<T>, MemoryError> {
        let header = const { header::<T>() };
        let len = header.saturating_add(capacity);
        let buffer = Buffer::new::<T>(self, len, Birth::Initialised)?;
        // Elements are read where they were appended alone.
        buffer.fill_zero(header * size_of::<T>())?;
        Ok(AppendBuffer {
            memory: DeviceBuffer::from_buffer(buffer, len),
        })
    }
}

impl<T: Plain> AppendBuffer<T> {
    /// How many elements there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.memory.len() - const { header::<T>() }
    }

    /// The device whose memory this is.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.memory.device()
    }

    /// How many elements kernels appended since the buffer was made or cleared. Waits for the work on `stream`.
    ///
    /// # Errors
    /// [`MemoryError::AppendedTooMany`] if there was no room for all. As [`DeviceBuffer::to_vec`].
    #[track_caller]
    pub fn len(&self, stream: &Stream) -> Result<usize, MemoryError> {
        let start = self.memory.buffer.start().cast::<u64>();
        // SAFETY: the buffer starts with a `u64`, aligned to 256 bytes, which only kernels write that borrow it exclusively.
        let count = unsafe { DeviceSlice::new(&self.memory.buffer, start, 1) };
        let mut given = [0];
        count.copy_to(0, &mut given, stream)?;
        let [given] = given;
        match usize::try_from(given) {
            Ok(len) if len <= self.capacity() => Ok(len),
            _ => Err(MemoryError::AppendedTooMany {
                given,
                capacity: self.capacity(),
            }),
        }
    }

    /// Whether kernels appended nothing. Waits for the work on `stream`.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    #[track_caller]
    pub fn is_empty(&self, stream: &Stream) -> Result<bool, MemoryError> {
        Ok(self.len(stream)? == 0)
    }

    /// What kernels appended, for the next kernel to read. Waits for the work on `stream`, to know how many there are.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    #[track_caller]
    pub fn elements(&self, stream: &Stream) -> Result<DeviceSlice<'_, T>, MemoryError> {
        let header = const { header::<T>() };
        let end = header + self.len(stream)?;
        self.memory.slice(header..end)
    }

    /// Copies what kernels appended to the host, in order with the work on `stream`.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        self.elements(stream)?.to_vec(stream)
    }

    /// Forgets all elements. Queued on `stream`; does not wait.
    ///
    /// # Errors
    /// [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    #[track_caller]
    pub fn clear(&mut self, stream: &Stream) -> Result<(), MemoryError> {
        let start = self.memory.buffer.start().cast::<u64>();
        // SAFETY: as in `len`, borrowed exclusively.
        let mut count = unsafe { DeviceSliceMut::new(&self.memory.buffer, start, 1) };
        count.fill(0, stream)
    }

    /// Count and elements, as a kernel gets them.
    pub(crate) fn memory_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.memory.as_slice_mut()
    }
}

impl<T> fmt::Debug for AppendBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppendBuffer").finish_non_exhaustive()
    }
}
