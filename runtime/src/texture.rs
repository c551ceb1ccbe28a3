//! Textures and surfaces: arrays, levels of detail and linear memory as kernels find elements in them by coordinates.
//!
//! | here | CUDA |
//! |---|---|
//! | [`TextureObject`] of an [`ArrayBuffer`], a level, a [`MipmappedArray`] | `cuTexObjectCreate` with `CU_RESOURCE_TYPE_ARRAY`, `CU_RESOURCE_TYPE_MIPMAPPED_ARRAY` |
//! | [`TextureObject`] of a [`DeviceSlice`], a [`PitchedBuffer`] | the same with `CU_RESOURCE_TYPE_LINEAR`, `CU_RESOURCE_TYPE_PITCH2D` |
//! | [`TextureView`] | the same with a `CUDA_RESOURCE_VIEW_DESC` |
//! | [`Sampler`] | `CUDA_TEXTURE_DESC` |
//! | [`SurfaceObject`] | `cuSurfObjectCreate` |
//!
//! Programs for CUDA before version 5 have *texture references* instead, variables of the device code; CUDA 12 has them no more. What becomes of them:
//!
//! | texture reference | here |
//! |---|---|
//! | `texture<float, 2>` in the source of a kernel | a parameter `Texture2d<f32>` of the kernel |
//! | `texture<uchar, 2, cudaReadModeNormalizedFloat>` | `Texture2d<u8, Normalized>` |
//! | `cudaChannelFormatDesc` | the type of the elements: an array of `[f32; 4]` has four channels of 32 bits, see [`ArrayElement`] |
//! | `addressMode`, `filterMode`, `normalized`, `sRGB` | settings of the [`Sampler`]; another texture of the same array has others |
//! | `cudaBindTextureToArray`, `cuTexRefSetArray` | [`ArrayBuffer::texture`] |
//! | `cudaBindTexture`, `cuTexRefSetAddress` | [`DeviceSlice::texture`](crate::DeviceSlice::texture), which starts at the address that is given: there is no offset to add |
//! | `cudaBindTexture2D`, `cuTexRefSetAddress2D` | [`PitchedBuffer::texture`](crate::PitchedBuffer::texture) |
//! | `cudaUnbindTexture`; a reference that was never bound | the texture is an argument of the launch: it cannot be missing, and borrows the memory as long as it is there |
//! | binding to other memory between launches | another argument |
//! | `cuModuleGetTexRef`, `cuParamSetTexRef`, `cudaGetTextureReference` | nothing to look up: arguments have types |
//!
//! Like a slice, a texture borrows its memory, and a surface that is written borrows it exclusively; launches order after earlier work on the memory, on any stream. A fetch does not see
//! what the same launch wrote to the memory, and no safe kernel can tell.

mod argument; // as launches take them
mod dimension; // which textures an array can become
mod error; // what is said of those that are refused
mod making; // checks, and the calls of the driver
mod sampler; // how elements are read
mod view; // parts of arrays, and elements of other types

use std::fmt;
use std::marker::PhantomData;
use std::sync::Weak;

use warploom_device_std::surface::{ReadOnly, Writable};
use warploom_device_std::texture::{Element, LinearMemory, ReadMode, Texel};

use crate::buffer::{Buffer, Object};
use crate::memory::{ArrayBuffer, ArrayElement, ArrayLevel, ArrayLevelMut, MipmappedArray};
use crate::memory::{DeviceBuffer, PitchedBuffer, PitchedSlice};
use crate::view::DeviceSlice;

pub use argument::{BoundTexture, SurfaceArg, TextureArg};
pub use dimension::ImageDimension;
pub use error::TextureError;
pub use sampler::Sampler;
pub use view::TextureView;
pub use warploom_emulator::texture::{Address, Filter};

/// Memory of a device as a kernel's texture: [`Texture`](warploom_device_std::texture::Texture) of dimensions `D` with elements `T`, read as `R`.
///
/// Which dimensions and which read follows from the kernel that it is given to. It borrows the memory, as a [`DeviceSlice`] does. CUDA: `cuTexObjectCreate`.
///
/// ```
/// use warploom_device_std::texture::{D2, Texture2d};
/// use warploom_runtime::launch::TextureArg;
/// use warploom_runtime::texture::{Filter, Sampler, TextureObject};
/// # let device = warploom_runtime::Device::emulator();
/// # fn launch<'a>(image: impl TextureArg<'a, Texture2d<'static, f32>>) {} // as that of a kernel
/// let image = device.array_from((2, 2), &[0.0f32, 1.0, 2.0, 3.0])?;
/// let smooth: TextureObject<D2, f32> = image.texture(Sampler::new().filter(Filter::Linear))?;
/// launch(&smooth);
/// launch(&image.texture(Sampler::new())?); // what it is to be, the kernel says
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// The memory stays borrowed as long as the texture is there:
/// ```compile_fail,E0505
/// # use warploom_device_std::texture::D2;
/// # use warploom_runtime::texture::{Sampler, TextureObject};
/// # let device = warploom_runtime::Device::emulator();
/// let image = device.array_from((2, 2), &[0.0f32; 4])?;
/// let texture: TextureObject<D2, f32> = image.texture(Sampler::new())?;
/// drop(image);
/// texture.raw_handle();
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// Nor is it written meanwhile:
/// ```compile_fail,E0502
/// # use warploom_device_std::texture::D2;
/// # use warploom_runtime::texture::{Sampler, TextureObject};
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let mut image = device.array_from((2, 2), &[0.0f32; 4])?;
/// let texture: TextureObject<D2, f32> = image.texture(Sampler::new())?;
/// image.copy_from(&[1.0; 4], &stream)?;
/// texture.raw_handle();
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct TextureObject<'a, D, T, R = Element> {
    bound: Bound<'a>,
    elements: PhantomData<&'a [T]>,
    types: PhantomData<fn() -> (D, R)>,
}

/// An array as a kernel's surface: [`Surface`](warploom_device_std::surface::Surface) of dimensions `D` with elements `T`, to be written, or read only, as `A` says.
///
/// It borrows the array, exclusively if it is [`Writable`]. CUDA: `cuSurfObjectCreate`.
///
/// ```
/// use warploom_device_std::surface::Surface2d;
/// use warploom_runtime::ArrayShape;
/// use warploom_runtime::launch::SurfaceArg;
/// # let device = warploom_runtime::Device::emulator();
/// # fn launch<'a>(image: impl SurfaceArg<'a, Surface2d<'static, f32>>) {} // as that of a kernel
/// let mut image = device.array_uninit::<f32>(ArrayShape::from((64, 64)).with_surface())?;
/// launch(&mut image.surface_mut()?);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// No texture of the array is read meanwhile:
/// ```compile_fail,E0502
/// # use warploom_device_std::texture::D2;
/// # use warploom_device_std::surface::{Surface2d, Writable};
/// # use warploom_runtime::ArrayShape;
/// # use warploom_runtime::texture::{Sampler, SurfaceObject, TextureObject};
/// # let device = warploom_runtime::Device::emulator();
/// let mut image = device.array_uninit::<f32>(ArrayShape::from((64, 64)).with_surface())?;
/// let surface: SurfaceObject<D2, f32, Writable> = image.surface_mut()?;
/// let texture: TextureObject<D2, f32> = image.texture(Sampler::new())?;
/// surface.raw_handle();
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct SurfaceObject<'a, D, T, A = Writable> {
    bound: Bound<'a>,
    elements: PhantomData<&'a mut [T]>,
    types: PhantomData<fn() -> (D, A)>,
}

/// A texture or surface of any type, and the memory that it leads to.
struct Bound<'a> {
    buffer: &'a Buffer,
    /// Where a launch finds the handle.
    handle: u64,
    /// Keeps the handle from being given up before the memory is.
    _object: Weak<Object>,
}

impl<'a> Bound<'a> {
    fn new(buffer: &'a Buffer, (handle, object): (u64, Weak<Object>)) -> Bound<'a> {
        Bound {
            buffer,
            handle,
            _object: object,
        }
    }
}

impl<D, T, R> TextureObject<'_, D, T, R> {
    /// The driver's `CUtexObject`, for code that calls the driver itself; on the emulator the address of a description.
    ///
    /// Valid as long as the memory and this value are there. Work that other code queues with it is not ordered with the runtime's.
    #[must_use]
    pub fn raw_handle(&self) -> u64 {
        self.bound.handle
    }
}

impl<D, T, A> SurfaceObject<'_, D, T, A> {
    /// The driver's `CUsurfObject`; see [`TextureObject::raw_handle`].
    #[must_use]
    pub fn raw_handle(&self) -> u64 {
        self.bound.handle
    }
}

impl<T: ArrayElement + Texel> ArrayBuffer<T> {
    /// The array as a texture; see [`TextureObject`].
    ///
    /// # Errors
    /// [`TextureError`] if the array has other dimensions than the texture is to have, or the settings do not go together.
    ///
    /// ```
    /// use warploom_device_std::texture::D3;
    /// use warploom_runtime::texture::{Sampler, TextureObject};
    /// # let device = warploom_runtime::Device::emulator();
    /// let image = device.array_uninit::<f32>((64, 64))?;
    /// let texture: Result<TextureObject<D3, f32>, _> = image.texture(Sampler::new());
    /// assert!(texture.unwrap_err().to_string().contains("2-D array of 64x64"));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn texture<D: ImageDimension, R: ReadMode<T>>(
        &self,
        sampler: Sampler,
    ) -> Result<TextureObject<'_, D, T, R>, TextureError> {
        self.as_level().texture(sampler)
    }

    /// The array as a surface that kernels read; see [`SurfaceObject`].
    ///
    /// # Errors
    /// [`TextureError`] if the array has other dimensions than the surface is to have, or was made without
    /// [`with_surface`](crate::ArrayOptions::with_surface).
    pub fn surface<D: ImageDimension>(
        &self,
    ) -> Result<SurfaceObject<'_, D, T, ReadOnly>, TextureError> {
        self.as_level().surface()
    }

    /// The array as a surface that kernels read and write; see [`SurfaceObject`].
    ///
    /// # Errors
    /// As [`surface`](ArrayBuffer::surface).
    pub fn surface_mut<D: ImageDimension>(
        &mut self,
    ) -> Result<SurfaceObject<'_, D, T, Writable>, TextureError> {
        self.as_level_mut().into_surface()
    }
}

impl<'a, T: ArrayElement + Texel> ArrayLevel<'a, T> {
    /// The level as a texture without others; see [`ArrayBuffer::texture`].
    ///
    /// # Errors
    /// As [`ArrayBuffer::texture`].
    pub fn texture<D: ImageDimension, R: ReadMode<T>>(
        &self,
        sampler: Sampler,
    ) -> Result<TextureObject<'a, D, T, R>, TextureError> {
        self.view().texture(sampler)
    }

    /// The level as a surface that kernels read; see [`ArrayBuffer::surface`].
    ///
    /// # Errors
    /// As [`ArrayBuffer::surface`].
    pub fn surface<D: ImageDimension>(
        &self,
    ) -> Result<SurfaceObject<'a, D, T, ReadOnly>, TextureError> {
        // SAFETY: the level is borrowed for `'a`, and has elements `T`.
        unsafe { making::surface(self.place()) }
    }
}

impl<'a, T: ArrayElement + Texel> ArrayLevelMut<'a, T> {
    /// The level as a surface that kernels read and write; see [`ArrayBuffer::surface_mut`].
    ///
    /// # Errors
    /// As [`ArrayBuffer::surface`].
    pub fn surface_mut<D: ImageDimension>(
        &mut self,
    ) -> Result<SurfaceObject<'_, D, T, Writable>, TextureError> {
        self.reborrow().into_surface()
    }

    /// The same, for the whole time of this view.
    ///
    /// # Errors
    /// As [`ArrayBuffer::surface`].
    pub fn into_surface<D: ImageDimension>(
        self,
    ) -> Result<SurfaceObject<'a, D, T, Writable>, TextureError> {
        // SAFETY: the level is borrowed exclusively for `'a`, and has elements `T`.
        unsafe { making::surface(self.place()) }
    }
}

impl<T: ArrayElement + Texel> MipmappedArray<T> {
    /// All levels as one texture, whose coordinates are normalised; see [`TextureObject`].
    ///
    /// # Errors
    /// As [`ArrayBuffer::texture`].
    ///
    /// ```
    /// use warploom_device_std::texture::D2;
    /// use warploom_runtime::texture::{Filter, Sampler, TextureObject};
    /// # let device = warploom_runtime::Device::emulator();
    /// let image = device.mipmapped_uninit::<f32>((64, 64), 7)?;
    /// let trilinear = Sampler::new().normalized().filter(Filter::Linear).mip_filter(Filter::Linear);
    /// let texture: TextureObject<D2, f32> = image.texture(trilinear.lod_clamp(1.0, 4.0))?;
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn texture<D: ImageDimension, R: ReadMode<T>>(
        &self,
        sampler: Sampler,
    ) -> Result<TextureObject<'_, D, T, R>, TextureError> {
        self.view().texture(sampler)
    }
}

impl<'a, T: ArrayElement + Texel> DeviceSlice<'a, T> {
    /// The elements as a texture that kernels read by index, without filter and sampler; an index outside gives zeros. CUDA: `tex1Dfetch`.
    ///
    /// # Errors
    /// [`TextureError`] if there are no elements or too many, or the first does not lie at a multiple of 512 bytes (what the device says: `TEXTURE_ALIGNMENT`).
    ///
    /// ```
    /// use warploom_device_std::texture::{Normalized, TextureLinear};
    /// use warploom_runtime::launch::TextureArg;
    /// # let device = warploom_runtime::Device::emulator();
    /// # fn launch<'a>(image: impl TextureArg<'a, TextureLinear<'static, u8, Normalized>>) {} // as that of a kernel
    /// let x = device.upload(&[1u8; 1000])?;
    /// launch(&x.texture()?);
    /// launch(&x.slice(512..)?.texture()?);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn texture<R: ReadMode<T>>(
        &self,
    ) -> Result<TextureObject<'a, LinearMemory, T, R>, TextureError> {
        let (start, len) = (self.ptr().cast(), self.len());
        // SAFETY: the elements are `T`, and borrowed for `'a`.
        unsafe { making::linear_texture(self.buffer(), start, len) }
    }
}

impl<T: ArrayElement + Texel> DeviceBuffer<T> {
    /// All elements as a texture that kernels read by index; see [`DeviceSlice::texture`].
    ///
    /// # Errors
    /// As [`DeviceSlice::texture`].
    pub fn texture<R: ReadMode<T>>(
        &self,
    ) -> Result<TextureObject<'_, LinearMemory, T, R>, TextureError> {
        self.as_slice().texture()
    }
}

impl<'a, T: ArrayElement + Texel> PitchedSlice<'a, T> {
    /// The rows of one plane as a texture; see [`TextureObject`].
    ///
    /// # Errors
    /// [`TextureError`] if there are several planes, the first element or the rows are not aligned as the device asks for (`TEXTURE_ALIGNMENT`, `TEXTURE_PITCH_ALIGNMENT`), there are too
    /// many elements, or the settings do not go together.
    pub fn texture<R: ReadMode<T>>(
        &self,
        sampler: Sampler,
    ) -> Result<TextureObject<'a, warploom_device_std::texture::D2, T, R>, TextureError> {
        // SAFETY: the rows have elements `T`, and are borrowed for `'a`.
        unsafe { making::pitched_texture(self.buffer(), self.region(), sampler) }
    }
}

impl<T: ArrayElement + Texel> PitchedBuffer<T> {
    /// The rows of one plane as a texture; see [`TextureObject`]. CUDA: `CU_RESOURCE_TYPE_PITCH2D`.
    ///
    /// # Errors
    /// As [`PitchedSlice::texture`].
    ///
    /// ```
    /// use warploom_device_std::texture::D2;
    /// use warploom_runtime::texture::{Sampler, TextureObject};
    /// # let device = warploom_runtime::Device::emulator();
    /// let rows = device.pitched_zeroed::<f32>((640, 480))?;
    /// let texture: TextureObject<D2, f32> = rows.texture(Sampler::new())?;
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn texture<R: ReadMode<T>>(
        &self,
        sampler: Sampler,
    ) -> Result<TextureObject<'_, warploom_device_std::texture::D2, T, R>, TextureError> {
        self.as_slice().texture(sampler)
    }
}

impl<D, T, R> fmt::Debug for TextureObject<'_, D, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextureObject")
            .field("element", &std::any::type_name::<T>())
            .finish_non_exhaustive()
    }
}

impl<D, T, A> fmt::Debug for SurfaceObject<'_, D, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SurfaceObject")
            .field("element", &std::any::type_name::<T>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
