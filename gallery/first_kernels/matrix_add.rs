//! The sum of two matrices of m rows and n columns, element by element.
//!
//! The study notes' section 1.4.1 (E3-07b). Look at: threads in two dimensions, x for the column and y for the row, and a matrix whose
//! size is no multiple of the block's.
//!
//! `cargo run --release --example matrix_add [rows columns]`
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
    let device = program.device();
    let (rows, columns) = (program.argument(1, 37)?, program.argument(2, 101)?);
    let stream = device.stream()?;
    let a: Vec<f32> = (0..rows * columns).map(|i| (i % 1000) as f32).collect();
    let b: Vec<f32> = (0..rows * columns).map(|i| (i % 77) as f32 / 4.0).collect();
    let mut sum = device.zeroed::<f32>(rows * columns)?;
    let shape = Launch::covering_2d(columns, rows);
    add::launch(
        &stream,
        shape,
        &device.upload(&a)?,
        &device.upload(&b)?,
        sum.view_2d_mut(columns)?,
    )?;
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    println!("{rows} x {columns}");
    program.equal("a + b", &sum.to_vec(&stream)?, &expected);
    Ok(())
}
