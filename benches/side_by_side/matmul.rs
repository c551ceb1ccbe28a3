//! A product of square matrices through 32x32 tiles: shared memory and arithmetic, nothing clever.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Traffic, Twin};

use super::data::{noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{MATRICES, Run};

/// Rows and columns of a tile, and of a block.
const TILE: usize = 32;

/// `c = a * b`, square matrices of `n` rows (a multiple of 32), one element per thread, one tile of each at a time.
#[kernel(fma, block(32, 32))]
fn matmul(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    n: u32,
    mut tile: SharedTile<f32, { 2 * TILE * TILE }>,
    mut c: DisjointSlice2D<f32>,
) {
    let n = n as usize;
    // What the block's shape says already, in a form from which the compiler sees that no index below leaves the tile.
    let (column, row) = (block.thread() % TILE, block.thread() / TILE % TILE);
    let mut product = 0.0;
    for start in (0..n).step_by(TILE) {
        // Both loads before the first store, so that they are under way together.
        let (of_a, of_b) = (
            a[at.y() * n + start + column],
            b[(start + row) * n + at.x()],
        );
        tile.set_own(0, of_a);
        tile.set_own(1, of_b);
        let tiles = tile.publish(&block);
        for k in 0..TILE {
            product += tiles[row * TILE + k] * tiles[TILE * TILE + k * TILE + column];
        }
        tile = tiles.reclaim(&block);
    }
    if let Some(c) = c.get_mut(at) {
        *c = product;
    }
}

pub(crate) struct Matmul {
    n: usize,
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
}

impl Sides for Matmul {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "matmul",
        group: MATRICES,
        twin: Twin::cuda("matmul"),
        unit: "rows",
        sizes: &[1024, 4096],
        small: 64,
        traffic: |n| Traffic::Flops(2 * n * n * n),
        prediction: "0.95 or more: the inner loop is the same; the bounds checks of two loads per tile stand before the first store",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-5;
    const SAMPLES: usize = 4096;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            n,
            a: noise_on_device(session, n * n, 1)?,
            b: noise_on_device(session, n * n, 2)?,
            c: session.device.zeroed(n * n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.c.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (blocks, threads) = ((self.n / TILE) as u32, TILE as u32);
        let shape = Launch::new((blocks, blocks), (threads, threads));
        let c = self.c.view_2d_mut(self.n)?;
        Ok(matmul::launch(
            stream,
            shape,
            &self.a,
            &self.b,
            self.n as u32,
            c,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let (blocks, threads) = ((self.n / TILE) as u32, TILE as u32);
        let arguments = arguments![&self.a, &self.b, &self.c, self.n as u32];
        // SAFETY: the twin takes three pointers to `n * n` floats and `n`, which is a multiple of the block's sides.
        vec![unsafe { Call::new("matmul", (blocks, blocks), (threads, threads), arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.c.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let (row, column) = (i / self.n, i % self.n);
        let products = (0..self.n).map(|k| {
            f64::from(noise(row * self.n + k, 1)) * f64::from(noise(k * self.n + column, 2))
        });
        let (sum, scale) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
        Reference::scaled(sum, scale)
    }
}
