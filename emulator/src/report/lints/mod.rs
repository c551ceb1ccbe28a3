//! What a run shows of a kernel's performance: how well its lanes share memory and work.
//!
//! [`Lints`] watches one worker and is told of each access, synchronisation and exit. It takes no locks; the workers' counts are merged
//! at the end ([`Lints::merge`]), and [`Lints::finish`] makes a [`Profile`] of them, per line of the source. `findings.rs` says what of it
//! is worth a report. Formulas and thresholds stand in `docs/lints.md`. Must not know: how instrumented code is made, HTML.

mod barriers; // which barriers order nothing
mod contention; // threads per atomic
mod costs; // what accesses cost in all
pub(crate) mod findings; // what is worth a report
mod profile; // the counts, per line
mod recorder; // places that count quickly
mod request; // sectors and passes of one access of a warp
mod stride; // how neighbouring lanes' addresses follow each other
mod tally; // the counts, per place
mod vector; // fields that are one access
mod warp; // puts the lanes of a warp together
mod watch; // what the checks tell

#[cfg(all(test, not(loom)))]
mod tests;

pub(crate) use findings::{grouped, number};
pub use profile::Profile;
pub(crate) use profile::{Column, LineProfile, place_of};
pub(crate) use request::{BANKS, Request, SECTOR_BYTES, bank};
pub(crate) use stride::{padded, padding};
pub(crate) use tally::Example;
pub(crate) use watch::Watchers;

use barriers::{Counts, Intervals, Map};
use contention::{Contention, Top};
use recorder::Recorders;
use tally::Tally;
use vector::Vectors;
use warp::Warp;

use crate::engine::warp::LANES;
use crate::site::SiteId;

/// The memory that a lint covers. Accesses to other memory (constants, parameters, a lane's own) are executions only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Space {
    /// Global memory.
    Global,
    /// The shared memory of the thread's own block.
    Shared,
    /// Arrays behind textures: addresses are those of [`tiled`](crate::texture::Image::tiled).
    Texture,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum AccessClass {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Changes an atomic: others may learn of earlier accesses through it.
    Atomic,
    /// Looks at an atomic, or is volatile.
    Volatile,
}

/// How threads wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncKind {
    /// A barrier of the whole block.
    Block,
    /// One that also gives its threads a result.
    BlockResult,
    /// A barrier of a part of the block, or one in memory: told once for each warp.
    Part,
    /// `warp_sync`, a shuffle, a vote: anything that lanes of one warp do together.
    Warp,
    /// The barrier of the cluster or of the grid: told once for each block.
    Wide,
}

/// One access of one lane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    /// From where.
    pub(crate) site: SiteId,
    /// The block's number in the grid; x runs fastest.
    pub(crate) block: u64,
    /// The thread's number in the block.
    pub(crate) thread: u32,
    /// The first byte; in shared memory the processor's address as well.
    pub(crate) address: u64,
    /// How many.
    pub(crate) bytes: u32,
    /// To how many bytes the code promises that `address` is aligned.
    pub(crate) align: u32,
    /// What it does.
    pub(crate) kind: AccessClass,
    /// To which memory; `None`: to memory of no interest here.
    pub(crate) space: Option<Space>,
}

/// Watches what one worker runs.
#[derive(Debug)]
pub(crate) struct Lints {
    grid: [u32; 3],
    block: [u32; 3],
    n_threads: u32,
    /// By the number of a place: two per place and kind of memory.
    slots: Vec<u32>,
    tallies: Vec<Tally>,
    blocks: Vec<Watched>,
    /// Watchers of blocks that are over.
    spare: Vec<Watched>,
    barriers: Map<u32, Counts>,
    global: Map<u32, Contention>,
    shared: Map<u32, Top>,
    /// Threads that did nothing, warps of which that is true of all threads, threads.
    idle: [u64; 3],
    first: Vec<Interval>,
    vectors: Vectors,
    recorders: Recorders,
}

/// A block that runs.
#[derive(Debug)]
struct Watched {
    number: u64,
    warps: Vec<Warp>,
    n_over: usize,
    intervals: Intervals,
    shared: Map<u32, Contention>,
    /// Accesses since the latest barrier, by warp; for the first block only.
    accesses: Vec<u64>,
}

/// What the first block did up to a barrier, or to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interval {
    /// Accesses of single lanes, by warp.
    pub(crate) accesses: Vec<u64>,
    /// The barrier that ends it.
    pub(crate) until: Option<SiteId>,
}

/// So many intervals of the first block are kept.
const MOST_INTERVALS: usize = 256;

impl Lints {
    /// For a run of a grid of `grid` blocks of `block` threads.
    pub(crate) fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self {
            grid,
            block,
            n_threads: block.iter().product(),
            slots: Vec::new(),
            tallies: Vec::new(),
            blocks: Vec::new(),
            spare: Vec::new(),
            barriers: Map::default(),
            global: Map::default(),
            shared: Map::default(),
            idle: [0; 3],
            first: Vec::new(),
            vectors: Vectors::default(),
            recorders: Recorders::default(),
        }
    }

    /// A lane is about to access memory.
    #[inline]
    pub(crate) fn access(&mut self, access: Access) {
        let at = self.watched(access.block);
        let (warp, lane) = (access.thread / LANES, access.thread % LANES);
        let Some(space) = access.space else {
            let slot = self.slot(access.site, access.space, access.kind);
            if let Some(of) = self.blocks[at].warps.get_mut(warp as usize) {
                of.execute(slot, lane, None);
            }
            return;
        };
        if warp as usize >= self.blocks[at].warps.len() {
            return;
        }
        if !self.widens(&access, at) {
            let slot = self.slot(access.site, access.space, access.kind);
            let of = &mut self.blocks[at].warps[warp as usize];
            let counted = of.execute(slot, lane, Some((access.address, access.bytes)));
            self.vectors.begin(&access, counted);
            let spot = of.latest_spot(counted);
            let watched = &self.blocks[at];
            // What else an access counts for is over.
            if watched.intervals.is_closed() && watched.accesses.is_empty() {
                self.recorders.keep(&access, at, spot);
            }
        }
        let watched = &mut self.blocks[at];
        let (at, bytes) = (access.address, access.bytes);
        // Nothing writes a texture during a launch.
        if space != Space::Texture {
            watched
                .intervals
                .access(access.thread, at, bytes, access.kind);
        }
        if let Some(accesses) = watched.accesses.get_mut(warp as usize) {
            *accesses += 1;
        }
        if access.kind == AccessClass::Atomic {
            let contention = match space {
                Space::Global => &mut self.global,
                Space::Shared => &mut watched.shared,
                Space::Texture => return, // none is atomic
            };
            let n_warps = u64::from(self.n_threads.div_ceil(LANES));
            let warp = access.block * n_warps + u64::from(warp);
            contention
                .entry(access.site.0)
                .or_default()
                .add(at, warp, lane);
        }
    }

    /// Whether an access is a part of a wider one that was counted; then that counts for both. `at`: where the watcher of its block is.
    fn widens(&mut self, access: &Access, at: usize) -> bool {
        let (warp, lane) = (access.thread / LANES, access.thread % LANES);
        self.vectors.extend(access).is_some_and(|(counted, bytes)| {
            self.blocks[at].warps[warp as usize].widen(counted, lane, bytes)
        })
    }

    /// A lane executes something at `site` that is no access to memory.
    #[inline]
    pub(crate) fn execute(&mut self, site: SiteId, block: u64, thread: u32) {
        self.access(Access {
            site,
            block,
            thread,
            address: 0,
            bytes: 0,
            align: 1,
            kind: AccessClass::Load,
            space: None,
        });
    }

    /// Threads of a block waited for each other, and go on. Of warp number `warp` the lanes of `mask`, where the kind is of a warp or a part
    /// of the block; else all threads of the block, and `warp` and `mask` mean nothing.
    pub(crate) fn sync(
        &mut self,
        kind: SyncKind,
        site: SiteId,
        block: u64,
        (warp, mask): (u32, u32),
    ) {
        self.recorders.forget();
        let at = self.watched(block);
        let watched = &mut self.blocks[at];
        match kind {
            SyncKind::Warp | SyncKind::Part => {
                let Some(of) = watched.warps.get_mut(warp as usize) else {
                    return;
                };
                of.join(mask);
                of.settle((block, warp), &mut self.tallies);
                if kind == SyncKind::Part {
                    watched.intervals.give_up();
                }
                return;
            }
            SyncKind::Block | SyncKind::BlockResult => {
                let answers = kind == SyncKind::BlockResult;
                let sum = &mut self.barriers;
                watched.intervals.barrier(site, answers, sum);
                let accesses = &mut watched.accesses;
                end_interval(&mut self.first, accesses, Some(site));
            }
            SyncKind::Wide => watched.intervals.end(&mut self.barriers),
        }
        let latest = watched.warps.iter().map(Warp::latest).max();
        for (warp, of) in (0..).zip(&mut watched.warps) {
            of.enter(u32::MAX, latest.unwrap_or(0) + 1);
            of.settle((block, warp), &mut self.tallies);
        }
    }

    /// A thread of this block did something that may order memory for others, beyond atomics: a fence, a barrier in memory.
    pub(crate) fn order(&mut self, block: u64) {
        let at = self.watched(block);
        self.blocks[at].intervals.order();
    }

    /// A thread of this block began an asynchronous copy, or reached into the shared memory of another block: from here on none of its
    /// barriers is taken for superfluous.
    pub(crate) fn distrust(&mut self, block: u64) {
        let at = self.watched(block);
        self.blocks[at].intervals.give_up();
    }

    /// A thread returned, or was unwound. Told once for each thread, those included that did nothing.
    pub(crate) fn exit(&mut self, block: u64, thread: u32) {
        let at = self.watched(block);
        let watched = &mut self.blocks[at];
        let warp = thread / LANES;
        let Some(of) = watched.warps.get_mut(warp as usize) else {
            return;
        };
        if of.exit(thread % LANES) {
            self.recorders.forget();
            of.settle((block, warp), &mut self.tallies);
            watched.n_over += 1;
            if watched.n_over == watched.warps.len() {
                let watched = self.blocks.swap_remove(at);
                self.end(watched);
            }
        }
    }

    /// Adds what another worker saw, whose blocks are others.
    pub(crate) fn merge(&mut self, mut other: Self) {
        for watched in std::mem::take(&mut other.blocks) {
            other.end(watched);
        }
        for theirs in other.tallies {
            let slot = self.slot(theirs.site, theirs.space, theirs.kind);
            self.tallies[slot as usize].merge(theirs);
        }
        for (site, theirs) in other.barriers {
            let counts = self.barriers.entry(site).or_default();
            counts.passed += theirs.passed;
            counts.needed += theirs.needed;
        }
        for (site, theirs) in other.global {
            self.global.entry(site).or_default().merge(theirs);
        }
        for (site, theirs) in other.shared {
            self.shared.entry(site).or_default().merge(theirs);
        }
        for (own, theirs) in self.idle.iter_mut().zip(other.idle) {
            *own += theirs;
        }
        self.first.extend(other.first); // only one worker has the first block
    }

    /// All that was seen.
    pub(crate) fn finish(mut self) -> Profile {
        for watched in std::mem::take(&mut self.blocks) {
            self.end(watched);
        }
        Profile::new(self)
    }

    /// A block is over, or the run.
    fn end(&mut self, mut watched: Watched) {
        self.recorders.forget();
        for (warp, of) in (0..).zip(&mut watched.warps) {
            for lane in 0..LANES {
                of.exit(lane);
            }
            of.settle((watched.number, warp), &mut self.tallies);
            let (existing, worked) = of.workers();
            self.idle[0] += u64::from((existing & !worked).count_ones());
            self.idle[1] += u64::from(worked == 0);
            self.idle[2] += u64::from(existing.count_ones());
        }
        watched.intervals.end(&mut self.barriers);
        for (site, mut seen) in std::mem::take(&mut watched.shared) {
            self.shared.entry(site).or_default().merge(seen.drain());
        }
        end_interval(&mut self.first, &mut watched.accesses, None);
        self.spare.push(watched);
    }

    fn slot(&mut self, site: SiteId, space: Option<Space>, kind: AccessClass) -> u32 {
        let which = match space {
            None => 0,
            Some(Space::Global) => 1,
            Some(Space::Shared) => 2,
            Some(Space::Texture) => 3,
        };
        let at = site.0 as usize * 4 + which;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, u32::MAX);
        }
        if self.slots[at] == u32::MAX {
            self.slots[at] = self.tallies.len() as u32;
            self.tallies.push(Tally::new(site, space, kind));
        }
        self.slots[at]
    }

    /// Where the watcher of this block is.
    #[inline]
    fn watched(&mut self, block: u64) -> usize {
        let known = self
            .blocks
            .iter()
            .position(|watched| watched.number == block);
        known.unwrap_or_else(|| self.watch(block))
    }

    #[cold]
    fn watch(&mut self, block: u64) -> usize {
        let n_threads = self.n_threads;
        let n_warps = n_threads.div_ceil(LANES);
        let mut watched = self.spare.pop().unwrap_or_else(|| Watched {
            number: 0,
            warps: Vec::new(),
            n_over: 0,
            intervals: Intervals::default(),
            shared: Map::default(),
            accesses: Vec::new(),
        });
        watched.number = block;
        watched.n_over = 0;
        watched.warps.iter_mut().for_each(Warp::restart);
        let missing = watched.warps.len() as u32..n_warps;
        watched
            .warps
            .extend(missing.map(|warp| Warp::new(n_threads, warp)));
        // What all blocks so far needed is not analysed again.
        let all_needed = self.barriers.values().all(|seen| seen.needed > 0);
        let seen = self.idle[2] > 0;
        watched.intervals = Intervals::default();
        watched.intervals.off = seen && all_needed;
        watched.accesses.clear();
        if block == 0 {
            watched.accesses.resize(n_warps as usize, 0);
        }
        self.blocks.push(watched);
        self.blocks.len() - 1
    }
}

/// The first block comes through a barrier, or to its end. Other blocks have no `accesses`.
fn end_interval(first: &mut Vec<Interval>, accesses: &mut [u64], until: Option<SiteId>) {
    if !accesses.is_empty() && first.len() < MOST_INTERVALS {
        first.push(Interval {
            accesses: accesses.to_vec(),
            until,
        });
        accesses.fill(0);
    }
}
