//! From the registers of a warp to the result, through shared memory: rows of the result are written by neighbouring lanes.

use core::array::from_fn;

use warploom::device_std::Plain;
use warploom::device_std::hint::unroll_all;

use super::super::finish::Finish;
use super::super::problem::{Problem, Work};
use super::super::quad::{has_quads, read_quad};
use crate::arithmetic::{Output, Sum};
use crate::epilogue::Epilogue;

/// Columns that a warp stages at once when it stores its 16 rows.
pub(super) const PIECE: usize = 64;
/// Sums that a warp stages at once.
pub(super) const STAGED: usize = 16 * PIECE;

/// Two neighbours in a row, for one store.
#[repr(C, align(8))]
struct Pair<S>([S; 2]);

/// Where four or two neighbours of the 16 rows of a warp are staged. Groups of eight columns are moved within a row, so that lanes meet in no bank.
#[inline(always)]
fn staged_at(row: usize, column: usize) -> usize {
    row * PIECE + ((column / 8) ^ (row % 8)) * 8 + column % 8
}

/// Writes 32 sums of each lane of a warp, those of [`PIECE`] columns, to `staged`, which is the warp's own.
#[inline(always)]
pub(super) fn stage<S: Plain>(sum: impl Fn(usize) -> S, staged: *mut S, lane: usize) {
    unroll_all::<{ PIECE / 8 }>(|eight| {
        unroll_all::<2>(|below| {
            let i = eight * 4 + below * 2;
            let to = staged_at(lane / 4 + below * 8, eight * 8 + lane % 4 * 2);
            let to = staged.wrapping_add(to).cast::<Pair<S>>();
            // SAFETY: two elements of 4 bytes that are this lane's alone till the barrier of the warp.
            unsafe { to.write(Pair([sum(i), sum(i + 1)])) };
        });
    });
}

/// Stores what was staged, of rows and columns from `place` on.
///
/// # Safety
/// The sums of all lanes are there. The buffers are as large as the problem says, and no other warp has these elements.
#[inline(always)]
pub(super) unsafe fn store<S: Sum, O: Output<S>, E: Epilogue<S>>(
    finish: Finish<'_, S, O, E>,
    problem: &Problem,
    work: Work,
    (first_row, first_column): (usize, usize),
    staged: *const S,
    lane: usize,
) {
    let is_inside =
        first_row + 16 <= problem.m as usize && first_column + PIECE <= problem.n as usize;
    let quads_of_parts = problem.splits > 1 && has_quads(finish.partial, problem.n.into(), 0);
    if is_inside && (quads_of_parts || finish.is_plain(problem)) {
        // Nearly all tiles: all sums are read first, so that their latencies overlap, and no check is left between.
        let place = |i: usize| (i * 2 + lane / (PIECE / 4), lane % (PIECE / 4) * 4);
        let sums: [[S; 4]; STAGED / 128] = from_fn(|i| {
            let (row, column) = place(i);
            // SAFETY: four sums, aligned to 16 bytes (the caller's promise).
            unsafe { read_quad(staged.wrapping_add(staged_at(row, column))) }
        });
        unroll_all::<{ STAGED / 128 }>(|i| {
            let (row, column) = place(i);
            let place = (first_row + row, first_column + column);
            if quads_of_parts {
                // SAFETY: the caller's promise; the elements are this lane's alone.
                unsafe { finish.store_part(problem, work, place, sums[i]) };
            } else {
                // SAFETY: as above.
                unsafe { finish.store_plain(problem, work.batch, place, sums[i]) };
            }
        });
        return;
    }
    let mut quad = lane;
    while quad < STAGED / 4 {
        let (row, column) = (quad / (PIECE / 4), quad % (PIECE / 4) * 4);
        // SAFETY: four sums, aligned to 16 bytes (the caller's promise).
        let values = unsafe { read_quad(staged.wrapping_add(staged_at(row, column))) };
        let (row, column) = (first_row + row, first_column + column);
        // SAFETY: the caller's promise; the elements are this lane's alone.
        unsafe { finish.store(problem, work, row as u32, column as u32, values) };
        quad += 32;
    }
}
