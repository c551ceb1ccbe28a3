//! What is remembered of neighbouring granules together.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::slot::{AccessKind, Slot};

/// Granules of a line, 64 bytes of data: what half a warp accesses side by side, or a row of a block of 16 columns.
pub(super) const LINE: usize = 16;

/// The epoch of a granule that has not been accessed in this run. It remembers what is past, and need not be checked.
pub(super) const FRESH: u32 = 0;

/// That of a granule of which the line alone remembers a read. Nothing else has this number: `epochs::new` gives no multiple of 4096.
pub(super) const READ: u32 = 1 << 12;

/// The same, of a write, which is all that is remembered of the granule. It has the bit of `READ`, and no other epoch has these bits alone.
pub(super) const WRITTEN: u32 = 3 << 12;

/// What is remembered of the granules of a line which are [`READ`], and of those which are [`WRITTEN`].
#[derive(Debug)]
#[repr(C)]
pub(super) struct Line {
    pub(super) read: Record,
    pub(super) write: Record,
}

/// An access that is remembered of granules of a line: of each by the lane as far behind `first` as the granule lies behind the start of
/// the line. Written once in a run, by the lane that comes first.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Record {
    first: Cell<u32>,
    t: Cell<u32>,
    what: Cell<AccessKind>,
    /// 0: nothing yet. 1: a lane writes it. Else there, of accesses of so many bytes: 4, 8 or 16.
    state: AtomicU32,
}

const BUSY: u32 = 1;

impl Record {
    /// Whether it stands for accesses of `N` bytes like this one, by a lane with `first` before it; it does if it stood for nothing.
    #[inline(always)]
    pub(super) fn stands_for<const N: usize>(&self, first: u32, now: Slot, locked: bool) -> bool {
        let state = self.state.load(Ordering::Acquire);
        if state != N as u32 {
            return state == 0 && self.claim(first, now, N as u32, locked);
        }
        self.first.get() == first && self.t.get() == now.t && self.what.get() == now.what
    }

    /// Makes it stand for such accesses, if it stands for none; whether it does.
    #[inline(always)]
    fn claim(&self, first: u32, now: Slot, bytes: u32, locked: bool) -> bool {
        if locked && !replace(&self.state, 0, BUSY, true) {
            return false; // for other lanes, most likely
        }
        self.first.set(first);
        self.t.set(now.t);
        self.what.set(now.what);
        self.state.store(bytes, Ordering::Release);
        true
    }

    /// The site and the kind of all accesses that it stands for.
    #[inline(always)]
    pub(super) fn what(&self) -> AccessKind {
        self.what.get()
    }

    /// The access to granule number `inside` of the line.
    pub(super) fn slot(&self, inside: usize) -> Slot {
        let bytes = self.state.load(Ordering::Acquire) as usize;
        Slot {
            who: self.first.get().wrapping_add((4 * inside / bytes) as u32),
            t: self.t.get(),
            what: self.what.get(),
        }
    }
}

impl Record {
    /// Whether it stands for accesses of `N` bytes by lanes with `first` before them.
    #[inline(always)]
    pub(super) fn is_of<const N: usize>(&self, first: u32) -> bool {
        self.state.load(Ordering::Acquire) == N as u32 && self.first.get() == first
    }
}

/// Replaces an epoch, and if `locked` only if it is `from` still; whether it did. An access of another OS thread takes the epoch away
/// before it compares.
#[inline(always)]
pub(super) fn replace(epoch: &AtomicU32, from: u32, to: u32, locked: bool) -> bool {
    if locked {
        let replaced = epoch.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
        return replaced.is_ok();
    }
    epoch.store(to, Ordering::Relaxed);
    true
}
