//! Products of matrices by tensor cores: one fragment of 16 by 16, then matrices of many.
//!
//! In no document of the index (more); the CUDA programming guide's example of the warp matrix functions: `A` column by column, `B` row by row, `half` factors and `float` sums, stored in rows
//! (section 5.4.11.7), and its loop over the elements of a fragment (5.4.11.1). Note: all lanes of a warp make each call together, nothing says which lane has which
//! element, and the output's type says which warp stores where.
//!
//! `cargo run --release -p warploom-gallery --example warp_matrices [size]`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::wmma::{
    Accumulator, ColMajor, Fragment, M16N16K16, MatrixA, MatrixB, RowMajor,
};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

type Sums = Fragment<Accumulator, M16N16K16, f32>;

/// The guide's kernel: one warp, matrices of one fragment.
#[kernel]
fn one_fragment(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    mut c: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let a = Fragment::<MatrixA, M16N16K16, F16, ColMajor>::load(warp, a, 16);
    let b = Fragment::<MatrixB, M16N16K16, F16, RowMajor>::load(warp, b, 16);
    let sums = Sums::filled(0.0).mma(warp, &a, &b);
    if let Some(mut patch) = c.get_mut(warp) {
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

/// `C = alpha · A · B`, all in rows; each warp has rectangles of 32 by 32, four fragments, whose factors it uses twice.
#[kernel]
fn many_fragments(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    inner: u32,
    alpha: f32,
    mut c: DisjointSlice2D<f32, WarpPatches<32, 32>>,
) {
    let (inner, columns) = (inner as usize, c.width());
    for mut patch in c.iter_mut(warp) {
        let (a, b) = (&a[patch.row() * inner..], &b[patch.column()..]);
        let mut sums = [[Sums::filled(0.0); 2]; 2];
        for k in (0..inner).step_by(16) {
            let a = [0, 16].map(|row| {
                let part = &a[row * inner + k..];
                Fragment::<MatrixA, M16N16K16, F16, RowMajor>::load(warp, part, inner)
            });
            let b = [0, 16].map(|column| {
                let part = &b[k * columns + column..];
                Fragment::<MatrixB, M16N16K16, F16, RowMajor>::load(warp, part, columns)
            });
            for row in 0..2 {
                for column in 0..2 {
                    sums[row][column] = sums[row][column].mma(warp, &a[row], &b[column]);
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (column, sums) in sums.iter().enumerate() {
                let scaled = sums.map(|x| alpha * x);
                scaled.store(warp, &mut patch, (row * 16, column * 16), RowMajor);
            }
        }
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    let (a, b) = (some(16 * 16, 7), some(16 * 16, 5));
    let (x, y) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeroed::<f32>(16 * 16)?;
    one_fragment::launch(&stream, Launch::new(1, 32), &x, &y, c.view_2d_mut(16)?)?;
    let expected = (0..256).map(|at| {
        let terms = (0..16).map(|k| a[k * 16 + at / 16].to_f32() * b[k * 16 + at % 16].to_f32());
        terms.sum()
    });
    program.equal(
        "one fragment",
        &c.to_vec(&stream)?,
        &Vec::from_iter(expected),
    );

    // A multiple of 32.
    let n: usize = program.argument(1, program.sized(96, 2048))?;
    let (a, b) = (some(n * n, 7), some(n * n, 5));
    let (x, y) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeroed::<f32>(n * n)?;
    let warps = (n / 32).pow(2) as u32;
    let shape = Launch::new(warps.div_ceil(4), 128);
    let rows = c.view_2d_mut(n)?;
    many_fragments::launch(&stream, shape, &x, &y, n as u32, 0.5, rows)?;
    let found = c.to_vec(&stream)?;
    println!("{n} x {n}: the last element is {}", found[n * n - 1]);
    // Small integers: every sum is exact, in whatever order.
    let sampled = |at: usize| {
        let terms = (0..n).map(|k| a[at / n * n + k].to_f32() * b[k * n + at % n].to_f32());
        0.5 * terms.sum::<f32>()
    };
    let places: Vec<usize> = (0..n * n).step_by(program.sized(1, 997)).collect();
    let expected: Vec<f32> = places.iter().map(|at| sampled(*at)).collect();
    let found: Vec<f32> = places.iter().map(|at| found[*at]).collect();
    program.equal("many fragments", &found, &expected);
    Ok(())
}

/// Integers of a few values.
fn some(n: usize, values: usize) -> Vec<F16> {
    let middle = (values / 2) as f32;
    let value = |i: usize| F16::from_f32((i * 31 / 3 % values) as f32 - middle);
    (0..n).map(value).collect()
}
