//! A lane that calls a warp operation with a mask that it is not in.

use super::{Actor, Scene, name, words};
use crate::engine::fiber::Running;
use crate::engine::warp::{LANES, WarpOp};
use crate::finding::{Code, Report};
use crate::site::Site;

/// Reports that the lane that runs is not in the mask that it gave.
#[cold]
pub(crate) fn not_in_mask(running: &Running<'_>, op: WarpOp, mask: u32, place: Site) {
    let thread = running.thread.get();
    let lane = thread % LANES;
    let core = running.core();
    let scene = Scene::new(running, &core);
    let actor = Actor { thread, place };
    let report = Report::new(Code::NOT_IN_MASK, format!("{}: lane {lane} is not in its own mask", name(op)))
        .side(scene.side(actor, format!("calls {} with mask {}", name(op), words::mask(mask))))
        .why("a lane that takes part in an operation has to be in the mask; otherwise the result is undefined")
        .help(format!("add lane {lane} to the mask, or keep it from calling"));
    scene.report(report, [Some(actor), None], 0, 1);
}
