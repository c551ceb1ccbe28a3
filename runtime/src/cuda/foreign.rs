//! Streams and addresses of others, and what others get.

use std::ffi::c_void;
use std::sync::Arc;

use super::context::Context;
use super::event::Event;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::{self, CUcontext, CUstream};

/// What a handle turned out to be.
#[derive(Debug)]
pub(crate) enum Adopted {
    Stream {
        stream: Stream,
        /// Whether it keeps order with the legacy default stream.
        blocking: bool,
        priority: i32,
    },
    /// Another stream on each thread.
    PerThread,
    OtherContext,
}

impl Context {
    /// The driver's handle.
    pub(crate) fn raw_handle(&self) -> *mut c_void {
        self.raw().0
    }

    /// The driver's number of the GPU.
    pub(crate) fn raw_device(&self) -> i32 {
        self.physical_device().device
    }

    /// A stream that other code destroys.
    ///
    /// # Safety
    /// `raw` is a stream of the driver that outlives the result, or null.
    pub(crate) unsafe fn adopt_stream(
        self: &Arc<Context>,
        raw: *mut c_void,
    ) -> Result<Adopted, DriverError> {
        if raw.addr() == sys::CU_STREAM_PER_THREAD {
            return Ok(Adopted::PerThread);
        }
        self.bind()?;
        let raw = CUstream(raw);
        let mut context = CUcontext::NULL;
        // SAFETY: writes one handle to where we point; the caller promises a live stream.
        unsafe { self.driver.cuStreamGetCtx(raw, &raw mut context)? };
        if context != self.raw() {
            return Ok(Adopted::OtherContext);
        }
        let (mut flags, mut priority) = (0, 0);
        // SAFETY: writes one number to where we point; the stream is alive.
        unsafe { self.driver.cuStreamGetFlags(raw, &raw mut flags)? };
        // SAFETY: as above.
        unsafe { self.driver.cuStreamGetPriority(raw, &raw mut priority)? };
        Ok(Adopted::Stream {
            stream: Stream::of(Arc::clone(self), raw, false),
            blocking: flags & sys::CU_STREAM_NON_BLOCKING == 0,
            priority,
        })
    }

    /// Where kernels of this context find the memory at this address; `None` if the driver knows none there.
    pub(crate) fn address_for_kernels(&self, address: u64) -> Result<Option<u64>, DriverError> {
        self.bind()?;
        let mut found: sys::CUdeviceptr = 0;
        let attribute = sys::CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
        // SAFETY: this attribute is one address, written to where we point; the driver only looks the other address up.
        let asked = unsafe {
            self.driver
                .cuPointerGetAttribute((&raw mut found).cast(), attribute, address)
        };
        match asked {
            Ok(()) => Ok(Some(found).filter(|found| *found != 0)),
            Err(error) if error.code == sys::CUDA_ERROR_INVALID_VALUE => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Event {
    /// The driver's handle.
    pub(crate) fn raw_handle(&self) -> *mut c_void {
        self.raw.0
    }
}
