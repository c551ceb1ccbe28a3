//! Contents of objects on the host, where kernels do not use them in place.

use glow::HasContext;
use warploom::interop::graphics::{GraphicsError, HostSide};

use crate::context::OpenGl;
use crate::error::OpenGlError;
use crate::object::{Image, Name, Object};

/// A buffer.
#[derive(Debug)]
pub(crate) struct BufferCopy {
    pub(crate) gl: OpenGl,
    pub(crate) name: glow::Buffer,
}

/// A texture, or a renderbuffer.
#[derive(Debug)]
pub(crate) struct ImageCopy {
    pub(crate) gl: OpenGl,
    pub(crate) name: Name,
    pub(crate) image: Image,
}

fn refused(what: &'static str) -> impl Fn(OpenGlError) -> GraphicsError {
    move |error| GraphicsError::Host {
        what,
        reason: error.to_string(),
    }
}

impl HostSide for BufferCopy {
    fn read(&mut self, to: &mut [u8]) -> Result<(), GraphicsError> {
        let done = self.read_by_way_of_another(to);
        done.map_err(refused("read a buffer of OpenGL"))
    }

    fn write(&mut self, from: &[u8]) -> Result<(), GraphicsError> {
        let name = self.name;
        // SAFETY: the context is current, the buffer is alive and has so many bytes.
        let done = self.gl.checked("glNamedBufferSubData", |f| unsafe {
            f.named_buffer_sub_data_u8_slice(name, 0, from);
        });
        done.map_err(refused("write a buffer of OpenGL"))
    }
}

impl BufferCopy {
    /// Reads it from a copy that is made for the host to read: a driver may move what the host reads out of video memory, and says so then (NVIDIA's 580).
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "bindings are set, used and put back"
    )]
    fn read_by_way_of_another(&self, to: &mut [u8]) -> Result<(), OpenGlError> {
        let bytes = i32::try_from(to.len()).unwrap_or(i32::MAX); // checked when it was made
        let staged = Object::buffer(&self.gl, bytes, glow::STREAM_READ)?;
        let staged_name = glow::NativeBuffer(staged.name.number());
        let (name, source, target) = (self.name, glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER);
        // SAFETY: the context is current, both buffers are alive and have so many bytes; the bindings are put back.
        self.gl.checked("glGetBufferSubData", |f| unsafe {
            let before = [
                f.get_parameter_buffer(glow::COPY_READ_BUFFER_BINDING),
                f.get_parameter_buffer(glow::COPY_WRITE_BUFFER_BINDING),
            ];
            f.bind_buffer(source, Some(name));
            f.bind_buffer(target, Some(staged_name));
            f.copy_buffer_sub_data(source, target, 0, 0, bytes);
            f.get_buffer_sub_data(target, 0, to);
            f.bind_buffer(source, before[0]);
            f.bind_buffer(target, before[1]);
        })
    }
}

impl HostSide for ImageCopy {
    fn read(&mut self, to: &mut [u8]) -> Result<(), GraphicsError> {
        let done = match self.name {
            Name::Renderbuffer(_) => self.staged().and_then(|staged| {
                self.copy_image(self.place(), staged_place(&staged))?;
                self.read_texture(staged.name, to)
            }),
            name => self.read_texture(name, to),
        };
        done.map_err(refused("read an image of OpenGL"))
    }

    fn write(&mut self, from: &[u8]) -> Result<(), GraphicsError> {
        let done = match self.name {
            Name::Renderbuffer(_) => self.staged().and_then(|staged| {
                self.write_texture(staged.name, from)?;
                self.copy_image(staged_place(&staged), self.place())
            }),
            name => self.write_texture(name, from),
        };
        done.map_err(refused("write an image of OpenGL"))
    }
}

/// An image as `glCopyImageSubData` takes it. Its functions have the type of textures for all images.
type Place = (glow::Texture, u32);

fn staged_place(staged: &Object) -> Place {
    (glow::NativeTexture(staged.name.number()), glow::TEXTURE_2D)
}

impl ImageCopy {
    fn place(&self) -> Place {
        let target = match self.name {
            Name::Renderbuffer(_) => glow::RENDERBUFFER,
            _ => self.target(),
        };
        (glow::NativeTexture(self.name.number()), target)
    }

    fn target(&self) -> u32 {
        match self.image.is_deep {
            true => glow::TEXTURE_3D,
            false => glow::TEXTURE_2D,
        }
    }

    /// A texture like the renderbuffer, whose contents the host does not reach.
    fn staged(&self) -> Result<Object, OpenGlError> {
        Object::texture(&self.gl, self.image)
    }

    fn copy_image(&self, from: Place, to: Place) -> Result<(), OpenGlError> {
        let [width, height, depth] = self.image.extent;
        // SAFETY: the context is current; both images are alive, and have this size and one format.
        self.gl.checked("glCopyImageSubData", |f| unsafe {
            f.copy_image_sub_data(
                from.0, from.1, 0, 0, 0, 0, to.0, to.1, 0, 0, 0, 0, width, height, depth,
            );
        })
    }

    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "as above")]
    fn read_texture(&self, name: Name, to: &mut [u8]) -> Result<(), OpenGlError> {
        let (target, format) = (self.target(), self.image.format);
        let binding = match self.image.is_deep {
            true => glow::TEXTURE_BINDING_3D,
            false => glow::TEXTURE_BINDING_2D,
        };
        let name = glow::NativeTexture(name.number());
        self.gl.checked("glGetTexImage", |f| {
            let rows = Rows::without_gaps(f, PACK);
            // SAFETY: the context is current; the texture is alive, and `to` has all its texels; the binding is put back.
            unsafe {
                let before = f.get_parameter_texture(binding);
                f.bind_texture(target, Some(name));
                let to = glow::PixelPackData::Slice(Some(to));
                f.get_tex_image(target, 0, format.format, format.channel, to);
                f.bind_texture(target, before);
            }
            rows.restore(f);
        })
    }

    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "one call, of two forms"
    )]
    fn write_texture(&self, name: Name, from: &[u8]) -> Result<(), OpenGlError> {
        let ([width, height, depth], format) = (self.image.extent, self.image.format);
        let (is_deep, name) = (self.image.is_deep, glow::NativeTexture(name.number()));
        self.gl.checked("glTextureSubImage", |f| {
            let rows = Rows::without_gaps(f, UNPACK);
            let from = glow::PixelUnpackData::Slice(Some(from));
            let (channels, channel) = (format.format, format.channel);
            // SAFETY: the context is current; the texture is alive, and `from` has all its texels.
            unsafe {
                match is_deep {
                    true => f.texture_sub_image_3d(
                        name, 0, 0, 0, 0, width, height, depth, channels, channel, from,
                    ),
                    false => f.texture_sub_image_2d(
                        name, 0, 0, 0, width, height, channels, channel, from,
                    ),
                }
            }
            rows.restore(f);
        })
    }
}

/// Where pixels go and how they lie: a buffer and its binding, and the parameters of `glPixelStore` with their values for rows without gaps.
struct Layout {
    target: u32,
    binding: u32,
    parameters: [(u32, i32); 8],
}

const PACK: &Layout = &Layout {
    target: glow::PIXEL_PACK_BUFFER,
    binding: glow::PIXEL_PACK_BUFFER_BINDING,
    parameters: [
        (glow::PACK_ALIGNMENT, 1),
        (glow::PACK_ROW_LENGTH, 0),
        (glow::PACK_SKIP_ROWS, 0),
        (glow::PACK_SKIP_PIXELS, 0),
        (0x0D00, 0), // GL_PACK_SWAP_BYTES
        (0x0D01, 0), // GL_PACK_LSB_FIRST
        (0x806B, 0), // GL_PACK_SKIP_IMAGES
        (0x806C, 0), // GL_PACK_IMAGE_HEIGHT
    ],
};

const UNPACK: &Layout = &Layout {
    target: glow::PIXEL_UNPACK_BUFFER,
    binding: glow::PIXEL_UNPACK_BUFFER_BINDING,
    parameters: [
        (glow::UNPACK_ALIGNMENT, 1),
        (glow::UNPACK_ROW_LENGTH, 0),
        (glow::UNPACK_SKIP_ROWS, 0),
        (glow::UNPACK_SKIP_PIXELS, 0),
        (0x0CF0, 0), // GL_UNPACK_SWAP_BYTES
        (0x0CF1, 0), // GL_UNPACK_LSB_FIRST
        (glow::UNPACK_SKIP_IMAGES, 0),
        (glow::UNPACK_IMAGE_HEIGHT, 0),
    ],
};

/// What the program had set.
struct Rows {
    layout: &'static Layout,
    buffer: Option<glow::Buffer>,
    values: [i32; 8],
}

impl Rows {
    /// Sets what rows without gaps in the host's memory need: with another setting, copies would reach beyond it.
    fn without_gaps(f: &glow::Context, layout: &'static Layout) -> Rows {
        // SAFETY: the context is current; reads a binding.
        let buffer = unsafe { f.get_parameter_buffer(layout.binding) };
        let mut values = [0; 8];
        for (value, (which, wanted)) in values.iter_mut().zip(layout.parameters) {
            // SAFETY: as above; the parameter has one number.
            *value = unsafe { f.get_parameter_i32(which) };
            // SAFETY: as above; the value is one of the parameter's.
            unsafe { f.pixel_store_i32(which, wanted) };
        }
        // SAFETY: as above.
        unsafe { f.bind_buffer(layout.target, None) };
        Rows {
            layout,
            buffer,
            values,
        }
    }

    fn restore(self, f: &glow::Context) {
        for (value, (which, _)) in self.values.into_iter().zip(self.layout.parameters) {
            // SAFETY: the context is current; the value was the parameter's.
            unsafe { f.pixel_store_i32(which, value) };
        }
        // SAFETY: as above.
        unsafe { f.bind_buffer(self.layout.target, self.buffer) };
    }
}
