//! Makes buffers and images that are shared.

use ash::vk;
use warploom::device_std::Plain;
use warploom::interop::external::ExternalError;
use warploom::{ArrayElement, ArrayOptions, ArrayShape, DeviceBuffer, MipmappedArray};

use crate::allocate::{self, Made, Object};
use crate::context::Vulkan;
use crate::error::VulkanError;
use crate::limits;
use crate::shared::Shared;

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
    /// As [`shared_buffer`](Vulkan::shared_buffer), and [`VulkanError::MemoryTooSmall`].
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
        let bytes = bytes.ok_or(ExternalError::Empty)? as u64;
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
}
