//! Rectangles and boxes of arrays, and the copies from and to them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use warploom_device::Plain;

use crate::buffer::{Area, ArrayPart, Buffer, Side, Way};
use crate::memory::{
    Extent3, HostPart, HostPartMut, MemoryError, PinnedSlice, PinnedSliceMut, PitchedSlice,
};
use crate::stream::Stream;
use crate::view::resolve;

/// Elements of an array: the first one's place, how far they reach, and the whole array's extent, which says where rows lie on the emulator.
#[derive(Clone, Copy)]
struct Window<'a> {
    buffer: &'a Buffer,
    at: [usize; 3],
    extent: [usize; 3],
    whole: [usize; 3],
}

impl<'a> Window<'a> {
    fn all(buffer: &'a Buffer, extent: Extent3) -> Window<'a> {
        Window {
            buffer,
            at: [0; 3],
            extent: extent.into(),
            whole: extent.into(),
        }
    }

    fn part(
        self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<Window<'a>, MemoryError> {
        let [width, height, depth] = self.extent;
        let ranges = [resolve(x, width)?, resolve(y, height)?, resolve(z, depth)?];
        let mut part = self;
        for (axis, range) in ranges.into_iter().enumerate() {
            part.at[axis] += range.start;
            part.extent[axis] = range.len();
        }
        Ok(part)
    }

    /// Of elements of so many bytes.
    fn side(&self, size: usize) -> Side<'a> {
        if let Some(array) = self.buffer.array() {
            return Side::Array(ArrayPart {
                buffer: self.buffer,
                array,
                at: self.at,
                extent: self.extent,
                size,
            });
        }
        let all = Area::tight(self.buffer.start(), self.whole, size);
        let ranges = [0, 1, 2].map(|axis| self.at[axis]..self.at[axis] + self.extent[axis]);
        Side::Memory(all.part(ranges))
    }
}

/// Elements of an array, to read. Made by [`ArrayBuffer::part`](super::ArrayBuffer::part).
pub struct ArraySlice<'a, T> {
    window: Window<'a>,
    element: PhantomData<&'a [T]>,
}

/// Elements of an array, to write. Made by [`ArrayBuffer::part_mut`](super::ArrayBuffer::part_mut).
pub struct ArraySliceMut<'a, T> {
    window: Window<'a>,
    element: PhantomData<&'a mut [T]>,
}

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
        ArraySlice {
            window: Window::all(buffer, extent),
            element: PhantomData,
        }
    }

    pub(in crate::memory) fn buffer(&self) -> &'a Buffer {
        self.window.buffer
    }

    pub(in crate::memory) fn side(&self) -> Side<'a> {
        self.window.side(size_of::<T>())
    }

    /// Width, height, and depth or layers in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.window.extent.into()
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
        Ok(ArraySlice {
            window: self.window.part(x, y, z)?,
            element: PhantomData,
        })
    }
}

impl<T: Plain> ArraySlice<'_, T> {
    /// Copies the elements to the host, row after row, plane after plane; waits. CUDA: `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`](crate::DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        let len = self.extent().elements().unwrap_or(usize::MAX);
        let mut elements = Vec::<T>::with_capacity(len);
        let to = elements.as_mut_ptr().cast();
        let to = Area::tight(to, self.window.extent, size_of::<T>());
        // SAFETY: the vector has room for `len` elements, which the copy writes.
        unsafe {
            self.copy(to, Way::Out, &[self.buffer()], stream)?;
            elements.set_len(len);
        }
        Ok(elements)
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
        // SAFETY: an exclusive part of host memory.
        unsafe { self.copy(target.area(), Way::Out, &[self.buffer()], stream) }
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
        let to = Area::tight(target.ptr().cast(), self.window.extent, size_of::<T>());
        let buffers = [self.buffer(), target.buffer()];
        // SAFETY: an exclusive part of page-locked memory of as many elements.
        unsafe { self.copy(to, Way::OutPinned, &buffers, stream) }
    }

    /// # Safety
    /// As [`Side::copy`], but for this part and its device.
    #[track_caller]
    unsafe fn copy(
        &self,
        to: Area,
        way: Way,
        buffers: &[&Buffer],
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.buffer().check_home(stream)?;
        Extent3::check_same(self.window.extent, to.extent)?;
        // SAFETY: this part is borrowed, its device was checked; the caller promises the rest.
        unsafe { self.side().copy(Side::Memory(to), way, buffers, stream) }
    }
}

impl<'a, T> ArraySliceMut<'a, T> {
    /// All elements.
    ///
    /// # Safety
    /// `buffer` is an array of `T` of this extent, and nobody else uses it during `'a`.
    pub(super) unsafe fn new(buffer: &'a Buffer, extent: Extent3) -> Self {
        ArraySliceMut {
            window: Window::all(buffer, extent),
            element: PhantomData,
        }
    }

    /// Width, height, and depth or layers in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.window.extent.into()
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> ArraySlice<'_, T> {
        ArraySlice {
            window: self.window,
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
    ) -> Result<ArraySliceMut<'a, T>, MemoryError> {
        Ok(ArraySliceMut {
            window: self.window.part(x, y, z)?,
            element: PhantomData,
        })
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
        let from = Side::Memory(source.area());
        // SAFETY: a part of host memory, borrowed.
        unsafe { self.copy(from, Way::In, &[self.window.buffer], stream) }
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
        let from = Side::Memory(Area::tight(start, self.window.extent, size_of::<T>()));
        let buffers = [self.window.buffer, source.buffer()];
        // SAFETY: a borrowed part of page-locked memory of as many elements.
        unsafe { self.copy(from, Way::InPinned, &buffers, stream) }
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
        // SAFETY: a borrowed part of a buffer, which no array overlaps.
        unsafe { self.copy_within(source.buffer(), source.side(), stream) }
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
        // SAFETY: a borrowed part of an array, which this exclusive one cannot overlap.
        unsafe { self.copy_within(source.buffer(), source.side(), stream) }
    }

    /// # Safety
    /// `from` is a borrowed part of `buffer`, which this one does not overlap.
    unsafe fn copy_within(
        &self,
        buffer: &Buffer,
        from: Side<'_>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        buffer.check_home(stream)?;
        // SAFETY: the caller's promise.
        unsafe { self.copy(from, Way::Within, &[self.window.buffer, buffer], stream) }
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
        self.window.buffer.check_home(stream)?;
        Extent3::check_same(from.extent(), self.window.extent)?;
        let to = self.window.side(size_of::<T>());
        // SAFETY: this part is borrowed exclusively, its device was checked; the caller promises the rest.
        unsafe { from.copy(to, way, buffers, stream) }
    }
}

impl<T> fmt::Debug for ArraySlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArraySlice")
            .field("extent", &self.window.extent)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ArraySliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArraySliceMut")
            .field("extent", &self.window.extent)
            .finish_non_exhaustive()
    }
}
