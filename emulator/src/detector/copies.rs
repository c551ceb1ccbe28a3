//! Asynchronous copies: the target counts as written when the copy has been waited for.

use super::access::{self, Access};
use super::shadow::{Granule, flag};
use super::slot::{AccessKind, Slot};
use super::state::current;
use super::{describe, race};
use crate::finding::{Code, Report};

/// A copy under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    to: usize,
    bytes: usize,
    by: Slot,
}

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
    let access = Access::new(running, checks, space, (to.addr(), bytes), what, None);
    checks.flights.borrow_mut().push(Flight {
        to: to.addr(),
        bytes,
        by: access.now,
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

/// An access to the target of a copy under way.
pub(super) fn meets(access: &Access<'_>, granule: &Granule) {
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
