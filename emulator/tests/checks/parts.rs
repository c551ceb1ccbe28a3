//! Barriers of parts of a block, barriers in memory, and copies under way.

use warploom_emulator::check::Code;
use warploom_emulator::intrinsics;

use crate::support::*;

fn sync_part(id: u32, threads: u32) {
    // SAFETY: no other code uses the barrier.
    unsafe { intrinsics::barrier_sync_threads(id, threads) }
}

fn arrive_part(id: u32, threads: u32) {
    // SAFETY: no other code uses the barrier.
    unsafe { intrinsics::barrier_arrive_threads(id, threads) }
}

#[test]
fn a_barrier_of_a_part_orders_its_threads() {
    let found = check(2, 96, || {
        store(tile(me()), 1);
        if me() < 64 {
            sync_part(1, 64);
            load(tile(63 - me()));
            sync_part(1, 64);
            store(tile(63 - me()), 2);
        }
    });
    assert_eq!(found, []);
}

#[test]
fn a_barrier_of_a_part_does_not_order_the_others() {
    let found = check(1, 96, || {
        store(tile(me()), 1);
        if me() < 64 {
            sync_part(1, 64);
        }
        if me() == 5 {
            load(tile(70));
        }
        if me() == 80 {
            load(tile(7));
        }
    });
    assert_eq!(codes(&found), [Code::SHARED_RACE]);
    assert_eq!(found.len(), 2, "a read on either side");
}

#[test]
fn who_only_arrives_does_not_wait() {
    let found = check(1, 64, || {
        if me() < 32 {
            store(tile(me()), 1);
            arrive_part(1, 64);
        } else {
            sync_part(1, 64);
            load(tile(63 - me()));
            store(tile(me()), 1);
        }
    });
    assert_eq!(found, []);
    let found = check(1, 64, || {
        if me() < 32 {
            arrive_part(1, 64);
            load(tile(me() + 32));
        } else {
            store(tile(me()), 1);
            sync_part(1, 64);
        }
    });
    assert!(codes(&found).contains(&Code::SHARED_RACE), "{found:#?}");
}

#[test]
fn a_barrier_that_combines_orders_the_block() {
    let found = check(2, 83, || {
        store(tile(me()), 1);
        // SAFETY: all threads come here.
        unsafe { intrinsics::barrier_count(0, true) };
        load(tile(82 - me()));
    });
    assert_eq!(found, []);
}

/// A barrier in memory behind 64 words.
fn phase() -> *mut u64 {
    tile(128).cast()
}

#[test]
fn a_barrier_in_memory_orders_arrivals_before_waits() {
    let found = check(2, 64, || {
        if me() == 0 {
            here();
            // SAFETY: the block's own, in front of the barrier.
            unsafe { intrinsics::mbarrier_init(phase(), 64) };
        }
        barrier();
        for round in 0..3 {
            store(tile(me()), round);
            here();
            // SAFETY: initialised.
            unsafe {
                let state = intrinsics::mbarrier_arrive(phase());
                intrinsics::mbarrier_wait(phase(), state);
            }
            load(tile(63 - me()));
            here();
            // SAFETY: initialised.
            unsafe {
                let state = intrinsics::mbarrier_arrive(phase());
                intrinsics::mbarrier_wait(phase(), state);
            }
        }
    });
    assert_eq!(found, []);
}

#[test]
fn what_comes_behind_the_arrival_is_not_ordered() {
    let found = check(2, 64, || {
        if me() == 0 {
            here();
            // SAFETY: the block's own, in front of the barrier.
            unsafe { intrinsics::mbarrier_init(phase(), 64) };
        }
        barrier();
        here();
        // SAFETY: initialised.
        let state = unsafe { intrinsics::mbarrier_arrive(phase()) };
        store(tile(me()), 1);
        here();
        // SAFETY: initialised.
        unsafe { intrinsics::mbarrier_wait(phase(), state) };
        load(tile(63 - me()));
    });
    only(&found, Code::SHARED_RACE);
}

#[test]
fn the_initialisation_of_a_barrier_has_to_be_ordered() {
    let found = check(1, 64, || {
        here();
        // SAFETY: the barrier is there when the others come, because warp 0 runs first.
        unsafe {
            if me() == 0 {
                intrinsics::mbarrier_init(phase(), 64);
            }
            intrinsics::mbarrier_arrive(phase());
        }
    });
    only(&found, Code::MIXED_ATOMIC);
}

fn begin_copy(to: *mut u32, from: *const u32) {
    // SAFETY: the tests copy words that are there.
    unsafe { intrinsics::copy_async_4(to.cast(), from.cast()) }
}

fn wait_for_copies() {
    // SAFETY: no code counts groups.
    unsafe { intrinsics::copy_async_wait_all() }
}

#[test]
fn a_copy_that_was_waited_for_is_a_write() {
    let x = Buffer::<u32>::new("x", 64);
    let found = check(2, 64, || {
        here();
        begin_copy(tile(me()), x.at(me()));
        wait_for_copies();
        load(tile(me()));
        barrier();
        load(tile(63 - me()));
    });
    assert_eq!(found, []);
    let found = check(1, 64, || {
        here();
        begin_copy(tile(me()), x.at(me()));
        wait_for_copies();
        load(tile(63 - me()));
    });
    // The lanes that come first find nothing there.
    assert!(
        codes(&found).contains(&Code::COPY_NOT_WAITED)
            || codes(&found).contains(&Code::SHARED_RACE),
        "{found:#?}"
    );
}

#[test]
fn a_read_before_the_wait_is_found() {
    let x = Buffer::<u32>::new("x", 64);
    let line = line!();
    let found = check(2, 64, || {
        store(tile(me()), 1);
        here();
        begin_copy(tile(me()), x.at(me()));
        load(tile(me()));
        wait_for_copies();
    });
    let (lines, count) = only(&found, Code::COPY_NOT_WAITED);
    assert_eq!((lines, count), (vec![line + 5, line + 3], 128));
}

#[test]
fn the_source_of_a_copy_is_read() {
    let x = Buffer::<u32>::new("x", 64);
    let found = check(2, 1, || {
        if block() == 0 {
            here();
            begin_copy(tile(0), x.at(9));
            wait_for_copies();
        } else {
            store(x.at(9), 1);
        }
    });
    only(&found, Code::GRID_RACE);
}

#[test]
fn the_source_of_a_copy_is_read_until_the_wait() {
    let writer_after_barrier = |waits_before: bool| {
        let x = Buffer::<u32>::new("x", 64);
        check(1, 64, move || {
            here();
            begin_copy(tile(me()), x.at(me()));
            if waits_before {
                wait_for_copies();
            }
            barrier();
            store(x.at(63 - me()), 7);
            barrier();
            wait_for_copies();
        })
    };
    let line = line!();
    assert_eq!(writer_after_barrier(true), []);
    let (lines, count) = only(&writer_after_barrier(false), Code::COPY_SOURCE);
    assert_eq!((lines, count), (vec![line - 5, line - 11], 64));
}

#[test]
fn a_lane_may_write_what_it_copies_from_after_the_wait_only() {
    let own_write = |waits_before: bool| {
        let x = Buffer::<u32>::new("x", 64);
        check(2, 32, move || {
            let own = x.at(block() * 32 + me());
            for step in 0..2 {
                if step == 1 {
                    here();
                    begin_copy(tile(me()), own);
                    if waits_before {
                        wait_for_copies();
                    }
                }
                store(own, 3); // the same place before and after the copy begins
            }
            wait_for_copies();
        })
    };
    assert_eq!(own_write(true), []);
    only(&own_write(false), Code::COPY_SOURCE);
}

#[test]
fn a_write_without_order_to_the_wait_is_a_race() {
    let x = Buffer::<u32>::new("x", 1);
    let found = check(1, 64, || {
        if me() == 0 {
            here();
            begin_copy(tile(0), x.at(0));
        }
        barrier();
        if me() == 32 {
            store(x.at(0), 7);
        }
        if me() == 0 {
            wait_for_copies();
        }
    });
    only(&found, Code::GLOBAL_RACE);
}

#[test]
fn parts_of_a_word_are_sources_too() {
    let found = |bytes_apart: usize| {
        let x = Buffer::<u32>::new("x", 8);
        check(1, 1, move || {
            here();
            begin_copy(tile(0), x.at(1));
            let byte = x.at(0).cast::<u8>().wrapping_add(bytes_apart);
            store(byte, 1);
            wait_for_copies();
        })
    };
    assert_eq!(found(3), []);
    only(&found(6), Code::COPY_SOURCE);
    assert_eq!(found(8), []);
}

/// Warp 0 writes and arrives, warp 1 looks at the phase and reads.
fn handed_over(looks: impl Fn() + Sync) -> Vec<warploom_emulator::check::Report> {
    check(2, 64, || {
        // SAFETY: one thread initialises the barrier before the others use it; the threads of warp 0 arrive once.
        unsafe {
            if me() == 0 {
                here();
                intrinsics::mbarrier_init(phase(), 32);
            }
        }
        barrier();
        if me() < 32 {
            store(tile(me()), 1);
            here();
            // SAFETY: as above.
            unsafe { intrinsics::mbarrier_arrive(phase()) };
        } else {
            looks();
            load(tile(me() - 32));
        }
    })
}

#[test]
fn a_test_of_a_phase_orders_only_if_it_says_yes() {
    let test = || {
        here();
        // SAFETY: the barrier is there.
        unsafe { intrinsics::mbarrier_test_parity(phase(), 0) }
    };
    assert_eq!(handed_over(|| while !test() {}), []);
    for looks in [0, 1] {
        let found = handed_over(|| {
            for _ in 0..looks {
                test(); // and the answer is not asked
            }
        });
        assert_eq!(codes(&found), [Code::SHARED_RACE], "{looks} {found:#?}");
    }
}
