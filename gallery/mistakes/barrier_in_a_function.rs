//! A function with a barrier of the whole block, called by half of it; and groups of threads that share their memory.
//!
//! The study notes' section 3.1 (E3-22, E3-24). Note: nothing in the call says that the function waits for the block. If it takes the
//! group as an argument, its caller hands over those that come: here each warp that enters. Memory must be each group's own as well: with
//! one array for all groups of 16 they write into each other's. The emulator lists where each thread waits; on a GPU such a block may
//! hang, or threads meet at barriers that were not meant for each other.
//!
//! `cargo run --release -p warploom-gallery --example barrier_in_a_function`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The sum over the group, in rank 0, through `memory` from `first` on.
fn sum(group: &impl Group, memory: SharedArray<'_, u32, 128>, first: u32, mut value: u32) -> u32 {
    let at = |rank: u32| (first + rank) as usize;
    let (rank, mut half) = (group.rank(), group.size() / 2);
    while half > 0 {
        // SAFETY: each thread of the group writes its own element, and a barrier lies before the others read it; where groups have memory
        // of their own.
        unsafe { memory.set(at(rank), value) };
        group.sync();
        if rank < half {
            // SAFETY: as above.
            value += unsafe { memory.get(at(rank + half)) };
        }
        group.sync();
        half /= 2;
    }
    value
}

/// Half of the block calls it for the whole block.
#[kernel(block(128))]
fn half_for_the_block(block: Block) {
    let memory = shared_array!(u32, 128);
    if block.thread() < 64 {
        sum(&block, memory, 0, 1);
    }
    block.sync_count(true); // all meet here
}

/// Half of the block calls it, each warp for itself.
#[kernel(block(128))]
fn half_for_their_warps(block: Block, warp: Warp, mut sums: DisjointSlice<u32>, i: Index1D) {
    let memory = shared_array!(u32, 128);
    let mut found = 0;
    if block.thread() < 64 {
        found = sum(&warp, memory, 32 * warp.index(), block.rank());
    }
    block.sync_count(true);
    if let Some(sum) = sums.get_mut(i) {
        *sum = if warp.is_first() { found } else { 0 };
    }
}

/// Groups of 16, all with the array's beginning.
#[kernel(block(128))]
fn one_memory_for_all(block: Block, mut sums: DisjointSlice<u32>, i: Index1D) {
    let memory = shared_array!(u32, 128);
    let found = sum(&block.tile::<16>(), memory, 0, block.rank());
    if let Some(sum) = sums.get_mut(i) {
        *sum = found;
    }
}

fn main() -> ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    let (shape, mut sums) = (Launch::new(1, 128), program.device().zeroed::<u32>(128)?);
    println!("half of the block, for the whole block:\n");
    half_for_the_block::launch(&stream, shape)?;
    program.finds("WL0202", stream.synchronize());

    println!("one array for all groups:\n");
    one_memory_for_all::launch(&stream, shape, &mut sums)?;
    program.finds("WL0100", stream.synchronize());

    println!("half of the block, each warp for itself:");
    half_for_their_warps::launch(&stream, shape, &mut sums)?;
    let found = sums.to_vec(&stream)?;
    println!("sums of warps 0 and 1: {} and {}", found[0], found[32]);
    let expected: Vec<u32> = (0..128)
        .map(|i| match i {
            0 => 496,
            32 => 496 + 1024,
            _ => 0,
        })
        .collect();
    program.equal("the sums of warps", &found, &expected);
    Ok(())
}
