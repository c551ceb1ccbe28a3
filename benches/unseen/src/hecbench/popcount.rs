//! HeCBench `popcount`: bits of words, counted by halves, as C++ code without an instruction for it does.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::words;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "popcount",
    run,
};

#[kernel]
fn count_by_halves(i: Index1D, words: &[u64], mut counts: DisjointSlice<i32>) {
    const M1: u64 = 0x5555_5555_5555_5555;
    const M2: u64 = 0x3333_3333_3333_3333;
    const M4: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const H01: u64 = 0x0101_0101_0101_0101;
    if let Some(count) = counts.get_mut(i) {
        let mut x = words[i.get()];
        x -= (x >> 1) & M1;
        x = (x & M2) + ((x >> 2) & M2);
        x = (x + (x >> 4)) & M4;
        *count = (x.wrapping_mul(H01) >> 56) as i32;
    }
}

/// As many rounds as there are bits.
#[kernel]
fn count_by_clearing(i: Index1D, words: &[u64], mut counts: DisjointSlice<i32>) {
    if let (Some(count), Some(&word)) = (counts.get_mut(i), words.get(i.get())) {
        let mut rest = word;
        *count = 0;
        while rest != 0 {
            rest &= rest - 1;
            *count += 1;
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 23][scale as usize];
    let values = words(2 * n, 1);
    let values: Vec<u64> = values
        .chunks(2)
        .map(|w| u64::from(w[0]) << 32 | u64::from(w[1]))
        .collect();
    let expected: Vec<i32> = values.iter().map(|w| w.count_ones() as i32).collect();
    let values = side.upload(&values)?;
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);

    let mut counts = side.output(&vec![-1; n], expected.clone(), 0.0)?;
    let arguments = arguments![&values, &counts.buffer, n as i32];
    // SAFETY: words, as many counts, and how many.
    let twin = unsafe { Call::new("count_by_halves", blocks, 256, arguments) };
    side.kernel(
        "count_by_halves",
        vec![twin],
        &mut counts,
        |stream, counts| {
            Ok(count_by_halves::launch(
                stream,
                shape,
                &values,
                &mut counts.buffer,
            )?)
        },
    )?;

    let mut counts = side.output(&vec![-1; n], expected, 0.0)?;
    let arguments = arguments![&values, &counts.buffer, n as i32];
    // SAFETY: as above.
    let twin = unsafe { Call::new("count_by_clearing", blocks, 256, arguments) };
    side.kernel(
        "count_by_clearing",
        vec![twin],
        &mut counts,
        |stream, counts| {
            Ok(count_by_clearing::launch(
                stream,
                shape,
                &values,
                &mut counts.buffer,
            )?)
        },
    )
}
