//! Data handed over by flags, counters and fences, without a barrier.

use core::sync::atomic::{self as core_atomic, AtomicU32};

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, fence, scope, spin_wait, threadfence,
};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// A relaxed flag between two fences.
#[kernel(cooperative)]
fn fences_around_a_relaxed_flag(
    block: Block,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    // SAFETY: written before the fence and the flag, read after both.
    unsafe {
        if block.index() == 0 {
            *data = 42;
            fence(Release, scope::Device);
            flag[0].store(1, Relaxed);
        } else {
            while flag[0].load(Relaxed) == 0 {
                spin_wait(50);
            }
            fence(Acquire, scope::Device);
            if let Some(y) = y.get_mut(leader) {
                *y = *data;
            }
        }
    }
}

/// Many threads write, a barrier, and one of them releases for all; another block's thread acquires, a barrier, and all read.
#[kernel(cooperative)]
fn released_for_the_block(
    block: Block,
    i: Index1D,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (t, data) = (block.thread(), data.raw());
    // SAFETY: the barriers make the block's writes those of its leader, and what the leader acquired the block's.
    unsafe {
        if block.index() == 0 {
            *data.add(t) = 3 * t as u32;
            block.sync();
            if t == 0 {
                flag[0].store(1, Release);
            }
        } else {
            if t == 0 {
                while flag[0].load(Acquire) == 0 {
                    spin_wait(50);
                }
            }
            block.sync();
            if let Some(y) = y.get_mut(i) {
                *y = *data.add(63 - t);
            }
        }
    }
}

/// The same, where the thread that releases is not one of those that wrote, and the one that acquires not one of those that read.
#[kernel(cooperative)]
fn released_by_a_bystander(
    block: Block,
    i: Index1D,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (t, data) = (block.thread(), data.raw());
    // SAFETY: as above.
    unsafe {
        if block.index() == 0 {
            if t < 32 {
                *data.add(t) = 7 + t as u32;
            }
            block.sync();
            if t == 63 {
                threadfence();
                flag[0].store(1, Relaxed);
            }
        } else {
            if t == 40 {
                while flag[0].load(Relaxed) == 0 {
                    spin_wait(50);
                }
                threadfence();
            }
            block.sync();
            if t < 32
                && let Some(y) = y.get_mut(i)
            {
                *y = *data.add(t);
            }
        }
    }
}

/// A chain: block 1 hands on what it got from block 0 without having read it.
#[kernel(cooperative)]
fn handed_on_unread(
    block: Block,
    flags: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (b, data) = (block.index(), data.raw());
    // SAFETY: each link of the chain acquires and releases.
    unsafe {
        if b == 0 {
            *data = 5;
        } else {
            while flags[b - 1].load(Acquire) == 0 {
                spin_wait(50);
            }
        }
        if b < 3 {
            flags[b].store(1, Release);
        } else if let Some(y) = y.get_mut(leader) {
            *y = *data;
        }
    }
}

/// A release sequence: relaxed additions of other blocks behind the release keep its message.
#[kernel(cooperative)]
fn additions_behind_a_release(
    block: Block,
    counter: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (b, data) = (block.index(), data.raw());
    // SAFETY: written before the release; read after all additions were seen, of which each kept it.
    unsafe {
        if b == 0 {
            *data = 11;
            counter[0].fetch_add(1, Release);
        } else if b < 3 {
            while counter[0].load(Relaxed) == 0 {
                spin_wait(50);
            }
            counter[0].fetch_add(1, Relaxed);
        } else {
            while counter[0].load(Acquire) < 3 {
                spin_wait(50);
            }
            if let Some(y) = y.get_mut(leader) {
                *y = *data;
            }
        }
    }
}

/// The last block to finish adds up what all left: fences on both sides of a relaxed counter.
#[kernel]
fn last_block_adds_up(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut parts: DisjointSlice<u32>,
    counter: &[Atomic<u32>],
    mut total: DisjointSlice<u32>,
) {
    let is_last = shared_array!(u32, 1);
    let sum = warp.reduce_sum(x[i.get()]);
    let (t, b, n, parts) = (block.thread(), block.index(), grid_dim().x, parts.raw());
    // SAFETY: each block has its own part; the last one reads all, behind fences.
    unsafe {
        if t == 0 {
            *parts.add(b) = sum;
            threadfence();
            let before = counter[0].fetch_add(1, Relaxed);
            threadfence();
            is_last.set(0, u32::from(before + 1 == n));
        }
        block.sync();
        if is_last.get(0) == 1 {
            let part = if t < n as usize { *parts.add(t) } else { 0 };
            let all = warp.reduce_sum(part);
            if t == 0 {
                *total.raw() = all;
            }
        }
    }
}

/// The same with an acquiring and releasing counter alone.
#[kernel]
fn last_block_by_acq_rel(
    block: Block,
    x: &[u32],
    mut parts: DisjointSlice<u32>,
    counter: &[Atomic<u32>],
    mut total: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let (b, n, parts) = (block.index(), grid_dim().x, parts.raw());
    // SAFETY: each block has its own part; the last one reads all, as its addition acquired the others' releases.
    unsafe {
        *parts.add(b) = 2 * x[b];
        if counter[0].fetch_add(1, AcqRel) + 1 == n {
            *total.raw() = (0..n as usize).map(|k| *parts.add(k)).sum();
        }
    }
}

/// As a reduction of PyTorch does it: all threads fence what they wrote, one counts behind a barrier, and behind another one all fence and read what the other blocks' threads wrote.
#[kernel]
fn last_block_fences_behind_the_barrier(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut parts: DisjointSlice<u32>,
    counter: &[Atomic<u32>],
    mut total: DisjointSlice<u32>,
) {
    let is_last = shared_array!(u32, 1);
    let (t, parts) = (block.thread(), parts.raw());
    // SAFETY: each thread has its own part. The fences of all threads that write come before those of all that read in every order of sequentially consistent fences, because one thread of each block
    // counts between the two.
    unsafe {
        *parts.add(i.get()) = x[i.get()];
        threadfence();
        block.sync();
        if t == 0 {
            let before = counter[0].fetch_add(1, Relaxed);
            is_last.set(0, u32::from(before + 1 == grid_dim().x));
        }
        block.sync();
        if is_last.get(0) == 1 {
            threadfence();
            let own = (0..grid_dim().x as usize).map(|b| *parts.add(b * block.threads() + 63 - t));
            *total.raw().add(t) = own.sum();
        }
    }
}

/// The same with atomics and fences of Rust's own.
#[kernel]
fn last_block_fences_by_the_standard_library(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut parts: DisjointSlice<u32>,
    counter: &[AtomicU32],
    mut total: DisjointSlice<u32>,
) {
    let is_last = shared_array!(u32, 1);
    let (t, parts) = (block.thread(), parts.raw());
    // SAFETY: as above.
    unsafe {
        *parts.add(i.get()) = x[i.get()];
        core_atomic::fence(core_atomic::Ordering::SeqCst);
        block.sync();
        if t == 0 {
            let before = counter[0].fetch_add(1, core_atomic::Ordering::Relaxed);
            is_last.set(0, u32::from(before + 1 == grid_dim().x));
        }
        block.sync();
        if is_last.get(0) == 1 {
            core_atomic::fence(core_atomic::Ordering::SeqCst);
            let own = (0..grid_dim().x as usize).map(|b| *parts.add(b * block.threads() + 63 - t));
            *total.raw().add(t) = own.sum();
        }
    }
}

cases!("flags.rs":
    correct!(last_block_fences_by_the_standard_library, |run| {
        let x = noise(256);
        let (input, mut parts) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        let (mut counter, mut total) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        start!(run, last_block_fences_by_the_standard_library, (4, 64), &input, &mut parts, counter.as_atomic(), &mut total);
        run.expect(&total, |t| (0..4).map(|b| x[64 * b + 63 - t]).sum())
    }),
    correct!(last_block_fences_behind_the_barrier, |run| {
        let x = noise(256);
        let (input, mut parts) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        let (mut counter, mut total) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        start!(run, last_block_fences_behind_the_barrier, (4, 64), &input, &mut parts, counter.as_atomics(), &mut total);
        run.expect(&total, |t| (0..4).map(|b| x[64 * b + 63 - t]).sum())
    }),
    correct!(fences_around_a_relaxed_flag, |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(2)?);
        start!(run, fences_around_a_relaxed_flag, (2, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 42 })
    }),
    correct!(released_for_the_block, |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?, run.zeroed::<u32>(128)?);
        start!(run, released_for_the_block, (2, 64), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |i| if i < 64 { 0 } else { 3 * (127 - i as u32) })
    }),
    correct!(released_by_a_bystander, |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(32)?, run.zeroed::<u32>(128)?);
        start!(run, released_by_a_bystander, (2, 64), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |i| if (64..96).contains(&i) { i as u32 - 57 } else { 0 })
    }),
    correct!(handed_on_unread, |run| {
        let (mut flags, mut data, mut y) = (run.zeroed::<u32>(4)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(4)?);
        start!(run, handed_on_unread, (4, 32), flags.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 3 { 5 } else { 0 })
    }),
    correct!(additions_behind_a_release, |run| {
        let (mut counter, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(4)?);
        start!(run, additions_behind_a_release, (4, 32), counter.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 3 { 11 } else { 0 })
    }),
    correct!(last_block_adds_up, |run| {
        let x = noise(160);
        let (input, mut parts) = (run.upload(&x)?, run.zeroed::<u32>(5)?);
        let (mut counter, mut total) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, last_block_adds_up, (5, 32), &input, &mut parts, counter.as_atomics(), &mut total);
        run.expect(&total, |_| x.iter().sum())
    }),
    correct!(last_block_by_acq_rel, |run| {
        let x = noise(6);
        let (input, mut parts) = (run.upload(&x)?, run.zeroed::<u32>(6)?);
        let (mut counter, mut total) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, last_block_by_acq_rel, (6, 32), &input, &mut parts, counter.as_atomics(), &mut total);
        run.expect(&total, |_| 2 * x.iter().sum::<u32>())
    }),
);
