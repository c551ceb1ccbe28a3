//! Weighted sums over neighbours, through shared memory, with weights in constant memory; zeros beyond the border.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{Run, STENCILS};

/// Neighbours on each side in one dimension.
const REACH: usize = 8;
const TAPS: usize = 2 * REACH + 1;
/// Rows and columns of the weights in two dimensions.
const SIDE: usize = 5;

constant_static! {
    static LINE: [f32; TAPS] = LINE_WEIGHTS;
    static SQUARE: [[f32; SIDE]; SIDE] = SQUARE_WEIGHTS;
}

// The twins have the same, exact in f32.
const LINE_WEIGHTS: [f32; TAPS] = {
    let mut weights = [0.0; TAPS];
    let mut k = 0;
    while k < TAPS {
        let from_end = if k < REACH { k } else { TAPS - 1 - k };
        weights[k] = (1 + from_end) as f32 / 128.0;
        k += 1;
    }
    weights
};
const SQUARE_WEIGHTS: [[f32; SIDE]; SIDE] = {
    let mut weights = [[0.0; SIDE]; SIDE];
    let mut k = 0;
    while k < SIDE * SIDE {
        weights[k / SIDE][k % SIDE] = (1 + k * 7 % 25) as f32 / 512.0;
        k += 1;
    }
    weights
};

/// 17 weights over a tile with 8 elements more on both sides.
#[kernel(fma, block(256))]
fn convolution_1d(
    i: Index1D,
    block: Block,
    x: &[f32],
    mut tile: SharedTile<f32, { 256 + 2 * REACH }>,
    mut y: DisjointSlice<f32>,
) {
    let start = block.index() * 256;
    tile.fill(|slot| {
        let from = (start + slot).wrapping_sub(REACH);
        x.get(from).copied().unwrap_or(0.0)
    });
    let near = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0.0;
        for (k, weight) in LINE.iter().enumerate() {
            sum += weight * near[block.thread() + k];
        }
        *y = sum;
    }
}

const WIDTH: usize = 32 + SIDE - 1;
const HEIGHT: usize = 8 + SIDE - 1;

/// 5x5 weights over a tile with two pixels more on all sides.
#[kernel(fma, block(32, 8))]
fn convolution_2d(
    at: Index2D,
    block: Block,
    image: &[f32],
    mut tile: SharedTile<f32, { WIDTH * HEIGHT }>,
    mut out: DisjointSlice2D<f32>,
) {
    let (width, height) = (out.width(), out.height());
    let corner = block_idx();
    let (left, top) = (corner.x as usize * 32, corner.y as usize * 8);
    tile.fill(|slot| {
        let x = (left + slot % WIDTH).wrapping_sub(SIDE / 2);
        let y = (top + slot / WIDTH).wrapping_sub(SIDE / 2);
        if x < width && y < height {
            image[y * width + x]
        } else {
            0.0
        }
    });
    let near = tile.publish(&block);
    if let Some(out) = out.get_mut(at) {
        // What the block's shape says already, in a form from which the compiler sees that no index below leaves the tile.
        let (column, row) = (block.thread() % 32, block.thread() / 32 % 8);
        let mut sum = 0.0;
        for (dy, weights) in SQUARE.iter().enumerate() {
            for (dx, weight) in weights.iter().enumerate() {
                sum += weight * near[(row + dy) * WIDTH + column + dx];
            }
        }
        *out = sum;
    }
}

pub(crate) struct Convolution1D {
    x: DeviceBuffer<f32>,
    y: DeviceBuffer<f32>,
}

impl Sides for Convolution1D {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "convolution_1d",
        group: STENCILS,
        twin: Twin::cuda("convolution_1d"),
        unit: "elements",
        sizes: &[1 << 28],
        small: 3000,
        traffic: |n| Traffic::Bytes(8 * n),
        bound: Bound::SharedMemory("each element is read from shared memory once per weight"),
        prediction: "0.97: the loop over the weights is the same; the loop that fills the tile counts in 64 bit on both sides",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            x: noise_on_device(session, n, 1)?,
            y: session.device.alloc_uninit(n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.y.len());
        Ok(convolution_1d::launch(stream, shape, &self.x, &mut self.y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let (grid, n) = (self.y.len().div_ceil(256) as u32, self.y.len() as u64);
        // SAFETY: the twin takes two pointers to `n` floats and `n`; it touches nothing beyond.
        vec![unsafe { Call::new("convolution_1d", grid, 256, arguments![&self.x, &self.y, n]) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let near = LINE_WEIGHTS.iter().enumerate().filter_map(|(k, weight)| {
            let from = (i + k).checked_sub(REACH)?;
            (from < self.x.len()).then(|| f64::from(*weight) * f64::from(noise(from, 1)))
        });
        Reference::scaled(near.sum(), 1.0)
    }
}

pub(crate) struct Convolution2D {
    n: usize,
    image: DeviceBuffer<f32>,
    out: DeviceBuffer<f32>,
}

impl Convolution2D {
    fn blocks(&self) -> (u32, u32) {
        (self.n.div_ceil(32) as u32, self.n.div_ceil(8) as u32)
    }
}

impl Sides for Convolution2D {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "convolution_2d",
        group: STENCILS,
        twin: Twin::cuda("convolution_2d"),
        unit: "rows",
        sizes: &[12_288],
        small: 70,
        traffic: |n| Traffic::Bytes(8 * n * n),
        bound: Bound::SharedMemory("each element is read from shared memory 25 times"),
        prediction: "0.97: the 25 products are the same code; the tile is filled in a loop of two rounds that the twin has unrolled",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            n,
            image: noise_on_device(session, n * n, 1)?,
            out: session.device.alloc_uninit(n * n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.out.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (shape, out) = (
            Launch::new(self.blocks(), (32, 8)),
            self.out.view_2d_mut(self.n)?,
        );
        Ok(convolution_2d::launch(stream, shape, &self.image, out)?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.n as i32;
        let arguments = arguments![&self.image, &self.out, n, n];
        // SAFETY: the twin takes two images and their extents, and touches no pixel outside.
        vec![unsafe { Call::new("convolution_2d", self.blocks(), (32, 8), arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.out.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let (x, y) = (i % self.n, i / self.n);
        let mut sum = 0.0;
        for (k, weight) in SQUARE_WEIGHTS.iter().flatten().enumerate() {
            let (x, y) = (x + k % SIDE, y + k / SIDE);
            let inside = |at: usize| (SIDE / 2..self.n + SIDE / 2).contains(&at);
            if inside(x) && inside(y) {
                let at = (y - SIDE / 2) * self.n + x - SIDE / 2;
                sum += f64::from(*weight) * f64::from(noise(at, 1));
            }
        }
        Reference::scaled(sum, 1.0)
    }
}
