//! Sums and maxima of a block or a grid, through shared memory.

use warploom::device_std::atomic::threadfence_block;
use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// arrayfire/arrayfire#633: a step of the tree reads what other warps wrote in the step before, without a barrier between the steps.
#[kernel]
fn tree_step_unsynchronised<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let tile = shared_array!(u32, 128);
    let t = block.thread();
    // SAFETY: barriers between the steps. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        if t < 64 {
            tile.set(t, tile.get(t) + tile.get(t + 64)); //~ WL0101 second
        }
        if !BUG {
            block.sync();
        }
        if t < 32 {
            tile.set(t, tile.get(t) + tile.get(t + 32)); //~ WL0101 first
        }
        block.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = (0..32).map(|k| tile.get(k)).sum();
        }
    }
}

/// NVIDIA/cuml#6578: thread 0 adds up the row while other threads already write products of the next one.
#[kernel]
fn next_row_over_the_products<const BUG: bool>(
    block: Block,
    rows: u32,
    a: &[u32],
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let products = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers around the sum of each row; thread 0 writes all results. The bug is the point.
    unsafe {
        for row in 0..rows as usize {
            products.set(t, a[64 * row + t] * x[t]); //~ WL0101 first //~? WL0103
            block.sync();
            if t == 0 {
                let mut sum = 0;
                for k in 0..64 {
                    sum += products.get(k); //~ WL0101 second //~? WL0103
                }
                *y.raw().add(row) = sum;
            }
            if !BUG {
                block.sync();
            }
        }
    }
}

/// NVIDIA/Fuser#489: two sums one after the other in the same scratch memory; the second overwrites what some still read of the first.
#[kernel]
fn second_sum_in_the_same_scratch<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let scratch = shared_array!(u32, 2);
    let mut totals = [0; 2];
    let value = x[i.get()];
    // SAFETY: barriers between writing, reading and writing again. The bug is the point.
    unsafe {
        for (round, total) in totals.iter_mut().enumerate() {
            let sum = warp.reduce_sum(value + round as u32);
            if warp.lane() == 0 {
                scratch.set(warp.index() as usize, sum); //~ WL0101 first //~? WL0103
            }
            block.sync();
            *total = scratch.get(0) + scratch.get(1); //~ WL0101 second //~? WL0103
            if !BUG {
                block.sync();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = totals[1] - totals[0];
    }
}

/// kokkos/kokkos#8648: a fence where a barrier should be: it orders a thread's own accesses and waits for no other thread.
#[kernel]
fn fence_for_a_barrier<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let last = shared_array!(u32, 1);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        if t == 0 {
            last.set(0, 0);
        }
        block.sync();
        if t == 63 {
            last.set(0, x[i.get()]); //~ WL0101 second
        }
        if BUG {
            threadfence_block();
        } else {
            block.sync();
        }
        let value = last.get(0); //~ WL0101 first //~? WL0103
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// kokkos/kokkos#4855: lane 0 assigns its own value to itself, while the others of the warp read it.
#[kernel]
fn lane_0_assigns_to_itself<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let values = shared_array!(u32, 32);
    let lane = warp.lane() as usize;
    // SAFETY: barriers of the warp around; each lane writes its own element. The bug is the point.
    unsafe {
        values.set(lane, x[i.get()]);
        warp.sync();
        let first = values.get(0); //~ WL0103 first //~? WL0101
        if BUG || lane != 0 {
            values.set(lane, first); //~ WL0103 second
        }
        warp.sync();
        if let Some(y) = y.get_mut(i) {
            *y = values.get(31 - lane);
        }
    }
}

/// NVIDIA/Fuser#678: threads that have nothing to add reset the accumulator before the others have stored it.
#[kernel]
fn idle_threads_reset_the_sum<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let sum = shared_array!(u32, 1);
    let t = block.thread();
    // SAFETY: barriers between the resets and the uses. The bug is the point.
    unsafe {
        if t == 63 {
            sum.set(0, 0);
        }
        block.sync();
        for round in 0..2 {
            if t == 0 {
                sum.set(0, x[2 * block.index() + round]);
            }
            block.sync();
            if t < 4 {
                *y.raw().add(8 * block.index() + 4 * round + t) = sum.get(0); //~ WL0101 second
            }
            if !BUG {
                block.sync();
            }
            if t == 63 {
                sum.set(0, 0); //~ WL0101 first
            }
            block.sync();
        }
        let _ = i;
    }
}

/// NVIDIA/cuda-samples#21: the kernel adds a second element half a block further on, although the input has one alone.
#[kernel]
unsafe fn second_element_of_one<const BUG: bool>(
    block: Block,
    n: u32,
    x: *const u32,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let (t, n) = (block.thread(), n as usize);
    let mut sum = 0;
    // SAFETY: elements below `n`. The bug is the point.
    unsafe {
        if t < n {
            sum = *x.add(t);
            if BUG || t + block.threads() < n {
                sum += *x.add(t + block.threads()); //~ WL0001
            }
        }
    }
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = sum;
    }
}

/// kaldi-asr/kaldi#3036: a reduction in one buffer in global memory, written for one block, launched with three.
#[kernel]
fn three_blocks_in_one_buffer<const BUG: bool>(block: Block, mut data: DisjointSlice<u32>) {
    if !BUG && block.index() > 0 {
        return;
    }
    let (t, data) = (block.thread(), data.raw());
    let mut half = 16;
    // SAFETY: one block alone, with barriers between the steps. The bug is the point.
    unsafe {
        while half > 0 {
            if t < half {
                *data.add(t) += *data.add(t + half); //~ WL0113|WL0112
            }
            block.sync();
            half /= 2;
        }
    }
}

/// What the tree leaves in element `i` of `0, 1 .. 31`.
fn partial(i: usize) -> u32 {
    let mut data = count::<u32>(32);
    for half in [16, 8, 4, 2, 1] {
        for t in 0..half {
            data[t] += data[t + half];
        }
    }
    data[i]
}

cases!("reductions.rs":
    case!(tree_step_unsynchronised, "arrayfire/arrayfire#633", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, tree_step_unsynchronised, (2, 128), &input, &mut y);
        run.expect(&y, |b| x[128 * b..][..128].iter().sum())
    }),
    case!(next_row_over_the_products, "NVIDIA/cuml#6578", |run| {
        let (a, x) = (noise(256), count::<u32>(64));
        let (left, right, mut y) = (run.upload(&a)?, run.upload(&x)?, run.zeroed::<u32>(4)?);
        launch!(run, next_row_over_the_products, (1, 64), 4, &left, &right, &mut y);
        run.expect(&y, |row| (0..64).map(|k| a[64 * row + k] * x[k]).sum())
    }),
    case!(second_sum_in_the_same_scratch, "NVIDIA/Fuser#489", |run| {
        let (x, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        launch!(run, second_sum_in_the_same_scratch, (1, 64), &x, &mut y);
        run.expect(&y, |_| 64)
    }),
    case!(fence_for_a_barrier, "kokkos/kokkos#8648", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, fence_for_a_barrier, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + 63])
    }),
    case!(lane_0_assigns_to_itself, "kokkos/kokkos#4855", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, lane_0_assigns_to_itself, (1, 32), &input, &mut y);
        run.expect(&y, |_| x[0])
    }),
    case!(idle_threads_reset_the_sum, "NVIDIA/Fuser#678", |run| {
        let x = noise(4);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(16)?);
        launch!(run, idle_threads_reset_the_sum, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 4])
    }),
    case!(second_element_of_one, "NVIDIA/cuda-samples#21", |run| {
        let (x, mut y) = (run.upload(&[7_u32])?, run.zeroed::<u32>(1)?);
        let from = std::ptr::with_exposed_provenance(x.raw_ptr() as usize);
        // SAFETY: one element, in a buffer that stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, second_element_of_one, (1, 1), 1, from, &mut y) };
        run.expect(&y, |_| 7)
    }),
    case!(three_blocks_in_one_buffer, "kaldi-asr/kaldi#3036", |run| {
        let mut data = run.upload(&count::<u32>(32))?;
        launch!(run, three_blocks_in_one_buffer, (3, 32), &mut data);
        run.expect(&data, partial)
    }),
);
