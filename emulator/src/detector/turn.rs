//! The place of a launch among those of all streams, and what launches have accessed that the host has not waited for.

use std::cell::Cell;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::slot::AccessKind;
use crate::sync::StaticMutex;

/// What launches have accessed that the host has not waited for. One for each device.
#[derive(Debug, Default)]
pub struct Launches(StaticMutex<Vec<Footprint>>);

/// The place of a run among the work of all streams.
#[derive(Debug)]
pub struct Turn {
    /// What earlier launches of the device have left.
    pub all: Arc<Launches>,
    /// The number of the stream.
    pub stream: u64,
    /// Which launch of the stream it is.
    pub number: u64,
    /// The vector clock: of each stream the latest launch that happens before this one.
    pub clock: Vec<(u64, u64)>,
    /// The kernel and the launch, in words.
    pub name: String,
}

/// Launches that are kept, and pieces of all of them: further ones take the place of the oldest.
pub(super) const MOST: (usize, usize) = (64, 1 << 20);

/// What one launch has accessed.
#[derive(Debug)]
pub(super) struct Footprint {
    pub(super) stream: u64,
    pub(super) number: u64,
    pub(super) name: String,
    /// By address.
    pub(super) pieces: Vec<Piece>,
}

/// Bytes of one allocation that were accessed in the same way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// Of the allocation.
    pub(super) serial: u64,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) touch: Touch,
}

/// A write and a read, where there was one; a plain one rather than an atomic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Touch {
    write: Option<AccessKind>,
    read: Option<AccessKind>,
}

impl Launches {
    /// The host has waited: what comes now begins when all that was launched before is over.
    pub fn forget(&self) {
        self.lock().clear();
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Footprint>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Whether another launch happens before this one.
    pub(super) fn is_after(&self, other: &Footprint) -> bool {
        let latest = self
            .clock
            .iter()
            .find(|(stream, _)| *stream == other.stream);
        other.stream == self.stream || latest.is_some_and(|(_, number)| other.number <= *number)
    }
}

impl Touch {
    pub(super) fn add(&mut self, what: AccessKind) {
        let place = match what.is(AccessKind::WRITE) {
            true => &mut self.write,
            false => &mut self.read,
        };
        if place.is_none_or(|known| known.is(AccessKind::ATOMIC)) {
            *place = Some(what);
        }
    }

    /// Two accesses that race, if nothing orders what has left these.
    pub(super) fn conflict(self, other: Touch) -> Option<[AccessKind; 2]> {
        let pairs = [
            (self.write, other.write),
            (self.write, other.read),
            (self.read, other.write),
        ];
        pairs.into_iter().find_map(|(a, b)| {
            let pair = [a?, b?];
            let atomics = pair.iter().all(|what| what.is(AccessKind::ATOMIC));
            (!atomics).then_some(pair)
        })
    }
}

/// Whether a granule's time says that this run has accessed it.
pub(super) fn is_of_run(t: u32, t0: u32) -> bool {
    t != 0 && t >= t0
}

thread_local! {
    /// The place of the next run on this OS thread.
    static NEXT: Cell<Option<Box<Turn>>> = const { Cell::new(None) };
}

/// The next run on this OS thread has this place among the work of all streams.
pub fn takes_turn(turn: Turn) {
    NEXT.set(Some(Box::new(turn)));
}

/// The place of the run that starts now.
pub(super) fn turn() -> Option<Box<Turn>> {
    NEXT.take()
}

/// The place that was given is not for a later run.
pub(super) fn forget_turn() {
    drop(NEXT.take());
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn touch(kinds: &[u32]) -> Touch {
        let mut touch = Touch::default();
        for kind in kinds {
            touch.add(AccessKind::new(*kind, 1));
        }
        touch
    }

    #[test]
    fn two_launches_race_where_one_writes_and_not_both_are_atomic() {
        let (read, write, atomic) = (AccessKind::READ, AccessKind::WRITE, AccessKind::ATOMIC);
        let change = read | write | atomic;
        for (a, b, race) in [
            (&[read][..], &[read][..], false),
            (&[read], &[write], true),
            (&[write], &[read], true),
            (&[write], &[write], true),
            (&[change], &[change], false),
            (&[change], &[read | atomic], false),
            (&[change], &[read], true),
            (&[change, read], &[change], true),
            (&[change], &[change, write], true),
        ] {
            assert_eq!(touch(a).conflict(touch(b)).is_some(), race, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_launch_is_after_its_own_stream_and_what_it_waits_for() {
        let launch = |stream, number| Footprint {
            stream,
            number,
            name: String::new(),
            pieces: Vec::new(),
        };
        let turn = Turn {
            all: Arc::default(),
            stream: 1,
            number: 4,
            clock: vec![(1, 4), (2, 7)],
            name: String::new(),
        };
        assert!(turn.is_after(&launch(1, 3)) && turn.is_after(&launch(2, 7)));
        assert!(!turn.is_after(&launch(2, 8)) && !turn.is_after(&launch(3, 1)));
    }
}
