//! Which thread of a block runs next, in another order than from the first to the last.

use super::Block;
use crate::engine::warp::{LANES, lanes};
use crate::options::Schedule;
use crate::random::Random;

/// Who runs next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    /// A thread that was waiting.
    Ready(u32),
    /// The one that [`Block::start_fresh`] gives.
    Fresh,
    /// No thread can.
    None,
}

/// How the next thread is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PickBy {
    Schedule(Schedule),
    /// The lowest thread that can go on; those with an atomic access pending are chosen elsewhere.
    Control,
}

/// An order other than forward.
#[derive(Debug)]
pub(super) struct Order {
    schedule: Schedule,
    /// The threads in the order in which they start.
    pub(super) fresh: Vec<u32>,
    random: Random,
}

impl Order {
    /// `None`: forward.
    pub(super) fn new(pick: PickBy, n_threads: u32) -> Option<Box<Self>> {
        let schedule = match pick {
            PickBy::Schedule(Schedule::Forward) => return None,
            PickBy::Schedule(schedule) => schedule,
            PickBy::Control => Schedule::Forward,
        };
        let mut fresh: Vec<u32> = (0..n_threads).collect();
        let warp = |thread: &u32| u32::MAX - thread / LANES;
        match schedule {
            Schedule::Reverse => fresh.reverse(),
            Schedule::LastWarpFirst => fresh.sort_by_key(warp),
            Schedule::OneLane => fresh.sort_by_key(|thread| thread % LANES),
            Schedule::Forward | Schedule::Random(_) => {}
        }
        Some(Box::new(Self {
            schedule,
            fresh,
            random: Random::new(0, 0),
        }))
    }

    /// In random orders: lanes of a warp that perhaps have not converged with the others.
    pub(super) fn apart(&mut self) -> u32 {
        match self.schedule {
            Schedule::Random(_) if self.random.below(2) == 0 => self.random.number() as u32,
            _ => 0,
        }
    }

    /// For the block of this number: the same order each time.
    pub(super) fn restart(&mut self, block: u64) {
        if let Schedule::Random(seed) = self.schedule {
            self.random = Random::new(seed, block);
            for (number, thread) in (0..).zip(&mut self.fresh) {
                *thread = number; // nothing of the block before
            }
            for last in (1..self.fresh.len()).rev() {
                let other = self.random.below(last as u32 + 1);
                self.fresh.swap(last, other as usize);
            }
        }
    }
}

impl Block {
    /// Who runs next. A ready thread counts as running from now on.
    #[inline]
    pub(crate) fn pick(&mut self) -> Pick {
        if self.order.is_some() {
            return self.pick_by_order();
        }
        match self.next_ready() {
            Some(thread) => Pick::Ready(thread),
            None if self.has_fresh() => Pick::Fresh,
            None => Pick::None,
        }
    }

    /// Who is picked next, if nothing happens until then: a guess.
    #[inline]
    pub(crate) fn likely_next(&self) -> Option<u32> {
        let ready = self.warps.get(self.served)?.ready;
        (ready != 0).then(|| self.served as u32 * LANES + ready.trailing_zeros())
    }

    #[inline(never)]
    fn pick_by_order(&mut self) -> Pick {
        let Some(order) = &mut self.order else {
            return Pick::None;
        };
        let fresh = self.next_fresh < self.n_threads;
        let mut ready = (0..).zip(&self.warps).filter(|(_, warp)| warp.ready != 0);
        let highest = |mask: u32| LANES - 1 - mask.leading_zeros();
        let thread = match order.schedule {
            Schedule::Forward => ready
                .next()
                .map(|(w, warp)| (w, warp.ready.trailing_zeros())),
            Schedule::Reverse => ready.last().map(|(w, warp)| (w, highest(warp.ready))),
            Schedule::LastWarpFirst => ready
                .last()
                .map(|(w, warp)| (w, warp.ready.trailing_zeros())),
            // In turn: the first after the one that was served last.
            Schedule::OneLane => {
                let last = (self.served as u32 % LANES, self.served as u32 / LANES);
                let all = ready.flat_map(|(w, warp)| lanes(warp.ready).map(move |lane| (lane, w)));
                let next = all.min_by_key(|at| (*at <= last, *at));
                next.map(|(lane, w)| (w, lane))
            }
            Schedule::Random(_) => {
                let n_ready: u32 = self.warps.iter().map(|warp| warp.ready.count_ones()).sum();
                let n_fresh = self.n_threads - self.next_fresh;
                match (n_ready + n_fresh)
                    .checked_sub(1)
                    .map(|last| order.random.below(last + 1))
                {
                    Some(nth) if nth < n_ready => {
                        let mut all = ready
                            .flat_map(|(w, warp)| lanes(warp.ready).map(move |lane| (w, lane)));
                        all.nth(nth as usize)
                    }
                    _ => None,
                }
            }
        };
        match thread {
            Some((warp, lane)) => {
                self.warps[warp as usize].ready &= !(1 << lane);
                if order.schedule == Schedule::OneLane {
                    self.served = (warp * LANES + lane) as usize;
                }
                Pick::Ready(warp * LANES + lane)
            }
            None if fresh => Pick::Fresh,
            None => Pick::None,
        }
    }

    /// Whether fresh threads start before others go on, when a thread has exited.
    #[inline]
    pub(crate) fn fresh_go_first(&self) -> bool {
        self.order.is_none()
    }

    /// Whether a thread that could go on gives way to others here: as the seed decides.
    pub(crate) fn gives_way(&mut self) -> bool {
        match &mut self.order {
            Some(order) if matches!(order.schedule, Schedule::Random(_)) => {
                order.random.below(2) == 0
            }
            _ => false,
        }
    }

    /// `thread`, which is running, may be picked again, and then gets `result`.
    pub(crate) fn make_ready(&mut self, thread: u32, result: u32) {
        self.warps[(thread / LANES) as usize].give(thread % LANES, result);
    }
}
