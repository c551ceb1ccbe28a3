//! Programs in which kernels compute what Vulkan draws, without a window: a sheet of vertices, and a field of temperatures.
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "commands of Vulkan are recorded and objects destroyed in sequences, for one reason each"
)]

pub mod heat; // an image that kernels write and a fragment shader reads
pub mod offscreen; // a picture that Vulkan draws
pub mod wave; // a buffer of vertices
