//! Semaphores of other APIs, which streams signal and wait for.

use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};

use super::host::HostSemaphore;
use super::{ExternalError, HostTimeline};
use crate::cuda::callback::run_outside_callback;
use crate::cuda::external::ExternalSemaphore as CudaSemaphore;
use crate::cuda::stream::Stream as CudaStream;
use crate::device::{Backend, Device};
use crate::stream::{Queue, Stream, reject_in_host_callback};
use crate::sync::lock;
use crate::unsupported::Unsupported;

/// What a semaphore counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SemaphoreKind {
    /// Signalled or not; a wait takes the signal away. Vulkan: `VK_SEMAPHORE_TYPE_BINARY`.
    Binary,
    /// A number that grows; a wait is for a least number. Vulkan: `VK_SEMAPHORE_TYPE_TIMELINE`.
    Timeline,
}

impl fmt::Display for SemaphoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SemaphoreKind::Binary => "binary",
            SemaphoreKind::Timeline => "timeline",
        })
    }
}

/// A semaphore that another API made, to be signalled and waited for by streams. CUDA: `CUexternalSemaphore`.
///
/// On the emulator, a wait that would block is refused: all work is done at once there, so that the other side has to signal first.
pub struct ExternalSemaphore {
    device: Device,
    kind: SemaphoreKind,
    side: Option<Side>,
    /// Streams with work on it; it is not destroyed before they are done.
    used: Mutex<Vec<Arc<Queue>>>,
}

enum Side {
    Cuda(CudaSemaphore),
    Shared(HostSemaphore),
    Host(Box<dyn HostTimeline>),
}

impl Device {
    /// Imports the semaphore behind a file descriptor. CUDA: `cuImportExternalSemaphore`, with an opaque file descriptor.
    ///
    /// # Errors
    /// [`ExternalError::Driver`] if the driver does not take it; on the emulator, which takes those of [`HostSemaphore`],
    /// [`ExternalError::Host`].
    ///
    /// # Safety
    /// The file descriptor is an opaque one of a semaphore of this kind, made by another API on this device's GPU; on the emulator,
    /// of a [`HostSemaphore`]. The other API does not take a signal of it for permission to access memory that work of this program
    /// still uses.
    ///
    /// ```
    /// use warploom_runtime::interop::external::{HostSemaphore, SemaphoreKind};
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let theirs = HostSemaphore::new()?; // Vulkan's, on a GPU
    /// // SAFETY: a semaphore of the emulator, which nothing else uses.
    /// let ours = unsafe { device.import_semaphore(theirs.fd()?, SemaphoreKind::Timeline)? };
    /// ours.signal(1, &stream)?;
    /// assert_eq!(theirs.value(), 1);
    /// let error = ours.wait(2, &stream).unwrap_err();
    /// assert!(error.to_string().contains("would wait for 2 for ever"), "{error}");
    /// theirs.signal(2)?;
    /// ours.wait(2, &stream)?;
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub unsafe fn import_semaphore(
        &self,
        fd: OwnedFd,
        kind: SemaphoreKind,
    ) -> Result<ExternalSemaphore, ExternalError> {
        reject_in_host_callback()?;
        let side = match &self.0.backend {
            Backend::Emulator(_) => Side::Shared(HostSemaphore::open(fd)?),
            Backend::Cuda(gpu) => {
                let (context, is_timeline) =
                    (Arc::clone(&gpu.context), kind == SemaphoreKind::Timeline);
                // SAFETY: the caller promises what the file descriptor is.
                Side::Cuda(unsafe { CudaSemaphore::import(context, fd, is_timeline)? })
            }
        };
        Ok(ExternalSemaphore::new(self, kind, side))
    }
}

impl ExternalSemaphore {
    fn new(device: &Device, kind: SemaphoreKind, side: Side) -> ExternalSemaphore {
        ExternalSemaphore {
            device: device.clone(),
            kind,
            side: Some(side),
            used: Mutex::default(),
        }
    }

    /// A timeline semaphore of another API that the host signals and waits for: for the emulator, whose streams do their work at once.
    ///
    /// # Errors
    /// [`ExternalError::Unsupported`] on a GPU, whose streams do not wait for the host: import the semaphore.
    ///
    /// # Safety
    /// As [`Device::import_semaphore`].
    pub unsafe fn of_host(
        device: &Device,
        timeline: impl HostTimeline + 'static,
    ) -> Result<ExternalSemaphore, ExternalError> {
        if device.is_gpu() {
            return Err(ExternalError::Unsupported(Unsupported {
                what: "semaphores that the host signals",
                device: device.name().to_owned(),
                reason: "its streams run by themselves; use `Device::import_semaphore`".into(),
            }));
        }
        let side = Side::Host(Box::new(timeline));
        Ok(ExternalSemaphore::new(
            device,
            SemaphoreKind::Timeline,
            side,
        ))
    }

    /// What it counts.
    #[must_use]
    pub fn kind(&self) -> SemaphoreKind {
        self.kind
    }

    /// The device that it was imported for.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Signals the semaphore when the work submitted to the stream so far is done. A timeline gets this value, which must be greater than its value then; of a
    /// binary semaphore the value means nothing. CUDA: `cuSignalExternalSemaphoresAsync`.
    ///
    /// # Errors
    /// [`ExternalError::WrongDevice`]; [`ExternalError::Stream`] for a stream that records a graph; [`ExternalError::Driver`]. On the
    /// emulator [`ExternalError::NotGreater`], which a GPU does not notice.
    pub fn signal(&self, value: u64, stream: &Stream) -> Result<(), ExternalError> {
        self.check(stream, "signal a semaphore of another API")?;
        self.queue_signal(value, stream)
    }

    /// Lets work submitted to the stream from now on start only when the semaphore has at least this value; a binary one: when it is signalled. Does not wait on the
    /// host. CUDA: `cuWaitExternalSemaphoresAsync`.
    ///
    /// # Errors
    /// As [`signal`](ExternalSemaphore::signal). On the emulator [`ExternalError::NotSignalled`] instead of a wait without end.
    pub fn wait(&self, value: u64, stream: &Stream) -> Result<(), ExternalError> {
        self.check(stream, "wait for a semaphore of another API")?;
        self.queue_wait(value, stream)
    }

    /// Refuses streams that cannot use it.
    pub(super) fn check(&self, stream: &Stream, what: &'static str) -> Result<(), ExternalError> {
        reject_in_host_callback()?;
        stream.refuse_recording(what)?;
        if self.device.is_same(stream.device()) {
            return Ok(());
        }
        Err(ExternalError::WrongDevice {
            what: "stream",
            found: stream.device().name().to_owned(),
            wanted: self.device.name().to_owned(),
        })
    }

    /// [`signal`](ExternalSemaphore::signal) on a stream that was checked.
    pub(super) fn queue_signal(&self, value: u64, stream: &Stream) -> Result<(), ExternalError> {
        match self.side(stream) {
            Some((Side::Cuda(semaphore), Some(cuda))) => Ok(semaphore.signal(value, cuda)?),
            Some((Side::Shared(semaphore), _)) => {
                let is_binary = self.kind == SemaphoreKind::Binary;
                semaphore.signal(if is_binary { 1 } else { value })
            }
            Some((Side::Host(timeline), _)) => timeline.signal(value),
            _ => Ok(()),
        }
    }

    /// [`wait`](ExternalSemaphore::wait) on a stream that was checked.
    pub(super) fn queue_wait(&self, value: u64, stream: &Stream) -> Result<(), ExternalError> {
        match self.side(stream) {
            Some((Side::Cuda(semaphore), Some(cuda))) => Ok(semaphore.wait(value, cuda)?),
            Some((Side::Shared(semaphore), _)) if self.kind == SemaphoreKind::Binary => {
                semaphore.take()
            }
            Some((Side::Shared(semaphore), _)) => semaphore.wait(value),
            Some((Side::Host(timeline), _)) => timeline.wait(value),
            _ => Ok(()),
        }
    }

    /// The semaphore and the driver's stream. Notes that the stream uses it.
    fn side<'a>(&'a self, stream: &'a Stream) -> Option<(&'a Side, Option<&'a CudaStream>)> {
        let queue = stream.queue();
        let cuda = queue.cuda();
        if cuda.is_some() {
            let mut used = lock(&self.used);
            if !used.iter().any(|known| Arc::ptr_eq(known, queue)) {
                used.push(Arc::clone(queue));
            }
        }
        self.side.as_ref().map(|side| (side, cuda))
    }
}

impl Drop for ExternalSemaphore {
    fn drop(&mut self) {
        let used = std::mem::take(&mut *lock(&self.used));
        let (side, device) = (self.side.take(), self.device.clone());
        if !device.is_gpu() {
            return;
        }
        run_outside_callback(move || {
            for stream in used.iter().filter_map(|queue| queue.cuda()) {
                // Errors: the context is broken, and nothing runs any more. The next wait reports it.
                let _ = stream.synchronize();
            }
            drop(side);
            drop(device);
        });
    }
}

impl fmt::Debug for ExternalSemaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalSemaphore")
            .field("kind", &self.kind)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
