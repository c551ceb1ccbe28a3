//! Races on global memory.

use warploom_emulator::check::Code;

use crate::support::*;
use std::sync::atomic::{AtomicBool, Ordering};

//@ rows: GEM-9
#[test]
fn blocks_are_never_ordered() {
    let x = Buffer::<u32>::new("x", 100);
    let found = check(5, 40, || {
        if me() == 7 {
            store(x.at(99), block() as u32);
        }
    });
    let (_, count) = only(&found, Code::GRID_RACE_WRITES);
    assert_eq!(count, 4);
    assert!(found[0].title.contains("x[99]"), "{}", found[0].title);
}

#[test]
fn a_block_that_reads_what_another_writes_is_found() {
    let x = Buffer::<f64>::new("x", 200);
    let found = check(5, 40, || {
        let i = block() * 40 + me();
        store(x.at(i), 1.0);
        barrier();
        load(x.at((i + 1) % 200));
    });
    assert_eq!(codes(&found), [Code::GRID_RACE]);
}

#[test]
fn own_elements_do_not_race() {
    let x = Buffer::<u8>::new("x", 249);
    let found = check(3, 83, || {
        let i = block() * 83 + me();
        store(x.at(i), load(x.at(i)) + 1);
    });
    assert_eq!(found, []);
}

#[test]
fn what_all_read_does_not_race() {
    let x = Buffer::<u16>::new("x", 3);
    let found = check(3, 83, || {
        load(x.at(block()));
        load(x.at(0));
    });
    assert_eq!(found, []);
}

#[test]
fn a_write_races_with_earlier_reads_of_others() {
    let x = Buffer::<u32>::new("x", 1);
    let found = check(1, 96, || {
        load(x.at(0));
        if me() == 95 {
            store(x.at(0), 1);
        }
    });
    only(&found, Code::GLOBAL_RACE);
}

#[test]
fn a_barrier_orders_global_memory_within_the_block() {
    let x = Buffer::<u32>::new("x", 249);
    let found = check(3, 83, || {
        let first = block() * 83;
        store(x.at(first + me()), 1);
        barrier();
        load(x.at(first + 82 - me()));
        barrier();
        store(x.at(first + 82 - me()), 2);
    });
    assert_eq!(found, []);
}

#[test]
fn threads_of_one_block_race_without_a_barrier() {
    let x = Buffer::<u32>::new("x", 1);
    let found = check(1, 83, || store(x.at(0), me() as u32));
    only(&found, Code::GLOBAL_RACE_WRITES);
}

#[test]
fn launches_are_ordered() {
    let x = Buffer::<u32>::new("x", 83);
    for shift in [0, 1, 40] {
        let found = check(1, 83, || {
            let i = (me() + shift) % 83;
            store(x.at(i), load(x.at(i)) + 1);
        });
        assert_eq!(found, []);
    }
}

#[test]
fn a_wide_access_races_with_a_narrow_one() {
    let x = Buffer::<u128>::new("x", 2);
    let found = check(2, 32, || {
        if (block(), me()) == (0, 0) {
            store(x.at(0), 1);
        } else if (block(), me()) == (1, 0) {
            load(x.at(0).cast::<u8>().wrapping_add(13));
        }
    });
    only(&found, Code::GRID_RACE);
}

#[test]
fn copies_and_fills_are_accesses() {
    let x = Buffer::<u8>::new("x", 300);
    let found = check(2, 1, || {
        if block() == 0 {
            copy(x.at(0), x.at(100), 77);
        } else {
            fill(x.at(76), 24);
        }
    });
    only(&found, Code::GRID_RACE_WRITES);
    let found = check(2, 1, || {
        if block() == 0 {
            copy(x.at(0), x.at(100), 77);
        } else {
            fill(x.at(77), 23);
        }
    });
    assert_eq!(found, []);
}

#[test]
fn an_access_outside_of_a_local_variable_ends_its_lane() {
    for (offset, bytes, says) in [
        (32, 4, "just past its end, element 8 of 8"),
        (-8, 8, "8 bytes before its start, element -1 of 4"),
        (30, 4, "the last 2 bytes past its end"),
        (48, 8, "16 bytes past its end, element 6 of 4"),
    ] {
        let after = AtomicBool::new(false);
        let found = check(1, 1, || {
            outside_local(offset, bytes, 32);
            after.store(true, Ordering::Relaxed);
        });
        only(&found, Code::LOCAL_BOUNDS);
        let did = &found[0].sides[0].did;
        assert!(did.contains(says), "{did}");
        assert!(!after.into_inner());
    }
}

#[test]
fn a_filling_that_is_not_aligned_ends_its_lane() {
    let words = || Buffer::<u32>::new("words", 8);
    let found = check_fresh(1, 1, words, |words| {
        misaligned(words.at(0).cast(), 0, 16); // of nothing
        misaligned(words.at(1).cast(), 16, 16);
    });
    only(&found, Code::MISALIGNED);
    let own = check(1, 1, || {
        let own = [0_u64; 4];
        misaligned(own.as_ptr().cast::<u8>().wrapping_add(4), 8, 8);
    });
    only(&own, Code::MISALIGNED);
}
