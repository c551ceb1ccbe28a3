//! Mathematical functions beyond arithmetic.
//!
//! `x.sin()` and the like work in kernels as they are, and end in the functions here. [`Float`] adds the methods that std does not have;
//! [`single`] and [`double`] hold all of them as free functions under their C names, [`fast`] the short forms of CUDA that trade
//! accuracy for speed; `#[kernel(fast_math)]` does that for a whole kernel. Each says how far its result may be from the exact value, in
//! units in the last place (ulp).

pub mod double; // f64
pub mod fast; // f32, hardware approximations
mod float; // the methods that std lacks
pub mod single; // f32
#[cfg(warploom_device)]
mod symbols; // the names that the device linker looks for

pub use float::Float;
