//! Granules in lines, and the line along which the lanes of a site go (README 8).

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::line::{FRESH, LINE, READ, WRITTEN, replace};
use super::shadow::Entry;
use super::slot::Slot;
use super::space::Space;

/// The line along which the lanes of a site go: what its record says, so that further accesses check nothing else. By site.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Cursor {
    /// The address of the line's first byte.
    base: Cell<usize>,
    epochs: Cell<*const AtomicU32>,
    /// The access that its record has of the first granule.
    first: Cell<Slot>,
    /// Bytes of each access. 0: no line.
    bytes: Cell<u32>,
    /// The line's reads are those of the lanes that write now.
    own_reads: Cell<bool>,
    /// other OS threads may access the same granules.
    locked: Cell<bool>,
}

impl Cursor {
    pub(super) const fn new() -> Self {
        Self {
            base: Cell::new(0),
            epochs: Cell::new(ptr::null()),
            first: Cell::new(Slot::NONE),
            bytes: Cell::new(0),
            own_reads: Cell::new(false),
            locked: Cell::new(false),
        }
    }

    /// Whether a read of `N` bytes is one of those that the line's record stands for; then it is remembered.
    #[inline(always)]
    pub(super) fn reads<const N: usize>(&self, address: usize, now: Slot) -> bool {
        self.each::<N>(address, now, |epoch| {
            let known = epoch.load(Ordering::Relaxed);
            known == READ || known == FRESH && replace(epoch, known, READ, self.locked.get())
        })
    }

    /// The same of a write.
    #[inline(always)]
    pub(super) fn writes<const N: usize>(&self, address: usize, now: Slot) -> bool {
        self.each::<N>(address, now, |epoch| {
            let known = epoch.load(Ordering::Relaxed);
            let may_write = known == FRESH || known == READ && self.own_reads.get();
            known == WRITTEN || may_write && replace(epoch, known, WRITTEN, self.locked.get())
        })
    }

    #[inline(always)]
    fn each<const N: usize>(
        &self,
        address: usize,
        now: Slot,
        is: impl Fn(&AtomicU32) -> bool,
    ) -> bool {
        let (offset, first) = (address.wrapping_sub(self.base.get()), self.first.get());
        let is_like_it = offset <= 4 * LINE - N
            && self.bytes.get() == N as u32
            && address.is_multiple_of(N)
            && now.who.wrapping_sub((offset / N) as u32) == first.who
            && now.t == first.t
            && now.what == first.what;
        let epoch = |n: usize| {
            // SAFETY: the line is in a table that stays as long as the run, and has an epoch for each granule.
            unsafe { &*self.epochs.get().wrapping_byte_add(offset + n) }
        };
        is_like_it
            && is(epoch(0))
            && (N <= 4 || is(epoch(4)))
            && (N <= 8 || is(epoch(8)) && is(epoch(12)))
    }

    /// Goes to the line of an entry for the granule at `address`, whose record stands for `now`.
    #[inline(always)]
    pub(super) fn go_to<const N: usize>(
        &self,
        space: &Space,
        entry: Entry<'_>,
        address: usize,
        now: Slot,
    ) {
        let inside = entry.inside() % LINE;
        let (base, end) = (
            address.wrapping_sub(4 * inside),
            space.base + space.lined[0],
        );
        // A line that reaches out of the space would hide accesses past its end.
        let is_whole = base.wrapping_sub(space.base) < end - space.base && end - base >= 4 * LINE;
        let before = (4 * inside / N) as u32;
        let first = now.who.wrapping_sub(before);
        let read = &entry.line().read;
        self.bytes.set(if is_whole { N as u32 } else { 0 });
        self.base.set(base);
        self.epochs.set(entry.epochs().wrapping_sub(inside));
        self.first.set(Slot { who: first, ..now });
        self.own_reads.set(read.is_of::<N>(first));
        self.locked.set(space.locked);
    }
}

impl Entry<'_> {
    /// Remembers an access of `N` bytes, which are four or a multiple, in the line, if the granule is fresh or has been accessed like this;
    /// `locked`: other OS threads may access it. False: the granule has to be checked.
    #[inline(always)]
    pub(super) fn is_in_line_now<const N: usize, const WRITE: bool>(
        self,
        now: Slot,
        locked: bool,
    ) -> bool {
        let (line, known) = (self.line(), self.epoch());
        let before = 4 * (self.inside() % LINE) / const { if N < 4 { 4 } else { N } };
        let first = now.who.wrapping_sub(before as u32);
        let (record, own) = if WRITE {
            (&line.write, WRITTEN)
        } else {
            (&line.read, READ)
        };
        let may =
            known == FRESH || known == own || WRITE && known == READ && line.read.is_of::<N>(first);
        may && record.stands_for::<N>(first, now, locked)
            && (known == own || replace(self.note(), known, own, locked))
    }

    /// Whether the line remembers something of the granule.
    #[inline(always)]
    pub(super) fn is_in_line(self) -> bool {
        matches!(self.epoch(), READ | WRITTEN)
    }

    /// Lets the granule remember by itself what the line does. To be called with its lock before what it remembers is read;
    /// `locked`: other OS threads may access it.
    #[inline(always)]
    pub(super) fn leave_line(self, locked: bool) {
        if matches!(self.epoch(), FRESH | READ | WRITTEN) {
            self.take_from_line(locked);
        }
    }

    #[inline(never)]
    fn take_from_line(self, locked: bool) {
        let inside = self.inside() % LINE;
        match self.take_epoch(locked) {
            READ => self.slots[1].set(self.line().read.slot(inside)),
            WRITTEN => self.overwrite(self.line().write.slot(inside)),
            _ => {}
        }
    }
}
