//! The CUDA driver: types, calls and objects of the driver, in three layers as each of them may import those above it only.
//!
//! | layer | files |
//! |---|---|
//! | types and constants | [`sys`] |
//! | every call as a `Result` | [`result`], [`health`], [`driver`] |
//! | one type per object, each with one `Drop` | [`callback`], [`physical_device`], [`context`], then all others |
//!
//! Raw handles never leave this module. Must not know: kernels' contracts, the emulator, anything of the crate but plain data.

pub(crate) mod array;
pub(crate) mod callback;
pub(crate) mod context;
pub(crate) mod copies;
mod driver;
pub(crate) mod event;
#[cfg(target_os = "linux")]
pub(crate) mod external;
pub(crate) mod foreign;
pub(crate) mod graph;
pub(crate) mod graphics;
mod health;
pub(crate) mod host;
pub(crate) mod jit;
pub(crate) mod link;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod peer_access;
pub(crate) mod physical_device;
pub(crate) mod pinned;
pub(crate) mod pool;
pub(crate) mod result;
#[cfg(target_os = "linux")]
pub(crate) mod shareable;
pub(crate) mod stream;
mod sys;
pub(crate) mod tensor;
pub(crate) mod texture;

pub(crate) use context::Context;
pub(crate) use driver::OpenError;
pub(crate) use physical_device::PhysicalDevice;
pub use result::DriverError;
pub(crate) use sys::CUDA_ERROR_DEVICE_UNAVAILABLE as UNAVAILABLE;
pub(crate) use sys::CUDA_ERROR_INVALID_DEVICE as INVALID_DEVICE;
pub(crate) use sys::CUDA_ERROR_OUT_OF_MEMORY as OUT_OF_MEMORY;
pub(crate) use sys::modules as numbers;
