//! A barrier in a branch that half of the block takes: the rest never comes to it.
//!
//! The textbook's section 6.13.1 (E2-17). Note the list in the report: how many threads wait where. If the other half *returns* instead
//! of waiting for something else, GPUs since compute capability 7.0 go on, and the emulator leaves it at a note.
//!
//! `cargo run --release -p warploom-gallery --example barrier_deadlock`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Half of each warp meets at a barrier of the block; the other half waits for its warp, and never comes to that barrier.
#[kernel(block(64))]
fn in_a_branch(block: Block, warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let cells = shared_array!(u32, 1);
    let sum = cells.atomic(0);
    if block.thread() == 0 {
        sum.store(0, Relaxed);
    }
    block.sync();
    if warp.lane() < 16 {
        sum.fetch_add(x[i.get()], Relaxed);
        block.sync(); // for half of the block only
    }
    warp.sync();
    if let Some(y) = y.get_mut(i) {
        *y = sum.load(Relaxed);
    }
}

/// Half of the block meets at a barrier; the other half returns without it.
#[kernel(block(64))]
fn others_return(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if block.thread() < 32 {
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = x[i.get()];
        }
    }
}

/// The sum with the barrier where every thread comes to it.
#[kernel(block(64))]
fn outside(block: Block, warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let cells = shared_array!(u32, 1);
    let sum = cells.atomic(0);
    if block.thread() == 0 {
        sum.store(0, Relaxed);
    }
    block.sync();
    if warp.lane() < 16 {
        sum.fetch_add(x[i.get()], Relaxed);
    }
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = sum.load(Relaxed);
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let x = device.upload(&Vec::from_iter(1..=64u32))?;
    let mut y = device.zeroed::<u32>(64)?;

    println!("the barrier in a branch:\n");
    in_a_branch::launch(&stream, Launch::new(1, 64), &x, &mut y)?;
    program.finds("WL0211", stream.synchronize());

    println!("the other half returns instead, a note:\n");
    others_return::launch(&stream, Launch::new(1, 64), &x, &mut y)?;
    program.equal("copies", &y.to_vec(&stream)?[..32], &Vec::from_iter(1..=32));

    println!("the barrier outside of the branch:");
    outside::launch(&stream, Launch::new(1, 64), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!("every thread has {}", sums[0]);
    program.equal("sums", &sums, &[136 + 648; 64]); // 1 to 16, and 33 to 48
    Ok(())
}
