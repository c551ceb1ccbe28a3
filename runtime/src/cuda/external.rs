//! Memory and semaphores of other APIs, imported by file descriptor.

use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;

use super::array::Described;
use super::callback::run_outside_callback;
use super::context::Context;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::external::{
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    CUDA_EXTERNAL_MEMORY_DEDICATED, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_PARAMS, CUexternalMemory, CUexternalSemaphore,
};
use super::sys::memory::CUmipmappedArray;

/// An allocation of another API. The driver keeps it alive, whatever the other API frees.
#[derive(Debug)]
pub(crate) struct ExternalMemory {
    pub(super) context: Arc<Context>,
    raw: CUexternalMemory,
}

impl ExternalMemory {
    /// Imports the allocation of `bytes` bytes behind a file descriptor, which the driver closes.
    ///
    /// # Safety
    /// The file descriptor is an opaque one of an allocation of this size, made by another API on the context's GPU; `dedicated`: of one resource.
    pub(crate) unsafe fn import(
        context: Arc<Context>,
        fd: OwnedFd,
        bytes: u64,
        dedicated: bool,
    ) -> Result<ExternalMemory, DriverError> {
        context.bind()?;
        let flags = if dedicated {
            CUDA_EXTERNAL_MEMORY_DEDICATED
        } else {
            0
        };
        let told = CUDA_EXTERNAL_MEMORY_HANDLE_DESC::opaque_fd(fd.as_raw_fd(), bytes, flags);
        let mut raw = CUexternalMemory::NULL;
        // SAFETY: writes one handle to where we point, and reads the description; the caller promises what the file descriptor is.
        unsafe {
            context
                .driver
                .cuImportExternalMemory(&raw mut raw, &raw const told)?;
        }
        let _ = fd.into_raw_fd(); // the driver's, now that it took it
        Ok(ExternalMemory { context, raw })
    }

    /// Maps a part of it.
    pub(crate) fn map(self, offset: u64, bytes: u64) -> Result<MappedMemory, DriverError> {
        let told = CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
            offset,
            bytes,
            flags: 0,
            reserved: [0; 16],
        };
        let (mut address, driver) = (0, &self.context.driver);
        // SAFETY: writes one address to where we point, and reads the description; the memory is imported.
        unsafe {
            driver.cuExternalMemoryGetMappedBuffer(&raw mut address, self.raw, &raw const told)?;
        }
        Ok(MappedMemory {
            address,
            memory: self,
        })
    }

    /// Maps it as an array with levels of detail, which goes before the memory.
    pub(super) fn map_array(
        &self,
        offset: u64,
        described: Described,
        n_levels: u32,
    ) -> Result<CUmipmappedArray, DriverError> {
        let told = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset,
            described: described.for_driver(),
            n_levels,
            reserved: [0; 16],
        };
        let (mut raw, driver) = (CUmipmappedArray::NULL, &self.context.driver);
        // SAFETY: writes one handle to where we point, and reads the description; the memory is imported.
        unsafe {
            driver.cuExternalMemoryGetMappedMipmappedArray(
                &raw mut raw,
                self.raw,
                &raw const told,
            )?;
        }
        Ok(raw)
    }
}

impl Drop for ExternalMemory {
    fn drop(&mut self) {
        let (context, raw) = (Arc::clone(&self.context), self.raw);
        run_outside_callback(move || {
            let _ = context.bind();
            // Errors: the driver is shut down or the context broken.
            // SAFETY: destroyed once; what was mapped of it is gone.
            let _ = unsafe { context.driver.cuDestroyExternalMemory(raw) };
        });
    }
}

/// A part of an allocation of another API, with an address.
#[derive(Debug)]
pub(crate) struct MappedMemory {
    address: u64,
    memory: ExternalMemory,
}

impl MappedMemory {
    pub(crate) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for MappedMemory {
    fn drop(&mut self) {
        let context = &self.memory.context;
        let _ = context.bind();
        // Errors: the driver is shut down or the context broken.
        // SAFETY: freed once; the owner has waited for the work that uses it.
        let _ = unsafe { context.driver.cuMemFree_v2(self.address) };
    }
}

/// A semaphore of another API.
#[derive(Debug)]
pub(crate) struct ExternalSemaphore {
    context: Arc<Context>,
    raw: CUexternalSemaphore,
}

impl ExternalSemaphore {
    /// Imports the semaphore behind a file descriptor, which the driver closes.
    ///
    /// # Safety
    /// The file descriptor is an opaque one of a semaphore that another API made on the context's GPU, a timeline semaphore if `timeline`, else a binary one.
    pub(crate) unsafe fn import(
        context: Arc<Context>,
        fd: OwnedFd,
        timeline: bool,
    ) -> Result<ExternalSemaphore, DriverError> {
        context.bind()?;
        let kind = if timeline {
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
        } else {
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
        };
        let told = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::new(kind, fd.as_raw_fd());
        let (mut raw, driver) = (CUexternalSemaphore::NULL, &context.driver);
        // SAFETY: writes one handle to where we point, and reads the description; the caller promises what the file descriptor is.
        unsafe { driver.cuImportExternalSemaphore(&raw mut raw, &raw const told)? };
        let _ = fd.into_raw_fd(); // the driver's, now that it took it
        Ok(ExternalSemaphore { context, raw })
    }

    /// Signals it when the stream's work so far is done. A binary semaphore has no value.
    pub(crate) fn signal(&self, value: u64, stream: &Stream) -> Result<(), DriverError> {
        self.context.bind()?;
        let told = CUDA_EXTERNAL_SEMAPHORE_PARAMS::new(value);
        let (raw, driver) = (&raw const self.raw, &self.context.driver);
        // SAFETY: reads one handle and one description; semaphore and stream are alive and of this context.
        unsafe { driver.cuSignalExternalSemaphoresAsync(raw, &raw const told, 1, stream.raw) }
    }

    /// Lets the stream's later work wait for it.
    pub(crate) fn wait(&self, value: u64, stream: &Stream) -> Result<(), DriverError> {
        self.context.bind()?;
        let told = CUDA_EXTERNAL_SEMAPHORE_PARAMS::new(value);
        let (raw, driver) = (&raw const self.raw, &self.context.driver);
        // SAFETY: as above.
        unsafe { driver.cuWaitExternalSemaphoresAsync(raw, &raw const told, 1, stream.raw) }
    }
}

impl Drop for ExternalSemaphore {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // Errors: the driver is shut down or the context broken.
        // SAFETY: destroyed once; the owner has waited for the streams that signal it or wait for it.
        let _ = unsafe { self.context.driver.cuDestroyExternalSemaphore(self.raw) };
    }
}
