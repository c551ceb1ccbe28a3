//! `y += a * x` in double precision: what memory gives.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{noise, noise_on_device_f64};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{MEMORY, Run};

/// `y += a * x`.
#[kernel(fma)]
fn daxpy(i: Index1D, a: f64, x: &[f64], mut y: DisjointSlice<f64>) {
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

#[kernel(fma)]
fn daxpy_unchecked(i: Index1D, a: f64, x: &[f64], mut y: DisjointSlice<f64>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: below the length of `y`, and `x` is as long.
        *y += a * unsafe { *x.get_unchecked(i.get()) };
    }
}

const A: f64 = 2.0;

pub(crate) struct Daxpy {
    x: DeviceBuffer<f64>,
    start: DeviceBuffer<f64>,
    y: DeviceBuffer<f64>,
}

impl Sides for Daxpy {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "daxpy",
        group: MEMORY,
        twin: Twin::cuda("daxpy"),
        unit: "elements",
        sizes: &[1 << 27],
        small: 1000,
        traffic: |n| Traffic::Bytes(24 * n),
        bound: Bound::Bandwidth,
        prediction: "0.98 or more: one comparison more per element, hidden by memory",
        run: run::<Self>,
    };
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> =
        Some(|sides, stream| {
            let Self { x, y, .. } = sides;
            Ok(daxpy_unchecked::launch(
                stream,
                Launch::covering(y.len()),
                A,
                &*x,
                y,
            )?)
        });
    type Value = f64;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            x: noise_on_device_f64(session, n, 1)?,
            start: noise_on_device_f64(session, n, 2)?,
            y: session.device.alloc_uninit(n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.copy_from_device(0, &self.start, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.y.len());
        Ok(daxpy::launch(stream, shape, A, &self.x, &mut self.y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let (grid, n) = (self.y.len().div_ceil(256) as u32, self.y.len() as u64);
        // SAFETY: the twin takes a double, two pointers to `n` doubles and `n`; it touches nothing beyond.
        vec![unsafe { Call::new("daxpy", grid, 256, arguments![A, &self.x, &self.y, n]) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f64>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        // Exact: both are multiples of 2^-23, not above 2.
        let sum = A * f64::from(noise(i, 1)) + f64::from(noise(i, 2));
        Reference::of(sum)
    }
}
