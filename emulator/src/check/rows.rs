//! Rows of reads: many reads of one site, whose addresses grow by the same step, with nothing between them that others could notice. One
//! question for all of them; what is remembered is what asking one by one would have left.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::clock::Clocks;
use super::quick::{locked, quick_read};
use super::shadow::{Granule, Slot, What};
use super::space::CACHED;
use super::state::BlockChecks;
use crate::fiber::{self, Running};
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
    // What is remembered before one that has to be asked for on its own is found so again, which changes nothing.
    let shared = checks.windows[site as usize % CACHED].shared::<N>(row.address, row.span(N));
    let is_done = shared.is_some_and(|mut shared| {
        let reader = Reader::new(&checks.clocks, running.thread.get(), site);
        (0..row.count).all(|_| {
            let reads = |part: usize| {
                let (granule, stretch) = shared.behind(4 * part).first();
                reader.reads(granule, stretch)
            };
            let is_done = (0..N / 4).all(reads);
            shared = shared.behind(row.step);
            is_done
        })
    });
    (is_done || looks_at_some::<N>(running, checks, row, site)) && running.makes_steps(steps)
}

/// The same, where a space has to be looked at.
#[inline(never)]
fn looks_at_some<const N: usize>(
    running: &Running<'static>,
    checks: &BlockChecks,
    row: Row,
    site: u32,
) -> bool {
    // SAFETY: as in `quick::each_quick`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    let Some(entries) = space.entries_of_row::<N>(row) else {
        return false;
    };
    let (clocks, thread) = (&checks.clocks, running.thread.get());
    let now = (thread, What::new(What::READ, site));
    let reader = Reader::new(clocks, thread, site);
    let is_done = (0..row.count).all(|n| {
        (0..N / 4).all(|part| {
            let entry = entries.get(n * (row.step / 4) + part);
            let look = || locked(space, entry, || quick_read(clocks, space, entry, now));
            reader.is_quiet(entry.stretch()) || look()
        })
    });
    if is_done && (space.is_shared() || reader.is_quiet(entries.get(0).stretch())) {
        checks.windows[site as usize % CACHED].open_for_row::<N>(space, row);
    }
    is_done
}

/// What a read is compared with, or the reads of a row.
pub(super) struct Reader<'a> {
    clocks: &'a Clocks,
    now: Slot,
    warp_floor: u32,
    /// Stretches: of the block, of the lane's warp, and of what one lane has read.
    block: u32,
    warp: u32,
    one_reader: u32,
}

impl<'a> Reader<'a> {
    #[inline(always)]
    pub(super) fn new(clocks: &'a Clocks, thread: u32, site: u32) -> Self {
        let now = clocks.slot(thread, What::new(What::READ, site));
        Self {
            clocks,
            now,
            warp_floor: clocks.warp_floor(now.who),
            block: clocks.stretches.block(),
            warp: clocks.stretches.warp(thread),
            one_reader: clocks.stretches.one_reader(),
        }
    }

    /// Whether further reads of a granule with this stretch tell nothing.
    #[inline(always)]
    fn is_quiet(&self, stretch: u32) -> bool {
        stretch == self.block || stretch == self.warp || self.clocks.stretches.is_settled(stretch)
    }

    /// Whether the read of a granule of the block's shared memory is in order as far as its stretch says; then it is remembered, as
    /// `quick_read` would.
    #[inline(always)]
    pub(super) fn reads(&self, granule: &Granule, note: &AtomicU32) -> bool {
        let (stretch, clocks) = (note.load(Ordering::Relaxed), self.clocks);
        let [written, a, b] = &granule.slots;
        let apart = |slot: &Cell<Slot>| slot.get().who ^ self.now.who;
        if clocks.stretches.is_past(stretch) {
            a.set(self.now);
            note.store(self.one_reader, Ordering::Relaxed);
        } else if stretch == self.one_reader {
            let is_near = apart(a) < LANES;
            if apart(a) == 0 || is_near && a.get().t < self.warp_floor {
                a.set(self.now);
            } else {
                b.set(self.now);
                let next = if is_near { self.warp } else { self.block };
                note.store(next, Ordering::Relaxed);
            }
        } else if stretch != self.block && stretch != self.warp {
            let is_of_one_warp = clocks.stretches.is_of_a_warp(stretch)
                && written.get().t < clocks.shared_floor.get()
                && a.get().who ^ b.get().who < LANES
                && apart(a) >= LANES
                && apart(a) >> clocks.shift == 0;
            if !is_of_one_warp {
                return false;
            }
            b.set(self.now);
            note.store(self.block, Ordering::Relaxed);
        }
        true
    }
}
