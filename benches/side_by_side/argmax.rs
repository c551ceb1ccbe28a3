//! The largest number and where it is first; two launches.

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_in_fours};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::sum::BLOCKS;
use super::{REDUCTIONS, Run};

/// A number and its place.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C, align(8))]
pub(crate) struct Best {
    value: f32,
    index: u32,
}

impl Best {
    const NONE: Self = Self {
        value: f32::NEG_INFINITY,
        index: u32::MAX,
    };

    /// The larger one; of two equal ones the first.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let better =
            other.value > self.value || (other.value == self.value && other.index < self.index);
        if better { other } else { self }
    }

    /// The best of the lanes, in lane 0.
    #[inline(always)]
    fn of_warp(mut self, warp: &Warp<'_>) -> Self {
        for delta in [16, 8, 4, 2, 1] {
            self = self.or(Self {
                value: warp.shuffle_down(self.value, delta),
                index: warp.shuffle_down(self.index, delta),
            });
        }
        self
    }
}

/// The best of each block.
#[kernel(block(256))]
fn argmax(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[Float4],
    tile: SharedTile<Best, 256>,
    mut partial: DisjointSlice<Best, PerBlock>,
) {
    let mut best = Best::NONE;
    let mut at = i.get();
    while let Some(four) = x.get(at) {
        for (k, value) in four.to_array().into_iter().enumerate() {
            if value > best.value {
                let index = (4 * at + k) as u32;
                best = Best { value, index };
            }
        }
        at += i.count();
    }
    block_best(block, warp, tile, best, &mut partial);
}

/// The best of what blocks have found.
#[kernel(block(256))]
fn argmax_partial(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[Best],
    tile: SharedTile<Best, 256>,
    mut partial: DisjointSlice<Best, PerBlock>,
) {
    let mut best = Best::NONE;
    let mut at = i.get();
    while let Some(&other) = x.get(at) {
        best = best.or(other);
        at += i.count();
    }
    block_best(block, warp, tile, best, &mut partial);
}

#[inline(always)]
fn block_best(
    block: Block<'_>,
    warp: Warp<'_>,
    mut tile: SharedTile<'_, Best, 256>,
    best: Best,
    partial: &mut DisjointSlice<'_, Best, PerBlock>,
) {
    tile.set_own(0, best.of_warp(&warp));
    let bests = tile.publish(&block);
    let thread = block.thread();
    if thread < 32 {
        let of_warp = bests.get(thread * 32).copied().unwrap_or(Best::NONE);
        let of_block = of_warp.of_warp(&warp);
        if let Some(leader) = block.leader()
            && let Some(partial) = partial.get_mut(leader)
        {
            *partial = of_block;
        }
    }
}

pub(crate) struct Argmax {
    x: DeviceBuffer<Float4>,
    partial: DeviceBuffer<Best>,
    total: DeviceBuffer<Best>,
    expected: (f32, usize),
}

impl Sides for Argmax {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "argmax",
        group: REDUCTIONS,
        twin: Twin::cuda("argmax"),
        unit: "elements, in fours",
        sizes: &[1 << 29],
        small: 5000,
        traffic: |n| Traffic::Bytes(4 * n),
        bound: Bound::Bandwidth,
        prediction: "0.98 or more: the same comparisons, and no check but that of the loop",
        run: run::<Self>,
    };
    type Value = f64;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let first_largest = |best: (f32, usize), i| match noise(i, 1) {
            value if value > best.0 => (value, i),
            _ => best,
        };
        Ok(Self {
            x: noise_in_fours(session, n / 4, 1)?,
            partial: session.device.filled(BLOCKS as usize, Best::NONE)?,
            total: session.device.filled(1, Best::NONE)?,
            expected: (0..n).fold((f32::NEG_INFINITY, 0), first_largest),
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.partial.fill(Best::NONE, stream)?;
        Ok(self.total.fill(Best::NONE, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (many, one) = (Launch::new(BLOCKS, 256), Launch::new(1, 256));
        let Self {
            x, partial, total, ..
        } = self;
        argmax::launch(stream, many, &*x, &mut *partial)?;
        Ok(argmax_partial::launch(stream, one, &*partial, total)?)
    }

    fn twin(&self) -> Vec<Call> {
        let first = arguments![&self.x, self.x.len() as u64, &self.partial];
        let second = arguments![&self.partial, u64::from(BLOCKS), &self.total];
        // SAFETY: the twins take a pointer, how many float4 or pairs it begins, and a pointer to a pair for each block.
        let first = unsafe { Call::new("argmax", BLOCKS, 256, first) };
        // SAFETY: as above.
        let second = unsafe { Call::new("argmax_partial", 1, 256, second) };
        vec![first, second]
    }

    /// The number, and its place.
    fn result(&self, stream: &Stream) -> Result<Vec<f64>, BenchError> {
        let all = self.total.to_vec(stream)?;
        let pairs = all.iter().flat_map(|b| [b.value.into(), b.index.into()]);
        Ok(pairs.collect())
    }

    fn reference(&self, i: usize) -> Reference {
        let (value, index) = self.expected;
        Reference::of([f64::from(value), index as f64][i])
    }
}
