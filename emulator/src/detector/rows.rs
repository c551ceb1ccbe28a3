//! Rows of reads: many reads of one site, whose addresses grow by the same step, with nothing between them that others could notice. One
//! question for all of them; what is remembered is what asking one by one would have left.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::clock::Clocks;
use super::fast::{fast_read, locked};
use super::observed::read_row;
use super::shadow::{Entries, Granule};
use super::slot::{AccessKind, Slot};
use super::space::{CACHED, Row, Space};
use super::state::{BlockChecks, current};
use crate::engine::fiber::Running;
use crate::engine::warp::LANES;

/// The lane reads a row next, `N` bytes each. True: it may, that is remembered as far as it tells anything new, and `steps` steps are counted.
/// False: each read has to be asked for on its own, and nothing is counted.
// As in `fast::read`: what is not here is a call in tail position.
#[inline(always)]
pub(super) fn read<const N: usize>(
    at: *const u8,
    step: u64,
    count: u32,
    steps: u32,
    site: u32,
) -> bool {
    let Some((running, checks)) = current() else {
        return true;
    };
    let epochs = &checks.clocks.epochs;
    let is_quiet = |epoch| {
        epoch == epochs.block()
            || epoch == epochs.warp(running.thread.get())
            || epochs.is_settled(epoch)
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
    let Some((running, checks)) = current() else {
        return true;
    };
    let row = Row::new(at, step, count);
    // What is remembered before one that has to be asked for on its own is found so again, which changes nothing.
    let shared = checks.windows[site as usize % CACHED].shared::<N>(row.address, row.span(N));
    let is_done = shared.is_some_and(|mut shared| {
        let reader = Reader::new(&checks.clocks, running.thread.get(), site);
        (0..row.count).all(|_| {
            let reads = |part: usize| {
                let (granule, epoch) = shared.behind(4 * part).first();
                reader.reads(granule, epoch)
            };
            let is_done = (0..N / 4).all(reads);
            shared = shared.behind(row.step);
            is_done
        })
    });
    if checks.observer.is_some() {
        return read_row::<N>(running, checks, row, (steps, site));
    }
    (is_done || looks_at_some::<N>(running, checks, row, site)) && running.makes_steps(steps)
}

/// The same, where a space has to be checked.
#[inline(never)]
fn looks_at_some<const N: usize>(
    running: &Running<'static>,
    checks: &BlockChecks,
    row: Row,
    site: u32,
) -> bool {
    // SAFETY: as in `fast::each_fast`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    if space.is_read_only() && space.holds_row::<N>(row) {
        checks.windows[site as usize % CACHED].open_to_read(space, row.address);
        return true;
    }
    let Some(entries) = space.entries_of_row::<N>(row) else {
        return false;
    };
    let reader = Reader::new(&checks.clocks, running.thread.get(), site);
    let is_done = reader.reads_row::<N>(space, entries, row);
    if is_done && (space.is_shared() || reader.is_quiet(entries.get(0).epoch())) {
        checks.windows[site as usize % CACHED].open_for_row::<N>(space, row);
    }
    is_done
}

/// Whether all reads of a row in `space` are in order as far as bounds say; then they are remembered. If not, some of them may.
#[inline(always)]
pub(super) fn is_in_order<const N: usize>(
    running: &Running<'static>,
    checks: &BlockChecks,
    space: &Space,
    row: Row,
    site: u32,
) -> bool {
    if space.is_read_only() {
        return space.holds_row::<N>(row);
    }
    let reader = Reader::new(&checks.clocks, running.thread.get(), site);
    let entries = space.entries_of_row::<N>(row);
    entries.is_some_and(|entries| reader.reads_row::<N>(space, entries, row))
}

/// What a read is compared with, or the reads of a row.
pub(super) struct Reader<'a> {
    clocks: &'a Clocks,
    now: Slot,
    warp_bound: u32,
    /// Epochs: of the block, of the lane's warp, and of what one lane has read.
    block: u32,
    warp: u32,
    one_reader: u32,
}

impl<'a> Reader<'a> {
    #[inline(always)]
    pub(super) fn new(clocks: &'a Clocks, thread: u32, site: u32) -> Self {
        let now = clocks.slot(thread, AccessKind::new(AccessKind::READ, site));
        Self {
            clocks,
            now,
            warp_bound: clocks.warp_bound(now.who),
            block: clocks.epochs.block(),
            warp: clocks.epochs.warp(thread),
            one_reader: clocks.epochs.one_reader(),
        }
    }

    /// Whether all reads of a row with these granules in `space` are in order as far as bounds say; then they are remembered.
    #[inline(always)]
    fn reads_row<const N: usize>(&self, space: &Space, entries: Entries<'_>, row: Row) -> bool {
        // Most lanes read what others have read before, the same of all of it.
        let (first, shape) = (entries.get(0).epoch(), (row.step / 4, row.count, N / 4));
        if self.is_quiet(first) && entries.all_are(shape, first) {
            return true;
        }
        let (clocks, now) = (self.clocks, self.now);
        let lane = (now.who - clocks.base.get(), now.what);
        (0..row.count).all(|n| {
            (0..N / 4).all(|part| {
                let entry = entries.get(n * (row.step / 4) + part);
                let look = || locked(space, entry, || fast_read(clocks, space, entry, lane));
                self.is_quiet(entry.epoch()) || look()
            })
        })
    }

    /// Whether further reads of a granule with this epoch tell nothing.
    #[inline(always)]
    fn is_quiet(&self, epoch: u32) -> bool {
        epoch == self.block || epoch == self.warp || self.clocks.epochs.is_settled(epoch)
    }

    /// Whether the read of a granule of the block's shared memory is in order as far as its epoch says; then it is remembered, as
    /// `fast_read` would.
    #[inline(always)]
    pub(super) fn reads(&self, granule: &Granule, note: &AtomicU32) -> bool {
        let (epoch, clocks) = (note.load(Ordering::Relaxed), self.clocks);
        let [written, a, b] = &granule.slots;
        let apart = |slot: &Cell<Slot>| slot.get().who ^ self.now.who;
        if clocks.epochs.is_past(epoch) {
            a.set(self.now);
            note.store(self.one_reader, Ordering::Relaxed);
        } else if epoch == self.one_reader {
            let is_near = apart(a) < LANES;
            if apart(a) == 0 || is_near && a.get().t < self.warp_bound {
                a.set(self.now);
            } else {
                b.set(self.now);
                let next = if is_near { self.warp } else { self.block };
                note.store(next, Ordering::Relaxed);
            }
        } else if epoch != self.block && epoch != self.warp {
            let is_of_one_warp = clocks.epochs.is_of_a_warp(epoch)
                && written.get().t < clocks.shared_bound.get()
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
