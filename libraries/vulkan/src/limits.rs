//! What buffers and images the device has: Vulkan itself does not check, so that what is refused here would be undefined behaviour there.

use std::any::type_name;

use ash::vk;
use warploom::{ArrayElement, ChannelFormat};

use crate::allocate;
use crate::context::Vulkan;
use crate::error::VulkanError;

/// Uses of buffers that need no extension: bits 0 to 8.
const BUFFER_USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(0x1ff);

/// Refuses a buffer that the device does not have.
pub(crate) fn check_buffer(
    vulkan: &Vulkan,
    bytes: u64,
    usage: vk::BufferUsageFlags,
) -> Result<(), VulkanError> {
    if usage.is_empty() || !BUFFER_USAGE.contains(usage) {
        return Err(VulkanError::Usage {
            given: usage.as_raw(),
            known: BUFFER_USAGE.as_raw(),
        });
    }
    let mut of_13 = vk::PhysicalDeviceVulkan13Properties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut of_13);
    let instance = vulkan.instance();
    // SAFETY: the device is one of the instance, and has version 1.3.
    unsafe { instance.get_physical_device_properties2(vulkan.physical_device(), &mut properties) };
    let limit = of_13.max_buffer_size;
    let told = vk::PhysicalDeviceExternalBufferInfo::default()
        .usage(usage)
        .handle_type(allocate::memory_handles(vulkan));
    let mut external = vk::ExternalBufferProperties::default();
    // SAFETY: as above; the description is complete.
    unsafe {
        let physical = vulkan.physical_device();
        instance.get_physical_device_external_buffer_properties(physical, &told, &mut external);
    }
    if !is_shareable(vulkan, external.external_memory_properties) {
        return Err(VulkanError::Usage {
            given: usage.as_raw(),
            known: BUFFER_USAGE.as_raw(),
        });
    }
    if bytes > limit {
        return Err(VulkanError::BufferTooLarge {
            given: bytes,
            limit,
        });
    }
    Ok(())
}

/// Whether memory of such a resource goes from Vulkan to CUDA; on the emulator, from the host to Vulkan.
fn is_shareable(vulkan: &Vulkan, known: vk::ExternalMemoryProperties) -> bool {
    let wanted = match vulkan.cuda().is_gpu() {
        true => vk::ExternalMemoryFeatureFlags::EXPORTABLE,
        false => vk::ExternalMemoryFeatureFlags::IMPORTABLE,
    };
    known.external_memory_features.contains(wanted)
}

/// Uses of images that need no extension.
fn image_usage() -> vk::ImageUsageFlags {
    vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::COLOR_ATTACHMENT
}

/// The format and the tiling of an image that the device shares.
pub(crate) fn check_image<T: ArrayElement>(
    vulkan: &Vulkan,
    [width, height]: [u32; 2],
    usage: vk::ImageUsageFlags,
) -> Result<(vk::Format, vk::ImageTiling), VulkanError> {
    let known = image_usage();
    if usage.is_empty() || !known.contains(usage) {
        return Err(VulkanError::Usage {
            given: usage.as_raw(),
            known: known.as_raw(),
        });
    }
    let refuse = |result, limit| VulkanError::Image {
        width,
        height,
        element: type_name::<T>(),
        limit,
        result,
    };
    let unknown = vk::Result::ERROR_FORMAT_NOT_SUPPORTED;
    let format = format_of::<T>().ok_or_else(|| refuse(unknown, [0; 2]))?;
    let tiling = match vulkan.cuda().is_gpu() {
        true => vk::ImageTiling::OPTIMAL,
        false => vk::ImageTiling::LINEAR,
    };
    let mut handles = vk::PhysicalDeviceExternalImageFormatInfo::default()
        .handle_type(allocate::memory_handles(vulkan));
    let told = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(format)
        .ty(vk::ImageType::TYPE_2D)
        .tiling(tiling)
        .usage(usage)
        .push_next(&mut handles);
    let mut external = vk::ExternalImageFormatProperties::default();
    let mut found = vk::ImageFormatProperties2::default().push_next(&mut external);
    let (instance, physical) = (vulkan.instance(), vulkan.physical_device());
    // SAFETY: the device is one of the instance; all that the description points to is alive.
    let asked = unsafe {
        instance.get_physical_device_image_format_properties2(physical, &told, &mut found)
    };
    asked.map_err(|result| refuse(result, [0; 2]))?;
    let limit = found.image_format_properties.max_extent;
    if !is_shareable(vulkan, external.external_memory_properties) {
        return Err(refuse(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, [0; 2]));
    }
    if width == 0 || height == 0 || width > limit.width || height > limit.height {
        let limit = [limit.width, limit.height];
        return Err(refuse(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, limit));
    }
    Ok((format, tiling))
}

/// Vulkan's format of these texels; bytes without a sign are numbers from 0 to 1 there, other integers are integers.
fn format_of<T: ArrayElement>() -> Option<vk::Format> {
    use vk::Format as F;
    let formats = match T::FORMAT {
        ChannelFormat::U8 => [F::R8_UNORM, F::R8G8_UNORM, F::R8G8B8A8_UNORM],
        ChannelFormat::U16 => [F::R16_UINT, F::R16G16_UINT, F::R16G16B16A16_UINT],
        ChannelFormat::U32 => [F::R32_UINT, F::R32G32_UINT, F::R32G32B32A32_UINT],
        ChannelFormat::I8 => [F::R8_SINT, F::R8G8_SINT, F::R8G8B8A8_SINT],
        ChannelFormat::I16 => [F::R16_SINT, F::R16G16_SINT, F::R16G16B16A16_SINT],
        ChannelFormat::I32 => [F::R32_SINT, F::R32G32_SINT, F::R32G32B32A32_SINT],
        ChannelFormat::F16 => [F::R16_SFLOAT, F::R16G16_SFLOAT, F::R16G16B16A16_SFLOAT],
        ChannelFormat::F32 => [F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32A32_SFLOAT],
        _ => return None,
    };
    let at = match T::CHANNELS {
        1 => 0,
        2 => 1,
        4 => 2,
        _ => return None,
    };
    formats.get(at).copied()
}
