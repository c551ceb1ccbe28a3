//! Barriers in memory.

use std::any::TypeId;

use super::*;
use warploom_emulator::SharedKey;
use warploom_emulator::intrinsics::*;

struct Slots;
static SLOTS: SharedKey = SharedKey::new(TypeId::of::<Slots>(), "Mbarrier");

/// Two barriers in shared memory, the first for `count` arrivals, the second for 1; initialised.
fn two(count: u32) -> [*mut u64; 2] {
    // SAFETY: 16 bytes that only these barriers use; a barrier of the block orders their initialisation.
    unsafe {
        let first = shared_static(&SLOTS, 16, 8).cast::<u64>();
        let second = first.add(1);
        if thread_idx_x() == 0 {
            mbarrier_init(first, count);
            mbarrier_init(second, 1);
        }
        block_barrier();
        [first, second]
    }
}

#[test]
fn a_phase_that_lacks_an_arrival_says_how_many_there_were() {
    let line = line!() + 8;
    let report = only(64, || {
        let [first, _] = two(64);
        // SAFETY: they are initialised.
        unsafe {
            if thread_idx_x() != 5 {
                mbarrier_arrive(first);
            }
            mbarrier_wait_parity(first, 0);
        }
    });
    assert_eq!(lines(&report), (Code::MBARRIER_STUCK, vec![line]));
    assert_eq!(
        report.title,
        "an `Mbarrier` whose phase 0 never ends: 63 of 64 arrivals"
    );
}

#[test]
fn threads_at_two_kinds_of_barriers_are_a_deadlock_with_a_graph() {
    let line = line!() + 5;
    let report = only(64, || {
        let [first, _] = two(1);
        if thread_idx_x() < 32 {
            // SAFETY: they are initialised.
            unsafe { mbarrier_wait_parity(first, 0) };
        } else {
            block_barrier();
            // SAFETY: as above.
            unsafe { mbarrier_arrive(first) };
        }
    });
    assert_eq!(lines(&report), (Code::DEADLOCK, vec![line, line + 2]));
    assert_eq!(
        report.title,
        "64 threads wait for one another, at 2 different things"
    );
    let file = file!();
    let text = notes(&report);
    expect(
        &text,
        &format!(
            "threads 0-31 wait at an `Mbarrier`, phase 0, 0 of 1 arrivals ({file}:{line}:22) for 1 more arrivals"
        ),
    );
    expect(
        &text,
        &format!(
            "threads 32-63 wait at barrier 0 ({file}:{}:13) for threads 0-31",
            line + 2
        ),
    );
}

#[test]
fn two_barriers_in_memory_that_wait_for_each_other_are_a_deadlock() {
    let report = only(2, || {
        let [first, second] = two(1);
        let own = if thread_idx_x() == 0 {
            [first, second]
        } else {
            [second, first]
        };
        // SAFETY: they are initialised.
        unsafe {
            mbarrier_wait_parity(own[0], 0);
            mbarrier_arrive(own[1]);
        }
    });
    assert_eq!(report.code, Code::DEADLOCK);
}
