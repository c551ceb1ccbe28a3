//! Pools of device memory, from which streams allocate in order with their work.

use std::ffi::c_void;
use std::sync::Arc;

use super::callback::run_outside_callback;
use super::context::Context;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::memory as flags;
use super::sys::memory::{CUmemPoolProps, CUmemoryPool};
use super::sys::{self, CUdeviceptr};

/// A pool of a GPU's memory.
#[derive(Debug)]
pub(crate) struct Pool {
    context: Arc<Context>,
    raw: CUmemoryPool,
    /// Made by us, and to be destroyed; the GPU's default pool is not.
    own: bool,
}

/// What can be asked of a pool: numbers of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum PoolNumber {
    /// What it keeps when it is asked for less.
    ReleaseThreshold = 4,
    Reserved = 5,
    ReservedHigh = 6,
    Used = 7,
    UsedHigh = 8,
}

impl Context {
    /// Whether there are pools.
    pub(crate) fn has_pools(&self) -> Result<bool, DriverError> {
        self.can(flags::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
    }
}

impl Pool {
    /// The one that the GPU has anyway.
    pub(crate) fn of_device(context: Arc<Context>) -> Result<Pool, DriverError> {
        context.bind()?;
        let mut raw = CUmemoryPool::NULL;
        let (to, device) = (&raw mut raw, context.device());
        // SAFETY: writes one handle to where we point.
        unsafe { context.driver.cuDeviceGetDefaultMemPool(to, device)? };
        Ok(Pool {
            context,
            raw,
            own: false,
        })
    }

    /// A new one, of `max_bytes` bytes at most; 0: as many as there are.
    pub(crate) fn new(context: Arc<Context>, max_bytes: usize) -> Result<Pool, DriverError> {
        context.bind()?;
        let props = CUmemPoolProps::on_device(context.device(), max_bytes);
        let mut raw = CUmemoryPool::NULL;
        let driver = &context.driver;
        // SAFETY: writes one handle to where we point, and reads the structure.
        unsafe { driver.cuMemPoolCreate(&raw mut raw, &raw const props)? };
        Ok(Pool {
            context,
            raw,
            own: true,
        })
    }

    /// Allocates `bytes` (not zero) bytes in order with the work on `stream`; `Ok(None)` if there is no room for them.
    pub(crate) fn allocate(
        self: &Arc<Pool>,
        bytes: usize,
        stream: &Stream,
    ) -> Result<Option<PoolMemory>, Box<DriverError>> {
        stream.bind_default()?;
        let mut address = 0;
        let (to, context) = (&raw mut address, &*self.context);
        let driver = &context.driver;
        // SAFETY: writes one address to where we point; pool and stream are alive and of one context.
        match unsafe {
            driver.cuMemAllocFromPoolAsync(context.retry(), to, bytes, self.raw, stream.raw)
        } {
            Ok(()) => Ok(Some(PoolMemory {
                address,
                _pool: self.own.then(|| Arc::clone(self)),
            })),
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives unused memory back, but for `keep` bytes.
    pub(crate) fn trim(&self, keep: usize) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the pool is alive.
        unsafe { self.context.driver.cuMemPoolTrimTo(self.raw, keep) }
    }

    pub(crate) fn number(&self, what: PoolNumber) -> Result<u64, DriverError> {
        self.context.bind()?;
        let mut value = 0u64;
        let to: *mut c_void = (&raw mut value).cast();
        let driver = &self.context.driver;
        // SAFETY: writes eight bytes to where we point; the pool is alive.
        unsafe { driver.cuMemPoolGetAttribute(self.raw, what as i32, to)? };
        Ok(value)
    }

    /// Sets the threshold; a high mark takes 0 only, and begins anew.
    pub(crate) fn set(&self, what: PoolNumber, value: u64) -> Result<(), DriverError> {
        self.context.bind()?;
        let mut value = value;
        let from: *mut c_void = (&raw mut value).cast();
        let driver = &self.context.driver;
        // SAFETY: reads eight bytes from where we point; the pool is alive.
        unsafe { driver.cuMemPoolSetAttribute(self.raw, what as i32, from) }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.own {
            let (context, raw) = (Arc::clone(&self.context), self.raw);
            run_outside_callback(move || {
                let _ = context.bind();
                // SAFETY: destroyed once; nothing of it is allocated, since memory keeps its pool. Through the driver's own table: a pool
                // is the GPU's and does not go with a lost context. Errors: the driver is shut down already.
                let _ = unsafe { context.physical_device().driver.cuMemPoolDestroy(raw) };
            });
        }
    }
}

/// A piece of a pool. Its owner gives it back.
#[derive(Debug)]
pub(crate) struct PoolMemory {
    address: CUdeviceptr,
    /// The pool must not be destroyed before; the GPU's default pool never is.
    _pool: Option<Arc<Pool>>,
}

impl PoolMemory {
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Gives it back, once, in order with the work on `stream`, which is all that uses it.
    pub(crate) fn free(&self, stream: &Stream) {
        let context = &*stream.context;
        let _ = stream.bind_default();
        // SAFETY: freed once; earlier work is on the stream or done.
        let freed = unsafe {
            context
                .driver
                .cuMemFreeAsync(context.retry(), self.address, stream.raw)
        };
        if freed.is_err() {
            // The ordinary call takes all use of a pool's memory to be over: it waits for nothing.
            let _ = stream.synchronize();
            let _ = context.bind();
            // SAFETY: freed once, since the first call did not; no work has it any more. Errors: the driver is shut down or the context is broken.
            let _ = unsafe { context.driver.cuMemFree_v2(self.address) };
        }
    }
}
