//! Between the warps of a block: shared memory that is used twice, and barriers other than that of the whole block.

use warploom::device_std::{Mbarrier, intrinsics as raw};
use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// Two phases write the same array in different orders.
#[kernel]
fn written_twice<const BUG: bool>(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let (t, other) = (block.thread(), (block.thread() + 32) % 64);
    // SAFETY: barriers between the phases. The bug is the point.
    unsafe {
        tile.set(t, 500); //~ WL0100 second
        if !BUG {
            block.sync();
        }
        tile.set(other, x[i.get()]); //~ WL0100 first
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(t);
        }
    }
}

/// One array for the values of all threads and for the sums of the warps.
#[kernel]
fn double_duty<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let values = shared_array!(u32, 128);
    let (t, warps) = (block.thread(), block.threads() / 32);
    // SAFETY: barriers between the uses. The bug is the point.
    unsafe {
        values.set(t, x[i.get()]);
        block.sync();
        let neighbour = values.get((t + 32) % 128); //~ WL0101 second //~? WL0103
        let sum = warp.reduce_sum(neighbour);
        if !BUG {
            block.sync();
        }
        if warp.lane() == 0 {
            values.set(warp.index() as usize, sum); //~ WL0101 first //~? WL0103
        }
        block.sync();
        let mut total = 0;
        for k in 0..warps {
            total += values.get(k);
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = total;
        }
    }
}

/// Thread 0 tells a number in each round, and the next before all have read it.
#[kernel]
fn broadcast_in_a_loop<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let number = shared_array!(u32, 1);
    let mut sum = 0;
    // SAFETY: barriers before and after others read. The bug is the point.
    unsafe {
        for round in 0..rounds {
            if block.thread() == 0 {
                number.set(0, x[round as usize]); //~ WL0101 first
            }
            block.sync();
            if block.thread() >= 32 {
                sum += number.get(0); //~ WL0101 second
            }
            if !BUG {
                block.sync();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Producers and consumers by named barriers: the consumers wait at the wrong one.
#[kernel]
fn waits_at_the_wrong_barrier<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: the kernel has no shared tile; producers write, then arrive; consumers wait, then read. The bug is the point.
    unsafe {
        let full = NamedBarrier::<1>::new(&block);
        let other = NamedBarrier::<2>::new(&block);
        if t < 32 {
            slots.set(t, 0);
        }
        block.sync();
        if t < 32 {
            other.arrive(64);
            slots.set(t, x[i.get()]); //~ WL0101 second
            full.arrive(64);
        } else {
            if BUG {
                other.sync(64);
            } else {
                full.sync(64);
            }
            let value = slots.get(63 - t); //~ WL0101 first
            if BUG {
                full.sync(64);
            } else {
                other.sync(64);
            }
            if let Some(y) = y.get_mut(i) {
                *y = value;
            }
        }
    }
}

/// Producers fill the buffer again before the consumers have said that it is empty.
#[kernel]
fn filled_again_too_early<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: the kernel has no shared tile; the two barriers are for the two directions. The bug is the point.
    unsafe {
        let full = NamedBarrier::<1>::new(&block);
        let empty = NamedBarrier::<2>::new(&block);
        let mut sum = 0;
        for round in 0..rounds {
            if t < 32 {
                if !BUG && round > 0 {
                    empty.sync(64);
                }
                slots.set(t, 10 * round + t as u32); //~ WL0101 first
                full.sync(64);
            } else {
                full.sync(64);
                sum += slots.get(63 - t); //~ WL0101 second
                if !BUG && round + 1 < rounds {
                    empty.arrive(64);
                }
            }
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// A barrier in memory, with the parity of the phase before the first: the wait is over at once.
#[kernel]
fn wrong_parity<const BUG: bool>(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (slots, barrier) = (shared_array!(u32, 64), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each arrives once. The bug is the point.
    unsafe {
        let barrier = Mbarrier::new(barrier, 0);
        if t == 0 {
            barrier.init(64);
        }
        slots.set(t, 0);
        block.sync();
        slots.set(t, x[i.get()]); //~ WL0101 second //~? WL0122
        let _ = barrier.arrive(); //~? WL0122|WL0220
        barrier.wait_parity(u32::from(BUG)); //~? WL0122|WL0220
        let value = slots.get((t + 32) % 64); //~ WL0101 first //~? WL0122
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// The threads wait for their own copies, and read those of others.
#[kernel]
fn copies_of_others<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let (t, other) = (block.thread(), (block.thread() + 32) % 64);
    // SAFETY: copies are waited for, with a barrier before others read. The bug is the point.
    unsafe {
        tile.set(t, 0);
        block.sync();
        raw::copy_async_4(tile.as_ptr().add(t).cast(), x.as_ptr().add(i.get()).cast()); //~ WL0101|WL0022 second
        raw::copy_async_wait_all();
        if !BUG {
            block.sync();
        }
        let value = tile.get(other); //~ WL0101|WL0022 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// The next copy goes into the stage that others still read.
#[kernel]
fn stage_still_read<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let stage = shared_array!(u32, 64);
    let (t, other) = (block.thread(), (block.thread() + 32) % 64);
    let mut sum = 0;
    // SAFETY: copies are waited for; barriers before and after others read. The bug is the point.
    unsafe {
        for round in 0..rounds as usize {
            let to = stage.as_ptr().add(t).cast();
            raw::copy_async_4(to, x.as_ptr().add(64 * round + t).cast()); //~ WL0101 first
            raw::copy_async_wait_all();
            block.sync();
            sum += stage.get(other); //~ WL0101 second
            if !BUG {
                block.sync();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// A block reads its neighbour's shared memory before the neighbour has written it.
#[kernel(cluster(2, 1, 1))]
fn cluster_barrier_dropped<const BUG: bool>(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let tile = shared_array!(f32, 32);
    let t = block.thread();
    // SAFETY: barriers of the cluster before and after the accesses to the other block. The bug is the point.
    unsafe {
        tile.set(t, 0.0);
        cluster.sync();
        tile.set(t, x[i.get()]); //~ WL0101|WL0113 second
        if BUG {
            block.sync();
        } else {
            cluster.sync();
        }
        let there = cluster.map_shared_rank(tile, 1 - cluster.rank());
        let value = there.get(31 - t); //~ WL0101|WL0113 first
        cluster.sync();
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// Half of the block looks once whether the others have arrived, and reads whatever the answer is.
#[kernel]
fn answer_not_asked<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (tile, memory) = (shared_array!(u32, 64), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; half of the block arrives once. The bug is the point.
    unsafe {
        let barrier = Mbarrier::new(memory, 0);
        if t == 0 {
            barrier.init(32);
        }
        tile.set(t, 0);
        block.sync();
        let mut value = 0;
        if t >= 32 {
            tile.set(t - 32, x[i.get()]); //~ WL0101 second
            let _ = barrier.arrive();
        } else {
            while !barrier.has_parity_ended(0) && !BUG {}
            value = tile.get(31 - t); //~ WL0101 first
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A block returns while its neighbour may still read its shared memory.
#[kernel(cluster(2, 1, 1))]
fn neighbour_returns_early<const BUG: bool>(
    block: Block,
    mut cluster: Cluster,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers of the cluster before and after the accesses to the other block. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        cluster.sync();
        let there = cluster.map_shared_rank(tile, 1 - cluster.rank());
        let value = there.get(31 - t); //~ WL0013
        if !BUG {
            cluster.sync();
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

cases!("shared_reuse.rs":
    case!(written_twice, "drop one barrier", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, written_twice, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + (i + 32) % 64])
    }),
    case!(double_duty, "P-15 reduce", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(256))?, run.zeroed::<u32>(2)?);
        launch!(run, double_duty, (2, 128), &x, &mut y);
        run.expect(&y, |b| 128 * 128 * b as u32 + 127 * 64)
    }),
    case!(broadcast_in_a_loop, "P-15", |run| {
        let x = noise(6);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, broadcast_in_a_loop, (2, 64), 6, &input, &mut y);
        run.expect(&y, |i| if i % 64 < 32 { 0 } else { x.iter().sum() })
    }),
    case!(waits_at_the_wrong_barrier, "producer and consumer", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, waits_at_the_wrong_barrier, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { x[63 - i] })
    }),
    case!(filled_again_too_early, "producer and consumer", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, filled_again_too_early, (2, 64), 4, &mut y);
        run.expect(&y, |i| if i % 64 < 32 { 0 } else { 60 + 4 * (63 - i as u32 % 64) })
    }),
    case!(wrong_parity, "mbarrier", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, wrong_parity, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + (i + 32) % 64])
    }).hangs(),
    case!(copies_of_others, "cp.async", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, copies_of_others, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + (i + 32) % 64])
    }),
    case!(stage_still_read, "pipeline", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, stage_still_read, (1, 64), 4, &input, &mut y);
        run.expect(&y, |i| (0..4).map(|round| x[64 * round + (i + 32) % 64]).sum())
    }),
    case!(cluster_barrier_dropped, "cluster", |run| {
        let x = floats(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(128)?);
        launch!(run, cluster_barrier_dropped, (4, 32), &input, &mut y);
        run.expect(&y, |i| x[((i / 32) ^ 1) * 32 + 31 - i % 32])
    }),
    case!(neighbour_returns_early, "cluster", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, neighbour_returns_early, (4, 32), &input, &mut y);
        run.expect(&y, |i| x[((i / 32) ^ 1) * 32 + 31 - i % 32])
    }),
    case!(answer_not_asked, "", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, answer_not_asked, (2, 64), &input, &mut y);
        run.expect(&y, |i| if i % 64 < 32 { x[i / 64 * 64 + 63 - i % 64] } else { 0 })
    }),
);
