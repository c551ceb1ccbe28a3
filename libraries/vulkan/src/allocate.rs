//! Memory and semaphores that both sides reach: exported by Vulkan on a GPU, the host's on the emulator.

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use ash::{ext, khr, vk};
use warploom::interop::external::{
    Exported, ExternalError, ExternalPlace, ExternalSemaphore, Handover, HostMemory, HostTimeline,
    SemaphoreKind,
};

use crate::context::Vulkan;
use crate::error::VulkanError;

/// How long is waited for Vulkan.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A buffer or an image.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Object {
    Buffer(vk::Buffer),
    Image(vk::Image),
}

/// Vulkan's objects behind a shared resource.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) object: Object,
    pub(crate) semaphore: vk::Semaphore,
    memory: vk::DeviceMemory,
    /// Whether commands were submitted with them.
    pub(crate) was_submitted: bool,
    /// The memory itself, on the emulator; goes after Vulkan's hold on it.
    host: Option<HostMemory>,
    pub(crate) vulkan: Vulkan,
}

/// What was made, with what the other side imports.
pub(crate) struct Made {
    pub(crate) objects: Objects,
    pub(crate) fd: OwnedFd,
    pub(crate) place: ExternalPlace,
    pub(crate) handover: Handover,
}

/// The kind of handle that a GPU's memory is shared by, or the host's.
pub(crate) fn memory_handles(vulkan: &Vulkan) -> vk::ExternalMemoryHandleTypeFlags {
    match vulkan.cuda().is_gpu() {
        true => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
        false => vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT,
    }
}

/// Gives a buffer or an image, which is destroyed on an error, memory of its own, and makes a timeline semaphore for it.
pub(crate) fn make(vulkan: &Vulkan, object: Object) -> Result<Made, VulkanError> {
    let device = vulkan.device();
    // From here on all that was made so far is destroyed if anything fails.
    let mut objects = Objects::new(vulkan, object);
    let needs = match object {
        // SAFETY: the buffer is alive.
        Object::Buffer(buffer) => unsafe { device.get_buffer_memory_requirements(buffer) },
        // SAFETY: the image is alive.
        Object::Image(image) => unsafe { device.get_image_memory_requirements(image) },
    };
    let (fd, place) = match vulkan.cuda().is_gpu() {
        true => export(&mut objects, needs)?,
        false => import_host(&mut objects, needs)?,
    };
    let memory = objects.memory;
    match object {
        // SAFETY: memory of a size and type that the buffer asked for, to which nothing else is bound.
        Object::Buffer(buffer) => unsafe { device.bind_buffer_memory(buffer, memory, 0) }
            .map_err(VulkanError::of("vkBindBufferMemory"))?,
        // SAFETY: as above.
        Object::Image(image) => unsafe { device.bind_image_memory(image, memory, 0) }
            .map_err(VulkanError::of("vkBindImageMemory"))?,
    }
    let semaphore = semaphore(&mut objects)?;
    Ok(Made {
        objects,
        fd,
        place,
        handover: Handover::timeline(semaphore, 0),
    })
}

/// Gives a buffer, which is destroyed on an error, memory that `export` makes for a hand-over.
pub(crate) fn take<X>(
    vulkan: &Vulkan,
    buffer: vk::Buffer,
    export: impl FnOnce(Handover) -> Result<(X, Exported), ExternalError>,
) -> Result<(Objects, X), VulkanError> {
    let mut objects = Objects::new(vulkan, Object::Buffer(buffer));
    let semaphore = semaphore(&mut objects)?;
    let (other, exported) = export(Handover::timeline(semaphore, 0))?;
    let device = vulkan.device();
    // SAFETY: the buffer is alive.
    let needs = unsafe { device.get_buffer_memory_requirements(buffer) };
    let size = exported.allocation_bytes;
    if vulkan.cuda().is_gpu() {
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let memory_type = memory_type(vulkan, needs.memory_type_bits, local, "local to the GPU")?;
        let mut imported = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD)
            .fd(exported.fd.as_raw_fd());
        let told = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(memory_type)
            .push_next(&mut imported);
        // SAFETY: the file descriptor is one of memory of this size on the same GPU, found by its UUID.
        let made = unsafe { device.allocate_memory(&told, None) };
        objects.memory = made.map_err(VulkanError::of("vkAllocateMemory"))?;
        let _ = exported.fd.into_raw_fd(); // Vulkan's, now that it took it
    } else {
        let bytes = usize::try_from(size).unwrap_or(usize::MAX);
        let memory = HostMemory::map(exported.fd, bytes).map_err(refused)?;
        import_pages(&mut objects, memory, needs.memory_type_bits)?;
    }
    if needs.size > size {
        return Err(VulkanError::MemoryTooSmall {
            needed: needs.size,
            given: size,
        });
    }
    // SAFETY: memory of a size and type that the buffer asked for, to which nothing else is bound.
    unsafe { device.bind_buffer_memory(buffer, objects.memory, 0) }
        .map_err(VulkanError::of("vkBindBufferMemory"))?;
    Ok((objects, other))
}

/// The system's answer.
fn refused(error: std::io::Error) -> ExternalError {
    ExternalError::Host {
        what: "make memory to share with Vulkan",
        reason: error.to_string(),
    }
}

/// Memory of the GPU, with a file descriptor of it.
fn export(
    objects: &mut Objects,
    needs: vk::MemoryRequirements,
) -> Result<(OwnedFd, ExternalPlace), VulkanError> {
    let vulkan = objects.vulkan.clone();
    let device = vulkan.device();
    let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
    let memory_type = memory_type(&vulkan, needs.memory_type_bits, local, "local to the GPU")?;
    let handles = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let mut exported = vk::ExportMemoryAllocateInfo::default().handle_types(handles);
    let mut dedicated = dedicated(objects.object);
    let told = vk::MemoryAllocateInfo::default()
        .allocation_size(needs.size)
        .memory_type_index(memory_type)
        .push_next(&mut exported)
        .push_next(&mut dedicated);
    // SAFETY: all that the description points to is alive.
    let made = unsafe { device.allocate_memory(&told, None) };
    objects.memory = made.map_err(VulkanError::of("vkAllocateMemory"))?;
    let loader = khr::external_memory_fd::Device::new(vulkan.instance(), device);
    let told = vk::MemoryGetFdInfoKHR::default()
        .memory(objects.memory)
        .handle_type(handles);
    // SAFETY: the memory was allocated to be exported like this.
    let fd = unsafe { loader.get_memory_fd(&told) }.map_err(VulkanError::of("vkGetMemoryFdKHR"))?;
    let place = ExternalPlace::new(needs.size).dedicated();
    Ok((owned(fd), place))
}

/// Memory of the host that Vulkan uses in place.
fn import_host(
    objects: &mut Objects,
    needs: vk::MemoryRequirements,
) -> Result<(OwnedFd, ExternalPlace), VulkanError> {
    let vulkan = objects.vulkan.clone();
    let mut limits = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
    // SAFETY: the device has the extension whose structure it is.
    unsafe {
        let physical = vulkan.physical_device();
        vulkan
            .instance()
            .get_physical_device_properties2(physical, &mut properties);
    }
    let step = limits.min_imported_host_pointer_alignment.max(4096);
    let size = needs.size.next_multiple_of(step);
    let bytes = usize::try_from(size).unwrap_or(usize::MAX);
    let memory = HostMemory::new(bytes).map_err(refused)?;
    let fd = memory.fd().map_err(refused)?;
    import_pages(objects, memory, needs.memory_type_bits)?;
    Ok((fd, ExternalPlace::new(size)))
}

/// Lets Vulkan use memory of the host, in a memory type of these.
fn import_pages(objects: &mut Objects, memory: HostMemory, types: u32) -> Result<(), VulkanError> {
    let vulkan = objects.vulkan.clone();
    let device = vulkan.device();
    let size = memory.bytes() as u64;
    let start = memory.start().cast();
    let handles = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let loader = ext::external_memory_host::Device::new(vulkan.instance(), device);
    let mut of_host = vk::MemoryHostPointerPropertiesEXT::default();
    let ask = loader.fp().get_memory_host_pointer_properties_ext;
    // SAFETY: the function is the device's, and the memory is mapped.
    let asked = unsafe { ask(device.handle(), handles, start, &raw mut of_host) };
    asked
        .result()
        .map_err(VulkanError::of("vkGetMemoryHostPointerPropertiesEXT"))?;
    let both = types & of_host.memory_type_bits;
    let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let memory_type = memory_type(&vulkan, both, visible, "visible to the host")?;
    let mut imported = vk::ImportMemoryHostPointerInfoEXT::default()
        .handle_type(handles)
        .host_pointer(start);
    let told = vk::MemoryAllocateInfo::default()
        .allocation_size(size)
        .memory_type_index(memory_type)
        .push_next(&mut imported);
    objects.host = Some(memory);
    // SAFETY: the memory is mapped with this size, at a multiple of what the device asks for, and goes after Vulkan's hold on it.
    let made = unsafe { device.allocate_memory(&told, None) };
    objects.memory = made.map_err(VulkanError::of("vkAllocateMemory"))?;
    Ok(())
}

/// That an allocation is for this object alone.
fn dedicated(object: Object) -> vk::MemoryDedicatedAllocateInfo<'static> {
    let told = vk::MemoryDedicatedAllocateInfo::default();
    match object {
        Object::Buffer(buffer) => told.buffer(buffer),
        Object::Image(image) => told.image(image),
    }
}

/// The first memory type of these that has the properties.
fn memory_type(
    vulkan: &Vulkan,
    types: u32,
    properties: vk::MemoryPropertyFlags,
    wanted: &'static str,
) -> Result<u32, VulkanError> {
    let known = vulkan.opened().memory.memory_types_as_slice();
    (0u32..)
        .zip(known)
        .find(|(index, known)| {
            types & (1 << index) != 0 && known.property_flags.contains(properties)
        })
        .map(|(index, _)| index)
        .ok_or(VulkanError::NoMemoryType { wanted, types })
}

/// A timeline semaphore, as both sides have it.
fn semaphore(objects: &mut Objects) -> Result<ExternalSemaphore, VulkanError> {
    let vulkan = objects.vulkan.clone();
    let (device, cuda) = (vulkan.device(), vulkan.cuda());
    let handles = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
    let mut kind =
        vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let mut exported = vk::ExportSemaphoreCreateInfo::default().handle_types(handles);
    let mut told = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    if cuda.is_gpu() {
        told = told.push_next(&mut exported);
    }
    // SAFETY: all that the description points to is alive; the device has timeline semaphores.
    let made = unsafe { device.create_semaphore(&told, None) };
    objects.semaphore = made.map_err(VulkanError::of("vkCreateSemaphore"))?;
    if !cuda.is_gpu() {
        let timeline = Timeline {
            vulkan: vulkan.clone(),
            semaphore: objects.semaphore,
        };
        // SAFETY: `Shared` and `Vulkan::submit` keep to the turns of this semaphore, which nothing else has.
        return Ok(unsafe { ExternalSemaphore::of_host(cuda, timeline)? });
    }
    let loader = khr::external_semaphore_fd::Device::new(vulkan.instance(), device);
    let told = vk::SemaphoreGetFdInfoKHR::default()
        .semaphore(objects.semaphore)
        .handle_type(handles);
    // SAFETY: the semaphore was made to be exported like this.
    let fd = unsafe { loader.get_semaphore_fd(&told) };
    let fd = owned(fd.map_err(VulkanError::of("vkGetSemaphoreFdKHR"))?);
    // SAFETY: as above; the file descriptor is one of a timeline semaphore on the same GPU, found by its UUID.
    Ok(unsafe { cuda.import_semaphore(fd, SemaphoreKind::Timeline)? })
}

fn owned(fd: RawFd) -> OwnedFd {
    // SAFETY: Vulkan opened it for us, and keeps none of this number.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

/// Vulkan's semaphore, signalled and waited for by the host. The objects keep it while the resource is there.
struct Timeline {
    vulkan: Vulkan,
    semaphore: vk::Semaphore,
}

impl HostTimeline for Timeline {
    fn wait(&self, value: u64) -> Result<(), ExternalError> {
        let waited = wait(&self.vulkan, self.semaphore, value);
        waited.map_err(|error| ExternalError::Host {
            what: "wait for Vulkan",
            reason: error.to_string(),
        })
    }

    fn signal(&self, value: u64) -> Result<(), ExternalError> {
        let told = vk::SemaphoreSignalInfo::default()
            .semaphore(self.semaphore)
            .value(value);
        // SAFETY: the semaphore is alive; its turns make values grow, and no submission signals this one.
        let done = unsafe { self.vulkan.device().signal_semaphore(&told) };
        done.map_err(|error| ExternalError::Host {
            what: "signal Vulkan's semaphore",
            reason: error.to_string(),
        })
    }
}

/// Waits on the host until a timeline semaphore has this value.
pub(crate) fn wait(
    vulkan: &Vulkan,
    semaphore: vk::Semaphore,
    value: u64,
) -> Result<(), VulkanError> {
    let (semaphores, values) = ([semaphore], [value]);
    let told = vk::SemaphoreWaitInfo::default()
        .semaphores(&semaphores)
        .values(&values);
    let patience = u64::try_from(PATIENCE.as_nanos()).unwrap_or(u64::MAX);
    // SAFETY: the semaphore is alive.
    match unsafe { vulkan.device().wait_semaphores(&told, patience) } {
        Ok(()) => Ok(()),
        Err(vk::Result::TIMEOUT) => Err(VulkanError::TimeOut {
            seconds: PATIENCE.as_secs(),
        }),
        Err(result) => Err(VulkanError::Call {
            call: "vkWaitSemaphores",
            result,
        }),
    }
}

impl Objects {
    /// An object without memory and semaphore.
    fn new(vulkan: &Vulkan, object: Object) -> Objects {
        Objects {
            object,
            semaphore: vk::Semaphore::null(),
            memory: vk::DeviceMemory::null(),
            was_submitted: false,
            host: None,
            vulkan: vulkan.clone(),
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let device = self.vulkan.device();
        if self.was_submitted {
            // They are done, but validation layers do not learn that from a semaphore that CUDA has, too. All that the queue still waits for was released.
            // SAFETY: the queue is locked. An error means that the device is lost.
            let _ = unsafe { device.queue_wait_idle(*self.vulkan.queue()) };
        }
        // SAFETY: destroyed once; the owner has waited for the submissions that use them. Null is allowed.
        unsafe { device.destroy_semaphore(self.semaphore, None) };
        match self.object {
            // SAFETY: as above.
            Object::Buffer(buffer) => unsafe { device.destroy_buffer(buffer, None) },
            // SAFETY: as above.
            Object::Image(image) => unsafe { device.destroy_image(image, None) },
        }
        // SAFETY: as above.
        unsafe { device.free_memory(self.memory, None) };
    }
}
