//! Kernels of safe parts: tiles that are published and reclaimed, outputs of which each thread has its own.

use warploom::device_std::AsyncTiles;
use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// A tile that is published, read, reclaimed and written again.
#[kernel(block(64))]
fn tile_in_two_phases(
    i: Index1D,
    block: Block,
    mut tile: SharedTile<u32, 64>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let t = block.thread();
    tile.fill(|slot| x[64 * block.index() + slot]);
    let view = tile.publish(&block);
    let sum = view[63 - t] + view[t ^ 1];
    let mut tile = view.reclaim(&block);
    tile.set_own(0, sum);
    let view = tile.publish(&block);
    if let Some(y) = y.get_mut(i) {
        *y = view[(t + 7) % 64];
    }
}

/// Steps in a double tile, with one barrier each.
#[kernel(block(64))]
fn steps_in_a_double_tile(
    i: Index1D,
    block: Block,
    mut tile: DoubleTile<u32, 64>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let t = block.thread();
    tile.fill(|slot| x[slot]);
    let mut tile = tile.publish(&block);
    for distance in [1, 2, 4, 8] {
        tile.set_own(0, tile[t].max(tile[(t + distance) % 64]));
        tile.publish(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = tile[t];
    }
}

/// Stages of asynchronous copies, waited for and released.
#[kernel(block(32))]
fn stages_of_async_tiles(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let memory = shared_array!([u32; 32], 2);
    let mut tiles = AsyncTiles::new(memory);
    let mut parts = x.chunks_exact(32);
    let mut sum = 0;
    for part in parts.by_ref().take(2) {
        tiles.copy(&block, part);
    }
    while let Some(stage) = tiles.wait(&block) {
        sum += stage.get(31 - block.thread());
        stage.release(&block);
        if let Some(part) = parts.next() {
            tiles.copy(&block, part);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// The block's own reductions, three of them in a row through the same memory.
#[kernel]
fn three_reductions_in_a_row(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let own = x[i.get()];
    let (most, least) = (block.reduce_max(own), block.reduce_min(own));
    let sum = block.reduce_sum(own - least);
    if let Some(y) = y.get_mut(i) {
        *y = sum + 1000 * (most - least);
    }
}

/// A scan of the block behind a sum of the block.
#[kernel]
fn scan_behind_a_sum(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let own = x[i.get()];
    let all = block.reduce_sum(own);
    let before = block.exclusive_scan(own, 0, |a, b| a + b);
    if let Some(y) = y.get_mut(i) {
        *y = all - before;
    }
}

/// Each thread has the elements of a loop over the grid.
#[kernel]
fn own_elements_of_the_grid(i: Index1D, x: &[u32], mut y: DisjointSlice<u32, GridStride>) {
    for (at, y) in y.iter_mut(i) {
        *y = x[at] + 1;
    }
}

/// Sums of blocks by their leaders, and of all by atomics.
#[kernel]
fn leaders_and_a_total(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
    total: &[Atomic<u32>],
) {
    let sum = block.reduce_sum(x[i.get()]);
    if let Some(leader) = block.leader() {
        total[0].fetch_add(sum, Relaxed);
        if let Some(y) = y.get_mut(leader) {
            *y = sum;
        }
    }
}

/// A tile of 16 lanes each: their maxima, and which lane has it.
#[kernel]
fn place_within_a_tile(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = block.tile::<16>();
    let own = x[i.get()];
    let most = tile.reduce_max(own);
    let first = tile.ballot(own == most).lowest().unwrap_or(0);
    if let Some(y) = y.get_mut(i) {
        *y = 100 * first + most;
    }
}

cases!("safe.rs":
    correct!(tile_in_two_phases, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, tile_in_two_phases, (2, 64), &input, &mut y);
        run.expect(&y, |i| {
            let (first, t) = (i / 64 * 64, (i + 7) % 64);
            x[first + 63 - t] + x[first + (t ^ 1)]
        })
    }),
    correct!(steps_in_a_double_tile, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, steps_in_a_double_tile, (1, 64), &input, &mut y);
        run.expect(&y, |i| (0..16).map(|k| x[(i + k) % 64]).max().unwrap_or(0))
    }),
    correct!(stages_of_async_tiles, |run| {
        let x = noise(160);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, stages_of_async_tiles, (1, 32), &input, &mut y);
        run.expect(&y, |i| (0..5).map(|part| x[32 * part + 31 - i]).sum())
    }),
    correct!(three_reductions_in_a_row, |run| {
        let x = noise(96);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(96)?);
        start!(run, three_reductions_in_a_row, (1, 96), &input, &mut y);
        let (most, least) = (x.iter().max().copied().unwrap_or(0), x.iter().min().copied().unwrap_or(0));
        run.expect(&y, |_| x.iter().map(|v| v - least).sum::<u32>() + 1000 * (most - least))
    }),
    correct!(scan_behind_a_sum, |run| {
        let x = noise(96);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(96)?);
        start!(run, scan_behind_a_sum, (1, 96), &input, &mut y);
        run.expect(&y, |i| x[i..].iter().sum())
    }),
    correct!(own_elements_of_the_grid, |run| {
        let x = noise(150);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(150)?);
        start!(run, own_elements_of_the_grid, (2, 32), &input, &mut y);
        run.expect(&y, |i| x[i] + 1)
    }),
    correct!(leaders_and_a_total, |run| {
        let x = noise(128);
        let (input, mut y, mut total) = (run.upload(&x)?, run.zeroed::<u32>(2)?, run.zeroed::<u32>(1)?);
        start!(run, leaders_and_a_total, (2, 64), &input, &mut y, total.as_atomics());
        run.expect(&total, |_| x.iter().sum())?;
        run.expect(&y, |b| x[64 * b..][..64].iter().sum())
    }),
    correct!(place_within_a_tile, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, place_within_a_tile, (1, 64), &input, &mut y);
        run.expect(&y, |i| {
            let tile = &x[i / 16 * 16..][..16];
            let most = tile.iter().max().copied().unwrap_or(0);
            100 * tile.iter().position(|&v| v == most).unwrap_or(0) as u32 + most
        })
    }),
);
