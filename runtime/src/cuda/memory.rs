//! Device memory, and host memory that the GPU can reach.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::callback::run_outside_callback;
use super::context::Context;
use super::result::DriverError;
use super::sys::{self, memory as flags};

/// A block of device memory.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    context: Arc<Context>,
    address: u64,
    bytes: usize,
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
            Ok(()) => Ok(Some(DeviceMemory {
                context,
                address,
                bytes,
            })),
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Allocates rows of `width` bytes, none of them zero, and gives the bytes from one row to the next; kernels read and write `access`
    /// (4, 8 or 16) bytes at a time at most. `Ok(None)` if the device has no room for them.
    pub(crate) fn rows(
        context: Arc<Context>,
        width: usize,
        height: usize,
        access: u32,
    ) -> Result<Option<(DeviceMemory, usize)>, DriverError> {
        context.bind()?;
        let (mut address, mut pitch) = (0, 0);
        let (to, driver) = (&raw mut address, &context.driver);
        // SAFETY: writes an address and a number to where we point; the context is current.
        match unsafe { driver.cuMemAllocPitch_v2(to, &raw mut pitch, width, height, access) } {
            Ok(()) => {}
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut memory = DeviceMemory {
            context,
            address,
            bytes: 0,
        };
        let (mut start, driver) = (0, &memory.context.driver);
        // SAFETY: writes an address and a number to where we point; the memory is allocated.
        unsafe {
            driver.cuMemGetAddressRange_v2(&raw mut start, &raw mut memory.bytes, address)?;
        }
        Ok(Some((memory, pitch)))
    }

    /// How many there are.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let (context, address) = (Arc::clone(&self.context), self.address);
        run_outside_callback(move || {
            let _ = context.bind();
            // SAFETY: freed once; the owner has waited for the work that uses it. Errors: the driver is shut down or the context broken.
            let _ = unsafe { context.driver.cuMemFree_v2(address) };
        });
    }
}

impl Context {
    /// Bytes of device memory that this value owns.
    pub(crate) fn free_bytes(&self) -> Result<usize, DriverError> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers to where we point; the context is current.
        unsafe {
            self.driver.cuMemGetInfo_v2(&raw mut free, &raw mut total)?;
        }
        Ok(free)
    }

    /// The GPU's number, as the driver's functions about memory take it.
    pub(crate) fn number(&self) -> i32 {
        self.device()
    }
}

/// Page-locked host memory, mapped into the GPU's address space, for all contexts; zeroed.
#[derive(Debug)]
pub(crate) struct MappedMemory {
    context: Arc<Context>,
    host: NonNull<u8>,
    address: u64,
}

// SAFETY: owns plain memory; who reads and writes it through `host` synchronises itself.
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
    /// As many as were asked for.
    bytes: usize,
}

/// Advice is about pages, and allocations of the driver begin in the middle of them: without whole pages of its own, a buffer would be told
/// of what its neighbours were advised. Pages of managed memory have 64 KiB on the GPU, and no host has larger ones.
const MANAGED_PAGE: usize = 64 << 10;

fn whole_pages(bytes: usize) -> usize {
    bytes.max(1).next_multiple_of(MANAGED_PAGE)
}

impl ManagedMemory {
    /// Memory with no particular contents.
    pub(crate) fn new(context: Arc<Context>, bytes: usize) -> Result<ManagedMemory, DriverError> {
        ManagedMemory::attached(context, bytes, sys::CU_MEM_ATTACH_GLOBAL)
    }

    /// The same, `Ok(None)` if the GPU has less free; the driver itself would begin to move pages in and out. `host`: only the host sees it
    /// at first, and devices that may use it at the same time.
    pub(crate) fn within_free(
        context: Arc<Context>,
        bytes: usize,
        host: bool,
    ) -> Result<Option<ManagedMemory>, DriverError> {
        if bytes > context.free_bytes()? {
            return Ok(None);
        }
        let flags = if host {
            flags::CU_MEM_ATTACH_HOST
        } else {
            sys::CU_MEM_ATTACH_GLOBAL
        };
        match ManagedMemory::attached(context, bytes, flags) {
            Ok(memory) => Ok(Some(memory)),
            Err(error) if error.code == sys::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn attached(
        context: Arc<Context>,
        bytes: usize,
        flags: u32,
    ) -> Result<ManagedMemory, DriverError> {
        context.bind()?;
        let mut address = 0;
        let whole = whole_pages(bytes);
        // SAFETY: writes one address to where we point; the context is current.
        unsafe {
            context
                .driver
                .cuMemAllocManaged(&raw mut address, whole, flags)?;
        }
        Ok(ManagedMemory {
            context,
            address,
            bytes,
        })
    }

    /// Tells the driver how the memory will be used: an advice of `CUmem_advise`, about this GPU or about the host.
    pub(crate) fn advise(&self, advice: i32, this_gpu: bool) -> Result<(), DriverError> {
        self.context.bind()?;
        let device = if this_gpu {
            self.context.device()
        } else {
            flags::CU_DEVICE_CPU
        };
        let driver = &self.context.driver;
        // SAFETY: the whole of an allocation of managed memory; advice changes no values.
        unsafe { driver.cuMemAdvise(self.address, whole_pages(self.bytes), advice, device) }
    }

    /// Whether all of it was advised to be mostly read.
    pub(crate) fn is_read_mostly(&self) -> Result<bool, DriverError> {
        Ok(self.attribute(flags::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)? != 0)
    }

    /// Number of the GPU where all of it should stay; -1 for the host, less if none was set.
    pub(crate) fn preferred(&self) -> Result<i32, DriverError> {
        self.attribute(flags::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION)
    }

    fn attribute(&self, attribute: i32) -> Result<i32, DriverError> {
        self.context.bind()?;
        let mut value = 0i32;
        let (to, size) = (&raw mut value, size_of::<i32>());
        let (start, bytes) = (self.address, whole_pages(self.bytes));
        let driver = &self.context.driver;
        // SAFETY: writes one number of four bytes to where we point; the range is all of an allocation of managed memory.
        unsafe { driver.cuMemRangeGetAttribute(to.cast(), size, attribute, start, bytes)? };
        Ok(value)
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
