//! Races on shared memory.

use warploom_emulator::check::Code;

use crate::support::*;

#[test]
fn a_missing_barrier_between_warps_is_found() {
    let found = check(3, 83, || {
        store(tile(me()), me() as u32);
        load(tile(82 - me()));
    });
    assert!(codes(&found).contains(&Code::SHARED_RACE));
    assert!(codes(&found).contains(&Code::WARP_RACE));
}

#[test]
fn a_barrier_orders_the_block() {
    let found = check(3, 83, || {
        for round in 0..3 {
            store(tile(me()), me() as u32 + round);
            barrier();
            assert_eq!(load(tile(82 - me())), 82 - me() as u32 + round);
            barrier();
        }
    });
    assert_eq!(found, []);
}

#[test]
fn the_second_barrier_of_a_loop_is_needed_too() {
    let found = check(1, 64, || {
        for round in 0..3 {
            store(tile(me()), round);
            barrier();
            load(tile(63 - me()));
        }
    });
    let (lines, _) = only(&found, Code::SHARED_RACE);
    assert_eq!(lines.len(), 2);
}

#[test]
fn the_sides_are_the_two_lines() {
    let line = line!();
    let found = check(1, 40, || {
        if me() == 3 {
            store(tile(7), 9);
        } else if me() == 35 {
            store(tile(7), 8);
        }
    });
    let (lines, count) = only(&found, Code::SHARED_RACE_WRITES);
    assert_eq!((lines, count), (vec![line + 5, line + 3], 1));
    let [second, first] = &found[0].sides[..] else {
        unreachable!()
    };
    assert_eq!(second.who.unwrap().thread, [35, 0, 0]);
    assert_eq!((first.who.unwrap().warp, first.who.unwrap().lane), (0, 3));
    let labels: Vec<_> = found[0].notes.iter().map(|note| note.label).collect();
    assert_eq!(labels, ["why", "help"]);
}

#[test]
fn lanes_of_one_warp_race_too() {
    let found = check(2, 32, || store(tile(0), me() as u32));
    assert_eq!(codes(&found), [Code::WARP_RACE_WRITES]);
}

#[test]
fn the_same_value_is_a_warning() {
    let found = check(2, 96, || store(tile(0), 7));
    assert_eq!(codes(&found), [Code::SAME_VALUE]);
}

#[test]
fn bytes_of_one_word_do_not_race() {
    let found = check(2, 64, || {
        let bytes = tile(0).cast::<u8>();
        store(bytes.wrapping_add(me()), me() as u8);
        barrier();
        assert_eq!(load(bytes.wrapping_add(63 - me())), 63 - me() as u8);
    });
    assert_eq!(found, []);
}

#[test]
fn a_byte_races_with_its_word() {
    let found = check(1, 64, || {
        if me() == 0 {
            store(tile(0), 5);
        } else if me() == 40 {
            store(tile(0).cast::<u8>().wrapping_add(2), 1);
        }
    });
    only(&found, Code::SHARED_RACE_WRITES);
}

#[test]
fn shared_memory_has_no_value_at_first() {
    let line = line!();
    let found = check(3, 40, || {
        if me() != 39 {
            store(tile(me()), 1);
        }
        barrier();
        load(tile(me()));
    });
    let (lines, count) = only(&found, Code::SHARED_UNINIT);
    assert_eq!((lines, count), (vec![line + 6], 3));
}

#[test]
fn each_byte_needs_a_value() {
    let found = check(1, 1, || {
        let bytes = tile(0).cast::<u8>();
        for byte in [0, 1, 3] {
            store(bytes.wrapping_add(byte), 1);
        }
        load(tile(0));
    });
    only(&found, Code::SHARED_UNINIT);
    let found = check(1, 1, || {
        fill(tile(0).cast(), 7);
        load(tile(0));
        load(tile(1).cast::<u16>());
        load(tile(1).cast::<u8>().wrapping_add(2));
    });
    assert_eq!(found, []);
}

#[test]
fn dynamic_shared_memory_has_no_value_at_first() {
    let found = check(2, 32, || {
        // SAFETY: within its length.
        let start = unsafe { warploom_emulator::intrinsics::dynamic_shared() }.cast::<u32>();
        let mine = start.wrapping_add(me());
        if block() == 0 {
            store(mine, 1);
        }
        load(mine);
    });
    let (_, count) = only(&found, Code::SHARED_UNINIT);
    assert_eq!(count, 32);
}

#[test]
fn a_racy_kernel_whose_result_is_right_is_found() {
    // Warps run one after the other here, so that the sum is right.
    let sum = Buffer::<u32>::new("sum", 1);
    let found = check(1, 64, || {
        store(tile(me()), 1);
        if me() == 63 {
            let total = (0..64).map(|i| load(tile(i))).sum();
            store(sum.at(0), total);
        }
    });
    assert_eq!(sum.get(0), 64);
    assert_eq!(codes(&found), [Code::SHARED_RACE, Code::WARP_RACE]);
}
