//! A loop with five copies of its body in a row, and what is left over one at a time.
//!
//! The CUDA programming guide, section E.2 (EX-42). Note the PTX: five loads and one more. A number of rounds that is no multiple of
//! five is as right as one that is, and so is one below five. One copy forbids what the compiler would do of its own accord.
//!
//! `cargo run --release -p warploom-gallery --example unrolled`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::hint::{unroll, unroll_all};
use warploom::prelude::*;
use warploom_gallery::{Program, Result, ptx};

/// Thread i adds the first i elements.
#[kernel]
fn five_copies(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let n = i.get();
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0.0;
        unroll::<5, _>(0..n, |k| sum += x[k]);
        *y = sum;
    }
}

#[kernel]
fn one_copy(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let n = i.get();
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0.0;
        unroll::<1, _>(0..n, |k| sum += x[k]);
        *y = sum;
    }
}

/// Five rounds, and no loop.
#[kernel]
fn no_loop(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0.0;
        unroll_all::<5>(|k| sum += x[k]);
        *y = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let n = 23;
    let x: Vec<f32> = (0..n).map(|i| (i * i + 1) as f32).collect();
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<f32>(n)?);
    let expected: Vec<f32> = (0..n).map(|i| x[..i].iter().sum()).collect();
    let shape = Launch::covering(n);

    five_copies::launch(&stream, shape, &input, &mut y)?;
    println!("sums of 0 to 22 numbers: {:?}", y.to_vec(&stream)?);
    program.equal("five copies", &y.to_vec(&stream)?, &expected);
    one_copy::launch(&stream, shape, &input, &mut y)?;
    program.equal("one copy", &y.to_vec(&stream)?, &expected);
    no_loop::launch(&stream, shape, &input, &mut y)?;
    program.equal("no loop", &y.to_vec(&stream)?, &vec![expected[5]; n]);

    for (kernel, loads) in [("five_copies", 6), ("one_copy", 1), ("no_loop", 5)] {
        let Some(ptx) = ptx(kernel)? else { break };
        let found = ptx.instructions("ld.global").len();
        println!("{kernel}: {found} loads");
        program.is(kernel, found, loads);
    }
    Ok(())
}
