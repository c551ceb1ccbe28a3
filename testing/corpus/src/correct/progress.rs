//! Blocks that wait for blocks with lower numbers than the one that they drew: those have begun, and go on.

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, spin_wait, threadfence,
};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// A scan with look-back over tiles whose numbers blocks draw, in an ordinary launch.
#[kernel]
fn look_back_over_drawn_tiles(
    block: Block,
    warp: Warp,
    x: &[u32],
    drawn: &[Atomic<u32>],
    states: &[Atomic<u32>],
    mut aggregates: DisjointSlice<u32>,
    mut prefixes: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (own_tile, before) = (shared_array!(u32, 1), shared_array!(u32, 1));
    let (aggregates, prefixes, y) = (aggregates.raw(), prefixes.raw(), y.raw());
    let t = block.thread();
    // SAFETY: a tile is one block's; its elements are written before the state that says so, and read by who acquired it.
    unsafe {
        if t == 0 {
            own_tile.set(0, drawn[0].fetch_add(1, Relaxed));
        }
        block.sync();
        let tile = own_tile.get(0) as usize;
        let own = warp.inclusive_scan(x[32 * tile + t], |a, b| a + b);
        let sum = warp.shuffle_idx(own, 31);
        if t == 0 {
            *aggregates.add(tile) = sum;
            states[tile].store(1, Release);
            let mut prefix = 0;
            for k in (0..tile).rev() {
                let state = loop {
                    let state = states[k].load(Acquire);
                    if state > 0 {
                        break state;
                    }
                    spin_wait(50);
                };
                if state == 2 {
                    prefix += *prefixes.add(k);
                    break;
                }
                prefix += *aggregates.add(k);
            }
            *prefixes.add(tile) = prefix + sum;
            states[tile].store(2, Release);
            before.set(0, prefix);
        }
        block.sync();
        *y.add(32 * tile + t) = before.get(0) + own;
    }
}

/// A chain of sums where value and flag are one word of 64 bits, so that no fence is needed.
#[kernel]
fn chain_of_packed_sums(
    block: Block,
    warp: Warp,
    x: &[u32],
    drawn: &[Atomic<u32>],
    chain: &[Atomic<u64>],
    mut y: DisjointSlice<u32>,
) {
    let y = y.raw();
    let mut tile = 0;
    if warp.lane() == 0 {
        tile = drawn[0].fetch_add(1, Relaxed);
    }
    let tile = warp.shuffle_idx(tile, 0) as usize;
    let sum = warp.reduce_sum(x[32 * tile + block.thread()]);
    if warp.lane() == 0 {
        let mut before = 0;
        if tile > 0 {
            before = loop {
                let packed = chain[tile - 1].load(Relaxed);
                if packed >> 32 == 1 {
                    break packed as u32;
                }
                spin_wait(50);
            };
        }
        chain[tile].store(1 << 32 | u64::from(before + sum), Relaxed);
        // SAFETY: the tile is this block's alone.
        unsafe { *y.add(tile) = before + sum };
    }
}

/// Elements that are kept move together in one pass: places come from the chain of the tiles before.
#[kernel]
fn compacted_in_one_pass(
    block: Block,
    warp: Warp,
    x: &[u32],
    drawn: &[Atomic<u32>],
    ends: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    let y = y.raw();
    let mut tile = 0;
    if warp.lane() == 0 {
        tile = drawn[0].fetch_add(1, Relaxed) as usize;
    }
    let tile = warp.shuffle_idx(tile as u32, 0) as usize;
    let value = x[32 * tile + block.thread()];
    let kept = warp.ballot(value >= 50);
    let mut first = 0;
    if warp.lane() == 0 {
        while ends[tile].load(Acquire) == 0 {
            spin_wait(50);
        }
        first = ends[tile].load(Relaxed) - 1;
        ends[tile + 1].store(first + kept.count() + 1, Release);
    }
    let first = warp.shuffle_idx(first, 0);
    if value >= 50 {
        let place = first + (kept.bits() & warp.lanes_below().bits()).count_ones();
        // SAFETY: each kept element has a place of its own.
        unsafe { *y.add(place as usize) = value };
    }
}

/// Parts of one sum are added in the order in which blocks came, each waiting for its turn: all threads of the block poll.
#[kernel]
fn all_threads_wait_for_their_turn(
    block: Block,
    x: &[u32],
    drawn: &[Atomic<u32>],
    turn: &[Atomic<u32>],
    mut sums: DisjointSlice<u32>,
) {
    let number = shared_array!(u32, 1);
    let (t, sums) = (block.thread(), sums.raw());
    // SAFETY: one block at a time: each thread acquires what the leader of the block before released behind a barrier.
    unsafe {
        if t == 0 {
            number.set(0, drawn[0].fetch_add(1, Relaxed));
        }
        block.sync();
        let own = number.get(0);
        while turn[0].load(Acquire) != own {
            spin_wait(50);
        }
        *sums.add(t) = 3 * *sums.add(t) % 1009 + x[64 * own as usize + t];
        block.sync();
        if t == 0 {
            turn[0].store(own + 1, Release);
        }
    }
}

/// The block that draws the first number fills a table, the others wait for it.
#[kernel]
fn table_of_the_first_to_come(
    block: Block,
    i: Index1D,
    drawn: &[Atomic<u32>],
    ready: &[Atomic<u32>],
    mut table: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let first = shared_array!(u32, 1);
    let (t, table) = (block.thread(), table.raw());
    // SAFETY: one block fills the table, behind which its leader releases; the leaders of the others acquire before their blocks read.
    unsafe {
        if t == 0 {
            first.set(0, drawn[0].fetch_add(1, Relaxed));
        }
        block.sync();
        if first.get(0) == 0 {
            *table.add(t) = 7 * t as u32;
            block.sync();
            if t == 0 {
                threadfence();
                ready[0].store(1, Relaxed);
            }
        } else {
            if t == 0 {
                while ready[0].load(Relaxed) == 0 {
                    spin_wait(50);
                }
                threadfence();
            }
            block.sync();
        }
        if let Some(y) = y.get_mut(i) {
            *y = *table.add(63 - t);
        }
    }
}

/// A counter that wraps to zero with the last block, which adds up: nothing is left to reset for the next launch.
#[kernel]
fn counter_that_wraps(
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
    // SAFETY: each block has its own part; the last one reads all behind an addition that acquired them.
    unsafe {
        *parts.add(b) = 5 * x[b];
        if counter[0].fetch_inc_wrapping(n - 1, AcqRel) == n - 1 {
            *total.raw() += (0..n as usize).map(|k| *parts.add(k)).sum::<u32>();
        }
    }
}

/// Blocks draw items until there are none, and an item waits for the one before it, which some block has drawn.
#[kernel]
fn items_in_order(
    block: Block,
    n: u32,
    next: &[Atomic<u32>],
    done: &[Atomic<u32>],
    mut values: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let values = values.raw();
    loop {
        let item = next[0].fetch_add(1, Relaxed);
        if item >= n {
            break;
        }
        let item = item as usize;
        // SAFETY: an item is written by who drew it, before its flag, and read by who drew the next, behind it.
        unsafe {
            let mut before = 1;
            if item > 0 {
                while done[item - 1].load(Acquire) == 0 {
                    spin_wait(50);
                }
                before = *values.add(item - 1);
            }
            *values.add(item) = (3 * before + 1) % 1009;
        }
        done[item].store(1, Release);
    }
}

/// Rows of a triangular system, each by the warp that drew it, which waits for the unknowns that it needs.
#[kernel]
fn rows_of_a_triangle(
    warp: Warp,
    n: u32,
    drawn: &[Atomic<u32>],
    ready: &[Atomic<u32>],
    mut unknowns: DisjointSlice<u32>,
) {
    let unknowns = unknowns.raw();
    loop {
        let mut row = 0;
        if warp.lane() == 0 {
            row = drawn[0].fetch_add(1, Relaxed);
        }
        let row = warp.shuffle_idx(row, 0);
        if row >= n {
            break;
        }
        let mut sum = 0;
        // SAFETY: an unknown is written before its flag is released; each lane acquires the flags of those that it reads.
        unsafe {
            let mut column = warp.lane();
            while column < row {
                while ready[column as usize].load(Acquire) == 0 {
                    spin_wait(50);
                }
                sum += *unknowns.add(column as usize);
                column += 32;
            }
            let sum = warp.reduce_sum(sum % 1009);
            if warp.lane() == 0 {
                *unknowns.add(row as usize) = (sum + 1) % 1009;
                ready[row as usize].store(1, Release);
            }
        }
    }
}

fn in_order(n: usize) -> Vec<u32> {
    let mut all = vec![];
    let mut last = 1;
    for _ in 0..n {
        last = (3 * last + 1) % 1009;
        all.push(last);
    }
    all
}

fn triangle(n: usize) -> Vec<u32> {
    let mut all: Vec<u32> = vec![];
    for row in 0..n {
        let of = |lane: usize| all.iter().skip(lane).step_by(32).sum::<u32>() % 1009;
        let sum: u32 = (0..32).map(of).sum();
        let _ = row;
        all.push((sum + 1) % 1009);
    }
    all
}

cases!("progress.rs":
    correct!(look_back_over_drawn_tiles, |run| {
        let x = noise(256);
        let (input, mut drawn, mut states) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(8)?);
        let (mut aggregates, mut prefixes, mut y) = (run.zeroed::<u32>(8)?, run.zeroed::<u32>(8)?, run.zeroed::<u32>(256)?);
        start!(run, look_back_over_drawn_tiles, (8, 32), &input, drawn.as_atomics(), states.as_atomics(), &mut aggregates, &mut prefixes, &mut y);
        run.expect(&y, |i| x[..=i].iter().sum())
    }),
    correct!(chain_of_packed_sums, |run| {
        let x = noise(192);
        let (input, mut drawn, mut chain, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u64>(6)?, run.zeroed::<u32>(6)?);
        start!(run, chain_of_packed_sums, (6, 32), &input, drawn.as_atomics(), chain.as_atomics(), &mut y);
        run.expect(&y, |i| x[..32 * (i + 1)].iter().sum())
    }),
    correct!(compacted_in_one_pass, |run| {
        let x = noise(160);
        let (input, mut drawn, mut ends, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.upload(&[1_u32, 0, 0, 0, 0, 0])?, run.zeroed::<u32>(160)?);
        start!(run, compacted_in_one_pass, (5, 32), &input, drawn.as_atomics(), ends.as_atomics(), &mut y);
        let kept: Vec<u32> = x.into_iter().filter(|v| *v >= 50).collect();
        run.expect(&y, |i| kept.get(i).copied().unwrap_or(0))
    }),
    correct!(all_threads_wait_for_their_turn, |run| {
        let x = noise(256);
        let (input, mut drawn, mut turn, mut sums) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        start!(run, all_threads_wait_for_their_turn, (4, 64), &input, drawn.as_atomics(), turn.as_atomics(), &mut sums);
        run.expect(&sums, |t| (0..4).fold(0, |sum, b| 3 * sum % 1009 + x[64 * b + t]))
    }),
    correct!(table_of_the_first_to_come, |run| {
        let (mut drawn, mut ready, mut table, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.uninit::<u32>(64)?, run.zeroed::<u32>(192)?);
        start!(run, table_of_the_first_to_come, (3, 64), drawn.as_atomics(), ready.as_atomics(), &mut table, &mut y);
        run.expect(&y, |i| 7 * (63 - i as u32 % 64))
    }),
    correct!(counter_that_wraps, |run| {
        let x = noise(6);
        let (input, mut parts, mut counter, mut total) = (run.upload(&x)?, run.zeroed::<u32>(6)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        for _ in 0..2 {
            start!(run, counter_that_wraps, (6, 32), &input, &mut parts, counter.as_atomics(), &mut total);
        }
        run.expect(&total, |_| 10 * x.iter().sum::<u32>())
    }),
    correct!(items_in_order, |run| {
        let (mut next, mut done, mut values) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(20)?, run.uninit::<u32>(20)?);
        start!(run, items_in_order, (4, 32), 20, next.as_atomics(), done.as_atomics(), &mut values);
        run.expect(&values, |i| in_order(20)[i])
    }),
    correct!(rows_of_a_triangle, |run| {
        let (mut drawn, mut ready, mut unknowns) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(40)?, run.uninit::<u32>(40)?);
        start!(run, rows_of_a_triangle, (3, 64), 40, drawn.as_atomics(), ready.as_atomics(), &mut unknowns);
        run.expect(&unknowns, |i| triangle(40)[i])
    }),
);
