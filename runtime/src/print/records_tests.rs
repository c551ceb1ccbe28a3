//! Records as a thread makes them, here through the emulator, and what damages them.

use std::sync::Mutex;

use warploom_device_std::print::emit;
use warploom_device_std::print::record::sizes_word;
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
    print_to(&ring, n, program);
    ring
}

fn print_to(ring: &HostRing, n: u32, program: &(dyn Fn(u32) + Sync)) {
    let mut options = Options::default();
    options.prints = ring.control();
    let shape = Shape::new([1, 1, 1], [n, 1, 1]);
    let outcome = run_with(shape, Together::default(), &options, &|| {
        program(intrinsics::thread_idx_x());
    });
    assert_eq!(outcome.fault, None);
}

fn found(ring: &HostRing) -> Vec<Record> {
    records(ring.words(), ring.key())
}

fn texts(ring: &HostRing) -> Vec<String> {
    found(ring).iter().map(|r| r.text().unwrap()).collect()
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
        texts(&ring),
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
    let found: Vec<u32> = texts(&ring).iter().map(|t| t.parse().unwrap()).collect();
    assert_eq!(found, (79..100).collect::<Vec<u32>>());
}

#[test]
fn records_may_go_on_at_the_start_of_the_ring() {
    for n in 20..30 {
        let ring = printed(1024, n, &|i| emit("{0}", (&i, ())));
        let last = texts(&ring).pop();
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
    assert_eq!(texts(&ring), ["short"]);
}

#[test]
fn a_damaged_record_is_no_record() {
    let ring = printed(1024, 3, &|i| emit("{0} {1}", (&i, (&7u8, ()))));
    assert_eq!(found(&ring).len(), 3);
    // Each record has 56 bytes and gets 64: the second is words 8 to 14.
    for word in 8..15 {
        let before = ring.words()[word].load(Ordering::Relaxed);
        ring.words()[word].store(before ^ 0x100, Ordering::Relaxed);
        let positions: Vec<u64> = found(&ring).iter().map(|r| r.position).collect();
        assert_eq!(positions, [0, 128], "word {word}");
        ring.words()[word].store(before, Ordering::Relaxed);
    }
    assert_eq!(found(&ring).len(), 3);
}

#[test]
fn a_full_list_of_32_values_has_all_its_tags() {
    let seen = Mutex::new(0);
    let holes: Vec<String> = (0..32).map(|i| format!("{{{i}}}")).collect();
    let format: &'static str = holes.join(" ").leak();
    let ring = printed(1024, 1, &|_| {
        let values = list!(
            1u8, 2u16, 3u8, 4u8, 5u8, 6u8, 7u8, 8i64, 9u8, 10u8, 11u8, 12u8, 13u8, 14u8, 15u8,
            16i8, 17u8, 18u8, 19u8, 20u8, 21u8, 22u8, 23u8, 24u8, 25u8, 26u8, 27u8, 28u8, 29u8,
            30u8, 31u8, 2.5f64
        );
        emit(format, values);
        *seen.lock().unwrap() += 1;
    });
    assert_eq!(*seen.lock().unwrap(), 1);
    let expected: Vec<String> = (1..32).map(|i| i.to_string()).collect();
    assert_eq!(texts(&ring), [format!("{} 2.5", expected.join(" "))]);
}

/// A record of 32 bytes for the place `position` that prints "FORG" and other characters. All of its bytes are ASCII.
fn forged(key: u64, position: u64) -> [u64; 4] {
    let record = |number: u32| {
        let [a, b, c, d] = (number.wrapping_mul(0x9e37_79b9) & 0x7f7f_7f7f).to_le_bytes();
        let text = [b'F', b'O', b'R', b'G', a, b, c, d];
        let words = [position, sizes_word(8, 0, 32), u64::from_le_bytes(text)];
        let sum = words.iter().fold(key, |sum, word| mix(sum, *word));
        [first_word(sum), words[0], words[1], words[2]]
    };
    let mut records = (0..1000).map(record);
    records.find(|words| as_bytes(*words).is_ascii()).unwrap()
}

fn as_bytes(words: [u64; 4]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn values_that_look_like_a_record_are_none() {
    // Values begin at 40, after header, format string and tags: the one after the first lies where a record may begin.
    let position = 48;
    let attack = |key: u64, ring: &HostRing| {
        print_to(ring, 1, &|_| {
            let [a, b, c, d] = forged(key, position);
            emit("{1}", list!(0u8, a, b, c, d));
        });
    };
    // With the key, which no kernel knows, it is a record: the test makes it right.
    let ring = HostRing::with_key(1024, KEY);
    attack(KEY, &ring);
    assert!(texts(&ring)[1].starts_with("FORG"));
    // A text has its length first, and its bytes are those of a record.
    let ring = HostRing::with_key(1024, KEY);
    let text = String::from_utf8(as_bytes(forged(KEY, position))).unwrap();
    print_to(&ring, 1, &|_| emit("{0}", list!(*text)));
    assert!(texts(&ring)[1].starts_with("FORG"));
    let ring = HostRing::new(1024);
    attack(0, &ring);
    assert_eq!(texts(&ring), [forged(0, position)[0].to_string()]);
}

#[test]
fn no_argument_of_any_type_makes_a_record() {
    // Each of the types that have room for whole words, at each place that a record may have.
    for position in (0..128).step_by(16) {
        let [a, b, c, d] = forged(0, position);
        let text = String::from_utf8(as_bytes([a, b, c, d])).unwrap();
        let (low, high) = (
            u128::from(a) | u128::from(b) << 64,
            u128::from(c) | u128::from(d) << 64,
        );
        let pointer = |word: u64| std::ptr::without_provenance::<u8>(word as usize);
        let ring = printed(1 << 16, 1, &|_| {
            emit("{1}", list!(0u64, a, b, c, d));
            emit(
                "{1}",
                list!(
                    0u8,
                    a.cast_signed(),
                    b.cast_signed(),
                    c.cast_signed(),
                    d.cast_signed()
                ),
            );
            emit(
                "{1}",
                list!(
                    0u8,
                    f64::from_bits(a),
                    f64::from_bits(b),
                    f64::from_bits(c),
                    f64::from_bits(d)
                ),
            );
            emit("{1}", list!(0u8, low, high));
            emit("{1}", list!(low, high, low, high));
            emit("{1}", list!(0u8, low.cast_signed(), high.cast_signed()));
            emit(
                "{1:?}",
                list!(0u8, pointer(a), pointer(b), pointer(c), pointer(d)),
            );
            emit("{0}", list!(*text));
            emit("{1}", list!(0u8, *text));
            emit("{1}", list!(*text, *text, 1.5f32, true, 'x'));
        });
        assert_eq!(texts(&ring).len(), 10, "position {position}");
        assert!(
            texts(&ring)
                .iter()
                .all(|text| !text.starts_with("FORG") || text.len() > 8)
        );
    }
}

const KEY: u64 = 5;

/// The records of a ring of 1024 bytes with one record in it: `body` follows the sizes, which say what is given.
fn decoded(sizes: (usize, usize, u64), body: &[u64]) -> Vec<Record> {
    let mut words = vec![0, sizes_word(sizes.0, sizes.1, sizes.2)];
    words.extend(body);
    let summed = &words[..((sizes.2 / 8) as usize).saturating_sub(1).min(words.len())];
    let sum = summed.iter().fold(KEY, |sum, word| mix(sum, *word));
    words.insert(0, first_word(sum));
    words.resize(128, 0);
    let ring: Vec<AtomicU64> = words.into_iter().map(AtomicU64::new).collect();
    records(&ring, KEY)
}

/// Why the one record with this body is malformed; its size is that of the body.
fn reason(format: usize, n_values: usize, body: &[u64]) -> String {
    let bytes = 24 + 8 * body.len() as u64;
    let found = decoded((format, n_values, bytes), body);
    assert_eq!(found.len(), 1);
    found[0].text().unwrap_err().reason
}

const TWO_VALUES: u64 = u64::from_le_bytes(*b"{0}{1}\n\0");

#[test]
fn a_malformed_record_is_an_error() {
    let tags = |tags: &[u8]| {
        tags.iter()
            .rev()
            .fold(0, |word, tag| word << 8 | u64::from(*tag))
    };
    let format = TWO_VALUES;
    assert_eq!(
        reason(9, 0, &[format]),
        "its format string would take 2 words, and 1 are left"
    );
    assert!(reason(u32::MAX as usize, 0, &[format]).contains("would take 536870912 words"));
    assert!(reason(8, 0, &[u64::MAX]).contains("is not UTF-8"));
    assert_eq!(
        reason(7, 2, &[format]),
        "its tags would take 1 words, and 0 are left"
    );
    assert_eq!(
        reason(7, 200, &[format, 0]),
        "it has 200 values, and a call at most 32"
    );
    for unknown in [0, 17, 255] {
        assert_eq!(
            reason(7, 2, &[format, tags(&[tag::U8, unknown]), 1, 2]),
            format!("value 1 has the tag {unknown}, and tags are 1 to 16")
        );
    }
    assert_eq!(
        reason(7, 2, &[format, tags(&[tag::U8, tag::U8]), 1]),
        "value 1 would take 1 words, and 0 are left"
    );
    assert_eq!(
        reason(7, 2, &[format, tags(&[tag::U8, tag::U128]), 1, 2]),
        "value 1 would take 2 words, and 1 are left"
    );
    for len in [9, 1 << 20, u64::from(u32::MAX), u64::MAX] {
        assert_eq!(
            reason(7, 2, &[format, tags(&[tag::STR, tag::U8]), len, 0]),
            format!(
                "the text of value 0 would take {} words, and 1 are left",
                len.div_ceil(8)
            )
        );
    }
    for char in [0xd800, 0x11_0000, 1 << 32 | 65] {
        assert_eq!(
            reason(7, 2, &[format, tags(&[tag::U8, tag::CHAR]), 1, char]),
            format!("value 1 is a `char`, and {char:#x} is none")
        );
    }
    assert_eq!(
        reason(7, 2, &[format, tags(&[tag::U8, tag::U8]), 1, 2, 3]),
        "1 words follow its last value"
    );
    let text = malformed("it has 200 values, and a call at most 32").to_string();
    assert!(text.starts_with("<a print record is malformed: it has 200 values"));
}

#[test]
fn a_record_whose_size_is_impossible_is_none() {
    assert_eq!(decoded((7, 0, 32), &[TWO_VALUES]).len(), 1);
    for bytes in [0, 8, 16, 1032, 1 << 26] {
        assert_eq!(decoded((7, 0, bytes), &[TWO_VALUES]), [], "{bytes} bytes");
    }
}

#[test]
fn a_record_of_arbitrary_words_is_read_within_its_bounds() {
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 16
    };
    let mut texts = 0;
    for _ in 0..20_000 {
        let n_words = (random() % 12) as usize;
        let mut body: Vec<u64> = (0..n_words).map(|_| random() % 20).collect();
        if let Some(word) = body.last_mut() {
            *word = random() << 20;
        }
        let (format, n_values) = ((random() % 20) as usize, (random() % 40) as usize);
        let found = decoded((format, n_values, 24 + 8 * n_words as u64), &body);
        texts += usize::from(found[0].text().is_ok());
    }
    assert!(texts > 0, "none of them was well-formed");
}
