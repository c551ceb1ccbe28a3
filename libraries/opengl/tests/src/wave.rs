//! A sheet of vertices that a wave runs through, computed by a kernel in a buffer that OpenGL draws.
//!
//! The CUDA programming guide has it (section 3.2.7.1, OpenGL interoperability).

use glow::HasContext;
use warploom::DeviceSliceMut;
use warploom::prelude::*;
use warploom_gl::{OpenGl, OpenGlError, Shared, WriteDiscard, glow};

use crate::offscreen::{Offscreen, Picture};

// ANCHOR: kernel
/// A vertex: its place, and red, green, blue and alpha in the bytes of the fourth word.
#[derive(Debug, Clone, Copy, PartialEq, Plain)]
#[repr(C)]
pub struct Vertex {
    /// Left to right, height, front to back; -1 to 1.
    pub place: [f32; 3],
    /// A byte for each of red, green, blue and alpha, the lowest first.
    pub colour: u32,
}

/// Vertex (x, y) of the sheet at the time `t`.
#[kernel]
fn vertices(at: Index2D, t: f32, mut sheet: DisjointSlice2D<Vertex>) {
    let (width, height) = (sheet.width(), sheet.height());
    if let Some(vertex) = sheet.get_mut(at) {
        *vertex = vertex_at(at.x(), at.y(), [width, height], t);
    }
}
// ANCHOR_END: kernel

/// Computes the sheet at the time `t`.
///
/// # Errors
/// Those of the launch.
pub fn compute(
    sheet: DeviceSliceMut<'_, Vertex>,
    [width, height]: [usize; 2],
    t: f32,
    stream: &Stream,
) -> Result<(), warploom::Error> {
    let shape = Launch::covering_2d(width, height);
    Ok(vertices::launch(stream, shape, t, sheet.into_rows(width)?)?)
}

/// What the kernel computes for one vertex.
#[must_use]
pub fn vertex_at(x: usize, y: usize, [width, height]: [usize; 2], t: f32) -> Vertex {
    let u = x as f32 / width as f32 * 2.0 - 1.0;
    let v = y as f32 / height as f32 * 2.0 - 1.0;
    let wave = (u * 4.0 + t).sin() * (v * 4.0 + t).cos() * 0.5;
    let (high, low) = (((wave + 0.5) * 255.0) as u32, ((0.5 - wave) * 255.0) as u32);
    Vertex {
        place: [u, wave, v],
        colour: high | 160 << 8 | low << 16 | 0xff00_0000,
    }
}

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

/// The pixel, counted from the top, in which the vertex shader puts a place.
#[must_use]
pub fn pixel_of([x, y, z]: [f32; 3], [width, height]: [u32; 2]) -> [u32; 2] {
    let (sin, cos) = (0.5, 0.866_025_4);
    let depth = y * sin + z * cos + 2.5;
    let (right, down) = (x * 2.0 / depth, -(y * cos - z * sin) * 2.0 / depth);
    let scale = |at: f32, size: u32| ((at + 1.0) / 2.0 * size as f32) as u32;
    [scale(right, width), scale(down, height)]
}

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
        // ANCHOR: frame
        let sheet = self.sheet.take().expect("the frame before failed");
        let mut sheet = sheet.map(stream)?;
        compute(sheet.as_slice_mut(), self.extent, t, stream)?;
        let sheet = sheet.unmap(stream)?;
        // SAFETY: `with` makes the context current; the vertices are in the sheet, which is OpenGL's.
        self.offscreen.with(|gl, _| unsafe {
            gl.clear_color(0.05, 0.05, 0.1, 1.0);
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
