//! The sum of many numbers: memory, shuffles, one phase of shared memory; two launches.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{REDUCTIONS, Run};

/// One partial sum per block: a grid-stride loop, shuffles within each warp, then the first warp over one value per warp.
#[kernel(fma, block(256))]
pub(crate) fn sum(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[f32],
    tile: SharedTile<f32, 256>,
    mut partial: DisjointSlice<f32, PerBlock>,
) {
    let mut total = 0.0;
    let mut at = i.get();
    while let Some(value) = x.get(at) {
        total += value;
        at += i.count();
    }
    block_sum(block, warp, tile, total, &mut partial);
}

/// Adds the totals of the block's threads, and writes the sum to the block's place.
#[inline(always)]
pub(crate) fn block_sum(
    block: Block<'_>,
    warp: Warp<'_>,
    mut tile: SharedTile<'_, f32, 256>,
    total: f32,
    partial: &mut DisjointSlice<'_, f32, PerBlock>,
) {
    tile.set_own(0, warp_sum(&warp, total));
    let totals = tile.publish(&block);
    let thread = block.thread();
    if thread < 32 {
        let of_warp = totals.get(thread * 32).copied().unwrap_or(0.0);
        let of_block = warp_sum(&warp, of_warp);
        if let Some(leader) = block.leader()
            && let Some(partial) = partial.get_mut(leader)
        {
            *partial = of_block;
        }
    }
}

/// The sum over the lanes of the warp, in lane 0.
#[inline(always)]
fn warp_sum(warp: &Warp, mut value: f32) -> f32 {
    for delta in [16, 8, 4, 2, 1] {
        value += warp.shuffle_down(value, delta);
    }
    value
}

/// Sixteen blocks for each of the H200's 132 multiprocessors.
pub(crate) const BLOCKS: u32 = 16 * 132;

pub(crate) struct Sum {
    x: DeviceBuffer<f32>,
    partial: DeviceBuffer<f32>,
    total: DeviceBuffer<f32>,
    expected: Reference,
}

impl Sides for Sum {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "sum",
        group: REDUCTIONS,
        twin: Twin::cuda("sum"),
        unit: "elements",
        sizes: &[1 << 20, 1 << 28],
        small: 5000,
        traffic: |n| Traffic::Bytes(4 * n),
        bound: Bound::Latency(
            "one element of 4 bytes per thread and round: 8 KiB under way per multiprocessor, where reads alone need 29; in fours it is `sum_float4`",
        ),
        prediction: "0.98 or more: the loop is bound by memory on both sides",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let values = (0..n).map(|i| f64::from(noise(i, 1)));
        let (total, scale) = values.fold((0.0, 0.0), |(all, scale), v| (all + v, scale + v.abs()));
        Ok(Self {
            x: noise_on_device(session, n, 1)?,
            partial: session.device.zeroed(BLOCKS as usize)?,
            total: session.device.zeroed(1)?,
            expected: Reference::scaled(total, scale),
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.partial.fill(f32::NAN, stream)?;
        Ok(self.total.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (many, one) = (Launch::new(BLOCKS, 256), Launch::new(1, 256));
        sum::launch(stream, many, &self.x, &mut self.partial)?;
        Ok(sum::launch(stream, one, &self.partial, &mut self.total)?)
    }

    fn twin(&self) -> Vec<Call> {
        let many = arguments![&self.x, self.x.len() as u64, &self.partial];
        let one = arguments![&self.partial, u64::from(BLOCKS), &self.total];
        // SAFETY: the twin reads as many floats as it is told and writes one per block: `BLOCKS`, which `partial` has, or one.
        let many = unsafe { Call::new("sum", BLOCKS, 256, many) };
        // SAFETY: as above.
        let one = unsafe { Call::new("sum", 1, 256, one) };
        vec![many, one]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.total.to_vec(stream)?)
    }

    fn reference(&self, _: usize) -> Reference {
        self.expected
    }
}
