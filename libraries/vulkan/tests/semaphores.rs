//! Binary semaphores of Vulkan, which a program shares itself.

use std::os::fd::{FromRawFd, OwnedFd};

use ash::{khr, vk};
use warploom::interop::external::{ExternalSemaphore, SemaphoreKind};
use warploom_vulkan::Vulkan;

use crate::{assert_silent, vulkan};

/// A binary semaphore, as both sides have it.
fn binary(vulkan: &Vulkan) -> (vk::Semaphore, ExternalSemaphore) {
    let device = vulkan.device();
    let handles = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
    let mut exported = vk::ExportSemaphoreCreateInfo::default().handle_types(handles);
    let told = vk::SemaphoreCreateInfo::default().push_next(&mut exported);
    // SAFETY: all that the description points to is alive.
    let semaphore = unsafe { device.create_semaphore(&told, None) }.unwrap();
    let told = vk::SemaphoreGetFdInfoKHR::default()
        .semaphore(semaphore)
        .handle_type(handles);
    let loader = khr::external_semaphore_fd::Device::new(vulkan.instance(), device);
    // SAFETY: made to be exported like this.
    let fd = unsafe { loader.get_semaphore_fd(&told) }.unwrap();
    // SAFETY: opened for us.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: a binary semaphore of the same GPU; no memory is handed over by it.
    let imported = unsafe { vulkan.cuda().import_semaphore(fd, SemaphoreKind::Binary) };
    (semaphore, imported.unwrap())
}

#[test]
fn streams_and_queues_take_turns_by_binary_semaphores() {
    let Some(vulkan) = vulkan() else { return };
    if !vulkan.cuda().is_gpu() {
        eprintln!(
            "SKIPPED: the emulator takes semaphores of the host alone; its own are tested in `warploom-runtime`"
        );
        return;
    }
    let (device, stream) = (vulkan.device(), vulkan.cuda().stream().unwrap());
    let ((theirs_ready, ready), (theirs_done, done)) = (binary(&vulkan), binary(&vulkan));
    let mut x = vulkan.cuda().zeroed::<u32>(1 << 20).unwrap();
    for turn in 1..=20 {
        x.fill(turn, &stream).unwrap();
        ready.signal(1, &stream).unwrap();
        let wait = [theirs_ready];
        let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
        let signal = [theirs_done];
        let told = [vk::SubmitInfo::default()
            .wait_semaphores(&wait)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&signal)];
        // SAFETY: both semaphores are alive; each is waited for once for each signal.
        unsafe { device.queue_submit(*vulkan.queue(), &told, vk::Fence::null()) }.unwrap();
        done.wait(1, &stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(x.get(1000, &stream).unwrap(), 20);
    drop((ready, done));
    // SAFETY: the queue is locked, and idle when they are destroyed.
    unsafe {
        device.queue_wait_idle(*vulkan.queue()).unwrap();
        device.destroy_semaphore(theirs_ready, None);
        device.destroy_semaphore(theirs_done, None);
    }
    assert_silent(&vulkan);
}
