//! Lanes of fast runs that poll: by the intrinsics for atomics, and by sleeping between looks at what no intrinsic reads.

#![expect(
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use crate::finding::Code;
use crate::intrinsics::*;
use crate::options::{Mode, Options};
use crate::{Fault, Outcome, Shape, Together, WaitPoint, run_with};

const RELAXED: u32 = 0;
const ACQUIRE: u32 = 4;

fn options(workers: usize) -> Options {
    Options {
        mode: Mode::Fast,
        workers: Some(workers),
        ..Options::default()
    }
}

fn outcome([blocks, threads]: [u32; 2], options: &Options, program: impl Fn() + Sync) -> Outcome {
    let shape = Shape::new([blocks, 1, 1], [threads, 1, 1]);
    run_with(shape, Together::default(), options, &program)
}

#[track_caller]
fn ends(size: [u32; 2], options: &Options, program: impl Fn() + Sync) {
    let outcome = outcome(size, options, program);
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}

/// What threads of which line poll for ever.
#[track_caller]
fn is_stuck(outcome: &Outcome, line: u32) -> (String, u32) {
    let [report, ..] = &outcome.reports[..] else {
        panic!("{:?}", outcome.reports)
    };
    assert_eq!(report.code, Code::SPIN_STUCK);
    let Some(Fault::Deadlock { waits, .. }) = &outcome.fault else {
        panic!("{:?}", outcome.fault)
    };
    assert_eq!((waits[0].point, waits[0].line), (WaitPoint::Memory, line));
    (report.title.clone(), waits[0].threads)
}

fn load(word: &AtomicU32) -> u32 {
    // SAFETY: a word that is accessed atomically alone.
    unsafe { atomic_load_u32(word.as_ptr(), ACQUIRE) }
}

fn store(word: &AtomicU32, value: u32) {
    // SAFETY: as above.
    unsafe { atomic_store_u32(word.as_ptr(), value, RELAXED) }
}

#[test]
fn a_lane_that_only_looks_lets_others_run() {
    let flag = AtomicU32::new(0);
    ends([1, 70], &options(1), || {
        if thread_idx_x() == 69 {
            store(&flag, 1);
        }
        while load(&flag) == 0 {}
    });
}

#[test]
fn a_flag_that_is_never_set_is_found() {
    for workers in [1, 2, 3] {
        let flag = AtomicU32::new(0);
        let line = line!() + 5;
        let outcome = outcome([3, 40], &options(workers), || {
            if thread_idx_x().is_multiple_of(2) {
                block_barrier();
                // SAFETY: a word that is accessed atomically alone.
                while unsafe { atomic_load_u32(flag.as_ptr(), ACQUIRE) } == 0 {}
            }
        });
        let title = "20 threads poll memory that no thread will change".to_owned();
        assert_eq!(is_stuck(&outcome, line), (title, 20));
    }
}

#[test]
fn a_lock_that_is_never_released_is_found_although_it_is_written_again_and_again() {
    let lock = AtomicU32::new(0);
    let line = line!() + 3;
    let outcome = outcome([1, 32], &options(1), || {
        // SAFETY: a word that is accessed atomically alone.
        while unsafe { atomic_swap_u32(lock.as_ptr(), 1, ACQUIRE) } == 1 {}
    });
    assert_eq!(is_stuck(&outcome, line).1, 31);
}

#[test]
fn an_exchange_that_always_fails_is_found() {
    let lock = AtomicU32::new(1);
    let line = line!() + 3;
    let outcome = outcome([2, 5], &options(1), || {
        // SAFETY: a word that is accessed atomically alone.
        while unsafe { atomic_cas_u32(lock.as_ptr(), 0, 1, ACQUIRE) } != 0 {}
    });
    assert_eq!(is_stuck(&outcome, line).1, 5);
}

#[test]
fn threads_that_sleep_for_ever_are_found() {
    let line = line!() + 3;
    let outcome = outcome([1, 33], &options(1), || {
        while thread_idx_x() != 7 {
            spin_wait(20);
        }
    });
    assert_eq!(is_stuck(&outcome, line).1, 32);
}

#[test]
fn a_loop_with_several_looks_is_named_by_its_first() {
    for extra in 0..4 {
        let words = [const { AtomicU32::new(0) }; 2];
        let line = line!() + 6;
        let outcome = outcome([1, 9], &options(1), || {
            for _ in 0..extra {
                load(&words[0]);
            }
            // SAFETY: words that are accessed atomically alone.
            while unsafe { atomic_load_u32(words[0].as_ptr(), ACQUIRE) } == 0
                || load(&words[1]) == 0
            {}
        });
        is_stuck(&outcome, line);
    }
}

#[test]
fn blocks_of_other_workers_are_waited_for() {
    let flag = AtomicU32::new(0);
    ends([2, 1], &options(2), || match block_idx_x() {
        0 => while load(&flag) == 0 {},
        _ => {
            std::thread::sleep(Duration::from_millis(300));
            store(&flag, 1);
        }
    });
}

#[test]
fn threads_that_hand_a_turn_on_again_and_again_are_no_finding() {
    let turn = AtomicU32::new(0);
    ends([1, 2], &options(1), || {
        for round in 0..20_000 {
            while load(&turn) != 2 * round + thread_idx_x() {
                spin_wait(10);
            }
            store(&turn, 2 * round + thread_idx_x() + 1);
        }
    });
}

#[test]
fn a_loop_that_looks_at_a_clock_gives_up_by_itself() {
    ends([1, 1], &options(1), || {
        let start = global_timer();
        while global_timer() - start < 50_000_000 {
            nanosleep(10);
        }
    });
}

#[test]
fn a_barrier_of_blocks_made_by_hand_is_found() {
    let count = AtomicU32::new(0);
    let outcome = outcome([5, 1], &options(2), || {
        // SAFETY: a word that is accessed atomically alone.
        unsafe { atomic_fetch_add_u32(count.as_ptr(), 1, ACQUIRE) };
        while load(&count) < 5 {}
    });
    assert!(matches!(outcome.fault, Some(Fault::Deadlock { .. })));
}
