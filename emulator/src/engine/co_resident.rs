//! Blocks that are there together: who waits at the barrier of a cluster or of a cooperative grid, and whose shared memory is where.
//!
//! A set is what one worker runs at a time: one block, one cluster, or all clusters of a cooperative grid. The rules stand in
//! `README.md`, numbered.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::Location;
use std::thread;

use std::rc::{Rc, Weak};

use crate::control::ThreadId;
use crate::engine::block::{At, Block, ThreadState};
use crate::engine::bulk::Transactions;
use crate::engine::fiber::{Phase, Running, leave};
use crate::engine::grid::Blocks;
use crate::engine::launch::Launch;
use crate::engine::shared::{SharedError, SharedKey};
use crate::engine::shared_array::Array;
use crate::engine::warp::{LANES, lanes};
use crate::fault::{Fault, Wait, WaitPoint};
use crate::shape::CheckedShape;
use crate::site::Site;

/// The blocks of one set.
pub(crate) struct CoResidentBlocks<'run> {
    pub(crate) shape: CheckedShape,
    pub(crate) launch: &'run Launch,
    /// What its worker runs after it.
    sets: &'run Blocks<'run>,
    /// In linear order, cluster after cluster. Weak, because each of them owns the set.
    members: RefCell<Vec<Weak<Running<'run>>>>,
    /// Why its lanes must not go on, if one found that.
    ended: RefCell<Option<Fault>>,
    /// Bulk copies that end at barriers in the shared memory of its blocks.
    pub(crate) transactions: Transactions,
    /// Stacks that its lanes have taken.
    pub(crate) stacks: Cell<usize>,
    /// A time above all times of the sets before this one.
    start: Cell<u32>,
    /// Which threads of several blocks have met since the worker asked; only under control.
    meetings: RefCell<Vec<Vec<ThreadId>>>,
}

/// The threads of one block at a barrier that is wider than the block.
#[derive(Debug, Default)]
pub(crate) struct BarrierArrivals {
    /// Threads that arrived in this phase; some of them may have exited since.
    n_arrived: u32,
    /// They, warp by warp. Empty until the first arrives.
    arrived: Vec<u32>,
    /// Threads that arrived, in this phase or before, and have not called `wait` yet.
    owing: Vec<u32>,
    /// Threads that wait for the end of this phase.
    waiting: Vec<u32>,
}

/// A call that the order of arrivals and waits forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutOfTurn {
    ArrivedTwice,
    NotArrived,
}

/// How far a barrier reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Cluster,
    Grid,
}

impl<'run> CoResidentBlocks<'run> {
    pub(crate) fn new(shape: CheckedShape, launch: &'run Launch, sets: &'run Blocks<'run>) -> Self {
        Self {
            start: Cell::new(0),
            meetings: RefCell::default(),
            shape,
            launch,
            sets,
            members: RefCell::default(),
            ended: RefCell::new(None),
            transactions: Transactions::default(),
            stacks: Cell::new(0),
        }
    }

    /// The next block of the worker, where each set has one.
    pub(crate) fn next_block(&self) -> Option<[u32; 3]> {
        if self.shape.set_blocks != 1 {
            return None;
        }
        let number = self.sets.next()?;
        Some(self.shape.block_of_set(number, 0))
    }

    /// Says who the members are, once.
    pub(crate) fn admit<'a>(&self, members: impl Iterator<Item = &'a Rc<Running<'run>>>)
    where
        'run: 'a,
    {
        *self.members.borrow_mut() = members.map(Rc::downgrade).collect();
    }

    fn member(&self, index: usize) -> Option<Rc<Running<'run>>> {
        self.members.borrow().get(index)?.upgrade()
    }

    /// The members of the cluster that `member` belongs to.
    fn cluster_of(&self, member: usize) -> Range<usize> {
        let blocks = self.shape.cluster_blocks();
        let first = member / blocks * blocks;
        first..first + blocks
    }

    fn members(&self, range: Range<usize>) -> impl Iterator<Item = Rc<Running<'run>>> {
        range.filter_map(|index| self.member(index))
    }

    /// Calls `look` with each block.
    pub(crate) fn each(&self, mut look: impl FnMut(&Running<'run>)) {
        for block in self.members(0..self.shape.set_blocks) {
            look(&block);
        }
    }

    /// All lanes of the set have to leave, for this reason.
    pub(crate) fn end(&self, fault: Fault) {
        self.each(|running| running.phase.set(Phase::Abandoned));
        self.ended.borrow_mut().get_or_insert(fault);
    }

    /// Why they had to.
    pub(crate) fn ended(&self) -> Option<Fault> {
        self.ended.take()
    }

    /// Ends each phase whose missing threads have all exited; gives whether there was one. For when no lane can go on.
    pub(crate) fn complete(&self) -> bool {
        let blocks = self.shape.set_blocks;
        let mut any = false;
        for first in (0..blocks).step_by(self.shape.cluster_blocks()) {
            any |= self.end_phase(Reach::Cluster, self.cluster_of(first));
        }
        if self.shape.together.cooperative {
            any |= self.end_phase(Reach::Grid, 0..blocks);
        }
        any
    }

    /// Ends the phase of a barrier, if all are there; gives whether a lane may go on now.
    fn end_phase(&self, reach: Reach, range: Range<usize>) -> bool {
        let is_complete = |block: Rc<Running<'run>>| {
            let arrivals = reach.arrivals(&block).borrow();
            arrivals.is_complete(&block.core(), reach)
        };
        // Backwards: blocks start in order, so the last is the likeliest to be missing.
        let mut blocks = range.clone().rev();
        let all = blocks.all(|index| self.member(index).is_some_and(is_complete));
        let mut any = false;
        if all {
            for block in self.members(range.clone()) {
                let mut arrivals = reach.arrivals(&block).borrow_mut();
                any |= arrivals.end_phase(&mut block.core_mut());
            }
            if self.launch.checks.is_some() {
                self.order(reach, range);
            }
        }
        any
    }

    /// The blocks of a phase that ended have met.
    fn order(&self, reach: Reach, range: Range<usize>) {
        let blocks: Vec<_> = self.members(range).collect();
        if self.launch.options.control.is_some() {
            self.keep_meeting(&blocks);
        }
        let checks: Vec<_> = blocks
            .iter()
            .filter_map(|block| block.checks.clone())
            .collect();
        if let Some(run) = &self.launch.checks {
            run.blocks_met(&checks, reach == Reach::Grid);
        }
    }

    fn keep_meeting(&self, blocks: &[Rc<Running<'run>>]) {
        let mut met = Vec::new();
        for running in blocks {
            let block = self.shape.linear(running.registers.block.get());
            let core = running.core();
            let live = (0..self.shape.n_threads).filter(|thread| core.is_live(*thread));
            met.extend(live.map(|thread| ThreadId { block, thread }));
        }
        self.meetings.borrow_mut().push(met);
    }

    /// Who has met since this was called last.
    pub(crate) fn take_meetings(&self) -> Vec<Vec<ThreadId>> {
        self.meetings.take()
    }

    /// All lanes of the set have exited by themselves.
    pub(crate) fn tell_end(&self) {
        if self.shape.set_blocks == 1 {
            return;
        }
        if let Some(run) = &self.launch.checks {
            let blocks = self.members(0..self.shape.set_blocks);
            let checks: Vec<_> = blocks.filter_map(|block| block.checks.clone()).collect();
            run.blocks_over(&checks);
        }
    }

    /// What the set is stuck at; `None` if all lanes have exited.
    pub(crate) fn stuck(&self) -> Option<Fault> {
        let mut waits = Vec::new();
        let mut first = None;
        for block in self.members(0..self.shape.set_blocks) {
            let core = block.core();
            if core.n_live() == 0 {
                continue;
            }
            let place = block.registers.block.get();
            first = first.or(Some(place));
            let mut here = core.waits(&self.shape);
            for reach in [Reach::Cluster, Reach::Grid] {
                let arrivals = reach.arrivals(&block).borrow();
                here.extend(arrivals.wait(&core, &self.shape, reach.point()));
            }
            waits.extend(here.into_iter().map(|wait| Wait {
                block: place,
                ..wait
            }));
        }
        first.map(|block| Fault::Deadlock { block, waits })
    }
}

impl Reach {
    fn arrivals<'a>(self, block: &'a Running<'_>) -> &'a RefCell<BarrierArrivals> {
        match self {
            Self::Cluster => &block.at_cluster,
            Self::Grid => &block.at_grid,
        }
    }

    fn point(self) -> WaitPoint {
        match self {
            Self::Cluster => WaitPoint::Cluster,
            Self::Grid => WaitPoint::Grid,
        }
    }
}

impl BarrierArrivals {
    pub(crate) fn reset(&mut self) {
        // Filling nothing is not free: the processor takes 0.4 µs for a masked store to the address that an empty list has.
        if self.arrived.is_empty() {
            return;
        }
        self.n_arrived = 0;
        for masks in [&mut self.arrived, &mut self.owing, &mut self.waiting] {
            masks.fill(0);
        }
    }

    fn arrive(&mut self, thread: u32, n_warps: usize) -> Result<(), OutOfTurn> {
        for masks in [&mut self.arrived, &mut self.owing, &mut self.waiting] {
            masks.resize(n_warps, 0);
        }
        let (warp, lane) = ((thread / LANES) as usize, 1 << (thread % LANES));
        if self.owing[warp] & lane != 0 {
            return Err(OutOfTurn::ArrivedTwice);
        }
        self.owing[warp] |= lane;
        self.arrived[warp] |= lane;
        self.n_arrived += 1;
        Ok(())
    }

    /// Whether the thread has to wait for what it arrived at.
    fn wait_for(&mut self, thread: u32) -> Result<bool, OutOfTurn> {
        let (warp, lane) = ((thread / LANES) as usize, 1 << (thread % LANES));
        if self.owing.get(warp).is_none_or(|owing| owing & lane == 0) {
            return Err(OutOfTurn::NotArrived);
        }
        self.owing[warp] &= !lane;
        let waits = self.arrived[warp] & lane != 0;
        if waits {
            self.waiting[warp] |= lane;
        }
        Ok(waits)
    }

    /// Whether all threads of the block that have not exited have arrived. A block that is over counts for a cluster, as the hardware
    /// has it, and is missing for ever in a grid, where its threads are counted by one of them.
    fn is_complete(&self, core: &Block, reach: Reach) -> bool {
        match core.n_live() {
            0 => reach == Reach::Cluster,
            live => self.n_arrived >= live && core.are_live_among(&self.arrived),
        }
    }

    /// Starts the next phase; gives whether a lane may go on now.
    fn end_phase(&mut self, core: &mut Block) -> bool {
        if self.arrived.is_empty() {
            return false;
        }
        self.n_arrived = 0;
        self.arrived.fill(0);
        let any = self.waiting.iter().any(|mask| *mask != 0);
        core.release_from_outside(&mut self.waiting);
        any
    }

    fn is_waiting(&self, thread: u32) -> bool {
        let waiting = self.waiting.get((thread / LANES) as usize);
        waiting.is_some_and(|mask| mask >> (thread % LANES) & 1 == 1)
    }

    fn wait(&self, core: &Block, shape: &CheckedShape, point: WaitPoint) -> Option<Wait> {
        let first = (0..)
            .zip(&self.waiting)
            .find_map(|(warp, mask)| lanes(*mask).next().map(|lane| warp * LANES + lane))?;
        let threads = self.waiting.iter().map(|mask| mask.count_ones()).sum();
        let site = core.site(first);
        Some(Wait {
            point,
            block: [0; 3],
            threads,
            first: shape.thread_at(first),
            file: site.file(),
            line: site.line(),
            column: site.column(),
        })
    }
}

impl<'run> Running<'run> {
    /// The block of this rank in the cluster of the lane that runs.
    pub(crate) fn cluster_member(&self, rank: u32) -> Option<Rc<Running<'run>>> {
        let mut cluster = self.set.cluster_of(self.member);
        self.set.member(cluster.nth(rank as usize)?)
    }
}

/// What lanes do together across blocks.
impl Running<'_> {
    /// As [`Running::restart`]: for the checks. All blocks of the set begin at the same time; the first one comes first.
    pub(crate) fn restart_checks(&self, block: [u32; 3]) {
        if let Some(checks) = &self.checks {
            if self.member == 0 {
                let others = self.set.members(0..self.shape.set_blocks);
                let highs = others.filter_map(|other| Some(other.checks.as_ref()?.high()));
                self.set.start.set(highs.max().unwrap_or(0) + 1);
            }
            checks.restart(block, self.set.start.get());
        }
    }

    /// The lane that runs arrives at the barrier of its cluster. Nothing happens while it is being unwound.
    #[inline(never)]
    pub(crate) fn arrive_at_cluster(&self) -> Result<(), OutOfTurn> {
        if self.may_wait() {
            self.arrive_outside(Reach::Cluster)?;
        }
        Ok(())
    }

    /// True: the lane that runs has to call [`Running::wait`] for the barrier that it arrived at.
    #[inline(never)]
    pub(crate) fn waits_for_cluster(&self, site: Site) -> Result<bool, OutOfTurn> {
        if !self.may_wait() {
            return Ok(false);
        }
        self.wait_outside(Reach::Cluster, site)
    }

    /// True: the lane that runs arrived at the barrier of the grid, and has to call [`Running::wait`]. `None`: this is no cooperative
    /// launch.
    #[inline(never)]
    pub(crate) fn waits_for_grid(&self, site: Site) -> Option<bool> {
        if !self.shape.together.cooperative {
            return None;
        }
        if !self.may_wait() {
            return Some(false);
        }
        let arrived = self.arrive_outside(Reach::Grid);
        let waits = arrived.and_then(|()| self.wait_outside(Reach::Grid, site));
        Some(waits.unwrap_or_default()) // never out of turn: both halves stand here
    }

    /// Where each thread of the block is.
    pub(crate) fn thread_states(&self, core: &Block) -> Vec<ThreadState> {
        let (cluster, grid) = (self.at_cluster.borrow(), self.at_grid.borrow());
        core.thread_states(|thread| {
            if cluster.is_waiting(thread) {
                At::Cluster
            } else if grid.is_waiting(thread) {
                At::Grid
            } else {
                At::Polls
            }
        })
    }

    fn arrive_outside(&self, reach: Reach) -> Result<(), OutOfTurn> {
        let n_warps = self.shape.n_threads.div_ceil(LANES) as usize;
        let arrivals = reach.arrivals(self);
        arrivals.borrow_mut().arrive(self.thread.get(), n_warps)?;
        let here = arrivals.borrow().is_complete(&self.core(), reach);
        if here {
            let range = match reach {
                Reach::Cluster => self.set.cluster_of(self.member),
                Reach::Grid => 0..self.shape.set_blocks,
            };
            self.set.end_phase(reach, range);
        }
        Ok(())
    }

    fn wait_outside(&self, reach: Reach, site: Site) -> Result<bool, OutOfTurn> {
        let thread = self.thread.get();
        let waits = reach.arrivals(self).borrow_mut().wait_for(thread)?;
        if waits {
            self.core_mut().wait_outside(thread, site);
        }
        Ok(waits)
    }

    /// The static shared array of this key: at the same place in all blocks of the cluster.
    pub(crate) fn shared_static(
        &self,
        key: &SharedKey,
        bytes: usize,
        align: usize,
    ) -> Result<*mut u8, SharedError> {
        let mut own = self.arena.borrow_mut();
        if let Some(known) = own.known(key, bytes, align) {
            return Ok(known);
        }
        let start = own.allocate(key, bytes, align)?;
        drop(own);
        for block in self.set.members(self.set.cluster_of(self.member)) {
            if block.member != self.member {
                block.arena.borrow_mut().allocate(key, bytes, align)?;
            }
        }
        Ok(start)
    }

    /// Ends the run if it is for want of room that there is no such array. Returns if it is not, and in a lane that unwinds already.
    #[cold]
    pub(crate) fn end_without_room(&self, error: &SharedError, caller: &'static Location<'static>) {
        let SharedError::Full {
            fixed,
            dynamic,
            limit,
            type_name,
        } = *error
        else {
            return;
        };
        if thread::panicking() {
            return;
        }
        let place = self.place(caller);
        let number = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        if self.phase.get() == Phase::Runs {
            self.set.end(Fault::SharedFull {
                fixed: number(fixed),
                dynamic: number(dynamic),
                limit: number(limit),
                type_name: type_name.to_owned(),
                file: place.file().to_owned(),
                line: place.line(),
                column: place.column(),
            });
        }
        leave();
    }

    /// Where in the shared memory of the cluster an address is: the rank of the block, and the offset there.
    pub(crate) fn locate_shared(&self, at: *const u8) -> Option<(u32, usize)> {
        let cluster = self.set.cluster_of(self.member);
        (0..)
            .zip(self.set.members(cluster))
            .find_map(|(rank, block)| Some((rank, block.arena.borrow().offset_of(at)?)))
    }

    /// `Ok`: an access lies in one array of the shared memory of the cluster. `Err`: it lies in this memory, but in no array: the nearest,
    /// and the offset. `None`: it lies elsewhere.
    pub(crate) fn shared_at(
        &self,
        address: usize,
        bytes: usize,
    ) -> Option<Result<(), (Option<Array>, isize)>> {
        let own = self.arena.borrow().place_of(address, bytes);
        own.or_else(|| {
            let cluster = self.set.cluster_of(self.member);
            self.set
                .members(cluster)
                .find_map(|block| block.arena.borrow().place_of(address, bytes))
        })
    }

    /// The address of this offset in the shared memory of the cluster's block number `rank`; `None` if there is no such block.
    pub(crate) fn shared_of(&self, rank: u32, offset: usize) -> Option<*mut u8> {
        let mut cluster = self.set.cluster_of(self.member);
        let block = self.set.member(cluster.nth(rank as usize)?)?;
        let start = block.arena.borrow_mut().at(offset);
        Some(start)
    }
}
