//! Working beside others: raw handles out and in, memory of others, tensors that go to other libraries and come from them.
//!
//! # Handles
//!
//! Handles are the driver's own: any code that calls the driver, in Rust or not, can use them. All of them are null or 0, or a host address,
//! on the emulator.
//!
//! | the driver's | out | in |
//! |---|---|---|
//! | `CUcontext` | [`Device::raw_context`] | [`Device::cuda`]: the GPU's primary context, which all others share |
//! | `CUdevice` | [`Device::raw_device`] | [`Device::cuda`] |
//! | `CUstream` | [`Stream::raw`] | [`Stream::from_raw`] |
//! | `CUevent` | [`Event::raw`](crate::Event::raw) | none: record it on an adopted stream with the driver |
//! | `CUdeviceptr` | [`DeviceBuffer::raw_ptr`] | [`DeviceBuffer::from_raw_parts`] |
//!
//! A [`Device`] retains the GPU's *primary* context. CUDA's runtime interface, cudarc, PyTorch and CuPy use the same one, so streams and
//! addresses of each are good for all. Calls of this library make that context the calling thread's current one and leave it so; who
//! works with another context on the same thread makes that one current again, or pushes and pops it.
//!
//! Work that others queue is ordered with ours by streams: [`DeviceBuffer::order_on`] before the others' work makes it wait for ours, and
//! lets ours wait for it. With cudarc, in plain numbers:
//!
//! ```
//! use warploom_runtime::{Device, DeviceBuffer, Result, Stream};
//!
//! /// What another library has: the numbers of its stream and of its memory, 1000 floats.
//! fn scale(device: &Device, stream: u64, memory: u64) -> Result<()> {
//!     // SAFETY: the other side keeps the stream and the memory until this function is over, which waits for its work.
//!     let (stream, x) = unsafe {
//!         let handle = std::ptr::without_provenance_mut(usize::try_from(stream).unwrap_or(0));
//!         (
//!             Stream::from_raw(device, handle)?,
//!             DeviceBuffer::<f32>::from_raw_parts(device, memory, 1000, || ())?,
//!         )
//!     };
//!     // Kernels on `stream` see what the other side queued before: it is the same stream.
//!     println!("{}", x.to_vec(&stream)?[0]);
//!     Ok(())
//! }
//! # fn main() -> Result<()> {
//! # let Ok(device) = Device::cuda(0) else { return Ok(()) };
//! # let (stream, x) = (device.stream()?, device.zeroed::<f32>(1000)?);
//! # scale(&device, stream.raw().addr() as u64, x.raw_ptr())
//! # }
//! ```
//!
//! # Tensors
//!
//! With the feature `dlpack`, the module of that name exchanges tensors with Python's array libraries and others, without a copy.
//!
//! # Vulkan
//!
//! [`external`] takes memory and semaphores of other APIs on the same GPU, and gives ours to them, on Linux.
//!
//! # OpenGL
//!
//! [`graphics`] registers buffers and images of OpenGL, and maps them for kernels.
//!
//! # Elements and arrays of other crates
//!
//! With the feature `bytemuck`, types that are `bytemuck::Pod` are elements of buffers and slices, in kernels too: wrapped in `Pod`, or by
//! the macro `plain_by_pod!`. With the feature `ndarray`, `Device::upload_array` takes arrays and views, and `DeviceBuffer::to_array` gives
//! them.
//!
//! These features are off by default.

#[cfg(feature = "ndarray")]
mod arrays; // arrays of ndarray
#[cfg(feature = "dlpack")]
pub mod dlpack; // tensors of other libraries
pub(crate) mod error; // what can go wrong
#[cfg(target_os = "linux")]
pub mod external; // memory and semaphores that Vulkan shares
pub(crate) mod foreign; // memory of others
pub mod graphics; // objects of OpenGL
mod handles; // the driver's own handles
#[cfg(feature = "bytemuck")]
mod pod; // elements of other crates

pub use error::InteropError;
#[cfg(feature = "bytemuck")]
pub use pod::Pod;
#[cfg(feature = "bytemuck")]
#[doc(hidden)] // for `plain_by_pod!`
pub use {bytemuck::Pod as BytemuckPod, warploom_device_std::Plain};

#[cfg(doc)]
use crate::{Device, DeviceBuffer, Stream};
