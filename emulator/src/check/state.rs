//! What a checked run keeps: for the whole run, and for each block that is there.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Who;
use super::clock::Clocks;
use super::collect::Sink;
use super::lints::{Profile, Watcher, Watchers};
use super::looked::Looked;
use super::memory::{Kind, Snapshot};
use super::order::Graph;
use super::race::{Counters, Hints};
use super::shadow::{Splits, Table};
use super::space::{CACHED, NOWHERE, Space, What};
use super::stretch::{self, Stretches};
use super::unread::{self, Unread, UnreadGlobal};
use super::window::Window;
use crate::fiber::{self, Running};
use crate::place::Place;
use crate::shape::CheckedShape;
use crate::shared::ARENA_BYTES;
use crate::sync::{Mutex, lock};
use crate::warp::LANES;

/// A time above all times of all runs that have ended.
static NOW: AtomicU32 = AtomicU32::new(1);

/// What the blocks of one run share.
#[derive(Debug)]
pub(crate) struct RunChecks {
    pub(super) shape: CheckedShape,
    pub(super) snapshot: Snapshot,
    /// That of the launch.
    pub(super) sink: Arc<Sink>,
    pub(super) graph: Graph,
    pub(super) splits: Splits,
    pub(super) counters: Counters,
    /// Reads of global memory without a value.
    pub(super) unread: UnreadGlobal,
    /// All times of this run are at or above it.
    pub(super) t0: u32,
    /// The first stretch for blocks of this run.
    settled: u32,
    /// Blocks run on several OS threads.
    pub(super) parallel: bool,
    high: AtomicU32,
    /// Global memory that was accessed: by its number in the snapshot.
    spaces: Mutex<HashMap<usize, Box<(Table, Space)>>>,
    /// Whether performance is looked at, and what was seen.
    lints: Option<Watchers>,
}

impl RunChecks {
    /// What reports call the element of global memory at an address.
    pub(crate) fn name_of(&self, address: usize) -> Option<String> {
        let found = self.snapshot.find(address)?;
        Some(super::memory::element(&self.snapshot, found, address))
    }

    /// `lints`: whether performance is looked at as well.
    pub(crate) fn new(shape: CheckedShape, n_workers: usize, sink: Arc<Sink>, lints: bool) -> Self {
        let t0 = NOW.load(Ordering::Relaxed);
        Self {
            shape,
            snapshot: Snapshot::take(),
            sink,
            graph: Graph::default(),
            splits: Splits::default(),
            counters: Counters::default(),
            unread: UnreadGlobal::default(),
            t0,
            settled: stretch::first_settled(),
            parallel: n_workers > 1,
            high: AtomicU32::new(t0),
            spaces: Mutex::default(),
            lints: lints.then(Watchers::default),
        }
    }

    /// All blocks are over: tells what could not be told before.
    pub(crate) fn finish(&self) {
        unread::finish_run(self);
    }

    /// What was seen of performance, if that was asked for. After the last block.
    pub(crate) fn profile(&self) -> Option<Profile> {
        self.lints.as_ref()?.finish()
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
    /// Where they read last what told nothing new.
    pub(super) windows: [Window; CACHED],
    /// The block's shared memory.
    pub(super) shared: Table,
    #[expect(clippy::vec_box, reason = "the cache points to them")]
    pub(super) arrays: RefCell<Vec<Box<Space>>>,
    pub(super) hints: Hints,
    pub(super) looked: Looked,
    /// Sites of atomics that change many addresses.
    pub(super) scattered: [Cell<u32>; CACHED],
    /// Reads of shared memory without a value.
    pub(super) unread: Unread,
    /// The calls that each lane is in.
    pub(super) calls: RefCell<Vec<Vec<u32>>>,
    /// Copies under way.
    pub(super) flights: RefCell<Vec<super::copies::Flight>>,
    /// If performance is looked at.
    pub(super) watcher: Option<Watcher>,
}

impl BlockChecks {
    /// # Safety
    /// `run` outlives the result.
    pub(crate) unsafe fn new(run: &RunChecks) -> Self {
        let n_threads = run.shape.n_threads;
        let alone = run.shape.set_blocks == 1;
        let stretches = Stretches::new(n_threads.div_ceil(LANES), run.settled, alone);
        Self {
            clocks: Clocks::new(n_threads, run.t0, stretches),
            running: Cell::new(ptr::null()),
            run,
            t0: run.t0,
            cache: [const { Cell::new(&raw const NOWHERE) }; CACHED],
            windows: [const { Window::closed() }; CACHED],
            shared: Table::new(ARENA_BYTES),
            arrays: RefCell::default(),
            hints: Hints::new(n_threads),
            looked: Looked::new(n_threads),
            scattered: [const { Cell::new(0) }; CACHED],
            unread: Unread::default(),
            calls: RefCell::new(vec![Vec::new(); n_threads as usize]),
            flights: RefCell::default(),
            watcher: run.lints.as_ref().map(|_| Watcher::new(&run.shape)),
        }
    }

    #[inline(always)]
    pub(super) fn run(&self) -> &RunChecks {
        // SAFETY: it outlives this, as `new` was promised.
        unsafe { &*self.run }
    }

    /// A new block begins: that at this place of the grid. All times of the set are below `start`.
    pub(crate) fn restart(&self, block: [u32; 3], start: u32) {
        unread::finish(self);
        let run = self.run();
        let number = run.shape.number_of(block);
        self.clocks
            .restart(number, run.shape.cluster_blocks() as u32, start);
        self.cache
            .iter()
            .for_each(|one| one.set(&raw const NOWHERE));
        self.windows.iter().for_each(Window::close);
        self.arrays.borrow_mut().clear();
        self.hints.clear();
        self.looked.clear();
        self.flights.borrow_mut().clear();
        if let Some(watcher) = &self.watcher {
            watcher.begins(block);
        }
        self.calls.borrow_mut().iter_mut().for_each(Vec::clear);
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
        other.checks.as_ref()?.array(&other, offset)
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
            what: What::Shared {
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
                one if !one.is_checked() => What::Ignored,
                one if one.is_read_only() => What::ReadOnly(found),
                one if one.tracks_init() || one.kind == Kind::Heap => What::Watched(found),
                _ => What::Global(found),
            };
            let granules = found.bytes.div_ceil(1 << found.granule_shift);
            let space = Space {
                base: found.start,
                bytes: found.bytes,
                granule: found.granule_shift,
                locked: run.parallel,
                what,
                ..Space::EMPTY
            };
            (Table::new(granules), space)
        };
        Some(run.space(number, make))
    }

    /// All lanes of the block that have not exited have met at `place`.
    /// `answers`: and learn something by it.
    pub(crate) fn block_met(&self, place: Place, answers: bool) {
        if let Some(watcher) = &self.watcher {
            watcher.block_met(place, answers);
        }
        self.clocks
            .raise(&self.run().graph, self.high() + 1, Some(place));
    }

    /// Lanes of a warp have met: all of it that have not exited, if `whole`.
    pub(crate) fn warp_met(&self, warp: u32, lanes: u32, whole: bool) {
        if let Some(watcher) = &self.watcher {
            watcher.warp_met(warp, lanes);
        }
        self.clocks.warp_met(warp, lanes, whole);
    }

    /// Threads have met at `place` that wait for so many: by warp, the lanes that waited.
    pub(crate) fn part_met(&self, place: Place, waiting: &[u32]) {
        if let Some(watcher) = &self.watcher {
            watcher.part_met(place, waiting);
        }
    }

    pub(crate) fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// The highest time of its lanes.
    pub(crate) fn high(&self) -> u32 {
        self.clocks.high()
    }
}

/// The lane that runs calls a function from `site`.
pub(super) fn enter(site: u32) {
    if let Some((running, checks)) = fiber::checked() {
        checks.calls.borrow_mut()[running.thread.get() as usize].push(site);
    }
}

/// The lane that runs calls an intrinsic next, from `site`.
#[inline(always)]
pub(super) fn at(site: u32) {
    match fiber::checked() {
        Some((running, checks)) if checks.watcher.is_none() => running.site.set(site),
        _ => at_watched(site),
    }
}

/// The same, if performance is looked at or nothing is checked.
#[inline(never)]
extern "C-unwind" fn at_watched(site: u32) {
    fiber::with_running(|running| {
        running.site.set(site);
        if let Some(checks) = &running.checks
            && let Some(watcher) = &checks.watcher
        {
            watcher.executes(running.thread.get(), site);
        }
    });
}

/// The lane that runs returns from it.
pub(super) fn leave() {
    if let Some((running, checks)) = fiber::checked() {
        checks.calls.borrow_mut()[running.thread.get() as usize].pop();
    }
}

/// All lanes of these blocks have met: those of a cluster, or of the grid.
pub(crate) fn blocks_met<'a, I: Iterator<Item = &'a BlockChecks>>(
    blocks: impl Fn() -> I,
    grid: bool,
) {
    let next = blocks().map(BlockChecks::high).max().unwrap_or(0) + 1;
    for checks in blocks() {
        let clocks = &checks.clocks;
        clocks.raise(&checks.run().graph, next, None);
        clocks.cluster_floor.set(next);
        if let Some(watcher) = &checks.watcher {
            watcher.blocks_met();
        }
        if grid {
            clocks.grid_floor.set(next);
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
        unread::finish(self);
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
        if let (Some(all), Some(watcher)) = (&run.lints, self.watcher.take()) {
            all.join(watcher);
        }
    }
}
