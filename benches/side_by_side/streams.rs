//! Scale, add, triad: the streams of the known memory benchmark, four numbers per thread.

use std::marker::PhantomData;

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{flat, noise, noise_in_fours};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{MEMORY, Run};

#[kernel(fma, requires(x.len() == y.len()))]
fn scale(i: Index1D, a: f32, x: &[Float4], mut y: DisjointSlice<Float4>) {
    if let Some(y) = y.get_mut(i) {
        *y = Float4::splat(a) * x[i.get()];
    }
}

#[kernel(fma, requires(x.len() == z.len(), y.len() == z.len()))]
fn add(i: Index1D, x: &[Float4], y: &[Float4], mut z: DisjointSlice<Float4>) {
    if let Some(z) = z.get_mut(i) {
        *z = x[i.get()] + y[i.get()];
    }
}

#[kernel(fma, requires(x.len() == z.len(), y.len() == z.len()))]
fn triad(i: Index1D, a: f32, x: &[Float4], y: &[Float4], mut z: DisjointSlice<Float4>) {
    if let Some(z) = z.get_mut(i) {
        *z = x[i.get()] + Float4::splat(a) * y[i.get()];
    }
}

/// A multiplication by it is exact.
const A: f32 = 0.25;

/// One of the kernels.
pub(crate) trait Kind: Sized + 'static {
    const NAME: &'static str;
    const PREDICTION: &'static str = "1.00, and 0.95 or more of a copy: accesses of 16 bytes on both sides, and the contract has removed the checks";
    /// Arrays that are read and written.
    const ARRAYS: u64;
    fn ours(streams: &mut Streams<Self>, stream: &Stream) -> Result<(), BenchError>;
    fn arguments(streams: &Streams<Self>) -> Vec<super::driver::Argument>;
    /// What comes of two numbers.
    fn value(x: f64, y: f64) -> f64;
}

pub(crate) struct Streams<K> {
    x: DeviceBuffer<Float4>,
    y: DeviceBuffer<Float4>,
    z: DeviceBuffer<Float4>,
    kind: PhantomData<K>,
}

pub(crate) struct Scale;
pub(crate) struct Add;
pub(crate) struct Triad;

impl Kind for Scale {
    const NAME: &'static str = "scale";
    const ARRAYS: u64 = 2;

    fn ours(streams: &mut Streams<Self>, stream: &Stream) -> Result<(), BenchError> {
        let Streams { x, z, .. } = streams;
        Ok(scale::launch(stream, Launch::covering(z.len()), A, &*x, z)?)
    }

    fn arguments(Streams { x, z, .. }: &Streams<Self>) -> Vec<super::driver::Argument> {
        arguments![A, x, z, z.len() as u64]
    }

    fn value(x: f64, _: f64) -> f64 {
        f64::from(A) * x
    }
}

impl Kind for Add {
    const NAME: &'static str = "add";
    const ARRAYS: u64 = 3;

    fn ours(streams: &mut Streams<Self>, stream: &Stream) -> Result<(), BenchError> {
        let Streams { x, y, z, .. } = streams;
        Ok(add::launch(stream, Launch::covering(z.len()), &*x, &*y, z)?)
    }

    fn arguments(Streams { x, y, z, .. }: &Streams<Self>) -> Vec<super::driver::Argument> {
        arguments![x, y, z, z.len() as u64]
    }

    fn value(x: f64, y: f64) -> f64 {
        x + y
    }
}

impl Kind for Triad {
    const NAME: &'static str = "triad";
    const ARRAYS: u64 = 3;

    fn ours(streams: &mut Streams<Self>, stream: &Stream) -> Result<(), BenchError> {
        let Streams { x, y, z, .. } = streams;
        let shape = Launch::covering(z.len());
        Ok(triad::launch(stream, shape, A, &*x, &*y, z)?)
    }

    fn arguments(Streams { x, y, z, .. }: &Streams<Self>) -> Vec<super::driver::Argument> {
        arguments![A, x, y, z, z.len() as u64]
    }

    fn value(x: f64, y: f64) -> f64 {
        x + f64::from(A) * y
    }
}

impl<K: Kind> Sides for Streams<K> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: K::NAME,
        group: MEMORY,
        twin: Twin::of("streams", K::NAME),
        unit: "elements, in fours",
        sizes: &[1 << 28],
        small: 1000,
        traffic: |n| Traffic::Bytes(K::ARRAYS * 4 * n),
        bound: Bound::Bandwidth,
        prediction: K::PREDICTION,
        run: run::<Self>,
    };
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize / 4;
        Ok(Self {
            x: noise_in_fours(session, n, 1)?,
            y: noise_in_fours(session, n, 2)?,
            z: session.device.alloc_uninit(n)?,
            kind: PhantomData,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.z.fill(Float4::splat(f32::NAN), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        K::ours(self, stream)
    }

    fn twin(&self) -> Vec<Call> {
        let blocks = self.z.len().div_ceil(256) as u32;
        // SAFETY: the twins take the factor (not `add`), pointers to `n` times float4 each, and `n`.
        vec![unsafe { Call::new(K::NAME, blocks, 256, K::arguments(self)) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(flat(self.z.to_vec(stream)?))
    }

    fn reference(&self, i: usize) -> Reference {
        // Exact in double precision, and rounded once on both sides.
        let value = K::value(f64::from(noise(i, 1)), f64::from(noise(i, 2)));
        Reference::of(f64::from(value as f32))
    }
}
