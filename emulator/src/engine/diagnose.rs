//! Turns what went wrong at barriers and warp operations into reports: in every mode, without looking at memory.
//!
//! `block.rs` and `warp.rs` know who waits for what, and keep what was odd; here it gets a class, places and words.

use crate::engine::block::Block;
use crate::engine::co_resident::CoResidentBlocks;
use crate::engine::fiber::Running;
use crate::engine::warp::{LANES, WarpOp};
use crate::finding::{Key, Note, Report, Side, Who};
use crate::site::Site;
use crate::site::SiteId;

mod mask; // a lane that is not in its own mask
mod outside; // barriers of the cluster and of the grid
mod spin; // threads that poll, or never end
mod stuck; // one block that cannot go on
mod waiters; // threads that are at the same place
mod warnings; // what completed, and should not have
mod warps; // warp operations that lanes wait at for ever
mod words; // masks, numbers and lists of threads

pub(crate) use mask::not_in_mask;
pub(crate) use spin::endless;

/// Reports why the set cannot go on. No lane of it can.
#[cold]
pub(crate) fn stuck(set: &CoResidentBlocks<'_>) {
    let mut explained = false;
    set.each(|running| {
        let core = running.core();
        if core.n_live() != 0 {
            explained |= stuck::block(&Scene::new(running, &core));
        }
    });
    if !explained {
        outside::report(set);
    }
}

/// Reports what was odd about the block, which is over.
#[cold]
pub(crate) fn warnings(running: &Running<'_>) {
    let remarks = running.core_mut().remarks.take();
    let core = running.core();
    let scene = Scene::new(running, &core);
    for (remark, count) in remarks {
        warnings::report(&scene, &remark, count);
    }
}

/// What reports call the memory at an address, which a lane of the block accesses.
pub(crate) fn name_of_memory(running: &Running<'_>, address: usize) -> String {
    let core = running.core();
    Scene::new(running, &core).memory(address)
}

/// One block of a run.
struct Scene<'a, 'run> {
    running: &'a Running<'run>,
    core: &'a Block,
}

/// One side of a report, before it has words.
#[derive(Clone, Copy)]
struct Actor {
    thread: u32,
    place: Site,
}

impl<'a, 'run> Scene<'a, 'run> {
    fn new(running: &'a Running<'run>, core: &'a Block) -> Self {
        Self { running, core }
    }

    fn who(&self, thread: u32) -> Who {
        Who {
            block: self.running.registers.block.get(),
            thread: self.running.shape.thread_at(thread),
            warp: thread / LANES,
            lane: thread % LANES,
        }
    }

    /// What an address is called.
    fn memory(&self, address: usize) -> String {
        let arena = self.running.arena.borrow();
        let offset = arena.offset_of(std::ptr::without_provenance(address));
        let shared = offset.and_then(|offset| Some((arena.array_at(offset)?, offset)));
        if let Some((array, offset)) = shared {
            return array.element(offset - array.start);
        }
        let checks = self.running.set.launch.checks.as_ref();
        let global = checks.and_then(|checks| checks.name_of(address));
        global.unwrap_or_else(|| format!("{address:#x}"))
    }

    fn side(&self, actor: Actor, did: impl Into<String>) -> Side {
        Side::at(actor.place.id(), self.who(actor.thread), did)
    }

    /// Hands a report in. Its sides are those of `actors`, in this order; `detail` tells apart what is at the same places.
    fn report(&self, report: Report, actors: [Option<Actor>; 2], detail: u64, count: u64) {
        let launch = self.running.set.launch;
        let key = Key {
            code: report.code,
            sites: actors.map(|actor| actor.map_or(SiteId(0), |actor| actor.place.id())),
            detail,
            block: self
                .running
                .shape
                .linear(self.running.registers.block.get()),
            thread: actors[0].map_or(0, |actor| actor.thread),
        };
        let mut report = report;
        report.replay = launch.options.replay();
        let mut report = Some(report);
        for _ in 0..count {
            launch.sink.report(key, || {
                report.take().unwrap_or_else(|| Report::new(key.code, ""))
            });
        }
    }
}

impl From<crate::engine::remarks::ThreadSite> for Actor {
    fn from(thread_site: crate::engine::remarks::ThreadSite) -> Self {
        Self {
            thread: thread_site.thread,
            place: thread_site.place,
        }
    }
}

/// The name of an operation, as its caller wrote it.
fn name(op: WarpOp) -> String {
    format!("`{}`", op.name())
}

fn note(text: impl Into<String>) -> Note {
    Note {
        label: "note",
        text: text.into(),
    }
}
