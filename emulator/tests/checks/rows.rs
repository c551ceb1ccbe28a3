//! Rows of reads, for which one hook is asked: what is found is what asking for each read would have found.

use warploom_emulator::check::{Code, Mode, Options, Report};
use warploom_emulator::intrinsics::{self, warp_sync};
use warploom_emulator::{Shape, Together, run_with};

use crate::support::*;

/// Lets all others of the block run first, without order.
fn last() {
    here();
    intrinsics::spin_wait(0);
}

/// Sixteen words from number `first` on, `step` words apart; whether one question was enough.
#[track_caller]
fn row(first: usize, step: usize) -> bool {
    load_row(tile(first), step, 16)
}

/// All words of the tile get a value, and a barrier follows.
fn fill_tile() {
    for i in 0..1024 / 64 {
        store(tile(i * 64 + me()), 1);
    }
    barrier();
}

#[test]
fn rows_of_what_is_in_order_take_one_question() {
    let found = check(2, 64, || {
        fill_tile();
        for round in 0..3 {
            // By one lane, by one warp, and by all; next to each other and far apart.
            let quiet = [
                row(me() * 16 % 512, 1),
                row(me() % 32, 31),
                row(512, 1),
                row(me() % 16, 64),
            ];
            assert!(round == 0 || quiet == [true; 4], "{quiet:?}");
        }
    });
    assert_eq!(found, []);
}

#[test]
fn a_write_of_another_warp_after_a_row_races_with_the_read_of_that_word() {
    for word in [0, 7, 15] {
        let found = check(1, 64, || {
            fill_tile();
            if me() < 32 {
                row(64, 8);
            } else if me() == 40 {
                last();
                store(tile(64 + 8 * word), 2);
            }
        });
        only(&found, Code::SHARED_RACE);
        let place = format!("`tile, byte {}`", 4 * (64 + 8 * word));
        assert!(found[0].title.contains(&place), "{:?}", found[0]);
    }
}

#[test]
fn a_write_next_to_a_row_races_with_none_of_it() {
    let found = check(1, 64, || {
        fill_tile();
        if me() < 32 {
            row(64, 8);
        } else if me() == 40 {
            last();
            store(tile(65), 2);
        }
    });
    assert_eq!(found, []);
}

#[test]
fn a_write_of_the_own_warp_after_a_row_races_until_the_warp_meets() {
    let after = |meets: bool| {
        check(1, 64, || {
            fill_tile();
            if me() < 32 {
                row(0, 4);
                if meets {
                    warp_sync(u32::MAX);
                }
                if me() == 31 {
                    last();
                    store(tile(20), 2);
                }
            }
        })
    };
    only(&after(false), Code::WARP_RACE);
    assert_eq!(after(true), []);
}

#[test]
fn a_row_after_a_write_without_order_races_at_that_word_alone() {
    let found = check(1, 64, || {
        fill_tile();
        if me() == 3 {
            store(tile(160), 2);
        } else if me() == 50 {
            last();
            assert!(!row(100, 10), "each read is asked for");
        }
    });
    only(&found, Code::SHARED_RACE);
    assert!(
        found[0].title.contains("`tile, byte 640`"),
        "{:?}",
        found[0]
    );
}

#[test]
fn a_row_over_a_word_without_value_is_reported_there_alone() {
    let found = check(1, 32, || {
        if me() == 0 {
            for i in 0..15 {
                store(tile(i), 1);
            }
            row(0, 1);
        }
    });
    only(&found, Code::SHARED_UNINIT);
    assert!(found[0].title.contains("tile, byte 60"), "{:?}", found[0]);
}

#[test]
fn a_row_that_leaves_its_memory_ends_the_lane_at_the_first_word_outside() {
    let x = Buffer::<u32>::new("x", 20);
    let found = check(1, 1, || {
        load(x.at(0));
        load_row(x.at(10), 1, 16);
        unreachable!("the lane has ended");
    });
    only(&found, Code::GLOBAL_BOUNDS);
    assert!(found[0].title.contains("x[20]"), "{:?}", found[0]);
}

#[test]
fn rows_of_global_memory_race_with_writes_of_other_blocks() {
    let x = Buffer::<u32>::new("x", 64);
    let found = check(4, 32, || {
        load_row(x.at(me() % 4), 4, 16);
        if block() == 2 && me() == 9 {
            store(x.at(33), 1);
        }
    });
    assert!(codes(&found).contains(&Code::GRID_RACE), "{found:#?}");
    assert!(found.iter().all(|report| report.title.contains("x[33]")));
}

#[test]
fn a_row_is_as_many_steps_as_it_has_reads() {
    let x = Buffer::<u32>::new("x", 16);
    let ends = |rows: u32| {
        let mut options = Options::default();
        options.mode = Mode::Checked;
        options.step_limit = 100;
        let shape = Shape::new([1, 1, 1], [1, 1, 1]);
        let outcome = run_with(shape, Together::default(), &options, &|| {
            for _ in 0..rows {
                load_row(x.at(0), 1, 16);
            }
        });
        outcome.fault.is_none()
    };
    assert!(ends(6), "96 steps");
    assert!(!ends(7), "112 steps");
}

/// The next of a series of numbers that look like chance.
fn next(state: &mut u32) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state as usize
}

#[test]
fn rows_find_what_their_reads_find_one_by_one() {
    let mut n_found = 0;
    for seed in 1..=60 {
        let run = |in_rows: bool| {
            let found = check(2, 64, || {
                fill_tile();
                let mut state = seed * 977 + me() as u32 * 131 + 1;
                let mut shared = seed;
                for _ in 0..4 {
                    let (first, step) = (next(&mut state) % 128, 1 + next(&mut state) % 8);
                    for _ in 0..2 {
                        load_each(tile(first), step, 16, in_rows);
                    }
                    // All threads of the block agree on what follows.
                    match next(&mut shared) % 4 {
                        0 => barrier(),
                        1 => warp_sync(u32::MAX),
                        _ => {}
                    }
                    if next(&mut state).is_multiple_of(100) {
                        store(tile(next(&mut state) % 256), 1);
                    }
                    if next(&mut shared).is_multiple_of(2) {
                        barrier();
                    }
                }
            });
            let of = |report: &Report| (report.code, report.title.clone(), report.sides.clone());
            found.iter().map(of).collect::<Vec<_>>()
        };
        let (rows, reads) = (run(true), run(false));
        assert_eq!(rows, reads, "seed {seed}");
        n_found += reads.len();
    }
    assert!(n_found > 20, "the programs have races: {n_found}");
}
