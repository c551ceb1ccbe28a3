//! The scalar product, and the sum once more, with loads of sixteen bytes; two launches.

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_in_fours};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::sum::{BLOCKS, block_sum, sum};
use super::{REDUCTIONS, Run};

/// One partial product per block.
#[kernel(fma, block(256), requires(x.len() == y.len()))]
fn dot(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[Float4],
    y: &[Float4],
    tile: SharedTile<f32, 256>,
    mut partial: DisjointSlice<f32, PerBlock>,
) {
    let mut total = 0.0;
    let mut at = i.get();
    while at < x.len() {
        let (x, y) = (x[at], y[at]);
        total += x.x * y.x;
        total += x.y * y.y;
        total += x.z * y.z;
        total += x.w * y.w;
        at += i.count();
    }
    block_sum(block, warp, tile, total, &mut partial);
}

/// One partial sum per block.
#[kernel(fma, block(256))]
fn sum_float4(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[Float4],
    tile: SharedTile<f32, 256>,
    mut partial: DisjointSlice<f32, PerBlock>,
) {
    let mut total = 0.0;
    let mut at = i.get();
    while let Some(four) = x.get(at) {
        total += (four.x + four.y) + (four.z + four.w);
        at += i.count();
    }
    block_sum(block, warp, tile, total, &mut partial);
}

/// The product with `y`, or the sum if there is none.
pub(crate) struct Reduction<const PRODUCT: bool> {
    x: DeviceBuffer<Float4>,
    y: DeviceBuffer<Float4>,
    partial: DeviceBuffer<f32>,
    total: DeviceBuffer<f32>,
    expected: Reference,
}

pub(crate) type Dot = Reduction<true>;
pub(crate) type SumFloat4 = Reduction<false>;

impl<const PRODUCT: bool> Sides for Reduction<PRODUCT> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: if PRODUCT { "dot" } else { "sum_float4" },
        group: REDUCTIONS,
        twin: Twin::of("dot", if PRODUCT { "dot" } else { "sum_float4" }),
        unit: "elements, in fours",
        sizes: if PRODUCT { &[1 << 28] } else { &[1 << 29] },
        small: 5000,
        traffic: |n| Traffic::Bytes(if PRODUCT { 8 * n } else { 4 * n }),
        bound: Bound::Bandwidth,
        prediction: "0.99 or more: no check but that of the loop, and memory is the limit",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let second = |i| if PRODUCT { f64::from(noise(i, 2)) } else { 1.0 };
        let values = (0..n).map(|i| f64::from(noise(i, 1)) * second(i));
        let (total, size) = values.fold((0.0, 0.0), |(all, size), v| (all + v, size + v.abs()));
        Ok(Self {
            x: noise_in_fours(session, n / 4, 1)?,
            y: noise_in_fours(session, if PRODUCT { n / 4 } else { 1 }, 2)?,
            partial: session.device.zeroed(BLOCKS as usize)?,
            total: session.device.zeroed(1)?,
            expected: Reference::scaled(total, size),
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.partial.fill(f32::NAN, stream)?;
        Ok(self.total.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (many, one) = (Launch::new(BLOCKS, 256), Launch::new(1, 256));
        if PRODUCT {
            dot::launch(stream, many, &self.x, &self.y, &mut self.partial)?;
        } else {
            sum_float4::launch(stream, many, &self.x, &mut self.partial)?;
        }
        Ok(sum::launch(stream, one, &self.partial, &mut self.total)?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.x.len() as u64;
        let first = if PRODUCT {
            arguments![&self.x, &self.y, n, &self.partial]
        } else {
            arguments![&self.x, n, &self.partial]
        };
        let second = arguments![&self.partial, u64::from(BLOCKS), &self.total];
        // SAFETY: the twins take pointers to `n` times float4, `n`, and a pointer to a float for each block: `BLOCKS` or one.
        let first = unsafe { Call::new(Self::BENCHMARK.twin.function, BLOCKS, 256, first) };
        // SAFETY: as above.
        let second = unsafe { Call::new("sum", 1, 256, second) };
        vec![first, second]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.total.to_vec(stream)?)
    }

    fn reference(&self, _: usize) -> Reference {
        self.expected
    }
}
