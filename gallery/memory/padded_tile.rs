//! A tile of 32 by 32 numbers that is read by columns: one more number in each row, and the banks of shared memory do not clash.
//!
//! The study notes' section 1.4.1 (E3-09). Shared memory has 32 banks; word i lies in bank i mod 32. The 32 words of a column of a tile
//! with 32 columns lie in one bank, and are read one after the other; with 33 columns each lies in another. Note: the two kernels
//! differ in one number. On the emulator the lint WL0501 finds the first (on the error stream); on a GPU the times differ.
//!
//! `cargo run --release --example padded_tile`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

const SIDE: usize = 32;

/// Transposes a square matrix, tile by tile. Rows of a tile have `ROW` slots, of which 32 are used.
#[kernel(block(32, 32))]
fn transpose<const ROW: usize>(
    at: Index2D,
    block: Block,
    x: &[f32],
    mut tile: SharedTile<f32, { SIDE * (SIDE + 1) }>,
    mut y: DisjointSlice2D<f32>,
) {
    let n = y.width();
    let corner = (block_idx().x as usize * SIDE, block_idx().y as usize * SIDE);
    // The tile on the other side of the diagonal.
    tile.fill(|slot| {
        let (row, column) = (slot / ROW, slot % ROW);
        let inside = row < SIDE && column < SIDE;
        if inside {
            x[(corner.0 + row) * n + corner.1 + column]
        } else {
            0.0
        }
    });
    let tile = tile.publish(&block);
    let (lane, warp) = (block.thread() % SIDE, block.thread() / SIDE);
    if let Some(y) = y.get_mut(at) {
        *y = tile[lane * ROW + warp]; // down a column
    }
}

/// How many of the words of a column lie in the fullest bank.
fn ways(row: usize, column: usize) -> usize {
    let mut banks = [0; 32];
    (0..32).for_each(|lane| banks[(lane * row + column) % 32] += 1);
    banks.into_iter().fold(0, usize::max)
}

fn main() -> ExitCode {
    warploom_gallery::costs(run)
}

fn run(program: &Program) -> Result {
    for (row, expected) in [(SIDE, 32), (SIDE + 1, 1)] {
        let most = (0..SIDE).map(|column| ways(row, column)).max().unwrap_or(0);
        println!("rows of {row} slots: {most} words of a column in one bank");
        program.is("words in one bank", most, expected);
    }
    transposes::<{ SIDE + 1 }>(program, program.device(), 64)?;
    program.is_silent("WL0501");
    transposes::<SIDE>(program, program.device(), 64)?;
    program.warns("WL0501");
    let device = Device::open()?;
    if device.is_gpu() {
        transposes::<SIDE>(program, &device, 8192)?;
        transposes::<{ SIDE + 1 }>(program, &device, 8192)?;
    }
    Ok(())
}

/// Transposes a matrix of `n` by `n` numbers.
fn transposes<const ROW: usize>(program: &Program, device: &Device, n: usize) -> Result {
    let stream = device.stream()?;
    let host: Vec<f32> = (0..n * n).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..n * n).map(|i| host[i % n * n + i / n]).collect();
    let (x, mut y) = (device.upload(&host)?, device.zeroed::<f32>(n * n)?);
    let ms = program.shortest_ms(&stream, || {
        let rows = y.view_2d_mut(n)?;
        Ok(transpose::<ROW>::launch(
            &stream,
            Launch::covering_2d(n, n),
            &x,
            rows,
        )?)
    })?;
    program.equal("the transpose", &y.to_vec(&stream)?, &expected);
    println!(
        "{}: {n} x {n} by tiles with rows of {ROW} slots: {ms:.4} ms",
        device.name()
    );
    Ok(())
}
