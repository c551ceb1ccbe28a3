//! The place of a launch among those of all streams, and what launches have accessed that the host has not waited for.

use std::cell::Cell;
use std::ops::Range;
use std::panic::Location;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::footprint::{Footprint, Footprints, Piece};
use super::memory;
use super::slot::AccessKind;
use crate::finding::{Code, Place, Report, Side};
use crate::site::{Origin, SiteId};
use crate::sync::StaticMutex;

/// What launches have accessed that the host has not waited for. One for each device.
#[derive(Debug, Default)]
pub struct Launches(StaticMutex<Footprints>);

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
    /// The kernel.
    pub kernel: &'static str,
    /// Where it was launched.
    pub launched_at: &'static Location<'static>,
}

/// A launch that the host has not waited for, with the report that the host, or a copy, accesses what it accesses.
#[derive(Debug)]
pub struct InFlight {
    /// The kernel.
    pub kernel: &'static str,
    /// Where it was launched.
    pub launched_at: &'static Location<'static>,
    /// What was found.
    pub report: Report,
}

impl Launches {
    /// The host has waited: what comes now begins when all that was launched before is over.
    pub fn forget(&self) {
        self.lock().clear();
    }

    /// What is found if the host, or a copy, reads `bytes` bytes at `start`, or `writes` them, when the launches of a clock are over. Names the caller's place.
    #[must_use]
    #[track_caller]
    pub fn host_accesses(
        &self,
        (start, bytes): (*const u8, usize),
        writes: bool,
        over: &[(u64, u64)],
    ) -> Option<InFlight> {
        let caller = Origin::from(Location::caller()); // not in the closure, which has a place of its own
        let mut all = self.lock();
        let range = start.addr()..start.addr() + bytes;
        let all = all.look_up_if(|one| !one.is_in(over)).iter();
        all.filter(|one| !one.is_in(over)).find_map(|one| {
            let (piece, what) = one.touches(&range, writes)?;
            let report = report_host(one, piece, what, (&range, writes), caller);
            Some(InFlight {
                kernel: one.kernel,
                launched_at: one.launched_at,
                report,
            })
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Footprints> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Whether another launch happens before this one.
    pub(super) fn is_after(&self, other: &Footprint) -> bool {
        other.stream == self.stream || other.is_in(&self.clock)
    }
}

fn report_host(
    launch: &Footprint,
    piece: &Piece,
    what: AccessKind,
    (range, writes): (&Range<usize>, bool),
    caller: Origin,
) -> Report {
    let at = piece.start.max(range.start);
    let name = memory::name_of(at).unwrap_or_else(|| format!("{at:#x}"));
    let verb = |writes| if writes { "writes" } else { "reads" };
    let wrote = what.is(AccessKind::WRITE);
    let title = format!(
        "the host {} {name} before a launch that {} it is over",
        verb(writes),
        verb(wrote)
    );
    let here = Side {
        place: Some(Place {
            file: caller.file.to_owned(),
            line: caller.line,
            column: caller.column,
        }),
        stack: vec![],
        who: None,
        did: format!("the host {} it here", verb(writes)),
    };
    let site = SiteId(what.site());
    Report::new(Code::HOST_RACE, title)
        .side(here)
        .side(Side::of_launch(site, format!("{} {} it", launch.name(), verb(wrote))))
        .why("the kernel got the address, so the buffer does not know of the launch and does not wait for it: on a GPU it may still run, or not have begun")
        .help("call `synchronize` of the launch's stream before, copy on that stream, or pass the buffer itself to the kernel, which is waited for")
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
    use super::super::touch::tests::touch;
    use super::*;

    #[test]
    fn a_launch_is_after_its_own_stream_and_what_it_waits_for() {
        let launch = |stream, number| Footprint {
            stream,
            number,
            kernel: "",
            launched_at: Location::caller(),
            pieces: Vec::new(),
        };
        let turn = Turn {
            all: Arc::default(),
            stream: 1,
            number: 4,
            clock: vec![(1, 4), (2, 7)],
            kernel: "",
            launched_at: Location::caller(),
        };
        assert!(turn.is_after(&launch(1, 3)) && turn.is_after(&launch(2, 7)));
        assert!(!turn.is_after(&launch(2, 8)) && !turn.is_after(&launch(3, 1)));
    }

    #[test]
    fn the_host_races_with_launches_that_are_not_over() {
        let piece = |start, kind| Piece {
            serial: 1,
            start,
            end: start + 8,
            touch: touch(&[kind]),
        };
        let all = Launches::default();
        let launch = Footprint {
            stream: 3,
            number: 5,
            kernel: "k",
            launched_at: Location::caller(),
            pieces: vec![
                piece(64, AccessKind::READ),
                piece(72, AccessKind::WRITE),
                piece(88, AccessKind::WRITE | AccessKind::ATOMIC),
            ],
        };
        all.lock().add(launch, None);
        let line = line!() + 1;
        let report = all.host_accesses((std::ptr::without_provenance(72), 4), false, &[]);
        let place = report.unwrap().report.sides[0].place.clone().unwrap();
        assert_eq!((place.file.as_str(), place.line), (file!(), line));
        let found = |start: usize, bytes, writes, over: &[(u64, u64)]| {
            let at = std::ptr::without_provenance(start);
            all.host_accesses((at, bytes), writes, over).is_some()
        };
        for (start, bytes, writes, races) in [
            (64, 8, false, false),
            (64, 9, false, true),
            (64, 8, true, true),
            (80, 8, true, false),
            (79, 1, false, true),
            (80, 9, false, true),
            (0, 64, true, false),
            (96, 100, true, false),
        ] {
            assert_eq!(
                found(start, bytes, writes, &[]),
                races,
                "{start} {bytes} {writes}"
            );
        }
        assert!(found(72, 8, false, &[(2, 9), (3, 4)]));
        assert!(!found(72, 8, false, &[(3, 5)]), "its stream was waited for");
        all.forget();
        assert!(!found(72, 8, false, &[]));
    }
}
