//! Threads, warps and blocks that take turns: tokens, semaphores, readers and writers, pointers that are published.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, SeqCst, SpinLock, scope, spin_wait, threadfence,
};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// A token goes round the warps of a block; who has it adds to an ordinary sum.
#[kernel]
fn token_of_warps(block: Block, warp: Warp, rounds: u32, mut y: DisjointSlice<u32, PerBlock>) {
    let (token, sum) = (shared_array!(u32, 1), shared_array!(u32, 1));
    let warps = block.threads() as u32 / 32;
    // SAFETY: initialised before a barrier; the lane whose turn it is has acquired what the one before released.
    unsafe {
        if block.thread() == 0 {
            token.set(0, 0);
            sum.set(0, 0);
        }
        block.sync();
        if warp.lane() == 0 {
            for round in 0..rounds {
                let turn = round * warps + warp.index();
                while token.atomic(0).load(Ordering::Acquire) != turn {
                    spin_wait(20);
                }
                sum.set(0, 2 * sum.get(0) % 1009 + warp.index());
                token.atomic(0).store(turn + 1, Ordering::Release);
            }
        }
        block.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = sum.get(0);
        }
    }
}

/// Blocks add to one array in the order of their numbers.
#[kernel(cooperative)]
fn in_the_order_of_blocks(
    block: Block,
    i: Index1D,
    turn: &[Atomic<u32>],
    x: &[u32],
    mut sums: DisjointSlice<u32>,
) {
    let (t, sums) = (block.thread(), sums.raw());
    // SAFETY: one block at a time; barriers make its leader's acquire and release those of all its threads.
    unsafe {
        if t == 0 {
            while turn[0].load(Acquire) as usize != block.index() {
                spin_wait(50);
            }
        }
        block.sync();
        *sums.add(t) = 3 * *sums.add(t) + x[i.get()];
        block.sync();
        if t == 0 {
            turn[0].store(block.index() as u32 + 1, Release);
        }
    }
}

/// A semaphore of two, each holder with a slot of its own.
#[kernel(cooperative)]
fn semaphore_of_two(block: Block, slots: &[Atomic<u32>], mut sums: DisjointSlice<u32>) {
    if block.leader().is_none() {
        return;
    }
    let own = 'taken: loop {
        for (k, slot) in slots.iter().enumerate() {
            if slot.compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
                break 'taken k;
            }
        }
        spin_wait(50);
    };
    // SAFETY: the slot is held.
    unsafe { *sums.raw().add(own) += 1 };
    slots[own].store(0, Release);
}

/// Readers count themselves in and out, a writer waits until it is alone.
#[kernel(cooperative)]
fn readers_and_a_writer(
    block: Block,
    state: &[Atomic<u32>],
    mut value: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (b, value) = (block.index(), value.raw());
    // SAFETY: written while the state is `u32::MAX`, read while it is a number of readers.
    unsafe {
        if b == 0 {
            while state[0]
                .compare_exchange(0, u32::MAX, Acquire, Relaxed)
                .is_err()
            {
                spin_wait(50);
            }
            *value += 6;
            state[0].store(0, Release);
        } else {
            loop {
                let now = state[0].load(Relaxed);
                if now != u32::MAX
                    && state[0]
                        .compare_exchange(now, now + 1, Acquire, Relaxed)
                        .is_ok()
                {
                    break;
                }
                spin_wait(50);
            }
            let seen = *value;
            state[0].fetch_sub(1, Release);
            if let Some(y) = y.get_mut(leader) {
                *y = u32::from(seen == 1 || seen == 7);
            }
        }
    }
}

/// An index is published, and what it points to is read through it.
#[kernel(cooperative)]
fn published_index(
    block: Block,
    current: &[Atomic<u32>],
    mut versions: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let versions = versions.raw();
    // SAFETY: a version is written before its index is published, and not again.
    unsafe {
        if block.index() == 0 {
            for version in 1..4 {
                *versions.add(2 * version) = version as u32;
                *versions.add(2 * version + 1) = 10 * version as u32;
                current[0].store(version as u32, Release);
            }
        } else {
            let version = loop {
                let version = current[0].load(Acquire);
                if version > 0 {
                    break version as usize;
                }
                spin_wait(50);
            };
            let (a, b) = (*versions.add(2 * version), *versions.add(2 * version + 1));
            if let Some(y) = y.get_mut(leader) {
                *y = u32::from(b == 10 * a);
            }
        }
    }
}

/// The last warp of a block to finish adds up, told by a counter in shared memory.
#[kernel]
fn last_warp_adds_up(block: Block, warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (sums, counter) = (shared_array!(u32, 4), shared_array!(u32, 1));
    let w = warp.index() as usize;
    // SAFETY: zeroed before a barrier; each warp's lane 0 writes its slot before it counts, and the last one has acquired all.
    unsafe {
        if block.thread() == 0 {
            counter.set(0, 0);
        }
        block.sync();
        let sum = warp.reduce_sum(x[i.get()]);
        if warp.lane() == 0 {
            sums.set(w, sum);
            if counter.atomic(0).fetch_add(1, Ordering::AcqRel) == 3 {
                *y.raw() = (0..4).map(|k| sums.get(k)).sum();
            }
        }
    }
}

/// A flag of the cluster's scope, between blocks of one cluster.
#[kernel(cluster(2, 1, 1))]
fn flag_of_the_cluster(
    block: Block,
    mut cluster: Cluster,
    flags: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let pair = block.index() / 2;
    let own = data.raw().wrapping_add(pair);
    let flag = flags[pair].at::<scope::Cluster>();
    // SAFETY: written before the flag is released, read after it was acquired, within one cluster.
    unsafe {
        if let Some(leader) = block.leader() {
            if cluster.rank() == 0 {
                *own = 4 + pair as u32;
                flag.store(1, Release);
            } else {
                while flag.load(Acquire) == 0 {
                    spin_wait(50);
                }
                if let Some(y) = y.get_mut(leader) {
                    *y = *own;
                }
            }
        }
    }
    cluster.sync();
}

/// A flag of the system's scope, which includes the device's.
#[kernel(cooperative)]
fn flag_of_the_system(
    block: Block,
    flag: &[Atomic<u32, scope::System>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    // SAFETY: written before the flag is released, read after it was acquired.
    unsafe {
        if block.index() == 0 {
            *data = 12;
            flag[0].store(1, Release);
        } else {
            while flag[0].load(Acquire) == 0 {
                spin_wait(50);
            }
            if let Some(y) = y.get_mut(leader) {
                *y = *data;
            }
        }
    }
}

/// A lock of the block's scope for each block.
#[kernel]
fn lock_of_each_block(
    block: Block,
    warp: Warp,
    words: &[Atomic<u32>],
    mut sums: DisjointSlice<u32>,
) {
    if warp.lane() == 0 {
        let lock = SpinLock::of(words[block.index()].at::<scope::Block>());
        let guard = lock.lock();
        // SAFETY: the block's lock is held.
        unsafe { *sums.raw().add(block.index()) += warp.index() + 1 };
        drop(guard);
    }
}

/// Each thread tries the lock once, and counts what it could not do atomically.
#[kernel]
fn tried_once(
    i: Index1D,
    words: &[Atomic<u32>],
    counts: &[Atomic<u32>],
    mut sum: DisjointSlice<u32>,
) {
    match SpinLock::of(&words[0]).try_lock() {
        Some(guard) => {
            // SAFETY: the lock is held.
            unsafe { *sum.raw() += 1 };
            drop(guard);
        }
        None => drop(counts[0].fetch_add(1, Relaxed)),
    }
    let _ = i;
    counts[1].fetch_add(1, Relaxed);
}

/// Dekker's store and load with orders of one total order: at most one of two blocks goes first.
#[kernel(cooperative)]
fn at_most_one_goes_first(block: Block, wants: &[Atomic<u32>], first: &[Atomic<u32>]) {
    if block.leader().is_none() {
        return;
    }
    let (own, other) = (block.index(), 1 - block.index());
    wants[own].store(1, SeqCst);
    if wants[other].load(SeqCst) == 0 {
        first[0].fetch_add(1, Relaxed);
    }
    first[1].fetch_add(1, Relaxed);
}

/// Messages in both directions between two blocks, one word each way.
#[kernel(cooperative)]
fn ping_and_pong(block: Block, rounds: u32, words: &[Atomic<u32>], mut data: DisjointSlice<u32>) {
    if block.leader().is_none() {
        return;
    }
    let (b, data) = (block.index(), data.raw());
    // SAFETY: the block whose turn it is has acquired what the other released.
    unsafe {
        for round in 0..rounds {
            let turn = 2 * round + b as u32;
            while words[0].load(Acquire) != turn {
                spin_wait(50);
            }
            *data = 2 * *data + b as u32;
            words[0].store(turn + 1, Release);
        }
    }
}

/// Work that is handed out by a counter, with results that the counter's place makes one's own.
#[kernel]
fn tiles_by_a_counter(
    block: Block,
    warp: Warp,
    tiles: u32,
    next: &[Atomic<u32>],
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 1);
    loop {
        // SAFETY: barriers around the leader's store.
        let own = unsafe {
            if block.thread() == 0 {
                tile.set(0, next[0].fetch_add(1, Relaxed));
            }
            block.sync();
            let own = tile.get(0);
            block.sync();
            own
        };
        if own >= tiles {
            break;
        }
        let sum = warp.reduce_sum(x[32 * own as usize + block.thread()]);
        if block.thread() == 0 {
            // SAFETY: this block alone drew the number.
            unsafe { *y.raw().add(own as usize) = sum };
        }
    }
}

/// A fence between two relaxed counters, of which the second says that all have passed the first.
#[kernel(cooperative)]
fn two_counters_and_a_fence(
    block: Block,
    counters: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let (b, n, data) = (block.index(), grid_dim().x, data.raw());
    // SAFETY: each block writes its own element before its fence and its addition; all read after all additions and a fence.
    unsafe {
        *data.add(b) = b as u32 + 1;
        threadfence();
        if counters[0].fetch_add(1, Relaxed) + 1 == n {
            threadfence();
            counters[1].store(1, Relaxed);
        }
        while counters[1].load(Relaxed) == 0 {
            spin_wait(50);
        }
        threadfence();
        if let Some(y) = y.get_mut(leader) {
            *y = (0..n as usize).map(|k| *data.add(k)).sum();
        }
    }
}

/// A value is exchanged through a slot by swaps that acquire and release.
#[kernel(cooperative)]
fn exchanged_by_swaps(
    block: Block,
    slot: &[Atomic<u32>],
    mut cells: DisjointSlice<u32>,
    sum: &[Atomic<u32>],
) {
    if block.leader().is_none() {
        return;
    }
    let (own, cells) = (block.index() as u32 + 1, cells.raw());
    // SAFETY: a cell is written by its block before the swap, and read by the block that got its number.
    unsafe {
        *cells.add(own as usize) = 10 * own;
        let other = slot[0].swap(own, AcqRel);
        if other > 0 {
            sum[0].fetch_add(*cells.add(other as usize), Relaxed);
        }
    }
}

cases!("turns.rs":
    correct!(token_of_warps, |run| {
        let mut y = run.zeroed::<u32>(2)?;
        start!(run, token_of_warps, (2, 96), 3, &mut y);
        run.expect(&y, |_| (0..9).fold(0, |sum, turn| 2 * sum % 1009 + turn % 3))
    }),
    correct!(in_the_order_of_blocks, |run| {
        let x = noise(192);
        let (input, mut turn, mut sums) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        start!(run, in_the_order_of_blocks, (3, 64), turn.as_atomics(), &input, &mut sums);
        run.expect(&sums, |t| (0..3).fold(0, |sum, b| 3 * sum + x[64 * b + t]))
    }),
    correct!(semaphore_of_two, |run| {
        let (mut slots, mut sums) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(2)?);
        start!(run, semaphore_of_two, (6, 32), slots.as_atomics(), &mut sums);
        let found = sums.to_vec(run.stream)?;
        run.stream.synchronize()?;
        run.expect(&sums, |k| if k == 0 { 6 - found[1] } else { found[1] })
    }),
    correct!(readers_and_a_writer, |run| {
        let (mut state, mut value, mut y) = (run.zeroed::<u32>(1)?, run.upload(&[1_u32])?, run.zeroed::<u32>(4)?);
        start!(run, readers_and_a_writer, (4, 32), state.as_atomics(), &mut value, &mut y);
        run.expect(&y, |b| u32::from(b > 0))
    }),
    correct!(published_index, |run| {
        let (mut current, mut versions, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(8)?, run.zeroed::<u32>(3)?);
        start!(run, published_index, (3, 32), current.as_atomics(), &mut versions, &mut y);
        run.expect(&y, |b| u32::from(b > 0))
    }),
    correct!(last_warp_adds_up, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        start!(run, last_warp_adds_up, (1, 128), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    correct!(flag_of_the_cluster, |run| {
        let (mut flags, mut data, mut y) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(2)?, run.zeroed::<u32>(4)?);
        start!(run, flag_of_the_cluster, (4, 32), flags.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| [0, 4, 0, 5][b])
    }),
    correct!(flag_of_the_system, |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(2)?);
        start!(run, flag_of_the_system, (2, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b == 0 { 0 } else { 12 })
    }),
    correct!(lock_of_each_block, |run| {
        let (mut words, mut sums) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(2)?);
        start!(run, lock_of_each_block, (2, 128), words.as_atomics(), &mut sums);
        run.expect(&sums, |_| 10)
    }),
    correct!(tried_once, |run| {
        let (mut words, mut counts, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(2)?, run.zeroed::<u32>(1)?);
        start!(run, tried_once, (2, 32), words.as_atomics(), counts.as_atomics(), &mut sum);
        let found = counts.to_vec(run.stream)?;
        run.stream.synchronize()?;
        run.expect(&counts, |k| [found[0], 64][k])?;
        run.expect(&sum, |_| 64 - found[0])
    }),
    correct!(at_most_one_goes_first, |run| {
        let (mut wants, mut first) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(2)?);
        start!(run, at_most_one_goes_first, (2, 32), wants.as_atomics(), first.as_atomics());
        let found = first.to_vec(run.stream)?;
        run.stream.synchronize()?;
        run.expect(&first, |k| [found[0].min(1), 2][k])
    }),
    correct!(ping_and_pong, |run| {
        let (mut words, mut data) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, ping_and_pong, (2, 32), 4, words.as_atomics(), &mut data);
        run.expect(&data, |_| 0b0101_0101)
    }),
    correct!(tiles_by_a_counter, |run| {
        let x = noise(320);
        let (input, mut next, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(10)?);
        start!(run, tiles_by_a_counter, (3, 32), 10, next.as_atomics(), &input, &mut y);
        run.expect(&y, |tile| x[32 * tile..][..32].iter().sum())
    }),
    correct!(two_counters_and_a_fence, |run| {
        let (mut counters, mut data, mut y) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(3)?, run.zeroed::<u32>(3)?);
        start!(run, two_counters_and_a_fence, (3, 32), counters.as_atomics(), &mut data, &mut y);
        run.expect(&y, |_| 6)
    }),
    correct!(exchanged_by_swaps, |run| {
        let (mut slot, mut cells, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(5)?, run.zeroed::<u32>(1)?);
        start!(run, exchanged_by_swaps, (4, 32), slot.as_atomics(), &mut cells, sum.as_atomics());
        let last = slot.to_vec(run.stream)?;
        run.stream.synchronize()?;
        run.expect(&sum, |_| 100 - 10 * last[0])
    }),
);
