//! What the detector tells the lints.
//!
//! The lanes of one worker have a watcher of their own, which joins the others of the run when the worker is done.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::{Access, AccessClass, Lints, Profile, Space, SyncKind};
use crate::detector::{AccessKind, Observe, Observer, ReadRow, Target};
use crate::shape::CheckedShape;
use crate::site::{Site, SiteId};
use crate::sync::{Mutex, lock};

/// What the watchers of a run saw that are done.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<Option<Lints>>);

/// Watches the lanes of one worker.
#[derive(Debug)]
struct Watcher {
    lints: RefCell<Lints>,
    shape: CheckedShape,
    /// Those of the run.
    all: Arc<Watchers>,
    /// The block that runs: its number; x runs fastest.
    block: Cell<u64>,
    /// What is accessed now is a barrier in memory, not data.
    quiet: Cell<bool>,
}

impl Watchers {
    /// What makes the watcher of each worker.
    pub(crate) fn observe(self: Arc<Self>, shape: CheckedShape) -> Observe {
        Observe(Box::new(move || {
            Box::new(Watcher {
                lints: RefCell::new(new_lints(&shape)),
                shape,
                all: Arc::clone(&self),
                block: Cell::new(0),
                quiet: Cell::new(false),
            })
        }))
    }

    /// A watcher is done.
    fn join(&self, new: Lints) {
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

fn new_lints(shape: &CheckedShape) -> Lints {
    Lints::new(shape.shape.grid, shape.shape.block)
}

impl Observer for Watcher {
    fn begins(&self, block: [u32; 3]) {
        let [x, y, z] = block.map(u64::from);
        let [nx, ny, _] = self.shape.shape.grid.map(u64::from);
        self.block.set(x + nx * (y + ny * z));
    }

    // A copy counts when it begins: its accesses are left out.
    fn accesses(
        &self,
        thread: u32,
        target: Target,
        (address, bytes, align): (usize, usize, usize),
        what: AccessKind,
    ) {
        if self.quiet.get() || what.is_copy() {
            return;
        }
        let mut lints = self.lints.borrow_mut();
        let space = match target {
            Target::Global => Some(Space::Global),
            Target::OwnShared => Some(Space::Shared),
            Target::OtherShared => {
                lints.distrust(self.block.get());
                None
            }
            Target::Other => None,
        };
        let kind = match (
            what.is(AccessKind::ATOMIC | AccessKind::VOLATILE),
            what.is(AccessKind::WRITE),
        ) {
            (true, true) if what.is(AccessKind::ATOMIC) => AccessClass::Atomic,
            (true, _) => AccessClass::Volatile,
            (false, true) => AccessClass::Store,
            (false, false) => AccessClass::Load,
        };
        lints.access(Access {
            site: SiteId(what.site()),
            block: self.block.get(),
            thread,
            address: address as u64,
            bytes: bytes as u32,
            align: align as u32,
            kind,
            space,
        });
    }

    fn accesses_again(
        &self,
        thread: u32,
        target: Target,
        (address, bytes): (usize, usize),
        what: AccessKind,
    ) -> bool {
        let space = match target {
            Target::Global => Space::Global,
            Target::OwnShared => Space::Shared,
            Target::OtherShared | Target::Other => return false,
        };
        let special = AccessKind::ATOMIC | AccessKind::VOLATILE | AccessKind::COPY;
        if self.quiet.get() || what.is(special) {
            return false;
        }
        self.lints.borrow_mut().access_again(&Access {
            site: SiteId(what.site()),
            block: self.block.get(),
            thread,
            address: address as u64,
            bytes: bytes as u32,
            align: bytes as u32,
            kind: match what.is(AccessKind::WRITE) {
                true => AccessClass::Store,
                false => AccessClass::Load,
            },
            space: Some(space),
        })
    }

    fn reads_rows(&self, thread: u32, rows: &[ReadRow]) -> bool {
        if self.quiet.get() {
            return false;
        }
        let first = |row: &ReadRow| {
            let space = match row.target {
                Target::Global => Some(Space::Global),
                Target::OwnShared => Some(Space::Shared),
                Target::OtherShared | Target::Other => None,
            };
            let access = Access {
                site: SiteId(row.site),
                block: self.block.get(),
                thread,
                address: row.first as u64,
                bytes: row.bytes,
                align: row.bytes,
                kind: AccessClass::Load,
                space,
            };
            (access, row.step as u64, row.count)
        };
        self.lints.borrow_mut().rows_again(rows.iter().map(first))
    }

    fn fetches(&self, thread: u32, site: u32, address: usize, bytes: usize) {
        self.lints.borrow_mut().access(Access {
            site: SiteId(site),
            block: self.block.get(),
            thread,
            address: address as u64,
            bytes: bytes as u32,
            align: bytes as u32,
            kind: AccessClass::Load,
            space: Some(Space::Texture),
        });
    }

    fn copies(&self, thread: u32, to: usize, bytes: usize, site: u32) {
        let mut lints = self.lints.borrow_mut();
        let block = self.block.get();
        lints.distrust(block);
        lints.access(Access {
            site: SiteId(site),
            block,
            thread,
            address: to as u64,
            bytes: bytes as u32,
            align: 1,
            kind: AccessClass::Store,
            space: Some(Space::Shared),
        });
    }

    fn executes(&self, thread: u32, site: u32) {
        let mut lints = self.lints.borrow_mut();
        lints.execute(SiteId(site), self.block.get(), thread);
    }

    fn fences(&self) {
        self.lints.borrow_mut().order(self.block.get());
    }

    fn is_at_mbarrier(&self, thread: u32, is_there: bool) {
        self.quiet.set(is_there);
        if !is_there {
            let (warp, lane) = (thread / 32, 1 << (thread % 32));
            self.meet(SyncKind::Part, Site::NOWHERE, (warp, lane));
        }
    }

    fn block_met(&self, place: Site, answers: bool) {
        let kind = if answers {
            SyncKind::BlockResult
        } else {
            SyncKind::Block
        };
        self.meet(kind, place, (0, 0));
    }

    fn warp_met(&self, warp: u32, lanes: u32) {
        self.meet(SyncKind::Warp, Site::NOWHERE, (warp, lanes));
    }

    fn part_met(&self, place: Site, waiting: &[u32]) {
        for (warp, lanes) in (0..).zip(waiting).filter(|(_, lanes)| **lanes != 0) {
            self.meet(SyncKind::Part, place, (warp, *lanes));
        }
    }

    fn blocks_met(&self) {
        self.meet(SyncKind::Wide, Site::NOWHERE, (0, 0));
    }

    fn exits(&self, thread: u32) {
        let mut lints = self.lints.borrow_mut();
        lints.exit(self.block.get(), thread);
    }
}

impl Watcher {
    fn meet(&self, kind: SyncKind, place: Site, who: (u32, u32)) {
        let mut lints = self.lints.borrow_mut();
        lints.sync(kind, place.id(), self.block.get(), who);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let seen = self.lints.replace(new_lints(&self.shape));
        self.all.join(seen);
    }
}
