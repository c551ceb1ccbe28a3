//! A driver event.

use std::sync::Arc;

use super::context::Context;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::{self, CUevent};

/// A mark in a stream's work.
#[derive(Debug)]
pub(crate) struct Event {
    context: Arc<Context>,
    pub(super) raw: CUevent,
}

/// What an event is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Use {
    /// Orders two streams; takes no time stamp, which is cheaper.
    Order,
    /// Takes a time stamp.
    Time,
}

impl Event {
    pub(crate) fn new(context: Arc<Context>, purpose: Use) -> Result<Event, DriverError> {
        context.bind()?;
        let mut raw = CUevent::NULL;
        let flags = match purpose {
            Use::Order => sys::CU_EVENT_DISABLE_TIMING,
            Use::Time => 0,
        };
        // SAFETY: writes one handle to where we point; the context is current.
        unsafe { context.driver.cuEventCreate(&raw mut raw, flags)? };
        Ok(Event { context, raw })
    }

    /// Marks all work that `stream` was given so far.
    pub(crate) fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: event and stream are alive.
        unsafe { self.context.driver.cuEventRecord(self.raw, stream.raw) }
    }

    /// Waits on the host until the marked work is done.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the event is alive.
        unsafe { self.context.driver.cuEventSynchronize(self.raw) }
    }

    /// Milliseconds from this event to `later`; both are complete.
    pub(crate) fn elapsed_ms(&self, later: &Event) -> Result<f64, DriverError> {
        self.context.bind()?;
        let mut ms = 0.0f32;
        // SAFETY: writes one float to where we point; both events are alive.
        unsafe {
            self.context
                .driver
                .cuEventElapsedTime(&raw mut ms, self.raw, later.raw)?;
        }
        Ok(f64::from(ms))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: destroyed once; the driver keeps what waits for it. Errors: the driver is shut down already.
        let _ = unsafe { self.context.driver.cuEventDestroy_v2(self.raw) };
    }
}
