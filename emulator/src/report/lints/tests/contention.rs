//! Atomics that many threads change.

use super::*;

fn add(block: u64, t: u32, address: u64) -> Access {
    Access {
        kind: AccessClass::Atomic,
        ..read(block, t, address)
    }
}

//@ rows: P-40
#[test]
fn a_sum_by_all_threads_is_contended() {
    let profile = run(16, 128, 1, |block, _, t| vec![add(block, t, GLOBAL)]);
    let found = report(&profile, Code::CONTENTION);
    assert_eq!(
        found.title,
        "contended atomic: 2\u{a0}048 threads change one address of global memory 2\u{a0}048 times"
    );
    assert!(notes(&found, "why").contains("on average 32 lanes meet"));
    assert!(notes(&found, "note").contains(
        "top address 0x7f000000: 2\u{a0}048 of 2\u{a0}048 operations, on 1 address in all"
    ));
}

//@ rows: P-40
#[test]
fn one_addition_per_warp_is_not() {
    let profile = run(512, 128, 1, |block, _, t| match t % 32 {
        0 => vec![add(block, t, GLOBAL)],
        _ => vec![],
    });
    assert!(!codes(&profile).contains(&Code::CONTENTION));
    assert_eq!(profile.atomics[0].top.hottest.operations, 2048);
}

#[test]
fn a_histogram_with_many_bins_is_not() {
    let profile = run(64, 256, 1, |block, _, t| {
        vec![add(block, t, GLOBAL + 4 * u64::from(t))]
    });
    assert_eq!(codes(&profile), []);
    let top = profile.atomics[0].top;
    assert_eq!((top.operations, top.addresses), (64 * 256, 256));
    // All have as many; the lowest is named.
    assert_eq!((top.address, top.hottest.operations), (GLOBAL, 64));
}

#[test]
fn a_thread_counts_once_per_address() {
    let profile = run(1, 64, 1, |block, _, t| vec![add(block, t, GLOBAL); 10]);
    let hot = profile.atomics[0].top.hottest;
    assert_eq!((hot.operations, hot.threads), (640, 64));
}

#[test]
fn shared_counters_count_for_each_block() {
    let profile = run(8, 1024, 1, |block, _, t| vec![shared(add(block, t, 1024))]);
    let found = report(&profile, Code::CONTENTION);
    assert!(
        found
            .title
            .contains("one address of a block's shared memory 1\u{a0}024 times")
    );
    assert_eq!(profile.atomics[0].top.addresses, 8);
}
