//! What completed, and should not have: other lanes would have made it hang, or a GPU gives any value.

use super::{Actor, Scene, name, words};
use crate::engine::remarks::{Remark, ThreadSite};
use crate::engine::warp::{LANES, WarpOp};
use crate::finding::{Code, Report, Severity};

/// Reports what `count` rendezvous of this block had in common.
pub(super) fn report(scene: &Scene<'_, '_>, remark: &Remark, count: u64) {
    // A thread that panicked, or that a check ended, has exited too, and was reported.
    let running = scene.running;
    let gone = running.n_panicked.get() != 0 || running.any_ended.get();
    let (report, actors, detail) = match *remark {
        Remark::ExitBeforeBarrier { .. } | Remark::LanesExited { .. } if gone => return,
        Remark::InactiveSource {
            source: (_, true), ..
        } if gone => return,
        Remark::ExitBeforeBarrier {
            id,
            at,
            exited,
            n_exited,
        } => (
            exit_before_barrier(scene, id, at, exited, n_exited),
            [at, exited],
            id,
        ),
        Remark::Places { id, one, other } => (places(scene, id, one, other), [one.0, other.0], id),
        Remark::WarpPlaces { op, one, other } => {
            (warp_places(scene, op, one, other), [one.0, other.0], 0)
        }
        Remark::Counts { id, one, other } => (counts(scene, id, one, other), [one.0, other.0], id),
        Remark::LanesExited {
            op,
            mask,
            arrived,
            at,
            exited,
        } => (
            lanes_exited(scene, Operation { op, mask, arrived }, at, exited),
            [at, exited],
            0,
        ),
        Remark::InactiveSource {
            op,
            mask,
            arrived,
            readers,
            at,
            source,
        } => {
            let operation = Operation { op, mask, arrived };
            let exists = source.0.thread < scene.running.shape.n_threads;
            (
                inactive_source(scene, operation, readers, at, source),
                [at, if exists { source.0 } else { at }],
                0,
            )
        }
    };
    let actors = actors.map(|thread_site| Some(Actor::from(thread_site)));
    scene.report(report, actors, detail.into(), count);
}

struct Operation {
    op: WarpOp,
    mask: u32,
    arrived: u32,
}

fn exit_before_barrier(
    scene: &Scene<'_, '_>,
    id: u32,
    at: ThreadSite,
    exited: ThreadSite,
    n_exited: u32,
) -> Report {
    let all = scene.running.shape.n_threads;
    let title =
        format!("barrier {id}: {n_exited} of {all} threads had exited when the others met there");
    Report::new(Code::EXIT_BEFORE_BARRIER, title)
        .side(scene.side(at.into(), format!("waits at barrier {id}")))
        .side(scene.side(
            exited.into(),
            "had exited; this is where it waited last",
        ))
        .why("threads that have exited are not waited for; before compute capability 7.0 this may hang")
}

fn places(
    scene: &Scene<'_, '_>,
    id: u32,
    (one, n_one): (ThreadSite, u32),
    (other, n_other): (ThreadSite, u32),
) -> Report {
    let title = format!("barrier {id}: threads of one block met there from different places");
    let did = |n: u32| {
        let threads = words::threads(n as usize);
        format!("came to barrier {id} from here, {threads} in all")
    };
    Report::new(Code::BARRIER_PLACES, title)
        .side(scene.side(one.into(), did(n_one)))
        .side(scene.side(other.into(), did(n_other)))
        .why("a barrier in conditional code is allowed only if the condition is the same in all threads of the block")
        .note("threads meet by the number of the barrier, so these took one another's arrival for their own")
        .help("move the barrier out of the branch, or give the two places barriers of different numbers")
}

fn warp_places(
    scene: &Scene<'_, '_>,
    op: WarpOp,
    (one, lanes_one): (ThreadSite, u32),
    (other, lanes_other): (ThreadSite, u32),
) -> Report {
    let title = format!(
        "{}: lanes of one warp met there from different places",
        name(op)
    );
    let did = |lanes: u32| format!("came to {} from here: {}", name(op), words::lanes_of(lanes));
    Report::new(Code::WARP_PLACES, title)
        .side(scene.side(one.into(), did(lanes_one)))
        .side(scene.side(other.into(), did(lanes_other)))
        .why("a warp operation in conditional code is for the lanes that take this branch; lanes meet by operation and mask, so those of another branch were taken for them")
        .note("before compute capability 7.0 all lanes of the mask have to execute the same instruction together")
        .help("move the operation out of the branch, or name in each branch the lanes that take it")
}

fn counts(
    scene: &Scene<'_, '_>,
    id: u32,
    (one, mine): (ThreadSite, Option<u32>),
    (other, theirs): (ThreadSite, Option<u32>),
) -> Report {
    let number =
        |count: Option<u32>| count.map_or("all threads".to_owned(), |count| count.to_string());
    let (mine, theirs) = (number(mine), number(theirs));
    let title = format!(
        "barrier {id}: threads came for {mine} and for {theirs} participants at the same time"
    );
    Report::new(Code::BARRIER_COUNT, title)
        .side(scene.side(one.into(), format!("came for {mine}")))
        .side(scene.side(other.into(), format!("waits there for {theirs}")))
        .why("all threads that meet at a barrier give the same number of participants")
        .help("give the same number at every call that uses this barrier: all of its waiting and arriving threads")
}

fn lanes_exited(
    scene: &Scene<'_, '_>,
    Operation { op, mask, arrived }: Operation,
    at: ThreadSite,
    exited: ThreadSite,
) -> Report {
    let gone = words::lanes_of(mask & !arrived);
    let title = format!("{}: {gone} of the mask had exited", name(op));
    let did = format!(
        "gives mask {}; there: {}",
        words::mask(mask),
        words::lanes_of(arrived)
    );
    let mut report = Report::new(Code::LANE_MISSING, title)
        .side(scene.side(at.into(), did))
        .side(scene.side(
            exited.into(),
            "is named by the mask and had exited; this is its last warp operation",
        ))
        .why("lanes that have exited are not waited for, and contribute nothing");
    // CUDA asks only for those that have not exited.
    report.severity = Severity::Note;
    report
}

fn inactive_source(
    scene: &Scene<'_, '_>,
    Operation { op, mask, arrived }: Operation,
    readers: u32,
    at: ThreadSite,
    (source, exited): (ThreadSite, bool),
) -> Report {
    let (reader, lane) = (at.thread % LANES, source.thread % LANES);
    let exists = source.thread < scene.running.shape.n_threads;
    let state = match exited {
        _ if !exists => "does not exist: the block ends before it",
        true => "has exited",
        false => "is not in the mask",
    };
    let title = format!(
        "{}: lane {reader} takes the value of lane {lane}, which {state}",
        name(op)
    );
    let did = format!(
        "reads from lane {lane}; mask {}, there: {}",
        words::mask(mask),
        words::lanes_of(arrived)
    );
    let mut report = Report::new(Code::INACTIVE_SOURCE, title).side(scene.side(at.into(), did));
    if exists {
        let did = "takes no part; this is its last warp operation";
        report = report.side(scene.side(source.into(), did));
    }
    report
        .why("the value of a lane that takes no part is undefined; the emulator gives the reader its own")
        .note(format!("readers of such a lane: {}", words::lanes_of(readers)))
        .help("read only from lanes that take part: narrow the width, or let all lanes of the mask come and bring a neutral value")
}
