//! Named barriers: some warps wait, others only arrive.

use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::NamedBarrier;
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// The first half of the warps fills a buffer, the second sums it up; both halves have one barrier for each direction.
#[kernel]
fn produce_and_consume(block: Block, rounds: u32, mut y: DisjointSlice<u32, PerBlock>) {
    let slots = shared_array!(u32, 64);
    let total = shared_array!(u32, 1);
    let t = block.thread();
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let full = unsafe { NamedBarrier::<1>::new(&block) };
    // SAFETY: as above.
    let empty = unsafe { NamedBarrier::<15>::new(&block) };
    if t == 0 {
        total.atomic(0).store(0, Relaxed);
    }
    block.sync();
    for round in 0..rounds {
        if t < 64 {
            if round > 0 {
                empty.sync(128);
            }
            slots.atomic(t).store(round * 1000 + t as u32, Relaxed);
            full.arrive(128);
        } else {
            full.sync(128);
            // Each reads what another warp than its counterpart wrote.
            let v = slots.atomic((t - 64 + 40) % 64).load(Relaxed);
            total.atomic(0).fetch_add(v, Relaxed);
            if round + 1 < rounds {
                empty.arrive(128);
            }
        }
    }
    block.sync();
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = total.atomic(0).load(Relaxed);
    }
}

//@ rows: SY-named
#[test]
fn producers_and_consumers_take_turns() {
    let rounds = 50;
    let sum: u32 = (0..rounds).map(|r| 64 * r * 1000 + 2016).sum();
    let expected = [sum; 5];
    check(&expected, |device, stream| {
        let mut y = device.zeroed(5)?;
        produce_and_consume::launch(stream, (5, 128), rounds, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Two of three warps meet; the third goes its own way.
#[kernel]
fn two_of_three(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let pair = unsafe { NamedBarrier::<9>::new(&block) };
    let mut seen = 5;
    if t < 64 {
        for round in 0..20 {
            slots.atomic(t).store(round + t as u32, Relaxed);
            pair.sync(64);
            seen = slots.atomic(63 - t).load(Relaxed);
            pair.sync(64);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: SY-named
#[test]
fn a_part_of_the_warps_meets() {
    let expected: Vec<u32> = (0..3 * 96)
        .map(|i| if i % 96 < 64 { 19 + 63 - i % 96 } else { 5 })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        two_of_three::launch(stream, (3, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn too_few(block: Block, threads: u32) {
    // SAFETY: the kernel has no shared tile, and this barrier is used here alone.
    let barrier = unsafe { NamedBarrier::<3>::new(&block) };
    if block.thread() < 32 {
        barrier.arrive(threads);
    } else if block.thread() < 64 {
        barrier.sync(threads);
    }
}

#[test]
fn a_barrier_that_too_few_reach_is_reported() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    too_few::launch(&stream, (1, 96), 96).unwrap();
    let text = stream.synchronize().unwrap_err().to_string();
    let expected = "32 threads (first: (32, 0, 0)) wait at barrier 3 for 96 threads (64 there), ";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_number_that_is_no_number_of_warps_is_refused() {
    for threads in [0, 16, 33, 1056] {
        let device = Device::emulator();
        let stream = device.stream().unwrap();
        too_few::launch(&stream, (1, 96), threads).unwrap();
        let text = stream.synchronize().unwrap_err().to_string();
        assert!(text.contains("multiple of 32"), "{text}");
    }
}
