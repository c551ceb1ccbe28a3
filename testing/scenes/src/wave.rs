//! A sheet of vertices that a wave runs through, computed by a kernel in a buffer that another API draws.
//!
//! The CUDA programming guide has it (section 3.2.7.1, OpenGL interoperability; 3.3.10 with Direct3D).

use warploom::DeviceSliceMut;
use warploom::prelude::*;

use crate::picture::Picture;

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
// ANCHOR_END: kernel

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

/// The colour behind the sheet, as the APIs take it.
pub const BACKGROUND: [f32; 4] = [0.05, 0.05, 0.1, 1.0];

/// The pixel, counted from the upper left corner, in which the tests' vertex shaders put a place.
#[must_use]
pub fn pixel_of([x, y, z]: [f32; 3], [width, height]: [u32; 2]) -> [u32; 2] {
    let (sin, cos) = (0.5, 0.866_025_4);
    let depth = y * sin + z * cos + 2.5;
    let (right, down) = (x * 2.0 / depth, -(y * cos - z * sin) * 2.0 / depth);
    let scale = |at: f32, size: u32| ((at + 1.0) / 2.0 * size as f32) as u32;
    [scale(right, width), scale(down, height)]
}

/// The vertices at the time `t` that are drawn (their pixel, or one beside it, is not the background), and all that the picture should show.
#[must_use]
pub fn vertices_drawn(picture: &Picture, extent: [usize; 2], t: f32) -> [u32; 2] {
    let background = BACKGROUND.map(|channel| (channel * 255.0).round() as u8);
    let [width, height] = picture.extent;
    let (mut seen, mut all) = (0, 0);
    for i in 0..extent[0] * extent[1] {
        let vertex = vertex_at(i % extent[0], i / extent[0], extent, t);
        let [x, y] = pixel_of(vertex.place, picture.extent);
        if x == 0 || y == 0 || x + 1 >= width || y + 1 >= height {
            continue;
        }
        let near = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| (x, y)));
        let mut pixels = near.map(|(x, y)| picture.pixels[(y * width + x) as usize]);
        seen += u32::from(pixels.any(|pixel| pixel != background));
        all += 1;
    }
    [seen, all]
}
