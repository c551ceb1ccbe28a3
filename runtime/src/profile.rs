//! When profilers collect; with the feature `nvtx`, also names in their time lines: scopes, ranges, marks, threads and streams.
//!
//! CUDA: `cuProfilerStart` and NVTX. A profiler such as Nsight Systems starts the program with its library in the variable
//! `NVTX_INJECTION64_PATH`, where all users of NVTX find it; the library is loaded by the first call here. Without a tool each
//! function for names costs a test of one pointer. Texts go to the tool up to the first zero byte.
//!
//! ```
//! # #[cfg(feature = "nvtx")] {
//! use warploom_runtime::profile;
//!
//! let _frame = profile::scope("frame");
//! {
//!     let _upload = profile::scope("upload");
//!     profile::mark("the first texture");
//! } // the upload ends here
//! # }
//! ```

#[cfg(feature = "nvtx")]
mod nvtx; // the binding to a tool's library
#[cfg(feature = "nvtx")]
mod ranges; // scopes, ranges, marks and names

use crate::cuda::DriverError;
use crate::device::{Backend, Device};
use crate::stream::{StreamError, reject_in_host_callback};

#[cfg(feature = "nvtx")]
pub use {
    nvtx::NoTool,
    ranges::{Range, Scope, mark, name_stream, name_thread, range, scope, tool},
};

#[cfg(feature = "nvtx")]
crate::error::debug_is_the_text!(NoTool);

/// Lets profilers collect from now on, if they were told to wait for it (`nsys profile --capture-range=cudaProfilerApi`). Nothing happens
/// on the emulator. CUDA: `cuProfilerStart`.
///
/// ```
/// # use warploom_runtime::{Device, profile};
/// # let device = Device::emulator();
/// profile::start(&device)?;
/// // what is worth a look
/// profile::stop(&device)?;
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
///
/// # Errors
/// [`StreamError::Driver`] if the driver refuses.
pub fn start(device: &Device) -> Result<(), StreamError> {
    collect(device, |gpu| gpu.start_profiler())
}

/// Lets profilers collect no longer. CUDA: `cuProfilerStop`.
///
/// # Errors
/// [`StreamError::Driver`] if the driver refuses.
pub fn stop(device: &Device) -> Result<(), StreamError> {
    collect(device, |gpu| gpu.stop_profiler())
}

fn collect(
    device: &Device,
    call: impl FnOnce(&crate::cuda::Context) -> Result<(), DriverError>,
) -> Result<(), StreamError> {
    reject_in_host_callback()?;
    match &device.0.backend {
        Backend::Emulator(_) => Ok(()),
        Backend::Cuda(gpu) => Ok(call(&gpu.context)?),
    }
}
