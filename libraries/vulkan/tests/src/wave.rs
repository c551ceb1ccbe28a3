//! A sheet of vertices, computed by a kernel in a buffer that Vulkan draws.

use ash::vk;
use warploom::prelude::*;
use warploom_scenes::picture::Picture;
use warploom_scenes::wave::{self, Vertex};
use warploom_vulkan::{Shared, Vulkan, VulkanError};

use crate::offscreen::{Attribute, Drawing, Offscreen, Shaders};

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
        wave::compute(sheet.as_slice_mut(), self.extent, t, stream)?;
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
