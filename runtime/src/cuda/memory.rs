//! Device memory, host memory that the GPU can reach, and the copies between them.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::context::Context;
use super::host::outside;
use super::result::DriverError;
use super::stream::Stream;
use super::sys;

/// A block of device memory.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    context: Arc<Context>,
    address: u64,
}

impl DeviceMemory {
    /// Allocates `bytes` (not zero) bytes; `Ok(None)` if the device has no room for them.
    pub(crate) fn new(
        context: Arc<Context>,
        bytes: usize,
    ) -> Result<Option<DeviceMemory>, DriverError> {
        context.bind()?;
        let mut address = 0;
        // SAFETY: writes one address to where we point; the context is current.
        match unsafe { context.driver.cuMemAlloc_v2(&raw mut address, bytes) } {
            Ok(()) => Ok(Some(DeviceMemory { context, address })),
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let (context, address) = (Arc::clone(&self.context), self.address);
        outside(move || {
            let _ = context.bind();
            // SAFETY: freed once; the owner has waited for the work that uses it. Errors: the driver is shut down or the context broken.
            let _ = unsafe { context.driver.cuMemFree_v2(address) };
        });
    }
}

/// Page-locked host memory, mapped into the GPU's address space, for all contexts; zeroed.
#[derive(Debug)]
pub(crate) struct MappedMemory {
    context: Arc<Context>,
    host: NonNull<u8>,
    address: u64,
}

// SAFETY: owns plain memory; who reads and writes it through `host` synchronises himself.
unsafe impl Send for MappedMemory {}
// SAFETY: as above.
unsafe impl Sync for MappedMemory {}

impl MappedMemory {
    pub(crate) fn zeroed(context: Arc<Context>, bytes: usize) -> Result<MappedMemory, DriverError> {
        context.bind()?;
        let mut host: *mut c_void = std::ptr::null_mut();
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: writes one address to where we point; the context is current.
        unsafe {
            context.driver.cuMemHostAlloc(&raw mut host, bytes, flags)?;
        }
        let Some(host) = NonNull::new(host.cast::<u8>()) else {
            return Err(DriverError {
                code: 0,
                name: "no memory".to_owned(),
                text: "the driver gave a null address".to_owned(),
                call: "cuMemHostAlloc",
                launches: Box::default(),
            });
        };
        let mut memory = MappedMemory {
            context,
            host,
            address: 0,
        };
        // SAFETY: `bytes` bytes were allocated, and no one else knows them yet.
        unsafe { host.as_ptr().write_bytes(0, bytes) };
        // SAFETY: writes one address to where we point; `host` is mapped memory.
        unsafe {
            memory.context.driver.cuMemHostGetDevicePointer_v2(
                &raw mut memory.address,
                host.as_ptr().cast(),
                0,
            )?;
        }
        Ok(memory)
    }

    pub(crate) fn host(&self) -> *mut u8 {
        self.host.as_ptr()
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for MappedMemory {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: freed once; the driver waits for work under way. Errors: the driver is shut down already.
        let _ = unsafe { self.context.driver.cuMemFreeHost(self.host.as_ptr().cast()) };
    }
}

/// Memory that host and device see under one address.
#[derive(Debug)]
pub(crate) struct ManagedMemory {
    context: Arc<Context>,
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl ManagedMemory {
    /// Memory with no particular contents.
    pub(crate) fn new(context: Arc<Context>, bytes: usize) -> Result<ManagedMemory, DriverError> {
        context.bind()?;
        let mut address = 0;
        // SAFETY: writes one address to where we point; the context is current. The driver refuses zero bytes.
        unsafe {
            context.driver.cuMemAllocManaged(
                &raw mut address,
                bytes.max(1),
                sys::CU_MEM_ATTACH_GLOBAL,
            )?;
        }
        Ok(ManagedMemory {
            context,
            address,
            bytes,
        })
    }

    /// Where it starts, on both sides.
    pub(crate) fn start(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(usize::try_from(self.address).unwrap_or(0))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for ManagedMemory {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: freed once, when the device is closed and nothing runs. Errors: the driver is shut down already.
        let _ = unsafe { self.context.driver.cuMemFree_v2(self.address) };
    }
}

impl Stream {
    /// Queues a copy of host memory to the device.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from` and written at `to`, and stay so until the stream got there.
    pub(crate) unsafe fn upload(
        &self,
        to: u64,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the caller promises both ranges.
        unsafe {
            self.context
                .driver
                .cuMemcpyHtoDAsync_v2(to, from.cast(), bytes, self.raw)
        }
    }

    /// Queues a copy of device memory to the host.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from` and written at `to`, and stay so until the stream got there.
    pub(crate) unsafe fn download(
        &self,
        to: *mut u8,
        from: u64,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the caller promises both ranges.
        unsafe {
            self.context
                .driver
                .cuMemcpyDtoHAsync_v2(to.cast(), from, bytes, self.raw)
        }
    }

    /// Queues a copy from device memory to device memory.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from` and written at `to`, and stay so until the stream got there; they do not overlap.
    pub(crate) unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the caller promises both ranges.
        unsafe {
            self.context
                .driver
                .cuMemcpyDtoDAsync_v2(to, from, bytes, self.raw)
        }
    }

    /// Queues writing zero to every byte of a range.
    ///
    /// # Safety
    /// `bytes` bytes can be written at `to`, and stay so until the stream got there.
    pub(crate) unsafe fn zero(&self, to: u64, bytes: usize) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the caller promises the range.
        unsafe { self.context.driver.cuMemsetD8Async(to, 0, bytes, self.raw) }
    }
}
