//! A stream from its beginning to its end; then two kernels, each for half of the device, one after the other and side by side.
//!
//! The study notes' section 4 (E3-29, E3-30). Note: a stream ends with its scope, and what it has to do is done all the same. On a GPU
//! two streams take about as long as one kernel; the default stream does one thing after the other, and two streams that were made
//! `blocking` take turns with the default stream only.
//!
//! `cargo run --release --example kernels_in_streams`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;
use std::time::Instant;

use warploom::StreamOptions;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Much to do for few threads: steps of a generator of random numbers.
#[kernel]
fn spin(i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = spun(rounds, i.get() as u32);
    }
}

fn spun(rounds: u32, start: u32) -> u32 {
    (0..rounds).fold(start, |value, _| {
        value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    })
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let mut y = device.zeroed::<u32>(100)?;
    {
        let stream = device.stream()?;
        spin::launch(&stream, Launch::covering(100), 3, &mut y)?;
    } // the stream is gone, its kernel is not
    let expected: Vec<u32> = (0..100).map(|i| spun(3, i)).collect();
    program.equal(
        "work of a stream that is gone",
        &y.to_vec(&device.stream()?)?,
        &expected,
    );

    // A block of 256 threads on less than half of the multiprocessors.
    let (blocks, rounds) =
        program.sized((2, 10), (device.limits().multiprocessors * 2 / 5, 1 << 20));
    let several: Vec<Stream> = (0..2)
        .map(|_| device.stream())
        .collect::<std::result::Result<_, _>>()?;
    let blocking = StreamOptions::new().blocking();
    let also = [device.stream_with(blocking)?, device.stream_with(blocking)?];
    let default = device.default_stream()?;
    let one = launches(program, &[&several[0]], blocks, rounds)?; // loads the code
    let ways: [(&str, Vec<&Stream>); 4] = [
        ("one kernel", vec![&several[0]]),
        ("two in the default stream", vec![&default, &default]),
        ("two in two streams", several.iter().collect()),
        ("two in two blocking streams", also.iter().collect()),
    ];
    println!("{blocks} blocks of 256 threads, {rounds} rounds; first launch {one:.3} ms");
    for (name, streams) in ways {
        let ms = launches(program, &streams, blocks, rounds)?;
        println!("{name:28} {ms:9.3} ms");
    }
    Ok(())
}

/// Milliseconds that a kernel in each of these streams takes, all together.
fn launches(program: &Program, streams: &[&Stream], blocks: u32, rounds: u32) -> Result<f64> {
    let (device, n) = (program.device(), 256 * blocks as usize);
    let mut outputs = Vec::new();
    for _ in streams {
        outputs.push(device.zeroed::<u32>(n)?);
    }
    device.synchronize()?;
    let start = Instant::now();
    for (stream, y) in streams.iter().zip(&mut outputs) {
        spin::launch(stream, Launch::new(blocks, 256), rounds, y)?;
    }
    device.synchronize()?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let last = spun(rounds, n as u32 - 1);
    for y in &outputs {
        program.equal(
            "the last element",
            &y.slice(n - 1..)?.to_vec(streams[0])?,
            &[last],
        );
    }
    Ok(ms)
}
