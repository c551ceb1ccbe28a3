//! Page-locked memory of the host: copies to and from it run beside the host's own work.

mod mapped; // for kernels
mod parts; // sources and targets of copies

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use warploom_device_std::Plain;
use warploom_emulator::check::Birth;

use super::{MemoryError, host_access};
use crate::buffer::{Buffer, Kind, Memory};
use crate::cuda::pinned::{PinnedAs, PinnedMemory};
use crate::device::Device;
use crate::unsupported::Unsupported;

pub use parts::{PinnedSlice, PinnedSliceMut};

/// An array of `T` in page-locked memory of the host.
///
/// A copy between it and a device ([`DeviceBuffer::copy_from_pinned`](crate::DeviceBuffer::copy_from_pinned),
/// [`DeviceBuffer::copy_to_pinned`](crate::DeviceBuffer::copy_to_pinned)) is queued on a stream and runs while the host does something
/// else; a copy of other host memory is waited for. The host's own access, by [`as_slice`](PinnedBuffer::as_slice) and
/// [`as_mut_slice`](PinnedBuffer::as_mut_slice), first waits for the work that has the buffer, and so does dropping it. Work on several
/// streams follows one another, as with a [`DeviceBuffer`](crate::DeviceBuffer): for copies side by side make several buffers.
///
/// Page-locked memory is scarce, and slow to allocate: make it once. CUDA: `cuMemHostAlloc`.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let mut host = device.pinned::<u32>(4)?;
/// host.as_mut_slice()?.copy_from_slice(&[1, 2, 3, 4]);
/// let mut x = device.zeroed::<u32>(4)?;
/// x.copy_from_pinned(1, host.slice(..3)?, &stream)?; // returns at once
/// x.copy_to_pinned(0, &mut host, &stream)?; // in order after it
/// assert_eq!(host.as_slice()?, [0, 1, 2, 3]); // waits for both
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
///
/// A borrow of the elements keeps streams from writing them, and they are not freed while a stream may use them:
///
/// ```compile_fail,E0502
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream().unwrap();
/// let x = device.zeroed::<u32>(4).unwrap();
/// let mut host = device.pinned::<u32>(4).unwrap();
/// let seen = host.as_slice().unwrap();
/// x.copy_to_pinned(0, &mut host, &stream).unwrap();
/// assert_eq!(seen[0], 0);
/// ```
/// ```compile_fail,E0505
/// # let device = warploom_runtime::Device::emulator();
/// let host = device.pinned::<u32>(4).unwrap();
/// let part = host.slice(..2).unwrap();
/// drop(host);
/// assert_eq!(part.len(), 2);
/// ```
/// ```compile_fail,E0277
/// # let device = warploom_runtime::Device::emulator();
/// let host = device.pinned::<&u32>(4); // a GPU knows no references of the host
/// ```
pub struct PinnedBuffer<T> {
    pub(super) buffer: Buffer,
    len: usize,
    options: PinnedOptions,
    element: PhantomData<T>,
}

/// What page-locked memory is to be, beside page-locked. The kinds can be combined.
///
/// ```
/// use warploom_runtime::PinnedOptions;
/// # let device = warploom_runtime::Device::emulator();
/// let options = PinnedOptions::new().portable().write_combined();
/// let host = device.pinned_with::<u32>(100, options)?;
/// assert!(host.options().is_portable() && !host.options().is_mapped());
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct PinnedOptions {
    portable: bool,
    mapped: bool,
    write_combined: bool,
}

impl PinnedOptions {
    /// Page-locked for one device, and cached by the host.
    pub fn new() -> PinnedOptions {
        PinnedOptions::default()
    }

    /// Page-locked for all devices of the same back end: their streams copy it as fast as those of its own device, which waits between
    /// them as between streams. CUDA: `CU_MEMHOSTALLOC_PORTABLE`.
    pub fn portable(self) -> PinnedOptions {
        PinnedOptions {
            portable: true,
            ..self
        }
    }

    /// Kernels of its device reach it, see [`PinnedBuffer::device_slice`]. CUDA: `CU_MEMHOSTALLOC_DEVICEMAP`.
    pub fn mapped(self) -> PinnedOptions {
        PinnedOptions {
            mapped: true,
            ..self
        }
    }

    /// Not cached by the host: copies to the device may be faster, and the host reads it very slowly. CUDA:
    /// `CU_MEMHOSTALLOC_WRITECOMBINED`.
    pub fn write_combined(self) -> PinnedOptions {
        PinnedOptions {
            write_combined: true,
            ..self
        }
    }

    /// Whether streams of other devices may use it.
    #[must_use]
    pub fn is_portable(&self) -> bool {
        self.portable
    }

    /// Whether kernels may use it.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.mapped
    }

    /// Whether the host does without a cache.
    #[must_use]
    pub fn is_write_combined(&self) -> bool {
        self.write_combined
    }

    /// As the driver is told.
    pub(super) fn flags(self) -> PinnedAs {
        PinnedAs {
            portable: self.portable,
            mapped: self.mapped,
            write_combined: self.write_combined,
        }
    }
}

impl Device {
    /// Makes `len` elements of page-locked memory of the host, whose bytes are all zero. CUDA: `cuMemHostAlloc`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the host has no room for it; what the driver reports.
    #[track_caller]
    pub fn pinned<T: Plain>(&self, len: usize) -> Result<PinnedBuffer<T>, MemoryError> {
        self.pinned_with(len, PinnedOptions::new())
    }

    /// Makes page-locked memory with a copy of `source`. CUDA: `cuMemHostAlloc`.
    ///
    /// # Errors
    /// As [`pinned`](Device::pinned).
    #[track_caller]
    pub fn pinned_from<T: Plain>(&self, source: &[T]) -> Result<PinnedBuffer<T>, MemoryError> {
        let buffer = self.page_locked::<T>(source.len(), PinnedOptions::new())?;
        buffer.fill_from(source)?;
        Ok(PinnedBuffer::from_buffer(
            buffer,
            source.len(),
            PinnedOptions::new(),
        ))
    }

    /// [`pinned`](Device::pinned), with options.
    ///
    /// # Errors
    /// As [`pinned`](Device::pinned). [`MemoryError::Unsupported`] if it is to be mapped, and the GPU does not reach host memory.
    #[track_caller]
    pub fn pinned_with<T: Plain>(
        &self,
        len: usize,
        options: PinnedOptions,
    ) -> Result<PinnedBuffer<T>, MemoryError> {
        let buffer = self.page_locked::<T>(len, options)?;
        buffer.fill_zero(len * size_of::<T>())?;
        Ok(PinnedBuffer::from_buffer(buffer, len, options))
    }

    /// The memory, which the caller fills.
    #[track_caller]
    fn page_locked<T>(&self, len: usize, options: PinnedOptions) -> Result<Buffer, MemoryError> {
        let buffer =
            Buffer::of_kind::<T>(self, len, Birth::Initialised, Kind::Pinned, |gpu, bytes| {
                if options.mapped && !gpu.context.can_map_host_memory()? {
                    return Err(self.cannot_map().into());
                }
                let context = Arc::clone(&gpu.context);
                let memory = PinnedMemory::new(context, bytes, options.flags())?;
                Ok(memory.map(Memory::Pinned))
            })?;
        Ok(buffer.portable(options.portable))
    }

    fn cannot_map(&self) -> Unsupported {
        Unsupported {
            what: "mapped host memory",
            device: self.name().to_owned(),
            reason: "the GPU does not reach memory of the host; copy to a `DeviceBuffer` instead"
                .into(),
        }
    }
}

impl<T> PinnedBuffer<T> {
    pub(super) fn from_buffer(
        buffer: Buffer,
        len: usize,
        options: PinnedOptions,
    ) -> PinnedBuffer<T> {
        PinnedBuffer {
            buffer,
            len,
            options,
            element: PhantomData,
        }
    }

    /// Puts `empty`, a buffer without bytes, in the place of what it has.
    pub(super) fn empty_with(&mut self, empty: Buffer) -> Buffer {
        self.len = 0;
        std::mem::replace(&mut self.buffer, empty)
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[cfg(feature = "dlpack")]
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The device that it is page-locked for.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// What it was made as.
    pub fn options(&self) -> PinnedOptions {
        self.options
    }

    /// The elements of `range`, as the source of a copy. Waits for nothing.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PinnedSlice<'_, T>, MemoryError> {
        PinnedSlice::from(self).slice(range)
    }

    /// The elements of `range`, as the target of a copy. Waits for nothing.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<PinnedSliceMut<'_, T>, MemoryError> {
        PinnedSliceMut::from(self).into_slice(range)
    }
}

impl<T: Plain> PinnedBuffer<T> {
    /// The elements, for the host to read: waits until all work that has the buffer is done.
    ///
    /// # Errors
    /// A kernel's panic and a GPU's failure, as [`Stream::synchronize`](crate::Stream::synchronize) reports them. After a panic, which is
    /// reported once, a second call gives the elements.
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T], MemoryError> {
        // SAFETY: initialised memory of `len` elements; work that writes it needs an exclusive borrow.
        unsafe { host_access::read(&self.buffer, self.len) }
    }

    /// The elements, for the host to write: waits until all work that has the buffer is done.
    ///
    /// # Errors
    /// As [`as_slice`](PinnedBuffer::as_slice).
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], MemoryError> {
        // SAFETY: as for `as_slice`; any work needs a borrow.
        unsafe { host_access::write(&mut self.buffer, self.len) }
    }
}

impl<T> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedBuffer")
            .field("len", &self.len)
            .field("options", &self.options)
            .field("device", self.device())
            .finish_non_exhaustive()
    }
}
