//! A block of eight warps, and a sum over 32 slots.
//!
//! The textbook's section 6.13.5 (E2-16). Note the reads that are reported: slots 8 to 31 were never written. On a GPU they hold
//! what the block before left there, often zeros.
//!
//! `cargo run --release -p warploom-gallery --example unset_slots`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn block_sum<const FILL: bool>(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[f32],
    mut y: DisjointSlice<f32, PerBlock>,
) {
    let sums = shared_array!(f32, 32);
    let lane = warp.lane() as usize;
    let own = warp.reduce_sum(x[i.get()]);
    if lane == 0 {
        // SAFETY: one lane of each warp, each a slot of its own.
        unsafe { sums.set(warp.index() as usize, own) };
    }
    block.sync();
    let mut total = 0.0;
    if warp.index() == 0 {
        // SAFETY: the barrier lies behind; only the lane itself uses its slot. Without filling, this is the mistake.
        unsafe {
            if FILL && lane >= block.threads() / 32 {
                sums.set(lane, 0.0);
            }
            total = warp.reduce_sum(sums.get(lane));
        }
    }
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = total;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let x = device.filled(512, 1.0f32)?;
    let mut y = device.zeroed::<f32>(2)?;

    println!("without zeros:\n");
    block_sum::<false>::launch(&stream, (2, 256), &x, &mut y)?;
    program.finds("WL0020", stream.synchronize());

    block_sum::<true>::launch(&stream, (2, 256), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!("with zeros: {sums:?}");
    program.equal("sums", &sums, &[256.0, 256.0]);
    Ok(())
}
