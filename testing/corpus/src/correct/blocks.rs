//! Barriers of a block: of parts of it, with questions, fewer than one would think.

use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// Producers and consumers with two named barriers, in both directions.
#[kernel]
fn full_and_empty(block: Block, i: Index1D, rounds: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 32);
    let (t, rounds) = (block.thread(), rounds as usize);
    let mut sum = 0;
    // SAFETY: the kernel has no shared tile; the producers write between `empty` and `full`, the consumers read between `full` and `empty`.
    unsafe {
        let (full, empty) = (
            NamedBarrier::<1>::new(&block),
            NamedBarrier::<2>::new(&block),
        );
        for round in 0..rounds {
            if t < 32 {
                if round > 0 {
                    empty.sync(64);
                }
                slots.set(t, x[32 * round + t]);
                full.arrive(64);
            } else {
                full.sync(64);
                sum += slots.get(63 - t);
                if round + 1 < rounds {
                    empty.arrive(64);
                }
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Two pairs of warps, each with a named barrier of its own, at their own speed.
#[kernel]
fn two_pairs_of_warps(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 128);
    let t = block.thread();
    let mut value = x[i.get()];
    // SAFETY: the kernel has no shared tile; each pair exchanges within its half of the array, between barriers of its own.
    unsafe {
        let (first, second) = (
            NamedBarrier::<3>::new(&block),
            NamedBarrier::<4>::new(&block),
        );
        let rounds = if t < 64 { 2 } else { 5 };
        for _ in 0..rounds {
            tile.set(t, value);
            if t < 64 {
                first.sync(64);
            } else {
                second.sync(64);
            }
            value = tile.get(t ^ 32) + 1;
            if t < 64 {
                first.sync(64);
            } else {
                second.sync(64);
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// A barrier that asks orders memory too.
#[kernel]
fn question_for_a_barrier(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading.
    unsafe {
        tile.set(t, x[i.get()]);
        let large = block.sync_count(x[i.get()] >= 50);
        let other = tile.get(63 - t);
        if let Some(y) = y.get_mut(i) {
            *y = other + large;
        }
    }
}

/// All threads leave the loop in the same round, told by shared memory that is written again in the next.
#[kernel]
fn loop_ends_for_all_at_once(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let left = shared_array!(u32, 2);
    let t = block.thread();
    let (mut own, mut rounds) = (x[i.get()] % 7, 0);
    // SAFETY: two words that take turns: what is written in a round is read in the same, and again written two barriers later.
    unsafe {
        loop {
            let at = rounds as usize % 2;
            if t == 0 {
                left.set(at, 0);
            }
            if !block.sync_any(own > 0) {
                break;
            }
            if t == 33 {
                left.set(at, own + 1);
            }
            block.sync();
            rounds += u32::from(left.get(at) > 0);
            own = own.saturating_sub(1);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = rounds;
    }
}

/// Three buffers in turn need one barrier for each round only.
#[kernel]
fn three_buffers_one_barrier(block: Block, i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    let buffers = shared_array!(u32, 192);
    let t = block.thread();
    let mut sum = 0;
    // SAFETY: a buffer is written again two barriers after it was read.
    unsafe {
        for round in 0..rounds as usize {
            let first = round % 3 * 64;
            buffers.set(first + t, (round + t) as u32);
            block.sync();
            sum += buffers.get(first + 63 - t);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Reads of many threads, none of which writes: no barrier needed behind them at the end of the kernel.
#[kernel]
fn read_by_all_at_the_end(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let table = shared_array!(u32, 16);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading.
    unsafe {
        if t < 16 {
            table.set(t, x[t]);
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = (0..16).map(|k| table.get((k + t) % 16)).sum();
        }
    }
}

/// A matrix is transposed through a padded tile, twice, with the barriers that this needs.
#[kernel(block(8, 8))]
fn transposed_twice(x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 72);
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let mut value = x[8 * row + column];
    // SAFETY: barriers between writing, reading and writing again.
    unsafe {
        for _ in 0..2 {
            tile.set(9 * row + column, value);
            sync_threads();
            value = tile.get(9 * column + row);
            sync_threads();
        }
        *y.raw().add(8 * row + column) = value;
    }
}

cases!("blocks.rs":
    correct!(full_and_empty, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, full_and_empty, (1, 64), 4, &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { (0..4).map(|round| x[32 * round + 63 - i]).sum() })
    }),
    correct!(two_pairs_of_warps, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, two_pairs_of_warps, (1, 128), &input, &mut y);
        run.expect(&y, |i| if i < 64 { x[i] + 2 } else { x[i ^ 32] + 5 })
    }),
    correct!(question_for_a_barrier, |run| {
        let x = noise(64);
        let large = x.iter().filter(|&&v| v >= 50).count() as u32;
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, question_for_a_barrier, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[63 - i] + large)
    }),
    correct!(loop_ends_for_all_at_once, |run| {
        let x = noise(64);
        let most = x.iter().map(|v| v % 7).max().unwrap_or(0);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, loop_ends_for_all_at_once, (1, 64), &input, &mut y);
        run.expect(&y, |_| most)
    }),
    correct!(three_buffers_one_barrier, |run| {
        let mut y = run.zeroed::<u32>(64)?;
        start!(run, three_buffers_one_barrier, (1, 64), 7, &mut y);
        run.expect(&y, |i| 21 + 7 * (63 - i as u32))
    }),
    correct!(read_by_all_at_the_end, |run| {
        let x = noise(16);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, read_by_all_at_the_end, (1, 64), &input, &mut y);
        run.expect(&y, |_| x.iter().sum())
    }),
    correct!(transposed_twice, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, transposed_twice, Launch::new(1, (8, 8)), &input, &mut y);
        run.expect(&y, |i| x[i])
    }),
);
