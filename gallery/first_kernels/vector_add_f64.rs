//! 32768 doubles are added by 64 blocks of 512 threads; the same work in other shapes.
//!
//! The study notes' section 1.3.1 (E3-05). Note: the results are equal, whatever the shape. On a GPU also at the times: 64 threads in
//! 512 blocks against 32 threads in 1024 blocks, and blocks of 512, 513 and 544 threads (a block of 513 needs as many warps as one of
//! 544).
//!
//! `cargo run --release -p warploom-gallery --example vector_add_f64`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const N: usize = 64 * 512;

#[kernel]
fn add(i: Index1D, a: &[f64], b: &[f64], mut result: DisjointSlice<f64>) {
    if let Some(result) = result.get_mut(i) {
        *result = a[i.get()] + b[i.get()];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let numbers: Vec<f64> = (0..N).map(|i| i as f64).collect();
    let doubled: Vec<f64> = numbers.iter().map(|v| 2.0 * v).collect();
    let (a, b) = (device.upload(&numbers)?, device.upload(&numbers)?);
    for (blocks, threads) in [(64, 512), (512, 64), (1024, 32)] {
        let mut result = device.zeroed::<f64>(N)?;
        add::launch(&stream, Launch::new(blocks, threads), &a, &b, &mut result)?;
        program.equal(
            &format!("{blocks} blocks of {threads}"),
            &result.to_vec(&stream)?,
            &doubled,
        );
    }
    if device.is_gpu() {
        compare_shapes(program, &stream)?;
    }
    Ok(())
}

/// Blocks of several sizes for the same number of elements, or nearly so.
fn compare_shapes(program: &Program, stream: &Stream) -> Result {
    let (device, n) = (program.device(), 1 << 25);
    let (a, b) = (device.filled(n, 1.0)?, device.filled(n, 2.0)?);
    let mut result = device.zeroed::<f64>(n)?;
    for (n, threads) in [(N, 64), (N, 32), (n, 512), (n, 513), (n, 544)] {
        let shape = Launch::new(n.div_ceil(threads as usize) as u32, threads);
        let (a, b) = (a.slice(..n)?, b.slice(..n)?);
        let ms = program.shortest_ms(stream, || {
            Ok(add::launch(stream, shape, a, b, result.slice_mut(..n)?)?)
        })?;
        println!("{n:9} elements, blocks of {threads:4} threads: {ms:.4} ms");
    }
    Ok(())
}
