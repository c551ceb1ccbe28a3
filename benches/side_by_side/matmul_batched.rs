//! Many products of small matrices: a block for each, all of it in shared memory.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{MATRICES, Run};

/// Rows and columns of a matrix.
const N: usize = 16;
/// Elements of a matrix, and threads of a block.
const ELEMENTS: usize = N * N;

/// `c = a * b` for each matrix of the batch, one element per thread.
#[kernel(fma, block(256), requires(a.len() == c.len(), b.len() == c.len()))]
fn matmul_batched(
    i: Index1D,
    block: Block,
    a: &[f32],
    b: &[f32],
    mut tile: SharedTile<f32, { 2 * ELEMENTS }>,
    mut c: DisjointSlice<f32>,
) {
    let (column, row) = (block.thread() % N, block.thread() / N % N);
    let (of_a, of_b) = (a[i.get()], b[i.get()]);
    tile.set_own(0, of_a);
    tile.set_own(1, of_b);
    let tiles = tile.publish(&block);
    let mut product = 0.0;
    for k in 0..N {
        product += tiles[row * N + k] * tiles[ELEMENTS + k * N + column];
    }
    if let Some(c) = c.get_mut(i) {
        *c = product;
    }
}

pub(crate) struct Batched {
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
}

impl Sides for Batched {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "matmul_batched",
        group: MATRICES,
        twin: Twin::cuda("matmul_batched"),
        unit: "matrices of 16 rows",
        sizes: &[1 << 19],
        small: 20,
        traffic: |n| Traffic::Bytes(12 * ELEMENTS as u64 * n),
        bound: Bound::SharedMemory(
            "two elements of shared memory are read for each multiplication, 16 times as much as device memory gives",
        ),
        prediction: "0.97 or more: one check before the loads; reading shared memory is the limit",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-6;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let elements = size as usize * ELEMENTS;
        Ok(Self {
            a: noise_on_device(session, elements, 1)?,
            b: noise_on_device(session, elements, 2)?,
            c: session.device.alloc_uninit(elements)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.c.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.c.len());
        Ok(matmul_batched::launch(
            stream,
            shape,
            &self.a,
            &self.b,
            &mut self.c,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let blocks = (self.c.len() / ELEMENTS) as u32;
        let arguments = arguments![&self.a, &self.b, &self.c];
        // SAFETY: the twin takes three pointers to 256 floats for each block.
        vec![unsafe { Call::new("matmul_batched", blocks, ELEMENTS as u32, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.c.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let (start, row, column) = (i / ELEMENTS * ELEMENTS, i % ELEMENTS / N, i % N);
        let products = (0..N).map(|k| {
            let (a, b) = (start + row * N + k, start + k * N + column);
            f64::from(noise(a, 1)) * f64::from(noise(b, 2))
        });
        let (sum, scale) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
        Reference::scaled(sum, scale)
    }
}
