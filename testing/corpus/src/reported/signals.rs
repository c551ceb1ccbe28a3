//! Blocks or ranks that tell each other that something is there.

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, spin_wait, threadfence,
};
use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// vllm-project/vllm#8558: ranks tell each other by flags without fences that their parts of the second stage are there.
#[kernel(cooperative)]
fn second_stage_of_an_allreduce<const BUG: bool>(
    block: Block,
    x: &[u32],
    flags: &[Atomic<u32>],
    mut parts: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let (rank, parts) = (block.index(), parts.raw());
    // SAFETY: each rank writes its part, then its flag; all read the parts after the flags. The bug is the point.
    unsafe {
        *parts.add(rank) = (0..4).map(|k| x[4 * k + rank]).sum(); //~ WL0122|WL0113 second
        if BUG {
            flags[rank].as_ptr().write_volatile(1);
        } else {
            flags[rank].store(1, Release);
        }
        for (peer, flag) in flags.iter().enumerate() {
            if BUG {
                while flag.as_ptr().read_volatile() == 0 {
                    spin_wait(50);
                }
            } else {
                while flag.load(Acquire) == 0 {
                    spin_wait(50);
                }
            }
            *y.raw().add(4 * rank + peer) = *parts.add(peer); //~ WL0122|WL0113 first
        }
    }
}

/// vllm-project/vllm#2760: GPUs set bytes of one word of eight, which is read as a whole.
#[kernel]
fn bytes_of_one_signal<const BUG: bool>(
    block: Block,
    signal: &[Atomic<u64>],
    seen: &[Atomic<u32>],
) {
    if block.leader().is_none() {
        return;
    }
    let b = block.index();
    if BUG {
        let half = signal[0].as_ptr().cast::<u32>().wrapping_add(b % 2);
        // SAFETY: half of the word; the bug is intended.
        let half = unsafe { Atomic::<u32>::from_ptr(half) };
        half.store(1, Relaxed); //~ WL0123 second
    } else {
        signal[0].fetch_or(1 << (32 * (b % 2)), Relaxed);
    }
    if signal[0].load(Relaxed) != 0 {
        //~^ WL0123 first
        seen[b].store(1, Relaxed);
    }
}

/// flashinfer-ai/flashinfer#4131: thread 0 tells the other blocks that this one has arrived, before its other threads have written.
#[kernel(cooperative)]
fn arrives_before_the_others_wrote<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    arrived: &[Atomic<u32>],
    mut staged: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (t, staged) = (block.thread(), staged.raw());
    // SAFETY: all threads write before their block arrives, and read when all blocks have. The bug is the point.
    unsafe {
        *staged.add(i.get()) = x[i.get()]; //~ WL0113|WL0122 second
        if !BUG {
            block.sync();
        }
        if t == 0 {
            arrived[0].fetch_add(1, AcqRel);
            while arrived[0].load(Acquire) < grid_dim().x {
                spin_wait(50);
            }
        }
        block.sync();
        let other = *staged.add((i.get() + 64) % 128); //~ WL0113|WL0122 first
        if let Some(y) = y.get_mut(i) {
            *y = other;
        }
    }
}

/// microsoft/mscclpp#497: the barrier of the blocks has a fence before the spin loop and none behind it.
#[kernel(cooperative)]
fn syncer_without_acquire<const BUG: bool>(
    block: Block,
    arrived: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (b, data) = (block.index(), data.raw());
    // SAFETY: each block writes its own element before the barrier, and reads another after it. The bug is the point.
    unsafe {
        *data.add(b) = 10 * b as u32; //~ WL0122|WL0113 second
        threadfence();
        arrived[0].fetch_add(1, Relaxed);
        while arrived[0].load(Relaxed) < grid_dim().x {
            spin_wait(50);
        }
        if !BUG {
            threadfence();
        }
        let other = *data.add((b + 1) % 3); //~ WL0122|WL0113 first
        if let Some(y) = y.get_mut(leader) {
            *y = other;
        }
    }
}

cases!("signals.rs":
    case!(second_stage_of_an_allreduce, "vllm-project/vllm#8558", |run| {
        let x = noise(16);
        let (input, mut flags) = (run.upload(&x)?, run.zeroed::<u32>(4)?);
        let (mut parts, mut y) = (run.zeroed::<u32>(4)?, run.zeroed::<u32>(16)?);
        launch!(run, second_stage_of_an_allreduce, (4, 32), &input, flags.as_atomics(), &mut parts, &mut y);
        run.expect(&y, |i| (0..4).map(|k| x[4 * k + i % 4]).sum())
    }),
    case!(bytes_of_one_signal, "vllm-project/vllm#2760", |run| {
        let (mut signal, mut seen) = (run.zeroed::<u64>(1)?, run.zeroed::<u32>(4)?);
        launch!(run, bytes_of_one_signal, (4, 32), signal.as_atomics(), seen.as_atomics());
        run.expect(&seen, |_| 1)
    }),
    case!(arrives_before_the_others_wrote, "flashinfer-ai/flashinfer#4131", |run| {
        let x = noise(128);
        let (input, mut arrived) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        let (mut staged, mut y) = (run.zeroed::<u32>(128)?, run.zeroed::<u32>(128)?);
        launch!(run, arrives_before_the_others_wrote, (2, 64), &input, arrived.as_atomics(), &mut staged, &mut y);
        run.expect(&y, |i| x[(i + 64) % 128])
    }),
    case!(syncer_without_acquire, "microsoft/mscclpp#497", |run| {
        let (mut arrived, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(3)?, run.zeroed::<u32>(3)?);
        launch!(run, syncer_without_acquire, (3, 32), arrived.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| 10 * ((b as u32 + 1) % 3))
    }),
);
