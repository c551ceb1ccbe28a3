//! Page-locked memory of the host, new or registered.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::context::Context;
use super::result::DriverError;
use super::sys::{self, memory as flags};

/// Page-locked host memory of which copies are fast and need no wait.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    context: Arc<Context>,
    host: NonNull<u8>,
    /// Where kernels see it, if they do.
    address: Option<u64>,
}

/// What else [`PinnedMemory`] is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PinnedAs {
    /// Page-locked for all contexts.
    pub(crate) portable: bool,
    /// Mapped into the GPU's address space.
    pub(crate) mapped: bool,
    /// Not cached by the host.
    pub(crate) write_combined: bool,
}

// SAFETY: owns plain memory; who reads and writes it through `host` synchronises itself.
unsafe impl Send for PinnedMemory {}
// SAFETY: as above.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    /// `bytes` (not zero) bytes with no particular contents; `Ok(None)` if the host has no room for them.
    pub(crate) fn new(
        context: Arc<Context>,
        bytes: usize,
        what: PinnedAs,
    ) -> Result<Option<PinnedMemory>, DriverError> {
        context.bind()?;
        let flag = |on, flag| if on { flag } else { 0 };
        let flags = flag(what.portable, sys::CU_MEMHOSTALLOC_PORTABLE)
            | flag(what.mapped, sys::CU_MEMHOSTALLOC_DEVICEMAP)
            | flag(what.write_combined, flags::CU_MEMHOSTALLOC_WRITECOMBINED);
        let mut host: *mut c_void = std::ptr::null_mut();
        // SAFETY: writes one address to where we point; the context is current.
        match unsafe { context.driver.cuMemHostAlloc(&raw mut host, bytes, flags) } {
            Ok(()) => {}
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => return Ok(None),
            Err(error) => return Err(error),
        }
        let Some(host) = NonNull::new(host.cast::<u8>()) else {
            return Ok(None);
        };
        let mut memory = PinnedMemory {
            context,
            host,
            address: None,
        };
        if what.mapped {
            let mut address = 0;
            let host = host.as_ptr().cast();
            // SAFETY: writes one address to where we point; `host` is mapped memory.
            unsafe {
                memory
                    .context
                    .driver
                    .cuMemHostGetDevicePointer_v2(&raw mut address, host, 0)?;
            }
            memory.address = Some(address);
        }
        Ok(Some(memory))
    }

    pub(crate) fn host(&self) -> *mut u8 {
        self.host.as_ptr()
    }

    pub(crate) fn address(&self) -> Option<u64> {
        self.address
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: freed once; the owner has waited for the work that uses it. Errors: the driver is shut down already.
        let _ = unsafe { self.context.driver.cuMemFreeHost(self.host.as_ptr().cast()) };
    }
}

/// Memory of the host that was there and is page-locked now; no longer when it is dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    context: Arc<Context>,
    start: NonNull<u8>,
    /// Where kernels see it, if they do.
    address: Option<u64>,
}

// SAFETY: an address, which is given back once.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Context {
    /// Whether memory that is there can be page-locked.
    pub(crate) fn can_register(&self) -> Result<bool, DriverError> {
        let value = self.attribute(flags::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)?;
        Ok(value != 0)
    }
}

impl Registration {
    /// # Safety
    /// The `bytes` (not zero) bytes stay allocated until this is dropped.
    pub(crate) unsafe fn new(
        context: Arc<Context>,
        start: *mut u8,
        bytes: usize,
        what: PinnedAs,
    ) -> Result<Registration, DriverError> {
        context.bind()?;
        let flag = |on, flag| if on { flag } else { 0 };
        let flags = flag(what.portable, flags::CU_MEMHOSTREGISTER_PORTABLE)
            | flag(what.mapped, flags::CU_MEMHOSTREGISTER_DEVICEMAP);
        // SAFETY: the caller promises the memory.
        unsafe {
            context
                .driver
                .cuMemHostRegister_v2(start.cast(), bytes, flags)?;
        }
        let mut registration = Registration {
            context,
            start: NonNull::new(start).unwrap_or(NonNull::dangling()), // never null
            address: None,
        };
        if what.mapped {
            let mut address = 0;
            let (to, driver) = (&raw mut address, &registration.context.driver);
            // SAFETY: writes one address to where we point; the memory is registered and mapped.
            unsafe { driver.cuMemHostGetDevicePointer_v2(to, start.cast(), 0)? };
            registration.address = Some(address);
        }
        Ok(registration)
    }

    pub(crate) fn address(&self) -> Option<u64> {
        self.address
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _ = self.context.bind();
        let driver = &self.context.driver;
        // SAFETY: undone once; the owner has waited for the work that uses it. Errors: the driver is shut down already.
        let _ = unsafe { driver.cuMemHostUnregister(self.start.as_ptr().cast()) };
    }
}

impl Context {
    /// Whether kernels may reach page-locked memory of the host.
    pub(crate) fn can_map_host_memory(&self) -> Result<bool, DriverError> {
        self.can(flags::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)
    }
}
