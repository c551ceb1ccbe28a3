//! GPUs as the driver counts them, before one is opened.

use std::ffi::{CStr, c_int};

use super::driver::{self, Driver, OpenError};
use super::result::DriverError;
use super::sys::{self, CUdevice};

/// A GPU that the driver sees. Asking it things makes no context.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PhysicalDevice {
    pub(super) driver: &'static Driver,
    pub(super) device: CUdevice,
    pub(crate) ordinal: u32,
}

impl PhysicalDevice {
    /// How many GPUs the driver sees.
    pub(crate) fn count() -> Result<u32, OpenError> {
        let driver = driver::driver()?;
        let mut count: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe { driver.cuDeviceGetCount(&raw mut count)? };
        Ok(count.unsigned_abs())
    }

    /// The GPU of this number.
    pub(crate) fn new(ordinal: u32) -> Result<PhysicalDevice, OpenError> {
        let driver = driver::driver()?;
        let count = PhysicalDevice::count()?;
        let index = c_int::try_from(ordinal)
            .ok()
            .filter(|_| ordinal < count)
            .ok_or(OpenError::NoSuchDevice {
                given: ordinal,
                count,
            })?;
        let mut device: CUdevice = 0;
        // SAFETY: writes one value to where we point; `index` is below the number of devices.
        unsafe { driver.cuDeviceGet(&raw mut device, index)? };
        Ok(PhysicalDevice {
            driver,
            device,
            ordinal,
        })
    }

    /// All of them, in the driver's order.
    pub(crate) fn all() -> Result<Vec<PhysicalDevice>, OpenError> {
        (0..PhysicalDevice::count()?)
            .map(PhysicalDevice::new)
            .collect()
    }

    pub(crate) fn name(&self) -> Result<String, DriverError> {
        let mut name = [0; 256];
        // SAFETY: writes at most 256 bytes, ended by a zero, to where we point.
        unsafe {
            self.driver
                .cuDeviceGetName(name.as_mut_ptr().cast(), 256, self.device)?;
        }
        let name = CStr::from_bytes_until_nul(&name).map_or_else(
            |_| String::new(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok(name)
    }

    /// The CUDA version of the driver, major and minor.
    pub(crate) fn driver_version(&self) -> Result<(u32, u32), DriverError> {
        let mut version: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe { self.driver.cuDriverGetVersion(&raw mut version)? };
        let version = version.unsigned_abs();
        Ok((version / 1000, version % 1000 / 10))
    }

    /// The number that stays with the board; that of the part where the GPU is divided (MIG), if the driver knows it.
    pub(crate) fn uuid(&self) -> Result<[u8; 16], DriverError> {
        let mut uuid = [0; 16];
        // SAFETY: writes 16 bytes to where we point.
        let asked = unsafe { self.driver.cuDeviceGetUuid_v2(&raw mut uuid, self.device) };
        if asked.is_err() {
            // SAFETY: as above.
            unsafe { self.driver.cuDeviceGetUuid(&raw mut uuid, self.device)? };
        }
        Ok(uuid)
    }

    /// Bytes of the GPU's memory.
    pub(crate) fn total_memory(&self) -> Result<u64, DriverError> {
        let mut bytes = 0;
        // SAFETY: writes one number to where we point.
        unsafe {
            self.driver
                .cuDeviceTotalMem_v2(&raw mut bytes, self.device)?;
        }
        Ok(bytes as u64)
    }

    /// The attribute of this number; `None` if the driver knows none of this number.
    pub(crate) fn attribute(&self, number: c_int) -> Result<Option<i32>, DriverError> {
        let mut value: c_int = 0;
        // SAFETY: writes one integer to where we point; numbers that the driver does not know are an error, no more.
        let asked = unsafe {
            self.driver
                .cuDeviceGetAttribute(&raw mut value, number, self.device)
        };
        match asked {
            Ok(()) => Ok(Some(value)),
            Err(error) if error.code == sys::CUDA_ERROR_INVALID_VALUE => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Flags of the primary context, and whether it is there.
    pub(crate) fn primary_state(&self) -> Result<(u32, bool), DriverError> {
        let (mut flags, mut active) = (0, 0);
        // SAFETY: writes two integers to where we point.
        unsafe {
            self.driver
                .cuDevicePrimaryCtxGetState(self.device, &raw mut flags, &raw mut active)?;
        }
        Ok((flags, active != 0))
    }
}
