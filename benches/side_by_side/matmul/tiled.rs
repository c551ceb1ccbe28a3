//! One result in each thread, one 32x32 tile of each matrix at a time in shared memory.

use warploom::prelude::*;
use warploom_harness::benchmark::{Bound, Twin};

use super::{BenchError, Matmul, Rung, launch};

/// Rows and columns of a tile, and of a block.
const TILE: usize = 32;

/// `c = a * b`, square matrices of `n` rows (a multiple of 32), one element per thread, one tile of each at a time.
#[kernel(fma, block(32, 32))]
fn matmul(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    n: u32,
    mut tile: SharedTile<f32, { 2 * TILE * TILE }>,
    mut c: DisjointSlice2D<f32>,
) {
    let n = n as usize;
    // What the block's shape says already, in a form from which the compiler sees that no index below leaves the tile.
    let (column, row) = (block.thread() % TILE, block.thread() / TILE % TILE);
    let mut product = 0.0;
    for start in (0..n).step_by(TILE) {
        // Both loads before the first store, so that they are under way together.
        let (of_a, of_b) = (
            a[at.y() * n + start + column],
            b[(start + row) * n + at.x()],
        );
        tile.set_own(0, of_a);
        tile.set_own(1, of_b);
        let tiles = tile.publish(&block);
        for k in 0..TILE {
            product += tiles[row * TILE + k] * tiles[TILE * TILE + k * TILE + column];
        }
        tile = tiles.reclaim(&block);
    }
    if let Some(c) = c.get_mut(at) {
        *c = product;
    }
}

pub(crate) struct Tiled;

impl Rung for Tiled {
    const NAME: &'static str = "matmul";
    const TWIN: Twin = Twin::cuda("matmul");
    const SIZES: &'static [u64] = &[1024, 4096];
    const BOUND: Bound =
        Bound::SharedMemory("two loads from shared memory for each multiplication");
    const PREDICTION: &'static str = "0.95 or more: the inner loop is the same; the bounds checks of two loads per tile stand before the first store";
    type Element = f32;
    const BLOCK: (u32, u32) = (TILE as u32, TILE as u32);
    const RESULTS: u32 = TILE as u32;

    fn ours(sides: &mut Matmul<Self>, stream: &Stream) -> Result<(), BenchError> {
        launch!(matmul, sides, stream)
    }
}
