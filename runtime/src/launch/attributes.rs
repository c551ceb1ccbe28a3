//! What the driver says of a loaded kernel.

use std::panic::Location;

use crate::cuda::callback::in_host_callback;
use crate::cuda::module::KernelAttributes;
use crate::device::{Backend, Device};
use crate::kernel::Kernel;
use crate::launch::error::LaunchError;
use crate::module::function::Function;

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
    reject_in_host_callback(kernel)?;
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
                crate::module::embedded::check_capability(kernel, device, caller)?;
            }
            None
        }
        Backend::Cuda(gpu) => {
            reject_in_host_callback(kernel)?;
            let mut guard = gpu.submission();
            Some(guard.modules.function(gpu, device, kernel, caller)?)
        }
    };
    Ok(Function::new(device, kernel.base, kernel.contract, loaded))
}

/// A host function must not wait for the device's lock: who has it may wait for the host function.
fn reject_in_host_callback(kernel: &Kernel<'_>) -> Result<(), LaunchError> {
    if in_host_callback() {
        let kernel = kernel.base;
        return Err(LaunchError::InsideHostFunction { kernel });
    }
    Ok(())
}
