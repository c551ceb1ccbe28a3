//! A sheet of vertices, computed by a kernel in a buffer that OpenGL draws.

use glow::HasContext;
use warploom::prelude::*;
use warploom_gl::{OpenGl, OpenGlError, Shared, WriteDiscard, glow};
use warploom_scenes::picture::Picture;
use warploom_scenes::wave::{self, BACKGROUND, Vertex};

use crate::offscreen::Offscreen;

const VERTEX: &str = "#version 450 core
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 colour;
out vec4 shade;
void main() {
    float depth = place.y * 0.5 + place.z * 0.8660254 + 2.5;
    float up = place.y * 0.8660254 - place.z * 0.5;
    gl_Position = vec4(place.x * 2.0, up * 2.0, 0.0, depth);
    shade = colour;
}";

const FRAGMENT: &str = "#version 450 core
in vec4 shade;
out vec4 pixel;
void main() { pixel = shade; }";

/// The sheet and what draws it.
#[derive(Debug)]
pub struct Wave {
    /// Kernels or OpenGL have it; always OpenGL between frames.
    sheet: Option<Shared<DeviceBuffer<Vertex>, WriteDiscard>>,
    extent: [usize; 2],
    offscreen: Offscreen,
}

impl Wave {
    /// A sheet of so many vertices, and a picture of so many pixels.
    ///
    /// # Errors
    /// Those of OpenGL.
    pub fn new(gl: &OpenGl, extent: [usize; 2], picture: [u32; 2]) -> Result<Wave, OpenGlError> {
        let sheet = gl.shared_buffer::<Vertex, _>(extent[0] * extent[1], WriteDiscard)?;
        let shaders = [
            (glow::VERTEX_SHADER, VERTEX),
            (glow::FRAGMENT_SHADER, FRAGMENT),
        ];
        let offscreen = Offscreen::new(gl, picture, shaders)?;
        // SAFETY: `with` makes the context current; the sheet is OpenGL's.
        offscreen.with(|f, _| unsafe {
            f.bind_buffer(glow::ARRAY_BUFFER, Some(sheet.buffer()));
            f.vertex_attrib_pointer_f32(0, 3, glow::FLOAT, false, 16, 0);
            f.enable_vertex_attrib_array(0);
            f.vertex_attrib_pointer_f32(1, 4, glow::UNSIGNED_BYTE, true, 16, 12);
            f.enable_vertex_attrib_array(1);
        })?;
        Ok(Wave {
            sheet: Some(sheet),
            extent,
            offscreen,
        })
    }

    /// Computes the sheet at the time `t` and lets OpenGL draw it. Does not wait for it where OpenGL renders on the kernels' GPU.
    ///
    /// # Errors
    /// Those of the kernel and of OpenGL.
    ///
    /// # Panics
    /// After a frame that failed.
    #[expect(
        clippy::expect_used,
        reason = "a program: what failed is not used any more"
    )]
    pub fn frame(&mut self, t: f32, stream: &Stream) -> Result<(), warploom::Error> {
        let n_vertices = i32::try_from(self.extent[0] * self.extent[1]).unwrap_or(i32::MAX);
        let [red, green, blue, alpha] = BACKGROUND;
        // ANCHOR: frame
        let sheet = self.sheet.take().expect("the frame before failed");
        let mut sheet = sheet.map(stream)?;
        wave::compute(sheet.as_slice_mut(), self.extent, t, stream)?;
        let sheet = sheet.unmap(stream)?;
        // SAFETY: `with` makes the context current; the vertices are in the sheet, which is OpenGL's.
        self.offscreen.with(|gl, _| unsafe {
            gl.clear_color(red, green, blue, alpha);
            gl.clear(glow::COLOR_BUFFER_BIT);
            gl.draw_arrays(glow::POINTS, 0, n_vertices);
        })?;
        // ANCHOR_END: frame
        self.sheet = Some(sheet);
        Ok(())
    }

    /// What the last frame drew.
    ///
    /// # Errors
    /// Those of OpenGL.
    pub fn picture(&self) -> Result<Picture, OpenGlError> {
        self.offscreen.picture()
    }
}
