//! Sums of blocks written over the array that other blocks still read; a block whose size is no power of two; a sum in global memory that
//! reads what another thread of the launch writes.
//!
//! The study notes' section 2.1 (E3-14, E3-15). Note: blocks have no order, so the first is a race between blocks although it gives
//! the right sum whenever the blocks happen to run one after the other. With `&[f32]` and `DisjointSlice` it cannot be written: the host
//! would have to lend one buffer for reading and for writing. The repaired kernels are in `reductions`.
//!
//! `cargo run --release -p warploom-gallery --example reduction_in_place`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Sums of blocks, in place: block k writes element k.
#[kernel]
fn in_place(i: Index1D, block: Block, shared: DynamicShared<f32>, mut x: DisjointSlice<f32>) {
    let (thread, threads) = (block.thread(), block.threads());
    // SAFETY: none: block k writes element k, which belongs to block 0.
    unsafe {
        let x = x.raw();
        shared.set(thread, x.add(i.get()).read());
        block.sync();
        let mut stride = 1;
        while stride < threads {
            if thread.is_multiple_of(2 * stride) {
                shared.set(thread, shared.get(thread) + shared.get(thread + stride));
            }
            block.sync();
            stride *= 2;
        }
        if thread == 0 {
            x.add(block.index()).write(shared.get(0));
        }
    }
}

/// A step in global memory, in place, by threads that do not know of each other.
#[kernel]
fn step_in_place(i: Index1D, stride: u32, mut x: DisjointSlice<f32>) {
    let (at, stride, n) = (i.get(), stride as usize, x.len());
    if at + stride < n {
        // SAFETY: none: element `at + stride` is another thread's, which writes it at the same time.
        unsafe { *x.raw().add(at) += x.raw().add(at + stride).read() };
    }
}

/// The sum that each block comes to, elsewhere.
#[kernel]
fn repaired(i: Index1D, block: Block, x: &[f32], mut sums: DisjointSlice<f32, PerBlock>) {
    let sum = block.reduce_sum(x[i.get()]);
    if let Some(place) = block.leader().and_then(|leader| sums.get_mut(leader)) {
        *place = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    let mut x = device.filled(32, 1.0f32)?;

    println!("8 blocks of 4, in place:\n");
    in_place::launch(&stream, Launch::new(8, 4).dynamic_shared(16), &mut x)?;
    program.finds("WL0113", stream.synchronize());
    println!("a block of 6 threads, where thread 4 adds element 6 in the second step:\n");
    let mut six = device.filled(6, 1.0f32)?;
    in_place::launch(&stream, Launch::new(1, 6).dynamic_shared(24), &mut six)?;
    program.finds("WL0400", stream.synchronize());
    println!("one step in global memory, in place:\n");
    let mut y = device.upload(&Vec::from_iter((0..64).map(|i| i as f32)))?;
    step_in_place::launch(&stream, Launch::new(1, 64), 1, &mut y)?;
    program.finds("WL0111", stream.synchronize());

    println!("8 blocks of 4, into another buffer:");
    let (ones, mut sums) = (device.filled(32, 1.0f32)?, device.zeroed::<f32>(8)?);
    repaired::launch(&stream, Launch::new(8, 4), &ones, &mut sums)?;
    let sums = sums.to_vec(&stream)?;
    println!("{sums:?}");
    program.equal("the sums of the blocks", &sums, &[4.0; 8]);
    Ok(())
}
