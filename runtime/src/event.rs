//! Marks in a stream's work, for timing and for ordering streams.

use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::cuda::DriverError;
use crate::cuda::event::{Event as CudaEvent, Use};
use crate::device::{Backend, Device};
use crate::memory::{LiveObject, Object};
use crate::stream::turns::Clock;
use crate::stream::{Queue, StreamError, reject_in_host_callback};
use crate::sync::lock;

/// A mark in a stream's work. [`Stream::record`](crate::Stream::record) sets it; setting it again moves it.
///
/// Rules: a mark is reached when all work that the stream was given before it is done. A wait is for the mark that was set last when the
/// wait was asked for, also if it moves later. An event that was never recorded cannot be waited for: that is an error. Times are
/// taken when the mark is reached. Dropping an event does not disturb waits for it. Events are no way to another process
/// (`CU_EVENT_INTERPROCESS`).
///
/// CUDA: `CUevent`. On the emulator, where work is done as soon as it is submitted, a mark is a time of the host's clock.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// let (stream, start, end) = (device.stream()?, device.event()?, device.event()?);
/// stream.record(&start)?;
/// let x = device.zeroed::<u8>(1 << 20)?;
/// stream.record(&end)?;
/// assert!(start.elapsed_ms(&end)? >= 0.0);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct Event {
    device: Device,
    mark: Mark,
    options: EventOptions,
    _live: LiveObject,
}

/// What an event is like. Made with `Device::event_with`.
///
/// ```
/// # use warploom_runtime::{Device, EventOptions, StreamError};
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let order = device.event_with(EventOptions::new().without_timing())?;
/// stream.record(&order)?;
/// assert!(matches!(order.elapsed_ms(&order), Err(StreamError::NoTiming)));
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventOptions {
    untimed: bool,
    sleeping: bool,
}

impl EventOptions {
    /// With a time; waiting for it is as the device is set.
    #[must_use]
    pub fn new() -> EventOptions {
        EventOptions::default()
    }

    /// Takes no time, which is cheaper: for order alone. CUDA: `CU_EVENT_DISABLE_TIMING`.
    #[must_use]
    pub fn without_timing(self) -> EventOptions {
        EventOptions {
            untimed: true,
            ..self
        }
    }

    /// A thread that waits for the event sleeps, and costs no processor meanwhile; it wakes up some microseconds late. CUDA:
    /// `CU_EVENT_BLOCKING_SYNC`.
    #[must_use]
    pub fn blocking_wait(self) -> EventOptions {
        EventOptions {
            sleeping: true,
            ..self
        }
    }
}

impl Device {
    /// Makes an event as the options say. [`event`](Device::event) makes one with the default options.
    ///
    /// # Errors
    /// [`StreamError::Driver`] if the driver refuses. None on the emulator.
    pub fn event_with(&self, options: EventOptions) -> Result<Event, StreamError> {
        reject_in_host_callback()?;
        let mark = match &self.0.backend {
            Backend::Emulator(_) => Mark::Host(Mutex::new(None)),
            Backend::Cuda(gpu) => {
                let purpose = Use {
                    timing: !options.untimed,
                    blocking: options.sleeping,
                };
                let event = CudaEvent::new(Arc::clone(&gpu.context), purpose);
                Mark::Cuda {
                    recorded: AtomicBool::new(false),
                    event: event.map_err(|error| self.explain(None, error))?,
                }
            }
        };
        Ok(Event {
            device: self.clone(),
            mark,
            options,
            _live: LiveObject::new(self, Object::Event),
        })
    }
}

enum Mark {
    /// When it was recorded, and which launches are over then.
    Host(Mutex<Option<(Instant, Clock)>>),
    Cuda {
        recorded: AtomicBool,
        event: CudaEvent,
    },
}

impl Event {
    /// The device of this event.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The driver's `CUevent`, for code that calls the driver itself; null on the emulator. Valid while this event lives.
    #[must_use]
    pub fn raw(&self) -> *mut std::ffi::c_void {
        match &self.mark {
            Mark::Host(_) => std::ptr::null_mut(),
            Mark::Cuda { event, .. } => event.raw_handle(),
        }
    }

    /// Waits until the marked work is done. CUDA: `cuEventSynchronize`.
    ///
    /// # Errors
    /// [`StreamError::NotRecorded`] if no stream recorded this event. A kernel's panic and a GPU's failure, as
    /// [`Stream::synchronize`](crate::Stream::synchronize) reports them.
    pub fn synchronize(&self) -> Result<(), StreamError> {
        self.look(|event| event.synchronize().map(|()| true))?;
        Ok(())
    }

    /// Whether the marked work is done: `false` is an answer, not an error. Always `true` on the emulator. CUDA: `cuEventQuery`.
    ///
    /// # Errors
    /// Those of [`synchronize`](Event::synchronize), where the work is done. [`StreamError::NotRecorded`] where CUDA says that nothing is
    /// done.
    pub fn query(&self) -> Result<bool, StreamError> {
        self.look(CudaEvent::query)
    }

    /// Whether the work is done, as `ask` finds out on a GPU; with its errors if so.
    fn look(
        &self,
        ask: impl FnOnce(&CudaEvent) -> Result<bool, DriverError>,
    ) -> Result<bool, StreamError> {
        reject_in_host_callback()?;
        match &self.mark {
            Mark::Host(time) => {
                lock(time).as_ref().ok_or(StreamError::NotRecorded)?;
            }
            Mark::Cuda { event, recorded } => {
                if !recorded.load(Ordering::Acquire) {
                    return Err(StreamError::NotRecorded);
                }
                match ask(event) {
                    Ok(true) => {}
                    Ok(false) => return Ok(false),
                    Err(error) => {
                        self.device.flush_prints(); // what was printed before the GPU failed
                        return Err(self.device.explain(None, error));
                    }
                }
            }
        }
        self.device.check_kernels(None)?;
        Ok(true)
    }

    /// Milliseconds between the work that this event marks and the work that `later` marks; waits for both. Negative if `later` was
    /// reached first. The events may be of two streams, whose other work is then within the time.
    ///
    /// Resolution on a GPU: about half a microsecond. CUDA: `cuEventElapsedTime`.
    ///
    /// # Errors
    /// Those of [`synchronize`](Event::synchronize), [`StreamError::NoTiming`] if one of the events takes no time, and
    /// [`StreamError::WrongDevice`] if the events belong to two devices.
    pub fn elapsed_ms(&self, later: &Event) -> Result<f64, StreamError> {
        if self.options.untimed || later.options.untimed {
            return Err(StreamError::NoTiming);
        }
        self.synchronize()?;
        later.synchronize()?;
        match (&self.mark, &later.mark) {
            (Mark::Host(start), Mark::Host(end)) => {
                let when = |mark: &Mutex<Option<(Instant, Clock)>>| {
                    let mark = lock(mark);
                    let (time, _) = mark.as_ref().ok_or(StreamError::NotRecorded)?;
                    Ok::<_, StreamError>(*time)
                };
                let (start, end) = (when(start)?, when(end)?);
                let forward = end.checked_duration_since(start);
                let backward = start.saturating_duration_since(end).as_secs_f64();
                Ok(1e3 * forward.map_or(-backward, |time| time.as_secs_f64()))
            }
            (Mark::Cuda { event: start, .. }, Mark::Cuda { event: end, .. })
                if self.device.is_same(&later.device) =>
            {
                Ok(start.elapsed_ms(end)?)
            }
            _ => Err(StreamError::WrongDevice {
                event: self.device.name().to_owned(),
                stream: later.device.name().to_owned(),
            }),
        }
    }

    pub(crate) fn record_on(&self, queue: &Queue) -> Result<(), StreamError> {
        match (&self.mark, queue.cuda()) {
            (Mark::Host(time), _) => {
                let clock = self.device.turns().map(|turns| turns.clock_of(queue.id()));
                *lock(time) = Some((Instant::now(), clock.unwrap_or_default()));
            }
            (Mark::Cuda { event, recorded }, Some(stream)) => {
                event.record(stream)?;
                recorded.store(true, Ordering::Release);
            }
            (Mark::Cuda { .. }, None) => {}
        }
        Ok(())
    }

    pub(crate) fn order_after(&self, queue: &Queue) -> Result<(), StreamError> {
        match (&self.mark, queue.cuda()) {
            (Mark::Host(time), _) => {
                let mark = lock(time);
                let (_, clock) = mark.as_ref().ok_or(StreamError::NotRecorded)?;
                if let Some(turns) = self.device.turns() {
                    turns.join(queue.id(), clock);
                }
            }
            (Mark::Cuda { event, recorded }, Some(stream)) => {
                if !recorded.load(Ordering::Acquire) {
                    return Err(StreamError::NotRecorded);
                }
                stream.wait(event)?;
            }
            (Mark::Cuda { .. }, None) => {}
        }
        Ok(())
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
