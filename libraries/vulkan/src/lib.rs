#![doc = include_str!("../README.md")]
#![cfg(target_os = "linux")] // memory and semaphores are shared by opaque file descriptors

mod allocate; // memory that both sides reach
mod barriers; // around the commands that use a resource
mod context; // instance, device and queue
mod error; // what can go wrong
mod limits; // what the device shares
mod messages; // of the validation layer
mod resources; // are made
mod shared; // a buffer or an image, and who has it

pub use ash; // the version whose types are used here
pub use context::{Vulkan, VulkanOptions};
pub use error::VulkanError;
pub use shared::{Acquired, Refused, Shared, Submitted};
