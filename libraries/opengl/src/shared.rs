//! A buffer or an image that OpenGL and kernels share, and which of them has it.

use std::any::type_name;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;

use glow::HasContext;
use warploom::device_std::Plain;
use warploom::interop::graphics::{
    self, Access, GlImage, GraphicsError, Object as Resource, ReadWrite, Registered, Writable,
};
use warploom::{
    ArrayBuffer, ArrayElement, ArrayLevelMut, ArrayOptions, ArrayShape, DeviceBuffer,
    DeviceSliceMut, Stream,
};

use crate::context::OpenGl;
use crate::copies::{BufferCopy, ImageCopy};
use crate::error::OpenGlError;
use crate::formats::format_of;
use crate::object::{Image, Name, Object};

/// The most bytes of a buffer: functions of `glow` count them in 32 bits with a sign.
const MOST_BYTES: usize = i32::MAX as usize;

/// An object that OpenGL has: a buffer, `R` is [`DeviceBuffer`], or an image, `R` is [`ArrayBuffer`].
///
/// Kernels get it by [`map`](Shared::map). When it is dropped, OpenGL's object is deleted.
#[must_use = "what is dropped is deleted"]
pub struct Shared<R: Resource, A: Access = ReadWrite>(Held<Registered<R, A>>);

/// An object that kernels have: a [`DeviceBuffer`] or [`ArrayBuffer`] like any other, which goes back by [`unmap`](Mapped::unmap).
#[must_use = "OpenGL can use it again when it is unmapped"]
pub struct Mapped<R: Resource, A: Access = ReadWrite>(Held<graphics::Mapped<R, A>>);

/// A call that failed, with the object as it was before.
#[derive(thiserror::Error)]
#[error("{error}")]
pub struct Refused<S> {
    /// Why.
    #[source]
    pub error: OpenGlError,
    /// What was to be mapped or unmapped.
    pub resource: S,
}

/// The kernels' side of an object, and OpenGL's, which is deleted after it, while the context is current.
struct Held<S: Side> {
    side: ManuallyDrop<S>,
    object: ManuallyDrop<Object>,
}

trait Side {
    /// Whether it must stay for ever, and with it OpenGL's object.
    fn stays(&self) -> bool;
}

impl<R: Resource, A: Access> Side for Registered<R, A> {
    fn stays(&self) -> bool {
        false
    }
}

impl<R: Resource, A: Access> Side for graphics::Mapped<R, A> {
    fn stays(&self) -> bool {
        self.is_in_graph()
    }
}

impl<S: Side> Held<S> {
    fn new(side: S, object: Object) -> Held<S> {
        Held {
            side: ManuallyDrop::new(side),
            object: ManuallyDrop::new(object),
        }
    }

    fn into_parts(self) -> (S, Object) {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither dropped nor used again, so that each field is moved out once.
        let side = unsafe { ptr::read(&raw const *this.side) };
        // SAFETY: as above.
        (side, unsafe { ptr::read(&raw const *this.object) })
    }
}

impl<S: Side> Drop for Held<S> {
    fn drop(&mut self) {
        let stays = self.side.stays();
        if self.object.gl.functions().is_err() {
            return; // without its context nothing can be unregistered
        }
        // SAFETY: nothing uses the field after this.
        unsafe { ManuallyDrop::drop(&mut self.side) };
        if !stays {
            // SAFETY: as above.
            unsafe { ManuallyDrop::drop(&mut self.object) };
        }
    }
}

impl OpenGl {
    /// A buffer of `len` elements, with no particular contents.
    ///
    /// CUDA: `cuGraphicsGLRegisterBuffer`.
    ///
    /// # Errors
    /// [`OpenGlError::BufferSize`] before OpenGL is asked; [`OpenGlError::Call`]; [`OpenGlError::NotCurrent`]; [`OpenGlError::Graphics`] for what the
    /// kernels' side refuses.
    pub fn shared_buffer<T: Plain, A: Access>(
        &self,
        len: usize,
        access: A,
    ) -> Result<Shared<DeviceBuffer<T>, A>, OpenGlError> {
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.filter(|bytes| (1..=MOST_BYTES).contains(bytes));
        let bytes = bytes.and_then(|bytes| i32::try_from(bytes).ok());
        let bytes = bytes.ok_or(OpenGlError::BufferSize {
            len,
            size: size_of::<T>(),
            limit: MOST_BYTES,
        })?;
        let object = Object::buffer(self, bytes, glow::DYNAMIC_COPY)?;
        let Name::Buffer(name) = object.name else {
            return Err(GraphicsError::NoName.into());
        };
        let side = match self.is_in_place() {
            // SAFETY: a buffer of this size of the context that `Object::buffer` made current, which renders on this device. `Held` deletes it last,
            // `functions` makes the context current before each call, and says when its callers may use objects.
            true => unsafe { self.cuda().register_gl_buffer(name.0.get(), len, access)? },
            false => {
                let gl = self.clone();
                let copy = BufferCopy { gl, name };
                self.cuda().copied_buffer(len, access, copy)?
            }
        };
        Ok(Shared(Held::new(side, object)))
    }

    /// A texture with one level, of two dimensions or three, and no particular contents, that samplers read without filters. Kernels use it as a texture, and as a
    /// surface if the shape [has one](ArrayShape::with_surface).
    ///
    /// Its format is that of `T`, floats and integers as they are: `GL_R32F` for `f32`, `GL_RGBA8UI` for `[u8; 4]`. CUDA: `cuGraphicsGLRegisterImage`.
    ///
    /// # Errors
    /// [`OpenGlError::Image`] before OpenGL is asked; [`OpenGlError::Graphics`] for other shapes, and what the kernels' side refuses; [`OpenGlError::Call`];
    /// [`OpenGlError::NotCurrent`].
    pub fn shared_texture<T: ArrayElement, A: Access>(
        &self,
        shape: impl Into<ArrayOptions>,
        access: A,
    ) -> Result<Shared<ArrayBuffer<T>, A>, OpenGlError> {
        let options = shape.into();
        let shape = options.shape();
        let is_deep = matches!(shape, ArrayShape::Space { .. });
        if options.is_gather() || !is_deep && !matches!(shape, ArrayShape::Plane { .. }) {
            let target = "texture";
            return Err(GraphicsError::Shape { target, shape }.into());
        }
        let limit = match is_deep {
            true => glow::MAX_3D_TEXTURE_SIZE,
            false => glow::MAX_TEXTURE_SIZE,
        };
        let image = self.image::<T>(options, is_deep, limit)?;
        let object = Object::texture(self, image)?;
        let named = GlImage::Texture(object.name.number().get());
        self.share_image(object, named, image, options, access)
    }

    /// A renderbuffer with one sample, and no particular contents, which OpenGL draws to.
    ///
    /// CUDA: `cuGraphicsGLRegisterImage`.
    ///
    /// # Errors
    /// As [`shared_texture`](OpenGl::shared_texture).
    pub fn shared_renderbuffer<T: ArrayElement, A: Access>(
        &self,
        width: usize,
        height: usize,
        access: A,
    ) -> Result<Shared<ArrayBuffer<T>, A>, OpenGlError> {
        let options = ArrayOptions::new((width, height));
        let image = self.image::<T>(options, false, glow::MAX_RENDERBUFFER_SIZE)?;
        let object = Object::renderbuffer(self, image)?;
        let named = GlImage::Renderbuffer(object.name.number().get());
        self.share_image(object, named, image, options, access)
    }

    fn share_image<T: ArrayElement, A: Access>(
        &self,
        object: Object,
        named: GlImage,
        image: Image,
        options: ArrayOptions,
        access: A,
    ) -> Result<Shared<ArrayBuffer<T>, A>, OpenGlError> {
        let side = match self.is_in_place() {
            // SAFETY: as in `shared_buffer`; the image was made with this shape and the format of `T`.
            true => unsafe { self.cuda().register_gl_image(named, options, access)? },
            false => {
                let (gl, name) = (self.clone(), object.name);
                let copy = ImageCopy { gl, name, image };
                self.cuda().copied_image(options, access, copy)?
            }
        };
        Ok(Shared(Held::new(side, object)))
    }

    /// What OpenGL is told of an image. `limit`: the parameter that has its longest side.
    fn image<T: ArrayElement>(
        &self,
        options: ArrayOptions,
        is_deep: bool,
        limit: u32,
    ) -> Result<Image, OpenGlError> {
        let gl = self.functions()?;
        // SAFETY: the context is current; reads one number.
        let limit = unsafe { gl.get_parameter_i32(limit) };
        let limit = usize::try_from(limit).unwrap_or(0);
        let extent = options.shape().extent();
        let extent = [extent.width, extent.height, extent.depth];
        let refuse = || OpenGlError::Image {
            extent,
            element: type_name::<T>(),
            limit,
        };
        let format = format_of::<T>().ok_or_else(refuse)?;
        let side = |side: usize| {
            let side = Some(side).filter(|side| (1..=limit).contains(side));
            side.and_then(|side| i32::try_from(side).ok())
                .ok_or_else(refuse)
        };
        let [width, height, depth] = extent;
        Ok(Image {
            format,
            extent: [side(width)?, side(height)?, side(depth)?],
            is_deep,
        })
    }
}

impl<R: Resource, A: Access> Shared<R, A> {
    /// Lets kernels use the object: work on it, on any stream, starts when OpenGL's calls so far are done. Does not wait on the host, except for
    /// [copies](OpenGl::is_in_place), and for an image whose earlier textures and surfaces are in use. CUDA: `cuGraphicsMapResources`.
    ///
    /// # Errors
    /// [`OpenGlError::Graphics`] for a stream of another device or one that records a graph, and for what the driver or a copy refuses;
    /// [`OpenGlError::NotCurrent`]. With each comes the object.
    #[expect(
        clippy::result_large_err,
        reason = "it has the object, as the success does"
    )]
    pub fn map(self, stream: &Stream) -> Result<Mapped<R, A>, Refused<Shared<R, A>>> {
        if let Err(error) = self.opengl().functions() {
            return Err(Refused {
                error,
                resource: self,
            });
        }
        let (side, object) = self.0.into_parts();
        match side.map(stream) {
            Ok(mapped) => Ok(Mapped(Held::new(mapped, object))),
            Err(refused) => Err(Refused {
                error: refused.error.into(),
                resource: Shared(Held::new(refused.resource, object)),
            }),
        }
    }

    /// The context that it belongs to.
    #[must_use]
    pub fn opengl(&self) -> &OpenGl {
        &self.0.object.gl
    }
}

impl<T: Plain, A: Access> Shared<DeviceBuffer<T>, A> {
    /// OpenGL's buffer, for its functions to use while this is there. They neither delete it nor give it other storage.
    #[must_use]
    pub fn buffer(&self) -> glow::Buffer {
        glow::NativeBuffer(self.0.object.name.number())
    }
}

impl<T: ArrayElement, A: Access> Shared<ArrayBuffer<T>, A> {
    /// OpenGL's texture, for its functions to use while this is there; `None` for a renderbuffer. They neither delete it nor give it other storage.
    #[must_use]
    pub fn texture(&self) -> Option<glow::Texture> {
        match self.0.object.name {
            Name::Texture(name) => Some(name),
            _ => None,
        }
    }

    /// OpenGL's renderbuffer, in the same way; `None` for a texture.
    #[must_use]
    pub fn renderbuffer(&self) -> Option<glow::Renderbuffer> {
        match self.0.object.name {
            Name::Renderbuffer(name) => Some(name),
            _ => None,
        }
    }
}

impl<R: Resource, A: Access> Mapped<R, A> {
    /// Lets OpenGL use the object: its calls from now on start when all work on it, on any stream, is done. Does not wait on the host, except for
    /// [copies](OpenGl::is_in_place). CUDA: `cuGraphicsUnmapResources`.
    ///
    /// # Errors
    /// [`OpenGlError::Graphics`] while a graph has the memory, for a stream of another device or one that records a graph, and for what the driver, a kernel
    /// or a copy refuses; [`OpenGlError::NotCurrent`]. With each comes the object.
    #[expect(
        clippy::result_large_err,
        reason = "it has the object, as the success does"
    )]
    pub fn unmap(self, stream: &Stream) -> Result<Shared<R, A>, Refused<Mapped<R, A>>> {
        if let Err(error) = self.0.object.gl.functions() {
            return Err(Refused {
                error,
                resource: self,
            });
        }
        let (side, object) = self.0.into_parts();
        match side.unmap(stream) {
            Ok(registered) => Ok(Shared(Held::new(registered, object))),
            Err(refused) => Err(Refused {
                error: refused.error.into(),
                resource: Mapped(Held::new(refused.resource, object)),
            }),
        }
    }
}

impl<R: Resource, A: Access> Deref for Mapped<R, A> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0.side
    }
}

impl<T: Plain, A: Writable> Mapped<DeviceBuffer<T>, A> {
    /// All elements, to write.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.0.side.as_slice_mut()
    }
}

impl<T: ArrayElement, A: Writable> Mapped<ArrayBuffer<T>, A> {
    /// The image, to write: by copies, and through a surface.
    #[must_use]
    pub fn as_level_mut(&mut self) -> ArrayLevelMut<'_, T> {
        self.0.side.as_level_mut()
    }
}

impl<S> From<Refused<S>> for OpenGlError {
    fn from(refused: Refused<S>) -> OpenGlError {
        refused.error
    }
}

impl<S> From<Refused<S>> for warploom::Error {
    fn from(refused: Refused<S>) -> warploom::Error {
        refused.error.into()
    }
}

impl<S> fmt::Debug for Refused<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<R: Resource, A: Access> fmt::Debug for Shared<R, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("object", &self.0.object.name)
            .finish_non_exhaustive()
    }
}

impl<R: Resource, A: Access> fmt::Debug for Mapped<R, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped")
            .field("object", &self.0.object.name)
            .finish_non_exhaustive()
    }
}
