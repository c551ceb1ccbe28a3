//! HeCBench-like `base64`: three bytes become four letters, a group per thread.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::bytes;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "base64",
    run,
};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[kernel]
fn encode(i: Index1D, input: &[u8], mut output: DisjointSlice<u8, Chunks<4>>) {
    let (Some(output), Some(group)) = (output.get_mut(i), input.chunks(3).nth(i.get())) else {
        return;
    };
    let byte = |k: usize| group.get(k).copied().unwrap_or(0);
    let letter = |sextet: u8| LETTERS[usize::from(sextet & 63)];
    output[0] = letter(byte(0) >> 2);
    output[1] = letter(byte(0) << 4 | byte(1) >> 4);
    output[2] = if group.len() > 1 {
        letter(byte(1) << 2 | byte(2) >> 6)
    } else {
        b'='
    };
    output[3] = if group.len() > 2 {
        letter(byte(2))
    } else {
        b'='
    };
}

/// Letter by letter, by the bits that it stands for.
fn reference(input: &[u8], at: usize) -> u8 {
    let bit = |k: usize| input.get(k / 8).map(|byte| byte >> (7 - k % 8) & 1);
    let first = 6 * at;
    match bit(first) {
        None => b'=',
        Some(_) => {
            let value = (first..first + 6).fold(0, |v, k| v << 1 | bit(k).unwrap_or(0));
            LETTERS[usize::from(value)]
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, (1 << 25) + 1][scale as usize];
    let input = bytes(n, 1);
    let groups = n.div_ceil(3);
    let mut output = side.sampled(&vec![0; 4 * groups], |at| reference(&input, at), 0.0)?;
    let d_input = side.upload(&input)?;
    let blocks = groups.div_ceil(256) as u32;
    let arguments = arguments![&d_input, n as i32, &output.buffer];
    // SAFETY: bytes, how many they are, four letters for each group of three.
    let twin = unsafe { Call::new("encode", blocks, 256, arguments) };
    side.kernel("encode", vec![twin], &mut output, |stream, output| {
        let shape = Launch::new(blocks, 256);
        Ok(encode::launch(stream, shape, &d_input, &mut output.buffer)?)
    })
}
