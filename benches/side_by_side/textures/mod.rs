//! Images that are read through the texture units: a sample between elements for each pixel, four with weights of a cubic filter, and rays through a volume.
//!
//! Both sides read the same texture object.

mod rays; // through a volume

pub(crate) use rays::Rays;

use std::marker::PhantomData;

use warploom::device_std::texture::{D2, ReadMode, Texel};
use warploom::device_std::vector::UChar4;
use warploom::prelude::*;
use warploom::texture::{Filter, ImageDimension, Sampler};
use warploom::{ArrayBuffer, ArrayElement, ArrayShape, TextureObject};
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::mixed;
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{Run, TEXTURES};

/// Column and row, below 2^32 here: the conversion of a number of 64 bits takes a slower instruction. In the times that is not seen.
fn place(i: Index2D) -> (f32, f32) {
    (i.x() as u32 as f32, i.y() as u32 as f32)
}

#[kernel(fma)]
fn sample_f32(i: Index2D, image: Texture2d<f32>, step: f32, mut y: DisjointSlice2D<f32>) {
    if let Some(y) = y.get_mut(i) {
        let (u, v) = place(i);
        *y = image.sample(u * step + 0.625, v * step + 0.625);
    }
}

#[kernel(fma)]
fn sample_u8x4(
    i: Index2D,
    image: Texture2d<UChar4, Normalized>,
    step: f32,
    mut y: DisjointSlice2D<UChar4>,
) {
    if let Some(y) = y.get_mut(i) {
        let (u, v) = place(i);
        let colour = image.sample(u * step + 0.625, v * step + 0.625);
        *y = colour.to_array().map(|c| (c * 255.0 + 0.5) as u8).into();
    }
}

/// Two places whose samples, with these weights, are a sum of four neighbours by the cubic B-spline.
fn two_places(x: f32) -> [(f32, f32); 2] {
    let start = (x - 0.5).floor();
    let t = x - 0.5 - start;
    let s = 1.0 - t;
    let (a, d) = (s * s * s * (1.0 / 6.0), t * t * t * (1.0 / 6.0));
    let b = (4.0 - 3.0 * t * t * (2.0 - t)) * (1.0 / 6.0);
    let c = (4.0 - 3.0 * s * s * (2.0 - s)) * (1.0 / 6.0);
    [
        (start - 0.5 + b / (a + b), a + b),
        (start + 1.5 + d / (c + d), c + d),
    ]
}

#[kernel(fma)]
fn bicubic(i: Index2D, image: Texture2d<f32>, step: f32, mut y: DisjointSlice2D<f32>) {
    if let Some(y) = y.get_mut(i) {
        let (u, v) = place(i);
        let [left, right] = two_places(u * step + 8.0);
        let [above, below] = two_places(v * step + 8.0);
        let row =
            |down| left.1 * image.sample(left.0, down) + right.1 * image.sample(right.0, down);
        *y = above.1 * row(above.0) + below.1 * row(below.0);
    }
}

/// Blocks of CUDA's samples of image processing.
const BLOCK: (u32, u32) = (32, 8);

/// From one pixel to the next, in elements: places and weights are exact.
const STEP: f32 = 0.75;
/// The same for the cubic filter, which magnifies.
const ZOOM: f32 = 0.25;

fn grid(side: usize) -> (u32, u32) {
    let [across, down] = [BLOCK.0, BLOCK.1].map(|block| side.div_ceil(block as usize) as u32);
    (across, down)
}

fn side(size: u64) -> usize {
    size.isqrt() as usize
}

/// An element of the images: 0 to 255.
fn texel(i: usize) -> u8 {
    mixed(i, 3) as u8
}

/// An array that stays until the process ends: textures borrow it, and a benchmark has both.
fn image<D: ImageDimension, T: ArrayElement + Texel, R: ReadMode<T>>(
    session: &Session,
    shape: ArrayShape,
    texels: &[T],
    sampler: Sampler,
) -> Result<TextureObject<'static, D, T, R>, BenchError> {
    let array: &'static ArrayBuffer<T> =
        Box::leak(Box::new(session.device.array_from(shape, texels)?));
    Ok(array
        .texture(sampler.filter(Filter::Linear))
        .map_err(warploom::Error::from)?)
}

/// The weighted sum of four neighbours; all is exact.
fn between(side: usize, x: f64, y: f64, texel: impl Fn(usize) -> f64) -> f64 {
    let (x, y) = (x - 0.5, y - 0.5);
    let (a, b) = (x.fract(), y.fract());
    let at = |right: usize, down: usize| {
        let (x, y) = (x as usize + right, y as usize + down);
        texel(y.min(side - 1) * side + x.min(side - 1))
    };
    let above = at(0, 0) * (1.0 - a) + at(1, 0) * a;
    above * (1.0 - b) + (at(0, 1) * (1.0 - a) + at(1, 1) * a) * b
}

/// One sample of a plane for each pixel, or several: `K` says which kernel.
pub(crate) struct Plane<K> {
    side: usize,
    image: TextureObject<'static, D2, f32>,
    y: DeviceBuffer<f32>,
    kernel: PhantomData<K>,
}

pub(crate) enum Bilinear {}
pub(crate) enum Bicubic {}

impl<K> Plane<K> {
    fn make(session: &Session, size: u64) -> Result<Self, BenchError> {
        let side = side(size);
        let texels: Vec<f32> = (0..side * side).map(|i| f32::from(texel(i))).collect();
        Ok(Self {
            side,
            image: image(session, (side, side).into(), &texels, Sampler::new())?,
            y: session.device.alloc_uninit(side * side)?,
            kernel: PhantomData,
        })
    }

    fn call(&self, function: &'static str, step: f32) -> Vec<Call> {
        let n = self.side as u32;
        let arguments = arguments![self.image.raw_handle(), step, &self.y, n, n];
        // SAFETY: the twin takes a texture, the step, a pointer to `n * n` floats, and `n` twice.
        vec![unsafe { Call::new(function, grid(self.side), BLOCK, arguments) }]
    }
}

impl Sides for Plane<Bilinear> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "sample_f32",
        group: TEXTURES,
        twin: Twin::of("textures", "sample_f32"),
        unit: "pixels",
        sizes: &[1 << 24],
        small: 1 << 10,
        // Three quarters of the image along each side are read, and all of the result is written.
        traffic: |n| Traffic::Bytes(4 * n + 4 * n * 9 / 16),
        bound: Bound::Latency(
            "one sample per thread: blocks come and go before enough of them are under way",
        ),
        prediction: "0.99 or more: the same texture instruction, and a check of two coordinates on both sides",
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
        let shape = Launch::new(grid(self.side), BLOCK);
        Ok(sample_f32::launch(
            stream,
            shape,
            &self.image,
            STEP,
            self.y.view_2d_mut(self.side)?,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        self.call("sample_f32", STEP)
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let place = |k: usize| k as f64 * f64::from(STEP) + 0.625;
        let (x, y) = (place(i % self.side), place(i / self.side));
        Reference::of(between(self.side, x, y, |i| f64::from(texel(i))))
    }
}

impl Sides for Plane<Bicubic> {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "bicubic",
        group: TEXTURES,
        twin: Twin::of("textures", "bicubic"),
        unit: "pixels",
        sizes: &[1 << 24],
        small: 1 << 10,
        traffic: |n| Traffic::Bytes(4 * n + 4 * n / 16),
        bound: Bound::Latency(
            "four samples per pixel, each at a place that is computed from a quotient",
        ),
        prediction: "0.97 or more: both sides divide four times; nvcc's division and ours are the same instructions, in another order",
        run: run::<Self>,
    };
    // The texture unit's weights have eight bits.
    const TOLERANCE: f64 = 0.01;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        Self::make(session, size)
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(f32::NAN, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::new(grid(self.side), BLOCK);
        Ok(bicubic::launch(
            stream,
            shape,
            &self.image,
            ZOOM,
            self.y.view_2d_mut(self.side)?,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        self.call("bicubic", ZOOM)
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(self.y.to_vec(stream)?)
    }

    fn reference(&self, i: usize) -> Reference {
        let place = |k: usize| (k as f32 * ZOOM + 8.0).min(self.side as f32 + 2.0);
        let (x, y) = (
            two_places(place(i % self.side)),
            two_places(place(i / self.side)),
        );
        let sample =
            |x: f32, y: f32| between(self.side, x.into(), y.into(), |i| f64::from(texel(i)));
        let row = |y: f32| {
            x.iter()
                .map(|x| f64::from(x.1) * sample(x.0, y))
                .sum::<f64>()
        };
        let value = y.iter().map(|y| f64::from(y.1) * row(y.0)).sum();
        Reference::scaled(value, 255.0)
    }
}

/// One sample of an image in colours for each pixel, back to bytes.
pub(crate) struct Colours {
    side: usize,
    image: TextureObject<'static, D2, UChar4, Normalized>,
    y: DeviceBuffer<UChar4>,
}

impl Sides for Colours {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "sample_u8x4",
        group: TEXTURES,
        twin: Twin::of("textures", "sample_u8x4"),
        unit: "pixels",
        sizes: &[1 << 24],
        small: 1 << 10,
        traffic: |n| Traffic::Bytes(4 * n + 4 * n * 9 / 16),
        bound: Bound::Latency("one sample per thread, and four conversions"),
        prediction: "0.98 or more: `as u8` saturates: a minimum and a maximum for each number, hidden by the wait for the sample",
        run: run::<Self>,
    };
    // A byte may be rounded to the other side where the sum is between two.
    const TOLERANCE: f64 = 1.01 / 255.0;
    type Value = u8;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let side = side(size);
        let texels: Vec<UChar4> = (0..side * side)
            .map(|i| [0, 1, 2, 3].map(|c| texel(4 * i + c)).into())
            .collect();
        Ok(Self {
            side,
            image: image(session, (side, side).into(), &texels, Sampler::new())?,
            y: session.device.alloc_uninit(side * side)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill([1; 4].into(), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::new(grid(self.side), BLOCK);
        Ok(sample_u8x4::launch(
            stream,
            shape,
            &self.image,
            STEP,
            self.y.view_2d_mut(self.side)?,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.side as u32;
        let arguments = arguments![self.image.raw_handle(), STEP, &self.y, n, n];
        // SAFETY: the twin takes a texture, the step, a pointer to `n * n` times uchar4, and `n` twice.
        vec![unsafe { Call::new("sample_u8x4", grid(self.side), BLOCK, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<u8>, BenchError> {
        Ok(self
            .y
            .to_vec(stream)?
            .iter()
            .flat_map(|pixel| <[u8; 4]>::from(*pixel))
            .collect())
    }

    fn reference(&self, i: usize) -> Reference {
        let (i, c) = (i / 4, i % 4);
        let place = |k: usize| k as f64 * f64::from(STEP) + 0.625;
        let (x, y) = (place(i % self.side), place(i / self.side));
        let sum = between(self.side, x, y, |i| f64::from(texel(4 * i + c)));
        Reference::scaled(sum, 255.0)
    }
}
