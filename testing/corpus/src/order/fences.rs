//! Data handed over by a flag or a counter that does not order it.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, fence, scope, spin_wait, threadfence,
    threadfence_block,
};
use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// Block 0 tells block 1 that its data are there, by a relaxed store.
#[kernel(cooperative)]
fn flag_without_release<const BUG: bool>(
    block: Block,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    // SAFETY: written before the flag is released, read after it was acquired. The bug is the point.
    unsafe {
        if block.index() == 0 {
            *data = 42; //~ WL0122|WL0113 second
            if BUG {
                flag[0].store(1, Relaxed);
            } else {
                flag[0].store(1, Release);
            }
        } else {
            while flag[0].load(Acquire) == 0 {
                spin_wait(50);
            }
            let value = *data; //~ WL0122|WL0113 first
            if let Some(y) = y.get_mut(leader) {
                *y = value;
            }
        }
    }
}

/// The reader polls by relaxed loads.
#[kernel(cooperative)]
fn flag_without_acquire<const BUG: bool>(
    block: Block,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<u64>,
    mut y: DisjointSlice<u64, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    // SAFETY: written before the flag is released, read after it was acquired. The bug is the point.
    unsafe {
        if block.index() == 0 {
            *data = 42; //~ WL0122|WL0113 second
            flag[0].store(1, Release);
        } else {
            while flag[0].load(Relaxed) == 0 {
                spin_wait(50);
            }
            if !BUG {
                fence(Acquire, scope::Device);
            }
            let value = *data; //~ WL0122|WL0113 first
            if let Some(y) = y.get_mut(leader) {
                *y = value;
            }
        }
    }
}

/// Two lines swapped: the flag is set before the data are written.
#[kernel(cooperative)]
fn flag_before_the_data<const BUG: bool>(
    block: Block,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    // SAFETY: written before the flag is released, read after it was acquired. The bug is the point.
    unsafe {
        if block.index() == 0 {
            if BUG {
                flag[0].store(1, Release);
            }
            *data = 42; //~ WL0113|WL0122 second
            if !BUG {
                flag[0].store(1, Release);
            }
        } else {
            while flag[0].load(Acquire) == 0 {
                spin_wait(50);
            }
            let value = *data; //~ WL0113|WL0122 first
            if let Some(y) = y.get_mut(leader) {
                *y = value;
            }
        }
    }
}

/// A fence for the block, where another block reads.
#[kernel(cooperative)]
fn fence_of_the_block<const BUG: bool>(
    block: Block,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<f32>,
    mut y: DisjointSlice<f32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    // SAFETY: written before the fence and the flag, read after both. The bug is the point.
    unsafe {
        if block.index() == 0 {
            *data = 4.5; //~ WL0121|WL0122|WL0113 second
            if BUG {
                threadfence_block();
            } else {
                threadfence();
            }
            flag[0].store(1, Relaxed);
        } else {
            while flag[0].load(Relaxed) == 0 {
                spin_wait(50);
            }
            threadfence();
            let value = *data; //~ WL0121|WL0122|WL0113 first
            if let Some(y) = y.get_mut(leader) {
                *y = value;
            }
        }
    }
}

/// The last block to finish adds up what all blocks left, without the fence before the counter.
#[kernel]
fn last_block_done<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut parts: DisjointSlice<u32>,
    counter: &[Atomic<u32>],
    total: &[Atomic<u32>],
) {
    let sum = warp.reduce_sum(x[i.get()]);
    if block.leader().is_none() {
        return;
    }
    let parts = parts.raw();
    // SAFETY: each block has its own part; the last one reads all, behind fences. The bug is the point.
    unsafe {
        *parts.add(block.index()) = sum; //~ WL0122|WL0113 second
        if !BUG {
            threadfence();
        }
        let blocks = grid_dim().x;
        if counter[0].fetch_add(1, Relaxed) + 1 == blocks {
            threadfence();
            let mut all = 0;
            for k in 0..blocks as usize {
                all += *parts.add(k); //~ WL0122|WL0113 first
            }
            total[0].store(all, Relaxed);
        }
    }
}

/// The same with the fence before, and none behind the counter.
#[kernel]
fn last_block_without_second_fence<const BUG: bool>(
    block: Block,
    mut parts: DisjointSlice<f64>,
    counter: &[Atomic<u32>],
    total: &[Atomic<f64>],
) {
    if block.leader().is_none() {
        return;
    }
    let parts = parts.raw();
    // SAFETY: each block has its own part; the last one reads all, behind fences. The bug is the point.
    unsafe {
        *parts.add(block.index()) = block.index() as f64; //~ WL0122|WL0113 second
        threadfence();
        let blocks = grid_dim().x;
        if counter[0].fetch_add(1, Relaxed) + 1 == blocks {
            if !BUG {
                threadfence();
            }
            let mut all = 0.0;
            for k in 0..blocks as usize {
                all += *parts.add(k); //~ WL0122|WL0113 first
            }
            total[0].store(all, Relaxed);
        }
    }
}

/// Two warps of a block: one tells the other by a relaxed flag in shared memory.
#[kernel]
fn flag_between_warps<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (flag, data) = (shared_array!(u32, 1), shared_array!(u32, 1));
    let t = block.thread();
    // SAFETY: written before the flag is released, read after it was acquired. The bug is the point.
    unsafe {
        if t == 0 {
            flag.set(0, 0);
            data.set(0, 0);
        }
        block.sync();
        let flag = flag.atomic(0);
        if t == 0 {
            data.set(0, x[block.index()]); //~ WL0122|WL0101 second
            flag.store(
                1,
                if BUG {
                    Ordering::Relaxed
                } else {
                    Ordering::Release
                },
            );
        } else if t == 32 {
            while flag.load(Ordering::Acquire) == 0 {
                spin_wait(20);
            }
            let value = data.get(0); //~ WL0122|WL0101 first
            if let Some(y) = y.get_mut(i) {
                *y = value;
            }
        }
    }
}

/// A chain of blocks: each adds its sum to what the block before it published, and publishes the total.
#[kernel(cooperative)]
fn chained_scan<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    flags: &[Atomic<u32>],
    mut totals: DisjointSlice<u32>,
) {
    let sum = warp.reduce_sum(x[i.get()]);
    if block.leader().is_none() {
        return;
    }
    let (b, totals) = (block.index(), totals.raw());
    // SAFETY: each block writes its own total before it releases its flag; the next reads it after. The bug is the point.
    unsafe {
        let mut before = 0;
        if b > 0 {
            while flags[b - 1].load(Acquire) == 0 {
                spin_wait(50);
            }
            before = *totals.add(b - 1); //~ WL0122|WL0113 first
        }
        *totals.add(b) = before + sum; //~ WL0122|WL0113 second
        if BUG {
            flags[b].store(1, Relaxed);
        } else {
            flags[b].store(1, Release);
        }
    }
}

/// One thread counts behind a barrier, and behind another one all threads fence and read: only fences that are sequentially consistent order what other threads than the one that counts have done.
#[kernel]
fn fence_of_who_does_not_count<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut parts: DisjointSlice<u32>,
    counter: &[Atomic<u32>],
    mut total: DisjointSlice<u32>,
) {
    let is_last = shared_array!(u32, 1);
    let (t, parts) = (block.thread(), parts.raw());
    // SAFETY: each thread has its own part, and reads those of others behind the fences. The bug is the point.
    unsafe {
        *parts.add(i.get()) = x[i.get()]; //~ WL0122|WL0113 second
        threadfence();
        block.sync();
        if t == 0 {
            let before = counter[0].fetch_add(1, Relaxed);
            is_last.set(0, u32::from(before + 1 == grid_dim().x));
        }
        block.sync();
        if is_last.get(0) == 1 {
            if BUG {
                fence(AcqRel, scope::Device);
            } else {
                threadfence();
            }
            let mut own = 0;
            for b in 0..grid_dim().x as usize {
                own += *parts.add(b * block.threads() + 63 - t); //~ WL0122|WL0113 first
            }
            *total.raw().add(t) = own;
        }
    }
}

cases!("fences.rs":
    case!(fence_of_who_does_not_count, "weaken one order", |run| {
        let x = noise(256);
        let (input, mut parts) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        let (mut counter, mut total) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        launch!(run, fence_of_who_does_not_count, (4, 64), &input, &mut parts, counter.as_atomics(), &mut total);
        run.expect(&total, |t| (0..4).map(|b| x[64 * b + 63 - t]).sum())
    }),
    case!(flag_without_release, "weaken one order", |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(2)?);
        launch!(run, flag_without_release, (2, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 42 })
    }),
    case!(flag_without_acquire, "drop one fence", |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u64>(1)?, run.zeroed::<u64>(2)?);
        launch!(run, flag_without_acquire, (2, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 42 })
    }),
    case!(flag_before_the_data, "swap two lines", |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(2)?);
        launch!(run, flag_before_the_data, (2, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 42 })
    }),
    case!(fence_of_the_block, "narrow one scope", |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<f32>(1)?, run.zeroed::<f32>(2)?);
        launch!(run, fence_of_the_block, (2, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 0 { 0.0 } else { 4.5 })
    }),
    case!(last_block_done, "drop one fence", |run| {
        let (x, mut parts) = (run.upload(&count::<u32>(192))?, run.zeroed::<u32>(6)?);
        let (mut counter, mut total) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        launch!(run, last_block_done, (6, 32), &x, &mut parts, counter.as_atomics(), total.as_atomics());
        run.expect(&total, |_| 191 * 96)
    }),
    case!(last_block_without_second_fence, "drop one fence", |run| {
        let (mut parts, mut counter, mut total) = (run.zeroed::<f64>(6)?, run.zeroed::<u32>(1)?, run.zeroed::<f64>(1)?);
        launch!(run, last_block_without_second_fence, (6, 32), &mut parts, counter.as_atomics(), total.as_atomics());
        run.expect(&total, |_| 15.0)
    }),
    case!(flag_between_warps, "weaken one order", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(2))?, run.zeroed::<u32>(128)?);
        launch!(run, flag_between_warps, (2, 64), &x, &mut y);
        run.expect(&y, |i| if i == 96 { 1 } else { 0 })
    }),
    case!(chained_scan, "scan, weaken one order", |run| {
        let x = noise(128);
        let (input, mut flags, mut totals) = (run.upload(&x)?, run.zeroed::<u32>(4)?, run.zeroed::<u32>(4)?);
        launch!(run, chained_scan, (4, 32), &input, flags.as_atomics(), &mut totals);
        run.expect(&totals, |b| x[..32 * (b + 1)].iter().sum())
    }),
);
