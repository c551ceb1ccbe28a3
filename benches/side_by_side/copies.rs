//! Copies by kernels: one element per thread, four at once, and every eighth element of a longer array.

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::{flat, noise, noise_in_fours, noise_on_device};
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{MEMORY, Run};

#[kernel(requires(x.len() == y.len()))]
fn copy(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}

#[kernel(requires(x.len() == y.len()))]
fn copy_float4(i: Index1D, x: &[Float4], mut y: DisjointSlice<Float4>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}

#[kernel]
fn copy_strided(i: Index1D, stride: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get() * stride as usize];
    }
}

#[kernel]
fn copy_strided_unchecked(i: Index1D, stride: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: below the length of `y`, and `x` is `stride` times as long.
        *y = unsafe { *x.get_unchecked(i.get() * stride as usize) };
    }
}

/// From one element that is copied to the next.
const STRIDE: usize = 8;

/// Copies of single numbers, `STRIDE` apart from each other.
pub(crate) struct Copy<const STRIDE: usize> {
    x: DeviceBuffer<f32>,
    y: DeviceBuffer<f32>,
}

pub(crate) type Contiguous = Copy<1>;
pub(crate) type Strided = Copy<STRIDE>;

impl<const STRIDE: usize> Copy<STRIDE> {
    fn make(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        Ok(Self {
            x: noise_on_device(session, n * STRIDE, 1)?,
            y: session.device.alloc_uninit(n)?,
        })
    }

    fn shape(&self) -> Launch {
        Launch::covering(self.y.len())
    }

    fn blocks(&self) -> u32 {
        self.y.len().div_ceil(256) as u32
    }
}

impl Sides for Contiguous {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "copy",
        group: MEMORY,
        twin: Twin::of("copies", "copy"),
        unit: "elements",
        sizes: &[1 << 28],
        small: 1000,
        traffic: |n| Traffic::Bytes(8 * n),
        bound: Bound::Latency(
            "one element of 4 bytes per thread: 8 KiB under way per multiprocessor, where the reads of a copy need 15",
        ),
        prediction: "1.00: no check is left, and memory is the limit; the launch of a million blocks keeps both sides from the speed of a copy",
        run: run::<Self>,
    };
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        Self::make(session, size)
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(copy::launch(stream, self.shape(), &self.x, &mut self.y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let arguments = arguments![&self.x, &self.y, self.y.len() as u64];
        // SAFETY: the twin takes two pointers to `n` floats and `n`.
        vec![unsafe { Call::new("copy", self.blocks(), 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(noise(i, 1)))
    }
}

impl Sides for Strided {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "copy_strided",
        group: MEMORY,
        twin: Twin::of("copies", "copy_strided"),
        unit: "elements, every 8th",
        sizes: &[1 << 26],
        small: 1000,
        // Memory gives sectors of 32 bytes: all of `x` is read.
        traffic: |n| Traffic::Bytes((4 * STRIDE as u64 + 4) * n),
        bound: Bound::Bandwidth,
        prediction: "0.98 or more: one bounds check per element, hidden by memory",
        run: run::<Self>,
    };
    const UNCHECKED: Option<fn(&mut Self, &Stream) -> Result<(), BenchError>> =
        Some(|sides, stream| {
            let shape = sides.shape();
            let Self { x, y } = sides;
            Ok(copy_strided_unchecked::launch(
                stream,
                shape,
                STRIDE as u32,
                &*x,
                y,
            )?)
        });
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        Self::make(session, size)
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = self.shape();
        let Self { x, y } = self;
        Ok(copy_strided::launch(stream, shape, STRIDE as u32, &*x, y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let arguments = arguments![STRIDE as u32, &self.x, &self.y, self.y.len() as u64];
        // SAFETY: the twin takes the stride, pointers to `stride * n` and to `n` floats, and `n`.
        vec![unsafe { Call::new("copy_strided", self.blocks(), 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(noise(i * STRIDE, 1)))
    }
}

/// Copies of sixteen bytes per thread.
pub(crate) struct Vectorised {
    x: DeviceBuffer<Float4>,
    y: DeviceBuffer<Float4>,
}

impl Sides for Vectorised {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "copy_float4",
        group: MEMORY,
        twin: Twin::of("copies", "copy_float4"),
        unit: "elements, in fours",
        sizes: &[1 << 28],
        small: 1000,
        traffic: |n| Traffic::Bytes(8 * n),
        bound: Bound::Bandwidth,
        prediction: "1.00, and 0.95 or more of a copy: accesses of 16 bytes on both sides",
        run: run::<Self>,
    };
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize / 4;
        Ok(Self {
            x: noise_in_fours(session, n, 1)?,
            y: session.device.alloc_uninit(n)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(Float4::splat(f32::NAN), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.y.len());
        Ok(copy_float4::launch(stream, shape, &self.x, &mut self.y)?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.y.len();
        let arguments = arguments![&self.x, &self.y, n as u64];
        // SAFETY: the twin takes two pointers to `n` times float4, and `n`.
        vec![unsafe { Call::new("copy_float4", n.div_ceil(256) as u32, 256, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(flat(self.y.to_vec(stream)?))
    }

    fn reference(&self, i: usize) -> Reference {
        Reference::of(f64::from(noise(i, 1)))
    }
}
