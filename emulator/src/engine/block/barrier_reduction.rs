//! Barriers that do more than wait: those with a reduction, and those with a count, at which some arrive without waiting.
//!
//! Threads meet by barrier and operation. A barrier at which threads use different operations never opens (PTX leaves undefined what
//! a GPU does), and the report names both.

use super::{Arrival, Block};
use crate::engine::remarks::ThreadSite;
use crate::engine::warp::{LANES, MOST_WARPS, lanes};
use crate::fault::WaitPoint;
use crate::site::Site;

/// What the threads of one barrier do besides waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierOp {
    /// How many predicates hold, over all threads that have not exited.
    Count,
    /// Whether all predicates hold, over all threads that have not exited.
    All,
    /// Whether any predicate holds, over all threads that have not exited.
    Any,
    /// Opens when so many threads have arrived. Threads that exited are not counted.
    Threads(u32),
}

impl BarrierOp {
    /// How many threads take part; `None`: all of the block.
    pub(crate) fn count(self) -> Option<u32> {
        match self {
            Self::Threads(count) => Some(count),
            _ => None,
        }
    }

    pub(crate) fn point(self, id: u32, arrived: u32) -> WaitPoint {
        let operation = match self {
            Self::Count => "barrier_count",
            Self::All => "barrier_all",
            Self::Any => "barrier_any",
            Self::Threads(count) => return WaitPoint::CountedBarrier { id, count, arrived },
        };
        WaitPoint::BarrierReduction { id, operation }
    }
}

/// Threads that have arrived at one barrier with the same operation.
#[derive(Debug)]
pub(super) struct BarrierReduction {
    id: u32,
    op: BarrierOp,
    /// Those that wait, and those that do not.
    n_arrived: u32,
    n_true: u32,
    /// The waiting lanes of each warp.
    waiting: Vec<u32>,
    /// The first to arrive, whether it waits or not.
    first: u32,
    /// Where the first came from, and whether another came from elsewhere.
    place: Site,
    mixed: bool,
}

impl Block {
    /// `thread` arrives at barrier `id` with operation `op`, and waits there if `stays`.
    pub(crate) fn arrive_at_reduction(
        &mut self,
        thread: u32,
        (id, op): (u32, BarrierOp),
        holds: bool,
        stays: bool,
        site: Site,
    ) -> Arrival {
        self.sites[thread as usize] = site;
        self.remark_counts(thread, id, op.count());
        let found = self
            .reductions
            .iter()
            .position(|m| (m.id, m.op) == (id, op));
        let index = found.unwrap_or_else(|| {
            self.reductions.push(BarrierReduction {
                id,
                op,
                n_arrived: 0,
                n_true: 0,
                waiting: vec![0; self.warps.len()],
                first: thread,
                place: site,
                mixed: false,
            });
            self.reductions.len() - 1
        });
        if let (Some(checks), BarrierOp::Threads(count)) = (&self.checks, op) {
            checks.arrives_at_part(thread, id, count);
        }
        let reduction = &mut self.reductions[index];
        reduction.n_arrived += 1;
        reduction.n_true += u32::from(holds);
        reduction.mixed |= !reduction.place.is_same(site);
        let complete = reduction.is_complete(self.n_live);
        if stays {
            reduction.waiting[(thread / LANES) as usize] |= 1 << (thread % LANES);
            self.n_waiting += 1;
        }
        if complete {
            let result = self.close(index);
            self.warps[(thread / LANES) as usize].ready &= !(1 << (thread % LANES));
            return Arrival::GoesOn(result);
        }
        if stays {
            Arrival::Waits
        } else {
            Arrival::GoesOn(0)
        }
    }

    /// After an exit: opens the barriers that waited only for it.
    pub(super) fn close_reductions(&mut self) {
        let mut index = 0;
        while index < self.reductions.len() {
            if self.reductions[index].is_complete(self.n_live) {
                self.close(index); // moves another reduction to this index
            } else {
                index += 1;
            }
        }
    }

    /// What is waited for in reductions: the first thread, how many, and what.
    pub(super) fn reduction_waits(&self) -> impl Iterator<Item = (u32, u32, WaitPoint)> {
        self.reductions.iter().filter_map(|reduction| {
            let first = (0..)
                .zip(&reduction.waiting)
                .find_map(|(warp, mask)| lanes(*mask).next().map(|lane| warp * LANES + lane))?;
            let waiting = reduction.waiting.iter().map(|mask| mask.count_ones()).sum();
            Some((
                first,
                waiting,
                reduction.op.point(reduction.id, reduction.n_arrived),
            ))
        })
    }

    /// Lets all threads of a complete reduction go on; gives its result.
    fn close(&mut self, index: usize) -> u32 {
        let reduction = self.reductions.swap_remove(index);
        self.threads_met(&reduction);
        self.n_met += 1;
        if reduction.op.count().is_none() && (reduction.mixed || self.n_live != self.n_threads) {
            self.remark_release(reduction.id, &reduction.waiting, reduction.mixed);
        }
        let result = match reduction.op {
            BarrierOp::Count => reduction.n_true,
            BarrierOp::All => u32::from(reduction.n_true == reduction.n_arrived),
            BarrierOp::Any => u32::from(reduction.n_true != 0),
            BarrierOp::Threads(_) => 0,
        };
        for (warp, waiting) in self.warps.iter_mut().zip(reduction.waiting) {
            for lane in lanes(waiting) {
                warp.give(lane, result);
                self.n_waiting -= 1;
            }
        }
        result
    }
}

impl Block {
    /// A reduction opened: what the checks have to know.
    fn threads_met(&self, reduction: &BarrierReduction) {
        let Some(checks) = &self.checks else { return };
        let BarrierOp::Threads(count) = reduction.op else {
            let live = &mut [0; MOST_WARPS];
            let live = self.live_lanes(live);
            checks.block_met(reduction.place, true, live);
            return self.keep_meeting(|| live.to_vec());
        };
        checks.part_met(reduction.place, (reduction.id, count), &reduction.waiting);
        // Those that arrived without waiting are left out: they may have gone on since.
        self.keep_meeting(|| reduction.waiting.to_vec());
    }
}

impl BarrierReduction {
    /// Its barrier and operation.
    pub(super) fn which(&self) -> (u32, BarrierOp) {
        (self.id, self.op)
    }

    /// The thread that arrived first, whether it waits or not.
    pub(super) fn first(&self) -> ThreadSite {
        ThreadSite {
            thread: self.first,
            place: self.place,
        }
    }

    pub(super) fn n_arrived(&self) -> u32 {
        self.n_arrived
    }

    /// The waiting lanes of each warp.
    pub(super) fn waiting(&self) -> &[u32] {
        &self.waiting
    }

    fn is_complete(&self, n_live: u32) -> bool {
        match self.op {
            BarrierOp::Threads(count) => self.n_arrived >= count,
            _ => self.n_arrived == n_live,
        }
    }
}
