//! Locks and other loops that wait for another thread.

use warploom::device_std::atomic::{
    Acquire, Atomic, Relaxed, Release, Scoped, SpinLock, scope, spin_wait,
};
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

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

/// `threads` of each block of twelve take part, every `every`-th.
fn locked(device: &Device, stream: &Stream, every: u32, threads: u32) -> warploom::Result<()> {
    let (mut locks, mut counts) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
    let shape = (12, 96);
    count::launch(
        stream,
        shape,
        locks.as_atomics(),
        counts.as_atomics(),
        every,
        5,
    )?;
    let found = [counts.to_vec(stream)?, locks.to_vec(stream)?].concat();
    assert_eq!(found, [12 * threads * 5, 0], "on {}", device.name());
    Ok(())
}

//@ rows: OF-3, SY-8
#[test]
fn a_lock_lets_one_at_a_time_in() {
    // One thread of a block, one of a warp.
    for (every, threads) in [(1024, 1), (32, 3)] {
        on_each_device(|device, stream| locked(device, stream, every, threads));
    }
}

/// Whether lanes of one warp may wait for each other on a GPU is up to its compiler; on the emulator they may.
#[test]
fn all_lanes_take_turns_on_the_emulator() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    locked(&device, &stream, 1, 96).unwrap();
    taken_in_turn(&device, &stream, 1, 160).unwrap();
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

/// The `members` of a block, every `every`-th thread, the last first.
fn taken_in_turn(
    device: &Device,
    stream: &Stream,
    every: u32,
    members: u32,
) -> warploom::Result<()> {
    let mut order = device.zeroed::<u32>(members as usize + 1)?;
    in_turn::launch(stream, (1, 160), order.as_atomics(), every)?;
    let expected: Vec<u32> = (0..members).rev().chain([members]).collect();
    assert_eq!(order.to_vec(stream)?, expected, "on {}", device.name());
    Ok(())
}

//@ rows: GVAR-18, SY-7
#[test]
fn threads_of_a_block_wait_for_each_other() {
    // One thread of each warp.
    on_each_device(|device, stream| taken_in_turn(device, stream, 32, 5));
}
