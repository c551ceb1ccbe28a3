//! The block that is done last adds up what the others left, without one of the two fences.
//!
//! The CUDA programming guide, section B.5 (EX-32); `last_block` has it right. The parts are plain numbers here. Note the report: the
//! counter is atomic, but relaxed, so it orders nothing but itself; each side needs its fence, that of the writers before the count and
//! that of the reader behind it, which the guide leaves out.
//!
//! `cargo run --release -p warploom-gallery --example last_block_bugs`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::device_std::atomic::{Relaxed, threadfence};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// `BEFORE` and `BEHIND`: which fences there are.
#[kernel(block(64))]
fn sum<const BEFORE: bool, const BEHIND: bool>(
    i: Index1D,
    block: Block,
    x: &[u32],
    mut parts: DisjointSlice<u32>,
    count: &[Atomic<u32>],
    total: &[Atomic<u32>],
) {
    let part = block.reduce_sum(x[i.get()]);
    if !block.is_first() {
        return;
    }
    let parts = parts.raw();
    let blocks = grid_dim().x;
    // SAFETY: each block writes its own part; the last one reads them, behind fences.
    unsafe {
        *parts.add(block.index()) = part;
        if BEFORE {
            threadfence();
        }
        if count[0].fetch_inc_wrapping(blocks - 1, Relaxed) == blocks - 1 {
            if BEHIND {
                threadfence();
            }
            let all = (0..blocks as usize).map(|k| *parts.add(k)).sum();
            total[0].store(all, Relaxed);
        }
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let (stream, n) = (device.stream()?, 64 * 10);
    let numbers = Vec::from_iter(0..n as u32);
    let (x, mut parts) = (device.upload(&numbers)?, device.zeroed::<u32>(10)?);
    let (mut count, mut total) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
    let shape = Launch::covering(n);

    println!("no fence before the count:\n");
    let (at, sum_at) = (count.as_atomics(), total.as_atomics());
    sum::<false, true>::launch(&stream, shape, &x, &mut parts, at, sum_at)?;
    program.finds("WL0122", stream.synchronize());
    println!("no fence behind the count:\n");
    let (at, sum_at) = (count.as_atomics(), total.as_atomics());
    sum::<true, false>::launch(&stream, shape, &x, &mut parts, at, sum_at)?;
    program.finds("WL0122", stream.synchronize());

    let (at, sum_at) = (count.as_atomics(), total.as_atomics());
    sum::<true, true>::launch(&stream, shape, &x, &mut parts, at, sum_at)?;
    let found = total.to_vec(&stream)?;
    println!("both fences: {found:?}");
    program.equal("both fences", &found, &[numbers.iter().sum()]);
    Ok(())
}
