//! Clocks and power of the first GPU, as NVML reports them.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use libloading::Library;

/// `NVML_CLOCK_SM`.
const MULTIPROCESSORS: c_int = 1;

type Read = unsafe extern "C" fn(*mut c_void, *mut c_uint) -> c_int;
type ReadClock = unsafe extern "C" fn(*mut c_void, c_int, *mut c_uint) -> c_int;

/// NVML, if the driver brings it.
pub(crate) struct Nvml {
    device: *mut c_void,
    clock: ReadClock,
    power: Read,
    _library: Library,
}

impl Nvml {
    /// `None` where there is no NVML, or it cannot find the GPU.
    pub(crate) fn open() -> Option<Self> {
        // SAFETY: its initialisation does nothing but register its own.
        let library = unsafe { Library::new("libnvidia-ml.so.1") }.ok()?;
        // SAFETY: the types of nvml.h.
        let start =
            *unsafe { library.get::<unsafe extern "C" fn() -> c_int>(b"nvmlInit_v2\0") }.ok()?;
        // SAFETY: as above.
        let find = *unsafe {
            library.get::<unsafe extern "C" fn(c_uint, *mut *mut c_void) -> c_int>(
                b"nvmlDeviceGetHandleByIndex_v2\0",
            )
        }
        .ok()?;
        // SAFETY: as above.
        let clock = *unsafe { library.get::<ReadClock>(b"nvmlDeviceGetClockInfo\0") }.ok()?;
        // SAFETY: as above.
        let power = *unsafe { library.get::<Read>(b"nvmlDeviceGetPowerUsage\0") }.ok()?;
        let mut device = ptr::null_mut();
        // SAFETY: the first call of the library.
        if unsafe { start() } != 0 {
            return None;
        }
        // SAFETY: writes a handle.
        if unsafe { find(0, &raw mut device) } != 0 {
            return None;
        }
        Some(Self {
            device,
            clock,
            power,
            _library: library,
        })
    }

    /// MHz of the multiprocessors and watts, each 0 if it is not known.
    pub(crate) fn read(&self) -> (u32, u32) {
        let (mut mhz, mut milliwatts) = (0, 0);
        // SAFETY: the handle of a GPU; writes a number.
        let clock = unsafe { (self.clock)(self.device, MULTIPROCESSORS, &raw mut mhz) };
        // SAFETY: as above.
        let power = unsafe { (self.power)(self.device, &raw mut milliwatts) };
        let known = |status, value| if status == 0 { value } else { 0 };
        (known(clock, mhz), known(power, milliwatts / 1000))
    }
}
