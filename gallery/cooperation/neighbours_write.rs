//! Each thread reads its element, writes its neighbour's, and reads its own again: two barriers, of the block or of the warp.
//!
//! The CUDA programming guide, section 5.4.3 (EX-28, EX-29). Note: the product is twice the old value, except in the first thread, whose
//! element is never written. The guide leaves the barriers out within a warp, whose threads it takes to be in step; GPUs since compute
//! capability 7.0 do not promise that, so there is a barrier of the warp (`lockstep` shows what happens without).
//!
//! `cargo run --release -p warploom-gallery --example neighbours_write`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel(block(128))]
fn in_a_block(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let a = shared_array!(u32, 129);
    let t = block.thread();
    // SAFETY: all threads read, all write the next element, all read, with barriers between. A thread's first write is to its own.
    unsafe { a.set(t, x[i.get()]) };
    // SAFETY: as above.
    let first = unsafe { a.get(t) };
    block.sync();
    // SAFETY: as above.
    unsafe { a.set(t + 1, 2) };
    block.sync();
    // SAFETY: as above.
    let product = first * unsafe { a.get(t) };
    if let Some(y) = y.get_mut(i) {
        *y = product;
    }
}

/// Only the first warp does it.
#[kernel(block(128))]
fn in_a_warp(i: Index1D, block: Block, warp: Warp, x: &[u32], mut y: DisjointSlice<u32>) {
    let a = shared_array!(u32, 129);
    let t = block.thread();
    let mut product = 0;
    if t < 32 {
        // SAFETY: as above, with barriers of the warp; no other warp uses the array.
        unsafe { a.set(t, x[i.get()]) };
        // SAFETY: as above.
        let first = unsafe { a.get(t) };
        warp.sync();
        // SAFETY: as above.
        unsafe { a.set(t + 1, 2) };
        warp.sync();
        // SAFETY: as above.
        product = first * unsafe { a.get(t) };
    }
    if let Some(y) = y.get_mut(i) {
        *y = product;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let (stream, n) = (device.stream()?, 3 * 128);
    let x: Vec<u32> = (0..n as u32).map(|i| i + 10).collect();
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<u32>(n)?);
    // The first thread of a block has its own square, the others twice their own.
    let product = |i: usize| match i % 128 {
        0 => x[i] * x[i],
        _ => 2 * x[i],
    };

    in_a_block::launch(&stream, Launch::covering(n), &input, &mut y)?;
    let found = y.to_vec(&stream)?;
    println!("in a block: {:?} … of {:?} …", &found[..4], &x[..4]);
    let expected: Vec<u32> = (0..n).map(product).collect();
    program.equal("in a block", &found, &expected);

    in_a_warp::launch(&stream, Launch::covering(n), &input, &mut y)?;
    let found = y.to_vec(&stream)?;
    println!("in a warp: {:?} … {:?} …", &found[..4], &found[30..34]);
    let of_warp = |i: usize| if i % 128 < 32 { product(i) } else { 0 };
    let expected: Vec<u32> = (0..n).map(of_warp).collect();
    program.equal("in a warp", &found, &expected);
    Ok(())
}
