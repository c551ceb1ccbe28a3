//! Where 32 sums lie in shared memory: one beside the other, or 32 words apart and so in one bank.
//!
//! The textbook's section 6.13.4 (E2-20). Note the ways of the conflict: 32 when one warp reads every 32nd word. The book blames the
//! writes, but those are single lanes of 32 warps and never meet. A word that all lanes read is no conflict.
//!
//! `cargo run --release -p warploom-gallery --example bank_conflicts`
//@ rows: P-20, GPFM-8
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The first warp adds 32 values that lie `STEP` words apart; with 0 all lanes read one word.
#[kernel(block(1024))]
fn sum<const STEP: usize>(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[f32],
    mut y: DisjointSlice<f32, PerBlock>,
) {
    let values = shared_array!(f32, 1024);
    // SAFETY: each thread writes its own element, and all read after the barrier.
    unsafe { values.set(block.thread(), x[i.get()]) };
    block.sync();
    let own = match warp.index() {
        // SAFETY: no thread writes after the barrier.
        0 => unsafe { values.get(STEP * warp.lane() as usize) },
        _ => 0.0,
    };
    let total = warp.reduce(own, |a, b| a + b);
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = total;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::costs(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let blocks = 32; // one access would be no evidence
    let x: Vec<f32> = (0..1024 * blocks).map(|i| (i % 7) as f32).collect();
    let input = device.upload(&x)?;
    let mut y = device.zeroed::<f32>(blocks)?;
    let shape = Launch::new(blocks as u32, 1024);
    let expected = |step: usize| {
        Vec::from_iter(
            x.chunks(1024)
                .map(|x| (0..32).map(|k| x[k * step]).sum::<f32>()),
        )
    };

    sum::<1>::launch(&stream, shape, &input, &mut y)?;
    program.equal("side by side", &y.to_vec(&stream)?, &expected(1));
    program.is_silent("WL0501");
    println!("side by side: no conflict");

    sum::<0>::launch(&stream, shape, &input, &mut y)?;
    program.equal("one word", &y.to_vec(&stream)?, &expected(0));
    program.is_silent("WL0501");
    println!("all lanes read one word: no conflict");

    println!("32 words apart:");
    sum::<32>::launch(&stream, shape, &input, &mut y)?;
    program.equal("32 words apart", &y.to_vec(&stream)?, &expected(32));
    program.warns("WL0501");
    Ok(())
}
