//! Pipelines: asynchronous copies, barriers in memory, producers and consumers.

use warploom::device_std::{Mbarrier, intrinsics as raw};
use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// NVIDIA/Fuser#3438: threads that have copied meet the others at a barrier, which does not wait for their copies.
#[kernel]
fn barrier_does_not_wait_for_copies<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let row = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: the first warp copies and waits, a barrier before others read. The bug is the point.
    unsafe {
        if t < 32 {
            raw::copy_async_4(row.as_ptr().add(t).cast(), x.as_ptr().add(t).cast()); //~ WL0022 second //~? WL0101 //~? WL0103
        }
        if !BUG {
            raw::copy_async_wait_all();
        }
        block.sync();
        let value = row.get(31 - t % 32); //~ WL0022 first //~? WL0101 //~? WL0103
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
        raw::copy_async_wait_all();
    }
}

/// tile-ai/tilelang#2505: one stage of the pipeline is two groups of copies, and the wait counts stages.
#[kernel]
fn two_groups_for_a_stage<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (a, b) = (shared_array!(u32, 64), shared_array!(u32, 64));
    let t = block.thread();
    // SAFETY: each thread copies its own elements and waits before any thread reads. The bug is the point.
    unsafe {
        raw::copy_async_4(a.as_ptr().add(t).cast(), x.as_ptr().add(t).cast());
        raw::copy_async_commit();
        let from = x.as_ptr().add(64 + t).cast();
        raw::copy_async_4(b.as_ptr().add(t).cast(), from); //~ WL0022 second //~? WL0101
        raw::copy_async_commit();
        if BUG {
            raw::copy_async_wait_1();
        } else {
            raw::copy_async_wait_0();
        }
        block.sync();
        let (left, right) = (a.get(63 - t), b.get(63 - t)); //~ WL0022 first //~? WL0101
        if let Some(y) = y.get_mut(i) {
            *y = left ^ (right << 8);
        }
        raw::copy_async_wait_all();
    }
}

/// facebookexperimental/triton#2058: the wait that drains a tile stands before the tile's copies are under way.
#[kernel]
fn drained_before_the_prefetch<const BUG: bool>(
    block: Block,
    i: Index1D,
    tiles: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let buffers = shared_array!(u32, 128);
    let (t, tiles) = (block.thread(), tiles as usize);
    let mut sum = 0;
    // SAFETY: a buffer is copied to when all have read it, and read when its copies are there. The bug is the point.
    unsafe {
        for tile in 0..tiles {
            let at = tile % 2 * 64;
            if BUG {
                raw::copy_async_wait_0();
            }
            let from = x.as_ptr().add(64 * tile + t).cast();
            raw::copy_async_4(buffers.as_ptr().add(at + t).cast(), from); //~ WL0022 second
            raw::copy_async_commit();
            if !BUG {
                raw::copy_async_wait_0();
            }
            block.sync();
            sum ^= buffers.get(at + 63 - t); //~ WL0022 first
            block.sync();
        }
        raw::copy_async_wait_all();
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// NVIDIA/cudnn-frontend#426: all lanes of the load warp store, and one of them arrives for all without a barrier of the warp.
#[kernel]
fn one_lane_arrives_for_all<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (weights, memory) = (shared_array!(u32, 32), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; one lane arrives for its warp. The bug is the point.
    unsafe {
        let loaded = Mbarrier::new(memory, 0);
        if t == 0 {
            loaded.init(1);
        }
        if t < 32 {
            weights.set(t, 0);
        }
        block.sync();
        let mut value = 0;
        if t < 32 {
            weights.set(t, x[i.get()]); //~ WL0101 second
            if !BUG {
                warp.sync();
            }
            if t == 0 {
                let _ = loaded.arrive();
            }
        } else {
            loaded.wait_parity(0);
            value = weights.get(63 - t); //~ WL0101 first
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// NVlabs/cuda-oxide#1066: the producer writes the next tile's data into the mailbox when the readers have begun with the last one, not when they have
/// copied it.
#[kernel]
fn mailbox_without_acknowledgement<const BUG: bool>(
    block: Block,
    i: Index1D,
    tiles: u32,
    mut y: DisjointSlice<u32>,
) {
    let (mailbox, memory) = (shared_array!(u32, 2), shared_array!(u64, 2));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use them. The bug is the point.
    unsafe {
        let (ready, free) = (Mbarrier::new(memory, 0), Mbarrier::new(memory, 1));
        if t == 0 {
            ready.init(1);
            free.init(32);
        }
        block.sync();
        let mut sum = 0;
        for tile in 0..tiles {
            if t == 0 {
                if tile > 0 {
                    free.wait_parity((tile - 1) % 2);
                }
                mailbox.set(0, tile); //~ WL0101 first
                mailbox.set(1, 10 * tile); //~? WL0101
                let _ = ready.arrive();
            } else if t >= 32 {
                ready.wait_parity(tile % 2);
                if BUG {
                    let _ = free.arrive();
                }
                sum += mailbox.get(0); //~ WL0101 second
                sum += mailbox.get(1); //~? WL0101
                if !BUG {
                    let _ = free.arrive();
                }
            }
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// tile-ai/tilelang#2166: the consumer reads what ordinary threads have stored before its wait, which was placed for another buffer.
#[kernel]
fn wait_placed_for_another_buffer<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (a, b) = (shared_array!(u32, 32), shared_array!(u32, 32));
    let memory = shared_array!(u64, 1);
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each producer arrives once. The bug is the point.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if t == 0 {
            full.init(32);
        }
        if t < 32 {
            a.set(t, 0);
            b.set(t, 0);
        }
        block.sync();
        let mut value = 0;
        if t < 32 {
            a.set(t, x[t]);
            b.set(t, x[32 + t]); //~ WL0101 second
            let _ = full.arrive();
        } else {
            if !BUG {
                full.wait_parity(0);
            }
            value += b.get(63 - t); //~ WL0101 first
            if BUG {
                full.wait_parity(0);
            }
            value += a.get(63 - t);
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// tile-ai/tilelang#3087: the wait asks for a parity that has ended already, and returns at once.
#[kernel]
fn parity_that_has_ended<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (stage, memory) = (shared_array!(u32, 32), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each producer arrives once in each round. The bug is the point.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if t == 0 {
            full.init(32);
        }
        block.sync();
        let mut sum = 0;
        for round in 0..rounds {
            if t < 32 {
                stage.set(t, x[32 * round as usize + t]); //~ WL0101 second
                let _ = full.arrive();
            } else {
                let parity = if BUG { round / 2 % 2 } else { round % 2 };
                full.wait_parity(parity); //~? WL0223|WL0220
                sum += stage.get(63 - t); //~ WL0101 first
            }
            block.sync(); //~? WL0223|WL0220
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// uccl-project/mKernel#18: the wait for the last tile's results to be stored is at a fixed round, so that the next load overwrites them.
#[kernel]
fn slot_still_being_stored<const BUG: bool>(
    block: Block,
    i: Index1D,
    tiles: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let slot = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: the kernel has no shared tile; loads and stores take turns. The bug is the point.
    unsafe {
        let full = NamedBarrier::<1>::new(&block);
        let stored = NamedBarrier::<2>::new(&block);
        for tile in 0..tiles as usize {
            if t < 32 {
                if tile > 0 && (!BUG || tile.is_multiple_of(2)) {
                    stored.sync(64);
                }
                slot.set(t, x[32 * tile + t]); //~ WL0101 first
                full.sync(64);
            } else {
                full.sync(64);
                *y.raw().add(32 * tile + t - 32) = slot.get(63 - t); //~ WL0101 second
                let next = tile + 1;
                if next < tiles as usize && (!BUG || next.is_multiple_of(2)) {
                    stored.arrive(64);
                }
            }
        }
        let _ = i;
    }
}

cases!("stages.rs":
    case!(barrier_does_not_wait_for_copies, "NVIDIA/Fuser#3438", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(32))?, run.zeroed::<u32>(64)?);
        launch!(run, barrier_does_not_wait_for_copies, (1, 64), &x, &mut y);
        run.expect(&y, |i| 31 - i as u32 % 32)
    }),
    case!(two_groups_for_a_stage, "tile-ai/tilelang#2505", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, two_groups_for_a_stage, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[63 - i] ^ (x[127 - i] << 8))
    }),
    case!(drained_before_the_prefetch, "facebookexperimental/triton#2058", |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, drained_before_the_prefetch, (1, 64), 4, &input, &mut y);
        run.expect(&y, |i| (0..4).map(|tile| x[64 * tile + 63 - i]).fold(0, |a, v| a ^ v))
    }),
    case!(one_lane_arrives_for_all, "NVIDIA/cudnn-frontend#426", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, one_lane_arrives_for_all, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { x[63 - i] })
    }),
    case!(mailbox_without_acknowledgement, "NVlabs/cuda-oxide#1066", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, mailbox_without_acknowledgement, (1, 64), 4, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { 66 })
    }),
    case!(wait_placed_for_another_buffer, "tile-ai/tilelang#2166", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, wait_placed_for_another_buffer, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { x[63 - i] + x[95 - i] })
    }),
    case!(parity_that_has_ended, "tile-ai/tilelang#3087", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, parity_that_has_ended, (1, 64), 4, &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { (0..4).map(|round| x[32 * round + 63 - i]).sum() })
    }).hangs(),
    case!(slot_still_being_stored, "uccl-project/mKernel#18", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, slot_still_being_stored, (1, 64), 4, &input, &mut y);
        run.expect(&y, |i| x[i / 32 * 32 + 31 - i % 32])
    }),
);
