//! Products by fused multiply-adds, for all devices and elements.
//!
//! A block has a tile of the result, each thread `4 QM` rows and `4 QN` columns of it in registers. Tiles of the operands are in two buffers of shared
//! memory, with neighbours across K: while one is multiplied, the elements of the next are on their way to registers. One barrier for each tile of K, before its last line
//! is multiplied: what the first line of the next tile needs is asked for before that.

use core::array::from_fn;
use core::marker::PhantomData;

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::finish::Finish;
use super::problem::{Problem, Work};
use super::quad::{read_quad, write_quad};
use crate::arithmetic::{Arithmetic, Output, Sum};
use crate::epilogue::{Epilogue, Place};
use crate::matrix::Layout;

mod tiles; // from memory to tiles

use tiles::{Lines, Operands};

/// Rows of a tile: 16 quads, `QM` times.
const fn rows<const QM: usize>() -> usize {
    64 * QM
}

/// Columns of a tile: four quads of each second warp, `QN` times.
const fn columns<const QN: usize, const THREADS: usize>() -> usize {
    THREADS / 4 * QN
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $threads:literal $blocks:literal;)*) => {$(
        $(#[$doc])*
        #[kernel(block($threads), launch_bounds($threads, $blocks))]
        pub(crate) fn $name<A, LA, LB, O, E, const QM: usize, const QN: usize, const DEPTH: usize>(
            block: Block,
            shared: DynamicShared<u128>,
            a: &[A::Element],
            b: &[A::Element],
            bias: &[A::Sum],
            problem: Problem,
            alpha: A::Sum,
            beta: A::Sum,
            epilogue: E,
            mut c: DisjointSlice<O>,
            mut partial: DisjointSlice<A::Sum>,
        ) where
            A: Arithmetic,
            LA: Layout,
            LB: Layout,
            O: Output<A::Sum>,
            E: Fn(A::Sum, Place) -> A::Sum + Copy + Send + Sync + 'static,
        {
            let finish = Finish { alpha, beta, bias, epilogue, c: c.raw(), partial: partial.raw() };
            let memory = shared.as_ptr().cast();
            // SAFETY: the buffers are as large as the problem says, and the shared memory as large as the tiles: both were checked before the launch.
            unsafe {
                product::<A, LA, LB, O, E, QM, QN, DEPTH, $threads>(block, memory, (a, b), problem, finish);
            }
        }
    )*};
}

kernels! {
    /// A tile of `64 QM` rows and `64 QN` columns, in steps of `8 DEPTH` along K.
    multiply_add 256 2;
    /// A tile of `64 QM` rows and `32 QN` columns, in steps of `8 DEPTH` along K.
    multiply_add_128 128 2;
    /// As [`multiply_add`], with all registers of a multiprocessor for one block: twice as many for each thread.
    multiply_add_wide 256 1;
}

/// A tile of the result.
///
/// # Safety
/// The buffers are as large as the problem says, `memory` has the bytes of both buffers and of the staged result.
#[inline(always)]
unsafe fn product<
    A,
    LA,
    LB,
    O,
    E,
    const QM: usize,
    const QN: usize,
    const DEPTH: usize,
    const THREADS: usize,
>(
    block: Block,
    memory: *mut A::Sum,
    (a, b): (&[A::Element], &[A::Element]),
    problem: Problem,
    finish: Finish<'_, A::Sum, O, E>,
) where
    A: Arithmetic,
    LA: Layout,
    LB: Layout,
    O: Output<A::Sum>,
    E: Epilogue<A::Sum>,
{
    let (index, thread) = (block_idx(), block.thread());
    let work = problem.work(index.x, index.y);
    let (rows, columns) = (rows::<QM>(), columns::<QN, THREADS>());
    let (row, column) = (work.tile_m as usize * rows, work.tile_n as usize * columns);
    let depth = 8 * DEPTH;
    let (k_start, k_end) = (work.k_start as usize, work.k_end as usize);
    let of_a = (work.batch, problem.stride_a, problem.lda);
    let of_b = (work.batch, problem.stride_b, problem.ldb);
    let (warp, lane) = (thread / 32, thread % 32);
    // Half a warp reads eight quads of A, one for each two lanes, and two of B.
    let across = THREADS / 64;
    let in_rows = warp / across * 32 * QM + lane / 2 % 8 * 4;
    let in_columns = warp % across * 16 * QN + (lane / 16 * 2 + lane % 2) * 4;
    let tiles = k_end.saturating_sub(k_start).div_ceil(depth);
    let mut sums: Sums<A::Sum, QM, QN> = [[[[A::Sum::default(); 4]; 4]; QN]; QM];
    let operands = Operands::<A, LA, LB, QM, QN, DEPTH, THREADS> {
        a: Lines::of(a, of_a, (row, problem.m), k_end),
        b: Lines::of(b, of_b, (column, problem.n), k_end),
        k_start,
        thread,
        memory,
        layouts: PhantomData,
    };
    // What the thread has of line `k` of a buffer, which was filled in front of the last barrier.
    let read = |slot: usize, k: usize| {
        let from = memory.wrapping_add(slot * depth * (rows + columns));
        let from_a = from.wrapping_add(k * rows + in_rows).cast_const();
        let from_b = from
            .wrapping_add(depth * rows + k * columns + in_columns)
            .cast_const();
        // SAFETY: four elements of the tile, aligned; the barrier lies between.
        let a: [[A::Sum; 4]; QM] = from_fn(|i| unsafe { read_quad(from_a.wrapping_add(32 * i)) });
        // SAFETY: as above.
        let b: [[A::Sum; 4]; QN] = from_fn(|j| unsafe { read_quad(from_b.wrapping_add(16 * j)) });
        (a, b)
    };
    operands.keep(operands.fetch(0, tiles > 0), 0);
    block.sync();
    let mut next = read(0, 0);
    let mut tile = 0;
    while tile < tiles {
        let more = tile + 1 < tiles;
        let fetched = operands.fetch(tile + 1, more);
        let slot = tile % 2;
        // Elements that are widened are kept under a condition: ptxas would begin to widen them between the sums, for which there are too few registers.
        let keeps = more || size_of::<A::Element>() == size_of::<A::Sum>();
        // A macro, since a closure of this size is not always inlined.
        macro_rules! steps {
            ($($k:literal)*) => {$(
                if $k < 8 * DEPTH {
                    let now = next;
                    if $k + 1 < 8 * DEPTH {
                        next = read(slot, $k + 1);
                    } else {
                        // All warps have passed the barrier behind which the other buffer is read no more.
                        if keeps {
                            operands.keep(fetched, 1 - slot);
                        }
                        block.sync();
                        // Behind the last tile, the same one is read again where no other was written.
                        next = read(if keeps { 1 - slot } else { slot }, 0);
                    }
                    add::<A, QM, QN>(now, &mut sums);
                }
            )*};
        }
        steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        tile += 1;
    }
    block.sync();
    // SAFETY: the barrier lies between: no thread reads the buffers any more. The rest is the caller's promise.
    unsafe {
        store::<A, O, E, QM, QN, THREADS>(
            &sums,
            memory,
            (in_rows, in_columns),
            thread,
            &problem,
            work,
            finish,
        );
    }
}

/// Stores the sums of a block, through shared memory, so that there is one copy of the code that finishes sums.
///
/// # Safety
/// `memory` has the bytes of the staged result, and no other use. The buffers are as large as the problem says.
#[inline(always)]
unsafe fn store<A, O, E, const QM: usize, const QN: usize, const THREADS: usize>(
    sums: &Sums<A::Sum, QM, QN>,
    memory: *mut A::Sum,
    (in_rows, in_columns): (usize, usize),
    thread: usize,
    problem: &Problem,
    work: Work,
    finish: Finish<'_, A::Sum, O, E>,
) where
    A: Arithmetic,
    O: Output<A::Sum>,
    E: Epilogue<A::Sum>,
{
    let (rows, columns) = (rows::<QM>(), columns::<QN, THREADS>());
    // Quads of a row are moved, so that those of eight lanes are in different banks.
    let place = |row: usize, column: usize| {
        let moved = (column / 4) ^ (row / 4 % 4 * 2);
        memory.wrapping_add(row * columns + 4 * moved).cast_const()
    };
    unroll_all::<QM>(|i| {
        unroll_all::<4>(|x| {
            unroll_all::<QN>(|j| {
                // SAFETY: four elements of the tile that are this thread's alone, aligned.
                unsafe {
                    write_quad(
                        place(in_rows + 32 * i + x, in_columns + 16 * j).cast_mut(),
                        sums[i][j][x],
                    )
                };
            });
        });
    });
    let read = |row: usize, column: usize| {
        // SAFETY: four sums of the tile, aligned; the barrier lies between.
        let [a, b, c, d] = unsafe { read_quad(place(row, column)) };
        // As the sums are: columns of pairs in turn.
        [b, a, d, c]
    };
    sync_threads();
    const {
        assert!(
            matches!(
                (64 * QM, THREADS / 4 * QN),
                (64, 64) | (128, 128) | (256, 128)
            ),
            "a tile of these rows and columns would be stored as one of others"
        );
    }
    match (rows, columns) {
        // SAFETY: the buffers are as large as the problem says.
        (64, 64) => unsafe { finish.store_tile::<64, 64, THREADS>(problem, work, thread, read) },
        // SAFETY: as above.
        (128, _) => unsafe { finish.store_tile::<128, 128, THREADS>(problem, work, thread, read) },
        // SAFETY: as above.
        _ => unsafe { finish.store_tile::<256, 128, THREADS>(problem, work, thread, read) },
    }
}

/// Sums of a thread, of rows `32 i + x` and columns `16 j + y` from its first on: `sums[i][j][x][y ^ 1]`.
///
/// Quads of columns of B and of sums are in four registers each, the first of them even. A product of an even register of B is added to an odd one and the reverse,
/// with that of A kept from the product before: no two of the registers are in one bank.
type Sums<S, const QM: usize, const QN: usize> = [[[[S; 4]; 4]; QN]; QM];

/// What a thread has of a line of K: quads of rows and of columns.
type Line<S, const QM: usize, const QN: usize> = ([[S; 4]; QM], [[S; 4]; QN]);

/// Adds the products of a line of K.
#[inline(always)]
fn add<A: Arithmetic, const QM: usize, const QN: usize>(
    (a, b): Line<A::Sum, QM, QN>,
    sums: &mut Sums<A::Sum, QM, QN>,
) {
    unroll_all::<QM>(|i| {
        unroll_all::<4>(|x| {
            unroll_all::<QN>(|j| {
                unroll_all::<4>(|y| {
                    // Forwards in even rows and backwards in odd ones: two registers of the last one are read again.
                    let (j, y) = if x % 2 == 0 {
                        (j, y)
                    } else {
                        (QN - 1 - j, 3 - y)
                    };
                    sums[i][j][x][y ^ 1] = a[i][x].times_plus(b[j][y], sums[i][j][x][y ^ 1]);
                });
            });
        });
    });
}
