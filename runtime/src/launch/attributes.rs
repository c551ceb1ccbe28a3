//! What the driver says of a loaded kernel.

use std::panic::Location;

use crate::device::{Backend, Device};
use crate::launch::{Kernel, LaunchError};
use crate::module::Function;

/// What a kernel needs on a GPU. Returned by `kernel_name::attributes`. CUDA: `cudaFuncGetAttributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// Registers of each thread.
    pub registers: u32,
    /// Bytes of local memory of each thread: spilled registers, arrays, the stack.
    pub local_bytes: u32,
    /// Bytes of shared memory that each block has without asking.
    pub shared_bytes: u32,
    /// Bytes of constant memory that the kernel declares.
    pub constant_bytes: u32,
    /// Threads of a block at most, given its registers and its launch bounds.
    pub max_threads: u32,
    /// Bytes of dynamic shared memory that launches were allowed so far; launches raise it by themselves.
    pub max_dynamic_shared_bytes: u32,
    /// The PTX version that it was assembled for, as 10 × compute capability.
    pub ptx_version: u32,
    /// The architecture of the machine code, as 10 × compute capability.
    pub binary_version: u32,
}

/// What a kernel needs on `device`; `None` on the emulator. Called by the expansion of `kernel`.
///
/// # Errors
/// [`LaunchError`], if there is no code for the device or the driver refuses it.
pub fn attributes(
    device: &Device,
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<Option<KernelAttributes>, LaunchError> {
    let Backend::Cuda(gpu) = &device.0.backend else {
        return Ok(None);
    };
    let mut guard = gpu.submission();
    let function = guard.modules.function(gpu, device, kernel, caller)?;
    let attributes = function
        .attributes()
        .map_err(|source| LaunchError::Driver {
            kernel: kernel.base,
            source,
        })?;
    Ok(Some(attributes))
}

/// A kernel loaded on `device`, to be asked and told more; on the emulator the kernel itself. Called by the expansion of `kernel`.
///
/// # Errors
/// [`LaunchError`], if there is no code for the device or the driver refuses it.
pub fn function(
    device: &Device,
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<Function, LaunchError> {
    let loaded = match &device.0.backend {
        Backend::Emulator(emulated) => {
            if emulated.model.is_some() {
                crate::module::check_capability(kernel, device, caller)?;
            }
            None
        }
        Backend::Cuda(gpu) => {
            let mut guard = gpu.submission();
            Some(guard.modules.function(gpu, device, kernel, caller)?)
        }
    };
    Ok(Function::new(device, kernel.base, kernel.contract, loaded))
}
