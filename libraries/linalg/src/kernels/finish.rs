//! From sums to stored results: scaling, the former result, bias, the caller's function, rounding.

use core::array::from_fn;

use super::problem::{COLUMN_BIAS, NO_BIAS, Problem, Work};
use super::quad::{has_quads, read_quad, write_quad};
use crate::arithmetic::{Output, Sum};
use crate::epilogue::{Epilogue, Place};

/// What follows the sums, and where results go.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a, S, O, E> {
    pub(crate) alpha: S,
    pub(crate) beta: S,
    pub(crate) bias: &'a [S],
    pub(crate) epilogue: E,
    pub(crate) c: *mut O,
    pub(crate) partial: *mut S,
}

impl<S: Sum, O: Output<S>, E: Epilogue<S>> Finish<'_, S, O, E> {
    /// Stores a tile of `ROWS` rows and `COLUMNS` columns, of which `read` gives four neighbours in a row.
    ///
    /// # Safety
    /// All sums are there, aligned for four at once. The buffers are as large as the problem says, and no other block has these elements.
    #[inline(always)]
    pub(crate) unsafe fn store_tile<
        const ROWS: usize,
        const COLUMNS: usize,
        const THREADS: usize,
    >(
        self,
        problem: &Problem,
        work: Work,
        thread: usize,
        read: impl Fn(usize, usize) -> [S; 4],
    ) {
        let mut quad = thread;
        while quad < ROWS * COLUMNS / 4 {
            let (row, column) = (quad / (COLUMNS / 4), quad % (COLUMNS / 4) * 4);
            let values = read(row, column);
            let (row, column) = (
                work.tile_m as usize * ROWS + row,
                work.tile_n as usize * COLUMNS + column,
            );
            // SAFETY: the caller's promise; the elements are this thread's alone.
            unsafe { self.store(problem, work, row as u32, column as u32, values) };
            quad += THREADS;
        }
    }

    /// Stores the sums of four neighbours in a row, as far as they are in the matrix: finished, or as they are if K has several parts.
    ///
    /// # Safety
    /// The buffers are as large as the problem says, and no other thread has these elements.
    #[inline(always)]
    pub(crate) unsafe fn store(
        self,
        problem: &Problem,
        work: Work,
        row: u32,
        column: u32,
        sums: [S; 4],
    ) {
        if row >= problem.m || column >= problem.n {
            return;
        }
        if problem.splits > 1 {
            let at = part_at(problem, work, row as usize) + column as usize;
            // SAFETY: an element of the parts, of which there are `splits` for each matrix.
            let to = unsafe { self.partial.add(at) };
            let whole = has_quads(self.partial, problem.n.into(), 0);
            // SAFETY: as above, for as many elements as the row has.
            unsafe { store_some(to, sums, problem.n - column, whole) };
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { self.store_finished(problem, work.batch, row, column, sums) };
    }

    /// Stores four neighbours in a row, as far as they are in the matrix. The first is in it.
    ///
    /// # Safety
    /// As [`store`](Self::store).
    #[inline(always)]
    pub(crate) unsafe fn store_finished(
        self,
        problem: &Problem,
        batch: usize,
        row: u32,
        column: u32,
        sums: [S; 4],
    ) {
        let at = batch * problem.stride_c as usize
            + row as usize * problem.ldc as usize
            + column as usize;
        // SAFETY: an element of the result.
        let to = unsafe { self.c.add(at) };
        let (left, whole) = (
            problem.n - column,
            has_quads(self.c, problem.ldc, problem.stride_c),
        );
        let mut values = sums.map(|sum| sum.times(self.alpha));
        if self.beta != S::default() {
            // SAFETY: elements of the result, as many as the row has.
            let former = unsafe { load_some(to, left, whole) };
            values = from_fn(|i| self.beta.times_plus(former[i].widen(), values[i]));
        }
        if problem.bias != NO_BIAS {
            values = from_fn(|i| {
                let of = if problem.bias == COLUMN_BIAS {
                    (column as usize + i).min(problem.n as usize - 1)
                } else {
                    row as usize
                };
                // SAFETY: the bias has an element for each row or column, which was checked before the launch.
                values[i].plus(unsafe { *self.bias.get_unchecked(of) })
            });
        }
        let stored = from_fn(|i| {
            let place = (row as usize, column as usize + i);
            self.finished(problem, batch, place, values[i])
        });
        // SAFETY: as above.
        unsafe { store_some(to, O::narrow_quad(stored), left, whole) };
    }

    /// Whether sums are finished without a former result and without a bias, and four neighbours are stored at once.
    #[inline(always)]
    pub(crate) fn is_plain(self, problem: &Problem) -> bool {
        problem.splits <= 1
            && self.beta == S::default()
            && problem.bias == NO_BIAS
            && has_quads(self.c, problem.ldc, problem.stride_c)
    }

    /// As [`store_finished`](Self::store_finished), for four neighbours that are all in the matrix, if the sums are [plain](Self::is_plain).
    ///
    /// # Safety
    /// As [`store`](Self::store).
    #[inline(always)]
    pub(crate) unsafe fn store_plain(
        self,
        problem: &Problem,
        batch: usize,
        (row, column): (usize, usize),
        sums: [S; 4],
    ) {
        let at = batch * problem.stride_c as usize + row * problem.ldc as usize + column;
        // SAFETY: an element of the result (the caller's promise).
        let to = unsafe { self.c.add(at) };
        let stored = from_fn(|i| {
            self.finished(problem, batch, (row, column + i), sums[i].times(self.alpha))
        });
        // SAFETY: four elements of the result, aligned for one store.
        unsafe { write_quad(to, O::narrow_quad(stored)) };
    }

    /// What the caller's function makes of a sum.
    #[inline(always)]
    fn finished(self, problem: &Problem, batch: usize, (row, column): (usize, usize), sum: S) -> S {
        let (row, column) = if problem.exchanged != 0 {
            (column, row)
        } else {
            (row, column)
        };
        (self.epilogue)(sum, Place { row, column, batch })
    }

    /// Stores four sums of a part of K that are all in the matrix, whose rows have a multiple of four columns.
    ///
    /// # Safety
    /// As [`store`](Self::store).
    #[inline(always)]
    pub(crate) unsafe fn store_part(
        self,
        problem: &Problem,
        work: Work,
        (row, column): (usize, usize),
        sums: [S; 4],
    ) {
        // SAFETY: as below.
        let to = unsafe { self.partial.add(part_at(problem, work, row) + column) };
        // SAFETY: four elements of the parts, aligned for one store (the caller's promise).
        unsafe { write_quad(to, sums) };
    }
}

/// Where a row of a part of K begins among the sums of all parts.
#[inline(always)]
fn part_at(problem: &Problem, work: Work, row: usize) -> usize {
    let matrix = work.batch * problem.splits as usize + work.split as usize;
    (matrix * problem.m as usize + row) * problem.n as usize
}

/// # Safety
/// `left` elements, or 4, can be written; with `whole` four of them are aligned.
#[inline(always)]
unsafe fn store_some<T: warploom::device_std::Plain>(
    to: *mut T,
    values: [T; 4],
    left: u32,
    whole: bool,
) {
    if whole && left >= 4 {
        // SAFETY: the caller's promise.
        return unsafe { write_quad(to, values) };
    }
    for (i, value) in values.into_iter().enumerate() {
        if (i as u32) < left {
            // SAFETY: the caller's promise.
            let to = unsafe { to.add(i) };
            // SAFETY: as above.
            unsafe { to.write(value) };
        }
    }
}

/// # Safety
/// As [`store_some`], for reading. What is not there has the value of the first.
#[inline(always)]
unsafe fn load_some<T: warploom::device_std::Plain>(
    from: *const T,
    left: u32,
    whole: bool,
) -> [T; 4] {
    if whole && left >= 4 {
        // SAFETY: the caller's promise.
        return unsafe { read_quad(from) };
    }
    from_fn(|i| {
        let i = if (i as u32) < left { i } else { 0 };
        // SAFETY: the caller's promise.
        let from = unsafe { from.add(i) };
        // SAFETY: as above.
        unsafe { from.read() }
    })
}
