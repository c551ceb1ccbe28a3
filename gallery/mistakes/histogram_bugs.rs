//! A histogram whose loop does not go on, one that counts without atomics, and one that is given a value for which it has no bin.
//!
//! The study notes' section 2.3 (E3-20). Note: a loop without end is reported when a thread has made more steps than the limit, which
//! this program sets low; additions without atomics are a race, of blocks and of threads; a value of 256 is an index out of bounds, and
//! no other memory is touched. The repaired kernels are in `histograms`.
//!
//! `cargo run --release -p warploom-gallery --example histogram_bugs`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;

use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The index never moves: `at += 0`, as a parameter so that no compiler sees it.
#[kernel]
fn endless(i: Index1D, x: &[i32], step: u32, bins: &[AtomicU32]) {
    let mut at = i.get();
    while let Some(value) = x.get(at) {
        bins[*value as usize].fetch_add(1, Relaxed);
        at += step as usize;
    }
}

/// Reads a count and writes it back, one higher.
#[kernel]
fn without_atomics(i: Index1D, x: &[i32], mut bins: DisjointSlice<u32>) {
    let bin = x[i.get()] as usize;
    // SAFETY: none: two threads with one value write one element.
    unsafe { *bins.raw().add(bin % 256) += 1 };
}

#[kernel]
fn count(i: Index1D, x: &[i32], bins: &[AtomicU32]) {
    for value in x.iter().skip(i.get()).step_by(i.count()) {
        bins[*value as usize].fetch_add(1, Relaxed);
    }
}

fn main() -> ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let impatient = Emulator::new()
        .mode(Mode::Checked)
        .step_limit(10_000)
        .device();
    let stream = impatient.stream()?;
    println!("a loop that does not go on:\n");
    let (x, mut bins) = (impatient.upload(&[3, 7, 7])?, impatient.zeroed::<u32>(256)?);
    endless::launch(&stream, Launch::new(1, 3), &x, 0, bins.as_atomic())?;
    program.finds("WL0224", stream.synchronize());

    let (device, stream) = (program.device(), program.device().stream()?);
    let host: Vec<i32> = (0..512).map(|i| i * i % 7).collect();
    let (x, mut bins) = (device.upload(&host)?, device.zeroed::<u32>(256)?);
    println!("without atomics:\n");
    without_atomics::launch(&stream, Launch::new(2, 256), &x, &mut bins)?;
    program.finds("WL0112", stream.synchronize());

    println!("a value outside of all bins:\n");
    let (odd, mut bins) = (device.upload(&[1, 256, 2])?, device.zeroed::<u32>(256)?);
    count::launch(&stream, Launch::new(1, 3), &odd, bins.as_atomic())?;
    program.finds("WL0400", stream.synchronize());

    bins.fill(0, &stream)?;
    count::launch(&stream, Launch::new(2, 64), &x, bins.as_atomic())?;
    let mut expected = vec![0; 256];
    host.iter().for_each(|value| expected[*value as usize] += 1);
    let found = bins.to_vec(&stream)?;
    println!("with atomics, values 0 to 6: {:?}", &found[..7]);
    program.equal("the histogram", &found, &expected);
    Ok(())
}
