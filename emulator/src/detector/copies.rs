//! Asynchronous copies: the target counts as written when the copy has been waited for, the source as read from its begin until then.

use super::access::{self, Access};
use super::bulk;
use super::fast::locked;
use super::shadow::{Granule, flag};
use super::slot::{AccessKind, Slot};
use super::state::{BlockChecks, current};
use super::{describe, race};
use crate::engine::fiber::Running;
use crate::finding::{Code, Report};

/// A copy under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    from: usize,
    to: usize,
    bytes: usize,
    by: Slot,
    /// The last write of each byte of the source when the copy began.
    written: [Slot; MAX_BYTES],
}

/// Bytes of one copy at most.
const MAX_BYTES: usize = 16;

/// The lane that runs begins a copy.
pub(crate) fn begins(to: *const u8, from: *const u8, bytes: usize) {
    let Some((running, checks)) = current() else {
        return;
    };
    let site = running.site.get();
    access::any(from.addr(), bytes, bytes as u32, AccessKind::READ, site);
    let what = AccessKind::new(AccessKind::WRITE | AccessKind::COPY, site);
    let Some(space) = access::locate(running, checks, (to.addr(), bytes, bytes), what) else {
        return;
    };
    if let Some(observer) = &checks.observer {
        observer.copies(running.thread.get(), to.addr(), bytes, site);
    }
    let written = source(running, checks, (from.addr(), bytes), site)
        .map_or([Slot::default(); MAX_BYTES], |source| last_writes(&source));
    let now = checks.clocks.slot(running.thread.get(), what);
    let is_of_now = |write: &Slot| (write.who, write.t) == (now.who, now.t);
    if written.iter().any(is_of_now) {
        // So that a further write of this lane is told from that one.
        checks.clocks.released(now.who);
    }
    let access = Access::new(running, checks, space, (to.addr(), bytes), what, None);
    checks.flights.borrow_mut().push(Flight {
        from: from.addr(),
        to: to.addr(),
        bytes,
        by: access.now,
        written,
    });
    access.each_granule(|granule, _, _| granule.set_copying());
}

/// A copy of the lane that runs, begun at `site`, has been waited for and takes place now.
pub(crate) fn ends(to: *const u8, bytes: usize) {
    let Some((running, checks)) = current() else {
        return;
    };
    let mut flights = checks.flights.borrow_mut();
    let mine = running.thread.get() | checks.clocks.base.get();
    let Some(at) = flights
        .iter()
        .position(|one| one.to == to.addr() && one.by.who == mine)
    else {
        return;
    };
    let flight = flights.swap_remove(at);
    drop(flights);
    reads_source_again(running, checks, flight);
    let what = AccessKind::new(AccessKind::WRITE | AccessKind::COPY, flight.by.what.site());
    if let Some(space) = access::locate(running, checks, (to.addr(), bytes, 1), what) {
        let access = Access::new(running, checks, space, (to.addr(), bytes), what, None);
        access.each_granule(|granule, _, _| granule.set_flags(granule.flags() & !flag::COPYING));
    }
    access::any(
        to.addr(),
        bytes,
        1,
        AccessKind::WRITE | AccessKind::COPY,
        flight.by.what.site(),
    );
}

/// The read of a copy's source; `None`: it is not checked.
fn source<'a>(
    running: &'a Running<'static>,
    checks: &'a BlockChecks,
    (from, bytes): (usize, usize),
    site: u32,
) -> Option<Access<'a>> {
    let what = AccessKind::new(AccessKind::READ, site);
    let space = access::look_up(running, checks, (from, bytes, 1), what)?;
    Some(Access::new(
        running,
        checks,
        space,
        (from, bytes),
        what,
        None,
    ))
}

/// The last write of each byte.
fn last_writes(source: &Access<'_>) -> [Slot; MAX_BYTES] {
    let mut written = [Slot::default(); MAX_BYTES];
    let mut rest = written.iter_mut();
    source.each_granule(|entry, at, n| {
        locked(source.space, entry, || {
            for (byte, slot) in (at..at + n).zip(rest.by_ref()) {
                *slot = source.newest(entry, byte);
            }
            true
        });
    });
    written
}

/// A copy has been waited for: its source may have been read at any time until now (README 12).
fn reads_source_again(running: &Running<'static>, checks: &BlockChecks, flight: Flight) {
    let range = (flight.from, flight.bytes);
    let Some(source) = source(running, checks, range, flight.by.what.site()) else {
        return;
    };
    let written = last_writes(&source);
    let mut both = flight.written.iter().zip(&written);
    let is_new = |(before, now): &(&Slot, &Slot)| {
        (before.who, before.t, before.what) != (now.who, now.t, now.what)
    };
    // One that is not ordered before the wait is found by the read below.
    if let Some((_, write)) = both.find(is_new)
        && source.is_ordered(*write)
    {
        let sites = [write.what.site(), flight.by.what.site()];
        race::report(checks, write.who, sites, Code::COPY_SOURCE, || {
            report_source(&source, *write, flight)
        });
    }
    source.each_granule(|entry, at, n| {
        locked(source.space, entry, || {
            source.look(entry, at, n);
            true
        });
    });
}

fn report_source(source: &Access<'_>, write: Slot, flight: Flight) -> Report {
    let (code, name) = (Code::COPY_SOURCE, describe::name(source));
    Report::new(code, format!("{} (`{name}`)", code.title()))
        .side(race::side(source.checks, write, format!("wrote {name}")))
        .side(race::side(
            source.checks,
            flight.by,
            "began a copy from it".into(),
        ))
        .why("the copy may read its source until the thread that began it has waited for it; it gives old or new bytes")
        .help("write the source after the wait, and after a barrier of the block if another thread writes it")
}

/// An access to the target of a copy under way.
pub(super) fn meets(access: &Access<'_>, granule: &Granule) {
    if bulk::meets(access, granule) {
        return;
    }
    let flights = access.checks.flights.borrow();
    let (from, to) = (access.address, access.address + access.bytes);
    let found = flights
        .iter()
        .find(|one| one.to < to && from < one.to + one.bytes);
    let Some(flight) = found.copied() else {
        // Left over from a block before this one.
        granule.set_flags(granule.flags() & !flag::COPYING);
        return;
    };
    drop(flights);
    if access.now.what.is_copy() || access.reported.replace(true) {
        return;
    }
    let code = if access.now.what.is(AccessKind::WRITE) {
        Code::SHARED_RACE_WRITES
    } else {
        Code::COPY_NOT_WAITED
    };
    let sites = [access.now.what.site(), flight.by.what.site()];
    race::report(access.checks, access.now.who, sites, code, || {
        report(access, flight, code)
    });
}

fn report(access: &Access<'_>, flight: Flight, code: Code) -> Report {
    let name = describe::name(access);
    let verb = if access.now.what.is(AccessKind::WRITE) {
        "writes"
    } else {
        "reads"
    };
    Report::new(code, format!("{} (`{name}`)", code.title()))
        .side(race::side_now(access, format!("{verb} {name}")))
        .side(race::side(
            access.checks,
            flight.by,
            "began a copy to it".into(),
        ))
        .why("the copy may be under way until the thread that began it waits for it")
        .help("wait for the copy, and then at a barrier of the block, before the target is used")
}
