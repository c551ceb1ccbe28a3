//! Buffers cut up: chunks of one length, parts for elements of other types; and copies of whole buffers.

use std::iter::FusedIterator;

use warploom_device_std::Plain;

use super::{DeviceBuffer, MemoryError};
use crate::kernel::Param;
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut};

/// Parts of equal length, the last one perhaps shorter: see [`DeviceBuffer::chunks`].
#[derive(Debug, Clone)]
pub struct DeviceChunks<'a, T> {
    rest: DeviceSlice<'a, T>,
    len: usize,
}

/// Parts of equal length, the last one perhaps shorter, to write: see [`DeviceBuffer::chunks_mut`].
#[derive(Debug)]
pub struct DeviceChunksMut<'a, T> {
    /// `None` at the end.
    rest: Option<DeviceSliceMut<'a, T>>,
    len: usize,
}

impl<T> DeviceBuffer<T> {
    /// The elements in parts of `len`, the last one perhaps shorter, to read.
    ///
    /// # Errors
    /// [`MemoryError::EmptyChunks`] if `len` is 0.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let x = device.zeroed::<f32>(10)?;
    /// let lengths: Vec<_> = x.chunks(4)?.map(|part| part.len()).collect();
    /// assert_eq!(lengths, [4, 4, 2]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn chunks(&self, len: usize) -> Result<DeviceChunks<'_, T>, MemoryError> {
        self.as_slice().chunks(len)
    }

    /// The elements in parts of `len`, the last one perhaps shorter, to write: to several launches, or to one launch each.
    ///
    /// # Errors
    /// [`MemoryError::EmptyChunks`] if `len` is 0.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.zeroed::<u32>(5)?;
    /// for (i, mut part) in x.chunks_mut(2)?.enumerate() {
    ///     part.fill(i as u32, &stream)?;
    /// }
    /// assert_eq!(x.to_vec(&stream)?, [0, 0, 1, 1, 2]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// ```compile_fail,E0499
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut x = device.zeroed::<u32>(5).unwrap();
    /// let (one, other) = (x.chunks_mut(2).unwrap(), x.chunks_mut(2).unwrap());
    /// drop((one, other));
    /// ```
    pub fn chunks_mut(&mut self, len: usize) -> Result<DeviceChunksMut<'_, T>, MemoryError> {
        self.as_slice_mut().into_chunks(len)
    }
}

impl<'a, T> DeviceSlice<'a, T> {
    /// The elements in parts; see [`DeviceBuffer::chunks`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::chunks`].
    pub fn chunks(self, len: usize) -> Result<DeviceChunks<'a, T>, MemoryError> {
        self.span().check_chunks(len)?;
        Ok(DeviceChunks { rest: self, len })
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    /// The elements in parts; see [`DeviceBuffer::chunks_mut`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::chunks_mut`].
    pub fn into_chunks(self, len: usize) -> Result<DeviceChunksMut<'a, T>, MemoryError> {
        self.span().check_chunks(len)?;
        Ok(DeviceChunksMut {
            rest: Some(self),
            len,
        })
    }
}

impl<'a, T> Iterator for DeviceChunks<'a, T> {
    type Item = DeviceSlice<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        let len = self.len.min(self.rest.len());
        if len == 0 {
            return None;
        }
        let part = self.rest.slice(..len).ok();
        self.rest = self.rest.slice(len..).ok()?;
        part
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let parts = self.rest.len().div_ceil(self.len);
        (parts, Some(parts))
    }
}

impl<'a, T> Iterator for DeviceChunksMut<'a, T> {
    type Item = DeviceSliceMut<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        let len = self.len.min(rest.len());
        if len == 0 {
            return None;
        }
        let (part, rest) = rest.split_at(len).ok()?;
        self.rest = Some(rest);
        Some(part)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.rest.as_ref().map_or(0, DeviceSliceMut::len);
        let parts = rest.div_ceil(self.len);
        (parts, Some(parts))
    }
}

impl<T> ExactSizeIterator for DeviceChunks<'_, T> {}
impl<T> ExactSizeIterator for DeviceChunksMut<'_, T> {}
impl<T> FusedIterator for DeviceChunks<'_, T> {}
impl<T> FusedIterator for DeviceChunksMut<'_, T> {}

impl<'a> DeviceSliceMut<'a, u8> {
    /// Takes `len` elements of another type off the front, at the next address that is aligned for them; gives them and the bytes behind.
    /// Kernels access elements of 4, 8 or 16 bytes with one instruction, so arrays and structs may start behind a gap of up to 15 bytes.
    ///
    /// So that one allocation holds several arrays. What the elements hold is unspecified until it is written.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the bytes that they need and those that there are.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut room = device.zeroed::<u8>(1000)?;
    /// let (flags, rest) = room.as_slice_mut().take_aligned::<u8>(3)?;
    /// let (mut sums, rest) = rest.take_aligned::<f64>(4)?;
    /// sums.fill(0.5, &stream)?;
    /// assert_eq!((flags.len(), rest.len()), (3, 1000 - 8 - 32)); // 5 bytes are left out
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn take_aligned<T: Plain>(
        self,
        len: usize,
    ) -> Result<(DeviceSliceMut<'a, T>, DeviceSliceMut<'a, u8>), MemoryError> {
        let have = self.len();
        let address = self.ptr().addr();
        // Where kernels may access them as vectors.
        let align = const { Param::slice_mut::<T>().start_align() as usize };
        let start = address.next_multiple_of(align) - address;
        let bytes = len.checked_mul(size_of::<T>());
        let end = bytes.and_then(|bytes| start.checked_add(bytes));
        let end = end.unwrap_or(usize::MAX);
        let (front, rest) = self.split_at(end).map_err(|_| MemoryError::OutOfRange {
            start,
            end,
            len: have,
        })?;
        let aligned = front.ptr().wrapping_add(start).cast();
        // SAFETY: `len` aligned elements, of which any bytes are values, within a part that is given up.
        let elements = unsafe { DeviceSliceMut::new(front.buffer(), aligned, len) };
        Ok((elements, rest))
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// Makes a buffer of its own with the same elements. The copy is queued on `stream`; the allocation may wait. CUDA: `cuMemAlloc`,
    /// `cuMemcpyDtoDAsync`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`], [`MemoryError::WrongDevice`]; what the driver reports.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[1u8, 2])?;
    /// let mut y = x.try_clone(&stream)?;
    /// y.copy_from(0, &[9], &stream)?;
    /// assert_eq!((x.to_vec(&stream)?, y.to_vec(&stream)?), (vec![1, 2], vec![9, 2]));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn try_clone(&self, stream: &Stream) -> Result<DeviceBuffer<T>, MemoryError> {
        let mut copy = self.device().alloc_uninit(self.len())?;
        copy.copy_from_device(0, self, stream)?;
        Ok(copy)
    }
}
