//! A buffer or an image that Vulkan and kernels share, and which of them has it.

use std::fmt;
use std::ops::Deref;

use ash::vk;
use warploom::device_std::Plain;
use warploom::interop::external::{self, Released, Resource, Turn};
use warploom::{
    ArrayElement, ArrayLevelMut, DeviceBuffer, DeviceSliceMut, MemoryError, MipmappedArray, Stream,
};

use crate::allocate::{self, Object, Objects};
use crate::context::Vulkan;
use crate::error::VulkanError;

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
    pub(crate) fn new(cuda: Released<R>, objects: Objects) -> Shared<R> {
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
