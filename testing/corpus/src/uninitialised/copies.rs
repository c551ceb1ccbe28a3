//! Asynchronous copies whose target is read, or whose source is written, before they were waited for.

use warploom::device_std::{Mbarrier, intrinsics as raw};
use warploom::prelude::*;

use crate::case::{case, cases, count, launch};

/// Read without any wait.
#[kernel]
fn copy_never_waited_for<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: each thread copies its own element and waits before any thread reads. The bug is the point.
    unsafe {
        tile.set(t, 0);
        raw::copy_async_4(tile.as_ptr().add(t).cast(), x.as_ptr().add(i.get()).cast()); //~ WL0022 second
        if !BUG {
            raw::copy_async_wait_all();
        }
        let own = tile.get(t); //~ WL0022 first
        if let Some(y) = y.get_mut(i) {
            *y = own + 1;
        }
        raw::copy_async_wait_all();
    }
}

/// Two groups, of which the wait leaves one under way.
#[kernel]
fn one_group_left<const BUG: bool>(block: Block, i: Index1D, x: &[u64], mut y: DisjointSlice<u64>) {
    let tile = shared_array!(u64, 128);
    let t = block.thread();
    // SAFETY: each thread copies its own elements and waits before any thread reads. The bug is the point.
    unsafe {
        let from = x.as_ptr().add(2 * i.get());
        raw::copy_async_8(tile.as_ptr().add(t).cast(), from.cast());
        raw::copy_async_commit();
        let second = tile.as_ptr().add(64 + t).cast();
        raw::copy_async_8(second, from.add(1).cast()); //~ WL0022 second
        raw::copy_async_commit();
        if BUG {
            raw::copy_async_wait_1();
        } else {
            raw::copy_async_wait_0();
        }
        let first = tile.get(t);
        let second = tile.get(64 + t); //~ WL0022 first
        if let Some(y) = y.get_mut(i) {
            *y = 1000 * first + second;
        }
        raw::copy_async_wait_all();
    }
}

/// The wait is for groups, and the copy is in none.
#[kernel]
fn copy_not_committed<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 96);
    let t = block.thread();
    // SAFETY: each thread copies its own element and waits before any thread reads. The bug is the point.
    unsafe {
        let to = tile.as_ptr().add(t).cast();
        raw::copy_async_4(to, x.as_ptr().add(i.get()).cast()); //~ WL0022 second
        if !BUG {
            raw::copy_async_commit();
        }
        raw::copy_async_wait_0();
        let own = tile.get(t); //~ WL0022 first
        if let Some(y) = y.get_mut(i) {
            *y = own.wrapping_mul(3);
        }
        raw::copy_async_wait_all();
    }
}

/// The barrier in memory counts the threads' arrivals, not those of their copies.
#[kernel]
fn arrives_before_its_copies<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<u64>,
) {
    let tile = shared_array!(u64, 128);
    let barrier = shared_array!(u64, 1);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: initialised by one thread, before the others use it; each arrives once. The bug is the point.
    unsafe {
        let barrier = Mbarrier::new(barrier, 0);
        if t == 0 {
            barrier.init(n as u32);
        }
        block.sync();
        let to = tile.as_ptr().add(2 * t).cast();
        raw::copy_async_16(to, x.as_ptr().add(2 * i.get()).cast()); //~ WL0022 second //~? WL0101
        if BUG {
            let arrival = barrier.arrive();
            barrier.wait(arrival);
        } else {
            barrier.arrive_after_copies();
            barrier.wait_parity(0);
        }
        let value = tile.get(2 * (n - 1 - t)); //~ WL0022 first //~? WL0101
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
        raw::copy_async_wait_all();
    }
}

/// A pipeline of two stages that waits for all but one group, in the last round too.
#[kernel]
fn tail_of_a_pipeline<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let stages = shared_array!(u32, 128);
    let (t, rounds) = (block.thread(), rounds as usize);
    let mut sum = 0;
    // SAFETY: a stage is copied to when all have read it, and read when its copies are there. The bug is the point.
    unsafe {
        raw::copy_async_4(stages.as_ptr().add(t).cast(), x.as_ptr().add(t).cast());
        raw::copy_async_commit();
        for round in 0..rounds {
            let next = round + 1;
            if next < rounds {
                let to = stages.as_ptr().add(next % 2 * 64 + t).cast();
                raw::copy_async_4(to, x.as_ptr().add(64 * next + t).cast()); //~ WL0022 second
                raw::copy_async_commit();
            }
            if BUG || next < rounds {
                raw::copy_async_wait_1();
            } else {
                raw::copy_async_wait_0();
            }
            block.sync();
            sum += stages.get(round % 2 * 64 + 63 - t); //~ WL0022 first
            block.sync();
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
        raw::copy_async_wait_all();
    }
}

/// Each thread clears what it copies from, before the wait.
#[kernel]
fn source_cleared_early<const BUG: bool>(block: Block, i: Index1D, mut x: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: each thread copies its own element, a barrier before others read the copy. The bug is the point.
    unsafe {
        let own = x.raw().add(i.get());
        raw::copy_async_4(tile.as_ptr().add(t).cast(), own.cast()); //~ WL0023 second
        if !BUG {
            raw::copy_async_wait_all();
        }
        *own = 0; //~ WL0023 first
        raw::copy_async_wait_all();
        block.sync();
        *own = tile.get(n - 1 - t);
    }
}

/// The neighbour's source is overwritten behind a barrier, but the neighbour has not waited for its copy.
#[kernel]
fn source_of_the_neighbour<const BUG: bool>(block: Block, i: Index1D, mut x: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 64);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: each thread copies its own element, barriers before others write it. The bug is the point.
    unsafe {
        let first = x.raw().add(i.get() - t);
        raw::copy_async_4(tile.as_ptr().add(t).cast(), first.add(t).cast()); //~ WL0023 second
        if !BUG {
            raw::copy_async_wait_all();
        }
        block.sync();
        *first.add((t + 1) % n) = 5; //~ WL0023 first
        block.sync();
        raw::copy_async_wait_all();
        *first.add(t) += tile.get(t);
    }
}

cases!("copies.rs":
    case!(copy_never_waited_for, "cp.async", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(128))?, run.zeroed::<u32>(128)?);
        launch!(run, copy_never_waited_for, (2, 64), &x, &mut y);
        run.expect(&y, |i| i as u32 + 1)
    }),
    case!(one_group_left, "cp.async", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(128))?, run.zeroed::<u64>(64)?);
        launch!(run, one_group_left, (1, 64), &x, &mut y);
        run.expect(&y, |i| 2000 * i as u64 + 2 * i as u64 + 1)
    }),
    case!(copy_not_committed, "cp.async", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(192))?, run.zeroed::<u32>(192)?);
        launch!(run, copy_not_committed, (2, 96), &x, &mut y);
        run.expect(&y, |i| 3 * i as u32)
    }),
    case!(arrives_before_its_copies, "cp.async", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(256))?, run.zeroed::<u64>(128)?);
        launch!(run, arrives_before_its_copies, (2, 64), &x, &mut y);
        run.expect(&y, |i| 2 * (i / 64 * 64 + 63 - i % 64) as u64)
    }),
    case!(tail_of_a_pipeline, "pipeline", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(320))?, run.zeroed::<u32>(64)?);
        launch!(run, tail_of_a_pipeline, (1, 64), 5, &x, &mut y);
        run.expect(&y, |i| 640 + 5 * (63 - i as u32))
    }),
    case!(source_cleared_early, "cp.async", |run| {
        let mut x = run.upload(&count::<u32>(128))?;
        launch!(run, source_cleared_early, (2, 64), &mut x);
        run.expect(&x, |i| (i / 64 * 64 + 63 - i % 64) as u32)
    }),
    case!(source_of_the_neighbour, "cp.async", |run| {
        let mut x = run.upload(&count::<u32>(128))?;
        launch!(run, source_of_the_neighbour, (2, 64), &mut x);
        run.expect(&x, |i| i as u32 + 5)
    }),
);
