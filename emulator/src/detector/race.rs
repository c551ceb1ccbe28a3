//! Two accesses that nothing orders: which class that is, and what the report says.

use std::cell::Cell;

use super::access::Access;
use super::hints::Lack;
use super::shadow::Granule;
use super::slot::{AccessKind, Slot};
use super::state::{BlockChecks, RunChecks};
use super::{describe, uninitialised};
use crate::engine::warp::LANES;
use crate::finding::Key;
use crate::finding::{Code, Report, Severity, Side};
use crate::site::{SiteId, site, users_place};

/// Compares an access with those that the granule remembers, and reports the worst of what is wrong: errors rather than warnings, then lanes further apart, which need a
/// wider barrier. Of which lanes an access is remembered depends on the order in which they run.
pub(super) fn look(access: &Access<'_>, granule: &Granule) {
    let now = access.now;
    let mut worst: Option<((Severity, u8), (Code, Slot))> = None;
    for slot in granule.slots.iter().map(Cell::get) {
        if slot.t == 0
            || slot.who == now.who
            || !AccessKind::either(slot.what, now.what, AccessKind::WRITE)
        {
            continue;
        }
        let atomics = slot.what.is(AccessKind::ATOMIC) && now.what.is(AccessKind::ATOMIC);
        let both_whole = atomics && reach(access, slot) && now.what.is_as_wide_as(slot.what);
        if both_whole && !relies_on_steps(access, slot) || access.is_ordered(slot) {
            continue;
        }
        let code = class(access, slot, atomics);
        let rank = (code.severity(), distance(access, slot));
        if worst.is_none_or(|(known, _)| known < rank) {
            worst = Some((rank, (code, slot)));
        }
    }
    if worst.is_some() && now.what.is(AccessKind::WRITE) {
        uninitialised::raced(access);
    }
    if let Some((_, (code, other))) = worst
        && !access.reported.replace(true)
    {
        let sites = [now.what.site(), other.what.site()];
        report(access.checks, now.who, sites, code, || {
            describe::race(access, other, code)
        });
    }
}

/// Reports a finding of lane `who`.
pub(super) fn report(
    checks: &BlockChecks,
    who: u32,
    sites: [u32; 2],
    code: Code,
    build: impl FnOnce() -> Report,
) {
    tell(checks.run(), who, sites, code, build);
}

/// Reports a finding of lane `who`.
pub(super) fn tell(
    run: &RunChecks,
    who: u32,
    sites: [u32; 2],
    code: Code,
    build: impl FnOnce() -> Report,
) {
    let shift = run.shape.n_threads.next_power_of_two().trailing_zeros();
    let (block, thread) = (who >> shift, who & ((1 << shift) - 1));
    let key = Key {
        code,
        sites: sites.map(SiteId),
        detail: 0,
        block: block.into(),
        thread,
    };
    run.sink.report(key, build);
}

/// Whether the scopes of both atomics include the other's lane.
fn reach(access: &Access<'_>, slot: Slot) -> bool {
    reaches(access, slot, access.now.what.scope().min(slot.what.scope()))
}

/// Whether an atomic of this scope is for the lanes of both.
pub(super) fn reaches(access: &Access<'_>, slot: Slot, scope: u32) -> bool {
    scope >= 2
        || is_same_block(access, slot)
        || scope == 1 && access.checks.clocks.in_cluster(slot.who)
}

/// Whether two lanes of a warp exchange data through shared memory by volatile accesses, as if lanes ran in step (README 9).
fn relies_on_steps(access: &Access<'_>, slot: Slot) -> bool {
    let both = slot.what.is(AccessKind::VOLATILE) && access.now.what.is(AccessKind::VOLATILE);
    both && access.space.is_shared() && is_same_warp(access, slot)
}

/// How far the lanes are apart: in one warp, in one block, or further.
fn distance(access: &Access<'_>, slot: Slot) -> u8 {
    match (is_same_warp(access, slot), is_same_block(access, slot)) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

pub(super) fn is_same_block(access: &Access<'_>, slot: Slot) -> bool {
    (access.now.who ^ slot.who) >> access.checks.clocks.shift == 0
}

pub(super) fn is_same_warp(access: &Access<'_>, slot: Slot) -> bool {
    is_same_block(access, slot) && access.now.who / LANES == slot.who / LANES
}

fn class(access: &Access<'_>, slot: Slot, atomics: bool) -> Code {
    let now = access.now;
    if atomics && !reach(access, slot) {
        return Code::NARROW_SCOPE;
    }
    if atomics && !now.what.is_as_wide_as(slot.what) {
        return Code::MIXED_SIZES;
    }
    if atomics {
        return Code::WARP_VOLATILE;
    }
    if AccessKind::either(slot.what, now.what, AccessKind::ATOMIC) {
        return Code::MIXED_ATOMIC;
    }
    if let Some(hint) = access.checks.hint_about(now.who, slot) {
        return match hint.lacks(slot, |scope| reaches(access, slot, scope)) {
            Lack::Scope => Code::NARROW_SCOPE,
            Lack::Release | Lack::Acquire => Code::MISSING_ORDER,
        };
    }
    let writes = slot.what.is(AccessKind::WRITE) && now.what.is(AccessKind::WRITE);
    if writes && is_same_value(access) {
        return Code::SAME_VALUE;
    }
    match (access.space.is_shared(), writes) {
        (true, _) if is_same_warp(access, slot) => {
            if writes {
                Code::WARP_RACE_WRITES
            } else {
                Code::WARP_RACE
            }
        }
        (true, true) => Code::SHARED_RACE_WRITES,
        (true, false) => Code::SHARED_RACE,
        (false, true) if is_same_block(access, slot) => Code::GLOBAL_RACE_WRITES,
        (false, false) if is_same_block(access, slot) => Code::GLOBAL_RACE,
        (false, true) => Code::GRID_RACE_WRITES,
        (false, false) => Code::GRID_RACE,
    }
}

/// Whether the memory holds already what is written.
fn is_same_value(access: &Access<'_>) -> bool {
    let (Some(value), 1..=8) = (access.value, access.bytes) else {
        return false;
    };
    access.present().is_some_and(|present| present == value)
}

impl Access<'_> {
    /// The bytes that the memory holds at this moment, up to 8.
    pub(super) fn present(&self) -> Option<u64> {
        (self.bytes <= 8).then(|| {
            let from = std::ptr::with_exposed_provenance::<u8>(self.address);
            let mut bytes = [0; 8];
            for (at, byte) in bytes.iter_mut().enumerate().take(self.bytes) {
                // SAFETY: the access lies in memory that is there.
                *byte = unsafe { from.wrapping_add(at).read_volatile() };
            }
            u64::from_le_bytes(bytes)
        })
    }
}

/// The side of the access that is reported, with the calls that it is in.
pub(super) fn side_now(access: &Access<'_>, did: String) -> Side {
    let calls = access.checks.calls.borrow();
    let calls = &calls[access.running.thread.get() as usize];
    let (place, callers) = users_place(SiteId(access.now.what.site()), calls);
    let mut side = Side::at(place, access.checks.run().who(access.now.who), did);
    for info in callers.iter().rev().filter_map(|call| site(SiteId(*call))) {
        side.stack
            .extend_from_slice(&info.frames[info.shown_frame()..]);
    }
    side
}

/// A side of a report: what a lane did at a site.
pub(super) fn side(checks: &BlockChecks, slot: Slot, did: String) -> Side {
    Side::at(SiteId(slot.what.site()), checks.run().who(slot.who), did)
}
