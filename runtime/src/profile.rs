//! Names for profilers: ranges and marks that show what the program was doing, and when a profiler collects.
//!
//! CUDA: NVTX and `cuProfilerStart`. A profiler such as Nsight Systems starts the program with its library in the variable
//! `NVTX_INJECTION64_PATH`, where everything that uses NVTX finds it; the library is loaded by the first call here. Where there is none,
//! every function here is a test of one pointer. Texts go to the tool up to the first zero byte.
//!
//! ```
//! use warploom_runtime::profile;
//!
//! let _frame = profile::scope("frame");
//! {
//!     let _upload = profile::scope("upload");
//!     profile::mark("the first texture");
//! } // the upload ends here
//! ```

mod nvtx; // how a tool's library gets hold of the calls

use std::marker::PhantomData;

use crate::cuda::DriverError;
use crate::device::{Backend, Device};
use crate::stream::{Stream, StreamError, refuse_inside};

pub use nvtx::NoTool;

/// Whether a tool listens; if not, why.
///
/// # Errors
/// [`NoTool`], which is an ordinary case.
pub fn tool() -> Result<(), NoTool> {
    nvtx::tool().clone()
}

/// A part of this thread's time, from the call until the value is dropped. Scopes of a thread nest. CUDA: `nvtxRangePush`, `nvtxRangePop`.
#[must_use = "the scope ends when the value is dropped"]
pub fn scope(name: &str) -> Scope {
    Scope {
        begun: nvtx::push(name),
        _thread: PhantomData,
    }
}

/// What [`scope`] gives. Stays on its thread.
///
/// ```compile_fail,E0277
/// let scope = warploom_runtime::profile::scope("here");
/// std::thread::spawn(move || drop(scope));
/// ```
#[derive(Debug)]
pub struct Scope {
    begun: bool,
    _thread: PhantomData<*const ()>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        if self.begun {
            nvtx::pop();
        }
    }
}

/// A stretch of time, from the call until the value is dropped, on any thread. Ranges may overlap. CUDA: `nvtxRangeStart`, `nvtxRangeEnd`.
#[must_use = "the range ends when the value is dropped"]
pub fn range(name: &str) -> Range {
    Range {
        id: nvtx::start(name),
    }
}

/// What [`range`] gives.
#[derive(Debug)]
pub struct Range {
    id: Option<u64>,
}

impl Drop for Range {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            nvtx::end(id);
        }
    }
}

/// A moment of this thread. CUDA: `nvtxMark`.
pub fn mark(name: &str) {
    nvtx::mark(name);
}

/// Gives the calling thread a name in profiles. Nothing happens on systems other than Linux. CUDA: `nvtxNameOsThread`.
pub fn name_thread(name: &str) {
    nvtx::name_thread(name);
}

/// Gives a stream a name in profiles; the emulator's streams are in none. CUDA: `nvtxNameCuStream`.
pub fn name_stream(stream: &Stream, name: &str) {
    if !stream.raw().is_null() {
        nvtx::name_stream(stream.raw(), name);
    }
}

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
    refuse_inside()?;
    match &device.0.backend {
        Backend::Emulator(_) => Ok(()),
        Backend::Cuda(gpu) => Ok(call(&gpu.context)?),
    }
}
