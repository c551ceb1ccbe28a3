//! HeCBench `aes`: ten rounds of AES-128 with a table of words for each round's substitution and mixing, a block of 16 bytes per thread.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::words;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "aes",
    run,
};

const ROUNDS: usize = 10;

/// The inverse of a substitution is not needed: blocks are only encrypted.
const SUBSTITUTION: [u8; 256] = substitution();
/// What a byte adds to a column: 2, 1, 1 and 3 times its substitute, from the lowest byte on.
const MIXED: [u32; 256] = mixed();

const fn double(x: u8) -> u8 {
    x << 1 ^ if x & 0x80 != 0 { 0x1b } else { 0 }
}

/// By powers of 3, which goes through all numbers but 0, and of its inverse.
const fn substitution() -> [u8; 256] {
    let mut table = [0; 256];
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        p ^= double(p);
        // Division by 3.
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if q & 0x80 != 0 {
            q ^= 0x09;
        }
        let turned = q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4);
        table[p as usize] = turned ^ 0x63;
        if p == 1 {
            break;
        }
    }
    table[0] = 0x63;
    table
}

const fn mixed() -> [u32; 256] {
    let mut table = [0; 256];
    let mut k = 0;
    while k < 256 {
        let s = SUBSTITUTION[k];
        table[k] = u32::from_le_bytes([double(s), s, s, double(s) ^ s]);
        k += 1;
    }
    table
}

/// Words of the key for all rounds.
fn expand(key: [u32; 4]) -> Vec<u32> {
    let mut words = key.to_vec();
    let mut constant = 1;
    for at in 4..4 * (ROUNDS + 1) {
        let mut word = words[at - 1];
        if at % 4 == 0 {
            let bytes = word.rotate_right(8).to_le_bytes();
            word = u32::from_le_bytes(bytes.map(|b| SUBSTITUTION[usize::from(b)]));
            word ^= u32::from(constant);
            constant = double(constant);
        }
        words.push(words[at - 4] ^ word);
    }
    words
}

#[kernel]
fn encrypt(
    i: Index1D,
    keys: &[u32],
    mixed: &[u32],
    substitution: &[u8],
    text: &[u32],
    mut cipher: DisjointSlice<u32, Chunks<4>>,
) {
    let Some(cipher) = cipher.get_mut(i) else {
        return;
    };
    let (first, rounds) = keys.split_at(4);
    let mut state = [0; 4];
    for ((state, text), key) in state.iter_mut().zip(&text[4 * i.get()..]).zip(first) {
        *state = text ^ key;
    }
    let byte = |word: u32, k: usize| (word >> (8 * k) & 0xff) as usize;
    let mut rounds = rounds.chunks_exact(4);
    let last = rounds.next_back();
    for keys in rounds {
        let mut next = [0; 4];
        for (column, next) in next.iter_mut().enumerate() {
            *next = keys[column];
            for row in 0..4 {
                let from = byte(state[(column + row) % 4], row);
                *next ^= mixed[from].rotate_left(8 * row as u32);
            }
        }
        state = next;
    }
    if let Some(keys) = last {
        for (column, cipher) in cipher.iter_mut().enumerate() {
            *cipher = keys[column];
            for row in 0..4 {
                let from = byte(state[(column + row) % 4], row);
                *cipher ^= u32::from(substitution[from]) << (8 * row);
            }
        }
    }
}

/// Byte by byte, as the standard describes it.
fn reference(keys: &[u32], text: &[u32]) -> [u32; 4] {
    let mut state: Vec<u8> = text[..4]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let add_key = |state: &mut [u8], round: usize| {
        let key = keys[4 * round..].iter().flat_map(|word| word.to_le_bytes());
        state
            .iter_mut()
            .zip(key)
            .for_each(|(byte, key)| *byte ^= key);
    };
    add_key(&mut state, 0);
    for round in 1..=ROUNDS {
        let old = state.clone();
        for (at, byte) in state.iter_mut().enumerate() {
            *byte = SUBSTITUTION[usize::from(old[(at + 4 * (at % 4)) % 16])];
        }
        if round < ROUNDS {
            for column in state.chunks_mut(4) {
                let all = column.iter().fold(0, |all, byte| all ^ byte);
                let old = [column[0], column[1], column[2], column[3]];
                for k in 0..4 {
                    column[k] = old[k] ^ all ^ double(old[k] ^ old[(k + 1) % 4]);
                }
            }
        }
        add_key(&mut state, round);
    }
    std::array::from_fn(|k| u32::from_le_bytes(std::array::from_fn(|b| state[4 * k + b])))
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    // The example of FIPS 197, appendix B.
    let key = [0x1615_7e2b, 0xa6d2_ae28, 0x8815_f7ab, 0x3c4f_cf09];
    let example = [0xa8f6_4332, 0x8d30_5a88, 0xa298_3131, 0x3407_37e0];
    let keys = expand(key);
    assert_eq!(
        reference(&keys, &example),
        [0x1d84_2539, 0xfb09_dc02, 0x9785_11dc, 0x320b_6a19]
    );

    let n = [300, 1 << 21][scale as usize];
    let text = words(4 * n, 1);
    let expected = |at: usize| reference(&keys, &text[at / 4 * 4..])[at % 4];
    let mut cipher = side.sampled(&vec![0; 4 * n], expected, 0.0)?;
    let (d_keys, d_text) = (side.upload(&keys)?, side.upload(&text)?);
    let (mixed, substitution) = (side.upload(&MIXED)?, side.upload(&SUBSTITUTION)?);
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_keys,
        &mixed,
        &substitution,
        &d_text,
        &cipher.buffer,
        n as i32
    ];
    // SAFETY: words of eleven keys, two tables of 256 entries, four words for each block twice, how many blocks there are.
    let twin = unsafe { Call::new("encrypt", blocks, 256, arguments) };
    side.kernel("encrypt", vec![twin], &mut cipher, |stream, cipher| {
        let shape = Launch::new(blocks, 256);
        let cipher = &mut cipher.buffer;
        Ok(encrypt::launch(
            stream,
            shape,
            &d_keys,
            &mixed,
            &substitution,
            &d_text,
            cipher,
        )?)
    })
}
