//! Parts of page-locked memory, and the copies from and to them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use warploom_device_std::Plain;

use super::PinnedBuffer;
use crate::buffer::{CopyKind, LinearCopy};
use crate::memory::{DeviceBuffer, MemoryError};
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut, Span};

/// A part of a [`PinnedBuffer`], as the source of copies.
pub struct PinnedSlice<'a, T> {
    span: Span<'a, T>,
    element: PhantomData<&'a [T]>,
}

/// A part of a [`PinnedBuffer`], as the target of copies.
pub struct PinnedSliceMut<'a, T> {
    span: Span<'a, T>,
    element: PhantomData<&'a mut [T]>,
}

impl<T> Clone for PinnedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PinnedSlice<'_, T> {}

impl<'a, T> PinnedSlice<'a, T> {
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

    /// The elements of `range` (counted within this part).
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PinnedSlice<'a, T>, MemoryError> {
        let span = self.span.slice(range)?;
        Ok(PinnedSlice { span, ..*self })
    }
}

impl<'a, T> PinnedSliceMut<'a, T> {
    /// The elements of `range` (counted within this part), for the whole time of this view.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the range and the length.
    pub fn into_slice(
        self,
        range: impl RangeBounds<usize>,
    ) -> Result<PinnedSliceMut<'a, T>, MemoryError> {
        let span = self.span.slice(range)?;
        Ok(PinnedSliceMut { span, ..self })
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
}

impl<'a, T> PinnedSlice<'a, T> {
    pub(in crate::memory) fn span(&self) -> Span<'a, T> {
        self.span
    }
}

impl<'a, T> PinnedSliceMut<'a, T> {
    pub(in crate::memory) fn span(&self) -> Span<'a, T> {
        self.span
    }
}

impl<T> PinnedBuffer<T> {
    /// The elements at their addresses on the host; the caller decides which access is allowed.
    fn span(&self) -> Span<'_, T> {
        Span {
            buffer: &self.buffer,
            ptr: self.buffer.host_start().cast(),
            len: self.len,
        }
    }
}

impl<'a, T> From<&'a PinnedBuffer<T>> for PinnedSlice<'a, T> {
    fn from(all: &'a PinnedBuffer<T>) -> Self {
        PinnedSlice {
            span: all.span(),
            element: PhantomData,
        }
    }
}

impl<'a, T> From<&'a mut PinnedBuffer<T>> for PinnedSliceMut<'a, T> {
    fn from(all: &'a mut PinnedBuffer<T>) -> Self {
        PinnedSliceMut {
            span: all.span(),
            element: PhantomData,
        }
    }
}

impl<T: Plain> DeviceBuffer<T> {
    //@ rows: P-33
    /// Copies `source`, page-locked memory, into elements `at..at + source.len()` of this buffer.
    ///
    /// Queued on `stream`; does not wait. `source` is a `&PinnedBuffer` or a [`PinnedSlice`]. CUDA: `cuMemcpyHtoDAsync`.
    ///
    /// Ordinary memory of the host is refused: the driver would wait, or copy it when it may have changed.
    ///
    /// ```compile_fail,E0277
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream().unwrap();
    /// let mut x = device.zeroed::<u32>(4).unwrap();
    /// x.copy_from_pinned(0, &vec![1u32; 4], &stream).unwrap();
    /// ```
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.zeroed::<u32>(4)?;
    /// x.copy_from_pinned(0, &device.pinned_from(&vec![1u32; 4])?, &stream)?;
    /// assert_eq!(x.to_vec(&stream)?, [1; 4]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`MemoryError::CopyOutOfRange`] names both lengths if `source` does not fit; nothing is copied then.
    /// [`MemoryError::WrongDevice`], [`MemoryError::Driver`].
    pub fn copy_from_pinned<'a>(
        &mut self,
        at: usize,
        source: impl Into<PinnedSlice<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        self.as_slice_mut().copy_from_pinned(at, source, stream)
    }

    /// Copies elements `at..at + target.len()` of this buffer into `target`, page-locked memory.
    ///
    /// Queued on `stream`; does not wait. `target` is a `&mut PinnedBuffer` or a [`PinnedSliceMut`]. CUDA: `cuMemcpyDtoHAsync`.
    ///
    /// # Errors
    /// As [`copy_from_pinned`](DeviceBuffer::copy_from_pinned).
    #[track_caller]
    pub fn copy_to_pinned<'a>(
        &self,
        at: usize,
        target: impl Into<PinnedSliceMut<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        self.as_slice().copy_to_pinned(at, target, stream)
    }
}

impl<T: Plain> DeviceSliceMut<'_, T> {
    /// Copies `source`, page-locked memory, without a wait; see [`DeviceBuffer::copy_from_pinned`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_pinned`].
    pub fn copy_from_pinned<'a>(
        &mut self,
        at: usize,
        source: impl Into<PinnedSlice<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let source = source.into().span;
        self.buffer().check_device(stream)?;
        source.buffer.check_device(stream)?;
        let to = self.span().window(at, source.len)?;
        let copy = LinearCopy {
            kind: CopyKind::PinnedToDevice,
            from: source.ptr.cast(),
            to: to.cast(),
            bytes: source.len * size_of::<T>(),
        };
        // SAFETY: the range was checked; `source` is a view of `len` elements, and cannot overlap this exclusive one; both devices were
        // checked.
        unsafe { copy.run(&[self.buffer(), source.buffer], stream) }
    }
}

impl<T: Plain> DeviceSlice<'_, T> {
    /// Copies elements into `target`, page-locked memory, without a wait; see [`DeviceBuffer::copy_to_pinned`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_pinned`].
    #[track_caller]
    pub fn copy_to_pinned<'a>(
        &self,
        at: usize,
        target: impl Into<PinnedSliceMut<'a, T>>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        let target = target.into().span;
        self.buffer().check_device(stream)?;
        target.buffer.check_device(stream)?;
        let from = self.span().window(at, target.len)?;
        let copy = LinearCopy {
            kind: CopyKind::DeviceToPinned,
            from: from.cast(),
            to: target.ptr.cast(),
            bytes: target.len * size_of::<T>(),
        };
        // SAFETY: the range was checked; `target` is an exclusive view of `len` elements, which this one cannot overlap; both devices
        // were checked.
        unsafe { copy.run(&[self.buffer(), target.buffer], stream) }
    }
}

impl<T> fmt::Debug for PinnedSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedSlice")
            .field("len", &self.span.len)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for PinnedSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedSliceMut")
            .field("len", &self.span.len)
            .finish_non_exhaustive()
    }
}
