//! Threads that poll for ever, and threads that never end.

use super::waiters::{WaiterGroup, histogram};
use super::{Actor, Scene, words};
use crate::engine::block::At;
use crate::engine::fiber::Running;
use crate::finding::{Code, Report};
use crate::options::{Mode, Schedule};
use crate::site::Site;

/// Places that a report shows.
const PLACES_SHOWN: usize = 4;

/// Reports that threads of the block poll memory that no lane will change; false if none does.
pub(super) fn report(scene: &Scene<'_, '_>, waiter_groups: &[WaiterGroup]) -> bool {
    let polls: Vec<_> = waiter_groups
        .iter()
        .filter(|group| group.at == At::Polls)
        .collect();
    let Some(first) = polls.first() else {
        return false;
    };
    let n: usize = polls.iter().map(|group| group.threads.len()).sum();
    let verb = if n == 1 { "polls" } else { "poll" };
    let title = format!(
        "{} {verb} memory that no thread will change",
        words::threads(n)
    );
    let mut report = Report::new(Code::SPIN_STUCK, title);
    for group in polls.iter().take(PLACES_SHOWN) {
        let did = match scene.running.spin.polled(group.threads[0]) {
            None => "polls here for a change".to_owned(),
            Some(address) => format!("polls {}", scene.memory(address)),
        };
        report = report.side(scene.side(group.actor(), did));
    }
    // Threads that wait elsewhere might have made the change.
    let other = waiter_groups
        .iter()
        .find(|group| !matches!(group.at, At::Polls | At::Fresh));
    if let Some(other) = other {
        report = report.side(scene.side(other.actor(), other.did(scene)));
    }
    let options = &scene.running.set.launch.options;
    let report = report
        .why(match options.mode {
            Mode::Checked => "all threads that remain poll memory, and none has changed memory in thousands of rounds",
            Mode::Fast => "all threads that remain poll memory, and none has changed memory by an atomic, met another, exited or read a clock in tens of thousands of rounds",
        })
        .note(histogram(scene, waiter_groups));
    let report = match order_of_blocks(scene.running) {
        Some(note) => report.note(note),
        None => report,
    };
    let report = report
        .help("let the thread that is polled for make its change before it waits or exits; blocks need not run at the same time unless the launch is cooperative");
    let second = polls.get(1).copied().or(other);
    scene.report(
        report,
        [Some(first.actor()), second.map(WaiterGroup::actor)],
        0,
        1,
    );
    true
}

/// What a block may wait for, where there are others that need not have begun.
fn order_of_blocks(running: &Running<'_>) -> Option<String> {
    if running.shape.n_sets() == 1 {
        return None;
    }
    let schedule = running.set.launch.options.schedule;
    let order = match schedule {
        Schedule::Forward => String::new(),
        other => format!(" (here it was `{other}`)"),
    };
    Some(format!(
        "CUDA does not say in which order blocks begin{order}, nor that one begins before another is over: a block that waits for one with a lower `blockIdx` relies on an order that is not \
         documented. If each block draws its number from an atomic counter, those with lower numbers have begun, and it may wait for them"
    ))
}

/// Reports that the lane that runs has made as many steps as a lane may.
#[cold]
pub(crate) fn endless(running: &Running<'_>, steps: u64, site: u32) {
    let core = running.core();
    let scene = Scene::new(running, &core);
    let actor = Actor {
        thread: running.thread.get(),
        place: Site::of_site(site),
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
