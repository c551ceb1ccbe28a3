//! Which memory an access goes to, with the entries of its bytes.

use std::ptr;

use super::memory::Allocation;
use super::shadow::{CHUNK, Chunks, Entries, Entry, Table, flag};

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
    pub(super) chunks: Chunks,
    /// The length for accesses that need no check of the allocation and have whole granules: of reads and writes, by `class`. 0: there are none.
    pub(super) fast: [[usize; 3]; 2],
    /// The same, of reads and writes of global memory in granules of 4 bytes: first ones are remembered in lines.
    pub(super) lined: [usize; 2],
    /// other OS threads may access the same granules.
    pub(super) locked: bool,
    pub(super) what: SpaceKind,
    /// The flags of a granule that says nothing but what was accessed.
    pub(super) flags: u32,
    /// In shared memory: when its block began. A write that is older is another block's.
    pub(super) start: u32,
}

/// Where a space comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpaceKind {
    /// Nowhere.
    Empty,
    /// Shared memory: the offset of the array in the arena, and the number of the block in the grid.
    Shared { array: u32, block: u32 },
    /// Global memory. Stays as long as the run.
    Global(*const Allocation),
    /// As `Global`, of which some bytes may have no value, or which may be freed meanwhile.
    Watched(*const Allocation),
    /// As `Global`, which kernels only read, or which this launch only reads: no read of it is remembered.
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
        chunks: Chunks::NONE,
        fast: [[0; 3]; 2],
        lined: [0; 2],
        locked: false,
        what: SpaceKind::Empty,
        flags: 0,
        start: 0,
    };

    /// Fills in what is found by the rest, now that this is in its place.
    pub(super) fn with_table(mut self, table: *const Table) -> Self {
        self.table = table;
        // SAFETY: the caller's table stays as long as this.
        self.chunks = unsafe { &*table }.chunks();
        let (reads, writes) = match self.what {
            SpaceKind::Shared { .. } | SpaceKind::Global(_) => (true, true),
            SpaceKind::ReadOnly(_) => (true, false),
            SpaceKind::Watched(_) | SpaceKind::Empty | SpaceKind::Ignored => (false, false),
        };
        if self.is_shared() {
            self.flags = flag::INIT;
        }
        let whole = self.bytes >> self.granule << self.granule;
        if self.base.is_multiple_of(1 << self.granule) {
            self.fast[0][self.granule as usize] = if reads { whole } else { 0 };
            self.fast[1][self.granule as usize] = if writes { whole } else { 0 };
            if !self.is_shared() && !self.is_read_only() {
                self.lined = [self.fast[0][2], self.fast[1][2]];
            }
        }
        self
    }

    /// The number of the first granule of `N` bytes at an address, if they lie here, aligned, in granules that are as long or of 4 bytes,
    /// and need no check of the allocation.
    #[inline(always)]
    pub(super) fn spot<const N: usize, const WRITE: bool>(&self, address: usize) -> Option<usize> {
        let class = const { class(N) };
        let offset = address.wrapping_sub(self.base);
        let bytes = self.fast[WRITE as usize][class];
        if offset >= bytes || N > 4 && bytes - offset < N || !address.is_multiple_of(N) {
            return None;
        }
        Some(self.first + (offset >> class))
    }

    /// The granules from that of a row's first read on, if all of the row lies here as `spot` wants it and its granules are of one chunk.
    #[inline(always)]
    pub(super) fn entries_of_row<const N: usize>(&self, row: Row) -> Option<Entries<'_>> {
        let offset = row.address.wrapping_sub(self.base);
        let first = self.first + (offset >> const { class(N) });
        let last = first + ((row.span(N) - 1) >> const { class(N) });
        if !self.holds_row::<N>(row) || first / CHUNK != last / CHUNK {
            return None;
        }
        // SAFETY: the table is as long as this.
        unsafe { self.chunks.entries(first) }
    }

    /// Whether all of a row lies here as `spot` wants it.
    #[inline(always)]
    pub(super) fn holds_row<const N: usize>(&self, row: Row) -> bool {
        let bytes = self.fast[0][const { class(N) }];
        let offset = row.address.wrapping_sub(self.base);
        offset < bytes && row.span(N) <= bytes - offset && row.address.is_multiple_of(N)
    }

    /// Granule number `index` of the table, which is that of an address in here; `None`: its neighbours have not been asked for yet.
    #[inline(always)]
    pub(super) fn entry(&self, index: usize) -> Option<Entry<'_>> {
        // SAFETY: the table is as long as this.
        unsafe { self.chunks.entry(index) }
    }

    /// Whether `bytes` bytes at an address lie in it; they are aligned if it does.
    #[inline(always)]
    pub(super) fn holds(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.bytes && bytes <= self.bytes - offset
    }

    #[inline(always)]
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.what, SpaceKind::Shared { .. })
    }

    #[inline(always)]
    pub(super) fn is_read_only(&self) -> bool {
        matches!(self.what, SpaceKind::ReadOnly(_))
    }

    /// Whether an access of `bytes` bytes, which it holds, needs no check of the allocation; what is written has a value then.
    #[inline(always)]
    pub(super) fn allows<const WRITE: bool>(&self, address: usize, bytes: usize) -> bool {
        match self.what {
            SpaceKind::Shared { .. } | SpaceKind::Global(_) => true,
            SpaceKind::ReadOnly(_) => !WRITE,
            // SAFETY: the run's snapshot keeps it.
            SpaceKind::Watched(one) => watched::<WRITE>(unsafe { &*one }, address, bytes),
            SpaceKind::Empty | SpaceKind::Ignored => false,
        }
    }

    pub(super) fn allocation(&self) -> Option<&Allocation> {
        match self.what {
            SpaceKind::Global(one) | SpaceKind::Watched(one) | SpaceKind::ReadOnly(one) => {
                // SAFETY: the run's snapshot keeps it.
                Some(unsafe { &*one })
            }
            _ => None,
        }
    }
}

/// A row of reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The lowest.
    pub(super) address: usize,
    /// From one to the next, in bytes: a multiple of what each reads.
    pub(super) step: usize,
    /// How many, at least one.
    pub(super) count: usize,
    /// The code makes them from the highest down.
    pub(super) down: bool,
}

/// The bit of a row's count that says [`Row::down`].
const DOWN: u32 = 1 << 31;

impl Row {
    #[inline(always)]
    pub(super) fn new(at: *const u8, step: u64, count: u32) -> Self {
        Self {
            address: at.addr(),
            step: step as usize,
            count: (count & !DOWN) as usize,
            down: count & DOWN != 0,
        }
    }

    /// The address of the read that the code makes first.
    pub(super) fn first_read(self) -> usize {
        if self.down {
            self.address + self.step * (self.count - 1)
        } else {
            self.address
        }
    }

    /// From each read of the code to the next, in bytes, modulo 2^64.
    pub(super) fn step_to_next(self) -> usize {
        if self.down {
            self.step.wrapping_neg()
        } else {
            self.step
        }
    }

    /// From the first byte to behind the last, if each read has `bytes` bytes.
    #[inline(always)]
    pub(super) fn span(self, bytes: usize) -> usize {
        self.step * (self.count - 1) + bytes
    }
}

// SAFETY: the pointers lead to what many threads may read, and stay as long as the run.
unsafe impl Sync for Space {}
// SAFETY: as above.
unsafe impl Send for Space {}

/// The size of granule that accesses of so many bytes go with, as a power of 2.
const fn class(bytes: usize) -> usize {
    match bytes {
        1 => 0,
        2 => 1,
        _ => 2,
    }
}

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
