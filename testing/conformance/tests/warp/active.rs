//! Which lanes are there, and where the thread stands among them.

use warploom::device_std::LaneMask;
use warploom::model::Schedule;
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

/// What CUDA says about lanes is a matter of the number in the block, x fastest, also in blocks with rows.
#[kernel]
fn where_am_i(warp: Warp, block: Block, i: Index3D, seen: &[std::sync::atomic::AtomicU32]) {
    use std::sync::atomic::Ordering::Relaxed;
    let _ = i;
    let at = 6 * (block.index() * block.threads() + block.thread());
    let now = [
        warp.lane() | warp.index() << 8 | Warp::LANES << 16,
        warp.lanes_below().bits(),
        warp.lanes_up_to().bits(),
        warp.lanes_above().bits(),
        warp.lanes_from().bits(),
        warp.own_lane().bits(),
    ];
    for (k, v) in now.into_iter().enumerate() {
        if let Some(slot) = seen.get(at + k) {
            slot.store(v, Relaxed);
        }
    }
}

//@ rows: BV-5, BV-7, P-38, GPM-2, GPM-12, E-2
#[test]
fn lanes_count_threads_of_the_block() {
    for block in [(96, 1, 1), (7, 5, 2), (3, 3, 9), (1, 70, 1)] {
        let threads = block.0 * block.1 * block.2;
        let expected: Vec<u32> = (0..2 * threads)
            .flat_map(|i| {
                let t = i % threads;
                let own = 1u32 << (t % 32);
                let below = own - 1;
                [
                    (t % 32) | ((t / 32) << 8) | 32 << 16,
                    below,
                    below | own,
                    !(below | own),
                    !below,
                    own,
                ]
            })
            .collect();
        check(&expected, |device, stream| {
            let mut seen = device.zeroed::<u32>(expected.len())?;
            where_am_i::launch(stream, (2, block), seen.as_atomic())?;
            Ok(seen.to_vec(stream)?)
        });
    }
}

/// An array with an element for each lane: its length is known at build time.
#[kernel]
fn mirror(warp: Warp, block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 4 * Warp::LANES as usize);
    let own = warp.index() * Warp::LANES;
    slots
        .atomic((own + warp.lane()) as usize)
        .store(i.get() as u32, std::sync::atomic::Ordering::Relaxed);
    block.sync();
    let across = own + Warp::LANES - 1 - warp.lane();
    let value = slots
        .atomic(across as usize)
        .load(std::sync::atomic::Ordering::Relaxed);
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

//@ rows: BV-5, E-2, P-38
#[test]
fn the_number_of_lanes_is_the_length_of_an_array() {
    const LANES: [u32; Warp::LANES as usize] = [1; 32];
    assert_eq!(LANES.len(), 32);
    let expected: Vec<u32> = (0..5 * 96).map(|i| i / 32 * 32 + 31 - i % 32).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        mirror::launch(stream, (5, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn active(warp: Warp, i: Index1D, mut y: DisjointSlice<[LaneMask; 2]>) {
    let all = warp.active_mask();
    if i.get() % 64 == 40 {
        return;
    }
    let left = warp.active_mask();
    if let Some(y) = y.get_mut(i) {
        *y = [all, left];
    }
}

//@ rows: WA-1
#[test]
fn the_own_lane_is_active_and_one_that_returned_is_not() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(3 * 64)?;
        active::launch(stream, (3, 64), &mut y)?;
        for (i, [all, left]) in y.to_vec(stream)?.into_iter().enumerate() {
            if i % 64 == 40 {
                continue;
            }
            let own = i as u32 % 32;
            assert!(all.contains(own) && left.contains(own), "thread {i}");
            // At the start of a kernel a warp is whole, although no document promises it: in random orders the emulator answers in two parts.
            if !matches!(device.schedule(), Some(Schedule::Random(_))) {
                assert_eq!(all, LaneMask::FULL, "thread {i}");
            }
            assert!(
                i % 64 < 32 || !left.contains(8),
                "thread {i}: lane 8 returned"
            );
        }
        Ok(())
    });
}
