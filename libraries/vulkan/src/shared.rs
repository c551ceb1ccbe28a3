//! A buffer or an image that Vulkan and kernels share, and which of them has it.

use std::fmt;
use std::ops::Deref;

use ash::vk;
use warploom::device_std::Plain;
use warploom::interop::external::{self, Released, Resource, Turn};
use warploom::{
    ArrayElement, ArrayLevelMut, ArrayOptions, ArrayShape, DeviceBuffer, DeviceSliceMut,
    MemoryError, MipmappedArray, Stream,
};

use crate::allocate::{self, Made, Object, Objects};
use crate::context::Vulkan;
use crate::error::VulkanError;
use crate::limits;

/// A resource that Vulkan has: a buffer, `R` is [`DeviceBuffer`], or an image, `R` is [`MipmappedArray`].
///
/// Kernels get it by [`acquire`](Shared::acquire). Vulkan's work on it is submitted by [`Vulkan::submit`], once in each turn. When it is dropped, all work on
/// it is waited for.
#[must_use = "what is dropped is freed"]
pub struct Shared<R: Resource> {
    /// Before all others: Vulkan's work must be done when the memory goes.
    pending: Pending,
    cuda: Released<R>,
    objects: Objects,
}

/// A resource that kernels have: a [`DeviceBuffer`] or [`MipmappedArray`] like any other, which goes back by [`release`](Acquired::release).
#[must_use = "Vulkan waits for its release"]
pub struct Acquired<R: Resource> {
    cuda: external::Acquired<R>,
    objects: Objects,
}

/// A hand-over that failed, with the resource as it was before.
#[derive(thiserror::Error)]
#[error("{error}")]
pub struct Refused<S> {
    /// Why.
    #[source]
    pub error: VulkanError,
    /// What was to be handed over.
    pub resource: S,
}

/// A submission that was not waited for.
struct Pending {
    /// The value that it gives the semaphore.
    value: Option<u64>,
    semaphore: vk::Semaphore,
    vulkan: Vulkan,
}

impl Pending {
    fn wait(&self) -> Result<(), VulkanError> {
        match self.value {
            Some(value) => allocate::wait(&self.vulkan, self.semaphore, value),
            None => Ok(()),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // Errors: the device is lost and nothing runs any more; after a time-out the next call of Vulkan says more.
        let _ = self.wait();
    }
}

/// A [`Shared`] resource of any kind, for [`Vulkan::submit`].
pub trait Submitted: sealed::Submitted {}

impl<R: Resource> Submitted for Shared<R> {}

mod sealed {
    use super::{Turn, VulkanError, vk};
    use crate::context::Vulkan;

    pub trait Submitted {
        /// The semaphore and its values in this turn, if work of this device may be submitted in it.
        fn turn_of(&self, vulkan: &Vulkan) -> Result<(vk::Semaphore, Turn), VulkanError>;
        /// Work was submitted.
        fn submitted(&mut self);
    }
}

impl<R: Resource> sealed::Submitted for Shared<R> {
    fn turn_of(&self, vulkan: &Vulkan) -> Result<(vk::Semaphore, Turn), VulkanError> {
        if !self.objects.vulkan.is_same(vulkan) {
            return Err(VulkanError::OtherDevice);
        }
        let turn = self.cuda.turn();
        // In the first turn the kernels begin: the semaphore has the value already.
        match (self.pending.value, turn.wait) {
            (None, Some(_)) => Ok((self.objects.semaphore, turn)),
            _ => Err(VulkanError::AlreadySubmitted),
        }
    }

    fn submitted(&mut self) {
        self.pending.value = Some(self.cuda.turn().signal);
        self.objects.was_submitted = true;
    }
}

impl Vulkan {
    /// A buffer of `len` elements, with no particular contents, in memory of its own that Vulkan makes and kernels use in place. Kernels have it first.
    ///
    /// CUDA: `cuImportExternalMemory`, `cuExternalMemoryGetMappedBuffer`, `cuImportExternalSemaphore`.
    ///
    /// # Errors
    /// [`VulkanError::NoMemoryType`], [`VulkanError::Call`]; [`VulkanError::External`] for a buffer without bytes, and for what the
    /// kernels' side refuses.
    pub fn shared_buffer<T: Plain>(
        &self,
        len: usize,
        usage: vk::BufferUsageFlags,
    ) -> Result<Shared<DeviceBuffer<T>>, VulkanError> {
        let buffer = self.bare_buffer::<T>(len, usage)?;
        let made = allocate::make(self, Object::Buffer(buffer))?;
        let Made {
            objects,
            fd,
            place,
            handover,
        } = made;
        // SAFETY: memory that was made just now, with this size and for this buffer, on the same GPU, found by its UUID. `Plain` has no invalid
        // bytes for what was never written. `Shared` and `Vulkan::submit` keep to the turns; what Vulkan's commands do is the promise of those who submit them.
        let cuda = unsafe { self.cuda().import_buffer(fd, place, len, handover)? };
        Ok(Shared::new(cuda, objects))
    }

    /// The same in memory that CUDA makes and Vulkan imports. Its elements are zero.
    ///
    /// CUDA: `cuMemCreate`, `cuMemMap`, `cuMemExportToShareableHandle`.
    ///
    /// # Errors
    /// As [`shared_buffer`](Vulkan::shared_buffer).
    pub fn exported_buffer<T: Plain>(
        &self,
        len: usize,
        usage: vk::BufferUsageFlags,
    ) -> Result<Shared<DeviceBuffer<T>>, VulkanError> {
        let buffer = self.bare_buffer::<T>(len, usage)?;
        let (objects, cuda) = allocate::take(self, buffer, |handover| {
            // SAFETY: as in `shared_buffer`; Vulkan alone gets the file descriptor.
            unsafe { self.cuda().export_buffer(len, handover) }
        })?;
        Ok(Shared::new(cuda, objects))
    }

    /// A buffer without memory.
    fn bare_buffer<T>(
        &self,
        len: usize,
        usage: vk::BufferUsageFlags,
    ) -> Result<vk::Buffer, VulkanError> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or(external::ExternalError::Empty)? as u64;
        limits::check_buffer(self, bytes, usage)?;
        let mut handles = vk::ExternalMemoryBufferCreateInfo::default()
            .handle_types(allocate::memory_handles(self));
        let told = vk::BufferCreateInfo::default()
            .size(bytes)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut handles);
        // SAFETY: all that the description points to is alive.
        let buffer = unsafe { self.device().create_buffer(&told, None) };
        let buffer = buffer.map_err(VulkanError::of("vkCreateBuffer"))?;
        Ok(buffer)
    }

    /// An image of two dimensions and one level, with no particular contents, in memory of its own that Vulkan makes and kernels use in place: as a
    /// texture, or as a surface. Kernels have it first. Its layout is `VK_IMAGE_LAYOUT_GENERAL` whenever it is handed over.
    ///
    /// On the emulator its tiling is linear, which Vulkan's devices on the CPU have for most uses, and its rows must have no gaps.
    /// CUDA: `cuImportExternalMemory`, `cuExternalMemoryGetMappedMipmappedArray`, `cuImportExternalSemaphore`.
    ///
    /// # Errors
    /// As [`shared_buffer`](Vulkan::shared_buffer); [`VulkanError::RowsHaveGaps`] on the emulator.
    pub fn shared_image<T: ArrayElement>(
        &self,
        width: u32,
        height: u32,
        usage: vk::ImageUsageFlags,
    ) -> Result<Shared<MipmappedArray<T>>, VulkanError> {
        let is_gpu = self.cuda().is_gpu();
        let (format, tiling) = limits::check_image::<T>(self, [width, height], usage)?;
        let mut handles = vk::ExternalMemoryImageCreateInfo::default()
            .handle_types(allocate::memory_handles(self));
        let told = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D {
                width,
                height,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(tiling)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED)
            .push_next(&mut handles);
        // SAFETY: all that the description points to is alive.
        let image = unsafe { self.device().create_image(&told, None) };
        let image = image.map_err(VulkanError::of("vkCreateImage"))?;
        let Made {
            objects,
            fd,
            mut place,
            handover,
        } = allocate::make(self, Object::Image(image))?;
        if !is_gpu {
            place.offset = self.offset_of_rows::<T>(image, width)?;
        }
        self.one_shot(|commands| objects.first_layout(commands))?;
        let shape = ArrayShape::Plane {
            width: width as usize,
            height: height as usize,
        };
        let shape: ArrayOptions = shape.with_surface();
        // SAFETY: as in `shared_buffer`; the image has this shape, one level, and the format of `T`.
        let cuda = unsafe {
            self.cuda()
                .import_mipmapped_array(fd, place, shape, 1, handover)?
        };
        Ok(Shared::new(cuda, objects))
    }

    /// Where the rows of a linear image start, which must have no gaps.
    fn offset_of_rows<T>(&self, image: vk::Image, width: u32) -> Result<u64, VulkanError> {
        let color = vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::COLOR);
        // SAFETY: the image is alive and linear, and has this part.
        let layout = unsafe { self.device().get_image_subresource_layout(image, color) };
        let row_bytes = u64::from(width) * size_of::<T>() as u64;
        if layout.row_pitch == row_bytes {
            return Ok(layout.offset);
        }
        Err(VulkanError::RowsHaveGaps {
            width,
            pitch: layout.row_pitch,
            row_bytes,
            offset: layout.offset,
        })
    }

    /// Submits commands that use shared resources: they start when kernels have released all of these, and when they are done, kernels get them back by
    /// [`Shared::acquire`]. Does not wait. `fence`, which may be null, is signalled then, too.
    ///
    /// # Errors
    /// [`VulkanError::OtherDevice`]; [`VulkanError::AlreadySubmitted`] for a resource with a submission in this turn, or that kernels never released;
    /// [`VulkanError::Call`]. Nothing is submitted then.
    ///
    /// # Safety
    /// As `vkQueueSubmit2`. Of all shared resources the commands use those of `resources` alone; [`Shared::begin`] and [`Shared::end`] record
    /// what has to be around the use of each.
    pub unsafe fn submit(
        &self,
        commands: &[vk::CommandBuffer],
        resources: &mut [&mut dyn Submitted],
        fence: vk::Fence,
    ) -> Result<(), VulkanError> {
        let (mut waits, mut signals) = (vec![], vec![]);
        for resource in resources.iter() {
            let (semaphore, turn) = resource.turn_of(self)?;
            let told = vk::SemaphoreSubmitInfo::default()
                .semaphore(semaphore)
                .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS);
            waits.push(told.value(turn.wait.unwrap_or(0)));
            signals.push(told.value(turn.signal));
        }
        let commands = commands.iter();
        let commands =
            commands.map(|one| vk::CommandBufferSubmitInfo::default().command_buffer(*one));
        let commands: Vec<_> = commands.collect();
        let told = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .command_buffer_infos(&commands)
            .signal_semaphore_infos(&signals)];
        // SAFETY: the semaphores are alive; the caller promises the rest.
        let done = unsafe { self.device().queue_submit2(*self.queue(), &told, fence) };
        done.map_err(VulkanError::of("vkQueueSubmit2"))?;
        for resource in resources {
            resource.submitted();
        }
        Ok(())
    }
}

impl<R: Resource> Shared<R> {
    fn new(cuda: Released<R>, objects: Objects) -> Shared<R> {
        let pending = Pending {
            value: None,
            semaphore: objects.semaphore,
            vulkan: objects.vulkan.clone(),
        };
        Shared {
            pending,
            cuda,
            objects,
        }
    }

    /// Takes the resource for kernels: work on it, on any stream, starts when Vulkan's submission of this turn is done. Does not wait on the host, except on
    /// the emulator. CUDA: `cuWaitExternalSemaphoresAsync`.
    ///
    /// # Errors
    /// [`VulkanError::NotSubmitted`] if no work of Vulkan gives it back; [`VulkanError::External`] for a stream of another device or one
    /// that records a graph. With each comes the resource.
    #[expect(
        clippy::result_large_err,
        reason = "it has the resource, as the success does"
    )]
    pub fn acquire(mut self, stream: &Stream) -> Result<Acquired<R>, Refused<Shared<R>>> {
        if self.pending.value.is_none() && self.cuda.turn().wait.is_some() {
            return Err(Refused {
                error: VulkanError::NotSubmitted,
                resource: self,
            });
        }
        match self.cuda.acquire(stream) {
            Ok(cuda) => {
                // The stream waits for Vulkan, and all that comes after waits for the stream.
                self.pending.value = None;
                Ok(Acquired {
                    cuda,
                    objects: self.objects,
                })
            }
            Err(refused) => Err(Refused {
                error: refused.error.into(),
                resource: Shared {
                    cuda: refused.resource,
                    ..self
                },
            }),
        }
    }

    /// Waits on the host until the submission of this turn is done; at once if there is none.
    ///
    /// A command buffer that is submitted again is better waited for by a fence: validation layers do not learn from a semaphore that CUDA has, too,
    /// that it is done.
    ///
    /// # Errors
    /// [`VulkanError::TimeOut`], [`VulkanError::Call`].
    pub fn wait(&self) -> Result<(), VulkanError> {
        self.pending.wait()
    }

    /// Records that commands use the resource from here on: in these stages, by these accesses, after the kernels.
    ///
    /// # Safety
    /// The command buffer is being recorded, outside of a render pass, and is submitted with this resource.
    pub unsafe fn begin(
        &self,
        commands: vk::CommandBuffer,
        stages: vk::PipelineStageFlags2,
        access: vk::AccessFlags2,
    ) {
        let (host, none) = (vk::AccessFlags2::HOST_WRITE, vk::AccessFlags2::NONE);
        let before = self.objects.other_side(host, none);
        // SAFETY: the caller promises a command buffer that is being recorded.
        unsafe {
            self.objects
                .barrier(commands, before, (stages, access), true)
        };
    }

    /// Records that commands used the resource up to here, in these stages, by these accesses: then it is the kernels'. An image has the layout
    /// `VK_IMAGE_LAYOUT_GENERAL` here.
    ///
    /// # Safety
    /// As [`begin`](Shared::begin).
    pub unsafe fn end(
        &self,
        commands: vk::CommandBuffer,
        stages: vk::PipelineStageFlags2,
        access: vk::AccessFlags2,
    ) {
        let host = vk::AccessFlags2::HOST_READ | vk::AccessFlags2::HOST_WRITE;
        let after = self.objects.other_side(host, vk::AccessFlags2::NONE);
        // SAFETY: as above.
        unsafe {
            self.objects
                .barrier(commands, (stages, access), after, false)
        };
    }
}

impl<T> Shared<DeviceBuffer<T>> {
    /// Vulkan's buffer, valid until the resource is dropped.
    #[must_use]
    pub fn buffer(&self) -> vk::Buffer {
        match self.objects.object {
            Object::Buffer(buffer) => buffer,
            Object::Image(_) => vk::Buffer::null(),
        }
    }
}

impl<T> Shared<MipmappedArray<T>> {
    /// Vulkan's image, valid until the resource is dropped.
    #[must_use]
    pub fn image(&self) -> vk::Image {
        match self.objects.object {
            Object::Image(image) => image,
            Object::Buffer(_) => vk::Image::null(),
        }
    }
}

impl<R: Resource> Acquired<R> {
    /// Gives the resource to Vulkan, when all work on it, on any stream, is done. Does not wait on the host. CUDA:
    /// `cuSignalExternalSemaphoresAsync`.
    ///
    /// # Errors
    /// [`VulkanError::External`]: a stream of another device, or one that records a graph; a graph that has the memory. With each comes the resource.
    #[expect(
        clippy::result_large_err,
        reason = "it has the resource, as the success does"
    )]
    pub fn release(self, stream: &Stream) -> Result<Shared<R>, Refused<Acquired<R>>> {
        match self.cuda.release(stream) {
            Ok(cuda) => Ok(Shared::new(cuda, self.objects)),
            Err(refused) => Err(Refused {
                error: refused.error.into(),
                resource: Acquired {
                    cuda: refused.resource,
                    objects: self.objects,
                },
            }),
        }
    }
}

impl<R: Resource> Deref for Acquired<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.cuda
    }
}

impl<T: Plain> Acquired<DeviceBuffer<T>> {
    /// All elements, to write.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.cuda.as_slice_mut()
    }
}

impl<T: ArrayElement> Acquired<MipmappedArray<T>> {
    /// The image, to write.
    ///
    /// # Errors
    /// None: it has this level.
    pub fn level_mut(&mut self) -> Result<ArrayLevelMut<'_, T>, MemoryError> {
        self.cuda.level_mut(0)
    }
}

impl Objects {
    /// The kernels' side of a barrier: another queue family on a GPU, the host on the emulator.
    fn other_side(
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
    unsafe fn barrier(
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
    fn first_layout(&self, commands: vk::CommandBuffer) {
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

impl<S> From<Refused<S>> for VulkanError {
    fn from(refused: Refused<S>) -> VulkanError {
        refused.error
    }
}

impl<S> From<Refused<S>> for warploom::Error {
    fn from(refused: Refused<S>) -> warploom::Error {
        refused.error.into()
    }
}

impl<S> fmt::Debug for Refused<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<R: Resource> fmt::Debug for Shared<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("object", &self.objects.object)
            .field("turn", &self.cuda.turn())
            .finish_non_exhaustive()
    }
}

impl<R: Resource> fmt::Debug for Acquired<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acquired")
            .field("object", &self.objects.object)
            .finish_non_exhaustive()
    }
}
