//! The CUDA driver: one type per object of the driver, each with one `Drop`.
//!
//! Raw handles never leave this room. Must not know: kernels' contracts, the emulator.
//! Start at [`context`]: everything else belongs to a context.

pub(crate) mod array;
pub(crate) mod context;
pub(crate) mod copies;
pub(crate) mod event;
pub(crate) mod foreign;
pub(crate) mod found;
pub(crate) mod graph;
mod health;
pub(crate) mod host;
pub(crate) mod jit;
pub(crate) mod link;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod peers;
pub(crate) mod pinned;
pub(crate) mod pool;
pub(crate) mod result;
pub(crate) mod stream;
mod sys;

pub(crate) use context::Context;
pub(crate) use found::Found;
pub use result::DriverError;
pub(crate) use sys::CUDA_ERROR_DEVICE_UNAVAILABLE as UNAVAILABLE;
pub(crate) use sys::CUDA_ERROR_INVALID_DEVICE as INVALID_DEVICE;
pub(crate) use sys::CUDA_ERROR_OUT_OF_MEMORY as OUT_OF_MEMORY;
pub(crate) use sys::modules as numbers;
