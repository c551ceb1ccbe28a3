//! Arrays with levels of detail.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use warploom_emulator::check::Birth;

use super::{ArrayElement, ArrayLevel, ArrayLevelMut, ArrayOptions, ArrayShape, Place, described};
use crate::buffer::{Buffer, Kind, Memory};
use crate::cuda::array::{ArrayMemory, Described};
use crate::device::Device;
use crate::memory::MemoryError;

/// An array in several levels of detail, each half as long along each side as the one before; layers and faces stay as many.
///
/// A texture of it chooses levels, and may mix two. Each level is copied, sampled and written as an array of its own; the levels of one array can be
/// [written and read at the same time](MipmappedArray::levels_mut), which makes each out of the one before. CUDA: `CUmipmappedArray`.
///
/// ```
/// use warploom_runtime::ArrayShape;
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let mut image = device.mipmapped_uninit::<u8>((4, 2), 3)?;
/// image.level_mut(0)?.as_slice_mut().copy_from(&[9; 8], &stream)?;
/// image.level_mut(1)?.as_slice_mut().copy_from(&[7, 5], &stream)?;
/// assert_eq!(image.level(1)?.as_slice().to_vec(&stream)?, [7, 5]);
/// assert_eq!(image.level(2)?.shape(), ArrayShape::Plane { width: 1, height: 1 });
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct MipmappedArray<T> {
    buffer: Buffer,
    options: ArrayOptions,
    n_levels: u32,
    element: PhantomData<T>,
}

impl Device {
    /// Makes an array in `levels` levels of detail, of which `shape` is the finest, with no particular contents. CUDA: `cuMipmappedArrayCreate`.
    ///
    /// # Errors
    /// As [`array_uninit`](Device::array_uninit). [`MemoryError::ArrayLevels`] if there are none or too many levels: CUDA makes as many as there can be then.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let text = device.mipmapped_uninit::<f32>((64, 16), 8).unwrap_err().to_string();
    /// assert!(text.contains("1 to 7 levels"), "{text}");
    /// ```
    #[track_caller]
    pub fn mipmapped_uninit<T: ArrayElement>(
        &self,
        shape: impl Into<ArrayOptions>,
        levels: u32,
    ) -> Result<MipmappedArray<T>, MemoryError> {
        let options = shape.into();
        let (len, described) = MipmappedArray::<T>::checked(self, options, levels)?;
        let len = len.unwrap_or(usize::MAX);
        let birth = Birth::Uninitialised;
        let buffer = Buffer::of_kind::<T>(self, len, birth, Kind::Array, |gpu, _| {
            let context = Arc::clone(&gpu.context);
            let made = ArrayMemory::mipmapped(context, described, levels)?;
            Ok(made.map(Memory::Array))
        })?;
        Ok(MipmappedArray::of_buffer(buffer, options, levels))
    }
}

impl<T: ArrayElement> MipmappedArray<T> {
    /// How many elements such an array has, `None` if more than any memory holds, and what the driver is told of it. Refuses what no array is.
    pub(crate) fn checked(
        device: &Device,
        options: ArrayOptions,
        levels: u32,
    ) -> Result<(Option<usize>, Described), MemoryError> {
        options.check(Some(levels), device)?;
        let len = elements_before(options.shape(), levels);
        Ok((len, described::<T>(options)))
    }
}

/// Elements of the first `n` levels; `None` if they are more than any memory holds.
fn elements_before(shape: ArrayShape, n: u32) -> Option<usize> {
    (0..n)
        .map(|level| shape.level(level).extent().elements())
        .try_fold(0usize, |sum, elements| sum.checked_add(elements?))
}

impl<T> MipmappedArray<T> {
    /// The array in memory that was made for it.
    pub(crate) fn of_buffer(buffer: Buffer, options: ArrayOptions, n_levels: u32) -> Self {
        MipmappedArray {
            buffer,
            options,
            n_levels,
            element: PhantomData,
        }
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Dimensions and layers of the finest level.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.options.shape()
    }

    /// What it was made for.
    pub fn options(&self) -> ArrayOptions {
        self.options
    }

    /// How many levels there are.
    #[must_use]
    pub fn n_levels(&self) -> u32 {
        self.n_levels
    }

    /// The device whose memory this is.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// A level, 0 the finest, to read. CUDA: `cuMipmappedArrayGetLevel`.
    ///
    /// # Errors
    /// [`MemoryError::NoSuchLevel`].
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let text = device.mipmapped_uninit::<f32>((64, 16), 3)?.level(3).unwrap_err().to_string();
    /// assert!(text.contains("there are 3"), "{text}");
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn level(&self, level: u32) -> Result<ArrayLevel<'_, T>, MemoryError> {
        let place = self.place(level)?;
        // SAFETY: the elements are those of the buffer, borrowed like `self`.
        Ok(unsafe { ArrayLevel::new(place) })
    }

    /// A level, 0 the finest, to write. CUDA: `cuMipmappedArrayGetLevel`.
    ///
    /// # Errors
    /// [`MemoryError::NoSuchLevel`].
    pub fn level_mut(&mut self, level: u32) -> Result<ArrayLevelMut<'_, T>, MemoryError> {
        let place = self.place(level)?;
        // SAFETY: the elements are those of the buffer, borrowed like `self`.
        Ok(unsafe { ArrayLevelMut::new(place) })
    }

    /// All levels, the finest first, each to be used by itself: one launch can read a level and write the next.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut image = device.mipmapped_uninit::<u8>((2, 2), 2)?;
    /// let mut levels = image.levels_mut();
    /// levels[0].as_slice_mut().copy_from(&[1, 2, 3, 4], &stream)?;
    /// let [fine, coarse] = &mut levels[..] else { unreachable!() };
    /// let corner = fine.as_level().part(1.., 1.., ..)?;
    /// coarse.as_slice_mut().copy_from_device(corner, &stream)?;
    /// assert_eq!(image.level(1)?.as_slice().to_vec(&stream)?, [4]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn levels_mut(&mut self) -> Vec<ArrayLevelMut<'_, T>> {
        let places = (0..self.n_levels).filter_map(|level| self.place(level).ok());
        // SAFETY: levels have no elements in common; the array is borrowed exclusively for all of them.
        places
            .map(|place| unsafe { ArrayLevelMut::new(place) })
            .collect()
    }

    fn place(&self, level: u32) -> Result<Place<'_>, MemoryError> {
        if level >= self.n_levels {
            return Err(MemoryError::NoSuchLevel {
                given: level,
                levels: self.n_levels,
            });
        }
        let shape = self.shape();
        Ok(Place {
            buffer: &self.buffer,
            options: self.options.of_shape(shape.level(level)),
            level: level as usize,
            before: elements_before(shape, level).unwrap_or(0), // the memory holds them
        })
    }

    /// Where all levels are, the finest first.
    pub(crate) fn places(&self) -> Vec<Place<'_>> {
        (0..self.n_levels)
            .filter_map(|level| self.place(level).ok())
            .collect()
    }

    /// The driver's `CUmipmappedArray`, for code that calls the driver itself; null on the emulator, whose arrays have none.
    ///
    /// Valid until the array is dropped. Work that other code queues on it is not ordered with the runtime's.
    #[must_use]
    pub fn raw_array(&self) -> *mut c_void {
        let array = self.buffer.array();
        array.map_or(ptr::null_mut(), ArrayMemory::raw_handle)
    }
}

impl<T> fmt::Debug for MipmappedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MipmappedArray")
            .field("options", &self.options)
            .field("n_levels", &self.n_levels)
            .finish_non_exhaustive()
    }
}
