//! Reads of memory that has no value yet. They wait for the end of the block: if a write comes without order, the finding is a race.

use crate::shared::Array;
use std::cell::RefCell;
use std::collections::HashSet;

use super::access::Access;
use super::shadow::Slot;
use super::state::BlockChecks;
use super::{Code, describe, race};

/// Reads of one block that wait; further ones are left out.
const MOST: usize = 1 << 16;

/// The reads of one block so far.
#[derive(Debug, Default)]
pub(super) struct Unread(RefCell<Waiting>);

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
        return access.checks.unread.add(access);
    }
    // The block whose memory it is will know whether a write raced with it.
    let other = running.locate_shared(at);
    let other = other.and_then(|(rank, _)| running.cluster_member(rank));
    if let Some(checks) = other.as_ref().and_then(|other| other.checks.as_deref()) {
        checks.unread.add(access);
    }
}

impl Unread {
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
    let mut waiting = access.checks.unread.0.borrow_mut();
    if !waiting.reads.is_empty() {
        waiting.raced.extend(words(access.address, access.bytes));
    }
}

/// The block is over: reports what is no race.
pub(super) fn finish(checks: &BlockChecks) {
    let Waiting { reads, raced } = std::mem::take(&mut *checks.unread.0.borrow_mut());
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
