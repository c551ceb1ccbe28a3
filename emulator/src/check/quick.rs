//! The quick way of reads and writes: what tells nothing new, and what floors order.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use super::access::{is_wider, thorough};
use super::clock::Clocks;
use super::lines::read_first;
use super::rows::Reader;
use super::shadow::{Entry, Slot, What, flag};
use super::space::{CACHED, Space};
use super::state::BlockChecks;
use super::stretch::NONE;
use crate::fiber::{self, Running};
use crate::warp::LANES;

/// `N` bytes are read.
// All that is not here is a call in tail position, so that this needs no frame: most reads of a loop tell nothing new.
#[inline(always)]
pub(super) fn read<const N: usize>(at: *const u8, site: u32) {
    let Some((running, checks)) = fiber::checked() else {
        return;
    };
    let was_last = running.was_last_step();
    let clocks = &checks.clocks;
    let or = |stretch| {
        stretch == clocks.stretches.warp(running.thread.get())
            || clocks.stretches.is_settled(stretch)
    };
    let window = &checks.windows[site as usize % CACHED];
    if was_last || N < 4 {
        read_quick::<N>(at, site);
    } else if !window.all_are::<N>(at.addr(), clocks.stretches.block(), or) {
        // SAFETY: as in `each_quick`.
        if unsafe { &*checks.cache[site as usize % CACHED].get() }.is_shared() {
            read_shared::<N>(at, site); // which has no lines
        } else {
            read_first::<N>(at, site);
        }
    }
}

/// A read of shared memory, not the lane's last step.
#[inline(never)]
extern "C-unwind" fn read_shared<const N: usize>(at: *const u8, site: u32) {
    let Some((running, checks)) = fiber::checked() else {
        return;
    };
    let thread = running.thread.get();
    let is_read = checks.windows[site as usize % CACHED]
        .shared::<N>(at.addr(), N)
        .is_some_and(|shared| {
            let reader = Reader::new(&checks.clocks, thread, site);
            (0..N / 4).all(|n| {
                let (granule, stretch) = shared.behind(4 * n).first();
                reader.reads(granule, stretch)
            })
        });
    if !is_read {
        read_quick::<N>(at, site);
    }
}

/// A read that tells something new, or of what lies elsewhere.
#[inline(never)]
pub(super) extern "C-unwind" fn read_quick<const N: usize>(at: *const u8, site: u32) {
    let Some((running, checks)) = fiber::checked() else {
        return;
    };
    running.end_after_last_step(site);
    let clocks = &checks.clocks;
    let thread = running.thread.get();
    let (warp, block) = (clocks.stretches.warp(thread), clocks.stretches.block());
    let quick = each_quick::<N, false>(checks, at.addr(), site, |space, entry| {
        let stretch = entry.stretch();
        if stretch == warp || stretch == block || clocks.stretches.is_settled(stretch) {
            if N >= 4 {
                checks.windows[site as usize % CACHED].open(space, at.addr());
            }
            return true;
        }
        let what = What::new(What::READ, site);
        if space.locked {
            entry.lock();
        }
        let done = quick_read(clocks, space, entry, (thread, what));
        if space.locked {
            entry.unlock();
        }
        done
    });
    if !quick {
        look_up_quick::<N, false>(running, checks, at.addr(), None, site);
    }
    // SAFETY: as in `each_quick`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    checks.windows[site as usize % CACHED].open_if_shared::<N>(space, at.addr());
}

/// `N` bytes are written.
// As `read`: what is here is for shared memory that has values, and whose earlier accesses are past.
#[inline(always)]
pub(super) fn write<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    let Some((running, checks)) = fiber::checked() else {
        return;
    };
    let was_last = running.was_last_step();
    let shared = checks.windows[site as usize % CACHED].shared::<N>(at.addr(), N);
    let is_quick = !was_last
        && shared.is_some_and(|shared| {
            let stretches = &checks.clocks.stretches;
            (0..N / 4).all(|n| {
                let (granule, stretch) = shared.behind(4 * n).first();
                let is_past = stretches.is_past(stretch.load(Ordering::Relaxed));
                if is_past {
                    // What else it remembers is past, and stays.
                    let what = What::new(What::WRITE, site);
                    granule.slots[0].set(checks.clocks.slot(running.thread.get(), what));
                    stretch.store(stretches.one_writer(), Ordering::Relaxed);
                }
                is_past
            })
        });
    if was_last {
        write_quick::<N>(at, value, site);
    } else if !is_quick {
        write_shared::<N>(at, value, site);
    } else {
        running.memory_changed();
    }
}

/// A write that is perhaps to shared memory, where nothing but what is past or of the lane itself is remembered; not the lane's last step.
#[inline(never)]
fn write_shared<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    let Some((running, checks)) = fiber::checked() else {
        return;
    };
    let clocks = &checks.clocks;
    let now = clocks.slot(running.thread.get(), What::new(What::WRITE, site));
    let old = clocks.shared_floor.get();
    let shared = checks.windows[site as usize % CACHED].shared::<N>(at.addr(), N);
    let is_written = shared.is_some_and(|shared| {
        (0..N / 4).all(|n| {
            let (granule, stretch) = shared.behind(4 * n).first();
            let mut slots = granule.slots.iter().map(Cell::get);
            let is_in_order = slots.all(|slot| slot.t < old || slot.who == now.who);
            if !is_in_order || granule.flags() != flag::INIT {
                return false;
            }
            granule.overwrite(now);
            stretch.store(clocks.stretches.one_writer(), Ordering::Relaxed);
            true
        })
    });
    if is_written {
        running.memory_changed();
    } else {
        write_quick::<N>(at, value, site);
    }
}

#[inline(never)]
fn write_quick<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    let Some((running, checks)) = fiber::checked() else {
        return;
    };
    running.end_after_last_step(site);
    running.memory_changed();
    let clocks = &checks.clocks;
    let thread = running.thread.get();
    let quick = each_quick::<N, true>(checks, at.addr(), site, |space, entry| {
        let now = clocks.slot(thread, What::new(What::WRITE, site));
        locked(space, entry, || quick_write(clocks, space, entry, now))
    });
    if !quick {
        look_up_quick::<N, true>(running, checks, at.addr(), value, site);
    }
    // SAFETY: as in `each_quick`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    checks.windows[site as usize % CACHED].open_if_shared::<N>(space, at.addr());
}

/// Whether `is_done` says so of all granules of an access to memory that its site has accessed before.
#[inline(always)]
fn each_quick<const N: usize, const WRITE: bool>(
    checks: &BlockChecks,
    address: usize,
    site: u32,
    is_done: impl Fn(&Space, Entry<'_>) -> bool,
) -> bool {
    // SAFETY: a cached space is `NOWHERE`, the run's, or a block's of this set: it lives until these restart, and the cache is empty then.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    let Some(first) = space.spot::<N, WRITE>(address) else {
        return false;
    };
    let is = |index| {
        space
            .entry(index)
            .is_some_and(|entry| is_done(space, entry))
    };
    is(first) && (N <= 4 || is(first + 1)) && (N <= 8 || is(first + 2) && is(first + 3))
}

/// Does something with a granule while other OS threads keep away.
#[inline(always)]
pub(super) fn locked(space: &Space, entry: Entry<'_>, act: impl FnOnce() -> bool) -> bool {
    if space.locked {
        entry.lock();
    }
    let done = act();
    if space.locked {
        entry.unlock();
    }
    done
}

/// An access that may tell something new.
#[inline(never)]
fn look_up_quick<const N: usize, const WRITE: bool>(
    running: &Running<'static>,
    checks: &BlockChecks,
    address: usize,
    value: Option<u64>,
    site: u32,
) {
    let what = What::new(if WRITE { What::WRITE } else { What::READ }, site);
    // SAFETY: as in `each_quick`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    if !space.holds(address, N)
        || !address.is_multiple_of(N)
        || N >> space.granule == 0
        || !space.allows::<WRITE>(address, N)
    {
        return thorough(running, checks, (address, N, N), value, what);
    }
    let clocks = &checks.clocks;
    let thread = running.thread.get();
    let first = space.first + ((address - space.base) >> space.granule);
    for index in first..first + (N >> space.granule) {
        // SAFETY: a space that is not empty has a table, as long as itself.
        let entry = unsafe { (*space.table).entry(index, checks.t0) };
        let done = locked(space, entry, || {
            if WRITE {
                quick_write(clocks, space, entry, clocks.slot(thread, what))
            } else {
                quick_read(clocks, space, entry, (thread, what))
            }
        });
        if !done {
            // Those that are done already are looked at again, which changes nothing.
            return thorough(running, checks, (address, N, N), value, what);
        }
    }
}

/// Whether a read by lane number `thread` is in order as far as floors say; then it is remembered.
#[inline(always)]
pub(super) fn quick_read(
    clocks: &Clocks,
    space: &Space,
    entry: Entry<'_>,
    (thread, what): (u32, What),
) -> bool {
    entry.leave_line(space.locked);
    let ([written, a, b], old) = (entry.times(), clocks.old(space));
    let flags = entry.flags() & !flag::LOCKED;
    let is_past = written < old && a < old && b < old;
    if is_past && written >= space.start && flags == space.flags {
        entry.slots[1].set(clocks.slot(thread, what));
        entry.set_stretch(clocks.stretches.one_reader());
        return true;
    }
    let stretch = entry.stretch();
    if stretch == clocks.stretches.one_reader() {
        second_read(clocks, entry, clocks.slot(thread, what));
        return true;
    }
    if clocks.stretches.is_of_a_warp(stretch) && written < old {
        let (now, [_, a, b]) = (clocks.slot(thread, what), &entry.slots);
        let (a, b) = (a.get().who, b.get().who);
        let apart = a ^ now.who;
        if apart >= LANES && apart >> clocks.shift == 0 && a / LANES == b / LANES {
            // The two that are kept are of another warp of the block.
            entry.slots[2].set(now);
            entry.set_stretch(clocks.stretches.block());
            return true;
        }
    }
    newer_read(clocks, space, entry, thread, what)
}

/// Remembers a read of a granule that one lane has read in this stretch of the block's, all else in it being past.
#[inline(always)]
fn second_read(clocks: &Clocks, entry: Entry<'_>, now: Slot) {
    let first = entry.slots[1].get();
    let apart = first.who ^ now.who;
    let is_passed = apart < LANES && first.t < clocks.warp_floor(now.who);
    if apart == 0 || is_passed {
        entry.slots[1].set(now);
        return;
    }
    entry.slots[2].set(now);
    entry.set_stretch(if apart < LANES {
        clocks.stretches.warp(now.who - clocks.base.get())
    } else {
        clocks.stretches.block()
    });
}

/// The same, if the granule remembers something newer.
// The lane and the kind one by one: a slot would go through memory, for the sake of this call, on all other ways too.
#[inline(never)]
fn newer_read(clocks: &Clocks, space: &Space, entry: Entry<'_>, thread: u32, what: What) -> bool {
    let now = clocks.slot(thread, what);
    let flags = entry.flags();
    let has_value = !space.is_shared()
        || entry.slots[0].get().t >= space.start && flags & flag::INIT == flag::INIT;
    if flags & (flag::SPLIT | flag::COPYING) != 0 || !has_value {
        return false;
    }
    let [written, a, b] = &entry.slots;
    let (written, a, b) = (written.get(), a.get(), b.get());
    let floors = clocks.floors(now.who - clocks.base.get());
    let passed = |slot: Slot| slot.t < space.start || floors.cover(slot.who, slot.t);
    if written.who != now.who && !passed(written) {
        return false;
    }
    let (is_a_passed, is_b_passed) = (passed(a), passed(b));
    if What::either(a.what, b.what, What::WRITE) && !(is_a_passed && is_b_passed) {
        return false;
    }
    if a.who == now.who || is_a_passed {
        entry.slots[1].set(now);
        // Whatever it said, as of a granule that one lane has changed, was without this read.
        entry.set_stretch(NONE);
        return true;
    }
    let mut kept = b;
    if b.who == now.who || is_b_passed || is_wider(a.who, b.who, now.who, clocks.shift) {
        entry.slots[2].set(now);
        kept = now;
    }
    // Not the lane's own write: that is in order for this lane alone.
    let base = now.who >> clocks.shift;
    let of_block = a.who >> clocks.shift == base && kept.who >> clocks.shift == base;
    // Two reads of other blocks are kept if it says so below, and then nothing but its own floors can change that for a third block.
    entry.set_stretch(if of_block && (a.who ^ kept.who) >= LANES {
        if written.t < space.start || clocks.is_past(written.who, written.t) {
            clocks.stretches.block()
        } else {
            NONE
        }
    } else if written.t < clocks.old(space)
        && (a.who ^ kept.who) >> clocks.shift != 0
        && a.who >> clocks.shift != base
        && kept.who >> clocks.shift != base
        && let Some(settled) = clocks.stretches.settled()
    {
        settled
    } else if passed(written) {
        clocks.stretches.warp(now.who - clocks.base.get())
    } else {
        NONE
    });
    true
}

/// Whether a write by `now` is in order as far as floors say; then it is remembered.
#[inline(always)]
fn quick_write(clocks: &Clocks, space: &Space, entry: Entry<'_>, now: Slot) -> bool {
    entry.leave_line(space.locked);
    let ([written, a, b], old) = (entry.times(), clocks.old(space));
    let flags = entry.flags();
    let is_past = written < old && a < old && b < old;
    if flags & (flag::SPLIT | flag::COPYING) != 0
        || !is_past && !may_write(clocks, space, entry, now)
    {
        return false;
    }
    entry.overwrite(now);
    let is_shared = space.is_shared();
    if is_shared && flags & flag::INIT != flag::INIT {
        entry.set_flags(flags | flag::INIT);
    }
    let stretch = if is_shared {
        clocks.stretches.one_writer()
    } else {
        NONE
    };
    entry.set_stretch(stretch);
    true
}

/// Whether all that the granule remembers is in order with a write by `now` as far as floors say.
#[inline(never)]
fn may_write(clocks: &Clocks, space: &Space, entry: Entry<'_>, now: Slot) -> bool {
    let floors = clocks.floors(now.who - clocks.base.get());
    entry
        .slots
        .iter()
        .map(Cell::get)
        .all(|slot| slot.who == now.who || slot.t < space.start || floors.cover(slot.who, slot.t))
}
