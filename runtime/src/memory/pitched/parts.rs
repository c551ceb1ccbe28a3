//! Rectangles and boxes of buffers, and the copies from and to them.

use std::fmt;
use std::ops::RangeBounds;

use warploom_device::Plain;

use crate::buffer::{Area, Buffer};
use crate::memory::part::{Part, PartMut, Place};
use crate::memory::{
    ArraySlice, Extent3, HostPart, HostPartMut, MemoryError, PinnedSlice, PinnedSliceMut,
};
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut};

/// A rectangle or box of a buffer, to read. Made by [`PitchedBuffer::part`](super::PitchedBuffer::part) and [`DeviceSlice::shaped`].
pub struct PitchedSlice<'a, T>(pub(in crate::memory) Part<'a, T>);

/// A rectangle or box of a buffer, to write. Made by [`PitchedBuffer::part_mut`](super::PitchedBuffer::part_mut) and
/// [`DeviceSliceMut::shaped`].
pub struct PitchedSliceMut<'a, T>(PartMut<'a, T>);

impl<T> Clone for PitchedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PitchedSlice<'_, T> {}

impl<'a, T> DeviceSlice<'a, T> {
    /// The elements as rows without gaps, for copies from and to rows with gaps.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if there are not as many elements as `extent` has.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[1u32, 2, 3, 4, 5, 6])?;
    /// let column = x.as_slice().shaped((3, 2))?.part(1..2, .., ..)?;
    /// assert_eq!(column.to_vec(&stream)?, [2, 5]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn shaped(self, extent: impl Into<Extent3>) -> Result<PitchedSlice<'a, T>, MemoryError> {
        Ok(PitchedSlice(Part::of(self, extent.into())?))
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    /// The elements as rows without gaps, for copies from and to rows with gaps.
    ///
    /// # Errors
    /// As [`DeviceSlice::shaped`].
    pub fn shaped(self, extent: impl Into<Extent3>) -> Result<PitchedSliceMut<'a, T>, MemoryError> {
        Ok(PitchedSliceMut(PartMut::of(self, extent.into())?))
    }
}

impl<'a, T> PitchedSlice<'a, T> {
    /// # Safety
    /// All elements of `area` lie in `buffer`, and nobody writes them during `'a`.
    pub(super) unsafe fn new(buffer: &'a Buffer, area: Area) -> Self {
        // SAFETY: the caller's promise.
        PitchedSlice(unsafe { Part::new(Place::of_area(buffer, area)) })
    }

    /// Width, height and depth in elements.
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
    ) -> Result<PitchedSlice<'a, T>, MemoryError> {
        Ok(PitchedSlice(self.0.part(x, y, z)?))
    }
}

impl<T: Plain> PitchedSlice<'_, T> {
    /// Copies the elements to the host, row after row without gaps; waits. CUDA: `cuMemcpy2DAsync` or `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`](crate::DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        self.0.to_vec(stream)
    }

    /// Copies the elements into `target`, row after row without gaps; waits.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if `target` has another number of elements. As [`to_vec`](PitchedSlice::to_vec).
    #[track_caller]
    pub fn copy_to(&self, target: &mut [T], stream: &Stream) -> Result<(), MemoryError> {
        let target = HostPartMut::new(target, self.extent())?;
        self.copy_to_host(target, stream)
    }

    /// Copies the elements into a part of host memory; waits. CUDA: `cuMemcpy2DAsync` or `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// [`MemoryError::ExtentMismatch`] if the extents differ. As [`to_vec`](PitchedSlice::to_vec).
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

impl<'a, T> PitchedSliceMut<'a, T> {
    /// # Safety
    /// All elements of `area` lie in `buffer`, and nobody else uses them during `'a`.
    pub(super) unsafe fn new(buffer: &'a Buffer, area: Area) -> Self {
        // SAFETY: the caller's promise.
        PitchedSliceMut(unsafe { PartMut::new(Place::of_area(buffer, area)) })
    }

    /// Width, height and depth in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.0.as_part().extent()
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> PitchedSlice<'_, T> {
        PitchedSlice(self.0.as_part())
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
    ) -> Result<PitchedSliceMut<'a, T>, MemoryError> {
        Ok(PitchedSliceMut(self.0.part(x, y, z)?))
    }
}

impl<T: Plain> PitchedSliceMut<'_, T> {
    /// Copies `source`, rows without gaps, to the elements of this part; waits. CUDA: `cuMemcpy2DAsync` or `cuMemcpy3DAsync`, then a wait.
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
    /// [`MemoryError::ExtentMismatch`] if the extents differ; nothing is copied then. As [`copy_from`](PitchedSliceMut::copy_from).
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

    /// Copies a part of a buffer on the same device, of the same extent. Queued on `stream`, which may record a graph; does not wait.
    ///
    /// # Errors
    /// [`MemoryError::ExtentMismatch`], [`MemoryError::WrongDevice`]; nothing is copied then. [`MemoryError::Driver`].
    ///
    /// A copy within one buffer could overlap:
    ///
    /// ```compile_fail,E0502
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream().unwrap();
    /// let mut x = device.pitched_zeroed::<u8>((4, 4)).unwrap();
    /// let (from, mut to) = (x.rect(1.., ..).unwrap(), x.rect_mut(..3, ..).unwrap());
    /// to.copy_from_device(from, &stream).unwrap();
    /// ```
    pub fn copy_from_device(
        &mut self,
        source: PitchedSlice<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.0.copy_from(source.0, stream)
    }

    /// Copies a part of an array on the same device, of the same extent; layers count as planes. Queued on `stream`, which may record a
    /// graph; does not wait. CUDA: `cuMemcpy3DAsync`.
    ///
    /// # Errors
    /// As [`copy_from_device`](PitchedSliceMut::copy_from_device).
    pub fn copy_from_array(
        &mut self,
        source: ArraySlice<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.0.copy_from(source.0, stream)
    }

    /// Sets every element to `value`. Queued on `stream`; does not wait. CUDA: `cuMemsetD2D8Async`, `cuMemsetD2D16Async`,
    /// `cuMemsetD2D32Async`; elements that do not repeat a unit of 1, 2 or 4 bytes are set row by row.
    ///
    /// # Errors
    /// [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.pitched_zeroed::<u16>((3, 2))?;
    /// x.part_mut(1.., 1.., ..)?.fill(5, &stream)?;
    /// assert_eq!(x.to_vec(&stream)?, [0, 0, 0, 0, 5, 5]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn fill(&mut self, value: T, stream: &Stream) -> Result<(), MemoryError> {
        self.0.fill(&value, stream)
    }
}

impl<T> fmt::Debug for PitchedSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PitchedSlice")
            .field("extent", &<[usize; 3]>::from(self.extent()))
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for PitchedSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PitchedSliceMut")
            .field("extent", &<[usize; 3]>::from(self.extent()))
            .finish_non_exhaustive()
    }
}
