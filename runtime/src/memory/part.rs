//! What rectangles and boxes of pitched memory and of arrays are made of, and the copies from and to them: each rule of theirs once.

use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use warploom_device::Plain;

use super::fill::bytes_of;
use super::{Extent3, HostPart, HostPartMut, MemoryError, PinnedSlice, PinnedSliceMut};
use crate::buffer::{Area, ArrayPart, Buffer, Fill, Side, Stack, Way};
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut, Span, resolve};

/// Elements in rows and planes of a buffer or an array, to read.
pub(super) struct Part<'a, T> {
    place: Place<'a>,
    element: PhantomData<&'a [T]>,
}

/// Elements in rows and planes of a buffer or an array, to write.
pub(super) struct PartMut<'a, T> {
    place: Place<'a>,
    element: PhantomData<&'a mut [T]>,
}

/// Where they are. Who may use them is up to the part that has it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    buffer: &'a Buffer,
    side: Side<'a>,
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

impl<'a> Place<'a> {
    /// All elements of an array of `T`.
    pub(super) fn of_array<T>(buffer: &'a Buffer, extent: Extent3) -> Place<'a> {
        let side = match buffer.array() {
            Some(array) => Side::Array(ArrayPart {
                buffer,
                array,
                at: [0; 3],
                extent: extent.into(),
                size: size_of::<T>(),
            }),
            // The emulator's arrays are memory in rows.
            None => Side::Memory(Area::tight(buffer.start().cast::<T>(), extent)),
        };
        Place { buffer, side }
    }

    /// Rows of a buffer.
    pub(super) fn of_area(buffer: &'a Buffer, area: Area) -> Place<'a> {
        let side = Side::Memory(area);
        Place { buffer, side }
    }

    /// Elements side by side as rows without gaps.
    fn of_span<T>(span: Span<'a, T>, extent: Extent3) -> Result<Place<'a>, MemoryError> {
        extent.check_length(span.len)?;
        Ok(Place::of_area(span.buffer, Area::tight(span.ptr, extent)))
    }

    fn part(
        self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<Place<'a>, MemoryError> {
        let side = self.side.part(resolve_all(self.side.extent(), x, y, z)?);
        Ok(Place { side, ..self })
    }
}

/// # Safety
/// As [`Side::copy`], but for the extents and the devices of `buffers`.
#[track_caller]
unsafe fn copy(
    from: Side<'_>,
    to: Side<'_>,
    way: Way,
    buffers: &[&Buffer],
    stream: &Stream,
) -> Result<(), MemoryError> {
    for buffer in buffers {
        buffer.check_home(stream)?;
    }
    Extent3::check_same(from.extent(), to.extent())?;
    // SAFETY: extents and devices were checked; the caller promises the rest.
    unsafe { from.copy(to, way, buffers, stream) }
}

impl<T> Clone for Part<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<'_, T> {}

impl<'a, T> Part<'a, T> {
    /// # Safety
    /// At `place` are elements of `T`, which nobody writes during `'a`.
    pub(super) unsafe fn new(place: Place<'a>) -> Self {
        Part {
            place,
            element: PhantomData,
        }
    }

    /// A slice as rows without gaps.
    pub(super) fn of(slice: DeviceSlice<'a, T>, extent: Extent3) -> Result<Self, MemoryError> {
        let place = Place::of_span(slice.span(), extent)?;
        // SAFETY: the slice's own elements.
        Ok(unsafe { Part::new(place) })
    }

    pub(super) fn side(&self) -> Side<'a> {
        self.place.side
    }

    pub(super) fn extent(&self) -> Extent3 {
        self.place.side.extent().into()
    }

    pub(super) fn part(
        self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<Self, MemoryError> {
        let place = self.place.part(x, y, z)?;
        Ok(Part { place, ..self })
    }
}

impl<T: Plain> Part<'_, T> {
    /// Copies the elements to the host; waits.
    #[track_caller]
    pub(super) fn to_vec(self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        // More than any memory holds only if they have no bytes.
        let len = self.extent().elements().unwrap_or(usize::MAX);
        let mut elements = Vec::<T>::with_capacity(len);
        let to = Side::Memory(Area::tight(elements.as_mut_ptr(), self.extent()));
        let Place { buffer, side } = self.place;
        // SAFETY: the vector has room for `len` elements, which the copy writes; these are borrowed.
        unsafe {
            copy(side, to, Way::Out, &[buffer], stream)?;
            elements.set_len(len);
        }
        Ok(elements)
    }

    /// Copies the elements to a part of host memory; waits.
    #[track_caller]
    pub(super) fn copy_to_host(
        self,
        target: &HostPartMut<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let to = Side::Memory(target.area());
        let Place { buffer, side } = self.place;
        // SAFETY: an exclusive part of host memory; these elements are borrowed.
        unsafe { copy(side, to, Way::Out, &[buffer], stream) }
    }

    /// Queues a copy of the elements to page-locked memory.
    #[track_caller]
    pub(super) fn copy_to_pinned(
        self,
        target: PinnedSliceMut<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let to = Place::of_span(target.span(), self.extent())?;
        to.buffer.check_device(stream)?;
        let Place { buffer, side } = self.place;
        // SAFETY: an exclusive part of page-locked memory of as many elements; these are borrowed.
        unsafe { copy(side, to.side, Way::OutPinned, &[buffer, to.buffer], stream) }
    }
}

impl<'a, T> PartMut<'a, T> {
    /// # Safety
    /// At `place` are elements of `T`, which nobody else uses during `'a`.
    pub(super) unsafe fn new(place: Place<'a>) -> Self {
        PartMut {
            place,
            element: PhantomData,
        }
    }

    /// A slice as rows without gaps.
    pub(super) fn of(slice: DeviceSliceMut<'a, T>, extent: Extent3) -> Result<Self, MemoryError> {
        let place = Place::of_span(slice.span(), extent)?;
        // SAFETY: the slice's own elements, which is given up.
        Ok(unsafe { PartMut::new(place) })
    }

    /// The same elements, to read.
    pub(super) fn as_part(&self) -> Part<'_, T> {
        // SAFETY: `self` is borrowed, so nobody writes them meanwhile.
        unsafe { Part::new(self.place) }
    }

    pub(super) fn part(
        self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<Self, MemoryError> {
        let place = self.place.part(x, y, z)?;
        Ok(PartMut { place, ..self })
    }
}

impl<T: Plain> PartMut<'_, T> {
    /// Copies a part of host memory here; waits.
    pub(super) fn copy_from_host(
        &mut self,
        source: &HostPart<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let from = Side::Memory(source.area());
        let Place { buffer, side } = self.place;
        // SAFETY: a part of host memory, borrowed; these elements are so exclusively.
        unsafe { copy(from, side, Way::In, &[buffer], stream) }
    }

    /// Queues a copy of page-locked memory.
    pub(super) fn copy_from_pinned(
        &mut self,
        source: PinnedSlice<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let from = Place::of_span(source.span(), self.as_part().extent())?;
        from.buffer.check_device(stream)?;
        let Place { buffer, side } = self.place;
        // SAFETY: a borrowed part of page-locked memory of as many elements; these are borrowed exclusively.
        unsafe {
            copy(
                from.side,
                side,
                Way::InPinned,
                &[buffer, from.buffer],
                stream,
            )
        }
    }

    /// Queues a copy of another part on the same device.
    pub(super) fn copy_from(
        &mut self,
        source: Part<'_, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let from = source.place;
        let Place { buffer, side } = self.place;
        // SAFETY: borrowed elements, which these exclusive ones cannot overlap.
        unsafe { copy(from.side, side, Way::Within, &[buffer, from.buffer], stream) }
    }

    /// Queues setting every element to `value`. None of an array, which no driver fills.
    pub(super) fn fill(&mut self, value: &T, stream: &Stream) -> Result<(), MemoryError> {
        let Place { buffer, side } = self.place;
        buffer.check_home(stream)?;
        let Side::Memory(area) = side else {
            return Ok(());
        };
        for Stack { to, pitch, height } in area.stacks() {
            let fill = Fill {
                to,
                pitch,
                value: bytes_of(value),
                width: area.extent[0],
                height,
            };
            // SAFETY: rows of these exclusive elements; the device was checked.
            unsafe { fill.run(buffer, stream)? };
        }
        Ok(())
    }
}
