//! Tensor cores: products of small matrices, whose elements are in known registers of known lanes.

use warploom::device_std::mma::{A, B, D, M16N8, M16N8K16, M16N8K32, SparseA};
use warploom::prelude::*;

// ANCHOR: product
/// `C = A · B`, all of `n` rows and columns; each warp has squares of 16 by 16, which are two fragments of sums.
#[kernel]
fn product(
    warp: Warp,
    a: &[Bf16],
    b: &[Bf16],
    n: u32,
    mut c: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let n = n as usize;
    for mut patch in c.iter_mut(warp) {
        let (a, b) = (&a[patch.row() * n..], &b[patch.column()..]);
        let mut sums = [D::<M16N8, f32>::zero(); 2];
        for k in (0..n).step_by(16) {
            let left = A::<M16N8K16, Bf16>::from_rows(warp, &a[k..], n);
            for (half, sum) in sums.iter_mut().enumerate() {
                let right = B::from_rows(warp, &b[k * n + 8 * half..], n);
                *sum = warp.mma(left, right, *sum);
            }
        }
        for (half, sum) in sums.iter().enumerate() {
            sum.store(warp, &mut patch, (0, 8 * half));
        }
    }
}
// ANCHOR_END: product

// ANCHOR: staged
/// The same from shared memory: a block has 16 rows and 64 columns, a square for each of its four warps.
#[kernel(block(128))]
fn staged(
    block: Block,
    warp: Warp,
    mut a_tile: SharedTile<Bf16, 512>,
    mut b_tile: SharedTile<Bf16, 2048>,
    a: &[Bf16],
    b: &[Bf16],
    n: u32,
    mut c: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let n = n as usize;
    let square = 4 * block.index();
    let (row, column) = (square / (n / 16) * 16, square % (n / 16) * 16);
    let own = 16 * warp.index() as usize;
    let mut sums = [D::<M16N8, f32>::zero(); 2];
    for k in (0..n).step_by(32) {
        a_tile.fill(|slot| a[(row + slot / 32) * n + k + slot % 32]);
        b_tile.fill(|slot| b[(k + slot / 64) * n + column + slot % 64]);
        let (a, b) = (a_tile.publish(&block), b_tile.publish(&block));
        for step in [0, 16] {
            let left = A::<M16N8K16, Bf16>::ldmatrix_rows(warp, &a, step, 32);
            for (half, sum) in sums.iter_mut().enumerate() {
                let right = B::ldmatrix_rows(warp, &b, step * 64 + own + 8 * half, 64);
                *sum = warp.mma(left, right, *sum);
            }
        }
        (a_tile, b_tile) = (a.reclaim(&block), b.reclaim(&block));
    }
    if let Some(mut patch) = c.get_mut(warp) {
        for (half, sum) in sums.iter().enumerate() {
            sum.store(warp, &mut patch, (0, 8 * half));
        }
    }
}
// ANCHOR_END: staged

/// Integers of a few values, so that each sum is exact.
fn some(n: usize, values: usize) -> Vec<Bf16> {
    let middle = (values / 2) as f32;
    let value = |i: usize| Bf16::from_f32((i * 31 / 3 % values) as f32 - middle);
    (0..n * n).map(value).collect()
}

#[test]
fn both_products_are_right() -> warploom::Result<()> {
    const N: usize = 64;
    let (a, b) = (some(N, 7), some(N, 5));
    let expected: Vec<f32> = (0..N * N)
        .map(|at| {
            let term = |k: usize| a[at / N * N + k].to_f32() * b[k * N + at % N].to_f32();
            (0..N).map(term).sum()
        })
        .collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let (x, y) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeroed::<f32>(N * N)?;
    product::launch(
        &stream,
        Launch::new(2, 96),
        &x,
        &y,
        N as u32,
        c.view_2d_mut(N)?,
    )?;
    assert_eq!(c.to_vec(&stream)?, expected);
    c.fill(0.0, &stream)?;
    // Sixteen squares, four for each block.
    staged::launch(&stream, (4, 128), &x, &y, N as u32, c.view_2d_mut(N)?)?;
    assert_eq!(c.to_vec(&stream)?, expected);
    Ok(())
}

// ANCHOR: coords
/// Where lane 5 has the last of its four sums: the row and the column are a constant of the type, on the host and in kernels.
#[test]
fn a_place_is_known() {
    const PLACE: (u32, u32) = D::<M16N8, f32>::coords(5, 3);
    assert_eq!(PLACE, (9, 3));
}
// ANCHOR_END: coords

// ANCHOR: sparse
/// Of each four neighbours in a row of `a` two are there; the warp multiplies 32 columns for the price of 16.
#[kernel(block(32))]
fn sparse_product(
    warp: Warp,
    a: &[F16],
    b: &[F16],
    mut c: DisjointSlice2D<f32, WarpPatches<16, 8>>,
) {
    let left = SparseA::<M16N8K32, F16>::from_fn(warp, |row, k| a[row * 32 + k]);
    let right = B::from_rows(warp, b, 8);
    let sums: D<M16N8, f32> = warp.mma_sparse(left, right, D::zero());
    if let Some(mut patch) = c.get_mut(warp) {
        sums.store(warp, &mut patch, (0, 0));
    }
}
// ANCHOR_END: sparse

#[test]
fn half_of_the_elements_are_enough() -> warploom::Result<()> {
    let is_there = |row: usize, k: usize| [[0, 3], [1, 2]][(row + k / 4) % 2].contains(&(k % 4));
    let a: Vec<f32> = (0..16 * 32)
        .map(|i| f32::from(u8::from(is_there(i / 32, i % 32))) * (i % 11) as f32)
        .collect();
    let b: Vec<f32> = (0..32 * 8).map(|i| (i % 5) as f32 - 2.0).collect();
    let half = |x: &[f32]| -> Vec<F16> { x.iter().copied().map(F16::from_f32).collect() };
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut c = device.zeroed::<f32>(16 * 8)?;
    let (x, y) = (device.upload(&half(&a))?, device.upload(&half(&b))?);
    sparse_product::launch(&stream, (1, 32), &x, &y, c.view_2d_mut(8)?)?;
    for (at, found) in c.to_vec(&stream)?.into_iter().enumerate() {
        let term = |k: usize| a[at / 8 * 32 + k] * b[k * 8 + at % 8];
        assert_eq!(found, (0..32).map(term).sum::<f32>());
    }
    Ok(())
}
