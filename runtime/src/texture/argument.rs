//! Textures and surfaces as launches take them.

use std::fmt;

use warploom_device_std::surface::{Access, ReadOnly, Reduced, Surface, Writable};
use warploom_device_std::texture::{Dimension, ReadMode, Texel, Texture};

use super::{Bound, SurfaceObject, TextureObject};
use crate::launch::arguments::Arg;

/// What `launch` takes for a kernel's texture of type `P`: `&TextureObject` of the same dimensions, elements and read. Sealed.
///
/// ```compile_fail,E0277
/// # use warploom_device_std::texture::Texture2d;
/// # use warploom_runtime::{Device, launch::TextureArg};
/// fn launch<'a>(x: impl TextureArg<'a, Texture2d<'static, f32>>) {}
/// launch(&Device::emulator().array_uninit::<f32>((8, 8)).unwrap()); // how it is read is not known
/// ```
/// The elements have to be the kernel's:
/// ```compile_fail,E0277
/// # use warploom_device_std::texture::{Texture2d, Normalized};
/// # use warploom_runtime::{Device, launch::TextureArg, texture::Sampler};
/// fn launch<'a>(x: impl TextureArg<'a, Texture2d<'static, u8, Normalized>>) {}
/// launch(&Device::emulator().array_uninit::<u16>((8, 8)).unwrap().texture(Sampler::new()).unwrap());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a texture as the kernel takes it: `{P}`",
    label = "expected a `&TextureObject` of the same dimensions, elements and read",
    note = "make one of an array: `image.texture(Sampler::new())?`, of linear memory: `x.texture()?`, or of rows: `rows.texture(Sampler::new())?`"
)]
pub trait TextureArg<'a, P>: sealed::Texture {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundTexture<'a>;
}

/// What `launch` takes for a kernel's surface of type `P`: `&mut SurfaceObject` of the same dimensions and elements; `&SurfaceObject` for one that is read only. Sealed.
///
/// An array that is only borrowed shared is not written:
/// ```compile_fail,E0277
/// # use warploom_device_std::surface::Surface2d;
/// # use warploom_runtime::{ArrayShape, Device, launch::SurfaceArg};
/// fn launch<'a>(x: impl SurfaceArg<'a, Surface2d<'static, f32>>) {}
/// let image = Device::emulator().array_uninit::<f32>(ArrayShape::from((8, 8)).with_surface()).unwrap();
/// launch(&mut image.surface().unwrap());
/// ```
/// Nor is one surface two outputs:
/// ```compile_fail,E0499
/// # use warploom_device_std::surface::Surface2d;
/// # use warploom_runtime::{ArrayShape, Device, launch::SurfaceArg};
/// fn launch<'a>(x: impl SurfaceArg<'a, Surface2d<'static, f32>>, y: impl SurfaceArg<'a, Surface2d<'static, f32>>) {}
/// let mut image = Device::emulator().array_uninit::<f32>(ArrayShape::from((8, 8)).with_surface()).unwrap();
/// let mut surface = image.surface_mut().unwrap();
/// launch(&mut surface, &mut surface);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a surface as the kernel takes it: `{P}`",
    label = "expected a `&mut SurfaceObject` of the same dimensions and elements, or `&SurfaceObject` if the kernel's is `ReadOnly`",
    note = "make one of an array: `image.surface_mut()?`, or `image.surface()?` to read"
)]
pub trait SurfaceArg<'a, P>: sealed::Surface {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundTexture<'a>;
}

mod sealed {
    pub trait Texture {}
    pub trait Surface {}
    impl<D, T, R> Texture for &super::TextureObject<'_, D, T, R> {}
    impl<D, T, A> Surface for &super::SurfaceObject<'_, D, T, A> {}
    impl<D, T, A> Surface for &mut super::SurfaceObject<'_, D, T, A> {}
}

impl<'a, D: Dimension, T: Texel, R: ReadMode<T>> TextureArg<'a, Texture<'_, D, T, R>>
    for &'a TextureObject<'_, D, T, R>
{
    fn bind(self) -> BoundTexture<'a> {
        BoundTexture(&self.bound)
    }
}

impl<'a, D: Dimension, T: Texel> SurfaceArg<'a, Surface<'_, D, T, Writable>>
    for &'a mut SurfaceObject<'_, D, T, Writable>
{
    fn bind(self) -> BoundTexture<'a> {
        BoundTexture(&self.bound)
    }
}

impl<'a, D: Dimension, T: Texel> SurfaceArg<'a, Surface<'_, D, T, Reduced>>
    for &'a mut SurfaceObject<'_, D, T, Writable>
{
    fn bind(self) -> BoundTexture<'a> {
        BoundTexture(&self.bound)
    }
}

impl<'a, D: Dimension, T: Texel, A: Access> SurfaceArg<'a, Surface<'_, D, T, ReadOnly>>
    for &'a SurfaceObject<'_, D, T, A>
{
    fn bind(self) -> BoundTexture<'a> {
        BoundTexture(&self.bound)
    }
}

/// A texture or surface that a launch borrows for one parameter. Not an argument of a launch, and not `Clone`: it may stand for an output.
pub struct BoundTexture<'a>(&'a Bound<'a>);

impl fmt::Debug for BoundTexture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundTexture").finish_non_exhaustive()
    }
}

impl BoundTexture<'_> {
    /// The handle, for the threads of a kernel on the CPU.
    #[must_use]
    pub fn raw(&self) -> u64 {
        self.0.handle
    }

    /// The argument as [`submit`](crate::launch::submit) takes it.
    #[must_use]
    pub fn arg(&self) -> Arg<'_> {
        Arg::object(&self.0.handle, self.0.buffer)
    }
}
