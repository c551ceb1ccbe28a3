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

    /// Queues writing `unit` (1, 2 or 4) bytes of `value` again and again, `count` times.
    ///
    /// # Safety
    /// The units can be written from `to` on, which is a multiple of `unit`, and stay so until the stream got there.
    pub(crate) unsafe fn set(
        &self,
        to: u64,
        unit: usize,
        value: u32,
        count: usize,
    ) -> Result<(), DriverError> {
        self.context.bind()?;
        let driver = &self.context.driver;
        // The unit's bytes are the number's low ones, as both sides are little-endian.
        // SAFETY: the caller promises the range.
        unsafe {
            match unit {
                1 => driver.cuMemsetD8Async(to, value as u8, count, self.raw),
                2 => driver.cuMemsetD16Async(to, value as u16, count, self.raw),
                _ => driver.cuMemsetD32Async(to, value, count, self.raw),
            }
        }
    }

    /// The same in rows of so many units (width, height), which start `pitch` bytes, a multiple of `unit`, after each other.
    ///
    /// # Safety
    /// As [`Stream::set`], for each row.
    pub(crate) unsafe fn set_rows(
        &self,
        to: u64,
        pitch: usize,
        unit: usize,
        value: u32,
        (width, height): (usize, usize),
    ) -> Result<(), DriverError> {
        self.context.bind()?;
        let (driver, stream) = (&self.context.driver, self.raw);
        // SAFETY: the caller promises the rows.
        unsafe {
            match unit {
                1 => driver.cuMemsetD2D8Async(to, pitch, value as u8, width, height, stream),
                2 => driver.cuMemsetD2D16Async(to, pitch, value as u16, width, height, stream),
                _ => driver.cuMemsetD2D32Async(to, pitch, value, width, height, stream),
            }
        }
    }
}
