//! Kernels and Vulkan on the same memory: on the emulator with any device of Vulkan, on a GPU with its own. Where Vulkan is not installed each test says so and
//! does nothing.
#![expect(
    clippy::expect_used,
    clippy::multiple_unsafe_ops_per_block,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what fails in a test's own functions fails the test"
)]

mod host; // the test is the other side
mod ownership; // who has a resource, and what is refused
mod pictures; // what Vulkan draws is what kernels computed
mod semaphores; // binary ones

use warploom::Device;
use warploom_vulkan::{Vulkan, VulkanError, VulkanOptions};

/// Vulkan with the validation layer, without it where it is not installed, or `None`, and a line that says why, where there is no Vulkan at all.
fn vulkan() -> Option<Vulkan> {
    let device = Device::open().expect("a device");
    let opened = match Vulkan::open(&device, VulkanOptions::new().validation()) {
        Err(VulkanError::NoValidation) => {
            eprintln!("no validation: {}", VulkanError::NoValidation);
            Vulkan::open(&device, VulkanOptions::new())
        }
        other => other,
    };
    match opened {
        Ok(vulkan) => Some(vulkan),
        Err(
            error @ (VulkanError::LoaderNotFound { .. }
            | VulkanError::NoDevice { .. }
            | VulkanError::Call { .. }),
        ) => {
            eprintln!("SKIPPED, because Vulkan is not here: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The validation layer has nothing to say.
#[track_caller]
fn assert_silent(vulkan: &Vulkan) {
    assert_eq!(vulkan.messages(), Vec::<String>::new());
}
