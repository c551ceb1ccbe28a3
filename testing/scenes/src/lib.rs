//! Kernels whose results another API draws, what the pictures must show, and what a program keeps after many frames: for the tests of Vulkan and OpenGL.

pub mod frames; // draws many frames and compares what the process has before and after
pub mod heat; // temperatures that kernels write to an image
pub mod picture; // what was drawn
pub mod wave; // vertices that a kernel writes to a buffer
