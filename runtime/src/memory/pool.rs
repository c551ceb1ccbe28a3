//! Pools of device memory: allocation in order with a stream's work, without waits.

use std::fmt;
use std::sync::{Arc, Mutex};

use warploom_device_std::Plain;
use warploom_emulator::check::Birth;

use super::fill::bytes_of;
use super::{DeviceBuffer, MemoryError};
use crate::buffer::{ALIGN, Buffer, Fill, Kind, TOO_ALIGNED};
use crate::cuda::pool::{Pool as CudaPool, PoolNumber};
use crate::device::{Backend, Device};
use crate::stream::Stream;
use crate::sync::lock;
use crate::unsupported::Unsupported;

/// A pool of a device's memory. Clones are the same pool.
///
/// Buffers are allocated in order with the work on a stream, and go back in order with the work that used them last, when they are dropped:
/// neither waits, where an ordinary allocation and an ordinary drop wait for the GPU. Such a buffer is used like any other, on any stream.
/// The pool keeps what comes back for the next buffers; how much of it beyond a stream's next wait, the
/// [threshold](Pool::set_release_threshold) says. CUDA: `CUmemoryPool`.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let pool = device.pool()?;
/// for step in 0..10 {
///     let mut scratch = pool.zeroed::<u32>(1000, &stream)?;
///     scratch.fill(step, &stream)?; // or a launch
/// } // goes back to the pool, without a wait
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Pool {
    device: Device,
    pool: Side,
}

#[derive(Clone)]
enum Side {
    Emulated(Arc<EmulatedPool>),
    Cuda(Arc<CudaPool>),
}

/// How a pool is made.
///
/// ```
/// use warploom_runtime::PoolOptions;
/// # let device = warploom_runtime::Device::emulator();
/// let pool = device.new_pool(PoolOptions::new().release_threshold(64 << 20))?;
/// assert_eq!(pool.release_threshold()?, 64 << 20);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct PoolOptions {
    release_threshold: u64,
    max_bytes: Option<usize>,
}

impl PoolOptions {
    /// A pool that keeps nothing beyond a stream's next wait, and takes as much as the device has.
    pub fn new() -> PoolOptions {
        PoolOptions::default()
    }

    /// How many bytes the pool keeps; see [`Pool::set_release_threshold`].
    pub fn release_threshold(self, bytes: u64) -> PoolOptions {
        PoolOptions {
            release_threshold: bytes,
            ..self
        }
    }

    /// How many bytes the pool takes from the device at most; the driver may round up. Drivers for CUDA 12.2 and later.
    pub fn max_bytes(self, bytes: usize) -> PoolOptions {
        PoolOptions {
            max_bytes: Some(bytes),
            ..self
        }
    }
}

/// What a pool has, in bytes. CUDA: `CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT` and its kin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolUsage {
    /// Taken from the device.
    pub reserved: u64,
    /// The most that was reserved since the [marks were reset](Pool::reset_high_marks).
    pub reserved_high: u64,
    /// In buffers.
    pub used: u64,
    /// The most that was used since the marks were reset.
    pub used_high: u64,
}

impl Device {
    /// The pool that the device has anyway, and shares with every other user of the GPU in this process. CUDA: `cuDeviceGetDefaultMemPool`.
    ///
    /// # Errors
    /// [`MemoryError::Unsupported`] if the GPU or its driver has no pools; what the driver reports.
    pub fn pool(&self) -> Result<Pool, MemoryError> {
        let pool = match &self.0.backend {
            Backend::Emulator(emulated) => Side::Emulated(Arc::clone(&emulated.pool)),
            Backend::Cuda(gpu) => {
                self.check_pools(gpu.context.has_pools()?)?;
                let pool = CudaPool::of_device(Arc::clone(&gpu.context))?;
                Side::Cuda(Arc::new(pool))
            }
        };
        Ok(Pool {
            device: self.clone(),
            pool,
        })
    }

    /// Makes a pool of one's own. It goes when the last clone and the last buffer of it are gone. CUDA: `cuMemPoolCreate`.
    ///
    /// # Errors
    /// As [`pool`](Device::pool). [`MemoryError::Unsupported`] if the pool is to have a limit, and the driver is for CUDA 12.1 or earlier.
    pub fn new_pool(&self, options: PoolOptions) -> Result<Pool, MemoryError> {
        let pool = match &self.0.backend {
            Backend::Emulator(_) => Side::Emulated(Arc::new(EmulatedPool::new(options.max_bytes))),
            Backend::Cuda(gpu) => {
                self.check_pools(gpu.context.has_pools()?)?;
                if options.max_bytes.is_some() && gpu.driver_version < (12, 2) {
                    let (major, minor) = gpu.driver_version;
                    return Err(self.no_pool(format!(
                        "limits came with CUDA 12.2, and the driver is for CUDA {major}.{minor}; make one without `max_bytes`"
                    )));
                }
                // To the driver, 0 is no limit.
                let max_bytes = options.max_bytes.map_or(0, |bytes| bytes.max(1));
                let pool = CudaPool::new(Arc::clone(&gpu.context), max_bytes)?;
                Side::Cuda(Arc::new(pool))
            }
        };
        let pool = Pool {
            device: self.clone(),
            pool,
        };
        pool.set_release_threshold(options.release_threshold)?;
        Ok(pool)
    }

    fn check_pools(&self, has_pools: bool) -> Result<(), MemoryError> {
        if has_pools {
            return Ok(());
        }
        Err(self.no_pool(
            "the GPU or its driver (before CUDA 11.2) has none; use `device.zeroed` and its kin"
                .to_owned(),
        ))
    }

    fn no_pool(&self, reason: String) -> MemoryError {
        MemoryError::Unsupported(Unsupported {
            what: "such pools of memory",
            device: self.name().to_owned(),
            reason: reason.into(),
        })
    }
}

impl Pool {
    /// The device whose memory it hands out.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Makes a buffer with no particular contents, as [`Device::alloc_uninit`] does, in order with the work on `stream`. CUDA:
    /// `cuMemAllocFromPoolAsync`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if device or pool has no room for it, [`MemoryError::WrongDevice`]; what the driver reports.
    #[track_caller]
    pub fn alloc_uninit<T: Plain>(
        &self,
        len: usize,
        stream: &Stream,
    ) -> Result<DeviceBuffer<T>, MemoryError> {
        let buffer = self.allocate::<T>(len, Birth::Uninitialised, stream)?;
        Ok(DeviceBuffer::from_buffer(buffer, len))
    }

    /// Makes a buffer whose bytes are all zero, in order with the work on `stream`. CUDA: `cuMemAllocFromPoolAsync`, `cuMemsetD8Async`.
    ///
    /// # Errors
    /// As [`alloc_uninit`](Pool::alloc_uninit).
    #[track_caller]
    pub fn zeroed<T: Plain>(
        &self,
        len: usize,
        stream: &Stream,
    ) -> Result<DeviceBuffer<T>, MemoryError> {
        let buffer = self.allocate::<T>(len, Birth::Initialised, stream)?;
        let zeros = Fill {
            to: buffer.start(),
            pitch: 0,
            value: &[0],
            width: len * size_of::<T>(),
            height: 1,
        };
        // SAFETY: all bytes of a buffer that is not shared yet; the device was checked.
        unsafe { zeros.run(&buffer, stream)? };
        Ok(DeviceBuffer::from_buffer(buffer, len))
    }

    /// Makes a buffer of elements that are all `value`, in order with the work on `stream`; see [`DeviceBuffer::fill`].
    ///
    /// # Errors
    /// As [`alloc_uninit`](Pool::alloc_uninit).
    #[track_caller]
    pub fn filled<T: Plain>(
        &self,
        len: usize,
        value: T,
        stream: &Stream,
    ) -> Result<DeviceBuffer<T>, MemoryError> {
        let buffer = self.allocate::<T>(len, Birth::Initialised, stream)?;
        let fill = Fill {
            to: buffer.start(),
            pitch: 0,
            value: bytes_of(&value),
            width: len,
            height: 1,
        };
        // SAFETY: all elements of a buffer that is not shared yet; the device was checked.
        unsafe { fill.run(&buffer, stream)? };
        Ok(DeviceBuffer::from_buffer(buffer, len))
    }

    #[track_caller]
    fn allocate<T>(
        &self,
        len: usize,
        birth: Birth,
        stream: &Stream,
    ) -> Result<Buffer, MemoryError> {
        const { assert!(align_of::<T>() <= ALIGN, "{}", TOO_ALIGNED) };
        self.check_device(stream)?;
        stream.refuse_recording("allocate from a pool")?;
        let out_of_memory = || MemoryError::OutOfMemory {
            elements: len,
            size: size_of::<T>(),
            device: self.device.name().to_owned(),
        };
        let bytes = len.checked_mul(size_of::<T>());
        // No address space has more.
        let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or_else(out_of_memory)?;
        match &self.pool {
            Side::Cuda(pool) => Buffer::pooled(pool, bytes, stream)?.ok_or_else(out_of_memory),
            Side::Emulated(pool) => {
                let used = Used::new(pool, bytes).ok_or_else(out_of_memory)?;
                let buffer =
                    Buffer::of_kind::<T>(&self.device, len, birth, Kind::Pooled, |_, _| Ok(None))?;
                Ok(buffer.of_pool(used))
            }
        }
    }

    #[inline]
    fn check_device(&self, stream: &Stream) -> Result<(), MemoryError> {
        match self.device.is_same(stream.device()) {
            true => Ok(()),
            false => Err(self.wrong_device(stream)),
        }
    }

    #[cold]
    fn wrong_device(&self, stream: &Stream) -> MemoryError {
        MemoryError::WrongDevice {
            buffer: self.device.name().to_owned(),
            stream: stream.device().name().to_owned(),
        }
    }

    /// How many bytes the pool keeps when a stream is waited for; unused memory beyond that goes back to the device.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    pub fn release_threshold(&self) -> Result<u64, MemoryError> {
        self.number(PoolNumber::ReleaseThreshold)
    }

    /// Sets the [threshold](Pool::release_threshold), 0 at first; `u64::MAX` keeps everything. CUDA: `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    pub fn set_release_threshold(&self, bytes: u64) -> Result<(), MemoryError> {
        match &self.pool {
            Side::Emulated(pool) => pool.change(|state| state.threshold = bytes),
            Side::Cuda(pool) => pool.set(PoolNumber::ReleaseThreshold, bytes)?,
        }
        Ok(())
    }

    /// Gives unused memory back to the device, except for `keep` bytes. CUDA: `cuMemPoolTrimTo`.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    pub fn trim_to(&self, keep: usize) -> Result<(), MemoryError> {
        match &self.pool {
            Side::Emulated(pool) => pool.change(|state| state.release(keep as u64)),
            Side::Cuda(pool) => pool.trim(keep)?,
        }
        Ok(())
    }

    /// What the pool has now. Memory comes back when the work that used it is done. CUDA: `cuMemPoolGetAttribute`.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    pub fn usage(&self) -> Result<PoolUsage, MemoryError> {
        Ok(PoolUsage {
            reserved: self.number(PoolNumber::Reserved)?,
            reserved_high: self.number(PoolNumber::ReservedHigh)?,
            used: self.number(PoolNumber::Used)?,
            used_high: self.number(PoolNumber::UsedHigh)?,
        })
    }

    /// Lets the high marks of [`usage`](Pool::usage) begin anew, at what there is now.
    ///
    /// # Errors
    /// [`MemoryError::Driver`].
    pub fn reset_high_marks(&self) -> Result<(), MemoryError> {
        match &self.pool {
            Side::Emulated(pool) => pool.change(|state| {
                (state.usage.reserved_high, state.usage.used_high) = (0, 0);
            }),
            Side::Cuda(pool) => {
                pool.set(PoolNumber::ReservedHigh, 0)?;
                pool.set(PoolNumber::UsedHigh, 0)?;
            }
        }
        Ok(())
    }

    fn number(&self, what: PoolNumber) -> Result<u64, MemoryError> {
        let pool = match &self.pool {
            Side::Cuda(pool) => return Ok(pool.number(what)?),
            Side::Emulated(pool) => lock(&pool.0),
        };
        Ok(match what {
            PoolNumber::ReleaseThreshold => pool.threshold,
            PoolNumber::Reserved => pool.usage.reserved,
            PoolNumber::ReservedHigh => pool.usage.reserved_high,
            PoolNumber::Used => pool.usage.used,
            PoolNumber::UsedHigh => pool.usage.used_high,
        })
    }
}

/// A pool of the emulator: counts, and holds no memory itself.
#[derive(Debug)]
pub(crate) struct EmulatedPool(Mutex<State>);

#[derive(Debug)]
struct State {
    threshold: u64,
    max: u64,
    usage: PoolUsage,
}

impl State {
    /// Keeps what is used, and `keep` bytes at most.
    fn release(&mut self, keep: u64) {
        let usage = &mut self.usage;
        usage.reserved = usage.reserved.min(keep).max(usage.used);
    }
}

impl EmulatedPool {
    fn new(max_bytes: Option<usize>) -> EmulatedPool {
        EmulatedPool(Mutex::new(State {
            threshold: 0,
            max: max_bytes.map_or(u64::MAX, |bytes| bytes as u64),
            usage: PoolUsage::default(),
        }))
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = lock(&self.0);
        change(&mut state);
        let usage = &mut state.usage;
        usage.reserved = usage.reserved.max(usage.used);
        usage.reserved_high = usage.reserved_high.max(usage.reserved);
        usage.used_high = usage.used_high.max(usage.used);
    }
}

impl Default for EmulatedPool {
    fn default() -> EmulatedPool {
        EmulatedPool::new(None)
    }
}

/// Bytes of an emulated pool that a buffer has; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Used {
    pool: Arc<EmulatedPool>,
    bytes: u64,
}

impl Used {
    /// `None`: the pool has no room for them.
    fn new(pool: &Arc<EmulatedPool>, bytes: usize) -> Option<Used> {
        let bytes = bytes as u64;
        let mut fits = false;
        pool.change(|state| {
            let used = state.usage.used.checked_add(bytes);
            if let Some(used) = used.filter(|used| *used <= state.max) {
                state.usage.used = used;
                fits = true;
            }
        });
        fits.then(|| Used {
            pool: Arc::clone(pool),
            bytes,
        })
    }
}

impl Drop for Used {
    fn drop(&mut self) {
        self.pool.change(|state| {
            state.usage.used -= self.bytes;
            let threshold = state.threshold;
            state.release(threshold);
        });
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
