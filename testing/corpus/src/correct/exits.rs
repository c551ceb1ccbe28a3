//! Threads, warps and blocks that return early, or leave loops at different times, and are not missed.

use core::sync::atomic::Ordering;

use warploom::device_std::Mbarrier;
use warploom::device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed, Release, spin_wait};
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// Whole blocks return at once; the others are as many as the counter expects.
#[kernel]
fn blocks_return_at_once(block: Block, n: u32, counter: &[Atomic<u32>], mut y: DisjointSlice<u32>) {
    if block.index() >= n as usize {
        return;
    }
    block.sync();
    if block.leader().is_some() && counter[0].fetch_add(1, AcqRel) + 1 == n {
        // SAFETY: the last block alone writes.
        unsafe { *y.raw() = n };
    }
}

/// Warps without work return, and the others have a barrier that counts them alone.
#[kernel]
fn barrier_of_those_that_stay(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    if t >= 64 {
        return;
    }
    // SAFETY: the kernel has no shared tile; the 64 threads that stay write, wait, and read.
    unsafe {
        let stay = NamedBarrier::<5>::new(&block);
        tile.set(t, x[i.get()]);
        stay.sync(64);
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(63 - t);
        }
    }
}

/// A thread releases a flag and returns; another one acquires it.
#[kernel]
fn returns_behind_its_release(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (flag, data) = (shared_array!(u32, 1), shared_array!(u32, 1));
    let t = block.thread();
    // SAFETY: written before the flag is released, read after it was acquired.
    unsafe {
        if t == 0 {
            flag.set(0, 0);
        }
        block.sync();
        if t == 0 {
            data.set(0, x[0]);
            flag.atomic(0).store(1, Ordering::Release);
            return;
        }
        if t == 32 {
            while flag.atomic(0).load(Ordering::Acquire) == 0 {
                spin_wait(20);
            }
            if let Some(y) = y.get_mut(i) {
                *y = data.get(0);
            }
        }
    }
}

/// A warp arrives at a barrier in memory with what it wrote, and returns.
#[kernel]
fn returns_behind_its_arrival(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (data, memory) = (shared_array!(u32, 32), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each thread of the first warp arrives once.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if t == 0 {
            full.init(32);
        }
        block.sync();
        if t < 32 {
            data.set(t, x[t]);
            let _ = full.arrive();
            return;
        }
        full.wait_parity(0);
        if let Some(y) = y.get_mut(i) {
            *y = data.get(63 - t);
        }
    }
}

/// Lanes leave a loop at different times and meet behind it.
#[kernel]
fn lanes_meet_behind_the_loop(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let steps = shared_array!(u32, 32);
    let (lane, mut n, mut count) = (warp.lane() as usize, x[i.get()] + 1, 0);
    while n != 1 {
        n = if n.is_multiple_of(2) {
            n / 2
        } else {
            3 * n + 1
        };
        count += 1;
    }
    // SAFETY: a barrier of the warp between writing and reading.
    unsafe {
        steps.set(lane, count);
        warp.sync();
        if let Some(y) = y.get_mut(i) {
            *y = steps.get(31 - lane);
        }
    }
}

/// A search in rounds that all threads leave in the same one, by what a barrier tells them.
#[kernel]
fn search_that_all_leave(
    block: Block,
    i: Index1D,
    wanted: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let mut round = 0;
    for chunk in x.chunks_exact(64) {
        if block.sync_any(chunk[block.thread()] == wanted) {
            break;
        }
        round += 1;
    }
    if let Some(y) = y.get_mut(i) {
        *y = round;
    }
}

/// Blocks of a cluster return right behind their last barrier, after which no other reads their memory.
#[kernel(cluster(2, 1, 1))]
fn returns_behind_the_clusters_barrier(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers of the cluster around the accesses to the other block.
    unsafe {
        tile.set(t, x[i.get()]);
        cluster.sync();
        let mut sum = 0;
        if cluster.rank() == 0 {
            sum = cluster.map_shared_rank(tile, 1).get(t);
        }
        cluster.sync();
        if cluster.rank() == 1 {
            return;
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// The first blocks wait for a block behind them, in a launch that has all of them at once.
#[kernel(cooperative)]
fn earlier_blocks_wait(
    block: Block,
    flag: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    // SAFETY: written before the flag is released, read after it was acquired.
    unsafe {
        if block.index() + 1 == grid_dim().x as usize {
            *data = 33;
            flag[0].store(1, Release);
            return;
        }
        while flag[0].load(Acquire) == 0 {
            spin_wait(50);
        }
        if let Some(y) = y.get_mut(leader) {
            *y = *data;
        }
    }
}

/// Threads give up when another has found it: a relaxed flag that orders nothing, and need not.
#[kernel]
fn given_up_when_found(i: Index1D, wanted: u32, x: &[u32], found: &[Atomic<u32>]) {
    let mut at = i.get();
    while at < x.len() && found[0].load(Relaxed) == 0 {
        if x[at] == wanted {
            found[0].store(1, Relaxed);
        }
        at += i.count();
    }
}

/// Threads behind the end only help to load, and return after the barrier.
#[kernel]
fn helpers_return_after_loading(
    block: Block,
    i: Index1D,
    n: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 66);
    let (t, n) = (block.thread(), n as usize);
    let first = 48 * block.index();
    // SAFETY: each thread has its own element, a barrier before others read.
    unsafe {
        tile.set(t, x[(first + t) % x.len()]);
        block.sync();
        if t >= 48 || first + t >= n {
            return;
        }
        *y.raw().add(first + t) = tile.get(t) + tile.get(t + 8) + tile.get(t + 16);
    }
    let _ = i;
}

cases!("exits.rs":
    correct!(blocks_return_at_once, |run| {
        let (mut counter, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        start!(run, blocks_return_at_once, (6, 64), 4, counter.as_atomics(), &mut y);
        run.expect(&y, |_| 4)
    }),
    correct!(barrier_of_those_that_stay, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, barrier_of_those_that_stay, (1, 128), &input, &mut y);
        run.expect(&y, |i| if i < 64 { x[63 - i] } else { 0 })
    }),
    correct!(returns_behind_its_release, |run| {
        let (x, mut y) = (run.upload(&[17_u32])?, run.zeroed::<u32>(64)?);
        start!(run, returns_behind_its_release, (1, 64), &x, &mut y);
        run.expect(&y, |i| if i == 32 { 17 } else { 0 })
    }),
    correct!(returns_behind_its_arrival, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, returns_behind_its_arrival, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { x[63 - i] })
    }),
    correct!(lanes_meet_behind_the_loop, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, lanes_meet_behind_the_loop, (1, 32), &input, &mut y);
        run.expect(&y, |i| {
            let (mut n, mut count) = (x[31 - i] + 1, 0);
            while n != 1 {
                n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
                count += 1;
            }
            count
        })
    }),
    correct!(search_that_all_leave, |run| {
        let x: Vec<u32> = (0..320).collect();
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, search_that_all_leave, (1, 64), 200, &input, &mut y);
        run.expect(&y, |_| 3)
    }),
    correct!(returns_behind_the_clusters_barrier, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, returns_behind_the_clusters_barrier, (4, 32), &input, &mut y);
        run.expect(&y, |i| if i / 32 % 2 == 0 { x[i + 32] } else { 0 })
    }),
    correct!(earlier_blocks_wait, |run| {
        let (mut flag, mut data, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(4)?);
        start!(run, earlier_blocks_wait, (4, 32), flag.as_atomics(), &mut data, &mut y);
        run.expect(&y, |b| if b < 3 { 33 } else { 0 })
    }),
    correct!(given_up_when_found, |run| {
        let x: Vec<u32> = (0..300).collect();
        let (input, mut found) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        start!(run, given_up_when_found, (2, 32), 250, &input, found.as_atomics());
        run.expect(&found, |_| 1)
    }),
    correct!(helpers_return_after_loading, |run| {
        let x = noise(120);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(100)?);
        start!(run, helpers_return_after_loading, (3, 64), 100, &input, &mut y);
        run.expect(&y, |i| x[i % 120] + x[(i + 8) % 120] + x[(i + 16) % 120])
    }),
);
