//! Fragments from and to shared memory.

use warploom::device_std::wmma::{
    Accumulator, ColMajor, Fragment, M8N32K16, M16N16K16, MatrixA, MatrixB, RowMajor,
};
use warploom::prelude::*;
use warploom_harness::device_test::check;

const N: usize = 64;

/// `A · B` of 64 × 64 matrices by four warps: tiles of 64 × 16 and 16 × 64 that the block has loaded, sums by way of shared memory.
#[kernel(block(128))]
fn by_tiles(
    warp: Warp,
    block: Block,
    i: Index1D,
    a: &[Bf16],
    b: &[Bf16],
    mut a_tile: SharedTile<Bf16, 1024>,
    mut b_tile: SharedTile<Bf16, 1024>,
    mut sums_tile: SharedPatches<f32, 16, 68, 4>,
    mut c: DisjointSlice<f32, Chunks<32>>,
) {
    let row = warp.index() as usize * 16;
    let mut sums = [Fragment::<Accumulator, M16N16K16, f32>::filled(0.0); 4];
    for at in (0..N).step_by(16) {
        a_tile.fill(|slot| a[slot / 16 * N + at + slot % 16]);
        b_tile.fill(|slot| b[at * N + slot]);
        let (a, b) = (a_tile, b_tile).publish(&block);
        let factor = Fragment::<MatrixA, M16N16K16, Bf16, RowMajor>::load(warp, &a[row * 16..], 16);
        for part in 0..4 {
            let b = Fragment::<MatrixB, M16N16K16, Bf16, RowMajor>::load(warp, &b[part * 16..], N);
            sums[part] = sums[part].mma(warp, &factor, &b);
        }
        (a_tile, b_tile) = (a, b).reclaim(&block);
    }
    if let Some(mut patch) = sums_tile.get_mut(warp) {
        for (part, sums) in sums.iter().enumerate() {
            sums.store(warp, &mut patch, (0, part * 16), RowMajor);
        }
    }
    let sums = sums_tile.publish(&block);
    if let Some(c) = c.get_mut(i) {
        let (row, column) = (i.get() / 2, i.get() % 2 * 32);
        for (place, c) in c.iter_mut().enumerate() {
            *c = sums.patch(row / 16)[row % 16][column + place];
        }
    }
}

//@ rows: WX-2, WX-4, WX-6
#[test]
fn tiles_of_shared_memory_are_multiplied() {
    let a: Vec<Bf16> = (0..N * N)
        .map(|i| Bf16::from_f32((i % 13) as f32 - 6.0))
        .collect();
    let b: Vec<Bf16> = (0..N * N)
        .map(|i| Bf16::from_f32((i % 11) as f32 - 5.0))
        .collect();
    let expected: Vec<f32> = (0..N * N)
        .map(|at| {
            let terms = (0..N).map(|k| a[at / N * N + k].to_f32() * b[k * N + at % N].to_f32());
            terms.sum()
        })
        .collect();
    check(&expected, |device, stream| {
        let (a, b) = (device.upload(&a)?, device.upload(&b)?);
        let mut c = device.zeroed(N * N)?;
        by_tiles::launch(stream, Launch::new(1, 128), &a, &b, &mut c)?;
        Ok(c.to_vec(stream)?)
    });
}

type Halves = Fragment<Accumulator, M8N32K16, F16>;

/// Rounds through patches in shared memory: warp `w` stores, the warp beside it loads, columns become rows.
#[kernel]
fn rounds(
    warp: Warp,
    block: Block,
    mut tile: SharedPatches<F16, 32, 16, 3>,
    rounds: u32,
    mut c: DisjointSlice2D<F16, WarpPatches<8, 32>>,
) {
    let mut sums = Halves::filled(F16::from_f32(warp.index() as f32));
    for _ in 0..rounds {
        if let Some(mut patch) = tile.get_mut(warp) {
            sums.store(warp, &mut patch, (0, 0), ColMajor);
        }
        let view = tile.publish(&block);
        let beside = (warp.index() as usize + 1) % 3;
        sums = Halves::load(warp, &view[beside * 512..], 16, ColMajor);
        sums = sums.map(|x| x + F16::ONE);
        tile = view.reclaim(&block);
    }
    if let Some(mut patch) = c.get_mut(warp) {
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

//@ rows: WX-3, WX-4
#[test]
fn warps_read_each_others_patches_behind_the_barrier() {
    let turns = 7u32;
    let expected: Vec<u16> = (0..3 * 256)
        .map(|at| {
            let number = (at / 256 + turns) % 3 + turns;
            F16::from_f32(number as f32).to_bits()
        })
        .collect();
    check(&expected, |device, stream| {
        let mut c = device.zeroed::<F16>(3 * 256)?;
        rounds::launch(stream, Launch::new(1, 96), turns, c.view_2d_mut(32)?)?;
        Ok(c.to_vec(stream)?.into_iter().map(F16::to_bits).collect())
    });
}
