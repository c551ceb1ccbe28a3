//! One block that cannot go on.

use super::waiters::{WaiterGroup, histogram, mbarrier, point, wait_graph, waiter_groups};
use super::{Actor, Scene, note, spin, warps, words};
use crate::engine::block::{At, BarrierOp};
use crate::engine::remarks::ThreadSite;
use crate::finding::{Code, Report};

/// Reports why the threads of this block cannot go on; false if all of them wait for other blocks.
pub(super) fn block(scene: &Scene<'_, '_>) -> bool {
    let thread_states = scene.running.thread_states(scene.core);
    let waiter_groups = waiter_groups(&thread_states);
    if spin::report(scene, &waiter_groups) {
        return true;
    }
    // A warp operation that cannot be carried out is the cause of whatever waits for its lanes.
    if warps::report(scene, &thread_states, &waiter_groups) {
        return true;
    }
    let points = distinct(&waiter_groups, |at| {
        matches!(at, At::Barrier { .. } | At::BarrierReduction { .. })
    });
    let phases = distinct(&waiter_groups, |at| matches!(at, At::Phase { .. }));
    let outside = distinct(&waiter_groups, |at| matches!(at, At::Cluster | At::Grid));
    match (&points[..], &phases[..], &outside[..]) {
        // Groups of their own, each complete without threads of the other: they only come in another order.
        ([_, _, ..], _, _) if are_counted_apart(&points) => deadlock(scene, &waiter_groups),
        ([one, other, ..], _, _) => different_barriers(scene, &waiter_groups, one, other, &points),
        ([one], [], [other, ..]) => divergence(scene, &waiter_groups, one, Some(other)),
        ([one], [], []) => divergence(scene, &waiter_groups, one, None),
        ([], [one], []) => phase(scene, &waiter_groups, one),
        ([], [], _) => return false,
        _ => deadlock(scene, &waiter_groups),
    }
    true
}

/// The first group at each thing that is waited for and of this kind.
fn distinct(waiter_groups: &[WaiterGroup], kind: impl Fn(At) -> bool) -> Vec<&WaiterGroup> {
    let mut first: Vec<&WaiterGroup> = Vec::new();
    for group in waiter_groups.iter().filter(|group| kind(group.at)) {
        if first.iter().all(|known| known.at != group.at) {
            first.push(group);
        }
    }
    first
}

/// Whether all of these are barriers with a count, of different numbers.
fn are_counted_apart(points: &[&WaiterGroup]) -> bool {
    let id = |group: &WaiterGroup| match group.at {
        At::BarrierReduction {
            id,
            op: BarrierOp::Threads(_),
        } => Some(id),
        _ => None,
    };
    let is_apart = |index: usize, group: &WaiterGroup| {
        id(group).is_some() && points[..index].iter().all(|other| id(other) != id(group))
    };
    let mut each = points.iter().enumerate();
    each.all(|(index, group)| is_apart(index, group))
}

/// How many threads wait for the same as these, wherever they do.
fn at_same(waiter_groups: &[WaiterGroup], group: &WaiterGroup) -> usize {
    let there = waiter_groups.iter().filter(|other| other.at == group.at);
    there.map(|other| other.threads.len()).sum()
}

fn divergence(
    scene: &Scene<'_, '_>,
    waiter_groups: &[WaiterGroup],
    group: &WaiterGroup,
    other: Option<&WaiterGroup>,
) {
    if let At::BarrierReduction { id, op } = group.at
        && let Some(other) = scene.core.arrived_otherwise(id, op)
    {
        return arrivals_differ(scene, waiter_groups, group, (id, op), other);
    }
    let there = at_same(waiter_groups, group);
    let barrier = match group.at {
        At::Barrier { id } | At::BarrierReduction { id, .. } => id,
        _ => 0,
    };
    let other = other.or_else(|| waiter_groups.iter().find(|other| other.at == At::Exited));
    let (title, why) = match group.at {
        At::BarrierReduction {
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
        .side(scene.side(group.actor(), group.did(scene)));
    if let Some(other) = other {
        report = report.side(scene.side(other.actor(), other.did(scene)));
    }
    let report = report
        .why(why)
        .note(histogram(scene, waiter_groups))
        .help("let all threads of the block reach the same barriers: move the barrier out of the branch or loop that only some take");
    scene.report(
        report,
        [Some(group.actor()), other.map(WaiterGroup::actor)],
        barrier.into(),
        1,
    );
}

/// Threads wait at a barrier with a count, and others have arrived there with another, without waiting.
fn arrivals_differ(
    scene: &Scene<'_, '_>,
    waiter_groups: &[WaiterGroup],
    group: &WaiterGroup,
    (id, op): (u32, BarrierOp),
    (first, count, n_arrived): (ThreadSite, u32, u32),
) {
    let other = Actor::from(first);
    let own = op
        .count()
        .map_or("all threads".to_owned(), |own| own.to_string());
    let title = format!(
        "barrier {id}: its participants disagree about their number: {} of {own} arrived, and {n_arrived} of {count}",
        scene.core.n_arrived(id, op)
    );
    let report = Report::new(Code::BARRIER_COUNT, title)
        .side(scene.side(group.actor(), group.did(scene)))
        .side(scene.side(other, format!("arrived for {count} participants")))
        .why("all threads that meet at a barrier give the same number of participants")
        .note(histogram(scene, waiter_groups))
        .help("give the same number at every call that uses this barrier: all of its waiting and arriving threads");
    scene.report(report, [Some(group.actor()), Some(other)], id.into(), 1);
}

fn different_barriers(
    scene: &Scene<'_, '_>,
    waiter_groups: &[WaiterGroup],
    one: &WaiterGroup,
    other: &WaiterGroup,
    points: &[&WaiterGroup],
) {
    let named = |group: &WaiterGroup| match group.at {
        At::Barrier { id } => (id, None),
        At::BarrierReduction { id, op } => (id, op.count()),
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
        .map(|group| {
            format!(
                "{} at {}",
                at_same(waiter_groups, group),
                point(scene, group.at)
            )
        })
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
        .note(histogram(scene, waiter_groups));
    scene.report(
        report,
        [Some(one.actor()), Some(other.actor())],
        named(one).0.into(),
        1,
    );
}

fn phase(scene: &Scene<'_, '_>, waiter_groups: &[WaiterGroup], group: &WaiterGroup) {
    let At::Phase { barrier, parity } = group.at else {
        return;
    };
    let (phase, count, pending) = mbarrier(barrier);
    let title = format!(
        "an `Mbarrier` whose phase {phase} never ends: {} of {count} arrivals",
        count - pending
    );
    let bytes = scene.running.set.transactions.bytes(barrier.addr());
    let title = match bytes.are_complete() {
        true => title,
        false => format!(
            "{title}, {} of {} bytes of copies",
            bytes.landed, bytes.expected
        ),
    };
    let why = match bytes.are_complete() {
        true => {
            format!("a phase ends with {count} arrivals, and no thread is left that could arrive")
        }
        false => format!(
            "a phase ends with {count} arrivals and when as many bytes have been copied as were expected: {} were, and copies that end here brought {}",
            bytes.expected, bytes.landed
        ),
    };
    let mut report = Report::new(Code::MBARRIER_STUCK, title)
        .side(scene.side(group.actor(), group.did(scene)))
        .why(why)
        .note(histogram(scene, waiter_groups));
    if u64::from(parity) != phase % 2 {
        report.notes.push(note(format!(
            "the thread waits for a phase of parity {parity}, and the current phase has parity {}",
            phase % 2
        )));
    }
    let exited = waiter_groups.iter().find(|other| other.at == At::Exited);
    if let Some(exited) = exited {
        report = report.side(scene.side(exited.actor(), exited.did(scene)));
    }
    let report = report.help(match bytes.are_complete() {
        true => "initialise it with the number of arrivals that each phase gets, and let every participant arrive in each phase",
        false => "expect in each phase the bytes of all copies that end in it: of a box all elements count, those outside of the tensor too",
    });
    scene.report(
        report,
        [Some(group.actor()), exited.map(WaiterGroup::actor)],
        0,
        1,
    );
}

/// Several things of different kinds are waited for: it is not known which of them is the cause, but who waits for whom.
fn deadlock(scene: &Scene<'_, '_>, waiter_groups: &[WaiterGroup]) {
    let waiting: Vec<_> = waiter_groups
        .iter()
        .filter(|group| group.at != At::Exited)
        .collect();
    let things = distinct(waiter_groups, |at| at != At::Exited);
    let title = format!(
        "{} wait for one another, at {} different things",
        words::threads(waiting.iter().map(|group| group.threads.len()).sum()),
        things.len()
    );
    let mut report = Report::new(Code::DEADLOCK, title);
    for group in &things {
        report = report.side(scene.side(group.actor(), group.did(scene)));
    }
    for line in wait_graph(scene, waiter_groups) {
        report = report.note(line);
    }
    let report = report
        .why("each waits for threads that wait themselves, so none of them ever goes on")
        .help("let all threads wait for these things in the same order, or arrive before they wait for something else");
    let actors = [things.first(), things.get(1)];
    scene.report(
        report,
        actors.map(|group| group.map(|group| group.actor())),
        0,
        1,
    );
}
