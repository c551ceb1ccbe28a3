//! Launches of different streams that nothing orders: what each has accessed of buffers is compared with what the others have.
//!
//! Launches run one after the other here, and side by side on a GPU. The host says of each which others are over before it begins (`turn.rs`). Only buffers are
//! compared: those that a kernel gets as slices are handed from stream to stream in order, so what is left are raw pointers.

use super::footprint::{Footprint, Piece};
use super::memory::Allocation;
use super::race;
use super::slot::AccessKind;
use super::space::{Space, SpaceKind};
use super::state::RunChecks;
use crate::finding::{Code, Report, Side};
use crate::memory_kind::Kind;
use crate::site::SiteId;

/// All blocks of a run are over: compares it with those that do not happen before it, and keeps it for later ones.
pub(super) fn finish(run: &RunChecks) {
    let Some(turn) = &run.turn else {
        return;
    };
    let mut launch = Footprint {
        stream: turn.stream,
        number: turn.number,
        kernel: turn.kernel,
        launched_at: turn.launched_at,
        pieces: Vec::new(),
    };
    let mut tables = Some(run.take_tables(is_kept));
    let mut all = turn.all.lock();
    let others = all.look_up_if(|other| !turn.is_after(other));
    let mut others = others
        .iter()
        .filter(|other| !turn.is_after(other))
        .peekable();
    if others.peek().is_some() {
        launch.pieces = tables
            .take()
            .map_or_else(Vec::new, |tables| tables.pieces());
        others.for_each(|other| compare(run, &launch, other));
    }
    all.add(launch, tables);
}

/// The allocation whose accesses are compared, if a space is one.
fn is_kept(space: &Space) -> Option<&Allocation> {
    let (SpaceKind::Global(_) | SpaceKind::Watched(_), Some(of)) = (space.what, space.allocation())
    else {
        return None;
    };
    (of.kind == Kind::Global && !of.is_freed()).then_some(of)
}

fn compare(run: &RunChecks, now: &Footprint, before: &Footprint) {
    for piece in &now.pieces {
        // Those of an allocation lie side by side, in the order of addresses.
        let from = before.pieces.partition_point(|one| one.end <= piece.start);
        let those = before.pieces[from..].iter();
        for other in those.take_while(|one| one.start < piece.end) {
            if other.serial == piece.serial
                && let Some(pair) = piece.touch.conflict(other.touch)
            {
                report(run, before, (piece, other), pair);
            }
        }
    }
}

fn report(
    run: &RunChecks,
    before: &Footprint,
    (piece, other): (&Piece, &Piece),
    [now, then]: [AccessKind; 2],
) {
    let sites = [now.site(), then.site()];
    let verb = |what: AccessKind| match what.is(AccessKind::WRITE) {
        true => "writes",
        false => "reads",
    };
    race::tell(run, 0, sites, Code::LAUNCH_RACE, || {
        let at = piece.start.max(other.start);
        let name = run.snapshot.find(at).map_or_else(String::new, |found| {
            super::memory::element(&run.snapshot, found, at)
        });
        let title = format!("{} (`{name}`)", Code::LAUNCH_RACE.title());
        Report::new(Code::LAUNCH_RACE, title)
            .side(Side::of_launch(SiteId(now.site()), format!("this launch {} {name}", verb(now))))
            .side(Side::of_launch(SiteId(then.site()), format!("{}, on another stream, {} it", before.name(), verb(then))))
            .why("the two are launches of different streams, and neither stream waits for the other: on a GPU they may run at the same time, or in the other order")
            .help("record an event behind the first launch and let the second stream wait for it, use one stream, or pass the buffer itself, which is handed over in order")
    });
}
