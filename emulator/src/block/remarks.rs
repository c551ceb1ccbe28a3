//! What is odd about a rendezvous although it completes. Kept until the block ends, each oddity once with a count.

use super::Block;
use super::standing::threads_of;
use crate::place::Place;
use crate::warp::WarpOp;

/// A thread of the block, and the place where it waits, or last did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Post {
    pub(crate) thread: u32,
    pub(crate) place: Place,
}

/// Something odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Threads had exited when the others met at a barrier.
    ExitBeforeBarrier {
        id: u32,
        at: Post,
        exited: Post,
        n_exited: u32,
    },
    /// Threads met at one barrier from two places.
    Places {
        id: u32,
        one: (Post, u32),
        other: (Post, u32),
    },
    /// Threads came to one barrier with different numbers of participants; `None`: all of the block.
    Counts {
        id: u32,
        one: (Post, Option<u32>),
        other: (Post, Option<u32>),
    },
    /// The mask of a warp operation names lanes that had exited.
    LanesExited {
        op: WarpOp,
        mask: u32,
        arrived: u32,
        at: Post,
        exited: Post,
    },
    /// Lanes took the value of lanes that took no part.
    InactiveSource {
        op: WarpOp,
        mask: u32,
        arrived: u32,
        readers: u32,
        at: Post,
        /// The lane that the first of `readers` read from, and whether it had exited or never existed.
        source: (Post, bool),
    },
}

/// The oddities of one block.
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

impl Block {
    fn post(&self, thread: u32) -> Post {
        Post {
            thread,
            place: self.sites[thread as usize],
        }
    }

    /// All threads that have not exited have met at barrier `id`; `waiting` are their lanes, warp by warp.
    #[cold]
    pub(super) fn remark_release(&mut self, id: u32, waiting: &[u32], mixed: bool) {
        let Some(first) = threads_of(waiting).next() else {
            return;
        };
        let at = self.post(first);
        if self.n_live != self.n_threads {
            let same = |remark: &Remark| {
                matches!(remark, Remark::ExitBeforeBarrier { id: known, at: post, .. }
                    if *known == id && post.place.is_same(at.place))
            };
            if !self.remarks.again(same) {
                let exited = (0..self.n_threads).find(|thread| !self.is_live(*thread));
                self.remarks.push(Remark::ExitBeforeBarrier {
                    id,
                    at,
                    exited: self.post(exited.unwrap_or(first)),
                    n_exited: self.n_threads - self.n_live,
                });
            }
        }
        if mixed {
            self.remark_places(id, at, waiting);
        }
    }

    fn remark_places(&mut self, id: u32, one: Post, waiting: &[u32]) {
        let place = |thread: u32| self.sites[thread as usize];
        let other = threads_of(waiting).find(|thread| place(*thread) != one.place);
        let Some(other) = other.map(|thread| self.post(thread)) else {
            return; // one place after all, under two names
        };
        let same = |remark: &Remark| {
            matches!(remark, Remark::Places { id: known, one: (a, _), other: (b, _) }
                if *known == id && a.place.is_same(one.place) && b.place.is_same(other.place))
        };
        let count = |post: Post| {
            let there = threads_of(waiting).filter(|thread| place(*thread) == post.place);
            (post, there.count() as u32)
        };
        let (one, other) = (count(one), count(other));
        if !self.remarks.again(same) {
            self.remarks.push(Remark::Places { id, one, other });
        }
    }

    /// `thread` comes to barrier `id` with this number of participants, while others may be there with another.
    #[inline]
    pub(super) fn remark_counts(&mut self, thread: u32, id: u32, count: Option<u32>) {
        let differs = |m: &&super::meeting::Meeting| {
            let (other, op) = m.which();
            other == id && op.count() != count
        };
        let meeting = self.meetings.iter().find(differs);
        let other = meeting.map(|m| (threads_of(m.waiting()).next(), m.which().1.count()));
        let barrier = &self.barriers[id as usize];
        let other = other.or_else(|| {
            (count.is_some() && barrier.n_arrived != 0)
                .then(|| (threads_of(&barrier.waiting).next(), None))
        });
        let Some((Some(first), theirs)) = other else {
            return;
        };
        let (here, there) = (self.post(thread), self.post(first));
        let same = |remark: &Remark| {
            matches!(remark, Remark::Counts { id: known, one: (a, _), other: (b, _) }
                if *known == id && a.place.is_same(here.place) && b.place.is_same(there.place))
        };
        if !self.remarks.again(same) {
            self.remarks.push(Remark::Counts {
                id,
                one: (here, count),
                other: (there, theirs),
            });
        }
    }
}
