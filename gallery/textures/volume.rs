//! Rays through a volume: a texture of three dimensions has densities, one of one dimension their colours.
//!
//! In no document (more). Note: both textures mix neighbours, so that a step of a ray may be smaller than an element. A ray ends where
//! what it passed hides the rest: neighbouring threads end at about the same step. The volume lies still; the eye goes around it.
//!
//! `cargo run --release -p warploom-gallery --example volume [degrees]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom::texture::{Address, Filter, Sampler};
use warploom_gallery::{Program, Result};

/// Elements along each side of the volume.
const N: usize = 48;
const STEPS: u32 = 80;
const SIDE: usize = 160;

/// Where rays come from: directions to the right and downwards in the picture, and into it. Lengths are in sides of the volume.
#[derive(Clone, Copy, Debug, KernelArg)]
struct Eye {
    across: [f32; 3],
    down: [f32; 3],
    into: [f32; 3],
}

impl Eye {
    /// Looks at the middle, from an angle around it, and from above.
    fn new(around: f32, above: f32) -> Self {
        let ((sin, cos), (high, low)) = (around.sin_cos(), above.sin_cos());
        Self {
            across: [cos, 0.0, sin],
            down: [sin * high, low, -cos * high],
            into: [-sin * low, high, cos * low],
        }
    }
}

/// Start, and step, of the ray of a pixel: parallel to all others.
fn ray(eye: Eye, x: usize, y: usize) -> ([f32; 3], [f32; 3]) {
    let (middle, pixel) = (0.5 * SIDE as f32 - 0.5, 1.3 / SIDE as f32);
    let (u, v) = ((x as f32 - middle) * pixel, (y as f32 - middle) * pixel);
    let start = |k: usize| 0.5 + u * eye.across[k] + v * eye.down[k] - 0.875 * eye.into[k];
    let step = |k: usize| eye.into[k] * (1.75 / STEPS as f32);
    ([start(0), start(1), start(2)], [step(0), step(1), step(2)])
}

/// Colours from front to back; each hides a part of those behind it.
fn colour_of_ray(
    (start, step): ([f32; 3], [f32; 3]),
    density: impl Fn(f32, f32, f32) -> f32,
    colours: impl Fn(f32) -> [f32; 4],
) -> [f32; 4] {
    let (mut sum, mut clear) = ([0.0; 3], 1.0);
    for i in 0..STEPS {
        let at = |axis: usize| start[axis] + i as f32 * step[axis];
        let [r, g, b, opacity] = colours(density(at(0), at(1), at(2)));
        let part = clear * opacity;
        sum = [sum[0] + part * r, sum[1] + part * g, sum[2] + part * b];
        clear -= part;
        if clear < 0.01 {
            break;
        }
    }
    [sum[0], sum[1], sum[2], clear]
}

#[kernel]
fn cast(
    at: Index2D,
    volume: Texture3d<u8, Normalized>,
    colours: Texture1d<[f32; 4]>,
    eye: Eye,
    mut y: DisjointSlice2D<[u8; 4]>,
) {
    if let Some(y) = y.get_mut(at) {
        let ray = ray(eye, at.x(), at.y());
        let colour = colour_of_ray(ray, |x, y, z| volume.sample(x, y, z), |d| colours.sample(d));
        *y = colour.map(|c| (c * 255.0 + 0.5) as u8);
    }
}

/// Three balls that run into each other, and a floor.
fn densities() -> Vec<u8> {
    let balls = [
        [0.35, 0.4, 0.5, 0.2],
        [0.62, 0.5, 0.4, 0.16],
        [0.5, 0.3, 0.68, 0.12],
    ];
    let density = |i: usize| {
        let at = [i % N, i / N % N, i / N / N].map(|k| (k as f32 + 0.5) / N as f32);
        let pull = |[x, y, z, radius]: [f32; 4]| {
            let [x, y, z] = [at[0] - x, at[1] - y, at[2] - z];
            radius * radius / (x * x + y * y + z * z + 0.002)
        };
        let inside = at.iter().all(|k| (0.06..0.94).contains(k));
        let floor = if inside && at[1] > 0.86 { 250.0 } else { 0.0 };
        let sum: f32 = balls.into_iter().map(pull).sum();
        (if inside { 90.0 * sum } else { 0.0 })
            .min(230.0)
            .max(floor) as u8
    };
    (0..N * N * N).map(density).collect()
}

/// Clear below a third, then mist, a skin, a core, and the floor at last.
fn table() -> [[f32; 4]; 16] {
    let mut colours = [[0.0; 4]; 16];
    for (k, colour) in colours.iter_mut().enumerate() {
        *colour = match k {
            0..=4 => [0.0; 4],
            5 => [0.3, 0.5, 1.0, 0.015],
            6..=7 => [0.2, 0.6, 1.0, 0.06],
            8..=13 => [1.0, 0.55, 0.2, 0.25],
            14 => [1.0, 0.9, 0.5, 0.4],
            _ => [0.35, 0.5, 0.35, 0.3],
        };
    }
    colours
}

/// Between the elements of a row of `n`: the lower, the upper, and the part of the upper.
fn between(x: f32, n: usize) -> (usize, usize, f32) {
    let x = (x * n as f32).clamp(0.5, n as f32 - 0.5) - 0.5;
    let low = x as usize;
    (low, (low + 1).min(n - 1), x - low as f32)
}

fn plain_density(volume: &[u8], [x, y, z]: [f32; 3]) -> f32 {
    if [x, y, z].iter().any(|k| !(0.0..1.0).contains(k)) {
        return 0.0; // the outermost elements are 0, too
    }
    let (x, y, z) = (between(x, N), between(y, N), between(z, N));
    let row = |z: usize, y: usize| {
        let at = |x: usize| f32::from(volume[(z * N + y) * N + x]) / 255.0;
        at(x.0) * (1.0 - x.2) + at(x.1) * x.2
    };
    let plane = |z: usize| row(z, y.0) * (1.0 - y.2) + row(z, y.1) * y.2;
    plane(z.0) * (1.0 - z.2) + plane(z.1) * z.2
}

fn plain_colour(table: &[[f32; 4]; 16], density: f32) -> [f32; 4] {
    let (low, high, part) = between(density, table.len());
    [0, 1, 2, 3].map(|c| table[low][c] * (1.0 - part) + table[high][c] * part)
}

fn draw(device: &Device, eye: Eye) -> Result<Vec<[u8; 3]>> {
    let stream = device.stream()?;
    let volume = device.array_from((N, N, N), &densities())?;
    let colours = device.array_from(16, &table())?;
    let smooth = Sampler::new().normalized().filter(Filter::Linear);
    let (volume, colours) = (
        volume.texture(smooth.address_all(Address::Border))?,
        colours.texture(smooth)?,
    );
    let mut y = device.zeroed::<[u8; 4]>(SIDE * SIDE)?;
    let shape = Launch::covering_2d(SIDE, SIDE);
    cast::launch(&stream, shape, &volume, &colours, eye, y.view_2d_mut(SIDE)?)?;
    let pixels = y.to_vec(&stream)?.into_iter();
    Ok(pixels.map(|[r, g, b, _]| [r, g, b]).collect())
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let eye = Eye::new(program.argument(1, 25.0f32)?.to_radians(), 0.45);
    let found = program.drawn("volume.png", SIDE, |device| draw(device, eye))?;
    let (volume, table) = (densities(), table());
    let (mut greatest, mut sum) = (0.0f32, 0.0);
    for (i, pixel) in found.iter().enumerate() {
        let plain = colour_of_ray(
            ray(eye, i % SIDE, i / SIDE),
            |x, y, z| plain_density(&volume, [x, y, z]),
            |density| plain_colour(&table, density),
        );
        for c in 0..3 {
            let difference = (f32::from(pixel[c]) - 255.0 * plain[c]).abs();
            greatest = greatest.max(difference);
            sum += difference;
        }
    }
    let mean = sum / (3 * found.len()) as f32;
    println!("{SIDE} x {SIDE} rays of at most {STEPS} steps");
    println!("from filters without rounding, of 255: {mean:.2} in the mean, {greatest:.2} at most");
    // Weights of eight bits move a skin by up to a 512th of an element, and each step that passes it.
    program.holds(
        "the picture is that of plain Rust",
        mean < 0.5 && greatest < 10.0,
    );
    Ok(())
}
