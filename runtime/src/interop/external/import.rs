//! Memory of another API that becomes a buffer or an array, and ours that goes to another API.

use std::any::type_name;
use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::Arc;

use warploom_device_std::Plain;

use super::host::{HostMemory, refused};
use super::{ExternalError, Handover, Released};
use crate::buffer::{Buffer, Kind, Memory};
use crate::cuda::array::ArrayMemory;
use crate::cuda::external::ExternalMemory;
use crate::cuda::shareable::ShareableMemory;
use crate::device::{Backend, Device, Gpu};
#[cfg(feature = "dlpack")]
use crate::interop::dlpack::DeviceType;
use crate::interop::foreign::{ForeignElements, adopt};
use crate::memory::{ArrayElement, ArrayOptions, DeviceBuffer, MemoryError, MipmappedArray};
use crate::stream::reject_in_host_callback;

/// What the emulator's memory for others is a multiple of.
const PAGE: usize = 4096;

/// Where a resource is in an allocation of another API.
///
/// ```
/// use warploom_runtime::interop::external::ExternalPlace;
/// let place = ExternalPlace::new(65_536).offset(256);
/// assert_eq!(place, ExternalPlace { allocation_bytes: 65_536, offset: 256, dedicated: false });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExternalPlace {
    /// The size that the allocation was made with. Vulkan: `VkMemoryAllocateInfo::allocationSize`.
    pub allocation_bytes: u64,
    /// The byte of the allocation at which the resource starts.
    pub offset: u64,
    /// Whether the allocation was made for one resource alone. Vulkan: `VkMemoryDedicatedAllocateInfo`. CUDA: `CUDA_EXTERNAL_MEMORY_DEDICATED`.
    pub dedicated: bool,
}

impl ExternalPlace {
    /// At the start of an allocation of so many bytes.
    #[must_use]
    pub fn new(allocation_bytes: u64) -> ExternalPlace {
        ExternalPlace {
            allocation_bytes,
            offset: 0,
            dedicated: false,
        }
    }

    /// From this byte on.
    #[must_use]
    pub fn offset(mut self, offset: u64) -> ExternalPlace {
        self.offset = offset;
        self
    }

    /// In an allocation that has no other resource.
    #[must_use]
    pub fn dedicated(mut self) -> ExternalPlace {
        self.dedicated = true;
        self
    }

    /// Refuses a resource of so many bytes that is not within the allocation.
    fn check<T>(&self, bytes: Option<usize>) -> Result<u64, ExternalError> {
        let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
        let out_of_range = |bytes| ExternalError::OutOfRange {
            offset: self.offset,
            bytes,
            allocation_bytes: self.allocation_bytes,
        };
        let bytes = bytes.ok_or_else(|| out_of_range(u64::MAX))?;
        if bytes == 0 {
            return Err(ExternalError::Empty);
        }
        if self.dedicated && self.offset != 0 {
            return Err(ExternalError::DedicatedOffset {
                offset: self.offset,
            });
        }
        let end = self.offset.checked_add(bytes);
        if end.is_none_or(|end| end > self.allocation_bytes) {
            return Err(out_of_range(bytes));
        }
        if !self.offset.is_multiple_of(align_of::<T>() as u64) {
            return Err(ExternalError::Misaligned {
                offset: self.offset,
                align: align_of::<T>(),
                element: type_name::<T>(),
            });
        }
        Ok(bytes)
    }

    /// The emulator's view of the allocation.
    fn map_on_host(&self, fd: OwnedFd) -> Result<HostMemory, ExternalError> {
        let file = std::fs::File::from(fd);
        let found = file.metadata().map_err(refused("map memory"))?.len();
        if found < self.allocation_bytes {
            return Err(ExternalError::FileTooShort {
                found,
                wanted: self.allocation_bytes,
            });
        }
        let bytes = usize::try_from(self.allocation_bytes).unwrap_or(usize::MAX);
        HostMemory::map(file.into(), bytes).map_err(refused("map memory"))
    }

    /// Imports the allocation.
    ///
    /// # Safety
    /// As [`Device::import_buffer`].
    unsafe fn import(&self, fd: OwnedFd, gpu: &Gpu) -> Result<ExternalMemory, ExternalError> {
        let (context, bytes) = (Arc::clone(&gpu.context), self.allocation_bytes);
        // SAFETY: the caller's promise.
        Ok(unsafe { ExternalMemory::import(context, fd, bytes, self.dedicated)? })
    }
}

/// Memory of [`Device::export_buffer`], as another API imports it.
#[derive(Debug)]
pub struct Exported {
    /// An opaque file descriptor. It keeps the memory.
    pub fd: OwnedFd,
    /// The size of the allocation, to be told when it is imported; the elements are at its start.
    pub allocation_bytes: u64,
}

impl Device {
    /// `len` elements in memory of another API, which has the buffer at first. The file descriptor is the driver's from now on. CUDA:
    /// `cuImportExternalMemory`, `cuExternalMemoryGetMappedBuffer`.
    ///
    /// The memory stays when the other API frees it, until the buffer is dropped.
    ///
    /// # Errors
    /// Before the driver is asked: [`ExternalError::OutOfRange`], [`ExternalError::Misaligned`], [`ExternalError::Empty`],
    /// [`ExternalError::DedicatedOffset`], [`ExternalError::SemaphoreKind`], [`ExternalError::WrongDevice`]. [`ExternalError::Driver`]
    /// if it does not take the memory; on the emulator, which takes that of [`HostMemory`], [`ExternalError::FileTooShort`] and
    /// [`ExternalError::Host`].
    ///
    /// # Safety
    /// The file descriptor is an opaque one of an allocation of `place.allocation_bytes` bytes, made by another API on this device's
    /// GPU; on the emulator, of a [`HostMemory`] or of [`Device::export_buffer`]. The other API uses the bytes of the
    /// resource in its turns only, from
    /// [`Turn::wait`](super::Turn::wait) to [`Turn::signal`](super::Turn::signal) of the semaphores of `handover`, which nothing else
    /// signals. No other buffer of this program is in the same bytes.
    pub unsafe fn import_buffer<T: Plain>(
        &self,
        fd: OwnedFd,
        place: ExternalPlace,
        len: usize,
        handover: Handover,
    ) -> Result<Released<DeviceBuffer<T>>, ExternalError> {
        reject_in_host_callback()?;
        handover.check(self)?;
        let bytes = place.check::<T>(len.checked_mul(size_of::<T>()))?;
        let (start, keep): (*mut u8, Box<dyn Send>) = match &self.0.backend {
            Backend::Emulator(_) => {
                let memory = place.map_on_host(fd)?;
                let offset = usize::try_from(place.offset).unwrap_or(usize::MAX);
                (memory.start().wrapping_add(offset), Box::new(memory))
            }
            Backend::Cuda(gpu) => {
                // SAFETY: the caller promises what the file descriptor is.
                let memory = unsafe { place.import(fd, gpu)? }.map(place.offset, bytes)?;
                (address(memory.address()), Box::new(memory))
            }
        };
        // SAFETY: the memory was mapped just now, and `keep` keeps it; the caller promises that nothing else uses it meanwhile.
        let buffer = unsafe { self.adopt(start, len, keep)? };
        Released::new(buffer, handover)
    }

    /// The same as an array with levels of detail, for textures and surfaces. CUDA: `cuImportExternalMemory`,
    /// `cuExternalMemoryGetMappedMipmappedArray`.
    ///
    /// An image of Vulkan has the same width, height, layers, levels and format, optimal tiling, one sample, and surfaces if it can be
    /// written as a storage image or a colour attachment. On the emulator the levels are rows without gaps, the finest level first.
    ///
    /// # Errors
    /// As [`import_buffer`](Device::import_buffer), for the bytes that the elements have at least; [`ExternalError::Memory`] as
    /// [`mipmapped_uninit`](Device::mipmapped_uninit).
    ///
    /// # Safety
    /// As [`import_buffer`](Device::import_buffer); the image at `place` has this shape, these elements and so many levels.
    pub unsafe fn import_mipmapped_array<T: ArrayElement>(
        &self,
        fd: OwnedFd,
        place: ExternalPlace,
        shape: impl Into<ArrayOptions>,
        levels: u32,
        handover: Handover,
    ) -> Result<Released<MipmappedArray<T>>, ExternalError> {
        reject_in_host_callback()?;
        handover.check(self)?;
        let options = shape.into();
        let (len, described) = MipmappedArray::<T>::checked(self, options, levels)?;
        let bytes = len.and_then(|len| len.checked_mul(size_of::<T>()));
        place.check::<T>(bytes)?;
        let bytes = bytes.unwrap_or(usize::MAX);
        let buffer = match &self.0.backend {
            Backend::Emulator(_) => {
                let memory = place.map_on_host(fd)?;
                let offset = usize::try_from(place.offset).unwrap_or(usize::MAX);
                let start = memory.start().wrapping_add(offset);
                let len = bytes / size_of::<T>();
                // SAFETY: as in `import_buffer`.
                unsafe { self.adopt::<T>(start, len, Box::new(memory))? }.into_buffer()
            }
            Backend::Cuda(gpu) => {
                // SAFETY: the caller promises what the file descriptor is.
                let memory = unsafe { place.import(fd, gpu)? };
                let array = ArrayMemory::external(memory, place.offset, described, levels)?;
                Buffer::of_memory(self, Memory::Array(array), Kind::Foreign, bytes)
            }
        };
        Released::new(MipmappedArray::of_buffer(buffer, options, levels), handover)
    }

    /// A buffer of `len` elements, which are zero, in memory that another API can import, with a file descriptor of it. The other API has
    /// the buffer at first. CUDA: `cuMemCreate`, `cuMemMap`, `cuMemExportToShareableHandle`.
    ///
    /// # Errors
    /// [`ExternalError::Empty`]; [`ExternalError::Memory`] if the device has no room; as [`import_buffer`](Device::import_buffer).
    ///
    /// # Safety
    /// As [`import_buffer`](Device::import_buffer), for all who get the file descriptor.
    ///
    /// ```
    /// use warploom_runtime::interop::external::{ExternalPlace, Handover, HostMemory, HostSemaphore, SemaphoreKind};
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let semaphore = HostSemaphore::new()?;
    /// // SAFETY: the code below keeps to the turns.
    /// let (ours, exported) = unsafe {
    ///     let semaphore = device.import_semaphore(semaphore.fd()?, SemaphoreKind::Timeline)?;
    ///     device.export_buffer::<u32>(3, Handover::timeline(semaphore, 0))?
    /// };
    /// let theirs = HostMemory::map(exported.fd, 12)?; // Vulkan's, on a GPU
    /// let mut ours = ours.acquire(&stream)?;
    /// ours.as_slice_mut().copy_from(1, &[8, 9], &stream)?;
    /// let ours = ours.release(&stream)?;
    /// // SAFETY: it is the other side's turn.
    /// assert_eq!(unsafe { theirs.start().cast::<[u32; 3]>().read() }, [0, 8, 9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn export_buffer<T: Plain>(
        &self,
        len: usize,
        handover: Handover,
    ) -> Result<(Released<DeviceBuffer<T>>, Exported), ExternalError> {
        reject_in_host_callback()?;
        handover.check(self)?;
        let out_of_memory = || MemoryError::OutOfMemory {
            elements: len,
            size: size_of::<T>(),
            device: self.name().to_owned(),
        };
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or_else(out_of_memory)?;
        if bytes == 0 {
            return Err(ExternalError::Empty);
        }
        let (start, keep, exported): (_, Box<dyn Send>, _) = match &self.0.backend {
            Backend::Emulator(_) => {
                // Whole pages: other APIs take no parts of them.
                let bytes = bytes
                    .checked_next_multiple_of(PAGE)
                    .ok_or_else(out_of_memory)?;
                let memory = HostMemory::new(bytes).map_err(refused("make memory to share"))?;
                let exported = Exported {
                    fd: memory
                        .fd()
                        .map_err(refused("duplicate a file descriptor"))?,
                    allocation_bytes: bytes as u64,
                };
                (memory.start(), Box::new(memory), exported)
            }
            Backend::Cuda(gpu) => {
                let memory = ShareableMemory::new(&gpu.context, bytes)?;
                let memory = memory.ok_or_else(out_of_memory)?;
                // SAFETY: the memory was made just now with at least so many bytes; it stays until the wait is over.
                unsafe { gpu.own_stream.zero(memory.address(), bytes)? };
                gpu.own_stream.synchronize()?;
                let exported = Exported {
                    fd: memory.export()?,
                    allocation_bytes: memory.bytes() as u64,
                };
                (address(memory.address()), Box::new(memory), exported)
            }
        };
        // SAFETY: the memory was made just now, of zeros, and `keep` keeps it.
        let buffer = unsafe { self.adopt(start, len, keep)? };
        Ok((Released::new(buffer, handover)?, exported))
    }

    /// A buffer in memory that goes with `keep`.
    ///
    /// # Safety
    /// As [`DeviceBuffer::from_raw_parts`].
    unsafe fn adopt<T: Plain>(
        &self,
        start: *mut u8,
        len: usize,
        keep: Box<dyn Send>,
    ) -> Result<DeviceBuffer<T>, ExternalError> {
        let elements = ForeignElements {
            start,
            len,
            is_for_kernels: true,
            #[cfg(feature = "dlpack")]
            device_type: DeviceType::of(self),
        };
        // SAFETY: the caller's promise.
        Ok(unsafe { adopt(self, elements, Box::new(move || drop(keep)))? })
    }
}

/// A device's address as a bare number.
fn address(address: u64) -> *mut u8 {
    ptr::without_provenance_mut(usize::try_from(address).unwrap_or(0))
}
