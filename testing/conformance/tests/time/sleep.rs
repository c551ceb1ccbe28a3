//! `nanosleep`, and locks that use it.

use std::sync::atomic::{AtomicU32, Ordering};

use warploom::device_std::time::{global_timer_ns, nanosleep};
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

#[kernel]
fn sleeps(i: Index1D, ns: u32, mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        let start = global_timer_ns();
        nanosleep(ns);
        *y = global_timer_ns() - start;
    }
}

//@ rows: OF-2, TIME-nanosleep
#[test]
fn sleep_ends() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(70)?;
        for ns in [0, 1, 500_000, u32::MAX] {
            sleeps::launch(stream, (2, 35), ns, &mut y)?;
            // At most a millisecond or two, and what the machine adds.
            assert!(
                y.to_vec(stream)?.iter().all(|took| *took < 5_000_000_000),
                "{ns} ns"
            );
        }
        Ok(())
    });
}

/// One thread of each warp adds under a lock: taken by a compare and exchange, with sleeps that double, as CUDA's guide shows it.
#[kernel]
fn locked(lock: &[AtomicU32], counter: &[AtomicU32]) {
    if lane() == 0 {
        let mut ns = 8;
        while lock[0]
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            nanosleep(ns);
            ns = (2 * ns).min(256);
        }
        // Not one operation: it needs the lock.
        let before = counter[0].load(Ordering::Relaxed);
        nanosleep(20);
        counter[0].store(before + 1, Ordering::Relaxed);
        lock[0].store(0, Ordering::Release);
    }
}

//@ rows: OF-2, OF-3
#[test]
fn a_lock_with_back_off_keeps_a_counter() {
    check(&[7 * 5], |device, stream| {
        let (mut lock, mut counter) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
        locked::launch(stream, (7, 150), lock.as_atomic(), counter.as_atomic())?;
        Ok(counter.to_vec(stream)?)
    });
}

#[kernel]
fn waits_for_the_last(flag: &[AtomicU32], mut y: DisjointSlice<u32>, i: Index1D) {
    let at = i.get();
    if at == 95 {
        flag[0].store(7, Ordering::Release);
    }
    if let Some(y) = y.get_mut(i) {
        while flag[0].load(Ordering::Acquire) == 0 {
            nanosleep(50);
        }
        *y = flag[0].load(Ordering::Relaxed);
    }
}

//@ rows: OF-2
#[test]
fn sleeping_threads_let_others_run() {
    check(&[7; 96], |device, stream| {
        let (mut flag, mut y) = (device.zeroed::<u32>(1)?, device.zeroed(96)?);
        waits_for_the_last::launch(stream, (1, 96), flag.as_atomic(), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
