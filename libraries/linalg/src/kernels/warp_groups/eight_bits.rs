//! Products of elements of 8 bits whose sums are of `f32`: tensor cores keep 13 bits of a fraction of these, so threads add up the sums of each stage.

use warploom::device_std::hint::unroll_all;
use warploom::device_std::pipeline::Turn;
use warploom::device_std::wgmma::{Accumulator, Columns, HoldsSums};
use warploom::prelude::*;

use super::operands::{Grouped, Lies};
use super::{Consumer, Stages, add_stage};

/// As [`multiply`](super::multiply), but adds up each stage for itself, `W` columns at a time, and these sums by the threads: tensor cores keep 13 bits of a fraction of sums of
/// elements of 8 bits, which would lose the small ones of many stages.
///
/// `SUMS` and `OF_SLICE` are the sums of a thread: of all columns, and of `W`.
#[inline(always)]
pub(super) fn multiply_stages<
    T,
    A,
    B,
    const N: usize,
    const DEPTH: usize,
    const STAGES: usize,
    const W: usize,
    const SUMS: usize,
    const OF_SLICE: usize,
>(
    stages: Stages<'_, '_, T, A, B, N, DEPTH, STAGES>,
    consumer: Consumer<'_, '_>,
    steps: u32,
    mut turn: Turn<STAGES>,
) -> (Accumulator<N, f32>, Turn<STAGES>)
where
    T: Grouped<Sum = f32>,
    A: Lies<T>,
    B: Lies<T>,
    Columns<N>: HoldsSums<f32, Registers = [f32; SUMS]>,
    Columns<W>: HoldsSums<f32>,
{
    let Consumer { group, warp, own } = consumer;
    let ring = stages.ring;
    let mut sums = [0.0; SUMS];
    let mut part = Accumulator::<W, f32>::zero();
    let mut step = 0;
    while step < steps {
        ring.wait_full(turn);
        macro_rules! slices {
            ($($slice:literal)*) => {$(
                if $slice < N / W {
                    let batch = group.begin(part);
                    let place = (own, $slice * W);
                    let batch = add_stage::<T, A, B, N, DEPTH, STAGES, W, true>(stages, batch, place, turn);
                    part = batch.commit().wait();
                    unroll_all::<OF_SLICE>(|i| sums[$slice * OF_SLICE + i] += part.get(i));
                }
            )*};
        }
        slices!(0 1);
        // SAFETY: once for each turn; its products have been waited for.
        unsafe { ring.release(turn, warp) };
        turn = turn.next();
        step += 1;
    }
    (Accumulator::from_registers(sums), turn)
}

/// As [`multiply_stages`], two stages a round, and the next stage is waited for while products of the one before are under way. Measured on an H100, that is faster for tiles
/// of 256 and of 64 columns, and slower for those of 128 and with one stage a round. There is at least one step.
#[inline(always)]
pub(super) fn multiply_pairs<
    T,
    A,
    B,
    const N: usize,
    const DEPTH: usize,
    const STAGES: usize,
    const W: usize,
    const SUMS: usize,
    const OF_SLICE: usize,
>(
    stages: Stages<'_, '_, T, A, B, N, DEPTH, STAGES>,
    consumer: Consumer<'_, '_>,
    steps: u32,
    mut turn: Turn<STAGES>,
) -> (Accumulator<N, f32>, Turn<STAGES>)
where
    T: Grouped<Sum = f32>,
    A: Lies<T>,
    B: Lies<T>,
    Columns<N>: HoldsSums<f32, Registers = [f32; SUMS]>,
    Columns<W>: HoldsSums<f32>,
{
    let Consumer { group, warp, own } = consumer;
    let ring = stages.ring;
    let mut sums = [0.0; SUMS];
    let mut part = Accumulator::<W, f32>::zero();
    macro_rules! slice {
        ($slice:literal, $meanwhile:expr) => {
            let batch = group.begin(part);
            let place = (own, $slice * W);
            let batch = add_stage::<T, A, B, N, DEPTH, STAGES, W, true>(stages, batch, place, turn);
            let flight = batch.commit();
            $meanwhile;
            part = flight.wait();
            unroll_all::<OF_SLICE>(|i| {
                let sum = &mut sums[$slice * OF_SLICE + i];
                *sum = add_here(*sum, part.get(i));
            });
        };
    }
    // The stage of `turn`, which has been waited for; meanwhile that of `$next` is.
    macro_rules! stage {
        ($next:expr) => {
            if N / W == 2 {
                slice!(0, ());
                slice!(1, ring.wait_full($next));
            } else {
                slice!(0, ring.wait_full($next));
            }
            // SAFETY: once for each turn; its products have been waited for.
            unsafe { ring.release(turn, warp) };
            turn = turn.next();
        };
    }
    ring.wait_full(turn);
    let mut step = 0;
    while step + 2 <= steps {
        step += 2;
        stage!(turn.next());
        // Behind the last stage there is none to wait for: that of `turn` is full, which ends the wait at once without a branch.
        let next = if step < steps { turn.next() } else { turn };
        stage!(next);
    }
    if step < steps {
        stage!(turn);
    }
    (Accumulator::from_registers(sums), turn)
}

/// `a + b`, added where it is written. LLVM would move sums behind the branches and waits that follow, where they take more registers than there are.
#[inline(always)]
fn add_here(a: f32, b: f32) -> f32 {
    // SAFETY: the CPU's body does what the instruction does.
    unsafe {
        ptx!(
            "add.rn.f32 {sum}, {a}, {b};",
            sum = out(f32), a = in(f32) a, b = in(f32) b,
            cpu = { a + b }
        )
    }
}
