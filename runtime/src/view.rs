//! Parts of buffers: what kernels get when they are given less than a whole buffer.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

use crate::buffer::Buffer;
use crate::memory::MemoryError;

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer), to read. Kernels take it as `&[T]`.
pub struct DeviceSlice<'a, T> {
    buffer: &'a Buffer,
    ptr: *mut T,
    len: usize,
    element: PhantomData<&'a [T]>,
}

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer), to write.
pub struct DeviceSliceMut<'a, T> {
    buffer: &'a Buffer,
    ptr: *mut T,
    len: usize,
    element: PhantomData<&'a mut [T]>,
}

/// A [`DeviceBuffer`](crate::DeviceBuffer) as rows of equal width, to write.
pub struct DeviceSlice2DMut<'a, T> {
    buffer: &'a Buffer,
    ptr: *mut T,
    width: usize,
    height: usize,
    element: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is a borrow of elements, like `&[T]`; the buffer itself may be used by every thread.
unsafe impl<T: Sync> Send for DeviceSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for DeviceSlice<'_, T> {}
// SAFETY: a view is an exclusive borrow of elements, like `&mut [T]`.
unsafe impl<T: Send> Send for DeviceSliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for DeviceSliceMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for DeviceSlice2DMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for DeviceSlice2DMut<'_, T> {}

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceSlice<'_, T> {}

/// The range as two numbers with `start <= end <= len`.
pub(crate) fn resolve(
    range: impl RangeBounds<usize>,
    len: usize,
) -> Result<Range<usize>, MemoryError> {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    if start <= end && end <= len {
        Ok(start..end)
    } else {
        Err(MemoryError::OutOfRange { start, end, len })
    }
}

impl<'a, T> DeviceSlice<'a, T> {
    /// # Safety
    /// `ptr` points to `len` elements in `buffer`, which nobody writes during `'a`, or which are atomics.
    pub(crate) unsafe fn new(buffer: &'a Buffer, ptr: *mut T, len: usize) -> Self {
        DeviceSlice {
            buffer,
            ptr,
            len,
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

    /// The elements of `range` (counted within this view).
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'a, T>, MemoryError> {
        let range = resolve(range, self.len)?;
        // SAFETY: the range lies within this view.
        Ok(unsafe {
            DeviceSlice::new(self.buffer, self.ptr.wrapping_add(range.start), range.len())
        })
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.ptr
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    /// # Safety
    /// `ptr` points to `len` elements in `buffer`, which nobody else uses during `'a`.
    pub(crate) unsafe fn new(buffer: &'a Buffer, ptr: *mut T, len: usize) -> Self {
        DeviceSliceMut {
            buffer,
            ptr,
            len,
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

    /// The same elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        // SAFETY: the same elements; `self` is borrowed, so nobody writes them meanwhile.
        unsafe { DeviceSlice::new(self.buffer, self.ptr, self.len) }
    }

    /// The same elements for a shorter time, so that this view can be used again afterwards.
    #[must_use]
    pub fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        // SAFETY: the same elements; `self` is borrowed exclusively meanwhile.
        unsafe { DeviceSliceMut::new(self.buffer, self.ptr, self.len) }
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
        let range = resolve(range, self.len)?;
        // SAFETY: the range lies within this view, which is given up.
        Ok(unsafe {
            DeviceSliceMut::new(self.buffer, self.ptr.wrapping_add(range.start), range.len())
        })
    }

    /// The elements before `mid`, and those from `mid` on.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] if `mid` is above the length.
    pub fn split_at(
        self,
        mid: usize,
    ) -> Result<(DeviceSliceMut<'a, T>, DeviceSliceMut<'a, T>), MemoryError> {
        resolve(mid.., self.len)?;
        // SAFETY: two ranges within this view that share no element; the view is given up.
        Ok(unsafe {
            (
                DeviceSliceMut::new(self.buffer, self.ptr, mid),
                DeviceSliceMut::new(self.buffer, self.ptr.wrapping_add(mid), self.len - mid),
            )
        })
    }

    /// All elements as rows of `width` elements.
    ///
    /// # Errors
    /// [`MemoryError::NotRectangular`] if the last row would not be full, or if `width` is 0 and there are elements.
    pub fn into_rows(self, width: usize) -> Result<DeviceSlice2DMut<'a, T>, MemoryError> {
        let height = match (self.len, width) {
            (0, _) => 0,
            (len, width) if width > 0 && len % width == 0 => len / width,
            (len, width) => return Err(MemoryError::NotRectangular { len, width }),
        };
        Ok(DeviceSlice2DMut {
            buffer: self.buffer,
            ptr: self.ptr,
            width,
            height,
            element: PhantomData,
        })
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.ptr
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
            buffer: self.buffer,
            ptr: self.ptr,
            width: self.width,
            height: self.height,
            element: PhantomData,
        }
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.ptr
    }
}

impl<T> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSlice")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSliceMut")
            .field("len", &self.len)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_resolve_or_name_both_lengths() {
        assert_eq!(resolve(.., 5).unwrap(), 0..5);
        assert_eq!(resolve(2..=4, 5).unwrap(), 2..5);
        assert_eq!(resolve(5.., 5).unwrap(), 5..5);
        let text = resolve(3..9, 5).unwrap_err().to_string();
        assert!(
            text.contains("3..9") && text.contains("5 elements"),
            "{text}"
        );
        #[expect(clippy::reversed_empty_ranges, reason = "what is tested")]
        let reversed = resolve(4..2, 5);
        assert!(reversed.is_err());
        assert!(resolve(..=usize::MAX, 5).is_err());
    }
}
