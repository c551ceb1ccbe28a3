//! What each lane of a block knows of the others: times, and bounds below which everything is ordered. Rules: `README.md`, numbered.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::epochs::Epochs;
use super::order::{Acquired, Graph, Root};
use super::seq_cst::SeqCst;
use super::slot::{AccessKind, Slot};
use super::space::Space;
use crate::engine::warp::{LANES, MOST_WARPS, lanes};
use crate::site::Site;

/// Lanes of a block, at most.
pub(super) const MOST_LANES: usize = MOST_WARPS * LANES as usize;

/// The clocks of one block. Times of a lane only grow, from block to block and from run to run.
#[derive(Debug)]
pub(crate) struct Clocks {
    /// The number of the block's first lane in the grid; the others follow.
    pub(super) base: Cell<u32>,
    /// 2 to this power is the distance between blocks.
    pub(super) shift: u32,
    /// Each lane's time, and room for as many as a block can have.
    pub(super) all_times: [Cell<u32>; MOST_LANES],
    n_threads: u32,
    /// Each lane's time when it wrote last.
    pub(super) wrote: [Cell<u32>; MOST_LANES],
    /// Each lane's time when it met others at a barrier that raised no bound because of lanes that returned.
    pub(super) met: [Cell<u32>; MOST_LANES],
    /// Lanes that returned after a write, and the first barrier of the block that they did not reach.
    pub(super) left_out: RefCell<Vec<(u32, Site)>>,
    /// Accesses of the block before this time are ordered before everything that it does now.
    pub(super) bound: Cell<u32>,
    /// As `bound` when the block began: what is older in its shared memory is another block's.
    pub(super) start: Cell<u32>,
    /// As `bound`, of other blocks: those of the cluster, and all others.
    pub(super) cluster_bound: Cell<u32>,
    pub(super) grid_bound: Cell<u32>,
    /// The first lane of the cluster, and the lanes of a cluster.
    pub(super) cluster: Cell<(u32, u32)>,
    /// As `bound`, of each warp among its lanes.
    warp_bounds: [Cell<u32>; MOST_WARPS],
    /// In which epoch the block and its warps are.
    pub(super) epochs: Epochs,
    /// In the block's shared memory, what is older is ordered before everything that the block does now.
    pub(super) shared_bound: Cell<u32>,
    /// What each lane knows of each other one, where that is more than the bounds say: lane by lane. Empty until it is needed.
    rows: RefCell<Vec<u32>>,
    /// Lanes of one warp know different things of other warps.
    wide: Cell<bool>,
    /// Barriers of parts of the block: what those who arrived knew.
    meetings: RefCell<HashMap<(u32, u32), Gathered>>,
    /// Barriers in memory.
    phases: RefCell<HashMap<usize, [Gathered; 2]>>,
    /// What each lane knows by acquiring; `None`: nothing.
    pub(super) known: RefCell<Vec<Option<Box<Acquired>>>>,
    /// What all lanes know by acquiring and a barrier.
    pub(super) common: RefCell<Acquired>,
    /// What they have left for sequentially consistent fences of each other.
    pub(super) seq_cst: RefCell<SeqCst>,
    /// Whether one of these is not empty.
    pub(super) any_known: Cell<bool>,
    /// Barriers of the whole block so far, and the place of the last.
    pub(super) interval: Cell<(u32, Option<Site>)>,
}

/// Times below which a lane knows others.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderBounds<'a> {
    clocks: &'a Clocks,
    me: u32,
    /// Of its warp; at least that of the block.
    warp: u32,
}

impl OrderBounds<'_> {
    /// Whether an access of lane `who` at time `t` is ordered before what the lane does now.
    #[inline(always)]
    pub(super) fn cover(&self, who: u32, t: u32) -> bool {
        let (clocks, apart) = (self.clocks, who ^ self.me);
        if apart >> clocks.shift != 0 {
            t < clocks.other_bound(who)
        } else if apart < LANES {
            t < self.warp
        } else {
            t < clocks.bound.get()
        }
    }
}

/// What threads knew that arrived somewhere.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    row: Vec<u32>,
    roots: Vec<Root>,
}

impl Clocks {
    pub(super) fn new(n_threads: u32, t0: u32, epochs: Epochs) -> Self {
        Self {
            base: Cell::new(0),
            shift: n_threads.next_power_of_two().trailing_zeros(),
            all_times: std::array::from_fn(|_| Cell::new(t0)),
            n_threads,
            wrote: [const { Cell::new(0) }; MOST_LANES],
            met: [const { Cell::new(0) }; MOST_LANES],
            left_out: RefCell::default(),
            bound: Cell::new(t0),
            start: Cell::new(t0),
            cluster_bound: Cell::new(t0),
            grid_bound: Cell::new(t0),
            cluster: Cell::new((0, 0)),
            warp_bounds: std::array::from_fn(|_| Cell::new(t0)),
            epochs,
            shared_bound: Cell::new(t0),
            rows: RefCell::default(),
            wide: Cell::new(false),
            meetings: RefCell::default(),
            phases: RefCell::default(),
            known: RefCell::new((0..n_threads).map(|_| None).collect()),
            common: RefCell::default(),
            seq_cst: RefCell::default(),
            any_known: Cell::new(false),
            interval: Cell::new((0, None)),
        }
    }

    /// Begins a block: number `block` in the grid, in a cluster of `cluster` blocks. All times of the set are below `start`.
    pub(super) fn restart(&self, block: u32, cluster: u32, start: u32) {
        self.base.set(block << self.shift);
        self.cluster.set((
            (block / cluster * cluster) << self.shift,
            cluster << self.shift,
        ));
        self.times().iter().for_each(|t| t.set(start));
        self.bound.set(start);
        self.shared_bound.set(start);
        self.warp_bounds.iter().for_each(|bound| bound.set(start));
        self.epochs.restart();
        self.start.set(start);
        self.cluster_bound.set(start);
        self.interval.set((0, None));
        self.left_out.borrow_mut().clear();
        self.meetings.borrow_mut().clear();
        self.phases.borrow_mut().clear();
        self.wide.set(false);
        if self.any_known.replace(false) {
            self.known
                .borrow_mut()
                .iter_mut()
                .for_each(|known| *known = None);
            *self.common.borrow_mut() = Acquired::default();
            *self.seq_cst.borrow_mut() = SeqCst::default();
        }
    }

    /// Each lane's time.
    #[inline(always)]
    pub(super) fn times(&self) -> &[Cell<u32>] {
        &self.all_times[..self.n_threads as usize]
    }

    /// The highest time of its lanes.
    pub(super) fn high(&self) -> u32 {
        let (times, first) = (self.times(), self.time(0));
        // Most blocks end with all lanes at one time, which takes a quarter of the instructions to see.
        let differing = times.iter().fold(0, |all, t| all | (t.get() ^ first));
        if differing == 0 {
            return first;
        }
        times.iter().map(Cell::get).max().unwrap_or(first)
    }

    /// The time of lane number `thread` of the block.
    #[inline(always)]
    pub(super) fn time(&self, thread: u32) -> u32 {
        self.all_times[thread as usize % MOST_LANES].get()
    }

    /// An access that lane number `thread` of the block makes now.
    #[inline(always)]
    pub(super) fn slot(&self, thread: u32, what: AccessKind) -> Slot {
        Slot {
            who: self.base.get() | thread,
            t: self.all_times[thread as usize % MOST_LANES].get(),
            what,
        }
    }

    /// What lane number `thread` of the block knows by bounds.
    #[inline(always)]
    pub(super) fn bounds(&self, thread: u32) -> OrderBounds<'_> {
        OrderBounds {
            clocks: self,
            me: self.base.get() | thread,
            warp: self.warp_bounds[(thread / LANES) as usize % MOST_WARPS].get(),
        }
    }

    /// Below it, lane `who` of this block knows its warp.
    #[inline(always)]
    pub(super) fn warp_bound(&self, who: u32) -> u32 {
        self.warp_bounds[((who - self.base.get()) / LANES) as usize % MOST_WARPS].get()
    }

    /// Whether an access of lane `who` at time `t` is ordered before everything that this block does now.
    #[inline(always)]
    pub(super) fn is_past(&self, who: u32, t: u32) -> bool {
        if who >> self.shift == self.base.get() >> self.shift {
            t < self.bound.get()
        } else {
            t < self.other_bound(who)
        }
    }

    /// What is older in `space` is ordered before everything that the block does now, whichever lane did it.
    #[inline(always)]
    pub(super) fn old(&self, space: &Space) -> u32 {
        if space.is_shared() {
            self.shared_bound.get()
        } else {
            self.grid_bound.get()
        }
    }

    #[inline(always)]
    fn other_bound(&self, who: u32) -> u32 {
        if self.in_cluster(who) {
            self.cluster_bound.get()
        } else {
            self.grid_bound.get()
        }
    }

    #[inline(always)]
    pub(super) fn in_cluster(&self, who: u32) -> bool {
        let (first, lanes) = self.cluster.get();
        who.wrapping_sub(first) < lanes
    }

    /// Whether an access of lane `who` at time `t` is ordered before what lane `me` of this block does now.
    pub(super) fn is_ordered(&self, graph: &Graph, me: u32, who: u32, t: u32) -> bool {
        let mine = (me - self.base.get()) as usize;
        self.is_ordered_by_barriers(me, who, t)
            || self.any_known.get() && self.knows(graph, mine, who, t)
    }

    /// The same, as far as barriers and operations of the warp order it: what atomics order takes longer to find.
    pub(super) fn is_ordered_by_barriers(&self, me: u32, who: u32, t: u32) -> bool {
        let mine = (me - self.base.get()) as usize;
        if who == me || self.bounds(mine as u32).cover(who, t) {
            return true;
        }
        if (who ^ me) >> self.shift == 0 {
            let theirs = (who - self.base.get()) as usize;
            let rows = self.rows.borrow();
            if rows
                .get(mine * self.times().len() + theirs)
                .is_some_and(|known| t < *known)
            {
                return true;
            }
        }
        false
    }

    #[cold]
    fn knows(&self, graph: &Graph, mine: usize, who: u32, t: u32) -> bool {
        let mut known = self.known.borrow_mut();
        let own = known[mine]
            .as_mut()
            .is_some_and(|known| known.covers(graph, self.shift, who, t));
        own || self.common.borrow_mut().covers(graph, self.shift, who, t)
    }

    /// As a barrier of all lanes at `place`, after which they have time `next`, above all times of theirs.
    pub(super) fn raise(&self, graph: &Graph, next: u32, place: Option<Site>) {
        let (interval, _) = self.interval.get();
        self.interval.set((interval + 1, place));
        self.times().iter().for_each(|t| t.set(next));
        self.bound.set(next);
        let (_, lanes) = self.cluster.get();
        // No other block accesses it.
        let is_shared_private = lanes >> self.shift <= 1;
        if is_shared_private {
            self.shared_bound.set(next);
        }
        self.warp_bounds.iter().for_each(|bound| bound.set(next));
        self.epochs.all_learn();
        if is_shared_private {
            self.epochs.all_before_is_past();
        }
        self.wide.set(false);
        if self.any_known.get() {
            let mut common = self.common.borrow_mut();
            let mut seq_cst = self.seq_cst.borrow_mut();
            for (lane, known) in self.known.borrow_mut().iter_mut().enumerate() {
                if let Some(known) = known {
                    known.leaves(graph, lane, &mut seq_cst);
                    common.take_roots(graph, known);
                }
            }
        }
    }

    /// The lanes of `mask` have met, all that have not exited if `whole`.
    pub(crate) fn warp_met(&self, warp: u32, mask: u32, whole: bool) {
        let first = (warp * LANES) as usize;
        let last = (first + LANES as usize).min(self.times().len());
        let times = &self.times()[first..last];
        self.epochs.warp_met(warp as usize);
        if whole {
            let next = times.iter().map(Cell::get).max().unwrap_or(0) + 1;
            times.iter().for_each(|t| t.set(next));
            self.warp_bounds[warp as usize].set(next);
        }
        let members = || lanes(mask).map(|lane| first + lane as usize);
        if !whole {
            members().for_each(|lane| self.advance(lane));
        }
        if !whole || self.wide.get() {
            self.join_rows(
                members,
                if self.wide.get() {
                    0..self.times().len()
                } else {
                    first..last
                },
            );
        }
        if self.any_known.get() {
            self.join_known(members);
        }
    }

    fn advance(&self, lane: usize) {
        self.epochs.one_learns(lane / LANES as usize);
        self.times()[lane].set(self.times()[lane].get() + 1);
    }

    /// Each of `members` knows of the lanes of `of` what any of them knew.
    fn join_rows<I: Iterator<Item = usize>>(
        &self,
        members: impl Fn() -> I,
        of: std::ops::Range<usize>,
    ) {
        let n = self.times().len();
        let mut rows = self.rows();
        let mut joined = vec![0; of.len()];
        for lane in members() {
            let row = &mut rows[lane * n..][of.clone()];
            row[lane - of.start] = self.times()[lane].get();
            max_into(&mut joined, row);
        }
        for lane in members() {
            max_into(&mut rows[lane * n..][of.clone()], &joined);
        }
    }

    fn join_known<I: Iterator<Item = usize>>(&self, members: impl Fn() -> I) {
        let mut known = self.known.borrow_mut();
        let mut roots = Vec::new();
        for lane in members() {
            roots.extend(known[lane].iter().flat_map(|known| known.roots()));
        }
        for lane in members().filter(|_| !roots.is_empty()) {
            known[lane].get_or_insert_default().add(&roots);
        }
    }

    fn rows(&self) -> std::cell::RefMut<'_, Vec<u32>> {
        let n = self.times().len();
        let mut rows = self.rows.borrow_mut();
        rows.resize(n * n, 0);
        rows
    }

    /// `lane` arrives at a barrier of so many threads, for those that will wait there.
    pub(crate) fn arrives_at_part(&self, lane: u32, id: u32, count: u32) {
        let mut meetings = self.meetings.borrow_mut();
        self.gather(lane as usize, meetings.entry((id, count)).or_default());
    }

    /// That barrier opened: `released` goes on from it.
    pub(crate) fn part_met(&self, id: u32, count: u32, released: impl Iterator<Item = u32>) {
        if let Some(gathered) = self.meetings.borrow_mut().remove(&(id, count)) {
            released.for_each(|lane| self.learn(lane as usize, &gathered));
        }
    }

    /// `lane` arrives at the barrier in memory at `address`, whose phase is now of this parity.
    pub(super) fn arrives_at_phase(&self, lane: u32, address: usize, parity: u32, ends: bool) {
        let mut phases = self.phases.borrow_mut();
        let both = phases.entry(address).or_default();
        self.gather(lane as usize, &mut both[parity as usize & 1]);
        drop(phases);
        if ends {
            self.phase_ends(address, parity);
        }
    }

    /// The phase of this parity ends there: arrivals from now on belong to the next phase; what was gathered for the one before that is past.
    pub(super) fn phase_ends(&self, address: usize, parity: u32) {
        if let Some(both) = self.phases.borrow_mut().get_mut(&address) {
            both[(parity as usize & 1) ^ 1] = Gathered::default();
        }
    }

    /// The time before which lane number `thread` of the block knows each lane of it, as far as barriers order it.
    pub(super) fn known_times(&self, thread: u32) -> Vec<u32> {
        let n = self.times().len();
        let mut known = vec![self.bound.get(); n];
        let (lane, warp) = (thread as usize, (thread / LANES) as usize);
        let of_warp = known.iter_mut().skip(warp * LANES as usize);
        let bound = self.warp_bounds[warp].get();
        of_warp
            .take(LANES as usize)
            .for_each(|t| *t = bound.max(*t));
        if let Some(row) = self.rows.borrow().get(lane * n..(lane + 1) * n) {
            max_into(&mut known, row);
        }
        known[lane] = self.time(thread) + 1;
        known
    }

    /// Whether lanes of the block have arrived at a barrier in memory at `address`.
    pub(super) fn is_mbarrier(&self, address: usize) -> bool {
        self.phases.borrow().contains_key(&address)
    }

    /// `lane` saw that the phase of this parity has ended.
    pub(super) fn phase_seen(&self, lane: u32, address: usize, parity: u32) {
        if let Some(both) = self.phases.borrow().get(&address) {
            self.learn(lane as usize, &both[parity as usize & 1]);
        }
    }

    /// Adds what a lane knows; its own accesses from now on are not part of that.
    pub(super) fn gather(&self, lane: usize, into: &mut Gathered) {
        let n = self.times().len();
        into.row.resize(n, 0);
        let rows = self.rows();
        max_into(&mut into.row, &rows[lane * n..][..n]);
        let warp = lane / LANES as usize;
        let bound = self.warp_bounds[warp].get();
        let first = warp * LANES as usize;
        for known in into.row.iter_mut().skip(first).take(LANES as usize) {
            *known = bound.max(*known);
        }
        self.advance(lane);
        into.row[lane] = self.times()[lane].get();
        if self.any_known.get() {
            into.roots.extend(
                self.known.borrow()[lane]
                    .iter()
                    .flat_map(|known| known.roots()),
            );
        }
    }

    pub(super) fn learn(&self, lane: usize, from: &Gathered) {
        self.epochs.one_learns(lane / LANES as usize);
        if from.row.is_empty() {
            return;
        }
        let n = self.times().len();
        max_into(&mut self.rows()[lane * n..][..n], &from.row);
        self.wide.set(true);
        if !from.roots.is_empty() {
            self.known.borrow_mut()[lane]
                .get_or_insert_default()
                .add(&from.roots);
        }
    }

    /// What lane `me` publishes when it releases: the bounds, and its row.
    pub(super) fn published(&self, me: u32) -> (u32, u32, Option<Box<[u32]>>) {
        let lane = (me - self.base.get()) as usize;
        let n = self.times().len();
        let row = self.rows.borrow();
        let row = row.get(lane * n..(lane + 1) * n).map(Box::from);
        (
            self.bound.get(),
            self.warp_bounds[lane / LANES as usize].get(),
            row,
        )
    }

    /// The message of the latest release fence of lane `me`.
    pub(super) fn fence_of(&self, me: u32) -> Option<u32> {
        if !self.any_known.get() {
            return None;
        }
        let lane = (me - self.base.get()) as usize;
        self.known.borrow()[lane].as_ref()?.fence
    }

    /// Lane `me` has released: what it does from now on is not part of that.
    pub(super) fn released(&self, me: u32) {
        self.advance((me - self.base.get()) as usize);
    }

    /// Lane `me` has made an atomic write that publishes nothing: what it does from now on comes after that. No epoch changes, since
    /// nothing can be known of the lane up to here that is not known of what follows.
    pub(super) fn wrote_atomically(&self, me: u32) {
        let t = &self.times()[(me - self.base.get()) as usize];
        t.set(t.get() + 1);
    }
}

fn max_into(into: &mut [u32], from: &[u32]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into = (*into).max(*from);
    }
}
