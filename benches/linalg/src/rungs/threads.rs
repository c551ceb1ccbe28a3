//! Rungs without tensor cores: results of threads.

use warploom::prelude::*;

/// Rows and columns of a tile in shared memory.
pub(crate) const SIDE: usize = 32;
/// A row of the tile of B: one longer, so that the lanes of a warp read from different banks.
const STRIDE: usize = SIDE + 1;

/// One result for each thread, from global memory.
#[kernel]
pub(crate) fn each_result(
    i: Index1D,
    a: &[Bf16],
    b: &[Bf16],
    n: u32,
    k: u32,
    mut c: DisjointSlice<Bf16>,
) {
    let (n, k) = (n as usize, k as usize);
    let (row, column) = (i.get() / n, i.get() % n);
    let Some(c) = c.get_mut(i) else { return };
    let (a, b) = (&a[row * k..][..k], &b[column * k..][..k]);
    let products = a.iter().zip(b).map(|(a, b)| a.to_f32() * b.to_f32());
    *c = Bf16::from_f32(products.sum());
}

/// The same, with tiles of both operands in shared memory: an element is loaded once for 32 results. A block has 32 by 32 threads.
#[kernel(block(32, 32))]
pub(crate) fn shared_tiles(
    block: Block,
    i: Index2D,
    mut a_tile: SharedTile<f32, { SIDE * SIDE }>,
    mut b_tile: SharedTile<f32, { SIDE * STRIDE }>,
    a: &[Bf16],
    b: &[Bf16],
    k: u32,
    mut c: DisjointSlice2D<Bf16>,
) {
    let k = k as usize;
    let (in_row, in_column) = (block.thread() / SIDE, block.thread() % SIDE);
    let block_at = block_idx();
    let (row, column) = (block_at.y as usize * SIDE, block_at.x as usize * SIDE);
    let mut sum = 0.0;
    for step in (0..k).step_by(SIDE) {
        a_tile.fill(|slot| a[(row + slot / SIDE) * k + step + slot % SIDE].to_f32());
        b_tile.fill(|slot| match slot % STRIDE {
            SIDE => 0.0,
            at => b[(column + slot / STRIDE) * k + step + at].to_f32(),
        });
        let (a, b) = (a_tile.publish(&block), b_tile.publish(&block));
        for at in 0..SIDE {
            sum += a[in_row * SIDE + at] * b[in_column * STRIDE + at];
        }
        (a_tile, b_tile) = (a.reclaim(&block), b.reclaim(&block));
    }
    if let Some(c) = c.get_mut(i) {
        *c = Bf16::from_f32(sum);
    }
}
