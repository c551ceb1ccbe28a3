//! Reads of memory that has no value yet. They wait for the end of the block, or of the run for global memory: if a write comes without
//! order, the finding is a race (README 11).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use super::access::Access;
use super::slot::Slot;
use super::state::{BlockChecks, RunChecks};
use super::{describe, race};
use crate::engine::shared_array::Array;
use crate::finding::{Code, Report};
use crate::sync::{Mutex, lock};

/// Reads of one block that wait; further ones are left out.
const MOST: usize = 1 << 16;

/// The reads of one block so far.
#[derive(Debug, Default)]
pub(super) struct Uninitialised(RefCell<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    reads: Vec<Read>,
    /// Words that were written without order behind a read.
    raced: HashSet<usize>,
}

/// A read of shared memory without a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read {
    pub(super) by: Slot,
    pub(super) address: usize,
    pub(super) bytes: usize,
    /// The array, and where in it the access is.
    pub(super) array: (Option<Array>, usize),
}

/// The words of 4 bytes that an access touches.
fn words(address: usize, bytes: usize) -> impl Iterator<Item = usize> {
    address / 4..(address + bytes).div_ceil(4)
}

/// A read found shared memory without a value.
pub(super) fn shared(access: &Access<'_>) {
    let running = access.running;
    let at = std::ptr::without_provenance(access.address);
    let own = running.arena.borrow().offset_of(at).is_some();
    if own {
        return access.checks.uninitialised.add(access);
    }
    // The block whose memory it is will know whether a write raced with it.
    let other = running.locate_shared(at);
    let other = other.and_then(|(rank, _)| running.cluster_member(rank));
    if let Some(checks) = other.as_deref().and_then(BlockChecks::of) {
        checks.uninitialised.add(access);
    }
}

impl Uninitialised {
    fn add(&self, access: &Access<'_>) {
        let mut waiting = self.0.borrow_mut();
        if waiting.reads.len() < MOST {
            waiting.reads.push(Read {
                by: access.now,
                address: access.address,
                bytes: access.bytes,
                array: describe::array(access),
            });
        }
    }
}

/// A write raced with a read before it.
pub(super) fn raced(access: &Access<'_>) {
    if !access.space.is_shared() {
        let uninitialised = &access.checks.run().uninitialised;
        if uninitialised.any.load(Ordering::Relaxed) {
            let mut waiting = lock(&uninitialised.reads);
            waiting.raced.extend(words(access.address, access.bytes));
        }
        return;
    }
    let mut waiting = access.checks.uninitialised.0.borrow_mut();
    if !waiting.reads.is_empty() {
        waiting.raced.extend(words(access.address, access.bytes));
    }
}

/// The block is over: reports what is no race.
pub(super) fn finish(checks: &BlockChecks) {
    let Waiting { reads, raced } = std::mem::take(&mut *checks.uninitialised.0.borrow_mut());
    for read in reads {
        if words(read.address, read.bytes).any(|word| raced.contains(&word)) {
            continue;
        }
        let sites = [read.by.what.site(), 0];
        race::report(checks, read.by.who, sites, Code::SHARED_UNINIT, || {
            describe::uninitialised_shared(checks, read)
        });
    }
}

/// Reads of global memory without a value, of one site, that are kept with their reports; further ones are left out.
const MOST_OF_SITE: usize = 64;

/// The reads of global memory of one run so far.
#[derive(Debug, Default)]
pub(super) struct UninitialisedGlobal {
    any: AtomicBool,
    reads: Mutex<WaitingGlobal>,
}

#[derive(Debug, Default)]
struct WaitingGlobal {
    /// By site: lane, address, length and report.
    reads: HashMap<u32, Vec<(u32, usize, usize, Report)>>,
    raced: HashSet<usize>,
}

/// A read found global memory without a value.
pub(super) fn global(access: &Access<'_>, build: impl FnOnce() -> Report) {
    let uninitialised = &access.checks.run().uninitialised;
    uninitialised.any.store(true, Ordering::Relaxed);
    let mut waiting = lock(&uninitialised.reads);
    let reads = waiting.reads.entry(access.now.what.site()).or_default();
    if reads.len() < MOST_OF_SITE {
        reads.push((access.now.who, access.address, access.bytes, build()));
    }
}

/// The run is over: reports what is no race.
pub(super) fn finish_run(run: &RunChecks) {
    let waiting = std::mem::take(&mut *lock(&run.uninitialised.reads));
    for (site, reads) in waiting.reads {
        for (who, address, bytes, report) in reads {
            if !words(address, bytes).any(|word| waiting.raced.contains(&word)) {
                race::tell(run, who, [site, 0], report.code, || report);
            }
        }
    }
}
