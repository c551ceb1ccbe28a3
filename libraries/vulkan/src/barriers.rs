//! Barriers of Vulkan between commands and kernels.

use ash::vk;

use crate::allocate::{Object, Objects};

impl Objects {
    /// The kernels' side of a barrier: another queue family on a GPU, the host on the emulator.
    pub(crate) fn other_side(
        &self,
        on_host: vk::AccessFlags2,
        on_gpu: vk::AccessFlags2,
    ) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
        match self.vulkan.cuda().is_gpu() {
            true => (vk::PipelineStageFlags2::NONE, on_gpu),
            false => (vk::PipelineStageFlags2::HOST, on_host),
        }
    }

    /// The families that a barrier moves the resource between: from the kernels, or to them.
    fn families(&self, from_kernels: bool) -> (u32, u32) {
        let ours = self.vulkan.queue_family();
        match (self.vulkan.cuda().is_gpu(), from_kernels) {
            (true, true) => (vk::QUEUE_FAMILY_EXTERNAL, ours),
            (true, false) => (ours, vk::QUEUE_FAMILY_EXTERNAL),
            (false, _) => (vk::QUEUE_FAMILY_IGNORED, vk::QUEUE_FAMILY_IGNORED),
        }
    }

    /// # Safety
    /// The command buffer is being recorded.
    pub(crate) unsafe fn barrier(
        &self,
        commands: vk::CommandBuffer,
        before: (vk::PipelineStageFlags2, vk::AccessFlags2),
        after: (vk::PipelineStageFlags2, vk::AccessFlags2),
        from_kernels: bool,
    ) {
        let (from, to) = self.families(from_kernels);
        match self.object {
            Object::Buffer(buffer) => {
                let told = [vk::BufferMemoryBarrier2::default()
                    .src_stage_mask(before.0)
                    .src_access_mask(before.1)
                    .dst_stage_mask(after.0)
                    .dst_access_mask(after.1)
                    .src_queue_family_index(from)
                    .dst_queue_family_index(to)
                    .buffer(buffer)
                    .size(vk::WHOLE_SIZE)];
                let told = vk::DependencyInfo::default().buffer_memory_barriers(&told);
                // SAFETY: the buffer is alive; the caller promises the command buffer.
                unsafe { self.vulkan.device().cmd_pipeline_barrier2(commands, &told) };
            }
            Object::Image(image) => {
                let general = vk::ImageLayout::GENERAL;
                let told = image_barrier(image, general)
                    .src_stage_mask(before.0)
                    .src_access_mask(before.1)
                    .dst_stage_mask(after.0)
                    .dst_access_mask(after.1)
                    .src_queue_family_index(from)
                    .dst_queue_family_index(to);
                let told = [told];
                let told = vk::DependencyInfo::default().image_memory_barriers(&told);
                // SAFETY: the image is alive; the caller promises the command buffer.
                unsafe { self.vulkan.device().cmd_pipeline_barrier2(commands, &told) };
            }
        }
    }

    /// Gives a new image the layout that kernels take, and gives it to them.
    pub(crate) fn first_layout(&self, commands: vk::CommandBuffer) {
        let Object::Image(image) = self.object else {
            return;
        };
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let told = [image_barrier(image, vk::ImageLayout::UNDEFINED)
            .src_stage_mask(all)
            .dst_stage_mask(all)];
        let told = vk::DependencyInfo::default().image_memory_barriers(&told);
        // SAFETY: `one_shot` passes a command buffer that is being recorded; the image is alive.
        unsafe { self.vulkan.device().cmd_pipeline_barrier2(commands, &told) };
        let after = self.other_side(vk::AccessFlags2::NONE, vk::AccessFlags2::NONE);
        let before = (all, vk::AccessFlags2::NONE);
        // SAFETY: as above.
        unsafe { self.barrier(commands, before, after, false) };
    }
}

/// All of an image with one level, to the layout of hand-overs.
fn image_barrier(image: vk::Image, from: vk::ImageLayout) -> vk::ImageMemoryBarrier2<'static> {
    let all = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1);
    vk::ImageMemoryBarrier2::default()
        .image(image)
        .old_layout(from)
        .new_layout(vk::ImageLayout::GENERAL)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .subresource_range(all)
}
