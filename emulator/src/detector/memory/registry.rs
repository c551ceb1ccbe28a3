//! All memory of the process that kernels may have addresses of, and what was there before.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

use super::allocation::{Allocation, End, Extent};
use super::parts::Ways;
use super::program::CONSTANTS;
use super::snapshot::{Fixed, View};
use crate::memory_kind::{Birth, Kind};
use crate::site::Origin;
use crate::sync::StaticMutex;

static REGISTRY: StaticMutex<Registry> = StaticMutex::new(Registry::new());

/// Whether some memory may have bytes without a value.
static TRACKS: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What the next run on this OS thread calls its parameters.
    static NAMES: RefCell<Vec<View>> = const { RefCell::new(Vec::new()) };

    /// What the next run on this OS thread only reads: starts and lengths.
    static ONLY_READ: RefCell<Vec<(usize, usize)>> = const { RefCell::new(Vec::new()) };

    /// By what the next run on this OS thread gets at memory.
    static WAYS: RefCell<Ways> = const { RefCell::new(Ways::new()) };
}

struct Registry {
    /// By start; they do not overlap.
    live: BTreeMap<usize, Arc<Allocation>>,
    /// Freed memory that `global.rs` has not given back to the host's allocator yet: by start.
    graves: BTreeMap<usize, Arc<Allocation>>,
    n_made: u64,
    /// The same as `live`; `None`: something changed while a run shared it.
    frozen: Option<Arc<Fixed>>,
}

impl Registry {
    const fn new() -> Self {
        Self {
            live: BTreeMap::new(),
            graves: BTreeMap::new(),
            n_made: 0,
            frozen: None,
        }
    }

    fn add(&mut self, extent: Extent, what: (Kind, Birth), label: &str, made: Origin) {
        if what.1 == Birth::Uninitialised {
            TRACKS.store(true, Ordering::Relaxed);
        }
        self.n_made += 1;
        let made = (self.n_made, made);
        let allocation = Arc::new(Allocation::new(extent, what, label, made));
        self.thaw(|fixed| fixed.insert(&allocation));
        self.live.insert(extent.start, allocation);
    }

    fn remove(&mut self, start: usize) -> Option<Arc<Allocation>> {
        let removed = self.live.remove(&start)?;
        self.thaw(|fixed| fixed.remove(start));
        Some(removed)
    }

    /// Changes what the next run gets, without a copy if no run has it.
    fn thaw(&mut self, change: impl FnOnce(&mut Fixed)) {
        match self.frozen.as_mut().and_then(Arc::get_mut) {
            Some(fixed) => change(fixed),
            None => self.frozen = None,
        }
    }

    fn freeze(&mut self) -> Arc<Fixed> {
        let Self { live, frozen, .. } = self;
        let fixed = frozen.get_or_insert_with(|| Arc::new(Fixed::new(live.values())));
        Arc::clone(fixed)
    }

    fn forget(&mut self, start: usize, end: usize) {
        while let Some(at) = overlapping(&self.live, start, end) {
            if let Some(stale) = self.remove(at) {
                stale.finish(End::default());
                self.keep_around(&stale, start, end);
            }
        }
        while let Some(at) = overlapping(&self.graves, start, end) {
            self.graves.remove(&at);
        }
    }

    /// What is left of the program's constants when a part of them gets a name of its own.
    fn keep_around(&mut self, stale: &Allocation, start: usize, end: usize) {
        if *stale.label != *CONSTANTS {
            return;
        }
        for (start, end) in [(stale.start, start), (end, stale.end())] {
            if start < end {
                let extent = Extent {
                    start,
                    bytes: end - start,
                    element: stale.element,
                    align: stale.align,
                    zone: 0,
                };
                let what = (Kind::Constant, Birth::Initialised);
                self.add(extent, what, CONSTANTS, stale.made);
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
    // The allocation that had these addresses is gone, or the operating system would not have given them out again.
    registry.forget(extent.start, end);
    registry.add(extent, what, label, made);
}

/// Adds memory as far as it is not known by parts already: the parts stay.
pub(super) fn add_between(extent: Extent, what: (Kind, Birth), label: &str, made: Origin) {
    let end = extent.start + extent.bytes;
    let mut registry = registry();
    let mut start = extent.start;
    while start < end {
        // What is known at `start` or behind it.
        let next = containing(&registry.live, start).or_else(|| {
            let (_, next) = registry.live.range(start..end).next()?;
            Some(next)
        });
        let (until, behind) = next.map_or((end, end), |next| (next.start.max(start), next.end()));
        if until > start {
            let piece = Extent {
                start,
                bytes: until - start,
                ..extent
            };
            registry.add(piece, what, label, made);
        }
        start = behind;
    }
}

/// Adds memory of which nothing is known yet; says whether it did.
pub(super) fn add_unknown(extent: Extent, what: (Kind, Birth), label: &str, made: Origin) -> bool {
    let Some(end) = extent.start.checked_add(extent.bytes) else {
        return false;
    };
    let mut registry = registry();
    if extent.bytes == 0 || overlapping(&registry.live, extent.start, end).is_some() {
        return false;
    }
    registry.forget(extent.start, end); // what was freed here
    registry.add(extent, what, label, made);
    true
}

/// Removes the memory that starts there, which its owner keeps.
pub(super) fn give_back(start: usize) {
    if let Some(memory) = registry().remove(start) {
        memory.finish(End::default());
    }
}

/// Removes the memory that starts there, and remembers it as freed until [`forget_freed`]; `None` if there is none.
pub(super) fn remove(start: usize, end: End) -> Option<Arc<Allocation>> {
    let mut registry = registry();
    let freed = registry.remove(start)?;
    freed.finish(end);
    registry.graves.insert(start, Arc::clone(&freed));
    Some(freed)
}

/// The freed memory with this start and serial number goes back to the host's allocator, which may give its addresses to the host.
pub(super) fn forget_freed(start: usize, serial: u64) {
    let graves = &mut registry().graves;
    if graves.get(&start).is_some_and(|one| one.serial == serial) {
        graves.remove(&start);
    }
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

/// It is not known any more which bytes have no value: native code wrote without telling.
pub(super) fn mark_all() {
    // Under the lock no thread adds memory between the two.
    if !TRACKS.load(Ordering::Relaxed) {
        return;
    }
    let registry = registry();
    TRACKS.store(false, Ordering::Relaxed);
    for memory in registry.live.values() {
        memory.mark_all();
    }
}

/// What the next run on this OS thread calls the memory from `start` on.
pub(super) fn name(start: usize, bytes: usize, label: &str) {
    let view = View {
        start,
        bytes,
        name: label.into(),
    };
    NAMES.with_borrow_mut(|names| names.push(view));
}

/// The next run on this OS thread only reads these bytes.
pub(super) fn reads_only(start: usize, bytes: usize) {
    ONLY_READ.with_borrow_mut(|all| all.push((start, bytes)));
}

/// By what the next run on this OS thread gets at memory.
pub(super) fn with_ways(note: impl FnOnce(&mut Ways)) {
    WAYS.with_borrow_mut(note);
}

/// By what the run that starts now gets at memory.
pub(super) fn ways() -> Ways {
    WAYS.take()
}

/// What was given for the next run on this OS thread is not for one after it.
pub(super) fn forget_views() {
    drop((NAMES.take(), ONLY_READ.take(), WAYS.take()));
}

/// What the run that starts now only reads.
pub(super) fn only_read() -> Vec<(usize, usize)> {
    ONLY_READ.take()
}

/// All memory of this moment, and the names for the run that starts now.
pub(super) fn freeze() -> (Arc<Fixed>, Vec<View>) {
    let names = NAMES.take();
    (registry().freeze(), names)
}

#[cfg(test)]
mod tests {
    use super::super::Snapshot;
    use super::*;

    /// Addresses that no other test uses: they are only numbers here.
    fn add_at(start: usize, bytes: usize, label: &str) {
        let extent = Extent {
            start,
            bytes,
            element: 1,
            align: 1,
            zone: 0,
        };
        let what = (Kind::Global, Birth::Initialised);
        add(extent, what, label, Origin::default());
    }

    /// Memory of 8 bytes each in a registry of its own.
    fn add_to(registry: &mut Registry, start: usize) {
        let extent = Extent {
            start,
            bytes: 8,
            element: 1,
            align: 1,
            zone: 0,
        };
        registry.forget(start, start + 8);
        let what = (Kind::Global, Birth::Initialised);
        registry.add(extent, what, "x", Origin::default());
    }

    #[test]
    fn what_a_run_gets_is_what_there_is() {
        let mut registry = Registry::new();
        let mut random = 1_u32;
        let mut shared = None;
        for step in 0..2000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // They overlap by 4 bytes.
            let start = 4 * (random >> 16) as usize % 400;
            if random >> 30 == 0 {
                registry.remove(start);
            } else {
                add_to(&mut registry, start);
            }
            let fixed = registry.freeze();
            for address in 0..420 {
                let found = fixed.find(address).map(|one| (one.start, one.serial));
                let there = containing(&registry.live, address);
                assert_eq!(found, there.map(|one| (one.start, one.serial)), "{address}");
            }
            // Runs that are not over share it for some steps.
            if step % 7 == 0 {
                shared = Some(fixed);
            } else if step % 7 == 3 {
                shared = None;
            }
        }
        drop(shared);
    }

    #[test]
    fn what_no_run_has_is_changed_without_a_copy() {
        let mut registry = Registry::new();
        add_to(&mut registry, 0);
        drop(registry.freeze());
        add_to(&mut registry, 8);
        registry.remove(0);
        assert!(registry.frozen.is_some());
        let fixed = registry.freeze();
        add_to(&mut registry, 16);
        assert!(registry.frozen.is_none());
        assert!(fixed.find(16).is_none());
        assert!(registry.freeze().find(16).is_some());
    }

    const GIB: usize = 1 << 30;
    const BASE: usize = 1 << 52;

    #[test]
    fn nothing_is_added_for_no_bytes() {
        add_at(BASE, 0, "empty");
        assert!(find(BASE).is_none());
        assert!(remove(BASE, End::default()).is_none());
    }

    #[test]
    fn addresses_are_found_from_the_first_to_the_last() {
        let start = BASE + GIB;
        add_at(start, 7, "x");
        add_at(start + 7, 9, "y");
        let label = |at: usize| find(at).map(|found| found.label.to_string());
        assert_eq!(label(start - 1), None);
        assert_eq!(label(start + 6).as_deref(), Some("x"));
        assert_eq!(label(start + 7).as_deref(), Some("y"));
        assert_eq!(label(start + 16), None);
    }

    #[test]
    fn addresses_used_again_are_not_freed_any_more() {
        let start = BASE + 2 * GIB;
        add_at(start, 64, "old");
        assert!(remove(start, End::default()).is_some());
        assert_eq!(&*find_freed(start + 63).unwrap().label, "old");
        add_at(start + 32, 8, "new");
        assert!(find_freed(start).is_none());
        assert_eq!(&*find(start + 32).unwrap().label, "new");
    }

    #[test]
    fn freed_memory_is_forgotten_by_its_serial_number() {
        let start = BASE + 7 * GIB;
        add_at(start, 64, "old");
        let old = remove(start, End::default()).unwrap();
        add_at(start, 64, "new");
        let new = remove(start, End::default()).unwrap();
        forget_freed(start, old.serial);
        assert_eq!(&*find_freed(start).unwrap().label, "new");
        forget_freed(start, new.serial);
        assert!(find_freed(start).is_none());
    }

    #[test]
    fn a_snapshot_does_not_find_what_was_freed_since() {
        let start = BASE + 3 * GIB;
        add_at(start, 64, "x");
        let snapshot = Snapshot::take();
        assert!(snapshot.find(start).is_some());
        remove(start, End::default());
        assert!(snapshot.find(start).is_none());
    }

    #[test]
    fn a_snapshot_finds_what_was_made_since_under_one_number() {
        let start = BASE + 4 * GIB;
        let snapshot = Snapshot::take();
        add_at(start, 64, "late");
        let (number, found) = snapshot.find_numbered(start + 1).unwrap();
        assert_eq!(&*found.label, "late");
        assert_eq!(snapshot.find_numbered(start + 63).unwrap().0, number);
        remove(start, End::default());
        add_at(start, 32, "later");
        let (next, found) = snapshot.find_numbered(start).unwrap();
        assert_eq!(&*found.label, "later");
        assert_ne!(next, number);
    }

    #[test]
    fn names_are_those_of_one_run_on_one_thread() {
        let start = BASE + 5 * GIB;
        add_at(start, 64, "buffer");
        name(start + 8, 0, "x");
        std::thread::scope(|scope| {
            scope.spawn(|| name(start, 0, "other"));
        });
        let snapshot = Snapshot::take();
        let buffer = snapshot.find(start).unwrap();
        let view = snapshot.view_at(buffer, start + 20).unwrap();
        assert_eq!((&*view.name, view.start), ("x", start + 8));
        assert!(snapshot.view_at(buffer, start + 7).is_none());
        assert!(Snapshot::take().view_at(buffer, start + 20).is_none());
    }

    #[test]
    fn a_constant_with_a_name_leaves_the_others_as_they_are() {
        let start = BASE + 6 * GIB;
        let all = Extent {
            start,
            bytes: 1000,
            element: 1,
            align: 1,
            zone: 0,
        };
        add_at(start + 10, 10, "before");
        let constant = (Kind::Constant, Birth::Initialised);
        add_between(all, constant, CONSTANTS, Origin::default());
        add_at(start + 100, 10, "after");
        let label = |at: usize| find(start + at).unwrap().label.to_string();
        for (at, wanted) in [
            (0, CONSTANTS),
            (9, CONSTANTS),
            (10, "before"),
            (19, "before"),
            (20, CONSTANTS),
            (99, CONSTANTS),
            (100, "after"),
            (110, CONSTANTS),
            (999, CONSTANTS),
        ] {
            assert_eq!(label(at), wanted, "{at}");
        }
    }

    #[test]
    fn threads_add_and_remove_side_by_side() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    let base = BASE + (10 + thread) * GIB;
                    for number in 0..200 {
                        add_at(base + number * 100, 60 + thread, "x");
                        assert!(Snapshot::take().find(base + number * 100 + 59).is_some());
                        if number % 2 == 0 {
                            remove(base + number * 100, End::default());
                        }
                    }
                    let left = (0..200).filter(|n| find(base + n * 100).is_some());
                    assert_eq!(left.count(), 100);
                });
            }
        });
    }
}
