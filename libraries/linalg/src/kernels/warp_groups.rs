//! Products on the tensor cores of Hopper, by `wgmma`.
//!
//! A block computes tiles of 128 rows, one after the other. Its three groups of four warps have a role each: one thread of the first lets bulk copies fill a ring of stages,
//! 128 bytes along K of both operands each; the two others multiply, 64 rows each, and give a stage back when the next one is being multiplied. What is outside of the
//! matrices is zero. While sums are stored, the stages of the block's next tile are filled.
//!
//! Operands of 16 bits lie along K or across it; all others along K: rows of A, columns of B ([`operands`]).

use warploom::device_std::pipeline::{Ring, Turn};
use warploom::device_std::shared::Swizzle128;
use warploom::device_std::tma::TensorSource;
use warploom::device_std::wgmma::{Accumulator, Batch, Columns, HoldsSums, Input, WarpGroup};
use warploom::device_std::{SharedLayout, shared_array};
use warploom::prelude::*;

use super::finish::Finish;
use super::problem::{Problem, Work};
use crate::arithmetic::Output;
use crate::epilogue::Place;

mod eight_bits; // products of elements of 8 bits whose sums are of f32
pub(crate) mod operands; // how operands lie, in memory and in stages
mod store; // from registers to the result

use eight_bits::{multiply_pairs, multiply_stages};
use operands::{Grouped, Lies};
use store::{PIECE, STAGED, stage, store};

/// Rows of a tile of the result.
pub(crate) const ROWS: usize = 128;
/// Bytes along K of a stage.
pub(crate) const DEPTH_BYTES: usize = 128;
/// Warps that multiply.
const WARPS: usize = 8;

/// The stages of a block: their barriers, and what is in them.
struct Stages<
    'r,
    'k,
    T: Grouped,
    A: Lies<T>,
    B: Lies<T>,
    const N: usize,
    const DEPTH: usize,
    const STAGES: usize,
> {
    ring: Ring<'r, STAGES>,
    a: A::Tiles<'k, ROWS, DEPTH, STAGES>,
    b: B::Tiles<'k, N, DEPTH, STAGES>,
}

impl<T: Grouped, A: Lies<T>, B: Lies<T>, const N: usize, const D: usize, const S: usize> Clone
    for Stages<'_, '_, T, A, B, N, D, S>
{
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Grouped, A: Lies<T>, B: Lies<T>, const N: usize, const D: usize, const S: usize> Copy
    for Stages<'_, '_, T, A, B, N, D, S>
{
}

/// A group of warps that multiplies: its rows are 64 from `own` on.
#[derive(Clone, Copy)]
struct Consumer<'g, 'w> {
    group: WarpGroup<'g>,
    warp: Warp<'w>,
    own: usize,
}

/// The tile of the result of each of the block's turns, and its part of K.
#[inline(always)]
fn work(problem: &Problem, item: u32, depth: usize) -> (Work, u32) {
    // At least 1: without a division by zero there is no panic in the kernel.
    let of_matrix = (problem.tiles_m * problem.tiles_n * problem.splits).max(1);
    let work = problem.work(item % of_matrix, item / of_matrix);
    let steps = (work.k_end - work.k_start).div_ceil(depth as u32);
    (work, steps)
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $bytes:ident: $n:literal columns, $stages:literal stages, [$($elements:tt)+], [$($multiply:tt)+], [$($bound:tt)+];)*) => {$(
        /// Bytes of dynamic shared memory.
        pub(crate) const $bytes: u32 = SharedLayout::new()
            .with_tiles::<u8, ROWS, DEPTH_BYTES, Swizzle128, $stages>()
            .with_tiles::<u8, $n, DEPTH_BYTES, Swizzle128, $stages>()
            .with::<f32>(WARPS * STAGED)
            .bytes();

        $(#[$doc])*
        #[kernel(block(384), launch_bounds(384, 1))]
        pub(crate) fn $name<T, A, B, O, E, const DEPTH: usize>(
            block: Block,
            warp: Warp,
            shared: DynamicShared<u8>,
            a: TensorSource<T::Element, 3>,
            b: TensorSource<T::Element, 3>,
            bias: &[T::Sum],
            problem: Problem,
            items: u32,
            alpha: T::Sum,
            beta: T::Sum,
            epilogue: E,
            mut c: DisjointSlice<O>,
            mut partial: DisjointSlice<T::Sum>,
        ) where
            T: $($elements)+,
            A: Lies<T>,
            B: Lies<T>,
            O: Output<T::Sum>,
            E: Fn(T::Sum, Place) -> T::Sum + Copy + Send + Sync + 'static,
            $($bound)+,
        {
            let mut carve = shared.carve();
            let barriers = shared_array!([u64; 2], $stages);
            // SAFETY: initialised below, in front of the block's barrier.
            let ring = unsafe { Ring::new(barriers) };
            let stages = Stages::<'_, '_, T, A, B, $n, DEPTH, $stages> { ring, a: A::take(&mut carve), b: B::take(&mut carve) };
            let staged = carve.take::<f32>(WARPS * STAGED).as_ptr().cast::<T::Sum>();
            if block.thread() == 0 {
                // SAFETY: one thread, in front of the block's barrier.
                unsafe { ring.init(WARPS as u32) };
            }
            block.sync();
            let group = WarpGroup::new(block);
            let mut turn = Turn::FIRST;
            let mut item = block.index() as u32;
            if group.index() == 0 {
                // SAFETY: all of this group; a block of 384 threads has 168 registers for each.
                unsafe { group.decrease_registers::<40>() };
                if group.thread() < 32 && group.elected() {
                    while item < items {
                        turn = copy(stages, (a, b), &problem, item, turn);
                        item += grid_dim().x;
                    }
                }
            } else {
                // SAFETY: all of this group; 128 · 40 + 256 · 232 registers are no more than 384 · 168.
                unsafe { group.increase_registers::<232>() };
                let finish = Finish { alpha, beta, bias, epilogue, c: c.raw(), partial: partial.raw() };
                // 0 or 64 whatever the number is, so that no check is left that the tile has these rows.
                let own = if group.index() == 1 { 0 } else { 64 };
                let consumer = Consumer { group, warp, own };
                let (lane, first) = (warp.lane() as usize, own + group.thread() / 32 * 16);
                let staged = staged.wrapping_add(first / 16 * STAGED);
                while item < items {
                    let (work, steps) = work(&problem, item, DEPTH);
                    let (sums, next) = $($multiply)+(stages, consumer, steps, turn);
                    turn = next;
                    macro_rules! store {
                        ($piece:literal) => {
                            if $piece < $n / PIECE {
                                stage(|i| sums.get($piece * PIECE / 2 + i), staged, lane);
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
    groups_256 BYTES_256: 256 columns, 4 stages, [Grouped], [multiply::<T, A, B, 256, DEPTH, 4>], [Columns<256>: HoldsSums<T::Sum>];
    /// Tiles of 192 columns: more blocks than tiles of 256 where these are fewer than multiprocessors.
    groups_192 BYTES_192: 192 columns, 4 stages, [Grouped], [multiply::<T, A, B, 192, DEPTH, 4>], [Columns<192>: HoldsSums<T::Sum>];
    /// Tiles of 128 columns.
    groups_128 BYTES_128: 128 columns, 4 stages, [Grouped], [multiply::<T, A, B, 128, DEPTH, 4>], [Columns<128>: HoldsSums<T::Sum>];
    /// Tiles of 64 columns.
    groups_64 BYTES_64: 64 columns, 8 stages, [Grouped], [multiply::<T, A, B, 64, DEPTH, 8>], [Columns<64>: HoldsSums<T::Sum>];
    /// Tiles of 256 columns, each stage added up for itself.
    stages_256 BYTES_STAGES_256: 256 columns, 4 stages, [Grouped<Sum = f32>], [multiply_pairs::<T, A, B, 256, DEPTH, 4, 128, 128, 64>], [Columns<256>: HoldsSums<T::Sum>];
    /// Tiles of 128 columns, each stage added up for itself.
    stages_128 BYTES_STAGES_128: 128 columns, 4 stages, [Grouped<Sum = f32>], [multiply_stages::<T, A, B, 128, DEPTH, 4, 128, 64, 64>], [Columns<128>: HoldsSums<T::Sum>];
    /// Tiles of 64 columns, each stage added up for itself.
    stages_64 BYTES_STAGES_64: 64 columns, 8 stages, [Grouped<Sum = f32>], [multiply_pairs::<T, A, B, 64, DEPTH, 8, 64, 32, 32>], [Columns<64>: HoldsSums<T::Sum>];
}

/// Lets bulk copies fill stages with the operands of a tile, and gives the turn behind the last.
#[inline(always)]
fn copy<T, A, B, const N: usize, const DEPTH: usize, const STAGES: usize>(
    stages: Stages<'_, '_, T, A, B, N, DEPTH, STAGES>,
    (a, b): (
        TensorSource<'_, T::Element, 3>,
        TensorSource<'_, T::Element, 3>,
    ),
    problem: &Problem,
    item: u32,
    mut turn: Turn<STAGES>,
) -> Turn<STAGES>
where
    T: Grouped,
    A: Lies<T>,
    B: Lies<T>,
{
    let (work, steps) = work(problem, item, DEPTH);
    // A single matrix is multiplied with all of the other operand.
    let batch = |stride| if stride == 0 { 0 } else { work.batch as i32 };
    let (of_a, of_b) = (batch(problem.stride_a), batch(problem.stride_b));
    let (row, column) = (
        work.tile_m as i32 * ROWS as i32,
        work.tile_n as i32 * N as i32,
    );
    let mut step = 0;
    while step < steps {
        // SAFETY: this thread alone fills the ring; the copies below write as many bytes.
        let full = unsafe { stages.ring.fill(turn, ((ROWS + N) * DEPTH_BYTES) as u32) };
        let k = (work.k_start + step * DEPTH as u32) as i32;
        // SAFETY: no thread reads the stage, which is empty, before its barrier says that it is full.
        unsafe { A::load(a, stages.a, turn.stage(), [row, k, of_a], full) };
        // SAFETY: as above.
        unsafe { B::load(b, stages.b, turn.stage(), [column, k, of_b], full) };
        turn = turn.next();
        step += 1;
    }
    turn
}

/// The products of one tile: a consumer's rows of A with all of B, and the turn behind the last stage. There is at least one step.
#[inline(always)]
fn multiply<T, A, B, const N: usize, const DEPTH: usize, const STAGES: usize>(
    stages: Stages<'_, '_, T, A, B, N, DEPTH, STAGES>,
    consumer: Consumer<'_, '_>,
    steps: u32,
    mut turn: Turn<STAGES>,
) -> (Accumulator<N, T::Sum>, Turn<STAGES>)
where
    T: Grouped,
    A: Lies<T>,
    B: Lies<T>,
    Columns<N>: HoldsSums<T::Sum>,
{
    let Consumer { group, warp, own } = consumer;
    let ring = stages.ring;
    // Waiting comes before the fence of a batch: ptxas would add another one behind it. The first product replaces what is in the registers.
    ring.wait_full(turn);
    let batch = group.begin(Accumulator::zero());
    let batch = add_stage::<T, A, B, N, DEPTH, STAGES, N, true>(stages, batch, (own, 0), turn);
    let mut flight = batch.commit();
    let mut step = 1;
    while step < steps {
        let before = turn;
        turn = turn.next();
        ring.wait_full(turn);
        let batch = flight.go_on();
        let batch = add_stage::<T, A, B, N, DEPTH, STAGES, N, false>(stages, batch, (own, 0), turn);
        flight = batch.commit().wait_but::<1>();
        // SAFETY: once for each turn; its products have been waited for.
        unsafe { ring.release(before, warp) };
        step += 1;
    }
    let sums = flight.wait();
    // SAFETY: as above.
    unsafe { ring.release(turn, warp) };
    (sums, turn.next())
}

/// Adds the products of a stage, which is full: 64 rows of A with `W` columns of B, from the given ones on.
#[inline(always)]
fn add_stage<
    'v,
    T,
    A,
    B,
    const N: usize,
    const DEPTH: usize,
    const STAGES: usize,
    const W: usize,
    const FIRST: bool,
>(
    stages: Stages<'_, 'v, T, A, B, N, DEPTH, STAGES>,
    mut batch: Batch<'v, W, T::Sum>,
    (row, column): (usize, usize),
    turn: Turn<STAGES>,
) -> Batch<'v, W, T::Sum>
where
    T: Grouped,
    A: Lies<T>,
    B: Lies<T>,
    Columns<W>: HoldsSums<T::Sum>,
{
    macro_rules! add {
        ($($part:literal)*) => {$({
            let k = const { $part * <T as Input>::K };
            // SAFETY: the copies that filled the stage have been waited for; it is given back when its products have been.
            let a = unsafe { A::operand(stages.a, turn.stage(), row, k) };
            // SAFETY: as above.
            let b = unsafe { B::operand(stages.b, turn.stage(), column, k) };
            batch = match FIRST && $part == 0 {
                true => batch.multiply(a, b),
                false => batch.multiply_add(a, b),
            };
        })*};
    }
    add!(0 1 2 3);
    batch
}
