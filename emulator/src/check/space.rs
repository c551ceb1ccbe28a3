//! Which memory an access goes to, with the entries of its bytes.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::memory::Allocation;
use super::shadow::{CHUNK, Table};

/// One piece of memory as accesses look it up: an allocation of global memory, or an array of a block's shared memory.
#[derive(Debug)]
pub(super) struct Space {
    /// Address of the first byte.
    pub(super) base: usize,
    /// Length. 0: no address is in it.
    pub(super) bytes: usize,
    /// 2 to this power is the length of a granule.
    pub(super) granule: u32,
    /// The number of the granule at `base` in `table`.
    pub(super) first: usize,
    pub(super) table: *const Table,
    /// Other OS threads may look at the same granules.
    pub(super) locked: bool,
    pub(super) what: What,
    /// In shared memory: when its block began. A write that is older is another block's.
    pub(super) start: u32,
}

/// Where a space comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Nowhere.
    Empty,
    /// Shared memory: the offset of the array in the arena, and the number of the block in the grid.
    Shared { array: u32, block: u32 },
    /// Global memory. Lives as long as the run.
    Global(*const Allocation),
    /// As `Global`, of which some bytes may have no value, or which may be freed meanwhile.
    Watched(*const Allocation),
    /// As `Global`, which kernels only read.
    ReadOnly(*const Allocation),
    /// Not checked.
    Ignored,
}

impl Space {
    /// No memory at all.
    pub(super) const EMPTY: Space = Space {
        base: 0,
        bytes: 0,
        granule: 0,
        first: 0,
        table: ptr::null(),
        locked: false,
        what: What::Empty,
        start: 0,
    };

    /// Whether `bytes` bytes at an address lie in it; they are aligned if it does.
    #[inline(always)]
    pub(super) fn holds(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.bytes && bytes <= self.bytes - offset
    }

    #[inline(always)]
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.what, What::Shared { .. })
    }

    /// Whether an access of `bytes` bytes, which it holds, needs no look at the allocation; what is written has a value then.
    #[inline(always)]
    pub(super) fn allows<const WRITE: bool>(&self, address: usize, bytes: usize) -> bool {
        match self.what {
            What::Shared { .. } | What::Global(_) => true,
            What::ReadOnly(_) => !WRITE,
            // SAFETY: the run's snapshot keeps it.
            What::Watched(one) => watched::<WRITE>(unsafe { &*one }, address, bytes),
            What::Empty | What::Ignored => false,
        }
    }

    pub(super) fn allocation(&self) -> Option<&Allocation> {
        match self.what {
            // SAFETY: the run's snapshot keeps it.
            What::Global(one) | What::Watched(one) | What::ReadOnly(one) => Some(unsafe { &*one }),
            _ => None,
        }
    }
}

// SAFETY: the pointers lead to what many threads may read, and stay as long as the run.
unsafe impl Sync for Space {}
// SAFETY: as above.
unsafe impl Send for Space {}

/// What no access finds anything in.
pub(super) static NOWHERE: Space = Space::EMPTY;

/// The places that looked up memory last: a site nearly always goes to the same. By site.
pub(super) const CACHED: usize = 64;

/// A part of a space whose granules lie side by side, where accesses of a size need no look at the allocation. A site's latest.
#[derive(Debug)]
pub(super) struct Window {
    base: Cell<usize>,
    /// 0: none.
    bytes: Cell<usize>,
    /// Those of its granules, from the first on.
    stretches: Cell<*const AtomicU32>,
}

impl Window {
    pub(super) const NONE: Self = Self {
        base: Cell::new(0),
        bytes: Cell::new(0),
        stretches: Cell::new(ptr::null()),
    };

    /// The size of granule, as a power of 2, that windows for `bytes` bytes have.
    pub(super) const fn granule(bytes: usize) -> u32 {
        match bytes {
            1 => 0,
            2 => 1,
            _ => 2,
        }
    }

    #[inline(always)]
    fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.base.get()) < self.bytes.get()
    }

    pub(super) fn close(&self) {
        self.bytes.set(0);
    }

    /// Opens it where `address` lies in `space`, if `space` has granules for accesses of `bytes` bytes, which need no look at the allocation.
    #[inline(always)]
    pub(super) fn move_to(&self, space: &Space, (address, bytes): (usize, usize), t0: u32) {
        let fits = space.granule == Self::granule(bytes)
            && !matches!(space.what, What::Watched(_))
            && !self.holds(address);
        if fits {
            self.open(space, address, t0);
        }
    }

    #[inline(never)]
    fn open(&self, space: &Space, address: usize, t0: u32) {
        let all = space.bytes >> space.granule;
        let here = (address - space.base) >> space.granule;
        let in_chunk = (space.first + here) % CHUNK;
        let from = here - in_chunk.min(here);
        // SAFETY: a space that is not empty has a table, as long as itself.
        let stretches = unsafe { (*space.table).stretches(space.first + from, t0) };
        let granules = stretches.len().min(all - from);
        self.base.set(space.base + (from << space.granule));
        self.bytes.set(granules << space.granule);
        self.stretches.set(stretches.as_ptr());
    }

    /// Whether each granule of `N` bytes at an address has one of two stretches. Only for the size that the window is for.
    #[inline(always)]
    pub(super) fn all_are<const N: usize>(&self, address: usize, either: u32, or: u32) -> bool {
        let offset = address.wrapping_sub(self.base.get());
        let bytes = self.bytes.get();
        if offset >= bytes || N > 4 && bytes - offset < N || !address.is_multiple_of(N) {
            return false;
        }
        let first = offset >> Self::granule(N);
        (first..first + (N >> Self::granule(N))).all(|index| {
            // SAFETY: a block's windows are closed before their tables end, and this one has more granules than `index`.
            let stretch = unsafe { &*self.stretches.get().add(index) };
            let stretch = stretch.load(Ordering::Relaxed);
            stretch == either || stretch == or
        })
    }
}

#[inline(never)]
fn watched<const WRITE: bool>(memory: &Allocation, address: usize, bytes: usize) -> bool {
    if memory.is_freed() || !WRITE && memory.missing(address, bytes).is_some() {
        return false;
    }
    if WRITE {
        memory.mark(address, bytes);
    }
    true
}
