//! The sum of many numbers: memory, shuffles, one phase of shared memory; two launches.

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Traffic, Twin};
use warploom_harness::record::Measured;

use super::Run;
use super::driver::{Argument, Shape};
use super::kernels::{THREADS, sum};
use super::session::{BenchError, Compared, Session, Verdict, only_verified};

pub(crate) const SUM: Benchmark<Run> = Benchmark {
    name: "sum",
    twin: Twin::cuda("sum"),
    unit: "elements",
    sizes: &[1 << 20, 1 << 28],
    small: 5000,
    traffic: |n| Traffic::Bytes(4 * n),
    prediction: "0.98 or more: the loop is bound by memory on both sides",
    run,
};

/// Sixteen blocks for each of the H200's 132 multiprocessors.
const BLOCKS: u32 = 16 * 132;

fn run(session: &Session, size: u64) -> Result<Measured, BenchError> {
    let n = size as usize;
    let stream = &session.stream;
    let x = session
        .device
        .upload(&(0..n).map(x_at).collect::<Vec<f32>>())?;
    let mut partial = session.device.zeroed::<f32>(BLOCKS as usize)?;
    let mut total = session.device.zeroed::<f32>(1)?;
    let (first, second) = (Launch::new(BLOCKS, THREADS), Launch::new(1, THREADS));
    let reference: f64 = (0..n).map(|i| f64::from(x_at(i))).sum();
    let verdict = Verdict {
        kernel: SUM.name,
        size,
        limit: 1e-6,
    };
    let compared = |values: Vec<f32>| {
        values.into_iter().map(move |value| Compared {
            value: f64::from(value),
            reference,
            scale: reference,
        })
    };
    sum::launch(stream, first, &x, &mut partial)?;
    sum::launch(stream, second, &partial, &mut total)?;
    let error = verdict.check("ours", compared(total.to_vec(stream)?))?;
    let Some(gpu) = &session.gpu else {
        return Ok(only_verified(error));
    };

    let twin = gpu.load(SUM.twin)?;
    let arguments = |from, length, to| {
        vec![
            Argument::Pointer(from),
            Argument::Length(length),
            Argument::Pointer(to),
        ]
    };
    let all = arguments(x.raw_ptr(), size, partial.raw_ptr());
    let partials = arguments(partial.raw_ptr(), u64::from(BLOCKS), total.raw_ptr());
    let shape = |blocks| Shape {
        grid: (blocks, 1),
        block: (THREADS, 1),
    };
    // SAFETY: the twin reads as many floats as it is told and writes one per block: `BLOCKS`, which `partial` has. Buffers and
    // stream live until the last time was taken.
    let mut peer_first = unsafe { twin.prepare(session.raw_stream(), shape(BLOCKS), all) };
    // SAFETY: as above, with one block; `total` has one element.
    let mut peer_second = unsafe { twin.prepare(session.raw_stream(), shape(1), partials) };
    total.copy_from(0, &[0.0], stream)?;
    peer_first.launch()?;
    peer_second.launch()?;
    let peer_error = verdict.check("peer", compared(total.to_vec(stream)?))?;
    let times = session.interleave(
        || {
            sum::launch(stream, first, &x, &mut partial)?;
            sum::launch(stream, second, &partial, &mut total)
        },
        || {
            peer_first.launch()?;
            peer_second.launch()
        },
    )?;
    Ok(Measured {
        times,
        max_error: error.max(peer_error),
    })
}

fn x_at(i: usize) -> f32 {
    (i % 7) as f32 / 4.0
}
