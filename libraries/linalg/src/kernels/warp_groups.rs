//! Products on the tensor cores of Hopper, by `wgmma`.
//!
//! A block computes tiles of 128 rows, one after the other. Its three groups of four warps have a role each: one thread of the first lets bulk copies fill a ring of stages,
//! 64 elements along K of both operands each; the two others multiply, 64 rows each, and give a stage back when the next one is being multiplied. Barriers in memory say which
//! stages are full, and which are empty. What is outside of the matrices is zero. While sums are stored, the stages of the block's next tile are filled.
//!
//! Both operands are along K: rows of A, columns of B.

use warploom::device_std::hint::unroll_all;
use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::tma::{TensorSource, fence_mbarrier_init};
use warploom::device_std::wgmma::{Accumulator, Batch, Columns, HoldsSums, WarpGroup};
use warploom::device_std::{Mbarrier, SharedArray, SharedLayout, shared_array};
use warploom::prelude::*;

use super::finish::Finish;
use super::problem::{Problem, Work};
use super::quad::read_quad;
use crate::arithmetic::Output;
use crate::attention::HalfFloat;
use crate::epilogue::{Epilogue, Place};

/// Rows of a tile of the result.
pub(crate) const ROWS: usize = 128;
/// Elements along K of a stage.
pub(crate) const DEPTH: usize = 64;
/// Stages: a power of 2, so that the compiler sees that a remainder is a stage. A check that is left between products would let ptxas make them wait for each other.
pub(crate) const STAGES: usize = 4;
/// Warps that multiply.
const WARPS: usize = 8;
/// Columns that a warp stages at once when it stores its 16 rows.
const PIECE: usize = 64;
/// Sums that a warp stages at once.
const STAGED: usize = 16 * PIECE;

/// The stages of a block.
#[derive(Clone, Copy)]
struct Ring<'k, T: HalfFloat, const N: usize> {
    a: SwizzledTiles<'k, T, ROWS, DEPTH, Swizzle128, STAGES>,
    b: SwizzledTiles<'k, T, N, DEPTH, Swizzle128, STAGES>,
}

/// The barriers of the stages: those of full ones, then those of empty ones.
#[derive(Clone, Copy)]
struct Barriers<'a>(SharedArray<'a, u64, { 2 * STAGES }>);

impl<'a> Barriers<'a> {
    #[inline(always)]
    fn full(self, stage: usize) -> Mbarrier<'a> {
        // SAFETY: below twice the number of stages; the array is used for nothing else.
        unsafe { Mbarrier::new(self.0, stage % STAGES) }
    }

    #[inline(always)]
    fn empty(self, stage: usize) -> Mbarrier<'a> {
        // No sum, of which the compiler would check that it is an index.
        // SAFETY: as above.
        unsafe { Mbarrier::new(self.0, STAGES | (stage % STAGES)) }
    }
}

/// A place in the ring, and how often it has been passed, modulo 2.
#[derive(Clone, Copy)]
struct At {
    stage: usize,
    round: u32,
}

impl At {
    #[inline(always)]
    fn next(self) -> Self {
        let stage = (self.stage + 1) % STAGES;
        At {
            stage,
            round: self.round ^ u32::from(stage == 0),
        }
    }
}

#[inline(always)]
fn wait(barrier: Mbarrier<'_>, parity: u32) {
    // SAFETY: the barriers were initialised in front of the block's barrier.
    unsafe { barrier.wait_parity(parity) };
}

/// The tile of the result of each of the block's turns, and its part of K.
#[inline(always)]
fn work(problem: &Problem, item: u32) -> (Work, u32) {
    // At least 1: without a division by zero there is no panic in the kernel.
    let of_matrix = (problem.tiles_m * problem.tiles_n * problem.splits).max(1);
    let work = problem.work(item % of_matrix, item / of_matrix);
    let steps = (work.k_end - work.k_start).div_ceil(DEPTH as u32);
    (work, steps)
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $bytes:ident $n:literal;)*) => {$(
        /// Bytes of dynamic shared memory.
        pub(crate) const $bytes: u32 = SharedLayout::new()
            .with_tiles::<Bf16, ROWS, DEPTH, Swizzle128, STAGES>()
            .with_tiles::<Bf16, $n, DEPTH, Swizzle128, STAGES>()
            .with::<f32>(WARPS * STAGED)
            .bytes();

        $(#[$doc])*
        #[kernel(block(384), launch_bounds(384, 1))]
        pub(crate) fn $name<T, O, E>(
            block: Block,
            warp: Warp,
            shared: DynamicShared<u8>,
            a: TensorSource<T, 3>,
            b: TensorSource<T, 3>,
            bias: &[f32],
            problem: Problem,
            items: u32,
            alpha: f32,
            beta: f32,
            epilogue: E,
            mut c: DisjointSlice<O>,
            mut partial: DisjointSlice<f32>,
        ) where
            T: HalfFloat,
            O: Output<f32>,
            E: Fn(f32, Place) -> f32 + Copy + Send + Sync + 'static,
        {
            let mut carve = shared.carve();
            let ring = Ring::<'_, T, $n> { a: carve.take_tiles(), b: carve.take_tiles() };
            let staged = carve.take::<f32>(WARPS * STAGED).as_ptr();
            let barriers = Barriers(shared_array!(u64, 2 * STAGES));
            if block.thread() == 0 {
                for stage in 0..STAGES {
                    // SAFETY: one thread, in front of the block's barrier.
                    unsafe { barriers.full(stage).init(1) };
                    // SAFETY: as above.
                    unsafe { barriers.empty(stage).init(WARPS as u32) };
                }
                fence_mbarrier_init();
            }
            block.sync();
            let group = WarpGroup::new(block);
            let mut at = At { stage: 0, round: 0 };
            let mut item = block.index() as u32;
            if group.index() == 0 {
                // SAFETY: all of this group; a block of 384 threads has 168 registers for each.
                unsafe { group.decrease_registers::<40>() };
                if group.thread() < 32 && group.elected() {
                    while item < items {
                        at = copy(ring, barriers, (a, b), &problem, item, at);
                        item += grid_dim().x;
                    }
                }
            } else {
                // SAFETY: all of this group; 128 · 40 + 256 · 232 registers are no more than 384 · 168.
                unsafe { group.increase_registers::<232>() };
                let finish = Finish { alpha, beta, bias, epilogue, c: c.raw(), partial: partial.raw() };
                // 0 or 64 whatever the number is, so that no check is left that the tile has these rows.
                let own = if group.index() == 1 { 0 } else { 64 };
                let (lane, first) = (warp.lane() as usize, own + group.thread() / 32 * 16);
                let staged = staged.wrapping_add(first / 16 * STAGED);
                while item < items {
                    let (work, steps) = work(&problem, item);
                    let (sums, next) = multiply(ring, barriers, (group, warp), own, steps, at);
                    at = next;
                    macro_rules! store {
                        ($piece:literal) => {
                            if $piece < $n / PIECE {
                                stage::<$n>(&sums, $piece, staged, lane);
                                warp.sync();
                                let place = (work.tile_m as usize * ROWS + first, work.tile_n as usize * $n + $piece * PIECE);
                                // SAFETY: the warp's sums are there, and its barrier lies between. The buffers are as large as the problem says, and a tile is one block's.
                                unsafe { store(finish, &problem, work, place, staged, lane) };
                                warp.sync();
                            }
                        };
                    }
                    store!(0);
                    store!(1);
                    store!(2);
                    store!(3);
                    item += grid_dim().x;
                }
            }
        }
    )*};
}

kernels! {
    /// Tiles of 256 columns.
    groups_256 BYTES_256 256;
    /// Tiles of 128 columns.
    groups_128 BYTES_128 128;
}

/// Lets bulk copies fill stages with the operands of a tile, and gives the place behind the last.
#[inline(always)]
fn copy<T: HalfFloat, const N: usize>(
    ring: Ring<'_, T, N>,
    barriers: Barriers<'_>,
    (a, b): (TensorSource<'_, T, 3>, TensorSource<'_, T, 3>),
    problem: &Problem,
    item: u32,
    mut at: At,
) -> At {
    let (work, steps) = work(problem, item);
    // A single matrix is multiplied with all of the other operand.
    let batch = |stride| if stride == 0 { 0 } else { work.batch as i32 };
    let (of_a, of_b) = (batch(problem.stride_a), batch(problem.stride_b));
    let (row, column) = (
        work.tile_m as i32 * ROWS as i32,
        work.tile_n as i32 * N as i32,
    );
    let mut step = 0;
    while step < steps {
        wait(barriers.empty(at.stage), at.round ^ 1);
        let full = barriers.full(at.stage);
        // SAFETY: the one arrival that the barrier counts; the copies below write as many bytes.
        let _ = unsafe { full.arrive_expecting(((ROWS + N) * DEPTH * 2) as u32) };
        let k = (work.k_start + step * DEPTH as u32) as i32;
        let (to_a, to_b) = (ring.a.stage(at.stage), ring.b.stage(at.stage));
        // SAFETY: no thread reads the stage, which is empty, before its barrier says that it is full; a box is one panel.
        unsafe { a.load(to_a.panel(0), [k, row, of_a], full) };
        // SAFETY: as above.
        unsafe { b.load(to_b.panel(0), [k, column, of_b], full) };
        at = at.next();
        step += 1;
    }
    at
}

/// The products of one tile: rows `own` and following of A with all of B, and the place behind the last stage. There is at least one step.
#[inline(always)]
fn multiply<T: HalfFloat, const N: usize>(
    ring: Ring<'_, T, N>,
    barriers: Barriers<'_>,
    (group, warp): (WarpGroup<'_>, Warp<'_>),
    own: usize,
    steps: u32,
    mut at: At,
) -> (Accumulator<N, f32>, At)
where
    Columns<N>: HoldsSums<f32>,
{
    let is_first_lane = group.thread().is_multiple_of(32);
    let give_back = |stage| {
        // The first lane arrives for all, whose products have been waited for.
        warp.sync();
        if is_first_lane {
            // SAFETY: initialised; each warp arrives once for each time that the stage was full.
            let _ = unsafe { barriers.empty(stage).arrive() };
        }
    };
    // Waiting comes before the fence of a batch: ptxas would add another one behind it. The first product replaces what is in the registers.
    wait(barriers.full(at.stage), at.round);
    let batch = group.begin(Accumulator::zero());
    let mut flight = add_stage::<T, N, true>(ring, batch, own, at).commit();
    let mut step = 1;
    while step < steps {
        let before = at;
        at = at.next();
        wait(barriers.full(at.stage), at.round);
        flight = add_stage::<T, N, false>(ring, flight.go_on(), own, at)
            .commit()
            .wait_but::<1>();
        give_back(before.stage);
        step += 1;
    }
    let sums = flight.wait();
    give_back(at.stage);
    (sums, at.next())
}

/// Adds the products of a stage, which is full.
#[inline(always)]
fn add_stage<'v, T: HalfFloat, const N: usize, const FIRST: bool>(
    ring: Ring<'v, T, N>,
    batch: Batch<'v, N, f32>,
    own: usize,
    at: At,
) -> Batch<'v, N, f32>
where
    Columns<N>: HoldsSums<f32>,
{
    // SAFETY: the copies that filled the stage have been waited for; it is given back when its products have been.
    let a = unsafe { ring.a.stage(at.stage).view() };
    // SAFETY: as above.
    let b = unsafe { ring.b.stage(at.stage).view() };
    let batch = match FIRST {
        true => batch.multiply(a.rows(own, 0), b.rows(0, 0)),
        false => batch.multiply_add(a.rows(own, 0), b.rows(0, 0)),
    };
    batch
        .multiply_add(a.rows(own, 16), b.rows(0, 16))
        .multiply_add(a.rows(own, 32), b.rows(0, 32))
        .multiply_add(a.rows(own, 48), b.rows(0, 48))
}

/// Two neighbours in a row, for one store.
#[repr(C, align(8))]
struct Pair([f32; 2]);

/// Where four or two neighbours of the 16 rows of a warp are staged. Groups of eight columns are moved within a row, so that lanes meet in no bank.
#[inline(always)]
fn staged_at(row: usize, column: usize) -> usize {
    row * PIECE + ((column / 8) ^ (row % 8)) * 8 + column % 8
}

/// Writes the sums of a warp's columns from `piece · PIECE` on to `staged`, which is the warp's own.
#[inline(always)]
fn stage<const N: usize>(sums: &Accumulator<N, f32>, piece: usize, staged: *mut f32, lane: usize)
where
    Columns<N>: HoldsSums<f32>,
{
    unroll_all::<{ PIECE / 8 }>(|eight| {
        unroll_all::<2>(|below| {
            let i = (piece * PIECE / 8 + eight) * 4 + below * 2;
            let to = staged_at(lane / 4 + below * 8, eight * 8 + lane % 4 * 2);
            let to = staged.wrapping_add(to).cast::<Pair>();
            // SAFETY: two elements that are this lane's alone till the barrier of the warp.
            unsafe { to.write(Pair([sums.get(i), sums.get(i + 1)])) };
        });
    });
}

/// Stores what was staged, of rows and columns from `place` on.
///
/// # Safety
/// The sums of all lanes are there. The buffers are as large as the problem says, and no other warp has these elements.
#[inline(always)]
unsafe fn store<O: Output<f32>, E: Epilogue<f32>>(
    finish: Finish<'_, f32, O, E>,
    problem: &Problem,
    work: Work,
    (first_row, first_column): (usize, usize),
    staged: *const f32,
    lane: usize,
) {
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
