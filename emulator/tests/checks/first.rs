//! First reads and writes of global memory by neighbours, which are remembered together: each is found as if it were remembered alone (README 8).

use warploom_emulator::check::{Code, Report};
use warploom_emulator::intrinsics;

use crate::support::*;

/// Lets all others of the block run first, without order.
fn last() {
    here();
    intrinsics::spin_wait(0);
}

const THREADS: usize = 64;
const N: usize = 2 * THREADS;

fn words() -> Buffer<u32> {
    Buffer::new("x", N)
}

/// Each of the threads of two blocks reads the word at `place` of its number, then lane `writer` of block 1 writes word `word`.
fn read_then_written(
    place: impl Fn(usize) -> usize + Sync,
    writer: usize,
    word: usize,
) -> Vec<Report> {
    check_fresh(2, THREADS as u32, words, |x| {
        load(x.at(place(block() * THREADS + me())));
        if block() == 1 && me() == writer {
            last();
            store(x.at(word), 1);
        }
    })
}

/// The lane and the block of the side that was first.
fn first(reports: &[Report]) -> (u32, u32) {
    let who = reports[0].sides[1].who.unwrap();
    (who.block[0], who.thread[0])
}

#[test]
fn a_write_races_with_the_read_of_the_lane_that_made_it() {
    for word in [0, 15, 16, 31, 32, 63, 64, 65, 79, 95, 96, 127] {
        for writer in [0, 17, 63] {
            let found = read_then_written(|i| i, writer, word);
            if word == THREADS + writer {
                assert_eq!(found, [], "its own");
                continue;
            }
            let code = if word < THREADS {
                Code::GRID_RACE
            } else {
                Code::GLOBAL_RACE
            };
            let (lines, count) = only(&found, code);
            assert_eq!((lines.len(), count), (2, 1), "word {word}");
            let reader = (word / THREADS, word % THREADS);
            let found = first(&found);
            assert_eq!((found.0 as usize, found.1 as usize), reader);
        }
    }
}

#[test]
fn reads_that_do_not_lie_in_the_order_of_lanes_are_remembered_too() {
    let reverse = |i| N - 1 - i;
    let shifted = |i| (i + 5) % N;
    let strided = |i| i * 3 % N;
    let swapped = |i| i ^ 1;
    for place in [reverse, shifted, strided, swapped] {
        for word in [0, 1, 2, 17, 100] {
            let found = read_then_written(place, 9, word);
            let reader = (0..N).find(|i| place(*i) == word).unwrap();
            if reader == THREADS + 9 {
                continue;
            }
            assert_eq!(found.len(), 1, "word {word}");
            let found = first(&found);
            let reader = (reader / THREADS, reader % THREADS);
            assert_eq!((found.0 as usize, found.1 as usize), reader, "word {word}");
        }
    }
}

#[test]
fn reads_of_vectors_are_remembered_word_by_word() {
    fn vectors<T: Copy + Default + Send>(words: usize) {
        for word in [0, 3, 16, 33, 100, 127] {
            let buffer = || Buffer::<u128>::new("x", N / 4);
            let found = check_fresh(1, THREADS as u32, buffer, |x| {
                if me() < N / words {
                    load(x.at(0).cast::<T>().wrapping_add(me()));
                }
                if me() == 60 {
                    last();
                    store(x.at(0).cast::<u32>().wrapping_add(word), 1);
                }
            });
            if word / words == 60 {
                continue;
            }
            only(&found, Code::GLOBAL_RACE);
            assert_eq!(first(&found).1 as usize, word / words);
        }
    }
    vectors::<u64>(2);
    vectors::<u128>(4);
}

/// In the line that its own lane is about to come to, a word is written by another before.
#[test]
fn a_write_in_a_row_of_neighbours_races_with_one_that_came_out_of_turn() {
    for (writer, word) in [(2, 5), (2, 15), (17, 18), (33, 47), (62, 63)] {
        let found = check_fresh(1, THREADS as u32, words, |x| {
            store(x.at(me()), 1);
            if me() == writer {
                store(x.at(word), 2);
            }
        });
        let (lines, count) = only(&found, Code::GLOBAL_RACE_WRITES);
        assert_eq!((lines.len(), count), (2, 1), "word {word}");
        assert_eq!(first(&found).1 as usize, writer);
    }
}

#[test]
fn an_access_races_with_the_write_of_the_lane_that_made_it() {
    for word in [0, 15, 16, 63, 64, 65, 80, 127] {
        for writes in [false, true] {
            // As `y += x` does: a read and a write of each thread's own word.
            let found = check_fresh(2, THREADS as u32, words, |x| {
                let own = x.at(block() * THREADS + me());
                load(own);
                store(own, 1);
                if block() == 1 && me() == 17 {
                    last();
                    if writes {
                        store(x.at(word), 2);
                    } else {
                        load(x.at(word));
                    }
                }
            });
            let code = match (word < THREADS, writes) {
                (true, true) => Code::GRID_RACE_WRITES,
                (true, false) => Code::GRID_RACE,
                (false, true) => Code::GLOBAL_RACE_WRITES,
                (false, false) => Code::GLOBAL_RACE,
            };
            only(&found, code);
            let writer = ((word / THREADS) as u32, (word % THREADS) as u32);
            assert_eq!(first(&found), writer, "word {word}");
        }
    }
}

#[test]
fn a_write_by_another_lane_than_the_reader_is_not_remembered_with_its_neighbours() {
    let found = check_fresh(1, THREADS as u32, words, |x| {
        load(x.at(me()));
        // The next lane's word, which that lane reads later.
        store(x.at(me() + 1), 1);
    });
    only(&found, Code::GLOBAL_RACE);
}

#[test]
fn writes_of_vectors_are_remembered_word_by_word() {
    fn vectors<T: Copy + Default + Send>(words: usize) {
        for word in [0, 3, 16, 33, 100, 127] {
            let buffer = || Buffer::<u128>::new("x", N / 4);
            let found = check_fresh(1, THREADS as u32, buffer, |x| {
                if me() < N / words {
                    let own = x.at(0).cast::<T>().wrapping_add(me());
                    store(own, T::default());
                }
                if me() == 60 {
                    last();
                    load(x.at(0).cast::<u32>().wrapping_add(word));
                }
            });
            if word / words == 60 {
                continue;
            }
            only(&found, Code::GLOBAL_RACE);
            assert_eq!(first(&found).1 as usize, word / words);
        }
    }
    vectors::<u64>(2);
    vectors::<u128>(4);
}

#[test]
fn a_read_behind_a_write_races_although_its_neighbours_were_first() {
    let found = check_fresh(2, THREADS as u32, words, |x| {
        if block() == 0 && me() == 3 {
            store(x.at(70), 1);
        }
        load(x.at(block() * THREADS + me()));
    });
    only(&found, Code::GRID_RACE);
}

#[test]
fn a_second_reader_is_remembered_beside_the_first() {
    // Lane 3 reads its word, then lane `second`; the one that writes races with the other.
    for (second, writer, code) in [
        (4, 3, Some(Code::GLOBAL_RACE)),
        (4, 4, Some(Code::GLOBAL_RACE)),
        (40, 3, Some(Code::GLOBAL_RACE)),
        (40, 40, Some(Code::GLOBAL_RACE)),
        (3, 3, None),
    ] {
        let found = check_fresh(1, THREADS as u32, words, |x| {
            load(x.at(me()));
            if me() == second {
                last();
                load(x.at(3));
            }
            if me() == writer {
                last();
                last();
                store(x.at(3), 1);
            }
        });
        let codes = codes(&found);
        assert_eq!(codes, Vec::from_iter(code), "{second} {writer}");
    }
}

#[test]
fn an_atomic_change_races_with_the_read() {
    let found = check_fresh(1, THREADS as u32, words, |x| {
        load(x.at(me()));
        if me() == 33 {
            last();
            count_core(x.at(7));
        }
    });
    only(&found, Code::MIXED_ATOMIC);
    assert_eq!(first(&found), (0, 7));
}

#[test]
fn a_barrier_orders_the_reads_of_its_block_alone() {
    let at_barrier = |writes: fn(usize) -> usize| {
        check_fresh(2, THREADS as u32, words, |x| {
            load(x.at(block() * THREADS + me()));
            barrier();
            store(x.at(writes(block() * THREADS + me())), 1);
        })
    };
    assert_eq!(at_barrier(|i| i ^ 63), []);
    let found = at_barrier(|i| i ^ 64);
    assert_eq!(codes(&found), [Code::GRID_RACE]);
}

#[test]
fn reads_of_a_later_time_are_told_from_those_before() {
    // Half of a line before a barrier, half behind it: the write of another lane knows the first half alone.
    for (word, code) in [(2, None), (10, Some(Code::GLOBAL_RACE))] {
        let found = check_fresh(1, THREADS as u32, words, |x| {
            if me() < 8 {
                load(x.at(me()));
            }
            barrier();
            if me() < 8 {
                load(x.at(me() + 8));
            }
            if me() == 50 {
                last();
                store(x.at(word), 1);
            }
        });
        assert_eq!(codes(&found), Vec::from_iter(code), "word {word}");
    }
}

#[test]
fn first_reads_of_one_launch_are_past_in_the_next() {
    let x = words();
    for _ in 0..3 {
        let reads = check(2, THREADS as u32, || {
            load(x.at(block() * THREADS + me()));
        });
        assert_eq!(reads, []);
        let writes = check(1, THREADS as u32, || store(x.at(me()), 1));
        assert_eq!(writes, []);
    }
}
