//! The driver's own handles, out and in.

use std::ffi::c_void;
use std::ptr;

#[cfg(feature = "dlpack")]
use super::dlpack::DeviceType;
use super::foreign::{ForeignElements, adopt};
use crate::cuda::Context;
use crate::cuda::foreign::Adopted;
use crate::device::{Backend, Device, DeviceError, DeviceOptions};
use crate::interop::error::InteropError;
use crate::memory::{DeviceBuffer, MemoryError};
use crate::stream::{Stream, StreamOptions};
use crate::unsupported::Unsupported;
use warploom_device_std::Plain;

impl Device {
    /// The GPU in a context that other code made: a device of its own, whose buffers, streams and modules are that context's. The
    /// context is not destroyed when the device and all that was made of it are gone. CUDA: `cuCtxGetDevice`.
    ///
    /// For programs that keep contexts of their own beside the primary one, and for libraries that work in them. A handle of the primary
    /// context gives the same as [`Device::cuda`]. [`reopen`](Device::reopen) and [`reset`](Device::reset) give a device in the primary
    /// context.
    ///
    /// # Errors
    /// [`DeviceError::NullContext`]; [`DeviceError::DriverNotFound`] where there is no driver; [`DeviceError::Driver`] if it knows no such
    /// context, or the context is lost.
    ///
    /// # Safety
    /// `raw` is a context of the driver, or null. It is not destroyed before the device and all that was made of it are dropped.
    ///
    /// ```
    /// # use warploom_runtime::{Device, DeviceError};
    /// // SAFETY: null is allowed.
    /// let error = unsafe { Device::from_raw_context(std::ptr::null_mut()) }.unwrap_err();
    /// assert_eq!(error, DeviceError::NullContext);
    /// ```
    pub unsafe fn from_raw_context(raw: *mut c_void) -> Result<Device, DeviceError> {
        if raw.is_null() {
            return Err(DeviceError::NullContext);
        }
        // SAFETY: not null, so the caller promises a context that stays.
        let context = unsafe { Context::adopt(raw)? };
        Device::in_context(context, DeviceOptions::new())
    }

    /// The driver's `CUcontext`: the GPU's primary context, or that of [`from_raw_context`](Device::from_raw_context). Null on the
    /// emulator. Valid until this device is dropped.
    #[must_use]
    pub fn raw_context(&self) -> *mut c_void {
        match &self.0.backend {
            Backend::Cuda(gpu) => gpu.context.raw_handle(),
            Backend::Emulator(_) => ptr::null_mut(),
        }
    }

    /// The driver's `CUdevice`, which is the GPU's number; `None` on the emulator.
    #[must_use]
    pub fn raw_device(&self) -> Option<i32> {
        match &self.0.backend {
            Backend::Cuda(gpu) => Some(gpu.context.raw_device()),
            Backend::Emulator(_) => None,
        }
    }
}

impl Stream {
    /// A stream of another owner, to queue work on. It is not destroyed when the [`Stream`] and what it is used for are gone.
    ///
    /// Null is the legacy default stream. CUDA: `CUstream`, `cuStreamGetCtx`, `cuStreamGetFlags`,
    /// `cuStreamGetPriority`.
    ///
    /// # Errors
    /// [`InteropError::Unsupported`] on the emulator, which has no streams of others. [`InteropError::WrongContext`] if the stream belongs
    /// to another context than `device`; [`InteropError::PerThreadStream`]; [`InteropError::Driver`].
    ///
    /// # Safety
    /// `raw` is a stream of the driver, or null. It stays until this stream, its clones, and the buffers that were used on it are dropped.
    ///
    /// ```
    /// # use warploom_runtime::{Device, Stream};
    /// let device = Device::emulator();
    /// // SAFETY: null is the legacy default stream.
    /// let error = unsafe { Stream::from_raw(&device, std::ptr::null_mut()) }.unwrap_err();
    /// assert!(error.to_string().starts_with("emulator does not support streams of others"));
    /// ```
    pub unsafe fn from_raw(device: &Device, raw: *mut c_void) -> Result<Stream, InteropError> {
        let Backend::Cuda(gpu) = &device.0.backend else {
            return Err(InteropError::Unsupported(Unsupported {
                what: "streams of others",
                device: device.name().to_owned(),
                reason: "there is no driver; use `Device::stream`".into(),
            }));
        };
        // SAFETY: the caller promises a live stream.
        match unsafe { gpu.context.adopt_stream(raw)? } {
            Adopted::Stream {
                stream,
                blocking,
                priority,
            } => {
                let options = StreamOptions::new().priority(priority);
                let options = if blocking {
                    options.blocking()
                } else {
                    options
                };
                Ok(Stream::of_cuda(device, stream, options)?)
            }
            Adopted::PerThread => Err(InteropError::PerThreadStream),
            Adopted::OtherContext => Err(InteropError::WrongContext {
                device: device.name().to_owned(),
            }),
        }
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// A buffer in memory of another owner: `len` elements of `T` from `address` on, a `CUdeviceptr`; a host address on the emulator.
    ///
    /// `release` is called once: when the buffer is dropped and all its work is done, or before an error is returned.
    /// Kernels and copies use the memory in place. GPUs take device memory, managed memory and page-locked host memory, of this library or
    /// others. CUDA: `cuPointerGetAttribute`.
    ///
    /// Kernels access arrays and structs of 2, 4, 8 or 16 bytes, and of multiples of these, as vectors: memory that does not start at such a
    /// multiple can be copied, but a launch refuses it ([`LaunchError::Misaligned`](crate::LaunchError::Misaligned)).
    ///
    /// # Errors
    /// [`InteropError::NullAddress`], [`InteropError::Misaligned`], [`InteropError::TooLarge`]; [`InteropError::UnknownAddress`] if the
    /// driver knows nothing of such memory.
    ///
    /// # Safety
    /// The memory holds `len` elements and stays until `release` is called; until then no other code uses it, except in work that streams
    /// order with that of this buffer ([`order_on`](DeviceBuffer::order_on)). On the emulator, `address` is the exposed address of memory
    /// that may be written.
    ///
    /// ```
    /// # use warploom_runtime::{Device, DeviceBuffer, Result};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut theirs = vec![1.0f32, 2.0, 3.0];
    /// let address = theirs.as_mut_ptr().expose_provenance() as u64;
    /// // SAFETY: `theirs` is not touched while the buffer is there.
    /// let mut x = unsafe { DeviceBuffer::<f32>::from_raw_parts(&device, address, 3, || println!("done with it"))? };
    /// x.copy_from(1, &[5.0], &stream)?;
    /// drop(x);
    /// assert_eq!(theirs, [1.0, 5.0, 3.0]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_raw_parts(
        device: &Device,
        address: u64,
        len: usize,
        release: impl FnOnce() + Send + 'static,
    ) -> Result<DeviceBuffer<T>, InteropError> {
        let start =
            usize::try_from(address).map_or(ptr::null_mut(), ptr::with_exposed_provenance_mut);
        let elements = ForeignElements {
            start,
            len,
            is_for_kernels: false,
            #[cfg(feature = "dlpack")]
            device_type: DeviceType::of(device),
        };
        // SAFETY: the caller promises the memory.
        unsafe { adopt(device, elements, Box::new(release)) }
    }

    /// Orders this buffer's work with what others queue on `stream` from now on: that waits for all earlier work on the buffer, and
    /// later work on other streams waits for it. Does not wait on the host.
    ///
    /// To be called before others get [`raw_ptr`](DeviceBuffer::raw_ptr) for work on [`Stream::raw`]. CUDA: `cuStreamWaitEvent`.
    ///
    /// # Errors
    /// [`MemoryError::WrongDevice`] for a stream of another device; [`MemoryError::Driver`].
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let (stream, x) = (device.stream()?, device.zeroed::<f32>(10)?);
    /// x.order_on(&stream)?;
    /// let numbers = (x.raw_ptr(), x.len(), stream.raw()); // for others
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn order_on(&self, stream: &Stream) -> Result<(), MemoryError> {
        self.buffer().check_home(stream)?;
        stream.refuse_recording("order the work of others")?;
        drop(self.buffer().record_use_on(stream)?);
        Ok(())
    }
}
