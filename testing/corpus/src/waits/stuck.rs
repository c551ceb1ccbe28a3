//! Waits that never end: barriers in memory, polling, grids and clusters, threads that wait for one another.

use warploom::device_std::Mbarrier;
use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, SpinLock, spin_wait,
};
use warploom::prelude::*;

use crate::case::{case, cases, count, launch};

/// A barrier in memory that counts one thread more than there are.
#[kernel]
fn one_arrival_too_few<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let memory = shared_array!(u64, 1);
    let n = block.threads() as u32;
    // SAFETY: initialised by one thread, before the others use it; each arrives once. The bug is the point.
    unsafe {
        let barrier = Mbarrier::new(memory, 0);
        if block.thread() == 0 {
            barrier.init(n + u32::from(BUG));
        }
        block.sync();
        let arrival = barrier.arrive();
        barrier.wait(arrival); //~ WL0220
    }
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// One warp does not arrive.
#[kernel]
fn a_warp_does_not_arrive<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let memory = shared_array!(u64, 1);
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each arrives once. The bug is the point.
    unsafe {
        let barrier = Mbarrier::new(memory, 0);
        if t == 0 {
            barrier.init(96);
        }
        block.sync();
        if !BUG || t < 64 {
            let _ = barrier.arrive();
        }
        if t < 64 {
            barrier.wait_parity(0); //~ WL0220
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = 2;
    }
}

/// The second round waits for the parity of a third.
#[kernel]
fn parity_turns_twice<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    mut y: DisjointSlice<u32>,
) {
    let memory = shared_array!(u64, 1);
    // SAFETY: initialised by one thread, before the others use it; each arrives once in each round. The bug is the point.
    unsafe {
        let barrier = Mbarrier::new(memory, 0);
        if block.thread() == 0 {
            barrier.init(64);
        }
        block.sync();
        let mut parity = 0;
        for _ in 0..rounds {
            let _ = barrier.arrive();
            barrier.wait_parity(parity);
            parity ^= 1;
        }
        if BUG {
            barrier.wait_parity(parity); //~ WL0220
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = rounds;
    }
}

/// All wait for a flag that no thread sets.
#[kernel(cooperative)]
fn flag_that_is_never_set<const BUG: bool>(
    block: Block,
    i: Index1D,
    flag: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    if !BUG && block.index() == 0 && block.thread() == 0 {
        flag[0].store(1, Release);
    }
    while flag[0].load(Acquire) == 0 {
        //~?^ WL0221
        spin_wait(50); //~ WL0221
    }
    if let Some(y) = y.get_mut(i) {
        *y = 3;
    }
}

/// Blocks wait until all have come, in a launch that does not start them together.
#[kernel]
fn blocks_meet_by_hand<const BUG: bool>(
    block: Block,
    i: Index1D,
    count: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_some() {
        count[0].fetch_add(1, AcqRel);
        while BUG && count[0].load(Acquire) < grid_dim().x {
            //~?^ WL0221
            spin_wait(50); //~ WL0221
        }
    }
    block.sync(); //~? WL0221
    if let Some(y) = y.get_mut(i) {
        *y = 10;
    }
}

/// A thread takes a lock that it has.
#[kernel]
fn lock_taken_twice<const BUG: bool>(
    block: Block,
    i: Index1D,
    words: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    if block.leader().is_some() {
        let lock = SpinLock::of(&words[block.index()]);
        let first = lock.lock();
        if !BUG {
            drop(lock.try_lock());
        } else {
            drop(lock.lock()); //~ WL0221
        }
        drop(first);
    }
    if let Some(y) = y.get_mut(i) {
        *y = 4;
    }
}

/// A way out of the critical section that does not give the lock back.
#[kernel]
fn lock_not_given_back<const BUG: bool>(block: Block, words: &[Atomic<u32>], sum: &[Atomic<u32>]) {
    if block.leader().is_none() {
        return;
    }
    while words[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() {
        //~?^ WL0221
        spin_wait(50); //~ WL0221
    }
    let now = sum[0].load(Relaxed) + 1;
    sum[0].store(now, Relaxed);
    if BUG && now == 2 {
        return;
    }
    words[0].store(0, Release);
}

/// Blocks behind the end return, the others wait for the grid.
#[kernel(cooperative)]
fn a_block_leaves_the_grid<const BUG: bool>(
    grid: CooperativeGrid,
    block: Block,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    if BUG && block.index() == 2 {
        return;
    }
    grid.sync(); //~ WL0222
    if let Some(y) = y.get_mut(i) {
        *y = 5;
    }
}

/// One block waits once more than the others.
#[kernel(cooperative)]
fn one_more_wait_for_the_grid<const BUG: bool>(
    grid: CooperativeGrid,
    block: Block,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    grid.sync();
    if BUG && block.index() == 0 {
        grid.sync(); //~ WL0222
    }
    if let Some(y) = y.get_mut(i) {
        *y = 6;
    }
}

/// A thread of one block of a cluster waits at the block's barrier instead of the cluster's.
#[kernel(cluster(2, 1, 1))]
fn a_block_misses_the_cluster<const BUG: bool>(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    if BUG && cluster.rank() == 1 && block.thread() == 0 {
        block.sync(); //~ WL0200 second
    }
    cluster.sync(); //~ WL0200 first
    if let Some(y) = y.get_mut(i) {
        *y = 7;
    }
}

/// Two halves of a block wait at two barriers, each in its own order.
#[kernel]
fn barriers_crossed<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: the kernel has no shared tile, and these barriers are used here alone.
    let (a, b) = unsafe {
        (
            NamedBarrier::<1>::new(&block),
            NamedBarrier::<2>::new(&block),
        )
    };
    if block.thread() < 32 || !BUG {
        a.sync(64); //~ WL0223 first
        b.sync(64);
    } else {
        b.sync(64); //~ WL0223 second
        a.sync(64);
    }
    if let Some(y) = y.get_mut(i) {
        *y = 8;
    }
}

/// Producers wait for an empty buffer, consumers for a full one, and no thread begins.
#[kernel]
fn no_thread_begins<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    // SAFETY: the kernel has no shared tile, and these barriers are used here alone.
    let (full, empty) = unsafe {
        (
            NamedBarrier::<1>::new(&block),
            NamedBarrier::<2>::new(&block),
        )
    };
    if block.thread() < 32 {
        if BUG {
            empty.sync(64); //~ WL0223 first
        }
        full.arrive(64);
    } else {
        full.sync(64); //~ WL0223 second
        if BUG {
            empty.arrive(64);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = 9;
    }
}

/// The loop's index does not move.
#[kernel]
fn index_never_advances<const BUG: bool>(
    i: Index1D,
    x: &[u32],
    step: u32,
    mut y: DisjointSlice<u32>,
) {
    let (mut at, mut sum) = (i.get(), 0u32);
    while at < x.len() {
        sum = sum.wrapping_add(x[at]); //~ WL0224
        at += if BUG { step as usize } else { i.count() };
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// A search that does not come closer once two elements are left.
#[kernel]
fn search_stands_still<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (mut low, mut high) = (0, x.len());
    let wanted = 2 * i.get() as u32;
    while low < high {
        let middle = low.midpoint(high);
        if x[middle] < wanted {
            //~^ WL0224
            low = if BUG { middle } else { middle + 1 };
        } else {
            high = middle;
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = low as u32;
    }
}

cases!("stuck.rs":
    case!(one_arrival_too_few, "mbarrier", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, one_arrival_too_few, (2, 64), &mut y);
        run.expect(&y, |_| 1)
    }).hangs(),
    case!(a_warp_does_not_arrive, "mbarrier", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, a_warp_does_not_arrive, (1, 96), &mut y);
        run.expect(&y, |_| 2)
    }).hangs(),
    case!(parity_turns_twice, "mbarrier", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, parity_turns_twice, (1, 64), 3, &mut y);
        run.expect(&y, |_| 3)
    }).hangs(),
    case!(flag_that_is_never_set, "", |run| {
        let (mut flag, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(64)?);
        launch!(run, flag_that_is_never_set, (2, 32), flag.as_atomics(), &mut y);
        run.expect(&y, |_| 3)
    }).hangs(),
    case!(blocks_meet_by_hand, "grid sync", |run| {
        let (mut count, mut y) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(96)?);
        launch!(run, blocks_meet_by_hand, (3, 32), count.as_atomics(), &mut y);
        run.expect(&y, |_| 10)
    }).hangs(),
    case!(lock_taken_twice, "spin lock", |run| {
        let (mut words, mut y) = (run.zeroed::<u32>(2)?, run.zeroed::<u32>(64)?);
        launch!(run, lock_taken_twice, (2, 32), words.as_atomics(), &mut y);
        run.expect(&y, |_| 4)
    }).hangs(),
    case!(lock_not_given_back, "spin lock", |run| {
        let (mut words, mut sum) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        launch!(run, lock_not_given_back, (4, 32), words.as_atomics(), sum.as_atomics());
        run.expect(&sum, |_| 4)
    }).hangs(),
    case!(a_block_leaves_the_grid, "grid sync", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, a_block_leaves_the_grid, (3, 32), &mut y);
        run.expect(&y, |_| 5)
    }).hangs(),
    case!(one_more_wait_for_the_grid, "grid sync", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, one_more_wait_for_the_grid, (3, 32), &mut y);
        run.expect(&y, |_| 6)
    }).hangs(),
    case!(a_block_misses_the_cluster, "cluster", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, a_block_misses_the_cluster, (4, 32), &mut y);
        run.expect(&y, |_| 7)
    }).hangs(),
    case!(barriers_crossed, "swap two lines", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, barriers_crossed, (1, 64), &mut y);
        run.expect(&y, |_| 8)
    }).hangs(),
    case!(no_thread_begins, "producer and consumer", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, no_thread_begins, (1, 64), &mut y);
        run.expect(&y, |_| 9)
    }).hangs(),
    case!(index_never_advances, "P-31", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(200))?, run.zeroed::<u32>(64)?);
        launch!(run, index_never_advances, (2, 32), &x, 0, &mut y);
        run.expect(&y, |i| (i..200).step_by(64).map(|k| k as u32).sum())
    }).hangs(),
    case!(search_stands_still, "P-31", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(100))?, run.zeroed::<u32>(40)?);
        launch!(run, search_stands_still, (1, 40), &x, &mut y);
        run.expect(&y, |i| 2 * i as u32)
    }).hangs(),
);
