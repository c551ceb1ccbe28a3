//! Events: how long a kernel takes, whether work is done, and one stream that waits for another without the host.
//!
//! The study notes' section 5.2 (E3-32, E3-33). Note: an event marks a place in a stream's work. The time between two marks is the
//! device's, without the host's way to it; `query` does not wait; `wait` keeps a stream from going on, and the host does not notice.
//!
//! `cargo run --release -p warploom-gallery --example events`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;
use std::time::Instant;

use warploom::StreamError;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn spin(i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = spun(rounds, i.get() as u32);
    }
}

device_static! {
    /// The producer's word. Streams do not track statics, so events order its writes and reads; uses of one buffer are ordered
    /// automatically.
    static WORD: AtomicU32 = AtomicU32::new(0);
}

#[kernel]
fn announce(rounds: u32, word: u32) {
    WORD.store(spun(rounds, word), Relaxed);
}

#[kernel]
fn observe(mut observed: DisjointSlice<u32>, i: Index1D) {
    if let Some(observed) = observed.get_mut(i) {
        *observed = WORD.load(Relaxed);
    }
}

/// Steps of a generator of random numbers.
fn spun(rounds: u32, start: u32) -> u32 {
    (0..rounds).fold(start, |value, _| {
        value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    })
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    let n = program.sized(256, 1 << 16);
    let mut y = device.zeroed::<u32>(n)?;
    spin::launch(&stream, Launch::covering(n), 1, &mut y)?; // loads the code

    // E3-32: how long?
    let (start, end) = (device.event()?, device.event()?);
    let mut times = Vec::new();
    for rounds in program.sized([10, 50_000], [10_000, 1_000_000]) {
        stream.synchronize()?;
        let clock = Instant::now();
        stream.record(&start)?;
        spin::launch(&stream, Launch::covering(n), rounds, &mut y)?;
        stream.record(&end)?;
        let ms = start.elapsed_ms(&end)?; // waits
        let by_the_host = clock.elapsed().as_secs_f64() * 1e3;
        println!(
            "{rounds:8} rounds: {ms:9.4} ms by events, {by_the_host:9.4} ms by the host's clock"
        );
        program.holds(
            "a kernel takes time, and no more than the host saw",
            ms > 0.0 && ms <= by_the_host + 0.01,
        );
        times.push(ms);
    }
    program.holds("more work takes longer", times[0] < times[1]);

    // E3-33: is it done?
    let done = device.event()?;
    program.holds(
        "an event that was not recorded",
        matches!(done.query(), Err(StreamError::NotRecorded)),
    );
    spin::launch(
        &stream,
        Launch::covering(n),
        program.sized(10, 10_000_000),
        &mut y,
    )?;
    stream.record(&done)?;
    let at_once = done.query()?;
    println!("asked at once: done is {at_once}");
    program.is("on a GPU it is not yet done", at_once, !device.is_gpu());
    done.synchronize()?;
    program.holds("after waiting it is", done.query()?);

    // E3-33: the consumer's stream waits for the producer's.
    let (consumer, produced) = (device.stream()?, device.event()?);
    let mut observed = device.zeroed::<u32>(1)?;
    let rounds = program.sized(10, 1_000_000);
    for word in 1..=5 {
        announce::launch(&stream, Launch::new(1, 1), rounds, word)?;
        stream.record(&produced)?;
        consumer.wait(&produced)?;
        observe::launch(&consumer, Launch::new(1, 1), &mut observed)?;
        program.equal(
            "the producer's word",
            &observed.to_vec(&consumer)?,
            &[spun(rounds, word)],
        );
    }
    Ok(())
}
