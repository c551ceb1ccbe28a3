//! Copies, and what sets memory: work for a stream.

use super::array::ArrayHandle;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::memory::{
    CU_DEVICE_CPU, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST,
    CU_MEMORYTYPE_UNIFIED, CUDA_MEMCPY2D, CUDA_MEMCPY3D, Side2D, Side3D,
};

/// A copy between rectangles or boxes, in bytes and rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Box3<'a> {
    pub(crate) from: Corner<'a>,
    pub(crate) to: Corner<'a>,
    /// Bytes.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Planes.
    pub(crate) depth: usize,
}

/// Where one side of a copy starts, and how its rows lie.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Corner<'a> {
    /// At an address of the host's memory.
    Host(Rows),
    /// At an address of the device's memory.
    Device(Rows),
    /// At an address of some device's memory: the driver finds out whose.
    Anywhere(Rows),
    /// In an array: bytes along x, rows, planes or layers.
    Array(&'a ArrayHandle, [usize; 3]),
}

/// Rows in memory, from an address on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) start: u64,
    /// Bytes from row to row.
    pub(crate) pitch: usize,
    /// Rows from plane to plane.
    pub(crate) rows: usize,
}

/// One call of the driver: `unit` (1, 2 or 4) bytes of `value` are written `width` times in each of `height` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memset {
    /// Bytes from the start of the fill.
    pub(crate) offset: usize,
    pub(crate) pitch: usize,
    pub(crate) unit: usize,
    pub(crate) value: u32,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Corner<'_> {
    fn is_array(&self) -> bool {
        matches!(self, Corner::Array(..))
    }

    /// As the driver's structures take it.
    #[inline]
    fn side(&self) -> Side3D {
        let none = Side3D {
            x_bytes: 0,
            y: 0,
            z: 0,
            level: 0,
            kind: 0,
            host: std::ptr::null_mut(),
            device: 0,
            array: std::ptr::null_mut(),
            reserved: std::ptr::null_mut(),
            pitch: 0,
            rows: 0,
        };
        match *self {
            Corner::Host(Rows { start, pitch, rows }) => {
                let address = usize::try_from(start).unwrap_or(0);
                Side3D {
                    kind: CU_MEMORYTYPE_HOST,
                    host: std::ptr::with_exposed_provenance_mut(address),
                    pitch,
                    rows,
                    ..none
                }
            }
            Corner::Device(Rows { start, pitch, rows })
            | Corner::Anywhere(Rows { start, pitch, rows }) => Side3D {
                kind: match self {
                    Corner::Device(_) => CU_MEMORYTYPE_DEVICE,
                    _ => CU_MEMORYTYPE_UNIFIED,
                },
                device: start,
                pitch,
                rows,
                ..none
            },
            Corner::Array(array, [x_bytes, y, z]) => Side3D {
                kind: CU_MEMORYTYPE_ARRAY,
                array: array.raw(),
                x_bytes,
                y,
                z,
                ..none
            },
        }
    }
}

impl Box3<'_> {
    /// As the driver's functions for three dimensions take it.
    #[inline]
    pub(super) fn in_space(&self) -> CUDA_MEMCPY3D {
        CUDA_MEMCPY3D {
            from: self.from.side(),
            to: self.to.side(),
            width_bytes: self.width,
            height: self.height,
            depth: self.depth,
        }
    }
}

/// A side of one plane in memory.
fn in_plane(side: &Side3D) -> Side2D {
    Side2D {
        x_bytes: side.x_bytes,
        y: side.y,
        kind: side.kind,
        host: side.host,
        device: side.device,
        array: side.array,
        pitch: side.pitch,
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
        match unit {
            // SAFETY: the caller promises the range.
            1 => unsafe { driver.cuMemsetD8Async(to, value as u8, count, self.raw) },
            // SAFETY: as above.
            2 => unsafe { driver.cuMemsetD16Async(to, value as u16, count, self.raw) },
            // SAFETY: as above.
            _ => unsafe { driver.cuMemsetD32Async(to, value, count, self.raw) },
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
        let (byte, half) = (value as u8, value as u16);
        match unit {
            // SAFETY: the caller promises the rows.
            1 => unsafe { driver.cuMemsetD2D8Async(to, pitch, byte, width, height, stream) },
            // SAFETY: as above.
            2 => unsafe { driver.cuMemsetD2D16Async(to, pitch, half, width, height, stream) },
            // SAFETY: as above.
            _ => unsafe { driver.cuMemsetD2D32Async(to, pitch, value, width, height, stream) },
        }
    }

    /// Queues a copy of rows and planes.
    ///
    /// # Safety
    /// All rows can be read and written, and stay so until the stream got there; they do not overlap, and lie in their arrays. None of the
    /// extents is zero. The provenance of host addresses was exposed.
    #[inline]
    pub(crate) unsafe fn copy_box(&self, copy: &Box3<'_>) -> Result<(), Box<DriverError>> {
        self.bind_default()?;
        let (driver, retry) = (&self.context.driver, self.context.retry());
        // Layers of arrays are planes to the driver, also a single one.
        if copy.depth == 1 && !copy.from.is_array() && !copy.to.is_array() {
            let copy = CUDA_MEMCPY2D {
                from: in_plane(&copy.from.side()),
                to: in_plane(&copy.to.side()),
                width_bytes: copy.width,
                height: copy.height,
            };
            // SAFETY: the structure is read during the call; the caller promises the rows.
            return unsafe { driver.cuMemcpy2DAsync_v2(retry, &raw const copy, self.raw) };
        }
        let copy = copy.in_space();
        // SAFETY: as above.
        unsafe { driver.cuMemcpy3DAsync_v2(retry, &raw const copy, self.raw) }
    }
}
