//! Particles that move, and of which those whose time is over are left out: a step is one pass over memory.

use warploom::prelude::*;
use warploom_algorithms::Error;
use warploom_algorithms::prelude::*;

use crate::bench::{Bench, Done, same};
use crate::noise::noise;

// ANCHOR: algorithm
/// Where it is, where it moves, and how long it is still there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
struct Particle {
    at: [f32; 3],
    velocity: [f32; 3],
    life: f32,
}

impl Particle {
    /// After a time `dt`, if it is still there then.
    fn after(self, dt: f32) -> Option<Particle> {
        let along = |axis: usize| self.at[axis] + self.velocity[axis] * dt;
        let (at, life) = ([along(0), along(1), along(2)], self.life - dt);
        (life > 0.0).then_some(Particle { at, life, ..self })
    }
}

fn step(
    stream: &Stream,
    particles: &DeviceBuffer<Particle>,
    alive: &mut DeviceBuffer<Particle>,
    dt: f32,
) -> Result<usize, Error> {
    let moved = stream.filter_map(particles, move |particle: Particle| particle.after(dt));
    moved.count(alive)
}
// ANCHOR_END: algorithm

pub(crate) fn run(bench: &Bench, n: usize) -> Done {
    let particle = |x: u32| Particle {
        at: [x as f32, 0.5, -1.0],
        velocity: [1.0, -2.0, (x % 7) as f32],
        life: (x % 8) as f32,
    };
    let particles: Vec<Particle> = noise(n).map(particle).collect();
    let (x, mut alive) = (bench.device.upload(&particles)?, bench.device.zeroed(n)?);
    let count = bench.time("three of eight end", || {
        step(&bench.stream, &x, &mut alive, 2.0)
    })?;

    let expected: Vec<Particle> = particles.iter().filter_map(|p| p.after(2.0)).collect();
    let alive = alive.slice(..count)?.to_vec(&bench.stream)?;
    same("particles", &alive, &expected)
}
