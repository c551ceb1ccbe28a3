//! Barriers, votes, early returns and deadlocks, through the public interface.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod named;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use named::named_barrier;
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, Wait, WaitPoint, run};

const FULL: u32 = u32::MAX;

/// A shape on one, two and four workers.
fn shapes(blocks: u32, threads: u32) -> [Shape; 3] {
    [1, 2, 4].map(|workers| Shape {
        workers: Some(workers),
        ..Shape::new([blocks, 1, 1], [threads, 1, 1])
    })
}

/// What `program` returns in each thread, in linear order; checked to be the same on one and on several workers.
#[track_caller]
fn each_thread(blocks: u32, threads: u32, program: impl Fn() -> u32 + Sync) -> Vec<u32> {
    let outcomes = shapes(blocks, threads).map(|shape| {
        let out: Vec<_> = (0..blocks * threads)
            .map(|_| AtomicU32::new(0xdead))
            .collect();
        run(shape, &|| {
            let value = program();
            out[(block_idx_x() * block_dim_x() + thread_idx_x()) as usize].store(value, Relaxed);
        })
        .unwrap();
        out.into_iter()
            .map(AtomicU32::into_inner)
            .collect::<Vec<_>>()
    });
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
    let [outcome, ..] = outcomes;
    outcome
}

#[track_caller]
fn deadlock(shape: Shape, program: &(dyn Fn() + Sync)) -> ([u32; 3], Vec<Wait>, String) {
    let fault = run(shape, program).unwrap_err();
    let text = fault.to_string();
    let Fault::Deadlock { block, waits } = fault else {
        panic!("not a deadlock: {text}")
    };
    (block, waits, text)
}

#[test]
fn indices_are_those_of_the_launch() {
    let seen: Vec<_> = (0..2 * 3 * 2 * 5 * 4 * 3)
        .map(|_| AtomicU32::new(0))
        .collect();
    run(Shape::new([2, 3, 2], [5, 4, 3]), &|| {
        assert_eq!((grid_dim_x(), grid_dim_y(), grid_dim_z()), (2, 3, 2));
        assert_eq!((block_dim_x(), block_dim_y(), block_dim_z()), (5, 4, 3));
        let block = (block_idx_z() * 3 + block_idx_y()) * 2 + block_idx_x();
        let thread = (thread_idx_z() * 4 + thread_idx_y()) * 5 + thread_idx_x();
        assert_eq!(lane_id(), thread % 32);
        seen[(block * 60 + thread) as usize].fetch_add(1, Relaxed);
    })
    .unwrap();
    assert!(seen.iter().all(|count| count.load(Relaxed) == 1));
}

#[test]
fn indices_survive_a_barrier() {
    let before_and_after = each_thread(3, 83, || {
        let before = (thread_idx_x(), block_idx_x(), lane_id());
        block_barrier();
        assert_eq!(before, (thread_idx_x(), block_idx_x(), lane_id()));
        before.1 * 100 + before.0
    });
    let expected: Vec<_> = (0..3)
        .flat_map(|block| (0..83).map(move |thread| block * 100 + thread))
        .collect();
    assert_eq!(before_and_after, expected);
}

#[test]
fn a_barrier_in_a_loop_keeps_rounds_apart() {
    for shape in shapes(3, 83) {
        let arrived: Vec<_> = (0..3).map(|_| AtomicU32::new(0)).collect();
        run(shape, &|| {
            for round in 1..=20 {
                arrived[block_idx_x() as usize].fetch_add(1, Relaxed);
                named_barrier(round % 16);
                assert_eq!(arrived[block_idx_x() as usize].load(Relaxed), 83 * round);
                block_barrier();
            }
        })
        .unwrap();
    }
}

//@ rows: WEM-exit
#[test]
fn a_barrier_does_not_count_threads_that_returned() {
    let sum = AtomicU32::new(0);
    run(Shape::new([3, 1, 1], [83, 1, 1]), &|| {
        if thread_idx_x() % 3 == 1 {
            return;
        }
        block_barrier();
        if thread_idx_x() >= 40 {
            return; // after others wait at the next barrier
        }
        named_barrier(5);
        sum.fetch_add(1, Relaxed);
    })
    .unwrap();
    assert_eq!(
        sum.into_inner(),
        3 * (0..40).filter(|t| t % 3 != 1).count() as u32
    );
}

#[test]
fn threads_meet_at_one_barrier_from_two_places() {
    each_thread(2, 64, || {
        if thread_idx_x().is_multiple_of(2) {
            named_barrier(3);
            1
        } else {
            named_barrier(3);
            2
        }
    });
}

//@ rows: WEM-wait
#[test]
fn a_warp_op_inside_one_warp_leaves_the_others_alone() {
    let seen = each_thread(3, 83, || {
        if thread_idx_x() / 32 == 0 {
            let below_five = vote_ballot(FULL, lane_id() < 5);
            warp_sync(FULL);
            assert!(vote_any(FULL, lane_id() == 17));
            assert!(!vote_all(FULL, lane_id() != 17));
            return below_five;
        }
        0
    });
    for block in seen.chunks(83) {
        assert!(block[..32].iter().all(|ballot| *ballot == 0x1f));
        assert!(block[32..].iter().all(|ballot| *ballot == 0));
    }
}

#[test]
fn missing_lanes_of_a_ragged_warp_do_not_vote() {
    let seen = each_thread(3, 83, || {
        assert!(vote_all(FULL, true));
        vote_ballot(FULL, true)
    });
    for block in seen.chunks(83) {
        assert_eq!(
            (block[0], block[63], block[64]),
            (FULL, FULL, (1 << 19) - 1)
        );
    }
}

#[test]
fn halves_of_a_warp_vote_on_their_own() {
    let seen = each_thread(2, 64, || {
        if lane_id() < 16 {
            vote_ballot(0xffff, lane_id() == 3)
        } else {
            vote_ballot(0xffff_0000, lane_id() == 20)
        }
    });
    for (thread, ballot) in seen.iter().enumerate() {
        assert_eq!(*ballot, if thread % 32 < 16 { 1 << 3 } else { 1 << 20 });
    }
}

#[test]
fn a_vote_completes_when_the_last_missing_lane_returns() {
    let seen = each_thread(1, 32, || {
        if lane_id() == 31 {
            return 7;
        }
        vote_ballot(FULL, true)
    });
    assert_eq!((seen[0], seen[30], seen[31]), (FULL >> 1, FULL >> 1, 7));
}

#[test]
fn active_mask_tells_who_took_the_branch() {
    let seen = each_thread(2, 83, || {
        let all = active_mask();
        let branch = match lane_id() % 3 {
            0 => active_mask(),
            1 => active_mask(),
            _ => 0,
        };
        assert_eq!(all >> lane_id() & 1, 1);
        if thread_idx_x() < 64 {
            assert_eq!(all, FULL);
        } else {
            assert_eq!(all, (1 << 19) - 1);
        }
        branch
    });
    let every_third = |first: u32| (first..32).step_by(3).map(|lane| 1 << lane).sum::<u32>();
    assert_eq!(
        (seen[0], seen[1], seen[2]),
        (every_third(0), every_third(1), 0)
    );
}

//@ rows: WEM-barrier
#[test]
fn two_barriers_at_once_are_a_deadlock() {
    let (block, waits, text) = deadlock(Shape::new([3, 1, 1], [83, 1, 1]), &|| {
        if block_idx_x() == 1 && thread_idx_x() >= 50 {
            named_barrier(2);
        } else {
            block_barrier();
        }
    });
    assert_eq!(block, [1, 0, 0]);
    assert_eq!(waits.len(), 2);
    assert_eq!(
        (waits[0].point, waits[0].threads, waits[0].first),
        (WaitPoint::Barrier { id: 0 }, 50, [0, 0, 0])
    );
    assert_eq!(
        (waits[1].point, waits[1].threads, waits[1].first),
        (WaitPoint::Barrier { id: 2 }, 33, [50, 0, 0])
    );
    let (first, second) = (waits[0].line, waits[1].line);
    assert_eq!(first, second + 2, "the lines of the two calls");
    assert_eq!(
        text,
        format!(
            "block (1, 0, 0) is stuck: 50 threads (first: (0, 0, 0)) wait at barrier 0, {file}:{first}:13; \
             33 threads (first: (50, 0, 0)) wait at barrier 2, {file}:{second}:13",
            file = file!()
        )
    );
}

//@ rows: WEM-wait
#[test]
fn a_warp_op_that_a_lane_never_reaches_is_a_deadlock() {
    let (_, waits, text) = deadlock(Shape::new([2, 1, 1], [8, 8, 1]), &|| {
        let thread = thread_idx_y() * 8 + thread_idx_x();
        if thread == 37 {
            block_barrier();
        } else if thread < 32 {
            warp_sync(FULL);
            block_barrier();
        } else {
            shuffle_down(FULL, 1, 1, 31);
        }
    });
    assert_eq!(waits.len(), 2, "{text}");
    assert_eq!(
        (waits[0].threads, waits[0].point),
        (33, WaitPoint::Barrier { id: 0 })
    );
    assert_eq!(
        (waits[1].threads, waits[1].first, waits[1].point),
        (
            31,
            [0, 4, 0],
            WaitPoint::Warp {
                operation: "shuffle_down",
                mask: FULL,
                warp: 1,
                arrived: !(1 << 5)
            }
        )
    );
    assert!(
        text.contains("31 threads (first: (0, 4, 0)) wait at `shuffle_down` of warp 1 with mask 0xffffffff (lanes there: 0xffffffdf)"),
        "{text}"
    );
}

//@ rows: WEM-kind
#[test]
fn masks_that_differ_never_meet() {
    let (_, waits, _) = deadlock(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
        let mask = if lane_id() < 4 { 0xff } else { FULL };
        warp_sync(mask);
    });
    assert_eq!(
        waits.iter().map(|wait| wait.threads).collect::<Vec<_>>(),
        [4, 28]
    );
}

#[test]
fn destructors_of_a_stuck_block_run_and_later_runs_are_sound() {
    struct CountsDrop<'a>(&'a AtomicU32);
    impl Drop for CountsDrop<'_> {
        fn drop(&mut self) {
            named_barrier(7); // must not wait, nor panic: the thread is being unwound
            self.0.fetch_add(1, Relaxed);
        }
    }
    for _ in 0..50 {
        let (made, dropped) = (AtomicU32::new(0), AtomicU32::new(0));
        deadlock(Shape::new([1, 1, 1], [100, 1, 1]), &|| {
            made.fetch_add(1, Relaxed);
            let _guard = CountsDrop(&dropped);
            let _heap = vec![thread_idx_x(); 100];
            named_barrier(thread_idx_x() % 2);
        });
        assert_eq!((made.into_inner(), dropped.into_inner()), (100, 100));
        each_thread(2, 100, || {
            block_barrier();
            0
        });
    }
}

#[test]
fn a_stuck_thread_that_catches_unwinding_is_unwound_again() {
    let caught = AtomicU32::new(0);
    deadlock(Shape::new([1, 1, 1], [2, 1, 1]), &|| {
        for _ in 0..3 {
            let outcome = std::panic::catch_unwind(|| named_barrier(thread_idx_x()));
            caught.fetch_add(outcome.is_err().into(), Relaxed);
        }
    });
    assert_eq!(caught.into_inner(), 6);
}

#[test]
fn a_deadlock_starts_no_further_block() {
    let started = AtomicU32::new(0);
    let shape = Shape {
        workers: Some(1),
        ..Shape::new([1000, 1, 1], [2, 1, 1])
    };
    let (block, ..) = deadlock(shape, &|| {
        started.fetch_add(1, Relaxed);
        named_barrier(thread_idx_x() * u32::from(block_idx_x() == 4));
    });
    assert_eq!((block, started.into_inner()), ([4, 0, 0], 10));
}

#[test]
fn of_many_stuck_blocks_the_lowest_is_reported() {
    for workers in [2, 3].repeat(10) {
        // Workers take several blocks at a time: the second is stuck at once, while the first has not come to block 3 yet.
        let shape = Shape {
            workers: Some(workers),
            ..Shape::new([1000, 1, 1], [2, 1, 1])
        };
        let (block, ..) = deadlock(shape, &|| {
            named_barrier(thread_idx_x() * u32::from(block_idx_x() >= 3));
        });
        assert_eq!(block, [3, 0, 0], "{workers} workers");
    }
}
