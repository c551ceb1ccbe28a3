//! The counts of a run, per place and per line of the source.

use std::collections::{BTreeMap, BTreeSet};

use super::barriers::Counts;
use super::contention::Top;
use super::findings;
use super::request::{Passes, Sectors};
use super::tally::{Sparse, Tally};
use super::{AccessClass, Example, Interval, Lints, Space};
use crate::engine::warp::LANES;
use crate::finding::{Place, Report};
use crate::site::{Frame, SiteId, site};

/// What a run with `Options::lints` showed of a kernel's performance.
///
/// [`Profile::reports`] says what of it is worth a warning; `Page` shows all of it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Profile {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// By place, then kind of memory.
    pub(crate) spots: Vec<Spot>,
    /// By file, then line.
    pub(crate) lines: Vec<LineProfile>,
    pub(crate) barriers: Vec<Barrier>,
    pub(crate) atomics: Vec<Atomic>,
    pub(crate) idle: Idle,
    /// What the first block did, barrier by barrier.
    pub(crate) first: Vec<Interval>,
}

/// One access in the source.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) place: Place,
    pub(crate) tally: Tally,
}

/// One line of the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LineProfile {
    pub(crate) file: String,
    pub(crate) line: u32,
    /// Executions by single lanes of the place of the line that was executed most.
    pub(crate) executions: u64,
    /// Executions by warps, of all its places.
    pub(crate) requests: u64,
    /// Lanes that took part in them, and lanes that could have.
    pub(crate) lanes: Column,
    /// Sectors of global memory, per request.
    pub(crate) sectors: Column,
    /// As few sectors as could have served the same requests.
    pub(crate) ideal_sectors: u64,
    /// Passes over shared memory, and as few as could have served the same requests.
    pub(crate) passes: Column,
    /// The most passes of a request that could have been served in one.
    pub(crate) ways: u32,
    /// Bytes that single lanes asked for, in global and in shared memory.
    pub(crate) bytes: u64,
    /// Times that blocks came through a barrier of this line, and times that this was needed.
    pub(crate) barriers: Column,
}

/// A sum, and over how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Column {
    pub(crate) sum: u64,
    pub(crate) of: u64,
}

/// A barrier in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Barrier {
    pub(crate) place: Place,
    pub(crate) origin: BarrierOrigin,
    pub(crate) counts: Counts,
}

/// Whose barrier it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierOrigin {
    /// The kernel's own: `block.sync()`, `sync_threads()`, `groups::synchronize` or the intrinsic.
    Kernel,
    /// A tile changes its phase at it: `publish`, `reclaim`.
    Tile,
    /// A function of the device library has it inside: `block.reduce_sum`.
    Library,
}

impl BarrierOrigin {
    /// That of a barrier at this site, by the files of the device library that it was inlined from.
    fn of(id: SiteId) -> Self {
        let frames = site(id).map_or(&[][..], |known| &known.frames[..known.shown]);
        let is_in = |frame: &Frame, files: &[&str]| files.iter().any(|f| frame.file.contains(f));
        let changes_phase = |frame: &Frame| is_in(frame, &["src/shared/phases.rs"]);
        let is_plain =
            |frame: &Frame| is_in(frame, &["src/block.rs", "src/groups.rs", "src/intrinsics/"]);
        if frames.iter().any(changes_phase) {
            Self::Tile
        } else if frames.iter().all(is_plain) {
            Self::Kernel
        } else {
            Self::Library
        }
    }
}

/// An atomic operation in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Atomic {
    pub(crate) place: Place,
    pub(crate) space: Space,
    pub(crate) top: Top,
    /// Executions by warps, and lanes of them that met at one address, summed.
    pub(crate) together: Column,
}

/// Threads that did nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Idle {
    /// Threads.
    pub(crate) threads: u64,
    /// Threads that executed nothing that is profiled.
    pub(crate) idle: u64,
    /// Warps all of whose threads are among them.
    pub(crate) warps: u64,
    /// Lanes that a last warp lacks, over all blocks.
    pub(crate) missing: u64,
}

impl Profile {
    pub(crate) fn new(seen: Lints) -> Self {
        let mut spots: BTreeMap<_, Spot> = BTreeMap::new();
        let accessing = seen.tallies.iter().filter(|tally| tally.space.is_some());
        let accessing: BTreeSet<SiteId> = accessing.map(|tally| tally.site).collect();
        for tally in seen.tallies {
            // The call of an intrinsic that accesses memory is told twice.
            if tally.space.is_none() && accessing.contains(&tally.site) {
                continue;
            }
            let place = place_of(tally.site);
            let key = (order(&place), tally.space, tally.kind);
            match spots.get_mut(&key) {
                Some(known) => known.tally.merge(tally),
                None => drop(spots.insert(key, Spot { place, tally })),
            }
        }
        let spots: Vec<Spot> = spots.into_values().collect();
        let mut atomics: BTreeMap<_, Atomic> = BTreeMap::new();
        let global = seen.global.iter();
        let global = global.map(|(site, seen)| (*site, Space::Global, seen.top()));
        let shared = seen.shared.iter();
        let shared = shared.map(|(site, top)| (*site, Space::Shared, *top));
        for (site, space, top) in global.chain(shared) {
            let place = place_of(SiteId(site));
            let known = atomics.entry((order(&place), space)).or_insert(Atomic {
                place,
                space,
                top: Top::default(),
                together: Column::default(),
            });
            known.top.merge(top);
        }
        for atomic in atomics.values_mut() {
            let of = |spot: &&Spot| {
                spot.place == atomic.place
                    && spot.tally.space == Some(atomic.space)
                    && spot.tally.kind == AccessClass::Atomic
            };
            for spot in spots.iter().filter(of) {
                atomic.together.sum += spot.tally.together;
                atomic.together.of += spot.tally.requests;
            }
        }
        let mut barriers: BTreeMap<_, Barrier> = BTreeMap::new();
        for (site, counts) in seen.barriers {
            let place = place_of(SiteId(site));
            let known = barriers.entry(order(&place)).or_insert(Barrier {
                place,
                origin: BarrierOrigin::of(SiteId(site)),
                counts: Counts::default(),
            });
            known.counts.passed += counts.passed;
            known.counts.needed += counts.needed;
        }
        let barriers: Vec<Barrier> = barriers.into_values().collect();
        let n_blocks: u64 = seen.grid.iter().map(|n| u64::from(*n)).product();
        let last = seen.n_threads.next_multiple_of(LANES) - seen.n_threads;
        Self {
            grid: seen.grid,
            block: seen.block,
            lines: lines(&spots, &barriers),
            spots,
            barriers,
            atomics: atomics.into_values().collect(),
            idle: Idle {
                threads: seen.idle[2],
                idle: seen.idle[0],
                warps: seen.idle[1],
                missing: n_blocks * u64::from(last),
            },
            first: seen.first,
        }
    }

    /// What costs so much that it is worth a warning, the dearest first.
    #[must_use]
    pub fn reports(&self) -> Vec<Report> {
        let found = findings::all(self);
        found.into_iter().map(|finding| finding.report).collect()
    }

    /// Blocks of the run.
    pub(crate) fn n_blocks(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).product()
    }

    /// Warps of the run.
    pub(crate) fn n_warps(&self) -> u64 {
        let threads: u64 = self.block.iter().map(|n| u64::from(*n)).product();
        self.n_blocks() * threads.div_ceil(32)
    }

    /// How much there was to count: executions of single places by whole warps.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.spots.iter().map(|spot| spot.tally.requests).sum()
    }

    /// Lanes that took part in them, and lanes that could have.
    pub(crate) fn lanes(&self) -> (u64, u64) {
        let of = |count: fn(&Tally) -> u64| self.spots.iter().map(|spot| count(&spot.tally)).sum();
        (of(|tally| tally.executions), of(|tally| tally.present))
    }

    /// Requests to this memory.
    pub(crate) fn requests_to(&self, space: Space) -> u64 {
        let of = self
            .spots
            .iter()
            .filter(|spot| spot.tally.space == Some(space));
        of.map(|spot| spot.tally.requests).sum()
    }

    /// Sectors that all requests together touched.
    pub(crate) fn sectors(&self) -> Sectors {
        let of = self.spots.iter().map(|spot| spot.tally.sectors);
        of.fold(Sectors::default(), |sum, of| sum + of)
    }

    /// Passes that all requests together needed.
    pub(crate) fn passes(&self) -> Passes {
        let of = self.spots.iter().map(|spot| spot.tally.passes);
        of.fold(Passes::default(), |sum, of| sum + of)
    }

    /// Requests by how many lanes took part.
    pub(crate) fn active(&self) -> [u64; LANES as usize + 1] {
        let mut sum = [0; LANES as usize + 1];
        for spot in &self.spots {
            for (sum, n) in sum.iter_mut().zip(spot.tally.active) {
                *sum += n;
            }
        }
        sum
    }

    /// The request to this memory that costs most beyond what it has to, and where.
    pub(crate) fn worst(&self, space: Space) -> Option<(&Place, &Example)> {
        let of = self
            .spots
            .iter()
            .filter(|spot| spot.tally.space == Some(space));
        let examples = of.filter_map(|spot| Some((&spot.place, spot.tally.worst.as_ref()?)));
        examples
            .max_by_key(|(_, worst)| (worst.cost.0 - worst.cost.1, std::cmp::Reverse(worst.who)))
    }

    /// The place in the grid of block number `number`.
    pub(crate) fn block_at(&self, number: u64) -> [u32; 3] {
        let [x, y] = [u64::from(self.grid[0]), u64::from(self.grid[1])];
        [
            (number % x) as u32,
            (number / x % y) as u32,
            (number / x / y) as u32,
        ]
    }

    /// The place in its block of thread number `number`.
    pub(crate) fn thread_at(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [number % x, number / x % y, number / x / y]
    }
}

impl Column {
    /// The sum per unit.
    pub(crate) fn ratio(self) -> Option<f64> {
        (self.of > 0).then(|| self.sum as f64 / self.of as f64)
    }
}

impl Tally {
    /// Lanes that took part, of those that could have.
    pub(crate) fn lanes(&self) -> Column {
        Column {
            sum: self.executions,
            of: self.present,
        }
    }

    /// The sets of lanes that took part where some were left out: first those that leave out most in all.
    pub(crate) fn sets(&self) -> Vec<Sparse> {
        let mut sets = self.sparse.clone();
        sets.sort_by_key(|set| (std::cmp::Reverse(set.lost()), set.active));
        sets
    }
}

fn lines(spots: &[Spot], barriers: &[Barrier]) -> Vec<LineProfile> {
    let mut lines: BTreeMap<(String, u32), LineProfile> = BTreeMap::new();
    for spot in spots {
        let key = (spot.place.file.clone(), spot.place.line);
        let line = lines.entry(key).or_default();
        let tally = &spot.tally;
        line.executions = line.executions.max(tally.executions);
        line.requests += tally.requests;
        line.lanes.sum += tally.executions;
        line.lanes.of += tally.present;
        match tally.space {
            Some(Space::Global | Space::Texture) => {
                line.sectors.sum += tally.sectors.touched;
                line.sectors.of += tally.requests;
                line.ideal_sectors += tally.sectors.ideal;
            }
            Some(Space::Shared) => {
                line.passes.sum += tally.passes.made;
                line.passes.of += tally.passes.ideal;
                line.ways = line.ways.max(tally.passes.ways);
            }
            None => {}
        }
        line.bytes += tally.bytes;
    }
    for barrier in barriers {
        let key = (barrier.place.file.clone(), barrier.place.line);
        let line = lines.entry(key).or_default();
        line.barriers.sum += barrier.counts.needed;
        line.barriers.of += barrier.counts.passed;
    }
    let named = lines.into_iter().map(|((file, number), line)| LineProfile {
        file,
        line: number,
        ..line
    });
    named.collect()
}

fn order(place: &Place) -> (String, u32, u32) {
    (place.file.clone(), place.line, place.column)
}

/// The place that a site shows; an empty one if nothing is known of it.
pub(crate) fn place_of(id: SiteId) -> Place {
    let frame = site(id).map(|known| known.frame().clone());
    Place {
        file: frame
            .as_ref()
            .map_or_else(String::new, |frame| frame.file.clone()),
        line: frame.as_ref().map_or(0, |frame| frame.line),
        column: frame.as_ref().map_or(0, |frame| frame.column),
    }
}
