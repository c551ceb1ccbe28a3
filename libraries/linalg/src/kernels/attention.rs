//! Attention on tensor cores, by `mma.sync`: the online softmax in the order of FlashAttention-2.
//!
//! A block of four warps has 64 or 128 queries of a head, a warp 16 or 32 of them. Keys and values come in tiles of 64, through two stages of shared memory: while a tile is
//! worked on, copies of the next are under way, and there is one barrier for each tile. Scores and sums of values stay in registers: scores have the layout of a fragment
//! `D`, which is that of two fragments `A` side by side, so probabilities need no exchange between lanes.
//!
//! The maximum that exponents are taken relative to is replaced where a score is more than [`SLACK`] above it: till then probabilities are at most 2^[`SLACK`], which `F16` holds as
//! well, and sums need no scaling.

use core::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::device_std::intrinsics as raw;
use warploom::prelude::*;

use crate::attention::HalfFloat;

mod rows; // rows of heads, from global to shared memory and back
pub(crate) mod warp_groups; // the same by `wgmma`, on Hopper
pub(crate) mod work; // which queries are whose

use rows::{Rows, THREADS};
use work::{Problem, Work};

/// Keys and values of a tile.
const TILE: usize = 64;
/// By how much a score, as an exponent of 2, may be above the maximum that is in use.
const SLACK: f32 = 8.0;

/// Queries of a block, with `MT` times 16 for each of four warps.
pub(crate) const fn block_rows(mt: usize) -> usize {
    64 * mt
}

/// Bytes of shared memory: the queries, and two stages of keys and values, in rows of `16 · DP` elements.
pub(crate) const fn shared_bytes(dp: usize, mt: usize) -> usize {
    (block_rows(mt) + 4 * TILE) * row_bytes(dp)
}

/// Bytes of a row of `16 · dp` elements.
const fn row_bytes(dp: usize) -> usize {
    32 * dp
}

/// Attention of heads of `16 · DP` elements; see [`shared_bytes`].
#[kernel(block(128), launch_bounds(128, 2))]
pub(crate) fn attention_forward<T, const DP: usize, const MT: usize>(
    block: Block,
    warp: Warp,
    shared: DynamicShared<u128>,
    q: &[T],
    k: &[T],
    v: &[T],
    items: &[[u32; 4]],
    problem: Problem,
    mut out: DisjointSlice<T>,
    mut log_sums: DisjointSlice<f32>,
) where
    T: HalfFloat,
{
    let work = problem.work(block_idx().x, block_rows(MT) as u32, items);
    let memory = shared.as_ptr().cast();
    let place = Place::new(block, warp);
    let q = Rows::new(q.as_ptr(), problem.q, work.q_at(&problem.q));
    let k = Rows::new(k.as_ptr(), problem.k, work.kv_at(&problem.k));
    let v = Rows::new(v.as_ptr(), problem.v, work.kv_at(&problem.v));
    // SAFETY: the buffers are as large as the problem says, and the shared memory as `shared_bytes`: both were checked before the launch.
    let done = unsafe { forward::<T, DP, MT>(place, memory, (q, k, v), &problem, &work) };
    let out = Rows::new(out.raw().cast_const(), problem.out, work.q_at(&problem.out));
    // SAFETY: as above; the rows are those of this block alone.
    unsafe { store(place, memory, done, (out, log_sums.raw()), &problem, &work) };
}

/// Who a thread is.
#[derive(Clone, Copy)]
struct Place<'b, 'w> {
    block: Block<'b>,
    warp: Warp<'w>,
    thread: usize,
    lane: usize,
    /// The number of the warp.
    number: usize,
}

impl<'b, 'w> Place<'b, 'w> {
    #[inline(always)]
    fn new(block: Block<'b>, warp: Warp<'w>) -> Self {
        let thread = block.thread();
        Place {
            block,
            warp,
            thread,
            lane: warp.lane() as usize,
            number: thread / 32,
        }
    }
}

/// What a lane has of 16 · MT queries: in `[i]` and `[half]` that of row `16 i + lane / 4 + 8 half` from the first of the warp on.
#[derive(Clone, Copy)]
struct Sums<const DP: usize, const MT: usize> {
    /// Of columns 16 c + 8 h: `values[i][c][h]`.
    values: [[[[f32; 4]; 2]; DP]; MT],
    /// The maximum in use, as an exponent of 2.
    most: [[f32; 2]; MT],
    /// This lane's part of the sum of all probabilities.
    totals: [[f32; 2]; MT],
}

/// Scores of 16 · MT queries and 64 keys: of columns 16 j + 8 h `[i][j][h]`.
type Scores<const MT: usize> = [[[[f32; 4]; 2]; 4]; MT];

/// # Safety
/// `memory` has [`shared_bytes`], and all rows that `work` names are in the buffers.
#[inline(always)]
unsafe fn forward<T: HalfFloat, const DP: usize, const MT: usize>(
    place: Place<'_, '_>,
    memory: *mut u8,
    (q, k, v): (Rows<T>, Rows<T>, Rows<T>),
    problem: &Problem,
    work: &Work,
) -> Sums<DP, MT> {
    let row = row_bytes(DP);
    let (lane, first) = (place.lane, place.number * 16 * MT);
    let stages = memory.wrapping_add(block_rows(MT) * row);
    let stage_bytes = 2 * TILE * row;
    let load = |tile: usize, slot: usize| {
        let to = stages.wrapping_add(slot * stage_bytes);
        let at = tile * TILE;
        // SAFETY: the stage is free: all warps have passed a barrier since they read it.
        unsafe { k.load::<DP, 1>(to, at, work.keys as usize - at, place.thread) };
        // SAFETY: as above.
        unsafe {
            v.load::<DP, 1>(
                to.wrapping_add(TILE * row),
                at,
                work.keys as usize - at,
                place.thread,
            )
        };
    };
    // What the lane tells `ldmatrix`: a row of the first 16 and a chunk of the first two, exchanged as all chunks are. Behind it, steps of 16 columns flip bits.
    let (matrix, line) = (lane / 8, lane % 8);
    let of_rows = (line + matrix % 2 * 8) * row + ((matrix / 2) ^ line) * 16;
    let of_keys = (line + matrix / 2 * 8) * row + ((matrix % 2) ^ line) * 16;
    let of_queries = of_rows + first * row;

    let bounds: [[i32; 2]; MT] =
        from_fn(|i| from_fn(|half| work.bound((first + 16 * i + 8 * half + lane / 4) as i32)));
    // Keys that some row of the warp sees, and keys that all of them see.
    let seen = if (first as u32) < work.rows_left {
        work.bound((first + 16 * MT - 1) as i32)
    } else {
        0
    };
    let seen_by_all = work.bound(first as i32);
    let tiles = work.tiles(block_rows(MT) as u32, TILE as u32) as usize;

    let mut sums = Sums {
        values: [[[[0.0; 4]; 2]; DP]; MT],
        most: [[f32::MIN; 2]; MT],
        totals: [[0.0; 2]; MT],
    };
    if tiles > 0 {
        // SAFETY: no thread has used the memory.
        unsafe { q.load::<DP, MT>(memory, 0, work.rows_left as usize, place.thread) };
        load(0, 0);
    }
    let (mut tile, mut slot) = (0, 0);
    while tile < tiles {
        // SAFETY: the copies go to shared memory that lasts as long as the kernel.
        unsafe { raw::copy_async_wait_all() };
        place.block.sync();
        if tile + 1 < tiles {
            load(tile + 1, slot ^ 1);
        }
        let start = (tile * TILE) as i32;
        if start < seen {
            let stage = stages.wrapping_add(slot * stage_bytes).cast_const();
            // SAFETY: both were waited for by all threads, and are written again behind the next barrier at the earliest.
            let mut scores =
                unsafe { scores::<T, DP, MT>(place.warp, memory, of_queries, stage, of_keys) };
            if start + TILE as i32 > seen_by_all {
                hide(&mut scores, bounds, start + lane as i32 % 4 * 2);
            }
            sums.rescale(place.warp, &scores, problem.scale);
            let values = stage.wrapping_add(TILE * row);
            // SAFETY: as above.
            unsafe { sums.add::<T>(place.warp, scores, problem.scale, values, of_rows) };
        }
        tile += 1;
        slot ^= 1;
    }
    sums
}

/// `Q · Kᵀ` of a warp and a tile.
///
/// # Safety
/// The queries at `memory` and the keys at `stage` are written, and no thread writes them.
#[inline(always)]
unsafe fn scores<T: HalfFloat, const DP: usize, const MT: usize>(
    warp: Warp<'_>,
    memory: *const u8,
    of_queries: usize,
    stage: *const u8,
    of_keys: usize,
) -> Scores<MT> {
    let sixteen_rows = 16 * row_bytes(DP);
    let mut scores = [[[[0.0; 4]; 2]; 4]; MT];
    unroll_all::<DP>(|step| {
        let a: [[u32; 4]; MT] = from_fn(|i| {
            let from = memory.wrapping_add((of_queries ^ (step * 32)) + i * sixteen_rows);
            let mut a = [0; 4];
            // SAFETY: a row of 16 bytes of the queries (the caller's promise).
            unsafe { raw::ldmatrix_x4(a.as_mut_ptr(), from) };
            a
        });
        unroll_all::<4>(|j| {
            let from = stage.wrapping_add((of_keys ^ (step * 32)) + j * sixteen_rows);
            let mut b = [0; 4];
            // SAFETY: a row of 16 bytes of the keys (the caller's promise).
            unsafe { raw::ldmatrix_x4(b.as_mut_ptr(), from) };
            unroll_all::<MT>(|i| {
                scores[i][j][0] = T::multiply(warp, a[i], [b[0], b[1]], scores[i][j][0]);
                scores[i][j][1] = T::multiply(warp, a[i], [b[2], b[3]], scores[i][j][1]);
            });
        });
    });
    scores
}

/// Makes the scores of keys from the bound of a row on those of no probability. The lane's first column is that of key `first`.
#[inline(always)]
fn hide<const MT: usize>(scores: &mut Scores<MT>, bounds: [[i32; 2]; MT], first: i32) {
    unroll_all::<MT>(|i| {
        unroll_all::<4>(|j| {
            unroll_all::<2>(|h| {
                unroll_all::<4>(|e| {
                    if (16 * j + 8 * h + e % 2) as i32 >= bounds[i][e / 2] - first {
                        scores[i][j][h][e] = f32::NEG_INFINITY;
                    }
                });
            });
        });
    });
}

impl<const DP: usize, const MT: usize> Sums<DP, MT> {
    /// Takes a larger maximum for all rows if a score needs it.
    #[inline(always)]
    fn rescale(&mut self, warp: Warp<'_>, scores: &Scores<MT>, scale: f32) {
        let most: [[f32; 2]; MT] = from_fn(|i| {
            from_fn(|half| {
                let mut most = f32::NEG_INFINITY;
                unroll_all::<8>(|n| {
                    let of = scores[i][n / 2][n % 2];
                    most = most.max(of[2 * half]).max(of[2 * half + 1]);
                });
                most * scale
            })
        });
        let mut above = false;
        unroll_all::<MT>(|i| {
            unroll_all::<2>(|half| above |= most[i][half] > self.most[i][half] + SLACK);
        });
        if !warp.any(above) {
            return;
        }
        unroll_all::<MT>(|i| {
            unroll_all::<2>(|half| {
                // Four lanes have a row.
                let most = most[i][half];
                let most = most.max(warp.shuffle_xor(most, 1));
                let most = most.max(warp.shuffle_xor(most, 2));
                let most = most.max(self.most[i][half]);
                let factor = raw::ex2_approx_ftz_f32(self.most[i][half] - most);
                self.most[i][half] = most;
                self.totals[i][half] *= factor;
                unroll_all::<DP>(|c| {
                    unroll_all::<2>(|h| {
                        self.values[i][c][h][2 * half] *= factor;
                        self.values[i][c][h][2 * half + 1] *= factor;
                    });
                });
            });
        });
    }

    /// Adds the values of a tile, each with its probability.
    ///
    /// # Safety
    /// The values at `from` are written, and no thread writes them.
    #[inline(always)]
    unsafe fn add<T: HalfFloat>(
        &mut self,
        warp: Warp<'_>,
        scores: Scores<MT>,
        scale: f32,
        from: *const u8,
        of_rows: usize,
    ) {
        unroll_all::<4>(|j| {
            let a: [[u32; 4]; MT] = from_fn(|i| {
                let p: [[f32; 4]; 2] = from_fn(|h| {
                    from_fn(|e| {
                        raw::ex2_approx_ftz_f32(
                            scores[i][j][h][e].mul_add(scale, -self.most[i][e / 2]),
                        )
                    })
                });
                self.totals[i][0] += (p[0][0] + p[0][1]) + (p[1][0] + p[1][1]);
                self.totals[i][1] += (p[0][2] + p[0][3]) + (p[1][2] + p[1][3]);
                [
                    T::pair(p[0][0], p[0][1]),
                    T::pair(p[0][2], p[0][3]),
                    T::pair(p[1][0], p[1][1]),
                    T::pair(p[1][2], p[1][3]),
                ]
            });
            unroll_all::<DP>(|c| {
                let from = from.wrapping_add((of_rows ^ (c * 32)) + j * 16 * row_bytes(DP));
                let mut b = [0; 4];
                // SAFETY: a row of 16 bytes of the values (the caller's promise).
                unsafe { raw::ldmatrix_x4_trans(b.as_mut_ptr(), from) };
                unroll_all::<MT>(|i| {
                    let values = &mut self.values[i][c];
                    values[0] = T::multiply(warp, a[i], [b[0], b[1]], values[0]);
                    values[1] = T::multiply(warp, a[i], [b[2], b[3]], values[1]);
                });
            });
        });
    }
}

/// Divides by the sums of probabilities, and stores rows and logarithms.
///
/// # Safety
/// All rows that `work` names are in the buffers, and no other block has them. `memory` begins with the queries, of which a warp reads its own alone.
#[inline(always)]
unsafe fn store<T: HalfFloat, const DP: usize, const MT: usize>(
    place: Place<'_, '_>,
    memory: *mut u8,
    sums: Sums<DP, MT>,
    (out, log_sums): (Rows<T>, *mut f32),
    problem: &Problem,
    work: &Work,
) {
    let (lane, first, row) = (place.lane, place.number * 16 * MT, row_bytes(DP));
    // All lanes have read the queries, whose memory the results go through, so that neighbours in a row are stored together.
    place.warp.sync();
    unroll_all::<MT>(|i| {
        unroll_all::<2>(|half| {
            let total = sums.totals[i][half];
            let total = total + place.warp.shuffle_xor(total, 1);
            let total = total + place.warp.shuffle_xor(total, 2);
            let factor = if total == 0.0 { 0.0 } else { 1.0 / total };
            let line = first + 16 * i + 8 * half + lane / 4;
            let to = memory.wrapping_add(line * row + lane % 4 * 4);
            unroll_all::<DP>(|c| {
                unroll_all::<2>(|h| {
                    let of = sums.values[i][c][h];
                    let pair = T::pair(of[2 * half] * factor, of[2 * half + 1] * factor);
                    let to = to.wrapping_add(((2 * c + h) ^ (lane / 4)) * 16);
                    // SAFETY: two elements of a row of this warp, which no other lane accesses before the warp's barrier.
                    unsafe { to.cast::<u32>().write(pair) };
                });
            });
            if problem.log_sums != 0 && lane.is_multiple_of(4) && (line as u32) < work.rows_left {
                let value = log_sum(sums.most[i][half], total);
                // SAFETY: there is an element for each query of each head, and this row is that of this quad of lanes alone.
                unsafe {
                    log_sums
                        .wrapping_add(work.log_at(problem) + line)
                        .write(value)
                };
            }
        });
    });
    place.warp.sync();
    let chunks = 2 * DP;
    let mut at = lane;
    while at < 16 * MT * chunks {
        let (line, chunk) = (first + at / chunks, at % chunks);
        if (line as u32) < work.rows_left {
            let from = memory.wrapping_add(line * row + (chunk ^ (line % 8)) * 16);
            // SAFETY: a chunk that this warp has written, before its barrier.
            let chunk_of = unsafe { from.cast::<u128>().read() };
            // SAFETY: a row of the result that is this block's (the caller's promise).
            unsafe { out.store(line, chunk, chunk_of) };
        }
        at += 32;
    }
}

/// The natural logarithm of a sum of probabilities relative to `most`.
#[inline(always)]
fn log_sum(most: f32, total: f32) -> f32 {
    if total == 0.0 {
        f32::NEG_INFINITY
    } else {
        (most + raw::lg2_approx_f32(total)) * core::f32::consts::LN_2
    }
}

const _: () = assert!(
    THREADS == 128,
    "the kernel's number of threads is a literal"
);
