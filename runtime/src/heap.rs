//! The size of the device's heap, from which kernels' `Box`, `Vec` and `String` come.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::device::{Backend, Device};
use crate::stream::StreamError;

/// What CUDA's heap has if nothing is set.
const DEFAULT_BYTES: usize = 8 << 20;

/// The limit that was set on the emulator; 0: none.
#[derive(Debug, Default)]
pub(crate) struct HeapLimit(AtomicUsize);

impl HeapLimit {
    /// The emulator's limit.
    pub(crate) fn bytes(&self) -> usize {
        match self.0.load(Ordering::Relaxed) {
            0 => DEFAULT_BYTES,
            set => set,
        }
    }

    /// Sets the emulator's limit.
    pub(crate) fn set(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
        warploom_emulator::check::limit_heap(bytes);
    }
}

impl Device {
    /// Bytes of the heap that kernels allocate from: 8 MiB if nothing was set. CUDA: `cuCtxGetLimit(CU_LIMIT_MALLOC_HEAP_SIZE)`.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if the driver refuses. None on the emulator.
    pub fn heap_limit(&self) -> Result<usize, StreamError> {
        match &self.0.backend {
            Backend::Emulator(_) => Ok(self.0.heap.bytes()),
            Backend::Cuda(gpu) => Ok(gpu.context.heap_limit()?),
        }
    }

    /// Sets the size of the heap that kernels allocate from, in bytes; the driver may give more. For all of the process that uses this GPU.
    ///
    /// Before the first launch of a kernel that allocates: the heap cannot change once it is there. A kernel that finds no room panics
    /// with "memory allocation of N bytes failed". What a kernel allocates and does not drop stays until the process lets go of the
    /// GPU. The emulator allocates from the host: where it checks kernels, they find no room beyond this number, on all emulators of the
    /// process; elsewhere it only remembers it. CUDA: `cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE)`.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if the heap is in use already, or larger than the GPU's memory.
    ///
    /// ```
    /// let device = warploom_runtime::Device::emulator();
    /// assert_eq!(device.heap_limit()?, 8 << 20);
    /// device.set_heap_limit(64 << 20)?;
    /// assert_eq!(device.heap_limit()?, 64 << 20);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn set_heap_limit(&self, bytes: usize) -> Result<(), StreamError> {
        match &self.0.backend {
            Backend::Emulator(_) => self.0.heap.set(bytes),
            Backend::Cuda(gpu) => gpu.context.set_heap_limit(bytes)?,
        }
        Ok(())
    }
}
