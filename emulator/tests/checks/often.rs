//! Accesses of what many have accessed before: most of these are not looked at, and nothing is missed for that (README 8).

use warploom_emulator::check::Code;
use warploom_emulator::intrinsics::{self, warp_sync};

use crate::support::*;

/// Lets all others of the block run first, without order.
fn last() {
    here();
    intrinsics::spin_wait(0);
}

/// All threads of eight warps read one word twice.
fn read_by_all() {
    if me() == 0 {
        store(tile(0), 1);
    }
    barrier();
    for _ in 0..2 {
        load(tile(0));
    }
}

#[test]
fn a_write_after_many_reads_races_whichever_warp_writes() {
    for writer in [0, 31, 33, 100, 255] {
        let found = check(2, 256, || {
            read_by_all();
            if me() == writer {
                last();
                store(tile(0), 2);
            }
        });
        only(&found, Code::SHARED_RACE);
    }
}

#[test]
fn a_write_after_many_reads_and_a_barrier_of_its_warp_races() {
    for warp in [0, 1, 7] {
        let found = check(1, 256, || {
            read_by_all();
            if me() / 32 == warp {
                last();
                warp_sync(u32::MAX);
                load(tile(0));
                warp_sync(u32::MAX);
                if me() % 32 == 5 {
                    store(tile(0), 2);
                }
            }
        });
        assert_eq!(codes(&found), [Code::SHARED_RACE], "warp {warp}");
    }
}

#[test]
fn many_reads_before_a_barrier_do_not_race() {
    let found = check(2, 256, || {
        read_by_all();
        barrier();
        if me() == 77 {
            store(tile(0), 2);
        }
        barrier();
        load(tile(0));
    });
    assert_eq!(found, []);
}

#[test]
fn a_read_behind_an_arrival_is_looked_at_although_many_came_before() {
    let found = check(1, 64, || {
        read_by_all();
        // SAFETY: nobody else uses the barrier.
        unsafe {
            if me() < 32 {
                intrinsics::barrier_sync_threads(1, 64);
            } else {
                intrinsics::barrier_arrive_threads(1, 64);
                load(tile(0));
            }
        }
        if me() == 3 {
            store(tile(0), 2);
        }
    });
    only(&found, Code::SHARED_RACE);
}

/// All threads of eight warps change a few words of their block, with atomics of Rust's own.
fn count_by_all() {
    store(tile(me()), 0);
    barrier();
    for i in 0..8 {
        count_core(tile((me() + i) % 6));
    }
}

#[test]
fn many_changes_by_atomics_are_clean() {
    let found = check(2, 256, || {
        count_by_all();
        barrier();
        load(tile(me() % 6));
    });
    assert_eq!(found, []);
}

#[test]
fn a_plain_access_after_many_changes_by_atomics_races_in_whichever_warp() {
    for reader in [0, 33, 255] {
        let found = check(2, 256, || {
            count_by_all();
            if me() == reader {
                last();
                load(tile(1));
            }
        });
        only(&found, Code::MIXED_ATOMIC);
        let found = check(2, 256, || {
            count_by_all();
            if me() == reader {
                last();
                store(tile(2), 9);
            }
        });
        only(&found, Code::MIXED_ATOMIC);
    }
}

#[test]
fn an_atomic_after_a_plain_write_races_although_many_came_before() {
    let found = check(1, 256, || {
        count_by_all();
        barrier();
        count_core(tile(me() % 6));
        barrier();
        if me() == 0 {
            store(tile(1), 0);
        }
        count_core(tile(me() % 6));
    });
    only(&found, Code::MIXED_ATOMIC);
}

#[test]
fn who_spins_for_one_of_many_locks_lets_its_holder_run() {
    let found = check(1, 64, || {
        store(tile(me()), 0);
        barrier();
        let lock = tile(me() / 2);
        while cas(lock, 0, 1, RELAXED | DEVICE) != 0 {}
        if me().is_multiple_of(2) {
            last();
        }
        set(lock, 0, RELAXED | DEVICE);
    });
    assert_eq!(found, []);
}
