//! Rays through a volume, with a table of colours: two samples in each step, the second at a place that the first gives.

use warploom::TextureObject;
use warploom::device_std::texture::{D1, D3};
use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom::texture::Sampler;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::{BLOCK, grid, image, side};
use crate::data::flat;
use crate::session::{BenchError, Session};
use crate::sides::{Call, Reference, Sides, arguments, run};
use crate::{Run, TEXTURES};

#[kernel(fma)]
fn volume(
    i: Index2D,
    density: Texture3d<u8, Normalized>,
    colours: Texture1d<Float4>,
    pixel: f32,
    steps: u32,
    mut y: DisjointSlice2D<Float4>,
) {
    let Some(y) = y.get_mut(i) else { return };
    let (u, v, depth) = (
        i.x() as u32 as f32 * pixel,
        i.y() as u32 as f32 * pixel,
        1.0 / steps as f32,
    );
    let (mut r, mut g, mut b, mut clear) = (0.0, 0.0, 0.0, 1.0);
    for k in 0..steps {
        let z = (k as f32 + 0.5) * depth;
        let c = colours.sample(density.sample(u + 0.1 * z, v + 0.05 * z, z));
        let part = clear * c.w;
        r += part * c.x;
        g += part * c.y;
        b += part * c.z;
        clear -= part;
        if clear < 0.01 {
            break;
        }
    }
    *y = Float4::new(r, g, b, clear);
}

/// Elements along each side of the volume.
const N: usize = 128;
const STEPS: u32 = 192;

/// Rays through a volume, colours by a table.
pub(crate) struct Rays {
    side: usize,
    density: TextureObject<'static, D3, u8, Normalized>,
    colours: TextureObject<'static, D1, Float4>,
    y: DeviceBuffer<Float4>,
}

/// Waves: neighbours are alike, and rays end at different depths.
fn density(i: usize) -> u8 {
    let [x, y, z] = [i % N, i / N % N, i / N / N].map(|k| k as f32 / N as f32);
    let wave = (9.0 * x + 4.0 * z).sin() + (7.0 * y - 5.0 * z).sin() + (11.0 * z).sin();
    (127.0 + 42.0 * wave) as u8
}

/// Nothing at first, then thicker and thicker.
fn colour(k: usize) -> [f32; 4] {
    let t = k as f32 / 255.0;
    let opacity = if t < 0.5 { 0.0 } else { 0.1 * (t - 0.5) };
    [t, 1.0 - t, 0.5 * t, opacity]
}

impl Rays {
    fn pixel(&self) -> f32 {
        0.85 / self.side as f32
    }
}

impl Sides for Rays {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "volume",
        group: TEXTURES,
        twin: Twin::of("textures", "volume"),
        unit: "rays",
        sizes: &[1 << 20],
        small: 1 << 8,
        // The volume is read once from memory, the result written.
        traffic: |n| Traffic::Bytes(16 * n + (N * N * N) as u64),
        bound: Bound::Latency(
            "each step waits for a sample of the volume, then for one of the table",
        ),
        prediction: "0.97 or more: both wait for the same two samples in each step",
        run: run::<Self>,
    };
    // Weights have eight bits, in each of the steps.
    const TOLERANCE: f64 = 0.02;
    const SAMPLES: usize = 1 << 12;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let side = side(size);
        let texels: Vec<u8> = (0..N * N * N).map(density).collect();
        let table: Vec<Float4> = (0..256).map(|k| colour(k).into()).collect();
        let normalized = Sampler::new().normalized();
        Ok(Self {
            side,
            density: image(session, (N, N, N).into(), &texels, normalized)?,
            colours: image(session, 256.into(), &table, normalized)?,
            y: session.device.alloc_uninit(side * side)?,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        Ok(self.y.fill(Float4::splat(f32::NAN), stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let (shape, pixel) = (Launch::new(grid(self.side), BLOCK), self.pixel());
        let y = self.y.view_2d_mut(self.side)?;
        Ok(volume::launch(
            stream,
            shape,
            &self.density,
            &self.colours,
            pixel,
            STEPS,
            y,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.side as u32;
        let handles = (self.density.raw_handle(), self.colours.raw_handle());
        let arguments = arguments![handles.0, handles.1, self.pixel(), STEPS, &self.y, n, n];
        // SAFETY: the twin takes two textures, the width of a pixel, steps, a pointer to `n * n` times float4, and `n` twice.
        vec![unsafe { Call::new("volume", grid(self.side), BLOCK, arguments) }]
    }

    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        Ok(flat(self.y.to_vec(stream)?))
    }

    fn reference(&self, i: usize) -> Reference {
        let (i, c) = (i / 4, i % 4);
        let place = |k: usize| k as f64 * f64::from(self.pixel());
        let (u, v) = (place(i % self.side), place(i / self.side));
        let (mut sum, mut clear) = ([0.0; 3], 1.0);
        for k in 0..STEPS {
            let z = (f64::from(k) + 0.5) / f64::from(STEPS);
            let rgba = table_at(density_at([u + 0.1 * z, v + 0.05 * z, z]));
            let part = clear * rgba[3];
            for c in 0..3 {
                sum[c] += part * rgba[c];
            }
            clear -= part;
            if clear < 0.01 {
                break;
            }
        }
        Reference::scaled(sum.get(c).copied().unwrap_or(clear), 1.0)
    }
}

/// The element below a place, the one above, and the part of that.
fn neighbours(x: f64, n: usize) -> (usize, usize, f64) {
    let x = (x * n as f64).clamp(0.5, n as f64 - 0.5) - 0.5;
    (x as usize, (x as usize + 1).min(n - 1), x.fract())
}

fn density_at(at: [f64; 3]) -> f64 {
    let [x, y, z] = at.map(|k| neighbours(k, N));
    let mix = |a: f64, b: f64, part: f64| a * (1.0 - part) + b * part;
    let row = |z: usize, y: usize| {
        let at = |x: usize| f64::from(density((z * N + y) * N + x)) / 255.0;
        mix(at(x.0), at(x.1), x.2)
    };
    let plane = |z: usize| mix(row(z, y.0), row(z, y.1), y.2);
    mix(plane(z.0), plane(z.1), z.2)
}

fn table_at(x: f64) -> [f64; 4] {
    let (low, high, part) = neighbours(x, 256);
    let [low, high] = [low, high].map(|k| colour(k).map(f64::from));
    [0, 1, 2, 3].map(|c| low[c] * (1.0 - part) + high[c] * part)
}
