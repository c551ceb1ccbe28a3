//! Copies, and what sets memory: work for a stream.

use std::ffi::c_void;

use super::result::DriverError;
use super::stream::Stream;
use super::sys::memory::{
    CU_DEVICE_CPU, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CUDA_MEMCPY2D, CUDA_MEMCPY3D, Side2D,
    Side3D,
};

/// A copy between rectangles or boxes, in bytes and rows. Each side is an address of the host's memory or of the device's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Box3 {
    pub(crate) from: u64,
    pub(crate) from_host: bool,
    /// Bytes from row to row.
    pub(crate) from_pitch: usize,
    /// Rows from plane to plane.
    pub(crate) from_rows: usize,
    pub(crate) to: u64,
    pub(crate) to_host: bool,
    pub(crate) to_pitch: usize,
    pub(crate) to_rows: usize,
    /// Bytes.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Planes.
    pub(crate) depth: usize,
}

/// An address as the driver's structures take it: what kind it is, and the fields for the host and for a device.
fn place(address: u64, host: bool) -> (u32, *mut c_void, u64) {
    if host {
        let address = usize::try_from(address).unwrap_or(0);
        let address = std::ptr::with_exposed_provenance_mut(address);
        (CU_MEMORYTYPE_HOST, address, 0)
    } else {
        (CU_MEMORYTYPE_DEVICE, std::ptr::null_mut(), address)
    }
}

fn side_2d((kind, host, device): (u32, *mut c_void, u64), pitch: usize) -> Side2D {
    Side2D {
        x_bytes: 0,
        y: 0,
        kind,
        host,
        device,
        array: std::ptr::null_mut(),
        pitch,
    }
}

fn side_3d((kind, host, device): (u32, *mut c_void, u64), pitch: usize, rows: usize) -> Side3D {
    Side3D {
        x_bytes: 0,
        y: 0,
        z: 0,
        level: 0,
        kind,
        host,
        device,
        array: std::ptr::null_mut(),
        reserved: std::ptr::null_mut(),
        pitch,
        rows,
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
            self.context.device()
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

    /// Queues a copy of rows and planes.
    ///
    /// # Safety
    /// All rows can be read and written, and stay so until the stream got there; they do not overlap. None of the extents is zero. The
    /// provenance of host addresses was exposed.
    pub(crate) unsafe fn copy_box(&self, copy: &Box3) -> Result<(), DriverError> {
        self.context.bind()?;
        let driver = &self.context.driver;
        let from = place(copy.from, copy.from_host);
        let to = place(copy.to, copy.to_host);
        if copy.depth == 1 {
            let copy = CUDA_MEMCPY2D {
                from: side_2d(from, copy.from_pitch),
                to: side_2d(to, copy.to_pitch),
                width_bytes: copy.width,
                height: copy.height,
            };
            // SAFETY: the structure is read during the call; the caller promises the rows.
            return unsafe { driver.cuMemcpy2DAsync_v2(&raw const copy, self.raw) };
        }
        let copy = CUDA_MEMCPY3D {
            from: side_3d(from, copy.from_pitch, copy.from_rows),
            to: side_3d(to, copy.to_pitch, copy.to_rows),
            width_bytes: copy.width,
            height: copy.height,
            depth: copy.depth,
        };
        // SAFETY: as above.
        unsafe { driver.cuMemcpy3DAsync_v2(&raw const copy, self.raw) }
    }
}
