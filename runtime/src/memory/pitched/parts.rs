//! Rectangles and boxes of buffers, and the copies from and to them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use warploom_device::Plain;

use crate::buffer::{Area, Buffer, Fill, Side, Stack, Way};
use crate::memory::fill::bytes_of;
use crate::memory::{
    ArraySlice, Extent3, HostPart, HostPartMut, MemoryError, PinnedSlice, PinnedSliceMut,
};
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut, resolve};

/// A rectangle or box of a buffer, to read. Made by [`PitchedBuffer::part`](super::PitchedBuffer::part) and [`DeviceSlice::shaped`].
pub struct PitchedSlice<'a, T> {
    buffer: &'a Buffer,
    area: Area,
    element: PhantomData<&'a [T]>,
}

/// A rectangle or box of a buffer, to write. Made by [`PitchedBuffer::part_mut`](super::PitchedBuffer::part_mut) and [`DeviceSliceMut::shaped`].
pub struct PitchedSliceMut<'a, T> {
    buffer: &'a Buffer,
    area: Area,
    element: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is a borrow of elements, like `&[T]`; the buffer itself may be used by every thread.
unsafe impl<T: Sync> Send for PitchedSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PitchedSlice<'_, T> {}
// SAFETY: a view is an exclusive borrow of elements, like `&mut [T]`.
unsafe impl<T: Send> Send for PitchedSliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PitchedSliceMut<'_, T> {}

impl<T> Clone for PitchedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PitchedSlice<'_, T> {}

/// The ranges of a part as numbers.
pub(in crate::memory) fn part_of(
    area: Area,
    x: impl RangeBounds<usize>,
    y: impl RangeBounds<usize>,
    z: impl RangeBounds<usize>,
) -> Result<Area, MemoryError> {
    let [width, height, depth] = area.extent;
    Ok(area.part([resolve(x, width)?, resolve(y, height)?, resolve(z, depth)?]))
}

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
        let extent = extent.into();
        extent.check_length(self.len())?;
        Ok(PitchedSlice {
            buffer: self.buffer(),
            area: Area::tight(self.ptr().cast(), extent.into(), size_of::<T>()),
            element: PhantomData,
        })
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    /// The elements as rows without gaps, for copies from and to rows with gaps.
    ///
    /// # Errors
    /// As [`DeviceSlice::shaped`].
    pub fn shaped(self, extent: impl Into<Extent3>) -> Result<PitchedSliceMut<'a, T>, MemoryError> {
        let extent = extent.into();
        extent.check_length(self.len())?;
        Ok(PitchedSliceMut {
            buffer: self.buffer(),
            area: Area::tight(self.ptr().cast(), extent.into(), size_of::<T>()),
            element: PhantomData,
        })
    }
}

impl<'a, T> PitchedSlice<'a, T> {
    /// # Safety
    /// All elements of `area` lie in `buffer`, and nobody writes them during `'a`.
    pub(super) unsafe fn new(buffer: &'a Buffer, area: Area) -> Self {
        PitchedSlice {
            buffer,
            area,
            element: PhantomData,
        }
    }

    pub(in crate::memory) fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    pub(in crate::memory) fn side(&self) -> Side<'a> {
        Side::Memory(self.area)
    }

    /// Width, height and depth in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.area.extent.into()
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
        let area = part_of(self.area, x, y, z)?;
        Ok(PitchedSlice { area, ..*self })
    }
}

impl<T: Plain> PitchedSlice<'_, T> {
    /// Copies the elements to the host, row after row without gaps; waits. CUDA: `cuMemcpy2DAsync` or `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`](crate::DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        // More than any memory holds only if they have no bytes.
        let len = self.extent().elements().unwrap_or(usize::MAX);
        let mut elements = Vec::<T>::with_capacity(len);
        let to = Area::tight(
            elements.as_mut_ptr().cast(),
            self.area.extent,
            size_of::<T>(),
        );
        // SAFETY: the vector has room for `len` elements, which the copy writes.
        unsafe {
            self.copy(to, Way::Out, &[self.buffer], stream)?;
            elements.set_len(len);
        }
        Ok(elements)
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
        // SAFETY: an exclusive part of host memory.
        unsafe { self.copy(target.area(), Way::Out, &[self.buffer], stream) }
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
        let target = target.into();
        self.extent().check_length(target.len())?;
        target.buffer().check_device(stream)?;
        let to = Area::tight(target.ptr().cast(), self.area.extent, size_of::<T>());
        let buffers = [self.buffer, target.buffer()];
        // SAFETY: an exclusive part of page-locked memory of as many elements.
        unsafe { self.copy(to, Way::OutPinned, &buffers, stream) }
    }

    /// # Safety
    /// As [`Side::copy`], but for this part and the devices.
    #[track_caller]
    unsafe fn copy(
        &self,
        to: Area,
        way: Way,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.buffer.check_home(stream)?;
        let to = Side::Memory(to);
        Extent3::check_same(self.area.extent, to.extent())?;
        // SAFETY: this part is borrowed, its device was checked; the caller promises the rest.
        unsafe { Side::Memory(self.area).copy(to, way, buffers, stream) }
    }
}

impl<'a, T> PitchedSliceMut<'a, T> {
    /// # Safety
    /// All elements of `area` lie in `buffer`, and nobody else uses them during `'a`.
    pub(super) unsafe fn new(buffer: &'a Buffer, area: Area) -> Self {
        PitchedSliceMut {
            buffer,
            area,
            element: PhantomData,
        }
    }

    /// Width, height and depth in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.area.extent.into()
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> PitchedSlice<'_, T> {
        PitchedSlice {
            buffer: self.buffer,
            area: self.area,
            element: PhantomData,
        }
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
        let area = part_of(self.area, x, y, z)?;
        Ok(PitchedSliceMut { area, ..self })
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
        // SAFETY: a part of host memory, borrowed.
        unsafe { self.copy(Side::Memory(source.area()), Way::In, &[self.buffer], stream) }
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
        let source = source.into();
        self.extent().check_length(source.len())?;
        source.buffer().check_device(stream)?;
        let start = source.ptr().cast_mut().cast();
        let from = Side::Memory(Area::tight(start, self.area.extent, size_of::<T>()));
        // SAFETY: a borrowed part of page-locked memory of as many elements.
        unsafe { self.copy(from, Way::InPinned, &[self.buffer, source.buffer()], stream) }
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
        source.buffer.check_home(stream)?;
        let buffers = [self.buffer, source.buffer];
        // SAFETY: a borrowed part of a buffer, which this exclusive one cannot overlap.
        unsafe { self.copy(Side::Memory(source.area), Way::Within, &buffers, stream) }
    }

    /// Copies a part of an array on the same device, of the same extent; layers count as planes. Queued on `stream`, which may record a graph; does
    /// not wait. CUDA: `cuMemcpy3DAsync`.
    ///
    /// # Errors
    /// As [`copy_from_device`](PitchedSliceMut::copy_from_device).
    pub fn copy_from_array(
        &mut self,
        source: ArraySlice<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        source.buffer().check_home(stream)?;
        let buffers = [self.buffer, source.buffer()];
        // SAFETY: a borrowed part of an array, which no linear memory overlaps.
        unsafe { self.copy(source.side(), Way::Within, &buffers, stream) }
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
        self.buffer.check_home(stream)?;
        for Stack { to, pitch, height } in self.area.stacks() {
            let fill = Fill {
                to,
                pitch,
                value: bytes_of(&value),
                width: self.area.extent[0],
                height,
            };
            // SAFETY: rows of this exclusive part; the device was checked.
            unsafe { fill.run(self.buffer, stream)? };
        }
        Ok(())
    }

    /// # Safety
    /// As [`Side::copy`], but for this part and its device.
    unsafe fn copy(
        &self,
        from: Side<'_>,
        way: Way,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.buffer.check_home(stream)?;
        Extent3::check_same(from.extent(), self.area.extent)?;
        // SAFETY: this part is borrowed exclusively, its device was checked; the caller promises the rest.
        unsafe { from.copy(Side::Memory(self.area), way, buffers, stream) }
    }
}

impl<T> fmt::Debug for PitchedSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PitchedSlice")
            .field("extent", &self.area.extent)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for PitchedSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PitchedSliceMut")
            .field("extent", &self.area.extent)
            .finish_non_exhaustive()
    }
}
