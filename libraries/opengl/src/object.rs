//! Objects of OpenGL, which are deleted when they go.

use std::num::NonZeroU32;

use glow::HasContext;

use crate::context::OpenGl;
use crate::error::OpenGlError;
use crate::formats::Format;

/// An object and its context.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) gl: OpenGl,
    pub(crate) name: Name,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Name {
    Buffer(glow::Buffer),
    Texture(glow::Texture),
    Renderbuffer(glow::Renderbuffer),
}

impl Name {
    /// OpenGL's number.
    pub(crate) fn number(self) -> NonZeroU32 {
        match self {
            Name::Buffer(name) => name.0,
            Name::Texture(name) => name.0,
            Name::Renderbuffer(name) => name.0,
        }
    }
}

/// What a new image is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Image {
    pub(crate) format: Format,
    /// Width, height and depth; 1: a dimension less.
    pub(crate) extent: [i32; 3],
    pub(crate) is_deep: bool,
}

fn failed(call: &'static str) -> impl Fn(String) -> OpenGlError {
    move |code| OpenGlError::Call { call, code }
}

impl Object {
    /// A buffer of so many bytes, with no particular contents, that is used in this way (`GL_DYNAMIC_COPY` for example).
    pub(crate) fn buffer(gl: &OpenGl, bytes: i32, usage: u32) -> Result<Object, OpenGlError> {
        let f = gl.functions()?;
        // SAFETY: the context is current.
        let name = unsafe { f.create_named_buffer() }.map_err(failed("glCreateBuffers"))?;
        let made = Object::new(gl, Name::Buffer(name));
        // SAFETY: as above; the buffer was made just now.
        gl.checked("glNamedBufferData", |f| unsafe {
            f.named_buffer_data_size(name, bytes, usage);
        })?;
        Ok(made)
    }

    /// A texture with one level, and no particular contents.
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "one call, of two forms"
    )]
    pub(crate) fn texture(gl: &OpenGl, image: Image) -> Result<Object, OpenGlError> {
        let target = if image.is_deep {
            glow::TEXTURE_3D
        } else {
            glow::TEXTURE_2D
        };
        let f = gl.functions()?;
        // SAFETY: the context is current.
        let name = unsafe { f.create_named_texture(target) };
        let name = name.map_err(failed("glCreateTextures"))?;
        let made = Object::new(gl, Name::Texture(name));
        let ([width, height, depth], internal) = (image.extent, image.format.internal);
        // SAFETY: as above; the texture was made just now.
        gl.checked("glTextureStorage", |f| unsafe {
            match image.is_deep {
                true => f.texture_storage_3d(name, 1, internal, width, height, depth),
                false => f.texture_storage_2d(name, 1, internal, width, height),
            }
        })?;
        // Without filters: integers have none, and a texture with one level and another filter is incomplete.
        for (which, value) in [
            (glow::TEXTURE_MIN_FILTER, glow::NEAREST),
            (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
        ] {
            let value = i32::try_from(value).unwrap_or(0);
            // SAFETY: as above.
            gl.checked("glTextureParameteri", |f| unsafe {
                f.texture_parameter_i32(name, which, value);
            })?;
        }
        Ok(made)
    }

    /// A renderbuffer with one sample, and no particular contents.
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "a binding is set, used and put back"
    )]
    pub(crate) fn renderbuffer(gl: &OpenGl, image: Image) -> Result<Object, OpenGlError> {
        let f = gl.functions()?;
        // SAFETY: the context is current.
        let name = unsafe { f.create_renderbuffer() }.map_err(failed("glGenRenderbuffers"))?;
        let made = Object::new(gl, Name::Renderbuffer(name));
        let ([width, height, _], internal) = (image.extent, image.format.internal);
        // SAFETY: as above; the binding is put back.
        gl.checked("glRenderbufferStorage", |f| unsafe {
            let before = f.get_parameter_renderbuffer(glow::RENDERBUFFER_BINDING);
            f.bind_renderbuffer(glow::RENDERBUFFER, Some(name));
            f.renderbuffer_storage(glow::RENDERBUFFER, internal, width, height);
            f.bind_renderbuffer(glow::RENDERBUFFER, before);
        })?;
        Ok(made)
    }

    fn new(gl: &OpenGl, name: Name) -> Object {
        Object {
            gl: gl.clone(),
            name,
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // Errors: another window system's context is current; the object goes with its context.
        let Ok(gl) = self.gl.functions() else {
            return;
        };
        match self.name {
            // SAFETY: made by this context, which is current, and deleted once.
            Name::Buffer(name) => unsafe { gl.delete_buffer(name) },
            // SAFETY: as above.
            Name::Texture(name) => unsafe { gl.delete_texture(name) },
            // SAFETY: as above.
            Name::Renderbuffer(name) => unsafe { gl.delete_renderbuffer(name) },
        }
    }
}
