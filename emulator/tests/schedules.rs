//! Orders in which threads and blocks run: what each promises, and that none changes what a correct kernel gives.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod named;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use named::named_barrier;
use warploom_emulator::check::{Options, Schedule};
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, Together, run_with};

#[expect(clippy::disallowed_types, reason = "loom has no part here")]
type Mutex<T> = std::sync::Mutex<T>;

const FULL: u32 = u32::MAX;

fn options(schedule: Schedule, workers: usize) -> Options {
    let mut options = Options::default();
    options.schedule = schedule;
    options.workers = Some(workers);
    options
}

#[track_caller]
fn run(shape: Shape, options: &Options, program: impl Fn() + Sync) {
    let outcome = run_with(shape, Together::default(), options, &program);
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}

/// The threads of one block in the order in which they call the given function.
fn log_of(schedule: Schedule, shape: Shape, program: impl Fn(&dyn Fn()) + Sync) -> Vec<u32> {
    let log = Mutex::new(vec![]);
    run(shape, &options(schedule, 1), || {
        program(&|| {
            let thread = block_idx_x() * block_dim_x() + thread_idx_x();
            log.lock().unwrap().push(thread);
        });
    });
    log.into_inner().unwrap()
}

fn block(threads: u32) -> Shape {
    Shape::new([1, 1, 1], [threads, 1, 1])
}

fn orders() -> Vec<Schedule> {
    let random = (0..20).map(Schedule::Random);
    let named = [
        Schedule::Forward,
        Schedule::Reverse,
        Schedule::LastWarpFirst,
        Schedule::OneLane,
    ];
    named.into_iter().chain(random).collect()
}

#[test]
fn reverse_goes_from_the_last_lane_to_the_first() {
    let log = log_of(Schedule::Reverse, block(70), |log| {
        log();
        block_barrier();
        log();
    });
    let down: Vec<u32> = (0..70).rev().collect();
    // The last to arrive is lane 0, which goes on at once.
    assert_eq!(log[..70], down);
    assert_eq!((log[70], &log[71..]), (0, &down[..69]));
}

#[test]
fn reverse_starts_with_the_last_block() {
    let log = log_of(Schedule::Reverse, Shape::new([3, 1, 1], [1, 1, 1]), |log| {
        log()
    });
    assert_eq!(log, [2, 1, 0]);
}

#[test]
fn blocks_of_a_grid_that_are_there_together_take_turns_too() {
    let together = Together {
        cluster: [1; 3],
        cooperative: true,
    };
    let log = Mutex::new(vec![]);
    let shape = Shape::new([3, 1, 1], [1, 1, 1]);
    let outcome = run_with(shape, together, &options(Schedule::Reverse, 1), &|| {
        log.lock().unwrap().push(block_idx_x());
        grid_sync();
    });
    assert_eq!(
        (outcome.fault, log.into_inner().unwrap()),
        (None, vec![2, 1, 0])
    );
}

#[test]
fn the_last_warp_goes_first_in_the_order_of_its_lanes() {
    let log = log_of(Schedule::LastWarpFirst, block(70), |log| {
        log();
        block_barrier();
    });
    let expected: Vec<u32> = (64..70).chain(32..64).chain(0..32).collect();
    assert_eq!(log, expected);
}

#[test]
fn one_lane_of_each_warp_in_turn() {
    let log = log_of(Schedule::OneLane, block(64), |log| log());
    let expected: Vec<u32> = (0..32).flat_map(|lane| [lane, lane + 32]).collect();
    assert_eq!(log, expected);
}

#[test]
fn a_seed_gives_the_same_order_again_and_another_seed_another() {
    let log = |seed| {
        log_of(
            Schedule::Random(seed),
            Shape::new([5, 1, 1], [40, 1, 1]),
            |log| {
                log();
                block_barrier();
                log();
                vote_any(FULL, true);
                log();
            },
        )
    };
    assert_eq!(log(3), log(3));
    assert_ne!(log(3), log(4));
}

#[test]
fn the_order_in_a_block_does_not_depend_on_the_number_of_workers() {
    let order = |workers| {
        let blocks: Vec<_> = (0..20).map(|_| Mutex::new(vec![])).collect();
        let shape = Shape::new([20, 1, 1], [40, 1, 1]);
        run(shape, &options(Schedule::Random(9), workers), || {
            for _ in 0..3 {
                let mut order = blocks[block_idx_x() as usize].lock().unwrap();
                order.push(thread_idx_x());
                drop(order);
                block_barrier();
            }
        });
        blocks
            .into_iter()
            .map(|order| order.into_inner().unwrap())
            .collect::<Vec<_>>()
    };
    assert!(order(1) == order(4), "two runs differ");
}

#[test]
fn random_orders_interleave_fresh_and_waiting_threads() {
    // Forward, all threads start before one goes on; here some go on before others have started.
    let log = log_of(Schedule::Random(1), block(256), |log| {
        if thread_idx_x().is_multiple_of(2) {
            vote_any(1 << lane_id(), true);
            log();
        } else {
            log();
        }
    });
    let odd_first = log
        .iter()
        .take(128)
        .filter(|thread| **thread % 2 == 1)
        .count();
    assert!((1..128).contains(&odd_first), "{odd_first}");
}

//@ rows: GPM-5
#[test]
fn every_order_gives_what_forward_gives() {
    for schedule in orders() {
        for workers in [1, 3] {
            let sums: Vec<_> = (0..7).map(|_| AtomicU32::new(0)).collect();
            run(
                Shape::new([7, 1, 1], [83, 1, 1]),
                &options(schedule, workers),
                || {
                    let sum = &sums[block_idx_x() as usize];
                    for round in 1..5 {
                        let ballot = vote_ballot(FULL, lane_id().is_multiple_of(2));
                        sum.fetch_add(ballot.count_ones(), Relaxed);
                        block_barrier();
                        let all: u32 = (0..83)
                            .map(|thread| if thread < 64 { 16 } else { 10 })
                            .sum();
                        assert_eq!(sum.load(Relaxed), round * all, "{schedule}");
                        let mut value = thread_idx_x();
                        if thread_idx_x() < 64 {
                            for delta in [16, 8, 4, 2, 1] {
                                value += shuffle_bfly(FULL, value, delta, 31);
                            }
                            let first = thread_idx_x() / 32 * 32;
                            assert_eq!(value, (first..first + 32).sum::<u32>(), "{schedule}");
                        }
                        // SAFETY: all threads of the block come.
                        let odd = unsafe { barrier_count(1, thread_idx_x() % 2 == 1) };
                        assert_eq!(odd, 41, "{schedule}");
                    }
                },
            );
        }
    }
}

#[test]
fn cooperative_grids_meet_in_every_order() {
    let together = Together {
        cluster: [2, 1, 1],
        cooperative: true,
    };
    for schedule in orders() {
        let count = AtomicU32::new(0);
        let shape = Shape::new([6, 1, 1], [40, 1, 1]);
        let outcome = run_with(shape, together, &options(schedule, 1), &|| {
            for round in 1..4 {
                count.fetch_add(1, Relaxed);
                grid_sync();
                assert_eq!(count.load(Relaxed), 240 * round, "{schedule}");
                grid_sync();
            }
        });
        assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
    }
}

#[test]
fn a_stuck_block_and_a_panic_are_found_in_every_order() {
    for schedule in orders() {
        let shape = Shape::new([3, 1, 1], [64, 1, 1]);
        let run = |program: &(dyn Fn() + Sync)| {
            run_with(shape, Together::default(), &options(schedule, 2), program).fault
        };
        let fault = run(&|| named_barrier(thread_idx_x() % 2));
        assert!(
            matches!(fault, Some(Fault::Deadlock { .. })),
            "{schedule}: {fault:?}"
        );
        let fault = run(&|| {
            assert!(thread_idx_x() != 40 || block_idx_x() != 1);
            block_barrier();
        });
        let Some(Fault::Panic {
            block,
            thread,
            count,
            ..
        }) = fault
        else {
            panic!("{schedule}: {fault:?}")
        };
        assert_eq!((block, thread, count), ([1, 0, 0], [40, 0, 0], 1));
    }
}

#[test]
fn a_report_names_the_seed() {
    let outcome = run_with(
        block(64),
        Together::default(),
        &options(Schedule::Random(12), 1),
        &|| named_barrier(thread_idx_x() % 2),
    );
    assert_eq!(
        outcome.reports[0].replay,
        "WARPLOOM_SCHEDULE=random:12 WARPLOOM_WORKERS=1"
    );
}

#[test]
fn in_random_orders_lanes_converge_in_two_parts_at_times() {
    let (mut whole, mut parts) = (0, 0);
    for seed in 0..40 {
        let masks = Mutex::new(vec![]);
        run(block(33), &options(Schedule::Random(seed), 1), || {
            let mask = active_mask();
            assert_ne!(mask >> lane_id() & 1, 0, "each lane is in its own");
            masks.lock().unwrap().push((thread_idx_x() / 32, mask));
        });
        let mut masks = masks.into_inner().unwrap();
        masks.sort_unstable();
        masks.dedup();
        assert_eq!(masks.pop(), Some((1, 1)), "a lane alone");
        let lanes = masks.iter().fold(0, |all, (_, mask)| {
            assert_eq!(all & mask, 0, "no lane is in two parts");
            all | mask
        });
        assert_eq!(lanes, FULL);
        match masks.len() {
            1 => whole += 1,
            n => parts += usize::from(n == 2),
        }
    }
    assert!(
        whole > 5 && parts > 5 && whole + parts == 40,
        "{whole} {parts}"
    );
}
