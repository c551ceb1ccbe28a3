//! `nanosleep` lets others run.

mod named;

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

use named::named_barrier;
use warploom_emulator::intrinsics::{
    active_mask, barrier_sync_threads, block_barrier, block_idx_x, clock64, global_timer, lane_id,
    nanosleep, thread_idx_x, vote_all, warp_sync,
};
use warploom_emulator::{Fault, Shape, run};

fn block(n: u32, program: &(dyn Fn() + Sync)) -> Result<(), Fault> {
    run(Shape::new([3, 1, 1], [n, 1, 1]), program)
}

#[test]
fn a_lane_that_spins_and_sleeps_waits_for_lanes_that_have_not_started() {
    let shape = Shape::new([1, 1, 1], [70, 1, 1]);
    let flag = AtomicU32::new(0);
    run(shape, &|| {
        if thread_idx_x() == 69 {
            flag.store(1, SeqCst);
        }
        while flag.load(SeqCst) == 0 {
            nanosleep(10);
        }
    })
    .unwrap();
}

#[test]
fn sleepers_take_turns() {
    // Each thread adds when all below it have: only turns let the last one finish.
    let shape = Shape::new([1, 1, 1], [40, 1, 1]);
    let next = AtomicU32::new(40);
    run(shape, &|| {
        while next.load(SeqCst) != thread_idx_x() + 1 {
            nanosleep(10);
        }
        next.fetch_sub(1, SeqCst);
    })
    .unwrap();
    assert_eq!(next.into_inner(), 0);
}

#[test]
fn sleepers_do_not_keep_others_from_meeting() {
    let met = AtomicU32::new(0);
    block(64, &|| {
        if lane_id() < 16 {
            for _ in 0..lane_id() {
                nanosleep(10);
            }
        } else {
            warp_sync(0xffff_0000);
        }
        block_barrier();
        met.fetch_add(1, SeqCst);
    })
    .unwrap();
    assert_eq!(met.into_inner(), 3 * 64);
}

#[test]
fn an_active_mask_is_answered_while_others_sleep() {
    let shape = Shape::new([1, 1, 1], [32, 1, 1]);
    let seen = AtomicU32::new(0);
    run(shape, &|| {
        if lane_id() < 8 {
            seen.store(active_mask(), SeqCst);
        } else {
            while seen.load(SeqCst) == 0 {
                nanosleep(10);
            }
        }
    })
    .unwrap();
    assert_eq!(seen.into_inner(), 0xff);
}

#[test]
fn a_stuck_block_is_found_when_its_sleepers_are_gone() {
    let fault = block(32, &|| {
        nanosleep(10);
        match lane_id() {
            0 => named_barrier(1),
            _ => named_barrier(2),
        }
    });
    assert!(matches!(fault, Err(Fault::Deadlock { .. })), "{fault:?}");
}

#[test]
fn a_panicking_lane_does_not_sleep() {
    struct Sleeps;
    impl Drop for Sleeps {
        fn drop(&mut self) {
            nanosleep(10);
        }
    }
    let fault = block(33, &|| {
        let _sleeps = Sleeps;
        assert!(thread_idx_x() != 7, "seven");
    });
    assert!(
        matches!(fault, Err(Fault::Panic { count: 3, .. })),
        "{fault:?}"
    );
}

#[test]
fn clocks_grow() {
    block(40, &|| {
        let (cycles, ns) = (clock64(), global_timer());
        nanosleep(1);
        assert!(clock64() > cycles && global_timer() >= ns);
    })
    .unwrap();
}

#[test]
fn who_sleeps_for_a_block_that_will_not_start_does_not_keep_the_run() {
    // Two OS threads take two blocks at a time. Block 100 gets stuck, so that 101 never starts, for which 102 sleeps on the other thread.
    let shape = Shape {
        workers: Some(2),
        ..Shape::new([256, 1, 1], [2, 1, 1])
    };
    let (begun, written) = (AtomicU32::new(0), AtomicU32::new(0));
    let until = |flag: &AtomicU32| {
        while flag.load(SeqCst) == 0 {
            nanosleep(10);
        }
    };
    let outcome = run(shape, &|| match block_idx_x() {
        100 if thread_idx_x() == 0 => {
            until(&begun);
            // SAFETY: no other code uses the barrier.
            unsafe { barrier_sync_threads(1, 64) };
        }
        101 => written.store(1, SeqCst),
        102 => {
            begun.store(1, SeqCst);
            until(&written);
        }
        _ => {}
    });
    let Err(Fault::Deadlock { block, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((block, written.into_inner()), ([100, 0, 0], 0));
}

/// The thread of the first block that would end their loops has panicked: the run ends with its panic.
#[test]
fn sleepers_do_not_outlast_a_panic() {
    let flag = AtomicU32::new(0);
    let result = block(40, &|| {
        if block_idx_x() == 0 && thread_idx_x() == 7 {
            assert!(flag.load(SeqCst) == 1, "too early");
            flag.store(1, SeqCst);
        }
        while flag.load(SeqCst) == 0 {
            nanosleep(10);
        }
    });
    let panicked = matches!(&result, Err(Fault::Panic { message, .. }) if message == "too early");
    assert!(panicked, "{result:?}");
}

/// As above, in loops in which warps vote.
#[test]
fn sleepers_that_vote_do_not_outlast_a_panic() {
    let flag = AtomicU32::new(0);
    let result = block(64, &|| {
        if block_idx_x() == 0 && thread_idx_x() == 7 {
            assert!(flag.load(SeqCst) == 1, "too early");
        }
        while !vote_all(u32::MAX, flag.load(SeqCst) == 1) {
            nanosleep(10);
        }
    });
    let panicked = matches!(&result, Err(Fault::Panic { message, .. }) if message == "too early");
    assert!(panicked, "{result:?}");
}

/// What a thread of the host writes seconds later is not taken for what never comes.
#[test]
fn a_thread_of_the_host_may_write_what_sleepers_wait_for() {
    let flag = AtomicU32::new(0);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_secs(3));
            flag.store(1, SeqCst);
        });
        block(32, &|| {
            while flag.load(SeqCst) == 0 {
                nanosleep(10);
            }
        })
    });
    assert_eq!(outcome, Ok(()));
}

/// After ten seconds it is.
#[test]
fn sleepers_that_nothing_wakes_end_the_launch() {
    let start = Instant::now();
    let outcome = block(32, &|| {
        while thread_idx_x() != 5 {
            nanosleep(10);
        }
    });
    let Err(Fault::Deadlock { waits, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(waits[0].threads, 31);
    assert!(start.elapsed() >= Duration::from_secs(10));
}
