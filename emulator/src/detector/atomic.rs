//! Atomics and fences: what they read and write, and what they order.

use std::panic::Location;

use super::access::{self, Access};
use super::fast_atomic::{FastAtomic, fast_path, remember};
use super::hints::{AtomicWrite, Hint};
use super::order::{Acquired, Release, Root, SYSTEM};
use super::race;
use super::seq_cst;
use super::shadow::{Entry, Granule, flag};
use super::slot::{AccessKind, Slot};
use super::space::Space;
use super::state::{BlockChecks, current};
use super::weak::How;
use crate::engine::fiber::Running;
use crate::engine::spin;
use crate::site::Site;

/// What an atomic does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Loads,
    Stores,
    /// Reads and writes in one step.
    Changes,
}

const CLUSTER: u32 = 1;
const ACQUIRE: u32 = 1 << 2;
const ACQ_REL: u32 = 3 << 2;

/// An atomic under way: other OS threads do not get at its memory before [`Held::done`].
pub(crate) struct Held<'a> {
    running: &'a Running<'static>,
    checks: &'a BlockChecks,
    /// `None`: its memory is not checked.
    space: Option<&'a Space>,
    address: usize,
    bytes: usize,
    how: u32,
    site: u32,
    /// Its parts are atomic each for itself, so it is not compared by its size.
    packed: bool,
}

/// Makes an atomic of `bytes` bytes at `at`: `operate` gives its result, and whether it wrote. `how` is 4 × order + scope.
#[inline(always)]
#[track_caller]
pub(crate) fn around<R>(
    at: *const u8,
    bytes: usize,
    does: Does,
    how: u32,
    operate: impl FnOnce() -> (R, bool),
) -> R {
    let Some((running, checks)) = current() else {
        let writes = does != Does::Loads;
        return spin::natively((at, bytes), writes, Location::caller(), || operate().0);
    };
    if does != Does::Loads {
        checks.clocks.note_write(running.thread.get());
    }
    let site = running.site.get();
    let fast = (does == Does::Changes && how >> 2 == 0)
        .then(|| fast_path(running, checks, (at.addr(), bytes), (does, how & 3), site));
    let spun = match fast {
        Some(Ok(fast)) => {
            let FastAtomic { entry, locked, .. } = fast;
            let (result, wrote) = operate();
            if wrote {
                remember(checks, fast);
            }
            if locked {
                entry.unlock();
            }
            if wrote {
                return result;
            }
            // An exchange that changed nothing: a read, which came before all that is behind it here.
            let held = hold(running, checks, (at.addr(), bytes), (does, how), true);
            held.done(does, false);
            return result;
        }
        Some(Err(spun)) => spun,
        None => false,
    };
    let held = hold(running, checks, (at.addr(), bytes), (does, how), spun);
    let (result, wrote) = operate();
    held.done(does, wrote);
    result
}

/// Makes a change of several values that are atomic each for itself, `bytes` in all; as [`around`].
#[track_caller]
pub(crate) fn around_packed<R>(
    at: *const u8,
    bytes: usize,
    how: u32,
    operate: impl FnOnce() -> R,
) -> R {
    let Some((running, checks)) = current() else {
        return spin::natively((at, bytes), true, Location::caller(), operate);
    };
    checks.clocks.note_write(running.thread.get());
    let does = Does::Changes;
    let held = Held {
        packed: true,
        ..hold(running, checks, (at.addr(), bytes), (does, how), false)
    };
    let result = operate();
    held.done(does, true);
    result
}

#[cold]
#[inline(never)]
fn hold<'a>(
    running: &'a Running<'static>,
    checks: &'a BlockChecks,
    (address, bytes): (usize, usize),
    (does, how): (Does, u32),
    spun: bool,
) -> Held<'a> {
    let site = running.site.get();
    let what = AccessKind::new(kinds(does, true), site);
    let space = access::locate(running, checks, (address, bytes, bytes), what);
    if !spun {
        let range = (address, bytes);
        spins(running, checks, space, range, (does, how), site);
    }
    let held = Held {
        running,
        checks,
        space,
        address,
        bytes,
        how,
        site,
        packed: false,
    };
    held.each(Granule::lock);
    held
}

/// Lets others run if the lane only polls. Nothing is locked here. `how` is 4 × order + scope; `space`: that of an access that is atomic.
fn spins(
    running: &Running<'static>,
    checks: &BlockChecks,
    space: Option<&Space>,
    (address, bytes): (usize, usize),
    (does, how): (Does, u32),
    site: u32,
) {
    let at = std::ptr::with_exposed_provenance(address);
    let (order, scope) = (how >> 2, how & 3);
    let is_weak = checks.has_weak_memory();
    let polls = running.atomic_access(
        at,
        bytes as u32,
        (does != Does::Loads, is_weak && order == 4),
        Site::of_site(site),
    );
    if let (true, Some(space)) = (is_weak, space) {
        let how = How {
            does,
            order,
            scope,
            polls,
        };
        checks.makes_weakly(running, space, (address, bytes), how);
    }
    running.step(site);
}

pub(super) fn kinds(does: Does, wrote: bool) -> u32 {
    AccessKind::ATOMIC
        | match does {
            Does::Loads => AccessKind::READ,
            Does::Stores => AccessKind::WRITE,
            Does::Changes if wrote => AccessKind::READ | AccessKind::WRITE,
            Does::Changes => AccessKind::READ,
        }
}

impl Held<'_> {
    fn access<'s>(&'s self, space: &'s Space, kind: u32) -> Access<'s> {
        let bytes = if self.packed { 0 } else { self.bytes };
        let what = AccessKind::new(kind, self.site)
            .with_scope(self.how & 3)
            .with_size(bytes);
        Access::new(
            self.running,
            self.checks,
            space,
            (self.address, self.bytes),
            what,
            None,
        )
    }

    fn each(&self, act: impl Fn(&Granule)) {
        if let Some(space) = self.space
            && space.locked
        {
            self.access(space, 0)
                .each_granule(|entry, _, _| act(&entry));
        }
    }

    #[cold]
    #[inline(never)]
    fn done(self, does: Does, wrote: bool) {
        if let Some(space) = self.space {
            if self.checks.has_weak_memory() {
                self.checks.has_made();
            }
            let access = self.access(space, kinds(does, wrote));
            access.check_values();
            look(&access, self.how >> 2, false);
        }
        self.each(Granule::unlock);
    }
}

#[cold]
#[inline(never)]
pub(super) fn announced_slow(
    running: &Running<'static>,
    checks: &BlockChecks,
    at: *const u8,
    (bytes, how, site): (u32, u32, u32),
    spun: bool,
) {
    let does = [Does::Loads, Does::Stores, Does::Changes, Does::Changes][how as usize & 3];
    let volatile = how & 4 != 0;
    if volatile && bytes > MAX_WHOLE_BYTES {
        return several(running, checks, at, (bytes, does, site));
    }
    let kind = kinds(does, true) | if volatile { AccessKind::VOLATILE } else { 0 };
    let bytes = bytes as usize;
    let what = AccessKind::new(kind, site)
        .with_scope(SYSTEM)
        .with_size(bytes);
    let Some(space) = access::locate(running, checks, (at.addr(), bytes, bytes), what) else {
        return;
    };
    let order = if volatile { 0 } else { how >> 4 };
    if !spun {
        let (range, how) = ((at.addr(), bytes), order << 2 | SYSTEM);
        spins(running, checks, Some(space), range, (does, how), site);
    }
    let access = Access::new(running, checks, space, (at.addr(), bytes), what, None);
    access.check_values();
    let lock = |act: fn(&Granule)| {
        if space.locked {
            access.each_granule(|entry, _, _| act(&entry));
        }
    };
    lock(Granule::lock);
    look(&access, order, space.locked);
    lock(Granule::unlock);
}

/// Bytes of a volatile access that is one access on a GPU, at most.
const MAX_WHOLE_BYTES: u32 = 8;

/// A volatile access that may become several: no atomic (README 9).
fn several(
    running: &Running<'static>,
    checks: &BlockChecks,
    at: *const u8,
    (bytes, does, site): (u32, Does, u32),
) {
    let range = (at.addr(), bytes as usize);
    spins(running, checks, None, range, (does, SYSTEM), site);
    let kind = kinds(does, true) & !AccessKind::ATOMIC | AccessKind::VOLATILE;
    let what = AccessKind::new(kind, site);
    access::slow_path(running, checks, (range.0, range.1, range.1), None, what);
}

/// Looks for races of an atomic, remembers it, and carries its order on. `later`: it is read and written after this.
fn look(access: &Access<'_>, order: u32, later: bool) {
    let what = access.now.what;
    let (mut newest, mut has_message) = (Slot::default(), false);
    access.each_granule(|entry, at, n| {
        if newest.t == 0 {
            newest = access.newest(entry, at);
        }
        has_message |= entry.flags() & flag::MESSAGE != 0;
        access.look(entry, at, n);
    });
    let (acquires, releases) = (order & 1 != 0 || order == 4, order >= 2);
    let old = access.checks.old_message.take();
    let message = old.unwrap_or_else(|| {
        let message = has_message.then(|| access.checks.run().graph.lock().read(access.address));
        message.flatten()
    });
    if what.is(AccessKind::READ) {
        read(access, message, acquires, later);
        if old.is_none() {
            hint(access, newest, message, acquires);
        }
    }
    has_message = message.is_some();
    if what.is(AccessKind::WRITE) {
        let is_scattered = count(access, releases);
        let graph = &access.checks.run().graph;
        // It comes behind an older store: it continues what that released, and what the newest one released stays.
        let newest = old.map(|message| graph.lock().replace(access.address, message));
        if write(access, releases, has_message, later) {
            access.each_granule(|granule, _, _| granule.set_flags(granule.flags() | flag::MESSAGE));
        }
        if let Some(newest) = newest {
            let own = graph.lock().replace(access.address, newest);
            access.checks.is_behind_older(own);
        }
        if !releases && !is_scattered {
            access.checks.clocks.wrote_atomically(access.now.who);
        }
    }
}

impl Access<'_> {
    /// The last write of a byte of a granule.
    pub(super) fn newest(&self, granule: Entry<'_>, at: usize) -> Slot {
        granule.leave_line(self.space.locked);
        if granule.flags() & flag::SPLIT == 0 {
            return granule.slots[0].get();
        }
        let parts = granule.split(&self.checks.run().splits);
        // SAFETY: the run keeps the parts.
        unsafe { &(*parts)[at] }.slots[0].get()
    }
}

fn known<R>(checks: &BlockChecks, who: u32, change: impl FnOnce(&mut Acquired) -> R) -> R {
    let clocks = &checks.clocks;
    clocks.any_known.set(true);
    let lane = (who - clocks.base.get()) as usize;
    change(clocks.known.borrow_mut()[lane].get_or_insert_default())
}

/// Acquires what the address holds, or whatever it holds later.
fn read(access: &Access<'_>, message: Option<u32>, acquires: bool, later: bool) {
    let (checks, reader) = (access.checks, access.now.who);
    let scope = access.now.what.scope();
    if later && !acquires {
        checks
            .pending_acquires
            .add(access.running.thread.get(), access.address);
    } else if later {
        known(checks, reader, |known| {
            known.announce(access.address, reader, scope, acquires);
        });
    } else if let Some(message) = message {
        let root = Root {
            message,
            reader,
            scope,
            by_seq_cst: false,
        };
        let by_others = acquires && checks.run().graph.lock().is_by_others(message);
        known(checks, reader, |known| {
            known.reads(root, acquires, by_others);
        });
    }
}

/// Remembers who changes an address, if its site always changes the same; else this is true.
fn count(access: &Access<'_>, releases: bool) -> bool {
    let (checks, now) = (access.checks, access.now);
    let site = now.what.site();
    let scattered = &checks.scattered[site as usize % checks.scattered.len()];
    if scattered.get() == site {
        return true;
    }
    let clocks = &checks.clocks;
    let release = if releases {
        (now.t, SYSTEM)
    } else {
        let fence = clocks.fence_of(now.who);
        let release = fence.and_then(|message| checks.run().graph.lock().release_of(message));
        release.map_or((0, 0), |(_, t, scope)| (t, scope))
    };
    let write = AtomicWrite {
        who: now.who,
        t: now.t,
        site,
        scope: now.what.scope(),
        bound: clocks.bound.get(),
        warp_bound: clocks.warp_bound(now.who),
        release,
    };
    let counters = &checks.run().counters;
    let is_scattered = !counters.add(access.address, now.who >> clocks.shift, write);
    if is_scattered {
        scattered.set(site);
    }
    is_scattered
}

/// Publishes what the lane knows, if it releases or has a fence behind it; gives whether there is a message now.
fn write(access: &Access<'_>, releases: bool, has_message: bool, later: bool) -> bool {
    let (checks, now) = (access.checks, access.now);
    let continues = now.what.is(AccessKind::READ);
    let graph = &checks.run().graph;
    let clocks = &checks.clocks;
    let message = if releases {
        Some(release(checks, now.who, SYSTEM, false))
    } else {
        clocks.fence_of(now.who)
    };
    let has_message = match message {
        Some(message) => {
            graph
                .lock()
                .write(access.address, message, now.what.scope(), continues);
            true
        }
        None => {
            // With several OS threads the processor writes later than this: who reads before that may see the message still.
            if has_message && !continues && !later {
                graph.lock().overwrite(access.address);
            }
            has_message
        }
    };
    has_message | write_of_others(access)
}

/// Publishes the sequentially consistent fences of the block's lanes before its latest barrier; gives whether there are any.
fn write_of_others(access: &Access<'_>) -> bool {
    let (checks, now) = (access.checks, access.now);
    let clocks = &checks.clocks;
    let mut fences = clocks.seq_cst.borrow_mut();
    if fences.is_empty() {
        return false;
    }
    let mut graph = checks.run().graph.lock();
    let message = fences.fences(&mut graph, now.who, clocks.shift);
    graph.write_of_others(access.address, message, now.what.scope());
    true
}

/// The lane releases all that it knows; gives the message of that.
fn release(checks: &BlockChecks, who: u32, scope: u32, is_seq_cst: bool) -> u32 {
    let clocks = &checks.clocks;
    let graph = &checks.run().graph;
    let t = clocks.times()[(who - clocks.base.get()) as usize].get();
    let (bound, warp_bound, row) = clocks.published(who);
    let (first, lanes) = clocks.cluster.get();
    let message = known(checks, who, |known| {
        known.settle(graph);
        let common = clocks.common.borrow();
        let roots = known.roots().chain(common.roots()).collect();
        drop(common);
        let release = Release {
            who,
            t,
            shift: clocks.shift,
            bound,
            warp_bound,
            cluster: (first, lanes, clocks.cluster_bound.get()),
            row,
            roots,
            is_seq_cst,
        };
        let message = graph.lock().release(release, scope);
        known.stands_for_all(Root::of_release(message, who));
        message
    });
    clocks.released(who);
    message
}

/// Remembers that the lane saw what another wrote, if that orders nothing.
fn hint(access: &Access<'_>, wrote: Slot, message: Option<u32>, acquires: bool) {
    let (checks, now) = (access.checks, access.now);
    let fresh = wrote.what.is(AccessKind::ATOMIC) && wrote.who != now.who;
    // Not more: each lane would follow the whole chain of releases of a hot address, for a hint that it may never need.
    let clocks = &checks.clocks;
    if !fresh || clocks.is_ordered_by_barriers(now.who, wrote.who, wrote.t) {
        return;
    }
    // Who only arrives at a barrier in memory is told nothing by those that arrived before.
    if clocks.is_mbarrier(access.address) {
        return;
    }
    let run = checks.run();
    let release = message.and_then(|message| run.graph.lock().release_of(message));
    let release = release.filter(|(who, ..)| *who == wrote.who);
    let changes = |slot: Slot| slot.what.is(AccessKind::READ) && slot.what.is(AccessKind::WRITE);
    let counts = changes(wrote) && changes(now) && release.is_none() && !acquires;
    if counts && race::is_same_block(access, wrote) {
        // Threads that count something. The block has a barrier for the rest.
        return;
    }
    let kept = run.counters.latest(wrote, wrote.who >> clocks.shift);
    // Else the lane of another block is taken to know what is older than its write.
    let bound = if race::is_same_block(access, wrote) {
        Some(clocks.bound.get()).filter(|bound| wrote.t >= *bound)
    } else {
        Some(wrote.t)
    };
    let bound = bound.unwrap_or(0);
    let write = kept.unwrap_or(AtomicWrite {
        who: wrote.who,
        t: wrote.t,
        site: wrote.what.site(),
        scope: wrote.what.scope(),
        bound,
        warp_bound: bound,
        release: release.map_or((0, 0), |(_, t, scope)| (t, scope)),
    });
    let hint = Hint {
        write,
        reader: now.who,
        read_t: now.t,
        read: now.what.site(),
        address: access.address,
        scope: now.what.scope(),
        acquires,
    };
    checks.hints.add(access.running.thread.get(), hint);
}

/// A fence of the lane that runs, by an intrinsic; `how` is 4 × order + scope.
pub(crate) fn fence(how: u32) {
    if let Some((running, _)) = current() {
        fence_at(how, running.site.get());
    }
}

/// The same, from a place.
pub(super) fn fence_at(how: u32, site: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    if let Some(observer) = &checks.observer {
        observer.fences();
    }
    let (order, scope) = (how >> 2, how & 3);
    if checks.has_weak_memory() {
        if order == 4 {
            running.fence_access(Site::of_site(site));
        }
        checks.weak_fence(running.thread.get(), order, scope);
    }
    let clocks = &checks.clocks;
    let who = clocks.base.get() | running.thread.get();
    let graph = &checks.run().graph;
    let is_followed = seq_cst::is_followed(order, scope);
    if order & 1 != 0 || order == 4 {
        known(checks, who, |known| {
            let announce = |address| known.announce(address, who, SYSTEM, false);
            checks
                .pending_acquires
                .take(running.thread.get())
                .for_each(announce);
            if is_followed {
                known.seq_cst_fence(graph, (who, scope), &clocks.seq_cst.borrow());
            }
            known.acquire_fence(graph, scope);
        });
        checks.hints.fenced(running.thread.get(), scope);
    }
    if order >= 2 {
        let message = release(checks, who, scope, order == 4);
        known(checks, who, |known| {
            known.fence = Some(message);
            if is_followed {
                known.seq_cst_fence = Some(message);
            }
        });
    }
}

impl BlockChecks {
    /// A barrier of the block comes now: what lanes have read before it by atomics of the processor, which may not have been read yet when they were told of (README 7).
    pub(super) fn keep_what_was_read(&self) {
        if !self.pending_acquires.any() {
            return;
        }
        let clocks = &self.clocks;
        let graph = self.run().graph.lock();
        let lanes = 0..clocks.times().len() as u32;
        let read = lanes
            .filter(|_| graph.has_any_seq_cst())
            .flat_map(|thread| {
                let addresses = self.pending_acquires.of(thread);
                let messages = addresses.filter_map(|address| graph.read(address));
                messages.map(move |message| Root::of_release(message, clocks.base.get() | thread))
            });
        let read: Vec<_> = read.collect();
        drop(graph);
        let mut seq_cst = clocks.seq_cst.borrow_mut();
        seq_cst.gather(&self.run().graph, (0, None), &read);
    }
}

/// Accesses a barrier in memory, which is no data to the lints.
fn quietly(running: &Running<'static>, checks: &BlockChecks, act: impl FnOnce()) {
    let tell = |is_there| {
        if let Some(observer) = &checks.observer {
            observer.is_at_mbarrier(running.thread.get(), is_there);
        }
    };
    tell(true);
    checks.at_mbarrier.set(true);
    act();
    checks.at_mbarrier.set(false);
    tell(false);
}

/// The lane that runs arrives next at the barrier in memory at `at`. Others may run before this returns: the barrier is read after.
pub(crate) fn will_arrive(at: *const u8) {
    let Some((running, checks)) = current() else {
        return;
    };
    let how = match running.shape.set_blocks {
        0 | 1 => CLUSTER,
        // The barrier may be another block's.
        _ => ACQ_REL | CLUSTER,
    };
    quietly(running, checks, || {
        around(at, 8, Does::Changes, how, || ((), true))
    });
    checks.weak_phase(running.thread.get(), at.addr(), true);
}

/// The lane that runs arrives there; the phase has this parity and ends with that if `ends`. No other lane runs meanwhile.
pub(crate) fn arrives(at: *const u8, parity: u32, ends: bool) {
    if let Some((running, checks)) = current()
        && running.shape.set_blocks <= 1
    {
        let clocks = &checks.clocks;
        clocks.arrives_at_phase(running.thread.get(), at.addr(), parity, ends);
    }
}

/// A copy that the lane begins will end at the barrier in memory at `at`, whose phase has this parity: who sees the end of the phase knows what the lane has done.
pub(crate) fn bulk_will_end(at: *const u8, parity: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    if running.shape.set_blocks > 1 {
        // The barrier may be another block's.
        quietly(running, checks, || {
            around(at, 8, Does::Changes, ACQ_REL | CLUSTER, || ((), true))
        });
    } else {
        let clocks = &checks.clocks;
        clocks.arrives_at_phase(running.thread.get(), at.addr(), parity, false);
    }
}

/// The phase of this parity ends there because copies have landed.
pub(crate) fn phase_ends(at: *const u8, parity: u32) {
    if let Some((running, checks)) = current()
        && running.shape.set_blocks <= 1
    {
        checks.clocks.phase_ends(at.addr(), parity);
    }
}

/// The lane that runs saw that the phase of this parity has ended there.
pub(crate) fn sees_phase(at: *const u8, parity: u32) {
    let Some((running, checks)) = current() else {
        return;
    };
    let load = |how| {
        quietly(running, checks, || {
            around(at, 8, Does::Loads, how, || ((), false))
        })
    };
    if running.shape.set_blocks > 1 {
        load(ACQUIRE | CLUSTER);
    } else {
        load(CLUSTER);
        let clocks = &checks.clocks;
        clocks.phase_seen(running.thread.get(), at.addr(), parity);
    }
    checks.weak_phase(running.thread.get(), at.addr(), false);
}
