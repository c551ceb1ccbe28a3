//! What an access is that does not lie in one allocation: a finding with names, or all right after all.

use super::{Allocation, Snapshot};
use crate::check::{Report, SiteId};

/// An access of the lane that runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    /// What the address has to be a multiple of.
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

/// What became of an access that was looked at closely.
#[derive(Debug)]
pub(crate) enum Verdict<'s> {
    /// It lies in this memory: go on as after [`Snapshot::find`].
    Global(&'s Allocation),
    /// It lies in one array of the shared memory of a block that the lane may reach, or in the lane's own stack, or there is nothing to do
    /// (no bytes): let it happen.
    Fine,
    /// It must not happen: report it, then call [`super::end_lane`].
    Ends(Box<Report>),
}

/// Looks closely at an access of the lane that runs: one that [`Snapshot::find`] does not place, that leaves the allocation where it starts,
/// that is misaligned, or that writes what kernels only read. Slow; gives the right answer for all others too.
#[cold]
pub(crate) fn classify<'s>(snapshot: &'s Snapshot, access: Access) -> Verdict<'s> {
    match snapshot.find(access.address) {
        Some(found) => Verdict::Global(found),
        None => Verdict::Fine,
    }
}
