//! A sheet of vertices that a wave runs through, computed by a kernel in a buffer that Vulkan draws.
//!
//! The CUDA programming guide has it with OpenGL and Direct3D (sections 3.2.7 and 3.3.10).

use ash::vk;
use warploom::DeviceSliceMut;
use warploom::prelude::*;
use warploom_vulkan::{Shared, Vulkan, VulkanError};

use crate::offscreen::{Attribute, Drawing, Offscreen, Picture, Shaders};

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

/// Which API allocates the vertices, so that the other imports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryOf {
    /// Vulkan exports.
    Vulkan,
    /// CUDA exports.
    Cuda,
}

/// The sheet and what draws it.
#[derive(Debug)]
pub struct Wave {
    /// Kernels or Vulkan have it; always Vulkan between frames.
    sheet: Option<Shared<DeviceBuffer<Vertex>>>,
    extent: [usize; 2],
    drawing: Drawing,
    offscreen: Offscreen,
    vulkan: Vulkan,
}

impl Wave {
    /// A sheet of so many vertices, in memory of Vulkan or of CUDA, and a picture of so many pixels.
    ///
    /// # Errors
    /// Those of Vulkan.
    pub fn new(
        vulkan: &Vulkan,
        memory: MemoryOf,
        extent: [usize; 2],
        picture: [u32; 2],
    ) -> Result<Wave, VulkanError> {
        let (usage, len) = (vk::BufferUsageFlags::VERTEX_BUFFER, extent[0] * extent[1]);
        let sheet = match memory {
            MemoryOf::Vulkan => vulkan.shared_buffer::<Vertex>(len, usage)?,
            MemoryOf::Cuda => vulkan.exported_buffer::<Vertex>(len, usage)?,
        };
        let offscreen = Offscreen::new(vulkan, picture)?;
        let shaders = Shaders {
            vertex: include_bytes!("../shaders/wave.vert.spv"),
            fragment: include_bytes!("../shaders/wave.frag.spv"),
            topology: vk::PrimitiveTopology::POINT_LIST,
            stride: 16,
            attributes: &[
                Attribute {
                    format: vk::Format::R32G32B32_SFLOAT,
                    offset: 0,
                },
                Attribute {
                    format: vk::Format::R8G8B8A8_UNORM,
                    offset: 12,
                },
            ],
            sampled: None,
        };
        let drawing = offscreen.drawing(&shaders)?;
        let (stages, access) = (
            vk::PipelineStageFlags2::VERTEX_ATTRIBUTE_INPUT,
            vk::AccessFlags2::VERTEX_ATTRIBUTE_READ,
        );
        let n_vertices = u32::try_from(sheet_len(extent)).unwrap_or(u32::MAX);
        // ANCHOR: record
        offscreen.record(&drawing, |device, commands, inside| {
            // SAFETY: `record` passes a command buffer that is being recorded, `frame` submits it with the sheet, and all that it uses is in `Wave`.
            unsafe {
                sheet.begin(commands, stages, access);
                inside(&|| {
                    device.cmd_bind_vertex_buffers(commands, 0, &[sheet.buffer()], &[0]);
                    device.cmd_draw(commands, n_vertices, 1, 0, 0);
                });
                sheet.end(commands, stages, vk::AccessFlags2::NONE);
            }
        })?;
        // ANCHOR_END: record
        Ok(Wave {
            sheet: Some(sheet),
            extent,
            drawing,
            offscreen,
            vulkan: vulkan.clone(),
        })
    }

    /// Computes the sheet at the time `t` and lets Vulkan draw it. Returns when that is done.
    ///
    /// # Errors
    /// Those of the kernel and of Vulkan.
    ///
    /// # Panics
    /// After a frame that failed.
    #[expect(
        clippy::expect_used,
        reason = "a program: what failed is not used any more"
    )]
    pub fn frame(&mut self, t: f32, stream: &Stream) -> Result<(), warploom::Error> {
        // ANCHOR: frame
        let sheet = self.sheet.take().expect("the frame before failed");
        let mut sheet = sheet.acquire(stream)?;
        compute(sheet.as_slice_mut(), self.extent, t, stream)?;
        let mut sheet = sheet.release(stream)?;
        // SAFETY: the commands were recorded for this sheet, and the frame before is done.
        unsafe {
            let commands = [self.drawing.commands()];
            self.vulkan
                .submit(&commands, &mut [&mut sheet], self.drawing.fence())?;
        }
        // ANCHOR_END: frame
        self.drawing.wait()?;
        self.sheet = Some(sheet);
        Ok(())
    }

    /// What the last frame drew.
    ///
    /// # Errors
    /// Those of Vulkan.
    pub fn picture(&self) -> Result<Picture, VulkanError> {
        self.offscreen.picture()
    }
}

fn sheet_len([width, height]: [usize; 2]) -> usize {
    width * height
}

/// The pixel in which the vertex shader puts a place.
#[must_use]
pub fn pixel_of([x, y, z]: [f32; 3], [width, height]: [u32; 2]) -> [u32; 2] {
    let (sin, cos) = (0.5, 0.866_025_4);
    let depth = y * sin + z * cos + 2.5;
    let (right, down) = (x * 2.0 / depth, -(y * cos - z * sin) * 2.0 / depth);
    let scale = |at: f32, size: u32| ((at + 1.0) / 2.0 * size as f32) as u32;
    [scale(right, width), scale(down, height)]
}
