//! `managed_static!`: one memory for host and kernels.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64};

use warploom::prelude::*;
use warploom_device_std::managed_static;
use warploom_harness::device_test::{on_each_device, on_each_kind_of_device};

managed_static! {
    static G: [AtomicU32; 4] = [AtomicU32::new(10), AtomicU32::new(20), AtomicU32::new(30), AtomicU32::new(40)];
}

#[kernel]
fn add_and_tell(i: Index1D, mut y: DisjointSlice<u64>) {
    G[i.get() % 4].fetch_add(1, Relaxed);
    if let Some(y) = y.get_mut(i) {
        *y = (&raw const *G).expose_provenance() as u64;
    }
}

//@ rows: MS-4
#[test]
fn host_and_kernels_see_one_memory_at_one_address() {
    on_each_kind_of_device(|device, stream| {
        let g = device.managed(&G)?;
        let before = [0, 1, 2, 3].map(|k: usize| g[k].load(Relaxed));
        assert_eq!(before, [10, 20, 30, 40]);
        g[2].store(1000, SeqCst); // the kernel starts after this
        let mut y = device.zeroed(96)?;
        add_and_tell::launch(stream, (2, 48), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [g.address(); 96]);
        assert_eq!(g.address(), (&raw const *g).addr() as u64);
        let after = [0, 1, 2, 3].map(|k: usize| g[k].load(Relaxed));
        assert_eq!(after, [34, 44, 1024, 64]);
        Ok(())
    });
}

managed_static! {
    static TOTAL: AtomicU64 = AtomicU64::new(5);
}

#[kernel]
fn add_all(i: Index1D, x: &[u64]) {
    if let Some(x) = x.get(i.get()) {
        TOTAL.fetch_add(*x, Relaxed);
    }
}

#[kernel]
fn take_half(i: Index1D) {
    if i.get() == 0 {
        TOTAL.store(TOTAL.load(Relaxed) / 2, Relaxed);
    }
}

//@ rows: MS-4
#[test]
fn two_kernels_and_the_host_in_turn() {
    on_each_device(|device, stream| {
        let total = device.managed(&TOTAL)?;
        total.store(6, Relaxed);
        let x = device.upload(&Vec::from_iter(0..130u64))?;
        add_all::launch(stream, (3, 70), &x)?;
        take_half::launch(stream, (1, 32))?;
        stream.synchronize()?;
        assert_eq!(total.swap(100, Relaxed), (6 + 129 * 65) / 2);
        take_half::launch(stream, (1, 32))?;
        stream.synchronize()?;
        assert_eq!(total.load(Relaxed), 50);
        Ok(())
    });
}

managed_static! {
    static FLAG: AtomicI32 = AtomicI32::new(0);
}

#[kernel]
fn count_down(i: Index1D, rounds: i32) {
    if i.get() == 0 {
        for _ in 0..rounds {
            FLAG.fetch_sub(1, Relaxed);
        }
    }
}

//@ rows: MS-4
#[test]
fn both_sides_count_at_the_same_time() {
    on_each_device(|device, stream| {
        let flag = device.managed(&FLAG)?;
        flag.store(0, Relaxed);
        std::thread::scope(|threads| -> warploom::Result<()> {
            let host = threads.spawn(|| {
                for _ in 0..500 {
                    flag.fetch_add(3, Relaxed);
                }
            });
            count_down::launch(stream, (1, 32), 500)?;
            stream.synchronize()?;
            host.join().unwrap();
            Ok(())
        })?;
        assert_eq!(flag.load(Relaxed), 1000);
        Ok(())
    });
}

//@ rows: MS-4
#[test]
fn without_a_device_there_is_no_access() {
    let text = std::panic::catch_unwind(|| FLAG.load(Relaxed)).unwrap_err();
    let text = text.downcast_ref::<String>().unwrap();
    assert!(text.contains("`device.managed(&FLAG)?`"), "{text}");
}
