//! Rectangles and boxes of arrays, and the copies from and to them.

use std::fmt;
use std::ops::RangeBounds;

use warploom_device::Plain;

use crate::buffer::Buffer;
use crate::memory::part::{Part, PartMut, Place};
use crate::memory::{
    Extent3, HostPart, HostPartMut, MemoryError, PinnedSlice, PinnedSliceMut, PitchedSlice,
};
use crate::stream::Stream;

/// Elements of an array, to read. Made by [`ArrayBuffer::part`](super::ArrayBuffer::part).
pub struct ArraySlice<'a, T>(pub(in crate::memory) Part<'a, T>);

/// Elements of an array, to write. Made by [`ArrayBuffer::part_mut`](super::ArrayBuffer::part_mut).
pub struct ArraySliceMut<'a, T>(PartMut<'a, T>);

impl<T> Clone for ArraySlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ArraySlice<'_, T> {}

impl<'a, T> ArraySlice<'a, T> {
    /// All elements.
    ///
    /// # Safety
    /// `buffer` is an array of `T` of this extent, and nobody writes it during `'a`.
    pub(super) unsafe fn new(buffer: &'a Buffer, extent: Extent3) -> Self {
        // SAFETY: the caller's promise.
        ArraySlice(unsafe { Part::new(Place::of_array::<T>(buffer, extent)) })
    }

    /// Width, height, and depth or layers in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.0.extent()
    }

    /// The elements of three ranges (counted within this part).
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the first range that does not fit.
    pub fn part(
        &self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<ArraySlice<'a, T>, MemoryError> {
        Ok(ArraySlice(self.0.part(x, y, z)?))
    }
}

impl<T: Plain> ArraySlice<'_, T> {
    /// Copies the elements to the host, row after row, plane after plane; waits. CUDA: `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`](crate::DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        self.0.to_vec(stream)
    }

    /// Copies the elements into `target`, row after row, plane after plane; waits.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if `target` has another number of elements. As [`to_vec`](ArraySlice::to_vec).
    #[track_caller]
    pub fn copy_to(&self, target: &mut [T], stream: &Stream) -> Result<(), MemoryError> {
        let target = HostPartMut::new(target, self.extent())?;
        self.copy_to_host(target, stream)
    }

    /// Copies the elements into a part of host memory; waits.
    ///
    /// # Errors
    /// [`MemoryError::ExtentMismatch`] if the extents differ. As [`to_vec`](ArraySlice::to_vec).
    #[track_caller]
    pub fn copy_to_host(
        &self,
        target: HostPartMut<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.0.copy_to_host(&target, stream)
    }

    /// Copies the elements into `target`, page-locked memory, row after row without gaps. Queued on `stream`; does not wait.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`], [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    #[track_caller]
    pub fn copy_to_pinned<'b>(
        &self,
        target: impl Into<PinnedSliceMut<'b, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'b,
    {
        self.0.copy_to_pinned(target.into(), stream)
    }
}

impl<'a, T> ArraySliceMut<'a, T> {
    /// All elements.
    ///
    /// # Safety
    /// `buffer` is an array of `T` of this extent, and nobody else uses it during `'a`.
    pub(super) unsafe fn new(buffer: &'a Buffer, extent: Extent3) -> Self {
        // SAFETY: the caller's promise.
        ArraySliceMut(unsafe { PartMut::new(Place::of_array::<T>(buffer, extent)) })
    }

    /// Width, height, and depth or layers in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.0.as_part().extent()
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> ArraySlice<'_, T> {
        ArraySlice(self.0.as_part())
    }

    /// The elements of three ranges (counted within this part), for the whole time of this view.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the first range that does not fit.
    pub fn into_part(
        self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<ArraySliceMut<'a, T>, MemoryError> {
        Ok(ArraySliceMut(self.0.part(x, y, z)?))
    }
}

impl<T: Plain> ArraySliceMut<'_, T> {
    /// Copies `source`, row after row, plane after plane, to the elements of this part; waits. CUDA: `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if `source` has another number of elements; nothing is copied then. As
    /// [`DeviceBuffer::copy_from`](crate::DeviceBuffer::copy_from).
    pub fn copy_from(&mut self, source: &[T], stream: &Stream) -> Result<(), MemoryError> {
        let source = HostPart::new(source, self.extent())?;
        self.copy_from_host(source, stream)
    }

    /// Copies a part of host memory of the same extent; waits.
    ///
    /// # Errors
    /// [`MemoryError::ExtentMismatch`] if the extents differ; nothing is copied then. As [`copy_from`](ArraySliceMut::copy_from).
    pub fn copy_from_host(
        &mut self,
        source: HostPart<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.0.copy_from_host(&source, stream)
    }

    /// Copies `source`, page-locked memory, rows without gaps. Queued on `stream`; does not wait.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`], [`MemoryError::WrongDevice`]; nothing is copied then. [`MemoryError::Driver`].
    pub fn copy_from_pinned<'b>(
        &mut self,
        source: impl Into<PinnedSlice<'b, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.0.copy_from_pinned(source.into(), stream)
    }

    /// Copies rows of a pitched or [linear](crate::DeviceSlice::shaped) buffer on the same device, of the same extent; planes become layers
    /// where there are such. Queued on `stream`, which may record a graph; does not wait. CUDA: `cuMemcpy3DAsync`.
    ///
    /// # Errors
    /// [`MemoryError::ExtentMismatch`], [`MemoryError::WrongDevice`]; nothing is copied then. [`MemoryError::Driver`].
    pub fn copy_from_device(
        &mut self,
        source: PitchedSlice<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.0.copy_from(source.0, stream)
    }

    /// Copies a part of an array on the same device, of the same extent. Queued on `stream`, which may record a graph; does not wait.
    /// CUDA: `cuMemcpy3DAsync`.
    ///
    /// # Errors
    /// As [`copy_from_device`](ArraySliceMut::copy_from_device).
    ///
    /// A copy within one array could overlap:
    ///
    /// ```compile_fail,E0502
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream().unwrap();
    /// let mut x = device.array_uninit::<u8>((4, 4)).unwrap();
    /// let (from, mut to) = (x.part(.., 1.., ..).unwrap(), x.part_mut(.., ..3, ..).unwrap());
    /// to.copy_from_array(from, &stream).unwrap();
    /// ```
    pub fn copy_from_array(
        &mut self,
        source: ArraySlice<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.0.copy_from(source.0, stream)
    }
}

impl<T> fmt::Debug for ArraySlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArraySlice")
            .field("extent", &<[usize; 3]>::from(self.extent()))
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ArraySliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArraySliceMut")
            .field("extent", &<[usize; 3]>::from(self.extent()))
            .finish_non_exhaustive()
    }
}
