//! Two vectors are added: by one block of n threads, then by as many blocks of 256 as it takes.
//!
//! The CUDA programming guide, sections 2.1 (EX-1), 3.2.1 (EX-4) and 3.3.4 (EX-22). Note: memory is allocated, filled, given to the
//! kernel and freed as values of Rust; the kernel is the same for both launches, and threads behind the end get no element.
//!
//! `cargo run --release -p warploom-gallery --example vec_add [n]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn add(i: Index1D, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    if let Some(c) = c.get_mut(i) {
        *c = a[i.get()] + b[i.get()];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let one_block = adds(program, 200, |n| Launch::new(1, n as u32))?;
    println!("one block of 200 threads: c[199] = {}", one_block[199]);
    let n = program.argument(1, program.sized(5003, 50_000_003))?;
    let many = adds(program, n, |n| Launch::new(n.div_ceil(256) as u32, 256))?;
    println!(
        "{} blocks of 256 threads for {n} elements: c[{}] = {}",
        n.div_ceil(256),
        n - 1,
        many[n - 1]
    );
    Ok(())
}

/// Adds `n` numbers in a launch of this shape.
fn adds(program: &Program, n: usize, shape: impl Fn(usize) -> Launch) -> Result<Vec<f32>> {
    let (device, stream) = (program.device(), program.device().stream()?);
    let a: Vec<f32> = (0..n).map(|i| (i % 1013) as f32 / 3.0).collect();
    let b: Vec<f32> = (0..n).map(|i| (i % 511) as f32 / 7.0).collect();
    let (on_device, also) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeroed::<f32>(n)?;
    add::launch(&stream, shape(n), &on_device, &also, &mut c)?;
    let sum = c.to_vec(&stream)?;
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    program.equal("the sums", &sum, &expected);
    Ok(sum)
} // device memory is freed here, by its owner
