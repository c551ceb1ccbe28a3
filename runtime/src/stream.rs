//! Queues of work.

mod finished; // the end of work as a future
mod options; // priorities and the default stream
pub(crate) mod turns; // which launches are in order

pub use finished::Finished;
pub use options::{StreamOptions, StreamPriorities};

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checked::KernelFindings;
use crate::cuda::DriverError;
use crate::cuda::callback;
use crate::cuda::event::{Event as CudaEvent, Use};
use crate::cuda::host::{self, HostFunction};
use crate::cuda::stream::Stream as CudaStream;
use crate::device::{Backend, Device, Gpu};
use crate::event::Event;
use crate::graph::record::Recording;
use crate::memory::{LiveObject, Object};
use crate::panics::{Done, KernelDeadlock, KernelPanic, launches_so_far};
use crate::sync::lock;
use crate::unsupported::Unsupported;

use finished::Waiter;

/// A queue of copies and kernels that a device works off in order. Clones are the same queue.
///
/// Streams of one device are independent: their work may run at the same time. Buffers need no care; a buffer that one
/// stream used makes the next stream that uses it wait. On the emulator all work runs at once, in the order of submission.
/// Threads may share a stream; the work of each thread then runs in the order in which that thread submitted it.
///
/// Dropping the last clone does not wait: the device finishes the work, and what it needs stays until then. A buffer still knows the
/// stream that used it last, so dropping or reading the buffer waits. [`StreamOptions`] says how streams relate to the default stream.
///
/// Awaiting a stream, or a reference to one, is awaiting [`finished`](Stream::finished).
/// CUDA: a `CUstream`; a non-blocking one, unless the options say otherwise.
#[derive(Clone)]
pub struct Stream {
    shared: Arc<StreamShared>,
    /// Keeps the work for a graph instead of doing it.
    recording: Option<Arc<Recording>>,
    options: StreamOptions,
}

/// A stream's queue, and its device.
pub(crate) struct StreamShared {
    pub(crate) queue: Arc<Queue>,
    /// Behind the queue: it may be the last that keeps the device.
    pub(crate) device: Device,
}

/// A stream of the driver, with what it needs to hand over a buffer. Outlives the `Stream` while buffers remember it.
#[derive(Debug)]
pub(crate) struct Queue {
    /// Unique in the process.
    id: u64,
    cuda: Option<CudaQueue>,
    _live: LiveObject,
}

#[derive(Debug)]
struct CudaQueue {
    /// Recorded anew at each hand-over; the driver reads it only during the call that waits.
    handover: CudaEvent,
    stream: CudaStream,
    /// Waits for futures.
    waiter: Waiter,
}

/// Why work on a stream failed.
#[derive(Clone, thiserror::Error)]
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
    /// A host function of this stream, or of a stream of the device that was waited for, panicked. The stream goes on.
    #[error("a host function of the stream panicked: {message} (submitted at {submitted_at})")]
    HostPanic {
        /// The panic's message.
        message: String,
        /// Where the function was submitted.
        submitted_at: &'static Location<'static>,
    },
    /// A host function of a stream used the device.
    #[error(
        "a host function of a stream must not use the device, which may wait for the function itself; tell another thread to do it, with a channel for example"
    )]
    InsideHostFunction,
    /// The device has no such priority.
    #[error(
        "a stream on {device} cannot have priority {given}: priorities are numbers from {greatest}, the highest, to {least}; ask `Device::stream_priorities`"
    )]
    PriorityOutOfRange {
        /// The priority asked for.
        given: i32,
        /// The lowest priority.
        least: i32,
        /// The highest priority, which is the smallest number.
        greatest: i32,
        /// The device's name.
        device: String,
    },
    /// An event that takes no time was asked for one.
    #[error(
        "the event takes no time: it was made with `EventOptions::without_timing`; leave that out"
    )]
    NoTiming,
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
    /// Something that a graph has no node for was asked of a stream that records one.
    #[error(
        "a stream that records a graph cannot {what}; do it on an ordinary stream, before or after the graph runs"
    )]
    Recording {
        /// What was asked for.
        what: &'static str,
    },
    /// An event was used that no stream has recorded.
    #[error("the event was never recorded; call `Stream::record` with it first")]
    NotRecorded,
    /// The driver refused a call, or reports that earlier work failed; the error then names the launches that may have been the cause.
    #[error("work on the GPU failed: {0}")]
    Driver(#[from] DriverError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl Stream {
    fn new(device: &Device, queue: Arc<Queue>, options: StreamOptions) -> Stream {
        if let Some(turns) = device.turns() {
            turns.enter(queue.id(), options.role());
        }
        Stream {
            shared: Arc::new(StreamShared {
                queue,
                device: device.clone(),
            }),
            recording: None,
            options,
        }
    }

    /// The same stream, but that it keeps its work in `recording`.
    pub(crate) fn recorder(&self, recording: Arc<Recording>) -> Stream {
        Stream {
            recording: Some(recording),
            ..self.clone()
        }
    }

    /// Where the work goes if this stream records a graph.
    pub(crate) fn recording(&self) -> Option<&Recording> {
        self.recording.as_deref()
    }

    /// Refuses what graphs have no node for.
    pub(crate) fn refuse_recording(&self, what: &'static str) -> Result<(), StreamError> {
        match self.recording {
            Some(_) => Err(StreamError::Recording { what }),
            None => Ok(()),
        }
    }

    /// A stream around one of the driver's.
    pub(crate) fn of_cuda(
        device: &Device,
        stream: CudaStream,
        options: StreamOptions,
    ) -> Result<Stream, DriverError> {
        let queue = Queue::new(device, |_| Ok(stream))?;
        Ok(Stream::new(device, queue, options))
    }

    /// The device that works off this stream.
    #[must_use]
    #[inline]
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// The stream's number, which errors name it by. Clones have the same; no other stream of the process has it.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.shared.queue.id
    }

    /// Waits until all work submitted so far is done. CUDA: `cuStreamSynchronize`.
    ///
    /// # Errors
    /// [`StreamError::Panic`] if a kernel of this device panicked since the last such point, on this or another stream; the
    /// error is reported once and the device stays usable. [`StreamError::Deadlock`] and [`StreamError::Check`] likewise, on the
    /// emulator. [`StreamError::HostPanic`] if a host function of this stream panicked.
    /// [`StreamError::Driver`] if the GPU failed: its [`launches`](DriverError::launches) are those that may have been the cause.
    pub fn synchronize(&self) -> Result<(), StreamError> {
        reject_in_host_callback()?;
        self.refuse_recording("be waited for")?;
        let launches = launches_so_far();
        let waited = self
            .shared
            .queue
            .cuda()
            .map_or(Ok(()), CudaStream::synchronize);
        self.conclude(waited, launches)
    }

    /// Whether all work submitted so far is done: `false` is an answer, not an error. Always `true` on the emulator. CUDA: `cuStreamQuery`.
    ///
    /// ```
    /// # let stream = warploom_runtime::Device::emulator().stream()?;
    /// while !stream.query()? {
    ///     std::thread::yield_now(); // something useful
    /// }
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`synchronize`](Stream::synchronize), where all work is done.
    pub fn query(&self) -> Result<bool, StreamError> {
        reject_in_host_callback()?;
        self.refuse_recording("be asked")?;
        let launches = launches_so_far();
        let waited = match self.shared.queue.cuda().map_or(Ok(true), CudaStream::query) {
            Ok(false) => return Ok(false),
            Ok(true) => Ok(()),
            Err(error) => Err(error),
        };
        self.conclude(waited, launches).map(|()| true)
    }

    /// What waiting for this stream means to the caller. `launches`: how many there were when it was decided what to wait for.
    fn conclude(&self, waited: Result<(), DriverError>, launches: u64) -> Result<(), StreamError> {
        if let Err(error) = waited {
            self.device().flush_prints(); // what was printed before the GPU failed
            self.shared.queue.forget_lost();
            return Err(self.device().explain(Some(self.shared.queue.id), error));
        }
        let stream = self.shared.queue.id;
        let done = Done {
            stream: Some(stream),
            launches,
        };
        self.device().check_kernels(Some(done))?;
        let panicked = lock(&self.device().0.host_panics).remove(&stream);
        panicked.map_or(Ok(()), |panicked| Err(host_panic(panicked)))
    }

    /// Calls `function` on the host when the work submitted so far is done; work submitted later starts when it has returned.
    /// CUDA: `cuLaunchHostFunc`.
    ///
    /// On a GPU a thread of the driver calls it, after this has returned as a rule; on the emulator the calling thread does, before
    /// this returns. It is called once; or dropped, once, if the GPU fails first: then the next wait says so, and drops it. A panic ends
    /// in the function, and the next wait for this stream, or for the device, reports it.
    ///
    /// The function must not use the device, and must not wait for a thread that does: CUDA forbids it, because the device may wait for the
    /// function. What it tries is refused with [`StreamError::InsideHostFunction`], and so is access to pinned or managed memory, which
    /// waits for the device. Whatever is dropped there is freed by another thread. Keep it short: send a message, set a flag.
    ///
    /// ```
    /// # let stream = warploom_runtime::Device::emulator().stream()?;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// stream.launch_host(move || drop(sender.send("the first half is done")))?;
    /// assert_eq!(receiver.recv(), Ok("the first half is done"));
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// It runs when this function has long returned, and on another thread, so that it can borrow nothing of the caller's:
    ///
    /// ```compile_fail,E0597
    /// # let stream = warploom_runtime::Device::emulator().stream().unwrap();
    /// let mut done = false;
    /// stream.launch_host(|| done = true);
    /// ```
    ///
    /// ```compile_fail,E0277
    /// # let stream = warploom_runtime::Device::emulator().stream().unwrap();
    /// let count = std::rc::Rc::new(1);
    /// stream.launch_host(move || drop(count));
    /// ```
    ///
    /// # Errors
    /// [`StreamError::InsideHostFunction`]; [`StreamError::Driver`] if the driver refuses. The function is dropped then.
    #[track_caller]
    pub fn launch_host(&self, function: impl FnOnce() + Send + 'static) -> Result<(), StreamError> {
        reject_in_host_callback()?;
        self.refuse_recording("call host functions")?;
        let function = HostFunction {
            function: Box::new(function),
            stream: self.shared.queue.id,
            at: Location::caller(),
            panics: Arc::clone(&self.device().0.host_panics),
        };
        match self.shared.queue.cuda() {
            None => {
                if let Some(turns) = self.device().turns() {
                    turns.host_waits(); // the function may tell any thread that the work is done
                }
                function.run();
            }
            Some(cuda) => {
                let refused = |error| self.device().explain(Some(self.shared.queue.id), error);
                cuda.launch_host(function).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// The end of the work submitted so far, as a future for any executor. CUDA: `cuEventRecord`, `cuEventSynchronize` on a thread.
    ///
    /// The future gives what [`synchronize`](Stream::synchronize) would give at that point, at once on the emulator. On a GPU the stream
    /// gets a small thread at the first await that has to wait; it sleeps in the driver, and wakes the futures of the stream in order.
    /// Dropping the future is safe at any time: the work goes on, and its errors stay for the next wait.
    ///
    /// ```
    /// # use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
    /// # fn block_on<F: Future>(future: F) -> F::Output {
    /// #     let mut future = pin!(future);
    /// #     loop {
    /// #         if let Poll::Ready(out) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) { return out; }
    /// #     }
    /// # }
    /// # let stream = warploom_runtime::Device::emulator().stream()?;
    /// block_on(async {
    ///     // submit work
    ///     stream.finished().await?;
    ///     (&stream).await // the same
    /// })?;
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn finished(&self) -> Finished {
        Finished::new(self)
    }

    /// Marks the work submitted so far with `event`. If the event was recorded before, it moves: waits that come later are for the new
    /// mark, those that came earlier stay with the old one. CUDA: `cuEventRecord`.
    ///
    /// # Errors
    /// [`StreamError::WrongDevice`] if the event belongs to another device; [`StreamError::Driver`].
    pub fn record(&self, event: &Event) -> Result<(), StreamError> {
        self.refuse_recording("record an event")?;
        reject_in_host_callback()?;
        self.check_device(event)?;
        event
            .record_on(&self.shared.queue)
            .map_err(|error| self.attribute_error(error))
    }

    /// Lets work submitted from now on start only when the work that `event` marks is done. The host does not wait. CUDA:
    /// `cuStreamWaitEvent`.
    ///
    /// # Errors
    /// [`StreamError::WrongDevice`] if the event belongs to another device, [`StreamError::NotRecorded`] if no stream
    /// recorded it; [`StreamError::Driver`].
    pub fn wait(&self, event: &Event) -> Result<(), StreamError> {
        self.refuse_recording("wait for an event")?;
        reject_in_host_callback()?;
        self.check_device(event)?;
        event
            .order_after(&self.shared.queue)
            .map_err(|error| self.attribute_error(error))
    }

    /// The error of a call about this stream: it may be one of earlier work.
    fn attribute_error(&self, error: StreamError) -> StreamError {
        match error {
            StreamError::Driver(error) => self.device().explain(Some(self.shared.queue.id), error),
            other => other,
        }
    }

    fn check_device(&self, event: &Event) -> Result<(), StreamError> {
        if self.device().is_same(event.device()) {
            return Ok(());
        }
        Err(StreamError::WrongDevice {
            event: event.device().name().to_owned(),
            stream: self.device().name().to_owned(),
        })
    }

    /// The driver's `CUstream`, for code that calls the driver itself; null on the emulator. Valid while this stream lives.
    #[must_use]
    pub fn raw(&self) -> *mut std::ffi::c_void {
        self.queue()
            .cuda()
            .map_or(std::ptr::null_mut(), |cuda| cuda.raw())
    }

    #[inline]
    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.shared.queue
    }

    #[inline]
    pub(crate) fn shared(&self) -> &Arc<StreamShared> {
        &self.shared
    }
}

/// What a host function left, as the error of a wait.
pub(crate) fn host_panic(
    (message, submitted_at): (String, &'static Location<'static>),
) -> StreamError {
    StreamError::HostPanic {
        message,
        submitted_at,
    }
}

/// Refuses what a host function must not do.
#[inline]
pub(crate) fn reject_in_host_callback() -> Result<(), StreamError> {
    if callback::in_host_callback() {
        return Err(StreamError::InsideHostFunction);
    }
    Ok(())
}

impl Queue {
    /// `open` makes the driver's stream, on a GPU.
    fn new(
        device: &Device,
        open: impl FnOnce(&Gpu) -> Result<CudaStream, DriverError>,
    ) -> Result<Arc<Queue>, DriverError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let cuda = match &device.0.backend {
            Backend::Emulator(_) => None,
            Backend::Cuda(gpu) => Some(CudaQueue {
                handover: CudaEvent::new(Arc::clone(&gpu.context), Use::ORDER)?,
                stream: open(gpu)?,
                waiter: Waiter::default(),
            }),
        };
        Ok(Arc::new(Queue {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            cuda,
            _live: LiveObject::new(device, Object::Stream),
        }))
    }

    /// Drops the host functions that will never be called because the GPU failed.
    fn forget_lost(&self) {
        if let Some(cuda) = &self.cuda
            && !callback::in_host_callback()
            && host::is_waiting(self.id)
            && cuda.stream.query().is_err_and(|error| error.is_fatal())
        {
            host::forget(|stream, _| stream == self.id);
        }
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
        if cuda.stream.is_lost() {
            return Ok(()); // another device's stream, on which nothing runs any more; its own users are told
        }
        cuda.handover.record(&cuda.stream)?;
        next.wait(&cuda.handover)
    }
}

impl Drop for StreamShared {
    fn drop(&mut self) {
        if let Some(turns) = self.device.turns() {
            turns.leave(self.queue.id());
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Host functions that wait for their turn still get it, unless the GPU failed.
        self.forget_lost();
    }
}

impl Device {
    /// The error of a wait, with the launches that it may come from, those of `stream` first.
    pub(crate) fn explain(&self, stream: Option<u64>, mut error: DriverError) -> StreamError {
        self.add_candidate_launches(stream, &mut error);
        StreamError::Driver(error)
    }

    /// If the error is one of earlier work, adds the launches that it may come from, those of `stream` first.
    pub(crate) fn add_candidate_launches(&self, stream: Option<u64>, error: &mut DriverError) {
        if let Backend::Cuda(gpu) = &self.0.backend
            && error.is_of_earlier_work()
        {
            error.launches = gpu.submission().recent.candidates(stream);
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("number", &self.shared.queue.id)
            .field("device", self.device())
            .finish_non_exhaustive()
    }
}
