//! Page-locked memory in the GPU's address space.

use super::PinnedBuffer;
use crate::memory::{AtomicElement, MemoryError, SharedAtomics, host_access};
use crate::unsupported::Unsupported;
use crate::view::{DeviceSlice, DeviceSliceMut};

impl<T> PinnedBuffer<T> {
    /// All elements, for kernels to read where they are, across the bus. The buffer was made [mapped](crate::PinnedOptions::mapped).
    ///
    /// What the host wrote before is seen by every launch after it; what a kernel writes, by the host's next
    /// [`as_slice`](PinnedBuffer::as_slice), which waits for the kernel. Kernels of the buffer's own device only. CUDA: zero-copy memory,
    /// `cuMemHostGetDevicePointer`.
    ///
    /// # Errors
    /// [`MemoryError::Unsupported`] if it is not mapped.
    ///
    /// ```
    /// use warploom_runtime::{PinnedOptions, launch::SliceArg};
    /// # let device = warploom_runtime::Device::emulator();
    /// # fn launch<'a>(x: impl SliceArg<'a, f32>) {}
    /// let x = device.pinned_with::<f32>(8, PinnedOptions::new().mapped())?;
    /// launch(x.device_slice()?);
    /// assert!(device.pinned::<f32>(8)?.device_slice().is_err());
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// ```compile_fail,E0502
    /// use warploom_runtime::{PinnedOptions, launch::SliceMutArg};
    /// # let device = warploom_runtime::Device::emulator();
    /// # fn launch<'a>(x: impl SliceMutArg<'a, f32>) {}
    /// let mut x = device.pinned_with::<f32>(8, PinnedOptions::new().mapped()).unwrap();
    /// let seen = x.as_slice().unwrap();
    /// launch(x.device_slice_mut().unwrap()); // a kernel would write what the host reads
    /// assert_eq!(seen[0], 0.0);
    /// ```
    pub fn device_slice(&self) -> Result<DeviceSlice<'_, T>, MemoryError> {
        let start = self.mapped_start()?;
        // SAFETY: the memory holds `len` elements under this address, borrowed like `self`.
        Ok(unsafe { DeviceSlice::new(&self.buffer, start, self.len) })
    }

    /// All elements, for kernels to write; see [`device_slice`](PinnedBuffer::device_slice).
    ///
    /// # Errors
    /// As [`device_slice`](PinnedBuffer::device_slice).
    pub fn device_slice_mut(&mut self) -> Result<DeviceSliceMut<'_, T>, MemoryError> {
        let start = self.mapped_start()?;
        // SAFETY: the memory holds `len` elements under this address, borrowed like `self`.
        Ok(unsafe { DeviceSliceMut::new(&self.buffer, start, self.len) })
    }

    fn mapped_start(&self) -> Result<*mut T, MemoryError> {
        if self.options.mapped {
            return Ok(self.buffer.start().cast());
        }
        Err(Unsupported {
            what: "kernels on this page-locked memory",
            device: self.device().name().to_owned(),
            reason:
                "it was made without `PinnedOptions::mapped`; make it so with `device.pinned_with`"
                    .into(),
        }
        .into())
    }
}

impl<T: AtomicElement> PinnedBuffer<T> {
    /// All elements as atomics, for host and kernels at the same time: flags, counters, work queues. Waits for earlier work.
    ///
    /// Atomic between host and kernels are loads and stores; whether read-modify-writes are depends on the bus between them, and other
    /// devices may see them torn apart. On the emulator a launch returns when the kernel is done: set the flags that a kernel waits for
    /// before it, or from another thread.
    ///
    /// # Errors
    /// As [`device_slice`](PinnedBuffer::device_slice).
    ///
    /// ```
    /// use std::sync::atomic::Ordering::Relaxed;
    /// use warploom_runtime::PinnedOptions;
    /// # let device = warploom_runtime::Device::emulator();
    /// let mut flags = device.pinned_with::<u32>(2, PinnedOptions::new().mapped())?;
    /// let (host, kernel) = flags.as_shared_atomics()?;
    /// host[0].store(1, Relaxed);
    /// assert_eq!(kernel.len(), 2); // goes to a kernel as `&[AtomicU32]`
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn as_shared_atomics(&mut self) -> Result<SharedAtomics<'_, T>, MemoryError> {
        self.mapped_start()?;
        // SAFETY: initialised memory of `len` elements, which kernels reach, for it is mapped; any work needs a borrow.
        unsafe { host_access::share::<T>(&mut self.buffer, self.len) }
    }
}
