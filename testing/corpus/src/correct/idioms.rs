//! Idioms of warps, blocks and clusters: one barrier where two are usual, parts that meet, locks for many lanes.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed, Release, scope, spin_wait};
use warploom::device_std::{Mbarrier, intrinsics as raw};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// The lanes that pass a test take places in a list by one addition of their warp.
#[kernel]
fn places_by_one_addition(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    count: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    let value = x[i.get()];
    if value.is_multiple_of(3) {
        let group = warp.coalesced();
        let mut first = 0;
        if group.rank() == 0 {
            first = count[0].fetch_add(group.size(), Relaxed);
        }
        let first = group.shuffle_idx(first, 0);
        // SAFETY: each place is one lane's.
        unsafe { *y.raw().add((first + group.rank()) as usize) = value };
    }
}

/// A butterfly through two rows of shared memory that take turns: one barrier of the warp for each step.
#[kernel]
fn butterfly_in_two_rows(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let rows = shared_array!(u32, 64);
    let lane = warp.lane() as usize;
    let mut sum = x[i.get()];
    // SAFETY: a row is written by each lane at its place, and read behind the barrier; it is written again two barriers later.
    unsafe {
        for step in 0..5 {
            let row = 32 * (step % 2);
            rows.set(row + lane, sum);
            warp.sync();
            sum += rows.get(row + (lane ^ 1 << step));
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Sums of segments within a warp: heads by a vote, steps by shuffles that stop at the head.
#[kernel]
fn segments_of_a_warp(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let lane = warp.lane();
    let value = x[i.get()];
    let heads = warp.ballot(lane == 0 || value.is_multiple_of(5)).bits();
    let head = 31 - (heads & (u32::MAX >> (31 - lane))).leading_zeros();
    let mut sum = value;
    for step in 0..5 {
        let other = warp.shuffle_up(sum, 1 << step);
        if lane >= head + (1 << step) {
            sum += other;
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Two groups of warps take turns at one shared array, by two named barriers that each awaits and the other lets go.
#[kernel]
fn ping_pong_of_two_groups(
    block: Block,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let tile = shared_array!(u32, 64);
    let (t, group) = (block.thread(), block.thread() / 64);
    // SAFETY: the kernel has no shared tile; the group whose turn it is has the array, its own barrier orders its warps.
    unsafe {
        let turns = (
            NamedBarrier::<1>::new(&block),
            NamedBarrier::<2>::new(&block),
        );
        let own = (
            NamedBarrier::<3>::new(&block),
            NamedBarrier::<4>::new(&block),
        );
        if group == 1 {
            turns.0.arrive(128);
        }
        for round in 0..rounds {
            if group == 0 {
                turns.0.sync(128);
            } else {
                turns.1.sync(128);
            }
            let old = if round == 0 && group == 0 {
                0
            } else {
                tile.get(63 - t % 64)
            };
            if group == 0 {
                own.0.sync(64);
            } else {
                own.1.sync(64);
            }
            tile.set(t % 64, old + x[t % 64]);
            if group == 0 {
                turns.1.arrive(128);
            } else if round + 1 < rounds {
                turns.0.arrive(128);
            }
        }
        block.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = (0..64).map(|k| tile.get(k)).sum();
        }
    }
}

/// Rounds in two tiles that take turns, with one barrier each: a tile is written again behind the barrier of the other.
#[kernel]
fn one_barrier_for_two_tiles(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tiles = shared_array!(u32, 256);
    let t = block.thread();
    let mut value = x[i.get()];
    // SAFETY: written by each thread at its place; read behind the barrier of the same round, and written again behind that of the next.
    unsafe {
        for round in 0..rounds as usize {
            let tile = round % 2 * 128;
            tiles.set(tile + t, value);
            block.sync();
            value = tiles.get(tile + (t + 33) % 128) + 1;
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

/// Tiles of 16 lanes add up by shuffles; the first lane of each leaves the sum where the other tile finds it behind a barrier of the warp.
#[kernel]
fn sums_of_tiles_change_places(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let sums = shared_array!(u32, 8);
    let tile = block.tile::<16>();
    let index = block.thread() / 16;
    let mut sum = x[i.get()];
    for step in 0..4 {
        sum += tile.shuffle_xor(sum, 1 << step);
    }
    // SAFETY: a slot for each tile, whose first lane writes it; a barrier of the warp, in which the reader is.
    unsafe {
        if tile.rank() == 0 {
            sums.set(index, sum);
        }
        warp.sync();
        if let Some(y) = y.get_mut(i) {
            *y = sums.get(index ^ 1);
        }
    }
}

/// One lane takes the lock for its warp, whose lanes change what it guards between two barriers of the warp.
#[kernel]
fn lock_for_all_lanes(warp: Warp, lock: &[Atomic<u32>], mut sums: DisjointSlice<u32>) {
    let lane = warp.lane();
    let sums = sums.raw();
    if lane == 0 {
        while lock[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            spin_wait(50);
        }
    }
    warp.sync();
    // SAFETY: lane 0 holds the lock; the barriers make what it acquired and releases that of all lanes.
    unsafe { *sums.add(31 - lane as usize) += lane };
    warp.sync();
    if lane == 0 {
        lock[0].store(0, Release);
    }
}

/// One thread takes the lock for its block: barriers on both sides of what all threads change.
#[kernel]
fn lock_for_a_block(block: Block, lock: &[Atomic<u32>], mut sums: DisjointSlice<u32>) {
    let (t, sums) = (block.thread(), sums.raw());
    if t == 0 {
        while lock[0].swap(1, Acquire) == 1 {
            spin_wait(50);
        }
    }
    block.sync();
    // SAFETY: the block holds the lock.
    unsafe { *sums.add((t + 7 * block.index()) % 96) += 1 };
    block.sync();
    if t == 0 {
        lock[0].store(0, Release);
    }
}

/// A queue between two blocks: a head and a tail, each written by one side, acquired by the other.
#[kernel(cooperative)]
fn queue_of_two_blocks(
    block: Block,
    n: u32,
    head: &[Atomic<u32>],
    tail: &[Atomic<u32>],
    mut ring: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_none() {
        return;
    }
    let (ring, y) = (ring.raw(), y.raw());
    // SAFETY: an element is written while it is free, which the acquired head says, and read while it is full, which the acquired tail says.
    unsafe {
        if block.index() == 0 {
            for item in 0..n {
                while item - head[0].load(Acquire) == 4 {
                    spin_wait(50);
                }
                *ring.add(item as usize % 4) = 3 * item;
                tail[0].store(item + 1, Release);
            }
        } else {
            for item in 0..n {
                while tail[0].load(Acquire) == item {
                    spin_wait(50);
                }
                *y.add(item as usize) = *ring.add(item as usize % 4);
                head[0].store(item + 1, Release);
            }
        }
    }
}

/// A stack whose head has a count beside the index, so that a node that comes back is another head.
#[kernel]
fn stack_with_counted_heads(
    i: Index1D,
    head: &[Atomic<u64>],
    next: &[Atomic<u32>],
    mut values: DisjointSlice<u32>,
) {
    let values = values.raw();
    let node = loop {
        let old = head[0].load(Acquire);
        let node = old as u32;
        if node == 0 {
            spin_wait(50);
            continue;
        }
        let after = next[node as usize].load(Relaxed);
        let new = ((old >> 32) + 1) << 32 | u64::from(after);
        if head[0].compare_exchange(old, new, AcqRel, Relaxed).is_ok() {
            break node;
        }
    };
    // SAFETY: the node was taken from the stack and is this thread's until it is put back.
    unsafe { *values.add(node as usize) += i.get() as u32 + 1 };
    loop {
        let old = head[0].load(Relaxed);
        next[node as usize].store(old as u32, Relaxed);
        let new = ((old >> 32) + 1) << 32 | u64::from(node);
        if head[0].compare_exchange(old, new, Release, Relaxed).is_ok() {
            break;
        }
    }
}

/// Each warp sets its bit when its part is there; a warp goes on when it has acquired all bits.
#[kernel]
fn bits_of_arrived_warps(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (parts, arrived) = (shared_array!(u32, 128), shared_array!(u32, 1));
    let t = block.thread();
    // SAFETY: zeroed before a barrier; each warp releases its bit behind its writes and a barrier of its own.
    unsafe {
        if t == 0 {
            arrived.set(0, 0);
        }
        block.sync();
        parts.set(t, x[i.get()]);
        warp.sync();
        if warp.lane() == 0 {
            arrived
                .atomic(0)
                .fetch_or(1 << warp.index(), Ordering::Release);
            while arrived.atomic(0).load(Ordering::Acquire) != 0b1111 {
                spin_wait(20);
            }
        }
        warp.sync();
        if let Some(y) = y.get_mut(i) {
            *y = parts.get(127 - t);
        }
    }
}

/// Three stages of asynchronous copies with one barrier for each round: what was read in the last round is copied to behind it.
#[kernel]
fn three_stages_one_barrier(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let stages = shared_array!(u32, 192);
    let (t, rounds) = (block.thread(), rounds as usize);
    let mut sum = 0;
    // SAFETY: a stage is copied to behind the barrier that follows its last read; read behind the wait of its thread and a barrier.
    unsafe {
        for round in 0..2 {
            raw::copy_async_4(
                stages.as_ptr().add(64 * round + t).cast(),
                x.as_ptr().add(64 * round + t).cast(),
            );
            raw::copy_async_commit();
        }
        for round in 0..rounds {
            raw::copy_async_wait_1();
            block.sync();
            let next = round + 2;
            if next < rounds {
                let to = stages.as_ptr().add(next % 3 * 64 + t).cast();
                raw::copy_async_4(to, x.as_ptr().add(64 * next + t).cast());
            }
            raw::copy_async_commit();
            sum += stages.get(round % 3 * 64 + 63 - t);
        }
        raw::copy_async_wait_all();
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// A warp fills three stages for three others, which count down each stage by one arrival for each warp.
#[kernel]
fn producer_warp_and_three_consumers(
    block: Block,
    warp: Warp,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (stages, memory) = (shared_array!(u32, 96), shared_array!(u64, 6));
    let lane = warp.lane() as usize;
    let mut sum = 0;
    // SAFETY: initialised by one thread before the others use them; producers write an empty stage, consumers read a full one.
    unsafe {
        if block.thread() == 0 {
            for stage in 0..3 {
                Mbarrier::new(memory, stage).init(32);
                Mbarrier::new(memory, 3 + stage).init(3);
            }
        }
        block.sync();
        let (mut stage, mut phase) = (0, 0);
        for round in 0..rounds as usize {
            let (full, empty) = (
                Mbarrier::new(memory, stage),
                Mbarrier::new(memory, 3 + stage),
            );
            if warp.index() == 0 {
                // The parity of the phase before the first: free at once.
                empty.wait_parity(phase ^ 1);
                stages.set(32 * stage + lane, x[32 * round + lane]);
                let _ = full.arrive();
            } else {
                full.wait_parity(phase);
                sum += stages.get(32 * stage + 31 - lane);
                warp.sync();
                if lane == 0 {
                    let _ = empty.arrive();
                }
            }
            stage += 1;
            if stage == 3 {
                (stage, phase) = (0, phase ^ 1);
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// A block writes into the shared memory of its neighbour and arrives at the neighbour's barrier.
#[kernel(cluster(2, 1, 1))]
fn arrival_at_the_neighbours_barrier(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (tile, memory) = (shared_array!(u32, 32), shared_array!(u64, 1));
    let t = block.thread();
    let other = cluster.rank() ^ 1;
    // SAFETY: the barrier is initialised before a barrier of the cluster; 32 arrivals of the neighbour, behind its writes; a further barrier before the blocks end.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if t == 0 {
            full.init(32);
        }
        cluster.sync();
        cluster.map_shared_rank(tile, other).set(t, x[i.get()]);
        full.arrive_at_block(other as u32);
        full.wait_parity(0);
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(31 - t);
        }
        cluster.sync();
    }
}

/// The barrier that keeps a block's shared memory until its neighbour has read it: an arrival behind the read, a wait at the end.
#[kernel(cluster(2, 1, 1))]
fn kept_until_it_is_read(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers of the cluster around the reads of the other block.
    unsafe {
        tile.set(t, x[i.get()]);
        cluster.sync();
        let value = cluster
            .map_shared_rank(tile, cluster.rank() ^ 1)
            .get(31 - t);
        let arrival = cluster.arrive();
        if let Some(y) = y.get_mut(i) {
            *y = 2 * value;
        }
        arrival.wait();
    }
}

/// A count of the cluster in its first block's shared memory, by atomics of the cluster, and read there behind a barrier.
#[kernel(cluster(2, 1, 1))]
fn count_in_the_first_block(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let count = shared_array!(u32, 1);
    // SAFETY: zeroed before a barrier of the cluster, changed by atomics of its scope, read behind another by its own block.
    unsafe {
        if block.thread() == 0 {
            count.set(0, 0);
        }
        cluster.sync();
        if x[i.get()] >= 50 {
            let there = cluster.map_shared_rank(count, 0).as_ptr();
            Atomic::<u32, scope::Cluster>::from_ptr(there).fetch_add(1, Relaxed);
        }
        cluster.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = count.get(0);
        }
    }
}

/// Keys of a warp go into shared bins by the lowest lane of each group of equal keys, with barriers of the warp around each round.
#[kernel]
fn bins_by_the_lowest_of_each_group(
    warp: Warp,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let bins = shared_array!(u32, 8);
    let lane = warp.lane();
    // SAFETY: one lane for each bin in each round, and a barrier of the warp between the rounds.
    unsafe {
        if lane < 8 {
            bins.set(lane as usize, 0);
        }
        warp.sync();
        for round in 0..rounds as usize {
            let key = x[32 * round + lane as usize] % 8;
            let group = warp.match_any(key);
            if group.lowest() == Some(lane) {
                bins.set(key as usize, bins.get(key as usize) + group.count());
            }
            warp.sync();
        }
        if lane < 8
            && let Some(y) = y.get_mut(i)
        {
            *y = bins.get(lane as usize);
        }
    }
}

/// An array of each thread as a stack of a walk through a tree, as deep as the tree is.
#[kernel]
fn walk_with_a_stack_of_its_own(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut stack = [1_u32, 0, 0, 0, 0, 0];
    let (mut depth, mut sum) = (1, 0);
    let at = stack.as_mut_ptr();
    while depth > 0 {
        depth -= 1;
        // SAFETY: at most one node of each of six levels waits.
        unsafe {
            let node = *at.add(depth);
            sum += x[node as usize];
            if node < 16 {
                *at.add(depth) = 2 * node + i.get() as u32 % 2;
                depth += 1;
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

cases!("idioms.rs":
    correct!(places_by_one_addition, |run| {
        let x = noise(128);
        let (input, mut count, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(128)?);
        start!(run, places_by_one_addition, (2, 64), &input, count.as_atomics(), &mut y);
        let n = x.iter().filter(|v| v.is_multiple_of(3)).count() as u32;
        run.expect(&count, |_| n)
    }),
    correct!(butterfly_in_two_rows, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, butterfly_in_two_rows, (2, 32), &input, &mut y);
        run.expect(&y, |i| x[i / 32 * 32..][..32].iter().sum())
    }),
    correct!(segments_of_a_warp, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, segments_of_a_warp, (1, 32), &input, &mut y);
        run.expect(&y, |i| {
            let head = (0..=i).rev().find(|k| *k == 0 || x[*k].is_multiple_of(5)).unwrap_or(0);
            x[head..=i].iter().sum()
        })
    }),
    correct!(ping_pong_of_two_groups, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        start!(run, ping_pong_of_two_groups, (1, 128), 4, &input, &mut y);
        run.expect(&y, |_| 8 * x.iter().sum::<u32>())
    }),
    correct!(one_barrier_for_two_tiles, |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        start!(run, one_barrier_for_two_tiles, (2, 128), 5, &input, &mut y);
        run.expect(&y, |i| x[i / 128 * 128 + (i + 5 * 33) % 128] + 5)
    }),
    correct!(sums_of_tiles_change_places, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, sums_of_tiles_change_places, (1, 128), &input, &mut y);
        run.expect(&y, |i| x[((i / 16) ^ 1) * 16..][..16].iter().sum())
    }),
    correct!(lock_for_all_lanes, |run| {
        let (mut lock, mut sums) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(32)?);
        start!(run, lock_for_all_lanes, (3, 64), lock.as_atomics(), &mut sums);
        run.expect(&sums, |i| 6 * (31 - i as u32))
    }),
    correct!(lock_for_a_block, |run| {
        let (mut lock, mut sums) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(96)?);
        start!(run, lock_for_a_block, (4, 96), lock.as_atomics(), &mut sums);
        run.expect(&sums, |_| 4)
    }),
    correct!(queue_of_two_blocks, |run| {
        let (mut head, mut tail) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        let (mut ring, mut y) = (run.uninit::<u32>(4)?, run.zeroed::<u32>(30)?);
        start!(run, queue_of_two_blocks, (2, 32), 30, head.as_atomics(), tail.as_atomics(), &mut ring, &mut y);
        run.expect(&y, |i| 3 * i as u32)
    }),
    correct!(stack_with_counted_heads, |run| {
        let next: Vec<u32> = (0..9).map(|k| if k == 0 { 0 } else { k - 1 }).collect();
        let (mut head, mut next, mut values) = (run.upload(&[8_u64])?, run.upload(&next)?, run.zeroed::<u32>(9)?);
        start!(run, stack_with_counted_heads, (2, 32), head.as_atomics(), next.as_atomics(), &mut values);
        let found = values.to_vec(run.stream)?;
        run.stream.synchronize()?;
        let rest: u32 = found[..8].iter().sum();
        run.expect(&values, |i| if i < 8 { found[i] } else { 2080 - rest })
    }),
    correct!(bits_of_arrived_warps, |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(256)?);
        start!(run, bits_of_arrived_warps, (2, 128), &input, &mut y);
        run.expect(&y, |i| x[i / 128 * 128 + 127 - i % 128])
    }),
    correct!(three_stages_one_barrier, |run| {
        let x = noise(448);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, three_stages_one_barrier, (1, 64), 7, &input, &mut y);
        run.expect(&y, |i| (0..7).map(|round| x[64 * round + 63 - i]).sum())
    }),
    correct!(producer_warp_and_three_consumers, |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, producer_warp_and_three_consumers, (1, 128), 8, &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { (0..8).map(|round| x[32 * round + 31 - i % 32]).sum() })
    }),
    correct!(arrival_at_the_neighbours_barrier, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, arrival_at_the_neighbours_barrier, (4, 32), &input, &mut y);
        run.expect(&y, |i| x[((i / 32) ^ 1) * 32 + 31 - i % 32])
    }),
    correct!(kept_until_it_is_read, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, kept_until_it_is_read, (4, 32), &input, &mut y);
        run.expect(&y, |i| 2 * x[((i / 32) ^ 1) * 32 + 31 - i % 32])
    }),
    correct!(count_in_the_first_block, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(4)?);
        start!(run, count_in_the_first_block, (4, 32), &input, &mut y);
        run.expect(&y, |b| if b % 2 == 1 { 0 } else { x[32 * b..][..64].iter().filter(|v| **v >= 50).count() as u32 })
    }),
    correct!(bins_by_the_lowest_of_each_group, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, bins_by_the_lowest_of_each_group, (1, 32), 4, &input, &mut y);
        run.expect(&y, |bin| x.iter().filter(|v| **v as usize % 8 == bin && bin < 8).count() as u32)
    }),
    correct!(walk_with_a_stack_of_its_own, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, walk_with_a_stack_of_its_own, (1, 32), &input, &mut y);
        run.expect(&y, |i| {
            let (mut node, mut sum) = (1, 0);
            loop {
                sum += x[node];
                if node >= 16 {
                    break sum;
                }
                node = 2 * node + i % 2;
            }
        })
    }),
);
