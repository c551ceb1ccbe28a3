//! `y += a * x`: what memory gives.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Traffic, Twin};
use warploom_harness::record::Measured;

use super::Run;
use super::driver::{Argument, Shape};
use super::kernels::{THREADS, saxpy};
use super::session::{BenchError, Compared, Session, Verdict, only_verified};

pub(crate) const SAXPY: Benchmark<Run> = Benchmark {
    name: "saxpy",
    twin: Twin::cuda("saxpy"),
    unit: "elements",
    sizes: &[1 << 20, 1 << 28],
    small: 1000,
    traffic: |n| Traffic::Bytes(12 * n),
    prediction: "0.98 or more: one comparison more per element, hidden by memory",
    run,
};

const A: f32 = 2.0;

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let n = size as usize;
    let x = session
        .device
        .upload(&(0..n).map(x_at).collect::<Vec<f32>>())?;
    let start: Vec<f32> = (0..n).map(y_at).collect();
    let mut y = session.device.upload(&start)?;
    let shape = Launch::covering(n);
    // The values are small multiples of 1/8: both sides must be exact.
    let verdict = Verdict {
        kernel: SAXPY.name,
        size,
        limit: 0.0,
    };
    let compared = |values: Vec<f32>| {
        values.into_iter().enumerate().map(|(i, value)| Compared {
            value: f64::from(value),
            reference: f64::from(A) * f64::from(x_at(i)) + f64::from(y_at(i)),
            scale: 1.0,
        })
    };
    saxpy::launch(&session.stream, shape, A, &x, &mut y)?;
    let error = verdict.check("ours", compared(y.to_vec(&session.stream)?))?;
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(error));
    };

    let twin = gpu.load(SAXPY.twin)?;
    let arguments = vec![
        Argument::Float(A),
        Argument::Pointer(x.raw_ptr()),
        Argument::Pointer(y.raw_ptr()),
        Argument::Length(size),
    ];
    let blocks = n.div_ceil(THREADS as usize) as u32;
    let shape_of_twin = Shape {
        grid: (blocks, 1),
        block: (THREADS, 1),
    };
    // SAFETY: the twin takes float, two pointers to `size` floats and the length; it writes nothing beyond. Buffers and stream
    // live until the last time was taken.
    let mut peer = unsafe { twin.prepare(session.raw_stream(), shape_of_twin, arguments) };
    y.copy_from(0, &start, &session.stream)?;
    peer.launch()?;
    let peer_error = verdict.check("peer", compared(y.to_vec(&session.stream)?))?;
    let times = session.interleave(
        || saxpy::launch(&session.stream, shape, A, &x, &mut y),
        || peer.launch(),
    )?;
    Ok(Measured {
        times,
        max_error: error.max(peer_error),
    })
}

fn x_at(i: usize) -> f32 {
    (i % 1024) as f32 / 8.0
}

fn y_at(i: usize) -> f32 {
    (i % 61) as f32
}
