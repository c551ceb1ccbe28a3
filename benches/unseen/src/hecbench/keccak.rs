//! HeCBench `keccak`: SHA3-256 of short messages, one per thread.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::words;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "keccak",
    run,
};

/// Words of a message: less than a block of the sponge, so that one permutation is enough.
const WORDS: usize = 8;

const ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];
/// By how much a lane is rotated, and where it goes, in the order of the walk.
const ROTATIONS: [u32; 24] = [
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
];
const PLACES: [usize; 24] = [
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
];

fn permute(state: &mut [u64; 25]) {
    for constant in ROUND_CONSTANTS {
        let mut parities = [0; 5];
        for (x, parity) in parities.iter_mut().enumerate() {
            *parity = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
        }
        for x in 0..5 {
            let mix = parities[(x + 4) % 5] ^ parities[(x + 1) % 5].rotate_left(1);
            for y in 0..5 {
                state[5 * y + x] ^= mix;
            }
        }
        let mut carried = state[1];
        for (rotation, place) in ROTATIONS.into_iter().zip(PLACES) {
            (state[place], carried) = (carried.rotate_left(rotation), state[place]);
        }
        for row in state.chunks_exact_mut(5) {
            let old = [row[0], row[1], row[2], row[3], row[4]];
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        state[0] ^= constant;
    }
}

#[kernel]
fn sha3_256(i: Index1D, messages: &[u64], mut digests: DisjointSlice<u64, Chunks<4>>) {
    if let Some(digest) = digests.get_mut(i) {
        let mut state = [0; 25];
        let message = &messages[i.get() * WORDS..(i.get() + 1) * WORDS];
        for (lane, word) in state.iter_mut().zip(message) {
            *lane = *word;
        }
        state[WORDS] ^= 0x06;
        state[16] ^= 1 << 63;
        permute(&mut state);
        digest.copy_from_slice(&state[..4]);
    }
}

/// By coordinates, as the standard describes it: lanes by x and y, offsets of rotations by their rule.
fn reference(message: &[u64]) -> [u64; 4] {
    let mut a = [[0u64; 5]; 5];
    for (k, word) in message.iter().enumerate() {
        a[k % 5][k / 5] = *word;
    }
    a[WORDS % 5][WORDS / 5] ^= 0x06;
    a[16 % 5][16 / 5] ^= 1 << 63;
    let mut register = 1u8;
    for _ in 0..24 {
        let c = a.map(|column| column.iter().fold(0, |parity, lane| parity ^ lane));
        for (x, column) in a.iter_mut().enumerate() {
            let mix = c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1);
            column.iter_mut().for_each(|lane| *lane ^= mix);
        }
        let mut b = [[0u64; 5]; 5];
        b[0][0] = a[0][0];
        let (mut x, mut y) = (1, 0);
        for t in 0..24u32 {
            b[y][(2 * x + 3 * y) % 5] = a[x][y].rotate_left((t + 1) * (t + 2) / 2 % 64);
            (x, y) = (y, (2 * x + 3 * y) % 5);
        }
        for x in 0..5 {
            for y in 0..5 {
                a[x][y] = b[x][y] ^ (!b[(x + 1) % 5][y] & b[(x + 2) % 5][y]);
            }
        }
        for j in 0..7 {
            if register & 1 != 0 {
                a[0][0] ^= 1 << ((1u32 << j) - 1);
            }
            let carry = register & 0x80 != 0;
            register = register << 1 ^ if carry { 0x71 } else { 0 };
        }
    }
    [a[0][0], a[1][0], a[2][0], a[3][0]]
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [200, 1 << 20][scale as usize];
    let messages: Vec<u64> = words(2 * WORDS * n, 1)
        .chunks(2)
        .map(|w| u64::from(w[0]) << 32 | u64::from(w[1]))
        .collect();
    let expected = |at: usize| reference(&messages[at / 4 * WORDS..][..WORDS])[at % 4];
    let mut digests = side.sampled(&vec![0; 4 * n], expected, 0.0)?;
    let d_messages = side.upload(&messages)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&d_messages, &digests.buffer, n as i32];
    // SAFETY: eight words of each message, four of each digest, and how many there are.
    let twin = unsafe { Call::new("sha3_256", blocks, 256, arguments) };
    side.kernel("sha3_256", vec![twin], &mut digests, |stream, digests| {
        let shape = Launch::new(blocks, 256);
        Ok(sha3_256::launch(
            stream,
            shape,
            &d_messages,
            &mut digests.buffer,
        )?)
    })
}
