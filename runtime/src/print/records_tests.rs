//! Records as a thread makes them, here through the emulator, and what damages them.

use std::sync::Mutex;

use warploom_device_std::print::emit;
use warploom_emulator::check::Options;
use warploom_emulator::{Shape, Together, intrinsics, run_with};

use super::super::ring::HostRing;
use super::*;

/// The arguments of one call, as `gpu_println!` hands them over.
macro_rules! list {
    () => { () };
    ($first:expr $(, $rest:expr)*) => { (&$first, list!($($rest),*)) };
}

/// Runs `program` in threads 0..n of one block, with a ring of `bytes` bytes.
fn printed(bytes: usize, n: u32, program: &(dyn Fn(u32) + Sync)) -> HostRing {
    let ring = HostRing::new(bytes);
    let mut options = Options::default();
    options.prints = ring.control();
    let shape = Shape::new([1, 1, 1], [n, 1, 1]);
    let outcome = run_with(shape, Together::default(), &options, &|| {
        program(intrinsics::thread_idx_x());
    });
    assert_eq!(outcome.fault, None);
    ring
}

fn texts(ring: &HostRing, format: &str) -> Vec<String> {
    let found = records(ring.words());
    found.iter().map(|r| r.text(Some(format))).collect()
}

#[test]
fn every_type_comes_back() {
    let format = "{0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} {11} {12} {13:?} {14} {15} {16:p}";
    let ring = printed(1024, 1, &|_| {
        let pointer = std::ptr::without_provenance::<u8>(0x1234);
        let (large, small) = (1u128 << 100, -1i128 << 90);
        let (long, empty) = ("a text of 18 chars", "");
        emit(
            format,
            list!(
                1u8, 2u16, 3u32, 4u64, large, -1i8, -2i16, -3i32, -4i64, small, 1.5f32, -2.5f64,
                true, '\n', long, empty, pointer
            ),
        );
    });
    let wide = (1u128 << 100, -1i128 << 90);
    assert_eq!(
        texts(&ring, format),
        [format!(
            "1 2 3 4 {} -1 -2 -3 -4 {} 1.5 -2.5 true '\\n' a text of 18 chars  0x1234",
            wide.0, wide.1
        )]
    );
}

#[test]
fn a_ring_that_wraps_keeps_the_newest() {
    // A record of one value has 48 bytes: 21 of them fit in 1024 bytes.
    let ring = printed(1024, 100, &|i| emit("{0}", (&i, ())));
    let found: Vec<u32> = texts(&ring, "{0}")
        .iter()
        .map(|t| t.parse().unwrap())
        .collect();
    assert_eq!(found, (79..100).collect::<Vec<u32>>());
}

#[test]
fn records_may_go_on_at_the_start_of_the_ring() {
    for n in 20..30 {
        let ring = printed(1024, n, &|i| emit("{0}", (&i, ())));
        let last = texts(&ring, "{0}").pop();
        assert_eq!(last, Some((n - 1).to_string()));
    }
}

#[test]
fn a_record_larger_than_the_ring_is_left_out() {
    let long = "x".repeat(2000);
    let ring = printed(1024, 1, &|_| {
        emit("{0}", (&*long, ()));
        emit("{0}", (&"short", ()));
    });
    assert_eq!(texts(&ring, "{0}"), ["short"]);
}

#[test]
fn a_damaged_record_is_no_record() {
    let ring = printed(1024, 3, &|i| emit("{0} {1}", (&i, (&7u8, ()))));
    assert_eq!(records(ring.words()).len(), 3);
    // Each record has 56 bytes and gets 64: the second is words 8 to 14.
    for word in 8..15 {
        let before = ring.words()[word].load(Ordering::Relaxed);
        ring.words()[word].store(before ^ 0x100, Ordering::Relaxed);
        let positions: Vec<u64> = records(ring.words()).iter().map(|r| r.position).collect();
        assert_eq!(positions, [0, 128], "word {word}");
        ring.words()[word].store(before, Ordering::Relaxed);
    }
    assert_eq!(records(ring.words()).len(), 3);
}

#[test]
fn without_its_format_string_a_record_shows_its_values() {
    let ring = printed(1024, 1, &|_| emit("", (&5u32, (&"five", ()))));
    let found = records(ring.words());
    assert_eq!(
        found[0].text(None),
        "<the format string is lost> 5 \"five\"\n"
    );
}

#[test]
fn a_full_list_of_32_values_has_all_its_tags() {
    let seen = Mutex::new(0);
    let ring = printed(1024, 1, &|_| {
        let values = list!(
            1u8, 2u16, 3u8, 4u8, 5u8, 6u8, 7u8, 8i64, 9u8, 10u8, 11u8, 12u8, 13u8, 14u8, 15u8,
            16i8, 17u8, 18u8, 19u8, 20u8, 21u8, 22u8, 23u8, 24u8, 25u8, 26u8, 27u8, 28u8, 29u8,
            30u8, 31u8, 2.5f64
        );
        emit("", values);
        *seen.lock().unwrap() += 1;
    });
    assert_eq!(*seen.lock().unwrap(), 1);
    let holes: Vec<String> = (0..32).map(|i| format!("{{{i}}}")).collect();
    let expected: Vec<String> = (1..32).map(|i| i.to_string()).collect();
    assert_eq!(
        texts(&ring, &holes.join(" ")),
        [format!("{} 2.5", expected.join(" "))]
    );
}
