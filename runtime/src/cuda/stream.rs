//! A driver stream.

use std::sync::{Arc, Mutex};

use super::callback::run_outside_callback;
use super::context::Context;
use super::memory::DeviceMemory;
use super::result::{DriverError, ready};
use super::sys::{self, CUstream};
use crate::sync::lock;

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
    /// Independent of the legacy default stream, of default priority.
    pub(crate) fn new(context: Arc<Context>) -> Result<Stream, DriverError> {
        Stream::with(context, false, 0)
    }

    /// `blocking`: in order with the legacy default stream. `priority`: lower numbers first; 0 is the default.
    pub(crate) fn with(
        context: Arc<Context>,
        blocking: bool,
        priority: i32,
    ) -> Result<Stream, DriverError> {
        context.bind()?;
        let flags = if blocking {
            sys::CU_STREAM_DEFAULT
        } else {
            sys::CU_STREAM_NON_BLOCKING
        };
        let mut raw = CUstream::NULL;
        let driver = &context.driver;
        if priority == 0 {
            // SAFETY: writes one handle to where we point; the context is current.
            unsafe { driver.cuStreamCreate(&raw mut raw, flags)? };
        } else {
            // SAFETY: as above.
            unsafe { driver.cuStreamCreateWithPriority(&raw mut raw, flags, priority)? };
        }
        Ok(Stream::of(context, raw, true))
    }

    /// The context's legacy default stream, which is never destroyed.
    pub(crate) fn legacy(context: Arc<Context>) -> Stream {
        Stream::of(context, sys::CU_STREAM_LEGACY, false)
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
            launches: Box::default(),
        })?;
        Ok(memory.address())
    }

    /// The driver's handle.
    pub(crate) fn raw(&self) -> *mut std::ffi::c_void {
        self.raw.0
    }

    /// Whether its context is lost: nothing of it runs any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.context.lost().is_some()
    }

    /// Makes the context current if this is a stream that each context has under the same handle: [`Context::retry_when_current`] is for the others.
    #[inline]
    pub(super) fn bind_default(&self) -> Result<(), Box<DriverError>> {
        match self.raw.0.addr() {
            0..=sys::CU_STREAM_PER_THREAD => self.context.bind().map_err(Box::new),
            _ => Ok(()),
        }
    }

    /// Waits on the host until all work submitted so far is done.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        let waited = self.context.bind().and_then(|()| {
            // SAFETY: the stream lives while `self` does.
            unsafe { self.context.driver.cuStreamSynchronize(self.raw) }
        });
        if waited.is_err() {
            // The caller releases memory now. After an error that broke the context nothing runs, and this returns at once; after
            // another, copies may still be under way, and this waits for them.
            let _ = self.context.synchronize();
        }
        waited
    }

    /// Whether all work submitted so far is done.
    pub(crate) fn query(&self) -> Result<bool, DriverError> {
        self.context.bind()?;
        // SAFETY: the stream lives while `self` does.
        ready(unsafe { self.context.driver.cuStreamQuery(self.raw) })
    }
}

impl Context {
    /// The lowest and the highest priority of streams, as numbers: the highest is the smaller one.
    pub(crate) fn stream_priorities(&self) -> Result<[i32; 2], DriverError> {
        self.bind()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: writes two numbers to where we point; the context is current.
        unsafe {
            self.driver
                .cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest)?;
        }
        Ok([least, greatest])
    }

    /// Lets a profiler that waits for it collect.
    pub(crate) fn start_profiler(&self) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: takes nothing; the context is current.
        unsafe { self.driver.cuProfilerStart() }
    }

    /// Lets a profiler stop collecting.
    pub(crate) fn stop_profiler(&self) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: as above.
        unsafe { self.driver.cuProfilerStop() }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let (context, raw, owned) = (Arc::clone(&self.context), self.raw, self.owned);
        let barrier = lock(&self.grid_barrier).take();
        // Errors: the driver is shut down or the context is broken; either way the stream is gone.
        run_outside_callback(move || {
            let _ = context.bind();
            if let Some(barrier) = barrier {
                // SAFETY: the stream is destroyed below. The last launch may still use the barrier.
                if unsafe { context.driver.cuStreamSynchronize(raw) }.is_err() {
                    let _ = context.synchronize();
                }
                drop(barrier);
            }
            if owned {
                // SAFETY: destroyed once; the driver finishes work under way before it frees the stream's resources.
                let _ = unsafe { context.driver.cuStreamDestroy_v2(raw) };
            }
        });
    }
}
