//! Atomic operations: many threads change one number, none of the changes is lost, and each thread learns the value before its own.
//!
//! The study notes' section 3 (E3-28). Note: what an addition returned is different in each thread, which makes it a way to deal out
//! places. On a GPU also at the times: the more threads meet at one number, the longer it takes.
//!
//! `cargo run --release -p warploom-gallery --example atomic_family`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::atomic::{Relaxed, scope};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const THREADS: u32 = 4 * 256;

type Int = Atomic<i32, scope::Device>;

/// Each operation on a number of its own; `places` is what the first addition returned.
#[kernel]
fn family(i: Index1D, numbers: &[Int], floats: &[Atomic<f32>], mut places: DisjointSlice<i32>) {
    let own = i.get() as i32;
    let place = numbers[0].fetch_add(1, Relaxed);
    numbers[1].fetch_sub(2, Relaxed);
    numbers[2].fetch_min(own, Relaxed);
    numbers[3].fetch_max(own, Relaxed);
    numbers[4].fetch_and(!(1 << (own % 16)), Relaxed);
    numbers[5].fetch_or(1 << (own % 16), Relaxed);
    numbers[6].fetch_xor(own, Relaxed);
    // Of all threads one finds the zero.
    if numbers[7]
        .compare_exchange(0, own + 1, Relaxed, Relaxed)
        .is_ok()
    {
        numbers[8].fetch_add(1, Relaxed);
    }
    floats[0].fetch_add(0.5, Relaxed);
    if let Some(place_of_thread) = places.get_mut(i) {
        *place_of_thread = place;
    }
}

/// Thread i adds to counter i modulo their number.
#[kernel]
fn count(i: Index1D, rounds: u32, counters: &[Atomic<u32>]) {
    let counter = &counters[i.get() % counters.len()];
    for _ in 0..rounds {
        counter.fetch_add(1, Relaxed);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    let mut numbers = device.upload(&[0, 0, 5000, -1, 0xffff, 0, 0, 0, 0])?;
    let mut floats = device.zeroed::<f32>(1)?;
    let mut places = device.zeroed::<i32>(THREADS as usize)?;
    let shape = Launch::new(4, THREADS / 4);
    family::launch(
        &stream,
        shape,
        numbers.as_atomics(),
        floats.as_atomics(),
        &mut places,
    )?;

    let n = THREADS as i32;
    let names = ["add", "sub", "min", "max", "and", "or", "xor"];
    let expected = [
        n,
        -2 * n,
        0,
        n - 1,
        0,
        0xffff,
        (0..n).fold(0, |all, own| all ^ own),
    ];
    let found = numbers.to_vec(&stream)?;
    for ((name, found), expected) in names.iter().zip(&found).zip(expected) {
        println!("{name:4} {found}");
        program.is(name, *found, expected);
    }
    program.is("one exchange succeeded", found[8], 1);
    program.holds("by a thread of the launch", (1..=n).contains(&found[7]));
    program.equal("floats", &floats.to_vec(&stream)?, &[THREADS as f32 / 2.0]);
    let mut places = places.to_vec(&stream)?;
    places.sort_unstable();
    let each_once: Vec<i32> = (0..n).collect();
    program.equal("each value before is returned once", &places, &each_once);

    let threads = program.sized(512, 1 << 20);
    for counters in [1, 32, 1024, 1 << 20] {
        let mut sums = device.zeroed::<u32>(counters)?;
        let mut launches = 0;
        let ms = program.shortest_ms(&stream, || {
            launches += 1;
            let counters = sums.as_atomics::<scope::Device>();
            Ok(count::launch(
                &stream,
                Launch::covering(threads),
                4,
                counters,
            )?)
        })?;
        println!("{threads} threads add to {counters:7} counters: {ms:.4} ms");
        let total: usize = sums.to_vec(&stream)?.iter().map(|v| *v as usize).sum();
        program.is(
            "nothing is lost",
            total,
            4 * launches * threads.next_multiple_of(256),
        );
    }
    Ok(())
}
