//! The atomic accesses at which lanes of a block are pending, in a run under control.

use std::cell::{Cell, RefCell};

use crate::control::{MadeAccess, PendingAccess, ThreadId};
use crate::site::Site;

/// One access, before it is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    pub(crate) bytes: u32,
    pub(crate) writes: bool,
    pub(crate) seq_cst: bool,
    pub(crate) place: Site,
}

/// Those of one block.
pub(crate) struct PendingAccesses {
    lanes: RefCell<Vec<Option<Access>>>,
    /// The value of memory before the access that was made last.
    before: Cell<Option<u64>>,
    /// Which access of the launch that is.
    number: Cell<u64>,
}

impl PendingAccesses {
    pub(crate) fn new(n_threads: u32) -> Self {
        Self {
            lanes: RefCell::new(vec![None; n_threads as usize]),
            before: Cell::new(None),
            number: Cell::new(0),
        }
    }

    /// No lane is pending: another block begins.
    pub(crate) fn clear(&self) {
        self.lanes.borrow_mut().fill(None);
    }

    /// This lane makes `access` when it is chosen.
    pub(crate) fn add(&self, thread: u32, access: Access) {
        self.lanes.borrow_mut()[thread as usize] = Some(access);
    }

    /// The lane has been chosen, for access number `number` of the launch.
    pub(crate) fn take(&self, thread: u32, number: u64) {
        self.number.set(number);
        self.lanes.borrow_mut()[thread as usize] = None;
    }

    /// All that are pending, of the block with this number.
    pub(crate) fn list(&self, block: u64, list: &mut Vec<PendingAccess>) {
        let lanes = self.lanes.borrow();
        let pending = (0..).zip(&*lanes);
        list.extend(pending.filter_map(|(thread, access)| {
            access.map(|access| PendingAccess {
                thread: ThreadId { block, thread },
                address: access.address,
                bytes: access.bytes,
                writes: access.writes,
                seq_cst: access.seq_cst,
                site: access.place.id(),
            })
        }));
    }

    /// The number of the access that is made.
    pub(crate) fn number(&self) -> u64 {
        self.number.get()
    }

    /// The chosen lane makes its access now.
    pub(crate) fn makes(&self, before: Option<u64>) {
        self.before.set(before);
    }

    /// What came of it; `write` is what it wrote, if it may have written.
    pub(crate) fn made(&self, write: Option<Written>, weak: MadeWeakly) -> MadeAccess {
        let before = self.before.take();
        let (after, changed) = match (write, weak.newest) {
            (_, Some(_)) => (weak.written.or(before), false),
            (None, None) => (before, false),
            (Some(write), None) => (write.value, write.changed),
        };
        MadeAccess {
            before,
            after,
            changed,
            is_store: changed || weak.is_store,
            newest: weak.newest,
            memory: None,
        }
    }
}

/// What weak memory adds to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MadeWeakly {
    /// It is a store, whatever it wrote.
    pub(crate) is_store: bool,
    /// What memory holds, if an older store was read or written behind.
    pub(crate) newest: Option<u64>,
    /// What was written behind it.
    pub(crate) written: Option<u64>,
}

/// What memory holds after an atomic that may have changed it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    /// `None`: it has more than 64 bits.
    pub(crate) value: Option<u64>,
    /// Whether that is another value than before; true if it is not known.
    pub(crate) changed: bool,
}
