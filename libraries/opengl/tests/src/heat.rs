//! Temperatures of a plate, which kernels write through a surface to a texture that a fragment shader of OpenGL colours.

use glow::HasContext;
use warploom::prelude::*;
use warploom::{ArrayBuffer, ArrayShape};
use warploom_gl::{OpenGl, OpenGlError, Shared, WriteDiscard, glow};
use warploom_scenes::heat::Plate;
use warploom_scenes::picture::Picture;

use crate::offscreen::Offscreen;

const VERTEX: &str = "#version 450 core
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
    gl_Position = vec4(corner, 0.0, 1.0);
}";

const FRAGMENT: &str = "#version 450 core
layout(binding = 0) uniform sampler2D plate;
out vec4 pixel;
void main() {
    ivec2 size = textureSize(plate, 0);
    ivec2 at = ivec2(gl_FragCoord.xy);
    float t = texelFetch(plate, ivec2(at.x, size.y - 1 - at.y), 0).r;
    pixel = vec4(t, 1.0 - abs(2.0 * t - 1.0), 1.0 - t, 1.0);
}";

/// The plate and what draws it.
#[derive(Debug)]
pub struct Heat {
    /// Kernels or OpenGL have it; always OpenGL between frames.
    image: Option<Shared<ArrayBuffer<f32>, WriteDiscard>>,
    plate: Plate,
    offscreen: Offscreen,
}

impl Heat {
    /// A plate of so many places, and a picture of as many pixels.
    ///
    /// # Errors
    /// Those of the device and of OpenGL.
    pub fn new(gl: &OpenGl, extent: [u32; 2]) -> Result<Heat, warploom::Error> {
        let [width, height] = extent.map(|side| side as usize);
        let shape = ArrayShape::Plane { width, height }.with_surface();
        let image = gl.shared_texture::<f32, _>(shape, WriteDiscard)?;
        let shaders = [
            (glow::VERTEX_SHADER, VERTEX),
            (glow::FRAGMENT_SHADER, FRAGMENT),
        ];
        Ok(Heat {
            image: Some(image),
            plate: Plate::new(gl.cuda(), [width, height])?,
            offscreen: Offscreen::new(gl, extent, shaders)?,
        })
    }

    /// Computes so many steps and lets OpenGL draw the result.
    ///
    /// # Errors
    /// Those of the kernels and of OpenGL.
    ///
    /// # Panics
    /// After a frame that failed.
    #[expect(
        clippy::expect_used,
        reason = "a program: what failed is not used any more"
    )]
    pub fn frame(&mut self, steps: usize, stream: &Stream) -> Result<(), warploom::Error> {
        self.plate.advance(steps, stream)?;
        let image = self.image.take().expect("the frame before failed");
        let mut image = image.map(stream)?;
        self.plate.write_to(image.as_level_mut(), stream)?;
        let image = image.unmap(stream)?;
        // SAFETY: `with` makes the context current; the image is OpenGL's.
        self.offscreen.with(|gl, _| unsafe {
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, image.texture());
            gl.draw_arrays(glow::TRIANGLES, 0, 3);
        })?;
        self.image = Some(image);
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
