//! A tile of 32 by 32 numbers that is read by columns: one more number in each row, and the banks of shared memory do not clash.
//!
//! The study notes' section 1.4.1 (E3-09). Shared memory has 32 banks; word i lies in bank i mod 32. The 32 words of a column of a tile
//! with 32 columns lie in one bank, and are read one after the other; with 33 columns each lies in another. Note: the two kernels
//! differ in one number. `banks` counts the lanes that meet in one bank, from the addresses that the kernel reads. On the emulator the
//! lint WL0501 finds the first kernel (on the error stream); on a GPU the times differ.
//!
//! `cargo run --release -p warploom-gallery --example padded_tile`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::device_std::address::SharedPtr;
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
        *y = tile[down::<ROW>(lane, warp)];
    }
}

/// What a lane reads: down a column, which is the warp's.
fn down<const ROW: usize>(lane: usize, warp: usize) -> usize {
    lane * ROW + warp
}

/// For each thread of a block, how many lanes of its warp read a word in the same bank when they read as `transpose` does.
#[kernel(block(32, 32))]
fn banks<const ROW: usize>(
    at: Index2D,
    block: Block,
    warp: Warp,
    mut tile: SharedTile<f32, { SIDE * (SIDE + 1) }>,
    mut y: DisjointSlice2D<u32>,
) {
    tile.fill(|_| 0.0);
    let tile = tile.publish(&block);
    let word = &raw const tile[down::<ROW>(warp.lane() as usize, warp.index() as usize)];
    let bank = SharedPtr::from_generic(word.cast_mut()).as_u32() / 4 % 32;
    let together = warp.match_any(bank);
    if let Some(y) = y.get_mut(at) {
        *y = together.count();
    }
}

fn main() -> ExitCode {
    warploom_gallery::costs(run)
}

fn run(program: &Program) -> Result {
    meets::<SIDE>(program, program.device(), 32)?;
    meets::<{ SIDE + 1 }>(program, program.device(), 1)?;
    transposes::<{ SIDE + 1 }>(program, program.device(), 64)?;
    program.is_silent("WL0501");
    transposes::<SIDE>(program, program.device(), 64)?;
    program.warns("WL0501");
    let device = Device::open()?;
    if device.is_gpu() {
        meets::<SIDE>(program, &device, 32)?;
        meets::<{ SIDE + 1 }>(program, &device, 1)?;
        transposes::<SIDE>(program, &device, 8192)?;
        transposes::<{ SIDE + 1 }>(program, &device, 8192)?;
    }
    Ok(())
}

/// Counts the words of a column that lie in one bank.
fn meets<const ROW: usize>(program: &Program, device: &Device, expected: u32) -> Result {
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(SIDE * SIDE)?;
    banks::<ROW>::launch(
        &stream,
        Launch::covering_2d(SIDE, SIDE),
        y.view_2d_mut(SIDE)?,
    )?;
    let found = y.to_vec(&stream)?;
    println!(
        "{}: rows of {ROW} slots: {} words of a column in one bank",
        device.name(),
        found[0]
    );
    program.equal("words in one bank", &found, &[expected; SIDE * SIDE]);
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
