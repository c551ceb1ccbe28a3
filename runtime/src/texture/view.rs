//! Textures of a part of an array: of some levels and layers, with elements of another type.
//!
//! The driver of an H100 (580.159) takes every pair of types of one size, and no other; the extents have to be those of the finest level of the whole array, also where the view begins at another
//! level or layer. It takes layers and levels beyond the last, too, and gives zeros for such layers: they are refused here. In a view of layers of cubes it counts faces, and a
//! fetch from a layer behind the last reads other cubes of the array, or memory behind it: such views are not offered.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

use warploom_device_std::texture::{ReadMode, Texel};

use super::making::{self, Part};
use super::{ImageDimension, Sampler, TextureError, TextureObject};
use crate::memory::{
    ArrayBuffer, ArrayElement, ArrayLevel, ArrayShape, ChannelFormat, MipmappedArray, Place,
};

/// What a texture is to show of an array: some of its levels and layers, and elements of another type of the same size.
///
/// Levels and layers are counted from the first that is shown: it is the level or layer 0 of the texture. Elements are read as the bits that they are in memory: those of a view of `f32` as `u32` are
/// `to_bits`, and a linear filter of a view of `[i16; 2]` as `F16x2` mixes floating-point numbers. CUDA: `CUDA_RESOURCE_VIEW_DESC`, of formats that are not compressed in blocks.
///
/// ```
/// use warploom_device_std::texture::{D2Layered, Normalized};
/// use warploom_runtime::{ArrayShape, texture::{Sampler, TextureObject}};
/// # let device = warploom_runtime::Device::emulator();
/// let pixels = device.array_uninit::<u32>(ArrayShape::Planes { width: 64, height: 64, layers: 8 })?;
/// // Layers 2 to 4, each pixel as four numbers from 0 to 1.
/// let view = pixels.view().elements::<[u8; 4]>()?.layers(2..5)?;
/// let texture: TextureObject<D2Layered, [u8; 4], Normalized> = view.texture(Sampler::new())?;
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// The array stays borrowed:
/// ```compile_fail,E0505
/// # use warploom_device_std::texture::D2;
/// # use warploom_runtime::texture::{Sampler, TextureObject};
/// # let device = warploom_runtime::Device::emulator();
/// let image = device.array_from((2, 2), &[0.0f32; 4])?;
/// let texture: TextureObject<D2, u32> = image.view().elements::<u32>()?.texture(Sampler::new())?;
/// drop(image);
/// texture.raw_handle();
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct TextureView<'a, T> {
    /// Those that are shown, the finest first.
    places: Vec<Place<'a>>,
    /// Those that are shown.
    layers: Range<usize>,
    whole: Whole,
    element: PhantomData<&'a [T]>,
}

/// What a view is one of.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// The shape of its finest level.
    pub(super) shape: ArrayShape,
    pub(super) n_levels: usize,
    /// Whether it is a mipmapped array, and not one level.
    pub(super) mipmapped: bool,
    /// Its elements: the type of a channel and how many there are.
    pub(super) elements: (ChannelFormat, u32),
}

impl<T: ArrayElement> ArrayBuffer<T> {
    /// The array as a texture shows it; see [`TextureView`].
    #[must_use]
    pub fn view(&self) -> TextureView<'_, T> {
        self.as_level().view()
    }
}

impl<'a, T: ArrayElement> ArrayLevel<'a, T> {
    /// The level as a texture without others shows it; see [`TextureView`].
    #[must_use]
    pub fn view(&self) -> TextureView<'a, T> {
        TextureView::new(vec![self.place()], false)
    }
}

impl<T: ArrayElement> MipmappedArray<T> {
    /// All levels as a texture shows them; see [`TextureView`].
    ///
    /// ```
    /// use warploom_device_std::texture::D2;
    /// use warploom_runtime::texture::{Sampler, TextureObject};
    /// # let device = warploom_runtime::Device::emulator();
    /// let image = device.mipmapped_uninit::<f32>((64, 64), 7)?;
    /// let coarse: TextureObject<D2, f32> = image.view().levels(3..)?.texture(Sampler::new().normalized())?;
    /// let text = image.view().levels(3..8).unwrap_err().to_string();
    /// assert!(text.contains("there are 7"), "{text}");
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn view(&self) -> TextureView<'_, T> {
        TextureView::new(self.places(), true)
    }
}

impl<'a, T> TextureView<'a, T> {
    /// The places have elements `T`, which are borrowed for `'a`: those of views of arrays are.
    fn new(places: Vec<Place<'a>>, mipmapped: bool) -> Self
    where
        T: ArrayElement,
    {
        let first = places.first().map(|first| first.options.shape());
        let shape = first.unwrap_or(ArrayShape::Line { width: 0 }); // there is a first
        TextureView {
            layers: 0..shape.n_layers(),
            whole: Whole {
                shape,
                n_levels: places.len(),
                mipmapped,
                elements: (T::FORMAT, T::CHANNELS),
            },
            places,
            element: PhantomData,
        }
    }

    /// Dimensions and layers of the finest level that is shown.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        let first = self.places.first().map(|first| first.options.shape());
        first
            .unwrap_or(self.whole.shape)
            .with_layers(self.layers.len())
    }

    /// How many levels are shown.
    #[must_use]
    pub fn n_levels(&self) -> usize {
        self.places.len()
    }

    /// The same levels and layers, with elements `U` of the same size.
    ///
    /// # Errors
    /// [`TextureError::ViewElements`] if they have another size.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let image = device.array_uninit::<f32>((64, 64))?;
    /// let text = image.view().elements::<u16>().unwrap_err().to_string();
    /// assert!(text.contains("`u16`, which has 2 bytes"), "{text}");
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn elements<U: ArrayElement>(&self) -> Result<TextureView<'a, U>, TextureError>
    where
        T: ArrayElement,
    {
        if size_of::<T>() != size_of::<U>() {
            return Err(TextureError::ViewElements {
                element: type_name::<T>(),
                bytes: size_of::<T>(),
                given: type_name::<U>(),
                given_bytes: size_of::<U>(),
            });
        }
        Ok(self.of(self.places.clone(), self.layers.clone()))
    }

    /// Other levels and layers of the same array.
    fn of<U>(&self, places: Vec<Place<'a>>, layers: Range<usize>) -> TextureView<'a, U> {
        TextureView {
            places,
            layers,
            whole: self.whole,
            element: PhantomData,
        }
    }

    /// Some of the levels that are shown, 0 the finest of them.
    ///
    /// # Errors
    /// [`TextureError::ViewRange`] if there are not so many, or none is left.
    pub fn levels(&self, range: impl RangeBounds<usize>) -> Result<Self, TextureError> {
        let range = within("levels", &range, self.places.len())?;
        Ok(self.of(self.places[range].to_vec(), self.layers.clone()))
    }

    /// Some of the layers that are shown, 0 the first of them. Of layers of cubes no texture of a part can be made.
    ///
    /// # Errors
    /// [`TextureError::ViewRange`] if there are not so many, or none is left; [`TextureError::NoLayers`] if the array has none.
    pub fn layers(&self, range: impl RangeBounds<usize>) -> Result<Self, TextureError> {
        let shape = self.shape();
        if !shape.is_layered() {
            return Err(TextureError::NoLayers { shape });
        }
        let range = within("layers", &range, self.layers.len())?;
        let before = self.layers.start;
        let layers = before + range.start..before + range.end;
        Ok(self.of(self.places.clone(), layers))
    }

    /// What is shown as a texture.
    ///
    /// # Errors
    /// As [`ArrayBuffer::texture`] and [`MipmappedArray::texture`]; [`TextureError::ViewOfCubes`] if other elements or a part of layers of cubes are shown.
    pub fn texture<D: ImageDimension, R: ReadMode<T>>(
        &self,
        sampler: Sampler,
    ) -> Result<TextureObject<'a, D, T, R>, TextureError>
    where
        T: ArrayElement + Texel,
    {
        let part = Part {
            places: &self.places,
            layers: self.layers.clone(),
            whole: self.whole,
        };
        // SAFETY: the array is borrowed for `'a`; its elements have the size of `T`, which all bits are values of. The levels follow each other.
        unsafe { making::array_texture(&part, sampler) }
    }
}

/// The numbers of a range of which there are `n`, at least one.
fn within(
    what: &'static str,
    range: &impl RangeBounds<usize>,
    n: usize,
) -> Result<Range<usize>, TextureError> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => n,
    };
    if start < end && end <= n {
        return Ok(start..end);
    }
    Err(TextureError::ViewRange {
        what,
        start,
        end,
        n,
    })
}

impl<T> Clone for TextureView<'_, T> {
    fn clone(&self) -> Self {
        self.of(self.places.clone(), self.layers.clone())
    }
}

impl<T> fmt::Debug for TextureView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextureView")
            .field("shape", &self.shape())
            .field("n_levels", &self.n_levels())
            .field("first_layer", &self.layers.start)
            .finish_non_exhaustive()
    }
}
