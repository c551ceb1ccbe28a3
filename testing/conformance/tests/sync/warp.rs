//! The barrier of a warp.

use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_harness::device_test::check;

#[kernel]
fn exchange(block: Block, warp: Warp, i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 160);
    let (t, lane) = (block.thread(), warp.lane() as usize);
    let first = t - lane;
    let lanes = (block.threads() - first).min(32);
    slots.atomic(t).store(i.get() as u32, Relaxed);
    for _ in 0..rounds {
        warp.sync();
        let next = slots.atomic(first + (lane + 1) % lanes).load(Relaxed);
        warp.sync();
        slots.atomic(t).store(next, Relaxed);
    }
    if let Some(y) = y.get_mut(i) {
        *y = slots.atomic(t).load(Relaxed);
    }
}

//@ rows: SY-6
#[test]
fn a_warp_exchanges_through_shared_memory() {
    for block in [32u32, 96, 70, 160] {
        let rounds = 77;
        let expected: Vec<u32> = (0..3 * block)
            .map(|i| {
                let (t, start) = (i % block, i / block * block);
                let first = t / 32 * 32;
                start + first + (t - first + rounds) % (block - first).min(32)
            })
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(expected.len())?;
            exchange::launch(stream, (3, block), rounds, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Halves of a warp, from one place and from two, a different number of times.
#[kernel]
fn halves(block: Block, warp: Warp, i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    let slots = shared_array!(u32, 96);
    let (t, low) = (block.thread(), warp.lane() < 16);
    let mask = if low { 0xFFFF } else { 0xFFFF_0000u32 };
    let other = t / 16 * 16 + 15 - t % 16;
    slots.atomic(t).store(t as u32, Relaxed);
    // SAFETY: all lanes of a half come here with the mask of that half, and each is in its own.
    unsafe { warp.sync_mask(mask) };
    let one = slots.atomic(other).load(Relaxed);
    let mut two = 0;
    if low {
        for round in 0..3 {
            // SAFETY: the lanes of the lower half come here, each with the mask of that half.
            unsafe { warp.sync_mask(0xFFFFu32) };
            slots.atomic(t).store(100 * round + t as u32, Relaxed);
            // SAFETY: as above.
            unsafe { warp.sync_mask(0xFFFFu32) };
            two += slots.atomic(other).load(Relaxed);
        }
    } else {
        // SAFETY: the lanes of the upper half come here, each with the mask of that half.
        unsafe { warp.sync_mask(0xFFFF_0000u32) };
        slots.atomic(t).store(7 + t as u32, Relaxed);
        // SAFETY: as above.
        unsafe { warp.sync_mask(0xFFFF_0000u32) };
        two += slots.atomic(other).load(Relaxed);
    }
    if let Some(y) = y.get_mut(i) {
        *y = [one, two];
    }
}

//@ rows: SY-6, WMASK
#[test]
fn halves_of_a_warp_meet_apart() {
    let expected: Vec<[u32; 2]> = (0..2 * 96)
        .map(|i| {
            let t = i % 96;
            let other = t / 16 * 16 + 15 - t % 16;
            let two = if t % 32 < 16 {
                300 + 3 * other
            } else {
                7 + other
            };
            [other, two]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        halves::launch(stream, (2, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
