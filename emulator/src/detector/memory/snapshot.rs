//! The memory that there is when a run starts, for quick look-ups, and what turns up later.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use super::allocation::Allocation;
use super::parts::Part;
use super::registry;
use crate::sync::StaticMutex;

/// What a run's accesses are compared with. One for each run, shared by its workers.
#[derive(Debug)]
pub(crate) struct Snapshot {
    fixed: Arc<Fixed>,
    late: StaticMutex<Late>,
    /// What the launch's parameters are called, by their start.
    views: Vec<View>,
    /// What the launch only reads: starts and lengths.
    only_read: Vec<(usize, usize)>,
    /// Of which allocations the launch gets at a part only: their starts.
    parts: Vec<(usize, Part)>,
}

/// A part of memory under the name of a kernel's parameter.
#[derive(Debug)]
pub(super) struct View {
    pub(super) start: usize,
    /// 0 if that is not known.
    pub(super) bytes: usize,
    pub(super) name: Box<str>,
}

/// All memory that there is at one moment. Runs between which nothing was allocated or freed share one.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    starts: Vec<usize>,
    allocations: Vec<Arc<Allocation>>,
}

/// What was allocated during the run: by its own lanes on the heap, or by other OS threads.
#[derive(Debug, Default)]
struct Late {
    /// By start: a number in `all`.
    newest: BTreeMap<usize, usize>,
    /// Never shrinks: references to these outlive the lock.
    all: Vec<Arc<Allocation>>,
}

impl Fixed {
    pub(crate) fn new<'a>(sorted: impl Iterator<Item = &'a Arc<Allocation>>) -> Self {
        let allocations: Vec<_> = sorted.cloned().collect();
        Self {
            starts: allocations.iter().map(|one| one.start).collect(),
            allocations,
        }
    }

    /// Adds one that overlaps with none.
    pub(super) fn insert(&mut self, allocation: &Arc<Allocation>) {
        let at = self
            .starts
            .partition_point(|start| *start < allocation.start);
        self.starts.insert(at, allocation.start);
        self.allocations.insert(at, Arc::clone(allocation));
    }

    /// Removes the one that starts there.
    pub(super) fn remove(&mut self, start: usize) {
        if let Ok(at) = self.starts.binary_search(&start) {
            self.starts.remove(at);
            self.allocations.remove(at);
        }
    }

    /// The allocation that an address lies in.
    pub(super) fn find(&self, address: usize) -> Option<&Allocation> {
        let after = self.starts.partition_point(|start| *start <= address);
        let found = &**self.allocations.get(after.checked_sub(1)?)?;
        found.contains(address).then_some(found)
    }
}

impl Snapshot {
    /// Of this moment, with the names that this OS thread gave since the last.
    pub(crate) fn take() -> Self {
        let (fixed, mut views) = registry::freeze();
        views.sort_by_key(|view| view.start);
        let parts = registry::ways().parts(&fixed);
        Self {
            parts,
            fixed,
            late: StaticMutex::default(),
            views,
            only_read: registry::only_read(),
        }
    }

    /// Of no memory: everything in it turns up later.
    pub(super) fn empty() -> Self {
        Self {
            fixed: Arc::default(),
            late: StaticMutex::default(),
            views: Vec::new(),
            only_read: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// The part of an allocation that the launch gets at; `None`: all of it.
    #[inline]
    pub(crate) fn part_of(&self, allocation: &Allocation) -> Option<Part> {
        let found = self.parts.iter().find(|(at, _)| *at == allocation.start);
        found.map(|(_, part)| *part)
    }

    /// Whether the launch only reads an allocation, as a whole.
    pub(crate) fn only_reads(&self, allocation: &Allocation) -> bool {
        let all = (allocation.start, allocation.bytes);
        self.only_read.contains(&all)
    }

    /// The allocation that an address lies in, if it is there.
    #[inline]
    pub(crate) fn find(&self, address: usize) -> Option<&Allocation> {
        self.find_numbered(address).map(|(_, found)| found)
    }

    /// [`Snapshot::find`], with a number that no other allocation of this run has: small, and dense.
    #[inline]
    pub(crate) fn find_numbered(&self, address: usize) -> Option<(usize, &Allocation)> {
        let after = self.fixed.starts.partition_point(|start| *start <= address);
        if let Some(at) = after.checked_sub(1) {
            let found = &*self.fixed.allocations[at];
            if found.contains(address) && !found.is_freed() {
                return Some((at, found));
            }
        }
        self.find_late(address)
    }

    #[cold]
    #[inline(never)]
    fn find_late(&self, address: usize) -> Option<(usize, &Allocation)> {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, found) = match late.find(address) {
            Some(known) => known,
            None => late.add(registry::find(address)?),
        };
        drop(late);
        // SAFETY: `late.all` keeps every allocation that it ever had as long as this snapshot exists, and an `Arc` does not move it.
        let found = unsafe { &*Arc::as_ptr(&found) };
        Some((self.fixed.starts.len() + number, found))
    }

    /// What the launch calls the memory at an address of `allocation`.
    pub(super) fn view_at(&self, allocation: &Allocation, address: usize) -> Option<&View> {
        let after = self.views.partition_point(|view| view.start <= address);
        let view = self.views[..after].last()?;
        allocation.contains(view.start).then_some(view)
    }
}

impl Late {
    fn find(&self, address: usize) -> Option<(usize, Arc<Allocation>)> {
        let (_, number) = self.newest.range(..=address).next_back()?;
        let found = &self.all[*number];
        (found.contains(address) && !found.is_freed()).then(|| (*number, Arc::clone(found)))
    }

    fn add(&mut self, found: Arc<Allocation>) -> (usize, Arc<Allocation>) {
        let number = self.all.len();
        // What had these addresses before is gone, or it could not be allocated again.
        let (start, end) = (found.start, found.end());
        let stale: Vec<_> = self.newest.range(start..end).map(|(at, _)| *at).collect();
        for at in stale {
            self.newest.remove(&at);
        }
        self.newest.insert(start, number);
        self.all.push(Arc::clone(&found));
        (number, found)
    }
}
