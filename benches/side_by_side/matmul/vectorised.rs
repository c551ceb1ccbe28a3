//! Eight by eight results in each thread, and all memory in accesses of sixteen bytes.

use warploom::device_std::hint::unroll_all;
use warploom::device_std::vector::Float4;
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
/// Where the tile of `b` begins, in fours.
const OF_B: usize = SIDE * DEPTH / 4;

/// `c = a * b`, square matrices of `n` rows (a multiple of 128), eight by eight elements per thread, four at a time.
///
/// The bounds keep the registers at what two blocks on a multiprocessor leave: without them it is one.
#[kernel(fma, block(16, 16), launch_bounds(256, 2))]
fn matmul_vectorised(
    at: Index2D,
    block: Block,
    a: &[Float4],
    b: &[Float4],
    n: u32,
    mut tile: SharedTile<Float4, { 2 * OF_B }>,
    mut c: DisjointSlice2D<Float4, Patches<OWN, 2>>,
) {
    let (n, width) = (n as usize, n as usize / 4);
    let thread = block.thread() % (THREADS * THREADS);
    let (column, row) = (thread % THREADS, thread / THREADS);
    let (first_row, first_column) = ((at.y() - row) * OWN, (at.x() - column) * 2);
    let mut sums = [[Float4::default(); 2]; OWN];
    for start in (0..n).step_by(DEPTH) {
        let of_a = a[(first_row + thread / 2) * width + start / 4 + thread % 2];
        let of_b = b[(start + thread / 32) * width + first_column + thread % 32];
        tile.set_own(0, of_a);
        tile.set_own(1, of_b);
        let tiles = tile.publish(&block);
        for four in 0..DEPTH / 4 {
            let mut of_a = [Float4::default(); OWN];
            for (i, of_a) in of_a.iter_mut().enumerate() {
                *of_a = tiles[(row * OWN + i) * 2 + four];
            }
            unroll_all::<4>(|k| {
                let place = OF_B + (four * 4 + k) * SIDE / 4 + column * 2;
                let of_b = [tiles[place], tiles[place + 1]];
                for i in 0..OWN {
                    for j in 0..2 {
                        sums[i][j] += Float4::splat(of_a[i][k]) * of_b[j];
                    }
                }
            });
        }
        tile = tiles.reclaim(&block);
    }
    if let Some(mut c) = c.get_mut(at) {
        c.set(sums);
    }
}

pub(crate) struct Vectorised;

impl Rung for Vectorised {
    const NAME: &'static str = "matmul_vectorised";
    const TWIN: Twin = Twin::of("matmul_ladder", "matmul_vectorised");
    const BOUND: Bound = Bound::Compute(
        "64 multiplications for four loads of 16 bytes, in the registers of 8 x 8 results",
    );
    const PREDICTION: &'static str =
        "0.95 or more: the inner loop has no check, two stand before each tile; registers decide";
    type Element = Float4;
    const BLOCK: (u32, u32) = (THREADS as u32, THREADS as u32);
    const RESULTS: u32 = SIDE as u32;

    fn ours(sides: &mut Matmul<Self>, stream: &Stream) -> Result<(), BenchError> {
        launch!(matmul_vectorised, sides, stream)
    }
}
