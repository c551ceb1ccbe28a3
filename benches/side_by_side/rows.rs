//! Softmax and layer norm of rows of 1024 numbers: 256 threads have two rows, of each four neighbours per thread.
//!
//! With one row a thread has sixteen bytes under way, and none while it waits at the four barriers: 0.92 of a copy's speed on an H200.

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{flat, noise, noise_in_fours};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{ROWS, Run};

#[kernel(fma, block(256))]
fn softmax(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[Float4],
    tile: SharedTile<[f32; 2], 256>,
    mut y: DisjointSlice<Float4, GridStride>,
) {
    let own = own(i, x);
    let most = own.map(|[a, b, c, d]| a.max(b).max(c.max(d)));
    let (most, tile) = over_block(tile, &block, &warp, most, f32::max);
    let powers = [0, 1].map(|row| own[row].map(|x| (x - most[row]).exp()));
    let (sum, _) = over_block(tile, &block, &warp, powers.map(total), |a, b| a + b);
    let scale = sum.map(|sum| 1.0 / sum);
    let [first, second] = [0, 1].map(|row| powers[row].map(|power| power * scale[row]));
    put(i, &mut y, [first.into(), second.into()]);
}

#[kernel(fma, block(256))]
fn layer_norm(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[Float4],
    scale: &[Float4],
    shift: &[Float4],
    tile: SharedTile<[f32; 2], 256>,
    mut y: DisjointSlice<Float4, GridStride>,
) {
    let own = own(i, x);
    let (sum, tile) = over_block(tile, &block, &warp, own.map(total), |a, b| a + b);
    let mean = sum.map(|sum| sum / COLUMNS as f32);
    let away = [0, 1].map(|row| own[row].map(|x| x - mean[row]));
    let squares = away.map(|row| total(row.map(|d| d * d)));
    let (squares, _) = over_block(tile, &block, &warp, squares, |a, b| a + b);
    let factor = squares.map(|squares| (squares / COLUMNS as f32 + EPSILON).rsqrt());
    let (scale, shift) = (scale[block.thread()], shift[block.thread()]);
    let normal = [0, 1].map(|row| Float4::from(away[row].map(|d| d * factor[row])) * scale + shift);
    put(i, &mut y, normal);
}

/// The thread's numbers of both rows: the second one is as far from the first as the launch has threads.
#[inline(always)]
fn own(i: Index1D<'_>, x: &[Float4]) -> [[f32; 4]; 2] {
    [x[i.get()].to_array(), x[i.get() + i.count()].to_array()]
}

/// Writes what [`own`] has read.
#[inline(always)]
fn put(
    i: Index1D<'_>,
    y: &mut DisjointSlice<'_, Float4, GridStride>,
    [first, second]: [Float4; 2],
) {
    let mut places = y.iter_mut(i);
    if let Some((_, y)) = places.next() {
        *y = first;
    }
    if let Some((_, y)) = places.next() {
        *y = second;
    }
}

fn total([a, b, c, d]: [f32; 4]) -> f32 {
    a + b + c + d
}

/// Two values, each combined over the threads of the block, in each of them.
fn over_block<'k>(
    mut tile: SharedTile<'k, [f32; 2], 256>,
    block: &Block,
    warp: &Warp,
    values: [f32; 2],
    combine: impl Fn(f32, f32) -> f32,
) -> ([f32; 2], SharedTile<'k, [f32; 2], 256>) {
    let over_lanes = |mut values: [f32; 2], flips: &[u32]| {
        for &flip in flips {
            values = values.map(|value| combine(value, warp.shuffle_xor(value, flip)));
        }
        values
    };
    tile.set_own(0, over_lanes(values, &[16, 8, 4, 2, 1]));
    let of_warps = tile.publish(block);
    // Of warp w the slot of lane w: each in banks of its own.
    let values = of_warps[(warp.lane() as usize % 8) * 33];
    let tile = of_warps.reclaim(block);
    (over_lanes(values, &[4, 2, 1]), tile)
}

const COLUMNS: usize = 1024;
const EPSILON: f32 = 1e-5;

fn shape(y: &DeviceBuffer<Float4>) -> Launch {
    Launch::new((y.len() / 512) as u32, 256)
}

pub(crate) struct Softmax {
    x: DeviceBuffer<Float4>,
    y: DeviceBuffer<Float4>,
}

impl Sides for Softmax {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "softmax",
        group: ROWS,
        twin: Twin::of("rows", "softmax"),
        unit: "rows",
        sizes: &[3 << 16],
        small: 6,
        traffic: |n| Traffic::Bytes(8 * COLUMNS as u64 * n),
        bound: Bound::Bandwidth,
        prediction: "0.97, and 0.95 or more of a copy: two rows under way per block, and the same barriers",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-5;
    const SAMPLES: usize = 4096;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let x = noise_in_fours(session, size as usize * COLUMNS / 4, 1)?;
        let y = session.device.alloc_uninit(x.len())?;
        Ok(Self { x, y })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(Float4::splat(f32::NAN), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = shape(&self.y);
        Ok(softmax::launch(stream, shape, &self.x, &mut self.y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.y.len() as u64;
        let arguments = arguments![&self.x, &self.y, n];
        // SAFETY: the twin takes two pointers to `n` vectors and `n`, which is a multiple of two blocks.
        vec![unsafe { Call::new("softmax", (n / 512) as u32, 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(flat(self.y.to_vec(stream)?))
    }

    fn reference(&self, i: usize) -> Reference {
        let start = i / COLUMNS * COLUMNS;
        let powers = (start..start + COLUMNS).map(|at| f64::from(noise(at, 1)).exp());
        Reference::of(f64::from(noise(i, 1)).exp() / powers.sum::<f64>())
    }
}

pub(crate) struct LayerNorm {
    x: DeviceBuffer<Float4>,
    scale: DeviceBuffer<Float4>,
    shift: DeviceBuffer<Float4>,
    y: DeviceBuffer<Float4>,
}

impl Sides for LayerNorm {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "layer_norm",
        twin: Twin::of("rows", "layer_norm"),
        prediction: "0.97, and 0.95 or more of a copy: two rows under way per block, and the same barriers",
        run: run::<Self>,
        ..Softmax::BENCHMARK
    };
    const TOLERANCE: f64 = 1e-5;
    const SAMPLES: usize = 4096;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let x = noise_in_fours(session, size as usize * COLUMNS / 4, 1)?;
        Ok(Self {
            scale: noise_in_fours(session, COLUMNS / 4, 2)?,
            shift: noise_in_fours(session, COLUMNS / 4, 3)?,
            y: session.device.alloc_uninit(x.len())?,
            x,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(Float4::splat(f32::NAN), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = shape(&self.y);
        Ok(layer_norm::launch(
            stream,
            shape,
            &self.x,
            &self.scale,
            &self.shift,
            &mut self.y,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.y.len() as u64;
        let arguments = arguments![&self.x, &self.scale, &self.shift, &self.y, n];
        // SAFETY: the twin takes `n` vectors, 256 factors and as many summands, room for `n` vectors, and `n`, a multiple of two blocks.
        vec![unsafe { Call::new("layer_norm", (n / 512) as u32, 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(flat(self.y.to_vec(stream)?))
    }

    fn reference(&self, i: usize) -> Reference {
        let (start, column) = (i / COLUMNS * COLUMNS, i % COLUMNS);
        let row = || (start..start + COLUMNS).map(|at| f64::from(noise(at, 1)));
        let mean = row().sum::<f64>() / COLUMNS as f64;
        let squares: f64 = row().map(|x| (x - mean) * (x - mean)).sum();
        let deviation = (squares / COLUMNS as f64 + f64::from(EPSILON)).sqrt();
        let (scale, shift) = (f64::from(noise(column, 2)), f64::from(noise(column, 3)));
        Reference::scaled(
            (f64::from(noise(i, 1)) - mean) / deviation * scale + shift,
            1.0,
        )
    }
}
