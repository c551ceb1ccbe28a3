//! Heat that spreads over a plate, computed by kernels and written through a surface to a texture that a fragment shader of OpenGL colours.

use glow::HasContext;
use warploom::prelude::*;
use warploom::{ArrayBuffer, ArrayLevelMut, ArrayShape};
use warploom_gl::{OpenGl, OpenGlError, Shared, WriteDiscard, glow};

use crate::offscreen::{Offscreen, Picture};

/// The temperature of each place after a step: a little nearer to that of its four neighbours. The edge stays as it is.
#[kernel]
fn step(at: Index2D, width: usize, before: &[f32], mut after: DisjointSlice2D<f32>) {
    let height = before.len() / width;
    if let Some(after) = after.get_mut(at) {
        *after = next(before, [width, height], at.x(), at.y());
    }
}

/// Writes temperatures to an image.
#[kernel]
fn show(at: Index2D, width: usize, field: &[f32], mut image: Surface2d<f32>) {
    if at.x() < width
        && let Some(t) = field.get(at.y() * width + at.x())
    {
        image.write(at, *t);
    }
}

/// What the kernel computes for one place.
#[must_use]
pub fn next(field: &[f32], [width, height]: [usize; 2], x: usize, y: usize) -> f32 {
    let at = |x: usize, y: usize| field[y * width + x];
    if x == 0 || y == 0 || x + 1 >= width || y + 1 >= height {
        return at(x, y);
    }
    let around = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
    at(x, y) + (around - at(x, y) * 4.0) * 0.25
}

/// Writes temperatures to an image that has as many texels.
///
/// # Errors
/// Those of the surface and the launch.
pub fn write(
    image: ArrayLevelMut<'_, f32>,
    field: &DeviceBuffer<f32>,
    stream: &Stream,
) -> Result<(), warploom::Error> {
    let extent = image.shape().extent();
    let mut surface = image.into_surface()?;
    let shape = Launch::covering_2d(extent.width, extent.height);
    show::launch(stream, shape, extent.width, field, &mut surface)?;
    Ok(())
}

/// The plate at the beginning: hot in two discs, cold at the edge.
#[must_use]
pub fn first([width, height]: [usize; 2]) -> Vec<f32> {
    let hot = |x: f32, y: f32| (x - 0.4).hypot(y - 0.5) < 0.25 || (x - 0.8).hypot(y - 0.3) < 0.1;
    let place = |i: usize| {
        let (x, y) = (i % width, i / width);
        hot(x as f32 / width as f32, y as f32 / height as f32)
    };
    (0..width * height)
        .map(|i| f32::from(u8::from(place(i))))
        .collect()
}

/// The colour that the fragment shader gives a temperature.
#[must_use]
pub fn colour_of(t: f32) -> [u8; 3] {
    [t, 1.0 - (2.0 * t - 1.0).abs(), 1.0 - t].map(|part| (part * 255.0).round() as u8)
}

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
    field: DeviceBuffer<f32>,
    other: DeviceBuffer<f32>,
    width: usize,
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
        let field = gl.cuda().upload(&first([width, height]))?;
        let shaders = [
            (glow::VERTEX_SHADER, VERTEX),
            (glow::FRAGMENT_SHADER, FRAGMENT),
        ];
        Ok(Heat {
            image: Some(image),
            other: gl.cuda().zeroed(width * height)?,
            field,
            width,
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
        let (width, height) = (self.width, self.field.len() / self.width);
        for _ in 0..steps {
            let after = self.other.as_slice_mut().into_rows(width)?;
            let shape = Launch::covering_2d(width, height);
            step::launch(stream, shape, width, &self.field, after)?;
            std::mem::swap(&mut self.field, &mut self.other);
        }
        let image = self.image.take().expect("the frame before failed");
        let mut image = image.map(stream)?;
        write(image.as_level_mut(), &self.field, stream)?;
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
