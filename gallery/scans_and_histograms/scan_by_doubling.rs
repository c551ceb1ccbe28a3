//! Prefix sums of rows, one block for each, by doubling distances (Hillis and Steele): in global memory, and in shared memory.
//!
//! The study notes' section 2.2 (E3-18). In each step every thread adds the sum that the thread at a distance before it has, and the
//! distance doubles: n log n additions in log n steps. Note: each step reads one array and writes another, in turn, with a barrier
//! between; a tile in shared memory is published, read and taken back. On a GPU also at the times, next to that of the host.
//!
//! `cargo run --release -p warploom-gallery --example scan_by_doubling`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;
use std::time::Instant;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// In global memory: `memory` has two numbers for each thread of the launch, atomics because other threads read them. Between two
/// barriers no thread reads what another writes.
#[kernel]
fn in_global(i: Index1D, block: Block, x: &[u32], memory: &[AtomicU32], mut y: DisjointSlice<u32>) {
    let (thread, threads) = (block.thread(), block.threads());
    let (one, two) = memory.split_at(memory.len() / 2);
    let row = block.index() * threads..(block.index() + 1) * threads;
    let (mut from, mut to) = (&one[row.clone()], &two[row]);
    let mut sum = x[i.get()];
    from[thread].store(sum, Relaxed);
    block.sync();
    let mut distance = 1;
    while distance < threads {
        if thread >= distance {
            sum += from[thread - distance].load(Relaxed);
        }
        to[thread].store(sum, Relaxed); // also where nothing was added
        block.sync();
        (from, to) = (to, from);
        distance *= 2;
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// The same in shared memory: the tile is written, published, read and taken back.
#[kernel]
fn in_shared(
    i: Index1D,
    block: Block,
    x: &[u32],
    mut tile: SharedTile<u32, 1024>,
    mut y: DisjointSlice<u32>,
) {
    let mut sum = x[i.get()];
    tile.set_own(0, sum);
    let mut distance = 1;
    while distance < block.threads() {
        let sums = tile.publish(&block);
        if block.thread() >= distance {
            sum += sums[block.thread() - distance];
        }
        tile = sums.reclaim(&block);
        tile.set_own(0, sum);
        distance *= 2;
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    scan(program, &[1, 4, 6, 7], 4, &[1, 5, 11, 18])?;
    let eight: Vec<u32> = (0..8).collect();
    scan(program, &eight, 8, &[0, 1, 3, 6, 10, 15, 21, 28])?;
    let (row, rows) = (512, program.sized(3, 1 << 16));
    let x: Vec<u32> = (0..rows * row).map(|i| (i * 31 % 17) as u32).collect();
    let start = Instant::now();
    let expected = inclusive(&x, row);
    println!(
        "{rows} rows of {row} on the host: {:.4} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    scan(program, &x, row, &expected)
}

/// Scans rows in both ways.
fn scan(program: &Program, x: &[u32], row: usize, expected: &[u32]) -> Result {
    let (device, stream, n) = (program.device(), program.device().stream()?, x.len());
    let (input, mut y) = (device.upload(x)?, device.zeroed::<u32>(n)?);
    let mut memory = device.zeroed::<u32>(2 * n)?;
    let shape = Launch::new((n / row) as u32, row as u32);
    let ms = program.shortest_ms(&stream, || {
        Ok(in_global::launch(
            &stream,
            shape,
            &input,
            memory.as_atomic(),
            &mut y,
        )?)
    })?;
    let sums = y.to_vec(&stream)?;
    if n < 10 {
        println!("{x:?}, up to each: {sums:?}");
    }
    println!("{} rows of {row} in global memory: {ms:.4} ms", n / row);
    program.equal("global memory", &sums, expected);
    y.fill(0, &stream)?;
    let ms = program.shortest_ms(&stream, || {
        Ok(in_shared::launch(&stream, shape, &input, &mut y)?)
    })?;
    println!("{} rows of {row} in shared memory: {ms:.4} ms", n / row);
    program.equal("shared memory", &y.to_vec(&stream)?, expected);
    Ok(())
}

/// The sums within rows.
fn inclusive(x: &[u32], row: usize) -> Vec<u32> {
    let mut sums = x.to_vec();
    for row in sums.chunks_mut(row) {
        (1..row.len()).for_each(|i| row[i] += row[i - 1]);
    }
    sums
}
