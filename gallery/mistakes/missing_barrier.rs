//! The sums of the warps are added before all of them are there.
//!
//! The textbook's section 6.13.1 (E2-18). Note the two places in the report: the write of one warp, the read of another, and nothing
//! between them. It is found whatever order the warps ran in, and also where the sum happens to be right.
//!
//! `cargo run --release -p warploom-gallery --example missing_barrier`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The sum of a block of two warps.
#[kernel(block(64))]
fn block_sum<const BARRIER: bool>(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let sums = shared_array!(u32, 2);
    let sum = warp.reduce_sum(x[i.get()]);
    if warp.lane() == 0 {
        // SAFETY: one lane of each warp, each a slot of its own.
        unsafe { sums.set(warp.index() as usize, sum) };
    }
    if BARRIER {
        block.sync();
    }
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        // SAFETY: with the barrier, the writes come before; without it, this is the mistake.
        *y = unsafe { sums.get(0) + sums.get(1) };
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let x = device.upload(&Vec::from_iter(0..128u32))?;
    let mut y = device.zeroed::<u32>(2)?;

    println!("without the barrier:\n");
    block_sum::<false>::launch(&stream, (2, 64), &x, &mut y)?;
    program.finds("WL0101", stream.synchronize());

    block_sum::<true>::launch(&stream, (2, 64), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!("with it: {sums:?}");
    program.equal("sums", &sums, &[63 * 64 / 2, 63 * 64 / 2 + 64 * 64]);
    Ok(())
}
