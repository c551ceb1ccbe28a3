//! Copies, and what sets memory: work for a stream.

use super::result::DriverError;
use super::stream::Stream;
use super::sys::memory::CU_DEVICE_CPU;

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

    /// Queues moving the pages of managed memory to this GPU, or to the host.
    ///
    /// # Safety
    /// The range lies in managed memory, which stays until the stream got there; it is not empty.
    pub(crate) unsafe fn prefetch(
        &self,
        start: u64,
        bytes: usize,
        this_gpu: bool,
    ) -> Result<(), DriverError> {
        self.context.bind()?;
        let to = if this_gpu {
            self.context.device
        } else {
            CU_DEVICE_CPU
        };
        let driver = &self.context.driver;
        // SAFETY: the caller promises the range.
        unsafe { driver.cuMemPrefetchAsync(start, bytes, to, self.raw) }
    }
}
