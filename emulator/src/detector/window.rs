//! Parts of memory that sites have accessed before: where the granules of further accesses are found without a search of the space.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::shadow::{CHUNK, Granule};
use super::space::{Row, Space};

/// A part of a space whose granules of 4 bytes lie side by side, where a site found reads that told nothing new. Such reads are all that it
/// is for in global memory, so that streams of new data leave it alone. In shared memory it is for all reads and writes.
#[derive(Debug)]
#[repr(C, align(32))]
pub(super) struct Window {
    base: Cell<usize>,
    /// 0: none.
    bytes: Cell<u32>,
    /// As many in shared memory, else 0.
    shared: Cell<u32>,
    /// Those of its granules: each is as long as the granule. Null: of memory that the launch only reads, of which nothing is remembered; so not where there are none,
    /// as this is what is asked first.
    epochs: Cell<*const AtomicU32>,
    granules: Cell<*const Granule>,
}

const _: () = assert!(size_of::<Window>() == 32);

impl Window {
    pub(super) const fn closed() -> Self {
        Self {
            base: Cell::new(0),
            bytes: Cell::new(0),
            shared: Cell::new(0),
            epochs: Cell::new(ptr::dangling()),
            granules: Cell::new(ptr::null()),
        }
    }

    pub(super) fn close_if_shared(&self) {
        if self.shared.replace(0) != 0 {
            self.bytes.set(0);
        }
    }

    /// Opens it where `address` lies in `space`, which has granules of 4 bytes and whose reads need no check of the allocation.
    #[cold]
    #[inline(never)]
    pub(super) fn open(&self, space: &Space, address: usize) {
        let all = space.fast[0][2] / 4;
        let here = (address - space.base) / 4;
        let from = here - ((space.first + here) % CHUNK).min(here);
        if let Some(first) = space.entry(space.first + from) {
            let in_chunk = CHUNK - (space.first + from) % CHUNK;
            let bytes = in_chunk.min(all - from) as u32 * 4;
            self.base.set(space.base + from * 4);
            self.bytes.set(bytes);
            self.shared.set(if space.is_shared() { bytes } else { 0 });
            self.epochs.set(first.epochs());
            self.granules.set(first.granules());
        }
    }

    /// Opens it where `address` lies in `space`, which the launch only reads.
    #[cold]
    #[inline(never)]
    pub(super) fn open_to_read(&self, space: &Space, address: usize) {
        const MOST: usize = u32::MAX as usize & !15;
        let from = (address - space.base) / MOST * MOST;
        self.base.set(space.base + from);
        self.bytes.set(MOST.min(space.fast[0][2] - from) as u32);
        self.shared.set(0);
        self.epochs.set(ptr::null());
    }

    /// Opens it where `N` bytes at an address lie in `space`, if that is shared memory with granules of 4 bytes, and it is not open there.
    #[inline(always)]
    pub(super) fn open_if_shared<const N: usize>(&self, space: &Space, address: usize) {
        if N >= 4 && space.is_shared() && self.shared::<N>(address, N).is_none() {
            let is_there = space.spot::<N, true>(address).is_some();
            if is_there {
                self.open(space, address);
            }
        }
    }

    /// The granules of shared memory from an address on, if that lies here, aligned to `N` bytes, with `span` bytes.
    #[inline(always)]
    pub(super) fn shared<const N: usize>(&self, address: usize, span: usize) -> Option<Shared<'_>> {
        let offset = address.wrapping_sub(self.base.get());
        let bytes = self.shared.get() as usize;
        let is_here = offset < bytes && (span <= 4 || span <= bytes - offset);
        (N >= 4 && is_here && address.is_multiple_of(N)).then(|| Shared {
            granule: self.granules.get().wrapping_byte_add(BY_BYTE * offset),
            note: self.epochs.get().wrapping_byte_add(offset),
            window: PhantomData,
        })
    }

    /// Whether the launch only reads the `N` bytes at an address, 4 or a multiple.
    #[inline(always)]
    pub(super) fn is_only_read<const N: usize>(&self, address: usize) -> bool {
        self.epochs.get().is_null() && self.holds::<N>(address)
    }

    #[inline(always)]
    fn holds<const N: usize>(&self, address: usize) -> bool {
        let offset = address.wrapping_sub(self.base.get());
        let bytes = self.bytes.get() as usize;
        offset < bytes && (N <= 4 || bytes - offset >= N) && address.is_multiple_of(N)
    }

    /// Whether each granule of `N` bytes at an address, 4 or a multiple, has this epoch or one that `or` wants.
    #[inline(always)]
    pub(super) fn all_are<const N: usize>(
        &self,
        address: usize,
        either: u32,
        or: impl Fn(u32) -> bool,
    ) -> bool {
        if self.epochs.get().is_null() || !self.holds::<N>(address) {
            return false;
        }
        let offset = address.wrapping_sub(self.base.get());
        let is = |n: usize| {
            // SAFETY: a window is closed before its table ends, and has so many granules.
            let epoch = unsafe { &*self.epochs.get().wrapping_byte_add(offset + n) };
            let epoch = epoch.load(Ordering::Relaxed);
            epoch == either || or(epoch)
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
        let bytes = self.bytes.get() as usize;
        offset < bytes && row.span(N) <= bytes - offset && row.address.is_multiple_of(N)
    }

    /// Whether all granules of a row of reads of `N` bytes each have the same epoch, one that `is` wants.
    #[inline(always)]
    pub(super) fn all_of_row_are<const N: usize>(
        &self,
        row: Row,
        is: impl Fn(u32) -> bool,
    ) -> bool {
        if !self.holds_row::<N>(row) {
            return false;
        }
        if self.epochs.get().is_null() {
            return true;
        }
        let offset = row.address - self.base.get();
        let at = self.epochs.get().wrapping_byte_add(offset);
        // SAFETY: a window is closed before its table ends, and has so many granules.
        let first = unsafe { &*at }.load(Ordering::Relaxed);
        if !is(first) {
            return false;
        }
        if self.shared.get() == 0 {
            // SAFETY: as above.
            let epoch = |at: *const AtomicU32| unsafe { &*at }.load(Ordering::Relaxed);
            all_of_row::<N>(row, at, |at| epoch(at) == first)
        } else if row.step == N {
            // SAFETY: as above. No other OS thread gets at granules of shared memory.
            unsafe { all_side_by_side(at.cast(), row.count * (N / 4), first) }
        } else {
            // SAFETY: as above.
            let epoch = |at: *const AtomicU32| unsafe { at.cast::<u32>().read() };
            all_of_row::<N>(row, at, |at| epoch(at) == first)
        }
    }
}

/// Whether `is` says so of each granule of a row of reads of `N` bytes each, from that of its first.
#[inline(always)]
fn all_of_row<const N: usize>(
    row: Row,
    mut at: *const AtomicU32,
    is: impl Fn(*const AtomicU32) -> bool,
) -> bool {
    let all = |at: *const AtomicU32| (0..N / 4).all(|part| is(at.wrapping_add(part)));
    let (step, mut left) = (row.step, row.count);
    while left >= 4 {
        let next = at.wrapping_byte_add(2 * step);
        if !(all(at)
            && all(at.wrapping_byte_add(step))
            && all(next)
            && all(next.wrapping_byte_add(step)))
        {
            return false;
        }
        at = next.wrapping_byte_add(2 * step);
        left -= 4;
    }
    (0..left).all(|n| all(at.wrapping_byte_add(n * step)))
}

/// Whether `count` numbers from `at` on are all `first`.
///
/// # Safety
/// They are there, and no other thread accesses them meanwhile.
#[inline(always)]
unsafe fn all_side_by_side(mut at: *const u32, count: usize, first: u32) -> bool {
    let two = u64::from(first) << 32 | u64::from(first);
    let mut left = count;
    while left >= 8 {
        let pairs = at.cast::<u64>();
        // SAFETY: the caller's promise: there are eight more.
        let pair = |n: usize| unsafe { pairs.wrapping_add(n).read_unaligned() };
        if !(0..4).all(|n| pair(n) == two) {
            return false;
        }
        at = at.wrapping_add(8);
        left -= 8;
    }
    // SAFETY: the caller's promise.
    (0..left).all(|n| unsafe { at.wrapping_add(n).read() } == first)
}

/// Granules of shared memory, in a window.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    granule: *const Granule,
    note: *const AtomicU32,
    window: PhantomData<&'a Window>,
}

/// Bytes of a granule by byte that it stands for.
const BY_BYTE: usize = size_of::<Granule>() / 4;

impl<'a> Shared<'a> {
    /// The first, with its epoch.
    #[inline(always)]
    pub(super) fn first(self) -> (&'a Granule, &'a AtomicU32) {
        // SAFETY: a window is closed before its table ends, and has so many granules.
        let granule = unsafe { &*self.granule };
        // SAFETY: as above, and each granule has an epoch.
        (granule, unsafe { &*self.note })
    }

    /// Those from so many bytes behind the first on: first of all, within what was asked for.
    #[inline(always)]
    pub(super) fn behind(self, bytes: usize) -> Self {
        Self {
            granule: self.granule.wrapping_byte_add(BY_BYTE * bytes),
            note: self.note.wrapping_byte_add(bytes),
            window: PhantomData,
        }
    }
}
