//! Threads that count on being in step: reads and writes of neighbours without a barrier, and `volatile` in its place.
//!
//! The CUDA programming guide, sections 5.4.3 (EX-28, EX-29) and B.2.4 (EX-31); `neighbours_write` has it right. Note the reports: the
//! race is between two lanes of one warp just as between two warps. And at the volatile accesses: they order nothing, which is a warning;
//! the emulator, which runs one lane after the other, gives results that no lanes in step would have.
//!
//! `cargo run --release -p warploom-gallery --example lockstep`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// No barrier between the first read, the write and the second read.
const NONE: u32 = 0;
/// The same by volatile accesses: how the guide writes it within a warp.
const VOLATILE: u32 = 1;
/// A barrier before the write only.
const FIRST: u32 = 2;
/// Both.
const BOTH: u32 = 3;

#[kernel]
fn product<const WAY: u32>(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let a = shared_array!(u32, 129);
    let t = block.thread();
    let own = a.as_ptr().wrapping_add(t);
    // SAFETY: within the array; with both barriers, no element is written by one thread while another uses it.
    let result = unsafe {
        *own = x[i.get()];
        block.sync();
        if WAY == VOLATILE {
            let first = own.read_volatile();
            own.add(1).write_volatile(2);
            first * own.read_volatile()
        } else {
            let first = *own;
            if WAY >= FIRST {
                block.sync();
            }
            *own.add(1) = 2;
            if WAY == BOTH {
                block.sync();
            }
            first * *own
        }
    };
    if let Some(y) = y.get_mut(i) {
        *y = result;
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let x = device.upload(&Vec::from_iter(10..138u32))?;
    let mut y = device.zeroed::<u32>(128)?;

    println!("no barrier, in a block of four warps:\n");
    product::<NONE>::launch(&stream, (1, 128), &x, &mut y)?;
    program.finds("WL0101", stream.synchronize());
    println!("no barrier, in a block of one warp:\n");
    product::<NONE>::launch(&stream, (1, 32), &x, &mut y)?;
    program.finds("WL0103", stream.synchronize());
    println!("the first barrier only:\n");
    product::<FIRST>::launch(&stream, (1, 128), &x, &mut y)?;
    program.finds("WL0101", stream.synchronize());

    // Each volatile access is made, and made at once: that is no error. But no lane waits for another, so there is a warning.
    product::<VOLATILE>::launch(&stream, (1, 32), &x, &mut y)?;
    let found = y.to_vec(&stream)?;
    println!(
        "volatile accesses, in a block of one warp: {:?} …",
        &found[..4]
    );
    let wrong = (1..32).filter(|&t| found[t] != 2 * (t as u32 + 10)).count();
    program.is("lanes that were not in step", wrong, 31);

    product::<BOTH>::launch(&stream, (1, 128), &x, &mut y)?;
    let found = y.to_vec(&stream)?;
    println!("both barriers: {:?} …", &found[..4]);
    let expected = (0..128).map(|t| if t == 0 { 100 } else { 2 * (t + 10) });
    program.equal("both barriers", &found, &Vec::from_iter(expected));
    Ok(())
}
