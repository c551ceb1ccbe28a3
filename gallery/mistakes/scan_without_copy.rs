//! Prefix sums by doubling, where elements that nothing is added to are not handed on to the other buffer.
//!
//! The study notes' section 2.2 (E3-18). Note: the first step is right, the second reads elements that were never written. With memory that
//! starts with zeros the sums are wrong without a word; with memory that starts with nothing the checked emulator says which read it was.
//! The repaired kernels are in `scan_by_doubling`.
//!
//! `cargo run --release -p warploom-gallery --example scan_without_copy`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// One step: `y[i] = x[i] + x[i - distance]`. The first elements are handed on, if `COPY`.
#[kernel]
fn step<const COPY: bool>(i: Index1D, distance: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    let before = i.get().checked_sub(distance as usize);
    if let Some(y) = y.get_mut(i) {
        if let Some(before) = before {
            *y = x[i.get()] + x[before];
        } else if COPY {
            *y = x[i.get()];
        }
    }
}

fn main() -> ExitCode {
    warploom_gallery::mistake(run)
}

/// All steps; the sums are in the buffer that was written last.
fn scan<const COPY: bool>(
    stream: &Stream,
    x: &[u32],
    other: DeviceBuffer<u32>,
) -> warploom::Result<Vec<u32>> {
    let (mut from, mut to) = (other.device().upload(x)?, other);
    let mut distance = 1;
    while distance < x.len() {
        step::<COPY>::launch(
            stream,
            Launch::covering(x.len()),
            distance as u32,
            &from,
            &mut to,
        )?;
        std::mem::swap(&mut from, &mut to);
        distance *= 2;
    }
    Ok(from.to_vec(stream)?)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    let x: Vec<u32> = (0..8).collect();
    let right = [0, 1, 3, 6, 10, 15, 21, 28];
    let wrong = scan::<false>(&stream, &x, device.upload(&[100; 8])?)?;
    println!("into memory that has 100s: {wrong:?}");
    program.holds("wrong sums, and no report", wrong != right);
    println!("into memory that has nothing:\n");
    program.finds(
        "WL0021",
        scan::<false>(&stream, &x, device.alloc_uninit(8)?).map(drop),
    );
    let sums = scan::<true>(&stream, &x, device.alloc_uninit(8)?)?;
    println!("with the first elements handed on: {sums:?}");
    program.equal("the sums", &sums, &right);
    Ok(())
}
