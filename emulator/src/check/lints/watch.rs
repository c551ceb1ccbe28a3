//! What the checks tell the lints.
//!
//! The lanes of one crew have a watcher of their own, which joins the others of the run when the crew is done. While there is one, no site
//! remembers where it accessed memory last: so every access takes the thorough way, which comes by here, and the quick way is as quick
//! as without lints.

use std::cell::{Cell, RefCell};

use super::{Access, AccessKind, Lints, Profile, Space, SyncKind};
use crate::check::SiteId;
use crate::check::shadow::What;
use crate::check::space::{Space as Memory, What as From};
use crate::fiber;
use crate::place::Place;
use crate::shape::CheckedShape;
use crate::sync::{Mutex, lock};

/// What the watchers of a run saw that are done.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<Option<Lints>>);

/// Watches the lanes of one crew.
#[derive(Debug)]
pub(crate) struct Watcher {
    lints: RefCell<Lints>,
    grid: [u32; 3],
    /// The block that runs: its number; x runs fastest.
    block: Cell<u64>,
    /// What is accessed now is a barrier in memory, not data.
    quiet: Cell<bool>,
}

/// Tells that a lane exits, when it is dropped on the lane.
pub(crate) struct Exit;

impl Watchers {
    /// A watcher is done.
    pub(crate) fn join(&self, watcher: Watcher) {
        let new = watcher.lints.into_inner();
        let mut all = lock(&self.0);
        match &mut *all {
            Some(all) => all.merge(new),
            None => *all = Some(new),
        }
    }

    /// All that was seen; `None` if nothing ran.
    pub(crate) fn finish(&self) -> Option<Profile> {
        lock(&self.0).take().map(Lints::finish)
    }
}

impl Watcher {
    pub(crate) fn new(shape: &CheckedShape) -> Self {
        let grid = shape.shape.grid;
        Self {
            lints: RefCell::new(Lints::new(grid, shape.shape.block)),
            grid,
            block: Cell::new(0),
            quiet: Cell::new(false),
        }
    }

    /// The block at this place of the grid begins.
    pub(crate) fn begins(&self, block: [u32; 3]) {
        let [x, y, z] = block.map(u64::from);
        let [nx, ny, _] = self.grid.map(u64::from);
        self.block.set(x + nx * (y + ny * z));
    }

    /// A thread accesses memory; `own`: whether shared memory is the block's own. A copy counts when it begins, so later ones are left out.
    pub(crate) fn accesses(
        &self,
        thread: u32,
        memory: Option<&Memory>,
        own: impl FnOnce(u32) -> bool,
        (address, bytes): (usize, usize),
        what: What,
    ) {
        if self.quiet.get() || what.is(What::COPY) {
            return;
        }
        let mut lints = self.lints.borrow_mut();
        let space = match memory.map(|memory| memory.what) {
            Some(From::Shared { block, .. }) if !own(block) => {
                lints.distrust(self.block.get());
                None
            }
            Some(From::Shared { .. }) => Some(Space::Shared),
            Some(From::Global(_) | From::Watched(_)) => Some(Space::Global),
            _ => None,
        };
        let kind = match (what.is(What::ATOMIC | What::VOLATILE), what.is(What::WRITE)) {
            (true, true) if what.is(What::ATOMIC) => AccessKind::Atomic,
            (true, _) => AccessKind::Volatile,
            (false, true) => AccessKind::Store,
            (false, false) => AccessKind::Load,
        };
        lints.access(Access {
            site: SiteId(what.site()),
            block: self.block.get(),
            thread,
            address: address as u64,
            bytes: bytes as u32,
            kind,
            space,
        });
    }

    /// A thread begins an asynchronous copy to shared memory.
    pub(crate) fn copies(&self, thread: u32, to: usize, bytes: usize, site: u32) {
        let mut lints = self.lints.borrow_mut();
        let block = self.block.get();
        lints.distrust(block);
        lints.access(Access {
            site: SiteId(site),
            block,
            thread,
            address: to as u64,
            bytes: bytes as u32,
            kind: AccessKind::Store,
            space: Some(Space::Shared),
        });
    }

    /// A thread is about to call an intrinsic from there.
    pub(crate) fn executes(&self, thread: u32, site: u32) {
        let mut lints = self.lints.borrow_mut();
        lints.execute(SiteId(site), self.block.get(), thread);
    }

    /// A thread made a fence.
    pub(crate) fn fences(&self) {
        self.lints.borrow_mut().order(self.block.get());
    }

    /// Does something with a barrier in memory.
    pub(crate) fn quietly(&self, thread: u32, act: impl FnOnce()) {
        self.quiet.set(true);
        act();
        self.quiet.set(false);
        let (warp, lane) = (thread / 32, 1 << (thread % 32));
        self.meet(SyncKind::Part, Place::NOWHERE, (warp, lane));
    }

    /// All threads of the block have met; `answers`: and learn something by it.
    pub(crate) fn block_met(&self, place: Place, answers: bool) {
        let kind = if answers {
            SyncKind::BlockResult
        } else {
            SyncKind::Block
        };
        self.meet(kind, place, (0, 0));
    }

    /// Lanes of a warp have met.
    pub(crate) fn warp_met(&self, warp: u32, lanes: u32) {
        self.meet(SyncKind::Warp, Place::NOWHERE, (warp, lanes));
    }

    /// Threads of the block have met: by warp, their lanes.
    pub(crate) fn part_met(&self, place: Place, waiting: &[u32]) {
        for (warp, lanes) in (0..).zip(waiting).filter(|(_, lanes)| **lanes != 0) {
            self.meet(SyncKind::Part, place, (warp, *lanes));
        }
    }

    /// The blocks of a cluster, or all of the grid, have met.
    pub(crate) fn blocks_met(&self) {
        self.meet(SyncKind::Wide, Place::NOWHERE, (0, 0));
    }

    fn meet(&self, kind: SyncKind, place: Place, who: (u32, u32)) {
        let mut lints = self.lints.borrow_mut();
        lints.sync(kind, place.id(), self.block.get(), who);
    }
}

impl Drop for Exit {
    fn drop(&mut self) {
        if let Some((running, checks)) = fiber::checked()
            && let Some(watcher) = &checks.watcher
        {
            let mut lints = watcher.lints.borrow_mut();
            lints.exit(watcher.block.get(), running.thread.get());
        }
    }
}
