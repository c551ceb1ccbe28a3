//! Adding from many threads loses nothing.
mod launch;
use launch::launch;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering::Relaxed};
use warploom_device_std::*;

#[test]
fn every_width_adds_up() {
    let (a, b, c) = (
        AtomicU32::new(u32::MAX),
        AtomicI32::new(0),
        AtomicU64::new(1 << 40),
    );
    let (d, e) = (AtomicF32::new(0.5), AtomicF64::from(0.25));
    let result = launch(5, 77, || {
        atomic_add(&a, 1);
        atomic_add(&b, -3);
        atomic_add(&c, 1 << 33);
        atomic_add(&d, 1.0);
        atomic_add(&e, -1.0);
    });
    assert_eq!(result, Ok(()));
    assert_eq!(
        (a.into_inner(), b.into_inner(), c.into_inner()),
        (384, -1155, (1 << 40) + (385 << 33))
    );
    assert_eq!((d.load(Relaxed), e.load(Relaxed)), (385.5, -384.75));
}

#[test]
fn adding_returns_the_value_before() {
    let tickets = AtomicU32::new(0);
    let mut seen = launch::each_thread(4, 33, |_| atomic_add(&tickets, 1));
    seen.sort_unstable();
    assert_eq!(seen, Vec::from_iter(0..132));
}

#[test]
fn floats_store_and_load() {
    let x = AtomicF32::new(1.0);
    x.store(-0.0, Relaxed);
    assert!(x.load(Relaxed).is_sign_negative());
    assert_eq!(x.fetch_add(2.0), 0.0);
    assert_eq!(x.load(Relaxed), 2.0);
}
