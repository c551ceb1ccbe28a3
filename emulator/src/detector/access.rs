//! Reads and writes: the slow path. `fast.rs` has the other, for what bounds order.

use std::cell::Cell;

use super::epochs::NONE;
use super::fast::{locked, read, settles_any, write};
use super::memory::{Access as Odd, Allocation, How, admit, copy_values, look_at_values};
use super::observer::Target;
use super::shadow::{Entry, Granule, flag};
use super::slot::{AccessKind, Slot};
use super::space::{CACHED, Space, SpaceKind};
use super::state::{BlockChecks, current};
use super::{copies, race, remote, uninitialised};
use crate::engine::fiber::Running;
use crate::engine::stack;
use crate::site::SiteId;

/// An access of the lane that runs, to one space.
pub(super) struct Access<'a> {
    pub(super) running: &'a Running<'static>,
    pub(super) checks: &'a BlockChecks,
    pub(super) space: &'a Space,
    pub(super) address: usize,
    pub(super) bytes: usize,
    pub(super) now: Slot,
    /// What is written, if that is known and has at most 8 bytes.
    pub(super) value: Option<u64>,
    /// It was reported: once is enough.
    pub(super) reported: Cell<bool>,
}

/// An intrinsic reads `N` bytes.
#[inline(always)]
pub(crate) fn reads<const N: usize>(at: *const u8) {
    if let Some((running, _)) = current() {
        read::<N>(at, running.site.get());
    }
}

/// An intrinsic writes `N` bytes.
#[inline(always)]
pub(crate) fn writes<const N: usize>(at: *const u8, value: Option<u64>) {
    if let Some((running, _)) = current() {
        write::<N>(at, value, running.site.get());
    }
}

/// Any number of bytes are read or written.
pub(super) fn any(address: usize, bytes: usize, align: u32, kind: u32, site: u32) {
    if let Some((running, checks)) = current()
        && bytes != 0
    {
        let align = align.max(1) as usize;
        running.step(site);
        if kind & AccessKind::WRITE != 0 {
            running.memory_changed();
            checks.clocks.note_write(running.thread.get());
        }
        slow_path(
            running,
            checks,
            (address, bytes, align),
            None,
            AccessKind::new(kind, site),
        );
    }
}

/// Whether lanes `a` and `c` are further apart than `a` and `b`: different blocks, or different warps.
#[inline(always)]
pub(super) fn is_wider(a: u32, b: u32, c: u32, shift: u32) -> bool {
    let (near, far) = (a ^ b, a ^ c);
    near >> 5 == 0 && far >> 5 != 0 || near >> shift == 0 && far >> shift != 0
}

/// The processor copies memory next. Where the target's values are followed, the state of the bytes goes along; else it is a read of them.
pub(super) fn copy(to: usize, from: usize, bytes: usize, site: u32) {
    let follows = current().is_some_and(|(running, checks)| {
        // SAFETY: as in `fast::each_fast`.
        let cached = unsafe { &*checks.cache[site as usize % CACHED].get() };
        let target = if cached.holds(to, bytes) {
            Some(cached)
        } else if stack::is_own(to, bytes) {
            None
        } else {
            find(running, checks, to)
        };
        let allocation = target.and_then(Space::allocation);
        allocation.is_some_and(Allocation::tracks_init)
    });
    let moves = if follows { AccessKind::MOVES } else { 0 };
    any(from, bytes, 1, AccessKind::READ | moves, site);
    any(to, bytes, 1, AccessKind::WRITE | moves, site);
    if follows {
        copy_values(to, from, bytes);
    }
}

/// A copy or filling of memory that is not aligned as it has to be. Ends the lane, if there are bytes.
#[cold]
pub(super) fn misaligned(address: usize, bytes: usize, align: u32, writes: bool, site: u32) {
    if let Some((_, checks)) = current() {
        let how = if writes { How::Writes } else { How::Reads };
        let odd = Odd {
            address,
            bytes,
            align: align as usize,
            how,
            site: SiteId(site),
        };
        admit(&checks.run().snapshot, odd);
    }
}

/// An access that the fast path does not settle: to memory that its site has not accessed before, to a part of a granule, without order,
/// or to where it must not go.
#[cold]
#[inline(never)]
pub(super) fn slow_path(
    running: &Running<'static>,
    checks: &BlockChecks,
    (address, bytes, align): (usize, usize, usize),
    value: Option<u64>,
    what: AccessKind,
) {
    let Some(space) = locate(running, checks, (address, bytes, align), what) else {
        return;
    };
    let thread = running.thread.get();
    // With lints most accesses take this path.
    if checks.observer.is_some() && settles_any(checks, space, (address, bytes), (thread, what)) {
        return;
    }
    check_in(running, checks, space, (address, bytes), value, what);
}

/// Checks an access to a space that bounds do not order.
#[cold]
#[inline(never)]
pub(super) fn check_in(
    running: &Running<'static>,
    checks: &BlockChecks,
    space: &Space,
    (address, bytes): (usize, usize),
    value: Option<u64>,
    what: AccessKind,
) {
    let access = Access::new(running, checks, space, (address, bytes), what, value);
    access.check_values();
    access.each_granule(|entry, at, n| {
        locked(space, entry, || {
            access.look(entry, at, n);
            true
        });
    });
}

/// The memory that an access goes to; `None`: it is not checked. Ends the lane if there is none.
pub(super) fn locate<'a>(
    running: &Running<'static>,
    checks: &'a BlockChecks,
    (address, bytes, align): (usize, usize, usize),
    what: AccessKind,
) -> Option<&'a Space> {
    let space = look_up(running, checks, (address, bytes, align), what);
    if let Some(observer) = &checks.observer {
        let target = checks.target(space);
        let range = (address, bytes, align);
        observer.accesses(running.thread.get(), target, range, what);
    }
    space
}

pub(super) fn look_up<'a>(
    running: &Running<'static>,
    checks: &'a BlockChecks,
    (address, bytes, align): (usize, usize, usize),
    what: AccessKind,
) -> Option<&'a Space> {
    let site = what.site();
    // The fast path leads past the observer.
    let cache = match &checks.observer {
        None => &checks.cache,
        Some(_) => &checks.observed,
    };
    let entry = &cache[site as usize % CACHED];
    // SAFETY: as in `fast::each_fast`.
    let cached = unsafe { &*entry.get() };
    let writes = what.is(AccessKind::WRITE);
    let fits = |space: &Space| {
        let allocation = space.allocation();
        space.holds(address, bytes)
            && address.is_multiple_of(align)
            && !(writes && space.is_read_only())
            && allocation.is_none_or(|one| !one.is_freed())
    };
    if fits(cached) {
        return Some(cached).filter(|space| space.what != SpaceKind::Ignored);
    }
    if stack::is_own(address, bytes) {
        return None;
    }
    if let Some(space) = find(running, checks, address)
        && fits(space)
    {
        if checks.target(Some(space)) == Target::OtherShared {
            // Not kept: the next access must be told to `remote`, too.
            remote::accesses(running, checks, space, (address, bytes), what);
        } else {
            entry.set(space);
            if space.is_shared() {
                checks.caches_shared.set(true);
            }
        }
        return Some(space).filter(|space| space.what != SpaceKind::Ignored);
    }
    let odd = odd((address, bytes, align), what);
    // What the run did not know before, or the lane has ended.
    admit(&checks.run().snapshot, odd)?;
    // SAFETY: it stays as long as the run.
    let space = unsafe { &*checks.find_global(address)? };
    fits(space)
        .then_some(space)
        .filter(|space| space.what != SpaceKind::Ignored)
}

/// The access as `memory` wants it.
fn odd((address, bytes, align): (usize, usize, usize), what: AccessKind) -> Odd {
    let how = match (what.is(AccessKind::READ), what.is(AccessKind::WRITE)) {
        (true, true) => How::Changes,
        (_, true) => How::Writes,
        _ => How::Reads,
    };
    Odd {
        address,
        bytes,
        align,
        how,
        site: SiteId(what.site()),
    }
}

impl<'a> Access<'a> {
    pub(super) fn new(
        running: &'a Running<'static>,
        checks: &'a BlockChecks,
        space: &'a Space,
        (address, bytes): (usize, usize),
        what: AccessKind,
        value: Option<u64>,
    ) -> Self {
        Self {
            running,
            checks,
            space,
            address,
            bytes,
            now: checks.clocks.slot(running.thread.get(), what),
            value,
            reported: Cell::new(false),
        }
    }

    /// Reads of memory without a value, where the allocation knows; writes give one.
    pub(super) fn check_values(&self) {
        if self.now.what.moves() {
            return;
        }
        let (SpaceKind::Watched(_), Some(allocation)) = (self.space.what, self.space.allocation())
        else {
            return;
        };
        let odd = odd((self.address, self.bytes, 1), self.now.what);
        if let Some(found) = look_at_values(&self.checks.run().snapshot, allocation, odd) {
            self.reported.set(true);
            uninitialised::global(self, || found.report());
        }
    }

    /// Calls `look` with each granule, and which of its bytes are accessed.
    pub(super) fn each_granule(&self, mut look: impl FnMut(Entry<'_>, usize, usize)) {
        let Space {
            base,
            granule,
            first,
            table,
            ..
        } = *self.space;
        let (size, end) = (1_usize << granule, self.address - base + self.bytes);
        let mut offset = self.address - base;
        while offset < end {
            let inside = offset & (size - 1);
            let bytes = (size - inside).min(end - offset);
            // SAFETY: a space that is not empty has a table, as long as itself.
            let entry = unsafe { (*table).entry(first + (offset >> granule), self.checks.t0) };
            look(entry, inside, bytes);
            offset += bytes;
        }
    }

    /// Looks at `bytes` bytes from number `at` on of a granule, whose lock the caller has.
    pub(super) fn look(&self, entry: Entry<'_>, at: usize, bytes: usize) {
        entry.leave_line(self.space.locked);
        entry.set_epoch(NONE);
        if entry.flags() & flag::COPYING != 0 {
            copies::meets(self, &entry);
        }
        let size = 1 << self.space.granule;
        if entry.flags() & flag::SPLIT == 0 && bytes == size {
            return self.look_at_whole(&entry);
        }
        let parts = entry.split(&self.checks.run().splits);
        for byte in at..at + bytes {
            // SAFETY: the run keeps the parts.
            self.look_at_whole(unsafe { &(*parts)[byte] });
        }
    }

    fn look_at_whole(&self, granule: &Granule) {
        let what = self.now.what;
        if self.space.is_shared() {
            let (flags, written) = (granule.flags(), granule.slots[0].get());
            let has_value = written.t >= self.space.start && flags & flag::INIT == flag::INIT;
            if what.is(AccessKind::READ) && !has_value && !self.reported.replace(true) {
                uninitialised::shared(self);
            }
            if what.is(AccessKind::WRITE) {
                granule.set_flags(flags | flag::INIT);
            }
        }
        race::look(self, granule);
        self.remember(granule);
    }

    /// Whether an access to the same memory is ordered before this one, or of a block that is over.
    pub(super) fn is_ordered(&self, slot: Slot) -> bool {
        let checks = self.checks;
        slot.t < self.space.start
            || checks
                .clocks
                .is_ordered(&checks.run().graph, self.now.who, slot.who, slot.t)
    }

    /// the same without checking what atomics order, which would take each lane along the whole chain of releases of a hot address: it
    /// only decides what is worth keeping.
    fn is_surely_ordered(&self, slot: Slot) -> bool {
        let clocks = &self.checks.clocks;
        slot.t < self.space.start || clocks.is_ordered_by_barriers(self.now.who, slot.who, slot.t)
    }

    /// Whether an access is ordered before everything that the block does now.
    fn is_past(&self, slot: Slot) -> bool {
        slot.t < self.space.start || self.checks.clocks.is_past(slot.who, slot.t)
    }

    /// Whether an access is ordered before everything that all blocks of the launch do from now on.
    fn is_past_for_all(&self, slot: Slot) -> bool {
        slot.t < self.space.start || slot.t < self.checks.clocks.old(self.space)
    }

    /// Whether a plain access that an atomic of this lane follows need not be kept: in shared memory what is past for the block is past.
    fn is_over(&self, slot: Slot) -> bool {
        self.is_past_for_all(slot) || self.space.is_shared() && self.is_past(slot)
    }

    fn remember(&self, granule: &Granule) {
        let slots = &granule.slots;
        if !self.now.what.is(AccessKind::WRITE) {
            return self.keep(granule, self.now);
        }
        let before = slots[0].replace(self.now);
        if !self.now.what.is(AccessKind::ATOMIC) {
            slots[1].set(Slot::default());
            slots[2].set(Slot::default());
            return;
        }
        for slot in &slots[1..] {
            let old = slot.get();
            let serves = match (
                old.what.is(AccessKind::WRITE),
                old.what.is(AccessKind::ATOMIC),
            ) {
                (true, false) => !self.is_over(old),
                (_, true) => old.who != self.now.who && !self.is_surely_ordered(old),
                // It may not be ordered with other accesses, of this block or of another. One that is not ordered with this change was reported.
                (false, false) => {
                    (old.who == self.now.who || self.is_surely_ordered(old)) && !self.is_over(old)
                }
            };
            if !serves {
                slot.set(Slot::default());
            }
        }
        let serves = match before.what.is(AccessKind::ATOMIC) {
            true => before.who != self.now.who && !self.is_past(before),
            false => !self.is_over(before),
        };
        if before.t != 0 && serves {
            self.keep(granule, before);
        }
    }

    /// Keeps an access beside the last write, if it is worth more than what is kept.
    fn keep(&self, granule: &Granule, new: Slot) {
        let worth = |slot: Slot| match (
            slot.what.is(AccessKind::WRITE),
            slot.what.is(AccessKind::ATOMIC),
        ) {
            (true, false) => 3,
            (false, false) | (true, true) => 2,
            (false, true) => 1,
        };
        let slots = &granule.slots;
        let [a, b] = [slots[1].get(), slots[2].get()];
        let later = new.who == self.now.who;
        let gone = |old: Slot| {
            // A plain access before the atomic that is the last write.
            let is_kept = !old.what.is(AccessKind::ATOMIC)
                && (old.what.is(AccessKind::WRITE) || new.what.is(AccessKind::ATOMIC))
                && !self.is_over(old);
            old.t == 0
                || self.is_past(old) && !is_kept
                || worth(old) <= worth(new)
                    && (old.who == new.who || later && self.is_surely_ordered(old))
        };
        if gone(a) || !gone(b) && worth(a) < worth(new) {
            slots[1].set(new);
        } else if gone(b)
            || worth(b) < worth(new)
            || worth(b) == worth(new) && is_wider(a.who, b.who, new.who, self.checks.clocks.shift)
        {
            slots[2].set(new);
        }
    }
}

/// The memory at an address, as far as there is some.
fn find<'a>(
    running: &Running<'static>,
    checks: &'a BlockChecks,
    address: usize,
) -> Option<&'a Space> {
    let found = checks
        .find_shared(running, address)
        .or_else(|| checks.find_global(address))?;
    // SAFETY: it stays until the blocks of the set restart.
    Some(unsafe { &*found })
}
