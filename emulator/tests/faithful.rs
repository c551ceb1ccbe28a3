//! What lanes of a warp and threads of a block may rely on from compute capability 7.0 on, rule by rule, in every order of threads.
//!
//! `docs/requirements.tsv` has the rules as rows `WEM-…`; some are proved in `shuffle.rs` and `rendezvous.rs`.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]
#![expect(
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]
#![allow(
    clippy::if_same_then_else,
    reason = "two branches with the same operation are the point"
)]

mod named;

use std::any::TypeId;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use named::named_barrier;
use warploom_emulator::check::{Options, Schedule};
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, SharedKey, Together, WaitPoint, run_with};

const FULL: u32 = u32::MAX;

fn every_order() -> impl Iterator<Item = Schedule> {
    let fixed = [
        Schedule::Forward,
        Schedule::Reverse,
        Schedule::LastWarpFirst,
        Schedule::OneLane,
    ];
    fixed.into_iter().chain((0..20).map(Schedule::Random))
}

fn run_in(
    schedule: Schedule,
    blocks: u32,
    threads: u32,
    program: &(dyn Fn() + Sync),
) -> Option<Fault> {
    let mut options = Options::default();
    options.schedule = schedule;
    let shape = Shape::new([blocks, 1, 1], [threads, 1, 1]);
    run_with(shape, Together::default(), &options, program).fault
}

/// Runs `program` in every order; it must end well in each.
#[track_caller]
fn runs(blocks: u32, threads: u32, program: impl Fn() + Sync) {
    for schedule in every_order() {
        if let Some(fault) = run_in(schedule, blocks, threads, &program) {
            panic!("{schedule:?}: {fault}");
        }
    }
}

/// Runs `program` in every order; it must get stuck in each, with threads at all of these points.
#[track_caller]
fn gets_stuck(threads: u32, points: &[WaitPoint], program: impl Fn() + Sync) {
    for schedule in every_order() {
        match run_in(schedule, 1, threads, &program) {
            Some(Fault::Deadlock { waits, .. }) => {
                for point in points {
                    let found = waits.iter().any(|wait| wait.point == *point);
                    assert!(found, "{schedule:?}: {point:?} is not among {waits:?}");
                }
            }
            other => panic!("{schedule:?}: {other:?}"),
        }
    }
}

//@ rows: WEM-wait
#[test]
fn a_collective_waits_for_the_lanes_of_its_mask_and_no_others() {
    let even = 0x5555_5555;
    runs(2, 64, || {
        let lane = lane_id();
        if lane.is_multiple_of(2) {
            // Odd lanes never come here, and the other warp is not waited for.
            assert_eq!(vote_ballot(even, lane < 8), 0x55);
            assert_eq!(shuffle_idx(even, 100 + lane, 30, 31), 130);
            warp_sync(even);
        } else {
            assert_eq!(redux_add(!even, 1), 16);
        }
    });
}

//@ rows: WEM-wait
#[test]
fn what_lanes_write_before_a_warp_barrier_is_there_after_it() {
    for schedule in every_order() {
        let seen: Vec<AtomicU32> = (0..64).map(|_| AtomicU32::new(0)).collect();
        let fault = run_in(schedule, 1, 64, &|| {
            let (thread, warp) = (thread_idx_x() as usize, thread_idx_x() / 32);
            for round in 1..=5 {
                seen[thread].store(round, Relaxed);
                warp_sync(FULL);
                let other = (warp * 32 + (lane_id() + round) % 32) as usize;
                assert_eq!(seen[other].load(Relaxed), round);
                warp_sync(FULL);
            }
        });
        assert!(fault.is_none(), "{schedule:?}: {fault:?}");
    }
}

//@ rows: WEM-wait, GEM-13
#[test]
fn lanes_that_returned_are_not_waited_for() {
    runs(1, 83, || {
        let lane = lane_id();
        if lane % 5 == 2 {
            return;
        }
        let present = (0..32).filter(|l| l % 5 != 2 && (thread_idx_x() < 64 || *l < 19));
        let present = present.fold(0, |mask, l| mask | 1 << l);
        assert_eq!(vote_ballot(FULL, true), present);
        assert_eq!(match_any_u32(FULL, 7), present);
        assert!(vote_all(FULL, true));
    });
}

//@ rows: WEM-place
#[test]
fn lanes_meet_by_operation_and_mask_from_any_place_of_the_program() {
    runs(2, 64, || {
        let lane = lane_id();
        let (ballot, read) = if lane < 16 {
            let ballot = vote_ballot(FULL, lane == 3);
            (ballot, shuffle_bfly(FULL, lane, 16, 31))
        } else {
            let ballot = vote_ballot(FULL, lane == 20);
            (ballot, shuffle_bfly(FULL, lane, 16, 31))
        };
        assert_eq!(ballot, 1 << 3 | 1 << 20);
        assert_eq!(read, lane ^ 16);
    });
}

//@ rows: WEM-place
#[test]
fn a_loop_that_lanes_leave_at_different_times_meets_each_round_anew() {
    runs(1, 32, || {
        let lane = lane_id();
        let mut mask = FULL;
        for round in 0..32 {
            if lane < round {
                break;
            }
            mask = FULL << round;
            assert_eq!(vote_ballot(mask, true), mask);
        }
        assert_eq!(mask, FULL << lane.min(31));
    });
}

fn at(operation: &'static str, mask: u32, arrived: u32) -> WaitPoint {
    WaitPoint::Warp {
        operation,
        mask,
        warp: 0,
        arrived,
    }
}

//@ rows: WEM-kind
#[test]
fn different_operations_never_meet() {
    let points = [
        at("shuffle_up", FULL, 0xffff),
        at("shuffle_down", FULL, 0xffff_0000),
    ];
    gets_stuck(32, &points, || {
        if lane_id() < 16 {
            shuffle_up(FULL, 1, 1, 0);
        } else {
            shuffle_down(FULL, 1, 1, 31);
        }
    });
}

//@ rows: WEM-kind
#[test]
fn one_operation_with_other_qualifiers_never_meets() {
    let points = [
        at("match_any_u32", FULL, 0x0000_ffff),
        at("match_any_u64", FULL, 0xffff_0000),
    ];
    gets_stuck(32, &points, || {
        if lane_id() < 16 {
            match_any_u32(FULL, 1);
        } else {
            match_any_u64(FULL, 1);
        }
    });
}

//@ rows: WEM-kind
#[test]
fn one_operation_with_other_masks_never_meets() {
    let points = [
        at("vote_any", 0x00ff_ffff, 0xffff),
        at("vote_any", FULL, 0xffff_0000),
    ];
    gets_stuck(32, &points, || {
        let mask = if lane_id() < 16 { 0x00ff_ffff } else { FULL };
        vote_any(mask, true);
    });
}

//@ rows: WEM-caller
#[test]
fn a_lane_outside_of_its_own_mask_is_a_fault_that_names_it() {
    for schedule in every_order() {
        let fault = run_in(schedule, 1, 32, &|| {
            let mask = 0xffff_fffe;
            vote_ballot(mask, true);
        });
        let Some(fault) = fault else {
            panic!("{schedule:?}: it ran");
        };
        let text = fault.to_string();
        assert!(text.contains("0xfffffffe"), "{schedule:?}: {text}");
        assert!(text.contains("(0, 0, 0)"), "{schedule:?}: {text}");
    }
}

//@ rows: WEM-source
#[test]
fn a_shuffle_from_a_lane_that_takes_no_part_reads_no_other_lanes_value() {
    // Undefined on a GPU. Here the lane keeps its own value, in every order; checked runs report it.
    runs(1, 32, || {
        let lane = lane_id();
        if lane == 9 {
            return;
        }
        let value = 1000 + lane;
        let read = shuffle_idx(FULL, value, 9, 31);
        assert_eq!(read, value);
        if lane < 8 {
            let read = shuffle_down(0xff, value, 4, 31);
            assert_eq!(read, if lane < 4 { value + 4 } else { value });
        }
    });
}

//@ rows: WEM-barrier
#[test]
fn a_barrier_that_some_threads_never_reach_is_stuck_and_says_where() {
    let waits = [
        WaitPoint::Barrier { id: 0 },
        at("warp_sync", FULL, 0xffff_fff0),
    ];
    gets_stuck(64, &waits, || {
        if thread_idx_x() < 4 || thread_idx_x() >= 32 {
            block_barrier();
        } else {
            warp_sync(FULL);
        }
    });
}

//@ rows: WEM-exit
#[test]
fn threads_that_returned_do_not_count_at_a_block_barrier() {
    for schedule in every_order() {
        let arrived = AtomicU32::new(0);
        let fault = run_in(schedule, 1, 96, &|| {
            let thread = thread_idx_x();
            // A whole warp, and some lanes of the others.
            if thread < 32 || thread.is_multiple_of(7) {
                return;
            }
            arrived.fetch_add(1, Relaxed);
            block_barrier();
            let expected = (32..96).filter(|t| t % 7 != 0).count() as u32;
            assert_eq!(arrived.load(Relaxed), expected);
            named_barrier(3);
        });
        assert!(fault.is_none(), "{schedule:?}: {fault:?}");
    }
}

//@ rows: WEM-exit
#[test]
fn a_thread_that_returns_last_opens_the_barrier() {
    runs(1, 64, || {
        if thread_idx_x() == 63 {
            // Waits until all others of its warp stand at the barrier or at the vote.
            warp_sync(1 << 31);
            return;
        }
        if lane_id() == 31 {
            vote_any(1 << 31, true);
        }
        block_barrier();
    });
}

struct Target;
const TARGET: &SharedKey = &SharedKey::new(TypeId::of::<Target>(), "u32");

//@ rows: ASYNC-copy
#[test]
fn copies_begin_and_end_in_every_order() {
    let source: Vec<u32> = (0..64).collect();
    let source = source.as_ptr().expose_provenance();
    runs(2, 64, || {
        let thread = thread_idx_x() as usize;
        // SAFETY: each thread copies and reads elements of its own, then those of others behind a barrier.
        unsafe {
            let from = std::ptr::with_exposed_provenance::<u32>(source).add(thread);
            let to = shared_static(TARGET, 256, 16).cast::<u32>();
            copy_async_4(to.add(thread).cast(), from.cast());
            copy_async_commit();
            copy_async_wait_0();
            assert_eq!(to.add(thread).read(), thread as u32);
            block_barrier();
            assert_eq!(to.add(63 - thread).read(), 63 - thread as u32);
        }
    });
}

//@ rows: WEM-lockstep
#[test]
fn lanes_do_not_run_in_lock_step() {
    // Lanes of one warp write their number, the last one stays. Without a barrier between them any order is possible, and the
    // emulator shows several: who relies on one gets other results.
    let last = |schedule| {
        let last = AtomicU32::new(u32::MAX);
        let fault = run_in(schedule, 1, 32, &|| last.store(lane_id(), Relaxed));
        assert!(fault.is_none(), "{fault:?}");
        last.into_inner()
    };
    assert_eq!(last(Schedule::Forward), 31);
    assert_eq!(last(Schedule::Reverse), 0);
    let mut seen: Vec<u32> = every_order().map(last).collect();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 5, "{seen:?}");
}

//@ rows: WEM-lockstep
#[test]
fn a_lane_may_wait_for_another_branch_of_its_warp() {
    // With one program counter for the warp this would hang: each branch needs the other to go on.
    runs(1, 32, || {
        let low = lane_id() < 16;
        for _ in 0..3 {
            if low {
                warp_sync(FULL);
            } else {
                warp_sync(FULL);
            }
        }
    });
}

//@ rows: WEM-shuffle
#[test]
fn a_shuffle_past_the_end_of_a_segment_keeps_the_own_value() {
    // All widths and distances, in every order; the model over all modes and operands is in shuffle.rs.
    for (power, width) in [1u32, 2, 4, 8, 16, 32].into_iter().enumerate() {
        runs(1, 32, || {
            let lane = lane_id();
            let segments = (32 - width) << 8;
            for delta in 0..32 {
                let down = shuffle_down(FULL, lane, delta, segments | 31);
                let expected = if (lane % width) + delta < width {
                    lane + delta
                } else {
                    lane
                };
                assert_eq!(down, expected, "down, width 2^{power}, delta {delta}");
                let up = shuffle_up(FULL, lane, delta, segments);
                let expected = if lane % width >= delta {
                    lane - delta
                } else {
                    lane
                };
                assert_eq!(up, expected, "up, width 2^{power}, delta {delta}");
            }
        });
    }
}
