//! Locks built of atomics, with an order too weak or a scope too narrow.

use warploom::device_std::atomic::{Acquire, Atomic, Relaxed, Release, SpinLock, scope, spin_wait};
use warploom::prelude::*;

use crate::case::{case, cases, launch};

/// Taking the lock does not acquire.
#[kernel]
fn lock_without_acquire<const BUG: bool>(
    block: Block,
    lock: &[Atomic<u32>],
    mut sum: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let sum = sum.raw();
    loop {
        let taken = if BUG {
            lock[0].compare_exchange(0, 1, Relaxed, Relaxed)
        } else {
            lock[0].compare_exchange(0, 1, Acquire, Relaxed)
        };
        if taken.is_ok() {
            break;
        }
        spin_wait(50);
    }
    // SAFETY: the lock is held. The bug is the point.
    unsafe { *sum += 5 }; //~ WL0122|WL0113 //~? WL0112
    lock[0].store(0, Release);
}

/// Giving the lock back does not release.
#[kernel]
fn unlock_without_release<const BUG: bool>(
    block: Block,
    lock: &[Atomic<u32>],
    mut sum: DisjointSlice<u64>,
) {
    if block.leader().is_none() {
        return;
    }
    let sum = sum.raw();
    while lock[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
        spin_wait(50);
    }
    // SAFETY: the lock is held. The bug is the point.
    unsafe { *sum += 5 }; //~ WL0122|WL0113 //~? WL0112
    if BUG {
        lock[0].store(0, Relaxed);
    } else {
        lock[0].store(0, Release);
    }
}

/// A lock for the threads of a block, taken by several blocks.
#[kernel]
fn lock_of_the_block<const BUG: bool>(
    block: Block,
    words: &[Atomic<u32>],
    mut sum: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let sum = sum.raw();
    // SAFETY: the lock is held. The bug is the point.
    unsafe {
        if BUG {
            let lock = SpinLock::of(words[0].at::<scope::Block>());
            let guard = lock.lock(); //~ WL0121 first
            *sum += 5; //~? WL0121|WL0122|WL0113|WL0112
            drop(guard); //~ WL0121 second
        } else {
            let guard = SpinLock::of(&words[0]).lock();
            *sum += 5;
            drop(guard);
        }
    }
}

/// A lock that is given back by an ordinary store.
#[kernel]
fn unlock_plainly<const BUG: bool>(
    block: Block,
    lock: &[Atomic<u32>],
    mut sum: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let sum = sum.raw();
    while lock[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
        //~^ WL0120 first
        spin_wait(50);
    }
    // SAFETY: the lock is held. The bug is the point.
    unsafe {
        *sum += 5; //~? WL0122|WL0113|WL0112
        if BUG {
            threadfence_then_free(lock);
        } else {
            lock[0].store(0, Release);
        }
    }
}

/// The fence is there; the store is no atomic one.
#[inline(always)]
unsafe fn threadfence_then_free(lock: &[Atomic<u32>]) {
    warploom::device_std::atomic::threadfence();
    // SAFETY: the bug is intended.
    unsafe { *lock[0].as_ptr() = 0 }; //~ WL0120 second //~? WL0112
}

cases!("locks.rs":
    case!(lock_without_acquire, "spin lock, weaken one order", |run| {
        let (mut lock, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        launch!(run, lock_without_acquire, (6, 32), lock.as_atomics(), &mut sum);
        run.expect(&sum, |_| 30)
    }),
    case!(unlock_without_release, "spin lock, weaken one order", |run| {
        let (mut lock, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u64>(1)?);
        launch!(run, unlock_without_release, (6, 32), lock.as_atomics(), &mut sum);
        run.expect(&sum, |_| 30)
    }),
    case!(lock_of_the_block, "spin lock, narrow one scope", |run| {
        let (mut words, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        launch!(run, lock_of_the_block, (6, 32), words.as_atomics(), &mut sum);
        run.expect(&sum, |_| 30)
    }),
    case!(unlock_plainly, "spin lock", |run| {
        let (mut lock, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        launch!(run, unlock_plainly, (6, 32), lock.as_atomics(), &mut sum);
        run.expect(&sum, |_| 30)
    }),
);
