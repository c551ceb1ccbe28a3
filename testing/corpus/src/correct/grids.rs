//! Cooperative grids, launches, and memory of the device's heap that blocks hand to each other.

use core::sync::atomic::Ordering;
use std::hint::black_box;

use warploom::device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed, Release, scope, spin_wait};
use warploom::prelude::*;

use crate::case::{cases, correct, count, noise, start};

/// All blocks write, a barrier of the grid, each reads another's.
#[kernel(cooperative)]
fn rotated_over_the_grid(
    grid: CooperativeGrid,
    block: Block,
    i: Index1D,
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (n, data) = (data.len(), data.raw());
    // SAFETY: each thread writes its own element before the barrier, and reads another after it.
    unsafe {
        *data.add(i.get()) = 5 * i.get() as u32;
        grid.sync();
        let other = *data.add((i.get() + block.threads()) % n);
        grid.sync();
        *data.add(i.get()) = 0;
        if let Some(y) = y.get_mut(i) {
            *y = other;
        }
    }
}

/// Jacobi steps over the whole grid in two buffers.
#[kernel(cooperative)]
fn steps_over_the_grid(
    grid: CooperativeGrid,
    i: Index1D,
    steps: u32,
    mut a: DisjointSlice<u32>,
    mut b: DisjointSlice<u32>,
) {
    let n = a.len();
    let (mut from, mut to) = (a.raw(), b.raw());
    let at = i.get();
    for _ in 0..steps {
        // SAFETY: one buffer is only read, the other only written by its own thread, between two barriers.
        unsafe { *to.add(at) = (*from.add((at + n - 1) % n)).max(*from.add((at + 1) % n)) };
        (from, to) = (to, from);
        grid.sync();
    }
}

/// A box that one block makes and another frees, after a barrier of the grid.
#[kernel(cooperative)]
fn freed_by_another_block(
    grid: CooperativeGrid,
    block: Block,
    addresses: &[Atomic<u64>],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let b = block.index();
    if block.leader().is_some() {
        let own = Box::into_raw(Box::new([b as u32 + 1; 4]));
        addresses[b].store(own.expose_provenance() as u64, Relaxed);
    }
    grid.sync();
    if let Some(leader) = block.leader() {
        let other = addresses[(b + 1) % addresses.len()].load(Relaxed);
        let other = std::ptr::with_exposed_provenance_mut::<[u32; 4]>(other as usize);
        // SAFETY: from a box, which this block alone frees, after the barrier.
        let values = unsafe { Box::from_raw(black_box(other)) };
        if let Some(y) = y.get_mut(leader) {
            *y = values[2];
        }
    }
}

/// A box that is freed by the last thread of the block that has read it, counted by an acquiring and releasing counter.
#[kernel]
fn freed_by_the_last_reader(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let (address, readers) = (shared_array!(u64, 1), shared_array!(u32, 1));
    // SAFETY: a barrier between publishing and reading; the last of the counted readers frees.
    unsafe {
        if block.thread() == 0 {
            let own = Box::into_raw(Box::new([block.index() as u32 + 3; 8]));
            address.set(0, own.expose_provenance() as u64);
            readers.set(0, block.threads() as u32);
        }
        block.sync();
        let common = std::ptr::with_exposed_provenance_mut::<[u32; 8]>(address.get(0) as usize);
        if let Some(y) = y.get_mut(i) {
            *y = (*common)[block.thread() % 8];
        }
        if readers.atomic(0).fetch_sub(1, Ordering::AcqRel) == 1 {
            drop(Box::from_raw(black_box(common)));
        }
    }
}

/// A vector that grows, within one thread.
#[kernel]
fn vector_of_each_thread(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut own = Vec::new();
    for k in 0..x[i.get()] % 10 {
        own.push(black_box(k));
    }
    if let Some(y) = y.get_mut(i) {
        *y = own.iter().sum();
    }
}

/// Decoupled look-back: aggregates and prefixes behind states that are released and acquired; a window goes back until it meets a prefix.
#[kernel(cooperative)]
fn decoupled_look_back(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    states: &[Atomic<u32>],
    mut aggregates: DisjointSlice<u32>,
    mut prefixes: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let before = shared_array!(u32, 1);
    let (b, aggregates, prefixes) = (block.index(), aggregates.raw(), prefixes.raw());
    let own = warp.inclusive_scan(x[i.get()], |a, b| a + b);
    let sum = warp.shuffle_idx(own, 31);
    // SAFETY: each block writes its own elements before the state that says so; others read what the state says.
    unsafe {
        if block.thread() == 0 {
            *aggregates.add(b) = sum;
            states[b].store(1, Release);
            let mut prefix = 0;
            for k in (0..b).rev() {
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
            *prefixes.add(b) = prefix + sum;
            states[b].store(2, Release);
            before.set(0, prefix);
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = before.get(0) + own;
        }
    }
}

/// A barrier of the blocks by hand, with a generation that makes it usable again.
#[kernel(cooperative)]
fn barrier_by_hand(
    block: Block,
    i: Index1D,
    arrived: &[Atomic<u32>],
    generation: &[Atomic<u32>],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let (n, blocks, data) = (data.len(), grid_dim().x, data.raw());
    let mut sum = 0;
    // SAFETY: each thread writes its own element, and reads another's behind the barrier; a further one before the next round.
    unsafe {
        for round in 0..4 {
            if round % 2 == 0 {
                *data.add(i.get()) = round + i.get() as u32;
            } else {
                sum += *data.add((i.get() + 40) % n);
            }
            block.sync();
            if block.thread() == 0 {
                let now = generation[0].load(Relaxed);
                if arrived[0].fetch_add(1, AcqRel) + 1 == blocks {
                    arrived[0].store(0, Relaxed);
                    generation[0].store(now + 1, Release);
                } else {
                    while generation[0].load(Acquire) == now {
                        spin_wait(50);
                    }
                }
            }
            block.sync();
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// Blocks read what an earlier launch wrote, and write what a later one reads: launches of one stream are ordered.
#[kernel]
unsafe fn step_of_one_launch(i: Index1D, n: u32, from: *const u32, to: *mut u32) {
    let (at, n) = (i.get(), n as usize);
    if at < n {
        // SAFETY: both have `n` elements, and each thread writes its own.
        unsafe { *to.add(at) = *from.add((at + 1) % n) + 1 };
    }
}

/// Counters of the block's scope, in memory that this block alone changes.
#[kernel]
fn counters_of_each_block(block: Block, i: Index1D, x: &[u32], counters: &[Atomic<u32>]) {
    if x[i.get()] >= 50 {
        counters[block.index()]
            .at::<scope::Block>()
            .fetch_add(1, Relaxed);
    }
}

/// The greatest element with its place, packed into one word of 64 bits.
#[kernel]
fn place_of_the_greatest(i: Index1D, x: &[u32], most: &[Atomic<u64>]) {
    let packed = u64::from(x[i.get()]) << 32 | (u32::MAX - i.get() as u32) as u64;
    most[0].fetch_max(packed, Relaxed);
}

cases!("grids.rs":
    correct!(rotated_over_the_grid, |run| {
        let (mut data, mut y) = (run.zeroed::<u32>(96)?, run.zeroed::<u32>(96)?);
        start!(run, rotated_over_the_grid, (3, 32), &mut data, &mut y);
        run.expect(&y, |i| 5 * ((i as u32 + 32) % 96))
    }),
    correct!(steps_over_the_grid, |run| {
        let mut x = noise(96);
        let (mut a, mut b) = (run.upload(&x)?, run.zeroed::<u32>(96)?);
        start!(run, steps_over_the_grid, (3, 32), 4, &mut a, &mut b);
        for _ in 0..4 {
            x = (0..96).map(|i| x[(i + 95) % 96].max(x[(i + 1) % 96])).collect();
        }
        run.expect(&a, |i| x[i])
    }),
    correct!(freed_by_another_block, |run| {
        let (mut addresses, mut y) = (run.zeroed::<u64>(3)?, run.zeroed::<u32>(3)?);
        start!(run, freed_by_another_block, (3, 32), addresses.as_atomics(), &mut y);
        run.expect(&y, |b| (b as u32 + 1) % 3 + 1)
    }),
    correct!(freed_by_the_last_reader, |run| {
        let mut y = run.zeroed::<u32>(128)?;
        start!(run, freed_by_the_last_reader, (2, 64), &mut y);
        run.expect(&y, |i| i as u32 / 64 + 3)
    }),
    correct!(vector_of_each_thread, |run| {
        let x = noise(40);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(40)?);
        start!(run, vector_of_each_thread, (1, 40), &input, &mut y);
        run.expect(&y, |i| (0..x[i] % 10).sum())
    }),
    correct!(decoupled_look_back, |run| {
        let x = noise(128);
        let (input, mut states) = (run.upload(&x)?, run.zeroed::<u32>(4)?);
        let (mut aggregates, mut prefixes, mut y) = (run.zeroed::<u32>(4)?, run.zeroed::<u32>(4)?, run.zeroed::<u32>(128)?);
        start!(run, decoupled_look_back, (4, 32), &input, states.as_atomics(), &mut aggregates, &mut prefixes, &mut y);
        run.expect(&y, |i| x[..=i].iter().sum())
    }),
    correct!(barrier_by_hand, |run| {
        let (mut arrived, mut generation) = (run.zeroed::<u32>(1)?, run.zeroed::<u32>(1)?);
        let (mut data, mut y) = (run.zeroed::<u32>(96)?, run.zeroed::<u32>(96)?);
        start!(run, barrier_by_hand, (3, 32), arrived.as_atomics(), generation.as_atomics(), &mut data, &mut y);
        run.expect(&y, |i| 2 * ((i as u32 + 40) % 96) + 2)
    }),
    correct!(step_of_one_launch, |run| {
        let (a, b) = (run.upload(&count::<u32>(80))?, run.zeroed::<u32>(80)?);
        let (from, to) = (a.raw_ptr() as usize, b.raw_ptr() as usize);
        for (from, to) in [(from, to), (to, from), (from, to)] {
            let from = std::ptr::with_exposed_provenance(from);
            let to = std::ptr::with_exposed_provenance_mut(to);
            // SAFETY: both buffers have 80 elements and stay allocated until the result is compared.
            unsafe { start!(run, step_of_one_launch, (3, 32), 80, from, to) };
        }
        run.expect(&b, |i| (i as u32 + 3) % 80 + 3)
    }),
    correct!(counters_of_each_block, |run| {
        let x = noise(192);
        let (input, mut counters) = (run.upload(&x)?, run.zeroed::<u32>(3)?);
        start!(run, counters_of_each_block, (3, 64), &input, counters.as_atomics());
        run.expect(&counters, |b| x[64 * b..][..64].iter().filter(|&&v| v >= 50).count() as u32)
    }),
    correct!(place_of_the_greatest, |run| {
        let x = noise(96);
        let (input, mut most) = (run.upload(&x)?, run.zeroed::<u64>(1)?);
        start!(run, place_of_the_greatest, (3, 32), &input, most.as_atomics());
        let greatest = x.iter().max().copied().unwrap_or(0);
        let place = x.iter().position(|&v| v == greatest).unwrap_or(0);
        run.expect(&most, |_| u64::from(greatest) << 32 | (u32::MAX - place as u32) as u64)
    }),
);
