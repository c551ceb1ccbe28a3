//! Atomics beside plain accesses, and parts of a warp or of a grid that wait for one another.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, spin_wait, threadfence,
};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// NVIDIA/cccl#10627: one thread says that its block has merged its counts while others of the block still add.
#[kernel]
fn merged_before_all_have_added<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    counts: &[Atomic<u32>],
    done: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    let is_last = shared_array!(u32, 1);
    let (t, y) = (block.thread(), y.raw());
    counts[x[i.get()] as usize % 8].fetch_add(1, Relaxed); //~ WL0120|WL0122 second
    // SAFETY: the last block reads behind all additions. The bug is the point.
    unsafe {
        if !BUG {
            block.sync();
        }
        if t == 0 {
            is_last.set(
                0,
                u32::from(done[0].fetch_add(1, AcqRel) + 1 == grid_dim().x),
            );
        }
        block.sync();
        if is_last.get(0) == 1 && t < 8 {
            *y.add(t) = *counts.as_ptr().cast::<u32>().add(t); //~ WL0120|WL0122 first
        }
    }
}

/// pytorch/torchdynamo#632: a scatter that zeroes the output in the same launch in which others add to it.
#[kernel]
fn zeroed_while_others_add<const BUG: bool>(
    block: Block,
    i: Index1D,
    index: &[u32],
    sums: &[Atomic<u32>],
) {
    if BUG && i.get() < sums.len() {
        // SAFETY: the bug is the point.
        unsafe { *sums[i.get()].as_ptr() = 0 }; //~ WL0120 second
        block.sync();
    } else if BUG {
        block.sync(); //~? WL0204
    }
    sums[index[i.get()] as usize].fetch_add(1, Relaxed); //~ WL0120 first
}

/// NVIDIA/flashdreams#65: the lanes of one path deposit the least depth and read it back while those of another still change it.
#[kernel]
fn depth_read_while_others_change_it<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let depth = shared_array!(u32, 1);
    let lane = warp.lane();
    // SAFETY: set before a barrier of the warp, changed by atomics, read behind another. The bug is the point.
    unsafe {
        if lane == 0 {
            depth.set(0, u32::MAX);
        }
        warp.sync();
        let own = x[i.get()];
        let value = if lane < 16 { own } else { own + 100 };
        depth.atomic(0).fetch_min(value, Ordering::Relaxed); //~ WL0120 second
        if !BUG {
            warp.sync();
        }
        let mut nearest = own;
        if lane < 16 {
            if BUG {
                warp.sync_mask(warp.active_mask());
            }
            nearest = depth.get(0); //~ WL0120 first
        }
        if let Some(y) = y.get_mut(i) {
            *y = nearest;
        }
    }
}

/// flashinfer-ai/flashinfer#4742: the counter of the path within the loop has no fence in front, the one behind the loop has.
#[kernel(cooperative)]
fn fence_behind_the_loop_only<const BUG: bool>(
    block: Block,
    counters: &[Atomic<u32>],
    mut parts: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let (b, parts) = (block.index(), parts.raw());
    // SAFETY: parts are written before their counter, read behind it. The bug is the point.
    unsafe {
        if b == 0 {
            for (tile, counter) in counters.iter().enumerate() {
                *parts.add(tile) = 10 + tile as u32; //~ WL0122 second
                if tile == 2 || !BUG {
                    threadfence();
                }
                counter.fetch_add(1, Relaxed);
            }
        } else {
            let mut sum = 0;
            for (tile, counter) in counters.iter().enumerate() {
                while counter.load(Acquire) == 0 {
                    spin_wait(50);
                }
                sum += *parts.add(tile); //~ WL0122 first
            }
            *y.raw() = sum;
        }
    }
}

/// NVIDIA-Merlin/HierarchicalKV#229: two parts of a warp want one lock, and the part that has it waits for the whole warp.
#[kernel]
fn parts_that_want_one_lock<const BUG: bool>(
    warp: Warp,
    lock: &[Atomic<u32>],
    mut sum: DisjointSlice<u32>,
) {
    let lane = warp.lane();
    let part = 0xffff_u32 << (lane / 16 * 16);
    if lane.is_multiple_of(16) {
        while lock[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            spin_wait(50); //~ WL0221
        }
    }
    // SAFETY: a part of the warp holds the lock. The bug is the point.
    unsafe {
        if BUG {
            warp.sync(); //~? WL0221
        } else {
            warp.sync_mask(part);
        }
        if lane.is_multiple_of(16) {
            *sum.raw() += 1;
            lock[0].store(0, Release);
        }
    }
}

/// A block waits for one that draws a later number, in a launch that does not start them together.
#[kernel]
fn waits_for_a_later_block<const BUG: bool>(
    block: Block,
    drawn: &[Atomic<u32>],
    flags: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let n = grid_dim().x;
    let own = drawn[0].fetch_add(1, AcqRel);
    flags[own as usize].store(own + 1, Release);
    let other = if BUG {
        (own + 1).min(n - 1)
    } else {
        own.saturating_sub(1)
    };
    let seen = loop {
        let seen = flags[other as usize].load(Acquire);
        if seen > 0 {
            break seen;
        }
        spin_wait(50); //~ WL0221
    };
    // SAFETY: the number is this block's.
    unsafe { *y.raw().add(own as usize) = seen };
}

cases!("turns.rs":
    case!(merged_before_all_have_added, "NVIDIA/cccl#10627", |run| {
        let x = noise(256);
        let (input, mut counts, mut done, mut y) = (run.upload(&x)?, run.zeroed::<u32>(8)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(8)?);
        launch!(run, merged_before_all_have_added, (4, 64), &input, counts.as_atomics(), done.as_atomics(), &mut y);
        run.expect(&y, |k| x.iter().filter(|v| **v as usize % 8 == k).count() as u32)
    }),
    case!(zeroed_while_others_add, "pytorch/torchdynamo#632", |run| {
        let index: Vec<u32> = (0..128).map(|i| (i + 40) % 64).collect();
        let (index, mut sums) = (run.upload(&index)?, run.zeroed::<u32>(64)?);
        launch!(run, zeroed_while_others_add, (2, 64), &index, sums.as_atomics());
        run.expect(&sums, |_| 2)
    }),
    case!(depth_read_while_others_change_it, "NVIDIA/flashdreams#65", |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, depth_read_while_others_change_it, (1, 32), &input, &mut y);
        let least = x[..16].iter().min().copied().unwrap_or(0);
        run.expect(&y, |i| if i < 16 { least } else { x[i] })
    }),
    case!(fence_behind_the_loop_only, "flashinfer-ai/flashinfer#4742", |run| {
        let (mut counters, mut parts, mut y) = (run.zeroed::<u32>(3)?, run.zeroed::<u32>(3)?, run.zeroed::<u32>(1)?);
        launch!(run, fence_behind_the_loop_only, (2, 32), counters.as_atomics(), &mut parts, &mut y);
        run.expect(&y, |_| 33)
    }),
    case!(parts_that_want_one_lock, "NVIDIA-Merlin/HierarchicalKV#229", |run| {
        let (mut lock, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        launch!(run, parts_that_want_one_lock, (1, 32), lock.as_atomics(), &mut sum);
        run.expect(&sum, |_| 2)
    }).hangs(),
    case!(waits_for_a_later_block, "", |run| {
        let (mut drawn, mut flags, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(4)?, run.zeroed::<u32>(4)?);
        launch!(run, waits_for_a_later_block, (4, 32), drawn.as_atomics(), flags.as_atomics(), &mut y);
        run.expect(&y, |i| i.max(1) as u32)
    }),
);
