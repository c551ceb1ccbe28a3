//! A stream from its beginning to its end; then two kernels, each for half of the device, one after the other and side by side.
//!
//! The study notes' section 4 (E3-29, E3-30). Note: a stream ends with its scope, and what it has to do is done all the same. A stream
//! keeps the order of its kernels. On a GPU two streams take about as long as one kernel; the default stream does one thing after the
//! other, and two streams that were made `blocking` take turns with the default stream only. The program checks both by events on a GPU.
//! The emulator does one thing at a time: there the results are checked, and the times are only printed.
//!
//! `cargo run --release -p warploom-gallery --example kernels_in_streams`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::StreamOptions;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Much to do for few threads: steps of a generator of random numbers, from the sum of the element and `add`.
#[kernel]
fn spin(i: Index1D, rounds: u32, add: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = (0..rounds).fold(y.wrapping_add(add), |value, _| {
            value.wrapping_mul(FACTOR).wrapping_add(SUMMAND)
        });
    }
}

const FACTOR: u32 = 1_664_525;
const SUMMAND: u32 = 1_013_904_223;

/// What `rounds` steps make of any number: they are one multiplication and one addition. Twice as many steps are these steps twice, so the
/// host is done after one step per bit of `rounds`.
fn steps(rounds: u32) -> impl Fn(u32) -> u32 {
    let (mut factor, mut summand) = (1u32, 0u32);
    for bit in (0..32).rev() {
        summand = summand.wrapping_mul(factor).wrapping_add(summand);
        factor = factor.wrapping_mul(factor);
        if rounds >> bit & 1 == 1 {
            summand = summand.wrapping_mul(FACTOR).wrapping_add(SUMMAND);
            factor = factor.wrapping_mul(FACTOR);
        }
    }
    move |value| value.wrapping_mul(factor).wrapping_add(summand)
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let start: Vec<u32> = (0..100).collect();
    let (mut y, three) = (device.upload(&start)?, steps(3));
    {
        let stream = device.stream()?;
        spin::launch(&stream, Launch::covering(100), 3, 0, &mut y)?;
    } // the stream is gone, its kernel is not
    let once: Vec<u32> = start.iter().map(|&value| three(value)).collect();
    let found = y.to_vec(&device.stream()?)?;
    program.equal("work of a stream that is gone", &found, &once);

    // Each kernel continues with what the one before it left: another order gives other numbers.
    let stream = device.stream()?;
    for add in 1..=20 {
        spin::launch(&stream, Launch::covering(100), 3, add, &mut y)?;
    }
    let in_order = |value: &u32| (1..=20).fold(*value, |value, add| three(value.wrapping_add(add)));
    let expected: Vec<u32> = once.iter().map(in_order).collect();
    program.equal("the order of a stream", &y.to_vec(&stream)?, &expected);
    beside_each_other(program)
}

/// Two kernels that each have less than half of the device, in one stream and in two.
fn beside_each_other(program: &Program) -> Result {
    let device = program.device();
    // A block of 256 threads on less than half of the multiprocessors.
    let (blocks, rounds) =
        program.sized((2, 10), (device.limits().multiprocessors * 2 / 5, 1 << 20));
    let several = [device.stream()?, device.stream()?];
    let blocking = StreamOptions::new().blocking();
    let also = [device.stream_with(blocking)?, device.stream_with(blocking)?];
    let default = device.default_stream()?;
    let first = launches(program, &[&several[0]], blocks, rounds)?; // loads the code
    println!("{blocks} blocks of 256 threads, {rounds} rounds; first launch {first:.3} ms");
    let one = launches(program, &[&several[0]], blocks, rounds)?;
    println!("{:28} {one:9.3} ms", "one kernel");
    let ways: [(&str, [&Stream; 2], bool); 3] = [
        ("two in the default stream", [&default, &default], false),
        ("two in two streams", several.each_ref(), true),
        ("two in two blocking streams", also.each_ref(), true),
    ];
    for (name, streams, side_by_side) in ways {
        // The system may hold the host up between two launches: one of several attempts is enough.
        let mut shortest = f64::INFINITY;
        for _ in 0..program.sized(1, 5) {
            shortest = shortest.min(launches(program, &streams, blocks, rounds)?);
        }
        println!("{name:28} {shortest:9.3} ms");
        if device.is_gpu() {
            let what = format!("{name}: side by side");
            program.is(&what, shortest < 1.5 * one, side_by_side);
        }
    }
    Ok(())
}

/// Milliseconds on the device until a kernel in each of these streams is done, from a start that all of them wait for.
fn launches(program: &Program, streams: &[&Stream], blocks: u32, rounds: u32) -> Result<f64> {
    let (device, n) = (program.device(), 256 * blocks);
    let before: Vec<u32> = (0..n).collect();
    let mut outputs = Vec::new();
    for _ in streams {
        outputs.push((device.upload(&before)?, device.event()?));
    }
    device.synchronize()?;
    let (start, end) = (device.event()?, device.event()?);
    streams[0].record(&start)?;
    for (stream, (y, done)) in streams.iter().zip(&mut outputs) {
        stream.wait(&start)?;
        spin::launch(stream, Launch::new(blocks, 256), rounds, 0, y)?;
        stream.record(done)?;
    }
    for (_, done) in &outputs {
        streams[0].wait(done)?;
    }
    streams[0].record(&end)?;
    let expected: Vec<u32> = before.into_iter().map(steps(rounds)).collect();
    for (y, _) in &outputs {
        let found = y.to_vec(streams[0])?;
        program.equal("a kernel beside another", &found, &expected);
    }
    Ok(start.elapsed_ms(&end)?)
}
