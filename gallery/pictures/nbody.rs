//! Two discs of stars meet: each body is pulled by all others.
//!
//! In no document (more). Note `step`: a block reads the bodies 64 at a time into shared memory, which all of its threads then go
//! through. Bodies move into a second buffer, so that no thread reads a position that has changed; the two take turns.
//!
//! `cargo run --release -p warploom-gallery --example nbody [bodies] [steps]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::vector::Float4;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Bodies that are in shared memory at a time.
const TILE: usize = 64;
const TIME: f32 = 0.02;
/// Keeps two bodies that meet from being thrown out.
const SOFTENING: f32 = 0.004;

/// The pull of `other` (its mass is the fourth number) on a body at `own`.
fn pull(own: Float4, other: Float4) -> Float4 {
    let d = other - own;
    let squared = d.x * d.x + d.y * d.y + d.z * d.z + SOFTENING;
    d * (other.w / (squared * squared.sqrt()))
}

/// One step of all bodies; their number is a multiple of the tile.
#[kernel(block(64))]
fn step(
    i: Index1D,
    block: Block,
    bodies: &[Float4],
    mut tile: SharedTile<Float4, TILE>,
    mut speeds: DisjointSlice<Float4>,
    mut moved: DisjointSlice<Float4>,
) {
    let own = bodies[i.get()];
    let mut sum = Float4::splat(0.0);
    for start in (0..bodies.len()).step_by(TILE) {
        tile.set_own(0, bodies[start + block.thread()]);
        let others = tile.publish(&block);
        for other in others.iter() {
            sum += pull(own, *other);
        }
        tile = others.reclaim(&block);
    }
    if let (Some(speed), Some(moved)) = (speeds.get_mut(i), moved.get_mut(i)) {
        *speed += sum * TIME;
        let place = own + *speed * TIME;
        *moved = Float4::new(place.x, place.y, place.z, own.w);
    }
}

/// Body `i` of `n` and its speed: half of them belong to each disc, the first two are the discs' heavy middles.
fn body(i: usize, n: usize) -> (Float4, Float4) {
    let side = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let (middle, drift) = ((-0.9 * side, 0.35 * side), (0.55 * side, 0.0));
    let at = |x: f32, y: f32, mass: f32| Float4::new(middle.0 + x, middle.1 + y, 0.0, mass);
    if i < 2 {
        return (at(0.0, 0.0, 1.0), Float4::new(drift.0, drift.1, 0.0, 0.0));
    }
    let radius = 0.15 + 0.55 * (i as f32 / n as f32);
    let (sin, cos) = (i as f32 * 2.399).sin_cos(); // the golden angle
    let speed = (1.0 / radius).sqrt() * radius / (radius * radius + SOFTENING).sqrt();
    let place = at(radius * cos, radius * sin, 0.1 / n as f32);
    (
        place,
        Float4::new(drift.0 - speed * sin, drift.1 + speed * cos, 0.0, 0.0),
    )
}

/// The masses times the speeds, added up. The pulls of two bodies on each other cancel out, so it stays as it is.
fn momentum(bodies: &[Float4], speeds: &[Float4]) -> [f64; 2] {
    let sum = |part: fn(&Float4) -> f32| -> f64 {
        let all = bodies.iter().zip(speeds);
        all.map(|(b, s)| f64::from(b.w) * f64::from(part(s))).sum()
    };
    [sum(|s| s.x), sum(|s| s.y)]
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, side) = (program.device(), program.sized(300, 900));
    let stream = device.stream()?;
    let n = program
        .argument(1, program.sized(4 * TILE, 256 * TILE))?
        .next_multiple_of(TILE);
    let steps = program.argument(2, program.sized(44, 200))?;
    let (bodies, speeds): (Vec<Float4>, Vec<Float4>) = (0..n).map(|i| body(i, n)).unzip();
    let (mut now, mut next) = (device.upload(&bodies)?, device.zeroed::<Float4>(n)?);
    let mut on_device = device.upload(&speeds)?;
    let mut light = vec![[0.0f32; 3]; side * side];
    for done in 0..steps {
        step::launch(
            &stream,
            Launch::covering(n),
            &now,
            &mut on_device,
            &mut next,
        )?;
        std::mem::swap(&mut now, &mut next);
        let places = now.to_vec(&stream)?;
        if done == 0 {
            let (found, sampled) = (on_device.to_vec(&stream)?, (0..n).step_by(n / 64));
            let wrong = sampled.filter(|&i| !first_step(&bodies, speeds[i], found[i], i));
            program.is("bodies with another speed", wrong.count(), 0);
        }
        // Later places are brighter.
        let share = ((done + 1) as f32 / steps as f32).powi(4) * 190.0 + 16.0;
        for (i, p) in places.iter().enumerate() {
            let pixel = |v: f32| ((v * 0.36 + 0.5) * side as f32) as usize;
            let (x, y) = (pixel(p.x), pixel(p.y));
            if p.x > -1.35 && p.y > -1.35 && x < side && y < side {
                let colour = if i.is_multiple_of(2) {
                    [1.0, 0.75, 0.4]
                } else {
                    [0.4, 0.7, 1.0]
                };
                let pixel = &mut light[y * side + x];
                (0..3).for_each(|k| pixel[k] += share * colour[k]);
            }
        }
    }
    let after = momentum(&now.to_vec(&stream)?, &on_device.to_vec(&stream)?);
    let before = momentum(&bodies, &speeds);
    println!("{n} bodies, {steps} steps: momentum {before:.6?}, then {after:.6?}");
    let drift = (0..2)
        .map(|k| (after[k] - before[k]).abs())
        .fold(0.0, f64::max);
    program.holds("the momentum stays", drift < 1e-4);
    let rgb: Vec<[u8; 3]> = light.iter().map(|p| p.map(|v| v as u8)).collect();
    program.picture("nbody.png", side, &rgb)
}

/// Whether a body's speed after the first step is what all pulls make of it, added up in double precision.
fn first_step(bodies: &[Float4], before: Float4, after: Float4, i: usize) -> bool {
    let (mut sum, mut sizes) = ([0.0f64; 3], 0.0);
    for &other in bodies {
        let pull = pull(bodies[i], other).to_array().map(f64::from);
        (0..3).for_each(|k| sum[k] += pull[k]);
        sizes += pull.iter().map(|p| p.abs()).sum::<f64>();
    }
    let (before, after) = (before.to_array(), after.to_array());
    (0..3).all(|k| {
        let expected = f64::from(before[k]) + sum[k] * f64::from(TIME);
        (f64::from(after[k]) - expected).abs() <= 1e-5 * (sizes + expected.abs())
    })
}
