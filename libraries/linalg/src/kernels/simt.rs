//! Products by fused multiply-adds, for all devices and elements.
//!
//! A block of 256 threads has a tile of the result, each thread `4 QM` rows and `4 QN` columns of it in registers. Tiles of the operands are in two buffers of shared
//! memory, with neighbours across K: while one is multiplied, the elements of the next are on their way to registers. One barrier for each tile of K, before its last line
//! is multiplied: what the first line of the next tile needs is asked for before that.

use core::array::from_fn;
use core::marker::PhantomData;

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::finish::Finish;
use super::problem::Problem;
use super::quad::{has_quads, read_quad, write_quad};
use crate::arithmetic::{Arithmetic, Output, Sum};
use crate::epilogue::Place;
use crate::matrix::Layout;

const THREADS: usize = 256;

/// Rows and columns of a tile: 16 threads with four elements, `Q` times.
const fn extent<const Q: usize>() -> usize {
    64 * Q
}

/// A tile of `64 QM` rows and `64 QN` columns, in steps of `8 DEPTH` along K.
#[kernel(block(256), launch_bounds(256, 2))]
pub(crate) fn multiply_add<A, LA, LB, O, E, const QM: usize, const QN: usize, const DEPTH: usize>(
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
    let finish = Finish {
        alpha,
        beta,
        bias,
        epilogue,
        c: c.raw(),
        partial: partial.raw(),
    };
    let (index, thread) = (block_idx(), block.thread());
    let work = problem.work(index.x, index.y);
    let (rows, columns) = (extent::<QM>(), extent::<QN>());
    let (row, column) = (work.tile_m as usize * rows, work.tile_n as usize * columns);
    let depth = 8 * DEPTH;
    let (k_start, k_end) = (work.k_start as usize, work.k_end as usize);
    let start =
        |of: &[A::Element], stride: u64| of.as_ptr().wrapping_add(work.batch * stride as usize);
    let of_a = Lines {
        start: start(a, problem.stride_a),
        leading: problem.lda as usize,
        first: row,
        lines: problem.m as usize,
        k_end,
        aligned: has_quads(a.as_ptr(), problem.lda, problem.stride_a),
    };
    let of_b = Lines {
        start: start(b, problem.stride_b),
        leading: problem.ldb as usize,
        first: column,
        lines: problem.n as usize,
        k_end,
        aligned: has_quads(b.as_ptr(), problem.ldb, problem.stride_b),
    };

    // Two buffers, of `depth` lines of A and then of B each.
    let memory = shared.as_ptr().cast::<A::Sum>();
    let (warp, lane) = (thread / 32, thread % 32);
    // Half a warp reads eight quads of A, one for each two lanes, and two of B.
    let in_rows = warp / 4 * 32 * QM + lane / 2 % 8 * 4;
    let in_columns = warp % 4 * 16 * QN + (lane / 16 * 2 + lane % 2) * 4;
    let tiles = k_end.saturating_sub(k_start).div_ceil(depth);
    // Of rows 32 i and columns 16 j from those of the thread on: `sums[i][j]`.
    let mut sums = [[[[A::Sum::default(); 4]; 4]; QN]; QM];
    let operands = Operands::<A, LA, LB, QM, QN, DEPTH> {
        a: of_a,
        b: of_b,
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
    let first = if tiles > 0 {
        operands.fetch(0)
    } else {
        nothing()
    };
    operands.keep(first, 0);
    block.sync();
    let mut next = read(0, 0);
    let mut tile = 0;
    while tile < tiles {
        let more = tile + 1 < tiles;
        let fetched = if more {
            operands.fetch(tile + 1)
        } else {
            nothing()
        };
        let slot = tile % 2;
        let widened = size_of::<A::Element>() < size_of::<A::Sum>();
        // A macro, since a closure of this size is not always inlined.
        macro_rules! steps {
            ($($k:literal)*) => {$(
                if $k < 8 * DEPTH {
                    // Elements that are widened take registers: there are too few to read a line ahead.
                    let now = if widened && $k > 0 { read(slot, $k) } else { next };
                    if $k + 1 < 8 * DEPTH {
                        if !widened {
                            next = read(slot, $k + 1);
                        }
                        add::<A, QM, QN>(now, &mut sums);
                    } else {
                        if widened {
                            add::<A, QM, QN>(now, &mut sums);
                        }
                        // All warps have passed the barrier behind which the other buffer is read no more.
                        // A block of its own: ptxas would begin to widen between the sums.
                        if !widened || more {
                            operands.keep(fetched, 1 - slot);
                        }
                        block.sync();
                        // Behind the last tile, the same one is read again: no other was written.
                        let read_next = if !widened || more { 1 - slot } else { slot };
                        next = read(read_next, 0);
                        if !widened {
                            add::<A, QM, QN>(now, &mut sums);
                        }
                    }
                }
            )*};
        }
        steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        tile += 1;
    }
    // Through shared memory, so that there is one copy of the code that finishes sums. Quads of a row are moved, so that those of eight lanes are in different banks.
    block.sync();
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
    block.sync();
    match (QM, QN) {
        // SAFETY: the barrier lies between. The buffers are as large as the problem says.
        (1, 1) => unsafe { finish.store_tile::<64, 64, THREADS>(&problem, work, thread, place) },
        // SAFETY: as above.
        _ => unsafe { finish.store_tile::<128, 128, THREADS>(&problem, work, thread, place) },
    }
}

/// What a thread has of a line of K: quads of rows and of columns.
type Line<S, const QM: usize, const QN: usize> = ([[S; 4]; QM], [[S; 4]; QN]);

/// Adds the products of a line of K.
#[inline(always)]
fn add<A: Arithmetic, const QM: usize, const QN: usize>(
    (a, b): Line<A::Sum, QM, QN>,
    sums: &mut [[[[A::Sum; 4]; 4]; QN]; QM],
) {
    unroll_all::<QN>(|j| {
        unroll_all::<4>(|y| {
            unroll_all::<QM>(|i| {
                unroll_all::<4>(|x| {
                    // Forwards in even columns and backwards in odd ones: two registers of the last one are read again.
                    let (i, x) = if y % 2 == 0 {
                        (i, x)
                    } else {
                        (QM - 1 - i, 3 - x)
                    };
                    sums[i][j][x][y] = a[i][x].times_plus(b[j][y], sums[i][j][x][y]);
                });
            });
        });
    });
}

/// Both operands of a block, and where their tiles go.
struct Operands<A: Arithmetic, LA, LB, const QM: usize, const QN: usize, const DEPTH: usize> {
    a: Lines<A::Element>,
    b: Lines<A::Element>,
    k_start: usize,
    thread: usize,
    /// Two buffers, of `8 DEPTH` lines of A and then of B each.
    memory: *mut A::Sum,
    layouts: PhantomData<(LA, LB)>,
}

/// What a thread has of the tiles of A and B.
type Both<T> = (Fetched<T>, Fetched<T>);

impl<A: Arithmetic, LA: Layout, LB: Layout, const QM: usize, const QN: usize, const DEPTH: usize>
    Operands<A, LA, LB, QM, QN, DEPTH>
{
    #[inline(always)]
    fn fetch(&self, tile: usize) -> Both<A::Element> {
        let k = self.k_start + tile * 8 * DEPTH;
        // SAFETY: the operands are as large as the problem says, which was checked before the launch.
        let a = unsafe { self.a.fetch::<QM, DEPTH>(LA::ROWS, k, self.thread) };
        // SAFETY: as above.
        (a, unsafe {
            self.b.fetch::<QN, DEPTH>(!LB::ROWS, k, self.thread)
        })
    }

    /// Writes it to buffer `slot`, which no thread reads until the next barrier.
    #[inline(always)]
    fn keep(&self, (a, b): Both<A::Element>, slot: usize) {
        let depth = 8 * DEPTH;
        let (rows, columns) = (extent::<QM>(), extent::<QN>());
        let to = self.memory.wrapping_add(slot * depth * (rows + columns));
        // SAFETY: a buffer that no thread reads, as said above.
        unsafe { keep::<A, QM, DEPTH>(LA::ROWS, a, to, self.thread) };
        let to = to.wrapping_add(depth * rows);
        // SAFETY: as above.
        unsafe { keep::<A, QN, DEPTH>(!LB::ROWS, b, to, self.thread) };
    }
}

#[inline(always)]
fn nothing<T: Plain>() -> Both<T> {
    let none = || from_fn(|_| from_fn(|_| zero()));
    (none(), none())
}

/// Lines of an operand: rows of A, columns of B.
#[derive(Clone, Copy)]
struct Lines<T> {
    start: *const T,
    leading: usize,
    /// The first of the tile.
    first: usize,
    /// Those of the matrix.
    lines: usize,
    k_end: usize,
    /// Whether four neighbours can be read at once.
    aligned: bool,
}

/// Line and k of the first of four neighbours that a thread has of a tile of `64 Q` lines.
///
/// Lanes have neighbouring lines if neighbours in memory are along K: they write words of neighbouring banks when the tile is transposed. The quads of a thread
/// follow each other then, so that whole sectors are read.
#[inline(always)]
fn place<const Q: usize, const DEPTH: usize>(
    along_k: bool,
    thread: usize,
    quad: usize,
) -> (usize, usize) {
    let lines = 64 * Q;
    if along_k {
        let quads = Q * DEPTH / 2;
        (thread % lines, 4 * (thread / lines * quads + quad))
    } else {
        let at = thread + quad * THREADS;
        (4 * (at % (lines / 4)), at / (lines / 4))
    }
}

/// Quads that a thread has of a tile: at most two, the rest without meaning.
type Fetched<T> = [[T; 4]; 2];

const fn quads<const Q: usize, const DEPTH: usize>() -> usize {
    Q * DEPTH / 2
}

impl<T: Plain> Lines<T> {
    /// The thread's quads of the tile from `k` on; what is outside of the matrix is zero.
    ///
    /// # Safety
    /// The operand is as large as its fields say.
    #[inline(always)]
    unsafe fn fetch<const Q: usize, const DEPTH: usize>(
        self,
        along_k: bool,
        k: usize,
        thread: usize,
    ) -> Fetched<T> {
        let whole =
            self.aligned && self.first + 64 * Q <= self.lines && k + 8 * DEPTH <= self.k_end;
        from_fn(|quad| {
            if quad >= quads::<Q, DEPTH>() {
                return from_fn(|_| zero());
            }
            let (line, in_k) = place::<Q, DEPTH>(along_k, thread, quad);
            let (line, k) = (self.first + line, k + in_k);
            let at = |line: usize, k: usize| {
                let (line, k) = if along_k {
                    (line * self.leading, k)
                } else {
                    (line, k * self.leading)
                };
                self.start.wrapping_add(line + k)
            };
            if whole {
                // SAFETY: four elements of the matrix, aligned.
                return unsafe { read_quad(at(line, k)) };
            }
            from_fn(|i| {
                let (line, k) = if along_k {
                    (line, k + i)
                } else {
                    (line + i, k)
                };
                if line < self.lines && k < self.k_end {
                    // SAFETY: an element of the matrix.
                    unsafe { at(line, k).read() }
                } else {
                    zero()
                }
            })
        })
    }
}

#[inline(always)]
fn zero<T: Plain>() -> T {
    // SAFETY: any bytes are an element.
    unsafe { core::mem::zeroed() }
}

/// Writes a thread's quads to a tile at `to`, with neighbours across K.
///
/// # Safety
/// The tile is in shared memory, and no thread reads it until the next barrier.
#[inline(always)]
unsafe fn keep<A: Arithmetic, const Q: usize, const DEPTH: usize>(
    along_k: bool,
    fetched: Fetched<A::Element>,
    to: *mut A::Sum,
    thread: usize,
) {
    let lines = extent::<Q>();
    // Copies of the code, so that what was fetched stays in registers.
    unroll_all::<2>(|quad| {
        if quad < quads::<Q, DEPTH>() {
            let (line, k) = place::<Q, DEPTH>(along_k, thread, quad);
            let elements = fetched[quad].map(A::widen);
            if along_k {
                let to = to.wrapping_add(k * lines + line);
                unroll_all::<4>(|i| {
                    // SAFETY: an element of the tile (the caller's promise).
                    unsafe { to.wrapping_add(i * lines).write(elements[i]) };
                });
            } else {
                // SAFETY: four elements of the tile, which begin at a multiple of 16 bytes (the caller's promise).
                unsafe { write_quad(to.wrapping_add(k * lines + line), elements) };
            }
        }
    });
}
