//! All bodies pull all bodies: arithmetic, with square roots and divisions, over tiles in shared memory.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{PARTICLES, Run};

/// Position and mass, or acceleration and nothing.
#[derive(Clone, Copy, Debug, Default, Plain)]
#[repr(C, align(16))]
struct Body {
    x: f32,
    y: f32,
    z: f32,
    mass: f32,
}

/// Acceleration of each body by all bodies, 256 of them at a time in shared memory. Their number is a multiple of 256.
#[kernel(fma, block(256))]
fn nbody(
    i: Index1D,
    block: Block,
    bodies: &[Body],
    softening: f32,
    mut tile: SharedTile<Body, 256>,
    mut acceleration: DisjointSlice<Body>,
) {
    let own = bodies[i.get()];
    let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
    for start in (0..bodies.len()).step_by(256) {
        tile.set_own(0, bodies[start + block.thread()]);
        let others = tile.publish(&block);
        for other in others.iter() {
            let (dx, dy, dz) = (other.x - own.x, other.y - own.y, other.z - own.z);
            let squared = dx * dx + dy * dy + dz * dz + softening;
            let inverse = 1.0 / squared.sqrt();
            let pull = other.mass * inverse * inverse * inverse;
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }
        tile = others.reclaim(&block);
    }
    if let Some(acceleration) = acceleration.get_mut(i) {
        *acceleration = Body { x, y, z, mass: 0.0 };
    }
}

const SOFTENING: f32 = 1e-3;

pub(crate) struct Nbody {
    bodies: Vec<Body>,
    on_device: DeviceBuffer<Body>,
    acceleration: DeviceBuffer<Body>,
}

impl Sides for Nbody {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "nbody",
        group: PARTICLES,
        twin: Twin::cuda("nbody"),
        unit: "bodies",
        sizes: &[65536],
        small: 512,
        traffic: |n| Traffic::Flops(20 * n * n),
        bound: Bound::Compute(
            "20 operations for each pair of bodies, which are read from shared memory",
        ),
        prediction: "0.97 or more: one bounds check per tile of 256 bodies",
        run: run::<Self>,
    };
    const TOLERANCE: f64 = 1e-4;
    const SAMPLES: usize = 200;
    type Value = f32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let bodies: Vec<Body> = (0..size as usize).map(body).collect();
        Ok(Self {
            on_device: session.device.upload(&bodies)?,
            acceleration: session.device.zeroed(bodies.len())?,
            bodies,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let none = Body {
            x: f32::NAN,
            ..Body::default()
        };
        Ok(self.acceleration.fill(none, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::covering(self.bodies.len());
        let Self {
            on_device,
            acceleration,
            ..
        } = self;
        Ok(nbody::launch(
            stream,
            shape,
            &*on_device,
            SOFTENING,
            acceleration,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.bodies.len();
        let arguments = arguments![&self.on_device, n as u64, SOFTENING, &self.acceleration];
        // SAFETY: the twin takes `n` bodies, `n` (a multiple of the block), the softening, and room for `n` results; `Body` has size
        // and alignment of float4.
        vec![unsafe { Call::new("nbody", (n / 256) as u32, 256, arguments) }]
    }

    /// Three coordinates for each body.
    fn result(&self, stream: &Stream) -> Result<Vec<f32>, BenchError> {
        let all = self.acceleration.to_vec(stream)?;
        Ok(all.iter().flat_map(|b| [b.x, b.y, b.z]).collect())
    }

    fn reference(&self, i: usize) -> Reference {
        let (sum, scale) = reference(&self.bodies, i / 3);
        Reference::scaled(sum[i % 3], scale)
    }
}

/// Bodies on a spiral with different masses, the same in each run.
fn body(i: usize) -> Body {
    let turn = i as f32 * 0.618;
    let radius = 1.0 + (i % 1000) as f32 / 100.0;
    Body {
        x: radius * turn.sin(),
        y: radius * turn.cos(),
        z: (i % 77) as f32 / 10.0,
        mass: 0.5 + (i % 5) as f32 / 4.0,
    }
}

/// The acceleration of body `i` in f64, with the sum of the lengths of all pulls: the size by which an error is judged.
fn reference(bodies: &[Body], i: usize) -> ([f64; 3], f64) {
    let own = place(bodies[i]);
    let mut sum = [0.0; 3];
    let mut scale = 0.0;
    for other in bodies {
        let at = place(*other);
        let d = [at[0] - own[0], at[1] - own[1], at[2] - own[2]];
        let squared: f64 = d.iter().map(|v| v * v).sum::<f64>() + f64::from(SOFTENING);
        let pull = f64::from(other.mass) / (squared * squared.sqrt());
        for (sum, d) in sum.iter_mut().zip(d) {
            *sum += pull * d;
        }
        scale += pull * d.iter().map(|v| v * v).sum::<f64>().sqrt();
    }
    (sum, scale)
}

fn place(body: Body) -> [f64; 3] {
    [body.x, body.y, body.z].map(f64::from)
}
