//! Barriers in memory, whose phases and parities take turns.

use warploom::device_std::Mbarrier;
use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// Arrive, work on one's own, then wait: what was written before the arrival is read after the wait.
#[kernel]
fn arrival_and_wait_apart(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (tile, memory) = (shared_array!(u32, 64), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each arrives once in each phase.
    unsafe {
        let barrier = Mbarrier::new(memory, 0);
        if t == 0 {
            barrier.init(64);
        }
        block.sync();
        tile.set(t, x[i.get()]);
        let arrival = barrier.arrive();
        let own = x[i.get()] * 2;
        barrier.wait(arrival);
        let other = tile.get(63 - t);
        if let Some(y) = y.get_mut(i) {
            *y = own + other;
        }
    }
}

/// A ring of two stages with a barrier in memory for each direction, whose parities turn every second round.
#[kernel]
fn phases_of_two_stages(
    block: Block,
    i: Index1D,
    rounds: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (stages, memory) = (shared_array!(u32, 64), shared_array!(u64, 4));
    let t = block.thread();
    let mut sum = 0;
    // SAFETY: initialised by one thread, before the others use them; 32 arrivals in each phase.
    unsafe {
        if t == 0 {
            for k in 0..4 {
                Mbarrier::new(memory, k).init(32);
            }
        }
        block.sync();
        for round in 0..rounds {
            let (stage, turn) = (round as usize % 2, round / 2);
            let (full, empty) = (
                Mbarrier::new(memory, stage),
                Mbarrier::new(memory, 2 + stage),
            );
            if t < 32 {
                if turn > 0 {
                    empty.wait_parity((turn - 1) % 2);
                }
                stages.set(32 * stage + t, x[32 * round as usize + t]);
                let _ = full.arrive();
            } else {
                full.wait_parity(turn % 2);
                sum += stages.get(32 * stage + 63 - t);
                let _ = empty.arrive();
            }
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// One lane arrives for its warp, behind a barrier of the warp, and one waits for its warp, in front of one.
#[kernel]
fn one_lane_for_its_warp(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (data, memory) = (shared_array!(u32, 32), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; one arrival.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if t == 0 {
            full.init(1);
        }
        block.sync();
        if t < 32 {
            data.set(t, x[t]);
            warp.sync();
            if warp.lane() == 5 {
                let _ = full.arrive();
            }
        } else {
            if warp.lane() == 9 {
                full.wait_parity(0);
            }
            warp.sync();
            if let Some(y) = y.get_mut(i) {
                *y = data.get(63 - t);
            }
        }
    }
}

/// Threads that ask whether the phase has ended, and do other things until it has.
#[kernel]
fn asked_until_it_has_ended(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (data, memory) = (shared_array!(u32, 32), shared_array!(u64, 1));
    let t = block.thread();
    // SAFETY: initialised by one thread, before the others use it; each producer arrives once.
    unsafe {
        let full = Mbarrier::new(memory, 0);
        if t == 0 {
            full.init(32);
        }
        block.sync();
        if t < 32 {
            data.set(t, x[t]);
            let _ = full.arrive();
        } else {
            while !full.has_parity_ended(0) {}
            if let Some(y) = y.get_mut(i) {
                *y = data.get(t - 32);
            }
        }
    }
}

cases!("phases.rs":
    correct!(arrival_and_wait_apart, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, arrival_and_wait_apart, (1, 64), &input, &mut y);
        run.expect(&y, |i| 2 * x[i] + x[63 - i])
    }),
    correct!(phases_of_two_stages, |run| {
        let x = noise(224);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, phases_of_two_stages, (1, 64), 7, &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { (0..7).map(|round| x[32 * round + 63 - i]).sum() })
    }),
    correct!(one_lane_for_its_warp, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, one_lane_for_its_warp, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { x[63 - i] })
    }),
    correct!(asked_until_it_has_ended, |run| {
        let x = noise(32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, asked_until_it_has_ended, (1, 64), &input, &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { x[i - 32] })
    }),
);
