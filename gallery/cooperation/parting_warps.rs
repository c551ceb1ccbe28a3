//! In how many warps some threads add and some do not, step by step, in two sums over a block of 256 threads.
//!
//! The study notes' section 2.1 (E3-16). A warp whose threads go two ways goes both, one after the other. Note: if threads at
//! multiples of 2, 4, 8 … add, all eight warps part in every step until few threads are left; if the first 128, 64, 32 … threads add, no
//! warp parts before there are fewer than 32. The kernel counts it by a vote: `uniform` is true if all lanes say the same.
//!
//! `cargo run --release -p warploom-gallery --example parting_warps`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const BLOCK: usize = 256;

/// Which threads add in a step, the first is 0.
fn adds<const SEQUENTIAL: bool>(thread: usize, step: usize) -> bool {
    if SEQUENTIAL {
        thread < BLOCK >> (step + 1)
    } else {
        thread.is_multiple_of(2 << step)
    }
}

/// `parted[step]` counts the warps in which not all threads do the same.
#[kernel(block(256))]
fn count<const SEQUENTIAL: bool>(block: Block, warp: Warp, parted: &[AtomicU32]) {
    for (step, parted) in parted.iter().enumerate() {
        let adds = adds::<SEQUENTIAL>(block.thread(), step);
        if !warp.uniform(adds) && warp.lane() == 0 {
            parted.fetch_add(1, Relaxed);
        }
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (stream, shape) = (program.device().stream()?, Launch::new(1, BLOCK as u32));
    let mut parted = program.device().zeroed::<u32>(8)?;
    count::<false>::launch(&stream, shape, parted.as_atomic())?;
    let interleaved = parted.to_vec(&stream)?;
    parted.fill(0, &stream)?;
    count::<true>::launch(&stream, shape, parted.as_atomic())?;
    let sequential = parted.to_vec(&stream)?;

    println!(
        "step   adds at multiples of   warps that part   the first so many add   warps that part"
    );
    for step in 0..8 {
        let (apart, first) = (2 << step, BLOCK >> (step + 1));
        println!(
            "{step:4}   {apart:20}   {:15}   {first:21}   {:15}",
            interleaved[step], sequential[step]
        );
    }
    program.equal("multiples", &interleaved, &[8, 8, 8, 8, 8, 4, 2, 1]);
    program.equal("the first", &sequential, &[0, 0, 0, 1, 1, 1, 1, 1]);
    Ok(())
}
