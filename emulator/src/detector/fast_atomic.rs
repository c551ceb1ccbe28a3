//! The fast path of relaxed atomics: what tells nothing but that they were made.

use super::access::is_wider;
use super::atomic::{Does, announced_slow, kinds};
use super::clock::Clocks;
use super::epochs::NONE;
use super::order::SYSTEM;
use super::shadow::{Entry, flag};
use super::slot::{AccessKind, Slot};
use super::space::{CACHED, Space};
use super::state::{BlockChecks, current};
use crate::engine::fiber::Running;
use crate::engine::warp::LANES;

/// `how` of an access that does not write, in its lowest two bits.
const LOADS: u32 = 0;

/// An atomic or volatile access of Rust's own, which the processor makes next.
// As `access::read`.
#[inline(always)]
pub(super) fn announced(at: *const u8, bytes: u32, how: u32, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let clocks = &checks.clocks;
    if how & 3 != LOADS {
        clocks.note_write(running.thread.get());
    }
    let epoch = clocks.epochs.atomics();
    let window = &checks.windows[site as usize % CACHED];
    let tells_nothing = how == CHANGES
        && bytes == 4
        && window.all_are::<4>(at.addr(), epoch, |_| false)
        && checks.scattered[site as usize % CACHED].get() == site
        && !clocks.any_known.get()
        && running.goes_elsewhere(at.addr(), true);
    if tells_nothing {
        running.step(site);
    } else if how == CHANGES && bytes == 4 {
        changed_fast(at, site);
    } else {
        announced_fast(at, bytes, how, site);
    }
}

/// A relaxed change of 4 bytes of shared memory that meets only what is past, or changes by one warp; or else any.
#[inline(never)]
extern "C-unwind" fn changed_fast(at: *const u8, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let (clocks, slot) = (&checks.clocks, site as usize % CACHED);
    // SAFETY: as in `fast::each_fast`.
    let space = unsafe { &*checks.cache[slot].get() };
    let spot = space.spot::<4, true>(at.addr());
    if let Some(entry) = spot.and_then(|index| space.entry(index))
        && !space.locked
        && checks.scattered[slot].get() == site
        && !clocks.any_known.get()
        && let Some(met) = met_in_order(checks, space, entry)
        && running.goes_elsewhere(at.addr(), true)
    {
        running.step(site);
        let what = AccessKind::new(kinds(Does::Changes, true), site)
            .with_scope(SYSTEM)
            .with_size(4);
        let now = clocks.slot(running.thread.get(), what);
        remember_in_order(clocks, entry, now, met);
        if entry.epoch() == clocks.epochs.atomics() {
            checks.windows[slot].open(space, at.addr());
        }
    } else {
        announced_fast(at, 4, CHANGES, site);
    }
}

/// What a change meets in a granule that no other block accesses: nothing but what is past, or changes by one warp. `None`: something else.
#[inline(always)]
fn met_in_order(checks: &BlockChecks, space: &Space, entry: Entry<'_>) -> Option<Met> {
    let clocks = &checks.clocks;
    if entry.epoch() == clocks.epochs.one_changer() {
        return Some(Met::OneChanger);
    }
    let old = clocks.old(space);
    let is_past = entry.times().into_iter().all(|t| t < old) && !entry.is_in_line();
    (is_past && entry.times()[0] >= space.start && entry.flags() == space.flags)
        .then_some(Met::Past)
}

/// Remembers a change by an atomic for the whole device that met this.
#[inline(always)]
fn remember_in_order(clocks: &Clocks, entry: Entry<'_>, now: Slot, met: Met) {
    let written = entry.slots[0].replace(now);
    if met == Met::Past {
        return entry.set_epoch(clocks.epochs.one_changer());
    }
    if written.who == now.who {
        return;
    }
    entry.slots[1].set(written);
    // Else it stays as it is: the two that are kept are of one warp, and all others have an order with both or none.
    if (written.who ^ now.who) >= LANES {
        entry.set_epoch(clocks.epochs.atomics());
    }
}

/// `how` of a relaxed change.
const CHANGES: u32 = 2;

#[inline(never)]
extern "C-unwind" fn announced_fast(at: *const u8, bytes: u32, how: u32, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let does = [Does::Loads, Does::Stores, Does::Changes, Does::Changes][how as usize & 3];
    // SAFETY: as in `fast::each_fast`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    let mut spun = false;
    if how <= CHANGES {
        match fast_path(
            running,
            checks,
            (at.addr(), bytes as usize),
            (does, SYSTEM),
            site,
        ) {
            Ok(fast) => {
                // With several OS threads what is read may be written in between: an acquire fence asks then. None but this one gets at
                // shared memory.
                if space.locked && does != Does::Stores {
                    checks.pending_acquires.add(running.thread.get(), at.addr());
                }
                return keep(checks, fast, does, at.addr());
            }
            Err(settled) => spun = settled,
        }
    }
    announced_slow(running, checks, at, (bytes, how, site), spun);
}

/// Remembers what `fast` let pass, before it is made.
fn keep(checks: &BlockChecks, fast: FastAtomic<'_>, does: Does, address: usize) {
    let FastAtomic {
        entry, now, locked, ..
    } = fast;
    let slots = &entry.slots;
    match does {
        Does::Changes => {
            remember(checks, fast);
            let site = now.what.site() as usize % CACHED;
            if entry.epoch() == checks.clocks.epochs.atomics() {
                // SAFETY: as in `fast::each_fast`.
                let space = unsafe { &*checks.cache[site].get() };
                if space.spot::<4, true>(address).is_some() {
                    checks.windows[site].open(space, address);
                }
            }
        }
        Does::Stores => {
            slots[0].set(now);
            slots[1].set(Slot::default());
            slots[2].set(Slot::default());
            entry.set_epoch(NONE);
        }
        Does::Loads => {
            slots[1].set(now);
            entry.set_epoch(NONE);
        }
    }
    if locked {
        entry.unlock();
    }
}

/// An atomic that tells nothing but that it was made: its granule, locked if `locked`, and how to remember it.
#[derive(Clone, Copy)]
pub(super) struct FastAtomic<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) now: Slot,
    pub(super) locked: bool,
    met: Met,
}

/// What a fast atomic meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    /// Nothing that is not past for the whole block.
    Past,
    /// The same, but for changes by one warp in this epoch of the block's.
    OneChanger,
    Other,
}

/// A relaxed atomic of one granule that meets only what is past or, if it is a change, atomics that reach the lane.
/// Else whether it is settled already that the lane does not poll.
#[inline(always)]
pub(super) fn fast_path<'a>(
    running: &'a Running<'static>,
    checks: &'a BlockChecks,
    (address, bytes): (usize, usize),
    (does, scope): (Does, u32),
    site: u32,
) -> Result<FastAtomic<'a>, bool> {
    let clocks = &checks.clocks;
    // SAFETY: as in `fast::each_fast`.
    let space = unsafe { &*checks.cache[site as usize % CACHED].get() };
    let writes = does != Does::Loads;
    if clocks.any_known.get()
        || !space.holds(address, bytes)
        || address & bytes.wrapping_sub(1) != 0
        || bytes >> space.granule != 1
        // First what it reads: what it writes has a value from then on.
        || does != Does::Stores && !space.allows::<false>(address, bytes)
        || writes && !space.allows::<true>(address, bytes)
        || writes && checks.scattered[site as usize % CACHED].get() != site
        || !running.goes_elsewhere(address, writes)
    {
        return Err(false);
    }
    running.step(site);
    let thread = running.thread.get();
    let now = clocks.slot(
        thread,
        AccessKind::new(kinds(does, true), site)
            .with_scope(scope)
            .with_size(bytes),
    );
    let index = space.first + ((address - space.base) >> space.granule);
    // SAFETY: a space that is not empty has a table, as long as itself.
    let entry = unsafe { (*space.table).entry(index, checks.t0) };
    if space.locked {
        entry.lock();
    }
    let pass = |met| {
        Ok(FastAtomic {
            entry,
            now,
            locked: space.locked,
            met,
        })
    };
    if entry.epoch() == clocks.epochs.one_changer() && does == Does::Changes && scope >= 2 {
        return pass(Met::OneChanger);
    }
    entry.leave_line(space.locked);
    let flags = entry.flags();
    let old = clocks.old(space);
    let [written, a, b] = &entry.slots;
    let is_past = entry.times().into_iter().all(|t| t < old);
    let met = !is_past && does == Does::Changes && {
        let bounds = clocks.bounds(thread);
        // A plain access that is past for this block alone has to be kept for the others.
        let is_over =
            |slot: Slot| slot.t < old || space.is_shared() || slot.what.is(AccessKind::ATOMIC);
        let meets = |slot: Slot| {
            reaches(clocks, now, slot)
                || slot.t < space.start
                || bounds.cover(slot.who, slot.t) && is_over(slot)
        };
        [written, a, b].iter().all(|slot| meets(slot.get()))
    };
    let has_value =
        !space.is_shared() || written.get().t >= space.start && flags & flag::INIT == flag::INIT;
    if flags & (flag::SPLIT | flag::COPYING | flag::MESSAGE) != 0
        || !met && !is_past
        || does != Does::Stores && !has_value
    {
        if space.locked {
            entry.unlock();
        }
        return Err(true);
    }
    if !has_value {
        entry.set_flags(flags | flag::INIT);
    }
    pass(if is_past { Met::Past } else { Met::Other })
}

/// Whether two atomics, one of which is of this block, are of one size and their scopes include both lanes; of a cluster, perhaps although
/// this says no.
#[inline(always)]
fn reaches(clocks: &Clocks, now: Slot, slot: Slot) -> bool {
    slot.what.is(AccessKind::ATOMIC)
        && slot.what.is_as_wide_as(now.what)
        && (now.what.scope().min(slot.what.scope()) >= 2
            || (slot.who ^ now.who) >> clocks.shift == 0)
}

/// Remembers a change that `fast` let pass.
#[inline(always)]
pub(super) fn remember(checks: &BlockChecks, fast: FastAtomic<'_>) {
    let FastAtomic {
        entry,
        now,
        locked,
        met,
    } = fast;
    let clocks = &checks.clocks;
    if met == Met::Past && (locked || now.what.scope() < 2) {
        entry.slots[0].set(now);
        return entry.set_epoch(NONE);
    }
    if met != Met::Other {
        return remember_in_order(clocks, entry, now, met);
    }
    let [written, a, b] = &entry.slots;
    let (written, a, b) = (written.replace(now), a.get(), b.get());
    let past = |slot: Slot| slot.t == 0 || clocks.is_past(slot.who, slot.t);
    entry.set_epoch(NONE);
    if written.who != now.who && !past(written) {
        if past(a) {
            entry.slots[1].set(written);
        } else if past(b) || is_wider(a.who, b.who, written.who, clocks.shift) {
            entry.slots[2].set(written);
        }
    }
    if locked {
        return;
    }
    // From now on nothing changes if further lanes of the block do the same (README 8).
    let [_, a, b] = &entry.slots;
    let (a, b) = (a.get(), b.get());
    let meets = |slot: Slot| past(slot) || slot.what.scope() >= 2 && reaches(clocks, now, slot);
    let apart = |slot: Slot| {
        let apart = slot.who ^ now.who;
        apart >= LANES && apart >> clocks.shift == 0 && !past(slot)
    };
    if now.what.scope() >= 2 && meets(a) && meets(b) && (apart(a) || apart(b)) {
        entry.set_epoch(clocks.epochs.atomics());
    }
}
