//! One block that cannot go on.

use super::crowd::{Crowd, crowds, histogram, mbarrier, point, wait_graph};
use super::{Scene, note, spin, warps, words};
use crate::block::{At, BarrierOp};
use crate::check::{Code, Report};

/// Reports why the threads of this block cannot go on; false if all of them wait for other blocks.
pub(super) fn block(scene: &Scene<'_, '_>) -> bool {
    let standings = scene.running.standings(scene.core);
    let crowds = crowds(&standings);
    if spin::report(scene, &crowds) {
        return true;
    }
    // A warp operation that cannot be carried out is the cause of whatever waits for its lanes.
    if warps::report(scene, &standings, &crowds) {
        return true;
    }
    let points = distinct(&crowds, |at| {
        matches!(at, At::Barrier { .. } | At::Meeting { .. })
    });
    let phases = distinct(&crowds, |at| matches!(at, At::Phase { .. }));
    let outside = distinct(&crowds, |at| matches!(at, At::Cluster | At::Grid));
    match (&points[..], &phases[..], &outside[..]) {
        ([one, other, ..], _, _) => different_barriers(scene, &crowds, one, other, &points),
        ([one], [], [other, ..]) => divergence(scene, &crowds, one, Some(other)),
        ([one], [], []) => divergence(scene, &crowds, one, None),
        ([], [one], []) => phase(scene, &crowds, one),
        ([], [], _) => return false,
        _ => deadlock(scene, &crowds),
    }
    true
}

/// The first crowd at each thing that is waited for and of this kind.
fn distinct(crowds: &[Crowd], kind: impl Fn(At) -> bool) -> Vec<&Crowd> {
    let mut first: Vec<&Crowd> = Vec::new();
    for crowd in crowds.iter().filter(|crowd| kind(crowd.at)) {
        if first.iter().all(|known| known.at != crowd.at) {
            first.push(crowd);
        }
    }
    first
}

/// How many threads wait for the same as these, wherever they do.
fn at_same(crowds: &[Crowd], crowd: &Crowd) -> usize {
    let there = crowds.iter().filter(|other| other.at == crowd.at);
    there.map(|other| other.threads.len()).sum()
}

fn divergence(scene: &Scene<'_, '_>, crowds: &[Crowd], crowd: &Crowd, other: Option<&Crowd>) {
    let there = at_same(crowds, crowd);
    let barrier = match crowd.at {
        At::Barrier { id } | At::Meeting { id, .. } => id,
        _ => 0,
    };
    let other = other.or_else(|| crowds.iter().find(|other| other.at == At::Exited));
    let (title, why) = match crowd.at {
        At::Meeting {
            id,
            op: op @ BarrierOp::Threads(count),
        } => (
            format!(
                "barrier {id}: {} of {count} threads arrived, the others never will",
                scene.core.n_arrived(id, op)
            ),
            "a barrier with a count opens when so many threads have arrived".to_owned(),
        ),
        _ => (
            format!(
                "barrier {barrier}: {} wait, the others of the block never come",
                words::threads(there)
            ),
            "a barrier opens when all threads of the block that have not exited are there"
                .to_owned(),
        ),
    };
    let mut report = Report::new(Code::BARRIER_DIVERGENCE, title)
        .side(scene.side(crowd.actor(), crowd.did(scene)));
    if let Some(other) = other {
        report = report.side(scene.side(other.actor(), other.did(scene)));
    }
    let report = report
        .why(why)
        .note(histogram(scene, crowds))
        .help("let all threads of the block reach the same barriers: move the barrier out of the branch or loop that only some take");
    scene.report(
        report,
        [Some(crowd.actor()), other.map(Crowd::actor)],
        barrier.into(),
        1,
    );
}

fn different_barriers(
    scene: &Scene<'_, '_>,
    crowds: &[Crowd],
    one: &Crowd,
    other: &Crowd,
    points: &[&Crowd],
) {
    let named = |crowd: &Crowd| match crowd.at {
        At::Barrier { id } => (id, None),
        At::Meeting { id, op } => (id, op.count()),
        _ => (u32::MAX, None),
    };
    // One barrier with two counts is the more precise finding, if there is one.
    let mut pairs = points
        .iter()
        .flat_map(|a| points.iter().map(move |b| (*a, *b)));
    let counts = pairs.find(|(a, b)| named(a).0 == named(b).0 && named(a).1 != named(b).1);
    let (one, other) = counts.unwrap_or((one, other));
    let list: Vec<_> = points
        .iter()
        .map(|crowd| format!("{} at {}", at_same(crowds, crowd), point(scene, crowd.at)))
        .collect();
    let list = list.join(", ");
    let report = if counts.is_some() {
        Report::new(Code::BARRIER_COUNT, format!("barrier {}: its participants disagree about their number: {list}", named(one).0))
            .why("all threads that meet at a barrier give the same number of participants")
            .help("give the same number at every call that uses this barrier: all of its waiting and arriving threads")
    } else {
        Report::new(Code::DIFFERENT_BARRIERS, format!("threads of a block wait at different barriers: {list}"))
            .why("each of them opens only when all threads of the block that have not exited are there")
            .help("let all threads of the block come to the same barriers in the same order, or use counted barriers for groups")
    };
    let report = report
        .side(scene.side(one.actor(), one.did(scene)))
        .side(scene.side(other.actor(), other.did(scene)))
        .note(histogram(scene, crowds));
    scene.report(
        report,
        [Some(one.actor()), Some(other.actor())],
        named(one).0.into(),
        1,
    );
}

fn phase(scene: &Scene<'_, '_>, crowds: &[Crowd], crowd: &Crowd) {
    let At::Phase { barrier, parity } = crowd.at else {
        return;
    };
    let (phase, count, pending) = mbarrier(barrier);
    let title = format!(
        "an `Mbarrier` whose phase {phase} never ends: {} of {count} arrivals",
        count - pending
    );
    let mut report = Report::new(Code::MBARRIER_STUCK, title)
        .side(scene.side(crowd.actor(), crowd.did(scene)))
        .why(format!(
            "a phase ends with {count} arrivals, and no thread is left that could arrive"
        ))
        .note(histogram(scene, crowds));
    if u64::from(parity) != phase % 2 {
        report.notes.push(note(format!(
            "the thread waits for a phase of parity {parity}, and the current phase has parity {}",
            phase % 2
        )));
    }
    let exited = crowds.iter().find(|other| other.at == At::Exited);
    if let Some(exited) = exited {
        report = report.side(scene.side(exited.actor(), exited.did(scene)));
    }
    let report = report.help("initialise it with the number of arrivals that each phase gets, and let every participant arrive in each phase");
    scene.report(
        report,
        [Some(crowd.actor()), exited.map(Crowd::actor)],
        0,
        1,
    );
}

/// Several things of different kinds are waited for: nobody can say which of them is the cause, but who waits for whom.
fn deadlock(scene: &Scene<'_, '_>, crowds: &[Crowd]) {
    let waiting: Vec<_> = crowds
        .iter()
        .filter(|crowd| crowd.at != At::Exited)
        .collect();
    let things = distinct(crowds, |at| at != At::Exited);
    let title = format!(
        "{} wait for one another, at {} different things",
        words::threads(waiting.iter().map(|crowd| crowd.threads.len()).sum()),
        things.len()
    );
    let mut report = Report::new(Code::DEADLOCK, title);
    for crowd in &things {
        report = report.side(scene.side(crowd.actor(), crowd.did(scene)));
    }
    for line in wait_graph(scene, crowds) {
        report = report.note(line);
    }
    let report = report
        .why("each waits for threads that wait themselves, so none of them ever goes on")
        .help("let all threads wait for these things in the same order, or arrive before they wait for something else");
    let actors = [things.first(), things.get(1)];
    scene.report(
        report,
        actors.map(|crowd| crowd.map(|crowd| crowd.actor())),
        0,
        1,
    );
}
