//! Accesses of what many have accessed before: most of these are not checked, and nothing is missed for that (README 8).

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

/// Lanes `readers` read one word each in this order, then `writer` writes it.
fn read_then_written(readers: [usize; 3], writer: usize) -> Vec<Code> {
    let found = check(1, 256, || {
        if me() == 0 {
            store(tile(0), 1);
        }
        barrier();
        for (turn, reader) in readers.into_iter().enumerate() {
            // One after the other, without order: who sleeps goes last.
            if me() == reader {
                (0..turn).for_each(|_| last());
                load(tile(0));
            }
        }
        if me() == writer {
            (0..4).for_each(|_| last());
            store(tile(0), 2);
        }
    });
    codes(&found)
}

#[test]
fn a_write_behind_one_two_or_three_readers_races_with_any_other_lane() {
    // Where lanes of the writer's warp and of another have read, either is right.
    const EITHER: &[Code] = &[Code::WARP_RACE, Code::SHARED_RACE];
    for (readers, writer, allowed) in [
        ([3, 3, 3], 4, &[Code::WARP_RACE][..]),
        ([3, 3, 3], 40, &[Code::SHARED_RACE]),
        ([3, 4, 4], 3, &[Code::WARP_RACE]),
        ([3, 4, 4], 4, &[Code::WARP_RACE]),
        ([3, 4, 5], 3, &[Code::WARP_RACE]),
        ([3, 4, 5], 5, &[Code::WARP_RACE]),
        ([3, 4, 40], 3, EITHER),
        ([3, 40, 41], 3, &[Code::SHARED_RACE]),
        ([3, 40, 41], 40, EITHER),
        ([3, 40, 4], 3, EITHER),
        ([3, 4, 40], 99, &[Code::SHARED_RACE]),
    ] {
        let found = read_then_written(readers, writer);
        let [found] = found[..] else {
            panic!("{readers:?} {writer}: {found:?}");
        };
        assert!(allowed.contains(&found), "{readers:?} {writer}: {found:?}");
    }
    assert_eq!(read_then_written([3, 3, 3], 3), []);
}

#[test]
fn a_read_behind_a_barrier_of_the_warp_replaces_the_one_before() {
    // Lane 1 reads, its warp meets, lane 2 reads: lane 1 knows its own read only, lane 3 none after the barrier.
    for (writer, expected) in [(1, vec![Code::WARP_RACE]), (2, vec![])] {
        let found = check(1, 64, || {
            if me() == 0 {
                store(tile(0), 1);
            }
            barrier();
            if me() == 1 {
                load(tile(0));
            }
            here();
            warp_sync(u32::MAX);
            if me() == 2 {
                load(tile(0));
            }
            if me() == writer {
                last();
                store(tile(0), 2);
            }
        });
        assert_eq!(codes(&found), expected, "lane {writer}");
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
fn a_read_behind_an_arrival_is_checked_although_many_came_before() {
    let found = check(1, 64, || {
        read_by_all();
        // SAFETY: no other code uses the barrier.
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

#[test]
fn a_write_after_reads_of_many_blocks_races_in_whichever_block() {
    for (writer, after) in [(0, 0), (1, 1), (2, 2), (3, 3), (7, 7), (7, 4)] {
        let found = check_fresh(
            8,
            64,
            || Buffer::<u32>::new("x", 2),
            |x| {
                load(x.at(1));
                if block() >= after {
                    barrier();
                    if block() == writer && me() == 5 {
                        store(x.at(1), 2);
                    }
                }
            },
        );
        let (lines, _) = only(&found, Code::GRID_RACE);
        assert_eq!(lines.len(), 2);
    }
}

#[test]
fn a_read_after_reads_of_many_blocks_and_a_write_races() {
    for writer in [3, 5] {
        let found = check_fresh(
            8,
            64,
            || (Buffer::<u32>::new("x", 2), Buffer::<u32>::new("y", 2)),
            |(x, y)| {
                // Of `y` only what came before the write, so that it is the reads behind it that are found.
                if block() == writer && me() == 0 {
                    store(y.at(1), 1);
                }
                load(x.at(0));
                if block() > writer {
                    load(y.at(1));
                }
            },
        );
        only(&found, Code::GRID_RACE);
    }
}

#[test]
fn a_lane_of_a_block_that_others_have_read_after_is_not_settled() {
    // Read by blocks 0 to 3; the lanes of block 3 are let through by what the others left. One of them writes behind the reads.
    for threads in [33, 64, 256] {
        let found = check_fresh(
            4,
            threads,
            || Buffer::<u32>::new("x", 2),
            |x| {
                for _ in 0..3 {
                    load(x.at(0));
                }
                if block() == 3 {
                    barrier();
                    load(x.at(0));
                    if me() == 32 {
                        last();
                        store(x.at(0), 1);
                    }
                }
            },
        );
        only(&found, Code::GRID_RACE);
    }
}

#[test]
fn reads_of_many_blocks_in_one_launch_are_past_in_the_next() {
    let x = Buffer::<u32>::new("x", 64);
    for _ in 0..3 {
        let reads = check(6, 64, || {
            load(x.at(me()));
        });
        assert_eq!(reads, []);
        let writes = check(1, 64, || store(x.at(me()), 1));
        assert_eq!(writes, []);
    }
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
fn a_plain_access_between_a_few_changes_by_atomics_races() {
    // One after the other changes or reads the word: who is named, and whether it changes.
    for turns in [
        [(3, true), (3, false), (4, true)],
        [(3, true), (3, false), (40, true)],
        [(3, true), (4, false), (4, true)],
        [(3, true), (40, false), (3, true)],
        [(3, true), (4, true), (4, false)],
        [(3, true), (40, true), (40, false)],
        // The lane's own change, or one that is ordered behind the read, does not hide the read from others.
        [(3, false), (3, true), (4, true)],
        [(3, false), (3, true), (40, true)],
        [(40, false), (40, true), (3, true)],
    ] {
        let found = check(1, 64, || {
            if me() == 0 {
                store(tile(0), 0);
                // The site changes several words, as that of a histogram does.
                (1..4).for_each(|i| store(tile(i), 0));
            }
            barrier();
            if me() == 63 {
                (0..4).for_each(|i| count_core(tile(i)));
            }
            barrier();
            for (turn, (lane, changes)) in turns.into_iter().enumerate() {
                if me() == lane {
                    (0..turn).for_each(|_| last());
                    for i in 0..4 {
                        if changes {
                            count_core(tile(i));
                        } else if i == 1 {
                            load(tile(i));
                        }
                    }
                }
            }
        });
        assert_eq!(codes(&found), [Code::MIXED_ATOMIC], "{turns:?}");
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
