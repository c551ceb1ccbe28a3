//! The book's kernels, from one atomic per thread to one per block. `trapezoid`, `trapezoid_warps` and `trapezoid_blocks` explain them.

use warploom::device_std::SharedArray;
use warploom::prelude::*;

/// The function under which the area is; for host and device.
pub(crate) fn f(x: f32) -> f32 {
    x * x + 1.0
}

/// What thread `i` contributes.
fn part(i: Index1D, a: f32, h: f32, n: u32) -> f32 {
    let i = i.get() as u32;
    if 0 < i && i < n {
        f(a + i as f32 * h)
    } else {
        0.0
    }
}

/// The sum of the warp in lane 0.
fn shuffled_sum(warp: Warp, own: f32) -> f32 {
    let mut sum = own;
    for distance in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_down(sum, distance);
    }
    sum
}

/// The sum of `values[start..start + 32]` in every lane.
///
/// # Safety
/// This warp alone uses these elements meanwhile, and all its lanes call this.
unsafe fn shared_sum<const N: usize>(warp: Warp, values: SharedArray<f32, N>, start: usize) -> f32 {
    let lane = warp.lane() as usize;
    for distance in [16, 8, 4, 2, 1] {
        warp.sync();
        // SAFETY: the barriers of the warp separate reads and writes of its lanes.
        let other = unsafe { values.get(start + (lane + distance) % 32) };
        warp.sync();
        // SAFETY: the lane's own element.
        let own = unsafe { values.get(start + lane) };
        // SAFETY: as above.
        unsafe { values.set(start + lane, own + other) };
    }
    // SAFETY: the lane's own element.
    unsafe { values.get(start + lane) }
}

/// Program 6.12: one atomic per thread.
#[kernel]
pub(crate) fn one_atomic_each(i: Index1D, a: f32, h: f32, n: u32, area: &[AtomicF32]) {
    let rank = i.get() as u32;
    if 0 < rank && rank < n {
        area[0].fetch_add(f(a + rank as f32 * h));
    }
}

/// Program 6.13: one per warp, by shuffles.
#[kernel(block(32))]
pub(crate) fn warps_by_shuffles(
    i: Index1D,
    warp: Warp,
    a: f32,
    h: f32,
    n: u32,
    area: &[AtomicF32],
) {
    let sum = shuffled_sum(warp, part(i, a, h, n));
    if warp.lane() == 0 {
        area[0].fetch_add(sum);
    }
}

/// Program 6.14: one per warp, through shared memory.
#[kernel(block(32))]
pub(crate) fn warps_by_memory(i: Index1D, warp: Warp, a: f32, h: f32, n: u32, area: &[AtomicF32]) {
    let values = shared_array!(f32, 32);
    // SAFETY: the lane's own element.
    unsafe { values.set(warp.lane() as usize, part(i, a, h, n)) };
    // SAFETY: the block's only warp; all of its lanes call this.
    let sum = unsafe { shared_sum(warp, values, 0) };
    if warp.lane() == 0 {
        area[0].fetch_add(sum);
    }
}

/// Section 6.13.2: one per block, by shuffles.
#[kernel]
pub(crate) fn blocks_by_shuffles(
    i: Index1D,
    block: Block,
    warp: Warp,
    a: f32,
    h: f32,
    n: u32,
    area: &[AtomicF32],
) {
    let sums = shared_array!(f32, 32);
    let lane = warp.lane() as usize;
    let sum = shuffled_sum(warp, part(i, a, h, n));
    if lane == 0 {
        // SAFETY: one lane of each warp, each a slot of its own.
        unsafe { sums.set(warp.index() as usize, sum) };
    }
    block.sync();
    if warp.index() == 0 {
        let mut sum = 0.0;
        if lane < block.threads() / 32 {
            // SAFETY: the barrier lies between the writes and this.
            sum = unsafe { sums.get(lane) };
        }
        let total = shuffled_sum(warp, sum);
        if lane == 0 {
            area[0].fetch_add(total);
        }
    }
}

/// Program 6.15: one per block, through shared memory.
#[kernel]
pub(crate) fn blocks_by_memory(
    i: Index1D,
    block: Block,
    warp: Warp,
    a: f32,
    h: f32,
    n: u32,
    area: &[AtomicF32],
) {
    let parts = shared_array!(f32, 1024);
    let sums = shared_array!(f32, 32);
    let (lane, start) = (warp.lane() as usize, 32 * warp.index() as usize);
    // SAFETY: the lane's own element of its warp's part.
    unsafe { parts.set(start + lane, part(i, a, h, n)) };
    // SAFETY: each warp has its own part of the array; all of its lanes call this.
    let sum = unsafe { shared_sum(warp, parts, start) };
    if lane == 0 {
        // SAFETY: each warp has its own slot until the barrier.
        unsafe { sums.set(warp.index() as usize, sum) };
    }
    block.sync();
    if warp.index() == 0 {
        if lane >= block.threads() / 32 {
            // SAFETY: after the barrier only the first warp uses the slots.
            unsafe { sums.set(lane, 0.0) };
        }
        // SAFETY: as above; all lanes of the warp call this.
        let total = unsafe { shared_sum(warp, sums, 0) };
        if lane == 0 {
            area[0].fetch_add(total);
        }
    }
}

/// Not in the book: all of it in one call of ours, without `unsafe`.
#[kernel]
pub(crate) fn in_one_call(i: Index1D, block: Block, a: f32, h: f32, n: u32, area: &[AtomicF32]) {
    let total = block.reduce_sum(part(i, a, h, n));
    if block.thread() == 0 {
        area[0].fetch_add(total);
    }
}
