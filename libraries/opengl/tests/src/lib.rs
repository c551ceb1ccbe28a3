//! Programs in which kernels compute what OpenGL draws, without a window: a sheet of vertices, and a field of temperatures.
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "functions of OpenGL are called in sequences, for one reason each"
)]

pub mod heat; // an image that kernels write and a fragment shader reads
pub mod offscreen; // a picture that OpenGL draws
pub mod wave; // a buffer of vertices
