//! Vulkan's instance, the device that is the kernels' one, and a queue of it.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::{Entry, Instance, ext, khr, vk};
use warploom::Device;

use crate::error::VulkanError;
use crate::messages::Messages;

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

/// How Vulkan is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VulkanOptions {
    validation: bool,
}

impl VulkanOptions {
    /// Without validation.
    #[must_use]
    pub fn new() -> VulkanOptions {
        VulkanOptions::default()
    }

    /// With the validation layer, whose messages [`Vulkan::messages`] has.
    #[must_use]
    pub fn validation(mut self) -> VulkanOptions {
        self.validation = true;
        self
    }
}

/// Vulkan on the device on which kernels run: version 1.3, without a window, with one queue for graphics, compute and copies.
///
/// Clones are the same. It stays while anything that was made of it is there.
#[derive(Clone)]
pub struct Vulkan(Arc<Opened>);

pub(crate) struct Opened {
    pub(crate) cuda: Device,
    pub(crate) device: ash::Device,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    /// The queue, which one thread uses at a time.
    queue: Mutex<vk::Queue>,
    family: u32,
    name: String,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    pub(crate) instance: Instance,
    /// In a box: the layer has its address.
    messages: Box<Messages>,
    /// Keeps the loader; goes last.
    _entry: Entry,
}

impl Vulkan {
    /// Opens Vulkan on the GPU of `cuda`, found by its UUID. For an emulated device: on any device of Vulkan, one on the CPU if there is one.
    ///
    /// # Errors
    /// [`VulkanError::LoaderNotFound`], [`VulkanError::NoDevice`], [`VulkanError::NoValidation`], [`VulkanError::Call`];
    /// [`VulkanError::External`] if the GPU does not tell its UUID.
    pub fn open(cuda: &Device, options: VulkanOptions) -> Result<Vulkan, VulkanError> {
        // SAFETY: the loader has the functions of Vulkan; it stays loaded while `Opened` is there.
        let entry = unsafe { Entry::load() };
        let entry = entry.map_err(|error| VulkanError::LoaderNotFound {
            reason: error.to_string(),
        })?;
        let messages = Box::new(Messages::default());
        let instance = instance(&entry, options, &messages)?;
        let mut unfinished = Unfinished {
            instance,
            is_finished: false,
        };
        let instance = &unfinished.instance;
        let uuid = match cuda.is_gpu() {
            true => Some(
                cuda.properties()
                    .map_err(|error| warploom::interop::external::ExternalError::Host {
                        what: "ask the GPU for its UUID",
                        reason: error.to_string(),
                    })?
                    .uuid
                    .0,
            ),
            false => None,
        };
        let (physical, family, name) = choose(instance, cuda, uuid)?;
        let device = device(instance, physical, family, cuda.is_gpu())?;
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { device.get_device_queue(family, 0) };
        // SAFETY: the physical device is one of the instance.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let mut opened = Opened {
            cuda: cuda.clone(),
            device,
            physical,
            memory,
            queue: Mutex::new(queue),
            family,
            name,
            messenger: None,
            instance: unfinished.finish(),
            messages,
            _entry: entry,
        };
        if options.validation {
            let loader = ext::debug_utils::Instance::new(&opened._entry, &opened.instance);
            let told = opened.messages.messenger();
            // SAFETY: the messages are in a box that goes after the messenger.
            let made = unsafe { loader.create_debug_utils_messenger(&told, None) };
            let made = made.map_err(VulkanError::of("vkCreateDebugUtilsMessengerEXT"))?;
            opened.messenger = Some((loader, made));
        }
        Ok(Vulkan(Arc::new(opened)))
    }

    /// The device, to make objects and record commands with.
    #[must_use]
    pub fn device(&self) -> &ash::Device {
        &self.0.device
    }

    /// The instance.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.0.instance
    }

    /// The physical device.
    #[must_use]
    pub fn physical_device(&self) -> vk::PhysicalDevice {
        self.0.physical
    }

    /// The number of the queue's family.
    #[must_use]
    pub fn queue_family(&self) -> u32 {
        self.0.family
    }

    /// The queue, locked: Vulkan lets one thread at a time use it. [`submit`](Vulkan::submit), and dropping a resource, wait for the lock.
    pub fn queue(&self) -> MutexGuard<'_, vk::Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What Vulkan calls the device.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Warnings and errors of the validation layer so far; none if it was not asked for.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        self.0.messages.all()
    }

    /// The device on which kernels run.
    #[must_use]
    pub fn cuda(&self) -> &Device {
        &self.0.cuda
    }

    /// Records commands, submits them, and waits for them.
    pub(crate) fn one_shot(&self, record: impl Fn(vk::CommandBuffer)) -> Result<(), VulkanError> {
        let told = vk::CommandPoolCreateInfo::default().queue_family_index(self.queue_family());
        // SAFETY: the family is one of the device.
        let pool = unsafe { self.device().create_command_pool(&told, None) };
        let pool = pool.map_err(VulkanError::of("vkCreateCommandPool"))?;
        let done = self.one_shot_in(pool, record);
        // SAFETY: destroyed once; its commands are done, or were never submitted.
        unsafe { self.device().destroy_command_pool(pool, None) };
        done
    }

    fn one_shot_in(
        &self,
        pool: vk::CommandPool,
        record: impl Fn(vk::CommandBuffer),
    ) -> Result<(), VulkanError> {
        let device = self.device();
        let told = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(1);
        // SAFETY: the pool is alive, and this thread's alone.
        let commands = unsafe { device.allocate_command_buffers(&told) };
        let commands = commands.map_err(VulkanError::of("vkAllocateCommandBuffers"))?;
        let told = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        for one in &commands {
            // SAFETY: new, so not being recorded.
            unsafe { device.begin_command_buffer(*one, &told) }
                .map_err(VulkanError::of("vkBeginCommandBuffer"))?;
            record(*one);
            // SAFETY: it is being recorded.
            unsafe { device.end_command_buffer(*one) }
                .map_err(VulkanError::of("vkEndCommandBuffer"))?;
        }
        let told = [vk::SubmitInfo::default().command_buffers(&commands)];
        let queue = self.queue();
        // SAFETY: the commands are recorded; the queue is locked.
        unsafe { device.queue_submit(*queue, &told, vk::Fence::null()) }
            .map_err(VulkanError::of("vkQueueSubmit"))?;
        // SAFETY: the queue is locked.
        unsafe { device.queue_wait_idle(*queue) }.map_err(VulkanError::of("vkQueueWaitIdle"))
    }

    pub(crate) fn is_same(&self, other: &Vulkan) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn opened(&self) -> &Opened {
        &self.0
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: all objects keep the device, so none is left. An error means that the device is lost, and nothing runs any more.
        let _ = unsafe { self.device.device_wait_idle() };
        // SAFETY: as above.
        unsafe { self.device.destroy_device(None) };
        if let Some((loader, messenger)) = self.messenger.take() {
            // SAFETY: made of this instance, and destroyed once.
            unsafe { loader.destroy_debug_utils_messenger(messenger, None) };
        }
        // SAFETY: nothing of the instance is left.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// An instance that is destroyed unless all went well.
struct Unfinished {
    instance: Instance,
    is_finished: bool,
}

impl Unfinished {
    fn finish(&mut self) -> Instance {
        self.is_finished = true;
        self.instance.clone()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_finished {
            // SAFETY: nothing was made of it that is left.
            unsafe { self.instance.destroy_instance(None) };
        }
    }
}

fn instance(
    entry: &Entry,
    options: VulkanOptions,
    messages: &Messages,
) -> Result<Instance, VulkanError> {
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let (mut layers, mut extensions): (Vec<*const c_char>, Vec<*const c_char>) = (vec![], vec![]);
    if options.validation {
        // SAFETY: only lists layers.
        let known = unsafe { entry.enumerate_instance_layer_properties() };
        let known = known.map_err(VulkanError::of("vkEnumerateInstanceLayerProperties"))?;
        if !known
            .iter()
            .any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION))
        {
            return Err(VulkanError::NoValidation);
        }
        layers.push(VALIDATION.as_ptr());
        extensions.push(ext::debug_utils::NAME.as_ptr());
    }
    let mut messenger = messages.messenger();
    let mut told = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(&layers)
        .enabled_extension_names(&extensions);
    if options.validation {
        told = told.push_next(&mut messenger);
    }
    // SAFETY: all that the description points to is alive.
    unsafe { entry.create_instance(&told, None) }.map_err(VulkanError::of("vkCreateInstance"))
}

/// The device with this UUID, or the best for the emulator; its queue family; its name.
fn choose(
    instance: &Instance,
    cuda: &Device,
    uuid: Option<[u8; 16]>,
) -> Result<(vk::PhysicalDevice, u32, String), VulkanError> {
    // SAFETY: only lists devices.
    let all = unsafe { instance.enumerate_physical_devices() };
    let all = all.map_err(VulkanError::of("vkEnumeratePhysicalDevices"))?;
    let (mut found, mut refused) = (vec![], vec![]);
    for physical in all {
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
        // SAFETY: the device is one of the instance; the structures are those that version 1.1 fills.
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        let kind = properties.properties.device_type;
        let version = properties.properties.api_version;
        let name = properties.properties.device_name_as_c_str();
        let name = name
            .map_or_else(|_| "?".into(), CStr::to_string_lossy)
            .into_owned();
        match why_not(
            instance,
            physical,
            version,
            uuid.map(|uuid| uuid == ids.device_uuid),
        ) {
            Ok(family) => found.push((kind != vk::PhysicalDeviceType::CPU, physical, family, name)),
            Err(reason) => refused.push(format!("{name} ({reason})")),
        }
    }
    // On the emulator a device on the CPU comes first; a GPU has one UUID.
    found.sort_by_key(|(is_gpu, ..)| *is_gpu);
    let first = found.into_iter().next();
    first
        .map(|(_, physical, family, name)| (physical, family, name))
        .ok_or_else(|| VulkanError::NoDevice {
            device: cuda.name().to_owned(),
            found: match refused.is_empty() {
                true => "none".to_owned(),
                false => refused.join(", "),
            },
        })
}

/// The queue family to use, or why the device cannot be used.
fn why_not(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    version: u32,
    is_the_gpu: Option<bool>,
) -> Result<u32, String> {
    if is_the_gpu == Some(false) {
        return Err("another device".into());
    }
    if version < vk::API_VERSION_1_3 {
        return Err("older than Vulkan 1.3".into());
    }
    // SAFETY: the device is one of the instance.
    let known = unsafe { instance.enumerate_device_extension_properties(physical) };
    let known = known.map_err(|error| error.to_string())?;
    for wanted in extensions(is_the_gpu.is_some()) {
        if !known
            .iter()
            .any(|known| known.extension_name_as_c_str() == Ok(*wanted))
        {
            return Err(format!("lacks {}", wanted.to_string_lossy()));
        }
    }
    // SAFETY: as above.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
    let family = families
        .iter()
        .position(|family| family.queue_flags.contains(wanted));
    let family = family.and_then(|family| u32::try_from(family).ok());
    family.ok_or_else(|| "has no queue for graphics and compute".into())
}

/// What sharing needs: file descriptors of a GPU; host memory on the emulator.
fn extensions(is_gpu: bool) -> &'static [&'static CStr] {
    match is_gpu {
        true => &[
            khr::external_memory_fd::NAME,
            khr::external_semaphore_fd::NAME,
        ],
        false => &[ext::external_memory_host::NAME],
    }
}

fn device(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    family: u32,
    is_gpu: bool,
) -> Result<ash::Device, VulkanError> {
    let names: Vec<_> = extensions(is_gpu)
        .iter()
        .map(|name| name.as_ptr())
        .collect();
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(family)
        .queue_priorities(&[1.0])];
    let mut of_12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
    let mut of_13 = vk::PhysicalDeviceVulkan13Features::default()
        .dynamic_rendering(true)
        .synchronization2(true);
    let told = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .push_next(&mut of_12)
        .push_next(&mut of_13);
    // SAFETY: all that the description points to is alive; extensions were looked up, and version 1.3 has these features.
    unsafe { instance.create_device(physical, &told, None) }
        .map_err(VulkanError::of("vkCreateDevice"))
}

impl fmt::Debug for Vulkan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vulkan")
            .field("name", &self.0.name)
            .field("cuda", &self.0.cuda)
            .finish_non_exhaustive()
    }
}
