//! Shared memory: tiles that a block fills, shows to all its threads, and fills again.

use warploom::prelude::*;

// ANCHOR: sum
const THREADS: usize = 256;

/// Each block adds 256 elements, by halves: 128 threads add the other 128 threads' sums, then 64, and so on.
#[kernel(block(256))]
fn sums_of_blocks(
    i: Index1D,
    block: Block,
    x: &[u32],
    mut tile: SharedTile<u32, THREADS>,
    mut sums: DisjointSlice<u32, PerBlock>,
) {
    let mut own = x.get(i.get()).copied().unwrap_or(0);
    let mut half = THREADS / 2;
    while half > 0 {
        tile.set_own(0, own);
        let all = tile.publish(&block); // a barrier: from here on all threads read
        if block.thread() < half {
            own += all[block.thread() + half];
        }
        tile = all.reclaim(&block); // a barrier: from here on each thread writes its own slot
        half /= 2;
    }
    if let Some(leader) = block.leader()
        && let Some(sum) = sums.get_mut(leader)
    {
        *sum = own;
    }
}
// ANCHOR_END: sum

// ANCHOR: sum_test
#[test]
fn each_block_has_its_sum() -> warploom::Result<()> {
    let x: Vec<u32> = (0..1000).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let input = device.upload(&x)?;
    let mut sums = device.zeroed::<u32>(4)?;
    sums_of_blocks::launch(&stream, Launch::covering(x.len()), &input, &mut sums)?;
    let expected: Vec<u32> = x.chunks(THREADS).map(|part| part.iter().sum()).collect();
    assert_eq!(sums.to_vec(&stream)?, expected);
    Ok(())
}
// ANCHOR_END: sum_test

// ANCHOR: steps
/// Heat spreads along rods of 256 cells with fixed ends, a hundred steps in shared memory.
#[kernel(block(256))]
fn spread(
    i: Index1D,
    block: Block,
    x: &[f32],
    mut rod: DoubleTile<f32, THREADS>,
    mut y: DisjointSlice<f32>,
) {
    let t = block.thread();
    rod.set_own(0, x[i.get()]);
    let mut rod = rod.publish(&block);
    for _ in 0..100 {
        let inside = t > 0 && t < THREADS - 1;
        let next = if inside {
            (rod[t - 1] + rod[t + 1]) / 2.0
        } else {
            rod[t]
        };
        rod.set_own(0, next); // of the other buffer
        rod.publish(&block); // the step's only barrier
    }
    if let Some(y) = y.get_mut(i) {
        *y = rod[t];
    }
}
// ANCHOR_END: steps

#[test]
fn heat_spreads() -> warploom::Result<()> {
    let x: Vec<f32> = (0..512).map(|i| (i % 7 * 100) as f32).collect();
    let mut expected = x.clone();
    for _ in 0..100 {
        for rod in expected.chunks_mut(THREADS) {
            let inner: Vec<f32> = rod
                .windows(3)
                .map(|part| (part[0] + part[2]) / 2.0)
                .collect();
            rod[1..THREADS - 1].copy_from_slice(&inner);
        }
    }
    let device = Device::open()?;
    let stream = device.stream()?;
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<f32>(x.len())?);
    spread::launch(&stream, Launch::covering(x.len()), &input, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, expected);
    Ok(())
}

// ANCHOR: transpose
const SIDE: usize = 32;

/// Transposes a square matrix by tiles of 32 by 32, so that reads and writes of global memory are both along rows.
#[kernel(block(32, 32))]
fn transpose<const ROW: usize>(
    at: Index2D,
    block: Block,
    x: &[f32],
    mut tile: SharedTile<f32, { SIDE * (SIDE + 1) }>,
    mut y: DisjointSlice2D<f32>,
) {
    let n = y.width();
    let (column, row) = (block_idx().x as usize * SIDE, block_idx().y as usize * SIDE);
    // The tile on the other side of the diagonal; `ROW` slots of the tile are a row.
    tile.fill(|slot| {
        let (r, c) = (slot / ROW, slot % ROW);
        let inside = r < SIDE && c < SIDE;
        if inside {
            x[(column + r) * n + row + c]
        } else {
            0.0
        }
    });
    let tile = tile.publish(&block);
    let (lane, warp) = (block.thread() % SIDE, block.thread() / SIDE);
    if let Some(y) = y.get_mut(at) {
        *y = tile[lane * ROW + warp];
    }
}
// ANCHOR_END: transpose

#[test]
fn rows_become_columns() -> warploom::Result<()> {
    let n = 96;
    let x: Vec<f32> = (0..n * n).map(|i| i as f32).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<f32>(n * n)?);
    let shape = Launch::covering_2d(n, n);
    transpose::<33>::launch(&stream, shape, &input, y.view_2d_mut(n)?)?;
    let y = y.to_vec(&stream)?;
    assert!((0..n * n).all(|i| y[i] == x[i % n * n + i / n]));
    Ok(())
}

// ANCHOR: dynamic
/// Reverses blocks of any size: the launch says how much shared memory there is.
#[kernel]
fn reverse_blocks(
    i: Index1D,
    block: Block,
    x: &[u32],
    shared: DynamicShared<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (own, last) = (block.thread(), block.threads() - 1);
    // SAFETY: each thread writes the slot of its own number.
    unsafe { shared.set(own, x[i.get()]) };
    block.sync();
    // SAFETY: all slots are written, and no thread writes after the barrier.
    let other = unsafe { shared.get(last - own) };
    if let Some(y) = y.get_mut(i) {
        *y = other;
    }
}
// ANCHOR_END: dynamic

#[test]
fn blocks_are_reversed() -> warploom::Result<()> {
    let x: Vec<u32> = (0..96).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<u32>(96)?);
    let shape = Launch::new(2, 48).dynamic_shared(48 * 4);
    reverse_blocks::launch(&stream, shape, &input, &mut y)?;
    let y = y.to_vec(&stream)?;
    assert_eq!((y[0], y[47], y[48], y[95]), (47, 0, 95, 48));
    Ok(())
}
