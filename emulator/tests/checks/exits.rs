//! Lanes that return before a barrier that the others reach.

use warploom_emulator::check::{Code, HOST, Mode, Options};
use warploom_emulator::{Fault, Shape, Together, intrinsics, run_with};

use crate::support::*;

/// Without the note that lanes returned before a barrier.
fn races(found: Vec<warploom_emulator::check::Report>) -> Vec<warploom_emulator::check::Report> {
    let is_race = |code| code != Code::EXIT_BEFORE_BARRIER;
    found.into_iter().filter(|one| is_race(one.code)).collect()
}

#[test]
fn the_report_names_the_barrier_and_the_remedy() {
    let found = races(check(2, 70, || {
        store(tile(me()), 1);
        if me() == 69 {
            return;
        }
        barrier();
        if me() == 3 {
            load(tile(69));
        }
    }));
    let (lines, count) = only(&found, Code::SHARED_RACE);
    assert_eq!((lines.len(), count), (2, 2));
    let notes: Vec<&str> = found[0].notes.iter().map(|note| &*note.text).collect();
    assert!(
        notes[0]
            .starts_with("the other thread returned before the barrier at emulator/tests/checks"),
        "{notes:?}"
    );
    assert!(
        notes[1].starts_with("let the thread reach the barrier"),
        "{notes:?}"
    );
}

#[test]
fn what_a_barrier_ordered_before_the_return_stays_ordered() {
    let found = races(check(2, 70, || {
        store(tile(me()), 1);
        barrier();
        if me() >= 60 {
            if me() == 69 {
                store(tile(69), 2); // nothing reads it
            }
            return;
        }
        for _ in 0..3 {
            barrier();
            load(tile(me() + 1));
            if me() == 5 {
                load(tile(68));
            }
        }
    }));
    assert_eq!(found, []);
}

#[test]
fn later_barriers_order_those_that_arrive() {
    let found = races(check(1, 96, || {
        store(tile(me()), 1);
        if me() == 95 {
            return;
        }
        for round in 0..3 {
            barrier();
            load(tile(94 - me()));
            barrier();
            store(tile(me()), round);
        }
    }));
    assert_eq!(found, []);
    let found = races(check(1, 96, || {
        store(tile(me()), 1);
        if me() == 95 {
            return;
        }
        barrier();
        store(tile(me()), 2);
        load(tile(94 - me())); // and here a barrier is missing
    }));
    assert!(codes(&found).contains(&Code::SHARED_RACE));
}

#[test]
fn a_warp_that_meets_does_not_order_a_lane_that_returned() {
    let found = races(check(1, 32, || {
        store(tile(me()), 1);
        if me() == 31 {
            return;
        }
        intrinsics::warp_sync(u32::MAX >> 1);
        load(tile(30 - me()));
    }));
    assert_eq!(found, []);
    let found = races(check(1, 32, || {
        store(tile(me()), 1);
        if me() == 31 {
            return;
        }
        intrinsics::warp_sync(u32::MAX >> 1);
        load(tile(me() + 1));
    }));
    let (lines, count) = only(&found, Code::WARP_RACE);
    assert_eq!((lines.len(), count), (2, 1));
}

#[test]
fn a_release_before_the_return_reaches_all_through_the_barrier() {
    let order = |write: u32, read: u32| {
        let flag = || Buffer::<u32>::new("flag", 1);
        let found = check_fresh(1, 96, flag, |flags| {
            store(tile(me()), 1);
            if me() == 95 {
                set(flags.at(0), 1, write | DEVICE);
                return;
            }
            if me() == 2 {
                while get(flags.at(0), read | DEVICE) == 0 {
                    here();
                    intrinsics::spin_wait(0);
                }
            }
            barrier();
            if me() == 40 {
                load(tile(95));
            }
        });
        races(found)
    };
    assert_eq!(order(RELEASE, ACQUIRE), []);
    assert!(!order(RELAXED, RELAXED).is_empty());
}

#[test]
fn an_exit_that_completes_a_barrier_of_the_warp_orders_nothing_of_that_lane() {
    let kernel = |reads: usize| {
        let found = check(1, 32, move || {
            store(tile(me()), 1);
            if me() == 31 {
                store(tile(31), 2);
                return; // the others wait for it by now
            }
            intrinsics::warp_sync(u32::MAX);
            load(tile(reads - me()));
        });
        let is_race = |code| code != Code::LANE_MISSING;
        found
            .into_iter()
            .filter(|one| is_race(one.code))
            .collect::<Vec<_>>()
    };
    assert_eq!(kernel(30), []);
    let (lines, count) = only(&kernel(31), Code::WARP_RACE);
    assert_eq!((lines.len(), count), (2, 1));
}

#[test]
fn a_warp_that_returned_as_a_whole_orders_nothing() {
    let kernel = |reads: usize| {
        races(check(2, 96, move || {
            store(tile(me()), 1);
            if me() >= 64 {
                intrinsics::warp_sync(u32::MAX);
                return;
            }
            barrier();
            load(tile(reads - me()));
        }))
    };
    assert_eq!(kernel(63), []);
    only(&kernel(64), Code::SHARED_RACE);
}

#[test]
fn a_return_after_a_barrier_with_a_count_leaves_what_it_ordered() {
    let found = races(check(1, 64, || {
        store(tile(me()), 1);
        // SAFETY: all 64 threads arrive.
        unsafe { intrinsics::barrier_sync_threads(1, 64) };
        if me() >= 32 {
            return;
        }
        barrier();
        load(tile(63 - me()));
    }));
    assert_eq!(found, []);
}

/// std says of some panics where in its own source they are, or nothing, as of `abort`.
#[test]
fn a_panic_without_a_place_is_named_by_the_call_that_it_is_in() {
    let hook = HOST
        .iter()
        .find(|hook| hook.name == "__warploom.host.panic_nounwind");
    let hook = hook.unwrap().address;
    // SAFETY: the function of this name has this type.
    let abort = unsafe { std::mem::transmute::<*const (), fn(&'static str) -> !>(hook) };
    let mut options = Options::default();
    options.mode = Mode::Checked;
    let shape = Shape::new([1, 1, 1], [1, 1, 1]);
    let from = line!() + 2;
    let found = run_with(shape, Together::default(), &options, &|| {
        calling(|| abort("the thread called `abort`"));
    });
    let Some(Fault::Panic { file, line, .. }) = found.fault else {
        panic!("{:?}", found.fault)
    };
    assert_eq!((&*file, line), (file!(), from));
}
