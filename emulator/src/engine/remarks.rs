//! What is odd about a rendezvous although it completes. Kept until the block ends, each remark once with a count.

use crate::engine::warp_op::WarpOp;
use crate::site::Site;

/// A thread of the block, and the place where it waits, or last did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadSite {
    pub(crate) thread: u32,
    pub(crate) place: Site,
}

/// Something odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Threads had exited when the others met at a barrier.
    ExitBeforeBarrier {
        id: u32,
        at: ThreadSite,
        exited: ThreadSite,
        n_exited: u32,
    },
    /// Threads met at one barrier from two places.
    Places {
        id: u32,
        one: (ThreadSite, u32),
        other: (ThreadSite, u32),
    },
    /// Threads came to one barrier with different numbers of participants; `None`: all of the block.
    Counts {
        id: u32,
        one: (ThreadSite, Option<u32>),
        other: (ThreadSite, Option<u32>),
    },
    /// Lanes met at one warp operation from two places; the lanes of each.
    WarpPlaces {
        op: WarpOp,
        one: (ThreadSite, u32),
        other: (ThreadSite, u32),
    },
    /// The mask of a warp operation names lanes that had exited.
    LanesExited {
        op: WarpOp,
        mask: u32,
        arrived: u32,
        at: ThreadSite,
        exited: ThreadSite,
    },
    /// Lanes took the value of lanes that took no part.
    InactiveSource {
        op: WarpOp,
        mask: u32,
        arrived: u32,
        readers: u32,
        at: ThreadSite,
        /// The lane that the first of `readers` read from, and whether it had exited or never existed.
        source: (ThreadSite, bool),
    },
}

/// The warnings of one block.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    found: Vec<(Remark, u64)>,
}

impl Remarks {
    /// Counts an oddity that has been found at this place before. False: it has not, and its details are wanted.
    pub(crate) fn again(&mut self, same: impl Fn(&Remark) -> bool) -> bool {
        let known = self.found.iter_mut().find(|(remark, _)| same(remark));
        match known {
            Some((_, count)) => {
                *count += 1;
                true
            }
            None => false,
        }
    }

    pub(crate) fn push(&mut self, remark: Remark) {
        self.found.push((remark, 1));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All, with how often each was found. None is left.
    pub(crate) fn take(&mut self) -> Vec<(Remark, u64)> {
        std::mem::take(&mut self.found)
    }
}
