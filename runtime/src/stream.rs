//! Queues of work.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checked::KernelFindings;
use crate::cuda::event::{Event as CudaEvent, Use};
use crate::cuda::stream::Stream as CudaStream;
use crate::cuda::{Context, DriverError};
use crate::device::{Backend, Device};
use crate::error::Unsupported;
use crate::event::Event;
use crate::panics::{KernelDeadlock, KernelPanic};

/// A queue of copies and kernels that a device works off in order. Clones are the same queue.
///
/// Streams of one device are independent: their work may run at the same time. Buffers need no care; a buffer that one
/// stream used makes the next stream that uses it wait. On the emulator all work runs at once, in the order of submission.
/// CUDA: a non-blocking `CUstream`.
#[derive(Clone)]
pub struct Stream {
    device: Device,
    queue: Arc<Queue>,
}

/// A stream of the driver, with what it needs to hand over a buffer. Outlives the `Stream` while buffers remember it.
#[derive(Debug)]
pub(crate) struct Queue {
    /// Unique in the process.
    id: u64,
    cuda: Option<CudaQueue>,
}

#[derive(Debug)]
struct CudaQueue {
    /// Recorded anew at each hand-over; the driver looks at it only during the call that waits.
    handover: CudaEvent,
    stream: CudaStream,
}

/// Why work on a stream failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A thread of a kernel panicked. The device stays usable; buffers keep what was written to them.
    #[error(transparent)]
    Panic(Box<KernelPanic>),
    /// The emulator proved that a kernel's threads wait for each other for ever.
    #[error(transparent)]
    Deadlock(Box<KernelDeadlock>),
    /// The emulator's checks found errors in a kernel: races, accesses out of bounds, and what else `docs/diagnostics.md` lists.
    #[error(transparent)]
    Check(Box<KernelFindings>),
    /// Stream and event belong to different devices.
    #[error(
        "the event belongs to another device ({event}) than the stream ({stream}); make both from the same `Device` or its clones"
    )]
    WrongDevice {
        /// The event's device.
        event: String,
        /// The stream's device.
        stream: String,
    },
    /// An event was used that no stream has recorded.
    #[error("the event was never recorded; call `Stream::record` with it first")]
    NotRecorded,
    /// The driver refused a call, or reports that earlier work failed.
    #[error("work on the GPU failed: {0}")]
    Driver(#[from] DriverError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl Stream {
    pub(crate) fn new(device: &Device) -> Result<Stream, StreamError> {
        let cuda = match &device.0.backend {
            Backend::Emulator(_) => None,
            Backend::Cuda(gpu) => Some(&gpu.context),
        };
        Ok(Stream {
            device: device.clone(),
            queue: Queue::new(cuda)?,
        })
    }

    /// A stream around one of the driver's.
    pub(crate) fn of_cuda(device: &Device, stream: CudaStream) -> Result<Stream, DriverError> {
        Ok(Stream {
            device: device.clone(),
            queue: Queue::of_cuda(stream)?,
        })
    }

    /// The device that works off this stream.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until all work submitted so far is done. CUDA: `cuStreamSynchronize`.
    ///
    /// # Errors
    /// [`StreamError::Panic`] if a kernel of this device panicked since the last such point, on this or another stream; the
    /// error is reported once and the device stays usable. [`StreamError::Deadlock`] and [`StreamError::Check`] likewise, on the
    /// emulator.
    /// [`StreamError::Driver`] if the GPU failed.
    pub fn synchronize(&self) -> Result<(), StreamError> {
        let waited = self.queue.cuda().map_or(Ok(()), CudaStream::synchronize);
        if waited.is_err() {
            self.device.flush_prints(); // what was printed before the GPU failed
        }
        waited?;
        self.device.check_kernels(Some(self.queue.id))
    }

    /// Marks the work submitted so far with `event`. CUDA: `cuEventRecord`.
    ///
    /// # Errors
    /// [`StreamError::WrongDevice`] if the event belongs to another device; [`StreamError::Driver`].
    pub fn record(&self, event: &Event) -> Result<(), StreamError> {
        self.check_device(event)?;
        event.record_on(self.queue.cuda())
    }

    /// Lets work submitted from now on start only when the work that `event` marks is done. CUDA: `cuStreamWaitEvent`.
    ///
    /// # Errors
    /// [`StreamError::WrongDevice`] if the event belongs to another device, [`StreamError::NotRecorded`] if no stream
    /// recorded it; [`StreamError::Driver`].
    pub fn wait(&self, event: &Event) -> Result<(), StreamError> {
        self.check_device(event)?;
        event.hold_up(self.queue.cuda())
    }

    fn check_device(&self, event: &Event) -> Result<(), StreamError> {
        if self.device.is_same(event.device()) {
            return Ok(());
        }
        Err(StreamError::WrongDevice {
            event: event.device().name().to_owned(),
            stream: self.device.name().to_owned(),
        })
    }

    /// The driver's `CUstream`, for code that calls the driver itself; null on the emulator. Valid while this stream lives.
    #[must_use]
    pub fn raw(&self) -> *mut std::ffi::c_void {
        self.queue
            .cuda()
            .map_or(std::ptr::null_mut(), |cuda| cuda.raw())
    }

    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }
}

impl Queue {
    fn new(cuda: Option<&Arc<Context>>) -> Result<Arc<Queue>, DriverError> {
        match cuda {
            None => Ok(Queue::with(None)),
            Some(context) => Queue::of_cuda(CudaStream::new(Arc::clone(context))?),
        }
    }

    fn of_cuda(stream: CudaStream) -> Result<Arc<Queue>, DriverError> {
        let handover = CudaEvent::new(Arc::clone(stream.context()), Use::Order)?;
        Ok(Queue::with(Some(CudaQueue { handover, stream })))
    }

    fn with(cuda: Option<CudaQueue>) -> Arc<Queue> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Arc::new(Queue {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            cuda,
        })
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn cuda(&self) -> Option<&CudaStream> {
        self.cuda.as_ref().map(|cuda| &cuda.stream)
    }

    /// Lets `next` start later work only when everything in this queue so far is done. Under the device's submission lock.
    pub(crate) fn hand_over_to(&self, next: &CudaStream) -> Result<(), DriverError> {
        let Some(cuda) = &self.cuda else {
            return Ok(());
        };
        cuda.handover.record(&cuda.stream)?;
        next.wait(&cuda.handover)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
