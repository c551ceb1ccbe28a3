//! The end of a device: lost after an error that the driver does not recover from, or given up.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::cuda::DriverError;
use crate::cuda::context::Pushed;
use crate::device::{Backend, Device, DeviceError};
use crate::model::Emulator;

impl Device {
    /// The error that ended this device, if one did: [`DriverError::is_sticky`]. Never on the emulator, where a kernel's fault harms
    /// nothing.
    ///
    /// The call that met the error returned it in full. All later calls on this device, its streams, buffers and events give the
    /// same error, and do not reach the driver; dropping them is harmless at any time. [`reopen`](Device::reopen) gives a device that
    /// works, unless the driver gives the process none any more, as after most faults of kernels.
    #[must_use]
    pub fn lost(&self) -> Option<DriverError> {
        match &self.0.backend {
            Backend::Cuda(gpu) => gpu.context.lost().cloned(),
            Backend::Emulator(_) => None,
        }
    }

    /// Opens the same GPU again, with the same options: a device of its own, on which nothing of this one can be used. The way on after
    /// the device was [lost](Device::lost).
    ///
    /// While something of the lost device is still there, the new one has a context beside the lost one, whose memory stays occupied until
    /// the last of it is dropped; host memory of the lost device can be read as long as it is there. The emulator gives a new device of the
    /// same model.
    ///
    /// After the fault of a kernel (an access outside of all memory, a trap, a device-side assertion: not after a panic, which harms
    /// nothing) CUDA's drivers leave the whole process without contexts: neither destroying the lost context nor resetting the device
    /// brings one back (driver 580 on an H200). Work that has to survive such kernels belongs in a child process.
    ///
    /// # Errors
    /// [`DeviceError::LostToProcess`] where the driver opens the GPU in a new process only; those of [`Device::cuda`].
    ///
    /// ```
    /// let device = warploom_runtime::Device::emulator();
    /// let again = device.reopen()?;
    /// assert_eq!((again.name(), again.lost()), ("emulator", None));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn reopen(&self) -> Result<Device, DeviceError> {
        match &self.0.backend {
            Backend::Cuda(gpu) => {
                Device::open_gpu(gpu.context.physical_device().ordinal, gpu.options)
            }
            Backend::Emulator(_) => Ok(self.emulator_again()),
        }
    }

    /// Gives up the device with all that it has loaded and set, and opens it again. CUDA: `cudaDeviceReset`.
    ///
    /// Nothing of the device may be there any more: what `cudaDeviceReset` would pull away from under buffers and streams, Rust's ownership
    /// protects. The GPU's primary context goes with the last who has it; another library of the process may keep it.
    ///
    /// # Errors
    /// [`DeviceError::StillUsed`] if clones of the device, streams, events or buffers are there: drop them first. Those of
    /// [`Device::cuda`].
    ///
    /// ```
    /// use warploom_runtime::{Device, DeviceError};
    /// let device = Device::emulator();
    /// let x = device.zeroed::<f32>(1000)?;
    /// assert!(matches!(device.clone().reset(), Err(DeviceError::StillUsed { .. })));
    /// drop(x);
    /// let device = device.reset()?;
    /// # drop(device);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// A device that was reset cannot be used:
    /// ```compile_fail,E0382
    /// let device = warploom_runtime::Device::emulator();
    /// let fresh = device.reset().unwrap();
    /// device.stream().unwrap();
    /// ```
    pub fn reset(self) -> Result<Device, DeviceError> {
        let others = Arc::strong_count(&self.0) - 1;
        let device = self.name().to_owned();
        let again = match &self.0.backend {
            Backend::Cuda(gpu) => Err((gpu.context.physical_device().ordinal, gpu.options)),
            Backend::Emulator(_) => Ok(self.emulator_again()),
        };
        let Some(alone) = Arc::into_inner(self.0) else {
            return Err(DeviceError::StillUsed { device, others });
        };
        drop(alone);
        again.or_else(|(ordinal, options)| Device::open_gpu(ordinal, options))
    }

    /// Makes this device's context the calling thread's until the guard is dropped; then the former one is current again.
    /// CUDA: `cuCtxPushCurrent`, `cuCtxPopCurrent`.
    ///
    /// Two uses. Libraries that work on the current context (cuBLAS, cuFFT, code of one's own) find this device's. And a thread that also
    /// works with contexts of others gets its own back: the runtime's calls make the device's context current where the driver needs that,
    /// and leave it so, since putting the former back would cost two calls more. Threads that use only this runtime, or the runtime
    /// interface of CUDA on the same GPU, need no guard: the context is the primary one, which all share. Does nothing on the emulator.
    ///
    /// # Errors
    /// [`DeviceError::Query`] if the driver refuses. None on the emulator.
    ///
    /// ```
    /// let device = warploom_runtime::Device::emulator();
    /// let current = device.make_current()?;
    /// // calls of a library that asks for the current context
    /// drop(current);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// The guard stays on its thread:
    /// ```compile_fail,E0277
    /// let device = warploom_runtime::Device::emulator();
    /// let current = device.make_current().unwrap();
    /// std::thread::spawn(move || drop(current));
    /// ```
    pub fn make_current(&self) -> Result<CurrentContext<'_>, DeviceError> {
        let pushed =
            match &self.0.backend {
                Backend::Emulator(_) => None,
                Backend::Cuda(gpu) => Some(gpu.context.push().map_err(|source| {
                    self.refused("make the context current".to_owned(), source)
                })?),
            };
        Ok(CurrentContext {
            device: self,
            _pushed: pushed,
            thread: PhantomData,
        })
    }

    fn emulator_again(&self) -> Device {
        match &self.0.backend {
            Backend::Emulator(emulated) => Emulator::of(emulated).device_number(emulated.ordinal),
            Backend::Cuda(_) => Device::emulator(),
        }
    }
}

/// Says that a device's context is the thread's; see [`Device::make_current`].
#[must_use = "the former context is current again when this is dropped"]
pub struct CurrentContext<'d> {
    device: &'d Device,
    _pushed: Option<Pushed>,
    /// The stack of contexts belongs to the thread, on the emulator too.
    thread: PhantomData<*const ()>,
}

impl CurrentContext<'_> {
    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.device
    }
}

impl fmt::Debug for CurrentContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CurrentContext")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
