//! Memory of a few words; threads 0 and 1 are of block 0, thread 2 of block 1.

use super::stores::MOST_STORES;
use super::*;

const RELAXED: u32 = 0;
const ACQUIRE: u32 = 1;
const RELEASE: u32 = 2;
const BLOCK: u32 = 0;
const DEVICE: u32 = 2;

const X: usize = 0x1000;
const Y: usize = 0x1010;

/// Which store is chosen.
#[derive(Clone, Copy)]
enum Pick {
    Newest,
    Oldest,
    Value(u64),
}
use Pick::{Newest, Oldest};

/// The machine and the memory that it is told of: words by address.
struct Test {
    weak: Weak,
    memory: HashMap<usize, u64>,
    number: u64,
}

impl Test {
    fn new() -> Test {
        Test {
            weak: Weak::new(1, 1),
            memory: HashMap::new(),
            number: 0,
        }
    }

    fn settle(&mut self) {
        let memory = &self.memory;
        let old = self.weak.settle(|address, _| memory.get(&address).copied());
        if let Some((address, _, newest)) = old {
            self.memory.insert(address, newest);
        }
    }

    /// Gives the values of the stores that may be read, or written behind, the newest first; `pick` takes one.
    fn access(
        &mut self,
        (who, address, bytes): (u32, usize, usize),
        (does, pick): (Does, Pick),
        (order, scope): (u32, u32),
    ) -> Vec<u64> {
        self.settle();
        let memory = *self.memory.entry(address).or_default();
        let access = WeakAccess {
            who,
            address,
            bytes,
            does,
            order,
            scope,
            number: self.number,
            graph: None,
        };
        self.number += 1;
        let mut choices = vec![memory];
        let mut picked = 0;
        let old = self.weak.access(access, Some(memory), true, |stores| {
            choices = stores.iter().map(|store| store.value).collect();
            picked = match pick {
                Newest => 0,
                Oldest => stores.len() - 1,
                Pick::Value(value) => choices.iter().take_while(|one| **one != value).count(),
            };
            picked
        });
        assert_eq!(
            old.map(|old| old.value),
            (picked != 0).then(|| choices[picked])
        );
        choices
    }

    /// Which values a load may read, the newest first; it reads the oldest.
    fn load(&mut self, who: u32, address: usize, how: (u32, u32)) -> Vec<u64> {
        self.access((who, address, 4), (Does::Loads, Oldest), how)
    }

    fn store(&mut self, who: u32, address: usize, value: u64, how: (u32, u32)) {
        self.access((who, address, 4), (Does::Stores, Newest), how);
        self.memory.insert(address, value);
    }

    fn change(&mut self, who: u32, address: usize, value: u64, how: (u32, u32)) {
        self.access((who, address, 4), (Does::Changes, Newest), how);
        self.memory.insert(address, value);
    }

    /// Behind the oldest store that it may come behind: gives the values of all of those.
    fn early(&mut self, who: u32, does: Does, address: usize, value: u64) -> Vec<u64> {
        let choices = self.access((who, address, 4), (does, Oldest), PLAIN);
        self.memory.insert(address, value);
        choices
    }

    fn fence(&mut self, who: u32, how: (u32, u32)) {
        self.settle();
        self.weak.fence(who, how.0, how.1);
    }
}

const PLAIN: (u32, u32) = (RELAXED, DEVICE);

#[test]
fn a_load_reads_nothing_older_than_its_thread_has_read_or_stored() {
    let mut test = Test::new();
    test.load(1, X, PLAIN);
    test.store(0, X, 1, PLAIN);
    test.store(0, X, 2, PLAIN);
    assert_eq!(test.load(2, X, PLAIN), [2, 1, 0]);
    assert_eq!(test.load(0, X, PLAIN), [2], "its own store");
    test.change(1, X, 3, PLAIN);
    assert_eq!(test.load(1, X, PLAIN), [3], "its own change");
}

#[test]
fn an_acquiring_load_of_a_release_knows_what_came_before() {
    for (order, expected) in [(RELEASE, vec![1]), (RELAXED, vec![1, 0])] {
        let mut test = Test::new();
        test.load(2, X, PLAIN);
        test.store(0, X, 1, PLAIN);
        test.change(0, Y, 1, (order, DEVICE));
        test.change(2, Y, 2, (ACQUIRE, DEVICE));
        assert_eq!(test.load(2, X, PLAIN), expected, "{order}");
    }
}

#[test]
fn fences_order_as_far_as_their_scopes_reach() {
    for (scope, reader, expected) in [
        (DEVICE, 2, vec![1]),
        (BLOCK, 2, vec![1, 0]),
        (BLOCK, 1, vec![1]),
    ] {
        let mut test = Test::new();
        test.load(reader, X, PLAIN);
        test.store(0, X, 1, PLAIN);
        test.fence(0, (RELEASE, scope));
        test.change(0, Y, 1, PLAIN);
        test.change(reader, Y, 2, PLAIN);
        test.fence(reader, (ACQUIRE, scope));
        assert_eq!(test.load(reader, X, PLAIN), expected, "{scope} {reader}");
    }
}

#[test]
fn a_change_continues_a_release_sequence_and_a_store_ends_it() {
    for (changes, expected) in [(true, vec![1]), (false, vec![1, 0])] {
        let mut test = Test::new();
        test.load(2, X, PLAIN);
        test.store(0, X, 1, PLAIN);
        test.store(0, Y, 1, (RELEASE, DEVICE));
        match changes {
            true => test.change(1, Y, 2, PLAIN),
            false => test.store(1, Y, 2, PLAIN),
        }
        test.change(2, Y, 3, (ACQUIRE, DEVICE));
        assert_eq!(test.load(2, X, PLAIN), expected, "{changes}");
    }
}

#[test]
fn a_change_that_leaves_the_value_releases_and_is_no_store() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.store(0, X, 1, PLAIN);
    test.settle();
    test.weak.take_made();
    test.change(0, Y, 0, (RELEASE, DEVICE));
    test.settle();
    assert_eq!(test.weak.take_made(), MadeWeakly::default());
    assert_eq!(test.load(2, Y, (ACQUIRE, DEVICE)), [0]);
    assert_eq!(test.load(2, X, PLAIN), [1]);
}

#[test]
fn sequentially_consistent_fences_are_in_one_order() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.store(0, X, 1, PLAIN);
    test.fence(0, (SEQ_CST, DEVICE));
    assert_eq!(test.load(2, X, PLAIN), [1, 0]);
    test.fence(2, (SEQ_CST, DEVICE));
    assert_eq!(test.load(2, X, PLAIN), [1]);
    let mut narrow = Test::new();
    narrow.load(2, X, PLAIN);
    narrow.store(0, X, 1, PLAIN);
    narrow.fence(0, (SEQ_CST, BLOCK));
    narrow.fence(2, (SEQ_CST, DEVICE));
    assert_eq!(narrow.load(2, X, PLAIN), [1, 0], "fences of two blocks");
}

#[test]
fn threads_that_meet_know_what_each_knew() {
    let mut test = Test::new();
    test.load(1, X, PLAIN);
    test.store(0, X, 1, PLAIN);
    test.settle();
    test.weak.meet(&[0, 1]);
    assert_eq!(test.load(1, X, PLAIN), [1]);
    assert_eq!(test.load(2, X, PLAIN), [1, 0]);
    test.store(0, X, 2, PLAIN);
    test.settle();
    test.weak.gather(Meeting::Phase(Y), 0);
    test.weak.learn(Meeting::Phase(Y), 1);
    assert_eq!(test.load(1, X, PLAIN), [2]);
}

#[test]
fn what_no_atomic_has_written_is_the_only_value() {
    let mut test = Test::new();
    test.store(0, X, 1, PLAIN);
    test.settle();
    test.memory.insert(X, 7);
    assert_eq!(test.load(2, X, PLAIN), [7]);
}

#[test]
fn an_access_of_another_size_reads_the_newest_value() {
    let mut test = Test::new();
    test.load(2, Y, PLAIN);
    test.store(0, Y, 1, PLAIN);
    test.store(0, X, 1, PLAIN);
    let wide = test.access((2, X, 8), (Does::Loads, Oldest), (ACQUIRE, DEVICE));
    assert_eq!(wide, [1]);
    assert_eq!(test.load(2, X, PLAIN), [1]);
    assert_eq!(
        test.load(2, Y, PLAIN),
        [1],
        "what it may have synchronised with"
    );
}

#[test]
fn scopes_that_do_not_include_each_other_read_the_newest_value() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.store(0, X, 1, (RELAXED, BLOCK));
    assert_eq!(test.load(2, X, PLAIN), [1]);
    assert_eq!(test.load(1, X, PLAIN), [1, 0]);
}

#[test]
fn so_many_stores_are_kept() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    let most = MOST_STORES as u64;
    (1..=2 * most).for_each(|value| test.store(0, X, value, PLAIN));
    let kept: Vec<u64> = (most + 1..=2 * most).rev().collect();
    assert_eq!(test.load(2, X, PLAIN), kept);
}

#[test]
fn a_store_comes_before_those_of_which_its_thread_does_not_know() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.store(0, X, 1, PLAIN);
    test.store(0, X, 2, PLAIN);
    assert_eq!(test.early(2, Does::Stores, X, 3), [2, 1, 0]);
    assert_eq!(test.load(1, X, PLAIN), [2, 1, 3, 0]);
    assert_eq!(test.memory[&X], 2, "the last in modification order");
    assert_eq!(test.load(2, X, PLAIN), [2, 1, 3], "its own store");
    assert_eq!(test.early(0, Does::Stores, X, 4), [2]);
    assert_eq!(test.memory[&X], 4);
}

#[test]
fn no_store_comes_between_a_change_and_what_it_read() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.change(0, X, 1, PLAIN);
    test.store(0, X, 2, PLAIN);
    assert_eq!(test.early(1, Does::Changes, X, 5), [2, 1]);
    assert_eq!(test.early(2, Does::Stores, X, 6), [2, 5]);
    assert_eq!(test.load(2, X, PLAIN), [2, 6]);
}

#[test]
fn a_change_behind_an_older_store_continues_its_release_sequence() {
    for (read, expected) in [(3, vec![1]), (2, vec![1, 0])] {
        let mut test = Test::new();
        test.load(2, X, PLAIN);
        test.load(2, Y, PLAIN);
        test.store(0, X, 1, PLAIN);
        test.store(0, Y, 1, (RELEASE, DEVICE));
        test.settle();
        test.weak.meet(&[0, 1]);
        test.store(0, Y, 2, PLAIN);
        assert_eq!(test.early(1, Does::Changes, Y, 3), [2, 1]);
        let loads = (Does::Loads, Pick::Value(read));
        test.access((2, Y, 4), loads, (ACQUIRE, DEVICE));
        assert_eq!(test.load(2, X, PLAIN), expected, "{read}");
    }
}

#[test]
fn what_the_detector_has_of_a_write_is_kept_with_it() {
    for is_made_before in [true, false] {
        let mut test = Test::new();
        test.load(2, X, PLAIN);
        test.store(0, X, 1, PLAIN);
        test.early(2, Does::Stores, X, 2);
        if is_made_before {
            test.settle();
        }
        test.weak.set_graph(Some(7));
        test.settle();
        let access = WeakAccess {
            who: 1,
            address: X,
            bytes: 4,
            does: Does::Loads,
            order: RELAXED,
            scope: DEVICE,
            number: test.number,
            graph: None,
        };
        let old = test.weak.access(access, Some(1), true, |_| 1);
        let expected = OldStore {
            value: 2,
            graph: Some(7),
        };
        assert_eq!(old, Some(expected), "{is_made_before}");
    }
}

#[test]
fn sequentially_consistent_fences_order_stores() {
    for (order, expected) in [(SEQ_CST, vec![1]), (ACQUIRE | RELEASE, vec![1, 0])] {
        let mut test = Test::new();
        test.load(2, X, PLAIN);
        test.store(0, X, 1, PLAIN);
        test.fence(0, (order, DEVICE));
        test.fence(2, (order, DEVICE));
        assert_eq!(test.early(2, Does::Stores, X, 2), expected, "{order}");
    }
}

#[test]
fn scopes_that_do_not_include_each_other_write_behind_the_newest_store() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.store(0, X, 1, (RELAXED, BLOCK));
    assert_eq!(test.early(2, Does::Stores, X, 2), [1]);
}

#[test]
fn a_place_between_two_stores_is_found_while_there_is_room() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.store(0, X, 1, PLAIN);
    let stores = (0..40).map(|value| test.early(2, Does::Stores, X, 2 + value).len());
    let places: Vec<_> = stores.collect();
    assert_eq!((places[0], places[1], places[39]), (2, 2, 1));
}

#[test]
fn freed_memory_begins_anew() {
    let mut test = Test::new();
    test.load(2, X, PLAIN);
    test.store(0, X, 1, PLAIN);
    test.settle();
    test.weak.forget(X, 4);
    assert_eq!(test.load(2, X, PLAIN), [1]);
}
