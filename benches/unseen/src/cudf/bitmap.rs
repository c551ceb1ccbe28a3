//! Operations on validity bitmaps, a bit per row in words of 32: both columns valid, how many rows are null, and a column of bytes expanded from bits.

use warploom::device_std::atomic::Relaxed;
use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::words;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cudf",
    name: "bitmap",
    run,
};

/// A word of both masks, the second one shifted, as a slice of a column has it.
#[kernel]
fn and_shifted(i: Index1D, a: &[u32], b: &[u32], shift: u32, mut both: DisjointSlice<u32>) {
    if let Some(both) = both.get_mut(i) {
        let low = b[i.get() + shift as usize / 32];
        let high = b
            .get(i.get() + shift as usize / 32 + 1)
            .copied()
            .unwrap_or(0);
        let word = (u64::from(high) << 32 | u64::from(low)) >> (shift % 32);
        *both = a[i.get()] & word as u32;
    }
}

#[kernel(block(256))]
fn count_unset(i: Index1D, block: Block, mask: &[u32], rows: u32, count: &[Atomic<u32>]) {
    let rows = rows as usize;
    let mut own = 0;
    for (at, word) in mask.iter().enumerate().skip(i.get()).step_by(i.count()) {
        let bits = rows.saturating_sub(32 * at).min(32) as u32;
        let unused = if bits == 32 { 0 } else { !0 << bits };
        own += (!word & !unused).count_ones();
    }
    let total = block.reduce_sum(own);
    if block.thread() == 0 {
        count[0].fetch_add(total, Relaxed);
    }
}

#[kernel]
fn expand(i: Index1D, mask: &[u32], mut valid: DisjointSlice<u8>) {
    if let Some(valid) = valid.get_mut(i) {
        *valid = (mask[i.get() / 32] >> (i.get() % 32) & 1) as u8;
    }
}

const SHIFT: u32 = 37;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [500, 1 << 22][scale as usize];
    let rows = 32 * n - 5;
    let (a, b) = (words(n, 1), words(n + 2, 2));
    let bit = |mask: &[u32], row: usize| mask[row / 32] >> (row % 32) & 1;
    let shifted = |at: usize| {
        (0..32).fold(0, |word, k| {
            word | bit(&b, 32 * at + k + SHIFT as usize) << k
        })
    };
    let both: Vec<u32> = (0..n).map(|at| a[at] & shifted(at)).collect();
    let unset = (0..rows).filter(|&row| bit(&a, row) == 0).count() as u32;
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);

    let mut d_both = side.output(&vec![0; n], both, 0.0)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&d_a, &d_b, SHIFT, &d_both.buffer, n as i32];
    // SAFETY: two masks, the second one longer by two words, a shift by less, a mask, and how many words it has.
    let twin = unsafe { Call::new("and_shifted", blocks, 256, arguments) };
    side.kernel("and_shifted", vec![twin], &mut d_both, |stream, both| {
        let shape = Launch::new(blocks, 256);
        Ok(and_shifted::launch(
            stream,
            shape,
            &d_a,
            &d_b,
            SHIFT,
            &mut both.buffer,
        )?)
    })?;

    let mut count = side.output(&[0], vec![unset], 0.0)?;
    let blocks = n.div_ceil(256).min(1056) as u32;
    let arguments = arguments![&d_a, n as i32, rows as u32, &count.buffer];
    // SAFETY: a mask, its words, its rows, a number.
    let twin = unsafe { Call::new("count_unset", blocks, 256, arguments) };
    side.kernel("count_unset", vec![twin], &mut count, |stream, count| {
        let shape = Launch::new(blocks, 256);
        Ok(count_unset::launch(
            stream,
            shape,
            &d_a,
            rows as u32,
            count.buffer.as_atomics(),
        )?)
    })?;

    let mut valid = side.sampled(&vec![2; rows], |row| bit(&a, row) as u8, 0.0)?;
    let blocks = rows.div_ceil(256) as u32;
    let arguments = arguments![&d_a, &valid.buffer, rows as u32];
    // SAFETY: a mask, a byte for each row, how many rows there are.
    let twin = unsafe { Call::new("expand", blocks, 256, arguments) };
    side.kernel("expand", vec![twin], &mut valid, |stream, valid| {
        let shape = Launch::new(blocks, 256);
        Ok(expand::launch(stream, shape, &d_a, &mut valid.buffer)?)
    })
}
