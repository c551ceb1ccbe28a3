//! Barriers of a block that threads reach in other numbers, or other forms, than the others expect.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::spin_wait;
use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// A barrier in a branch that half of the block takes; the others wait for what comes after it.
#[kernel]
fn half_of_the_block<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let flag = shared_array!(u32, 1);
    let t = block.thread();
    let flag = flag.atomic(0);
    if t == 0 {
        flag.store(0, Ordering::Relaxed);
    }
    block.sync();
    if !BUG || t < 32 {
        block.sync(); //~ WL0221 second
    }
    if t == 0 {
        flag.store(1, Ordering::Release);
    }
    while flag.load(Ordering::Acquire) == 0 {
        spin_wait(20); //~ WL0221 first
    }
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// Half of a warp waits for the block, the other half for the warp.
#[kernel]
fn half_of_the_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    if warp.lane() < 16 || !BUG {
        block.sync(); //~ WL0211 second
    }
    warp.sync(); //~ WL0211 first
    if let Some(y) = y.get_mut(i) {
        *y = warp.lane();
    }
}

/// Some wait at the block's barrier, the others at a named one that counts the whole block.
#[kernel]
fn barrier_of_another_name<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let named = unsafe { NamedBarrier::<4>::new(&block) };
    if BUG && block.thread() < 32 {
        block.sync(); //~ WL0202 first
    } else {
        named.sync(96); //~ WL0202 second
    }
    if let Some(y) = y.get_mut(i) {
        *y = 2;
    }
}

/// Threads behind the end return before the barrier.
#[kernel]
fn returns_before_the_barrier<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let (t, n) = (block.thread(), x.len());
    if BUG && i.get() >= n {
        return; //~? WL0201
    }
    // SAFETY: each thread has its own element, a barrier before others read.
    unsafe {
        tile.set(t, if i.get() < n { x[i.get()] } else { 0 });
        block.sync(); //~ WL0201
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(t ^ 1);
        }
    }
}

/// Barriers that ask different questions.
#[kernel]
fn different_questions<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let large = x[i.get()] >= 50;
    let answer = if BUG && block.thread() < 32 {
        u32::from(block.sync_any(large)) //~ WL0202 first
    } else {
        block.sync_count(large) //~ WL0202 second
    };
    if let Some(y) = y.get_mut(i) {
        *y = answer;
    }
}

/// A barrier, and a barrier that asks.
#[kernel]
fn question_and_barrier<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut any = true;
    if BUG && block.thread().is_multiple_of(2) {
        block.sync(); //~ WL0202 first
    } else {
        any = block.sync_all(x[i.get()] < 100); //~ WL0202 second
    }
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(any);
    }
}

/// Producers count 96 threads, consumers 64.
#[kernel]
fn counts_differ<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let full = unsafe { NamedBarrier::<1>::new(&block) };
    if block.thread() < 32 {
        full.sync(if BUG { 64 } else { 96 }); //~ WL0203 first
    } else {
        full.sync(96); //~ WL0203 second
    }
    if let Some(y) = y.get_mut(i) {
        *y = 3;
    }
}

/// An arrival with another number than the wait.
#[kernel]
fn arrival_counts_differ<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let full = unsafe { NamedBarrier::<7>::new(&block) };
    if block.thread() < 64 {
        full.arrive(if BUG { 128 } else { 96 }); //~ WL0203 second
    } else {
        full.sync(96); //~ WL0203 first
    }
    if let Some(y) = y.get_mut(i) {
        *y = 4;
    }
}

/// Threads behind the end leave, and the barrier counts them.
#[kernel]
fn count_of_all_threads<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let all = unsafe { NamedBarrier::<3>::new(&block) };
    if BUG && i.get() >= x.len() {
        return; //~? WL0200
    }
    all.sync(96); //~ WL0200
    if let Some(y) = y.get_mut(i) {
        *y = 5;
    }
}

/// Both branches have a barrier, each its own.
#[kernel]
fn barrier_in_both_branches<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let (t, value) = (block.thread(), x[i.get()]);
    // SAFETY: each thread has its own element, a barrier before others read.
    unsafe {
        if BUG {
            if value >= 50 {
                tile.set(t, value);
                block.sync(); //~ WL0204 first
            } else {
                tile.set(t, 0);
                block.sync(); //~ WL0204 second
            }
        } else {
            tile.set(t, if value >= 50 { value } else { 0 });
            block.sync();
        }
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(63 - t);
        }
    }
}

/// A loop around a barrier, as often as the thread's number says.
#[kernel]
fn rounds_by_thread<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let (t, n) = (block.thread(), block.threads());
    let mut rounds = 0;
    while rounds < if BUG { 1 + t / 32 } else { n / 32 } {
        block.sync(); //~ WL0204 first
        rounds += 1;
    }
    block.sync(); //~ WL0204 second
    if let Some(y) = y.get_mut(i) {
        *y = 6;
    }
}

cases!("block.rs":
    case!(half_of_the_block, "P-12", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, half_of_the_block, (2, 64), &mut y);
        run.expect(&y, |_| 1)
    }).hangs(),
    case!(half_of_the_warp, "P-12", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, half_of_the_warp, (1, 64), &mut y);
        run.expect(&y, |i| i as u32 % 32)
    }).hangs(),
    case!(barrier_of_another_name, "P-12", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, barrier_of_another_name, (1, 96), &mut y);
        run.expect(&y, |_| 2)
    }).hangs(),
    case!(returns_before_the_barrier, "P-12", |run| {
        let x = noise(100);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(100)?);
        launch!(run, returns_before_the_barrier, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i ^ 1])
    }),
    case!(different_questions, "", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(192)?);
        launch!(run, different_questions, (2, 96), &input, &mut y);
        run.expect(&y, |i| x[i / 96 * 96..][..96].iter().filter(|&&v| v >= 50).count() as u32)
    }).hangs(),
    case!(question_and_barrier, "", |run| {
        let (x, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(64)?);
        launch!(run, question_and_barrier, (1, 64), &x, &mut y);
        run.expect(&y, |_| 1)
    }).hangs(),
    case!(counts_differ, "producer and consumer", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, counts_differ, (1, 96), &mut y);
        run.expect(&y, |_| 3)
    }).hangs(),
    case!(arrival_counts_differ, "producer and consumer", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, arrival_counts_differ, (1, 96), &mut y);
        run.expect(&y, |_| 4)
    }).hangs(),
    case!(count_of_all_threads, "P-12", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(64))?, run.zeroed::<u32>(96)?);
        launch!(run, count_of_all_threads, (1, 96), &x, &mut y);
        run.expect(&y, |_| 5)
    }).hangs(),
    case!(barrier_in_both_branches, "P-12", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(128))?, run.zeroed::<u32>(128)?);
        launch!(run, barrier_in_both_branches, (2, 64), &x, &mut y);
        run.expect(&y, |i| {
            let v = (i / 64 * 64 + 63 - i % 64) as u32;
            if v >= 50 { v } else { 0 }
        })
    }),
    case!(rounds_by_thread, "P-12", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, rounds_by_thread, (1, 96), &mut y);
        run.expect(&y, |_| 6)
    }),
);
