//! Which memory an access goes to, with the entries of its bytes.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::memory::Allocation;
use super::rows::Row;
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
    /// The length for accesses that need no look at the allocation and have whole granules: of reads and writes, by `class`. 0: there are none.
    pub(super) quick: [[usize; 3]; 2],
    /// The same, for reads of global memory in granules of 4 bytes: first ones are remembered in lines.
    pub(super) lined: usize,
    /// Other OS threads may look at the same granules.
    pub(super) locked: bool,
    pub(super) what: What,
    /// The flags of a granule that says nothing but what was accessed.
    pub(super) flags: u32,
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
        chunks: Chunks::NONE,
        quick: [[0; 3]; 2],
        lined: 0,
        locked: false,
        what: What::Empty,
        flags: 0,
        start: 0,
    };

    /// Fills in what is found by the rest, now that this is in its place.
    pub(super) fn with_table(mut self, table: *const Table) -> Self {
        self.table = table;
        // SAFETY: the caller's table stays as long as this.
        self.chunks = unsafe { &*table }.chunks();
        let (reads, writes) = match self.what {
            What::Shared { .. } | What::Global(_) => (true, true),
            What::ReadOnly(_) => (true, false),
            What::Watched(_) | What::Empty | What::Ignored => (false, false),
        };
        if self.is_shared() {
            self.flags = flag::INIT;
        }
        let whole = self.bytes >> self.granule << self.granule;
        if self.base.is_multiple_of(1 << self.granule) {
            self.quick[0][self.granule as usize] = if reads { whole } else { 0 };
            self.quick[1][self.granule as usize] = if writes { whole } else { 0 };
            self.lined = if self.is_shared() {
                0
            } else {
                self.quick[0][2]
            };
        }
        self
    }

    /// The number of the first granule of `N` bytes at an address, if they lie here, aligned, in granules that are as long or of 4 bytes,
    /// and need no look at the allocation.
    #[inline(always)]
    pub(super) fn spot<const N: usize, const WRITE: bool>(&self, address: usize) -> Option<usize> {
        let class = const { class(N) };
        let offset = address.wrapping_sub(self.base);
        let bytes = self.quick[WRITE as usize][class];
        if offset >= bytes || N > 4 && bytes - offset < N || !address.is_multiple_of(N) {
            return None;
        }
        Some(self.first + (offset >> class))
    }

    /// The granules from that of a row's first read on, if all of the row lies here as `spot` wants it and its granules are of one chunk.
    #[inline(always)]
    pub(super) fn entries_of_row<const N: usize>(&self, row: Row) -> Option<Entries<'_>> {
        let bytes = self.quick[0][const { class(N) }];
        let offset = row.address.wrapping_sub(self.base);
        let is_inside = offset < bytes && row.span(N) <= bytes - offset;
        let first = self.first + (offset >> const { class(N) });
        let last = first + ((row.span(N) - 1) >> const { class(N) });
        if !is_inside || !row.address.is_multiple_of(N) || first / CHUNK != last / CHUNK {
            return None;
        }
        // SAFETY: the table is as long as this.
        unsafe { self.chunks.entries(first) }
    }

    /// Granule number `index` of the table, which is that of an address in here; `None`: nobody has asked for its neighbours yet.
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

/// A part of a space whose granules of 4 bytes lie side by side, where a site found reads that told nothing new. Such reads are all that it
/// is for, so that streams of new data leave it alone.
#[derive(Debug)]
#[repr(align(32))]
pub(super) struct Window {
    base: Cell<usize>,
    /// 0: none.
    bytes: Cell<usize>,
    /// Those of its granules: each is as long as the granule.
    stretches: Cell<*const AtomicU32>,
}

impl Window {
    pub(super) const fn closed() -> Self {
        Self {
            base: Cell::new(0),
            bytes: Cell::new(0),
            stretches: Cell::new(ptr::null()),
        }
    }

    pub(super) fn close(&self) {
        self.bytes.set(0);
    }

    /// Opens it where `address` lies in `space`, which has granules of 4 bytes and whose reads need no look at the allocation.
    #[cold]
    #[inline(never)]
    pub(super) fn open(&self, space: &Space, address: usize) {
        let all = space.quick[0][2] / 4;
        let here = (address - space.base) / 4;
        let from = here - ((space.first + here) % CHUNK).min(here);
        if let Some(stretches) = space.entry(space.first + from).map(Entry::stretches) {
            let in_chunk = CHUNK - (space.first + from) % CHUNK;
            self.base.set(space.base + from * 4);
            self.bytes.set(in_chunk.min(all - from) * 4);
            self.stretches.set(stretches);
        }
    }

    /// Whether each granule of `N` bytes at an address, 4 or a multiple, has this stretch or one that `or` wants.
    #[inline(always)]
    pub(super) fn all_are<const N: usize>(
        &self,
        address: usize,
        either: u32,
        or: impl Fn(u32) -> bool,
    ) -> bool {
        let offset = address.wrapping_sub(self.base.get());
        let bytes = self.bytes.get();
        if offset >= bytes || N > 4 && bytes - offset < N || !address.is_multiple_of(N) {
            return false;
        }
        let is = |n: usize| {
            // SAFETY: a window is closed before its table ends, and has so many granules.
            let stretch = unsafe { &*self.stretches.get().byte_add(offset + n) };
            let stretch = stretch.load(Ordering::Relaxed);
            stretch == either || or(stretch)
        };
        is(0) && (N <= 4 || is(4)) && (N <= 8 || is(8) && is(12))
    }

    /// Opens it for a row of reads of `N` bytes each that lies in `space`, unless it is open there.
    pub(super) fn open_for_row<const N: usize>(&self, space: &Space, row: Row) {
        if !self.holds_row::<N>(row) {
            self.open(space, row.address);
        }
    }

    #[inline(always)]
    fn holds_row<const N: usize>(&self, row: Row) -> bool {
        let offset = row.address.wrapping_sub(self.base.get());
        let bytes = self.bytes.get();
        offset < bytes && row.span(N) <= bytes - offset && row.address.is_multiple_of(N)
    }

    /// Whether each granule of a row of reads of `N` bytes each has a stretch that `is` wants.
    #[inline(always)]
    pub(super) fn all_of_row_are<const N: usize>(
        &self,
        row: Row,
        is: impl Fn(u32) -> bool,
    ) -> bool {
        if !self.holds_row::<N>(row) {
            return false;
        }
        let start = self.stretches.get();
        let mut at = start.wrapping_byte_add(row.address - self.base.get());
        // SAFETY: a window is closed before its table ends, and has so many granules.
        let stretch = |at: *const AtomicU32| unsafe { &*at }.load(Ordering::Relaxed);
        let first = stretch(at);
        if !is(first) {
            return false;
        }
        // Nearly always all have the same.
        let fits = |at| {
            let stretch = stretch(at);
            stretch == first || is(stretch)
        };
        let fits = |at: *const AtomicU32| (0..N / 4).all(|part| fits(at.wrapping_add(part)));
        let mut left = row.count;
        while left >= 4 {
            let third = at.wrapping_byte_add(2 * row.step);
            if !(fits(at)
                && fits(at.wrapping_byte_add(row.step))
                && fits(third)
                && fits(third.wrapping_byte_add(row.step)))
            {
                return false;
            }
            at = third.wrapping_byte_add(2 * row.step);
            left -= 4;
        }
        (0..left).all(|n| fits(at.wrapping_byte_add(n * row.step)))
    }
}

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
