//! Who has a resource, and what is refused.

use ash::vk::{self, BufferUsageFlags, ImageUsageFlags};
use warploom::interop::external::ExternalError;
use warploom::{Device, DeviceBuffer, Stream};
use warploom_vulkan::{Shared, Vulkan, VulkanError, VulkanOptions};

use crate::{assert_silent, vulkan};

fn buffer(vulkan: &Vulkan) -> Shared<DeviceBuffer<u32>> {
    let usage = BufferUsageFlags::STORAGE_BUFFER;
    vulkan.shared_buffer(64, usage).unwrap()
}

/// Submits nothing but the hand-over.
fn submit(vulkan: &Vulkan, shared: &mut Shared<DeviceBuffer<u32>>) -> Result<(), VulkanError> {
    // SAFETY: there are no commands.
    unsafe { vulkan.submit(&[], &mut [shared], vk::Fence::null()) }
}

fn stream(vulkan: &Vulkan) -> Stream {
    vulkan.cuda().stream().unwrap()
}

#[test]
fn what_vulkan_did_not_give_back_is_refused() {
    let Some(vulkan) = vulkan() else { return };
    let stream = stream(&vulkan);
    let ours = buffer(&vulkan).acquire(&stream).unwrap();
    let refused = ours.release(&stream).unwrap().acquire(&stream).unwrap_err();
    assert!(matches!(refused.error, VulkanError::NotSubmitted));
    let mut shared = refused.resource;
    submit(&vulkan, &mut shared).unwrap();
    let again = submit(&vulkan, &mut shared).unwrap_err();
    assert!(matches!(again, VulkanError::AlreadySubmitted));
    let ours = shared.acquire(&stream).unwrap();
    assert_eq!(ours.len(), 64);
    drop(ours);
    assert_silent(&vulkan);
}

#[test]
fn kernels_have_a_new_resource_first() {
    let Some(vulkan) = vulkan() else { return };
    let mut shared = buffer(&vulkan);
    let error = submit(&vulkan, &mut shared).unwrap_err();
    assert!(matches!(error, VulkanError::AlreadySubmitted));
}

#[test]
fn what_a_kernel_wrote_goes_through_many_turns() {
    let Some(vulkan) = vulkan() else { return };
    let (one, two) = (stream(&vulkan), stream(&vulkan));
    let mut shared = buffer(&vulkan);
    for turn in 0..50u32 {
        let mut ours = shared.acquire(&one).unwrap();
        if turn > 0 {
            assert_eq!(ours.to_vec(&two).unwrap(), [turn - 1; 64]);
        }
        ours.as_slice_mut().fill(turn, &two).unwrap();
        shared = ours.release(&one).unwrap();
        submit(&vulkan, &mut shared).unwrap();
    }
    shared.wait().unwrap();
    drop(shared);
    assert_silent(&vulkan);
}

#[test]
fn resources_are_dropped_in_every_state() {
    let Some(vulkan) = vulkan() else { return };
    let stream = stream(&vulkan);
    drop(buffer(&vulkan));
    drop(buffer(&vulkan).acquire(&stream).unwrap());
    let mut ours = buffer(&vulkan).acquire(&stream).unwrap();
    ours.as_slice_mut().fill(7, &stream).unwrap();
    drop(ours.release(&stream).unwrap());
    let ours = buffer(&vulkan).acquire(&stream).unwrap();
    let mut submitted = ours.release(&stream).unwrap();
    submit(&vulkan, &mut submitted).unwrap();
    drop(submitted);
    let image = vulkan.shared_image::<f32>(64, 4, ImageUsageFlags::SAMPLED);
    drop(image.unwrap().acquire(&stream).unwrap());
    assert_silent(&vulkan);
}

#[test]
fn another_device_is_refused_on_both_sides() {
    let Some(vulkan) = vulkan() else { return };
    let device = Device::emulator();
    let elsewhere = device.stream().unwrap();
    let stream = stream(&vulkan);
    let refused = buffer(&vulkan).acquire(&elsewhere).unwrap_err();
    assert!(matches!(
        refused.error,
        VulkanError::External(ExternalError::WrongDevice { .. })
    ));
    let ours = refused.resource.acquire(&stream).unwrap();
    let refused = ours.release(&elsewhere).unwrap_err();
    assert!(matches!(
        refused.error,
        VulkanError::External(ExternalError::WrongDevice { .. })
    ));
    let mut shared = refused.resource.release(&stream).unwrap();
    let other = Vulkan::open(vulkan.cuda(), VulkanOptions::new()).unwrap();
    let error = submit(&other, &mut shared).unwrap_err();
    assert!(matches!(error, VulkanError::OtherDevice));
}

#[test]
fn sizes_and_usages_are_checked_before_vulkan_is_asked() {
    let Some(vulkan) = vulkan() else { return };
    let storage = BufferUsageFlags::STORAGE_BUFFER;
    let buffer = |len, usage| vulkan.shared_buffer::<u32>(len, usage).unwrap_err();
    for len in [0, usize::MAX] {
        let error = buffer(len, storage);
        assert!(
            matches!(error, VulkanError::External(ExternalError::Empty)),
            "{error}"
        );
    }
    for usage in [
        BufferUsageFlags::empty(),
        BufferUsageFlags::SHADER_DEVICE_ADDRESS,
        storage | BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR,
    ] {
        let error = buffer(4, usage);
        assert!(matches!(error, VulkanError::Usage { .. }), "{error}");
    }
    let error = buffer(usize::MAX / 8, storage);
    assert!(
        matches!(error, VulkanError::BufferTooLarge { .. }),
        "{error}"
    );
    let image = |width, height, usage| {
        vulkan
            .shared_image::<f32>(width, height, usage)
            .unwrap_err()
    };
    for (width, height) in [(0, 4), (64, 0), (u32::MAX, 4), (64, u32::MAX)] {
        let error = image(width, height, ImageUsageFlags::SAMPLED);
        assert!(matches!(error, VulkanError::Image { .. }), "{error}");
    }
    for usage in [
        ImageUsageFlags::empty(),
        ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
    ] {
        let error = image(64, 4, usage);
        assert!(matches!(error, VulkanError::Usage { .. }), "{error}");
    }
    assert_silent(&vulkan);
}

#[test]
fn a_misuse_of_vulkan_is_reported_by_the_validation_layer() {
    let device = Device::open().unwrap();
    let Ok(vulkan) = Vulkan::open(&device, VulkanOptions::new().validation()) else {
        eprintln!("SKIPPED, because Vulkan or its validation layer is not here");
        return;
    };
    let told = vk::BufferCreateInfo::default().usage(BufferUsageFlags::STORAGE_BUFFER);
    // SAFETY: a buffer of zero bytes is an error, which the layer reports before its result is used.
    if let Ok(made) = unsafe { vulkan.device().create_buffer(&told, None) } {
        // SAFETY: made just now.
        unsafe { vulkan.device().destroy_buffer(made, None) };
    }
    let messages = vulkan.messages();
    assert!(
        messages
            .iter()
            .any(|text| text.contains("VkBufferCreateInfo")),
        "{messages:?}"
    );
}
