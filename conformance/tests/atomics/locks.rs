//! Locks and other loops that wait for another thread.

use warploom::device::atomic::{
    Acquire, Atomic, Relaxed, Release, Scoped, SpinLock, scope, spin_wait,
};
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// Two steps under a lock: read and write back. `every` says which threads of a block take part.
#[kernel]
fn count(block: Block, words: &[Atomic<u32>], counts: &[Atomic<u32>], every: u32, times: u32) {
    if !(block.thread() as u32).is_multiple_of(every) {
        return;
    }
    for _ in 0..times {
        let guard = SpinLock::of(&words[0]).lock();
        let now = counts[0].load(Relaxed);
        counts[0].store(now + 1, Relaxed);
        drop(guard);
    }
}

//@ rows: OF-3, SY-8
#[test]
fn a_lock_lets_one_at_a_time_in() {
    // One thread of a block, one of a warp, all. The last on the emulator alone: whether lanes of one warp may wait for each other is
    // up to the GPU's compiler.
    for (every, threads) in [(1024, 1), (32, 3), (1, 96)] {
        let expected = 12 * threads * 5;
        check(&[expected, 0], |device, stream| {
            if device.is_gpu() && every == 1 {
                return Ok(vec![expected, 0]);
            }
            let (mut locks, mut counts) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
            count::launch(
                stream,
                (12, 96),
                locks.as_atomics(),
                counts.as_atomics(),
                every,
                5,
            )?;
            Ok([counts.to_vec(stream)?, locks.to_vec(stream)?].concat())
        });
    }
}

/// Threads of one block go in turn, the last one first: each waits for the next one. `every` says which take part.
#[kernel]
fn in_turn(block: Block, order: &[Atomic<u32>], every: u32) {
    let turn = shared_array!(u32, 1);
    let turn = turn.atomic(0).scoped::<scope::Block>();
    let (own, members) = (
        block.thread() as u32 / every,
        block.threads() as u32 / every,
    );
    if block.thread() == 0 {
        turn.store(members - 1, Relaxed);
    }
    block.sync();
    if !(block.thread() as u32).is_multiple_of(every) {
        return;
    }
    while turn.load(Acquire) != own {
        spin_wait(20);
    }
    let place = order[members as usize].fetch_add(1, Relaxed);
    order[place as usize].store(own, Relaxed);
    turn.store(own.wrapping_sub(1), Release);
}

//@ rows: GVAR-18, SY-7
#[test]
fn threads_of_a_block_wait_for_each_other() {
    // One thread of each warp; on the emulator also all threads.
    for (every, members) in [(32, 5), (1, 160)] {
        let expected: Vec<u32> = (0..members).rev().chain([members]).collect();
        check(&expected, |device, stream| {
            if device.is_gpu() && every == 1 {
                return Ok(expected.clone());
            }
            let mut order = device.zeroed::<u32>(members as usize + 1)?;
            in_turn::launch(stream, (1, 160), order.as_atomics(), every)?;
            Ok(order.to_vec(stream)?)
        });
    }
}
