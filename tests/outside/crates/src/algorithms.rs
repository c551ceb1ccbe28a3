//! Crates of the category algorithms.

use crate::case::case;

case!(adler2, "adler2", |x| {
    let text = bytes::<100>(x);
    let mut sum = ::adler2::Adler32::new();
    sum.write_slice(&text[..40]);
    let first = sum.checksum();
    sum.write_slice(&text[40..]);
    [
        u64::from(first),
        u64::from(sum.checksum()),
        u64::from(::adler2::adler32_slice(&text)),
        u64::from(::adler2::adler32_slice(&[])),
    ]
});

case!(aho_corasick, "aho-corasick", |x| {
    use ::aho_corasick::MatchKind;
    use ::aho_corasick::automaton::Automaton;
    use ::aho_corasick::nfa::noncontiguous::NFA;
    let mut text = bytes::<48>(x);
    text.iter_mut().for_each(|b| *b = b'a' + *b % 3);
    let mut builder = NFA::builder();
    builder.match_kind(MatchKind::LeftmostLongest);
    let search = sure(builder.build(["ab", "abc", "ca", "bb"]));
    let mut found = [0u64; 4];
    let mut places = 0u64;
    for m in sure(search.try_find_iter((&text).into())) {
        found[m.pattern().as_usize()] += 1;
        places = places.wrapping_mul(53) ^ m.start() as u64;
    }
    [
        found[0] | found[1] << 8,
        found[2] | found[3] << 8,
        places,
        search.patterns_len() as u64,
    ]
});

case!(crc, "crc", |x| {
    use ::crc::{CRC_16_USB, CRC_32_ISO_HDLC, CRC_64_XZ, Crc};
    const A: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
    const B: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);
    const C: Crc<u16> = Crc::<u16>::new(&CRC_16_USB);
    let text = bytes::<33>(x);
    let mut digest = B.digest();
    digest.update(&text[..9]);
    digest.update(&text[9..]);
    [
        u64::from(A.checksum(&text)),
        digest.finalize(),
        u64::from(C.checksum(&text)),
        u64::from(A.checksum(b"123456789")),
    ]
});

case!(crc32fast, "crc32fast", |x| {
    let text = bytes::<200>(x);
    let mut hasher = ::crc32fast::Hasher::new();
    hasher.update(&text[..71]);
    let mut other = hasher.clone();
    hasher.update(&text[71..]);
    other.update(&text);
    [
        u64::from(hasher.finalize()),
        u64::from(other.finalize()),
        u64::from(::crc32fast::hash(&text[..17])),
        u64::from(::crc32fast::hash(b"123456789")),
    ]
});

case!(itertools, "itertools", |x| {
    use ::itertools::Itertools;
    let text = bytes::<24>(x);
    let pairs = text.iter().tuple_windows().filter(|(a, b)| a < b).count();
    let merged = text[..8]
        .iter()
        .interleave(&text[8..])
        .fold(0u64, |a, v| a.wrapping_mul(257) ^ u64::from(*v));
    let best = text.iter().position_max().unwrap_or(0);
    let product = (0..3u64)
        .cartesian_product(0..4u64)
        .map(|(a, b)| a * x % 7 + b)
        .sum();
    [pairs as u64, merged, best as u64, product]
});

case!(memchr, "memchr", |x| {
    use ::memchr::memmem;
    let mut text = bytes::<160>(x);
    text.iter_mut().for_each(|b| *b %= 9);
    let one = ::memchr::memchr(7, &text).unwrap_or(999);
    let last = ::memchr::memrchr2(3, 5, &text).unwrap_or(999);
    let all =
        ::memchr::memchr3_iter(0, 1, 2, &text).fold(0u64, |a, i| a.wrapping_mul(163) ^ i as u64);
    let needle = [text[100], text[101], text[102], text[103]];
    let word = memmem::find(&text, &needle).unwrap_or(999);
    [one as u64, last as u64, all, word as u64]
});

case!(simd_adler32, "simd-adler32", |x| {
    let text = bytes::<300>(x);
    let mut sum = ::simd_adler32::Adler32::new();
    sum.write(&text[..123]);
    let first = sum.finish();
    sum.write(&text[123..]);
    [
        u64::from(first),
        u64::from(sum.finish()),
        u64::from(::simd_adler32::adler32(&&text[..64])),
        u64::from(::simd_adler32::adler32(&&text[..5])),
    ]
});

case!(strsim, "strsim", |x| {
    let mut a = bytes::<12>(x);
    let mut b = bytes::<10>(x.rotate_left(13));
    a.iter_mut().chain(&mut b).for_each(|c| *c = b'a' + *c % 4);
    let (a, b) = (
        sure(core::str::from_utf8(&a)),
        sure(core::str::from_utf8(&b)),
    );
    [
        ::strsim::levenshtein(a, b) as u64,
        ::strsim::osa_distance(a, b) as u64,
        ::strsim::jaro_winkler(a, b).to_bits(),
        ::strsim::hamming(&a[..10], b).unwrap_or(99) as u64,
    ]
});
