//! The sums of parts of K: added up in their order, so that results have the same bits in each run.

use core::array::from_fn;

use warploom::prelude::*;

use super::finish::Finish;
use super::problem::Problem;
use crate::arithmetic::{Output, Sum};
use crate::epilogue::Place;

/// Adds up what the blocks of parts of K have left, and finishes it: four neighbours in a row for each thread, a matrix for each `y` of the grid.
#[kernel(block(256))]
pub(crate) fn add_splits<S, O, E>(
    block: Block,
    partial: &[S],
    bias: &[S],
    problem: Problem,
    alpha: S,
    beta: S,
    epilogue: E,
    mut c: DisjointSlice<O>,
) where
    S: Sum,
    O: Output<S>,
    E: Fn(S, Place) -> S + Copy + Send + Sync + 'static,
{
    let index = block_idx();
    let (quads, quad) = (
        (problem.n as usize).div_ceil(4),
        index.x as usize * 256 + block.thread(),
    );
    let (row, column) = (quad / quads, 4 * (quad % quads));
    if row >= problem.m as usize {
        return;
    }
    let (n, matrix) = (problem.n as usize, problem.m as usize * problem.n as usize);
    let batch = problem.first_batch as usize + index.y as usize;
    let mut sums = [S::default(); 4];
    for split in 0..problem.splits as usize {
        let line = (batch * problem.splits as usize + split) * matrix + row * n;
        sums = from_fn(|i| {
            let column = (column + i).min(n - 1);
            sums[i].plus(partial[line + column])
        });
    }
    let finish = Finish {
        alpha,
        beta,
        bias,
        epilogue,
        c: c.raw(),
        partial: core::ptr::null_mut(),
    };
    // SAFETY: the sizes were checked before the launch; each thread has neighbours of its own.
    unsafe { finish.store_finished(&problem, batch, row as u32, column as u32, sums) };
}
