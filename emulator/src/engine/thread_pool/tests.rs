#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

use std::panic::catch_unwind;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::ThreadId;

use super::*;

/// Asks for `n` helpers and waits until all of them and the caller are there; gives who they were, without the caller.
fn meet(pool: &Pool, n: usize) -> Vec<ThreadId> {
    let there = Barrier::new(n + 1);
    let who: StaticMutex<Vec<ThreadId>> = StaticMutex::default();
    let work = || {
        who.lock().unwrap().push(thread::current().id());
        there.wait();
    };
    pool.run_with(n, &work, &|| panic!("all are needed"), |n_helping| {
        assert_eq!(n_helping, n);
        there.wait();
        true
    });
    who.into_inner().unwrap()
}

fn n_idle(pool: &Pool) -> usize {
    pool.0.lock().unwrap().helpers.len()
}

#[test]
fn helpers_are_kept_and_asked_again() {
    let pool = Pool::new();
    let first = meet(&pool, 1);
    assert_eq!(first.len(), 1);
    assert_ne!(first[0], thread::current().id());
    for _ in 0..20 {
        if cfg!(miri) {
            assert_eq!(n_idle(&pool), 0);
        } else {
            assert_eq!(meet(&pool, 1), first);
        }
    }
}

#[test]
fn no_more_are_kept_than_could_work() {
    let pool = Pool::new();
    assert_eq!(meet(&pool, processors() + 3).len(), processors() + 3);
    let kept = if cfg!(miri) { 0 } else { processors() };
    assert_eq!(n_idle(&pool), kept);
}

#[test]
fn without_helpers_the_caller_works_alone() {
    let pool = Pool::new();
    let mut n = None;
    pool.run_with(
        0,
        &|| panic!("no helper was asked"),
        &|| panic!(),
        |n_helping| {
            n = Some(n_helping);
            true
        },
    );
    assert_eq!((n, n_idle(&pool)), (Some(0), 0));
}

#[test]
fn each_helper_works_or_is_cancelled() {
    let pool = Pool::new();
    for round in 0..200 {
        let (worked, off) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            worked.fetch_add(1, Relaxed);
        };
        let cancel = || {
            off.fetch_add(1, Relaxed);
        };
        pool.run_with(2, &work, &cancel, |_| true);
        let counts = (worked.into_inner(), off.into_inner());
        assert_eq!(counts.0 + counts.1, 2, "round {round}: {counts:?}");
    }
}

#[test]
fn who_is_needed_is_waited_for() {
    let pool = Pool::new();
    for _ in 0..50 {
        let worked = AtomicUsize::new(0);
        let work = || {
            worked.fetch_add(1, Relaxed);
        };
        pool.run_with(2, &work, &|| panic!("all are needed"), |_| false);
        assert_eq!(worked.into_inner(), 2);
    }
}

#[test]
fn a_panic_of_a_helper_is_the_callers_and_its_thread_is_not_asked_again() {
    let pool = Pool::new();
    let who = meet(&pool, 1);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let work = || resume_unwind(Box::new("helper"));
        pool.run_with(1, &work, &|| {}, |_| false);
    }));
    assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"helper"));
    assert_eq!(n_idle(&pool), 0);
    assert_ne!(meet(&pool, 1), who);
}

#[test]
fn a_panic_of_the_caller_waits_for_helpers_and_keeps_them() {
    let pool = Pool::new();
    let there = Barrier::new(2);
    let worked = AtomicUsize::new(0);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let work = || {
            there.wait();
            thread::yield_now();
            worked.fetch_add(1, Relaxed);
        };
        pool.run_with(1, &work, &|| {}, |_| {
            there.wait();
            resume_unwind(Box::new("caller"))
        });
    }));
    assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"caller"));
    assert_eq!(worked.into_inner(), 1);
    assert_eq!(n_idle(&pool), usize::from(!cfg!(miri)));
}

#[test]
fn helpers_of_another_process_are_not_asked() {
    let pool = Pool::new();
    let who = meet(&pool, 1);
    // As a fork leaves it.
    pool.0.lock().unwrap().process ^= 1;
    assert_ne!(meet(&pool, 1), who);
}
