//! What lanes read by relaxed atomics that told nothing: kept for an acquire fence, should one come.

use std::cell::Cell;

/// Addresses that are kept of what a lane reads.
pub(super) const MAX_PENDING: usize = 16;

/// Which addresses each lane of a block read last by relaxed atomics that told nothing else: an acquire fence of the lane announces them
/// (README 7). Most lanes make none, so this is no part of what they know.
#[derive(Debug)]
pub(super) struct PendingAcquires {
    lanes: Box<[Cell<[usize; MAX_PENDING]>]>,
    /// How many each lane has read.
    n: Box<[Cell<usize>]>,
    any: Cell<bool>,
}

impl PendingAcquires {
    pub(super) fn new(n_threads: u32) -> Self {
        let n = n_threads as usize;
        Self {
            lanes: vec![Cell::default(); n].into(),
            n: vec![Cell::default(); n].into(),
            any: Cell::new(false),
        }
    }

    /// A new block begins.
    pub(super) fn clear(&self) {
        if self.any.replace(false) {
            self.n.iter().for_each(|n| n.set(0));
        }
    }

    /// A lane reads an address.
    #[inline]
    pub(super) fn add(&self, thread: u32, address: usize) {
        let (lane, n) = (&self.lanes[thread as usize], &self.n[thread as usize]);
        let (addresses, before) = (lane.as_array_of_cells(), n.get());
        // A lane that polls reads one again and again: that must not take the place of the others.
        let known = addresses.iter().take(before);
        if known.into_iter().all(|known| known.get() != address) {
            addresses[before % MAX_PENDING].set(address);
            n.set(before + 1);
            self.any.set(true);
        }
    }

    /// Whether there may be any.
    pub(super) fn any(&self) -> bool {
        self.any.get()
    }

    /// Those of a lane.
    pub(super) fn of(&self, thread: u32) -> impl Iterator<Item = usize> + use<> {
        let n = self.n[thread as usize].get();
        let addresses = self.lanes[thread as usize].get();
        addresses.into_iter().take(n)
    }

    /// The same, which are forgotten.
    pub(super) fn take(&self, thread: u32) -> impl Iterator<Item = usize> + use<> {
        let addresses = self.of(thread);
        self.n[thread as usize].set(0);
        addresses
    }
}
