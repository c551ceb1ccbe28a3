//! Views of rectangles and boxes, of pitched and linear memory and of arrays, and the copies from and to them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use warploom_device_std::Plain;

use super::fill::bytes_of;
use super::{Extent3, HostPart, HostPartMut, MemoryError, PinnedSlice, PinnedSliceMut};
use crate::buffer::{ArrayRegion, Buffer, CopyKind, Fill, PitchedRegion, Region, StridedRows};
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut, Span, resolve};

/// Layout of a [`DeviceSlice3D`]: rows of elements that have addresses, with or without gaps between the rows.
#[derive(Debug)]
pub enum Pitched {}

/// Layout of a [`DeviceSlice3D`]: that of an array, which only the device knows.
#[derive(Debug)]
pub enum Opaque {}

/// A rectangle or box of elements, to read: of a pitched or linear buffer ([`PitchedSlice`]) or of an array ([`ArraySlice`], whose third
/// axis may be its layers).
///
/// Made by [`PitchedBuffer::part`](super::PitchedBuffer::part), [`DeviceSlice::shaped`] and [`ArrayBuffer::part`](super::ArrayBuffer::part).
pub struct DeviceSlice3D<'a, T, L = Pitched> {
    elements: Elements<'a>,
    kind: PhantomData<(&'a [T], L)>,
}

/// A rectangle or box of elements, to write; see [`DeviceSlice3D`].
///
/// Made by [`PitchedBuffer::part_mut`](super::PitchedBuffer::part_mut), [`DeviceSliceMut::shaped`] and
/// [`ArrayBuffer::part_mut`](super::ArrayBuffer::part_mut).
pub struct DeviceSlice3DMut<'a, T, L = Pitched> {
    elements: Elements<'a>,
    kind: PhantomData<(&'a mut [T], L)>,
}

/// A rectangle or box of a pitched or linear buffer, to read.
pub type PitchedSlice<'a, T> = DeviceSlice3D<'a, T, Pitched>;

/// A rectangle or box of a pitched or linear buffer, to write.
pub type PitchedSliceMut<'a, T> = DeviceSlice3DMut<'a, T, Pitched>;

/// A rectangle or box of an array, to read.
pub type ArraySlice<'a, T> = DeviceSlice3D<'a, T, Opaque>;

/// A rectangle or box of an array, to write.
pub type ArraySliceMut<'a, T> = DeviceSlice3DMut<'a, T, Opaque>;

impl<T, L> Clone for DeviceSlice3D<'_, T, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, L> Copy for DeviceSlice3D<'_, T, L> {}

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
        let elements = Elements::of_span(self.span(), extent.into())?;
        // SAFETY: the elements of this slice.
        Ok(unsafe { DeviceSlice3D::new(elements) })
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    /// The elements as rows without gaps, for copies from and to rows with gaps.
    ///
    /// # Errors
    /// As [`DeviceSlice::shaped`].
    pub fn shaped(self, extent: impl Into<Extent3>) -> Result<PitchedSliceMut<'a, T>, MemoryError> {
        let elements = Elements::of_span(self.span(), extent.into())?;
        // SAFETY: the elements of this slice, which is given up.
        Ok(unsafe { DeviceSlice3DMut::new(elements) })
    }
}

impl<'a, T, L> DeviceSlice3D<'a, T, L> {
    /// # Safety
    /// `elements` are of type `T` in memory of layout `L`, and nothing writes them during `'a`.
    pub(super) unsafe fn new(elements: Elements<'a>) -> Self {
        DeviceSlice3D {
            elements,
            kind: PhantomData,
        }
    }

    pub(crate) fn region(&self) -> Region<'a> {
        self.elements.region
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.elements.buffer
    }

    /// Width, height, and depth (or layers) in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.elements.region.extent().into()
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
    ) -> Result<Self, MemoryError> {
        let elements = self.elements.part(x, y, z)?;
        Ok(DeviceSlice3D { elements, ..*self })
    }
}

impl<T: Plain, L> DeviceSlice3D<'_, T, L> {
    /// Copies the elements to the host, row after row, plane after plane, without gaps; waits. CUDA: `cuMemcpy2DAsync` or
    /// `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`](crate::DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        // More than any memory holds only if they have no bytes.
        let len = self.extent().elements().unwrap_or(usize::MAX);
        let mut elements = Vec::<T>::with_capacity(len);
        let to = Region::Memory(PitchedRegion::tight(elements.as_mut_ptr(), self.extent()));
        let Elements { buffer, region } = self.elements;
        // SAFETY: the vector has room for `len` elements and is borrowed exclusively; these elements are borrowed.
        unsafe { copy(region, to, CopyKind::DeviceToHost, &[buffer], stream)? };
        // SAFETY: the copy wrote `len` elements, for which there is room.
        unsafe { elements.set_len(len) };
        Ok(elements)
    }

    /// Copies the elements into `target`, row after row, plane after plane, without gaps; waits.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`] if `target` has another number of elements. As [`to_vec`](DeviceSlice3D::to_vec).
    #[track_caller]
    pub fn copy_to(&self, target: &mut [T], stream: &Stream) -> Result<(), MemoryError> {
        let target = HostPartMut::new(target, self.extent())?;
        self.copy_to_host(target, stream)
    }

    /// Copies the elements into a part of host memory; waits. CUDA: `cuMemcpy2DAsync` or `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// [`MemoryError::ExtentMismatch`] if the extents differ. As [`to_vec`](DeviceSlice3D::to_vec).
    #[track_caller]
    pub fn copy_to_host(
        &self,
        target: HostPartMut<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let to = Region::Memory(target.area());
        let Elements { buffer, region } = self.elements;
        // SAFETY: an exclusive part of host memory; these elements are borrowed.
        unsafe { copy(region, to, CopyKind::DeviceToHost, &[buffer], stream) }
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
        let to = Elements::of_span(target.span(), self.extent())?;
        to.buffer.check_device(stream)?;
        let Elements { buffer, region } = self.elements;
        let buffers = [buffer, to.buffer];
        // SAFETY: an exclusive part of page-locked memory of as many elements; these are borrowed.
        unsafe {
            copy(
                region,
                to.region,
                CopyKind::DeviceToPinned,
                &buffers,
                stream,
            )
        }
    }
}

impl<'a, T, L> DeviceSlice3DMut<'a, T, L> {
    /// # Safety
    /// `elements` are of type `T` in memory of layout `L`, and nothing else uses them during `'a`.
    pub(super) unsafe fn new(elements: Elements<'a>) -> Self {
        DeviceSlice3DMut {
            elements,
            kind: PhantomData,
        }
    }

    /// Width, height, and depth (or layers) in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.as_slice().extent()
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice3D<'_, T, L> {
        // SAFETY: `self` is borrowed, so that nothing writes them meanwhile.
        unsafe { DeviceSlice3D::new(self.elements) }
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
    ) -> Result<Self, MemoryError> {
        let elements = self.elements.part(x, y, z)?;
        Ok(DeviceSlice3DMut { elements, ..self })
    }
}

impl<T: Plain, L> DeviceSlice3DMut<'_, T, L> {
    /// Copies `source`, rows without gaps, plane after plane, to the elements of this part; waits. CUDA: `cuMemcpy2DAsync` or
    /// `cuMemcpy3DAsync`, then a wait.
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
    /// [`MemoryError::ExtentMismatch`] if the extents differ; nothing is copied then. As [`copy_from`](DeviceSlice3DMut::copy_from).
    pub fn copy_from_host(
        &mut self,
        source: HostPart<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let from = Region::Memory(source.area());
        let Elements { buffer, region } = self.elements;
        // SAFETY: a borrowed part of host memory; these elements are borrowed exclusively.
        unsafe { copy(from, region, CopyKind::HostToDevice, &[buffer], stream) }
    }

    /// Copies `source`, page-locked memory, rows without gaps. Queued on `stream`; does not wait.
    ///
    /// # Errors
    /// [`MemoryError::LengthMismatch`], [`MemoryError::WrongDevice`]; nothing is copied then. [`MemoryError::Driver`].
    pub fn copy_from_pinned<'b>(
        &mut self,
        source: impl Into<PinnedSlice<'b, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'b,
    {
        let source = source.into();
        let from = Elements::of_span(source.span(), self.extent())?;
        from.buffer.check_device(stream)?;
        let Elements { buffer, region } = self.elements;
        let buffers = [buffer, from.buffer];
        // SAFETY: a borrowed part of page-locked memory of as many elements; these are borrowed exclusively.
        unsafe {
            copy(
                from.region,
                region,
                CopyKind::PinnedToDevice,
                &buffers,
                stream,
            )
        }
    }

    /// Copies a part of a pitched or linear buffer or of an array on the same device, of the same extent; layers count as planes. Queued on
    /// `stream`, which may record a graph; does not wait. CUDA: `cuMemcpy3DAsync`.
    ///
    /// # Errors
    /// [`MemoryError::ExtentMismatch`], [`MemoryError::WrongDevice`]; nothing is copied then. [`MemoryError::Driver`].
    ///
    /// A copy within one buffer or array could overlap:
    ///
    /// ```compile_fail,E0502
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream().unwrap();
    /// let mut x = device.pitched_zeroed::<u8>((4, 4)).unwrap();
    /// let (from, mut to) = (x.rect(1.., ..).unwrap(), x.rect_mut(..3, ..).unwrap());
    /// to.copy_from_device(from, &stream).unwrap();
    /// ```
    /// ```compile_fail,E0502
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream().unwrap();
    /// let mut x = device.array_uninit::<u8>((4, 4)).unwrap();
    /// let (from, mut to) = (x.part(.., 1.., ..).unwrap(), x.part_mut(.., ..3, ..).unwrap());
    /// to.copy_from_device(from, &stream).unwrap();
    /// ```
    pub fn copy_from_device<M>(
        &mut self,
        source: DeviceSlice3D<'_, T, M>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let from = source.elements;
        let Elements { buffer, region } = self.elements;
        let buffers = [buffer, from.buffer];
        // SAFETY: borrowed elements, which these exclusive ones cannot overlap.
        unsafe {
            copy(
                from.region,
                region,
                CopyKind::DeviceToDevice,
                &buffers,
                stream,
            )
        }
    }
}

impl<T: Plain> PitchedSliceMut<'_, T> {
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
    ///
    /// The driver fills no arrays:
    ///
    /// ```compile_fail,E0599
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream().unwrap();
    /// let mut x = device.array_uninit::<u8>((4, 4)).unwrap();
    /// x.as_slice_mut().fill(5, &stream).unwrap();
    /// ```
    #[track_caller]
    pub fn fill(&mut self, value: T, stream: &Stream) -> Result<(), MemoryError> {
        let Elements { buffer, region } = self.elements;
        buffer.check_home(stream)?;
        let Region::Memory(rows) = region else {
            return Ok(()); // pitched memory is not an array
        };
        for StridedRows { to, pitch, height } in rows.strided_rows() {
            let fill = Fill {
                to,
                pitch,
                value: bytes_of(&value),
                width: rows.extent[0],
                height,
            };
            // SAFETY: rows of these exclusive elements; the device was checked.
            unsafe { fill.run(buffer, stream)? };
        }
        Ok(())
    }
}

/// A region and the buffer that owns its memory. The view that holds it decides which access is allowed.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    buffer: &'a Buffer,
    region: Region<'a>,
}

impl<'a> Elements<'a> {
    /// All elements of a level of an array of `T`. On the emulator, whose arrays are memory in rows, the level starts `before` elements behind the first.
    pub(super) fn of_array<T>(
        buffer: &'a Buffer,
        level: usize,
        before: usize,
        extent: Extent3,
    ) -> Elements<'a> {
        let region = match buffer.array().and_then(|array| array.level(level)) {
            Some(array) => Region::Array(ArrayRegion {
                buffer,
                array,
                level,
                at: [0; 3],
                extent: extent.into(),
                size: size_of::<T>(),
            }),
            None => {
                let start = buffer.start().cast::<T>().wrapping_add(before);
                Region::Memory(PitchedRegion::tight(start, extent))
            }
        };
        Elements { buffer, region }
    }

    /// Rows of a buffer.
    pub(super) fn of_rows(buffer: &'a Buffer, rows: PitchedRegion) -> Elements<'a> {
        let region = Region::Memory(rows);
        Elements { buffer, region }
    }

    /// Contiguous elements as rows without gaps.
    fn of_span<T>(span: Span<'a, T>, extent: Extent3) -> Result<Elements<'a>, MemoryError> {
        extent.check_length(span.len)?;
        let rows = PitchedRegion::tight(span.ptr, extent);
        Ok(Elements::of_rows(span.buffer, rows))
    }

    fn part(
        self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<Elements<'a>, MemoryError> {
        let ranges = resolve_all(self.region.extent(), x, y, z)?;
        let region = self.region.part(ranges);
        Ok(Elements { region, ..self })
    }
}

/// Three ranges within an extent, as numbers.
pub(super) fn resolve_all(
    [width, height, depth]: [usize; 3],
    x: impl RangeBounds<usize>,
    y: impl RangeBounds<usize>,
    z: impl RangeBounds<usize>,
) -> Result<[Range<usize>; 3], MemoryError> {
    Ok([resolve(x, width)?, resolve(y, height)?, resolve(z, depth)?])
}

/// # Safety
/// As [`Region::copy`], but for the extents and the devices of `buffers`.
#[track_caller]
#[inline]
unsafe fn copy(
    from: Region<'_>,
    to: Region<'_>,
    kind: CopyKind,
    buffers: &[&Buffer],
    stream: &Stream,
) -> Result<(), MemoryError> {
    for buffer in buffers {
        buffer.check_home(stream)?;
    }
    Extent3::check_same(from.extent(), to.extent())?;
    // SAFETY: extents and devices were checked; the caller promises the rest.
    unsafe { from.copy(to, kind, buffers, stream) }
}

impl<T, L> fmt::Debug for DeviceSlice3D<'_, T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSlice3D")
            .field("extent", &self.elements.region.extent())
            .finish_non_exhaustive()
    }
}

impl<T, L> fmt::Debug for DeviceSlice3DMut<'_, T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSlice3DMut")
            .field("extent", &self.elements.region.extent())
            .finish_non_exhaustive()
    }
}
