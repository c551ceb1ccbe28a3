//! Products of square matrices, each a step faster than the one before: the ladder by which people learn to multiply matrices.

mod naive; // no shared memory
mod register_1d; // eight results of a column in each thread
mod register_2d; // eight by eight results in each thread
mod tiled; // one result in each thread, tiles in shared memory
mod vectorised; // eight by eight results, loads and stores of sixteen bytes

pub(crate) use naive::Naive;
pub(crate) use register_1d::Register1D;
pub(crate) use register_2d::Register2D;
pub(crate) use tiled::Tiled;
pub(crate) use vectorised::Vectorised;

use std::marker::PhantomData;

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{flat, noise, noise_in_fours, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, Unchecked, arguments, run};
use super::{MATRICES, Run};

/// One of the kernels.
pub(crate) trait Rung: Sized + 'static {
    const NAME: &'static str;
    const TWIN: Twin;
    const SIZES: &'static [u64] = &[4096];
    const BOUND: Bound;
    const PREDICTION: &'static str;
    /// What a matrix consists of.
    type Element: Element;
    /// Columns and rows of threads in a block.
    const BLOCK: (u32, u32);
    /// Rows and columns of results that a block makes.
    const RESULTS: u32;
    const UNCHECKED: Unchecked<Matmul<Self>> = None;

    fn ours(sides: &mut Matmul<Self>, stream: &Stream) -> Result<(), BenchError>;
}

/// One number, or four in a row.
pub(crate) trait Element: Plain {
    fn matrix(
        session: &Session,
        numbers: usize,
        seed: u32,
    ) -> Result<DeviceBuffer<Self>, BenchError>;
    fn numbers(elements: Vec<Self>) -> Vec<f32>;
    const NONE: Self;
}

impl Element for f32 {
    fn matrix(
        session: &Session,
        numbers: usize,
        seed: u32,
    ) -> Result<DeviceBuffer<Self>, BenchError> {
        noise_on_device(session, numbers, seed)
    }

    fn numbers(elements: Vec<Self>) -> Vec<f32> {
        elements
    }

    const NONE: Self = f32::NAN;
}

impl Element for Float4 {
    fn matrix(
        session: &Session,
        numbers: usize,
        seed: u32,
    ) -> Result<DeviceBuffer<Self>, BenchError> {
        noise_in_fours(session, numbers / 4, seed)
    }

    fn numbers(elements: Vec<Self>) -> Vec<f32> {
        flat(elements)
    }

    const NONE: Self = Self::splat(f32::NAN);
}

/// `c = a * b`, of `n` rows each.
pub(crate) struct Matmul<R: Rung> {
    n: usize,
    a: DeviceBuffer<R::Element>,
    b: DeviceBuffer<R::Element>,
    c: DeviceBuffer<R::Element>,
    rung: PhantomData<R>,
}

impl<R: Rung> Matmul<R> {
    fn shape(&self) -> Launch {
        let blocks = self.n as u32 / R::RESULTS;
        Launch::new((blocks, blocks), R::BLOCK)
    }

    /// Elements in a row.
    fn width(&self) -> usize {
        self.c.len() / self.n
    }
}

/// Launches the kernel of a rung.
macro_rules! launch {
    ($kernel:ident, $sides:ident, $stream:ident) => {{
        let (shape, n, width) = ($sides.shape(), $sides.n as u32, $sides.width());
        let c = $sides.c.view_2d_mut(width)?;
        Ok($kernel::launch($stream, shape, &$sides.a, &$sides.b, n, c)?)
    }};
}
use launch;

impl<R: Rung> Sides for Matmul<R> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: R::NAME,
        group: MATRICES,
        twin: R::TWIN,
        unit: "rows",
        sizes: R::SIZES,
        small: 128,
        traffic: |n| Traffic::Flops(2 * n * n * n),
        bound: R::BOUND,
        prediction: R::PREDICTION,
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-5;
    const SAMPLES: usize = 4096;
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> = R::UNCHECKED;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            n,
            a: R::Element::matrix(session, n * n, 1)?,
            b: R::Element::matrix(session, n * n, 2)?,
            c: R::Element::matrix(session, n * n, 3)?,
            rung: PhantomData,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.c.fill(R::Element::NONE, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        R::ours(self, stream)
    }

    fn twin(&self) -> Vec<Call> {
        let blocks = self.n as u32 / R::RESULTS;
        let arguments = arguments![&self.a, &self.b, &self.c, self.n as u32];
        // SAFETY: the twins take three pointers to `n * n` floats, aligned as their elements, and `n`, a multiple of what blocks make.
        vec![unsafe { Call::new(R::TWIN.function, (blocks, blocks), R::BLOCK, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(R::Element::numbers(self.c.to_vec(stream)?))
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
