//! What a device sets aside for kernels, and what is left of its memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use crate::device::emulated::host_memory;
use crate::device::{Backend, Device, DeviceError, Emulated};
use crate::sync::lock;
use crate::unsupported::Unsupported;

/// Something that a device sets aside for kernels, and that can be changed. CUDA: `CUlimit`.
///
/// What a launch can have at most is in [`Limits`](crate::Limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ContextLimit {
    /// Bytes of stack of each thread. CUDA: `CU_LIMIT_STACK_SIZE`.
    Stack,
    /// Bytes that keep what CUDA C++ kernels print, until the host has printed it; our own kernels' `gpu_println!` has a ring of its own.
    /// CUDA: `CU_LIMIT_PRINTF_FIFO_SIZE`.
    PrintfBuffer,
    /// Bytes of the heap; as [`Device::set_heap_limit`]. CUDA: `CU_LIMIT_MALLOC_HEAP_SIZE`.
    Heap,
    /// How deep kernels that launch kernels can wait for them; GPUs of compute capability 9.0 have it no more.
    /// CUDA: `CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH`.
    LaunchDepth,
    /// How many launches of kernels by kernels can wait. CUDA: `CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT`.
    PendingLaunches,
    /// Bytes that the L2 cache fetches at once, 0 to 128; a hint. CUDA: `CU_LIMIT_MAX_L2_FETCH_GRANULARITY`.
    L2Fetch,
    /// Bytes of the L2 cache that are kept for chosen data. CUDA: `CU_LIMIT_PERSISTING_L2_CACHE_SIZE`.
    PersistingL2,
}

/// Bytes of a device's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Those that are free; other programs may take them any time.
    pub free: u64,
    /// All.
    pub total: u64,
}

/// What was set on the emulator.
#[derive(Debug, Default)]
pub(crate) struct EmulatedLimits(Mutex<BTreeMap<ContextLimit, usize>>);

impl ContextLimit {
    /// All of them.
    pub const ALL: &[ContextLimit] = &[
        ContextLimit::Stack,
        ContextLimit::PrintfBuffer,
        ContextLimit::Heap,
        ContextLimit::LaunchDepth,
        ContextLimit::PendingLaunches,
        ContextLimit::L2Fetch,
        ContextLimit::PersistingL2,
    ];

    /// The driver's number, and what the emulator has if nothing was set: what GPUs have.
    fn facts(self) -> (i32, usize) {
        match self {
            ContextLimit::Stack => (0, 1024),
            ContextLimit::PrintfBuffer => (1, 1 << 20),
            ContextLimit::Heap => (2, 8 << 20),
            ContextLimit::LaunchDepth => (3, 2),
            ContextLimit::PendingLaunches => (4, 2048),
            ContextLimit::L2Fetch => (5, 64),
            ContextLimit::PersistingL2 => (6, 0),
        }
    }

    fn words(self) -> &'static str {
        match self {
            ContextLimit::Stack => "stack of a thread",
            ContextLimit::PrintfBuffer => "buffer for what kernels print",
            ContextLimit::Heap => "heap of kernels",
            ContextLimit::LaunchDepth => "depth of launches by kernels",
            ContextLimit::PendingLaunches => "number of waiting launches by kernels",
            ContextLimit::L2Fetch => "unit of fetches by the L2 cache",
            ContextLimit::PersistingL2 => "part of the L2 cache that is kept",
        }
    }
}

/// In words, for messages.
impl fmt::Display for ContextLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// Bytes of local memory of a thread at most, of every device since compute capability 2.0.
const LOCAL_BYTES: usize = 512 << 10;

impl Emulated {
    /// Why this value cannot be.
    fn check(&self, limit: ContextLimit, value: usize) -> Result<(), &'static str> {
        let capability = self.model.unwrap_or_default().limits().compute_capability;
        match limit {
            ContextLimit::Stack if value > LOCAL_BYTES => {
                Err("a thread has at most 512 KiB of local memory")
            }
            ContextLimit::LaunchDepth if capability >= (9, 0) => {
                Err("GPUs of compute capability 9.0 and later have no such limit")
            }
            ContextLimit::L2Fetch if value > 128 => Err("it is at most 128 bytes"),
            ContextLimit::PersistingL2 if value > 0 => Err("the emulator has no L2 cache"),
            _ => Ok(()),
        }
    }
}

impl Device {
    /// What the device sets aside. CUDA: `cuCtxGetLimit`.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] for a limit that such a device has not; [`DeviceError::Query`] if the driver refuses.
    pub fn context_limit(&self, limit: ContextLimit) -> Result<usize, DeviceError> {
        let (number, default) = limit.facts();
        match &self.0.backend {
            Backend::Emulator(emulated) => {
                emulated
                    .check(limit, 0)
                    .map_err(|reason| self.without(limit, reason))?;
                if limit == ContextLimit::Heap {
                    return Ok(self.0.heap.bytes());
                }
                Ok(*lock(&emulated.set.0).get(&limit).unwrap_or(&default))
            }
            Backend::Cuda(gpu) => gpu
                .context
                .limit(number)
                .map_err(|source| self.refused(format!("ask for the {limit}"), source)),
        }
    }

    /// Changes what the device sets aside, and gives what it is then: the driver may round up, or take the nearest that it can. For all of
    /// the process that uses this GPU. The emulator remembers the number; its threads have 256 KiB of stack whatever it is.
    /// CUDA: `cuCtxSetLimit`, `cuCtxGetLimit`.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] for a limit that such a device has not, [`DeviceError::Limit`] for a value that it cannot have:
    /// too large, or too late, since [`Heap`](ContextLimit::Heap) and [`PrintfBuffer`](ContextLimit::PrintfBuffer) are fixed once a kernel
    /// that uses them was launched.
    ///
    /// ```
    /// use warploom_runtime::{Device, device::ContextLimit};
    /// let device = Device::emulator();
    /// assert!(device.set_context_limit(ContextLimit::Stack, 4096)? >= 4096);
    /// assert!(device.context_limit(ContextLimit::Stack)? >= 4096);
    /// let error = device.set_context_limit(ContextLimit::L2Fetch, 4096).unwrap_err();
    /// assert!(error.to_string().contains("at most 128"), "{error}");
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn set_context_limit(
        &self,
        limit: ContextLimit,
        value: usize,
    ) -> Result<usize, DeviceError> {
        let wrong = |reason: String| DeviceError::Limit {
            limit,
            given: value,
            device: self.name().to_owned(),
            reason,
        };
        match &self.0.backend {
            Backend::Emulator(emulated) => {
                emulated
                    .check(limit, 0)
                    .map_err(|reason| self.without(limit, reason))?;
                emulated
                    .check(limit, value)
                    .map_err(|reason| wrong(reason.to_owned()))?;
                if limit == ContextLimit::Heap {
                    self.0.heap.set(value);
                } else {
                    lock(&emulated.set.0).insert(limit, value);
                }
            }
            Backend::Cuda(gpu) => gpu
                .context
                .set_limit(limit.facts().0, value)
                .map_err(|source| wrong(source.to_string()))?,
        }
        self.context_limit(limit)
    }

    /// How much memory the device has, and how much is free. On the emulator that of the host. CUDA: `cuMemGetInfo`.
    ///
    /// # Errors
    /// [`DeviceError::Query`] if the driver refuses; [`DeviceError::Unsupported`] for the emulator on a system that does not tell (Linux
    /// does).
    ///
    /// ```
    /// # if !cfg!(target_os = "linux") { return Ok(()) }
    /// let memory = warploom_runtime::Device::emulator().memory_info()?;
    /// assert!(0 < memory.free && memory.free <= memory.total);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn memory_info(&self) -> Result<MemoryInfo, DeviceError> {
        match &self.0.backend {
            Backend::Emulator(_) => host_memory().ok_or_else(|| {
                DeviceError::Unsupported(Unsupported {
                    what: "a read of its memory",
                    device: self.name().to_owned(),
                    reason: "it has the host's, and this system does not tell how much that is"
                        .into(),
                })
            }),
            Backend::Cuda(gpu) => {
                let (free, total) = gpu
                    .context
                    .memory_info()
                    .map_err(|source| self.refused("ask for the free memory".to_owned(), source))?;
                Ok(MemoryInfo { free, total })
            }
        }
    }

    /// Makes all that the L2 cache was told to keep ordinary data again. Nothing to do on the emulator. CUDA:
    /// `cuCtxResetPersistingL2Cache`.
    ///
    /// # Errors
    /// [`DeviceError::Query`] if the driver refuses, as it does on GPUs before compute capability 8.0.
    pub fn reset_persisting_l2(&self) -> Result<(), DeviceError> {
        match &self.0.backend {
            Backend::Emulator(_) => Ok(()),
            Backend::Cuda(gpu) => gpu
                .context
                .reset_persisting_l2()
                .map_err(|source| self.refused("reset the L2 cache".to_owned(), source)),
        }
    }

    fn without(&self, limit: ContextLimit, reason: &'static str) -> DeviceError {
        DeviceError::Unsupported(Unsupported {
            what: limit.words(),
            device: self.name().to_owned(),
            reason: reason.into(),
        })
    }
}
