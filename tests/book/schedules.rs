//! Exploring schedules: four bugs between atomics, found, shrunk, explained and repaired.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use warploom::prelude::*;
use warploom::testing::{Exploration, Memory, Strategy, explore};

use crate::transcript::shows;

// ANCHOR: lost_update
/// Counts the threads that see a value above the limit, in two steps.
#[kernel]
fn count_above(i: Index1D, limit: f32, x: &[f32], count: &[AtomicU32]) {
    if x.get(i.get()).is_some_and(|v| *v > limit) {
        let before = count[0].load(Relaxed);
        count[0].store(before + 1, Relaxed);
    }
}
// ANCHOR_END: lost_update

// ANCHOR: lost_update_test
fn counts(device: &Device) -> warploom::Result<()> {
    let stream = device.stream()?;
    let x = device.upload(&[3.0f32, 0.0, 5.0])?;
    let mut count = device.zeroed::<u32>(1)?;
    count_above::launch(&stream, Launch::new(3, 1), 1.0, &x, count.as_atomic())?;
    assert_eq!(count.to_vec(&stream)?, [2]);
    Ok(())
}

#[test]
fn the_lost_update_is_found() {
    let error = Exploration::new().run(counts).unwrap_err();
    shows!("lost-update", &error.to_string());
}
// ANCHOR_END: lost_update_test

// ANCHOR: lost_update_repaired
#[kernel]
fn count_above_at_once(i: Index1D, limit: f32, x: &[f32], count: &[AtomicU32]) {
    if x.get(i.get()).is_some_and(|v| *v > limit) {
        count[0].fetch_add(1, Relaxed);
    }
}

#[test]
fn no_update_is_lost() {
    let explored = explore(|device| {
        let stream = device.stream()?;
        let x = device.upload(&[3.0f32, 0.0, 5.0])?;
        let mut count = device.zeroed::<u32>(1)?;
        let launch = Launch::new(3, 1);
        count_above_at_once::launch(&stream, launch, 1.0, &x, count.as_atomic())?;
        assert_eq!(count.to_vec(&stream)?, [2]);
        Ok(())
    });
    assert!(explored.complete);
}
// ANCHOR_END: lost_update_repaired

// ANCHOR: lock_order
fn lock(lock: &AtomicU32) {
    while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
}

/// Moves one from account to account: block 0 from the first to the second, block 1 back.
#[kernel]
fn transfer(block: Block, locks: &[AtomicU32], accounts: &[AtomicU32]) {
    let (from, to) = match block.index() {
        0 => (0, 1),
        _ => (1, 0),
    };
    lock(&locks[from]);
    lock(&locks[to]);
    accounts[from].fetch_sub(1, Relaxed);
    accounts[to].fetch_add(1, Relaxed);
    locks[to].store(0, Release);
    locks[from].store(0, Release);
}
// ANCHOR_END: lock_order

#[test]
fn the_order_of_locks_is_found() {
    let failure = Exploration::new().run(|device| {
        let stream = device.stream()?;
        let (mut locks, mut accounts) = (device.zeroed::<u32>(2)?, device.upload(&[5u32, 5])?);
        let launch = Launch::new(2, 1);
        transfer::launch(&stream, launch, locks.as_atomic(), accounts.as_atomic())?;
        assert_eq!(accounts.to_vec(&stream)?, [5, 5]);
        Ok(())
    });
    shows!("lock-order", &failure.unwrap_err().to_string());
}

// ANCHOR: lock_order_repaired
#[kernel]
fn transfer_in_order(block: Block, locks: &[AtomicU32], accounts: &[AtomicU32]) {
    let (from, to) = match block.index() {
        0 => (0, 1),
        _ => (1, 0),
    };
    lock(&locks[from.min(to)]); // the lower one first, whatever the direction
    lock(&locks[from.max(to)]);
    accounts[from].fetch_sub(1, Relaxed);
    accounts[to].fetch_add(1, Relaxed);
    locks[to].store(0, Release);
    locks[from].store(0, Release);
}

#[test]
fn locks_in_order_do_not_block() {
    let exploration = Exploration::new().strategy(Strategy::Exhaustive);
    let explored = exploration.run(|device| {
        let stream = device.stream()?;
        let (mut locks, mut accounts) = (device.zeroed::<u32>(2)?, device.upload(&[5u32, 5])?);
        let launch = Launch::new(2, 1);
        transfer_in_order::launch(&stream, launch, locks.as_atomic(), accounts.as_atomic())?;
        assert_eq!(accounts.to_vec(&stream)?, [5, 5]);
        Ok(())
    });
    assert!(explored.unwrap().complete);
}
// ANCHOR_END: lock_order_repaired

// ANCHOR: no_release
/// Block 1 leaves a result and says so; block 0 takes it if it is there already.
#[kernel]
fn take_if_ready(
    block: Block,
    ready: &[AtomicU32],
    mut data: DisjointSlice<u32>,
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let Some(leader) = block.leader() else {
        return;
    };
    let data = data.raw();
    if block.index() == 1 {
        // SAFETY: only this thread writes, before it sets the flag.
        unsafe { *data = 42 };
        ready[0].store(1, Relaxed);
    } else if ready[0].load(Acquire) == 1 {
        // SAFETY: wrong on purpose: the flag was not stored with `Release`.
        let value = unsafe { *data };
        if let Some(y) = y.get_mut(leader) {
            *y = value;
        }
    }
}
// ANCHOR_END: no_release

#[test]
fn the_missing_release_is_found() {
    let failure = Exploration::new().run(|device| {
        let stream = device.stream()?;
        let (mut ready, mut data) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
        let mut y = device.zeroed::<u32>(2)?;
        take_if_ready::launch(
            &stream,
            Launch::new(2, 1),
            ready.as_atomic(),
            &mut data,
            &mut y,
        )?;
        stream.synchronize()?;
        Ok(())
    });
    let failure = failure.unwrap_err().schedule().unwrap();
    assert!(
        failure.execution > 1,
        "the order without switches does not show it"
    );
    shows!("missing-release", &failure.to_string());
}

// ANCHOR: stale_sum
/// Each block leaves its sum; the one that arrives last adds them all.
#[kernel]
fn add_sums(block: Block, sums: &[AtomicU32], arrived: &[AtomicU32], total: &[AtomicU32]) {
    sums[block.index()].store(10 + block.index() as u32, Relaxed);
    if arrived[0].fetch_add(1, Relaxed) == 1 {
        total[0].store(sums[0].load(Relaxed) + sums[1].load(Relaxed), Relaxed);
    }
}

fn adds_sums(device: &Device) -> warploom::Result<()> {
    let stream = device.stream()?;
    let mut sums = device.zeroed::<u32>(2)?;
    let (mut arrived, mut total) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
    add_sums::launch(
        &stream,
        Launch::new(2, 1),
        sums.as_atomic(),
        arrived.as_atomic(),
        total.as_atomic(),
    )?;
    assert_eq!(total.to_vec(&stream)?, [21]);
    Ok(())
}
// ANCHOR_END: stale_sum

#[test]
fn the_old_sum_is_found() {
    let error = Exploration::new().run(adds_sums).unwrap_err();
    let failure = error.schedule().unwrap();
    assert_eq!(failure.old_loads, 1, "{failure}");
    shows!("old-sum", &failure.to_string());
}

// ANCHOR: stale_sum_alone
#[test]
fn only_older_values_show_it() {
    let exploration = Exploration::new()
        .strategy(Strategy::Exhaustive)
        .memory(Memory::SequentiallyConsistent);
    let explored = exploration.run(adds_sums).unwrap();
    assert!(explored.complete);
}
// ANCHOR_END: stale_sum_alone

// ANCHOR: stale_sum_repaired
#[kernel]
fn add_sums_in_order(block: Block, sums: &[AtomicU32], arrived: &[AtomicU32], total: &[AtomicU32]) {
    sums[block.index()].store(10 + block.index() as u32, Relaxed);
    if arrived[0].fetch_add(1, AcqRel) == 1 {
        total[0].store(sums[0].load(Relaxed) + sums[1].load(Relaxed), Relaxed);
    }
}
// ANCHOR_END: stale_sum_repaired

#[test]
fn sums_in_order_are_complete() {
    let exploration = Exploration::new().strategy(Strategy::Exhaustive);
    let explored = exploration.run(|device| {
        let stream = device.stream()?;
        let mut sums = device.zeroed::<u32>(2)?;
        let (mut arrived, mut total) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
        add_sums_in_order::launch(
            &stream,
            Launch::new(2, 1),
            sums.as_atomic(),
            arrived.as_atomic(),
            total.as_atomic(),
        )?;
        assert_eq!(total.to_vec(&stream)?, [21]);
        Ok(())
    });
    assert!(explored.unwrap().complete);
}

#[test]
fn many_threads_are_explored_by_priorities() {
    // ANCHOR: strategy
    let exploration = Exploration::new()
        .strategy(Strategy::Priorities { depth: 3 })
        .executions(5000)
        .seed(7);
    let failure = exploration.run(counts);
    // ANCHOR_END: strategy
    assert!(failure.unwrap_err().schedule().unwrap().switches <= 2);
}
