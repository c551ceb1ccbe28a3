//! The end of a stream's work as a future.
//!
//! A host function could wake the future, but the driver never calls one once the GPU has failed, and a waker is code of the executor's,
//! which might use the device. So each stream that is awaited has a thread that waits for events, one after the other: the work of a stream
//! ends in order.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;

use super::{Stream, StreamError, reject_in_host_callback};
use crate::cuda::DriverError;
use crate::cuda::event::{Event as CudaEvent, Use};
use crate::device::Backend;
use crate::panics::launches_so_far;
use crate::sync::lock;

/// The end of the work that a stream had when [`Stream::finished`] was called.
///
/// Belongs to no executor. Awaiting it again after its end looks for errors again.
#[must_use = "futures do nothing unless they are awaited"]
pub struct Finished {
    stream: Stream,
    /// How many launches there had been.
    launches: u64,
    mark: Mark,
}

enum Mark {
    /// Nothing to wait for.
    Done,
    /// The mark could not be set.
    Failed(Option<StreamError>),
    /// Set in the stream.
    Set(Arc<Progress>),
}

/// What a future and the thread share.
struct Progress {
    signal: Box<dyn Signal>,
    state: Mutex<State>,
}

/// What a future waits for: an event of the driver.
trait Signal: Send + Sync {
    fn query(&self) -> Result<bool, DriverError>;
    fn synchronize(&self) -> Result<(), DriverError>;
}

impl Signal for CudaEvent {
    fn query(&self) -> Result<bool, DriverError> {
        self.query()
    }

    fn synchronize(&self) -> Result<(), DriverError> {
        self.synchronize()
    }
}

#[derive(Default)]
struct State {
    /// Whether the thread knows of it.
    handed_over: bool,
    done: Option<Result<(), DriverError>>,
    waker: Option<Waker>,
}

impl Finished {
    pub(super) fn new(stream: &Stream) -> Finished {
        let marked = reject_in_host_callback().and_then(|()| {
            stream.refuse_recording("be waited for")?;
            let launches = launches_so_far();
            Ok((launches, Mark::set(stream)?))
        });
        let (launches, mark) = marked.unwrap_or_else(|error| (0, Mark::Failed(Some(error))));
        Finished {
            stream: stream.clone(),
            launches,
            mark,
        }
    }
}

impl Mark {
    fn set(stream: &Stream) -> Result<Mark, StreamError> {
        let (Backend::Cuda(gpu), Some(cuda)) = (&stream.device().0.backend, stream.queue().cuda())
        else {
            return Ok(Mark::Done);
        };
        let explain = |error| stream.device().explain(Some(stream.number()), error);
        let event = CudaEvent::new(Arc::clone(&gpu.context), Use::WAIT).map_err(explain)?;
        event.record(cuda).map_err(explain)?;
        Ok(Mark::Set(Arc::new(Progress::of(event))))
    }
}

impl Future for Finished {
    type Output = Result<(), StreamError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        reject_in_host_callback()?;
        let this = self.get_mut();
        let done = match &mut this.mark {
            Mark::Done => Ok(()),
            Mark::Failed(error) => match error.take() {
                Some(error) => return Poll::Ready(Err(error)),
                None => Ok(()),
            },
            Mark::Set(progress) => {
                let waiter = this.stream.queue().cuda.as_ref().map(|cuda| &cuda.waiter);
                match progress.poll(context, waiter) {
                    Some(done) => done,
                    None => return Poll::Pending,
                }
            }
        };
        this.mark = Mark::Done;
        Poll::Ready(this.stream.conclude(done, this.launches))
    }
}

impl Progress {
    fn of(signal: impl Signal + 'static) -> Progress {
        Progress {
            signal: Box::new(signal),
            state: Mutex::default(),
        }
    }

    /// What the wait answered, once it is over. `waiter`: the thread that can wait.
    fn poll(
        self: &Arc<Progress>,
        context: &mut Context<'_>,
        waiter: Option<&Waiter>,
    ) -> Option<Result<(), DriverError>> {
        let mut state = lock(&self.state);
        if let Some(done) = state.done.take() {
            return Some(done);
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        if state.handed_over {
            return None;
        }
        match self.signal.query() {
            Ok(false) => {}
            Ok(true) => return Some(Ok(())),
            Err(error) => return Some(Err(error)),
        }
        if waiter.is_some_and(|waiter| waiter.wait_for(Arc::clone(self))) {
            state.handed_over = true;
            return None;
        }
        drop(state);
        Some(self.signal.synchronize()) // there is no thread: late is better than never
    }

    /// What the thread does.
    fn wait(&self) {
        let done = self.signal.synchronize();
        let waker = {
            let mut state = lock(&self.state);
            state.done = Some(done);
            state.waker.take()
        };
        if let Some(waker) = waker {
            // A waker that panics must not keep other futures asleep.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
                std::mem::forget(payload); // its drop may panic as well
            }
        }
    }
}

/// The thread of a stream; none until the first future has to wait. It ends with the stream.
#[derive(Debug, Default)]
pub(super) struct Waiter(Mutex<Option<Sender<Arc<Progress>>>>);

impl Waiter {
    /// Whether the thread will wait for it.
    fn wait_for(&self, progress: Arc<Progress>) -> bool {
        let mut sender = lock(&self.0);
        let sender = match &mut *sender {
            Some(sender) => sender,
            none => {
                let (sender, receiver) = channel();
                if !start(receiver) {
                    return false;
                }
                none.insert(sender)
            }
        };
        sender.send(progress).is_ok()
    }
}

fn start(receiver: Receiver<Arc<Progress>>) -> bool {
    let name = "warploom-wait".to_owned();
    let run = move || receiver.iter().for_each(|progress| progress.wait());
    thread::Builder::new().name(name).spawn(run).is_ok()
}

impl IntoFuture for &Stream {
    type Output = Result<(), StreamError>;
    type IntoFuture = Finished;

    fn into_future(self) -> Finished {
        self.finished()
    }
}

impl IntoFuture for Stream {
    type Output = Result<(), StreamError>;
    type IntoFuture = Finished;

    fn into_future(self) -> Finished {
        self.finished()
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "finished_tests.rs"]
mod tests;
