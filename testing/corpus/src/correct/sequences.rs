//! Flags of warps, sequence numbers, and values that are their own flag.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{
    Acquire, Atomic, Relaxed, Release, SeqCst, fence, scope, spin_wait, threadfence,
    threadfence_block,
};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// A flag for each warp of a block, in shared memory.
#[kernel]
fn flags_of_warps(block: Block, warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (flags, data) = (shared_array!(u32, 4), shared_array!(u32, 128));
    let (t, w) = (block.thread(), warp.index() as usize);
    // SAFETY: zeroed before a barrier; a warp's lanes write, a barrier of the warp, its lane 0 releases; the next warp's lane 0 acquires, a
    // barrier of the warp, its lanes read.
    unsafe {
        if t < 4 {
            flags.set(t, 0);
        }
        block.sync();
        let mut value = x[i.get()];
        if w > 0 {
            if warp.lane() == 0 {
                while flags.atomic(w - 1).load(Ordering::Acquire) == 0 {
                    spin_wait(20);
                }
            }
            warp.sync();
            value += data.get(t - 32);
        }
        data.set(t, value);
        warp.sync();
        if warp.lane() == 0 {
            flags.atomic(w).store(1, Ordering::Release);
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// Fences of the block's scope, between two warps of one block.
#[kernel]
fn fences_of_the_block(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (flag, data) = (shared_array!(u32, 1), shared_array!(u32, 1));
    let t = block.thread();
    // SAFETY: written before the fence and the flag, read after both, in one block.
    unsafe {
        if t == 0 {
            flag.set(0, 0);
        }
        block.sync();
        if t == 0 {
            data.set(0, x[block.index()]);
            threadfence_block();
            flag.atomic(0).store(1, Ordering::Relaxed);
        } else if t == 32 {
            while flag.atomic(0).load(Ordering::Relaxed) == 0 {
                spin_wait(20);
            }
            threadfence_block();
            if let Some(y) = y.get_mut(i) {
                *y = data.get(0);
            }
        }
    }
}

/// A seqlock: the fields are relaxed atomics, the sequence number and fences say whether they belong together.
#[kernel(cooperative)]
fn seqlock(
    block: Block,
    rounds: u32,
    sequence: &[Atomic<u32>],
    fields: &[Atomic<u32>],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    if block.index() == 0 {
        for round in 0..rounds {
            sequence[0].store(2 * round + 1, Relaxed);
            threadfence();
            fields[0].store(round + 1, Relaxed);
            fields[1].store(10 * (round + 1), Relaxed);
            threadfence();
            sequence[0].store(2 * round + 2, Relaxed);
        }
    } else {
        loop {
            let before = sequence[0].load(Acquire);
            let (a, b) = (fields[0].load(Relaxed), fields[1].load(Relaxed));
            threadfence();
            let after = sequence[0].load(Relaxed);
            if before == after && before == 2 * rounds {
                if let Some(y) = y.get_mut(leader) {
                    *y = a + b;
                }
                break;
            }
            spin_wait(50);
        }
    }
}

/// Peterson's lock for two blocks, with fences of one total order.
#[kernel(cooperative)]
fn peterson(
    block: Block,
    wants: &[Atomic<u32>],
    turn: &[Atomic<u32>],
    mut sum: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let (own, other) = (block.index(), 1 - block.index());
    let sum = sum.raw();
    // SAFETY: one block at a time is between the two stores of its wish.
    unsafe {
        for _ in 0..3 {
            wants[own].store(1, Relaxed);
            turn[0].store(other as u32, Relaxed);
            fence(SeqCst, scope::Device);
            while wants[other].load(Acquire) == 1 && turn[0].load(Relaxed) == other as u32 {
                spin_wait(50);
            }
            *sum += 1;
            wants[own].store(0, Release);
        }
    }
}

/// A flag of 64 bits that holds the value too: one atomic, no fence.
#[kernel(cooperative)]
fn value_in_the_flag(
    block: Block,
    x: &[u32],
    words: &[Atomic<u64>],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let b = block.index();
    let mut sum = u64::from(x[b]);
    if b > 0 {
        loop {
            let word = words[b - 1].load(Relaxed);
            if word >> 32 == 1 {
                sum += word & 0xffff_ffff;
                break;
            }
            spin_wait(50);
        }
    }
    words[b].store(1 << 32 | sum, Relaxed);
    if let Some(y) = y.get_mut(leader) {
        *y = sum as u32;
    }
}

/// Volatile polling of a flag, with fences around the data.
#[kernel(cooperative)]
fn volatile_flag_with_fences(
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
            *data = 8;
            threadfence();
            flag[0].as_ptr().write_volatile(1);
        } else {
            while flag[0].as_ptr().read_volatile() == 0 {
                spin_wait(50);
            }
            threadfence();
            if let Some(y) = y.get_mut(leader) {
                *y = *data;
            }
        }
    }
}

cases!("sequences.rs":
    correct!(flags_of_warps, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, flags_of_warps, (1, 128), &input, &mut y);
        run.expect(&y, |i| (i % 32..=i).step_by(32).map(|k| x[k]).sum())
    }),
    correct!(fences_of_the_block, |run| {
        let (x, mut y) = (run.upload(&[4_u32, 9])?, run.zeroed::<u32>(128)?);
        start!(run, fences_of_the_block, (2, 64), &x, &mut y);
        run.expect(&y, |i| if i % 64 == 32 { [4, 9][i / 64] } else { 0 })
    }),
    correct!(seqlock, |run| {
        let (mut sequence, mut fields, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(2)?, run.zeroed::<u32>(2)?);
        start!(run, seqlock, (2, 32), 3, sequence.as_atomics(), fields.as_atomics(), &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 33 })
    }),
    correct!(peterson, |run| {
        let (mut wants, mut turn, mut sum) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, peterson, (2, 32), wants.as_atomics(), turn.as_atomics(), &mut sum);
        run.expect(&sum, |_| 6)
    }),
    correct!(value_in_the_flag, |run| {
        let x = noise(4);
        let (input, mut words, mut y) = (run.upload(&x)?, run.zeroed::<u64>(4)?, run.zeroed::<u32>(4)?);
        start!(run, value_in_the_flag, (4, 32), &input, words.as_atomics(), &mut y);
        run.expect(&y, |b| x[..=b].iter().sum())
    }),
    correct!(volatile_flag_with_fences, |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(2)?);
        start!(run, volatile_flag_with_fences, (2, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 8 })
    }),
);
