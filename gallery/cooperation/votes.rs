//! Lanes vote: is any lane even, are all, and which lane is number 12?
//!
//! The study notes' appendix (E3-35). Note: every lane gets the answer. A ballot has bit k for lane k, so of the 32 digits, printed
//! from bit 0 on, the thirteenth is 1.
//!
//! `cargo run --release -p warploom-gallery --example votes`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::LaneMask;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// A function that threads call; it prints from within a loop.
fn print_lanes(lanes: LaneMask) {
    for lane in 0..32 {
        gpu_print!("{}", u32::from(lanes.contains(lane)));
    }
    gpu_println!();
}

#[kernel(block(32))]
fn votes(i: Index1D, block: Block, warp: Warp, mut y: DisjointSlice<[u32; 4]>) {
    let even = warp.lane().is_multiple_of(2);
    let (any, all) = (warp.any(even), warp.all(even));
    let twelve = warp.ballot(warp.lane() == 12);
    block.sync();
    if block.thread() == 0 {
        gpu_println!("Result of __any_sync: {}", u32::from(any));
        gpu_println!("Result of __all_sync: {}", u32::from(all));
        print_lanes(twelve);
    }
    if let Some(y) = y.get_mut(i) {
        *y = [
            u32::from(any),
            u32::from(all),
            twelve.bits(),
            warp.active_mask().bits(),
        ];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    let mut y = program.device().zeroed::<[u32; 4]>(32)?;
    let printed = program.printed(|| Ok(votes::launch(&stream, Launch::new(1, 32), &mut y)?))?;
    let expected = ["Result of __any_sync: 1", "Result of __all_sync: 0"].map(str::to_owned);
    program.equal("any and all", &printed[..2], &expected);
    let digits = "00000000000010000000000000000000";
    program.is("32 digits", &*printed[2..].concat(), digits);
    let answers = y.to_vec(&stream)?;
    println!("mask of lane 12: {:#010x}", answers[0][2]);
    let votes_of_lanes: Vec<[u32; 3]> = answers
        .iter()
        .map(|&[any, all, lanes, _]| [any, all, lanes])
        .collect();
    program.equal(
        "the same in all lanes",
        &votes_of_lanes,
        &[[1, 0, 0x0000_1000]; 32],
    );
    // Which lanes run together is up to the hardware; a lane itself is always among them.
    let own = (0..32)
        .zip(&answers)
        .all(|(lane, a)| LaneMask::from_bits(a[3]).contains(lane));
    program.holds("each lane is active", own);
    Ok(())
}
