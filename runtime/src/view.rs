//! Parts of buffers: what kernels get when they are given less than a whole buffer.

mod span; // elements side by side, and the rules about their numbers

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::buffer::Buffer;
use crate::memory::MemoryError;

pub(crate) use span::{Span, resolve};

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer), to read. Kernels take it as `&[T]`.
pub struct DeviceSlice<'a, T> {
    span: Span<'a, T>,
    element: PhantomData<&'a [T]>,
}

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer), to write.
pub struct DeviceSliceMut<'a, T> {
    span: Span<'a, T>,
    element: PhantomData<&'a mut [T]>,
}

/// A [`DeviceBuffer`](crate::DeviceBuffer) as rows of equal width, to write.
pub struct DeviceSlice2DMut<'a, T> {
    span: Span<'a, T>,
    width: usize,
    height: usize,
    element: PhantomData<&'a mut [T]>,
}

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceSlice<'_, T> {}

impl<'a, T> DeviceSlice<'a, T> {
    /// # Safety
    /// `ptr` points to `len` elements in `buffer`, which nothing writes during `'a`, or which are atomics.
    pub(crate) unsafe fn new(buffer: &'a Buffer, ptr: *mut T, len: usize) -> Self {
        DeviceSlice {
            span: Span { buffer, ptr, len },
            element: PhantomData,
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.len == 0
    }

    /// The elements of `range` (counted within this view).
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'a, T>, MemoryError> {
        let span = self.span.slice(range)?;
        Ok(DeviceSlice { span, ..*self })
    }

    pub(crate) fn span(&self) -> Span<'a, T> {
        self.span
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.span.buffer
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.span.ptr
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    /// # Safety
    /// `ptr` points to `len` elements in `buffer`, which nothing else uses during `'a`.
    pub(crate) unsafe fn new(buffer: &'a Buffer, ptr: *mut T, len: usize) -> Self {
        DeviceSliceMut {
            span: Span { buffer, ptr, len },
            element: PhantomData,
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.len == 0
    }

    /// The same elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        // `self` is borrowed, so nothing writes them meanwhile.
        DeviceSlice {
            span: self.span,
            element: PhantomData,
        }
    }

    /// The same elements for a shorter time, so that this view can be used again afterwards.
    #[must_use]
    pub fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        // `self` is borrowed exclusively meanwhile.
        DeviceSliceMut {
            span: self.span,
            element: PhantomData,
        }
    }

    /// The elements of `range` (counted within this view).
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSliceMut<'_, T>, MemoryError> {
        self.reborrow().into_slice(range)
    }

    /// Like [`slice_mut`](DeviceSliceMut::slice_mut), for the whole time of this view.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn into_slice(
        self,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSliceMut<'a, T>, MemoryError> {
        let span = self.span.slice(range)?;
        Ok(DeviceSliceMut { span, ..self })
    }

    /// The elements before `mid`, and those from `mid` on.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if `mid` is above the length.
    pub fn split_at(
        self,
        mid: usize,
    ) -> Result<(DeviceSliceMut<'a, T>, DeviceSliceMut<'a, T>), MemoryError> {
        // They share no element, and the view is given up.
        let [front, back] = self.span.split_at(mid)?.map(|span| DeviceSliceMut {
            span,
            element: PhantomData,
        });
        Ok((front, back))
    }

    /// All elements as rows of `width` elements.
    ///
    /// # Errors
    /// [`MemoryError::NotRectangular`] if the last row would not be full, or if `width` is 0 and there are elements.
    pub fn into_rows(self, width: usize) -> Result<DeviceSlice2DMut<'a, T>, MemoryError> {
        Ok(DeviceSlice2DMut {
            span: self.span,
            width,
            height: self.span.rows(width)?,
            element: PhantomData,
        })
    }

    pub(crate) fn span(&self) -> Span<'a, T> {
        self.span
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.span.buffer
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.span.ptr
    }
}

impl<'a, T> DeviceSlice2DMut<'a, T> {
    /// Elements of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The same elements for a shorter time, so that this view can be used again afterwards.
    #[must_use]
    pub fn reborrow(&mut self) -> DeviceSlice2DMut<'_, T> {
        DeviceSlice2DMut {
            span: self.span,
            width: self.width,
            height: self.height,
            element: PhantomData,
        }
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.span.buffer
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.span.ptr
    }
}

impl<T> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSlice")
            .field("len", &self.span.len)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSliceMut")
            .field("len", &self.span.len)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for DeviceSlice2DMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSlice2DMut")
            .field("width", &self.width)
            .field("height", &self.height)
            .finish_non_exhaustive()
    }
}
