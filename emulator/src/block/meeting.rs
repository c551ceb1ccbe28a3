//! Barriers that do more than wait: those with a reduction, and those with a count, at which some arrive without waiting.
//!
//! Threads meet by barrier and operation. A barrier at which threads use different operations never opens (PTX leaves undefined what
//! a GPU does), and the report names both.

use super::{Arrival, Block};
use crate::fault::WaitPoint;
use crate::place::Place;
use crate::warp::{LANES, lanes};

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
pub(super) struct Meeting {
    id: u32,
    op: BarrierOp,
    /// Those that wait, and those that do not.
    n_arrived: u32,
    n_true: u32,
    /// The waiting lanes of each warp.
    waiting: Vec<u32>,
    /// Where the first came from, and whether another came from elsewhere.
    place: Place,
    mixed: bool,
}

impl Block {
    /// `thread` arrives at barrier `id` with operation `op`, and waits there if `stays`.
    pub(crate) fn arrive_at_meeting(
        &mut self,
        thread: u32,
        (id, op): (u32, BarrierOp),
        holds: bool,
        stays: bool,
        site: Place,
    ) -> Arrival {
        self.sites[thread as usize] = site;
        self.remark_counts(thread, id, op.count());
        let found = self.meetings.iter().position(|m| (m.id, m.op) == (id, op));
        let index = found.unwrap_or_else(|| {
            self.meetings.push(Meeting {
                id,
                op,
                n_arrived: 0,
                n_true: 0,
                waiting: vec![0; self.warps.len()],
                place: site,
                mixed: false,
            });
            self.meetings.len() - 1
        });
        if let (Some(checks), BarrierOp::Threads(count)) = (&self.checks, op) {
            checks.clocks().arrives_at_part(thread, id, count);
        }
        let meeting = &mut self.meetings[index];
        meeting.n_arrived += 1;
        meeting.n_true += u32::from(holds);
        meeting.mixed |= !meeting.place.is_same(site);
        let complete = meeting.is_complete(self.n_live);
        if stays {
            meeting.waiting[(thread / LANES) as usize] |= 1 << (thread % LANES);
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
    pub(super) fn close_meetings(&mut self) {
        let mut index = 0;
        while index < self.meetings.len() {
            if self.meetings[index].is_complete(self.n_live) {
                self.close(index); // moves another meeting to this index
            } else {
                index += 1;
            }
        }
    }

    /// What is waited for in meetings: the first thread, how many, and what.
    pub(super) fn meeting_waits(&self) -> impl Iterator<Item = (u32, u32, WaitPoint)> {
        self.meetings.iter().filter_map(|meeting| {
            let first = (0..)
                .zip(&meeting.waiting)
                .find_map(|(warp, mask)| lanes(*mask).next().map(|lane| warp * LANES + lane))?;
            let waiting = meeting.waiting.iter().map(|mask| mask.count_ones()).sum();
            Some((
                first,
                waiting,
                meeting.op.point(meeting.id, meeting.n_arrived),
            ))
        })
    }

    /// Lets all threads of a complete meeting go on; gives its result.
    fn close(&mut self, index: usize) -> u32 {
        let meeting = self.meetings.swap_remove(index);
        self.threads_met(&meeting);
        self.n_met += 1;
        if meeting.op.count().is_none() && (meeting.mixed || self.n_live != self.n_threads) {
            self.remark_release(meeting.id, &meeting.waiting, meeting.mixed);
        }
        let result = match meeting.op {
            BarrierOp::Count => meeting.n_true,
            BarrierOp::All => u32::from(meeting.n_true == meeting.n_arrived),
            BarrierOp::Any => u32::from(meeting.n_true != 0),
            BarrierOp::Threads(_) => 0,
        };
        for (warp, waiting) in self.warps.iter_mut().zip(meeting.waiting) {
            for lane in lanes(waiting) {
                warp.give(lane, result);
                self.n_waiting -= 1;
            }
        }
        result
    }
}

impl Block {
    /// A meeting opened: what the checks have to know.
    fn threads_met(&self, meeting: &Meeting) {
        let Some(checks) = &self.checks else { return };
        let BarrierOp::Threads(count) = meeting.op else {
            return checks.block_met(meeting.place, true);
        };
        checks.part_met(meeting.place, &meeting.waiting);
        let waiting = (0..).zip(&meeting.waiting);
        let released =
            waiting.flat_map(|(warp, mask)| lanes(*mask).map(move |lane| warp * LANES + lane));
        checks.clocks().part_met(meeting.id, count, released);
    }
}

impl Meeting {
    /// Its barrier and operation.
    pub(super) fn which(&self) -> (u32, BarrierOp) {
        (self.id, self.op)
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
