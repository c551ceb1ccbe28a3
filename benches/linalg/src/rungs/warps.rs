//! The first rung on tensor cores: `mma.sync`, with tiles that threads copy to shared memory between two barriers.

use warploom::device_std::mma::{A, B, D, M16N8, M16N8K16};
use warploom::prelude::*;

/// Rows and columns of a block's tile.
pub(crate) const SIDE: usize = 64;
/// Columns of A and B in a step.
const DEPTH: usize = 32;
/// A row of a tile: 16 bytes longer, so that rows which `ldmatrix` reads together begin in different banks.
const STRIDE: usize = DEPTH + 8;
/// Rows and columns of a warp.
pub(crate) const WARP: usize = 32;

/// A square of 32 by 32 for each of the four warps.
#[kernel(block(128))]
pub(crate) fn warps(
    block: Block,
    warp: Warp,
    mut a_tile: SharedTile<Bf16, { SIDE * STRIDE }>,
    mut b_tile: SharedTile<Bf16, { SIDE * STRIDE }>,
    a: &[Bf16],
    b: &[Bf16],
    n: u32,
    k: u32,
    mut c: DisjointSlice<Bf16>,
) {
    let (n, k) = (n as usize, k as usize);
    let across = n / SIDE;
    let (row, column) = (block.index() / across * SIDE, block.index() % across * SIDE);
    let number = warp.index() as usize;
    let (own_row, own_column) = (number / 2 * WARP, number % 2 * WARP);
    let mut sums = [[D::<M16N8, f32>::zero(); 4]; 2];
    for step in (0..k).step_by(DEPTH) {
        let element = |of: &[Bf16], first: usize, slot: usize| {
            let at = (slot % STRIDE).min(DEPTH - 1);
            of[(first + slot / STRIDE) * k + step + at]
        };
        a_tile.fill(|slot| element(a, row, slot));
        b_tile.fill(|slot| element(b, column, slot));
        let (a, b) = (a_tile.publish(&block), b_tile.publish(&block));
        for at in [0, 16] {
            for (i, sums) in sums.iter_mut().enumerate() {
                let place = (own_row + 16 * i) * STRIDE + at;
                let left = A::<M16N8K16, Bf16>::ldmatrix_rows(warp, &a, place, STRIDE);
                for (j, sum) in sums.iter_mut().enumerate() {
                    let place = (own_column + 8 * j) * STRIDE + at;
                    let right = B::ldmatrix_columns(warp, &b, place, STRIDE);
                    *sum = warp.mma(left, right, *sum);
                }
            }
        }
        (a_tile, b_tile) = (a.reclaim(&block), b.reclaim(&block));
    }
    let (len, to) = (c.len(), c.raw());
    for (i, sums) in sums.iter().enumerate() {
        for (j, sum) in sums.iter().enumerate() {
            let (row, column) = (row + own_row + 16 * i, column + own_column + 8 * j);
            sum.for_each(warp, |in_row, in_column, x| {
                let at = (row + in_row) * n + column + in_column;
                if at < len {
                    // SAFETY: within the slice (checked); each element belongs to one lane of one warp.
                    unsafe { to.wrapping_add(at).write(Bf16::from_f32(x)) };
                }
            });
        }
    }
}
