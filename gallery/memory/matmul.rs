//! The product of two matrices: one thread for each element, from global memory and from tiles in shared memory.
//!
//! The study notes' section 1.4.1 (E3-07, E3-08); the CUDA programming guide, sections 3.2.2 (EX-8, EX-9) and 3.3.5 (EX-25). Note: the
//! shape of the product travels as a structure by value; a tile is written by all threads of a block, each its own slots, and read
//! between `publish` and `reclaim`, which are the two barriers of each step. Sizes need not be multiples of the tile. On a GPU also at
//! the times: tiles read each element of A and B from global memory once per block instead of once per thread.
//!
//! `cargo run --release -p warploom-gallery --example matmul`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// A block has 16 by 16 threads.
const B: usize = 16;

/// A has `rows` by `inner` elements, B `inner` by `columns`.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Shape {
    rows: u32,
    inner: u32,
    columns: u32,
}

#[kernel(block(16, 16))]
fn from_global(at: Index2D, a: &[f32], b: &[f32], shape: Shape, mut c: DisjointSlice2D<f32>) {
    let (inner, columns) = (shape.inner as usize, shape.columns as usize);
    if let Some(c) = c.get_mut(at) {
        let mut sum = 0.0;
        for k in 0..inner {
            sum += a[at.y() * inner + k] * b[k * columns + at.x()];
        }
        *c = sum;
    }
}

/// A matrix of so many columns; zero outside.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    elements: &'a [f32],
    rows: usize,
    columns: usize,
}

impl Matrix<'_> {
    fn at(self, row: usize, column: usize) -> f32 {
        let inside = row < self.rows && column < self.columns;
        if inside {
            self.elements[row * self.columns + column]
        } else {
            0.0
        }
    }
}

#[kernel(block(16, 16))]
fn from_tiles(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    shape: Shape,
    mut tile: SharedTile<f32, { 2 * B * B }>,
    mut c: DisjointSlice2D<f32>,
) {
    let [rows, inner, columns] = [shape.rows, shape.inner, shape.columns].map(|n| n as usize);
    let a = Matrix {
        elements: a,
        rows,
        columns: inner,
    };
    let b = Matrix {
        elements: b,
        rows: inner,
        columns,
    };
    let (row, column) = (block.thread() / B, block.thread() % B);
    let mut sum = 0.0;
    for start in (0..inner).step_by(B) {
        tile.set_own(0, a.at(at.y(), start + column));
        tile.set_own(1, b.at(start + row, at.x()));
        let both = tile.publish(&block); // no thread writes before all have read
        let (of_a, of_b) = both.split_at(B * B);
        for k in 0..B {
            sum += of_a[row * B + k] * of_b[k * B + column];
        }
        tile = both.reclaim(&block);
    }
    if let Some(c) = c.get_mut(at) {
        *c = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

/// Small whole numbers, so that every sum is exact.
fn numbers(n: usize, modulus: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 7 % modulus) as f32).collect()
}

fn run(program: &Program) -> Result {
    let device = program.device();
    let stream = device.stream()?;
    let mut sizes = vec![(32, 32, 32), (33, 50, 47), (1, 100, 1), (16, 1, 40)];
    if device.is_gpu() {
        sizes.extend([512, 1024, 2048, 4096].map(|n| (n, n, n)));
    }
    for (rows, inner, columns) in sizes {
        let (host_a, host_b) = (numbers(rows * inner, 13), numbers(inner * columns, 11));
        let (a, b) = (device.upload(&host_a)?, device.upload(&host_b)?);
        let [r, i, c] = [rows, inner, columns].map(|n| n as u32);
        let shape = Shape {
            rows: r,
            inner: i,
            columns: c,
        };
        let threads = Launch::covering_2d(columns, rows);
        let mut product = device.zeroed::<f32>(rows * columns)?;
        let global = program.shortest_ms(&stream, || {
            let product = product.view_2d_mut(columns)?;
            Ok(from_global::launch(
                &stream, threads, &a, &b, shape, product,
            )?)
        })?;
        let first = product.to_vec(&stream)?;
        product.fill(-1.0, &stream)?;
        let tiles = program.shortest_ms(&stream, || {
            let product = product.view_2d_mut(columns)?;
            Ok(from_tiles::launch(
                &stream, threads, &a, &b, shape, product,
            )?)
        })?;
        program.equal(
            "tiles give what global memory gives",
            &product.to_vec(&stream)?,
            &first,
        );
        // A few rows, for the host is slow.
        for row in (0..rows).step_by(rows.div_ceil(8)) {
            let expected = row_of_product(&host_a[row * inner..][..inner], &host_b, columns);
            program.equal(
                &format!("row {row}"),
                &first[row * columns..][..columns],
                &expected,
            );
        }
        println!(
            "{rows:4} x {inner:4} x {columns:4}: {global:9.4} ms from global memory, {tiles:9.4} ms from tiles"
        );
    }
    Ok(())
}

fn row_of_product(a: &[f32], b: &[f32], columns: usize) -> Vec<f32> {
    let mut row = vec![0.0; columns];
    for (a, b) in a.iter().zip(b.chunks(columns)) {
        row.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
    }
    row
}
