//! Temperatures of a plate, which kernels write through a surface to an image that a fragment shader of Vulkan colours.

use ash::vk;
use warploom::MipmappedArray;
use warploom::prelude::*;
use warploom_scenes::heat::Plate;
use warploom_scenes::picture::Picture;
use warploom_vulkan::{Shared, Vulkan, VulkanError};

use crate::offscreen::{Drawing, Offscreen, Shaders};

/// The plate, its image, and what draws it.
#[derive(Debug)]
pub struct Heat {
    plate: Plate,
    /// Always Vulkan's between frames.
    image: Option<Shared<MipmappedArray<f32>>>,
    drawing: Drawing,
    offscreen: Offscreen,
    vulkan: Vulkan,
}

impl Heat {
    /// A plate of so many places, and a picture of as many pixels.
    ///
    /// # Errors
    /// Those of the device's memory and of Vulkan.
    pub fn new(vulkan: &Vulkan, [width, height]: [u32; 2]) -> Result<Heat, warploom::Error> {
        let plate = Plate::new(vulkan.cuda(), [width as usize, height as usize])?;
        let image = vulkan.shared_image::<f32>(width, height, vk::ImageUsageFlags::SAMPLED)?;
        let offscreen = Offscreen::new(vulkan, [width, height])?;
        let shaders = Shaders {
            vertex: include_bytes!("../shaders/screen.vert.spv"),
            fragment: include_bytes!("../shaders/heat.frag.spv"),
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            stride: 0,
            attributes: &[],
            sampled: Some((image.image(), vk::Format::R32_SFLOAT)),
        };
        let drawing = offscreen.drawing(&shaders)?;
        let (stages, access) = (
            vk::PipelineStageFlags2::FRAGMENT_SHADER,
            vk::AccessFlags2::SHADER_SAMPLED_READ,
        );
        offscreen.record(&drawing, |device, commands, inside| {
            // SAFETY: `record` passes a command buffer that is being recorded, `frame` submits it with the image, and all that it uses is in `Heat`.
            unsafe {
                image.begin(commands, stages, access);
                inside(&|| device.cmd_draw(commands, 3, 1, 0, 0));
                image.end(commands, stages, vk::AccessFlags2::NONE);
            }
        })?;
        Ok(Heat {
            plate,
            image: Some(image),
            drawing,
            offscreen,
            vulkan: vulkan.clone(),
        })
    }

    /// Computes so many steps and lets Vulkan draw the plate. Returns when that is done.
    ///
    /// # Errors
    /// Those of the kernels and of Vulkan.
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
        let mut image = image.acquire(stream)?;
        self.plate.write_to(image.level_mut()?, stream)?;
        let mut image = image.release(stream)?;
        // SAFETY: the commands were recorded for this image, and the frame before is done.
        unsafe {
            let commands = [self.drawing.commands()];
            self.vulkan
                .submit(&commands, &mut [&mut image], self.drawing.fence())?;
        }
        self.drawing.wait()?;
        self.image = Some(image);
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
