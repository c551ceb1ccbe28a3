//! A sum in one launch: each block leaves a part, and the block that is done last adds the parts up.
//!
//! The CUDA programming guide, section B.5 (EX-32). A counter says who is last; it wraps around to 0 by itself, so that the next launch
//! finds it as this one did. Note: the fence between part and counter, without which the last block could see the count and not the part
//! (`last_block_bugs`). The guide's later edition prints another limit for the counter, with which no block is ever last.
//!
//! `cargo run --release -p warploom-gallery --example last_block [blocks]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::atomic::{Relaxed, threadfence};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Parts and count are atomics, which all blocks may use. `LATER` is the limit of the guide's later edition.
#[kernel(block(64))]
fn sum<const LATER: bool>(
    i: Index1D,
    block: Block,
    x: &[f32],
    parts: &[Atomic<f32>],
    count: &[Atomic<u32>],
    total: &[Atomic<f32>],
) {
    let part = block.reduce_sum(x[i.get()]);
    let blocks = grid_dim().x;
    let mut is_last = false;
    if block.is_first() {
        parts[block.index()].store(part, Relaxed);
        threadfence(); // the part before the count
        let limit = if LATER { block_dim().x } else { blocks - 1 };
        let before = count[0].fetch_inc_wrapping(limit, Relaxed);
        is_last = before == blocks - 1;
        threadfence(); // the count before the others' parts
    }
    // All threads of the last block take part, and learn from its first that they do.
    if block.sync_any(is_last) {
        let own = (block.thread()..parts.len()).step_by(block.threads());
        let all = block.reduce_sum(own.map(|k| parts[k].load(Relaxed)).sum());
        if block.is_first() {
            total[0].store(all, Relaxed);
        }
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let blocks = program.argument(1, program.sized(150, 5000))?; // more than a block has threads
    let n = 64 * blocks;
    // Whole numbers, of which any sum is exact.
    let x: Vec<f32> = (0..n).map(|i| (i % 13) as f32).collect();
    let expected: f32 = x.iter().sum();
    let input = device.upload(&x)?;
    let (mut parts, mut total) = (device.zeroed::<f32>(blocks)?, device.zeroed::<f32>(1)?);
    let mut count = device.zeroed::<u32>(1)?;

    let launches = program.sized(10, 1000);
    let mut wrong = 0;
    for _ in 0..launches {
        total.fill(-1.0, &stream)?;
        let (parts, count) = (parts.as_atomics(), count.as_atomics());
        let total_of_launch = total.as_atomics();
        let shape = Launch::covering(n);
        sum::<false>::launch(&stream, shape, &input, parts, count, total_of_launch)?;
        wrong += usize::from(total.to_vec(&stream)? != [expected]);
    }
    println!("{launches} launches of {blocks} blocks: {expected} each time");
    program.is("wrong sums", wrong, 0);
    program.equal("the count is back", &count.to_vec(&stream)?, &[0]);

    total.fill(-1.0, &stream)?;
    let (parts, count) = (parts.as_atomics(), count.as_atomics());
    let shape = Launch::covering(n);
    sum::<true>::launch(&stream, shape, &input, parts, count, total.as_atomics())?;
    println!(
        "with the later edition's limit: {:?}",
        total.to_vec(&stream)?
    );
    program.equal("no block was last", &total.to_vec(&stream)?, &[-1.0]);
    Ok(())
}
