//! Locks, queues and tables that several threads change.

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, SpinLock, spin_wait, threadfence,
};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// A ticket lock: a number is drawn relaxed, the turn is acquired and released.
#[kernel(cooperative)]
fn ticket_lock(
    block: Block,
    next: &[Atomic<u32>],
    turn: &[Atomic<u32>],
    mut sum: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let ticket = next[0].fetch_add(1, Relaxed);
    while turn[0].load(Acquire) != ticket {
        spin_wait(50);
    }
    // SAFETY: it is this block's turn.
    unsafe { *sum.raw() += 3 };
    turn[0].store(ticket + 1, Release);
}

/// Test, then test and set: the first loop only looks.
#[kernel(cooperative)]
fn test_and_test_and_set(block: Block, word: &[Atomic<u32>], mut sum: DisjointSlice<u32>) {
    if block.leader().is_none() {
        return;
    }
    loop {
        while word[0].load(Relaxed) == 1 {
            spin_wait(50);
        }
        if word[0].swap(1, Acquire) == 0 {
            break;
        }
    }
    // SAFETY: the lock is held.
    unsafe { *sum.raw() += 1 };
    word[0].store(0, Release);
}

/// CUDA's old lock: relaxed operations with fences on both sides of the critical section.
#[kernel(cooperative)]
fn lock_with_fences(block: Block, word: &[Atomic<u32>], mut sum: DisjointSlice<u32>) {
    if block.leader().is_none() {
        return;
    }
    while word[0].compare_exchange(0, 1, Relaxed, Relaxed).is_err() {
        spin_wait(50);
    }
    threadfence();
    // SAFETY: the lock is held.
    unsafe { *sum.raw() += 2 };
    threadfence();
    word[0].store(0, Relaxed);
}

/// A lock that all lanes of a warp want: each tries, and does its work within the branch of the one that got it.
#[kernel]
fn lock_within_a_warp(warp: Warp, words: &[Atomic<u32>], mut sum: DisjointSlice<u32>) {
    let mut done = false;
    let own = warp.lane() as usize % 4;
    while !done {
        if words[own].compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
            // SAFETY: the lock is held.
            unsafe { *sum.raw().add(own) += 1 };
            words[own].store(0, Release);
            done = true;
        }
    }
}

/// A lock for each bucket, and the guard gives it back.
#[kernel]
fn lock_for_each_bucket(
    i: Index1D,
    x: &[u32],
    words: &[Atomic<u32>],
    mut sums: DisjointSlice<u32>,
) {
    let bucket = x[i.get()] as usize % 8;
    let guard = SpinLock::of(&words[bucket]).lock();
    // SAFETY: the bucket's lock is held.
    unsafe { *sums.raw().add(bucket) += x[i.get()] };
    drop(guard);
}

/// Two locks, always the lower one first.
#[kernel(cooperative)]
fn lower_lock_first(block: Block, words: &[Atomic<u32>], mut sums: DisjointSlice<u32>) {
    if block.leader().is_none() {
        return;
    }
    let (from, to) = (block.index() % 3, (block.index() + 1) % 3);
    let first = SpinLock::of(&words[from.min(to)]).lock();
    let second = SpinLock::of(&words[from.max(to)]).lock();
    // SAFETY: both locks are held.
    unsafe {
        *sums.raw().add(from) -= 1;
        *sums.raw().add(to) += 1;
    }
    drop(second);
    drop(first);
}

/// Places in a queue by a relaxed counter: each is one thread's, and is read in another launch.
#[kernel]
fn places_in_a_queue(i: Index1D, x: &[u32], tail: &[Atomic<u32>], mut queue: DisjointSlice<u32>) {
    if x[i.get()] >= 50 {
        let place = tail[0].fetch_add(1, Relaxed) as usize;
        // SAFETY: the place was given to this thread alone.
        unsafe { *queue.raw().add(place) = 1 };
    }
}

/// One place for the chosen lanes of a warp at a time, by a vote.
#[kernel]
fn places_for_a_warp(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    tail: &[Atomic<u32>],
    mut queue: DisjointSlice<u32>,
) {
    let chosen = warp.ballot(x[i.get()] >= 50);
    let mut first = 0;
    if warp.lane() == 0 {
        first = tail[0].fetch_add(chosen.count(), Relaxed);
    }
    first = warp.shuffle_idx(first, 0);
    if chosen.contains(warp.lane()) {
        let before = chosen.bits() & warp.lanes_below().bits();
        // SAFETY: the places from `first` on were given to this warp, one for each chosen lane.
        unsafe { *queue.raw().add((first + before.count_ones()) as usize) = 1 };
    }
}

/// A ring: each slot has a sequence number that says whose turn it is.
#[kernel(cooperative)]
fn ring_with_sequence_numbers(
    block: Block,
    items: u32,
    sequences: &[Atomic<u32>],
    mut slots: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let slots = slots.raw();
    let mut sum = 0;
    // SAFETY: a slot belongs to the producer while its number is the item's, to the consumer when it is one more.
    unsafe {
        for item in 0..items {
            let at = item as usize % 4;
            let wanted = item + u32::from(block.index() == 1);
            while sequences[at].load(Acquire) != wanted {
                spin_wait(50);
            }
            if block.index() == 0 {
                *slots.add(at) = 10 * item;
                sequences[at].store(item + 1, Release);
            } else {
                sum += *slots.add(at);
                sequences[at].store(item + 4, Release);
            }
        }
    }
    if let Some(y) = y.get_mut(leader) {
        *y = sum;
    }
}

/// An open hash table: keys are claimed by compare and exchange, values are added atomically.
#[kernel]
fn counts_in_a_hash_table(i: Index1D, x: &[u32], keys: &[Atomic<u32>], counts: &[Atomic<u32>]) {
    let key = x[i.get()] + 1;
    let mut slot = key as usize * 7 % keys.len();
    loop {
        match keys[slot].compare_exchange(0, key, Relaxed, Relaxed) {
            Ok(_) => break,
            Err(there) if there == key => break,
            Err(_) => slot = (slot + 1) % keys.len(),
        }
    }
    counts[slot].fetch_add(1, Relaxed);
}

/// A stack that only grows: the new head is released with the node, and the reader acquires it.
#[kernel(cooperative)]
fn list_by_compare_exchange(
    block: Block,
    arrived: &[Atomic<u32>],
    head: &[Atomic<u32>],
    mut nodes: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (own, nodes) = (block.index() as u32 + 1, nodes.raw());
    // SAFETY: each block writes its own node before it publishes it; readers acquire the head that links it.
    unsafe {
        let mut old = head[0].load(Acquire);
        loop {
            *nodes.add(own as usize) = old;
            match head[0].compare_exchange(old, own, AcqRel, Acquire) {
                Ok(_) => break,
                Err(now) => old = now,
            }
        }
        arrived[0].fetch_add(1, AcqRel);
        if block.index() == 0 {
            while arrived[0].load(Acquire) < grid_dim().x {
                spin_wait(50);
            }
            let (mut at, mut sum) = (head[0].load(Acquire), 0);
            while at != 0 {
                sum += at;
                at = *nodes.add(at as usize);
            }
            if let Some(y) = y.get_mut(leader) {
                *y = sum;
            }
        }
    }
}

/// A value is computed once: the block that claims it publishes, the others wait.
#[kernel(cooperative)]
fn computed_once(
    block: Block,
    state: &[Atomic<u32>],
    mut value: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let value = value.raw();
    // SAFETY: the block that claimed the state writes, the others read when it is 2.
    unsafe {
        if state[0].compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
            *value = 21;
            state[0].store(2, Release);
        }
        while state[0].load(Acquire) != 2 {
            spin_wait(50);
        }
        if let Some(y) = y.get_mut(leader) {
            *y = 2 * *value;
        }
    }
}

cases!("locks.rs":
    correct!(ticket_lock, |run| {
        let (mut next, mut turn, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, ticket_lock, (5, 32), next.as_atomics(), turn.as_atomics(), &mut sum);
        run.expect(&sum, |_| 15)
    }),
    correct!(test_and_test_and_set, |run| {
        let (mut word, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, test_and_test_and_set, (5, 32), word.as_atomics(), &mut sum);
        run.expect(&sum, |_| 5)
    }),
    correct!(lock_with_fences, |run| {
        let (mut word, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, lock_with_fences, (5, 32), word.as_atomics(), &mut sum);
        run.expect(&sum, |_| 10)
    }),
    correct!(lock_within_a_warp, |run| {
        let (mut words, mut sum) = (run.zeroed::<u32>(4)?, run.zeroed::<u32>(4)?);
        start!(run, lock_within_a_warp, (2, 32), words.as_atomics(), &mut sum);
        run.expect(&sum, |_| 16)
    }),
    correct!(lock_for_each_bucket, |run| {
        let x = noise(64);
        let (input, mut words, mut sums) = (run.upload(&x)?, run.zeroed::<u32>(8)?, run.zeroed::<u32>(8)?);
        start!(run, lock_for_each_bucket, (2, 32), &input, words.as_atomics(), &mut sums);
        run.expect(&sums, |k| x.iter().filter(|&&v| v as usize % 8 == k).sum())
    }),
    correct!(lower_lock_first, |run| {
        let (mut words, mut sums) = (run.zeroed::<u32>(3)?, run.upload(&[10_u32; 3])?);
        start!(run, lower_lock_first, (6, 32), words.as_atomics(), &mut sums);
        run.expect(&sums, |_| 10)
    }),
    correct!(places_in_a_queue, |run| {
        let x = noise(96);
        let many = x.iter().filter(|&&v| v >= 50).count();
        let (input, mut tail, mut queue) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(96)?);
        start!(run, places_in_a_queue, (3, 32), &input, tail.as_atomics(), &mut queue);
        run.expect(&queue, |k| u32::from(k < many))
    }),
    correct!(places_for_a_warp, |run| {
        let x = noise(96);
        let many = x.iter().filter(|&&v| v >= 50).count();
        let (input, mut tail, mut queue) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(96)?);
        start!(run, places_for_a_warp, (3, 32), &input, tail.as_atomics(), &mut queue);
        run.expect(&queue, |k| u32::from(k < many))
    }),
    correct!(ring_with_sequence_numbers, |run| {
        let (mut sequences, mut slots, mut y) = (run.upload(&[0_u32, 1, 2, 3])?, run.zeroed::<u32>(4)?, run.zeroed::<u32>(2)?);
        start!(run, ring_with_sequence_numbers, (2, 32), 10, sequences.as_atomics(), &mut slots, &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 450 })
    }),
    correct!(counts_in_a_hash_table, |run| {
        let x: Vec<u32> = noise(96).into_iter().map(|v| v % 10).collect();
        let (input, mut keys, mut counts) = (run.upload(&x)?, run.zeroed::<u32>(32)?, run.zeroed::<u32>(32)?);
        start!(run, counts_in_a_hash_table, (3, 32), &input, keys.as_atomics(), counts.as_atomics());
        let stored = keys.to_vec(run.stream)?;
        run.stream.synchronize()?;
        run.expect(&counts, |slot| x.iter().filter(|&&v| v + 1 == stored[slot]).count() as u32)
    }),
    correct!(list_by_compare_exchange, |run| {
        let (mut arrived, mut head) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        let (mut nodes, mut y) = (run.zeroed::<u32>(5)?, run.zeroed::<u32>(4)?);
        start!(run, list_by_compare_exchange, (4, 32), arrived.as_atomics(), head.as_atomics(), &mut nodes, &mut y);
        run.expect(&y, |b| if b == 0 { 10 } else { 0 })
    }),
    correct!(computed_once, |run| {
        let (mut state, mut value, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(4)?);
        start!(run, computed_once, (4, 32), state.as_atomics(), &mut value, &mut y);
        run.expect(&y, |_| 42)
    }),
);
