//! A GPU's primary context, shared with every other user of the GPU in this process.

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use super::host::{forbidden, is_inside, outside};
use super::result::DriverError;
use super::sys::{self, CUcontext, CUdevice, Driver};
use crate::device::Limits;
use crate::error::DeviceError;

/// A retained primary context. Released when the last owner is gone.
#[derive(Debug)]
pub(crate) struct Context {
    pub(super) driver: &'static Driver,
    pub(super) device: CUdevice,
    raw: CUcontext,
}

/// What a GPU says about itself.
#[derive(Debug)]
pub(crate) struct Properties {
    pub(crate) name: String,
    pub(crate) compute_capability: (u32, u32),
    pub(crate) limits: Limits,
    pub(crate) driver_version: (u32, u32),
}

impl Context {
    /// Retains the primary context of GPU `ordinal`.
    pub(crate) fn open(ordinal: u32) -> Result<Arc<Context>, DeviceError> {
        let driver = sys::driver()?;
        let mut count: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe { driver.cuDeviceGetCount(&raw mut count)? };
        let index = c_int::try_from(ordinal)
            .ok()
            .filter(|index| *index < count)
            .ok_or(DeviceError::NoSuchDevice {
                given: ordinal,
                count: count.unsigned_abs(),
            })?;
        let mut device: CUdevice = 0;
        let mut raw = CUcontext::NULL;
        // SAFETY: both write one value to where we point; `index` is below the number of devices.
        unsafe {
            driver.cuDeviceGet(&raw mut device, index)?;
            driver.cuDevicePrimaryCtxRetain(&raw mut raw, device)?;
        }
        Ok(Arc::new(Context {
            driver,
            device,
            raw,
        }))
    }

    /// Makes this the calling thread's context, as the calls that take no context or stream need.
    pub(crate) fn bind(&self) -> Result<(), DriverError> {
        if is_inside() {
            return Err(forbidden());
        }
        // SAFETY: the context is retained while `self` lives.
        unsafe { self.driver.cuCtxSetCurrent(self.raw) }
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Waits until all work of this context is done.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: takes nothing; the context is current.
        unsafe { self.driver.cuCtxSynchronize() }
    }

    /// Bytes of the heap that kernels allocate from.
    pub(crate) fn heap_limit(&self) -> Result<usize, DriverError> {
        self.bind()?;
        let mut bytes = 0;
        // SAFETY: writes one number to where we point; the context is current.
        unsafe {
            self.driver
                .cuCtxGetLimit(&raw mut bytes, sys::CU_LIMIT_MALLOC_HEAP_SIZE)?;
        }
        Ok(bytes)
    }

    /// Sets it, as long as no kernel that allocates was loaded.
    pub(crate) fn set_heap_limit(&self, bytes: usize) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: takes numbers only; the context is current.
        unsafe {
            self.driver
                .cuCtxSetLimit(sys::CU_LIMIT_MALLOC_HEAP_SIZE, bytes)
        }
    }

    /// Asks the GPU for its name and limits.
    pub(crate) fn properties(&self) -> Result<Properties, DriverError> {
        let mut version: c_int = 0;
        let mut name = [0; 256];
        // SAFETY: write one integer and at most 256 bytes, ended by a zero, to where we point.
        unsafe {
            self.driver.cuDriverGetVersion(&raw mut version)?;
            self.driver
                .cuDeviceGetName(name.as_mut_ptr().cast(), 256, self.device)?;
        }
        let name = CStr::from_bytes_until_nul(&name).map_or_else(
            |_| String::new(),
            |name| name.to_string_lossy().into_owned(),
        );
        let version = version.unsigned_abs();
        let driver_version = (version / 1000, version % 1000 / 10);
        let [major, minor] = self.attributes(sys::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY)?;
        let shared_bytes = self.attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?;
        let limits = Limits {
            threads_per_block: self.attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            block: self.attributes(sys::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM)?,
            grid: self.attributes(sys::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM)?,
            shared_bytes,
            shared_bytes_opt_in: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                .max(shared_bytes),
            // 32,764 bytes since driver 12.1 on compute capability 7.0 and above (CUDA Programming Guide, limits).
            parameter_bytes: if driver_version >= (12, 1) && major >= 7 {
                32_764
            } else {
                4_096
            },
            constant_bytes: self.attribute(sys::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)?,
            warp: self.attribute(sys::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
            cluster_blocks: if major >= 9 { 8 } else { 0 },
            multiprocessors: self.attribute(sys::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_multiprocessor: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            blocks_per_multiprocessor: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            shared_bytes_per_multiprocessor: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
            shared_bytes_reserved: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        };
        Ok(Properties {
            name,
            compute_capability: (major, minor),
            limits,
            driver_version,
        })
    }

    /// Whether host and kernels may use managed memory at the same time.
    pub(crate) fn has_concurrent_managed_access(&self) -> Result<bool, DriverError> {
        let value = self.attribute(sys::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?;
        Ok(value != 0)
    }

    pub(super) fn attribute(&self, attribute: c_int) -> Result<u32, DriverError> {
        let mut value: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe {
            self.driver
                .cuDeviceGetAttribute(&raw mut value, attribute, self.device)?;
        }
        Ok(value.unsigned_abs())
    }

    fn attributes<const N: usize>(&self, list: [c_int; N]) -> Result<[u32; N], DriverError> {
        let mut values = [0; N];
        for (value, attribute) in values.iter_mut().zip(list) {
            *value = self.attribute(attribute)?;
        }
        Ok(values)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let (driver, device) = (self.driver, self.device);
        outside(move || {
            // SAFETY: releases what `open` retained, once. An error means that the driver is shut down already: nothing is left to release.
            let _ = unsafe { driver.cuDevicePrimaryCtxRelease_v2(device) };
        });
    }
}
