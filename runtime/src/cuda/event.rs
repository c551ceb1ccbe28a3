//! A driver event.

use std::sync::Arc;

use super::callback::run_outside_callback;
use super::context::Context;
use super::result::{DriverError, ready};
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
pub(crate) struct Use {
    /// Whether it takes a time stamp; without, it is cheaper.
    pub(crate) timing: bool,
    /// Whether a host thread that waits for it sleeps, instead of what the context is set to.
    pub(crate) blocking: bool,
}

impl Use {
    /// Orders two streams.
    pub(crate) const ORDER: Use = Use {
        timing: false,
        blocking: false,
    };
    /// A thread waits for it for long.
    pub(crate) const WAIT: Use = Use {
        timing: false,
        blocking: true,
    };
}

impl Event {
    pub(crate) fn new(context: Arc<Context>, purpose: Use) -> Result<Event, DriverError> {
        context.bind()?;
        let mut raw = CUevent::NULL;
        let mut flags = 0;
        if !purpose.timing {
            flags |= sys::CU_EVENT_DISABLE_TIMING;
        }
        if purpose.blocking {
            flags |= sys::CU_EVENT_BLOCKING_SYNC;
        }
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

    /// Whether the marked work is done.
    pub(crate) fn query(&self) -> Result<bool, DriverError> {
        self.context.bind()?;
        // SAFETY: the event is alive.
        ready(unsafe { self.context.driver.cuEventQuery(self.raw) })
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

impl Stream {
    /// Lets later work of this stream start only after what `event` recorded last. Both belong to one context.
    pub(crate) fn wait(&self, event: &Event) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: stream and event are alive.
        unsafe {
            self.context
                .driver
                .cuStreamWaitEvent(self.raw, event.raw, 0)
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let (context, raw) = (Arc::clone(&self.context), self.raw);
        run_outside_callback(move || {
            let _ = context.bind();
            // SAFETY: destroyed once; the driver keeps what waits for it. Errors: the driver is shut down already.
            let _ = unsafe { context.driver.cuEventDestroy_v2(raw) };
        });
    }
}
