//! An array in parts, each of which goes to the device, through a kernel and back, on streams of its own.
//!
//! The study notes' section 1.4.4 (E3-13). Note: nothing is waited for until all parts are on their way. Page-locked memory makes the
//! copies part of the stream; a copy of other host memory is waited for. On one stream everything follows one another, on four a GPU
//! copies one part while it computes another (`overlap`, an example of the library, draws that). The emulator does one thing at a time.
//!
//! `cargo run --release -p warploom-gallery --example streamed_chunks`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;
use std::time::Instant;

use warploom::PinnedBuffer;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const PARTS: usize = 8;

#[kernel]
fn iterate(i: Index1D, rounds: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = iterated(rounds, x[i.get()]);
    }
}

/// Whole numbers, so that host and device agree to the last bit.
fn iterated(rounds: u32, x: f32) -> f32 {
    let mut value = x as u32;
    for round in 0..rounds {
        value = (value * 5 + round) % 1009;
    }
    value as f32
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

/// A part on its way: where it comes from and goes to, and its memory on the device.
struct Part {
    host: [PinnedBuffer<f32>; 2],
    device: [DeviceBuffer<f32>; 2],
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let (elements, rounds) = program.sized((500, 4), (1 << 22, 1000));
    let source: Vec<f32> = (0..elements).map(|i| (i % 997) as f32).collect();
    // Each of the 997 numbers once, for the host is slow.
    let each: Vec<f32> = (0..997).map(|x| iterated(rounds, x as f32)).collect();
    let expected: Vec<f32> = (0..elements).map(|i| each[i % 997]).collect();
    let mut parts = Vec::new();
    for _ in 0..PARTS {
        parts.push(Part {
            host: [device.pinned_from(&source)?, device.pinned(elements)?],
            device: [device.zeroed(elements)?, device.zeroed(elements)?],
        });
    }
    through(device, &mut parts, 1, rounds)?; // loads the code
    let mut times = Vec::new();
    for streams in [1, 4] {
        for part in &mut parts {
            part.host[1].as_mut_slice()?.fill(-1.0);
        }
        let ms = through(device, &mut parts, streams, rounds)?;
        println!("{PARTS} parts of {elements} on {streams} stream(s): {ms:.3} ms");
        times.push(ms);
        for part in &parts {
            program.equal("a part", part.host[1].as_slice()?, &expected);
        }
    }
    println!("{:.2} times as fast on four streams", times[0] / times[1]);
    Ok(())
}

/// Milliseconds until all parts are back.
fn through(device: &Device, parts: &mut [Part], streams: usize, rounds: u32) -> Result<f64> {
    let streams: Vec<Stream> = (0..streams)
        .map(|_| device.stream())
        .collect::<std::result::Result<_, _>>()?;
    let start = Instant::now();
    for (number, part) in parts.iter_mut().enumerate() {
        let stream = &streams[number % streams.len()];
        let ([source, target], [x, y]) = (&mut part.host, &mut part.device);
        x.copy_from_pinned(0, &*source, stream)?;
        iterate::launch(stream, Launch::covering(x.len()), rounds, &*x, &mut *y)?;
        y.copy_to_pinned(0, target, stream)?;
    }
    device.synchronize()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
