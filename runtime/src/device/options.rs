//! How the host waits for a GPU, and what else is said before a context is made.

use crate::device::select::choose;
use crate::device::{Backend, Device, DeviceError};

/// What a program says before it opens a device. CUDA: the flags of `cuDevicePrimaryCtxSetFlags`, `cudaSetDeviceFlags`.
///
/// ```
/// use warploom_runtime::device::{DeviceOptions, Wait};
/// let device = DeviceOptions::new().wait(Wait::Block).emulator();
/// assert_eq!(device.options()?.waits(), Wait::Block);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct DeviceOptions {
    wait: Option<Wait>,
    keep_local_memory: bool,
}

/// How a host thread waits for a GPU. CUDA: `CU_CTX_SCHED_…`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wait {
    /// The driver chooses: it spins if the process has fewer contexts than the machine has processors, else it yields.
    #[default]
    Auto,
    /// It asks again and again: the shortest wait, and a processor that does nothing else.
    Spin,
    /// It asks again and again, and lets other threads run in between.
    Yield,
    /// It sleeps until the GPU interrupts: the least work for the processor, and some microseconds more.
    Block,
}

/// `CU_CTX_LMEM_RESIZE_TO_MAX`.
const KEEP_LOCAL: u32 = 16;
/// `CU_CTX_SCHED_MASK`.
const WAIT_MASK: u32 = 7;

impl Wait {
    fn flag(self) -> u32 {
        match self {
            Wait::Auto => 0,
            Wait::Spin => 1,
            Wait::Yield => 2,
            Wait::Block => 4,
        }
    }
}

impl DeviceOptions {
    /// Nothing said: the GPU's context is taken as it is.
    pub fn new() -> DeviceOptions {
        DeviceOptions::default()
    }

    /// The same with a way to wait. Without effect on the emulator, where work is done when a call returns.
    pub fn wait(self, wait: Wait) -> DeviceOptions {
        DeviceOptions {
            wait: Some(wait),
            ..self
        }
    }

    /// The same, and local memory that a kernel needed stays with the GPU for the next one. CUDA: `CU_CTX_LMEM_RESIZE_TO_MAX`.
    pub fn keep_local_memory(self, keep: bool) -> DeviceOptions {
        DeviceOptions {
            keep_local_memory: keep,
            ..self
        }
    }

    /// How the host waits.
    #[must_use]
    pub fn waits(self) -> Wait {
        self.wait.unwrap_or_default()
    }

    /// Whether local memory stays with the GPU.
    #[must_use]
    pub fn keeps_local_memory(self) -> bool {
        self.keep_local_memory
    }

    /// Whether kernels can use mapped host memory: always, on every device that has it. CUDA: `CU_CTX_MAP_HOST`.
    #[must_use]
    pub fn maps_host_memory(self) -> bool {
        true
    }

    /// As [`Device::open`], with these options.
    ///
    /// # Errors
    /// Those of [`Device::open`] and of [`cuda`](DeviceOptions::cuda).
    pub fn open(self) -> Result<Device, DeviceError> {
        choose(self)
    }

    /// As [`Device::cuda`], with these options.
    ///
    /// # Errors
    /// Those of [`Device::cuda`]; [`DeviceError::ContextActive`] if the GPU's primary context is there already, made by this program or by
    /// a library in it, with other options: they are fixed then.
    pub fn cuda(self, ordinal: u32) -> Result<Device, DeviceError> {
        Device::open_gpu(ordinal, self)
    }

    /// As [`Device::emulator`], with these options.
    #[must_use]
    pub fn emulator(self) -> Device {
        crate::model::Emulator::new().options(self).device()
    }

    /// The driver's flags; `None` if nothing was said.
    pub(crate) fn flags(self) -> Option<u32> {
        (self != DeviceOptions::new()).then(|| {
            let keep = if self.keep_local_memory {
                KEEP_LOCAL
            } else {
                0
            };
            keep | self.waits().flag()
        })
    }

    pub(crate) fn of_flags(flags: u32) -> DeviceOptions {
        let wait = match flags & WAIT_MASK {
            1 => Wait::Spin,
            2 => Wait::Yield,
            4 => Wait::Block,
            _ => Wait::Auto,
        };
        DeviceOptions {
            wait: Some(wait),
            keep_local_memory: flags & KEEP_LOCAL != 0,
        }
    }
}

/// The options as one reads them in a message.
pub(crate) fn text_of(flags: u32) -> String {
    let options = DeviceOptions::of_flags(flags);
    let local = if options.keep_local_memory {
        ", local memory kept"
    } else {
        ""
    };
    format!("Wait::{:?}{local}", options.waits())
}

impl Device {
    /// What this device's context was made with. CUDA: `cuCtxGetFlags`.
    ///
    /// # Errors
    /// [`DeviceError::Query`] if the driver refuses. None on the emulator.
    pub fn options(&self) -> Result<DeviceOptions, DeviceError> {
        match &self.0.backend {
            Backend::Emulator(emulated) => Ok(emulated.options),
            Backend::Cuda(gpu) => {
                gpu.context
                    .flags()
                    .map(DeviceOptions::of_flags)
                    .map_err(|source| {
                        self.refused("ask for the options of the context".to_owned(), source)
                    })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //@ rows: GAS-13
    #[test]
    fn options_are_the_drivers_flags() {
        assert_eq!(DeviceOptions::new().flags(), None);
        for (wait, flags) in [
            (Wait::Auto, 0),
            (Wait::Spin, 1),
            (Wait::Yield, 2),
            (Wait::Block, 4),
        ] {
            let options = DeviceOptions::new().wait(wait);
            assert_eq!(options.flags(), Some(flags));
            let kept = options.keep_local_memory(true);
            assert_eq!(kept.flags(), Some(KEEP_LOCAL | flags));
            assert_eq!(DeviceOptions::of_flags(8 | KEEP_LOCAL | flags), kept);
        }
        assert_eq!(text_of(4), "Wait::Block");
        assert_eq!(text_of(17), "Wait::Spin, local memory kept");
    }
}
