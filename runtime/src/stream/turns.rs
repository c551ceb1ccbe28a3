//! Which launches of other streams are over before a launch begins: what a GPU would know, of launches that the emulator runs one after the other.
//!
//! Happens-before by vector clocks. Work of one stream is in order; waiting for an event joins the clock that the recording stream had then, and so does a buffer that is handed over. When the host
//! waits, whatever for, all that was launched before counts as over. Work of the legacy default stream begins when that of all blocking streams is over, and theirs when it is.
//! What is not compared at all: launches without addresses among their arguments while the device has no other stream.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use warploom_emulator::check::{self, Launches, Turn};

use crate::stream::Stream;
use crate::sync::lock;

/// A vector clock: of each stream the number of its latest launch that happens before.
pub(crate) type Clock = HashMap<u64, u64>;

/// How a stream relates to the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is the default stream.
    Default,
    /// In order with the default stream.
    Blocking,
    /// Not in order with it.
    Apart,
}

/// The streams of an emulated device.
#[derive(Default)]
pub(crate) struct Turns {
    clocks: Mutex<Clocks>,
    /// What launches have accessed that the host has not waited for.
    launches: Arc<Launches>,
}

#[derive(Default)]
struct Clocks {
    /// By the number of the stream; its own launches too.
    streams: HashMap<u64, Clock>,
    /// Of the streams that are not apart from the default stream. Each handle of that is a stream of its own here.
    roles: HashMap<u64, Role>,
    /// What the default stream has got.
    of_default: Clock,
    /// What all blocking streams have got.
    of_blocking: Clock,
}

impl Clocks {
    fn role(&self, stream: u64) -> Role {
        self.roles.get(&stream).copied().unwrap_or(Role::Apart)
    }

    /// What happens before work that the stream gets now.
    fn of(&self, stream: u64) -> Clock {
        let mut clock = self.streams.get(&stream).cloned().unwrap_or_default();
        let role = self.role(stream);
        if role != Role::Apart {
            join(&mut clock, &self.of_default);
        }
        if role == Role::Default {
            join(&mut clock, &self.of_blocking);
        }
        clock
    }

    /// The stream has got work.
    fn works(&mut self, stream: u64) {
        if self.role(stream) == Role::Default {
            let clock = self.of(stream);
            self.advance(stream, &clock);
        }
    }

    /// The stream has got work that happens after a clock.
    fn advance(&mut self, stream: u64, clock: &Clock) {
        join(self.streams.entry(stream).or_default(), clock);
        match self.role(stream) {
            Role::Default => join(&mut self.of_default, clock),
            Role::Blocking => join(&mut self.of_blocking, clock),
            Role::Apart => {}
        }
    }
}

fn join(own: &mut Clock, other: &Clock) {
    for (of, number) in other {
        let latest = own.entry(*of).or_default();
        *latest = (*latest).max(*number);
    }
}

impl Turns {
    /// A stream is made.
    pub(crate) fn enter(&self, stream: u64, role: Role) {
        if role != Role::Apart {
            lock(&self.clocks).roles.insert(stream, role);
        }
    }

    /// A kernel is launched on a stream: tells the checks, if there may be something to compare it with.
    pub(crate) fn announce(
        &self,
        stream: &Stream,
        (kernel, has_addresses): (&'static str, bool),
        at: &'static Location<'static>,
    ) {
        let id = stream.number();
        let mut all = lock(&self.clocks);
        let mut clock = all.of(id);
        let number = clock.get(&id).map_or(1, |number| number + 1);
        clock.insert(id, number);
        all.advance(id, &clock);
        if !has_addresses && stream.device().objects_in_use().streams < 2 {
            return;
        }
        check::takes_turn(Turn {
            all: Arc::clone(&self.launches),
            stream: id,
            number,
            clock: clock.into_iter().collect(),
            name: format!("kernel `{kernel}`, launched at {at} on another stream,"),
        });
    }

    /// A stream gets something else than a launch. Where it is the default stream, later work of blocking streams is behind that, and so behind what that waits for.
    pub(crate) fn works(&self, stream: u64) {
        lock(&self.clocks).works(stream);
    }

    /// The clock of a stream, with its own launches, at which an event is recorded.
    pub(crate) fn clock_of(&self, stream: u64) -> Clock {
        let mut all = lock(&self.clocks);
        all.works(stream);
        all.of(stream)
    }

    /// Later work of a stream happens after the launches of a clock.
    pub(crate) fn join(&self, stream: u64, clock: &Clock) {
        let mut all = lock(&self.clocks);
        all.advance(stream, clock);
        all.works(stream);
    }

    /// The host waits: all that was launched is over before what comes now.
    pub(crate) fn host_waits(&self) {
        self.launches.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a new launch of a stream happens after, of these: `(stream, launches so far)`.
    fn after(all: &mut Clocks, stream: u64) -> Clock {
        let mut clock = all.of(stream);
        *clock.entry(stream).or_default() += 1;
        all.advance(stream, &clock);
        clock
    }

    #[test]
    fn the_default_stream_and_blocking_streams_take_turns() {
        let mut all = Clocks::default();
        for (stream, role) in [
            (1, Role::Default),
            (2, Role::Blocking),
            (3, Role::Blocking),
            (5, Role::Default),
        ] {
            all.roles.insert(stream, role);
        }
        after(&mut all, 2);
        assert_eq!(after(&mut all, 3), Clock::from([(3, 1)])); // two blocking streams are independent
        assert_eq!(after(&mut all, 1), Clock::from([(1, 1), (2, 1), (3, 1)]));
        assert_eq!(after(&mut all, 4), Clock::from([(4, 1)])); // apart
        assert_eq!(
            after(&mut all, 2),
            Clock::from([(1, 1), (2, 2), (3, 1)]),
            "a blocking stream waits for the default stream, and so for what that waited for"
        );
        assert_eq!(
            after(&mut all, 5)[&2],
            2,
            "another handle of the default stream"
        );
        assert_eq!(after(&mut all, 4), Clock::from([(4, 2)]));
    }

    #[test]
    fn a_copy_of_the_default_stream_orders_two_blocking_streams() {
        let mut all = Clocks::default();
        all.roles
            .extend([(1, Role::Default), (2, Role::Blocking), (3, Role::Blocking)]);
        after(&mut all, 2);
        all.works(1);
        assert_eq!(after(&mut all, 3), Clock::from([(2, 1), (3, 1)]));
    }

    #[test]
    fn who_waits_for_the_default_streams_event_is_behind_all_blocking_streams() {
        let mut all = Clocks::default();
        all.roles.extend([(1, Role::Default), (2, Role::Blocking)]);
        after(&mut all, 2);
        let recorded = all.of(1);
        all.advance(7, &recorded);
        assert_eq!(after(&mut all, 7), Clock::from([(2, 1), (7, 1)]));
    }
}
