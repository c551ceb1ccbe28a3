//! The fast path of reads and writes: what tells nothing new, and what bounds order.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use super::access::{is_wider, slow_path};
use super::clock::Clocks;
use super::cursor::Here;
use super::epochs::NONE;
use super::lines::{read_first, write_first};
use super::rows::Reader;
use super::shadow::{Entry, flag};
use super::slot::{AccessKind, Slot};
use super::space::{CACHED, Space};
use super::state::{BlockChecks, current};
use crate::engine::fiber::Running;
use crate::engine::stack;
use crate::engine::warp::LANES;

/// `N` bytes are read.
// All that is not here is a call in tail position, so that this needs no frame: most reads of a loop tell nothing new.
#[inline(always)]
pub(super) fn read<const N: usize>(at: *const u8, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let was_last = running.was_last_step();
    let window = &checks.windows[site as usize % CACHED];
    if N >= 4 && !was_last && window.is_only_read::<N>(at.addr()) {
        return;
    }
    let clocks = &checks.clocks;
    let or = |epoch| {
        epoch == clocks.epochs.warp(running.thread.get()) || clocks.epochs.is_settled(epoch)
    };
    let thread = running.thread.get();
    let here = Here {
        address: at.addr(),
        thread,
        t: clocks.time(thread),
        site,
    };
    if was_last || N < 4 {
        read_fast::<N>(at, site);
    } else if !checks.cursors[0][site as usize % CACHED].reads::<N>(here)
        && !window.all_are::<N>(at.addr(), clocks.epochs.block(), or)
    {
        read_unknown::<N>(checks, at, site);
    }
}

/// Two reads of `N` bytes, 4 or 8: one call for both.
#[inline(always)]
pub(super) fn read_two<const N: usize>(a: (*const u8, u32), b: (*const u8, u32)) {
    let Some((running, checks)) = current() else {
        return;
    };
    let clocks = &checks.clocks;
    let thread = running.thread.get();
    let t = clocks.time(thread);
    let is_known = |(at, site): (*const u8, u32)| {
        let here = Here {
            address: at.addr(),
            thread,
            t,
            site,
        };
        let or = |epoch| epoch == clocks.epochs.warp(thread) || clocks.epochs.is_settled(epoch);
        // The cursor first: what is only read costs little, and is found out soon.
        let window = &checks.windows[site as usize % CACHED];
        checks.cursors[0][site as usize % CACHED].reads::<N>(here)
            || window.is_only_read::<N>(at.addr())
            || window.all_are::<N>(at.addr(), clocks.epochs.block(), or)
    };
    if !running.takes_steps(2) {
        read_one_by_one::<N>(a.0, b.0, a.1, b.1);
    } else if !is_known(a) {
        read_both::<N>(a.0, b.0, a.1, b.1);
    } else if !is_known(b) {
        read_unknown::<N>(checks, b.0, b.1);
    }
}

/// Two reads whose steps were taken but not there: each makes its own, perhaps the lane's last.
#[inline(never)]
extern "C-unwind" fn read_one_by_one<const N: usize>(
    a: *const u8,
    b: *const u8,
    site_a: u32,
    site_b: u32,
) {
    if let Some((running, _)) = current() {
        running.gives_back(2);
    }
    read::<N>(a, site_a);
    read::<N>(b, site_b);
}

/// Two reads whose steps are counted, of which the first tells something new; the second most likely too.
#[inline(never)]
extern "C-unwind" fn read_both<const N: usize>(
    a: *const u8,
    b: *const u8,
    site_a: u32,
    site_b: u32,
) {
    if let Some((_, checks)) = current() {
        read_unknown::<N>(checks, a, site_a);
        read_unknown::<N>(checks, b, site_b);
    }
}

/// A read of at least 4 bytes that may tell something new, not the lane's last step.
#[inline(always)]
fn read_unknown<const N: usize>(checks: &BlockChecks, at: *const u8, site: u32) {
    // SAFETY: as in `each_fast`.
    if unsafe { &*checks.cache[site as usize % CACHED].get() }.is_shared() {
        read_shared::<N>(at, site); // which has no lines
    } else {
        read_first::<N>(at, site);
    }
}

/// A read of shared memory, not the lane's last step.
#[inline(never)]
extern "C-unwind" fn read_shared<const N: usize>(at: *const u8, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let thread = running.thread.get();
    let is_read = checks.windows[site as usize % CACHED]
        .shared::<N>(at.addr(), N)
        .is_some_and(|shared| {
            let reader = Reader::new(&checks.clocks, thread, site);
            (0..N / 4).all(|n| {
                let (granule, epoch) = shared.behind(4 * n).first();
                reader.reads(granule, epoch)
            })
        });
    if !is_read {
        read_fast::<N>(at, site);
    }
}

/// A read that tells something new, or of what lies elsewhere.
#[inline(never)]
pub(super) extern "C-unwind" fn read_fast<const N: usize>(at: *const u8, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    running.end_after_last_step(site);
    if is_small_local::<N>(checks, at) {
        return;
    }
    let (clocks, window) = (&checks.clocks, &checks.windows[site as usize % CACHED]);
    // SAFETY: as in `each_fast`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    if space.is_read_only() && space.spot::<N, false>(at.addr()).is_some() {
        if N >= 4 {
            window.open_to_read(space, at.addr());
        }
        return;
    }
    let thread = running.thread.get();
    let (warp, block) = (clocks.epochs.warp(thread), clocks.epochs.block());
    let is_done = each_fast::<N, false>(checks, at.addr(), site, |space, entry| {
        let epoch = entry.epoch();
        if epoch == warp || epoch == block || clocks.epochs.is_settled(epoch) {
            if N >= 4 {
                checks.windows[site as usize % CACHED].open(space, at.addr());
            }
            return true;
        }
        let what = AccessKind::new(AccessKind::READ, site);
        if space.locked {
            entry.lock();
        }
        let done = fast_read(clocks, space, entry, (thread, what));
        if space.locked {
            entry.unlock();
        }
        done
    });
    if !is_done {
        look_up_fast::<N, false>(running, checks, at.addr(), None, site);
    }
    // SAFETY: as in `each_fast`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    checks.windows[site as usize % CACHED].open_if_shared::<N>(space, at.addr());
}

/// `N` bytes are written.
// As `read`: what is here is for shared memory that has values, and whose earlier accesses are past.
#[inline(always)]
pub(super) fn write<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let was_last = running.was_last_step();
    let thread = running.thread.get();
    let here = Here {
        address: at.addr(),
        thread,
        t: checks.clocks.note_write(thread),
        site,
    };
    if N >= 4 && !was_last && checks.cursors[1][site as usize % CACHED].writes::<N>(here) {
        return running.memory_changed();
    }
    let shared = checks.windows[site as usize % CACHED].shared::<N>(at.addr(), N);
    let is_fast = N >= 4
        && !was_last
        && shared.is_some_and(|shared| {
            let epochs = &checks.clocks.epochs;
            (0..N / 4).all(|n| {
                let (granule, epoch) = shared.behind(4 * n).first();
                let is_past = epochs.is_past(epoch.load(Ordering::Relaxed));
                if is_past {
                    // What else it remembers is past, and stays.
                    let what = AccessKind::new(AccessKind::WRITE, site);
                    granule.slots[0].set(checks.clocks.slot(running.thread.get(), what));
                    epoch.store(epochs.one_writer(), Ordering::Relaxed);
                }
                is_past
            })
        });
    if was_last || N < 4 {
        write_fast::<N>(at, value, site);
    } else if is_fast {
        running.memory_changed();
    // SAFETY: as in `each_fast`.
    } else if unsafe { &*checks.cache[site as usize % CACHED].get() }.is_shared() {
        write_shared::<N>(at, value, site); // which has no lines
    } else {
        write_first::<N>(at, value, site);
    }
}

/// A write that is perhaps to shared memory, where nothing but what is past or of the lane itself is remembered; not the lane's last step.
#[inline(never)]
fn write_shared<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let clocks = &checks.clocks;
    let now = clocks.slot(
        running.thread.get(),
        AccessKind::new(AccessKind::WRITE, site),
    );
    let old = clocks.shared_bound.get();
    let shared = checks.windows[site as usize % CACHED].shared::<N>(at.addr(), N);
    let is_written = shared.is_some_and(|shared| {
        (0..N / 4).all(|n| {
            let (granule, epoch) = shared.behind(4 * n).first();
            let mut slots = granule.slots.iter().map(Cell::get);
            let is_in_order = slots.all(|slot| slot.t < old || slot.who == now.who);
            if !is_in_order || granule.flags() != flag::INIT {
                return false;
            }
            granule.overwrite(now);
            epoch.store(clocks.epochs.one_writer(), Ordering::Relaxed);
            true
        })
    });
    if is_written {
        running.memory_changed();
    } else {
        write_fast::<N>(at, value, site);
    }
}

#[inline(never)]
pub(super) fn write_fast<const N: usize>(at: *const u8, value: Option<u64>, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    running.end_after_last_step(site);
    running.memory_changed();
    if is_small_local::<N>(checks, at) {
        return;
    }
    let clocks = &checks.clocks;
    let thread = running.thread.get();
    let is_done = each_fast::<N, true>(checks, at.addr(), site, |space, entry| {
        let now = clocks.slot(thread, AccessKind::new(AccessKind::WRITE, site));
        locked(space, entry, || fast_write(clocks, space, entry, now))
    });
    if !is_done {
        look_up_fast::<N, true>(running, checks, at.addr(), value, site);
    }
    // SAFETY: as in `each_fast`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    checks.windows[site as usize % CACHED].open_if_shared::<N>(space, at.addr());
}

/// Whether it is an access to a local variable of the lane, which is not checked, and of a size for which `lines` did not find that out.
#[inline(always)]
fn is_small_local<const N: usize>(checks: &BlockChecks, at: *const u8) -> bool {
    N < 4 && checks.observer.is_none() && stack::is_near(at.addr())
}

/// Whether `is_done` says so of all granules of an access to memory that its site has accessed before.
#[inline(always)]
fn each_fast<const N: usize, const WRITE: bool>(
    checks: &BlockChecks,
    address: usize,
    site: u32,
    is_done: impl Fn(&Space, Entry<'_>) -> bool,
) -> bool {
    // SAFETY: a cached space is `NOWHERE`, the run's, or a block's of this set: it stays until these restart, and the cache is empty then.
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
fn look_up_fast<const N: usize, const WRITE: bool>(
    running: &Running<'static>,
    checks: &BlockChecks,
    address: usize,
    value: Option<u64>,
    site: u32,
) {
    let what = AccessKind::new(
        if WRITE {
            AccessKind::WRITE
        } else {
            AccessKind::READ
        },
        site,
    );
    // SAFETY: as in `each_fast`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    let thread = running.thread.get();
    if !(space.holds(address, N) && settles::<WRITE>(checks, space, (address, N), (thread, what))) {
        // Those that are done already are checked again, which changes nothing.
        slow_path(running, checks, (address, N, N), value, what);
    }
}

/// Whether bounds order an access of lane number `thread`, a plain one that the space holds, after all that its granules remember; then they
/// remember it. If not, some of them may.
#[inline(always)]
pub(super) fn settles<const WRITE: bool>(
    checks: &BlockChecks,
    space: &Space,
    (address, bytes): (usize, usize),
    (thread, what): (u32, AccessKind),
) -> bool {
    if !address.is_multiple_of(bytes)
        || bytes >> space.granule == 0
        || !space.allows::<WRITE>(address, bytes)
    {
        return false;
    }
    if !WRITE && space.is_read_only() {
        return true;
    }
    let first = space.first + ((address - space.base) >> space.granule);
    (first..first + (bytes >> space.granule)).all(|index| {
        // SAFETY: a space that is not empty has a table, as long as itself.
        let entry = unsafe { (*space.table).entry(index, checks.t0) };
        settles_one::<WRITE>(checks, space, entry, (thread, what))
    })
}

/// [`settles`], of `N` bytes in a space whose granules are found from number `first` on, as `Space::spot` says.
#[inline(always)]
pub(super) fn settles_at<const N: usize, const WRITE: bool>(
    checks: &BlockChecks,
    space: &Space,
    first: usize,
    (thread, what): (u32, AccessKind),
) -> bool {
    if !WRITE && space.is_read_only() {
        return true;
    }
    let is = |index| {
        let entry = space.entry(index);
        entry.is_some_and(|entry| settles_one::<WRITE>(checks, space, entry, (thread, what)))
    };
    is(first) && (N <= 4 || is(first + 1)) && (N <= 8 || is(first + 2) && is(first + 3))
}

/// The same of one granule.
#[inline(always)]
fn settles_one<const WRITE: bool>(
    checks: &BlockChecks,
    space: &Space,
    entry: Entry<'_>,
    (thread, what): (u32, AccessKind),
) -> bool {
    let clocks = &checks.clocks;
    let (epochs, epoch) = (&clocks.epochs, entry.epoch());
    let is_read = epoch == epochs.warp(thread) || epoch == epochs.block();
    if !WRITE && (is_read || epochs.is_settled(epoch)) {
        return true;
    }
    locked(space, entry, || {
        if WRITE {
            fast_write(clocks, space, entry, clocks.slot(thread, what))
        } else {
            fast_read(clocks, space, entry, (thread, what))
        }
    })
}

/// The same for any access; false for those that are not plain, or of a size without a hook of its own. For runs with lints, in which every access
/// takes the slow path.
#[inline(always)]
pub(super) fn settles_any(
    checks: &BlockChecks,
    space: &Space,
    (address, bytes): (usize, usize),
    (thread, what): (u32, AccessKind),
) -> bool {
    let special = AccessKind::ATOMIC | AccessKind::VOLATILE | AccessKind::COPY | AccessKind::MOVES;
    if what.is(special) || !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
        return false;
    }
    match (what.is(AccessKind::READ), what.is(AccessKind::WRITE)) {
        (true, false) => settles::<false>(checks, space, (address, bytes), (thread, what)),
        (false, true) => settles::<true>(checks, space, (address, bytes), (thread, what)),
        _ => false,
    }
}

/// Whether a read by lane number `thread` is in order as far as bounds say; then it is remembered.
#[inline(always)]
pub(super) fn fast_read(
    clocks: &Clocks,
    space: &Space,
    entry: Entry<'_>,
    (thread, what): (u32, AccessKind),
) -> bool {
    entry.leave_line(space.locked);
    let ([written, a, b], old) = (entry.times(), clocks.old(space));
    let flags = entry.flags() & !flag::LOCKED;
    let is_past = written < old && a < old && b < old;
    if is_past && written >= space.start && flags == space.flags {
        entry.slots[1].set(clocks.slot(thread, what));
        entry.set_epoch(clocks.epochs.one_reader());
        return true;
    }
    let epoch = entry.epoch();
    if epoch == clocks.epochs.one_reader() {
        second_read(clocks, entry, clocks.slot(thread, what));
        return true;
    }
    if clocks.epochs.is_of_a_warp(epoch) && written < old {
        let (now, [_, a, b]) = (clocks.slot(thread, what), &entry.slots);
        let (a, b) = (a.get().who, b.get().who);
        let apart = a ^ now.who;
        if apart >= LANES && apart >> clocks.shift == 0 && a / LANES == b / LANES {
            // The two that are kept are of another warp of the block.
            entry.slots[2].set(now);
            entry.set_epoch(clocks.epochs.block());
            return true;
        }
    }
    newer_read(clocks, space, entry, thread, what)
}

/// Remembers a read of a granule that one lane has read in this epoch of the block's, all else in it being past.
#[inline(always)]
fn second_read(clocks: &Clocks, entry: Entry<'_>, now: Slot) {
    let first = entry.slots[1].get();
    let apart = first.who ^ now.who;
    let is_passed = apart < LANES && first.t < clocks.warp_bound(now.who);
    if apart == 0 || is_passed {
        entry.slots[1].set(now);
        return;
    }
    entry.slots[2].set(now);
    entry.set_epoch(if apart < LANES {
        clocks.epochs.warp(now.who - clocks.base.get())
    } else {
        clocks.epochs.block()
    });
}

/// The same, if the granule remembers something newer.
// The lane and the kind one by one: a slot would go through memory, for the sake of this call, on all other ways too.
#[inline(never)]
fn newer_read(
    clocks: &Clocks,
    space: &Space,
    entry: Entry<'_>,
    thread: u32,
    what: AccessKind,
) -> bool {
    let now = clocks.slot(thread, what);
    let flags = entry.flags();
    let has_value = !space.is_shared()
        || entry.slots[0].get().t >= space.start && flags & flag::INIT == flag::INIT;
    if flags & (flag::SPLIT | flag::COPYING) != 0 || !has_value {
        return false;
    }
    let [written, a, b] = &entry.slots;
    let (written, a, b) = (written.get(), a.get(), b.get());
    let bounds = clocks.bounds(now.who - clocks.base.get());
    let passed = |slot: Slot| slot.t < space.start || bounds.cover(slot.who, slot.t);
    if written.who != now.who && !passed(written) {
        return false;
    }
    let (is_a_passed, is_b_passed) = (passed(a), passed(b));
    if AccessKind::either(a.what, b.what, AccessKind::WRITE) && !(is_a_passed && is_b_passed) {
        return false;
    }
    if a.who == now.who || is_a_passed {
        entry.slots[1].set(now);
        // Whatever it said, as of a granule that one lane has changed, was without this read.
        entry.set_epoch(NONE);
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
    // Two reads of other blocks are kept if it says so below, and then nothing but its own bounds can change that for a third block.
    entry.set_epoch(if of_block && (a.who ^ kept.who) >= LANES {
        if written.t < space.start || clocks.is_past(written.who, written.t) {
            clocks.epochs.block()
        } else {
            NONE
        }
    } else if written.t < clocks.old(space)
        && (a.who ^ kept.who) >> clocks.shift != 0
        && a.who >> clocks.shift != base
        && kept.who >> clocks.shift != base
        && let Some(settled) = clocks.epochs.settled()
    {
        settled
    } else if passed(written) {
        clocks.epochs.warp(now.who - clocks.base.get())
    } else {
        NONE
    });
    true
}

/// Whether a write by `now` is in order as far as bounds say; then it is remembered.
#[inline(always)]
fn fast_write(clocks: &Clocks, space: &Space, entry: Entry<'_>, now: Slot) -> bool {
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
    let epoch = if is_shared {
        clocks.epochs.one_writer()
    } else {
        NONE
    };
    entry.set_epoch(epoch);
    true
}

/// Whether all that the granule remembers is in order with a write by `now` as far as bounds say.
#[inline(never)]
fn may_write(clocks: &Clocks, space: &Space, entry: Entry<'_>, now: Slot) -> bool {
    let bounds = clocks.bounds(now.who - clocks.base.get());
    entry
        .slots
        .iter()
        .map(Cell::get)
        .all(|slot| slot.who == now.who || slot.t < space.start || bounds.cover(slot.who, slot.t))
}
