//! Memory of a GPU that other APIs can import: allocated, mapped and given away as a file descriptor.

use std::ffi::c_int;
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Arc;

use super::context::Context;
use super::result::DriverError;
use super::sys;
use super::sys::external::{
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CUmemAccessDesc, CUmemAllocationProp,
    CUmemGenericAllocationHandle,
};

/// An allocation with an address, on one GPU.
#[derive(Debug)]
pub(crate) struct ShareableMemory {
    range: Range,
    memory: Allocation,
}

#[derive(Debug)]
struct Allocation {
    context: Arc<Context>,
    handle: CUmemGenericAllocationHandle,
}

/// Addresses, with what is mapped there.
#[derive(Debug)]
struct Range {
    context: Arc<Context>,
    address: u64,
    bytes: usize,
    is_mapped: bool,
}

impl ShareableMemory {
    /// Allocates at least `bytes` (not zero) bytes, a multiple of what the driver allocates at once; `Ok(None)` if the device has no room for them.
    pub(crate) fn new(
        context: &Arc<Context>,
        bytes: usize,
    ) -> Result<Option<ShareableMemory>, DriverError> {
        context.bind()?;
        let driver = &context.driver;
        let told = CUmemAllocationProp::shareable(context.raw_device());
        let mut granularity = 0;
        // SAFETY: writes one number to where we point, and reads the description.
        unsafe {
            driver.cuMemGetAllocationGranularity(&raw mut granularity, &raw const told, 0)?;
        }
        let Some(bytes) = bytes.checked_next_multiple_of(granularity.max(1)) else {
            return Ok(None);
        };
        let mut handle = 0;
        // SAFETY: writes one handle to where we point, and reads the description.
        match unsafe { driver.cuMemCreate(&raw mut handle, bytes, &raw const told, 0) } {
            Ok(()) => {}
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => return Ok(None),
            Err(error) => return Err(error),
        }
        let memory = Allocation {
            context: Arc::clone(context),
            handle,
        };
        let mut address = 0;
        // SAFETY: writes one address to where we point.
        unsafe { driver.cuMemAddressReserve(&raw mut address, bytes, 0, 0, 0)? };
        let mut range = Range {
            context: Arc::clone(context),
            address,
            bytes,
            is_mapped: false,
        };
        // SAFETY: the addresses are reserved and nothing is mapped there; the allocation has so many bytes.
        unsafe { driver.cuMemMap(address, bytes, 0, handle, 0)? };
        range.is_mapped = true;
        let access = CUmemAccessDesc::of_device(context.raw_device());
        // SAFETY: reads one description; the addresses are mapped.
        unsafe { driver.cuMemSetAccess(address, bytes, &raw const access, 1)? };
        Ok(Some(ShareableMemory { range, memory }))
    }

    pub(crate) fn address(&self) -> u64 {
        self.range.address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.range.bytes
    }

    /// A file descriptor that keeps the memory, also when this value is gone.
    pub(crate) fn export(&self) -> Result<OwnedFd, DriverError> {
        let context = &self.memory.context;
        context.bind()?;
        let mut fd: c_int = -1;
        // SAFETY: writes one file descriptor to where we point; the allocation was made for that.
        unsafe {
            context.driver.cuMemExportToShareableHandle(
                (&raw mut fd).cast(),
                self.memory.handle,
                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                0,
            )?;
        }
        // SAFETY: the driver opened it for us, and keeps none of this number.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        let _ = self.context.bind();
        let driver = &self.context.driver;
        // Errors: the driver is shut down or the context broken.
        if self.is_mapped {
            // SAFETY: unmapped once; the owner has waited for the work that uses it.
            let _ = unsafe { driver.cuMemUnmap(self.address, self.bytes) };
        }
        // SAFETY: reserved with this size, and freed once.
        let _ = unsafe { driver.cuMemAddressFree(self.address, self.bytes) };
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // Errors: as above.
        // SAFETY: released once.
        let _ = unsafe { self.context.driver.cuMemRelease(self.handle) };
    }
}
