//! Atomics and fences: what they order, and for whom.

use warploom_emulator::check::Code;
use warploom_emulator::intrinsics;

use crate::support::*;
use std::sync::atomic::Ordering;

/// Gives way until `done`.
fn until(done: impl Fn() -> bool) {
    while !done() {
        here();
        intrinsics::spin_wait(0);
    }
}

/// Block 0 hands a value to block 1 with a flag, written and read like that.
fn message(
    write: impl Fn(*mut u32) + Sync,
    read: impl Fn(*mut u32) -> u32 + Sync,
) -> Vec<warploom_emulator::check::Report> {
    check_fresh(
        2,
        33,
        || (Buffer::<u32>::new("data", 1), Buffer::<u32>::new("flag", 1)),
        |(data, flag)| {
            if me() == 32 && block() == 0 {
                store(data.at(0), 42);
                write(flag.at(0));
            } else if me() == 32 {
                until(|| read(flag.at(0)) == 1);
                load(data.at(0));
            }
        },
    )
}

#[test]
fn release_and_acquire_hand_data_over() {
    let found = message(
        |flag| set(flag, 1, RELEASE | DEVICE),
        |flag| get(flag, ACQUIRE | DEVICE),
    );
    assert_eq!(found, []);
}

#[test]
fn relaxed_atomics_do_not_hand_data_over() {
    let found = message(
        |flag| set(flag, 1, RELAXED | DEVICE),
        |flag| get(flag, RELAXED | DEVICE),
    );
    let (lines, _) = only(&found, Code::MISSING_ORDER);
    assert_eq!(lines.len(), 4, "both accesses, and both atomics");
}

#[test]
fn one_half_of_the_order_is_not_enough() {
    let found = message(
        |flag| set(flag, 1, RELEASE | DEVICE),
        |flag| get(flag, RELAXED | DEVICE),
    );
    only(&found, Code::MISSING_ORDER);
    let why = |found: &[warploom_emulator::check::Report]| found[0].notes[0].text.clone();
    assert!(why(&found).contains("does not acquire"), "{}", why(&found));
    let found = message(
        |flag| set(flag, 1, RELAXED | DEVICE),
        |flag| get(flag, ACQUIRE | DEVICE),
    );
    only(&found, Code::MISSING_ORDER);
    assert!(why(&found).contains("does not release"), "{}", why(&found));
}

#[test]
fn the_scope_of_the_block_is_too_narrow_for_another_block() {
    let found = message(
        |flag| set(flag, 1, RELEASE | BLOCK),
        |flag| get(flag, ACQUIRE | BLOCK),
    );
    assert_eq!(codes(&found), [Code::NARROW_SCOPE]);
}

#[test]
fn fences_make_relaxed_atomics_order() {
    let release = || intrinsics::fence_device();
    let found = message(
        |flag| {
            release();
            set(flag, 1, RELAXED | DEVICE);
        },
        |flag| {
            let value = get(flag, RELAXED | DEVICE);
            release();
            value
        },
    );
    assert_eq!(found, []);
}

#[test]
fn a_fence_of_the_block_is_too_narrow_for_another_block() {
    let found = message(
        |flag| {
            intrinsics::fence_block();
            set(flag, 1, RELAXED | DEVICE);
        },
        |flag| {
            let value = get(flag, RELAXED | DEVICE);
            intrinsics::fence_device();
            value
        },
    );
    only(&found, Code::NARROW_SCOPE);
}

#[test]
fn volatile_accesses_and_fences_hand_data_over() {
    let found = message(
        |flag| {
            intrinsics::fence_system();
            store_volatile(flag, 1);
        },
        |flag| {
            let value = load_volatile(flag);
            intrinsics::fence_system();
            value
        },
    );
    assert_eq!(found, []);
    let found = message(|flag| store_volatile(flag, 1), |flag| load_volatile(flag));
    only(&found, Code::MISSING_ORDER);
}

#[test]
fn atomics_of_the_standard_library_order() {
    let found = message(
        |flag| store_core(flag, 1, Ordering::Release),
        |flag| load_core(flag, Ordering::Acquire),
    );
    assert_eq!(found, []);
    let found = message(
        |flag| {
            fence_core(2);
            store_core(flag, 1, Ordering::Relaxed);
        },
        |flag| {
            let value = load_core(flag, Ordering::Relaxed);
            fence_core(1);
            value
        },
    );
    assert_eq!(found, []);
    let found = message(
        |flag| store_core(flag, 1, Ordering::Relaxed),
        |flag| load_core(flag, Ordering::Relaxed),
    );
    only(&found, Code::MISSING_ORDER);
}

#[test]
fn order_goes_on_through_a_third_block() {
    for last in [ACQUIRE, RELAXED] {
        let found = check_fresh(
            3,
            1,
            || {
                (
                    Buffer::<u32>::new("data", 1),
                    Buffer::<u32>::new("flags", 2),
                )
            },
            |(data, flags)| match block() {
                0 => {
                    store(data.at(0), 42);
                    set(flags.at(0), 1, RELEASE | DEVICE);
                }
                1 => {
                    until(|| get(flags.at(0), ACQUIRE | DEVICE) == 1);
                    set(flags.at(1), 1, RELEASE | DEVICE);
                }
                _ => {
                    until(|| get(flags.at(1), last | DEVICE) == 1);
                    load(data.at(0));
                }
            },
        );
        assert_eq!(found.is_empty(), last == ACQUIRE, "{found:#?}");
    }
}

#[test]
fn a_release_goes_on_through_reads_and_writes_of_others() {
    let found = check_fresh(
        3,
        1,
        || (Buffer::<u32>::new("data", 1), Buffer::<u32>::new("flag", 1)),
        |(data, flag)| match block() {
            0 => {
                store(data.at(0), 42);
                add(flag.at(0), 1, RELEASE | DEVICE);
            }
            1 => {
                until(|| get(flag.at(0), RELAXED | DEVICE) == 1);
                add(flag.at(0), 1, RELAXED | DEVICE);
            }
            _ => {
                until(|| get(flag.at(0), ACQUIRE | DEVICE) == 2);
                load(data.at(0));
            }
        },
    );
    assert_eq!(found, []);
}

#[test]
fn a_histogram_by_atomics_is_clean() {
    let bins = Buffer::<u32>::new("bins", 7);
    let found = check(5, 83, || {
        add(bins.at((me() * 31 + block()) % 7), 1, RELAXED | DEVICE);
    });
    assert_eq!(found, []);
    let found = check(5, 83, || {
        here();
        // SAFETY: the buffer has so many elements.
        unsafe { intrinsics::atomic_add_u32(bins.at(me() % 7), 1) };
    });
    assert_eq!(found, []);
}

#[test]
fn a_counter_of_the_scope_of_the_block_loses_counts() {
    let bins = Buffer::<u32>::new("bins", 1);
    let found = check(5, 3, || {
        add(bins.at(0), 1, RELAXED | BLOCK);
    });
    let (_, count) = only(&found, Code::NARROW_SCOPE);
    assert!(count >= 4, "{count}");
}

#[test]
fn a_counter_of_the_block_is_right_within_the_block() {
    let found = check(5, 83, || {
        if me() == 0 {
            store(tile(0), 0);
        }
        barrier();
        add(tile(0), 1, RELAXED | BLOCK);
        barrier();
        assert_eq!(load(tile(0)), 83);
    });
    assert_eq!(found, []);
}

#[test]
fn an_ordinary_read_of_a_counter_is_found() {
    let count = Buffer::<u32>::new("count", 1);
    let found = check(1, 64, || {
        add(count.at(0), 1, RELAXED | DEVICE);
        if me() == 63 {
            load(count.at(0));
        }
    });
    only(&found, Code::MIXED_ATOMIC);
    let found = check(1, 64, || {
        add(count.at(0), 1, RELAXED | DEVICE);
        barrier();
        if me() == 63 {
            load(count.at(0));
        }
    });
    assert_eq!(found, []);
}

/// A sum over blocks of what each has written, made by the block that is last; the counter is changed like that.
fn last_block(count: impl Fn(*mut u32) -> u32 + Sync) -> Vec<warploom_emulator::check::Report> {
    let buffers = || {
        (
            Buffer::<u32>::new("partial", 5),
            Buffer::<u32>::new("count", 1),
            Buffer::<u32>::new("sum", 1),
        )
    };
    check_fresh(5, 64, buffers, |(partial, counter, sum)| {
        if me() == 0 {
            store(partial.at(block()), 1);
            let is_last = count(counter.at(0)) == 4;
            store(tile(0), u32::from(is_last));
        }
        barrier();
        if load(tile(0)) == 1 && me() == 35 {
            let total = (0..5).map(|i| load(partial.at(i))).sum();
            store(sum.at(0), total);
        }
    })
}

#[test]
fn the_last_block_may_read_what_all_have_fenced() {
    let found = last_block(|counter| {
        intrinsics::fence_device();
        let before = add(counter, 1, RELAXED | DEVICE);
        intrinsics::fence_device();
        before
    });
    assert_eq!(found, []);
    assert_eq!(last_block(|counter| add(counter, 1, ACQ_REL | DEVICE)), []);
}

#[test]
fn the_last_block_may_not_read_without_a_fence() {
    let found = last_block(|counter| add(counter, 1, RELAXED | DEVICE));
    assert_eq!(codes(&found), [Code::MISSING_ORDER]);
    let found = last_block(|counter| add(counter, 1, ACQ_REL | BLOCK));
    assert_eq!(codes(&found), [Code::NARROW_SCOPE]);
}

/// Threads of several blocks add to a sum, under a lock that is taken and left like that.
fn locked(take: u32, leave: u32) -> Vec<warploom_emulator::check::Report> {
    check_fresh(
        4,
        3,
        || (Buffer::<u32>::new("lock", 1), Buffer::<u32>::new("sum", 1)),
        |(lock, sum)| {
            until(|| cas(lock.at(0), 0, 1, take | DEVICE) == 0);
            store(sum.at(0), load(sum.at(0)) + 1);
            set(lock.at(0), 0, leave | DEVICE);
        },
    )
}

#[test]
fn a_lock_orders_its_holders() {
    assert_eq!(locked(ACQUIRE, RELEASE), []);
    assert_eq!(locked(ACQ_REL, RELEASE), []);
}

#[test]
fn a_lock_without_order_is_found() {
    for (take, leave) in [(RELAXED, RELAXED), (ACQUIRE, RELAXED), (RELAXED, RELEASE)] {
        assert_eq!(codes(&locked(take, leave)), [Code::MISSING_ORDER]);
    }
}

#[test]
fn order_reaches_the_block_through_a_barrier() {
    let buffers = || {
        (
            Buffer::<u32>::new("data", 64),
            Buffer::<u32>::new("flag", 1),
        )
    };
    for order in [RELEASE, RELAXED] {
        let found = check_fresh(2, 64, buffers, |(data, flag)| {
            if block() == 0 {
                store(data.at(me()), 1);
                barrier();
                if me() == 0 {
                    set(flag.at(0), 1, order | DEVICE);
                }
            } else {
                if me() == 0 {
                    until(|| get(flag.at(0), ACQUIRE | DEVICE) == 1);
                }
                barrier();
                load(data.at(63 - me()));
            }
        });
        if order == RELEASE {
            assert_eq!(found, []);
        } else {
            only(&found, Code::MISSING_ORDER);
        }
    }
}

#[test]
fn a_release_before_the_barrier_does_not_cover_what_comes_behind_it() {
    let buffers = || (Buffer::<u32>::new("data", 1), Buffer::<u32>::new("flag", 1));
    let found = check_fresh(2, 1, buffers, |(data, flag)| {
        if block() == 0 {
            set(flag.at(0), 1, RELEASE | DEVICE);
            store(data.at(0), 1);
        } else {
            until(|| get(flag.at(0), ACQUIRE | DEVICE) == 1);
            load(data.at(0));
        }
    });
    assert_eq!(codes(&found), [Code::GRID_RACE]);
}

#[test]
fn long_chains_of_releases_stay_cheap() {
    let buffers = || {
        (
            Buffer::<u32>::new("parts", 400),
            Buffer::<u32>::new("flags", 400),
        )
    };
    let found = check_fresh(400, 1, buffers, |(parts, flags)| {
        if block() != 0 {
            until(|| get(flags.at(block() - 1), ACQUIRE | DEVICE) == 1);
            store(parts.at(block()), load(parts.at(block() - 1)) + 1);
            load(parts.at(block() / 2));
        }
        set(flags.at(block()), 1, RELEASE | DEVICE);
    });
    assert_eq!(found, []);
}

/// Each thread of two blocks makes one of two atomics on the same bytes; without a barrier between the two kinds, or with one.
fn two_kinds(
    one: impl Fn(*mut u64) + Sync,
    other: impl Fn(*mut u64) + Sync,
    ordered: bool,
) -> Vec<warploom_emulator::check::Report> {
    let words = || Buffer::<u64>::new("words", 2);
    check_fresh(2, 64, words, |words| {
        let own = words.at(block());
        if me() >= 32 {
            here();
            one(own);
        }
        if ordered {
            barrier();
        }
        if me() < 32 {
            here();
            other(own);
        }
    })
}

fn add_64(p: *mut u64) {
    // SAFETY: the tests access memory that is there.
    unsafe { intrinsics::atomic_fetch_add_u64(p, 1, DEVICE) };
}

fn add_32(p: *mut u64) {
    // SAFETY: as above.
    unsafe { intrinsics::atomic_fetch_add_u32(p.cast::<u32>().add(1), 1, DEVICE) };
}

fn compare_16(p: *mut u64) {
    // SAFETY: as above.
    unsafe { intrinsics::atomic_cas_u16(p.cast::<u16>().add(1), 0, 1, DEVICE) };
}

fn load_32(p: *mut u64) {
    // SAFETY: as above.
    unsafe { intrinsics::atomic_load_u32(p.cast(), DEVICE) };
}

#[test]
fn atomics_of_different_sizes_race() {
    for other in [add_32, compare_16, load_32] {
        for found in [
            two_kinds(add_64, other, false),
            two_kinds(other, add_64, false),
        ] {
            assert_eq!(codes(&found), [Code::MIXED_SIZES], "{found:#?}");
        }
        assert_eq!(two_kinds(add_64, other, true), []);
        assert_eq!(two_kinds(other, other, false), []);
    }
    let found = two_kinds(compare_16, load_32, false);
    assert_eq!(codes(&found), [Code::MIXED_SIZES]);
    let why = &found[0].notes[0].text;
    assert!(why.contains("2 bytes") && why.contains("4 bytes"), "{why}");
}

#[test]
fn reads_of_different_sizes_do_not_race() {
    let load_64 = |p: *mut u64| {
        // SAFETY: the tests access memory that is there.
        unsafe { intrinsics::atomic_load_u64(p, DEVICE) };
    };
    assert_eq!(two_kinds(load_64, load_32, false), []);
}

#[test]
fn pairs_of_halves_are_of_any_size() {
    let add_pair = |p: *mut u64| {
        // SAFETY: the tests access memory that is there.
        unsafe { intrinsics::atomic_fetch_add_f16x2(p.cast(), 0, DEVICE) };
    };
    assert_eq!(two_kinds(add_pair, load_32, false), []);
    assert_eq!(two_kinds(compare_16, add_pair, false), []);
}

#[test]
fn volatile_accesses_within_a_warp_do_not_make_lanes_run_in_step() {
    let kernel = |distance: usize, in_tile: bool| {
        move |synchronises: bool| {
            let words = || Buffer::<u32>::new("words", 256);
            check_fresh(1, 64, words, move |words| {
                let at = |i: usize| if in_tile { tile(i) } else { words.at(i) };
                store(at(me()), 0);
                barrier();
                store_volatile(at(me()), 1);
                if synchronises {
                    barrier();
                }
                load_volatile(at(me() ^ distance));
            })
        }
    };
    let within_a_warp = kernel(1, true);
    assert_eq!(within_a_warp(true), []);
    let found = within_a_warp(false);
    only(&found, Code::WARP_VOLATILE);
    let severity = found[0].severity;
    assert_eq!(severity, warploom_emulator::check::Severity::Warning);
    assert_eq!(kernel(32, true)(false), [], "another warp");
    assert_eq!(kernel(1, false)(false), [], "global memory");
}

/// Block 0 writes or reads words plainly; behind its barrier, and in the other block, they are changed by atomics.
#[test]
fn what_a_barrier_orders_for_one_block_races_with_the_atomics_of_another() {
    for (writes, by_core) in [(true, false), (true, true), (false, false), (false, true)] {
        let kernel = |both: bool| {
            let words = || Buffer::<u32>::new("words", 64);
            check_fresh(2, 64, words, move |words| {
                if block() == 0 || both {
                    let own = words.at(me());
                    match (block(), writes) {
                        (0, true) => store(own, 0),
                        (0, false) => drop(load(own)),
                        _ => {}
                    }
                    barrier();
                    for i in 0..4 {
                        let other = words.at((me() + 16 * i) % 64);
                        if by_core {
                            count_core(other);
                        } else {
                            add(other, 1, RELAXED | DEVICE);
                        }
                    }
                }
            })
        };
        only(&kernel(true), Code::MIXED_ATOMIC);
        assert_eq!(kernel(false), [], "one block alone");
    }
}

/// Threads leave a value for one another without a barrier; `count` says something by an atomic in between.
fn exchange(
    count: impl Fn(&Buffer<u32>) + Sync,
    again: impl Fn(&Buffer<u32>) + Sync,
) -> Vec<warploom_emulator::check::Report> {
    let words = || Buffer::<u32>::new("words", 2);
    check_fresh(2, 64, words, |words| {
        store(tile(me()), 1);
        barrier();
        count(words);
        store(tile(me()), 2);
        again(words);
        load(tile(63 - me()));
    })
}

#[test]
fn a_forgotten_barrier_beside_atomics_is_a_plain_race() {
    let nothing = |_: &Buffer<u32>| {};
    for how in [RELAXED | DEVICE, ACQ_REL | DEVICE] {
        let counted = |words: &Buffer<u32>| {
            add(words.at(0), 1, how);
        };
        assert_eq!(codes(&exchange(counted, nothing)), [Code::SHARED_RACE]);
        assert_eq!(codes(&exchange(nothing, counted)), [Code::SHARED_RACE]);
        assert_eq!(codes(&exchange(counted, counted)), [Code::SHARED_RACE]);
    }
}

#[test]
fn a_flag_between_two_threads_says_nothing_of_others() {
    for (write, read) in [(RELEASE, ACQUIRE), (RELAXED, RELAXED)] {
        let words = || Buffer::<u32>::new("words", 4);
        let found = check_fresh(1, 64, words, |words| {
            match me() {
                0 => set(words.at(0), 1, write | DEVICE),
                32 => until(|| get(words.at(0), read | DEVICE) == 1),
                _ => {}
            }
            match me() {
                1 => store(words.at(1), 1),
                33 => drop(load(words.at(1))),
                _ => {}
            }
        });
        assert_eq!(codes(&found), [Code::GLOBAL_RACE]);
    }
}

#[test]
fn a_flag_that_was_set_before_the_write_does_not_hand_it_over() {
    for (write, read) in [(RELEASE, ACQUIRE), (RELAXED, RELAXED)] {
        let words = || Buffer::<u32>::new("words", 4);
        let found = check_fresh(1, 64, words, |words| match me() {
            0 => {
                set(words.at(0), 1, write | DEVICE);
                store(words.at(1), 1);
            }
            32 => {
                until(|| get(words.at(0), read | DEVICE) == 1);
                load(words.at(1));
            }
            _ => {}
        });
        assert_eq!(codes(&found), [Code::GLOBAL_RACE]);
    }
}

#[test]
fn what_a_thread_saw_counts_for_those_behind_a_barrier() {
    let words = || Buffer::<u32>::new("words", 4);
    let found = check_fresh(2, 64, words, |words| {
        if block() == 0 {
            if me() == 40 {
                store(words.at(1), 1);
            }
            barrier();
            if me() == 0 {
                set(words.at(0), 1, RELEASE | BLOCK);
            }
        } else {
            if me() == 0 {
                until(|| get(words.at(0), ACQUIRE | DEVICE) == 1);
            }
            barrier();
            load(words.at(1));
        }
    });
    assert_eq!(codes(&found), [Code::NARROW_SCOPE]);
}
