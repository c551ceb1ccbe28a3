//! Memory that host and kernels reach under one address; the driver moves its pages to the side that uses them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::{Arc, Mutex};

use warploom_device_std::Plain;
use warploom_emulator::check::Birth;

use super::{AtomicElement, MemoryError, SharedAtomics, host_access};
use crate::buffer::{Buffer, Kind, Memory};
use crate::cuda::memory::ManagedMemory;
use crate::device::{Backend, Device};
use crate::stream::Stream;
use crate::sync::lock;
use crate::unsupported::Unsupported;
use crate::view::{DeviceSlice, DeviceSliceMut, resolve};

//@ rows: P-09
/// An array of `T` in managed memory: host and kernels use it without copies, in turns.
///
/// Kernels take `&ManagedBuffer<T>` for `&[T]` and `&mut ManagedBuffer<T>` for outputs, as they take a
/// [`DeviceBuffer`](crate::DeviceBuffer). The host's access, by [`as_slice`](ManagedBuffer::as_slice) and
/// [`as_mut_slice`](ManagedBuffer::as_mut_slice), first waits for the work that has the buffer. For a single value under a name there is
/// [`managed_static!`](warploom_device_std::managed_static).
/// CUDA: `cuMemAllocManaged`.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// let mut x = device.managed_from(&[1u32, 2, 3])?;
/// x.as_mut_slice()?[0] = 7;
/// // after a kernel that writes it, this waits for the kernel
/// assert_eq!(x.as_slice()?, [7, 2, 3]);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
///
/// While the host borrows the elements, no kernel writes them:
///
/// ```compile_fail,E0502
/// # use warploom_runtime::launch::SliceMutArg;
/// # fn launch<'a>(x: impl SliceMutArg<'a, u32>) {}
/// # let device = warploom_runtime::Device::emulator();
/// let mut x = device.managed_zeroed::<u32>(3).unwrap();
/// let seen = x.as_slice().unwrap();
/// launch(&mut x);
/// assert_eq!(seen[0], 0);
/// ```
pub struct ManagedBuffer<T> {
    buffer: Buffer,
    len: usize,
    /// What the emulator was advised; a GPU's driver knows itself.
    advised: Mutex<RangeAttributes>,
    element: PhantomData<T>,
}

/// Which side can use managed memory at first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attach {
    /// All devices. CUDA: `CU_MEM_ATTACH_GLOBAL`.
    #[default]
    Global,
    /// The host, and those devices that may use managed memory at the same time as the host. CUDA: `CU_MEM_ATTACH_HOST`.
    Host,
}

/// One side of managed memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLocation {
    /// The host.
    Host,
    /// The buffer's device.
    Device,
}

/// How managed memory will be used. Changes speed, never values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Mostly read: each reader gets a copy of its pages, and a write throws the copies away. CUDA: `CU_MEM_ADVISE_SET_READ_MOSTLY`.
    ReadMostly,
    /// Pages stay there where possible; others reach them over the bus. CUDA: `CU_MEM_ADVISE_SET_PREFERRED_LOCATION`.
    PreferredLocation(MemoryLocation),
    /// This side keeps a mapping of pages that are elsewhere, so that its access causes no fault. CUDA: `CU_MEM_ADVISE_SET_ACCESSED_BY`.
    AccessedBy(MemoryLocation),
}

/// What was advised about the whole of a [`ManagedBuffer`], as the driver knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeAttributes {
    /// Whether it is mostly read.
    pub read_mostly: bool,
    /// Where its pages should stay.
    pub preferred: Option<MemoryLocation>,
}

impl Device {
    /// Makes `len` elements of managed memory whose bytes are all zero. CUDA: `cuMemAllocManaged`, `cuMemsetD8`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the buffer is larger than what the GPU has free: the driver would take more and then move pages
    /// without end. [`MemoryError::Unsupported`] if host and kernels of the GPU cannot use managed memory at the same time; what the driver
    /// reports.
    #[track_caller]
    pub fn managed_zeroed<T: Plain>(&self, len: usize) -> Result<ManagedBuffer<T>, MemoryError> {
        self.managed_with(len, Attach::Global)
    }

    /// Makes managed memory with a copy of `source`. CUDA: `cuMemAllocManaged`.
    ///
    /// # Errors
    /// As [`managed_zeroed`](Device::managed_zeroed).
    #[track_caller]
    pub fn managed_from<T: Plain>(&self, source: &[T]) -> Result<ManagedBuffer<T>, MemoryError> {
        let buffer = self.managed_memory::<T>(source.len(), Attach::Global)?;
        buffer.fill_from(source)?;
        Ok(ManagedBuffer::from_buffer(buffer, source.len()))
    }

    /// [`managed_zeroed`](Device::managed_zeroed), with the side that can use it at first.
    ///
    /// # Errors
    /// As [`managed_zeroed`](Device::managed_zeroed).
    #[track_caller]
    pub fn managed_with<T: Plain>(
        &self,
        len: usize,
        attach: Attach,
    ) -> Result<ManagedBuffer<T>, MemoryError> {
        let buffer = self.managed_memory::<T>(len, attach)?;
        buffer.fill_zero(len * size_of::<T>())?;
        Ok(ManagedBuffer::from_buffer(buffer, len))
    }

    /// The memory, which the caller fills.
    #[track_caller]
    fn managed_memory<T>(&self, len: usize, attach: Attach) -> Result<Buffer, MemoryError> {
        Buffer::of_kind::<T>(
            self,
            len,
            Birth::Initialised,
            Kind::Managed,
            |gpu, bytes| {
                if !gpu.context.has_concurrent_managed_access()? {
                    // Any access of the host, even to other managed memory than a kernel's, would fault while some kernel runs.
                    return Err(MemoryError::Unsupported(Unsupported {
                    what: "managed buffers",
                    device: self.name().to_owned(),
                    reason: "host and kernels cannot use managed memory at the same time; use a `DeviceBuffer` and copies".into(),
                }));
                }
                let context = Arc::clone(&gpu.context);
                let memory = ManagedMemory::within_free(context, bytes, attach == Attach::Host)?;
                Ok(memory.map(Memory::Managed))
            },
        )
    }
}

impl<T> ManagedBuffer<T> {
    fn from_buffer(buffer: Buffer, len: usize) -> ManagedBuffer<T> {
        ManagedBuffer {
            buffer,
            len,
            advised: Mutex::default(),
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

    #[cfg(feature = "dlpack")]
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The device whose kernels use it.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The address of the first element: the same number on the host and in kernels. Valid until the buffer is dropped.
    #[must_use]
    pub fn raw_ptr(&self) -> u64 {
        self.buffer.start().addr() as u64
    }

    /// All elements, for kernels to read.
    #[must_use]
    pub fn device_slice(&self) -> DeviceSlice<'_, T> {
        // SAFETY: the memory holds `len` elements, borrowed like `self`.
        unsafe { DeviceSlice::new(&self.buffer, self.buffer.start().cast(), self.len) }
    }

    /// All elements, for kernels to write.
    #[must_use]
    pub fn device_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        // SAFETY: the memory holds `len` elements, borrowed like `self`.
        unsafe { DeviceSliceMut::new(&self.buffer, self.buffer.start().cast(), self.len) }
    }

    /// Moves the pages of the elements of `range` to one side before it uses them, in order with the work on `stream`; does not wait.
    /// CUDA: `cuMemPrefetchAsync`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`], [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    ///
    /// ```
    /// use warploom_runtime::MemoryLocation;
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.managed_zeroed::<f32>(1000)?;
    /// x.prefetch(.., MemoryLocation::Device, &stream)?; // then launch
    /// x.prefetch(..10, MemoryLocation::Host, &stream)?;
    /// assert_eq!(x.as_slice()?[0], 0.0);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn prefetch(
        &self,
        range: impl RangeBounds<usize>,
        to: MemoryLocation,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.buffer.check_device(stream)?;
        let range = resolve(range, self.len)?;
        let size = size_of::<T>();
        let start = self.raw_ptr() + (range.start * size) as u64;
        let bytes = range.len() * size;
        let _order = self.buffer.record_use_on(stream)?;
        if let Some(cuda) = stream.queue().cuda()
            && bytes > 0
        {
            // SAFETY: managed memory, kept by the buffer, which notes this stream.
            unsafe { cuda.prefetch(start, bytes, to == MemoryLocation::Device)? };
        }
        Ok(())
    }

    /// Tells the driver how the buffer will be used. CUDA: `cuMemAdvise`.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    ///
    /// ```
    /// use warploom_runtime::{Advice, MemoryLocation};
    /// # let device = warploom_runtime::Device::emulator();
    /// let table = device.managed_from(&[1u8; 100])?;
    /// table.advise(Advice::ReadMostly)?;
    /// table.advise(Advice::PreferredLocation(MemoryLocation::Host))?;
    /// assert!(table.range_attributes()?.read_mostly);
    /// table.unadvise(Advice::ReadMostly)?;
    /// assert_eq!(table.range_attributes()?.preferred, Some(MemoryLocation::Host));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn advise(&self, advice: Advice) -> Result<(), MemoryError> {
        self.tell(advice, true)
    }

    /// Takes an [advice](ManagedBuffer::advise) back. CUDA: `cuMemAdvise` with the `UNSET` kinds.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    pub fn unadvise(&self, advice: Advice) -> Result<(), MemoryError> {
        self.tell(advice, false)
    }

    fn tell(&self, advice: Advice, on: bool) -> Result<(), MemoryError> {
        if let Some(memory) = self.buffer.managed() {
            let (what, place) = match advice {
                Advice::ReadMostly => (1, MemoryLocation::Device),
                Advice::PreferredLocation(place) => (3, place),
                Advice::AccessedBy(place) => (5, place),
            };
            memory.advise(
                if on { what } else { what + 1 },
                place == MemoryLocation::Device,
            )?;
            return Ok(());
        }
        let mut advised = lock(&self.advised);
        match advice {
            Advice::ReadMostly => advised.read_mostly = on,
            Advice::PreferredLocation(place) => advised.preferred = on.then_some(place),
            Advice::AccessedBy(_) => {}
        }
        Ok(())
    }

    /// What the driver was told about the whole buffer. CUDA: `cuMemRangeGetAttribute`.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    pub fn range_attributes(&self) -> Result<RangeAttributes, MemoryError> {
        let (Some(memory), Backend::Cuda(gpu)) = (self.buffer.managed(), &self.device().0.backend)
        else {
            return Ok(*lock(&self.advised));
        };
        let preferred = match memory.preferred()? {
            -1 => Some(MemoryLocation::Host),
            number if number == gpu.context.number() => Some(MemoryLocation::Device),
            _ => None,
        };
        Ok(RangeAttributes {
            read_mostly: memory.is_read_mostly()?,
            preferred,
        })
    }
}

impl<T: Plain> ManagedBuffer<T> {
    /// The elements, for the host to read: waits until all work that has the buffer is done.
    ///
    /// # Errors
    /// A kernel's panic and a GPU's failure, as [`Stream::synchronize`] reports them. After a panic, which is reported once, a second call
    /// gives the elements.
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T], MemoryError> {
        // SAFETY: initialised memory of `len` elements, which the GPU lets both sides use at a time; work that writes it needs an exclusive
        // borrow.
        unsafe { host_access::read(&self.buffer, self.len) }
    }

    /// The elements, for the host to write: waits until all work that has the buffer is done.
    ///
    /// # Errors
    /// As [`as_slice`](ManagedBuffer::as_slice).
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], MemoryError> {
        // SAFETY: as for `as_slice`; any work needs a borrow.
        unsafe { host_access::write(&mut self.buffer, self.len) }
    }
}

impl<T: AtomicElement> ManagedBuffer<T> {
    /// All elements as atomics, for host and kernels at the same time. Waits for earlier work.
    ///
    /// On the emulator a launch returns when the kernel is done: set what a kernel waits for before it, or from another thread.
    ///
    /// # Errors
    /// As [`as_slice`](ManagedBuffer::as_slice).
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut counts = device.managed_zeroed::<u32>(2)?;
    /// let (host, kernel) = counts.as_shared_atomics()?;
    /// host[0].fetch_add(1, Relaxed);
    /// assert_eq!(kernel.len(), 2); // goes to a kernel as `&[AtomicU32]`
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn as_shared_atomics(&mut self) -> Result<SharedAtomics<'_, T>, MemoryError> {
        // SAFETY: as for `as_slice`; kernels reach it, and any work needs a borrow.
        unsafe { host_access::share::<T>(&mut self.buffer, self.len) }
    }
}

impl<T> fmt::Debug for ManagedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagedBuffer")
            .field("len", &self.len)
            .field("device", self.device())
            .finish_non_exhaustive()
    }
}
