//! Which bytes have a value: reads of those that have none.

use std::panic::Location;
use std::sync::Arc;

use super::classify::{Access, Finding, How, Wrong};
use super::words::{Count, Words};
use super::{Allocation, Snapshot, registry};
use crate::finding::{Code, Place, Report, Side};
use crate::site::{Origin, SiteId};

/// What an access does to the state of the bytes of `found`, in which it lies: writes give them a value, reads of bytes without one are a
/// finding. The access happens all the same.
#[inline(always)]
pub(crate) fn look_at_values<'s>(
    snapshot: &'s Snapshot,
    found: &Allocation,
    access: Access,
) -> Option<Box<Finding<'s>>> {
    if !found.tracks_init() {
        return None;
    }
    look_closely(snapshot, found, access)
}

#[inline(never)]
fn look_closely<'s>(
    snapshot: &'s Snapshot,
    found: &Allocation,
    access: Access,
) -> Option<Box<Finding<'s>>> {
    let Access { address, bytes, .. } = access;
    let missing = match access.how {
        How::Writes => None,
        How::Reads | How::Changes => found.missing(address, bytes),
    };
    if access.how != How::Reads {
        found.mark(address, bytes);
    }
    let missing = found.start + missing?;
    let one = registry::find(address)?;
    Some(Box::new(Finding {
        snapshot,
        access,
        wrong: Wrong::Unwritten(one, missing),
    }))
}

/// A copy that is made next gives its target the state of its source: copying bytes without a value is no use of them. The memory at `from`
/// may be any, and has a value if it is not known.
pub(crate) fn copy_values(to: usize, from: usize, bytes: usize) {
    let Some(target) = registry::find(to).filter(|target| target.tracks_init()) else {
        return;
    };
    let source = registry::find(from).filter(|source| source.tracks_init());
    let Some(source) = source else {
        target.mark(to, bytes);
        return;
    };
    for at in 0..bytes {
        if source.missing(from + at, 1).is_none() {
            target.mark(to + at, 1);
        }
    }
}

/// A finding if the host reads bytes that were never written: a warning, because it is not known what the host does with them.
#[track_caller]
pub(super) fn host_read(start: usize, bytes: usize) -> Option<Report> {
    let one = registry::find(start).filter(|one| one.tracks_init())?;
    let first = one.start + one.missing(start, bytes)?;
    let snapshot = Snapshot::empty();
    let words = Words::new(&snapshot, &one, first);
    let title = format!(
        "the host reads {}, which neither the host nor a kernel has written",
        words.element(first)
    );
    let at = Origin::from(Location::caller());
    let mut report = Report::new(Code::GLOBAL_UNINIT, title)
        .side(Side {
            place: Some(Place {
                file: at.file.to_owned(),
                line: at.line,
                column: at.column,
            }),
            stack: vec![],
            who: None,
            did: format!("the host reads {} here", Count(bytes, "byte")),
        })
        .note(left(&one));
    report.severity = crate::finding::Severity::Warning;
    if let Some(made) = words.made() {
        report = report.side(made);
    }
    Some(report.help(HELP))
}

const HELP: &str = "write it before, let fewer threads read it, or make the memory with `device.zeroed` or `device.upload`";

fn left(one: &Arc<Allocation>) -> String {
    format!(
        "{} of {} were never written",
        Count(one.n_missing(), "byte"),
        one.bytes
    )
}

impl Finding<'_> {
    pub(super) fn unwritten(&self, one: &Arc<Allocation>, missing: usize) -> Report {
        let words = self.words(one);
        let element = words.element(missing);
        let title = format!("read of uninitialised memory: {element}");
        let Access { address, bytes, .. } = self.access;
        let whole = match words.element(address) == element {
            true => String::new(),
            false => format!(", without a value from {element} on"),
        };
        let did = format!("reads {} ({bytes} bytes){whole}", words.element(address));
        let report = Report::new(Code::GLOBAL_UNINIT, title)
            .side(super::report::side(self.access, &did))
            .why("neither the host nor a kernel has written it since it was allocated: on a GPU it holds what was there before")
            .note(left(one));
        let report = match words.made() {
            Some(made) => report.side(made),
            None => report,
        };
        report.help(HELP)
    }
}

/// Tells the collector of the run about a finding of the lane that runs. `build` is called if it is to be shown.
pub(crate) fn tell(code: Code, site: SiteId, build: impl FnOnce() -> Report) {
    use crate::finding::Key;
    crate::engine::fiber::with_running(|running| {
        let [x, y, z] = running.registers.block.get().map(u64::from);
        let [width, height, _] = running.shape.shape.grid.map(u64::from);
        let key = Key {
            code,
            sites: [site, SiteId(0)],
            detail: 0,
            block: x + width * (y + height * z),
            thread: running.thread.get(),
        };
        running.set.launch.sink.report(key, build);
    });
}
