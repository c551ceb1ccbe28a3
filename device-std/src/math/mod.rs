//! Mathematical functions beyond arithmetic.
//!
//! `x.sin()` and its kin work in kernels as they are. Here are those that std does not have.

pub mod double; // f64
pub mod single; // f32
#[cfg(warploom_device)]
mod symbols; // the names that the device linker looks for
