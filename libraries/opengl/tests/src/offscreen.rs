//! A picture that OpenGL draws without a window, and that the host reads.

use glow::HasContext;
use warploom_gl::{OpenGl, OpenGlError, glow};
use warploom_scenes::picture::Picture;

/// A framebuffer with one image, a program of shaders, and vertices.
#[derive(Debug)]
pub struct Offscreen {
    gl: OpenGl,
    extent: [i32; 2],
    framebuffer: glow::Framebuffer,
    colours: glow::Renderbuffer,
    program: glow::Program,
    vertices: glow::VertexArray,
}

fn failed(call: &'static str) -> impl Fn(String) -> OpenGlError {
    move |code| OpenGlError::Call { call, code }
}

impl Offscreen {
    /// A picture of so many pixels, and what draws it.
    ///
    /// # Errors
    /// Those of OpenGL, and of the shaders.
    pub fn new(
        gl: &OpenGl,
        [width, height]: [u32; 2],
        shaders: [(u32, &str); 2],
    ) -> Result<Offscreen, OpenGlError> {
        let f = gl.functions()?;
        let extent = [width, height].map(|side| i32::try_from(side).unwrap_or(i32::MAX));
        let program = program(f, shaders)?;
        // SAFETY: the context is current; all objects are made here.
        unsafe {
            let framebuffer = f
                .create_framebuffer()
                .map_err(failed("glGenFramebuffers"))?;
            let colours = f
                .create_renderbuffer()
                .map_err(failed("glGenRenderbuffers"))?;
            let vertices = f
                .create_vertex_array()
                .map_err(failed("glGenVertexArrays"))?;
            let (target, image) = (glow::FRAMEBUFFER, glow::RENDERBUFFER);
            f.bind_renderbuffer(image, Some(colours));
            f.renderbuffer_storage(image, glow::RGBA8, extent[0], extent[1]);
            f.bind_framebuffer(target, Some(framebuffer));
            let to = glow::COLOR_ATTACHMENT0;
            f.framebuffer_renderbuffer(target, to, image, Some(colours));
            let status = f.check_framebuffer_status(target);
            if status != glow::FRAMEBUFFER_COMPLETE {
                return Err(failed("glCheckFramebufferStatus")(format!("{status:#x}")));
            }
            Ok(Offscreen {
                gl: gl.clone(),
                extent,
                framebuffer,
                colours,
                program,
                vertices,
            })
        }
    }

    /// Describes vertices, or draws: with the framebuffer, the program and the vertices bound.
    ///
    /// # Errors
    /// Those of OpenGL.
    pub fn with(&self, act: impl FnOnce(&glow::Context, glow::Program)) -> Result<(), OpenGlError> {
        let f = self.gl.functions()?;
        // SAFETY: the context is current; the objects are alive.
        unsafe {
            f.bind_framebuffer(glow::FRAMEBUFFER, Some(self.framebuffer));
            f.viewport(0, 0, self.extent[0], self.extent[1]);
            f.use_program(Some(self.program));
            f.bind_vertex_array(Some(self.vertices));
        }
        act(f, self.program);
        Ok(())
    }

    /// What was drawn last. Waits for it.
    ///
    /// # Errors
    /// Those of OpenGL.
    pub fn picture(&self) -> Result<Picture, OpenGlError> {
        let [width, height] = self.extent.map(|side| usize::try_from(side).unwrap_or(0));
        let mut bytes = vec![0; width * height * 4];
        let f = self.gl.functions()?;
        // SAFETY: the context is current, no buffer is bound for pixels, and `bytes` has room for rows of whole words.
        unsafe {
            f.bind_framebuffer(glow::FRAMEBUFFER, Some(self.framebuffer));
            let to = glow::PixelPackData::Slice(Some(&mut bytes));
            let (format, channel) = (glow::RGBA, glow::UNSIGNED_BYTE);
            f.read_pixels(0, 0, self.extent[0], self.extent[1], format, channel, to);
        }
        // OpenGL begins at the bottom.
        let rows = bytes.chunks_exact((width * 4).max(1)).rev();
        let pixels = rows.flat_map(|row| row.as_chunks::<4>().0.iter().copied());
        Ok(Picture {
            extent: self.extent.map(|side| u32::try_from(side).unwrap_or(0)),
            pixels: pixels.collect(),
        })
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        let Ok(f) = self.gl.functions() else {
            return;
        };
        // SAFETY: the context is current; each object is deleted once.
        unsafe {
            f.delete_framebuffer(self.framebuffer);
            f.delete_renderbuffer(self.colours);
            f.delete_program(self.program);
            f.delete_vertex_array(self.vertices);
        }
    }
}

/// A program of two shaders, each with its kind.
fn program(f: &glow::Context, shaders: [(u32, &str); 2]) -> Result<glow::Program, OpenGlError> {
    // SAFETY: the caller made the context current; all objects are made here.
    unsafe {
        let program = f.create_program().map_err(failed("glCreateProgram"))?;
        for (kind, source) in shaders {
            let shader = f.create_shader(kind).map_err(failed("glCreateShader"))?;
            f.shader_source(shader, source);
            f.compile_shader(shader);
            if !f.get_shader_compile_status(shader) {
                return Err(failed("glCompileShader")(f.get_shader_info_log(shader)));
            }
            f.attach_shader(program, shader);
            f.delete_shader(shader); // goes with the program
        }
        f.link_program(program);
        match f.get_program_link_status(program) {
            true => Ok(program),
            false => Err(failed("glLinkProgram")(f.get_program_info_log(program))),
        }
    }
}
