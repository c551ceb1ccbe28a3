//! Eight by eight results in each thread: sixteen numbers from shared memory serve 64 of them.

use warploom::prelude::*;
use warploom_harness::benchmark::{Bound, Twin};

use super::{BenchError, Matmul, Rung, launch};

/// Columns and rows of a block's results.
const SIDE: usize = 128;
/// Columns of `a` and rows of `b` in a tile.
const DEPTH: usize = 8;
/// Rows and columns of a thread's results.
const OWN: usize = 8;
/// Columns and rows of threads in a block.
const THREADS: usize = SIDE / OWN;

/// `c = a * b`, square matrices of `n` rows (a multiple of 128), eight by eight elements per thread.
#[kernel(fma, block(16, 16), launch_bounds(256, 2))]
fn matmul_register_2d(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    n: u32,
    tile: SharedTile<f32, { 2 * SIDE * DEPTH }>,
    c: DisjointSlice2D<f32, Patches<OWN, OWN>>,
) {
    products(at, block, |i| a[i], |i| b[i], n, tile, c);
}

#[kernel(fma, block(16, 16), launch_bounds(256, 2))]
fn matmul_register_2d_unchecked(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    n: u32,
    tile: SharedTile<f32, { 2 * SIDE * DEPTH }>,
    c: DisjointSlice2D<f32, Patches<OWN, OWN>>,
) {
    // SAFETY: both matrices have `n` rows and columns, and so has the grid.
    let a = |i| unsafe { *a.get_unchecked(i) };
    // SAFETY: as above.
    let b = |i| unsafe { *b.get_unchecked(i) };
    products(at, block, a, b, n, tile, c);
}

#[inline(always)]
fn products(
    at: Index2D<'_>,
    block: Block<'_>,
    a: impl Fn(usize) -> f32,
    b: impl Fn(usize) -> f32,
    n: u32,
    mut tile: SharedTile<'_, f32, { 2 * SIDE * DEPTH }>,
    mut c: DisjointSlice2D<'_, f32, Patches<OWN, OWN>>,
) {
    let n = n as usize;
    let thread = block.thread() % (THREADS * THREADS);
    let (column, row) = (thread % THREADS, thread / THREADS);
    let (first_row, first_column) = ((at.y() - row) * OWN, (at.x() - column) * OWN);
    let mut sums = [[0.0; OWN]; OWN];
    for start in (0..n).step_by(DEPTH) {
        // Slots of a thread are 256 apart: 32 rows of `a`'s tile, two of `b`'s.
        let of_a = [0, 1, 2, 3]
            .map(|k| a((first_row + thread / DEPTH + 32 * k) * n + start + thread % DEPTH));
        let of_b = [0, 1, 2, 3]
            .map(|k| b((start + thread / SIDE + 2 * k) * n + first_column + thread % SIDE));
        for k in 0..4 {
            tile.set_own(k, of_a[k]);
            tile.set_own(4 + k, of_b[k]);
        }
        let tiles = tile.publish(&block);
        for k in 0..DEPTH {
            let mut of_a = [0.0; OWN];
            let mut of_b = [0.0; OWN];
            for i in 0..OWN {
                of_a[i] = tiles[(row * OWN + i) * DEPTH + k];
                of_b[i] = tiles[SIDE * DEPTH + k * SIDE + column * OWN + i];
            }
            for i in 0..OWN {
                for j in 0..OWN {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        tile = tiles.reclaim(&block);
    }
    if let Some(mut c) = c.get_mut(at) {
        c.set(sums);
    }
}

pub(crate) struct Register2D;

impl Rung for Register2D {
    const NAME: &'static str = "matmul_register_2d";
    const TWIN: Twin = Twin::of("matmul_ladder", "matmul_register_2d");
    const BOUND: Bound = Bound::Compute(
        "64 multiplications for sixteen loads from shared memory, in the registers of 8 x 8 results",
    );
    const PREDICTION: &'static str =
        "0.95 or more: the inner loop has no check, eight stand before each tile; registers decide";
    type Element = f32;
    const BLOCK: (u32, u32) = (THREADS as u32, THREADS as u32);
    const RESULTS: u32 = SIDE as u32;
    const UNCHECKED: Option<fn(&mut Matmul<Self>, &Stream) -> Result<(), BenchError>> =
        Some(|sides, stream| launch!(matmul_register_2d_unchecked, sides, stream));

    fn ours(sides: &mut Matmul<Self>, stream: &Stream) -> Result<(), BenchError> {
        launch!(matmul_register_2d, sides, stream)
    }
}
