//! Two halves of an array on two streams: to the device, through a kernel, and back; timed by a pair of events.
//!
//! The CUDA programming guide, sections 3.2.6.4 and 3.3.9.1 (EX-13), 3.2.6.5 and 3.3.9.2 (EX-14). Note: each stream keeps the order of
//! its own work, and nothing orders the two; the host goes on at once. The event at the end waits for both streams, so that the time is
//! that of all. Where a GPU copies and computes at a time, two streams take less than one.
//!
//! `cargo run --release -p warploom-gallery --example two_streams`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Each thread takes elements at a distance of all threads.
#[kernel]
fn process(i: Index1D, x: &[f32], mut y: DisjointSlice<f32, GridStride>) {
    for (at, y) in y.iter_mut(i) {
        *y = 2.0 * x[at] - 1.0;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let half = program.sized(3000, 1 << 24);
    let source: Vec<f32> = (0..2 * half).map(|i| (i % 1000) as f32).collect();
    let expected: Vec<f32> = source.iter().map(|v| 2.0 * v - 1.0).collect();
    let engines = program.device().properties()?.async_engines;
    println!("copies beside kernels: {engines} at a time");
    pipeline(program, 1, half, &source, &expected)?; // loads the code
    for streams in [1, 2] {
        let ms = pipeline(program, streams, half, &source, &expected)?;
        println!("two halves of {half} on {streams} stream(s): {ms:.3} ms");
        program.holds("takes time", ms > 0.0);
    }
    Ok(())
}

/// Milliseconds from the first copy to the last.
fn pipeline(
    program: &Program,
    streams: usize,
    half: usize,
    source: &[f32],
    expected: &[f32],
) -> Result<f64> {
    let device = program.device();
    let streams = (0..streams)
        .map(|_| device.stream())
        .collect::<std::result::Result<Vec<Stream>, _>>()?;
    let host = device.pinned_from(source)?;
    let mut results = [device.pinned::<f32>(half)?, device.pinned::<f32>(half)?];
    let mut memory = Vec::new();
    for _ in 0..2 {
        memory.push((device.zeroed::<f32>(half)?, device.zeroed::<f32>(half)?));
    }
    let shape = program.sized(Launch::new(4, 64), Launch::new(100, 512));

    let (start, end) = (device.event()?, device.event()?);
    streams[0].record(&start)?;
    for (part, ((x, y), result)) in memory.iter_mut().zip(&mut results).enumerate() {
        let stream = &streams[part % streams.len()];
        x.copy_from_pinned(0, host.slice(part * half..(part + 1) * half)?, stream)?;
        process::launch(stream, shape, &*x, &mut *y)?;
        y.copy_to_pinned(0, result, stream)?;
    }
    for other in &streams[1..] {
        let done = device.event()?;
        other.record(&done)?;
        streams[0].wait(&done)?;
    }
    streams[0].record(&end)?;
    let ms = start.elapsed_ms(&end)?;
    for (result, expected) in results.iter().zip(expected.chunks(half)) {
        program.equal("a half", result.as_slice()?, expected);
    }
    Ok(ms)
}
