//! Where kernels run: a GPU, or the emulator.
//!
//! | here | CUDA |
//! |---|---|
//! | [`Device::list`], [`Device::all`], [`Device::count`] | `cuDeviceGetCount`, `cuDeviceGet` |
//! | [`DeviceProperties`], [`Device::attribute`] | `cudaDeviceProp`, `cuDeviceGetAttribute` |
//! | [`DeviceOptions`] | `cuDevicePrimaryCtxSetFlags`, `cudaSetDeviceFlags` |
//! | [`Device::context_limit`], [`Device::memory_info`] | `cuCtxGetLimit`, `cuMemGetInfo` |
//! | [`Device::enable_peer_access`], [`DeviceBuffer::copy_from_peer`] | `cuCtxEnablePeerAccess`, `cuMemcpyPeerAsync` |
//! | [`Device::make_current`] | `cuCtxPushCurrent`, `cuCtxPopCurrent` |
//! | [`Device::from_raw_context`] | `cuCtxCreate` of others, `cuCtxGetDevice` |
//! | [`Device::reset`], [`Device::reopen`], [`Device::lost`] | `cudaDeviceReset`; none |
//!
//! What CUDA asks of programs with contexts holds here by construction: nothing can be called before the driver is initialised and a
//! context is there, since both come with the `Device`; every call works in the right context, on any thread; the context stays while
//! anything of it is there and goes with the last; an address of one context cannot reach another's calls, since buffers, streams and
//! events know their device and refuse others.

use std::fmt;
use std::mem;
use std::sync::atomic::AtomicU64;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak,
};

use warploom_device_std::Plain;
use warploom_emulator::check::{self, Birth, Control, Mode};

use crate::buffer::Buffer;
use crate::checked::{self, KernelFindings};
use crate::cuda::callback::{in_host_callback, run_outside_callback};
use crate::cuda::host::HostPanics;
use crate::cuda::stream::Stream as CudaStream;
use crate::cuda::{self, DriverError, PhysicalDevice};
use crate::event::{Event, EventOptions};
use crate::heap::HeapLimit;
use crate::launch::blocking::LaunchBlocking;
use crate::launch::cache::LaunchCache;
use crate::memory::{DeviceBuffer, EmulatedPool, MemoryError, UsageCounters};
use crate::model::{Emulator, Model, Schedule};
use crate::module::embedded::Modules;
use crate::panics::{Done, Recent, launches_so_far};
use crate::print::Prints;
use crate::stream::turns::Turns;
use crate::stream::{Stream, StreamError, StreamOptions, host_panic, reject_in_host_callback};
use crate::sync::lock;

mod attribute; // everything by number
mod emulated; // what the emulator answers
mod error; // why a device cannot be opened or used
mod identity; // UUIDs and places
mod limit; // what is set aside for kernels
mod lost; // the end of a device
mod options; // what is said before
pub(crate) mod order; // locks of several devices
mod peer; // several devices
mod properties; // what most programs ask
mod select; // which device a program gets

pub use crate::limits::Limits;
pub use attribute::Attribute;
pub use error::DeviceError;
pub use identity::{PciId, UnknownId, Uuid};
pub use limit::{ContextLimit, MemoryInfo};
pub use lost::CurrentContext;
pub use options::{DeviceOptions, Wait};
pub use peer::PeerAttribute;
pub use properties::{ComputeMode, DeviceProperties};

/// A GPU, or the emulator. Clones are the same device.
///
/// Every call of [`open`](Device::open), [`cuda`](Device::cuda) or [`emulator`](Device::emulator) gives a device of its own:
/// buffers of one do not go to streams of another, and device code is loaded once for each. Open once, then clone.
/// CUDA: a device and its primary context.
///
/// ```
/// let device = warploom_runtime::Device::emulator();
/// assert_eq!((device.name(), device.is_gpu()), ("emulator", false));
/// ```
#[derive(Clone)]
pub struct Device(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) limits: Limits,
    /// Before the back end: a GPU's buffer is memory of its context.
    pub(crate) prints: Prints,
    pub(crate) heap: HeapLimit,
    /// What buffers have.
    pub(crate) usage: Arc<UsageCounters>,
    pub(crate) backend: Backend,
    pub(crate) blocking: LaunchBlocking,
    pub(crate) host_panics: Arc<HostPanics>,
}

/// The two ways to run a kernel.
pub(crate) enum Backend {
    Emulator(Box<Emulated>),
    Cuda(Box<Gpu>),
}

impl Backend {
    pub(crate) fn emulated(&self) -> Option<&Emulated> {
        match self {
            Backend::Emulator(emulated) => Some(emulated),
            Backend::Cuda(_) => None,
        }
    }
}

/// The emulator's state.
#[derive(Default)]
pub(crate) struct Emulated {
    /// The place among the devices that were made together.
    pub(crate) ordinal: u32,
    /// What was said when it was opened.
    pub(crate) options: DeviceOptions,
    /// What was set.
    pub(crate) set: limit::EmulatedLimits,
    /// Which GPU it stands for, if that was chosen.
    pub(crate) model: Option<Model>,
    /// In which order threads run, if that was chosen.
    pub(crate) schedule: Option<Schedule>,
    /// How many launches there were.
    pub(crate) launches: AtomicU64,
    /// An error that no wait has reported yet.
    pub(crate) fault: Mutex<Option<StreamError>>,
    /// What was found and is no error.
    pub(crate) warnings: checked::Warnings,
    /// What accesses cost, where launches are checked for performance.
    pub(crate) costs: checked::Costs,
    /// How much a launch checks, if that was chosen.
    pub(crate) mode: Option<Mode>,
    /// Whether a launch is checked for performance, if that was chosen.
    pub(crate) lints: Option<bool>,
    /// After how many steps a thread counts as endless, if that was chosen.
    pub(crate) step_limit: Option<u64>,
    /// Bytes of a thread's stack, if that was chosen.
    pub(crate) stack_bytes: Option<usize>,
    /// What chooses the thread at each atomic access, in an exploration.
    pub(crate) control: Option<Control>,
    /// Taken alone by a graph's run, which holds no borrow of the memory that it uses; shared by all other work.
    pub(crate) work: RwLock<()>,
    /// Which launches are in order.
    pub(crate) turns: Turns,
    /// The devices whose memory kernels of this one may use.
    pub(crate) peers: Mutex<Vec<Weak<Shared>>>,
    /// The pool that the device has anyway.
    pub(crate) pool: Arc<EmulatedPool>,
}

impl Emulated {
    /// While the guard is held, no graph runs.
    pub(crate) fn shared_memory_access(&self) -> RwLockReadGuard<'_, ()> {
        self.work.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// While the guard is held, nothing else works on memory.
    pub(crate) fn exclusive_memory_access(&self) -> RwLockWriteGuard<'_, ()> {
        self.work.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A GPU's state.
pub(crate) struct Gpu {
    pub(crate) compute_capability: (u32, u32),
    pub(crate) driver_version: (u32, u32),
    /// What was said when it was opened.
    options: DeviceOptions,
    /// Everything that is given to a stream, and the note of which stream has it, happens under this lock: another thread
    /// never sees a buffer's note before the work is in the stream.
    submission: Mutex<Submission>,
    /// For work that belongs to no stream of the user.
    pub(crate) own_stream: Arc<CudaStream>,
    pub(crate) context: Arc<cuda::Context>,
}

/// What changes with launches.
#[derive(Default)]
pub(crate) struct Submission {
    pub(crate) cache: LaunchCache,
    pub(crate) recent: Recent,
    pub(crate) modules: Modules,
}

impl Backend {
    fn is_gpu(&self) -> bool {
        matches!(self, Backend::Cuda(_))
    }
}

impl Gpu {
    pub(crate) fn submission(&self) -> MutexGuard<'_, Submission> {
        lock(&self.submission)
    }
}

impl Device {
    /// The emulator: blocks, warps, barriers and shared memory on the CPU's threads.
    ///
    /// Work runs at once, in the order of submission. It has the limits of compute capability 9.0, and runs kernels of any.
    #[must_use]
    pub fn emulator() -> Device {
        Emulator::new().device()
    }

    /// The emulator with the limits of another compute capability, which refuses what a GPU of it refuses. [`Emulator`] can choose more.
    ///
    /// ```
    /// use warploom_runtime::{Device, model::Model};
    /// let device = Device::emulator_of(Model::CC_7_5);
    /// assert_eq!((device.name(), device.is_gpu()), ("emulated 7.5 (T4)", false));
    /// assert_eq!(device.limits().shared_bytes_opt_in, 65_536);
    /// ```
    #[must_use]
    pub fn emulator_of(model: Model) -> Device {
        Emulator::new().model(model).device()
    }

    /// The GPU of this number, as the driver counts them (from 0; `CUDA_VISIBLE_DEVICES` changes the order).
    ///
    /// # Errors
    /// [`DeviceError::DriverNotFound`] where no driver is installed, [`DeviceError::NoSuchDevice`] for a number that is too
    /// large, [`DeviceError::Prohibited`] and [`DeviceError::Busy`] for a GPU that this program may not use, and what the driver itself
    /// reports.
    pub fn cuda(ordinal: u32) -> Result<Device, DeviceError> {
        Device::open_gpu(ordinal, DeviceOptions::new())
    }

    fn open_gpu(ordinal: u32, options: DeviceOptions) -> Result<Device, DeviceError> {
        let found = PhysicalDevice::new(ordinal)?;
        select::check_mode(ordinal)?;
        let context = cuda::Context::open(found, options.flags())
            .map_err(|error| select::why_not(ordinal, error.into()))?;
        Device::in_context(context, options)
    }

    /// A device of its own in a context that others may have, too.
    pub(crate) fn in_context(
        context: Arc<cuda::Context>,
        options: DeviceOptions,
    ) -> Result<Device, DeviceError> {
        let properties = context.properties()?;
        let gpu = Gpu {
            compute_capability: properties.compute_capability,
            driver_version: properties.driver_version,
            options,
            submission: Mutex::default(),
            own_stream: Arc::new(CudaStream::new(Arc::clone(&context))?),
            context,
        };
        Ok(Device(Arc::new(Shared {
            name: properties.name,
            limits: properties.limits,
            prints: Prints::default(),
            heap: HeapLimit::default(),
            usage: Arc::default(),
            backend: Backend::Cuda(Box::new(gpu)),
            blocking: LaunchBlocking::default(),
            host_panics: Arc::default(),
        })))
    }

    /// The GPU's name; `emulator`, or `emulated 8.6 (A10)` where a model was chosen. With `:1` behind it for the second device, and so on.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Which launches are in order, of an emulated device.
    pub(crate) fn turns(&self) -> Option<&Turns> {
        match &self.0.backend {
            Backend::Emulator(emulated) => Some(&emulated.turns),
            Backend::Cuda(_) => None,
        }
    }

    /// Whether kernels run on a GPU.
    #[must_use]
    pub fn is_gpu(&self) -> bool {
        self.0.backend.is_gpu()
    }

    /// Major and minor compute capability: `(9, 0)` for an H200, and for the emulator unless another model was chosen.
    #[must_use]
    pub fn compute_capability(&self) -> (u32, u32) {
        match &self.0.backend {
            Backend::Cuda(gpu) => gpu.compute_capability,
            Backend::Emulator(emulated) => {
                let model = emulated.model.unwrap_or_default();
                model.limits().compute_capability
            }
        }
    }

    /// The order of threads that was chosen for the emulator, by [`Emulator::schedule`].
    #[must_use]
    pub fn schedule(&self) -> Option<Schedule> {
        match &self.0.backend {
            Backend::Cuda(_) => None,
            Backend::Emulator(emulated) => emulated.schedule,
        }
    }

    /// The CUDA version that the driver supports, major and minor; `None` on the emulator. CUDA: `cuDriverGetVersion`.
    #[must_use]
    pub fn driver_version(&self) -> Option<(u32, u32)> {
        match &self.0.backend {
            Backend::Cuda(gpu) => Some(gpu.driver_version),
            Backend::Emulator(_) => None,
        }
    }

    /// What launches on this device can have at most.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Waits until all work of all streams of this device is done. CUDA: `cuCtxSynchronize`, `cudaDeviceSynchronize`.
    ///
    /// # Errors
    /// A kernel's panic, a host function's and a GPU's failure, as [`Stream::synchronize`] reports them, whichever stream they belong to.
    ///
    /// ```
    /// let device = warploom_runtime::Device::emulator();
    /// device.synchronize()?;
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<(), StreamError> {
        reject_in_host_callback()?;
        let launches = launches_so_far();
        if let Backend::Cuda(gpu) = &self.0.backend
            && let Err(error) = gpu.context.synchronize()
        {
            self.flush_prints(); // what was printed before the GPU failed
            if error.is_fatal() {
                gpu.context.forget_host_functions();
            }
            return Err(self.explain(None, error));
        }
        self.check_kernels(Some(Done {
            stream: None,
            launches,
        }))?;
        let panicked = lock(&self.0.host_panics).pop_first();
        panicked.map_or(Ok(()), |(_, panicked)| Err(host_panic(panicked)))
    }

    /// Makes a stream. Streams of one device work side by side on a GPU.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if the driver refuses. None on the emulator.
    pub fn stream(&self) -> Result<Stream, StreamError> {
        self.stream_with(StreamOptions::new())
    }

    /// Makes an event, for timing and for ordering streams.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if the driver refuses. None on the emulator.
    pub fn event(&self) -> Result<Event, StreamError> {
        self.event_with(EventOptions::new())
    }

    /// Makes a buffer with a copy of `source`; returns when the copy is complete. CUDA: `cuMemAlloc`, `cuMemcpyHtoD`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the device has no room for it; what the driver reports.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let x = device.upload(&vec![2.0f32; 1000])?;
    /// assert_eq!(x.len(), 1000);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn upload<T: Plain>(&self, source: &[T]) -> Result<DeviceBuffer<T>, MemoryError> {
        let buffer = Buffer::new::<T>(self, source.len(), Birth::Initialised)?;
        buffer.fill_from(source)?;
        self.flush_prints();
        Ok(DeviceBuffer::from_buffer(buffer, source.len()))
    }

    /// Makes a buffer of `len` elements whose bytes are all zero. CUDA: `cuMemAlloc`, `cuMemsetD8`.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the device has no room for it; what the driver reports.
    #[track_caller]
    pub fn zeroed<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>, MemoryError> {
        let buffer = Buffer::new::<T>(self, len, Birth::Initialised)?;
        buffer.fill_zero(len * size_of::<T>())?;
        Ok(DeviceBuffer::from_buffer(buffer, len))
    }

    /// Makes a buffer of `len` elements with no particular contents: every byte is `0xA5` on the emulator, whatever was
    /// there on a GPU. CUDA: `cuMemAlloc`.
    ///
    /// Any bytes are a value of a [`Plain`] type, so reading before writing is safe; it is hardly ever meant. Where the emulator checks
    /// kernels, it follows each byte: a kernel that reads one that neither the host nor a kernel has written is an error (WL0021), and a
    /// copy of such bytes to the host gives a warning.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] if the device has no room for it; what the driver reports.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.alloc_uninit::<u32>(4)?;
    /// x.copy_from(0, &[1, 2, 3], &stream)?;
    /// assert_eq!(x.slice(..3)?.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn alloc_uninit<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>, MemoryError> {
        let buffer = Buffer::new::<T>(self, len, Birth::Uninitialised)?;
        Ok(DeviceBuffer::from_buffer(buffer, len))
    }

    /// A question or an order that the driver refused.
    fn refused(&self, what: String, source: DriverError) -> DeviceError {
        DeviceError::Query {
            what,
            device: self.name().to_owned(),
            source: source.into(),
        }
    }

    pub(crate) fn is_same(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Says so if the host reads bytes of the emulator that were never written, and whether it did. Names the caller's place.
    #[track_caller]
    pub(crate) fn host_reads(&self, from: *const u8, bytes: usize) -> bool {
        if let Backend::Emulator(emulated) = &self.0.backend
            && emulated
                .mode
                .or_else(|| Some(checked::options().ok()?.mode))
                == Some(Mode::Checked)
            && let Some(report) = check::host_reads(from, bytes)
        {
            emulated.warnings.add(checked::remark(report));
            return true;
        }
        false
    }

    /// Says so if the host reads bytes of the emulator, or `writes` them, that a launch accesses which need not be over when what the stream `after` has got is
    /// (`None`: without a wait), and whether it did: [`check_kernels`](Device::check_kernels) has the error. Names the caller's place.
    #[track_caller]
    pub(crate) fn host_accesses(
        &self,
        range: (*const u8, usize),
        writes: bool,
        after: Option<u64>,
    ) -> bool {
        let Backend::Emulator(emulated) = &self.0.backend else {
            return false;
        };
        let Some(found) = emulated.turns.host_accesses(range, writes, after) else {
            return false;
        };
        let findings = checked::remark(found.report);
        if findings.is_empty() {
            return false; // allowed
        }
        let findings = KernelFindings::of(found.kernel, found.launched_at, findings);
        let error = StreamError::Check(Box::new(findings));
        lock(&emulated.fault).get_or_insert(error);
        true
    }

    /// An error that some kernel left behind, at a point where so much (`None`: no particular work) is done.
    pub(crate) fn check_kernels(&self, done: Option<Done>) -> Result<(), StreamError> {
        self.flush_prints();
        let left = match &self.0.backend {
            Backend::Emulator(emulated) => {
                emulated.turns.host_waits();
                lock(&emulated.fault).take()
            }
            Backend::Cuda(gpu) => gpu.take_panic(done)?,
        };
        left.map_or(Ok(()), Err)
    }
}

impl Gpu {
    fn take_panic(&self, done: Option<Done>) -> Result<Option<StreamError>, DriverError> {
        let mut guard = self.submission();
        let Submission {
            modules, recent, ..
        } = &mut *guard;
        let panic = modules
            .take_panic(&self.own_stream)?
            .map(|taken| recent.explain(taken.reported, taken.name));
        if let Some(done) = done {
            recent.forget(done);
        }
        Ok(panic.map(|panic| StreamError::Panic(Box::new(panic))))
    }
}

impl Shared {
    /// What ends with the device.
    fn end(prints: &Prints, backend: &Backend) {
        if let Backend::Cuda(gpu) = backend {
            // What still runs may print. Errors: the driver is shut down or the context is broken, and nothing runs.
            if gpu.context.synchronize().is_err() {
                gpu.context.forget_host_functions();
            }
        }
        prints.flush();
        let unobserved = match backend {
            Backend::Emulator(emulated) => lock(&emulated.fault).take(),
            // Errors: as above.
            Backend::Cuda(gpu) => gpu.take_panic(None).ok().flatten(),
        };
        if let Some(error) = unobserved {
            report_unobserved_error(&error);
        }
    }
}

/// A program that never waits would end as if its kernels had done well.
fn report_unobserved_error(error: &StreamError) {
    eprintln!(
        "warploom: the device was dropped before any wait reported this error; call `stream.synchronize()?` first, or read a result\n{error}"
    );
}

impl Drop for Shared {
    fn drop(&mut self) {
        if in_host_callback() && self.backend.is_gpu() {
            // A host function must not wait for the device.
            let prints = mem::take(&mut self.prints);
            let nothing = Backend::Emulator(Box::default());
            let backend = mem::replace(&mut self.backend, nothing);
            run_outside_callback(move || Shared::end(&prints, &backend));
            return;
        }
        Shared::end(&self.prints, &self.backend);
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // A kernel may still run when its stream is gone already: it needs its code and the panic record, which go now.
        // Errors: the driver is shut down or the context is broken, and nothing runs.
        let _ = self.context.synchronize();
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("name", &self.0.name)
            .field("is_gpu", &self.is_gpu())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //@ rows: GDV-1
    #[test]
    fn a_gpu_that_is_not_there_is_an_error_not_a_panic() {
        let error = Device::cuda(4_000_000_000).unwrap_err();
        assert!(
            error.to_string().contains("WARPLOOM_DEVICE=emulator"),
            "{error}"
        );
    }
}
