//! Arrays: memory of a GPU whose layout only the GPU knows.

use std::ffi::c_void;
use std::sync::Arc;

use super::callback::run_outside_callback;
use super::context::Context;
use super::result::DriverError;
use super::sys;
use super::sys::memory::{CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED, CUarray};

/// An array of the driver.
#[derive(Debug)]
pub(crate) struct ArrayMemory {
    context: Arc<Context>,
    pub(super) raw: CUarray,
}

/// What an array is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Described {
    /// Width, height, and depth or layers; 0: a dimension less.
    pub(crate) extent: [usize; 3],
    pub(crate) layered: bool,
    /// The driver's number for the type of a channel.
    pub(crate) format: i32,
    pub(crate) channels: u32,
}

impl ArrayMemory {
    /// Allocates an array; `Ok(None)` if the device has no room for it.
    pub(crate) fn new(
        context: Arc<Context>,
        described: Described,
    ) -> Result<Option<ArrayMemory>, DriverError> {
        context.bind()?;
        let [width, height, depth] = described.extent;
        let told = CUDA_ARRAY3D_DESCRIPTOR {
            width,
            height,
            depth,
            format: described.format,
            channels: described.channels,
            flags: match described.layered {
                true => CUDA_ARRAY3D_LAYERED,
                false => 0,
            },
        };
        let mut raw = CUarray::NULL;
        let driver = &context.driver;
        // SAFETY: writes one handle to where we point, and reads the description; the context is current.
        match unsafe { driver.cuArray3DCreate_v2(&raw mut raw, &raw const told) } {
            Ok(()) => Ok(Some(ArrayMemory { context, raw })),
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The driver's handle.
    pub(crate) fn raw_handle(&self) -> *mut c_void {
        self.raw.0
    }
}

impl Drop for ArrayMemory {
    fn drop(&mut self) {
        let (context, raw) = (Arc::clone(&self.context), self.raw);
        run_outside_callback(move || {
            let _ = context.bind();
            // SAFETY: destroyed once; the owner has waited for the work that uses it. Errors: the driver is shut down or the context
            // broken.
            let _ = unsafe { context.driver.cuArrayDestroy(raw) };
        });
    }
}
