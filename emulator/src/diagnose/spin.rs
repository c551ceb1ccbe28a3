//! Threads that poll for ever, and threads that never end.

use super::crowd::{Crowd, histogram};
use super::{Actor, Scene, words};
use crate::block::At;
use crate::check::{Code, Report};
use crate::fiber::Running;
use crate::place::Place;

/// Places that a report shows.
const PLACES_SHOWN: usize = 4;

/// Reports that threads of the block poll memory that nobody will change; false if none does.
pub(super) fn report(scene: &Scene<'_, '_>, crowds: &[Crowd]) -> bool {
    let polls: Vec<_> = crowds
        .iter()
        .filter(|crowd| crowd.at == At::Polls)
        .collect();
    let Some(first) = polls.first() else {
        return false;
    };
    let n: usize = polls.iter().map(|crowd| crowd.threads.len()).sum();
    let verb = if n == 1 { "polls" } else { "poll" };
    let title = format!(
        "{} {verb} memory that no thread will change",
        words::threads(n)
    );
    let mut report = Report::new(Code::SPIN_STUCK, title);
    for crowd in polls.iter().take(PLACES_SHOWN) {
        let did = match scene.running.spin.polled(crowd.threads[0]) {
            0 => "waits here for a change, again and again".to_owned(),
            address => format!("polls {}", scene.memory(address)),
        };
        report = report.side(scene.side(crowd.actor(), did));
    }
    // Whoever waits elsewhere might have made the change.
    let other = crowds
        .iter()
        .find(|crowd| !matches!(crowd.at, At::Polls | At::Fresh));
    if let Some(other) = other {
        report = report.side(scene.side(other.actor(), other.did(scene)));
    }
    let report = report
        .why("all threads that are left look again and again, and none has changed memory in thousands of rounds")
        .note(histogram(scene, crowds))
        .help("let the thread that is polled for make its change before it waits or exits; blocks need not run at the same time unless the launch is cooperative");
    let second = polls.get(1).copied().or(other);
    scene.report(
        report,
        [Some(first.actor()), second.map(Crowd::actor)],
        0,
        1,
    );
    true
}

/// Reports that the lane that runs has made as many steps as a lane may.
#[cold]
pub(crate) fn endless(running: &Running<'_>, steps: u64, site: u32) {
    let core = running.core();
    let scene = Scene::new(running, &core);
    let actor = Actor {
        thread: running.thread.get(),
        place: Place::of_site(site),
    };
    let title = format!(
        "a thread does not come to an end: it has made {steps} accesses to memory and calls"
    );
    let report = Report::new(Code::STEP_LIMIT, title)
        .side(scene.side(actor, "was last seen here"))
        .why("a thread that makes so many steps is probably in a loop whose condition never changes")
        .help("look whether each round of the loop changes what its condition reads; WARPLOOM_STEP_LIMIT sets another limit");
    scene.report(report, [Some(actor), None], 0, 1);
}
