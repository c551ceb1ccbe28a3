//! Steps of `z = z² + c` until z leaves the circle of radius 2: arithmetic, and lanes that end at different times.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{ARITHMETIC, Run};

#[kernel(fma, block(32, 8))]
fn mandelbrot(
    at: Index2D,
    left: f32,
    top: f32,
    step: f32,
    limit: u32,
    mut out: DisjointSlice2D<u32>,
) {
    if let Some(out) = out.get_mut(at) {
        // Of 32 bits, as the twin's: a number of 64 takes longer to become a float than a step of the loop.
        let (column, row) = (at.x() as u32, at.y() as u32);
        let (cx, cy) = (left + column as f32 * step, top + row as f32 * step);
        let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
        while n < limit && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            n += 1;
        }
        *out = n;
    }
}

const LEFT: f32 = -2.25;
const TOP: f32 = -1.5;
const EXTENT: f32 = 3.0;
const LIMIT: u32 = 512;

pub(crate) struct Mandelbrot {
    n: usize,
    out: DeviceBuffer<u32>,
}

impl Mandelbrot {
    /// The distance of two pixels; exact for powers of two.
    fn step(&self) -> f32 {
        EXTENT / self.n as f32
    }

    fn blocks(&self) -> (u32, u32) {
        (self.n.div_ceil(32) as u32, self.n.div_ceil(8) as u32)
    }
}

impl Sides for Mandelbrot {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "mandelbrot",
        group: ARITHMETIC,
        twin: Twin::cuda("mandelbrot"),
        unit: "rows",
        sizes: &[8192],
        small: 64,
        traffic: |_| Traffic::None,
        bound: Bound::Compute("up to some hundred steps for each point, and one store"),
        prediction: "0.90: eleven instructions per step; the twin has unrolled its loop and branches once where ours branches twice",
        run: run::<Self>,
    };
    // Of the mean of a row: close to the border one rounding changes when a point leaves.
    const TOLERANCE: f64 = 0.02;
    const SAMPLES: usize = 16;
    type Value = f64;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            n,
            out: session.device.alloc_uninit(n * n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.out.fill(0, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (shape, step) = (Launch::new(self.blocks(), (32, 8)), self.step());
        let out = self.out.view_2d_mut(self.n)?;
        Ok(mandelbrot::launch(
            stream, shape, LEFT, TOP, step, LIMIT, out,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.n as u32;
        let arguments = arguments![LEFT, TOP, self.step(), LIMIT, &self.out, n, n];
        // SAFETY: the twin takes three floats, a limit, a picture and its extents; it writes no pixel outside.
        vec![unsafe { Call::new("mandelbrot", self.blocks(), (32, 8), arguments) }]
    }

    /// The mean of each row.
    fn result(&self, stream: &Stream) -> Result<Vec<f64>, BenchError> {
        let pixels = self.out.to_vec(stream)?;
        let mean = |row: &[u32]| row.iter().map(|&n| f64::from(n)).sum::<f64>() / self.n as f64;
        Ok(pixels.chunks(self.n).map(mean).collect())
    }

    fn reference(&self, row: usize) -> Reference {
        let at = |start: f32, i: usize| f64::from(start) + i as f64 * f64::from(self.step());
        let steps = |column: usize| {
            let (cx, cy) = (at(LEFT, column), at(TOP, row));
            let (mut x, mut y, mut n) = (0.0, 0.0, 0);
            while n < LIMIT && x * x + y * y <= 4.0 {
                (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
                n += 1;
            }
            f64::from(n)
        };
        Reference::of((0..self.n).map(steps).sum::<f64>() / self.n as f64)
    }
}
