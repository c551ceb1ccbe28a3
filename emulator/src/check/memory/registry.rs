//! All memory of the process that kernels may have addresses of, and what was there before.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, MutexGuard, PoisonError};

use super::allocation::{Allocation, End, Extent, Origin};
use super::snapshot::Fixed;
use super::{Birth, Kind};
use crate::sync::StaticMutex;

/// How many freed allocations are remembered.
const GRAVES: usize = 4096;

static REGISTRY: StaticMutex<Registry> = StaticMutex::new(Registry::new());

thread_local! {
    /// What the next run on this OS thread calls its parameters.
    static NAMES: RefCell<Vec<(usize, Box<str>)>> = const { RefCell::new(Vec::new()) };
}

struct Registry {
    /// By start; they do not overlap.
    live: BTreeMap<usize, Arc<Allocation>>,
    /// Freed memory whose addresses nothing else has yet: by start.
    graves: BTreeMap<usize, Arc<Allocation>>,
    /// The starts of `graves`, and serial numbers, in the order in which they were freed. Some are not there any more.
    order: VecDeque<(usize, u64)>,
    n_made: u64,
    /// Of all that lives now; `None`: something changed since.
    frozen: Option<Arc<Fixed>>,
}

impl Registry {
    const fn new() -> Self {
        Self {
            live: BTreeMap::new(),
            graves: BTreeMap::new(),
            order: VecDeque::new(),
            n_made: 0,
            frozen: None,
        }
    }

    fn forget(&mut self, start: usize, end: usize) {
        for map in [&mut self.live, &mut self.graves] {
            while let Some(at) = overlapping(map, start, end) {
                map.remove(&at);
            }
        }
    }

    fn bury(&mut self, freed: Arc<Allocation>) {
        self.order.push_back((freed.start, freed.serial));
        self.graves.insert(freed.start, freed);
        while self.order.len() > GRAVES {
            let Some((start, serial)) = self.order.pop_front() else {
                return;
            };
            if self
                .graves
                .get(&start)
                .is_some_and(|grave| grave.serial == serial)
            {
                self.graves.remove(&start);
            }
        }
    }
}

/// The start of one that overlaps with `start..end`.
fn overlapping(map: &BTreeMap<usize, Arc<Allocation>>, start: usize, end: usize) -> Option<usize> {
    let (at, last) = map.range(..end).next_back()?;
    (last.end() > start).then_some(*at)
}

fn containing(map: &BTreeMap<usize, Arc<Allocation>>, address: usize) -> Option<&Arc<Allocation>> {
    let (_, last) = map.range(..=address).next_back()?;
    last.contains(address).then_some(last)
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds memory; nothing for no bytes.
pub(super) fn add(extent: Extent, what: (Kind, Birth), label: &str, made: Origin) {
    let Some(end) = extent.start.checked_add(extent.bytes) else {
        return;
    };
    if extent.bytes == 0 {
        return;
    }
    let mut registry = registry();
    registry.n_made += 1;
    let serial = registry.n_made;
    let allocation = Arc::new(Allocation::new(extent, what, label, (serial, made)));
    // Whoever had these addresses is gone, or the operating system would not have given them out again.
    registry.forget(extent.start, end);
    registry.live.insert(extent.start, allocation);
    registry.frozen = None;
}

/// Removes the memory that starts there, and remembers it; `None` if there is none.
pub(super) fn remove(start: usize, end: End) -> Option<Arc<Allocation>> {
    let mut registry = registry();
    let freed = registry.live.remove(&start)?;
    freed.finish(end);
    registry.bury(Arc::clone(&freed));
    registry.frozen = None;
    Some(freed)
}

/// The memory that an address lies in.
pub(super) fn find(address: usize) -> Option<Arc<Allocation>> {
    containing(&registry().live, address).cloned()
}

/// The freed memory that an address lies in.
pub(super) fn find_freed(address: usize) -> Option<Arc<Allocation>> {
    containing(&registry().graves, address).cloned()
}

/// The memory next to an address: what ends before it, and what starts behind it.
pub(super) fn neighbours(address: usize) -> [Option<Arc<Allocation>>; 2] {
    let registry = registry();
    let before = registry.live.range(..=address).next_back();
    let after = registry.live.range(address..).next();
    [before, after].map(|found| found.map(|(_, one)| Arc::clone(one)))
}

/// What the next run on this OS thread calls the memory from `start` on.
pub(super) fn name(start: usize, label: &str) {
    NAMES.with_borrow_mut(|names| names.push((start, label.into())));
}

/// All memory of this moment, and the names for the run that starts now.
pub(super) fn freeze() -> (Arc<Fixed>, Vec<(usize, Box<str>)>) {
    let names = NAMES.take();
    let mut registry = registry();
    let Registry { live, frozen, .. } = &mut *registry;
    let fixed = frozen.get_or_insert_with(|| Arc::new(Fixed::new(live.values())));
    (Arc::clone(fixed), names)
}
