//! Eight results of a column in each thread: each number of `b` that is read from shared memory serves eight of them.

use warploom::prelude::*;
use warploom_harness::benchmark::{Bound, Twin};

use super::{BenchError, Matmul, Rung, launch};

/// Columns and rows of a block's results.
const SIDE: usize = 64;
/// Columns of `a` and rows of `b` in a tile.
const DEPTH: usize = 8;
/// Results of a thread.
const OWN: usize = 8;

/// `c = a * b`, square matrices of `n` rows (a multiple of 64), eight elements of a column per thread.
#[kernel(fma, block(64, 8), launch_bounds(512, 3))]
fn matmul_register_1d(
    at: Index2D,
    block: Block,
    a: &[f32],
    b: &[f32],
    n: u32,
    mut tile: SharedTile<f32, { 2 * SIDE * DEPTH }>,
    mut c: DisjointSlice2D<f32, Patches<OWN, 1>>,
) {
    let n = n as usize;
    let thread = block.thread() % (SIDE * DEPTH);
    let (column, row) = (thread % SIDE, thread / SIDE);
    let first_row = (at.y() - row) * OWN;
    let mut sums = [0.0; OWN];
    for start in (0..n).step_by(DEPTH) {
        let of_a = a[(first_row + thread / DEPTH) * n + start + thread % DEPTH];
        let of_b = b[(start + row) * n + at.x()];
        tile.set_own(0, of_a);
        tile.set_own(1, of_b);
        let tiles = tile.publish(&block);
        for k in 0..DEPTH {
            let b = tiles[SIDE * DEPTH + k * SIDE + column];
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += tiles[(row * OWN + i) * DEPTH + k] * b;
            }
        }
        tile = tiles.reclaim(&block);
    }
    if let Some(mut c) = c.get_mut(at) {
        c.set(sums.map(|sum| [sum]));
    }
}

pub(crate) struct Register1D;

impl Rung for Register1D {
    const NAME: &'static str = "matmul_register_1d";
    const TWIN: Twin = Twin::of("matmul_ladder", "matmul_register_1d");
    const BOUND: Bound =
        Bound::SharedMemory("nine loads from shared memory for eight multiplications");
    const PREDICTION: &'static str =
        "0.95 or more: the inner loop has no check, two stand before each tile";
    type Element = f32;
    const BLOCK: (u32, u32) = (SIDE as u32, (SIDE / OWN) as u32);
    const RESULTS: u32 = SIDE as u32;

    fn ours(sides: &mut Matmul<Self>, stream: &Stream) -> Result<(), BenchError> {
        launch!(matmul_register_1d, sides, stream)
    }
}
