//! Finds what is odd about barriers that complete.

use super::Block;
use super::thread_state::threads_of;
use crate::engine::remarks::{Remark, ThreadSite};

impl Block {
    fn thread_site(&self, thread: u32) -> ThreadSite {
        ThreadSite {
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
        let at = self.thread_site(first);
        if self.n_live != self.n_threads {
            let same = |remark: &Remark| {
                matches!(remark, Remark::ExitBeforeBarrier { id: known, at: thread_site, .. }
                    if *known == id && thread_site.place.is_same(at.place))
            };
            if !self.remarks.again(same) {
                let exited = (0..self.n_threads).find(|thread| !self.is_live(*thread));
                self.remarks.push(Remark::ExitBeforeBarrier {
                    id,
                    at,
                    exited: self.thread_site(exited.unwrap_or(first)),
                    n_exited: self.n_threads - self.n_live,
                });
            }
        }
        if mixed {
            self.remark_places(id, at, waiting);
        }
    }

    fn remark_places(&mut self, id: u32, one: ThreadSite, waiting: &[u32]) {
        let place = |thread: u32| self.sites[thread as usize];
        let other = threads_of(waiting).find(|thread| place(*thread) != one.place);
        let Some(other) = other.map(|thread| self.thread_site(thread)) else {
            return; // one place after all, under two names
        };
        let same = |remark: &Remark| {
            matches!(remark, Remark::Places { id: known, one: (a, _), other: (b, _) }
                if *known == id && a.place.is_same(one.place) && b.place.is_same(other.place))
        };
        let count = |thread_site: ThreadSite| {
            let there = threads_of(waiting).filter(|thread| place(*thread) == thread_site.place);
            (thread_site, there.count() as u32)
        };
        let (one, other) = (count(one), count(other));
        if !self.remarks.again(same) {
            self.remarks.push(Remark::Places { id, one, other });
        }
    }

    /// `thread` comes to barrier `id` with this number of participants, while others may be there with another.
    #[inline]
    pub(super) fn remark_counts(&mut self, thread: u32, id: u32, count: Option<u32>) {
        let differs = |m: &&super::barrier_reduction::BarrierReduction| {
            let (other, op) = m.which();
            other == id && op.count() != count
        };
        let reduction = self.reductions.iter().find(differs);
        let other = reduction.map(|m| (threads_of(m.waiting()).next(), m.which().1.count()));
        let barrier = &self.barriers[id as usize];
        let other = other.or_else(|| {
            (count.is_some() && barrier.n_arrived != 0)
                .then(|| (threads_of(&barrier.waiting).next(), None))
        });
        let Some((Some(first), theirs)) = other else {
            return;
        };
        let (here, there) = (self.thread_site(thread), self.thread_site(first));
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
