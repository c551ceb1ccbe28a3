//! The sum of two matrices of m rows and n columns, element by element.
//!
//! The study notes' section 1.4.1 (E3-07b); the CUDA programming guide, section 2.2 (EX-2 with one block, EX-3 with blocks of 16 by 16).
//! Note: threads in two dimensions, x for the column and y for the row, and a matrix whose size is no multiple of the block's.
//!
//! `cargo run --release -p warploom-gallery --example matrix_add [rows columns]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

#[kernel]
fn add(at: Index2D, a: &[f32], b: &[f32], mut sum: DisjointSlice2D<f32>) {
    let from = at.y() * sum.width() + at.x();
    if let Some(sum) = sum.get_mut(at) {
        *sum = a[from] + b[from];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    adds(program, 20, 20, Launch::new(1, (20, 20)))?; // one block
    adds(program, 64, 64, Launch::new((4, 4), (16, 16)))?;
    // A size that no block divides, and as many blocks as it takes.
    let (rows, columns): (usize, usize) = (program.argument(1, 37)?, program.argument(2, 101)?);
    let blocks = (columns.div_ceil(16) as u32, rows.div_ceil(16) as u32);
    adds(program, rows, columns, Launch::new(blocks, (16, 16)))?;
    adds(program, rows, columns, Launch::covering_2d(columns, rows)) // the same
}

fn adds(program: &Program, rows: usize, columns: usize, shape: Launch) -> Result {
    let (device, stream, n) = (program.device(), program.device().stream()?, rows * columns);
    let a: Vec<f32> = (0..n).map(|i| (i % 1000) as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| (i % 77) as f32 / 4.0).collect();
    let (x, y, mut sum) = (
        device.upload(&a)?,
        device.upload(&b)?,
        device.zeroed::<f32>(n)?,
    );
    add::launch(&stream, shape, &x, &y, sum.view_2d_mut(columns)?)?;
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let sum = sum.to_vec(&stream)?;
    println!("{rows} x {columns}: the last element is {}", sum[n - 1]);
    program.equal("a + b", &sum, &expected);
    Ok(())
}
