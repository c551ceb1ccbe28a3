//! Lanes of a warp read each other's registers: from one lane, from the left, from the right, across; and a sum by halves.
//!
//! The study notes' section 3 (E3-25, E3-26). Note: lanes that have no neighbour at that distance keep their own value. With a width
//! of 16 a warp is two segments, and a sum by `shuffle_down` of 8, 4, 2, 1 is right in the first lane of each segment: lanes 0 and 16.
//!
//! `cargo run --release -p warploom-gallery --example shuffle_family`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::Width;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// What each lane gets of the others' values: of lane 4, of 4 below, of 4 above, of the lane whose number differs in bit 0.
#[kernel(block(32))]
fn exchange(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<[u32; 4]>) {
    let own = x[i.get()];
    let got = [
        warp.shuffle_idx(own, 4),
        warp.shuffle_up(own, 4),
        warp.shuffle_down(own, 4),
        warp.shuffle_xor(own, 1),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = got;
    }
}

/// The sums of both halves of a warp.
#[kernel(block(32))]
fn halves(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut sum = x[i.get()];
    for distance in [8, 4, 2, 1] {
        sum += warp.shuffle_down_in(sum, distance, Width::W16);
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    let host: Vec<u32> = (0..32).map(|lane| 100 + lane * lane).collect();
    let x = program.device().upload(&host)?;
    let mut y = program.device().zeroed::<[u32; 4]>(32)?;
    exchange::launch(&stream, Launch::new(1, 32), &x, &mut y)?;
    let found = y.to_vec(&stream)?;
    println!("lane  own  of lane 4  4 below  4 above  pairs");
    for lane in [0, 1, 4, 5, 27, 28, 31] {
        let [of_4, below, above, pairs] = found[lane];
        println!(
            "{lane:4} {:4}  {of_4:9}  {below:7}  {above:7}  {pairs:5}",
            host[lane]
        );
    }
    let lanes = 0..32usize;
    let expected: Vec<[u32; 4]> = lanes
        .map(|lane| {
            let below = lane.checked_sub(4).unwrap_or(lane);
            let above = if lane < 28 { lane + 4 } else { lane };
            [host[4], host[below], host[above], host[lane ^ 1]]
        })
        .collect();
    program.equal("the four shuffles", &found, &expected);

    let mut y = program.device().zeroed::<u32>(32)?;
    halves::launch(&stream, Launch::new(1, 32), &x, &mut y)?;
    let sums = y.to_vec(&stream)?;
    println!(
        "sums of the halves, in lanes 0 and 16: {} and {}",
        sums[0], sums[16]
    );
    program.equal("lane 0", &sums[..1], &[host[..16].iter().sum::<u32>()]);
    program.equal("lane 16", &sums[16..17], &[host[16..].iter().sum::<u32>()]);
    Ok(())
}
