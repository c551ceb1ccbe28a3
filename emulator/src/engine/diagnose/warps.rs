//! Warp operations that lanes wait at for ever.

use super::waiters::{WaiterGroup, histogram};
use super::{Actor, Scene, name, words};
use crate::engine::block::{At, ThreadState};
use crate::engine::warp::{LANES, WarpOp, lanes};
use crate::finding::{Code, Report};

/// Lanes of one warp at one operation with one mask.
struct Group {
    op: WarpOp,
    mask: u32,
    arrived: u32,
    first: Actor,
}

/// Reports the warp operations of the block that will never be carried out; gives whether there are any.
pub(super) fn report(
    scene: &Scene<'_, '_>,
    thread_states: &[ThreadState],
    waiter_groups: &[WaiterGroup],
) -> bool {
    let mut any = false;
    for warp in thread_states.chunks(LANES as usize) {
        let groups = groups(warp);
        let live = warp
            .iter()
            .filter(|thread_state| thread_state.at != At::Exited)
            .fold(0, |mask, thread_state| {
                mask | 1 << (thread_state.thread % LANES)
            });
        for (index, group) in groups.iter().enumerate() {
            any = true;
            let absent = group.mask & live & !group.arrived;
            // The lanes that are missing may be at another operation of this warp: then the two are to blame, once.
            let elsewhere = groups
                .iter()
                .enumerate()
                .filter(|(_, other)| other.arrived & absent != 0);
            let same_op = elsewhere.clone().find(|(_, other)| other.op == group.op);
            match same_op.or_else(|| elsewhere.clone().next()) {
                Some((other, _)) if other < index && groups[other].mask & group.arrived != 0 => {}
                Some((other, _)) => differ(scene, waiter_groups, group, &groups[other]),
                None if absent != 0 => missing(scene, waiter_groups, warp, group, absent),
                None => differ_from_exited(scene, waiter_groups, warp, group),
            }
        }
    }
    any
}

fn groups(warp: &[ThreadState]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for thread_state in warp {
        let At::Warp { op, mask } = thread_state.at else {
            continue;
        };
        let lane = 1 << (thread_state.thread % LANES);
        match groups
            .iter_mut()
            .find(|group| (group.op, group.mask) == (op, mask))
        {
            Some(group) => group.arrived |= lane,
            None => groups.push(Group {
                op,
                mask,
                arrived: lane,
                first: actor(thread_state),
            }),
        }
    }
    groups
}

fn actor(thread_state: &ThreadState) -> Actor {
    Actor {
        thread: thread_state.thread,
        place: thread_state.place,
    }
}

/// Two operations that wait for each other's lanes.
fn differ(scene: &Scene<'_, '_>, waiter_groups: &[WaiterGroup], one: &Group, other: &Group) {
    let (here, there) = (words::lanes_of(one.arrived), words::lanes_of(other.arrived));
    let did = |group: &Group| {
        let lanes = words::lanes_of(group.arrived);
        format!(
            "waits at {} with mask {}; there: {lanes}",
            name(group.op),
            words::mask(group.mask)
        )
    };
    let report = if one.op == other.op {
        let title = format!(
            "{}: {here} and {there} of one warp give different masks",
            name(one.op)
        );
        Report::new(Code::MASKS_DIFFER, title)
            .why("all lanes of a warp operation give the same mask, which names exactly the lanes that take part")
            .help("compute the mask once, in code that all lanes of the warp run, and hand the same one to all of them")
    } else {
        let title = format!(
            "{here} of a warp wait at {}, {there} at {}",
            name(one.op),
            name(other.op)
        );
        Report::new(Code::OPERATIONS_DIFFER, title)
            .why("all lanes that a mask names have to carry out the same operation")
            .help("let all lanes that the mask names come to the same call, or narrow the masks to those that do")
    };
    let report = report
        .side(scene.side(one.first, did(one)))
        .side(scene.side(other.first, did(other)))
        .note(histogram(scene, waiter_groups));
    scene.report(report, [Some(one.first), Some(other.first)], 0, 1);
}

/// Lanes that the mask names wait for something else.
fn missing(
    scene: &Scene<'_, '_>,
    waiter_groups: &[WaiterGroup],
    warp: &[ThreadState],
    group: &Group,
    absent: u32,
) {
    let (lanes_there, lanes_missing) = (words::lanes_of(group.arrived), words::lanes_of(absent));
    let first = absent.trailing_zeros() as usize;
    let missing = warp.get(first).map(actor);
    let title = format!(
        "{}: {lanes_missing} of the mask will never arrive",
        name(group.op)
    );
    let did = format!(
        "waits there with {lanes_there}; mask {}",
        words::mask(group.mask)
    );
    let mut report = Report::new(Code::LANE_MISSING, title).side(scene.side(group.first, did));
    let elsewhere = missing.and_then(|actor| {
        waiter_groups
            .iter()
            .find(|group| group.threads.binary_search(&actor.thread).is_ok())
    });
    if let (Some(missing), Some(elsewhere)) = (missing, elsewhere) {
        let did = format!("is named by the mask, and {}", elsewhere.did(scene));
        report = report.side(scene.side(missing, did));
    }
    let mut help = format!(
        "name only the lanes that come here, {}, or let {lanes_missing} come as well",
        words::mask(group.arrived)
    );
    let at = elsewhere.map(|elsewhere| elsewhere.at);
    if let Some(At::Barrier { .. } | At::BarrierReduction { .. }) = at {
        help.push_str("; or move the barrier that they wait at out of the branch");
    }
    let report = report
        .why("an operation waits for all lanes of its mask that have not exited")
        .note(histogram(scene, waiter_groups))
        .help(help);
    scene.report(report, [Some(group.first), missing], 0, 1);
}

/// Lanes that the mask names have exited, after the same call with another mask.
fn differ_from_exited(
    scene: &Scene<'_, '_>,
    waiter_groups: &[WaiterGroup],
    warp: &[ThreadState],
    group: &Group,
) {
    let exited = group.mask & !group.arrived;
    let other = lanes(exited)
        .find_map(|lane| warp.get(lane as usize))
        .map(actor);
    let title = format!(
        "{}: {} and {} of one warp gave different masks",
        name(group.op),
        words::lanes_of(group.arrived),
        words::lanes_of(exited)
    );
    let did = format!("waits with mask {}", words::mask(group.mask));
    let mut report = Report::new(Code::MASKS_DIFFER, title).side(scene.side(group.first, did));
    if let Some(other) = other {
        report = report.side(scene.side(other, "made the same call with another mask, and exited"));
    }
    let report = report
        .why("all lanes of a warp operation give the same mask, which names exactly the lanes that take part")
        .note(histogram(scene, waiter_groups))
        .help("compute the mask once, in code that all lanes of the warp run, and hand the same one to all of them");
    scene.report(report, [Some(group.first), other], 0, 1);
}
