//! Bulk copies: their target counts as written by the lane that begins them, and nothing may touch it before the phase of their barrier has ended; nothing may write their source
//! before their group has been waited for. They do not see what threads wrote to shared memory unless a proxy fence lies between (README 23 to 25).

use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;

use super::access::{self, Access};
use super::fast::locked;
use super::memory::{Access as Odd, How, admit};
use super::shadow::{Granule, flag};
use super::slot::{AccessKind, Slot};
use super::state::{BlockChecks, current};
use super::{describe, race};
use crate::engine::fiber::Running;
use crate::finding::{Code, Report};
use crate::site::SiteId;

/// The bulk copies of a block that are under way, and what its lanes have done for them.
#[derive(Debug, Default)]
pub(super) struct BulkCopies {
    flights: RefCell<Vec<BulkFlight>>,
    fences: RefCell<Vec<ProxyFence>>,
}

/// One side of a copy under way, in shared memory.
#[derive(Debug, Clone, Copy)]
struct BulkFlight {
    start: usize,
    bytes: usize,
    by: Slot,
    is_source: bool,
}

/// The latest proxy fence of a lane.
#[derive(Debug, Clone, Default)]
struct ProxyFence {
    /// The lane's time before it, and one: 0 without a fence.
    until: u32,
    /// The time before which the lane knew each lane of its block.
    known: Vec<u32>,
}

impl BulkFlight {
    fn overlaps(&self, start: usize, bytes: usize) -> bool {
        self.start < start + bytes && start < self.start + self.bytes
    }
}

impl BulkCopies {
    pub(super) fn clear(&self) {
        self.flights.borrow_mut().clear();
        self.fences.borrow_mut().clear();
    }

    /// Whether a proxy fence lies between a write of a lane of this block and what lane number `me` of it does now. The order of a fence of a third lane is not compared.
    fn is_fenced(&self, write: Slot, base: u32, me: u32) -> bool {
        let fences = self.fences.borrow();
        let writer = (write.who - base) as usize;
        let made_by_writer = fences
            .get(writer)
            .is_some_and(|fence| write.t < fence.until);
        let knows = |fence: &ProxyFence| fence.known.get(writer).is_some_and(|t| write.t < *t);
        made_by_writer || fences.get(me as usize).is_some_and(knows) || fences.iter().any(knows)
    }
}

/// The lane that runs begins a copy that reads so many bytes of global memory.
pub(crate) fn reads(from: usize, bytes: usize) {
    if let Some((running, checks)) = current()
        && bytes != 0
    {
        let kind = AccessKind::new(AccessKind::READ, running.site.get());
        look(running, checks, (from, bytes, 1), kind, |_| ());
    }
}

/// The lane that runs begins a copy that writes so many bytes of global memory; `reduces`: that changes elements of so many bytes, each in one step.
pub(crate) fn writes(to: usize, bytes: usize, reduces: Option<usize>) {
    let Some((running, checks)) = current() else {
        return;
    };
    checks.clocks.note_write(running.thread.get());
    running.memory_changed();
    let site = running.site.get();
    let kind = match reduces {
        None => AccessKind::new(AccessKind::WRITE, site),
        // Of the device's scope.
        Some(_) => AccessKind::new(
            AccessKind::READ | AccessKind::WRITE | AccessKind::ATOMIC,
            site,
        )
        .with_scope(2),
    };
    look(running, checks, (to, bytes, 1), kind, |_| ());
}

/// The lane that runs begins a copy to shared memory of a block of its cluster.
pub(crate) fn begins(to: *const u8, bytes: usize, align: usize) {
    let Some((running, checks)) = current() else {
        return;
    };
    checks.clocks.note_write(running.thread.get());
    let range = (to.addr(), bytes, align);
    let what = AccessKind::new(AccessKind::WRITE | AccessKind::COPY, running.site.get());
    look(running, checks, range, what, |access| {
        access.each_granule(|granule, _, _| granule.set_copying());
        let flight = BulkFlight {
            start: to.addr(),
            bytes,
            by: access.now,
            is_source: false,
        };
        let keep = |copies: &BulkCopies| copies.flights.borrow_mut().push(flight);
        with_owner(running, checks, to, keep);
    });
}

/// Such a copy has landed: a thread has seen its barrier.
pub(crate) fn lands(to: *const u8, bytes: usize) {
    if let Some((running, checks)) = current() {
        running.memory_changed();
        ends(running, checks, (to.addr(), bytes), false);
    }
}

/// The lane that runs begins a copy from its shared memory; the source may be read until [`source_read`].
pub(crate) fn reads_shared(from: *const u8, bytes: usize, align: usize) {
    let Some((running, checks)) = current() else {
        return;
    };
    let range = (from.addr(), bytes, align);
    reads_by_proxy(running, checks, range, |access| {
        access.each_granule(|granule, _, _| granule.set_copying());
        checks.bulk.flights.borrow_mut().push(BulkFlight {
            start: from.addr(),
            bytes,
            by: access.now,
            is_source: true,
        });
    });
}

/// The lane that runs lets something else than accesses of threads read its shared memory now.
pub(crate) fn reads_shared_now(from: *const u8, bytes: usize, align: usize) {
    if let Some((running, checks)) = current() {
        reads_by_proxy(running, checks, (from.addr(), bytes, align), |_| ());
    }
}

/// The source of such a copy has been read, as the lane that began it knows.
pub(crate) fn source_read(from: usize, bytes: usize) {
    if let Some((running, checks)) = current() {
        ends(running, checks, (from, bytes), true);
    }
}

/// The lane that runs made a proxy fence.
pub(crate) fn proxy_fence() {
    let Some((running, checks)) = current() else {
        return;
    };
    let (thread, clocks) = (running.thread.get(), &checks.clocks);
    let until = clocks.time(thread) + 1;
    let known = clocks.known_times(thread);
    let mut fences = checks.bulk.fences.borrow_mut();
    let n_threads = clocks.times().len();
    fences.resize(n_threads, ProxyFence::default());
    fences[thread as usize] = ProxyFence { until, known };
    drop(fences);
    // What the lane writes from now on is not covered.
    clocks.wrote_atomically(clocks.base.get() | thread);
}

/// The lane that runs gives an address that is not aligned as it has to be. Ends the lane.
pub(crate) fn misaligned(address: usize, align: usize) {
    if let Some((running, checks)) = current() {
        let site = SiteId(running.site.get());
        let odd = Odd {
            address,
            bytes: 1,
            align,
            how: How::Reads,
            site,
        };
        admit(&checks.run().snapshot, odd);
    }
}

/// The block is over: copies from its shared memory that no thread has waited for may read it after that.
pub(super) fn finish(checks: &BlockChecks) {
    let flights = std::mem::take(&mut *checks.bulk.flights.borrow_mut());
    if flights.is_empty() || !checks.only_returned() {
        return;
    }
    for flight in flights.iter().filter(|flight| flight.is_source) {
        let (who, site) = (flight.by.who, flight.by.what.site());
        race::report(checks, who, [site, 0], Code::SHARED_EXITED, || {
            let title = "a bulk copy may read shared memory of a block that has exited";
            Report::new(Code::SHARED_EXITED, title)
                .side(race::side(checks, flight.by, "begins a bulk copy from it".into()))
                .why("the shared memory of a block ends when its threads have returned, and no thread has waited until the copy has read its source")
                .help("let the thread that begins the copy call `tma::commit_group`, and `tma::wait_group_read::<0>` before it returns")
        });
    }
}

/// Reads of shared memory by something else than the threads' own accesses.
fn reads_by_proxy(
    running: &Running<'static>,
    checks: &BlockChecks,
    range: (usize, usize, usize),
    then: impl FnOnce(&Access<'_>),
) {
    let what = AccessKind::new(AccessKind::READ, running.site.get());
    look(running, checks, range, what, |access| {
        let mut missing = None;
        access.each_granule(|entry, at, n| {
            for byte in at..at + n {
                let write = access.newest(entry, byte);
                if missing.is_none() && lacks_fence(access, write) {
                    missing = Some(write);
                }
            }
        });
        if let Some(write) = missing {
            let sites = [access.now.what.site(), write.what.site()];
            race::report(checks, access.now.who, sites, Code::PROXY_FENCE, || {
                report_fence(access, write)
            });
        }
        then(access);
    });
}

/// Whether a write by a thread of the block is not seen by copies, although it is ordered before.
fn lacks_fence(access: &Access<'_>, write: Slot) -> bool {
    let checks = access.checks;
    let (base, thread) = (checks.clocks.base.get(), access.running.thread.get());
    write.t >= access.space.start
        && write.t != 0
        && !write.what.is_copy()
        && race::is_same_block(access, write)
        && access.is_ordered(write)
        && !checks.bulk.is_fenced(write, base, thread)
}

fn look(
    running: &Running<'static>,
    checks: &BlockChecks,
    range: (usize, usize, usize),
    what: AccessKind,
    then: impl FnOnce(&Access<'_>),
) {
    running.step(what.site());
    let Some(space) = access::look_up(running, checks, range, what) else {
        return;
    };
    let (address, bytes, _) = range;
    let access = Access::new(running, checks, space, (address, bytes), what, None);
    access.check_values();
    access.each_granule(|entry, at, n| {
        locked(space, entry, || {
            access.look(entry, at, n);
            true
        });
    });
    then(&access);
}

/// A copy under way is over on one of its sides.
fn ends(
    running: &Running<'static>,
    checks: &BlockChecks,
    (start, bytes): (usize, usize),
    is_source: bool,
) {
    let at = ptr::without_provenance(start);
    let found = with_owner(running, checks, at, |copies| {
        let mut flights = copies.flights.borrow_mut();
        let is_it =
            |one: &BulkFlight| (one.start, one.bytes, one.is_source) == (start, bytes, is_source);
        let position = flights.iter().position(is_it)?;
        let flight = flights.swap_remove(position);
        let is_alone = !flights.iter().any(|one| one.overlaps(start, bytes));
        Some((flight, is_alone))
    });
    let Some(Some((flight, true))) = found else {
        return;
    };
    let Some(space) = checks.find_shared(running, start) else {
        return;
    };
    // SAFETY: it stays until the blocks of the set restart.
    let space = unsafe { &*space };
    let access = Access::new(running, checks, space, (start, bytes), flight.by.what, None);
    access.each_granule(|granule, _, _| granule.set_flags(granule.flags() & !flag::COPYING));
}

/// What the block keeps in whose shared memory an address lies.
fn with_owner<R>(
    running: &Running<'static>,
    checks: &BlockChecks,
    at: *const u8,
    act: impl FnOnce(&BulkCopies) -> R,
) -> Option<R> {
    let own = running.arena.borrow().offset_of(at);
    if own.is_some() {
        return Some(act(&checks.bulk));
    }
    let (rank, _) = running.locate_shared(at)?;
    let owner: Rc<Running<'static>> = running.cluster_member(rank)?;
    Some(act(&BlockChecks::of(&owner)?.bulk))
}

/// An access to the target or to the source of a copy under way; false: there is no such copy.
pub(super) fn meets(access: &Access<'_>, _granule: &Granule) -> bool {
    let at = ptr::without_provenance(access.address);
    let writes = access.now.what.is(AccessKind::WRITE);
    let (mut any, mut met) = (false, None);
    with_owner(access.running, access.checks, at, |copies| {
        for flight in copies.flights.borrow().iter() {
            if flight.overlaps(access.address, access.bytes) {
                any = true;
                if writes || !flight.is_source {
                    met = met.or(Some(*flight));
                }
            }
        }
    });
    if let Some(flight) = met
        && !access.reported.replace(true)
    {
        let code = match (flight.is_source, writes) {
            (true, _) => Code::COPY_SOURCE,
            (false, true) => Code::SHARED_RACE_WRITES,
            (false, false) => Code::COPY_NOT_WAITED,
        };
        let sites = [access.now.what.site(), flight.by.what.site()];
        race::report(access.checks, access.now.who, sites, code, || {
            report(access, flight, code)
        });
    }
    any
}

fn report(access: &Access<'_>, flight: BulkFlight, code: Code) -> Report {
    let name = describe::name(access);
    let verb = match (
        access.now.what.is_copy(),
        access.now.what.is(AccessKind::WRITE),
    ) {
        (true, _) => "begins a copy to",
        (false, true) => "writes",
        (false, false) => "reads",
    };
    let (began, why, help) = match flight.is_source {
        true => (
            "began a bulk copy from it",
            "the copy may read its source until the thread that began it has waited for its group; it gives old or new bytes",
            "let the thread that began the copy call `tma::wait_group_read` before, and let the others meet it at a barrier after that",
        ),
        false => (
            "began a bulk copy to it",
            "the copy may be under way until a thread has seen the end of the phase of its barrier",
            "let each thread that uses the target wait for the phase first, `Mbarrier::wait` or `wait_parity`",
        ),
    };
    Report::new(code, format!("{} (`{name}`)", code.title()))
        .side(race::side_now(access, format!("{verb} {name}")))
        .side(race::side(access.checks, flight.by, began.into()))
        .why(why)
        .help(help)
}

fn report_fence(access: &Access<'_>, write: Slot) -> Report {
    let (code, name) = (Code::PROXY_FENCE, describe::name(access));
    Report::new(code, format!("{} (`{name}`)", code.title()))
        .side(race::side_now(access, format!("begins a bulk copy from {name}")))
        .side(race::side(access.checks, write, format!("wrote {name}")))
        .why("bulk copies reach shared memory by another way than the accesses of threads; a barrier alone does not order the two")
        .help("let each thread that wrote call `tma::fence_proxy_async()` after its writes and before the barrier")
}
