//! Sums of all numbers up to each, and before each.
//!
//! Sums of blocks first, of those the sums again, then the scans back from the few to the many: five launches, each number is read twice and
//! written once.

use warploom::device::vector::UInt4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{mixed, mixed_in_fours};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{Run, SCANS};

/// Threads of a block.
const THREADS: usize = 512;

/// The sum of each block's fours.
#[kernel(block(512))]
fn sums_of_fours(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[UInt4],
    tile: SharedTile<u32, 512>,
    mut sums: DisjointSlice<u32, PerBlock>,
) {
    let own = x.get(i.get()).copied().map_or(0, total);
    let (_, total) = block_scan(&block, &warp, tile, own);
    if let Some(sum) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *sum = total;
    }
}

/// The sum of each block's numbers.
#[kernel(block(512))]
fn sums_of_ones(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    tile: SharedTile<u32, 512>,
    mut sums: DisjointSlice<u32, PerBlock>,
) {
    let own = x.get(i.get()).copied().unwrap_or(0);
    let (_, total) = block_scan(&block, &warp, tile, own);
    if let Some(sum) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *sum = total;
    }
}

/// The sum before each number; `before` has that before each block.
#[kernel(block(512))]
fn scan_ones(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    before: &[u32],
    tile: SharedTile<u32, 512>,
    mut y: DisjointSlice<u32>,
) {
    let own = x.get(i.get()).copied().unwrap_or(0);
    let (before_own, _) = block_scan(&block, &warp, tile, own);
    if let Some(y) = y.get_mut(i) {
        *y = before[block.index()].wrapping_add(before_own);
    }
}

/// The sum up to each number, with it.
#[kernel(block(512))]
fn scan_inclusive(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[UInt4],
    before: &[u32],
    tile: SharedTile<u32, 512>,
    mut y: DisjointSlice<UInt4>,
) {
    let four = x.get(i.get()).copied().unwrap_or_default();
    let (before_own, _) = block_scan(&block, &warp, tile, total(four));
    if let Some(y) = y.get_mut(i) {
        let first = before[block.index()]
            .wrapping_add(before_own)
            .wrapping_add(four.x);
        let second = first.wrapping_add(four.y);
        let third = second.wrapping_add(four.z);
        *y = UInt4::new(first, second, third, third.wrapping_add(four.w));
    }
}

/// The sum of all before each number, without it.
#[kernel(block(512))]
fn scan_exclusive(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[UInt4],
    before: &[u32],
    tile: SharedTile<u32, 512>,
    mut y: DisjointSlice<UInt4>,
) {
    let four = x.get(i.get()).copied().unwrap_or_default();
    let (before_own, _) = block_scan(&block, &warp, tile, total(four));
    if let Some(y) = y.get_mut(i) {
        let first = before[block.index()].wrapping_add(before_own);
        let second = first.wrapping_add(four.x);
        let third = second.wrapping_add(four.y);
        *y = UInt4::new(first, second, third, third.wrapping_add(four.z));
    }
}

#[inline(always)]
fn total(four: UInt4) -> u32 {
    let [a, b, c, d] = four.to_array();
    a.wrapping_add(b).wrapping_add(c).wrapping_add(d)
}

/// What the threads before this one have, and what all have.
#[inline(always)]
fn block_scan(
    block: &Block<'_>,
    warp: &Warp<'_>,
    mut tile: SharedTile<'_, u32, 512>,
    own: u32,
) -> (u32, u32) {
    let mut up_to_own = own;
    for delta in [1, 2, 4, 8, 16] {
        let below = warp.shuffle_up(up_to_own, delta);
        if warp.lane() >= delta {
            up_to_own = up_to_own.wrapping_add(below);
        }
    }
    tile.set_own(0, up_to_own);
    let scans = tile.publish(block);
    let (mut before, mut all) = (0u32, 0u32);
    for other in 0..THREADS / 32 {
        let of_warp = scans[other * 32 + 31];
        if other < block.thread() / 32 {
            before = before.wrapping_add(of_warp);
        }
        all = all.wrapping_add(of_warp);
    }
    (before.wrapping_add(up_to_own).wrapping_sub(own), all)
}

pub(crate) struct Scan<const INCLUSIVE: bool> {
    x: DeviceBuffer<UInt4>,
    y: DeviceBuffer<UInt4>,
    /// Sums of blocks; sums of blocks of those; and what is before each of them.
    sums: [DeviceBuffer<u32>; 2],
    before: [DeviceBuffer<u32>; 2],
    /// What is before all: nothing.
    nothing: DeviceBuffer<u32>,
    expected: Vec<u32>,
}

pub(crate) type Inclusive = Scan<true>;
pub(crate) type Exclusive = Scan<false>;

impl<const INCLUSIVE: bool> Scan<INCLUSIVE> {
    /// Blocks of the two upper steps: enough for fours, and for their sums; the sums of those are scanned by one block.
    fn blocks(&self) -> [u32; 2] {
        [&self.sums[0], &self.sums[1]].map(|sums| sums.len() as u32)
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
        sizes: &[1 << 27],
        small: 5000,
        traffic: |n| Traffic::Bytes(12 * n),
        bound: Bound::Bandwidth,
        prediction: "0.98 or more: the same shuffles, one bounds check per thread",
        run: run::<Self>,
    };
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let device = &session.device;
        let blocks = (n / 4).div_ceil(THREADS);
        let lengths = [blocks, blocks.div_ceil(THREADS)];
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
            buffer.fill(u32::MAX, stream)?;
        }
        Ok(self.y.fill(UInt4::splat(u32::MAX), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let [many, few] = self
            .blocks()
            .map(|blocks| Launch::new(blocks, THREADS as u32));
        let Self {
            x,
            y,
            sums: [sums, sums_of_sums],
            before: [before, before_sums],
            nothing,
            ..
        } = self;
        sums_of_fours::launch(stream, many, &*x, &mut *sums)?;
        sums_of_ones::launch(stream, few, &*sums, &mut *sums_of_sums)?;
        let one = Launch::new(1, THREADS as u32);
        scan_ones::launch(stream, one, &*sums_of_sums, &*nothing, &mut *before_sums)?;
        scan_ones::launch(stream, few, &*sums, &*before_sums, &mut *before)?;
        if INCLUSIVE {
            scan_inclusive::launch(stream, many, &*x, &*before, y)?;
        } else {
            scan_exclusive::launch(stream, many, &*x, &*before, y)?;
        }
        Ok(())
    }

    fn twin(&self) -> Vec<Call> {
        let [many, few] = self.blocks();
        let threads = THREADS as u32;
        let fours = self.x.len() as u64;
        let [sums, sums_of_sums] = &self.sums;
        let [before, before_sums] = &self.before;
        let (length, upper) = (u64::from(many), u64::from(few));
        // SAFETY: each twin takes what it reads with its length, what is before each block, and room for as much, or for a sum per block.
        unsafe {
            vec![
                Call::new(
                    "sums_of_fours",
                    many,
                    threads,
                    arguments![&self.x, fours, sums],
                ),
                Call::new(
                    "sums_of_ones",
                    few,
                    threads,
                    arguments![sums, length, sums_of_sums],
                ),
                Call::new(
                    "scan_ones",
                    1,
                    threads,
                    arguments![sums_of_sums, upper, &self.nothing, before_sums],
                ),
                Call::new(
                    "scan_ones",
                    few,
                    threads,
                    arguments![sums, length, before_sums, before],
                ),
                Call::new(
                    Self::BENCHMARK.twin.function,
                    many,
                    threads,
                    arguments![&self.x, fours, before, &self.y],
                ),
            ]
        }
    }

    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        let fours = self.y.to_vec(stream)?;
        Ok(fours.into_iter().flat_map(UInt4::to_array).collect())
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(self.expected[i]))
    }
}
