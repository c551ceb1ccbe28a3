//! `z = x + y` with memory of the device and explicit copies.
//!
//! The textbook's section 6.8.5 (E2-07). Note the kernel: it is that of `vector_add`, which has managed memory; only the host differs.
//! The copy back comes after the kernel, in the order of the stream.
//!
//! `cargo run --release -p warploom-gallery --example vector_add_copies [n] [blocks] [threads per block]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// A thread for each element; threads beyond the end do nothing.
#[kernel]
fn vector_add(i: Index1D, x: &[f32], y: &[f32], mut z: DisjointSlice<f32>) {
    if let Some(z) = z.get_mut(i) {
        *z = x[i.get()] + y[i.get()];
    }
}

fn main() -> std::process::ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let n = program.argument(1, 997usize)?;
    let (blocks, threads) = (program.argument(2, 4u32)?, program.argument(3, 256u32)?);
    add(program, n, blocks, threads)?;
    for n in [1, 2, 1023, 1024] {
        add(program, n, 4, 256)?;
    }
    Ok(())
}

fn add(program: &Program, n: usize, blocks: u32, threads: u32) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let x: Vec<f32> = (0..n).map(|i| (i * 37 % 101) as f32 / 7.0).collect();
    let y: Vec<f32> = (0..n).map(|i| (i * 53 % 103) as f32 / 11.0).collect();

    let (dx, dy) = (device.upload(&x)?, device.upload(&y)?);
    let mut dz = device.zeroed::<f32>(n)?;
    vector_add::launch(&stream, Launch::new(blocks, threads), &dx, &dy, &mut dz)?;
    let z = dz.to_vec(&stream)?;

    let sums: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
    let squares = z.iter().zip(&sums).map(|(a, b)| f64::from(a - b).powi(2));
    let norm = squares.sum::<f64>().sqrt();
    println!("n = {n}: Two-norm of difference between host and device = {norm:e}");
    program.equal("sums", &z, &sums);
    Ok(())
} // the buffers are freed here: nothing to forget
