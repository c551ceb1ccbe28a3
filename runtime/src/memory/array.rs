//! Arrays: memory whose layout only the device knows, for what is read and written by coordinates.

mod element; // what an array holds
mod level; // one level of detail
mod mipmapped; // several levels of detail
mod shape; // dimensions, layers and their limits

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::ptr;
use std::sync::Arc;

use warploom_emulator::check::Birth;

use super::{ArraySlice, ArraySliceMut, Extent3, MemoryError};
use crate::buffer::{Buffer, CopyKind, Kind, Memory, Region};
use crate::cuda::array::{ArrayMemory, Described};
use crate::device::Device;
use crate::memory::HostPart;
use crate::stream::Stream;

pub use element::{ArrayElement, ChannelFormat};
pub(crate) use level::Place;
pub use level::{ArrayLevel, ArrayLevelMut};
pub use mipmapped::MipmappedArray;
pub use shape::{ArrayOptions, ArrayShape};

/// Elements of 1, 2 or 4 channels in one, two or three dimensions, or in layers, laid out as the device likes best.
///
/// There are no addresses: elements come and go in copies, from and to host memory, page-locked memory, linear buffers seen
/// [in rows](crate::DeviceSlice::shaped), pitched buffers and other arrays, and [parts](ArrayBuffer::part) of them all. Kernels read arrays
/// through [textures](ArrayBuffer::texture), and read and write them through [surfaces](ArrayBuffer::surface_mut).
/// Order between streams is kept as for a [`DeviceBuffer`](crate::DeviceBuffer). CUDA: `CUarray`, `cuArray3DCreate`.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let mut image = device.array_from((3, 2), &[[1u8, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]])?;
/// image.part_mut(1..2, .., ..)?.copy_from(&[[0, 0], [0, 1]], &stream)?;
/// assert_eq!(image.to_vec(&stream)?, [[1, 2], [0, 0], [5, 6], [7, 8], [0, 1], [11, 12]]);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct ArrayBuffer<T> {
    buffer: Buffer,
    options: ArrayOptions,
    element: PhantomData<T>,
}

impl Device {
    /// Makes an array of elements with no particular contents, as [`alloc_uninit`](Device::alloc_uninit) makes a buffer. CUDA:
    /// `cuArray3DCreate`.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// use warploom_runtime::ArrayShape;
    /// let shape = ArrayShape::Planes { width: 4, height: 2, layers: 3 };
    /// let mut x = device.array_uninit::<f32>(shape)?;
    /// x.copy_from(&[0.5; 24], &stream)?;
    /// let second = x.part(.., .., 1..2)?; // layers count as planes
    /// assert_eq!(second.to_vec(&stream)?, [0.5; 8]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`MemoryError::ArrayExtent`] if it has no elements, or more along one side than the device's arrays, or surfaces, have; [`MemoryError::ArrayGather`].
    /// [`MemoryError::OutOfMemory`] if the device has no room for it; what the driver reports.
    #[track_caller]
    pub fn array_uninit<T: ArrayElement>(
        &self,
        shape: impl Into<ArrayOptions>,
    ) -> Result<ArrayBuffer<T>, MemoryError> {
        ArrayBuffer::new(self, shape.into(), Birth::Uninitialised)
    }

    /// Makes an array with a copy of `source`, row after row without gaps; returns when the copy is complete. CUDA: `cuArray3DCreate`,
    /// `cuMemcpy3DAsync`.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if there are not as many elements as `shape` has. As [`array_uninit`](Device::array_uninit).
    #[track_caller]
    pub fn array_from<T: ArrayElement>(
        &self,
        shape: impl Into<ArrayOptions>,
        source: &[T],
    ) -> Result<ArrayBuffer<T>, MemoryError> {
        let options = shape.into();
        let host = HostPart::new(source, options.shape().extent())?;
        let made = ArrayBuffer::new(self, options, Birth::Initialised)?;
        made.buffer.fill_from(source)?; // on the emulator, whose arrays are memory in rows
        if let Some(stream) = made.buffer.own_stream()
            && made.buffer.array().is_some()
        {
            let all = made.as_slice().region();
            // SAFETY: both have as many elements; the array is not shared yet, and both stay until the wait is over.
            unsafe {
                Region::Memory(host.area()).queue_alone(all, CopyKind::HostToDevice, stream)?
            };
            stream.synchronize()?;
        }
        self.flush_prints();
        Ok(made)
    }
}

/// An array of elements `T`, for the driver.
fn described<T: ArrayElement>(options: ArrayOptions) -> Described {
    let shape = options.shape();
    Described {
        extent: shape.for_driver(),
        layered: shape.is_layered(),
        cube: shape.is_cube(),
        surface: options.is_surface(),
        gather: options.is_gather(),
        format: T::FORMAT.number(),
        channels: T::CHANNELS,
    }
}

impl<T: ArrayElement> ArrayBuffer<T> {
    #[track_caller]
    fn new(device: &Device, options: ArrayOptions, birth: Birth) -> Result<Self, MemoryError> {
        options.check(None, device)?;
        let len = options.shape().extent().elements().unwrap_or(usize::MAX);
        let buffer = Buffer::of_kind::<T>(device, len, birth, Kind::Array, |gpu, _| {
            let described = described::<T>(options);
            let made = ArrayMemory::new(Arc::clone(&gpu.context), described)?;
            Ok(made.map(Memory::Array))
        })?;
        Ok(ArrayBuffer {
            buffer,
            options,
            element: PhantomData,
        })
    }

    /// The array as the one level that it has, to read.
    #[must_use]
    pub fn as_level(&self) -> ArrayLevel<'_, T> {
        // SAFETY: the elements are those of the buffer, borrowed like `self`.
        unsafe { ArrayLevel::new(self.place()) }
    }

    /// The array as the one level that it has, to write.
    #[must_use]
    pub fn as_level_mut(&mut self) -> ArrayLevelMut<'_, T> {
        // SAFETY: the elements are those of the buffer, borrowed like `self`.
        unsafe { ArrayLevelMut::new(self.place()) }
    }

    fn place(&self) -> Place<'_> {
        Place {
            buffer: &self.buffer,
            options: self.options,
            level: 0,
            before: 0,
        }
    }

    /// All elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> ArraySlice<'_, T> {
        self.as_level().as_slice()
    }

    /// All elements, to write.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> ArraySliceMut<'_, T> {
        self.as_level_mut().into_slice_mut()
    }

    /// The elements of three ranges, to read; the third is of planes or layers.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the first range that does not fit.
    pub fn part(
        &self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<ArraySlice<'_, T>, MemoryError> {
        self.as_slice().part(x, y, z)
    }

    /// The elements of three ranges, to write; the third is of planes or layers.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the first range that does not fit.
    pub fn part_mut(
        &mut self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<ArraySliceMut<'_, T>, MemoryError> {
        self.as_slice_mut().into_part(x, y, z)
    }

    /// Copies all elements to the host, row after row, plane after plane; waits. CUDA: `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`](crate::DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        self.as_slice().to_vec(stream)
    }

    /// Copies `source`, row after row, plane after plane, to all elements; waits. CUDA: `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`ArraySliceMut::copy_from`].
    pub fn copy_from(&mut self, source: &[T], stream: &Stream) -> Result<(), MemoryError> {
        self.as_slice_mut().copy_from(source, stream)
    }
}

impl<T: ArrayElement> ArrayBuffer<T> {
    /// Refuses what no array is.
    pub(crate) fn check(device: &Device, options: ArrayOptions) -> Result<(), MemoryError> {
        options.check(None, device)
    }
}

impl<T> ArrayBuffer<T> {
    /// The array in memory that was made for it.
    pub(crate) fn of_buffer(buffer: Buffer, options: ArrayOptions) -> ArrayBuffer<T> {
        ArrayBuffer {
            buffer,
            options,
            element: PhantomData,
        }
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Its dimensions and layers.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.options.shape()
    }

    /// What it was made for.
    pub fn options(&self) -> ArrayOptions {
        self.options
    }

    /// Width, height, and depth or layers in elements; 1 where there is no such dimension.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.shape().extent()
    }

    /// The device whose memory this is.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The driver's `CUarray`, for code that calls the driver itself; null on the emulator, whose arrays have none.
    ///
    /// Valid until the array is dropped. Work that other code queues on it is not ordered with the runtime's.
    #[must_use]
    pub fn raw_array(&self) -> *mut c_void {
        let array = self.buffer.array();
        array.map_or(ptr::null_mut(), ArrayMemory::raw_handle)
    }
}

impl<T> fmt::Debug for ArrayBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayBuffer")
            .field("options", &self.options)
            .field("device", self.device())
            .finish_non_exhaustive()
    }
}
