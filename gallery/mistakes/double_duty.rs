//! One shared array for the parts of all threads and then for the sums of all warps: two barriers, or a race.
//!
//! The textbook's section 6.13.3 (E2-19). Note which barrier is missing: without the first, a warp overwrites what the first warp still
//! adds up; without the second, the first warp reads sums that are not there yet. The last variant leaves each sum in the warp's own part
//! and needs one barrier, but then all sums lie in one bank (`bank_conflicts`).
//!
//! `cargo run --release -p warploom-gallery --example double_duty`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The sum of `values[start + k * step]` for `k` below 32, in lane 0. All lanes of the warp call it.
///
/// # Safety
/// No thread writes these elements meanwhile.
unsafe fn sum_of_32(warp: Warp, values: SharedArray<f32, 1024>, start: usize, step: usize) -> f32 {
    // SAFETY: as the caller promises.
    let own = unsafe { values.get(start + step * warp.lane() as usize) };
    warp.reduce(own, |a, b| a + b)
}

/// `FIRST` and `SECOND`: whether the barriers are there; `IN_PLACE`: whether a sum stays in its warp's part.
#[kernel(block(1024))]
fn block_sum<const FIRST: bool, const SECOND: bool, const IN_PLACE: bool>(
    i: Index1D,
    block: Block,
    warp: Warp,
    x: &[f32],
    mut y: DisjointSlice<f32, PerBlock>,
) {
    let values = shared_array!(f32, 1024);
    let own = warp.index() as usize;
    // SAFETY: with the barriers that the variant needs, no element is written by one thread while another uses it.
    let total = unsafe {
        values.set(block.thread(), x[i.get()]);
        warp.sync();
        let sum = sum_of_32(warp, values, 32 * own, 1);
        if FIRST {
            block.sync();
        }
        if warp.lane() == 0 {
            values.set(if IN_PLACE { 32 * own } else { own }, sum);
        }
        if SECOND {
            block.sync();
        }
        match (own, IN_PLACE) {
            (0, true) => sum_of_32(warp, values, 0, 32),
            (0, false) => sum_of_32(warp, values, 0, 1),
            _ => 0.0,
        }
    };
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
    let x = device.upload(&Vec::from_iter((0..1024u16).map(f32::from)))?;
    let total = 1023.0 * 1024.0 / 2.0;
    let mut y = device.zeroed::<f32>(1)?;

    println!("no barrier:\n");
    block_sum::<false, false, false>::launch(&stream, (1, 1024), &x, &mut y)?;
    program.finds("WL0100", stream.synchronize());
    println!("the first only:\n");
    block_sum::<true, false, false>::launch(&stream, (1, 1024), &x, &mut y)?;
    program.finds("WL0101", stream.synchronize());
    println!("the second only:\n");
    block_sum::<false, true, false>::launch(&stream, (1, 1024), &x, &mut y)?;
    program.finds("WL0100", stream.synchronize());

    block_sum::<true, true, false>::launch(&stream, (1, 1024), &x, &mut y)?;
    println!("both: {}", y.to_vec(&stream)?[0]);
    program.equal("both barriers", &y.to_vec(&stream)?, &[total]);
    block_sum::<false, true, true>::launch(&stream, (1, 1024), &x, &mut y)?;
    println!(
        "sums in their warps' parts, one barrier: {}",
        y.to_vec(&stream)?[0]
    );
    program.equal("in place", &y.to_vec(&stream)?, &[total]);
    Ok(())
}
