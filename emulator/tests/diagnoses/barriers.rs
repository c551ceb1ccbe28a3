use crate::named::named_barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::*;
use warploom_emulator::Fault;
use warploom_emulator::intrinsics::*;

#[test]
fn different_barriers_are_named_with_their_lines() {
    let line = line!() + 3;
    let report = only(83, || {
        if thread_idx_x() < 50 {
            block_barrier();
        } else {
            named_barrier(2);
        }
    });
    assert_eq!(
        lines(&report),
        (Code::DIFFERENT_BARRIERS, vec![line, line + 2])
    );
    assert_eq!(
        report.title,
        "threads of a block wait at different barriers: 50 at barrier 0, 33 at barrier 2"
    );
    assert_eq!(report.sides[1].who.unwrap().thread, [50, 0, 0]);
    assert_eq!(
        report.sides[1].did,
        "waits at barrier 2, and 32 more threads"
    );
}

#[test]
fn where_all_threads_are_is_a_histogram() {
    let line = line!() + 4;
    let report = only(256, || {
        match thread_idx_x() {
            0..128 => {
                block_barrier();
            }
            128..224 => {
                // SAFETY: the emulator checks what a GPU does not.
                unsafe { barrier_any(1, true) };
            }
            _ => {}
        }
    });
    let file = file!();
    let text = format!(
        "where the 256 threads of the block are: 128 at barrier 0 ({file}:{line}:17), \
         96 at barrier 1 with `barrier_any` ({file}:{}:26), 32 exited",
        line + 4
    );
    expect(&notes(&report), &text);
}

#[test]
fn threads_that_wait_for_the_grid_miss_the_barrier() {
    let line = line!() + 8;
    let together = Together {
        cluster: [1; 3],
        cooperative: true,
    };
    let shape = Shape::new([1, 1, 1], [64, 1, 1]);
    let outcome = run_with(shape, together, &Options::default(), &|| {
        if thread_idx_x() < 48 {
            named_barrier(3);
        } else {
            grid_sync();
        }
    });
    let report = one(outcome);
    assert_eq!(
        lines(&report),
        (Code::BARRIER_DIVERGENCE, vec![line, line + 2])
    );
    assert_eq!(
        report.title,
        "barrier 3: 48 threads wait, the others of the block never come"
    );
}

#[test]
fn too_few_threads_for_a_count_are_divergence() {
    let report = only(96, || {
        if thread_idx_x() < 32 {
            // SAFETY: the emulator checks what a GPU does not.
            unsafe { barrier_sync_threads(1, 64) };
        }
    });
    assert_eq!(report.code, Code::BARRIER_DIVERGENCE);
    assert_eq!(
        report.title,
        "barrier 1: 32 of 64 threads arrived, the others never will"
    );
}

#[test]
fn an_exit_before_a_barrier_is_a_note() {
    let line = line!() + 5;
    let outcome = outcome(Shape::new([3, 1, 1], [64, 1, 1]), &|| {
        if thread_idx_x() >= 60 {
            return;
        }
        block_barrier();
    });
    assert_eq!(outcome.fault, None);
    let report = one(outcome);
    assert_eq!(lines(&report), (Code::EXIT_BEFORE_BARRIER, vec![line, 0]));
    assert_eq!(report.severity, warploom_emulator::check::Severity::Note);
    assert_eq!(
        report.title,
        "barrier 0: 4 of 64 threads had exited when the others met there"
    );
    assert_eq!(
        (report.count, report.sides[1].who.unwrap().thread),
        (3, [60, 0, 0])
    );
}

#[test]
fn a_panic_is_no_exit() {
    let outcome = outcome(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
        assert!(thread_idx_x() != 3);
        block_barrier();
    });
    assert!(matches!(outcome.fault, Some(Fault::Panic { .. })));
    assert_eq!(outcome.reports, []);
}

#[test]
fn counts_that_differ_are_an_error_even_if_enough_arrive() {
    let line = line!() + 5;
    let report = only(96, || {
        // SAFETY: the emulator checks what a GPU does not.
        unsafe {
            if thread_idx_x() < 32 {
                barrier_sync_threads(1, 32 * 2);
            } else {
                barrier_arrive_threads(1, 96);
                barrier_arrive_threads(1, 64);
            }
        }
    });
    assert_eq!(lines(&report), (Code::BARRIER_COUNT, vec![line + 2, line]));
    expect(
        &report.title,
        "barrier 1: threads came for 96 and for 64 participants",
    );
}

#[test]
fn arrivals_with_another_count_are_no_arrivals() {
    let line = line!() + 5;
    let report = only(96, || {
        // SAFETY: the emulator checks what a GPU does not.
        unsafe {
            if thread_idx_x() < 64 {
                barrier_arrive_threads(7, 128);
            } else {
                barrier_sync_threads(7, 96);
            }
        }
    });
    assert_eq!(lines(&report), (Code::BARRIER_COUNT, vec![line + 2, line]));
    assert_eq!(
        report.title,
        "barrier 7: its participants disagree about their number: 32 of 96 arrived, and 64 of 128"
    );
}

#[test]
fn groups_at_counted_barriers_wait_for_one_another() {
    let line = line!() + 5;
    let report = only(64, || {
        // SAFETY: the emulator checks what a GPU does not.
        unsafe {
            if thread_idx_x() < 32 {
                barrier_sync_threads(1, 64);
                barrier_sync_threads(2, 64);
            } else {
                barrier_sync_threads(2, 64);
                barrier_sync_threads(1, 64);
            }
        }
    });
    assert_eq!(lines(&report), (Code::DEADLOCK, vec![line, line + 3]));
    expect(&notes(&report), "for 32 more threads");
}

#[test]
fn counts_that_differ_for_ever_are_one_finding() {
    let report = only(64, || {
        let count = if thread_idx_x() < 32 { 64 } else { 96 };
        // SAFETY: the emulator checks what a GPU does not.
        unsafe { barrier_sync_threads(1, count) };
    });
    assert_eq!(report.code, Code::BARRIER_COUNT);
}

#[test]
#[expect(clippy::if_same_then_else, reason = "two places are the point")]
fn two_places_of_one_barrier_are_a_warning() {
    let line = line!() + 4;
    let outcome = outcome(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
        for _ in 0..3 {
            if thread_idx_x() < 16 {
                block_barrier();
            } else {
                block_barrier();
            }
        }
    });
    assert_eq!(outcome.fault, None);
    let report = one(outcome);
    assert_eq!(lines(&report), (Code::BARRIER_PLACES, vec![line, line + 2]));
    assert_eq!(
        (report.severity, report.count),
        (warploom_emulator::check::Severity::Warning, 3)
    );
    assert_eq!(
        report.sides[1].did,
        "came to barrier 0 from here, 48 threads in all"
    );
}

#[test]
fn groups_with_counted_barriers_may_meet_from_two_places() {
    let outcome = outcome(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
        // SAFETY: 64 threads arrive, 32 from each place.
        unsafe {
            if thread_idx_x() < 32 {
                barrier_arrive_threads(1, 64);
            } else {
                barrier_sync_threads(1, 64);
            }
        }
    });
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}

#[test]
fn a_correct_reduction_is_not_reported() {
    let sum = AtomicU32::new(0);
    let outcome = outcome(Shape::new([5, 1, 1], [83, 1, 1]), &|| {
        for round in 0..4 {
            named_barrier(round % 2);
            let all = vote_ballot(active_mask(), true);
            sum.fetch_add(all.count_ones(), Relaxed);
        }
        // SAFETY: all threads of the block come.
        unsafe { barrier_all(7, true) };
    });
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}

#[test]
fn reports_say_how_to_run_it_again() {
    let report = only(64, || named_barrier(thread_idx_x() % 2));
    assert_eq!(report.replay, "WARPLOOM_SCHEDULE=forward");
}
