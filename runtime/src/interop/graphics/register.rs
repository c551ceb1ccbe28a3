//! Objects of OpenGL, registered with the driver, and copies of what is elsewhere.

use std::sync::Arc;

use warploom_device_std::Plain;

use super::registered::{Registered, Side};
use super::{Access, GraphicsError};
use crate::cuda::graphics::{GlObject, GraphicsResource, RegisterFlags};
use crate::device::{Backend, Device};
use crate::memory::{ArrayBuffer, ArrayElement, ArrayOptions, ArrayShape, DeviceBuffer};
use crate::stream::reject_in_host_callback;
use crate::unsupported::Unsupported;

/// An image of OpenGL, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GlImage {
    /// The finest level of a texture: `GL_TEXTURE_2D` for a plane, `GL_TEXTURE_3D` for three dimensions.
    Texture(u32),
    /// A `GL_RENDERBUFFER` with one sample.
    Renderbuffer(u32),
}

/// The other side of an object whose contents are copied, in host memory. Bytes are those of all elements, row after row, plane after plane, without gaps.
pub trait HostSide {
    /// Reads the object, when it is mapped.
    ///
    /// # Errors
    /// If the other side refuses; [`Registered::map`] returns them.
    fn read(&mut self, to: &mut [u8]) -> Result<(), GraphicsError>;

    /// Writes the object, when it is unmapped.
    ///
    /// # Errors
    /// If the other side refuses; [`Mapped::unmap`](super::Mapped::unmap) returns them.
    fn write(&mut self, from: &[u8]) -> Result<(), GraphicsError>;
}

impl Device {
    /// Whether the context of OpenGL that is current on this thread renders on this device, so that its objects can be registered. `false` without a context,
    /// and on the emulator. CUDA: `cuGLGetDevices`.
    ///
    /// # Errors
    /// [`GraphicsError::Driver`]; [`GraphicsError::Stream`] within a host function.
    ///
    /// ```
    /// let device = warploom_runtime::Device::emulator();
    /// assert!(!device.is_of_gl_context()?);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn is_of_gl_context(&self) -> Result<bool, GraphicsError> {
        reject_in_host_callback()?;
        match &self.0.backend {
            Backend::Emulator(_) => Ok(false),
            Backend::Cuda(gpu) => {
                let all = gpu.context.opengl_devices()?;
                Ok(self
                    .raw_device()
                    .is_some_and(|number| all.contains(&number)))
            }
        }
    }

    /// Registers a buffer of OpenGL of `len` elements. CUDA: `cuGraphicsGLRegisterBuffer`.
    ///
    /// # Errors
    /// Before the driver is asked: [`GraphicsError::Length`], [`GraphicsError::NoName`]; [`GraphicsError::Unsupported`] on the emulator, where
    /// [`copied_buffer`](Device::copied_buffer) does the same by copies. [`GraphicsError::Driver`] if there is no such buffer, or the context is of another device.
    ///
    /// # Safety
    /// A context of OpenGL on this device's GPU is current on this thread, and whenever the object is mapped, unmapped or dropped. `name` is a buffer of it, which is
    /// neither deleted nor given other storage until then. OpenGL does not use it while it is mapped, and what kernels find in it was written by calls before `map`.
    pub unsafe fn register_gl_buffer<T: Plain, A: Access>(
        &self,
        name: u32,
        len: usize,
        access: A,
    ) -> Result<Registered<DeviceBuffer<T>, A>, GraphicsError> {
        reject_in_host_callback()?;
        check_length::<T>(len)?;
        let _ = access;
        let flags = RegisterFlags::default();
        // SAFETY: the caller's promise.
        let resource = unsafe { self.register_gl::<A>(GlObject::Buffer(name), name, flags)? };
        let side = Side::Driver {
            resource,
            before: None,
        };
        Ok(Registered::new(self, side, len))
    }

    /// Registers an image of OpenGL, of which kernels get the finest level: through textures, and surfaces if the shape has them. CUDA: `cuGraphicsGLRegisterImage`,
    /// with `CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST`.
    ///
    /// The image has the format of `T`, floats or integers as they are: `GL_R32F` for `f32`, `GL_RGBA8UI` for `[u8; 4]`. CUDA takes neither images of three channels, nor of depths,
    /// nor of several samples.
    ///
    /// # Errors
    /// Before the driver is asked: [`GraphicsError::Shape`] for an image that is not of two or three dimensions, [`GraphicsError::Memory`] for one that the device does not have,
    /// [`GraphicsError::NoName`]; [`GraphicsError::Unsupported`] on the emulator, where [`copied_image`](Device::copied_image) does the same by copies.
    /// [`GraphicsError::Driver`] if there is no such image.
    ///
    /// # Safety
    /// As [`register_gl_buffer`](Device::register_gl_buffer); the image has this shape and this format.
    pub unsafe fn register_gl_image<T: ArrayElement, A: Access>(
        &self,
        image: GlImage,
        shape: impl Into<ArrayOptions>,
        access: A,
    ) -> Result<Registered<ArrayBuffer<T>, A>, GraphicsError> {
        reject_in_host_callback()?;
        let options = shape.into();
        let (object, name) = check_image(image, options)?;
        ArrayBuffer::<T>::check(self, options)?;
        let _ = access;
        let flags = RegisterFlags {
            surface: options.is_surface(),
            ..RegisterFlags::default()
        };
        // SAFETY: the caller's promise.
        let resource = unsafe { self.register_gl::<A>(object, name, flags)? };
        let side = Side::Driver {
            resource,
            before: None,
        };
        Ok(Registered::new(self, side, options))
    }

    /// A buffer of `len` elements that belongs to another side, whose contents are copied when it is mapped and unmapped: what
    /// [`register_gl_buffer`](Device::register_gl_buffer) is where OpenGL renders elsewhere.
    ///
    /// # Errors
    /// [`GraphicsError::Length`]; [`GraphicsError::Memory`] if the device has no room.
    pub fn copied_buffer<T: Plain, A: Access>(
        &self,
        len: usize,
        access: A,
        side: impl HostSide + 'static,
    ) -> Result<Registered<DeviceBuffer<T>, A>, GraphicsError> {
        check_length::<T>(len)?;
        let _ = access;
        let side = Side::Copied {
            resource: self.alloc_uninit::<T>(len)?,
            side: Box::new(side),
        };
        Ok(Registered::new(self, side, len))
    }

    /// The same for an image of two or three dimensions.
    ///
    /// # Errors
    /// [`GraphicsError::Shape`]; [`GraphicsError::Memory`] as [`array_uninit`](Device::array_uninit).
    pub fn copied_image<T: ArrayElement, A: Access>(
        &self,
        shape: impl Into<ArrayOptions>,
        access: A,
        side: impl HostSide + 'static,
    ) -> Result<Registered<ArrayBuffer<T>, A>, GraphicsError> {
        let options = shape.into();
        check_image(GlImage::Texture(1), options)?;
        let _ = access;
        let side = Side::Copied {
            resource: self.array_uninit::<T>(options)?,
            side: Box::new(side),
        };
        Ok(Registered::new(self, side, options))
    }

    /// # Safety
    /// As [`register_gl_buffer`](Device::register_gl_buffer).
    unsafe fn register_gl<A: Access>(
        &self,
        object: GlObject,
        name: u32,
        flags: RegisterFlags,
    ) -> Result<GraphicsResource, GraphicsError> {
        let Backend::Cuda(gpu) = &self.0.backend else {
            return Err(GraphicsError::Unsupported(Unsupported {
                what: "objects of OpenGL in place",
                device: self.name().to_owned(),
                reason: "its memory is the host's; use `Device::copied_buffer` or `Device::copied_image`"
                    .into(),
            }));
        };
        if name == 0 {
            return Err(GraphicsError::NoName);
        }
        let flags = RegisterFlags {
            read_only: !A::WRITES,
            write_discard: !A::READS,
            ..flags
        };
        let context = Arc::clone(&gpu.context);
        // SAFETY: the caller's promise.
        Ok(unsafe { GraphicsResource::register(context, object, flags)? })
    }
}

/// Refuses a buffer that has no bytes, or too many.
fn check_length<T>(len: usize) -> Result<(), GraphicsError> {
    let size = size_of::<T>();
    let bytes = len.checked_mul(size).filter(|bytes| *bytes > 0);
    match bytes.map(isize::try_from) {
        Some(Ok(_)) => Ok(()),
        _ => Err(GraphicsError::Length { len, size }),
    }
}

/// The object that an image is, and its name.
fn check_image(image: GlImage, options: ArrayOptions) -> Result<(GlObject, u32), GraphicsError> {
    let shape = options.shape();
    let refuse = |target| Err(GraphicsError::Shape { target, shape });
    if options.is_gather() {
        return refuse("texture for gathers");
    }
    match (image, shape) {
        (GlImage::Texture(name), ArrayShape::Plane { .. }) => Ok((GlObject::Texture2d(name), name)),
        (GlImage::Texture(name), ArrayShape::Space { .. }) => Ok((GlObject::Texture3d(name), name)),
        (GlImage::Texture(_), _) => refuse("texture"),
        (GlImage::Renderbuffer(name), ArrayShape::Plane { .. }) => {
            Ok((GlObject::Renderbuffer(name), name))
        }
        (GlImage::Renderbuffer(_), _) => refuse("renderbuffer"),
    }
}
