//! HeCBench `chacha20`: a block of the key stream per thread, added to the text.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::words;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "chacha20",
    run,
};

const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

fn quarter_round(state: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(16);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(12);
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(8);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(7);
}

#[kernel]
fn chacha20(
    i: Index1D,
    key: &[u32],
    nonce: &[u32],
    text: &[u32],
    mut cipher: DisjointSlice<u32, Chunks<16>>,
) {
    if let Some(cipher) = cipher.get_mut(i) {
        let mut start = [0; 16];
        start[..4].copy_from_slice(&CONSTANTS);
        start[4..12].copy_from_slice(key);
        start[12] = i.get() as u32;
        start[13..].copy_from_slice(nonce);
        let mut state = start;
        for _ in 0..10 {
            for column in 0..4 {
                quarter_round(&mut state, [column, column + 4, column + 8, column + 12]);
            }
            for k in 0..4 {
                quarter_round(
                    &mut state,
                    [k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4],
                );
            }
        }
        let text = text[16 * i.get()..].chunks_exact(16).next();
        for (k, cipher) in cipher.iter_mut().enumerate() {
            let stream = state[k].wrapping_add(start[k]);
            *cipher = stream ^ text.map_or(0, |text| text[k]);
        }
    }
}

const KEY: [u32; 8] = [
    0x0302_0100,
    0x0706_0504,
    0x0b0a_0908,
    0x0f0e_0d0c,
    0x1312_1110,
    0x1716_1514,
    0x1b1a_1918,
    0x1f1e_1d1c,
];
const NONCE: [u32; 3] = [0x0900_0000, 0x4a00_0000, 0];
/// The block with number 1 of the stream with this key and nonce: the example in section 2.3.2 of RFC 8439.
const BLOCK_ONE: [u32; 16] = [
    0xe4e7_f110,
    0x1559_3bd1,
    0x1fdd_0f50,
    0xc471_20a3,
    0xc7f4_d1c7,
    0x0368_c033,
    0x9aaa_2204,
    0x4e6c_d4c3,
    0x4664_82d2,
    0x09aa_9f07,
    0x05d7_c214,
    0xa202_8bd9,
    0xd19c_12b5,
    0xb94e_16de,
    0xe883_d0cb,
    0x4e3c_50a2,
];

/// A block of the stream, by the names of the state's words.
fn reference(counter: u32) -> [u32; 16] {
    let [k0, k1, k2, k3, k4, k5, k6, k7] = KEY;
    let [c0, c1, c2, c3] = CONSTANTS;
    let [n0, n1, n2] = NONCE;
    let start = [
        c0, c1, c2, c3, k0, k1, k2, k3, k4, k5, k6, k7, counter, n0, n1, n2,
    ];
    let mut rows = [
        [c0, c1, c2, c3],
        [k0, k1, k2, k3],
        [k4, k5, k6, k7],
        [counter, n0, n1, n2],
    ];
    for round in 0..20 {
        // An odd round mixes diagonals: rows are shifted before and back behind it.
        let shift = round % 2;
        (1..4).for_each(|row| rows[row].rotate_left(row * shift));
        for column in 0..4 {
            for (turn, by) in [16, 12, 8, 7].into_iter().enumerate() {
                let [sum, term, turned] = if turn % 2 == 0 { [0, 1, 3] } else { [2, 3, 1] };
                rows[sum][column] = rows[sum][column].wrapping_add(rows[term][column]);
                rows[turned][column] = (rows[turned][column] ^ rows[sum][column]).rotate_left(by);
            }
        }
        (1..4).for_each(|row| rows[row].rotate_right(row * shift));
    }
    std::array::from_fn(|k| rows[k / 4][k % 4].wrapping_add(start[k]))
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [200, 1 << 20][scale as usize];
    let text = words(16 * n, 1);
    let expected = |at: usize| text[at] ^ reference((at / 16) as u32)[at % 16];
    assert_eq!(reference(1), BLOCK_ONE);
    let mut cipher = side.sampled(&vec![0; 16 * n], expected, 0.0)?;
    let (d_text, key, nonce) = (
        side.upload(&text)?,
        side.upload(&KEY)?,
        side.upload(&NONCE)?,
    );
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&key, &nonce, &d_text, &cipher.buffer, n as i32];
    // SAFETY: eight words of a key, three of a nonce, sixteen of text and cipher for each block, and how many blocks there are.
    let twin = unsafe { Call::new("chacha20", blocks, 256, arguments) };
    side.kernel("chacha20", vec![twin], &mut cipher, |stream, cipher| {
        let shape = Launch::new(blocks, 256);
        Ok(chacha20::launch(
            stream,
            shape,
            &key,
            &nonce,
            &d_text,
            &mut cipher.buffer,
        )?)
    })
}
