//! The barrier of a block: no thread passes before all have arrived, and writes before it are visible after it.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_harness::device_test::check;

#[kernel]
fn sum_of_all(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 128);
    let v = x.get(i.get()).copied().unwrap_or(0);
    slots.atomic(block.thread()).store(v, Relaxed);
    block.sync();
    let mut sum = 0u32;
    for k in 0..block.threads() {
        sum = sum.wrapping_add(slots.atomic(k).load(Relaxed));
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

//@ rows: SY-1, GSY-1, GPM-7
#[test]
fn what_was_written_before_is_read_after() {
    for block in [128usize, 96, 70, 1] {
        let x: Vec<u32> = (0..3 * block as u32)
            .map(|i| i.wrapping_mul(0x9E37_79B9))
            .collect();
        let sum = |i: usize| {
            x[i / block * block..][..block]
                .iter()
                .copied()
                .fold(0, u32::wrapping_add)
        };
        let expected: Vec<u32> = (0..x.len()).map(sum).collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(x.len())?;
            sum_of_all::launch(stream, (3, block as u32), &device.upload(&x)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Every round each thread takes the value of its neighbour: read after write, write after read, in turn.
#[kernel]
fn turn_round(block: Block, i: Index1D, rounds: u32, mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 128);
    let (t, n) = (block.thread(), block.threads());
    slots.atomic(t).store(i.get() as u32, Relaxed);
    for _ in 0..rounds {
        block.sync();
        let next = slots.atomic((t + 1) % n).load(Relaxed);
        block.sync();
        slots.atomic(t).store(next, Relaxed);
    }
    if let Some(y) = y.get_mut(i) {
        *y = slots.atomic(t).load(Relaxed);
    }
}

//@ rows: SY-1, GSY-1
#[test]
fn many_rounds_keep_in_step() {
    for block in [128u32, 70] {
        let rounds = 200;
        let expected: Vec<u32> = (0..4 * block)
            .map(|i| i / block * block + (i % block + rounds) % block)
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(expected.len())?;
            turn_round::launch(stream, (4, block), rounds, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Global memory is ordered for the block too: each thread reads what another wrote.
#[kernel]
fn through_global(block: Block, i: Index1D, memory: &[AtomicU32], mut y: DisjointSlice<u32>) {
    let (t, n, start) = (
        block.thread(),
        block.threads(),
        block.index() * block.threads(),
    );
    memory[start + t].store(start as u32 + 3 * t as u32, Relaxed);
    block.sync();
    let mirrored = memory[start + n - 1 - t].load(Relaxed);
    block.sync();
    memory[start + t].store(0, Relaxed); // write after read
    if let Some(y) = y.get_mut(i) {
        *y = mirrored;
    }
}

//@ rows: SY-1, GSY-1
#[test]
fn global_memory_is_ordered_too() {
    let expected: Vec<u32> = (0..5 * 96)
        .map(|i| i / 96 * 96 + 3 * (95 - i % 96))
        .collect();
    check(&expected, |device, stream| {
        let mut memory = device.zeroed::<u32>(expected.len())?;
        let mut y = device.zeroed(expected.len())?;
        through_global::launch(stream, (5, 96), memory.as_atomic(), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Threads leave one after the other; those that stay go on meeting.
#[kernel]
fn fewer_and_fewer(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 128);
    let (t, n) = (block.thread(), block.threads());
    let mut seen = 0;
    for round in 0..t {
        slots.atomic(t).store(round as u32, Relaxed);
        block.sync();
        // The last thread stays to the end.
        seen += slots.atomic(n - 1).load(Relaxed);
        block.sync();
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: SY-1
#[test]
fn threads_that_returned_are_not_waited_for() {
    let expected: Vec<u32> = (0..2 * 70)
        .map(|i| {
            let t = i % 70;
            (0..t).sum()
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        fewer_and_fewer::launch(stream, (2, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// A condition that is the same in the whole block.
#[kernel]
fn in_even_blocks(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 96);
    let t = block.thread();
    slots.atomic(t).store(t as u32, Relaxed);
    let mut seen = 1000;
    if block.index().is_multiple_of(2) {
        block.sync();
        seen = slots.atomic(95 - t).load(Relaxed);
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: SY-5, GSY-2
#[test]
fn a_condition_of_the_whole_block_is_no_divergence() {
    let expected: Vec<u32> = (0..4 * 96)
        .map(|i| if (i / 96) % 2 == 0 { 95 - i % 96 } else { 1000 })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        in_even_blocks::launch(stream, (4, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
