//! Rows of reads: many reads of one site, whose addresses grow by the same step, with nothing between them that others could notice. One
//! question for all of them; what is remembered is what asking one by one would have left.

use std::cell::Cell;

use super::clock::Clocks;
use super::quick::{locked, quick_read};
use super::shadow::{Entries, Entry, Slot, What};
use super::space::{CACHED, Space};
use super::state::BlockChecks;
use crate::fiber;
use crate::warp::LANES;

/// A row of reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The lowest.
    pub(super) address: usize,
    /// From one to the next, in bytes: a multiple of what each reads.
    pub(super) step: usize,
    /// How many, at least one.
    pub(super) count: usize,
}

impl Row {
    #[inline(always)]
    fn new(at: *const u8, step: u64, count: u32) -> Self {
        Self {
            address: at.addr(),
            step: step as usize,
            count: count as usize,
        }
    }

    /// From the first byte to behind the last, if each read has `bytes` bytes.
    #[inline(always)]
    pub(super) fn span(self, bytes: usize) -> usize {
        self.step * (self.count - 1) + bytes
    }
}

/// The lane reads a row next, `N` bytes each. True: it may, that is remembered as far as it tells anything new, and `steps` steps are counted.
/// False: each read has to be asked for on its own, and nothing is counted.
// As in `quick::read`: what is not here is a call in tail position.
#[inline(always)]
pub(super) fn read<const N: usize>(
    at: *const u8,
    step: u64,
    count: u32,
    steps: u32,
    site: u32,
) -> bool {
    let Some((running, checks)) = fiber::checked() else {
        return true;
    };
    let stretches = &checks.clocks.stretches;
    let is_quiet = |stretch| {
        stretch == stretches.block()
            || stretch == stretches.warp(running.thread.get())
            || stretches.is_settled(stretch)
    };
    let window = &checks.windows[site as usize % CACHED];
    let row = Row::new(at, step, count);
    if !window.all_of_row_are::<N>(row, is_quiet) || !running.makes_steps(steps) {
        return read_some::<N>(at, step, count, steps, site);
    }
    true
}

/// The same, where some may tell something new.
#[inline(never)]
extern "C-unwind" fn read_some<const N: usize>(
    at: *const u8,
    step: u64,
    count: u32,
    steps: u32,
    site: u32,
) -> bool {
    let Some((running, checks)) = fiber::checked() else {
        return true;
    };
    let row = Row::new(at, step, count);
    // SAFETY: as in `quick::each_quick`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    let Some(entries) = space.entries_of_row::<N>(row) else {
        return false;
    };
    let reader = Reader::new(checks, space, running.thread.get(), site);
    // What is remembered before one that has to be asked for on its own is found so again, which changes nothing.
    let is_done = if space.is_shared() {
        row.all::<N>(entries, |entry| reader.reads(entry))
    } else {
        let look = |entry: Entry<'_>| locked(space, entry, || reader.looks(entry));
        row.all::<N>(entries, |entry| reader.is_quiet(entry) || look(entry))
    };
    if is_done && reader.is_quiet(entries.get(0)) {
        checks.windows[site as usize % CACHED].open_for_row::<N>(space, row);
    }
    is_done && running.makes_steps(steps)
}

impl Row {
    /// Whether `is` says so of each granule of what `entries_of_row` gave.
    #[inline(always)]
    fn all<const N: usize>(self, entries: Entries<'_>, is: impl Fn(Entry<'_>) -> bool) -> bool {
        (0..self.count).all(|n| (0..N / 4).all(|part| is(entries.get(n * (self.step / 4) + part))))
    }
}

/// What the reads of a row have in common.
struct Reader<'a> {
    clocks: &'a Clocks,
    space: &'a Space,
    thread: u32,
    now: Slot,
    /// What is older is past.
    old: u32,
    warp_floor: u32,
    /// Stretches: of the block, of the lane's warp, and of what one lane has read.
    block: u32,
    warp: u32,
    one_reader: u32,
}

impl<'a> Reader<'a> {
    #[inline(always)]
    fn new(checks: &'a BlockChecks, space: &'a Space, thread: u32, site: u32) -> Self {
        let clocks = &checks.clocks;
        let now = clocks.slot(thread, What::new(What::READ, site));
        Self {
            clocks,
            space,
            thread,
            now,
            old: clocks.old(space),
            warp_floor: clocks.warp_floor(now.who),
            block: clocks.stretches.block(),
            warp: clocks.stretches.warp(thread),
            one_reader: clocks.stretches.one_reader(),
        }
    }

    /// Whether further reads of this granule tell nothing.
    #[inline(always)]
    fn is_quiet(&self, entry: Entry<'_>) -> bool {
        let stretch = entry.stretch();
        stretch == self.block || stretch == self.warp || self.clocks.stretches.is_settled(stretch)
    }

    /// Whether the read is in order as far as floors say; then it is remembered. As `looks` does, of the block's shared memory: the ways that
    /// most reads take there.
    #[inline(always)]
    fn reads(&self, entry: Entry<'_>) -> bool {
        let stretch = entry.stretch();
        let apart = |slot: &Cell<Slot>| slot.get().who ^ self.now.who;
        if stretch == self.one_reader {
            let first = &entry.slots[1];
            let is_near = apart(first) < LANES;
            if apart(first) == 0 || is_near && first.get().t < self.warp_floor {
                first.set(self.now);
            } else {
                entry.slots[2].set(self.now);
                entry.set_stretch(if is_near { self.warp } else { self.block });
            }
            return true;
        }
        entry.leave_line(self.space.locked);
        let ([written, a, b], old) = (entry.times(), self.old);
        if written < old && written >= self.space.start {
            if a < old && b < old && entry.flags() == self.space.flags {
                entry.slots[1].set(self.now);
                entry.set_stretch(self.one_reader);
                return true;
            }
            let of_another_warp = self.clocks.stretches.is_of_a_warp(stretch);
            if of_another_warp && stretch != self.warp && apart(&entry.slots[1]) >= LANES {
                let kept = entry.slots[1].get().who ^ entry.slots[2].get().who;
                if apart(&entry.slots[1]) >> self.clocks.shift == 0 && kept < LANES {
                    entry.slots[2].set(self.now);
                    entry.set_stretch(self.block);
                    return true;
                }
            }
        }
        self.is_quiet(entry) || self.looks(entry)
    }

    /// Whether the read is in order as far as floors say; then it is remembered.
    #[inline(never)]
    fn looks(&self, entry: Entry<'_>) -> bool {
        quick_read(self.clocks, self.space, entry, (self.thread, self.now.what))
    }
}
