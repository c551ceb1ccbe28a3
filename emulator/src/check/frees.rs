//! Memory that one lane frees while nothing orders the accesses of others before that: in another order of threads they would come late.

use super::Code;
use super::access::Access;
use super::describe;
use super::race;
use super::shadow::{Granule, Slot, What, flag};
use crate::fiber;

/// The lane that runs frees the piece of the device's heap that starts there.
pub(super) fn frees(start: usize) {
    let Some((running, checks)) = fiber::checked() else {
        return;
    };
    // What no lane of this run has accessed, nobody knows here.
    let Some(space) = checks.find_global(start) else {
        return;
    };
    // SAFETY: it lives as long as the run.
    let space = unsafe { &*space };
    if space.base != start || space.allocation().is_none_or(|one| one.is_freed()) {
        return;
    }
    let what = What::new(What::WRITE, running.site.get());
    let access = |address, bytes| Access::new(running, checks, space, (address, bytes), what, None);
    let mut found: Option<(usize, usize, Slot)> = None;
    let mut address = start;
    let whole = access(start, space.bytes);
    whole.each_granule(|granule, _, bytes| {
        if found.is_none() {
            if space.locked {
                granule.lock();
            }
            granule.leave_line(space.locked);
            found = unordered(&whole, &granule).map(|slot| (address, bytes, slot));
            if space.locked {
                granule.unlock();
            }
        }
        address += bytes;
    });
    if let Some((address, bytes, slot)) = found {
        let sites = [what.site(), slot.what.site()];
        race::report(checks, whole.now.who, sites, Code::USE_AFTER_FREE, || {
            describe::freed(&access(address, bytes), slot)
        });
    }
}

/// An access of another lane that is remembered here, and that nothing orders before the free.
fn unordered(free: &Access<'_>, granule: &Granule) -> Option<Slot> {
    if granule.flags() & flag::SPLIT != 0 {
        let parts = granule.split(&free.checks.run().splits);
        // SAFETY: the run keeps the parts.
        return unsafe { &*parts }.iter().find_map(|part| among(free, part));
    }
    among(free, granule)
}

fn among(free: &Access<'_>, granule: &Granule) -> Option<Slot> {
    let mut slots = granule.slots.iter().map(std::cell::Cell::get);
    slots.find(|slot| slot.t != 0 && slot.who != free.now.who && !free.is_ordered(*slot))
}
