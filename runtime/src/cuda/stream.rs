//! A driver stream.

use std::sync::{Arc, Mutex};

use super::context::Context;
use super::event::Event;
use super::memory::DeviceMemory;
use super::result::DriverError;
use super::sys::{self, CUstream};
use crate::device::lock;

/// A queue of work on one GPU.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(super) context: Arc<Context>,
    pub(super) raw: CUstream,
    /// Whether to destroy it.
    owned: bool,
    /// With it the blocks of a cooperative grid wait for each other. Made by the first such launch.
    grid_barrier: Mutex<Option<DeviceMemory>>,
}

impl Stream {
    /// Independent of the legacy default stream.
    pub(crate) fn new(context: Arc<Context>) -> Result<Stream, DriverError> {
        context.bind()?;
        let mut raw = CUstream::NULL;
        // SAFETY: writes one handle to where we point; the context is current.
        unsafe {
            context
                .driver
                .cuStreamCreate(&raw mut raw, sys::CU_STREAM_NON_BLOCKING)?;
        }
        Ok(Stream::of(context, raw, true))
    }

    /// A stream that there is already.
    pub(super) fn of(context: Arc<Context>, raw: CUstream, owned: bool) -> Stream {
        Stream {
            context,
            raw,
            owned,
            grid_barrier: Mutex::default(),
        }
    }

    /// The address of a word of device memory for the barrier of a cooperative grid: one launch of a stream runs at a time.
    pub(crate) fn grid_barrier(&self) -> Result<u64, DriverError> {
        let mut barrier = lock(&self.grid_barrier);
        if barrier.is_none() {
            *barrier = DeviceMemory::new(Arc::clone(&self.context), size_of::<u32>())?;
        }
        let memory = barrier.as_ref().ok_or_else(|| DriverError {
            code: sys::CUDA_ERROR_OUT_OF_MEMORY,
            name: "CUDA_ERROR_OUT_OF_MEMORY".to_owned(),
            text: "out of memory".to_owned(),
            call: "cuMemAlloc_v2",
        })?;
        Ok(memory.address())
    }

    /// Where it works.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The driver's handle.
    pub(crate) fn raw(&self) -> *mut std::ffi::c_void {
        self.raw.0
    }

    /// Waits on the host until all work submitted so far is done.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the stream lives while `self` does.
        unsafe { self.context.driver.cuStreamSynchronize(self.raw) }
    }

    /// Lets later work of this stream start only after what `event` recorded last. Both belong to one context.
    pub(crate) fn wait(&self, event: &Event) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: stream and event are alive.
        unsafe {
            self.context
                .driver
                .cuStreamWaitEvent(self.raw, event.raw, 0)
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Errors: the driver is shut down or the context is broken; either way the stream is gone.
        let _ = self.context.bind();
        if let Some(barrier) = lock(&self.grid_barrier).take() {
            let _ = self.synchronize(); // the last launch may still use it
            drop(barrier);
        }
        if !self.owned {
            return;
        }
        // SAFETY: destroyed once; the driver finishes work under way before it frees the stream's resources.
        let _ = unsafe { self.context.driver.cuStreamDestroy_v2(self.raw) };
    }
}
