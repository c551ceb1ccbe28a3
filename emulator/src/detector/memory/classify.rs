//! What an access is that does not lie in one allocation: a finding, or all right after all.

use std::sync::Arc;

use super::global::is_unused;
use super::parts::Part;
use super::program::{find_constant, host_memory};
use super::{Allocation, Kind, Snapshot, registry};
use crate::engine::fiber::with_running;
use crate::engine::shared_array::Array;
use crate::engine::stack;
use crate::finding::Code;
use crate::site::SiteId;

/// No memory has addresses below this: null pointers, and fields of what they point to.
const NULL_BYTES: usize = 1 << 16;

/// How far outside of memory without a zone of its own an address may lie to be meant for it.
const NEAR: usize = 64;

/// An access of the lane that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    /// What the address has to be a multiple of; a power of two.
    pub(crate) align: usize,
    pub(crate) how: How,
    pub(crate) site: SiteId,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Reads,
    Writes,
    /// Reads and writes: an atomic.
    Changes,
}

/// What became of an access that took the slow path.
#[derive(Debug)]
pub(crate) enum Verdict<'s> {
    /// It lies in this memory: go on as after [`Snapshot::find`].
    Global(&'s Allocation),
    /// It lies in one array of the shared memory of a block that the lane may reach, or in the lane's own stack, or has no bytes: let it
    /// happen.
    Fine,
    /// It must not happen: tell `Finding::report` to the collector, then call [`super::end_lane`].
    Ends(Box<Finding<'s>>),
}

/// What is wrong with an access; [`Finding::report`] says it in words.
#[derive(Debug)]
pub(crate) struct Finding<'s> {
    pub(super) snapshot: &'s Snapshot,
    pub(super) access: Access,
    pub(super) wrong: Wrong,
}

#[derive(Debug)]
pub(super) enum Wrong {
    /// It lies, at least in part, outside of this memory, which it was meant for.
    Outside(Arc<Allocation>),
    /// It lies in this memory, at least in part outside of the slices of it that the launch passes.
    OutsidePart(Arc<Allocation>, Part),
    /// As above, of an array of shared memory, and the offset of the access. `None`: the block has no shared memory yet.
    OutsideShared(Option<Array>, isize),
    Freed(Arc<Allocation>),
    Misaligned(In),
    ReadOnly(Arc<Allocation>),
    /// The bytes from this address on have no value. The access may happen.
    Unwritten(Arc<Allocation>, usize),
    /// In the stack of another lane, or past the end of the lane's own.
    Stack,
    Null,
    /// Memory of the host; what the operating system says of it, and the nearest memory of the device.
    Host(&'static str, Option<Arc<Allocation>>),
    /// No memory.
    Nowhere(Option<Arc<Allocation>>),
}

/// Where a misaligned access lies.
#[derive(Debug)]
pub(super) enum In {
    Global(Arc<Allocation>),
    Shared,
    Stack,
}

impl Finding<'_> {
    /// Its class.
    pub(crate) fn code(&self) -> Code {
        match &self.wrong {
            Wrong::Outside(_) | Wrong::OutsidePart(..) | Wrong::Null | Wrong::Nowhere(_) => {
                Code::GLOBAL_BOUNDS
            }
            Wrong::OutsideShared(..) => Code::SHARED_BOUNDS,
            Wrong::Freed(_) => Code::USE_AFTER_FREE,
            Wrong::Misaligned(_) => Code::MISALIGNED,
            Wrong::ReadOnly(_) => Code::READ_ONLY,
            Wrong::Stack => Code::LOCAL_BOUNDS,
            Wrong::Host(..) => Code::HOST_MEMORY,
            Wrong::Unwritten(..) => Code::GLOBAL_UNINIT,
        }
    }

    /// The place of the access.
    pub(crate) fn site(&self) -> SiteId {
        self.access.site
    }
}

/// Looks closely at an access of the lane that runs: one that [`Snapshot::find`] does not place, that leaves the allocation where it
/// starts, that is misaligned, or that writes what kernels only read. Slow; gives the right answer for all others too.
///
/// An access that starts in one allocation or array of shared memory is taken to be meant for it: it cannot be told when an index is so far
/// off that it meets another one.
#[cold]
#[inline(never)]
pub(crate) fn classify<'s>(snapshot: &'s Snapshot, access: Access) -> Verdict<'s> {
    let wrong = |wrong| {
        Verdict::Ends(Box::new(Finding {
            snapshot,
            access,
            wrong,
        }))
    };
    let Access {
        address,
        bytes,
        align,
        ..
    } = access;
    let is_aligned = address & (align - 1) == 0;
    if bytes == 0 {
        return Verdict::Fine;
    }
    if let Some(array) = in_shared(address, bytes) {
        return match array {
            Ok(()) if is_aligned => Verdict::Fine,
            Ok(()) => wrong(Wrong::Misaligned(In::Shared)),
            Err((array, offset)) => wrong(Wrong::OutsideShared(array, offset)),
        };
    }
    if stack::is_own(address, bytes) {
        return match is_aligned {
            true => Verdict::Fine,
            false => wrong(Wrong::Misaligned(In::Stack)),
        };
    }
    if stack::holds(address) {
        return wrong(Wrong::Stack);
    }
    let found = snapshot.find(address).or_else(|| match near(address) {
        Some(_) => None,
        None => find_constant(snapshot, address),
    });
    let Some(found) = found else {
        return wrong(outside(address));
    };
    let shared = || registry::find(address);
    if let Some(part) = outside_part(snapshot, found, (address, bytes))
        && found.holds(address, bytes)
        && let Some(found) = shared()
    {
        return wrong(Wrong::OutsidePart(found, part));
    }
    let wrong_there = match () {
        () if !found.is_checked() => return Verdict::Global(found),
        () if !found.holds(address, bytes) => shared().map(Wrong::Outside),
        () if !is_aligned => shared().map(|found| Wrong::Misaligned(In::Global(found))),
        () if access.how != How::Reads && is_read_only(snapshot, found) => {
            shared().map(Wrong::ReadOnly)
        }
        () => None,
    };
    match wrong_there {
        Some(there) => wrong(there),
        None => Verdict::Global(found),
    }
}

/// The part of an allocation that the run gets at, if an access lies outside.
fn outside_part(
    snapshot: &Snapshot,
    found: &Allocation,
    (address, bytes): (usize, usize),
) -> Option<Part> {
    let part = snapshot.part_of(found)?;
    (!part.holds(address, bytes)).then_some(part)
}

/// Whether kernels only read memory: always, or in this run.
fn is_read_only(snapshot: &Snapshot, found: &Allocation) -> bool {
    found.is_read_only() || snapshot.only_reads(found) && !found.tracks_init()
}

/// `Ok`: an access lies in one array of the shared memory of the cluster. `Err`: it lies in this memory, but in no array: the nearest, and
/// the offset. `None`: it lies elsewhere.
fn in_shared(address: usize, bytes: usize) -> Option<Result<(), (Option<Array>, isize)>> {
    let at = with_running(|running| running.shared_at(address, bytes))??;
    Some(at)
}

/// What an address is at which the device has no memory.
fn outside(address: usize) -> Wrong {
    if address < NULL_BYTES {
        return Wrong::Null;
    }
    let freed = registry::find_freed(address);
    if let Some(freed) = freed.filter(|freed| is_unused(freed, address)) {
        return Wrong::Freed(freed);
    }
    if let Some(near) = near(address) {
        return Wrong::Outside(near);
    }
    let nearest = nearest(address);
    match host_memory(address) {
        Some(what) => Wrong::Host(what, nearest),
        None => Wrong::Nowhere(nearest),
    }
}

/// The memory that an address outside of it is known to be meant for.
fn near(address: usize) -> Option<Arc<Allocation>> {
    let zone = |one: &Allocation| match one.zone {
        0 => NEAR.min(one.bytes),
        zone => zone,
    };
    nearest(address).filter(|one| distance(one, address) <= zone(one))
}

fn nearest(address: usize) -> Option<Arc<Allocation>> {
    let is_buffer = |one: &Arc<Allocation>| !matches!(one.kind, Kind::Internal | Kind::Constant);
    let neighbours = registry::neighbours(address).into_iter().flatten();
    neighbours
        .filter(is_buffer)
        .min_by_key(|one| distance(one, address))
}

/// Bytes between an address outside and the memory: 0 just past the end, 1 just before the start.
pub(super) fn distance(one: &Allocation, address: usize) -> usize {
    match address < one.start {
        true => one.start - address,
        false => address - one.end().min(address),
    }
}
