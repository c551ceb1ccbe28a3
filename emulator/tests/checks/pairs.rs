//! Pairs of reads that one hook is asked for: what is found is what asking for each read would have found.

use warploom_emulator::check::{Code, Mode, Options, Report};
use warploom_emulator::intrinsics;
use warploom_emulator::{Shape, Together, run_with};

use crate::support::*;

const THREADS: usize = 96;

/// Each lane reads its own elements of two buffers by one hook, and lane `writer` writes element `word` of buffer number `which` later.
fn read_then_written(which: usize, writer: usize, word: usize) -> Vec<Report> {
    let buffers = || [Buffer::<u32>::new("x", THREADS), Buffer::new("y", THREADS)];
    check_fresh(1, THREADS as u32, buffers, |[x, y]| {
        load_pair(x.at(me()), y.at(me()));
        if me() == writer {
            here();
            intrinsics::spin_wait(0); // all others first, without order
            store([x, y][which].at(word), 1);
        }
    })
}

#[test]
fn both_reads_of_a_pair_are_remembered() {
    for which in [0, 1] {
        // At both ends of lines of 32, and within.
        for word in [0, 31, 32, 50, 63, 64, 95] {
            let found = read_then_written(which, 40, word);
            let (lines, count) = only(&found, Code::GLOBAL_RACE);
            assert_eq!((lines.len(), count), (2, 1), "buffer {which}, word {word}");
            let reader = found[0].sides[1].who.unwrap().thread[0];
            assert_eq!(reader as usize, word);
        }
        assert_eq!(read_then_written(which, 40, 40), [], "its own");
    }
}

#[test]
fn both_reads_of_a_pair_are_compared_with_what_was_written() {
    for which in [0, 1] {
        let buffers = || [Buffer::<u32>::new("x", THREADS), Buffer::new("y", THREADS)];
        let found = check_fresh(1, THREADS as u32, buffers, |[x, y]| {
            if me() == 0 {
                store([x, y][which].at(70), 1);
            }
            load_pair(x.at(me()), y.at(me()));
        });
        only(&found, Code::GLOBAL_RACE);
        assert_eq!(
            found[0].sides[0].who.unwrap().thread[0],
            70,
            "buffer {which}"
        );
    }
}

#[test]
fn pairs_of_shared_memory_and_of_both_are_checked() {
    let x = || Buffer::<u32>::new("x", THREADS);
    for swapped in [false, true] {
        let found = check_fresh(1, THREADS as u32, x, |x| {
            store(tile(me()), 1);
            barrier();
            let shared = tile((me() + 1) % THREADS).cast_const();
            let global = x.at(me()).cast_const();
            if swapped {
                load_pair(global, shared);
            } else {
                load_pair(shared, global);
            }
            if me() == 50 {
                here();
                intrinsics::spin_wait(0); // all others first, without order
                store(tile(10), 2);
            }
        });
        only(&found, Code::SHARED_RACE);
        assert_eq!(found[0].sides[1].who.unwrap().thread[0], 9);
    }
}

#[test]
fn a_pair_past_the_end_of_a_buffer_ends_the_lane() {
    for past in [0, 1] {
        let buffers = || [Buffer::<u32>::new("x", THREADS), Buffer::new("y", THREADS)];
        let found = check_fresh(1, THREADS as u32, buffers, |[x, y]| {
            let at = |which: usize| me() + usize::from(which == past);
            announce_pair(x.at(0).wrapping_add(at(0)), y.at(0).wrapping_add(at(1)));
            assert_ne!(me(), THREADS - 1, "the last lane does not come here");
        });
        assert_eq!(codes(&found), [Code::GLOBAL_BOUNDS], "{past}");
    }
}

#[test]
fn a_pair_is_two_steps() {
    let buffer = Buffer::<u32>::new("x", 2);
    let ends = |limit| {
        let mut options = Options::default();
        options.mode = Mode::Checked;
        options.step_limit = limit;
        let shape = Shape::new([1, 1, 1], [1, 1, 1]);
        let outcome = run_with(shape, Together::default(), &options, &|| {
            for _ in 0..50 {
                load_pair(buffer.at(0), buffer.at(1));
            }
        });
        outcome.fault.is_none()
    };
    assert!(ends(101) && !ends(100));
}
