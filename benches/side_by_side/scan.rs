//! Sums of all numbers up to each, and before each.
//!
//! Sums of tiles first, of those the sums again, then the scans back from the few to the many: five launches, each number is read twice and
//! written once. A block has tiles of 512 fours, four where it adds up and two where it scans: each thread has so many loads of sixteen bytes under way
//! before the one barrier. With one tile per block it was 0.80 of a copy's speed on an H200.

use warploom::device_std::vector::UInt4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{mixed, mixed_in_fours};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{Run, SCANS};

/// Threads of a block, and fours of a tile.
const THREADS: usize = 512;
/// Tiles of a block that adds up.
const TILES: usize = 4;
/// Tiles of a block that scans: of more, the fours would take the registers of other blocks.
const SCANNED: usize = 2;

/// The sums of the four tiles that lie where the block has its place.
#[kernel(block(512))]
fn sums_of_tiles(
    block: Block,
    warp: Warp,
    x: &[UInt4],
    tile: SharedTile<UInt4, 512>,
    mut sums: DisjointSlice<UInt4, PerBlock>,
) {
    let first = block.index() * (TILES * THREADS) + block.thread();
    let own = [0, 1, 2, 3].map(|k| x.get(first + k * THREADS).copied().map_or(0, total));
    let all = of_block(&block, &warp, tile, own);
    if let Some(sums) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *sums = all.into();
    }
}

/// The sum up to each number, with it; `before` has that before each tile. The tiles of a block are as far apart as the launch has threads.
#[kernel(block(512))]
fn scan_inclusive(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[UInt4],
    before: &[UInt4],
    tile: SharedTile<[u32; SCANNED], 512>,
    y: DisjointSlice<UInt4, GridStride>,
) {
    scan(i, (&block, &warp, tile), x, before, y, |before, four| {
        let first = before.wrapping_add(four.x);
        let second = first.wrapping_add(four.y);
        let third = second.wrapping_add(four.z);
        UInt4::new(first, second, third, third.wrapping_add(four.w))
    });
}

/// The sum of all before each number, without it.
#[kernel(block(512))]
fn scan_exclusive(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[UInt4],
    before: &[UInt4],
    tile: SharedTile<[u32; SCANNED], 512>,
    y: DisjointSlice<UInt4, GridStride>,
) {
    scan(i, (&block, &warp, tile), x, before, y, |before, four| {
        let second = before.wrapping_add(four.x);
        let third = second.wrapping_add(four.y);
        UInt4::new(before, second, third, third.wrapping_add(four.z))
    });
}

/// Writes what `sums` makes of what is before a four, and of the four.
#[inline(always)]
fn scan(
    i: Index1D<'_>,
    (block, warp, tile): (&Block<'_>, &Warp<'_>, SharedTile<'_, [u32; SCANNED], 512>),
    x: &[UInt4],
    before: &[UInt4],
    mut y: DisjointSlice<'_, UInt4, GridStride>,
    sums: impl Fn(u32, UInt4) -> UInt4,
) {
    let four = |k| x.get(i.get() + k * i.count()).copied();
    let fours = [0, 1].map(|k| four(k).unwrap_or_default());
    let before_own = before_thread(block, warp, tile, fours.map(total));
    let mut own = y.iter_mut(i);
    for k in 0..SCANNED {
        if let Some((at, y)) = own.next() {
            let tile = at / THREADS;
            let of_four = before[tile / 4];
            // An array would be one in local memory.
            let before_tile = match tile % 4 {
                0 => of_four.x,
                1 => of_four.y,
                2 => of_four.z,
                _ => of_four.w,
            };
            *y = sums(before_tile.wrapping_add(before_own[k]), fours[k]);
        }
    }
}

#[inline(always)]
fn total(four: UInt4) -> u32 {
    let [a, b, c, d] = four.to_array();
    a.wrapping_add(b).wrapping_add(c).wrapping_add(d)
}

/// What the threads before this one have, in each of the tiles.
#[inline(always)]
fn before_thread(
    block: &Block<'_>,
    warp: &Warp<'_>,
    mut tile: SharedTile<'_, [u32; SCANNED], 512>,
    own: [u32; SCANNED],
) -> [u32; SCANNED] {
    let up_to_own = up_to_lane(warp, own, &[1, 2, 4, 8, 16]);
    let of_warp = up_to_own.map(|sum| warp.shuffle_idx(sum, 31));
    tile.set_own(0, of_warp);
    let sums = tile.publish(block);
    let up_to_warps = up_to_lane(warp, of_lanes_warp(&sums, warp), &[1, 2, 4, 8]);
    let this = block.thread() as u32 / 32;
    let up_to_this = up_to_warps.map(|sum| warp.shuffle_idx(sum, this));
    [0, 1].map(|k: usize| {
        let before_warp = up_to_this[k].wrapping_sub(of_warp[k]);
        before_warp.wrapping_add(up_to_own[k]).wrapping_sub(own[k])
    })
}

/// What all threads of the block have, in each of the tiles.
#[inline(always)]
fn of_block(
    block: &Block<'_>,
    warp: &Warp<'_>,
    mut tile: SharedTile<'_, UInt4, 512>,
    own: [u32; TILES],
) -> [u32; TILES] {
    let over_lanes = |mut sums: [u32; TILES], flips: &[u32]| {
        for &flip in flips {
            sums = sums.map(|sum| sum.wrapping_add(warp.shuffle_xor(sum, flip)));
        }
        sums
    };
    tile.set_own(0, over_lanes(own, &[16, 8, 4, 2, 1]).into());
    let sums = tile.publish(block);
    over_lanes(of_lanes_warp(&sums, warp).to_array(), &[8, 4, 2, 1])
}

/// Of warp w the slot of lane w, for lane w: each in banks of its own.
#[inline(always)]
fn of_lanes_warp<T: Copy>(sums: &[T], warp: &Warp<'_>) -> T {
    sums[(warp.lane() as usize % (THREADS / 32)) * 33]
}

/// Sums over the lanes up to this one; each of the lanes that `deltas` reach.
#[inline(always)]
fn up_to_lane(warp: &Warp<'_>, mut sums: [u32; SCANNED], deltas: &[u32]) -> [u32; SCANNED] {
    for &delta in deltas {
        let below = sums.map(|sum| warp.shuffle_up(sum, delta));
        if warp.lane() >= delta {
            sums = [0, 1].map(|k: usize| sums[k].wrapping_add(below[k]));
        }
    }
    sums
}

pub(crate) struct Scan<const INCLUSIVE: bool> {
    x: DeviceBuffer<UInt4>,
    y: DeviceBuffer<UInt4>,
    /// Sums of tiles, four of a block each; sums of tiles of those.
    sums: [DeviceBuffer<UInt4>; 2],
    /// What is before each tile, and before each tile of sums.
    before: [DeviceBuffer<UInt4>; 2],
    /// What is before the last tiles: nothing.
    nothing: DeviceBuffer<UInt4>,
    expected: Vec<u32>,
}

pub(crate) type Inclusive = Scan<true>;
pub(crate) type Exclusive = Scan<false>;

impl<const INCLUSIVE: bool> Scan<INCLUSIVE> {
    /// Blocks that add up: enough for fours, and for their sums; the sums of those are scanned by one block.
    fn blocks(&self) -> [u32; 2] {
        [&self.sums[0], &self.sums[1]].map(|sums| sums.len() as u32)
    }

    /// Blocks that scan the same.
    fn scanning(&self) -> [u32; 2] {
        self.blocks()
            .map(|blocks| blocks * (TILES / SCANNED) as u32)
    }
}

impl<const INCLUSIVE: bool> Sides for Scan<INCLUSIVE> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: if INCLUSIVE {
            "scan_inclusive"
        } else {
            "scan_exclusive"
        },
        group: SCANS,
        twin: Twin::of(
            "scan",
            if INCLUSIVE {
                "scan_inclusive"
            } else {
                "scan_exclusive"
            },
        ),
        unit: "elements, in fours",
        sizes: &[1 << 29],
        small: 20_000,
        traffic: |n| Traffic::Bytes(12 * n),
        bound: Bound::Bandwidth,
        prediction: "0.96, and 0.95 or more of a copy: the same shuffles and loads under way; two checks, and which of four sums is before a tile",
        run: run::<Self>,
    };
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let device = &session.device;
        let blocks = |fours: usize| fours.div_ceil(TILES * THREADS);
        let lengths = [blocks(n / 4), blocks(blocks(n / 4))];
        let [many, few] = lengths;
        let mut sum = 0u32;
        let running = (0..n).map(|i| {
            let before = sum;
            sum = sum.wrapping_add(mixed(i, 1));
            if INCLUSIVE { sum } else { before }
        });
        Ok(Self {
            expected: running.collect(),
            x: mixed_in_fours(session, n / 4, 1)?,
            y: device.alloc_uninit(n / 4)?,
            sums: [device.zeroed(many)?, device.zeroed(few)?],
            before: [device.zeroed(many)?, device.zeroed(few)?],
            nothing: device.zeroed(1)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        for buffer in self.sums.iter_mut().chain(&mut self.before) {
            buffer.fill(UInt4::splat(u32::MAX), stream)?;
        }
        Ok(self.y.fill(UInt4::splat(u32::MAX), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shapes = |blocks: [u32; 2]| blocks.map(|blocks| Launch::new(blocks, THREADS as u32));
        let ([many, few], [scan_many, scan_few]) = (shapes(self.blocks()), shapes(self.scanning()));
        let Self {
            x,
            y,
            sums: [sums, sums_of_sums],
            before: [before, before_sums],
            nothing,
            ..
        } = self;
        sums_of_tiles::launch(stream, many, &*x, &mut *sums)?;
        sums_of_tiles::launch(stream, few, &*sums, &mut *sums_of_sums)?;
        let one = Launch::new(1, THREADS as u32);
        scan_exclusive::launch(stream, one, &*sums_of_sums, &*nothing, &mut *before_sums)?;
        scan_exclusive::launch(stream, scan_few, &*sums, &*before_sums, &mut *before)?;
        if INCLUSIVE {
            scan_inclusive::launch(stream, scan_many, &*x, &*before, y)?;
        } else {
            scan_exclusive::launch(stream, scan_many, &*x, &*before, y)?;
        }
        Ok(())
    }

    fn twin(&self) -> Vec<Call> {
        let ([many, few], [scan_many, scan_few]) = (self.blocks(), self.scanning());
        let threads = THREADS as u32;
        let fours = self.x.len() as u64;
        let [sums, sums_of_sums] = &self.sums;
        let [before, before_sums] = &self.before;
        let (length, upper) = (u64::from(many), u64::from(few));
        // SAFETY: each twin takes what it reads with its length, room for four sums per block, or what is before each tile, and room for as much as it reads.
        let call = |function, blocks: u32, threads: u32, arguments| unsafe {
            Call::new(function, blocks, threads, arguments)
        };
        let function = Self::BENCHMARK.twin.function;
        vec![
            call(
                "sums_of_tiles",
                many,
                threads,
                arguments![&self.x, fours, sums],
            ),
            call(
                "sums_of_tiles",
                few,
                threads,
                arguments![sums, length, sums_of_sums],
            ),
            call(
                "scan_exclusive",
                1,
                threads,
                arguments![sums_of_sums, upper, &self.nothing, before_sums],
            ),
            call(
                "scan_exclusive",
                scan_few,
                threads,
                arguments![sums, length, before_sums, before],
            ),
            call(
                function,
                scan_many,
                threads,
                arguments![&self.x, fours, before, &self.y],
            ),
        ]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        let fours = self.y.to_vec(stream)?;
        Ok(fours.into_iter().flat_map(UInt4::to_array).collect())
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(self.expected[i]))
    }
}
