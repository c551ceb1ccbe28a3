//! Where records lie: host memory on the emulator; on a GPU mapped host memory, so that lines survive a broken context.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use warploom_device_std::print::record::PrintRing;
use warploom_emulator::check::{self, Birth, Kind};

use crate::cuda::memory::{DeviceMemory, MappedMemory};
use crate::cuda::{Context, DriverError, OUT_OF_MEMORY};
use crate::device::Gpu;

/// A device's ring.
pub(super) enum Ring {
    Host(Arc<HostRing>),
    Cuda(CudaRing),
}

/// A ring that the emulator's threads write.
pub(crate) struct HostRing {
    /// Leaked boxes by another name: threads know their addresses.
    control: *mut PrintRing,
    words: *mut [u64],
    key: u64,
}

// SAFETY: what the pointers mean is only accessed atomically once the ring is made, and freed by its last owner.
unsafe impl Send for HostRing {}
// SAFETY: as above.
unsafe impl Sync for HostRing {}

impl HostRing {
    /// A ring of `bytes` bytes, a power of two.
    pub(crate) fn new(bytes: usize) -> HostRing {
        HostRing::with_key(bytes, random_key())
    }

    /// The same, with the key that checksums start from.
    pub(super) fn with_key(bytes: usize, key: u64) -> HostRing {
        // One word more, which is `last`.
        let words = Box::into_raw(vec![0u64; bytes / 8 + 1].into_boxed_slice());
        let data = words.cast::<u64>().expose_provenance() as u64;
        let control = Box::into_raw(Box::new(PrintRing {
            head: 0,
            data,
            mask: bytes as u64 - 1,
            last: data + bytes as u64,
            key,
        }));
        // Kernels write records there as the library wants it: nothing to check.
        let ours = |start: *const u8, bytes| {
            check::allocate(start, bytes, 8, 8, Kind::Internal, Birth::Initialised, "");
        };
        ours(words.cast::<u64>().cast(), words.len() * size_of::<u64>());
        ours(control.cast(), size_of::<PrintRing>());
        HostRing {
            control,
            words,
            key,
        }
    }

    #[cfg(test)]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// The address of its description.
    pub(crate) fn control(&self) -> usize {
        self.control.expose_provenance()
    }

    fn all_words(&self) -> &[AtomicU64] {
        // SAFETY: the memory stays as long as `self`; an `AtomicU64` has the layout of a `u64`, and all access is atomic.
        unsafe { &*(self.words as *const [AtomicU64]) }
    }

    pub(crate) fn words(&self) -> &[AtomicU64] {
        let all = self.all_words();
        &all[..all.len() - 1]
    }

    fn last(&self) -> u64 {
        let all = self.all_words();
        all[all.len() - 1].load(Ordering::Acquire)
    }
}

impl Drop for HostRing {
    fn drop(&mut self) {
        check::free(self.words.cast::<u64>().cast());
        check::free(self.control.cast());
        // SAFETY: both come from boxes, and no run that knows them is left: it would hold this ring.
        drop(unsafe { Box::from_raw(self.control) });
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(self.words) });
    }
}

/// A ring that a GPU's threads write.
pub(super) struct CudaRing {
    control: DeviceMemory,
    /// The ring, then `last`.
    memory: MappedMemory,
    bytes: usize,
    key: u64,
}

impl CudaRing {
    /// Where the GPU finds its description.
    pub(super) fn control(&self) -> u64 {
        self.control.address()
    }

    pub(super) fn new(gpu: &Gpu, bytes: usize) -> Result<CudaRing, DriverError> {
        let control = description(&gpu.context)?;
        let memory = MappedMemory::zeroed(Arc::clone(&gpu.context), bytes + 8)?;
        let ring = CudaRing {
            control,
            memory,
            bytes,
            key: random_key(),
        };
        ring.describe(gpu)?;
        Ok(ring)
    }

    /// Takes memory of another size. No kernel runs.
    pub(super) fn resize(&mut self, gpu: &Gpu, bytes: usize) -> Result<(), DriverError> {
        let mut old = MappedMemory::zeroed(Arc::clone(&gpu.context), bytes + 8)?;
        std::mem::swap(&mut self.memory, &mut old);
        let before = std::mem::replace(&mut self.bytes, bytes);
        let told = self.describe(gpu);
        if told.is_err() {
            // What the threads know is still the old ring.
            (self.memory, self.bytes) = (old, before);
        }
        told
    }

    /// Tells the GPU's threads where the ring is. After an error they do not know of it.
    fn describe(&self, gpu: &Gpu) -> Result<(), DriverError> {
        let (data, bytes) = (self.memory.address(), self.bytes as u64);
        let fields = [0, data, bytes - 1, data + bytes, self.key].map(u64::to_le_bytes);
        let stream = &gpu.own_stream;
        const { assert!(size_of::<PrintRing>() == 40) };
        // SAFETY: the memory has room for a `PrintRing`, which is these five words; `fields` stays until the wait is over.
        unsafe { stream.upload(self.control.address(), fields.as_ptr().cast(), 40)? };
        // The copy is on its way and comes before all kernels. If the device is broken, the next wait says so.
        let _ = stream.synchronize();
        Ok(())
    }

    fn all_words(&self) -> &[AtomicU64] {
        let words = self.memory.host().cast::<AtomicU64>();
        // SAFETY: mapped memory of that many words, aligned to a page; host and GPU access it by whole words only.
        unsafe { std::slice::from_raw_parts(words, self.bytes / 8 + 1) }
    }
}

/// Device memory for a [`PrintRing`].
fn description(context: &Arc<Context>) -> Result<DeviceMemory, DriverError> {
    let memory = DeviceMemory::new(Arc::clone(context), size_of::<PrintRing>())?;
    memory.ok_or_else(|| DriverError {
        code: OUT_OF_MEMORY,
        name: "CUDA_ERROR_OUT_OF_MEMORY".to_owned(),
        text: "no room for what kernels print".to_owned(),
        call: "cuMemAlloc_v2",
        launches: Box::default(),
    })
}

/// What the checksums of one ring start from.
fn random_key() -> u64 {
    RandomState::new().hash_one(())
}

impl Ring {
    /// What the checksums of its records start from.
    pub(super) fn key(&self) -> u64 {
        match self {
            Ring::Host(ring) => ring.key,
            Ring::Cuda(ring) => ring.key,
        }
    }

    pub(super) fn words(&self) -> &[AtomicU64] {
        match self {
            Ring::Host(ring) => ring.words(),
            Ring::Cuda(ring) => {
                let all = ring.all_words();
                &all[..all.len() - 1]
            }
        }
    }

    pub(super) fn last(&self) -> u64 {
        match self {
            Ring::Host(ring) => ring.last(),
            Ring::Cuda(ring) => {
                let all = ring.all_words();
                all[all.len() - 1].load(Ordering::Acquire)
            }
        }
    }
}
