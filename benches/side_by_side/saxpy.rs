//! `y += a * x`: what memory gives.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{MEMORY, Run};

/// `y += a * x`.
#[kernel(fma)]
fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

#[kernel(fma)]
fn saxpy_unchecked(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: below the length of `y`, and `x` is as long.
        *y += a * unsafe { *x.get_unchecked(i.get()) };
    }
}

const A: f32 = 2.0;

pub(crate) struct Saxpy {
    x: DeviceBuffer<f32>,
    start: DeviceBuffer<f32>,
    y: DeviceBuffer<f32>,
}

impl Sides for Saxpy {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "saxpy",
        group: MEMORY,
        twin: Twin::cuda("saxpy"),
        unit: "elements",
        sizes: &[1 << 20, 1 << 28],
        small: 1000,
        traffic: |n| Traffic::Bytes(12 * n),
        bound: Bound::Latency(
            "two elements of 4 bytes per thread: 16 KiB under way per multiprocessor, where its reads need 19; in fours it would be `triad`",
        ),
        prediction: "0.98 or more: one comparison more per element, hidden by memory",
        run: run::<Self>,
    };
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> =
        Some(|sides, stream| {
            let Self { x, y, .. } = sides;
            Ok(saxpy_unchecked::launch(
                stream,
                Launch::covering(y.len()),
                A,
                &*x,
                y,
            )?)
        });
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            x: noise_on_device(session, n, 1)?,
            start: noise_on_device(session, n, 2)?,
            y: session.device.alloc_uninit(n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.copy_from_device(0, &self.start, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.y.len());
        Ok(saxpy::launch(stream, shape, A, &self.x, &mut self.y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let (grid, n) = (self.y.len().div_ceil(256) as u32, self.y.len() as u64);
        // SAFETY: the twin takes float, two pointers to `n` floats and `n`; it touches nothing beyond.
        vec![unsafe { Call::new("saxpy", grid, 256, arguments![A, &self.x, &self.y, n]) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        // Exact in double precision, and rounded once on both sides.
        let sum = f64::from(A) * f64::from(noise(i, 1)) + f64::from(noise(i, 2));
        Reference::of(f64::from(sum as f32))
    }
}
