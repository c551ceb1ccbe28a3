//! Two accesses that nothing orders: which class that is, and what the report says.

use std::cell::Cell;
use std::collections::HashMap;

use super::access::Access;
use super::collect::Key;
use super::shadow::{Granule, Slot, What};
use super::site::{SiteId, site};
use super::state::{BlockChecks, RunChecks};
use super::{Code, Report, Side, describe, unread};
use crate::sync::{Mutex, lock};
use crate::warp::LANES;

/// Compares an access with those that the granule remembers, and reports the worst of what is wrong.
pub(super) fn look(access: &Access<'_>, granule: &Granule) {
    let now = access.now;
    let mut worst: Option<(Code, Slot)> = None;
    for slot in granule.slots.iter().map(Cell::get) {
        if slot.t == 0 || slot.who == now.who || !What::either(slot.what, now.what, What::WRITE) {
            continue;
        }
        let atomics = slot.what.is(What::ATOMIC) && now.what.is(What::ATOMIC);
        if atomics && reach(access, slot) || access.is_ordered(slot) {
            continue;
        }
        let code = class(access, slot, atomics);
        if worst.is_none_or(|(known, _)| known == Code::SAME_VALUE) {
            worst = Some((code, slot));
        }
    }
    if worst.is_some() && now.what.is(What::WRITE) {
        unread::raced(access);
    }
    if let Some((code, other)) = worst
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
pub(super) fn reach(access: &Access<'_>, slot: Slot) -> bool {
    let scope = access.now.what.scope().min(slot.what.scope());
    scope >= 2
        || is_same_block(access, slot)
        || scope == 1 && access.checks.clocks.in_cluster(slot.who)
}

pub(super) fn is_same_block(access: &Access<'_>, slot: Slot) -> bool {
    (access.now.who ^ slot.who) >> access.checks.clocks.shift == 0
}

pub(super) fn is_same_warp(access: &Access<'_>, slot: Slot) -> bool {
    is_same_block(access, slot) && access.now.who / LANES == slot.who / LANES
}

fn class(access: &Access<'_>, slot: Slot, atomics: bool) -> Code {
    let now = access.now;
    if atomics {
        return Code::NARROW_SCOPE;
    }
    if What::either(slot.what, now.what, What::ATOMIC) {
        return Code::MIXED_ATOMIC;
    }
    if let Some(hint) = access.checks.hints.about(access.checks, slot) {
        return if hint.scope {
            Code::NARROW_SCOPE
        } else {
            Code::MISSING_ORDER
        };
    }
    let writes = slot.what.is(What::WRITE) && now.what.is(What::WRITE);
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
                *byte = unsafe { from.add(at).read_volatile() };
            }
            u64::from_le_bytes(bytes)
        })
    }
}

/// An atomic read that saw what another lane wrote atomically, without order between the two.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hint {
    /// Who wrote it, and when.
    pub(super) who: u32,
    pub(super) t: u32,
    pub(super) wrote: u32,
    /// Who read it.
    pub(super) reader: u32,
    pub(super) read: u32,
    pub(super) address: usize,
    /// There is order for narrower scopes, but not for this lane.
    pub(super) scope: bool,
    /// What was written is a release.
    pub(super) released: bool,
}

const HINTS: usize = 4;

/// The latest hints of each lane of a block: they tell why a race is one.
#[derive(Debug)]
pub(super) struct Hints {
    all: Box<[Cell<Hint>]>,
    next: Cell<usize>,
    any: Cell<bool>,
}

impl Hints {
    pub(super) fn new(n_threads: u32) -> Self {
        let n = n_threads as usize * HINTS;
        Self {
            all: vec![Cell::default(); n].into(),
            next: Cell::new(0),
            any: Cell::new(false),
        }
    }

    pub(super) fn clear(&self) {
        if self.any.replace(false) {
            self.all.iter().for_each(|hint| hint.set(Hint::default()));
        }
    }

    pub(super) fn add(&self, thread: u32, hint: Hint) {
        self.any.set(true);
        let first = thread as usize * HINTS;
        let mine = &self.all[first..first + HINTS];
        let same = mine.iter().find(|old| {
            let old = old.get();
            old.who == hint.who && (old.wrote, old.read) == (hint.wrote, hint.read)
        });
        let next = self.next.replace(self.next.get().wrapping_add(1));
        same.unwrap_or(&mine[next % HINTS]).set(hint);
    }

    /// The lane made an acquire fence: what it saw before is in order, unless a scope is too narrow.
    pub(super) fn fenced(&self, thread: u32) {
        if self.any.get() {
            let first = thread as usize * HINTS;
            for cell in &self.all[first..first + HINTS] {
                let hint = cell.get();
                cell.set(Hint {
                    scope: hint.scope || hint.released,
                    ..hint
                });
            }
        }
    }

    /// A hint by which an access of the past would be ordered, had the atomics ordered anything.
    pub(super) fn about(&self, checks: &BlockChecks, slot: Slot) -> Option<Hint> {
        if !self.any.get() {
            return None;
        }
        let shift = checks.clocks.shift;
        let fits = |who: u32, t: u32| t >= slot.t && (who ^ slot.who) >> shift == 0;
        let hints = || self.all.iter().map(Cell::get).filter(|hint| hint.t != 0);
        if let Some(hint) = hints().find(|hint| fits(hint.who, hint.t)) {
            return Some(hint);
        }
        // Another lane may have changed the same place before that.
        hints().find_map(|hint| {
            let (who, t, wrote) = checks.run().counters.writer(hint.address, fits)?;
            Some(Hint {
                who,
                t,
                wrote,
                ..hint
            })
        })
    }
}

/// Places that are always changed by atomics of one address, such as counters and locks, with who has: for hints only.
#[derive(Debug, Default)]
pub(super) struct Counters(Mutex<HashMap<u32, Counter>>);

#[derive(Debug)]
struct Counter {
    address: usize,
    /// There are several addresses, and nothing is kept.
    scattered: bool,
    /// By block: the latest lane and its time.
    writers: HashMap<u32, (u32, u32)>,
}

impl Counters {
    /// A lane changes `address` atomically; false: nobody has to say so again from this site.
    pub(super) fn add(&self, site: u32, address: usize, block: u32, by: (u32, u32)) -> bool {
        let mut all = lock(&self.0);
        let counter = all.entry(site).or_insert_with(|| Counter {
            address,
            scattered: false,
            writers: HashMap::new(),
        });
        if counter.address != address {
            counter.scattered = true;
            counter.writers = HashMap::new();
        }
        if !counter.scattered {
            counter.writers.insert(block, by);
        }
        !counter.scattered
    }

    /// Who changed an address, and where, of those that `fits` wants.
    fn writer(&self, address: usize, fits: impl Fn(u32, u32) -> bool) -> Option<(u32, u32, u32)> {
        let all = lock(&self.0);
        let here = all.iter().filter(|(_, counter)| counter.address == address);
        let mut writers = here.flat_map(|(site, counter)| {
            let writers = counter.writers.values();
            writers.map(|(who, t)| (*who, *t, *site))
        });
        writers.find(|(who, t, _)| fits(*who, *t))
    }
}

/// The side of the access that is reported, with the calls that it is in.
pub(super) fn side_now(access: &Access<'_>, did: String) -> Side {
    let mut side = side(access.checks, access.now, did);
    let calls = access.checks.calls.borrow();
    let calls = &calls[access.running.thread.get() as usize];
    for info in calls.iter().rev().filter_map(|call| site(SiteId(*call))) {
        let shown = info.shown.min(info.frames.len() - 1);
        side.stack.extend_from_slice(&info.frames[shown..]);
    }
    side
}

/// A side of a report: what a lane did at a site.
pub(super) fn side(checks: &BlockChecks, slot: Slot, did: String) -> Side {
    Side::at(SiteId(slot.what.site()), checks.run().who(slot.who), did)
}
