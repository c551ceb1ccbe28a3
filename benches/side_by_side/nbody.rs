//! All bodies pull all bodies: arithmetic, with square roots and divisions, over tiles in shared memory.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Traffic, Twin};
use warploom_harness::record::Measured;

use super::Run;
use super::driver::{Argument, Shape};
use super::kernels::{Body, THREADS, nbody};
use super::session::{BenchError, Compared, Session, Verdict, only_verified};

pub(crate) const NBODY: Benchmark<Run> = Benchmark {
    name: "nbody",
    twin: Twin::cuda("nbody"),
    unit: "bodies",
    sizes: &[65536],
    small: 512,
    traffic: |n| Traffic::Flops(20 * n * n),
    prediction: "0.97 or more: one bounds check per tile of 256 bodies",
    run,
};

const SOFTENING: f32 = 1e-3;
/// Bodies that are compared with the reference.
const SAMPLES: usize = 64;

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let n = size as usize;
    let stream = &session.stream;
    let bodies: Vec<Body> = (0..n).map(body).collect();
    let on_device = session.device.upload(&bodies)?;
    let mut acceleration = session.device.zeroed::<Body>(n)?;
    let shape = Launch::covering(n);
    let verdict = Verdict {
        kernel: NBODY.name,
        size,
        limit: 1e-4,
    };
    let compared = |values: Vec<Body>| {
        let sampled = (0..n).step_by(n / SAMPLES.min(n) + 1);
        let of_body = |i: usize| errors(values[i], reference(&bodies, i));
        sampled.flat_map(of_body).collect::<Vec<Compared>>()
    };
    nbody::launch(stream, shape, &on_device, SOFTENING, &mut acceleration)?;
    let error = verdict.check("ours", compared(acceleration.to_vec(stream)?))?;
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(error));
    };

    let twin = gpu.load(NBODY.twin)?;
    let arguments = vec![
        Argument::Pointer(on_device.raw_ptr()),
        Argument::Length(size),
        Argument::Float(SOFTENING),
        Argument::Pointer(acceleration.raw_ptr()),
    ];
    let blocks = n.div_ceil(THREADS as usize) as u32;
    let shape_of_twin = Shape {
        grid: (blocks, 1),
        block: (THREADS, 1),
    };
    // SAFETY: the twin takes `n` bodies, `n` (a multiple of the block), the softening, and room for `n` results; `Body` has size
    // and alignment of float4. Buffers and stream live until the last time was taken.
    let mut peer = unsafe { twin.prepare(session.raw_stream(), shape_of_twin, arguments) };
    acceleration.copy_from(0, &vec![Body::default(); n], stream)?;
    peer.launch()?;
    let peer_error = verdict.check("peer", compared(acceleration.to_vec(stream)?))?;
    let times = session.interleave(
        || nbody::launch(stream, shape, &on_device, SOFTENING, &mut acceleration),
        || peer.launch(),
    )?;
    Ok(Measured {
        times,
        max_error: error.max(peer_error),
    })
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

fn errors(value: Body, (reference, scale): ([f64; 3], f64)) -> impl Iterator<Item = Compared> {
    let pairs = place(value).into_iter().zip(reference);
    pairs.map(move |(value, reference)| Compared {
        value,
        reference,
        scale,
    })
}
