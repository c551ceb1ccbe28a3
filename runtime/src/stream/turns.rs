//! Which launches of other streams are over before a launch begins: what a GPU would know, of launches that the emulator runs one after the other.
//!
//! Happens-before by vector clocks. Work of one stream is in order; waiting for an event joins the clock that the recording stream had then, and so does a buffer that is handed over. When the host
//! waits, whatever for, all that was launched before counts as over. What is not compared at all: launches of streams that keep order with the legacy default stream,
//! and those without addresses among their arguments while the device has no other stream.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use warploom_emulator::check::{self, Launches, Turn};

use crate::stream::Stream;
use crate::sync::lock;

/// A vector clock: of each stream the number of its latest launch that happens before.
pub(crate) type Clock = HashMap<u64, u64>;

/// The streams of an emulated device.
#[derive(Default)]
pub(crate) struct Turns {
    /// By the number of the stream; its own launches too.
    clocks: Mutex<HashMap<u64, Clock>>,
    /// What launches have accessed that the host has not waited for.
    launches: Arc<Launches>,
}

impl Turns {
    /// A kernel is launched on a stream: tells the checks, if there may be something to compare it with.
    pub(crate) fn announce(
        &self,
        stream: &Stream,
        (kernel, has_addresses): (&'static str, bool),
        at: &'static Location<'static>,
    ) {
        if stream.is_blocking() {
            self.host_waits();
            return;
        }
        let id = stream.number();
        let mut all = lock(&self.clocks);
        let own = all.entry(id).or_default();
        let number = own.get(&id).map_or(1, |number| number + 1);
        own.insert(id, number);
        if !has_addresses && stream.device().objects_in_use().streams < 2 {
            return;
        }
        check::takes_turn(Turn {
            all: Arc::clone(&self.launches),
            stream: id,
            number,
            clock: own
                .iter()
                .map(|(stream, number)| (*stream, *number))
                .collect(),
            name: format!("kernel `{kernel}`, launched at {at} on another stream,"),
        });
    }

    /// The clock of a stream, with its own launches.
    pub(crate) fn clock_of(&self, stream: u64) -> Clock {
        lock(&self.clocks).get(&stream).cloned().unwrap_or_default()
    }

    /// Later work of a stream happens after the launches of a clock.
    pub(crate) fn join(&self, stream: u64, clock: &Clock) {
        let mut all = lock(&self.clocks);
        let own = all.entry(stream).or_default();
        for (of, number) in clock {
            let latest = own.entry(*of).or_default();
            *latest = (*latest).max(*number);
        }
    }

    /// The host waits: all that was launched is over before what comes now.
    pub(crate) fn host_waits(&self) {
        self.launches.forget();
    }
}
