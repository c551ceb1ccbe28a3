//! Rows and planes with gaps between them: two and three dimensions in a device's memory.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use warploom_device_std::Plain;
use warploom_emulator::check::Birth;

use super::slice3d::Elements;
use super::{Extent3, MemoryError, PitchedSlice, PitchedSliceMut};
use crate::buffer::{Buffer, Kind, Memory, PitchedRegion};
use crate::cuda::memory::DeviceMemory;
use crate::device::Device;
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSlice2DMut, DeviceSliceMut};

/// Rows of `T` in a device's memory, each of which starts at an address that the device reads fast; in one plane or in several.
///
/// The bytes from one row to the next are the [`pitch`](PitchedBuffer::pitch). Copies skip the gaps, between any two of host memory,
/// page-locked memory, pitched buffers, linear buffers seen [in rows](DeviceSlice::shaped), and [parts](PitchedBuffer::part) of them. A
/// kernel gets [all rows with their gaps](PitchedBuffer::padded) as a slice, and
/// [the elements from row to row](PitchedBuffer::row_elements).
/// CUDA: `cuMemAllocPitch`, `cudaMalloc3D`.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let mut image = device.pitched_zeroed::<u8>((300, 200))?;
/// assert!(image.pitch() >= 300 && image.pitch() % 256 == 0);
/// image.rect_mut(10..12, 5..8)?.copy_from(&[1, 2, 3, 4, 5, 6], &stream)?;
/// assert_eq!(image.rect(9..13, 6..8)?.to_vec(&stream)?, [0, 3, 4, 0, 0, 5, 6, 0]);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct PitchedBuffer<T> {
    buffer: Buffer,
    extent: [usize; 3],
    /// Bytes; a multiple of the element's.
    pitch: usize,
    element: PhantomData<T>,
}

/// Rows start at multiples of this where we choose ourselves: what current GPUs choose.
const ROW_ALIGN: usize = 512;

impl Device {
    /// Makes rows of elements whose bytes are all zero, those in the gaps as well. `extent`: `(width, height)` or `(width, height, depth)`.
    /// CUDA: `cuMemAllocPitch`, `cuMemsetD8`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the device has no room for it; what the driver reports.
    #[track_caller]
    pub fn pitched_zeroed<T: Plain>(
        &self,
        extent: impl Into<Extent3>,
    ) -> Result<PitchedBuffer<T>, MemoryError> {
        let made = PitchedBuffer::new(self, extent.into(), Birth::Initialised)?;
        made.buffer.fill_zero(made.bytes())?;
        Ok(made)
    }

    /// Makes rows of elements with no particular contents, as [`alloc_uninit`](Device::alloc_uninit) makes a buffer. CUDA:
    /// `cuMemAllocPitch`.
    ///
    /// # Errors
    /// As [`pitched_zeroed`](Device::pitched_zeroed).
    #[track_caller]
    pub fn pitched_uninit<T: Plain>(
        &self,
        extent: impl Into<Extent3>,
    ) -> Result<PitchedBuffer<T>, MemoryError> {
        PitchedBuffer::new(self, extent.into(), Birth::Uninitialised)
    }
}

impl<T> PitchedBuffer<T> {
    #[track_caller]
    fn new(device: &Device, extent: Extent3, birth: Birth) -> Result<Self, MemoryError> {
        let size = size_of::<T>();
        let Extent3 {
            width,
            height,
            depth,
        } = extent;
        let rows = height.checked_mul(depth);
        // Ours; a GPU may choose another.
        let own = width
            .checked_mul(size)
            .and_then(|row| row.checked_next_multiple_of(row_step(size)));
        let mut pitch = own.unwrap_or(usize::MAX);
        let padded = own.map_or(Some(usize::MAX), |own| own.checked_div(size.max(1)));
        let len = padded.zip(rows).and_then(|(row, n)| row.checked_mul(n));
        let len = len.unwrap_or(usize::MAX);
        let buffer = Buffer::of_kind::<T>(device, len, birth, Kind::Pitched, |gpu, bytes| {
            let context = || Arc::clone(&gpu.context);
            let rows = rows.unwrap_or(usize::MAX);
            let access = [16, 8]
                .into_iter()
                .find(|access| size.is_multiple_of(*access));
            let access = access.unwrap_or(4) as u32;
            let Some((memory, given)) = DeviceMemory::rows(context(), width * size, rows, access)?
            else {
                return Ok(None);
            };
            // Kernels count in elements from row to row, and get the gap behind the last row, too.
            let needed = given.checked_mul(rows);
            if given.is_multiple_of(size) && needed.is_some_and(|needed| needed <= memory.bytes()) {
                pitch = given;
                return Ok(Some(Memory::Cuda(memory)));
            }
            drop(memory);
            Ok(DeviceMemory::new(context(), bytes)?.map(Memory::Cuda))
        })?;
        Ok(PitchedBuffer {
            buffer,
            extent: [width, height, depth],
            pitch,
            element: PhantomData,
        })
    }

    /// Width, height and depth in elements.
    #[must_use]
    pub fn extent(&self) -> Extent3 {
        self.extent.into()
    }

    /// Bytes from one row to the next: at least those of a row's elements, and a multiple of one element's.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.pitch
    }

    /// Elements from one row to the next, those in the gap counted: element (x, y, z) of the buffer is element
    /// `(z * height + y) * row_elements + x` of [`padded`](PitchedBuffer::padded).
    #[must_use]
    pub fn row_elements(&self) -> usize {
        self.pitch
            .checked_div(size_of::<T>())
            .unwrap_or(self.extent[0])
    }

    /// The device whose memory this is.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// The driver's `CUdeviceptr` of the first element; a host address on the emulator. Valid until the buffer is dropped.
    #[must_use]
    pub fn raw_ptr(&self) -> u64 {
        self.buffer.start().addr() as u64
    }

    /// Elements of all rows with their gaps.
    fn padded_len(&self) -> usize {
        let [width, height, depth] = self.extent;
        let row = if width == 0 { 0 } else { self.row_elements() };
        let all = Extent3::from([row, height, depth]).elements();
        all.unwrap_or(usize::MAX) // more than any memory holds only if they have no bytes
    }

    fn bytes(&self) -> usize {
        self.padded_len() * size_of::<T>()
    }

    /// All rows with the gaps behind them, for kernels to read.
    ///
    /// What the gaps hold is unspecified, unless the buffer was made zeroed.
    #[must_use]
    pub fn padded(&self) -> DeviceSlice<'_, T> {
        // SAFETY: the memory holds all rows, borrowed like `self`.
        unsafe { DeviceSlice::new(&self.buffer, self.buffer.start().cast(), self.padded_len()) }
    }

    /// All rows with the gaps behind them, for kernels to write. What is written into gaps stays without effect.
    #[must_use]
    pub fn padded_mut(&mut self) -> DeviceSliceMut<'_, T> {
        // SAFETY: the memory holds all rows, borrowed like `self`.
        unsafe { DeviceSliceMut::new(&self.buffer, self.buffer.start().cast(), self.padded_len()) }
    }

    /// The same in two dimensions, for a kernel's `DisjointSlice2D`: its width is [`row_elements`](PitchedBuffer::row_elements), its height
    /// that of all planes together. Tell the kernel the width that counts.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut image = device.pitched_zeroed::<f32>((300, 200))?;
    /// let rows = image.padded_rows_mut()?;
    /// assert_eq!((rows.width(), rows.height()), (384, 200));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// None but for elements without bytes.
    pub fn padded_rows_mut(&mut self) -> Result<DeviceSlice2DMut<'_, T>, MemoryError> {
        let width = self.row_elements();
        self.padded_mut().into_rows(width)
    }

    fn elements(&self) -> Elements<'_> {
        let rows = PitchedRegion {
            start: self.buffer.start(),
            extent: self.extent,
            size: size_of::<T>(),
            pitch: self.pitch,
            rows: self.extent[1],
        };
        Elements::of_rows(&self.buffer, rows)
    }

    /// All elements, to read.
    #[must_use]
    pub fn as_slice(&self) -> PitchedSlice<'_, T> {
        // SAFETY: the rows are those of the buffer, borrowed like `self`.
        unsafe { PitchedSlice::new(self.elements()) }
    }

    /// All elements, to write.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> PitchedSliceMut<'_, T> {
        // SAFETY: the rows are those of the buffer, borrowed like `self`.
        unsafe { PitchedSliceMut::new(self.elements()) }
    }

    /// The elements of three ranges, to read.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the first range that does not fit.
    pub fn part(
        &self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<PitchedSlice<'_, T>, MemoryError> {
        self.as_slice().part(x, y, z)
    }

    /// The elements of three ranges, to write.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the first range that does not fit.
    pub fn part_mut(
        &mut self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<PitchedSliceMut<'_, T>, MemoryError> {
        self.as_slice_mut().into_part(x, y, z)
    }

    /// The elements of two ranges, in all planes, to read.
    ///
    /// # Errors
    /// As [`part`](PitchedBuffer::part).
    pub fn rect(
        &self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
    ) -> Result<PitchedSlice<'_, T>, MemoryError> {
        self.part(x, y, ..)
    }

    /// The elements of two ranges, in all planes, to write.
    ///
    /// # Errors
    /// As [`part`](PitchedBuffer::part).
    pub fn rect_mut(
        &mut self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
    ) -> Result<PitchedSliceMut<'_, T>, MemoryError> {
        self.part_mut(x, y, ..)
    }
}

/// What rows of elements of `size` bytes are a multiple of, where we choose: a whole number of elements, and [`ROW_ALIGN`].
fn row_step(size: usize) -> usize {
    let odd = size.max(1) >> size.max(1).trailing_zeros().min(ROW_ALIGN.trailing_zeros());
    odd.saturating_mul(ROW_ALIGN)
}

impl<T: Plain> PitchedBuffer<T> {
    /// Copies all elements to the host, row after row without gaps. CUDA: `cuMemcpy2DAsync` or `cuMemcpy3DAsync`, then a wait.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_vec`](crate::DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>, MemoryError> {
        self.as_slice().to_vec(stream)
    }

    /// Copies `source`, rows without gaps, to all elements; see [`PitchedSliceMut::copy_from`].
    ///
    /// # Errors
    /// As [`PitchedSliceMut::copy_from`].
    pub fn copy_from(&mut self, source: &[T], stream: &Stream) -> Result<(), MemoryError> {
        self.as_slice_mut().copy_from(source, stream)
    }

    /// Sets every element to `value`; see [`PitchedSliceMut::fill`].
    ///
    /// # Errors
    /// As [`PitchedSliceMut::fill`].
    pub fn fill(&mut self, value: T, stream: &Stream) -> Result<(), MemoryError> {
        self.as_slice_mut().fill(value, stream)
    }
}

impl<T> fmt::Debug for PitchedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PitchedBuffer")
            .field("extent", &self.extent)
            .field("pitch", &self.pitch)
            .field("device", self.device())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_whole_elements_and_start_aligned() {
        for size in 1..=1100 {
            let step = row_step(size);
            assert!(step.is_multiple_of(size), "{size}: {step}");
            assert!(step.is_multiple_of(ROW_ALIGN), "{size}: {step}");
            assert!(step <= size * ROW_ALIGN);
        }
        assert_eq!((row_step(0), row_step(4), row_step(12)), (512, 512, 1536));
    }
}
