//! Heat that spreads over a plate, computed by kernels and written through a surface to an image that a fragment shader of Vulkan colours.

use ash::vk;
use warploom::prelude::*;
use warploom::{ArrayLevelMut, MipmappedArray};
use warploom_vulkan::{Shared, Vulkan, VulkanError};

use crate::offscreen::{Drawing, Offscreen, Picture, Shaders};

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

/// Writes temperatures to a level of an image that has as many texels.
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

/// The plate at the beginning: hot in a disc, cold at the edge.
#[must_use]
pub fn first([width, height]: [usize; 2]) -> Vec<f32> {
    let hot = |x: f32, y: f32| (x - 0.4).hypot(y - 0.5) < 0.25 || (x - 0.8).hypot(y - 0.3) < 0.1;
    let place = |i: usize| {
        [
            (i % width) as f32 / width as f32,
            (i / width) as f32 / height as f32,
        ]
    };
    let all = (0..width * height).map(place);
    all.map(|[x, y]| if hot(x, y) { 1.0 } else { 0.0 })
        .collect()
}

/// The plate, its image, and what draws it.
#[derive(Debug)]
pub struct Heat {
    fields: [DeviceBuffer<f32>; 2],
    extent: [usize; 2],
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
        let extent = [width as usize, height as usize];
        let first = first(extent);
        let cuda = vulkan.cuda();
        let fields = [cuda.upload(&first)?, cuda.upload(&first)?];
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
            fields,
            extent,
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
        let [width, height] = self.extent;
        let shape = Launch::covering_2d(width, height);
        for _ in 0..steps {
            let [before, after] = &mut self.fields;
            step::launch(stream, shape, width, &*before, after.view_2d_mut(width)?)?;
            self.fields.swap(0, 1);
        }
        let image = self.image.take().expect("the frame before failed");
        let mut image = image.acquire(stream)?;
        write(image.level_mut()?, &self.fields[0], stream)?;
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
