//! Memory that one lane frees while nothing orders the accesses of others before that: in another order of threads they would come late.

use super::access::Access;
use super::describe;
use super::memory;
use super::race;
use super::shadow::{Granule, flag};
use super::slot::{AccessKind, Slot};
use super::state::current;
use crate::finding::Code;
use crate::memory_kind::Kind;

/// Frees what `heap_alloc` gave, of this run or an earlier one; nothing for null. What is no piece of the heap, or was freed before, stays
/// as it is and is a finding; so is a free that nothing orders behind the accesses of other lanes.
pub fn heap_free(start: *mut u8) {
    frees(start.addr());
    memory::heap_free(start);
}

/// The lane that runs frees the piece of the device's heap that starts there.
fn frees(start: usize) {
    let Some((running, checks)) = current() else {
        return;
    };
    // What no lane of this run has accessed, is not known here.
    let Some(space) = checks.find_global(start) else {
        return;
    };
    // SAFETY: it stays as long as the run.
    let space = unsafe { &*space };
    if space.base != start
        || space
            .allocation()
            .is_none_or(|one| one.is_freed() || one.kind != Kind::Heap)
    {
        return;
    }
    checks.weakly_freed(start, space.bytes);
    let what = AccessKind::new(AccessKind::WRITE, running.site.get());
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
