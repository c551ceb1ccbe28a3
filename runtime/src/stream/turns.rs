//! Which launches of other streams are over before a launch begins: what a GPU would know, of launches that the emulator runs one after the other.
//!
//! Work of one stream is in order. A stream knows what another had launched when an event was recorded that it waits for, or when a buffer is handed over from it. When the host
//! waits, whatever for, all that was launched before counts as over. What is not compared at all: launches of streams that keep order with the legacy default stream,
//! and those without addresses among their arguments while the device has no other stream.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use warploom_emulator::check::{self, Launches, Turn};

use crate::stream::Stream;
use crate::sync::lock;

/// Of each stream the number of its latest launch that is known to be over.
pub(crate) type Known = HashMap<u64, u64>;

/// The streams of an emulated device.
#[derive(Default)]
pub(crate) struct Turns {
    /// By the number of the stream; its own launches too.
    known: Mutex<HashMap<u64, Known>>,
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
        let mut all = lock(&self.known);
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
            known: own
                .iter()
                .map(|(stream, number)| (*stream, *number))
                .collect(),
            name: format!("kernel `{kernel}`, launched at {at} on another stream,"),
        });
    }

    /// What a stream knows, with its own launches.
    pub(crate) fn known_to(&self, stream: u64) -> Known {
        lock(&self.known).get(&stream).cloned().unwrap_or_default()
    }

    /// Work of a stream that comes later knows this.
    pub(crate) fn learns(&self, stream: u64, known: &Known) {
        let mut all = lock(&self.known);
        let own = all.entry(stream).or_default();
        for (of, number) in known {
            let latest = own.entry(*of).or_default();
            *latest = (*latest).max(*number);
        }
    }

    /// The host waits: all that was launched is over before what comes now.
    pub(crate) fn host_waits(&self) {
        self.launches.forget();
    }
}
