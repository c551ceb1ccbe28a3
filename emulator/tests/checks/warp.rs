//! What the lanes of one warp order among themselves.

use warploom_emulator::check::Code;
use warploom_emulator::intrinsics::{self, warp_sync};

use crate::support::*;

#[test]
fn a_warp_barrier_orders_its_lanes() {
    let found = check(2, 83, || {
        store(tile(me()), 1);
        warp_sync(intrinsics::active_mask());
        load(tile(me() ^ 1).min(tile(82)));
        warp_sync(intrinsics::active_mask());
        store(tile(me()), 2);
    });
    assert_eq!(found, []);
}

#[test]
fn a_warp_barrier_does_not_order_other_warps() {
    let found = check(1, 64, || {
        store(tile(me()), 1);
        warp_sync(u32::MAX);
        load(tile(63 - me()));
    });
    only(&found, Code::SHARED_RACE);
}

/// Each operation of a warp that exchanges registers.
const EXCHANGES: &[fn(u32)] = &[
    |mask| _ = intrinsics::vote_any(mask, true),
    |mask| _ = intrinsics::vote_all(mask, true),
    |mask| _ = intrinsics::vote_uni(mask, true),
    |mask| _ = intrinsics::vote_ballot(mask, true),
    |mask| _ = intrinsics::match_any_u32(mask, 1),
    |mask| _ = intrinsics::match_all_u64(mask, 1),
    |mask| _ = intrinsics::shuffle_bfly(mask, 0, 1, 31),
    |mask| _ = intrinsics::shuffle_idx(mask, 0, 0, 31),
    |mask| _ = intrinsics::redux_add(mask, 1),
];

#[test]
fn shuffles_votes_matches_and_reductions_order_no_memory() {
    for exchange in EXCHANGES {
        for mask in [u32::MAX, 0xff_ffff] {
            let kernel = |synchronises: bool| {
                check(2, 32, move || {
                    store(tile(me()), 1);
                    if mask >> me() & 1 == 1 {
                        exchange(mask);
                        if synchronises {
                            warp_sync(mask);
                        }
                        load(tile(me() ^ 1));
                    }
                })
            };
            assert_eq!(kernel(true), []);
            only(&kernel(false), Code::WARP_RACE);
        }
    }
}

#[test]
fn a_vote_that_an_exit_completes_orders_no_memory() {
    let kernel = |synchronises: bool| {
        let found = check(1, 32, move || {
            if me() == 31 {
                return;
            }
            store(tile(me()), 1);
            if synchronises {
                warp_sync(u32::MAX);
            } else {
                intrinsics::vote_any(u32::MAX, true);
            }
            load(tile(30 - me()));
        });
        let is_race = |code| code != Code::LANE_MISSING;
        let races = found.into_iter().filter(|one| is_race(one.code));
        races.collect::<Vec<_>>()
    };
    assert_eq!(kernel(true), []);
    only(&kernel(false), Code::WARP_RACE);
}

#[test]
fn a_partial_mask_orders_the_lanes_of_the_mask_only() {
    let kernel = |other: usize| {
        move || {
            store(tile(me()), 1);
            if me() < 16 {
                warp_sync(0xffff);
                load(tile(other - me()));
            }
        }
    };
    assert_eq!(check(2, 32, kernel(15)), []);
    only(&check(2, 32, kernel(31)), Code::WARP_RACE);
}

#[test]
fn order_goes_on_from_mask_to_mask() {
    let kernel = |last: u32| {
        move || {
            if me() == 0 {
                store(tile(0), 1);
                warp_sync(0b11);
            } else if me() == 1 {
                warp_sync(0b11);
                warp_sync(0b110);
            } else if me() == 2 {
                warp_sync(0b110);
            }
            if me() == last as usize {
                load(tile(0));
            }
        }
    };
    assert_eq!(check(1, 40, kernel(2)), []);
    only(&check(1, 40, kernel(3)), Code::WARP_RACE);
}

#[test]
fn reads_behind_a_warp_barrier_count_too() {
    for threads in [32, 64] {
        let found = check(1, threads, || {
            if me() == 0 {
                store(tile(0), 1);
            }
            barrier();
            load(tile(0));
            barrier();
            load(tile(0));
            warp_sync(u32::MAX);
            if me() < 20 {
                load(tile(0));
            }
            if me() == 31 {
                store(tile(0), 2);
            }
        });
        assert!(codes(&found).contains(&Code::WARP_RACE), "{found:#?}");
    }
}

#[test]
fn active_mask_orders_nothing() {
    let found = check(1, 32, || {
        store(tile(me()), 1);
        intrinsics::active_mask();
        load(tile(31 - me()));
    });
    only(&found, Code::WARP_RACE);
}

#[test]
fn a_warp_that_synchronises_knows_what_its_lanes_have_acquired() {
    let buffers = || (Buffer::<u32>::new("data", 1), Buffer::<u32>::new("flag", 1));
    for mask in [u32::MAX, 0b11] {
        let found = check_fresh(2, 32, buffers, |(data, flag)| {
            if block() == 0 && me() == 0 {
                store(data.at(0), 1);
                set(flag.at(0), 1, RELEASE | DEVICE);
            } else if block() == 1 {
                if me() == 0 {
                    while get(flag.at(0), ACQUIRE | DEVICE) == 0 {
                        intrinsics::spin_wait(0);
                    }
                }
                if mask >> me() & 1 == 1 {
                    warp_sync(mask);
                }
                if me() == 1 {
                    load(data.at(0));
                }
            }
        });
        assert_eq!(found, []);
    }
}
