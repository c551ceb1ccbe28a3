#![doc = include_str!("../README.md")]
#![cfg(target_os = "linux")] // contexts come from EGL's devices

mod context; // OpenGL without a window
mod copies; // contents of objects on the host
mod egl; // EGL, found when the program runs
mod error; // what can go wrong
mod formats; // texels that both sides have
mod object; // objects of OpenGL
mod shared; // a buffer or an image, and who has it

pub use context::{OpenGl, OpenGlOptions};
pub use error::OpenGlError;
pub use glow; // the version whose types are used here
pub use shared::{Mapped, Refused, Shared};
pub use warploom::interop::graphics::{Access, ReadOnly, ReadWrite, Writable, WriteDiscard};
