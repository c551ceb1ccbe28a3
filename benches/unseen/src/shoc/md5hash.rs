//! A search for a key by its MD5 digest: each thread hashes ten keys of the key space.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::mix;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "shoc",
    name: "md5hash",
    run,
};

const TABLE: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];
const SHIFTS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];
const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
/// Bytes of a key.
const KEY_LENGTH: usize = 7;
const KEYS_PER_THREAD: usize = 10;

/// The digest of a key of seven bytes.
fn md5(key: [u8; 8]) -> [u32; 4] {
    let mut words = [0u32; 16];
    words[0] = u32::from_le_bytes([key[0], key[1], key[2], key[3]]);
    words[1] = u32::from_le_bytes([key[4], key[5], key[6], 0x80]);
    words[14] = 8 * KEY_LENGTH as u32;
    let [mut a, mut b, mut c, mut d] = START;
    for (i, constant) in TABLE.iter().enumerate() {
        let (mixed, word) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), 7 * i % 16),
        };
        let sum = a
            .wrapping_add(mixed)
            .wrapping_add(*constant)
            .wrapping_add(words[word]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
    }
    let end = [a, b, c, d];
    core::array::from_fn(|k| START[k].wrapping_add(end[k]))
}

/// The key with this number: its digits to the base of the values per byte.
fn key_of(mut number: u32, values: u32) -> [u8; 8] {
    let mut key = [0; 8];
    for byte in key.iter_mut().take(KEY_LENGTH) {
        *byte = (number % values) as u8;
        number /= values;
    }
    key
}

/// Each thread tries ten keys in a row; the one that finds the digest writes its number.
#[kernel(block(384))]
fn find_key_with_digest(
    i: Index1D,
    digest: [u32; 4],
    space: u32,
    values: u32,
    found: &[std::sync::atomic::AtomicU32],
) {
    let first = (i.get() * KEYS_PER_THREAD) as u32;
    for number in first..first + KEYS_PER_THREAD as u32 {
        if number < space && md5(key_of(number, values)) == digest {
            found[0].store(number, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    // Seven bytes of ten values each.
    let (space, values) = [(5_000u32, 10), (10_000_000, 10)][scale as usize];
    let number = mix(1, 1) % space;
    // RFC 1321's algorithm, by a digest that is known: that of `message`.
    let known = md5(*b"message\0").map(u32::swap_bytes);
    if known != [0x78e7_3102, 0x7d8f_d50e, 0xd642_340b, 0x7c9a_63b3] {
        return Err(format!("the digest of `message` is {known:08x?}").into());
    }
    let digest = md5(key_of(number, values));
    let blocks = (space as usize).div_ceil(384 * KEYS_PER_THREAD) as u32;
    let mut found = side.output(&[u32::MAX], vec![number], 0.0)?;
    let [d0, d1, d2, d3] = digest;
    let arguments = arguments![d0, d1, d2, d3, space, values, &found.buffer];
    // SAFETY: the digest, the size of the space, the values of a byte, and one number.
    let twin = unsafe { Call::new("find_key_with_digest", blocks, 384, arguments) };
    side.kernel(
        "find_key_with_digest",
        vec![twin],
        &mut found,
        |stream, found| {
            let (shape, found) = (Launch::new(blocks, 384), found.buffer.as_atomic());
            Ok(find_key_with_digest::launch(
                stream, shape, digest, space, values, found,
            )?)
        },
    )
}
