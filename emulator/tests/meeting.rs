//! Barriers that combine or count, barriers in memory, copies under way, and what warps find out about values; through the public
//! interface.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the functions are unsafe because of what they do on a GPU; here each test gives them memory of its own"
)]

mod named;

use std::any::TypeId;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use named::named_barrier;
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, SharedKey, WaitPoint, run};

fn block(threads: u32) -> Shape {
    Shape::new([2, 1, 1], [threads, 1, 1])
}

struct Words;
const WORDS: &SharedKey = &SharedKey::new(TypeId::of::<Words>(), "u64");

fn words() -> *mut u64 {
    unsafe { shared_static(WORDS, 1024, 16) }.cast()
}

#[test]
fn a_question_counts_the_threads_that_are_left() {
    run(block(83), &|| {
        let t = thread_idx_x();
        if t % 4 == 3 {
            return;
        }
        let even = (0..83).filter(|t| t % 4 != 3 && t % 2 == 0).count() as u32;
        assert_eq!(unsafe { barrier_count(2, t.is_multiple_of(2)) }, even);
        assert!(unsafe { barrier_all(2, t % 4 != 3) });
        assert!(!unsafe { barrier_all(2, t != 82) });
        assert!(unsafe { barrier_any(2, t == 82) });
        assert!(!unsafe { barrier_any(2, t % 4 == 3) });
    })
    .unwrap();
}

#[test]
fn different_operations_at_one_barrier_never_meet() {
    let fault = run(block(3), &|| match thread_idx_x() {
        0 => named_barrier(5),
        1 => drop(unsafe { barrier_any(5, true) }),
        _ => unsafe { barrier_sync_threads(5, 32) },
    })
    .unwrap_err();
    let Fault::Deadlock { waits, .. } = fault else {
        unreachable!("{fault}")
    };
    let points: Vec<WaitPoint> = waits.iter().map(|wait| wait.point).collect();
    let (id, operation) = (5, "barrier_any");
    let (count, arrived) = (32, 1);
    assert_eq!(
        points,
        [
            WaitPoint::Barrier { id },
            WaitPoint::BarrierReduction { id, operation },
            WaitPoint::CountedBarrier { id, count, arrived },
        ]
    );
}

#[test]
fn who_arrives_without_waiting_is_counted() {
    let order = AtomicU32::new(0);
    run(Shape::new([1, 1, 1], [96, 1, 1]), &|| {
        let t = thread_idx_x();
        if t < 32 {
            unsafe { barrier_sync_threads(1, 96) };
            assert_eq!(order.load(Relaxed), 64);
        } else {
            order.fetch_add(1, Relaxed);
            unsafe { barrier_arrive_threads(1, 96) };
        }
    })
    .unwrap();
}

#[test]
fn a_barrier_is_new_in_each_block() {
    // The one arrival of each block is forgotten with it.
    let shape = Shape {
        workers: Some(1),
        ..Shape::new([40, 1, 1], [1, 1, 1])
    };
    run(shape, &|| unsafe { barrier_arrive_threads(1, 32) }).unwrap();
}

#[test]
fn a_phase_ends_with_its_last_arrival() {
    run(block(70), &|| {
        let at = words();
        if thread_idx_x() == 0 {
            unsafe { mbarrier_init(at, 70) };
        }
        block_barrier();
        for round in 0..5 {
            unsafe {
                let state = mbarrier_arrive(at);
                if round % 2 == 0 {
                    mbarrier_wait(at, state);
                } else {
                    while !mbarrier_test_wait(at, state) {}
                }
                assert!(mbarrier_test_wait(at, state));
                assert!(mbarrier_test_parity(at, round % 2));
                mbarrier_wait_parity(at, round % 2);
            }
            block_barrier();
        }
    })
    .unwrap();
}

#[test]
fn a_barrier_in_memory_has_to_be_initialised() {
    let text = run(block(1), &|| _ = unsafe { mbarrier_arrive(words()) })
        .unwrap_err()
        .to_string();
    assert!(text.contains("was not initialised"), "{text}");
    let text = run(block(1), &|| unsafe { mbarrier_init(words(), 0) })
        .unwrap_err()
        .to_string();
    assert!(text.contains("an `Mbarrier` for 0 arrivals"), "{text}");
}

#[test]
fn copies_take_place_when_they_are_waited_for() {
    let source: Vec<u64> = (10..20).collect();
    run(block(1), &|| unsafe {
        let to = words();
        let from = source.as_ptr();
        to.write_bytes(0, 10);
        copy_async_8(to.cast(), from.cast());
        copy_async_commit();
        copy_async_16(to.add(2).cast(), from.add(2).cast());
        copy_async_commit();
        copy_async_4(to.add(4).cast(), from.add(4).cast());
        assert_eq!((*to, *to.add(2), *to.add(4)), (0, 0, 0));
        copy_async_wait_1();
        assert_eq!((*to, *to.add(2), *to.add(4)), (10, 0, 0));
        copy_async_wait_0();
        assert_eq!((*to.add(2), *to.add(3), *to.add(4)), (12, 13, 0));
        copy_async_wait_all();
        assert_eq!(*to.add(4), 14);
    })
    .unwrap();
}

#[test]
fn lanes_find_their_equals() {
    run(block(64), &|| {
        let lane = lane_id();
        let third = (0..32)
            .filter(|l| l % 3 == lane % 3)
            .fold(0, |m, l| m | 1 << l);
        assert_eq!(match_any_u32(u32::MAX, lane % 3), third);
        assert_eq!(
            match_any_u64(u32::MAX, u64::from(lane % 3) << 40 | 5),
            third
        );
        assert_eq!(match_all_u32(u32::MAX, lane), 0);
        assert_eq!(match_all_u64(u32::MAX, 1 << 63), u32::MAX);
        assert_eq!(redux_add(u32::MAX, lane), 496);
        assert_eq!(redux_min_i32(u32::MAX, -(lane as i32)), -31);
        assert_eq!(redux_max_u32(u32::MAX, lane.wrapping_sub(1)), u32::MAX);
        assert_eq!(redux_xor(u32::MAX, 1 << lane), u32::MAX);
        assert!(vote_uni(u32::MAX, thread_idx_x() < 32));
        assert!(!vote_uni(u32::MAX, lane < 31));
        assert_eq!(lanemask_lt() | lanemask_eq() | lanemask_gt(), u32::MAX);
        assert_eq!(lanemask_le() & lanemask_ge(), 1 << lane);
    })
    .unwrap();
}

/// A helper that lanes call with a small mask and then, without one that returned, with a large one: no mistake.
#[test]
fn a_lane_that_returned_after_another_round_is_not_missed() {
    let helper = |mask| vote_ballot(mask, true);
    run(block(32), &|| {
        let lane = lane_id();
        let half = if lane < 16 { 0xFFFF } else { 0xFFFF_0000 };
        assert_eq!(helper(half), half);
        if lane == 3 {
            return;
        }
        assert_eq!(helper(u32::MAX), !0b1000);
    })
    .unwrap();
}

#[test]
fn a_lane_that_made_the_same_call_with_another_mask_is_missed() {
    for odd_one in [0, 31] {
        let fault = run(block(32), &|| {
            let mask = if lane_id() == odd_one {
                1 << odd_one
            } else {
                u32::MAX
            };
            vote_all(mask, true);
        })
        .unwrap_err();
        let text = fault.to_string();
        assert!(text.contains("31 threads"), "{text}");
    }
}
