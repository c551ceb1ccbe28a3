//! Which launches of other streams are over before a launch begins: what a GPU would know, of launches that the emulator runs one after the other.
//!
//! Happens-before by vector clocks. Work of one stream is in order; waiting for an event joins the clock that the recording stream had then, and so does a buffer that is handed over. When the host
//! waits, whatever for, all that was launched before counts as over. Work of the legacy default stream begins when that of all blocking streams is over, and theirs when it is.
//! The clock of a stream that is dropped is kept until then: until the host waits, its launches may run beside later ones.
//! What is not compared at all: launches without addresses among their arguments while the device has no other stream.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use warploom_emulator::check::{self, InFlight, Launches, Turn};

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
    /// Streams that were dropped with launches that the host has not waited for.
    dropped: HashSet<u64>,
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

    /// The stream gets a launch: its number in the stream, and the clock with it.
    fn launch(&mut self, stream: u64) -> (u64, Clock) {
        let mut clock = self.of(stream);
        let number = clock.get(&stream).map_or(1, |number| number + 1);
        clock.insert(stream, number);
        self.advance(stream, &clock);
        (number, clock)
    }

    /// The stream gets no more work.
    fn leave(&mut self, stream: u64) {
        match self.streams.contains_key(&stream) {
            true => drop(self.dropped.insert(stream)),
            false => drop(self.roles.remove(&stream)),
        }
    }

    /// Of dropped streams nothing is compared any more.
    fn forget_dropped(&mut self) {
        let Self {
            streams,
            roles,
            of_default,
            of_blocking,
            dropped,
        } = self;
        if dropped.is_empty() {
            return;
        }
        let gone = mem::take(dropped);
        streams.retain(|stream, _| !gone.contains(stream));
        roles.retain(|stream, _| !gone.contains(stream));
        for clock in streams.values_mut().chain([of_default, of_blocking]) {
            clock.retain(|stream, _| !gone.contains(stream));
        }
    }

    /// Later work of the stream happens after a clock that was kept, perhaps since before streams were forgotten.
    fn join(&mut self, stream: u64, clock: &Clock) {
        let known = clock.iter().filter(|(of, _)| self.streams.contains_key(of));
        let clock = known.map(|(of, number)| (*of, *number)).collect();
        self.advance(stream, &clock);
        self.works(stream);
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

    /// A stream is dropped.
    pub(crate) fn leave(&self, stream: u64) {
        lock(&self.clocks).leave(stream);
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
        let (number, clock) = all.launch(id);
        if !has_addresses && stream.device().objects_in_use().streams < 2 {
            return;
        }
        check::takes_turn(Turn {
            all: Arc::clone(&self.launches),
            stream: id,
            number,
            clock: clock.into_iter().collect(),
            kernel,
            launched_at: at,
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
        lock(&self.clocks).join(stream, clock);
    }

    /// What is found if the host reads these bytes, or `writes` them, when what the stream has got is over; `None`: without a wait. Names the caller's place.
    #[track_caller]
    pub(crate) fn host_accesses(
        &self,
        range: (*const u8, usize),
        writes: bool,
        after: Option<u64>,
    ) -> Option<InFlight> {
        let over = after.map(|stream| lock(&self.clocks).of(stream));
        let over: Vec<_> = over.into_iter().flatten().collect();
        self.launches.host_accesses(range, writes, &over)
    }

    /// The host waits: all that was launched is over before what comes now.
    pub(crate) fn host_waits(&self) {
        self.launches.forget();
        lock(&self.clocks).forget_dropped();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a new launch of a stream happens after, of these: `(stream, launches so far)`.
    fn after(all: &mut Clocks, stream: u64) -> Clock {
        all.launch(stream).1
    }

    #[test]
    fn a_dropped_stream_is_known_until_the_host_waits() {
        let mut all = Clocks::default();
        for (stream, role) in [(1, Role::Default), (2, Role::Blocking), (3, Role::Blocking)] {
            all.roles.insert(stream, role);
        }
        after(&mut all, 2);
        let event = all.of(2);
        all.leave(2);
        assert_eq!(
            after(&mut all, 1)[&2],
            1,
            "the default stream is behind its launch"
        );
        all.forget_dropped();
        assert_eq!(after(&mut all, 1), Clock::from([(1, 2)]));
        assert_eq!(all.of_blocking, Clock::new());
        all.join(3, &event);
        assert_eq!(after(&mut all, 3).get(&2), None, "an event of before");
    }

    #[test]
    fn streams_made_for_ever_leave_nothing() {
        let mut all = Clocks::default();
        all.roles.insert(0, Role::Default);
        for stream in 1..1000 {
            all.roles.insert(stream, Role::Blocking);
            if stream % 3 != 0 {
                after(&mut all, stream);
                after(&mut all, 0);
            }
            all.leave(stream);
            if stream % 10 == 0 {
                all.forget_dropped();
            }
        }
        all.forget_dropped();
        assert_eq!((all.streams.len(), all.roles.len()), (1, 1));
        let clocks = [&all.streams[&0], &all.of_default, &all.of_blocking];
        assert!(clocks.iter().all(|clock| clock.len() <= 1), "{clocks:?}");
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
        all.join(7, &recorded);
        assert_eq!(after(&mut all, 7), Clock::from([(2, 1), (7, 1)]));
    }
}
