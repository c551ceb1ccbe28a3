//! What a checked run keeps: for the whole run, and for each block that is there.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::bulk::{self, BulkCopies};
use super::clock::Clocks;
use super::copies;
use super::cursor::Cursor;
use super::epochs::{self, Epochs};
use super::footprint::{Buffer, Tables};
use super::hints::{Counters, Hint, Hints};
use super::launches;
use super::memory::{Allocation, Snapshot};
use super::observed::PendingRows;
use super::observer::{Observer, Target};
use super::order::Graph;
use super::pending_acquires::PendingAcquires;
use super::remote::{self, RemoteAccesses};
use super::shadow::{Splits, Table};
use super::slot::Slot;
use super::space::{CACHED, NOWHERE, Space, SpaceKind};
use super::turn::{self, Turn};
use super::uninitialised::{self, Uninitialised, UninitialisedGlobal};
use super::weak::{Weak, weak_blocks_met};
use super::window::Window;
use crate::engine::checker::{BlockChecker, RunChecker};
use crate::engine::fiber::{self, Running};
use crate::engine::pending::MadeWeakly;
use crate::engine::shared::ARENA_BYTES;
use crate::engine::tls::{self, CHECKER};
use crate::engine::warp::{LANES, WarpOp, lanes};
use crate::finding::Sink;
use crate::finding::Who;
use crate::memory_kind::Kind;
use crate::shape::CheckedShape;
use crate::site::{Site, SiteId, users_place};
use crate::sync::{Mutex, lock};

/// A time above all times of all runs that have ended.
static NOW: AtomicU32 = AtomicU32::new(1);

/// Makes an observer of the blocks of one worker.
pub(crate) struct Observe(pub(crate) Box<dyn Fn() -> Box<dyn Observer> + Send + Sync>);

impl fmt::Debug for Observe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observe")
    }
}

/// What the blocks of one run share.
#[derive(Debug)]
pub(crate) struct RunChecks {
    pub(super) shape: CheckedShape,
    pub(super) snapshot: Snapshot,
    /// That of the launch.
    pub(super) sink: Arc<Sink>,
    pub(super) graph: Graph,
    pub(super) splits: Arc<Splits>,
    pub(super) counters: Counters,
    /// Reads of global memory without a value.
    pub(super) uninitialised: UninitialisedGlobal,
    /// All times of this run are at or above it.
    pub(super) t0: u32,
    /// The first epoch for blocks of this run.
    settled: u32,
    /// Blocks run on several OS threads.
    pub(super) parallel: bool,
    high: AtomicU32,
    /// Global memory that was accessed: by its number in the snapshot.
    spaces: Mutex<HashMap<usize, Box<(Table, Space)>>>,
    /// Makes what observes the blocks of one worker.
    observe: Option<Observe>,
    /// Its place among the work of all streams, if launches are compared.
    pub(super) turn: Option<Box<Turn>>,
    /// What atomic loads may read, in a run under control with weak memory.
    pub(super) weak: Option<Mutex<Weak>>,
}

impl RunChecks {
    /// `observe`: makes what observes the blocks of one worker.
    pub(crate) fn new(
        shape: CheckedShape,
        n_workers: usize,
        sink: Arc<Sink>,
        observe: Option<Observe>,
        has_weak_memory: bool,
    ) -> Self {
        let t0 = NOW.load(Ordering::Relaxed);
        let weak = has_weak_memory.then(|| {
            let shift = shape.n_threads.next_power_of_two().trailing_zeros();
            Mutex::new(Weak::new(shift, shape.cluster_blocks() as u32))
        });
        Self {
            shape,
            snapshot: Snapshot::take(),
            sink,
            graph: Graph::default(),
            splits: Arc::default(),
            counters: Counters::default(),
            uninitialised: UninitialisedGlobal::default(),
            t0,
            settled: epochs::first_settled(),
            parallel: n_workers > 1,
            high: AtomicU32::new(t0),
            spaces: Mutex::default(),
            observe,
            turn: turn::turn(),
            weak,
        }
    }

    /// All blocks are over: tells what could not be told before.
    pub(crate) fn finish(&self) {
        uninitialised::finish_run(self);
        launches::finish(self);
    }

    /// What is remembered of the allocations that `is_kept` gives. No block is there any more, and nothing else is asked of what is remembered.
    pub(super) fn take_tables(&self, is_kept: impl Fn(&Space) -> Option<&Allocation>) -> Tables {
        let mut spaces = lock(&self.spaces);
        let kept = spaces.iter().filter(|(_, both)| is_kept(&both.1).is_some());
        let kept: Vec<usize> = kept.map(|(number, _)| *number).collect();
        let kept = kept.iter().filter_map(|number| spaces.remove(number));
        let buffers = kept.filter_map(|both| {
            let (table, space) = *both;
            Some(Buffer {
                serial: is_kept(&space)?.serial,
                base: space.base,
                granule: space.granule,
                table,
            })
        });
        Tables {
            buffers: buffers.collect(),
            splits: Arc::clone(&self.splits),
            t0: self.t0,
            high: self.high.load(Ordering::Relaxed) + 1,
        }
    }

    /// The space of allocation number `number`, which `make` makes if it is new.
    pub(super) fn space(
        &self,
        number: usize,
        make: impl FnOnce() -> (Table, Space),
    ) -> *const Space {
        let mut spaces = lock(&self.spaces);
        let both = spaces.entry(number).or_insert_with(|| {
            let mut both = Box::new(make());
            both.1 = std::mem::replace(&mut both.1, Space::EMPTY).with_table(&raw const both.0);
            both
        });
        &raw const both.1
    }

    /// The lane of this number.
    pub(super) fn who(&self, who: u32) -> Who {
        let shift = self.shape.n_threads.next_power_of_two().trailing_zeros();
        let (block, thread) = (u64::from(who >> shift), who & ((1 << shift) - 1));
        let set = self.shape.set_blocks as u64;
        Who {
            block: self.shape.block_of_set(block / set, (block % set) as usize),
            thread: self.shape.thread_at(thread),
            warp: thread / 32,
            lane: thread % 32,
        }
    }
}

impl Drop for RunChecks {
    fn drop(&mut self) {
        let high = *self.high.get_mut() + 1;
        // After a few billion barriers times would wrap: older entries are given up then.
        NOW.fetch_max(high, Ordering::Relaxed);
        for (_, mut both) in lock(&self.spaces).drain() {
            both.0.retire(high, &self.splits);
        }
    }
}

/// What is kept for one block of a set, and for those that come after it.
#[derive(Debug)]
pub(crate) struct BlockChecks {
    pub(super) clocks: Clocks,
    /// Its block, while that is the one that runs.
    pub(crate) running: Cell<*const Running<'static>>,
    /// The run, which outlives the workers.
    run: *const RunChecks,
    /// That of the run.
    pub(super) t0: u32,
    /// Where the sites looked up memory last.
    pub(super) cache: [Cell<*const Space>; CACHED],
    /// The same where an observer is told of all accesses: the fast path, which knows `cache` only, leads past it.
    pub(super) observed: [Cell<*const Space>; CACHED],
    /// One of these places is shared memory.
    pub(super) caches_shared: Cell<bool>,
    /// Where they read last what told nothing new.
    pub(super) windows: [Window; CACHED],
    /// Along which lines their reads and their writes go: `y += x` does both at one site.
    pub(super) cursors: [[Cursor; CACHED]; 2],
    /// The block's shared memory.
    pub(super) shared: Table,
    #[expect(clippy::vec_box, reason = "the cache points to them")]
    pub(super) arrays: RefCell<Vec<Box<Space>>>,
    pub(super) hints: Hints,
    pub(super) pending_acquires: PendingAcquires,
    /// Sites of atomics that change many addresses.
    pub(super) scattered: [Cell<u32>; CACHED],
    /// Reads of shared memory without a value.
    pub(super) uninitialised: Uninitialised,
    /// What other blocks access of its shared memory.
    pub(super) remote: RemoteAccesses,
    /// The calls that each lane is in.
    pub(super) calls: RefCell<Vec<Vec<u32>>>,
    /// A lane of the block has been in one.
    any_calls: Cell<bool>,
    /// Copies under way.
    pub(super) flights: RefCell<Vec<copies::Flight>>,
    /// Bulk copies under way.
    pub(super) bulk: BulkCopies,
    /// Told of all that its lanes do.
    pub(super) observer: Option<Box<dyn Observer>>,
    /// What it is to be told of next.
    pub(super) pending_rows: PendingRows,
    /// What the lane that runs accesses is a barrier in memory.
    pub(super) at_mbarrier: Cell<bool>,
    /// `Some`: the lane that runs reads an older store, of which this is the message.
    pub(super) old_message: Cell<Option<Option<u32>>>,
}

impl BlockChecks {
    /// # Safety
    /// `run` outlives the result.
    pub(crate) unsafe fn new(run: &RunChecks) -> Self {
        let n_threads = run.shape.n_threads;
        let alone = run.shape.set_blocks == 1;
        let epochs = Epochs::new(n_threads.div_ceil(LANES), run.settled, alone);
        Self {
            clocks: Clocks::new(n_threads, run.t0, epochs),
            running: Cell::new(ptr::null()),
            run,
            t0: run.t0,
            cache: [const { Cell::new(&raw const NOWHERE) }; CACHED],
            observed: [const { Cell::new(&raw const NOWHERE) }; CACHED],
            caches_shared: Cell::new(false),
            windows: [const { Window::closed() }; CACHED],
            cursors: [const { [const { Cursor::new() }; CACHED] }; 2],
            shared: Table::new(ARENA_BYTES),
            arrays: RefCell::default(),
            hints: Hints::new(n_threads),
            pending_acquires: PendingAcquires::new(n_threads),
            scattered: [const { Cell::new(0) }; CACHED],
            uninitialised: Uninitialised::default(),
            remote: RemoteAccesses::default(),
            calls: RefCell::new(vec![Vec::new(); n_threads as usize]),
            any_calls: Cell::new(false),
            flights: RefCell::default(),
            bulk: BulkCopies::default(),
            observer: run.observe.as_ref().map(|Observe(make)| make()),
            pending_rows: PendingRows::default(),
            at_mbarrier: Cell::new(false),
            old_message: Cell::new(None),
        }
    }

    #[inline(always)]
    pub(super) fn run(&self) -> &RunChecks {
        // SAFETY: it outlives this, as `new` was promised.
        unsafe { &*self.run }
    }

    /// The array of the cluster's shared memory that an address lies in.
    pub(super) fn find_shared(
        &self,
        running: &Running<'static>,
        address: usize,
    ) -> Option<*const Space> {
        let at = ptr::without_provenance(address);
        let own = running.arena.borrow().offset_of(at);
        if let Some(offset) = own {
            return self.array(running, offset);
        }
        if running.shape.set_blocks == 1 {
            return None;
        }
        let (rank, offset) = running.locate_shared(at)?;
        let other = running.cluster_member(rank)?;
        BlockChecks::of(&other)?.array(&other, offset)
    }

    /// The array of the block's own shared memory that lies at `offset` of its arena.
    fn array(&self, running: &Running<'static>, offset: usize) -> Option<*const Space> {
        let mut arena = running.arena.borrow_mut();
        let array = arena.array_at(offset)?;
        let base = arena.at(array.start).addr();
        let mut arrays = self.arrays.borrow_mut();
        if let Some(known) = arrays.iter().find(|known| known.base == base) {
            return Some(&raw const **known);
        }
        let space = Space {
            base,
            bytes: array.bytes,
            granule: if base.is_multiple_of(4) { 2 } else { 0 },
            first: array.start,
            locked: false,
            what: SpaceKind::Shared {
                array: array.start as u32,
                block: self.clocks.base.get() >> self.clocks.shift,
            },
            start: self.clocks.start.get(),
            ..Space::EMPTY
        };
        arrays.push(Box::new(space.with_table(&raw const self.shared)));
        arrays.last().map(|new| &raw const **new)
    }

    /// The global memory that an address lies in.
    pub(super) fn find_global(&self, address: usize) -> Option<*const Space> {
        let run = self.run();
        let (number, found) = run.snapshot.find_numbered(address)?;
        let make = || {
            let what = match found {
                one if !one.is_checked() => SpaceKind::Ignored,
                one if one.is_read_only() => SpaceKind::ReadOnly(found),
                one if run.snapshot.only_reads(one) && !one.tracks_init() => {
                    SpaceKind::ReadOnly(found)
                }
                one if one.tracks_init() || one.kind == Kind::Heap => SpaceKind::Watched(found),
                _ => SpaceKind::Global(found),
            };
            let (base, bytes) = match run.snapshot.part_of(found) {
                Some(part) => (part.start, part.end - part.start),
                None => (found.start, found.bytes),
            };
            let granules = bytes.div_ceil(1 << found.granule_shift);
            let space = Space {
                base,
                bytes,
                granule: found.granule_shift,
                locked: run.parallel,
                what,
                ..Space::EMPTY
            };
            (Table::new(granules), space)
        };
        Some(run.space(number, make))
    }

    /// A hint by which an access of the past would be ordered before what lane `me` does, had the atomics ordered anything.
    pub(super) fn hint_about(&self, me: u32, slot: Slot) -> Option<Hint> {
        let (counters, clocks) = (&self.run().counters, &self.clocks);
        let knows = |who, t| clocks.is_ordered_by_barriers(me, who, t);
        self.hints.about(knows, (counters, clocks.shift), slot)
    }

    /// Whether all lanes of the block that exited have returned. If one panicked, or a finding ended it, that is what is to be reported:
    /// what the others make of its writes is a consequence.
    pub(super) fn only_returned(&self) -> bool {
        // SAFETY: null, or that of the block that runs.
        let running = unsafe { self.running.get().as_ref() };
        running.is_none_or(|running| !running.any_ended.get() && running.n_panicked.get() == 0)
    }

    /// Whether all lanes of the block have exited.
    fn is_over(&self) -> bool {
        // SAFETY: null, or that of the block, which is there as long as its checks.
        let running = unsafe { self.running.get().as_ref() };
        running.is_some_and(|running| running.core().n_live() == 0)
    }

    /// What is kept to check the block of `running`.
    pub(super) fn of<'a>(running: &'a Running<'_>) -> Option<&'a Self> {
        let checks: &dyn Any = running.checks.as_deref()?;
        checks.downcast_ref()
    }
}

impl RunChecker for RunChecks {
    unsafe fn block_checker(&self) -> Rc<dyn BlockChecker> {
        // SAFETY: the caller's promise.
        Rc::new(unsafe { BlockChecks::new(self) })
    }

    fn name_of(&self, address: usize) -> Option<String> {
        let found = self.snapshot.find(address)?;
        Some(super::memory::element(&self.snapshot, found, address))
    }

    fn blocks_met(&self, blocks: &[Rc<dyn BlockChecker>], grid: bool) {
        let checks = || {
            let blocks = blocks.iter().map(|block| -> &dyn Any { &**block });
            blocks.filter_map(<dyn Any>::downcast_ref)
        };
        blocks_met(checks, grid);
    }

    fn blocks_over(&self, blocks: &[Rc<dyn BlockChecker>]) {
        let blocks = blocks.iter().map(|block| -> &dyn Any { &**block });
        remote::finish(blocks.filter_map(<dyn Any>::downcast_ref));
    }
}

impl BlockChecker for BlockChecks {
    fn restart(&self, block: [u32; 3], start: u32) {
        uninitialised::finish(self);
        bulk::finish(self);
        self.restart_weakly();
        let run = self.run();
        let number = run.shape.number_of(block);
        self.clocks
            .restart(number, run.shape.cluster_blocks() as u32, start);
        let alone = run.shape.set_blocks == 1;
        // A window opens only where its site has looked up memory.
        if self.caches_shared.take() {
            for (cached, window) in self.cache.iter().zip(&self.windows) {
                // SAFETY: the block's own shared memory ends below, global memory with the run. That of other blocks may have ended already.
                if !alone || unsafe { &*cached.get() }.is_shared() {
                    cached.set(&raw const NOWHERE);
                }
                window.close_if_shared();
            }
            if self.observer.is_some() {
                let nowhere = |cached: &Cell<_>| cached.set(&raw const NOWHERE);
                self.observed.iter().for_each(nowhere);
            }
        }
        self.arrays.borrow_mut().clear();
        self.hints.clear();
        self.pending_acquires.clear();
        self.flights.borrow_mut().clear();
        self.bulk.clear();
        self.remote.clear();
        if let Some(observer) = &self.observer {
            observer.begins(block);
        }
        if self.any_calls.take() {
            self.calls.borrow_mut().iter_mut().for_each(Vec::clear);
        }
    }

    fn high(&self) -> u32 {
        self.clocks.high()
    }

    fn runs_here(&self, running: *const ()) {
        self.running.set(running.cast());
        tls::set::<CHECKER>(ptr::from_ref(self).cast());
    }

    fn block_met(&self, site: Site, answers: bool, live: &[u32]) {
        if let Some(observer) = &self.observer {
            observer.block_met(site, answers);
        }
        self.weak_meet(0, live);
        if self.only_returned() && self.clocks.live_met(live, site) {
            return;
        }
        self.keep_what_was_read();
        let next = self.clocks.high() + 1;
        self.clocks.raise(&self.run().graph, next, Some(site));
    }

    fn warp_met(&self, warp: u32, op: WarpOp, lanes: u32, whole: bool) {
        if let Some(observer) = &self.observer {
            observer.warp_met(warp, lanes);
        }
        if !op.orders_memory() {
            return;
        }
        self.weak_meet(warp, &[lanes]);
        let is_whole =
            whole && !(self.only_returned() && self.clocks.has_returned_after_write(warp, lanes));
        self.clocks.warp_met(warp, lanes, is_whole);
    }

    fn arrives_at_part(&self, thread: u32, id: u32, count: u32) {
        self.clocks.arrives_at_part(thread, id, count);
        self.weakly_arrives_at_part(thread, id, count);
    }

    fn part_met(&self, site: Site, (id, count): (u32, u32), waiting: &[u32]) {
        if let Some(observer) = &self.observer {
            observer.part_met(site, waiting);
        }
        self.weak_part_met((id, count), waiting);
        let waiting = (0..).zip(waiting);
        let released =
            waiting.flat_map(|(warp, mask)| lanes(*mask).map(move |lane| warp * LANES + lane));
        self.clocks.part_met(id, count, released);
    }

    fn latest_call(&self, thread: u32) -> u32 {
        let calls = self.calls.borrow();
        let of_lane = calls.get(thread as usize).and_then(|calls| calls.last());
        of_lane.copied().unwrap_or(0)
    }

    fn users_site(&self, thread: u32, at: SiteId) -> SiteId {
        let calls = self.calls.borrow();
        calls
            .get(thread as usize)
            .map_or(at, |calls| users_place(at, calls).0)
    }

    fn access_made(&self) -> MadeWeakly {
        self.takes_made()
    }

    fn copy_ends(&self, to: *mut u8, bytes: usize) {
        copies::ends(to, bytes);
    }
}

/// The block that runs on this OS thread and is checked, with what is kept for that. For as long as the lane that asks runs.
#[inline(always)]
pub(super) fn current<'a>() -> Option<(&'a Running<'static>, &'a BlockChecks)> {
    let checks = tls::get::<CHECKER>().cast::<BlockChecks>();
    // SAFETY: null, or set by `runs_here` and reset before the block can end, which owns the checks.
    let checks = unsafe { checks.as_ref() }?;
    let running = checks.running.get();
    // SAFETY: `runs_here` set it, first.
    unsafe { std::hint::assert_unchecked(!running.is_null()) };
    // SAFETY: the block runs.
    Some((unsafe { &*running }, checks))
}

/// Tells the observer that a lane exits, when it is dropped on the lane.
pub(crate) struct Exit;

impl Drop for Exit {
    fn drop(&mut self) {
        if let Some((running, checks)) = current()
            && let Some(observer) = &checks.observer
        {
            observer.exits(running.thread.get());
        }
    }
}

impl BlockChecks {
    pub(super) fn target(&self, space: Option<&Space>) -> Target {
        let own = self.clocks.base.get() >> self.clocks.shift;
        match space.map(|space| space.what) {
            Some(SpaceKind::Shared { block, .. }) if block == own => Target::OwnShared,
            Some(SpaceKind::Shared { .. }) => Target::OtherShared,
            Some(SpaceKind::Global(_) | SpaceKind::Watched(_)) => Target::Global,
            // SAFETY: the run's snapshot keeps it.
            Some(SpaceKind::ReadOnly(one)) if !unsafe { &*one }.is_read_only() => Target::Global,
            _ => Target::Other,
        }
    }
}

/// The lane that runs calls a function from `site`.
pub(super) fn enter(site: u32) {
    if let Some((running, checks)) = current() {
        checks.any_calls.set(true);
        checks.calls.borrow_mut()[running.thread.get() as usize].push(site);
    }
}

/// The lane that runs calls an intrinsic next, from `site`.
#[inline(always)]
pub(super) fn at(site: u32) {
    match current() {
        Some((running, checks)) if checks.observer.is_none() => running.site.set(site),
        _ => at_watched(site),
    }
}

/// The same, if performance is checked or nothing is checked.
#[inline(never)]
extern "C-unwind" fn at_watched(site: u32) {
    fiber::with_running(|running| {
        running.site.set(site);
        if let Some(checks) = BlockChecks::of(running)
            && let Some(observer) = &checks.observer
        {
            observer.executes(running.thread.get(), site);
        }
    });
}

/// The lane that runs returns from it.
pub(super) fn leave() {
    if let Some((running, checks)) = current() {
        checks.calls.borrow_mut()[running.thread.get() as usize].pop();
    }
}

/// All lanes of these blocks have met: those of a cluster, or of the grid.
fn blocks_met<'a, I: Iterator<Item = &'a BlockChecks>>(blocks: impl Fn() -> I, grid: bool) {
    weak_blocks_met(blocks());
    let next = blocks().map(BlockChecks::high).max().unwrap_or(0) + 1;
    for checks in blocks().filter(|checks| !checks.is_over()) {
        checks.remote.clear();
        let clocks = &checks.clocks;
        clocks.raise(&checks.run().graph, next, None);
        clocks.cluster_bound.set(next);
        if let Some(observer) = &checks.observer {
            observer.blocks_met();
        }
        if grid {
            clocks.grid_bound.set(next);
        }
    }
    share(blocks);
}

/// What one of the blocks knows by acquiring, all know.
fn share<'a, I: Iterator<Item = &'a BlockChecks>>(blocks: impl Fn() -> I) {
    if !blocks().any(|checks| checks.clocks.any_known.get()) {
        return;
    }
    let mut roots: Vec<_> = Vec::new();
    for checks in blocks() {
        roots.extend(checks.clocks.common.borrow().roots());
    }
    for checks in blocks().filter(|_| !roots.is_empty()) {
        checks.clocks.common.borrow_mut().add(&roots);
        checks.clocks.any_known.set(true);
    }
}

impl Drop for BlockChecks {
    fn drop(&mut self) {
        uninitialised::finish(self);
        bulk::finish(self);
        let high = self.clocks.high() + 1;
        // SAFETY: it outlives this, as `new` was promised.
        let run = unsafe { &*self.run };
        run.high.fetch_max(high, Ordering::Relaxed);
        // Other blocks of a set have left times of theirs.
        let high = if run.shape.set_blocks == 1 {
            high
        } else {
            u32::MAX
        };
        self.shared.retire(high, &run.splits);
    }
}
