//! Marks in a stream's work, for timing and for ordering streams.

use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::cuda::event::{Event as CudaEvent, Use};
use crate::cuda::stream::Stream as CudaStream;
use crate::device::{Backend, Device, lock};
use crate::stream::StreamError;

/// A mark in a stream's work. [`Stream::record`](crate::Stream::record) sets it; setting it again moves it.
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
}

enum Mark {
    Host(Mutex<Option<Instant>>),
    Cuda {
        recorded: AtomicBool,
        event: CudaEvent,
    },
}

impl Event {
    pub(crate) fn new(device: &Device) -> Result<Event, StreamError> {
        let mark = match &device.0.backend {
            Backend::Emulator(_) => Mark::Host(Mutex::new(None)),
            Backend::Cuda(gpu) => Mark::Cuda {
                recorded: AtomicBool::new(false),
                event: CudaEvent::new(Arc::clone(&gpu.context), Use::Time)?,
            },
        };
        Ok(Event {
            device: device.clone(),
            mark,
        })
    }

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
        match &self.mark {
            Mark::Host(time) => {
                lock(time).ok_or(StreamError::NotRecorded)?;
            }
            Mark::Cuda { event, recorded } => {
                if !recorded.load(Ordering::Acquire) {
                    return Err(StreamError::NotRecorded);
                }
                let waited = event.synchronize();
                if waited.is_err() {
                    self.device.flush_prints(); // what was printed before the GPU failed
                }
                waited?;
            }
        }
        self.device.check_kernels(None)
    }

    /// Milliseconds between the work that this event marks and the work that `later` marks; waits for both.
    ///
    /// Resolution on a GPU: about half a microsecond. CUDA: `cuEventElapsedTime`.
    ///
    /// # Errors
    /// Those of [`synchronize`](Event::synchronize), and [`StreamError::WrongDevice`] if the events belong to two devices.
    pub fn elapsed_ms(&self, later: &Event) -> Result<f64, StreamError> {
        self.synchronize()?;
        later.synchronize()?;
        match (&self.mark, &later.mark) {
            (Mark::Host(start), Mark::Host(end)) => {
                let start = lock(start).ok_or(StreamError::NotRecorded)?;
                let end = lock(end).ok_or(StreamError::NotRecorded)?;
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

    pub(crate) fn record_on(&self, stream: Option<&CudaStream>) -> Result<(), StreamError> {
        match (&self.mark, stream) {
            (Mark::Host(time), _) => *lock(time) = Some(Instant::now()),
            (Mark::Cuda { event, recorded }, Some(stream)) => {
                event.record(stream)?;
                recorded.store(true, Ordering::Release);
            }
            (Mark::Cuda { .. }, None) => {}
        }
        Ok(())
    }

    pub(crate) fn hold_up(&self, stream: Option<&CudaStream>) -> Result<(), StreamError> {
        match (&self.mark, stream) {
            (Mark::Host(time), _) => {
                lock(time).ok_or(StreamError::NotRecorded)?;
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
