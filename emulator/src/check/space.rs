//! Which memory an access goes to, with the entries of its bytes.

use std::ptr;

use super::memory::Allocation;
use super::shadow::Table;

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
