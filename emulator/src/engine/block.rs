//! Who waits for whom in one block: barriers, warp operations, lanes that returned. Knows nothing of stacks or OS threads.
//!
//! A thread is fresh (not started), running, waiting (at one barrier or one warp operation), ready (was waiting, may go on) or
//! exited. Only one thread of a block runs at a time. When none is running, ready or fresh, none ever will be: a thread that still waits
//! is stuck, and this file knows at what. The rules stand in `README.md`, numbered.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::engine::bulk::Stores;
use crate::engine::checker::BlockChecker;
use crate::engine::remarks::Remarks;
use crate::engine::warp::{LANES, MOST_WARPS, Operands, REGISTERS, Warp, WarpOp};
use crate::site::Site;

pub(crate) const BARRIERS: u32 = 16;

/// What happens to a thread that arrives somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It goes on, with this result; all others that took part are ready.
    GoesOn(u32),
    /// It has to wait.
    Waits,
    /// It is not in the mask that it gave, and did not arrive.
    NotInMask,
}

#[derive(Debug)]
pub(crate) struct Block {
    n_threads: u32,
    /// Threads that have not exited.
    n_live: u32,
    /// How many threads have started.
    next_fresh: u32,
    /// A thread has done more than to start and to exit.
    touched: bool,
    /// `None`: forward.
    order: Option<Box<order::Order>>,
    /// Threads that wait. 0 in a kernel without barriers, whose threads then exit at little cost.
    n_waiting: u32,
    /// Threads that sleep, and go on when all others had their turn; the first one longest.
    asleep: VecDeque<Sleeper>,
    /// Rendezvous that were complete.
    n_met: u64,
    /// The warp that is served now: its ready lanes go before those of the others, so that its stacks stay in the cache.
    served: usize,
    warps: Vec<Warp>,
    barriers: Vec<Barrier>,
    /// Where each thread waits or last did.
    sites: Vec<Site>,
    /// Barriers with a reduction or a count at which threads are.
    reductions: Vec<barrier_reduction::BarrierReduction>,
    /// Threads that wait for a barrier in memory.
    phase_waits: Vec<asynchronous::PhaseWait>,
    /// What was odd so far.
    pub(crate) remarks: Remarks,
    /// Copies under way, of each thread; empty if no thread of this block ever began one.
    copies: Vec<asynchronous::Copies>,
    /// What products of warp groups read, of each thread; empty if no thread of this block ever began one.
    product_reads: Vec<warp_groups::Reads>,
    /// Products of warp groups, by group; empty likewise.
    products: Vec<warp_groups::Sequence>,
    /// Bulk copies to global memory under way, of each thread; empty if no thread of this block ever began one.
    stores: Vec<Stores>,
    /// Who has to know that threads met.
    checks: Option<Rc<dyn BlockChecker>>,
    /// Which threads have met, by warp, since the worker asked; only under control.
    meetings: Option<RefCell<Vec<Meeting>>>,
}

/// The threads of a block that met, by warp.
pub(crate) type Meeting = Vec<u32>;

/// A thread that looks for something again when no other can go on.
#[derive(Debug, Clone, Copy)]
struct Sleeper {
    thread: u32,
    /// The barrier in memory, and the parity of the phase whose end it looks for.
    phase: Option<(*mut u64, u32)>,
}

/// One numbered barrier.
#[derive(Debug, Clone)]
struct Barrier {
    n_arrived: u32,
    /// The waiting lanes of each warp.
    waiting: Vec<u32>,
    /// Where the first came from, and whether another came from elsewhere.
    place: Site,
    mixed: bool,
}

impl Block {
    pub(crate) fn new(n_threads: u32, pick: PickBy, checks: Option<Rc<dyn BlockChecker>>) -> Self {
        let n_warps = n_threads.div_ceil(LANES) as usize;
        let barrier = Barrier {
            n_arrived: 0,
            waiting: vec![0; n_warps],
            place: Site::NOWHERE,
            mixed: false,
        };
        Self {
            n_threads,
            n_live: n_threads,
            next_fresh: 0,
            touched: false,
            order: order::Order::new(pick, n_threads),
            n_waiting: 0,
            asleep: VecDeque::new(),
            n_met: 0,
            served: 0,
            warps: (0..n_warps)
                .map(|warp| Warp::new(warp as u32, lanes_of(n_threads, warp)))
                .collect(),
            barriers: vec![barrier; BARRIERS as usize],
            sites: vec![Site::NOWHERE; n_threads as usize],
            reductions: Vec::new(),
            phase_waits: Vec::new(),
            remarks: Remarks::default(),
            copies: Vec::new(),
            product_reads: Vec::new(),
            products: Vec::new(),
            stores: Vec::new(),
            checks,
            meetings: (pick == PickBy::Control).then(RefCell::default),
        }
    }

    /// Makes all threads fresh again, for block `number` of the grid.
    pub(crate) fn reset(&mut self, number: u64) {
        if let Some(order) = &mut self.order {
            order.restart(number);
        }
        self.n_live = self.n_threads;
        self.next_fresh = 0;
        for warp in &mut self.warps {
            warp.reset();
        }
        if std::mem::take(&mut self.touched) {
            self.forget();
        }
    }

    /// Forgets what threads did in the block before.
    fn forget(&mut self) {
        for warp in &mut self.warps {
            warp.forget();
        }
        self.asleep.clear();
        self.served = 0;
        let stuck = self.n_waiting != 0;
        self.n_waiting = 0;
        self.reductions.clear();
        self.sites.fill(Site::NOWHERE);
        self.copies.clear(); // a copy that no thread waited for has no target any more
        self.forget_products();
        self.stores.clear();
        if stuck {
            self.phase_waits.clear();
            for barrier in &mut self.barriers {
                barrier.n_arrived = 0;
                barrier.mixed = false;
                barrier.waiting.fill(0);
            }
        }
    }

    /// The next thread to start, if one is left. It counts as running.
    #[inline]
    pub(crate) fn start_fresh(&mut self) -> Option<u32> {
        let next = self.next_fresh;
        (next < self.n_threads).then(|| {
            self.touched = true;
            self.next_fresh += 1;
            self.in_order(next)
        })
    }

    pub(crate) fn has_fresh(&self) -> bool {
        self.next_fresh < self.n_threads
    }

    /// The next thread to start.
    pub(crate) fn next_fresh(&self) -> u32 {
        self.in_order(self.next_fresh.min(self.n_threads - 1))
    }

    #[inline]
    fn in_order(&self, number: u32) -> u32 {
        match &self.order {
            None => number,
            Some(order) => order.fresh[number as usize],
        }
    }

    /// The threads that have not started.
    fn fresh(&self) -> impl Iterator<Item = u32> {
        (self.next_fresh..self.n_threads).map(|number| self.in_order(number))
    }

    /// No further thread will start: those that have not are over.
    pub(crate) fn skip_fresh(&mut self) {
        while let Some(thread) = self.start_fresh() {
            self.n_live -= 1;
            self.warps[(thread / LANES) as usize].live &= !(1 << (thread % LANES));
        }
    }

    /// A thread that may go on, if there is one: those of the warp that was served last come first. It counts as running.
    pub(crate) fn next_ready(&mut self) -> Option<u32> {
        for _ in 0..self.warps.len() {
            let warp = &mut self.warps[self.served];
            if warp.ready != 0 {
                let lane = warp.ready.trailing_zeros();
                warp.ready &= warp.ready - 1;
                return Some(self.served as u32 * LANES + lane);
            }
            self.served = (self.served + 1) % self.warps.len();
        }
        None
    }

    /// `thread`, which is running, sleeps until all others had their turn.
    pub(crate) fn sleep(&mut self, thread: u32, site: Site) {
        self.sites[thread as usize] = site;
        let phase = None;
        self.asleep.push_back(Sleeper { thread, phase });
    }

    /// Says where those that sleep are, as far as `place` knows.
    pub(crate) fn settle_sleepers(&mut self, place: impl Fn(u32) -> Option<Site>) {
        for Sleeper { thread, .. } in &self.asleep {
            if let Some(place) = place(*thread) {
                self.sites[*thread as usize] = place;
            }
        }
    }

    pub(crate) fn n_asleep(&self) -> usize {
        self.asleep.len()
    }

    pub(crate) fn n_waiting(&self) -> u32 {
        self.n_waiting
    }

    /// Grows with whatever threads do that is more than to look and to sleep.
    pub(crate) fn progress(&self) -> u64 {
        self.n_met + u64::from(self.next_fresh + self.n_threads - self.n_live)
    }

    /// All threads that sleep are ready; gives whether there were any.
    pub(crate) fn wake_sleepers(&mut self) -> bool {
        let any = !self.asleep.is_empty();
        for Sleeper { thread, .. } in self.asleep.drain(..) {
            self.warps[(thread / LANES) as usize].ready |= 1 << (thread % LANES);
        }
        any
    }

    /// The thread that has slept longest, if one sleeps. It counts as running.
    pub(crate) fn next_sleeper(&mut self) -> Option<u32> {
        self.asleep.pop_front().map(|sleeper| sleeper.thread)
    }

    /// `thread` arrives at barrier `id`, which is below [`BARRIERS`]. It is released when all threads that have not exited are there.
    pub(crate) fn arrive_at_barrier(&mut self, thread: u32, id: u32, site: Site) -> Arrival {
        self.sites[thread as usize] = site;
        if !self.reductions.is_empty() {
            self.remark_counts(thread, id, None);
        }
        let barrier = &mut self.barriers[id as usize];
        barrier.mixed |= barrier.n_arrived != 0 && !barrier.place.is_same(site);
        barrier.place = site;
        barrier.waiting[(thread / LANES) as usize] |= 1 << (thread % LANES);
        barrier.n_arrived += 1;
        if barrier.n_arrived == self.n_live {
            self.n_waiting += 1;
            self.release(id);
            self.warps[(thread / LANES) as usize].ready &= !(1 << (thread % LANES));
            return Arrival::GoesOn(0);
        }
        self.n_waiting += 1;
        Arrival::Waits
    }

    /// `thread` arrives at an operation of its warp.
    pub(crate) fn arrive_at_warp_op(
        &mut self,
        thread: u32,
        op: WarpOp,
        mask: u32,
        operands: Operands,
        site: Site,
    ) -> Arrival {
        if op != WarpOp::ActiveMask && mask >> (thread % LANES) & 1 == 0 {
            return Arrival::NotInMask;
        }
        let warp = &mut self.warps[(thread / LANES) as usize];
        let ready = warp.ready;
        self.sites[thread as usize] = site;
        let remarks = &mut self.remarks;
        match warp.arrive(thread % LANES, (op, mask), operands, site, remarks) {
            Some(result) => {
                let released = warp.ready & !ready;
                self.n_waiting -= released.count_ones();
                self.warp_met(thread / LANES, op, released | 1 << (thread % LANES));
                self.n_met += 1;
                Arrival::GoesOn(result)
            }
            None => {
                self.n_waiting += 1;
                Arrival::Waits
            }
        }
    }

    /// What the operation that `thread` waited for gave it.
    pub(crate) fn result(&self, thread: u32) -> u32 {
        self.warps[(thread / LANES) as usize].result(thread % LANES)
    }

    /// What `thread` hands in to an exchange of registers, before it arrives there, or got from it, afterwards.
    pub(crate) fn registers(&mut self, thread: u32) -> &mut [u32; REGISTERS] {
        self.warps[(thread / LANES) as usize].registers(thread % LANES)
    }

    /// `thread`, which is running, is over. Threads that waited only for it are ready.
    #[inline]
    pub(crate) fn exit(&mut self, thread: u32) {
        self.n_live -= 1;
        if !self.stores.is_empty() {
            self.stores_of_exited(thread);
        }
        if self.n_waiting == 0 {
            self.warps[(thread / LANES) as usize].live &= !(1 << (thread % LANES));
        } else {
            self.exit_among_waiting(thread);
        }
    }

    /// The next thread to start, if threads start in their order and all that have started have exited.
    #[inline]
    pub(crate) fn first_after_exited(&self) -> Option<u32> {
        let all_exited = self.n_live == self.n_threads - self.next_fresh;
        (all_exited && self.order.is_none()).then_some(self.next_fresh)
    }

    /// `thread`, which is running, was the next to start after [`Block::first_after_exited`] and those between, which have met no other and
    /// exited.
    pub(crate) fn exit_before(&mut self, thread: u32) {
        self.touched = true;
        self.next_fresh = thread + 1;
        self.n_live = self.n_threads - thread;
        let (warp, lane) = ((thread / LANES) as usize, thread % LANES);
        for before in &mut self.warps[..warp] {
            before.live = 0;
        }
        self.warps[warp].live &= u32::MAX << lane;
    }

    /// All threads from [`Block::first_after_exited`] on have met no other and exited.
    pub(crate) fn exit_all(&mut self) {
        self.next_fresh = self.n_threads;
        self.n_live = 0;
        for warp in &mut self.warps {
            warp.live = 0;
        }
    }

    #[cold]
    fn exit_among_waiting(&mut self, thread: u32) {
        let warp = &mut self.warps[(thread / LANES) as usize];
        for (op, arrived) in warp.exit(thread % LANES, &mut self.remarks) {
            self.n_waiting -= arrived.count_ones();
            self.warp_met(thread / LANES, op, arrived);
        }
        if self.n_waiting == 0 {
            return;
        }
        for id in 0..BARRIERS {
            let n_arrived = self.barriers[id as usize].n_arrived;
            if n_arrived != 0 && n_arrived == self.n_live {
                self.release(id);
            }
        }
        self.close_reductions();
    }

    /// Answers all waiting `active_mask()`, when no thread can go on: the lanes that wait have converged, in random orders perhaps not all of them. False if there is
    /// none.
    pub(crate) fn converge(&mut self) -> bool {
        let mut any = false;
        for warp in &mut self.warps {
            if !warp.waits_to_converge() {
                continue;
            }
            let ready = warp.ready;
            let apart = self.order.as_mut().map_or(0, |order| order.apart());
            any |= warp.converge(apart, &mut self.remarks);
            self.n_waiting -= (warp.ready & !ready).count_ones();
        }
        any
    }

    pub(crate) fn n_live(&self) -> u32 {
        self.n_live
    }

    /// Whether `thread` has not exited.
    pub(crate) fn is_live(&self, thread: u32) -> bool {
        self.warps[(thread / LANES) as usize].live >> (thread % LANES) & 1 == 1
    }

    fn release(&mut self, id: u32) {
        self.block_met(self.barriers[id as usize].place);
        let barrier = &mut self.barriers[id as usize];
        let mixed = std::mem::take(&mut barrier.mixed);
        if mixed || self.n_live != self.n_threads {
            let waiting = std::mem::take(&mut barrier.waiting);
            self.remark_release(id, &waiting, mixed);
            self.barriers[id as usize].waiting = waiting;
        }
        let barrier = &mut self.barriers[id as usize];
        self.n_waiting -= barrier.n_arrived;
        self.n_met += 1;
        barrier.n_arrived = 0;
        for (warp, waiting) in self.warps.iter_mut().zip(&mut barrier.waiting) {
            warp.ready |= std::mem::take(waiting);
        }
    }
}

/// What the checks have to know.
impl Block {
    /// All threads that have not exited have met, at `place` or elsewhere.
    fn block_met(&self, place: Site) {
        if let Some(checks) = &self.checks {
            let live = &mut [0; MOST_WARPS];
            let live = self.live_lanes(live);
            checks.block_met(place, false, live);
            self.keep_meeting(|| live.to_vec());
        }
    }

    /// Under control: keeps who met, by warp.
    fn keep_meeting(&self, threads: impl FnOnce() -> Meeting) {
        if let Some(meetings) = &self.meetings {
            meetings.borrow_mut().push(threads());
        }
    }

    /// Who has met since this was called last; only under control.
    pub(crate) fn take_meetings(&self) -> Vec<Meeting> {
        self.meetings
            .as_ref()
            .map(RefCell::take)
            .unwrap_or_default()
    }

    /// The lanes that have not exited, by warp; in `room`, because a barrier allocates nothing.
    fn live_lanes<'r>(&self, room: &'r mut [u32; MOST_WARPS]) -> &'r [u32] {
        for (live, warp) in room.iter_mut().zip(&self.warps) {
            *live = warp.live;
        }
        room.get(..self.warps.len()).unwrap_or(&room[..])
    }

    /// Lanes of a warp have met in an operation.
    fn warp_met(&self, warp: u32, op: WarpOp, lanes: u32) {
        if let Some(checks) = &self.checks
            && op != WarpOp::ActiveMask
        {
            let live = self.warps[warp as usize].live;
            checks.warp_met(warp, op, lanes, live & !lanes == 0);
            // Whatever the operation is: it orders no memory, but each lane's steps before it come before those behind it.
            self.keep_meeting(|| {
                let mut threads = vec![0; warp as usize + 1];
                threads[warp as usize] = lanes;
                threads
            });
        }
    }
}

/// How many lanes of warp number `warp` exist in a block of `n_threads`.
fn lanes_of(n_threads: u32, warp: usize) -> u32 {
    (n_threads - warp as u32 * LANES).min(LANES)
}

mod asynchronous; // barriers in memory, copies under way
mod barrier_reduction; // barriers with a reduction or a count
mod order; // who runs next
mod outside; // threads that wait for other blocks
mod remarks; // what is odd about a rendezvous that completes
mod thread_state;
mod warp_groups; // products under way // where each thread is

pub(crate) use asynchronous::Copy;
pub(crate) use barrier_reduction::BarrierOp;
pub(crate) use order::{Pick, PickBy};
pub(crate) use thread_state::{At, ThreadState};

#[cfg(all(test, not(loom)))]
mod tests;
