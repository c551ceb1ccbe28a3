//! Accesses of shared memory after a barrier, of which the number of a stretch says that all before is past (README 8).

use std::collections::BTreeSet;

use warploom_emulator::Together;
use warploom_emulator::check::{Code, Report};
use warploom_emulator::intrinsics::{self, warp_sync};

use crate::support::*;

/// Lets all others of the block run first, without order.
fn last() {
    here();
    intrinsics::spin_wait(0);
}

/// A barrier of as many threads, of the upper half of the block.
fn sync_upper(threads: u32) {
    // SAFETY: no other code uses the barrier.
    unsafe { intrinsics::barrier_sync_threads(1, threads) }
}

/// Each thread writes its word and reads another, a barrier after each: from now on all words have a number of what is past.
fn write_and_read() {
    for _ in 0..2 {
        store(tile(me()), 1);
        barrier();
        load(tile(me() ^ 1));
        barrier();
    }
}

#[test]
fn a_value_of_the_block_before_is_none() {
    let found = check(3, 64, || {
        if block() == 0 {
            write_and_read();
        }
        barrier();
        if me() == 3 {
            load(tile(7));
        }
    });
    assert!(
        codes(&found)
            .iter()
            .all(|code| *code == Code::SHARED_UNINIT)
    );
    assert!(!found.is_empty());
}

#[test]
fn a_barrier_of_others_makes_nothing_past() {
    for accesses in [store_one as fn(usize), load_one] {
        let found = check(1, 128, || {
            write_and_read();
            if me() == 3 {
                accesses(9);
            } else if me() >= 64 {
                last();
                sync_upper(64);
                store(tile(if me() == 100 { 9 } else { me() }), 2);
            }
        });
        let [report] = &found[..] else {
            panic!("{found:#?}");
        };
        assert!([Code::SHARED_RACE, Code::SHARED_RACE_WRITES].contains(&report.code));
    }
}

fn store_one(word: usize) {
    store(tile(word), 1);
}

fn load_one(word: usize) {
    load(tile(word));
}

#[test]
fn who_reads_and_writes_its_own_word_races_with_who_comes_then() {
    for (comes, expected) in [
        (load_one as fn(usize), Code::SHARED_RACE),
        (store_one, Code::SHARED_RACE_WRITES),
    ] {
        let found = check(1, 64, || {
            write_and_read();
            if me() == 5 {
                load(tile(5));
                store(tile(5), 2);
                load(tile(5));
                store(tile(5), 3);
            } else if me() == 50 {
                last();
                comes(5);
            }
        });
        assert!(codes(&found).contains(&expected), "{found:#?}");
    }
}

#[test]
fn a_barrier_of_a_block_makes_nothing_past_that_another_of_its_cluster_did() {
    let pairs = Together {
        cluster: [2, 1, 1],
        cooperative: false,
    };
    let cluster_sync = || {
        // SAFETY: checked by the emulator.
        unsafe {
            intrinsics::cluster_arrive();
            intrinsics::cluster_wait();
        }
    };
    let kernel = |reads: bool| {
        move || {
            write_and_read();
            cluster_sync();
            if block() == 0 {
                last();
                last();
                barrier();
                if me() == 9 {
                    store(tile(9), 5);
                }
            } else if me() == 0 && reads {
                // SAFETY: the cluster has two blocks.
                let theirs = unsafe { intrinsics::map_shared(tile(9).cast(), 0) };
                load(theirs.cast::<u32>());
            }
            cluster_sync();
        }
    };
    assert_eq!(check_together(2, 64, pairs, kernel(false)), []);
    only(
        &check_together(2, 64, pairs, kernel(true)),
        Code::SHARED_RACE,
    );
}

/// The next of a series of numbers that look like chance.
fn next(state: &mut u32) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state as usize
}

/// Words that the programs below access.
const WORDS: usize = 96;

/// What a program of chance finds, by class and word; each access in the quick way, or the thorough one.
fn found_by_chance(seed: u32, quick: bool) -> BTreeSet<(Code, String)> {
    let found = check(2, 96, || {
        let read = |word: usize| {
            let site = 64 * word as u32 + 1;
            if quick {
                load4(tile(word), site);
            } else {
                load_thoroughly(tile(word), site);
            }
        };
        let write = |word: usize, value: usize| {
            let site = 64 * word as u32 + 2;
            if quick {
                store4(tile(word), value as u32, site);
            } else {
                store_thoroughly(tile(word), value as u32, site);
            }
        };
        let (mut own, mut all) = (seed * 977 + me() as u32 * 131 + 1, seed);
        for round in 0..12 {
            // Each thread has its own words of a rotation, unless chance has it otherwise.
            let (mine, turn) = (next(&mut own), next(&mut all));
            let stray = if mine.is_multiple_of(150) {
                mine / 150
            } else {
                0
            };
            let word = (me() + stray) % WORDS;
            match turn % 4 {
                0 => write(word, me() * 100 + round),
                1 => read((me() + stray + turn / 4) % WORDS),
                2 => {
                    read(word);
                    write(word, me() * 100 + round);
                    read(word);
                }
                _ => (0..4).for_each(|n| read((n * 7 + me() / 3 + stray) % WORDS)),
            }
            match next(&mut all) % 8 {
                0..6 => barrier(),
                6 => warp_sync(u32::MAX),
                _ => {}
            }
        }
    });
    let of = |report: &Report| (report.code, report.title.clone());
    found.iter().map(of).collect()
}

#[test]
fn the_quick_way_finds_what_the_thorough_one_does() {
    let mut n_found = 0;
    for seed in 1..=150 {
        let found = found_by_chance(seed, true);
        assert_eq!(found, found_by_chance(seed, false), "seed {seed}");
        n_found += found.len();
    }
    assert!(n_found > 100, "the programs have races: {n_found}");
}
