//! Where each thread of a block is, for the reports of a block that is stuck.

use super::{BarrierOp, Block};
use crate::engine::remarks::ThreadSite;
use crate::engine::warp::{LANES, WarpOp, lanes};
use crate::fault::{Wait, WaitPoint};
use crate::shape::CheckedShape;
use crate::site::Site;

/// What a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// Nothing: it has exited.
    Exited,
    /// It has not started.
    Fresh,
    Barrier {
        id: u32,
    },
    /// A barrier with a reduction or a count.
    BarrierReduction {
        id: u32,
        op: BarrierOp,
    },
    Warp {
        op: WarpOp,
        mask: u32,
    },
    /// The end of a phase of a barrier in memory.
    Phase {
        barrier: *mut u64,
        parity: u32,
    },
    /// A change of memory that it polls for.
    Polls,
    /// Other blocks, at the barrier of the cluster.
    Cluster,
    /// Other blocks, at the barrier of the grid.
    Grid,
}

/// Where a thread is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadState {
    pub(crate) thread: u32,
    pub(crate) at: At,
    /// Where it waits or last waited.
    pub(crate) place: Site,
}

impl Block {
    /// Where each thread is. Of those that wait for other blocks the caller knows more.
    pub(crate) fn thread_states(&self, outside: impl Fn(u32) -> At) -> Vec<ThreadState> {
        let mut all: Vec<_> = (0..self.n_threads)
            .map(|thread| ThreadState {
                thread,
                at: if self.is_live(thread) {
                    outside(thread)
                } else {
                    At::Exited
                },
                place: self.sites[thread as usize],
            })
            .collect();
        for (id, barrier) in (0..).zip(&self.barriers) {
            for thread in threads_of(&barrier.waiting) {
                all[thread as usize].at = At::Barrier { id };
            }
        }
        for reduction in &self.reductions {
            let (id, op) = reduction.which();
            for thread in threads_of(reduction.waiting()) {
                all[thread as usize].at = At::BarrierReduction { id, op };
            }
        }
        for (warp, first) in self.warps.iter().zip((0..).step_by(LANES as usize)) {
            for (op, mask, arrived) in warp.waits() {
                for lane in lanes(arrived) {
                    all[(first + lane) as usize].at = At::Warp { op, mask };
                }
            }
        }
        for (thread, barrier, parity) in self.phase_waiters() {
            all[thread as usize].at = At::Phase { barrier, parity };
        }
        for sleeper in &self.asleep {
            all[sleeper.thread as usize].at = match sleeper.phase {
                Some((barrier, parity)) => At::Phase { barrier, parity },
                None => At::Polls,
            };
        }
        for thread in self.fresh() {
            all[thread as usize].at = At::Fresh;
        }
        all
    }

    /// Each distinct thing that is waited for, in the order of the first thread that waits for it.
    pub(crate) fn waits(&self, shape: &CheckedShape) -> Vec<Wait> {
        let mut waits = Vec::new();
        for (id, barrier) in (0..).zip(&self.barriers) {
            let first = (0..)
                .zip(&barrier.waiting)
                .find_map(|(warp, mask)| lanes(*mask).next().map(|lane| warp * LANES + lane));
            if let Some(first) = first {
                waits.push((first, barrier.n_arrived, WaitPoint::Barrier { id }));
            }
        }
        for (index, warp) in (0..).zip(&self.warps) {
            for (op, mask, arrived) in warp.waits() {
                let first = index * LANES + arrived.trailing_zeros();
                let point = WaitPoint::Warp {
                    operation: op.name(),
                    mask,
                    warp: index,
                    arrived,
                };
                waits.push((first, arrived.count_ones(), point));
            }
        }
        waits.extend(self.reduction_waits());
        waits.extend(self.phase_waits());
        waits.extend(self.polls());
        waits.sort_by_key(|(first, ..)| *first);
        let describe = |(first, threads, point): (u32, u32, WaitPoint)| {
            let site = self.sites[first as usize];
            Wait {
                point,
                block: [0; 3], // the set knows
                threads,
                first: shape.thread_at(first),
                file: site.file(),
                line: site.line(),
                column: site.column(),
            }
        };
        waits.into_iter().map(describe).collect()
    }

    /// What threads poll: the first of those at one place, how many, and what.
    fn polls(&self) -> Vec<(u32, u32, WaitPoint)> {
        let mut found: Vec<(u32, u32, WaitPoint)> = Vec::new();
        for sleeper in &self.asleep {
            let place = self.sites[sleeper.thread as usize];
            let same = |first: u32| self.sites[first as usize] == place;
            match found.iter_mut().find(|(first, ..)| same(*first)) {
                Some((first, threads, _)) => {
                    *first = (*first).min(sleeper.thread);
                    *threads += 1;
                }
                None => found.push((sleeper.thread, 1, WaitPoint::Memory)),
            }
        }
        found
    }

    /// The first thread that has arrived at this barrier with another count, that count, and how many have.
    pub(crate) fn arrived_otherwise(
        &self,
        id: u32,
        op: BarrierOp,
    ) -> Option<(ThreadSite, u32, u32)> {
        let mut others = self.reductions.iter().filter(|reduction| {
            let (other, other_op) = reduction.which();
            other == id && other_op != op
        });
        others.find_map(|reduction| {
            let count = reduction.which().1.count()?;
            Some((reduction.first(), count, reduction.n_arrived()))
        })
    }

    /// How many threads have arrived at a barrier with a count, those included that did not stay.
    pub(crate) fn n_arrived(&self, id: u32, op: BarrierOp) -> u32 {
        let of = self
            .reductions
            .iter()
            .find(|reduction| reduction.which() == (id, op));
        of.map_or(0, |reduction| reduction.n_arrived())
    }
}

/// The threads of masks, one for each warp.
pub(super) fn threads_of(masks: &[u32]) -> impl Iterator<Item = u32> {
    let each = (0..).step_by(LANES as usize).zip(masks);
    each.flat_map(|(first, mask)| lanes(*mask).map(move |lane| first + lane))
}
