//! How often each of 256 values occurs: counted in global memory, and first by each block in shared memory.
//!
//! The study notes' section 2.3 (E3-20, E3-21). Note: the loop that takes a thread from element i to i + all threads; the two barriers
//! around the counting in shared memory; that the second kernel works with blocks of any size, because a block deals its bins out. On a
//! GPU also at the times, next to that of the host.
//!
//! `cargo run --release -p warploom-gallery --example histograms`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;
use std::time::Instant;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const BINS: usize = 256;

/// Every thread counts in global memory.
#[kernel]
fn global(i: Index1D, x: &[i32], bins: &[AtomicU32]) {
    for value in x.iter().skip(i.get()).step_by(i.count()) {
        bins[*value as usize].fetch_add(1, Relaxed);
    }
}

/// Every block counts in shared memory, then adds its counts to the others'.
#[kernel]
fn shared(i: Index1D, block: Block, x: &[i32], bins: &[AtomicU32]) {
    let counts = shared_array!(u32, BINS);
    let own_bins = || (block.thread()..BINS).step_by(block.threads());
    for bin in own_bins() {
        counts.atomic(bin).store(0, Relaxed);
    }
    block.sync();
    for value in x.iter().skip(i.get()).step_by(i.count()) {
        counts.atomic(*value as usize).fetch_add(1, Relaxed);
    }
    block.sync();
    for bin in own_bins() {
        bins[bin].fetch_add(counts.atomic(bin).load(Relaxed), Relaxed);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    let n = program.sized(20_000, 100 << 20);
    let host: Vec<i32> = (0..n as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 16) as i32 % 256)
        .collect();
    let start = Instant::now();
    let mut expected = vec![0u32; BINS];
    host.iter().for_each(|value| expected[*value as usize] += 1);
    let on_the_host = start.elapsed().as_secs_f64() * 1e3;
    println!("{n} values; {on_the_host:.3} ms on the host");
    program.is(
        "total",
        expected.iter().map(|count| *count as usize).sum(),
        n,
    );

    let x = device.upload(&host)?;
    let blocks = 8 * program.sized(1, device.limits().multiprocessors);
    for threads in [256, 96] {
        let shape = Launch::new(blocks, threads);
        let mut bins = device.zeroed::<u32>(BINS)?;
        let ms = program.shortest_ms(&stream, || {
            bins.fill(0, &stream)?;
            Ok(global::launch(&stream, shape, &x, bins.as_atomic())?)
        })?;
        println!("{blocks} blocks of {threads}: {ms:.4} ms in global memory");
        program.equal(
            "counted in global memory",
            &bins.to_vec(&stream)?,
            &expected,
        );
        let ms = program.shortest_ms(&stream, || {
            bins.fill(0, &stream)?;
            Ok(shared::launch(&stream, shape, &x, bins.as_atomic())?)
        })?;
        println!("{blocks} blocks of {threads}: {ms:.4} ms by way of shared memory");
        program.equal(
            "counted in shared memory",
            &bins.to_vec(&stream)?,
            &expected,
        );
    }
    Ok(())
}
