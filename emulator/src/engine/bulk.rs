//! Bulk copies under way: those that end at a barrier in memory, and those that a thread waits for in groups.
//!
//! A copy has read its source when it begins. What it writes lands when a thread looks at the barrier, as late as a GPU may let it land, or in the wait for
//! its group. Of each barrier at which copies end the bytes are counted that threads expect, and those that have landed.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::tensor::{Element, Reduction};

/// The bytes that a barrier in memory expects in its phase, and those that have landed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub(crate) expected: u64,
    pub(crate) landed: u64,
}

/// What a copy writes to shared memory when it lands: parts of as many bytes each.
#[derive(Debug)]
pub(crate) struct Landing {
    pub(crate) value: Box<[u8]>,
    /// Where each part goes to.
    pub(crate) parts: Box<[*mut u8]>,
    /// The memory that all of them fill, if they do: where it begins, and its bytes.
    pub(crate) whole: Option<(*mut u8, usize)>,
}

impl Landing {
    /// Each part, with where it goes to.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (*mut u8, &[u8])> {
        let bytes = self.value.len() / self.parts.len().max(1);
        self.parts
            .iter()
            .copied()
            .zip(self.value.chunks(bytes.max(1)))
    }
}

/// The barriers in memory of a set at which bulk copies end, by address.
#[derive(Debug, Default)]
pub(crate) struct Transactions(RefCell<HashMap<usize, Pending>>);

#[derive(Debug, Default)]
struct Pending {
    bytes: Bytes,
    landings: Vec<Landing>,
}

impl Transactions {
    /// Another set begins.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// The memory at this address is another barrier from now on, or none.
    pub(crate) fn forget(&self, barrier: usize) {
        self.0.borrow_mut().remove(&barrier);
    }

    /// The phase of this barrier has so many more bytes to wait for.
    pub(crate) fn expect(&self, barrier: usize, bytes: u64) {
        let mut all = self.0.borrow_mut();
        all.entry(barrier).or_default().bytes.expected += bytes;
    }

    /// A copy is under way that ends at this barrier.
    pub(crate) fn begin(&self, barrier: usize, landing: Landing) {
        let mut all = self.0.borrow_mut();
        all.entry(barrier).or_default().landings.push(landing);
    }

    /// The copies under way that end at this barrier; they count as landed.
    pub(crate) fn land(&self, barrier: usize) -> Vec<Landing> {
        let mut all = self.0.borrow_mut();
        let Some(pending) = all.get_mut(&barrier) else {
            return Vec::new();
        };
        let landings = std::mem::take(&mut pending.landings);
        let bytes: usize = landings.iter().map(|landing| landing.value.len()).sum();
        pending.bytes.landed += bytes as u64;
        landings
    }

    /// What the barrier expects in its phase.
    pub(crate) fn bytes(&self, barrier: usize) -> Bytes {
        let all = self.0.borrow();
        all.get(&barrier)
            .map(|pending| pending.bytes)
            .unwrap_or_default()
    }

    /// The phase has ended: of the next one nothing is expected yet.
    pub(crate) fn phase_ends(&self, barrier: usize) {
        if let Some(pending) = self.0.borrow_mut().get_mut(&barrier) {
            pending.bytes = Bytes::default();
        }
    }
}

impl Bytes {
    /// Whether all that is expected has landed, and no more.
    pub(crate) fn are_complete(self) -> bool {
        self.expected == self.landed
    }
}

/// A copy from shared memory to global memory.
#[derive(Debug)]
pub(crate) struct Store {
    /// Where its source lies, in shared memory.
    pub(crate) sources: Vec<Range<usize>>,
    pub(crate) value: Box<[u8]>,
    /// Where parts of `value` go to: the first byte, the address, the number of bytes.
    pub(crate) rows: Vec<(usize, *mut u8, usize)>,
    /// What is made of them and of what is there; `None`: they replace it.
    pub(crate) reduction: Option<(Element, Reduction)>,
}

/// The copies to global memory that a thread has begun: closed groups, oldest first, and those that belong to no group yet.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    groups: VecDeque<Vec<Store>>,
    open: Vec<Store>,
    /// Of how many groups, oldest first, the sources have been read, as the thread knows.
    n_read: usize,
}

impl Stores {
    pub(crate) fn begin(&mut self, store: Store) {
        self.open.push(store);
    }

    pub(crate) fn commit(&mut self) {
        let group = std::mem::take(&mut self.open);
        self.groups.push_back(group);
    }

    /// The sources of all groups but the latest `pending` have been read: those that the thread did not know of.
    pub(crate) fn read(&mut self, pending: usize) -> Vec<Range<usize>> {
        let until = self.groups.len().saturating_sub(pending);
        let from = self.n_read.min(until);
        self.n_read = self.n_read.max(until);
        let groups = self.groups.range(from..until);
        groups
            .flatten()
            .flat_map(|store| store.sources.clone())
            .collect()
    }

    /// Takes all groups but the latest `pending`.
    pub(crate) fn finish(&mut self, pending: usize) -> Vec<Store> {
        let n = self.groups.len().saturating_sub(pending);
        self.n_read = self.n_read.saturating_sub(n);
        self.groups.drain(..n).flatten().collect()
    }

    /// Takes all, in groups or not.
    pub(crate) fn finish_all(&mut self) -> Vec<Store> {
        self.commit();
        self.finish(0)
    }
}

impl Store {
    /// Writes the target.
    ///
    /// # Safety
    /// As the caller of the copy has promised: all rows can be written, and are aligned as elements are; other OS threads that access them at the same time do so by
    /// atomics.
    pub(crate) unsafe fn perform(&self) {
        for (at, to, bytes) in &self.rows {
            let from = &self.value[*at..*at + *bytes];
            match self.reduction {
                // SAFETY: the caller's promise.
                None => unsafe { from.as_ptr().copy_to_nonoverlapping(*to, *bytes) },
                // SAFETY: the caller's promise.
                Some((element, by)) => unsafe { reduce(*to, from, element, by) },
            }
        }
    }
}

/// # Safety
/// As for [`Store::perform`], of as many bytes as `from` has.
unsafe fn reduce(to: *mut u8, from: &[u8], element: Element, by: Reduction) {
    use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
    let width = element.bytes();
    for (i, given) in from.chunks_exact(width).enumerate() {
        let mut bits = [0; 8];
        bits[..width].copy_from_slice(given);
        let given = u64::from_le_bytes(bits);
        let at = to.wrapping_add(i * width);
        macro_rules! change {
            ($atomic:ty, $int:ty) => {{
                // SAFETY: the caller's promise.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                let new = |there: $int| Some(element.reduce(by, there.into(), given)? as $int);
                let _ = cell.try_update(Relaxed, Relaxed, new);
            }};
        }
        match width {
            2 => change!(AtomicU16, u16),
            4 => change!(AtomicU32, u32),
            _ => change!(AtomicU64, u64),
        }
    }
}
