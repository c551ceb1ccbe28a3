//! Attention on the tensor cores of Hopper, by `wgmma`: the order of FlashAttention-3.
//!
//! A block has 128 queries of a head and three groups of four warps. A thread of the first begins bulk copies of keys and values in tiles of 128, through two stages each;
//! the other two groups have 64 queries each. While a group computes the probabilities of a tile, the products of those of the tile before with its values are under way:
//! scores, probabilities and sums of values stay in registers.
//!
//! Maxima are replaced only where a score needs it, as in the kernel for older devices.

use core::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::device_std::mma::A;
use warploom::device_std::pipeline::{Ring, Turn};
use warploom::device_std::shared::{Swizzle128, SwizzledTile, SwizzledTiles};
use warploom::device_std::tma::{TensorElement, TensorSource};
use warploom::device_std::wgmma::{Accumulator, Columns, HoldsSums, InFlight, TileView, WarpGroup};
use warploom::device_std::{Mbarrier, SharedLayout, intrinsics as raw, shared_array};
use warploom::prelude::*;

use super::rows::Rows;
use super::work::{Problem, Work};
use super::{SLACK, log_sum};
use crate::attention::HalfFloat;

/// Queries of a block.
pub(crate) const ROWS: usize = 128;
/// Keys and values of a tile.
pub(crate) const KEYS: usize = 128;
/// Tiles of keys, and as many of values, in shared memory.
const STAGES: usize = 2;
/// Warps that read a tile.
const READERS: u32 = 8;

/// Scores of a thread.
const SCORES: usize = KEYS / 2;
/// Probabilities of a thread, as fragments of A.
type Probabilities = [[u32; 4]; KEYS / 16];

/// The barriers of a block.
#[derive(Clone, Copy)]
struct Barriers<'a> {
    keys: Ring<'a, STAGES>,
    values: Ring<'a, STAGES>,
    /// Where the copies of the queries end.
    queries: Mbarrier<'a>,
}

/// A group of threads that multiplies: what it has, and where.
#[derive(Clone, Copy)]
struct Consumer<'g, 'w, 'k, 'b, T: HalfFloat, const D: usize> {
    group: WarpGroup<'g>,
    warp: Warp<'w>,
    q: TileView<'k, T, ROWS, D, Swizzle128>,
    of_keys: SwizzledTiles<'k, T, KEYS, D, Swizzle128, STAGES>,
    of_values: SwizzledTiles<'k, T, KEYS, D, Swizzle128, STAGES>,
    barriers: Barriers<'b>,
    /// Its first query.
    first: usize,
    /// Up to where the keys are that this thread's two rows see.
    bounds: [i32; 2],
    seen_by_all: i32,
    lane: usize,
    scale: f32,
}

/// The sums of values of a group without the tile before, and its probabilities.
struct State<const D: usize>
where
    Columns<D>: HoldsSums<f32>,
{
    sums: Accumulator<D, f32>,
    p: Probabilities,
}

impl<'g, 'w, 'k, 'b, T: HalfFloat, const D: usize> Consumer<'g, 'w, 'k, 'b, T, D>
where
    Columns<D>: HoldsSums<f32>,
{
    /// # Safety
    /// The tiles are written and free as the barriers say.
    #[inline(always)]
    unsafe fn new(
        (group, warp): (WarpGroup<'g>, Warp<'w>),
        (of_queries, of_keys, of_values): (
            SwizzledTiles<'k, T, ROWS, D, Swizzle128, 1>,
            SwizzledTiles<'k, T, KEYS, D, Swizzle128, STAGES>,
            SwizzledTiles<'k, T, KEYS, D, Swizzle128, STAGES>,
        ),
        barriers: Barriers<'b>,
        first: usize,
        work: &Work,
        scale: f32,
    ) -> Self {
        let lane = warp.lane() as usize;
        let line = (first + group.thread() / 32 * 16 + lane / 4) as i32;
        Consumer {
            group,
            warp,
            // SAFETY: nothing writes the queries before all products have read them.
            q: unsafe { of_queries.stage(0).view() },
            of_keys,
            of_values,
            barriers,
            first,
            bounds: [work.bound(line), work.bound(line + 8)],
            seen_by_all: work.bound(first as i32),
            lane,
            scale,
        }
    }

    /// The sums of values.
    #[inline(always)]
    fn run(self, softmax: &mut Softmax, tiles: usize) -> Accumulator<D, f32> {
        let sums = Accumulator::<D, f32>::zero();
        if tiles == 0 {
            return sums;
        }
        // SAFETY: initialised in front of the block's barrier.
        unsafe { self.barriers.queries.wait_parity(0) };
        let mut scores = self
            .begin_scores(Accumulator::<KEYS, f32>::zero(), 0)
            .wait()
            .registers();
        self.release(self.barriers.keys, 0);
        self.hide(&mut scores, 0);
        let (p, _) = softmax.of_tile::<T>(self.warp, &scores, self.scale);
        let mut state = State { sums, p };
        // Two tiles for each turn: the registers of probabilities change, and none is copied.
        let mut tile = 1;
        while tile + 1 < tiles {
            state = self.advance(softmax, state, tile);
            state = self.advance(softmax, state, tile + 1);
            tile += 2;
        }
        if tile < tiles {
            state = self.advance(softmax, state, tile);
        }
        let sums = self.begin_sums(state.sums, &state.p, tiles - 1).wait();
        self.release(self.barriers.values, tiles - 1);
        sums
    }

    /// Begins the scores of a tile and the sums of the one before; computes probabilities meanwhile.
    #[inline(always)]
    fn advance(self, softmax: &mut Softmax, state: State<D>, tile: usize) -> State<D> {
        let of_scores = self.begin_scores(Accumulator::<KEYS, f32>::zero(), tile);
        let of_sums = self.begin_sums(state.sums, &state.p, tile - 1);
        // SAFETY: the batch of the sums was committed behind that of the scores.
        let mut scores = unsafe { of_scores.wait_before::<1>() }.registers();
        self.release(self.barriers.keys, tile);
        self.hide(&mut scores, tile);
        let (p, factors) = softmax.of_tile::<T>(self.warp, &scores, self.scale);
        let mut sums = of_sums.wait();
        keep(self.group, &state.p);
        self.release(self.barriers.values, tile - 1);
        if let Some(factors) = factors {
            let mut i = 0;
            sums = sums.map(self.group, |_, _, sum| {
                let factor = factors[i / 2 % 2];
                i += 1;
                sum * factor
            });
        }
        State { sums, p }
    }

    /// Makes scores of keys that a row does not see those of no probability.
    #[inline(always)]
    fn hide(&self, scores: &mut [f32; SCORES], tile: usize) {
        let start = (tile * KEYS) as i32;
        if start + KEYS as i32 > self.seen_by_all {
            hide(scores, self.bounds, start + self.lane as i32 % 4 * 2);
        }
    }

    /// Says for a warp that its products of a tile, which were waited for, have read it.
    #[inline(always)]
    fn release(&self, of: Ring<'b, STAGES>, tile: usize) {
        // SAFETY: each warp does this once for each tile of keys and of values.
        unsafe { of.release(Turn::of(tile), self.warp) };
    }

    #[inline(always)]
    fn begin_scores(&self, scores: Accumulator<KEYS, f32>, tile: usize) -> InFlight<'k, KEYS, f32> {
        self.barriers.keys.wait_full(Turn::of(tile));
        // SAFETY: the copies have ended, and others begin when all readers have said that they have read it.
        let k = unsafe { self.of_keys.stage(tile % STAGES).view() };
        begin_scores(self.group, scores, self.q, self.first, k)
    }

    #[inline(always)]
    fn begin_sums(
        &self,
        sums: Accumulator<D, f32>,
        p: &Probabilities,
        tile: usize,
    ) -> InFlight<'k, D, f32> {
        self.barriers.values.wait_full(Turn::of(tile));
        // SAFETY: as above.
        let v = unsafe { self.of_values.stage(tile % STAGES).view() };
        begin_sums(self.group, sums, p, v)
    }
}

/// Keeps probabilities in their registers up to here: products read them till they have been waited for, which the compiler does not know.
#[inline(always)]
fn keep(group: WarpGroup<'_>, p: &Probabilities) {
    let registers = from_fn(|i| f32::from_bits(p[i / 4][i % 4]));
    let _ = group.begin(Accumulator::<{ KEYS / 2 }, f32>::from_registers(registers));
}

/// Begins to multiply 64 queries from `first` on with the keys of a tile.
#[inline(always)]
fn begin_scores<'v, T: HalfFloat, const D: usize>(
    group: WarpGroup<'_>,
    scores: Accumulator<KEYS, f32>,
    q: TileView<'v, T, ROWS, D, Swizzle128>,
    first: usize,
    k: TileView<'v, T, KEYS, D, Swizzle128>,
) -> InFlight<'v, KEYS, f32> {
    let mut batch = group.begin(scores).multiply(q.rows(first, 0), k.rows(0, 0));
    macro_rules! add {
        ($($column:literal)*) => {$(
            if $column < D {
                batch = batch.multiply_add(q.rows(first, $column), k.rows(0, $column));
            }
        )*};
    }
    add!(16 32 48 64 80 96 112);
    batch.commit()
}

/// Begins to add the values of a tile, each times its probability.
#[inline(always)]
fn begin_sums<'v, T: HalfFloat, const D: usize>(
    group: WarpGroup<'_>,
    sums: Accumulator<D, f32>,
    p: &Probabilities,
    v: TileView<'v, T, KEYS, D, Swizzle128>,
) -> InFlight<'v, D, f32>
where
    Columns<D>: HoldsSums<f32>,
{
    let mut batch = group.begin(sums);
    macro_rules! add {
        ($($part:literal)*) => {$(
            batch = batch.multiply_add_rows(&A::<T::Shape, T>::from_registers(p[$part]), v.columns(0, 16 * $part));
        )*};
    }
    add!(0 1 2 3 4 5 6 7);
    batch.commit()
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $bytes:ident $d:literal;)*) => {$(
        /// Bytes of shared memory.
        pub(crate) const $bytes: u32 = SharedLayout::new()
            .with_tiles::<Bf16, ROWS, $d, Swizzle128, 1>()
            .with_tiles::<Bf16, KEYS, $d, Swizzle128, STAGES>()
            .with_tiles::<Bf16, KEYS, $d, Swizzle128, STAGES>()
            .bytes();

        $(#[$doc])*
        #[kernel(block(384), launch_bounds(384, 1))]
        pub(crate) fn $name<T>(
            block: Block,
            warp: Warp,
            shared: DynamicShared<u8>,
            q: TensorSource<T, 4>,
            k: TensorSource<T, 4>,
            v: TensorSource<T, 4>,
            items: &[[u32; 4]],
            problem: Problem,
            mut out: DisjointSlice<T>,
            mut log_sums: DisjointSlice<f32>,
        ) where
            T: HalfFloat,
        {
            let work = problem.work(block_idx().x, ROWS as u32, items);
            let tiles = work.tiles(ROWS as u32, KEYS as u32) as usize;
            let (of_key_stages, of_value_stages, of_the_queries) = (shared_array!([u64; 2], STAGES), shared_array!([u64; 2], STAGES), shared_array!(u64, 1));
            // SAFETY: initialised below, in front of the block's barrier.
            let (keys, values, queries) = unsafe { (Ring::new(of_key_stages), Ring::new(of_value_stages), Mbarrier::new(of_the_queries, 0)) };
            let barriers = Barriers { keys, values, queries };
            let mut carve = shared.carve();
            let of_queries: SwizzledTiles<'_, T, ROWS, $d, Swizzle128, 1> = carve.take_tiles();
            let of_keys: SwizzledTiles<'_, T, KEYS, $d, Swizzle128, STAGES> = carve.take_tiles();
            let of_values: SwizzledTiles<'_, T, KEYS, $d, Swizzle128, STAGES> = carve.take_tiles();
            if block.thread() == 0 {
                // SAFETY: one thread, before all others pass the barrier of the block; one thread says that copies of the queries have begun, and warps of two groups read.
                unsafe {
                    queries.init(1);
                    keys.init(READERS);
                    values.init(READERS);
                }
            }
            block.sync();
            let group = WarpGroup::new(block);
            if group.index() == 0 {
                // SAFETY: all threads of the group; few registers are left to it.
                unsafe { group.decrease_registers::<24>() };
                if group.thread() < 32 && group.elected() && tiles > 0 {
                    let row = [work.first_row as i32, work.head as i32, work.batch as i32];
                    let (first, head) = work.keys_at();
                    // SAFETY: one thread, the one arrival that the barrier counts; the copies write as many bytes.
                    let _ = unsafe { queries.arrive_expecting((ROWS * $d * 2) as u32) };
                    // SAFETY: the tile is free.
                    unsafe { load(q, of_queries.stage(0), queries, row) };
                    let mut tile = 0;
                    while tile < tiles {
                        let row = [first + (tile * KEYS) as i32, head, work.batch as i32];
                        let (turn, bytes) = (Turn::of(tile), (KEYS * $d * 2) as u32);
                        // SAFETY: this thread alone fills the rings; the copies write as many bytes.
                        let full = unsafe { keys.fill(turn, bytes) };
                        // SAFETY: all readers have said that they have read it.
                        unsafe { load(k, of_keys.stage(turn.stage()), full, row) };
                        // SAFETY: as above.
                        let full = unsafe { values.fill(turn, bytes) };
                        // SAFETY: as above.
                        unsafe { load(v, of_values.stage(turn.stage()), full, row) };
                        tile += 1;
                    }
                }
            } else {
                // SAFETY: all threads of the group; the first group has given up as many.
                unsafe { group.increase_registers::<240>() };
                // 0 or 64 whatever the number is, so that no check is left that the tile has these rows.
                let first = group.index() % 2 * 64;
                let own = first + group.thread() / 32 * 16;
                // SAFETY: the tiles are as the barriers say.
                let consumer = unsafe { Consumer::new((group, warp), (of_queries, of_keys, of_values), barriers, first, &work, problem.scale) };
                let mut softmax = Softmax { most: [f32::MIN; 2], totals: [0.0; 2] };
                let sums = consumer.run(&mut softmax, tiles).registers();
                let Softmax { most, totals } = softmax;
                let out = Rows::new(out.raw().cast_const(), problem.out, work.q_at(&problem.out));
                let mut of_rows = [0.0; 2];
                let totals = totals.map(|total| {
                    let total = total + warp.shuffle_xor(total, 1);
                    total + warp.shuffle_xor(total, 2)
                });
                let factors = totals.map(|total| if total == 0.0 { 0.0 } else { 1.0 / total });
                of_rows[0] = log_sum(most[0], totals[0]);
                of_rows[1] = log_sum(most[1], totals[1]);
                let lane = warp.lane() as usize;
                let to = of_queries.stage(0);
                // Products of each warp may read the queries of the whole group.
                if first == 0 {
                    // SAFETY: all threads of this group, and of no other one.
                    unsafe { group.sync::<1>() };
                } else {
                    // SAFETY: as above.
                    unsafe { group.sync::<2>() };
                }
                unroll_all::<{ $d / 8 }>(|eight| {
                    unroll_all::<2>(|half| {
                        let pair = T::pair(sums[eight * 4 + half * 2] * factors[half], sums[eight * 4 + half * 2 + 1] * factors[half]);
                        let place = SwizzledTile::<T, ROWS, $d, Swizzle128>::offset(own + lane / 4 + 8 * half, eight * 8 + lane % 4 * 2);
                        // SAFETY: two elements of the rows of this warp; the products of the group, which have read them, lie before its barrier.
                        unsafe { to.as_ptr().wrapping_add(place).cast::<u32>().write(pair) };
                    });
                });
                if problem.log_sums != 0 && lane.is_multiple_of(4) {
                    unroll_all::<2>(|half| {
                        let line = own + lane / 4 + 8 * half;
                        if (line as u32) < work.rows_left {
                            // SAFETY: there is an element for each query of each head, and this row is that of this quad of lanes alone.
                            unsafe { log_sums.raw().wrapping_add(work.log_at(&problem) + line).write(of_rows[half]) };
                        }
                    });
                }
                warp.sync();
                let mut at = lane;
                while at < 16 * ($d / 8) {
                    let (line, chunk) = (own + at / ($d / 8), at % ($d / 8));
                    if (line as u32) < work.rows_left {
                        let place = SwizzledTile::<T, ROWS, $d, Swizzle128>::offset(line, chunk * 8);
                        // SAFETY: a chunk that this warp has written, before its barrier.
                        let value = unsafe { to.as_ptr().wrapping_add(place).cast::<u128>().read() };
                        // SAFETY: a row of the result that is this block's alone.
                        unsafe { out.store(line, chunk, value) };
                    }
                    at += 32;
                }
            }
        }
    )*};
}

kernels! {
    /// Heads of 64 elements.
    attention_groups_64 BYTES_64 64;
    /// Heads of 128 elements.
    attention_groups_128 BYTES_128 128;
}

/// Begins to copy the rows of a tile, from token `at[0]` of head `at[1]` and batch `at[2]` on. What is behind the last token is zero.
///
/// # Safety
/// The tile is free, and the phase of `barrier` expects its bytes.
#[inline(always)]
unsafe fn load<T: TensorElement, const R: usize, const D: usize>(
    from: TensorSource<'_, T, 4>,
    to: SwizzledTile<'_, T, R, D, Swizzle128>,
    barrier: Mbarrier<'_>,
    [token, head, batch]: [i32; 3],
) {
    for panel in 0..D / 64 {
        // SAFETY: a panel of the tile, which is as large as the box of the map; the rest is the caller's promise.
        unsafe {
            from.load(
                to.panel(panel),
                [panel as i32 * 64, token, head, batch],
                barrier,
            )
        };
    }
}

/// Makes the scores of keys from the bound of a row on those of no probability. The thread's first column is that of key `first`.
#[inline(always)]
fn hide(scores: &mut [f32; SCORES], bounds: [i32; 2], first: i32) {
    unroll_all::<{ SCORES / 4 }>(|eight| {
        unroll_all::<4>(|i| {
            if (8 * eight + i % 2) as i32 >= bounds[i / 2] - first {
                scores[eight * 4 + i] = f32::NEG_INFINITY;
            }
        });
    });
}

/// The softmax of a thread's two rows, so far.
struct Softmax {
    /// The maximum in use, as an exponent of 2.
    most: [f32; 2],
    /// This thread's part of the sum of all probabilities.
    totals: [f32; 2],
}

impl Softmax {
    /// Probabilities of a tile; and what sums have to be multiplied with, if a larger maximum was taken.
    #[inline(always)]
    fn of_tile<T: HalfFloat>(
        &mut self,
        warp: Warp<'_>,
        scores: &[f32; SCORES],
        scale: f32,
    ) -> (Probabilities, Option<[f32; 2]>) {
        let most: [f32; 2] = from_fn(|half| {
            let mut most = [scores[2 * half], scores[2 * half + 1]];
            unroll_all::<{ SCORES / 4 }>(|eight| {
                most[0] = most[0].max(scores[eight * 4 + 2 * half]);
                most[1] = most[1].max(scores[eight * 4 + 2 * half + 1]);
            });
            most[0].max(most[1]) * scale
        });
        let above = most[0] > self.most[0] + SLACK || most[1] > self.most[1] + SLACK;
        let factors = if warp.any(above) {
            let factors = from_fn(|half| {
                // Four lanes have a row.
                let most = most[half];
                let most = most.max(warp.shuffle_xor(most, 1));
                let most = most.max(warp.shuffle_xor(most, 2));
                let most = most.max(self.most[half]);
                let factor = raw::ex2_approx_ftz_f32(self.most[half] - most);
                self.most[half] = most;
                self.totals[half] *= factor;
                factor
            });
            Some(factors)
        } else {
            None
        };
        let mut p = [[0; 4]; KEYS / 16];
        unroll_all::<{ KEYS / 16 }>(|part| {
            let e: [f32; 8] = from_fn(|i| {
                raw::ex2_approx_ftz_f32(scores[part * 8 + i].mul_add(scale, -self.most[i / 2 % 2]))
            });
            self.totals[0] += (e[0] + e[1]) + (e[4] + e[5]);
            self.totals[1] += (e[2] + e[3]) + (e[6] + e[7]);
            p[part] = from_fn(|r| T::pair(e[2 * r], e[2 * r + 1]));
        });
        (p, factors)
    }
}
