//! One level of an array: what copies, textures and surfaces are made of.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::{ArrayElement, ArrayOptions, ArrayShape};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::memory::slice3d::Elements;
use crate::memory::{ArraySlice, ArraySliceMut, MemoryError};

/// A level of detail of a [`MipmappedArray`](super::MipmappedArray), or an [`ArrayBuffer`](super::ArrayBuffer), to read.
pub struct ArrayLevel<'a, T> {
    place: Place<'a>,
    element: PhantomData<&'a [T]>,
}

/// A level of detail of a [`MipmappedArray`](super::MipmappedArray), or an [`ArrayBuffer`](super::ArrayBuffer), to write.
pub struct ArrayLevelMut<'a, T> {
    place: Place<'a>,
    element: PhantomData<&'a mut [T]>,
}

/// Where a level is. The view that holds it decides which access is allowed.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) buffer: &'a Buffer,
    /// With the shape of the level.
    pub(crate) options: ArrayOptions,
    pub(crate) level: usize,
    /// Elements of the levels before it.
    pub(crate) before: usize,
}

impl<'a> Place<'a> {
    fn elements<T>(self) -> Elements<'a> {
        let extent = self.options.shape().extent();
        Elements::of_array::<T>(self.buffer, self.level, self.before, extent)
    }
}

impl<T> Clone for ArrayLevel<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ArrayLevel<'_, T> {}

impl<'a, T> ArrayLevel<'a, T> {
    /// # Safety
    /// The level has elements of type `T`, which nothing writes during `'a`.
    pub(super) unsafe fn new(place: Place<'a>) -> Self {
        ArrayLevel {
            place,
            element: PhantomData,
        }
    }

    pub(crate) fn place(&self) -> Place<'a> {
        self.place
    }

    /// Dimensions and layers of this level.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.place.options.shape()
    }

    /// The device whose memory this is.
    #[must_use]
    pub fn device(&self) -> &'a Device {
        self.place.buffer.device()
    }
}

impl<'a, T: ArrayElement> ArrayLevel<'a, T> {
    /// All elements, for copies.
    #[must_use]
    pub fn as_slice(&self) -> ArraySlice<'a, T> {
        // SAFETY: the elements of this level, borrowed as long.
        unsafe { ArraySlice::new(self.place.elements::<T>()) }
    }

    /// The elements of three ranges, for copies; the third is of planes, layers or faces.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`] names the first range that does not fit.
    pub fn part(
        &self,
        x: impl RangeBounds<usize>,
        y: impl RangeBounds<usize>,
        z: impl RangeBounds<usize>,
    ) -> Result<ArraySlice<'a, T>, MemoryError> {
        self.as_slice().part(x, y, z)
    }
}

impl<'a, T> ArrayLevelMut<'a, T> {
    /// # Safety
    /// The level has elements of type `T`, which nothing else uses during `'a`.
    pub(super) unsafe fn new(place: Place<'a>) -> Self {
        ArrayLevelMut {
            place,
            element: PhantomData,
        }
    }

    pub(crate) fn place(&self) -> Place<'a> {
        self.place
    }

    /// Dimensions and layers of this level.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.place.options.shape()
    }

    /// The same level, to read.
    #[must_use]
    pub fn as_level(&self) -> ArrayLevel<'_, T> {
        ArrayLevel {
            place: self.place, // `self` is borrowed, so nothing writes it meanwhile
            element: PhantomData,
        }
    }

    /// The same level for a shorter time, so that this view can be used again afterwards.
    #[must_use]
    pub fn reborrow(&mut self) -> ArrayLevelMut<'_, T> {
        ArrayLevelMut {
            place: self.place, // `self` is borrowed exclusively meanwhile
            element: PhantomData,
        }
    }
}

impl<'a, T: ArrayElement> ArrayLevelMut<'a, T> {
    /// All elements, for copies.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> ArraySliceMut<'_, T> {
        self.reborrow().into_slice_mut()
    }

    /// All elements, for copies during the whole time of this view.
    #[must_use]
    pub fn into_slice_mut(self) -> ArraySliceMut<'a, T> {
        // SAFETY: the elements of this level, which is given up.
        unsafe { ArraySliceMut::new(self.place.elements::<T>()) }
    }
}

macro_rules! debug {
    ($($level:ident)*) => { $(
        impl<T> fmt::Debug for $level<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($level))
                    .field("shape", &self.shape())
                    .finish_non_exhaustive()
            }
        }
    )* };
}

debug! { ArrayLevel ArrayLevelMut }
