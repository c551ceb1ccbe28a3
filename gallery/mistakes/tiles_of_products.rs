//! The product of two matrices by tiles, with each of its barriers left out in turn, and with all blocks writing one tile.
//!
//! The study notes' section 1.4.1 (E3-08). Without the first barrier threads read numbers of the tile before the others have written
//! them; without the second they write the next tile while others still read. Note: the reports name both lines and the barrier
//! interval that they share, whatever the result was. The safe way (`matmul`) has no place where a barrier could be forgotten: a tile is
//! read between `publish` and `reclaim`.
//!
//! `cargo run --release -p warploom-gallery --example tiles_of_products`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the kernels have bugs on purpose"
)]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const B: usize = 16;
const N: usize = 32;

const RIGHT: u32 = 0;
const NO_FIRST_BARRIER: u32 = 1;
const NO_SECOND_BARRIER: u32 = 2;
const ONE_TILE: u32 = 3;

#[kernel(block(16, 16))]
fn multiply<const BUG: u32>(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    mut c: DisjointSlice2D<f32>,
) {
    let of_a = shared_array!(f32, B * B);
    let of_b = shared_array!(f32, B * B);
    let (column, row) = (block.thread() % B, block.thread() / B);
    let mut sum = 0.0;
    for start in (0..N).step_by(B) {
        // SAFETY: of the right kernel: each thread writes its own element, all are read after a barrier, and written again after another.
        unsafe {
            of_a.set(row * B + column, a[at.y() * N + start + column]);
            of_b.set(row * B + column, b[(start + row) * N + at.x()]);
            if BUG != NO_FIRST_BARRIER {
                block.sync();
            }
            for k in 0..B {
                sum += of_a.get(row * B + k) * of_b.get(k * B + column);
            }
            if BUG != NO_SECOND_BARRIER {
                block.sync();
            }
        }
    }
    if BUG == ONE_TILE {
        // SAFETY: none: the index within the tile instead of that in the matrix is the mistake.
        unsafe { c.raw().add(row * B + column).write(sum) };
    } else if let Some(c) = c.get_mut(at) {
        *c = sum;
    }
}

fn main() -> ExitCode {
    warploom_gallery::mistake(run)
}

fn run(program: &Program) -> Result {
    let (device, stream) = (program.device(), program.device().stream()?);
    let a: Vec<f32> = (0..N * N).map(|i| (i % 13) as f32).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i % 11) as f32).collect();
    let (x, y, mut c) = (
        device.upload(&a)?,
        device.upload(&b)?,
        device.zeroed::<f32>(N * N)?,
    );
    let shape = Launch::covering_2d(N, N);

    println!("without the first barrier:\n");
    multiply::<NO_FIRST_BARRIER>::launch(&stream, shape, &x, &y, c.view_2d_mut(N)?)?;
    program.finds("WL0101", stream.synchronize());
    println!("without the second barrier:\n");
    multiply::<NO_SECOND_BARRIER>::launch(&stream, shape, &x, &y, c.view_2d_mut(N)?)?;
    program.finds("WL0101", stream.synchronize());
    println!("all blocks write one tile:\n");
    multiply::<ONE_TILE>::launch(&stream, shape, &x, &y, c.view_2d_mut(N)?)?;
    program.finds("WL0112", stream.synchronize());

    println!("with both barriers, each block its own tile:");
    multiply::<RIGHT>::launch(&stream, shape, &x, &y, c.view_2d_mut(N)?)?;
    let product = c.to_vec(&stream)?;
    let of = |i: usize| (0..N).map(|k| a[i / N * N + k] * b[k * N + i % N]).sum();
    let expected: Vec<f32> = (0..N * N).map(of).collect();
    println!("c[0][0] = {}", product[0]);
    program.equal("the product", &product, &expected);
    Ok(())
}
