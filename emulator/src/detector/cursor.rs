//! Granules in lines, and the line along which the lanes of a site go (README 8).

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::epochs;
use super::line::{FRESH, LINE, Line, READ, WRITTEN, replace};
use super::shadow::{CHUNK, Entry};
use super::slot::{AccessKind, Slot};
use super::space::Space;

/// The line along which the lanes of a site go: what its record says, so that further accesses check nothing else. By site. Here lanes
/// have their numbers in the block: blocks that come later have other times.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Cursor {
    /// The site, and the bytes of each access; or [`NO_LINE`].
    tag: Cell<u32>,
    t: Cell<u32>,
    /// The epoch that no granule may have which is written: [`READ`], unless the line's reads are those of the lanes that write now.
    not_written: Cell<u32>,
    /// Other OS threads may access the same granules.
    locked: Cell<bool>,
    /// The address of the line's first granule.
    start: Cell<usize>,
    /// The address that lane 0 would access.
    origin: Cell<usize>,
    /// Where the epoch of the granule at address 0 would be.
    epochs: Cell<*const AtomicU32>,
    /// The line, and how many whole ones of its chunk lie behind it in the space.
    line: Cell<*const Line>,
    n_behind: Cell<u32>,
}

/// The tag where there is no line: that of no site.
const NO_LINE: u32 = u32::MAX;

/// An epoch that no granule has.
const NEVER: u32 = u32::MAX;

// No other epoch has the bits of these alone: `reads` and `writes` ask for nothing else.
const _: () = assert!(FRESH == 0 && READ & WRITTEN == READ && epochs::NONE & !WRITTEN != 0);

/// An access of a lane, as a cursor compares it.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub(super) address: usize,
    /// The lane's number in the block.
    pub(super) thread: u32,
    /// The lane's time.
    pub(super) t: u32,
    pub(super) site: u32,
}

impl Cursor {
    pub(super) const fn new() -> Self {
        Self {
            tag: Cell::new(NO_LINE),
            t: Cell::new(0),
            not_written: Cell::new(READ),
            locked: Cell::new(false),
            start: Cell::new(0),
            origin: Cell::new(0),
            epochs: Cell::new(ptr::null()),
            line: Cell::new(ptr::null()),
            n_behind: Cell::new(0),
        }
    }

    /// Sites have 24 bits. That of a site with 4 bytes is the site itself, which costs nothing.
    #[inline(always)]
    const fn tag<const N: usize>(site: u32) -> u32 {
        let width = const {
            match N {
                4 => 0,
                8 => 1,
                _ => 2,
            }
        };
        site + (width << 24)
    }

    /// Whether a read of `N` bytes is one of those that the line's record stands for; then it is remembered.
    #[inline(always)]
    pub(super) fn reads<const N: usize>(&self, here: Here) -> bool {
        self.each::<N>(here, |epoch| {
            let known = epoch.load(Ordering::Relaxed);
            // Fresh, or read.
            known & !READ == 0 && self.remembers(epoch, known, READ)
        })
    }

    /// The same of a write.
    #[inline(always)]
    pub(super) fn writes<const N: usize>(&self, here: Here) -> bool {
        self.each::<N>(here, |epoch| {
            let known = epoch.load(Ordering::Relaxed);
            // Fresh, or read or written as the line says.
            let may_write = known & !WRITTEN == 0 && known != self.not_written.get();
            may_write && self.remembers(epoch, known, WRITTEN)
        })
    }

    /// Lets a granule with this epoch have another, if it still has this one.
    // Storing what is there already takes less than asking for it.
    #[inline(always)]
    fn remembers(&self, epoch: &AtomicU32, known: u32, own: u32) -> bool {
        if self.locked.get() {
            return known == own || replace(epoch, known, own, true);
        }
        epoch.store(own, Ordering::Relaxed);
        true
    }

    #[inline(always)]
    fn each<const N: usize>(&self, here: Here, is: impl Fn(&AtomicU32) -> bool) -> bool {
        let Here {
            address,
            thread,
            t,
            site,
        } = here;
        // An address that is so far from an aligned one is aligned. So all bytes of an access that begins in the line are in it.
        let is_like_it = self.origin.get().wrapping_add(N * thread as usize) == address
            && Self::tag::<N>(site) == self.tag.get()
            && address.wrapping_sub(self.start.get()) < 4 * LINE
            && t == self.t.get();
        let epoch = |n: usize| {
            // SAFETY: the line is in a table that stays as long as the run, and has an epoch for each granule.
            unsafe { &*self.epochs.get().wrapping_byte_add(address + n) }
        };
        is_like_it
            && is(epoch(0))
            && (N <= 4 || is(epoch(4)))
            && (N <= 8 || is(epoch(8)) && is(epoch(12)))
    }

    /// Goes on to the next line, if this is the access to it that follows those to this one; then the access is remembered.
    #[inline(always)]
    pub(super) fn goes_on<const N: usize, const WRITE: bool>(&self, here: Here, who: u32) -> bool {
        let is_next = self.origin.get().wrapping_add(N * here.thread as usize) == here.address
            && Self::tag::<N>(here.site) == self.tag.get()
            && here.address.wrapping_sub(self.start.get()) == 4 * LINE
            && here.t == self.t.get()
            && self.n_behind.get() != 0;
        if !is_next {
            return false;
        }
        let next = self.line.get().wrapping_add(1);
        // SAFETY: the chunk has this line too, and stays as long as the run.
        let line = unsafe { &*next };
        let kind = const {
            if WRITE {
                AccessKind::WRITE
            } else {
                AccessKind::READ
            }
        };
        let now = Slot {
            who,
            t: here.t,
            what: AccessKind::new(kind, here.site),
        };
        let record = if WRITE { &line.write } else { &line.read };
        if !record.stands_for::<N>(who, now, self.locked.get()) {
            return false;
        }
        self.line.set(next);
        self.n_behind.set(self.n_behind.get() - 1);
        self.start.set(here.address);
        self.may_write_what_is_read(WRITE && line.read.is_of::<N>(who));
        if WRITE {
            self.writes::<N>(here)
        } else {
            self.reads::<N>(here)
        }
    }

    /// Goes to the line of the entry of the granule that is accessed, whose record stands for this access by lane `who` of the grid.
    #[inline(always)]
    pub(super) fn go_to<const N: usize>(
        &self,
        space: &Space,
        entry: Entry<'_>,
        here: Here,
        who: u32,
    ) {
        let inside = entry.inside() % LINE;
        let (base, end) = (
            here.address.wrapping_sub(4 * inside),
            space.base + space.lined[0],
        );
        // A line that reaches out of the space would hide accesses past its end.
        let is_whole = base.wrapping_sub(space.base) < end - space.base && end - base >= 4 * LINE;
        let before = (4 * inside / N) as u32;
        let read = &entry.line().read;
        self.tag.set(if is_whole {
            Self::tag::<N>(here.site)
        } else {
            NO_LINE
        });
        self.start.set(base);
        self.t.set(here.t);
        self.origin
            .set(here.address.wrapping_sub(N * here.thread as usize));
        self.epochs
            .set(entry.epochs().wrapping_byte_sub(here.address));
        self.may_write_what_is_read(read.is_of::<N>(who.wrapping_sub(before)));
        self.locked.set(space.locked);
        self.line.set(entry.line());
        let in_space = (end - base) / (4 * LINE);
        let in_chunk = (CHUNK - entry.inside()).div_ceil(LINE);
        let n = in_space.min(in_chunk);
        self.n_behind.set(n.saturating_sub(1) as u32);
    }

    fn may_write_what_is_read(&self, may: bool) {
        self.not_written.set(if may { NEVER } else { READ });
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
