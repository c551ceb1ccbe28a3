//! Barriers in shared memory.

use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::Mbarrier;
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// Arrive, do something else, wait: round after round at one barrier.
#[kernel]
fn turn_round(block: Block, i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    let memory = shared_array!(u64, 2);
    let slots = shared_array!(u32, 96);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: the memory has room for two barriers.
    let written = unsafe { Mbarrier::new(memory, 0) };
    // SAFETY: as above.
    let read = unsafe { Mbarrier::new(memory, 1) };
    if t == 0 {
        // SAFETY: initialised by one thread, before the others use it.
        unsafe { written.init(n as u32) };
        // SAFETY: as above.
        unsafe { read.init(n as u32) };
    }
    block.sync();
    slots.atomic(t).store(i.get() as u32, Relaxed);
    for _ in 0..rounds {
        // SAFETY: initialised; each thread arrives once in each phase.
        let arrival = unsafe { written.arrive() };
        // SAFETY: of the phase that this thread has just arrived in.
        unsafe { written.wait(arrival) };
        let next = slots.atomic((t + 1) % n).load(Relaxed);
        // SAFETY: as for the other barrier.
        let arrival = unsafe { read.arrive() };
        // SAFETY: likewise.
        while !unsafe { read.has_ended(arrival) } {}
        slots.atomic(t).store(next, Relaxed);
    }
    block.sync();
    if t == 0 {
        // SAFETY: no thread uses it after the barrier of the block.
        unsafe { written.invalidate() };
        // SAFETY: as above.
        unsafe { read.invalidate() };
    }
    if let Some(y) = y.get_mut(i) {
        *y = slots.atomic(t).load(Relaxed);
    }
}

//@ rows: ASYNC-mbarrier
#[test]
fn arrivals_order_memory() {
    for block in [96u32, 70] {
        let rounds = 33;
        let expected: Vec<u32> = (0..3 * block)
            .map(|i| i / block * block + (i % block + rounds) % block)
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(expected.len())?;
            turn_round::launch(stream, (3, block), rounds, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// One warp produces and only arrives; two consume, and wait by parity.
#[kernel]
fn produce_and_consume(block: Block, i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    let memory = shared_array!(u64, 2);
    let slots = shared_array!(u32, 32);
    let t = block.thread();
    let mut sum = 0;
    // SAFETY: the memory has room for two barriers.
    let full = unsafe { Mbarrier::new(memory, 0) };
    // SAFETY: as above.
    let empty = unsafe { Mbarrier::new(memory, 1) };
    if t == 0 {
        // SAFETY: initialised by one thread, before the others use it; 32 threads arrive in each round.
        unsafe { full.init(32) };
        // SAFETY: as above; 64 threads arrive in each round.
        unsafe { empty.init(64) };
    }
    block.sync();
    for round in 0..rounds {
        if t < 32 {
            if round > 0 {
                // SAFETY: initialised; a waiting thread is at most one phase behind.
                unsafe { empty.wait_parity((round - 1) % 2) };
            }
            slots.atomic(t).store(round * 100 + t as u32, Relaxed);
            // SAFETY: each of the 32 threads arrives once in each round.
            let _ = unsafe { full.arrive() };
        } else {
            if round % 3 == 0 {
                // SAFETY: initialised; a waiting thread is at most one phase behind.
                while !unsafe { full.has_parity_ended(round % 2) } {}
            } else {
                // SAFETY: as above.
                unsafe { full.wait_parity(round % 2) };
            }
            sum += slots.atomic(31 - t % 32).load(Relaxed);
            // SAFETY: each of the 64 threads arrives once in each round.
            let _ = unsafe { empty.arrive() };
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

//@ rows: ASYNC-mbarrier
#[test]
fn phases_are_told_apart_by_parity() {
    let rounds = 40;
    let expected: Vec<u32> = (0..4 * 96)
        .map(|i| {
            let t = i % 96;
            if t < 32 {
                0
            } else {
                (0..rounds).map(|r| r * 100 + 31 - t % 32).sum()
            }
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        produce_and_consume::launch(stream, (4, 96), rounds, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// A thread asks before the phase can have ended, and after.
#[kernel]
fn not_before_the_last(block: Block, i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    let memory = shared_array!(u64, 1);
    let t = block.thread();
    let mut seen = [7, 7];
    // SAFETY: the memory has room for a barrier.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    if t == 0 {
        // SAFETY: initialised by one thread, before the others use it.
        unsafe { barrier.init(64) };
    }
    block.sync();
    // SAFETY: initialised; each of the 64 threads arrives once, in one phase.
    let arrive = || unsafe { barrier.arrive() };
    // SAFETY: `arrival` is of that phase.
    let has_ended = |arrival| u32::from(unsafe { barrier.has_ended(arrival) });
    if t < 32 {
        let arrival = arrive();
        seen[0] = has_ended(arrival); // 32 are missing: they wait for this warp
        block.sync();
        // SAFETY: of the phase that this thread has arrived in.
        unsafe { barrier.wait(arrival) };
        seen[1] = has_ended(arrival);
    } else {
        block.sync();
        let arrival = arrive();
        // SAFETY: as above.
        unsafe { barrier.wait(arrival) };
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: ASYNC-mbarrier
#[test]
fn a_phase_ends_with_its_last_arrival() {
    let expected: Vec<[u32; 2]> = (0..2 * 64)
        .map(|i| if i % 64 < 32 { [0, 1] } else { [7, 7] })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        not_before_the_last::launch(stream, (2, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn one_arrival_too_few(block: Block) {
    let memory = shared_array!(u64, 1);
    // SAFETY: the element is this barrier's alone.
    let barrier = unsafe { Mbarrier::new(memory, 0) };
    if block.thread() == 0 {
        // SAFETY: one thread initialises it, before the others use it.
        unsafe { barrier.init(70) };
    }
    block.sync();
    if block.thread() != 5 {
        // SAFETY: initialised before the block's barrier.
        let arrival = unsafe { barrier.arrive() };
        // SAFETY: the arrival of the current phase.
        unsafe { barrier.wait(arrival) };
    }
}

#[test]
fn a_phase_that_never_ends_is_reported() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    one_arrival_too_few::launch(&stream, (1, 70)).unwrap();
    let text = stream.synchronize().unwrap_err().to_string();
    let expected =
        "69 threads (first: (0, 0, 0)) wait at an `Mbarrier` for the end of a phase of parity 0, ";
    assert!(text.contains(expected), "{text}");
}
