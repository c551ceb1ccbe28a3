//! Shuffles in a warp that is not whole.
//!
//! The textbook's section 6.11.3 (E2-11). Note which lanes are named: a block of 40 threads has a second warp of 8, whose lanes ask for
//! values of lanes that do not exist. The book's advice is blocks of a multiple of 32; `warp.reduce_sum` asks which lanes are there.
//!
//! `cargo run --release -p warploom-gallery --example partial_warp`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The sum of each warp, written by its first lane.
#[kernel]
fn by_shuffles(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut sum = x[i.get()];
    for distance in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_down(sum, distance);
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

#[kernel]
fn by_the_lanes_there(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<u32>) {
    let sum = warp.reduce_sum(x[i.get()]);
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let x = device.upload(&[1u32; 64])?;
    let mut y = device.zeroed::<u32>(64)?;

    println!("a block of 40:\n");
    by_shuffles::launch(&stream, (1, 40), &x, &mut y)?;
    program.finds("WL0214", stream.synchronize());

    by_shuffles::launch(&stream, (1, 64), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!("a block of 64: lanes 0 have {} and {}", sums[0], sums[32]);
    program.equal("whole warps", &[sums[0], sums[32]], &[32, 32]);

    by_the_lanes_there::launch(&stream, (1, 40), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!(
        "a block of 40 and `reduce_sum`: {} and {}",
        sums[0], sums[32]
    );
    program.equal("the lanes that are there", &[sums[0], sums[32]], &[32, 8]);
    Ok(())
}
