//! Products on tensor cores, by `mma.sync`.
//!
//! A block has a tile of the result, each of its warps a part of it in registers. Tiles of the operands go through `STAGES` buffers of shared memory: while a tile
//! is multiplied, copies of the following ones are under way. There is one barrier of the block for each tile of K, before the last step of it: behind it, the copies
//! of the tile that comes next have ended in all threads, and all warps have the whole tile in registers, so that its buffer is filled again. What the first step of the
//! next tile needs is asked for before the last step of this one is multiplied.

use core::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::device_std::intrinsics as raw;
use warploom::prelude::*;

use super::finish::Finish;
use super::loads::{CHUNK, Form, Operand, TILE_BYTES};
use super::problem::{Problem, Work};
use super::quad::read_quad;
use super::warp_tiles::{SharedTile, Tensor};
use crate::arithmetic::Output;
use crate::epilogue::{Epilogue, Place};
use crate::matrix::Layout;

mod stages; // the copies that fill stages

use stages::Operands;

/// Elements between a row of the staged result and the next, beside the row itself: lanes of two rows meet in no bank.
pub(crate) const PADDING: usize = 8;

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $threads:literal $blocks:literal;)*) => {$(
        $(#[$doc])*
        #[kernel(block($threads), launch_bounds($threads, $blocks))]
        pub(crate) fn $name<A, LA, LB, O, E, const ROWS: usize, const COLUMNS: usize, const MT: usize, const NP: usize, const STAGES: usize>(
            block: Block,
            warp: Warp,
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
            A: Tensor,
            LA: Layout,
            LB: Layout,
            O: Output<A::Sum>,
            E: Fn(A::Sum, Place) -> A::Sum + Copy + Send + Sync + 'static,
        {
            let finish = Finish { alpha, beta, bias, epilogue, c: c.raw(), partial: partial.raw() };
            let memory = shared.as_ptr().cast();
            // SAFETY: the buffers are as large as the problem says, and the shared memory as large as the tiles: both were checked before the launch.
            unsafe {
                product::<A, LA, LB, O, E, ROWS, COLUMNS, MT, NP, STAGES, $threads>(block, warp, memory, (a, b), problem, finish);
            }
        }
    )*};
}

kernels! {
    /// Eight warps.
    tensor_256 256 1;
    /// Four warps, of two blocks on a multiprocessor.
    tensor_128 128 2;
}

/// A tile of the result. K is not 0.
///
/// # Safety
/// The buffers are as large as the problem says, `memory` has the bytes of all stages and of the staged result.
#[inline(always)]
#[expect(
    clippy::too_many_lines,
    reason = "one pipeline, whose variables all of its steps share"
)]
unsafe fn product<
    A,
    LA,
    LB,
    O,
    E,
    const ROWS: usize,
    const COLUMNS: usize,
    const MT: usize,
    const NP: usize,
    const STAGES: usize,
    const THREADS: usize,
>(
    block: Block,
    warp: Warp,
    memory: *mut u8,
    (a, b): (&[A::Element], &[A::Element]),
    problem: Problem,
    finish: Finish<'_, A::Sum, O, E>,
) where
    A: Tensor,
    LA: Layout,
    LB: Layout,
    O: Output<A::Sum>,
    E: Epilogue<A::Sum>,
{
    let (index, thread) = (block_idx(), block.thread());
    let work = problem.work(index.x, index.y);
    let (row, column) = (work.tile_m as usize * ROWS, work.tile_n as usize * COLUMNS);
    let (lane, number) = (warp.lane() as usize, thread / 32);
    let across = COLUMNS / (16 * NP);
    let (warp_row, warp_column) = (number / across * 16 * MT, number % across * 16 * NP);

    let form_a = form::<A>(LA::ROWS);
    let form_b = form::<A>(!LB::ROWS);
    let (k_start, k_end) = (work.k_start, work.k_end);
    let a = operand(
        a,
        (work.batch, problem.stride_a, problem.lda),
        form_a,
        (row, problem.m),
        k_end,
    );
    let b = operand(
        b,
        (work.batch, problem.stride_b, problem.ldb),
        form_b,
        (column, problem.n),
        k_end,
    );
    let (a_bytes, stage) = (ROWS * TILE_BYTES, (ROWS + COLUMNS) * TILE_BYTES);
    let per_tile = (TILE_BYTES / size_of::<A::Element>()) as u32;
    let tiles = k_end.saturating_sub(k_start).div_ceil(per_tile);
    let mut operands = Operands::<A, ROWS, COLUMNS, THREADS> {
        a: a.copies::<ROWS, THREADS>(form_a, k_start, thread as u32),
        b: b.copies::<COLUMNS, THREADS>(form_b, k_start, thread as u32),
        k: k_start,
        k_end,
        memory,
    };
    for stage in 0..STAGES - 1 {
        let to = operands.begin(stage);
        unroll_all::<4>(|quarter| operands.copy(&to, quarter as u32));
        operands.end();
    }
    // Of rows 16 i and columns 16 j + 8 h from those of the warp on: `sums[i][j][h]`.
    let mut sums: Sums<A::Sum, MT, NP> = [[[[A::Sum::default(); 4]; 2]; NP]; MT];
    let tile_at = |slot: usize| {
        let start = memory.wrapping_add(slot * stage).cast_const();
        let tile_a = shared_tile::<A>(start, form_a, ROWS);
        let tile_b = shared_tile::<A>(start.wrapping_add(a_bytes), form_b, COLUMNS);
        (lane, (tile_a, warp_row), (tile_b, warp_column))
    };
    wait::<STAGES>();
    block.sync();
    let (mut slot, mut free) = (0, STAGES - 1);
    let mut place = tile_at(slot);
    let mut next = fragments::<A, MT, NP>(place, 0);
    let mut tile = 0;
    while tile < tiles {
        // All warps have passed the barrier behind which the tile before is in registers.
        let to = operands.begin(free);
        free = slot;
        // The fragments of the next step are asked for before those of this one are multiplied. A macro, since a closure of this size is not always inlined.
        macro_rules! steps {
            ($($step:literal)*) => {$(
                if $step < A::STEPS {
                    let now = next;
                    if $step + 1 < A::STEPS {
                        next = fragments::<A, MT, NP>(place, $step + 1);
                        operands.copy(&to, $step);
                    } else {
                        operands.copy(&to, $step);
                        operands.end();
                        wait::<STAGES>();
                        block.sync();
                        // Behind the last tile, the same one is read again: no other was written.
                        if tile + 1 < tiles {
                            slot = if slot + 1 == STAGES { 0 } else { slot + 1 };
                        }
                        place = tile_at(slot);
                        next = fragments::<A, MT, NP>(place, 0);
                    }
                    multiply::<A, MT, NP>(warp, now, &mut sums);
                }
            )*};
        }
        steps!(0 1 2 3);
        tile += 1;
    }
    // SAFETY: no copy of this thread is under way but into stages that no thread reads.
    unsafe { raw::copy_async_wait_0() };
    block.sync();

    // SAFETY: the barrier lies between; no thread reads the stages any more. The rest is the caller's promise.
    unsafe {
        store::<A, O, E, ROWS, COLUMNS, MT, NP, THREADS>(
            &sums,
            memory,
            (warp_row, warp_column),
            (lane, thread),
            &problem,
            work,
            finish,
        );
    }
}

/// Stores the sums of a block, through shared memory, so that neighbours in a row are stored together.
///
/// # Safety
/// `memory` has the bytes of the staged result, and no other use. The buffers are as large as the problem says.
#[inline(always)]
unsafe fn store<
    A,
    O,
    E,
    const ROWS: usize,
    const COLUMNS: usize,
    const MT: usize,
    const NP: usize,
    const THREADS: usize,
>(
    sums: &Sums<A::Sum, MT, NP>,
    memory: *mut u8,
    (warp_row, warp_column): (usize, usize),
    (lane, thread): (usize, usize),
    problem: &Problem,
    work: Work,
    finish: Finish<'_, A::Sum, O, E>,
) where
    A: Tensor,
    O: Output<A::Sum>,
    E: Epilogue<A::Sum>,
{
    let staged = memory.cast::<A::Sum>();
    let width = COLUMNS + PADDING;
    unroll_all::<MT>(|i| {
        unroll_all::<NP>(|j| {
            unroll_all::<2>(|half| {
                let (row, column) = (
                    warp_row + 16 * i + lane / 4,
                    warp_column + 16 * j + 8 * half + lane % 4 * 2,
                );
                let [a, b, c, d] = sums[i][j][half];
                let to = staged
                    .wrapping_add(row * width + column)
                    .cast::<[A::Sum; 2]>();
                // SAFETY: elements of the tile that are this lane's alone.
                unsafe { to.write([a, b]) };
                // SAFETY: as above, eight rows below.
                unsafe {
                    to.wrapping_byte_add(8 * width * size_of::<A::Sum>())
                        .write([c, d])
                };
            });
        });
    });
    sync_threads();
    let read = |row: usize, column: usize| {
        let quad = staged.wrapping_add(row * width + column).cast_const();
        // SAFETY: the barrier lies between; quads begin at multiples of 16 bytes.
        unsafe { read_quad(quad) }
    };
    // SAFETY: the caller's promise.
    unsafe { finish.store_tile::<ROWS, COLUMNS, THREADS>(problem, work, thread, read) };
}

/// What a lane has of a tile for a step: of rows 16 i and columns 16 j from those of the warp on. The tile was waited for, and is filled again behind the next barrier
/// only.
#[inline(always)]
fn fragments<A: Tensor, const MT: usize, const NP: usize>(
    (lane, (tile_a, row), (tile_b, column)): (usize, (SharedTile, usize), (SharedTile, usize)),
    step: usize,
) -> ([A::A; MT], [[A::B; 2]; NP]) {
    // SAFETY: as said above.
    let a = from_fn(|i| unsafe { A::a(lane, tile_a, row + 16 * i, step) });
    // SAFETY: as said above.
    (
        a,
        from_fn(|j| unsafe { A::b(lane, tile_b, column + 16 * j, step) }),
    )
}

/// Sums of 16 rows and 8 columns, `MT` by `NP` times 2.
type Sums<S, const MT: usize, const NP: usize> = [[[[S; 4]; 2]; NP]; MT];

/// Adds the products of a step.
#[inline(always)]
fn multiply<A: Tensor, const MT: usize, const NP: usize>(
    warp: Warp<'_>,
    (a, b): ([A::A; MT], [[A::B; 2]; NP]),
    sums: &mut Sums<A::Sum, MT, NP>,
) {
    unroll_all::<MT>(|i| {
        unroll_all::<NP>(|j| {
            unroll_all::<2>(|half| {
                sums[i][j][half] = A::multiply(warp, a[i], b[j][half], sums[i][j][half]);
            });
        });
    });
}

/// How an operand is in memory and in its tile, by whether its neighbours in memory are along K.
#[inline(always)]
fn form<A: Tensor>(along_k: bool) -> Form {
    let tile_along_k = along_k || !A::ACROSS_K;
    Form {
        along_k,
        tile_along_k,
        swizzle: A::swizzle(tile_along_k),
    }
}

/// The operand of a block, whose tile begins at line `first` of `lines`.
#[inline(always)]
fn operand<T: Plain>(
    elements: &[T],
    (batch, stride, leading): (usize, u64, u64),
    form: Form,
    (first, lines): (usize, u32),
    k_end: u32,
) -> Operand<T> {
    let start = elements.as_ptr();
    let bytes = |elements: u64| elements * size_of::<T>() as u64;
    let distances = start.addr() as u64 | bytes(leading) | bytes(stride);
    let first_element = if form.along_k {
        first * leading as usize
    } else {
        first
    };
    Operand {
        start: start.wrapping_add(batch * stride as usize + first_element),
        leading: leading as u32,
        lines: lines - first as u32,
        k_end,
        aligned: distances.is_multiple_of(CHUNK as u64),
    }
}

#[inline(always)]
fn shared_tile<A: Tensor>(start: *const u8, form: Form, lines: usize) -> SharedTile {
    let line_bytes = if form.tile_along_k {
        TILE_BYTES
    } else {
        lines * size_of::<A::Element>()
    };
    SharedTile {
        start,
        along_k: form.tile_along_k,
        line_bytes,
    }
}

/// Waits for this thread's copies of all tiles but the latest `STAGES - 2`.
#[inline(always)]
fn wait<const STAGES: usize>() {
    match STAGES {
        // SAFETY: the copies' memory is valid until the kernel ends.
        3 => unsafe { raw::copy_async_wait_1() },
        // SAFETY: as above.
        4 => unsafe { raw::copy_async_wait_2() },
        // SAFETY: as above.
        _ => unsafe { raw::copy_async_wait_0() },
    }
}
