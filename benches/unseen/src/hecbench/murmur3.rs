//! HeCBench `murmurhash3`: 128 bits of hash of each key; keys have different lengths and lie one after the other.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{bytes, mix};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "murmur3",
    run,
};

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

fn final_mix(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

fn mix_first(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix_second(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = 0;
    for (k, byte) in bytes.iter().enumerate() {
        word |= u64::from(*byte) << (8 * k);
    }
    word
}

fn hash(key: &[u8], seed: u32) -> [u64; 2] {
    let (mut h1, mut h2) = (u64::from(seed), u64::from(seed));
    let blocks = key.chunks_exact(16);
    let tail = blocks.remainder();
    for block in blocks {
        let (first, second) = block.split_at(8);
        h1 ^= mix_first(word(first));
        h1 = h1.rotate_left(27).wrapping_add(h2);
        h1 = h1.wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix_second(word(second));
        h2 = h2.rotate_left(31).wrapping_add(h1);
        h2 = h2.wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (first, second) = tail.split_at(tail.len().min(8));
    h2 ^= mix_second(word(second));
    h1 ^= mix_first(word(first));
    h1 ^= key.len() as u64;
    h2 ^= key.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = final_mix(h1);
    h2 = final_mix(h2);
    h1 = h1.wrapping_add(h2);
    [h1, h2.wrapping_add(h1)]
}

#[kernel]
fn murmur3(i: Index1D, bytes: &[u8], starts: &[u32], mut hashes: DisjointSlice<u64, Chunks<2>>) {
    if let Some(output) = hashes.get_mut(i) {
        let key = &bytes[starts[i.get()] as usize..starts[i.get() + 1] as usize];
        *output = hash(key, i.get() as u32);
    }
}

/// The same with 128 bits read as one number where a key has them.
fn reference(key: &[u8], seed: u32) -> [u64; 2] {
    let (mut a, mut b) = (u64::from(seed), u64::from(seed));
    for block in key.chunks(16) {
        let mut padded = [0; 16];
        padded[..block.len()].copy_from_slice(block);
        let both = u128::from_le_bytes(padded);
        a ^= (both as u64)
            .wrapping_mul(C1)
            .rotate_left(31)
            .wrapping_mul(C2);
        if block.len() == 16 {
            a = a
                .rotate_left(27)
                .wrapping_add(b)
                .wrapping_mul(5)
                .wrapping_add(0x52dc_e729);
        }
        b ^= ((both >> 64) as u64)
            .wrapping_mul(C2)
            .rotate_left(33)
            .wrapping_mul(C1);
        if block.len() == 16 {
            b = b
                .rotate_left(31)
                .wrapping_add(a)
                .wrapping_mul(5)
                .wrapping_add(0x3849_5ab5);
        }
    }
    a ^= key.len() as u64;
    b ^= key.len() as u64;
    a = a.wrapping_add(b);
    b = b.wrapping_add(a);
    [a, b] = [a, b].map(|mut k| {
        for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
            k = (k ^ k >> 33).wrapping_mul(factor);
        }
        k ^ k >> 33
    });
    a = a.wrapping_add(b);
    [a, b.wrapping_add(a)]
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [500, 1 << 20][scale as usize];
    let mut starts = vec![0];
    for i in 0..n {
        starts.push(starts[i] + 4 + mix(i, 1) % 60);
    }
    let keys = bytes(starts[n] as usize, 2);
    let expected = |at: usize| {
        let key = &keys[starts[at / 2] as usize..starts[at / 2 + 1] as usize];
        reference(key, (at / 2) as u32)[at % 2]
    };
    let mut hashes = side.sampled(&vec![0; 2 * n], expected, 0.0)?;
    let (d_keys, d_starts) = (side.upload(&keys)?, side.upload(&starts)?);
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&d_keys, &d_starts, &hashes.buffer, n as i32];
    // SAFETY: bytes, where the key of each thread starts and the last one ends, two words for each, and how many there are.
    let twin = unsafe { Call::new("murmur3", blocks, 256, arguments) };
    side.kernel("murmur3", vec![twin], &mut hashes, |stream, hashes| {
        let shape = Launch::new(blocks, 256);
        Ok(murmur3::launch(
            stream,
            shape,
            &d_keys,
            &d_starts,
            &mut hashes.buffer,
        )?)
    })
}
