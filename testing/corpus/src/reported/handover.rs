//! Data handed from block to block by counters and states that do not order it.

use warploom::device_std::atomic::{Acquire, Atomic, Relaxed, Release, spin_wait, threadfence};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// NVIDIA/Fuser#2391: blocks add to the result one after the other, and none of them fences its writes before it passes the semaphore on.
#[kernel(cooperative)]
fn serialised_blocks<const BUG: bool>(
    block: Block,
    semaphore: &[Atomic<u32>],
    mut sums: DisjointSlice<u32>,
) {
    let (t, sums) = (block.thread(), sums.raw());
    // SAFETY: one block at a time, with fences and barriers around its turn. The bug is the point.
    unsafe {
        if t == 0 {
            while semaphore[0].load(Acquire) as usize != block.index() {
                spin_wait(50);
            }
        }
        block.sync();
        *sums.add(t) += t as u32 + 1; //~ WL0122|WL0113 //~? WL0112
        if !BUG {
            threadfence();
        }
        block.sync();
        if t == 0 {
            if BUG {
                semaphore[0].store(block.index() as u32 + 1, Relaxed);
            } else {
                semaphore[0].store(block.index() as u32 + 1, Release);
            }
        }
    }
}

/// pytorch/pytorch#128455: the last block of a reduction in two stages reads the others' sums without completing the acquire pattern.
#[kernel]
fn last_block_does_not_acquire<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut staging: DisjointSlice<u32>,
    semaphore: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    let is_last = shared_array!(u32, 1);
    let sum = warp.reduce_sum(x[i.get()]);
    let (b, n, staging) = (block.index(), grid_dim().x as usize, staging.raw());
    // SAFETY: each block has its own element; the last one reads all, behind fences. The bug is the point.
    unsafe {
        if block.thread() == 0 {
            *staging.add(b) = sum; //~ WL0122|WL0113 second
            threadfence();
            let before = semaphore[0].fetch_add(1, Relaxed);
            is_last.set(0, u32::from(before as usize + 1 == n));
        }
        block.sync();
        if is_last.get(0) == 1 {
            if !BUG {
                threadfence();
            }
            if block.thread() == 0 {
                *y.raw() = (0..n).map(|k| *staging.add(k)).sum(); //~ WL0122|WL0113 first
            }
        }
    }
}

/// kokkos/kokkos#2681: each block publishes its total for the next one, with no fence of the device's scope.
#[kernel(cooperative)]
fn scan_without_device_fence<const BUG: bool>(
    block: Block,
    x: &[u32],
    flags: &[Atomic<u32>],
    mut totals: DisjointSlice<u32>,
) {
    let (b, totals) = (block.index(), totals.raw());
    if block.leader().is_none() {
        return;
    }
    // SAFETY: each block writes its own total before its flag; the next reads it after. The bug is the point.
    unsafe {
        let mut before = 0;
        if b > 0 {
            while flags[b - 1].load(Relaxed) == 0 {
                spin_wait(50);
            }
            if !BUG {
                threadfence();
            }
            before = *totals.add(b - 1); //~ WL0122|WL0113 first
        }
        *totals.add(b) = before + x[b]; //~ WL0122|WL0113 second
        if !BUG {
            threadfence();
        }
        flags[b].store(1, Relaxed);
    }
}

/// ROCm/aiter#4007: every thread adds to the grid's histogram, and the arrival at the barrier of the blocks is not ordered behind that.
#[kernel(cooperative)]
fn histogram_before_the_arrival<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut counts: DisjointSlice<u32>,
    arrived: &[Atomic<u32>],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let (b, blocks, counts) = (block.index(), grid_dim().x, counts.raw());
    let above = block.sync_count(x[i.get()] >= 50);
    // SAFETY: each block writes its own count, and reads all when all have arrived. The bug is the point.
    unsafe {
        if let Some(leader) = block.leader() {
            *counts.add(b) = above; //~ WL0122|WL0113 second
            if !BUG {
                threadfence();
            }
            arrived[0].fetch_add(1, Relaxed);
            while arrived[0].load(Acquire) < blocks {
                spin_wait(50);
            }
            let all = (0..blocks as usize).map(|k| *counts.add(k)).sum(); //~ WL0122|WL0113 first
            if let Some(y) = y.get_mut(leader) {
                *y = all;
            }
        }
    }
}

/// JuliaGPU/AcceleratedKernels.jl#98: the aggregate is read by an ordinary load, behind a flag that is read atomically and relaxed.
#[kernel(cooperative)]
fn look_back_with_relaxed_flags<const BUG: bool>(
    block: Block,
    x: &[u32],
    flags: &[Atomic<u32>],
    mut aggregates: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (b, aggregates) = (block.index(), aggregates.raw());
    // SAFETY: written before the flag is released, read after it was acquired. The bug is the point.
    unsafe {
        *aggregates.add(b) = x[b]; //~ WL0122|WL0113 second
        if BUG {
            flags[b].store(1, Relaxed);
        } else {
            flags[b].store(1, Release);
        }
        let mut sum = x[b];
        for k in (0..b).rev() {
            if BUG {
                while flags[k].load(Relaxed) == 0 {
                    spin_wait(50);
                }
            } else {
                while flags[k].load(Acquire) == 0 {
                    spin_wait(50);
                }
            }
            sum += *aggregates.add(k); //~ WL0122|WL0113 first
        }
        if let Some(y) = y.get_mut(leader) {
            *y = sum;
        }
    }
}

/// matteospanio/torchfx#96: the status of a tile is an ordinary word, set behind the aggregate without a fence.
#[kernel]
fn status_is_an_ordinary_word<const BUG: bool>(
    block: Block,
    x: &[u32],
    status: &[Atomic<u32>],
    mut aggregates: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (b, aggregates) = (block.index(), aggregates.raw());
    // SAFETY: each block writes its own aggregate and status; others read the status first. The bug is the point.
    unsafe {
        *aggregates.add(b) = x[b];
        if BUG {
            *status[b].as_ptr() = 1; //~ WL0113 second
        } else {
            status[b].store(1, Release);
        }
        let mut sum = x[b];
        if b > 0 {
            let is_there = if BUG {
                *status[b - 1].as_ptr() //~ WL0113 first
            } else {
                status[b - 1].load(Acquire)
            };
            if is_there == 1 {
                sum += *aggregates.add(b - 1); //~? WL0113 //~? WL0122
            } else {
                sum += x[b - 1];
            }
        }
        if let Some(y) = y.get_mut(leader) {
            *y = sum;
        }
    }
}

cases!("handover.rs":
    case!(serialised_blocks, "NVIDIA/Fuser#2391", |run| {
        let (mut semaphore, mut sums) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        launch!(run, serialised_blocks, (3, 64), semaphore.as_atomics(), &mut sums);
        run.expect(&sums, |t| 3 * (t as u32 + 1))
    }),
    case!(last_block_does_not_acquire, "pytorch/pytorch#128455", |run| {
        let x = noise(128);
        let (input, mut staging) = (run.upload(&x)?, run.zeroed::<u32>(4)?);
        let (mut semaphore, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        launch!(run, last_block_does_not_acquire, (4, 32), &input, &mut staging, semaphore.as_atomics(), &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    case!(scan_without_device_fence, "kokkos/kokkos#2681", |run| {
        let x = noise(4);
        let (input, mut flags, mut totals) = (run.upload(&x)?, run.zeroed::<u32>(4)?, run.zeroed::<u32>(4)?);
        launch!(run, scan_without_device_fence, (4, 32), &input, flags.as_atomics(), &mut totals);
        run.expect(&totals, |b| x[..=b].iter().sum())
    }),
    case!(histogram_before_the_arrival, "ROCm/aiter#4007", |run| {
        let x = noise(96);
        let (input, mut counts) = (run.upload(&x)?, run.zeroed::<u32>(3)?);
        let (mut arrived, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(3)?);
        launch!(run, histogram_before_the_arrival, (3, 32), &input, &mut counts, arrived.as_atomics(), &mut y);
        run.expect(&y, |_| x.iter().filter(|&&v| v >= 50).count() as u32)
    }),
    case!(look_back_with_relaxed_flags, "JuliaGPU/AcceleratedKernels.jl#98", |run| {
        let x = noise(4);
        let (input, mut flags) = (run.upload(&x)?, run.zeroed::<u32>(4)?);
        let (mut aggregates, mut y) = (run.zeroed::<u32>(4)?, run.zeroed::<u32>(4)?);
        launch!(run, look_back_with_relaxed_flags, (4, 32), &input, flags.as_atomics(), &mut aggregates, &mut y);
        run.expect(&y, |b| x[..=b].iter().sum())
    }),
    case!(status_is_an_ordinary_word, "matteospanio/torchfx#96", |run| {
        let x = noise(4);
        let (input, mut status) = (run.upload(&x)?, run.zeroed::<u32>(4)?);
        let (mut aggregates, mut y) = (run.zeroed::<u32>(4)?, run.zeroed::<u32>(4)?);
        launch!(run, status_is_an_ordinary_word, (4, 32), &input, status.as_atomics(), &mut aggregates, &mut y);
        run.expect(&y, |b| x[b] + if b > 0 { x[b - 1] } else { 0 })
    }),
);
