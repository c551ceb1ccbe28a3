//! Atomics that say why a race is one: what a lane saw of others, and who changes an address (README 13).

use std::cell::Cell;
use std::collections::HashMap;

use super::slot::Slot;
use crate::sync::{Mutex, lock};

/// An atomic read that saw what another lane wrote atomically, without order between the two.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hint {
    /// Who wrote it, and when.
    pub(super) who: u32,
    pub(super) t: u32,
    pub(super) wrote: u32,
    /// Who read it.
    pub(super) reader: u32,
    pub(super) read: u32,
    pub(super) address: usize,
    /// There is order for narrower scopes, but not for this lane.
    pub(super) scope: bool,
    /// What was written is a release.
    pub(super) released: bool,
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
            old.who == hint.who && (old.wrote, old.read) == (hint.wrote, hint.read)
        });
        let next = self.next.replace(self.next.get().wrapping_add(1));
        same.unwrap_or(&mine[next % HINTS]).set(hint);
    }

    /// The lane made an acquire fence: what it saw before is in order, unless a scope is too narrow.
    pub(super) fn fenced(&self, thread: u32) {
        if self.any.get() {
            let first = thread as usize * HINTS;
            for cell in &self.all[first..first + HINTS] {
                let hint = cell.get();
                cell.set(Hint {
                    scope: hint.scope || hint.released,
                    ..hint
                });
            }
        }
    }

    /// A hint by which an access of the past would be ordered, had the atomics ordered anything.
    pub(super) fn about(&self, shift: u32, counters: &Counters, slot: Slot) -> Option<Hint> {
        if !self.any.get() {
            return None;
        }
        let fits = |who: u32, t: u32| t >= slot.t && (who ^ slot.who) >> shift == 0;
        let hints = || self.all.iter().map(Cell::get).filter(|hint| hint.t != 0);
        if let Some(hint) = hints().find(|hint| fits(hint.who, hint.t)) {
            return Some(hint);
        }
        // Another lane may have changed the same place before that.
        hints().find_map(|hint| {
            let (who, t, wrote) = counters.writer(hint.address, fits)?;
            Some(Hint {
                who,
                t,
                wrote,
                ..hint
            })
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
    /// By block: the latest lane and its time.
    writers: HashMap<u32, (u32, u32)>,
}

impl Counters {
    /// A lane changes `address` atomically; false: it need not be said again for this site.
    pub(super) fn add(&self, site: u32, address: usize, block: u32, by: (u32, u32)) -> bool {
        let mut all = lock(&self.0);
        let counter = all.entry(site).or_insert_with(|| Counter {
            address,
            scattered: false,
            writers: HashMap::new(),
        });
        if counter.address != address {
            counter.scattered = true;
            counter.writers = HashMap::new();
        }
        if !counter.scattered {
            counter.writers.insert(block, by);
        }
        !counter.scattered
    }

    /// Who changed an address, and where, of those that `fits` wants.
    fn writer(&self, address: usize, fits: impl Fn(u32, u32) -> bool) -> Option<(u32, u32, u32)> {
        let all = lock(&self.0);
        let here = all.iter().filter(|(_, counter)| counter.address == address);
        let mut writers = here.flat_map(|(site, counter)| {
            let writers = counter.writers.values();
            writers.map(|(who, t)| (*who, *t, *site))
        });
        writers.find(|(who, t, _)| fits(*who, *t))
    }
}
