//! What hooks would do is done by hand here.

use std::panic::Location;

use super::*;
use crate::engine::fiber::with_running;
use crate::finding::Code;
use crate::intrinsics::*;
use crate::options::{Mode, Options, Schedule};
use crate::{Fault, Outcome, Shape, SharedKey, Together, WaitPoint, run_with};
use std::any::TypeId;

fn options() -> Options {
    Options {
        mode: Mode::Checked,
        workers: Some(1),
        ..Options::default()
    }
}

fn outcome(blocks: u32, threads: u32, options: &Options, program: impl Fn() + Sync) -> Outcome {
    let shape = Shape::new([blocks, 1, 1], [threads, 1, 1]);
    run_with(shape, Together::default(), options, &program)
}

#[track_caller]
fn ends(blocks: u32, threads: u32, options: &Options, program: impl Fn() + Sync) {
    let outcome = outcome(blocks, threads, options, program);
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}

#[track_caller]
fn announce(word: &AtomicU32, writes: bool) {
    let place = Site::of_call(Location::caller());
    let at: *const u8 = word.as_ptr().cast();
    with_running(|running| running.atomic_access(at, 4, (writes, false), place));
}

#[track_caller]
fn load(word: &AtomicU32) -> u32 {
    announce(word, false);
    word.load(Ordering::SeqCst)
}

#[track_caller]
fn store(word: &AtomicU32, value: u32) {
    announce(word, true);
    word.store(value, Ordering::SeqCst);
}

#[track_caller]
fn swap(word: &AtomicU32, value: u32) -> u32 {
    announce(word, true);
    word.swap(value, Ordering::SeqCst)
}

fn orders() -> impl Iterator<Item = Options> {
    let named = [
        Schedule::Forward,
        Schedule::Reverse,
        Schedule::LastWarpFirst,
        Schedule::OneLane,
    ];
    let all = named.into_iter().chain((0..10).map(Schedule::Random));
    all.map(|schedule| Options {
        schedule,
        ..options()
    })
}

#[test]
fn a_flag_of_another_lane_is_waited_for() {
    for options in orders() {
        let flag = AtomicU32::new(0);
        ends(1, 70, &options, || {
            if thread_idx_x() == 50 {
                store(&flag, 1);
            }
            while load(&flag) == 0 {}
        });
    }
}

#[test]
fn a_spin_lock_passes_through_all_lanes() {
    for options in orders() {
        let (lock, inside, count) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        ends(2, 64, &options, || {
            while swap(&lock, 1) == 1 {}
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
            for _ in 0..100 {
                load(&count); // lanes give way while they hold the lock, too
            }
            store(&count, load(&count) + 1);
            inside.fetch_sub(1, Ordering::SeqCst);
            store(&lock, 0);
        });
        assert_eq!(count.into_inner(), 128);
    }
}

#[test]
fn a_turn_that_depends_on_two_words_comes() {
    let (one, two) = (AtomicU32::new(0), AtomicU32::new(0));
    ends(1, 40, &options(), || {
        while load(&one) + load(&two) != thread_idx_x() {}
        let word = if thread_idx_x().is_multiple_of(2) {
            &one
        } else {
            &two
        };
        store(word, load(word) + 1);
    });
}

#[test]
fn a_lane_that_reads_much_keeps_running() {
    let words: Vec<_> = (0..200).map(AtomicU32::new).collect();
    let order = AtomicU32::new(0);
    ends(1, 40, &options(), || {
        for word in &words {
            load(word);
        }
        assert_eq!(
            order.fetch_add(1, Ordering::SeqCst),
            thread_idx_x(),
            "no other lane came in between"
        );
    });
}

#[test]
fn a_flag_that_is_never_set_is_found() {
    for options in orders().take(6) {
        let flag = AtomicU32::new(0);
        let line = line!() + 4;
        let outcome = outcome(3, 40, &options, || {
            if thread_idx_x().is_multiple_of(2) {
                block_barrier();
                while load(&flag) == 0 {}
            }
        });
        let Some(Fault::Deadlock { waits, .. }) = outcome.fault else {
            panic!("{:?}", outcome.fault)
        };
        assert_eq!(
            (waits[0].point, waits[0].threads, waits[0].line),
            (WaitPoint::Memory, 20, line)
        );
        let report = &outcome.reports[0];
        assert_eq!(report.code, Code::SPIN_STUCK);
        assert_eq!(
            report.title,
            "20 threads poll memory that no thread will change"
        );
        assert_eq!(report.sides[0].place.as_ref().unwrap().line, line);
        let address = format!("polls {:#x}", flag.as_ptr().addr());
        assert!(
            report.sides[0].did.starts_with(&address),
            "{}",
            report.sides[0].did
        );
    }
}

#[test]
fn a_lock_that_is_never_released_is_found_although_it_is_written_again_and_again() {
    let lock = AtomicU32::new(0);
    let outcome = outcome(1, 32, &options(), || while swap(&lock, 1) == 1 {});
    let report = &outcome.reports[0];
    assert_eq!(report.code, Code::SPIN_STUCK);
    assert_eq!(
        report.title,
        "31 threads poll memory that no thread will change"
    );
}

#[test]
fn a_phase_that_is_tested_for_ever_is_found() {
    struct InMemory;
    static BARRIER: SharedKey = SharedKey::new(TypeId::of::<InMemory>(), "barrier");
    let outcome = outcome(1, 2, &options(), || {
        // SAFETY: both threads use it as a barrier.
        let at = unsafe { shared_static(&BARRIER, 8, 8) }.cast();
        if thread_idx_x() == 0 {
            // SAFETY: the other thread waits at the barrier below.
            unsafe { mbarrier_init(at, 2) };
        }
        block_barrier();
        // SAFETY: initialised above.
        while !unsafe { mbarrier_test_parity(at, 0) } {}
    });
    let report = &outcome.reports[0];
    assert_eq!(report.code, Code::MBARRIER_STUCK);
    assert_eq!(
        report.title,
        "an `Mbarrier` whose phase 0 never ends: 0 of 2 arrivals"
    );
}

#[test]
fn blocks_of_other_workers_are_waited_for() {
    let flag = AtomicU32::new(0);
    let options = Options {
        workers: Some(2),
        ..options()
    };
    ends(3, 1, &options, || match block_idx_x() {
        0 => {}
        1 => while load(&flag) == 0 {},
        _ => {
            std::thread::sleep(std::time::Duration::from_millis(50));
            store(&flag, 1);
        }
    });
}

/// Threads of all blocks wait until the last has come, which a launch that is not cooperative does not promise.
#[test]
fn a_barrier_of_blocks_made_by_hand_is_found_with_any_number_of_workers() {
    let (n_blocks, rounds) = (4, 20);
    let meet = |count: &AtomicU32, flag: &AtomicU32, by_flag: bool| {
        announce(count, true);
        let is_last = count.fetch_add(1, Ordering::SeqCst) + 1 == n_blocks;
        if !by_flag {
            while load(count) < n_blocks {}
        } else if is_last {
            store(flag, 1);
        } else {
            while load(flag) == 0 {}
        }
    };
    let cooperative = Together {
        cooperative: true,
        ..Together::default()
    };
    for (workers, by_flag) in [1, 2, 4, 8]
        .into_iter()
        .flat_map(|n| [(n, false), (n, true)])
    {
        let options = Options {
            workers: Some(workers),
            ..options()
        };
        for _ in 0..rounds {
            let words = [const { AtomicU32::new(0) }; 2];
            let found = outcome(n_blocks, 1, &options, || {
                meet(&words[0], &words[1], by_flag)
            });
            let Some(Fault::Deadlock { block, .. }) = found.fault else {
                panic!("{workers} workers: {:?}", found.fault)
            };
            assert_eq!((block, found.reports.len()), ([0; 3], 1));
            assert_eq!(found.reports[0].code, Code::SPIN_STUCK);
        }
        let words = [const { AtomicU32::new(0) }; 2];
        let shape = Shape::new([n_blocks, 1, 1], [1, 1, 1]);
        let kernel = || meet(&words[0], &words[1], by_flag);
        let found = run_with(shape, cooperative, &options, &kernel);
        assert_eq!((found.fault, found.reports), (None, vec![]));
    }
}

/// Each block waits for the one before it: by `blockIdx`, or by a number that it draws.
#[test]
fn the_order_in_which_blocks_begin_is_said_to_be_no_promise() {
    const N: u32 = 4;
    let run = |schedule, drawn: bool| {
        let options = Options {
            workers: Some(1),
            schedule,
            ..options()
        };
        let counter = AtomicU32::new(0);
        let flags = [const { AtomicU32::new(0) }; N as usize];
        outcome(N, 1, &options, || {
            let own = match drawn {
                true => counter.fetch_add(1, Ordering::Relaxed),
                false => block_idx_x(),
            };
            while own > 0 && load(&flags[own as usize - 1]) == 0 {}
            store(&flags[own as usize], 1);
        })
    };
    assert!(run(Schedule::Forward, false).reports.is_empty());
    let found = run(Schedule::Reverse, false).reports;
    assert_eq!(found[0].code, Code::SPIN_STUCK);
    let says = |what: &str| found[0].notes.iter().any(|note| note.text.contains(what));
    assert!(says("not documented") && says("`reverse`"), "{found:?}");
    for schedule in [Schedule::Reverse, Schedule::Random(1), Schedule::Random(2)] {
        assert!(run(schedule, true).reports.is_empty());
    }
}

#[test]
fn blocks_of_two_workers_that_wait_for_each_other_are_found() {
    let flag = AtomicU32::new(0);
    let options = Options {
        workers: Some(2),
        ..options()
    };
    let outcome = outcome(3, 1, &options, || {
        while block_idx_x() != 0 && load(&flag) == 0 {}
    });
    assert!(matches!(outcome.fault, Some(Fault::Deadlock { .. })));
    assert_eq!(outcome.reports[0].code, Code::SPIN_STUCK);
}

/// How many rounds the first worker makes before the second votes depends on when that starts; where lanes are reported does not.
#[test]
fn the_places_of_lanes_that_poll_do_not_depend_on_the_number_of_rounds() {
    let options = Options {
        workers: Some(2),
        ..options()
    };
    let found = |delay: u64, sleeps: bool| {
        let flags = [const { AtomicU32::new(0) }; 3];
        let outcome = outcome(3, 1, &options, || {
            if block_idx_x() == 0 {
                return;
            }
            if block_idx_x() == 2 {
                std::thread::sleep(std::time::Duration::from_micros(delay));
            }
            loop {
                load(&flags[0]);
                load(&flags[1]);
                load(&flags[2]);
                if sleeps {
                    nanosleep(0);
                }
            }
        });
        let side = &outcome.reports[0].sides[0];
        let polled = flags.each_ref().map(|flag| {
            let address = format!("polls {:#x}", flag.as_ptr().addr());
            side.did.starts_with(&address)
        });
        (side.place.as_ref().unwrap().line, polled)
    };
    let first = [false, true].map(|sleeps| found(0, sleeps));
    for delay in (1..40).map(|n| n * 53) {
        assert_eq!([false, true].map(|sleeps| found(delay, sleeps)), first);
    }
}

#[test]
fn an_endless_loop_is_ended() {
    struct Counts<'a>(&'a AtomicU32);
    impl Drop for Counts<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let options = Options {
        step_limit: 1000,
        ..options()
    };
    let (dropped, word) = (AtomicU32::new(0), AtomicU32::new(0));
    let outcome = outcome(1, 64, &options, || {
        let _counts = Counts(&dropped);
        if thread_idx_x() == 40 {
            loop {
                with_running(|running| running.step(0));
                word.fetch_add(1, Ordering::SeqCst);
            }
        }
        block_barrier();
    });
    let Some(Fault::Endless { thread, steps, .. }) = outcome.fault else {
        panic!("{:?}", outcome.fault)
    };
    assert_eq!((thread, steps), ([40, 0, 0], 1000));
    assert_eq!(outcome.reports[0].code, Code::STEP_LIMIT);
    assert_eq!(
        (word.into_inner(), dropped.into_inner()),
        (999, 41),
        "threads 41 to 63 never started"
    );
}

#[test]
fn steps_are_counted_for_each_lane() {
    let options = Options {
        step_limit: 100,
        ..options()
    };
    ends(1, 64, &options, || {
        for _ in 0..9 {
            for _ in 0..11 {
                with_running(|running| running.step(0));
            }
            block_barrier();
        }
    });
}

#[test]
fn a_lane_that_goes_on_polls_what_it_polled_itself() {
    let spin = Spin::new(true, false, 100, 2);
    let now = || (spin.recent.get()[0], spin.polls.get(), spin.steps.get());
    spin.starts();
    (0..30).for_each(|_| spin.steps.set(spin.steps.get() - 1));
    spin.recent.set([8, 16, 0, 0]);
    spin.polls.set(15);
    spin.waits(0, 7);
    spin.starts();
    assert_eq!(now(), (0, 0, 100), "a lane that starts has polled nothing");
    spin.waits(1, 9);
    assert_eq!((spin.goes_on(0), now()), (7, (8, 15, 70)));
    // Lane 0 exits.
    assert_eq!((spin.goes_on(1), now()), (9, (0, 0, 100)));
}
