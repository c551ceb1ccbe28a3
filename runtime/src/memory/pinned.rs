//! Page-locked memory of the host: copies to and from it run beside the host's own work.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use warploom_device::Plain;
use warploom_emulator::check::Birth;

use super::{AtomicElement, DeviceBuffer, MemoryError, window};
use crate::buffer::{Buffer, Copy, Kind, Memory};
use crate::cuda::memory::{PinnedAs, PinnedMemory};
use crate::device::Device;
use crate::error::Unsupported;
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut, resolve};

/// An array of `T` in page-locked memory of the host.
///
/// A copy between it and a device ([`DeviceBuffer::copy_from_pinned`], [`DeviceBuffer::copy_to_pinned`]) is queued on a stream and runs
/// while the host does something else; a copy of other host memory is waited for. The host's own access, by
/// [`as_slice`](PinnedBuffer::as_slice) and [`as_mut_slice`](PinnedBuffer::as_mut_slice), first waits for the work that has the buffer, and
/// so does dropping it. Work on several streams follows one another, as with a [`DeviceBuffer`]: for copies side by side make several buffers.
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
/// Who looks at the elements keeps streams from writing them, and they are not freed while a stream may use them:
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
    buffer: Buffer,
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
    fn flags(self) -> PinnedAs {
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
                if options.mapped && !gpu.context.can_map_host_memory() {
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
        let range = resolve(range, self.len)?;
        let all = PinnedSliceMut::from(self);
        Ok(PinnedSliceMut {
            ptr: all.ptr.wrapping_add(range.start),
            len: range.len(),
            ..all
        })
    }
}

impl<T: Plain> PinnedBuffer<T> {
    /// The elements, for the host to read: waits until all work that has the buffer is done.
    ///
    /// # Errors
    /// A kernel's panic and a GPU's failure, as [`Stream::synchronize`] reports them. After a panic, which is reported once, a second call
    /// gives the elements.
    pub fn as_slice(&self) -> Result<&[T], MemoryError> {
        const { assert!(align_of::<T>() <= super::ALIGN) };
        self.buffer.wait()?;
        // SAFETY: initialised memory of `len` elements, of which any bytes are values, aligned for them. Streams may read it while the
        // borrow lasts; none writes: the work that writes needs an exclusive borrow, and what was queued before is done.
        Ok(unsafe { std::slice::from_raw_parts(self.buffer.host_start().cast(), self.len) })
    }

    /// The elements, for the host to write: waits until all work that has the buffer is done.
    ///
    /// # Errors
    /// As [`as_slice`](PinnedBuffer::as_slice).
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], MemoryError> {
        const { assert!(align_of::<T>() <= super::ALIGN) };
        self.buffer.wait()?;
        // SAFETY: as for `as_slice`. No stream uses it: what was queued is done, and new work needs a borrow.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.buffer.host_start().cast(), self.len) })
    }
}

impl<T> PinnedBuffer<T> {
    /// All elements, for kernels to read where they are, across the bus. The buffer was made [mapped](PinnedOptions::mapped).
    ///
    /// What the host wrote before is seen by every launch after it; what a kernel writes, by the host's next
    /// [`as_slice`](PinnedBuffer::as_slice), which waits for the kernel. Kernels of the buffer's own device only. CUDA: zero-copy memory,
    /// `cuMemHostGetDevicePointer`.
    ///
    /// # Errors
    /// [`MemoryError::Unsupported`] if it is not mapped.
    ///
    /// ```
    /// use warploom_runtime::{PinnedOptions, launch::SliceArg};
    /// # let device = warploom_runtime::Device::emulator();
    /// # fn launch<'a>(x: impl SliceArg<'a, Elem = f32>) {}
    /// let x = device.pinned_with::<f32>(8, PinnedOptions::new().mapped())?;
    /// launch(x.device_slice()?);
    /// assert!(device.pinned::<f32>(8)?.device_slice().is_err());
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// ```compile_fail,E0502
    /// use warploom_runtime::{PinnedOptions, launch::SliceMutArg};
    /// # let device = warploom_runtime::Device::emulator();
    /// # fn launch<'a>(x: impl SliceMutArg<'a, Elem = f32>) {}
    /// let mut x = device.pinned_with::<f32>(8, PinnedOptions::new().mapped()).unwrap();
    /// let seen = x.as_slice().unwrap();
    /// launch(x.device_slice_mut().unwrap()); // a kernel would write what the host looks at
    /// assert_eq!(seen[0], 0.0);
    /// ```
    pub fn device_slice(&self) -> Result<DeviceSlice<'_, T>, MemoryError> {
        let start = self.mapped_start()?;
        // SAFETY: the memory holds `len` elements under this address, borrowed like `self`.
        Ok(unsafe { DeviceSlice::new(&self.buffer, start, self.len) })
    }

    /// All elements, for kernels to write; see [`device_slice`](PinnedBuffer::device_slice).
    ///
    /// # Errors
    /// As [`device_slice`](PinnedBuffer::device_slice).
    pub fn device_slice_mut(&mut self) -> Result<DeviceSliceMut<'_, T>, MemoryError> {
        let start = self.mapped_start()?;
        // SAFETY: the memory holds `len` elements under this address, borrowed like `self`.
        Ok(unsafe { DeviceSliceMut::new(&self.buffer, start, self.len) })
    }

    fn mapped_start(&self) -> Result<*mut T, MemoryError> {
        if self.options.mapped {
            return Ok(self.buffer.start().cast());
        }
        Err(Unsupported {
            what: "kernels on this page-locked memory",
            device: self.device().name().to_owned(),
            reason:
                "it was made without `PinnedOptions::mapped`; make it so with `device.pinned_with`"
                    .into(),
        }
        .into())
    }
}

impl<T: AtomicElement> PinnedBuffer<T> {
    /// All elements as atomics, for host and kernels at the same time: flags, counters, work queues. Waits for earlier work.
    ///
    /// Atomic between host and kernels are loads and stores; whether read-modify-writes are depends on the bus between them, and other
    /// devices may see them torn apart. On the emulator a launch returns when the kernel is done: set the flags that a kernel waits for
    /// before it, or from another thread.
    ///
    /// # Errors
    /// As [`device_slice`](PinnedBuffer::device_slice).
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use warploom_runtime::PinnedOptions;
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut flags = device.pinned_with::<u32>(2, PinnedOptions::new().mapped())?;
    /// let (host, kernel) = flags.as_shared_atomics()?;
    /// host[0].store(1, Relaxed);
    /// assert_eq!(kernel.len(), 2); // goes to a kernel as `&[AtomicU32]`
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn as_shared_atomics(
        &mut self,
    ) -> Result<(&[T::Atomic], DeviceSlice<'_, T::Atomic>), MemoryError> {
        const {
            assert!(
                size_of::<T>() == size_of::<T::Atomic>() && align_of::<T::Atomic>() <= super::ALIGN
            );
        }
        let start = self.mapped_start()?;
        self.buffer.wait()?; // copies under way are no atomics
        // SAFETY: initialised memory of `len` elements of the same size, aligned to 256 bytes; `self` is borrowed exclusively, and what
        // was queued before is done, so that all access meanwhile is atomic.
        Ok(unsafe {
            (
                std::slice::from_raw_parts(self.buffer.host_start().cast(), self.len),
                DeviceSlice::new(&self.buffer, start.cast(), self.len),
            )
        })
    }
}

/// A part of a [`PinnedBuffer`], as the source of copies.
pub struct PinnedSlice<'a, T> {
    buffer: &'a Buffer,
    ptr: *const T,
    len: usize,
    element: PhantomData<&'a [T]>,
}

/// A part of a [`PinnedBuffer`], as the target of copies.
pub struct PinnedSliceMut<'a, T> {
    buffer: &'a Buffer,
    ptr: *mut T,
    len: usize,
    element: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is a borrow of elements, like `&[T]`; the buffer itself may be used by every thread.
unsafe impl<T: Sync> Send for PinnedSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PinnedSlice<'_, T> {}
// SAFETY: a view is an exclusive borrow of elements, like `&mut [T]`.
unsafe impl<T: Send> Send for PinnedSliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PinnedSliceMut<'_, T> {}

impl<T> Clone for PinnedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> std::marker::Copy for PinnedSlice<'_, T> {}

impl<'a, T> PinnedSlice<'a, T> {
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

    /// The elements of `range` (counted within this part).
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PinnedSlice<'a, T>, MemoryError> {
        let range = resolve(range, self.len)?;
        Ok(PinnedSlice {
            ptr: self.ptr.wrapping_add(range.start),
            len: range.len(),
            ..*self
        })
    }
}

impl<T> PinnedSliceMut<'_, T> {
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
}

impl<'a, T> PinnedSlice<'a, T> {
    pub(super) fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    pub(super) fn ptr(&self) -> *const T {
        self.ptr
    }
}

impl<'a, T> PinnedSliceMut<'a, T> {
    pub(super) fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    pub(super) fn ptr(&self) -> *mut T {
        self.ptr
    }
}

impl<'a, T> From<&'a PinnedBuffer<T>> for PinnedSlice<'a, T> {
    fn from(all: &'a PinnedBuffer<T>) -> Self {
        PinnedSlice {
            buffer: &all.buffer,
            ptr: all.buffer.host_start().cast(),
            len: all.len,
            element: PhantomData,
        }
    }
}

impl<'a, T> From<&'a mut PinnedBuffer<T>> for PinnedSliceMut<'a, T> {
    fn from(all: &'a mut PinnedBuffer<T>) -> Self {
        PinnedSliceMut {
            buffer: &all.buffer,
            ptr: all.buffer.host_start().cast(),
            len: all.len,
            element: PhantomData,
        }
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// Copies `source`, page-locked memory, into elements `at..at + source.len()` of this buffer.
    ///
    /// Queued on `stream`; does not wait. `source` is a `&PinnedBuffer` or a [`PinnedSlice`]. CUDA: `cuMemcpyHtoDAsync`.
    ///
    /// # Errors
    /// [`MemoryError::CopyOutOfRange`] names both lengths if `source` does not fit; nothing is copied then.
    /// [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    pub fn copy_from_pinned<'a>(
        &mut self,
        at: usize,
        source: impl Into<PinnedSlice<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.as_slice_mut().copy_from_pinned(at, source, stream)
    }

    /// Copies elements `at..at + target.len()` of this buffer into `target`, page-locked memory.
    ///
    /// Queued on `stream`; does not wait. `target` is a `&mut PinnedBuffer` or a [`PinnedSliceMut`]. CUDA: `cuMemcpyDtoHAsync`.
    ///
    /// # Errors
    /// As [`copy_from_pinned`](DeviceBuffer::copy_from_pinned).
    #[track_caller]
    pub fn copy_to_pinned<'a>(
        &self,
        at: usize,
        target: impl Into<PinnedSliceMut<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        self.as_slice().copy_to_pinned(at, target, stream)
    }
}

impl<T: Plain> DeviceSliceMut<'_, T> {
    /// Copies `source`, page-locked memory, without a wait; see [`DeviceBuffer::copy_from_pinned`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_pinned`].
    pub fn copy_from_pinned<'a>(
        &mut self,
        at: usize,
        source: impl Into<PinnedSlice<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let source = source.into();
        self.buffer().check_device(stream)?;
        source.buffer.check_device(stream)?;
        window(at, source.len, self.len())?;
        let copy = Copy::InPinned {
            from: source.ptr.cast(),
            to: self.ptr().wrapping_add(at).cast(),
        };
        let bytes = source.len * size_of::<T>();
        // SAFETY: the range was checked; `source` is a view of `len` elements, and cannot overlap this exclusive one; both devices were
        // checked.
        unsafe { copy.run(bytes, &[self.buffer(), source.buffer], stream) }
    }
}

impl<T: Plain> DeviceSlice<'_, T> {
    /// Copies elements into `target`, page-locked memory, without a wait; see [`DeviceBuffer::copy_to_pinned`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_pinned`].
    #[track_caller]
    pub fn copy_to_pinned<'a>(
        &self,
        at: usize,
        target: impl Into<PinnedSliceMut<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        let target = target.into();
        self.buffer().check_device(stream)?;
        target.buffer.check_device(stream)?;
        window(at, target.len, self.len())?;
        let copy = Copy::OutPinned {
            from: self.ptr().wrapping_add(at).cast(),
            to: target.ptr.cast(),
        };
        let bytes = target.len * size_of::<T>();
        // SAFETY: the range was checked; `target` is an exclusive view of `len` elements, which this one cannot overlap; both devices
        // were checked.
        unsafe { copy.run(bytes, &[self.buffer(), target.buffer], stream) }
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

impl<T> fmt::Debug for PinnedSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedSlice")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for PinnedSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedSliceMut")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}
