//! A picture that Vulkan draws without a window, and that the host reads.

use std::fmt;

use ash::vk;
use warploom_scenes::picture::Picture;
use warploom_scenes::wave::BACKGROUND;
use warploom_vulkan::{Vulkan, VulkanError};

const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// What a pipeline is made of.
#[derive(Debug)]
pub struct Shaders<'a> {
    /// SPIR-V of the vertex shader.
    pub vertex: &'a [u8],
    /// SPIR-V of the fragment shader.
    pub fragment: &'a [u8],
    /// What the vertices are.
    pub topology: vk::PrimitiveTopology,
    /// Bytes of a vertex.
    pub stride: u32,
    /// What the vertex shader gets, from location 0 on.
    pub attributes: &'a [Attribute],
    /// An image that the fragment shader fetches from.
    pub sampled: Option<(vk::Image, vk::Format)>,
}

/// A part of a vertex.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    /// Its form.
    pub format: vk::Format,
    /// Its first byte in the vertex.
    pub offset: u32,
}

/// Objects of Vulkan, destroyed in the order opposite to that of their making, when nothing uses them any more.
struct Objects {
    made: Vec<Object>,
    vulkan: Vulkan,
}

enum Object {
    Image(vk::Image),
    View(vk::ImageView),
    Buffer(vk::Buffer),
    Memory(vk::DeviceMemory),
    Sampler(vk::Sampler),
    SetLayout(vk::DescriptorSetLayout),
    SetPool(vk::DescriptorPool),
    Layout(vk::PipelineLayout),
    Module(vk::ShaderModule),
    Pipeline(vk::Pipeline),
    Commands(vk::CommandPool),
    Fence(vk::Fence),
}

impl Objects {
    fn new(vulkan: &Vulkan) -> Objects {
        Objects {
            made: vec![],
            vulkan: vulkan.clone(),
        }
    }

    /// Keeps what a call made.
    fn keep<T: Copy>(
        &mut self,
        call: &'static str,
        made: Result<T, vk::Result>,
        as_object: fn(T) -> Object,
    ) -> Result<T, VulkanError> {
        let made = made.map_err(|result| VulkanError::Call { call, result })?;
        self.made.push(as_object(made));
        Ok(made)
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let device = self.vulkan.device();
        // SAFETY: locked. An error means that the device is lost.
        let _ = unsafe { device.queue_wait_idle(*self.vulkan.queue()) };
        for object in self.made.drain(..).rev() {
            // SAFETY: destroyed once, and nothing is submitted that uses it.
            unsafe {
                match object {
                    Object::Image(it) => device.destroy_image(it, None),
                    Object::View(it) => device.destroy_image_view(it, None),
                    Object::Buffer(it) => device.destroy_buffer(it, None),
                    Object::Memory(it) => device.free_memory(it, None),
                    Object::Sampler(it) => device.destroy_sampler(it, None),
                    Object::SetLayout(it) => device.destroy_descriptor_set_layout(it, None),
                    Object::SetPool(it) => device.destroy_descriptor_pool(it, None),
                    Object::Layout(it) => device.destroy_pipeline_layout(it, None),
                    Object::Module(it) => device.destroy_shader_module(it, None),
                    Object::Pipeline(it) => device.destroy_pipeline(it, None),
                    Object::Commands(it) => device.destroy_command_pool(it, None),
                    Object::Fence(it) => device.destroy_fence(it, None),
                }
            }
        }
    }
}

/// The picture, on the device and where the host reads it.
pub struct Offscreen {
    image: vk::Image,
    view: vk::ImageView,
    readable: vk::Buffer,
    memory: vk::DeviceMemory,
    extent: [u32; 2],
    objects: Objects,
}

/// A pipeline with its commands.
pub struct Drawing {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: Option<vk::DescriptorSet>,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    objects: Objects,
}

impl Drawing {
    /// What is submitted for a frame.
    #[must_use]
    pub fn commands(&self) -> vk::CommandBuffer {
        self.commands
    }

    /// What the submission signals.
    #[must_use]
    pub fn fence(&self) -> vk::Fence {
        self.fence
    }

    /// Waits for the submission, after which the commands can be submitted again.
    ///
    /// # Errors
    /// Those of Vulkan.
    pub fn wait(&self) -> Result<(), VulkanError> {
        const TEN_SECONDS_NS: u64 = 10_000_000_000;
        let (device, fences) = (self.objects.vulkan.device(), [self.fence]);
        // SAFETY: the fence is alive.
        unsafe { device.wait_for_fences(&fences, true, TEN_SECONDS_NS) }
            .map_err(call("vkWaitForFences"))?;
        // SAFETY: signalled, so no submission has it any more.
        unsafe { device.reset_fences(&fences) }.map_err(call("vkResetFences"))
    }
}

fn all_colour() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1)
}

impl Offscreen {
    /// A picture of so many pixels.
    ///
    /// # Errors
    /// Those of Vulkan.
    pub fn new(vulkan: &Vulkan, extent: [u32; 2]) -> Result<Offscreen, VulkanError> {
        let (device, mut objects) = (vulkan.device(), Objects::new(vulkan));
        let [width, height] = extent;
        let told = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(vk::Extent3D {
                width,
                height,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        // SAFETY: every device has such images of some thousand pixels.
        let image = unsafe { device.create_image(&told, None) };
        let image = objects.keep("vkCreateImage", image, Object::Image)?;
        // SAFETY: the image is alive.
        let needs = unsafe { device.get_image_memory_requirements(image) };
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let memory = allocate(&mut objects, needs, local)?;
        // SAFETY: new memory of the size that was asked for.
        unsafe { device.bind_image_memory(image, memory, 0) }.map_err(call("vkBindImageMemory"))?;
        let told = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(all_colour());
        // SAFETY: the image is alive and has this format.
        let view = unsafe { device.create_image_view(&told, None) };
        let view = objects.keep("vkCreateImageView", view, Object::View)?;
        let told = vk::BufferCreateInfo::default()
            .size(u64::from(width) * u64::from(height) * 4)
            .usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: the description is complete.
        let readable = unsafe { device.create_buffer(&told, None) };
        let readable = objects.keep("vkCreateBuffer", readable, Object::Buffer)?;
        // SAFETY: the buffer is alive.
        let needs = unsafe { device.get_buffer_memory_requirements(readable) };
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let memory = allocate(&mut objects, needs, visible)?;
        // SAFETY: new memory of the size that was asked for.
        unsafe { device.bind_buffer_memory(readable, memory, 0) }
            .map_err(call("vkBindBufferMemory"))?;
        Ok(Offscreen {
            image,
            view,
            readable,
            memory,
            extent,
            objects,
        })
    }

    /// What the last frame drew. Its submission must be done.
    ///
    /// # Errors
    /// Those of Vulkan.
    pub fn picture(&self) -> Result<Picture, VulkanError> {
        let device = self.objects.vulkan.device();
        let [width, height] = self.extent;
        let n_pixels = width as usize * height as usize;
        let (flags, size) = (vk::MemoryMapFlags::empty(), vk::WHOLE_SIZE);
        // SAFETY: visible memory that is not mapped.
        let start = unsafe { device.map_memory(self.memory, 0, size, flags) };
        let start = start.map_err(call("vkMapMemory"))?;
        // SAFETY: the memory has so many pixels, and no submission writes them meanwhile.
        let pixels = unsafe { std::slice::from_raw_parts(start.cast(), n_pixels) }.to_vec();
        // SAFETY: mapped just now, and not used any more.
        unsafe { device.unmap_memory(self.memory) };
        Ok(Picture {
            extent: self.extent,
            pixels,
        })
    }

    /// A pipeline that draws to the picture.
    ///
    /// # Errors
    /// Those of Vulkan.
    pub fn drawing(&self, shaders: &Shaders<'_>) -> Result<Drawing, VulkanError> {
        let vulkan = &self.objects.vulkan;
        let (device, mut objects) = (vulkan.device(), Objects::new(vulkan));
        let (layout, set) = layout(&mut objects, shaders)?;
        let pipeline = pipeline(&mut objects, shaders, layout, self.extent)?;
        let told = vk::CommandPoolCreateInfo::default().queue_family_index(vulkan.queue_family());
        // SAFETY: the family is one of the device.
        let pool = unsafe { device.create_command_pool(&told, None) };
        let pool = objects.keep("vkCreateCommandPool", pool, Object::Commands)?;
        let told = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(1);
        // SAFETY: the pool is alive.
        let commands = unsafe { device.allocate_command_buffers(&told) };
        let commands = commands.map_err(call("vkAllocateCommandBuffers"))?[0];
        // SAFETY: a fence with the settings that are zero.
        let fence = unsafe { device.create_fence(&Default::default(), None) };
        let fence = objects.keep("vkCreateFence", fence, Object::Fence)?;
        Ok(Drawing {
            pipeline,
            layout,
            set,
            commands,
            fence,
            objects,
        })
    }

    /// Records the commands of a drawing: `record` gets a function that begins to draw, calls what draws, and ends it.
    ///
    /// # Errors
    /// Those of Vulkan.
    pub fn record(
        &self,
        drawing: &Drawing,
        record: impl Fn(&ash::Device, vk::CommandBuffer, &dyn Fn(&dyn Fn())),
    ) -> Result<(), VulkanError> {
        let device = self.objects.vulkan.device();
        let commands = drawing.commands;
        let told = vk::CommandBufferBeginInfo::default();
        // SAFETY: new, so neither recorded nor submitted.
        unsafe { device.begin_command_buffer(commands, &told) }
            .map_err(call("vkBeginCommandBuffer"))?;
        record(device, commands, &|draw| self.draw(drawing, draw));
        self.read_back(commands);
        // SAFETY: it is being recorded.
        unsafe { device.end_command_buffer(commands) }.map_err(call("vkEndCommandBuffer"))
    }

    fn draw(&self, drawing: &Drawing, draw: &dyn Fn()) {
        let (device, commands) = (self.objects.vulkan.device(), drawing.commands);
        let target = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        self.move_image(
            commands,
            [vk::ImageLayout::UNDEFINED, target],
            [
                vk::PipelineStageFlags2::ALL_COMMANDS,
                vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT,
            ],
            [
                vk::AccessFlags2::NONE,
                vk::AccessFlags2::COLOR_ATTACHMENT_WRITE,
            ],
        );
        let background = vk::ClearColorValue {
            float32: BACKGROUND,
        };
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(target)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue { color: background })];
        let told = vk::RenderingInfo::default()
            .render_area(self.area())
            .layer_count(1)
            .color_attachments(&attachments);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: the commands are being recorded, and all objects are alive and made for each other.
        unsafe {
            device.cmd_begin_rendering(commands, &told);
            device.cmd_bind_pipeline(commands, graphics, drawing.pipeline);
            if let Some(set) = drawing.set {
                device.cmd_bind_descriptor_sets(commands, graphics, drawing.layout, 0, &[set], &[]);
            }
            draw();
            device.cmd_end_rendering(commands);
        }
    }

    /// Copies the picture to where the host reads it.
    fn read_back(&self, commands: vk::CommandBuffer) {
        let device = self.objects.vulkan.device();
        let (target, source) = (
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        );
        self.move_image(
            commands,
            [target, source],
            [
                vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT,
                vk::PipelineStageFlags2::COPY,
            ],
            [
                vk::AccessFlags2::COLOR_ATTACHMENT_WRITE,
                vk::AccessFlags2::TRANSFER_READ,
            ],
        );
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .layer_count(1);
        let [width, height] = self.extent;
        let copy = [vk::BufferImageCopy::default()
            .image_subresource(layers)
            .image_extent(vk::Extent3D {
                width,
                height,
                depth: 1,
            })];
        let to_host = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COPY)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::HOST)
            .dst_access_mask(vk::AccessFlags2::HOST_READ)];
        let to_host = vk::DependencyInfo::default().memory_barriers(&to_host);
        // SAFETY: the commands are being recorded; image and buffer are alive and of one size.
        unsafe {
            device.cmd_copy_image_to_buffer(commands, self.image, source, self.readable, &copy);
            device.cmd_pipeline_barrier2(commands, &to_host);
        }
    }

    fn move_image(
        &self,
        commands: vk::CommandBuffer,
        [from, to]: [vk::ImageLayout; 2],
        [before, after]: [vk::PipelineStageFlags2; 2],
        [made, used]: [vk::AccessFlags2; 2],
    ) {
        let barrier = [vk::ImageMemoryBarrier2::default()
            .image(self.image)
            .old_layout(from)
            .new_layout(to)
            .src_stage_mask(before)
            .dst_stage_mask(after)
            .src_access_mask(made)
            .dst_access_mask(used)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .subresource_range(all_colour())];
        let told = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        // SAFETY: the commands are being recorded; the image is alive.
        unsafe {
            let device = self.objects.vulkan.device();
            device.cmd_pipeline_barrier2(commands, &told);
        }
    }

    fn area(&self) -> vk::Rect2D {
        area(self.extent)
    }
}

fn area([width, height]: [u32; 2]) -> vk::Rect2D {
    vk::Rect2D::default().extent(vk::Extent2D { width, height })
}

/// New memory for an object, of a type that has these properties.
fn allocate(
    objects: &mut Objects,
    needs: vk::MemoryRequirements,
    properties: vk::MemoryPropertyFlags,
) -> Result<vk::DeviceMemory, VulkanError> {
    let vulkan = objects.vulkan.clone();
    // SAFETY: the physical device is one of the instance.
    let known = unsafe {
        let physical = vulkan.physical_device();
        vulkan
            .instance()
            .get_physical_device_memory_properties(physical)
    };
    let fits = |(index, kind): &(u32, &vk::MemoryType)| {
        needs.memory_type_bits & (1 << index) != 0 && kind.property_flags.contains(properties)
    };
    let found = (0u32..).zip(known.memory_types_as_slice()).find(fits);
    let (index, _) = found.ok_or(VulkanError::NoMemoryType {
        wanted: "as the picture needs it",
        types: needs.memory_type_bits,
    })?;
    let told = vk::MemoryAllocateInfo::default()
        .allocation_size(needs.size)
        .memory_type_index(index);
    // SAFETY: the type is one of the device.
    let made = unsafe { vulkan.device().allocate_memory(&told, None) };
    objects.keep("vkAllocateMemory", made, Object::Memory)
}

/// Where the image that is fetched from is bound, if there is one.
fn layout(
    objects: &mut Objects,
    shaders: &Shaders<'_>,
) -> Result<(vk::PipelineLayout, Option<vk::DescriptorSet>), VulkanError> {
    let vulkan = objects.vulkan.clone();
    let device = vulkan.device();
    let Some((image, format)) = shaders.sampled else {
        // SAFETY: a layout without anything.
        let made = unsafe { device.create_pipeline_layout(&Default::default(), None) };
        return Ok((
            objects.keep("vkCreatePipelineLayout", made, Object::Layout)?,
            None,
        ));
    };
    let told = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(all_colour());
    // SAFETY: the image outlives the drawing, and has this format.
    let view = unsafe { device.create_image_view(&told, None) };
    let view = objects.keep("vkCreateImageView", view, Object::View)?;
    // SAFETY: a sampler with the settings that are zero.
    let sampler = unsafe { device.create_sampler(&Default::default(), None) };
    let sampler = objects.keep("vkCreateSampler", sampler, Object::Sampler)?;
    let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(kind)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
    let told = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the description is complete.
    let made = unsafe { device.create_descriptor_set_layout(&told, None) };
    let set_layouts = [objects.keep("vkCreateDescriptorSetLayout", made, Object::SetLayout)?];
    let sizes = [vk::DescriptorPoolSize::default()
        .ty(kind)
        .descriptor_count(1)];
    let told = vk::DescriptorPoolCreateInfo::default()
        .max_sets(1)
        .pool_sizes(&sizes);
    // SAFETY: as above.
    let made = unsafe { device.create_descriptor_pool(&told, None) };
    let pool = objects.keep("vkCreateDescriptorPool", made, Object::SetPool)?;
    let told = vk::DescriptorSetAllocateInfo::default()
        .descriptor_pool(pool)
        .set_layouts(&set_layouts);
    // SAFETY: the pool has room for one.
    let sets = unsafe { device.allocate_descriptor_sets(&told) };
    let set = sets.map_err(call("vkAllocateDescriptorSets"))?[0];
    let images = [vk::DescriptorImageInfo::default()
        .sampler(sampler)
        .image_view(view)
        .image_layout(vk::ImageLayout::GENERAL)];
    let write = vk::WriteDescriptorSet::default()
        .dst_set(set)
        .descriptor_type(kind)
        .image_info(&images);
    // SAFETY: all of it is alive, and nothing uses the set yet.
    unsafe { device.update_descriptor_sets(&[write], &[]) };
    let told = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts);
    // SAFETY: the layout of the set is alive.
    let made = unsafe { device.create_pipeline_layout(&told, None) };
    let layout = objects.keep("vkCreatePipelineLayout", made, Object::Layout)?;
    Ok((layout, Some(set)))
}

fn pipeline(
    objects: &mut Objects,
    shaders: &Shaders<'_>,
    layout: vk::PipelineLayout,
    extent: [u32; 2],
) -> Result<vk::Pipeline, VulkanError> {
    let vertex = shader(objects, shaders.vertex)?;
    let fragment = shader(objects, shaders.fragment)?;
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(stage)
            .module(module)
            .name(c"main")
    };
    let stages = [
        stage(vk::ShaderStageFlags::VERTEX, vertex),
        stage(vk::ShaderStageFlags::FRAGMENT, fragment),
    ];
    let bindings = [vk::VertexInputBindingDescription::default().stride(shaders.stride)];
    let attributes = (0u32..).zip(shaders.attributes).map(|(location, part)| {
        vk::VertexInputAttributeDescription::default()
            .location(location)
            .format(part.format)
            .offset(part.offset)
    });
    let attributes: Vec<_> = attributes.collect();
    let mut input = vk::PipelineVertexInputStateCreateInfo::default();
    if !attributes.is_empty() {
        input = input
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
    }
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(shaders.topology);
    let viewports = [vk::Viewport::default()
        .width(extent[0] as f32)
        .height(extent[1] as f32)
        .max_depth(1.0)];
    let scissors = [area(extent)];
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewports(&viewports)
        .scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blend = [vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend);
    let formats = [FORMAT];
    let mut rendering =
        vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
    let told = [vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout)
        .push_next(&mut rendering)];
    let vulkan = objects.vulkan.clone();
    // SAFETY: all that the description points to is alive.
    let made = unsafe {
        vulkan
            .device()
            .create_graphics_pipelines(vk::PipelineCache::null(), &told, None)
    };
    let made = made.map(|made| made[0]).map_err(|(_, result)| result);
    objects.keep("vkCreateGraphicsPipelines", made, Object::Pipeline)
}

fn shader(objects: &mut Objects, spir_v: &[u8]) -> Result<vk::ShaderModule, VulkanError> {
    let words: Vec<u32> = spir_v
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let told = vk::ShaderModuleCreateInfo::default().code(&words);
    let vulkan = objects.vulkan.clone();
    // SAFETY: SPIR-V that a compiler made.
    let made = unsafe { vulkan.device().create_shader_module(&told, None) };
    objects.keep("vkCreateShaderModule", made, Object::Module)
}

fn call(call: &'static str) -> impl Fn(vk::Result) -> VulkanError {
    move |result| VulkanError::Call { call, result }
}

impl fmt::Debug for Offscreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offscreen")
            .field("extent", &self.extent)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawing")
            .field("pipeline", &self.pipeline)
            .finish_non_exhaustive()
    }
}
