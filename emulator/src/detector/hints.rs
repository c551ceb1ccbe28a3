//! Atomics that say why a race is one: what a lane saw of others, and who changes an address (README 13).

use std::cell::Cell;
use std::collections::HashMap;

use super::slot::Slot;
use crate::engine::warp::LANES;
use crate::sync::{Mutex, lock};

/// An atomic write, with what its lane knew of its block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AtomicWrite {
    pub(super) who: u32,
    pub(super) t: u32,
    pub(super) site: u32,
    pub(super) scope: u32,
    /// It comes after all accesses of the block before this time, and of the warp.
    pub(super) bound: u32,
    pub(super) warp_bound: u32,
    /// The time of the lane's latest release that is written with it, and the scope of that; a time of 0: none.
    pub(super) release: (u32, u32),
}

impl AtomicWrite {
    /// Whether its lane knew an access when it wrote. `shift`: bits of a lane's number inside its block.
    fn is_after(&self, slot: Slot, shift: u32) -> bool {
        let apart = self.who ^ slot.who;
        match apart {
            0 => slot.t <= self.t,
            _ if apart >> shift != 0 => false,
            _ => slot.t < self.bound || apart < LANES && slot.t < self.warp_bound,
        }
    }

    /// The scope in which it releases what happened at such a time, perhaps in another lane; `None`: it does not.
    fn released(&self, slot: Slot) -> Option<u32> {
        let (t, scope) = self.release;
        let releases = t != 0 && (slot.who != self.who || slot.t <= t);
        releases.then(|| scope.min(self.scope))
    }
}

/// An atomic read that saw what another lane wrote atomically, without order between the two.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hint {
    pub(super) write: AtomicWrite,
    /// Who read it, when and where.
    pub(super) reader: u32,
    pub(super) read_t: u32,
    pub(super) read: u32,
    pub(super) address: usize,
    /// The scope of the read, or of the acquire fence behind it if that is narrower.
    pub(super) scope: u32,
    pub(super) acquires: bool,
}

/// What stands between a write and an access to the data that it was to hand over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// The scope of one of the two atomics includes not both lanes.
    Scope,
    Release,
    Acquire,
}

impl Hint {
    /// Why it does not order an access before the reader. `reaches`: whether a scope includes the lane that wrote.
    pub(super) fn lacks(&self, slot: Slot, reaches: impl Fn(u32) -> bool) -> Lack {
        let own = self.write.scope.min(self.scope);
        match self.write.released(slot) {
            _ if !reaches(own) => Lack::Scope,
            None => Lack::Release,
            Some(_) if !self.acquires => Lack::Acquire,
            Some(scope) if !reaches(scope.min(self.scope)) => Lack::Scope,
            // Something else was written over it.
            Some(_) => Lack::Release,
        }
    }
}

const HINTS: usize = 4;

/// The latest hints of each lane of a block: they tell why a race is one.
#[derive(Debug)]
pub(super) struct Hints {
    all: Box<[Cell<Hint>]>,
    next: Cell<usize>,
    any: Cell<bool>,
}

impl Hints {
    pub(super) fn new(n_threads: u32) -> Self {
        let n = n_threads as usize * HINTS;
        Self {
            all: vec![Cell::default(); n].into(),
            next: Cell::new(0),
            any: Cell::new(false),
        }
    }

    pub(super) fn clear(&self) {
        if self.any.replace(false) {
            self.all.iter().for_each(|hint| hint.set(Hint::default()));
        }
    }

    pub(super) fn add(&self, thread: u32, hint: Hint) {
        self.any.set(true);
        let first = thread as usize * HINTS;
        let mine = &self.all[first..first + HINTS];
        let same = mine.iter().find(|old| {
            let old = old.get();
            let both = (old.write.site, old.read);
            old.write.who == hint.write.who && both == (hint.write.site, hint.read)
        });
        let next = self.next.replace(self.next.get().wrapping_add(1));
        same.unwrap_or(&mine[next % HINTS]).set(hint);
    }

    /// The lane made an acquire fence of such a scope: it acquires what it saw before.
    pub(super) fn fenced(&self, thread: u32, scope: u32) {
        if self.any.get() {
            let first = thread as usize * HINTS;
            for cell in &self.all[first..first + HINTS] {
                let hint = cell.get();
                if !hint.acquires {
                    cell.set(Hint {
                        acquires: true,
                        scope: scope.min(hint.scope),
                        ..hint
                    });
                }
            }
        }
    }

    /// A hint by which an access of the past would be ordered, had the atomics ordered anything: what is asked about `knows` what
    /// a lane of its block did at a time, and the write came after the access.
    pub(super) fn about(
        &self,
        knows: impl Fn(u32, u32) -> bool,
        (counters, shift): (&Counters, u32),
        slot: Slot,
    ) -> Option<Hint> {
        if !self.any.get() {
            return None;
        }
        let hints = self.all.iter().map(Cell::get);
        let seen = || {
            let seen = hints.clone().filter(|hint| hint.write.t != 0);
            seen.filter(|hint| knows(hint.reader, hint.read_t))
        };
        if let Some(hint) = seen().find(|hint| hint.write.is_after(slot, shift)) {
            return Some(hint);
        }
        // Another lane may have changed the same place before that.
        seen().find_map(|hint| {
            let write = counters.writer(hint.address, |write| write.is_after(slot, shift))?;
            Some(Hint { write, ..hint })
        })
    }
}

/// Places that are always changed by atomics of one address, such as counters and locks, with who has: for hints only.
#[derive(Debug, Default)]
pub(super) struct Counters(Mutex<HashMap<u32, Counter>>);

#[derive(Debug)]
struct Counter {
    address: usize,
    /// There are several addresses, and nothing is kept.
    scattered: bool,
    /// By block: the latest.
    writers: HashMap<u32, AtomicWrite>,
}

impl Counters {
    /// A lane of block number `block` changes `address` atomically; false: it need not be said again for this site.
    pub(super) fn add(&self, address: usize, block: u32, write: AtomicWrite) -> bool {
        let mut all = lock(&self.0);
        let counter = all.entry(write.site).or_insert_with(|| Counter {
            address,
            scattered: false,
            writers: HashMap::new(),
        });
        if counter.address != address {
            counter.scattered = true;
            counter.writers = HashMap::new();
        }
        if !counter.scattered {
            counter.writers.insert(block, write);
        }
        !counter.scattered
    }

    /// What is kept of a write of a lane of block number `block`.
    pub(super) fn latest(&self, wrote: Slot, block: u32) -> Option<AtomicWrite> {
        let all = lock(&self.0);
        let write = all.get(&wrote.what.site())?.writers.get(&block)?;
        ((write.who, write.t) == (wrote.who, wrote.t)).then_some(*write)
    }

    /// A change of an address, of those that `fits` wants.
    fn writer(&self, address: usize, fits: impl Fn(&AtomicWrite) -> bool) -> Option<AtomicWrite> {
        let all = lock(&self.0);
        let here = all.values().filter(|counter| counter.address == address);
        let mut writers = here.flat_map(|counter| counter.writers.values());
        writers.find(|write| fits(write)).copied()
    }
}
