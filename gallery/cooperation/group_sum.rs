//! A sum over a group of threads, whatever the group: a whole block, or parts of 16 threads.
//!
//! The study notes' section 3 (E3-22, E3-23, E3-27). Note: the function takes the group as an argument, so that the caller decides
//! which threads wait for each other. Each group needs shared memory of its own: the parts of a block get each its 16 numbers. One thread of each block
//! adds its sum to the total: one atomic for 64 threads. All spellings of a barrier (`group.sync()`, `synchronize(&group)`,
//! `sync_threads()`) are the same barrier.
//!
//! `cargo run --release -p warploom-gallery --example group_sum`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;

use warploom::device_std::groups::synchronize;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const BLOCK: usize = 64;
const BLOCKS: usize = 5;

/// The sum of `value` over the group, in the thread of rank 0. `first` is where the group's own numbers begin.
fn sum(group: &impl Group, memory: SharedArray<'_, u32, BLOCK>, first: usize, value: u32) -> u32 {
    let rank = group.rank() as usize;
    let (mut sum, mut half) = (value, group.size() as usize / 2);
    while half > 0 {
        memory.atomic(first + rank).store(sum, Relaxed);
        group.sync(); // all have written
        if rank < half {
            sum += memory.atomic(first + rank + half).load(Relaxed);
        }
        group.sync(); // all have read
        half /= 2;
    }
    sum
}

#[kernel(block(64))]
fn sums(
    i: Index1D,
    block: Block,
    x: &[u32],
    total: &[AtomicU32],
    mut of_blocks: DisjointSlice<u32, PerBlock>,
    mut of_parts: DisjointSlice<[u32; 2]>,
) {
    let memory = shared_array!(u32, BLOCK);
    let of_block = sum(&block, memory, 0, x[i.get()]);
    if block.is_first() {
        total[0].fetch_add(of_block, Relaxed);
    }
    if let Some(place) = block.leader().and_then(|leader| of_blocks.get_mut(leader)) {
        *place = of_block;
    }
    let part = block.tile::<16>();
    let first = part.index_in_block() as usize * 16;
    let of_part = sum(&part, memory, first, x[i.get()]);
    if let Some(place) = of_parts.get_mut(i) {
        *place = [part.rank(), of_part];
    }
}

/// What the neighbour has; `wait` is a barrier of the block, before and after all have read.
fn of_neighbour(
    block: &Block,
    memory: SharedArray<'_, u32, BLOCK>,
    own: u32,
    wait: impl Fn(),
) -> u32 {
    memory.atomic(block.thread()).store(own, Relaxed);
    wait();
    let value = memory.atomic((block.thread() + 1) % BLOCK).load(Relaxed);
    wait();
    value
}

/// The barrier of the block by three names.
#[kernel(block(64))]
fn three_barriers(i: Index1D, block: Block, mut y: DisjointSlice<u32>) {
    let memory = shared_array!(u32, BLOCK);
    let value = of_neighbour(&block, memory, block.rank(), || block.sync());
    let value = of_neighbour(&block, memory, value, || synchronize(&block));
    let value = of_neighbour(&block, memory, value, sync_threads);
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let (stream, n) = (device.stream()?, BLOCK * BLOCKS);
    let x: Vec<u32> = (0..n as u32).map(|i| i * i % 101).collect();
    let mut total = device.zeroed::<u32>(1)?;
    let mut of_blocks = device.zeroed::<u32>(BLOCKS)?;
    let mut of_parts = device.zeroed::<[u32; 2]>(n)?;
    let shape = Launch::covering(n);
    sums::launch(
        &stream,
        shape,
        &device.upload(&x)?,
        total.as_atomic(),
        &mut of_blocks,
        &mut of_parts,
    )?;

    let (of_blocks, of_parts) = (of_blocks.to_vec(&stream)?, of_parts.to_vec(&stream)?);
    println!("sums of the blocks: {of_blocks:?}");
    let by = |size| -> Vec<u32> { x.chunks(size).map(|part| part.iter().sum()).collect() };
    program.equal("sums of blocks", &of_blocks, &by(BLOCK));
    let total = total.to_vec(&stream)?[0];
    println!("total, by one atomic for each block: {total}");
    program.is("total", total, x.iter().sum());
    let ranks: Vec<u32> = of_parts.iter().map(|[rank, _]| *rank).collect();
    let expected: Vec<u32> = (0..n as u32).map(|i| i % 16).collect();
    program.equal("ranks 0 to 15 in each part", &ranks, &expected);
    let firsts: Vec<u32> = of_parts.iter().step_by(16).map(|[_, sum]| *sum).collect();
    println!("sums of the four parts of block 0: {:?}", &firsts[..4]);
    program.equal("sums of parts", &firsts, &by(16));

    let mut y = device.zeroed::<u32>(BLOCK)?;
    three_barriers::launch(&stream, Launch::new(1, BLOCK as u32), &mut y)?;
    let expected: Vec<u32> = (0..BLOCK as u32).map(|i| (i + 3) % BLOCK as u32).collect();
    program.equal("three barriers", &y.to_vec(&stream)?, &expected);
    Ok(())
}
