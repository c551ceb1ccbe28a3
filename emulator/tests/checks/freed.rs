//! Pieces of the device's heap that one thread frees while others use them: found in every order of threads.

use warploom_emulator::check::{Code, Report, heap_alloc, heap_free, initialise};

use crate::support::*;

/// A piece of 64 bytes, and how many threads have done with it.
struct Shared {
    piece: usize,
    done: Buffer<u32>,
}

/// All threads of three blocks read a piece, and count that `as_said`; who is the last frees it.
fn last_frees(how: u32) -> Vec<Report> {
    let shared = || {
        let piece = heap_alloc(64);
        initialise(piece, 64);
        Shared {
            piece: piece.expose_provenance(),
            done: Buffer::new("done", 1),
        }
    };
    check_fresh(3, 40, shared, |shared| {
        let piece = std::ptr::with_exposed_provenance_mut::<u8>(shared.piece);
        load(piece.wrapping_add(4 * (me() % 16)).cast::<u32>());
        if add(shared.done.at(0), 1, how) == 119 {
            here();
            heap_free(piece);
        }
    })
}

#[test]
fn the_last_owner_by_an_atomic_count_may_free() {
    assert_eq!(last_frees(ACQ_REL | DEVICE), []);
}

#[test]
fn a_count_that_does_not_order_is_not_enough() {
    for how in [RELAXED, ACQUIRE, RELEASE] {
        let found = last_frees(how | DEVICE);
        let (lines, count) = only(&found, Code::USE_AFTER_FREE);
        assert_eq!((lines.len(), count), (2, 1), "the free and a read");
        assert!(lines[0] > lines[1], "the free first: {lines:?}");
    }
}

#[test]
fn bytes_that_were_accessed_one_by_one_are_checked_too() {
    let found = check_fresh(
        1,
        64,
        || Buffer::<u64>::new("address", 1),
        |address| {
            if me() == 0 {
                let piece = heap_alloc(6);
                (0..6).for_each(|at| store(piece.wrapping_add(at), 1_u8));
                store(address.at(0), piece.expose_provenance() as u64);
            }
            barrier();
            let piece = std::ptr::with_exposed_provenance_mut::<u8>(load(address.at(0)) as usize);
            match me() {
                7 => drop(load(piece.wrapping_add(5))),
                63 => {
                    here();
                    heap_free(piece);
                }
                _ => {}
            }
        },
    );
    only(&found, Code::USE_AFTER_FREE);
    assert!(
        found[0]
            .title
            .ends_with("byte 5 of a piece of the device's heap"),
        "{}",
        found[0].title
    );
}

/// Memory that a function of the standard library allocates, and frees `times` times; and the line that calls the function.
fn grown(times: usize) -> (Vec<Report>, u32) {
    let line = line!() + 2;
    let found = check(1, 1, || {
        calling(|| {
            here_in_library();
            let piece = heap_alloc(24);
            (0..times).for_each(|_| heap_free(piece));
        });
    });
    (found, line)
}

#[test]
fn what_std_does_with_memory_is_named_by_the_users_line() {
    let (found, line) = grown(0);
    assert_eq!(only(&found, Code::LEAK).0, [line]);
    let (found, line) = grown(2);
    let (lines, _) = only(&found, Code::BAD_FREE);
    assert_eq!(lines, [line, line], "freed again, and freed");
}

#[test]
fn an_access_of_std_is_named_by_the_users_line() {
    let words = || Buffer::<u32>::new("words", 1);
    let line = line!() + 2;
    let found = check_fresh(2, 1, words, |words| {
        calling(|| store_in_library(words.at(0), block() as u32));
    });
    let (lines, _) = only(&found, Code::GRID_RACE_WRITES);
    assert_eq!(lines[0], line);
}
