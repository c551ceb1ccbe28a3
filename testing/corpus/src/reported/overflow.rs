//! Products and sums of 32 bits that do not hold the number.

use warploom::prelude::*;

use crate::case::{case, cases, launch, noise};

/// microsoft/onnxruntime#28108: row times width in 32 bits, in a table of more than two billion elements.
#[kernel]
fn row_times_width<const BUG: bool>(
    i: Index1D,
    rows: &[i32],
    width: i32,
    mut y: DisjointSlice<i64>,
) {
    if let Some(y) = y.get_mut(i) {
        let row = rows[i.get()];
        *y = if BUG {
            i64::from(row * width + 8959) //~ WL0310|WL0400
        } else {
            i64::from(row) * i64::from(width) + 8959
        };
    }
}

/// flagos-ai/FlagGems#4156: an index of 32 bits times a stride becomes a negative offset.
#[kernel]
fn offset_becomes_negative<const BUG: bool>(
    i: Index1D,
    index: &[i32],
    stride: i32,
    state: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let row = index[i.get()];
        let offset = if BUG {
            row.wrapping_mul(stride) as isize
        } else {
            (row as isize * stride as isize) % state.len() as isize
        };
        // SAFETY: within the state; the bug is intended.
        *y = unsafe { *state.as_ptr().wrapping_offset(offset) }; //~ WL0001
    }
}

/// NVIDIA/cudf#10368: the index of a loop over the grid passes the greatest number of 32 bits when the last step is added.
#[kernel]
fn last_step_overflows<const BUG: bool>(
    i: Index1D,
    size: i32,
    step: i32,
    mut y: DisjointSlice<u32>,
) {
    let mut rounds = 0;
    if BUG {
        let mut at = size - 64 + i.get() as i32;
        while at < size {
            rounds += 1;
            at += step; //~ WL0310|WL0400
        }
    } else {
        let mut at = i64::from(size) - 64 + i.get() as i64;
        while at < i64::from(size) {
            rounds += 1;
            at += i64::from(step);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = rounds;
    }
}

/// sgl-project/sglang#29608: token times heads times size, in 32 bits without a sign.
#[kernel]
fn token_times_heads<const BUG: bool>(
    i: Index1D,
    heads: u32,
    size: u32,
    tokens: &[u32],
    mut y: DisjointSlice<u64>,
) {
    if let Some(y) = y.get_mut(i) {
        let token = tokens[i.get()];
        *y = if BUG {
            u64::from(token * heads * size) //~ WL0310|WL0400
        } else {
            u64::from(token) * u64::from(heads) * u64::from(size)
        };
    }
}

cases!("overflow.rs":
    case!(row_times_width, "microsoft/onnxruntime#28108", |run| {
        let rows: Vec<i32> = (0..32).map(|i| 239_660 + i).collect();
        let (input, mut y) = (run.upload(&rows)?, run.zeroed::<i64>(32)?);
        launch!(run, row_times_width, (1, 32), &input, 8960, &mut y);
        run.expect(&y, |i| (239_660 + i as i64) * 8960 + 8959)
    }),
    case!(offset_becomes_negative, "flagos-ai/FlagGems#4156", |run| {
        let (index, state) = (vec![16_384_i32; 32], noise(100));
        let (at, input, mut y) = (run.upload(&index)?, run.upload(&state)?, run.zeroed::<u32>(32)?);
        launch!(run, offset_becomes_negative, (1, 32), &at, 131_072, &input, &mut y);
        run.expect(&y, |_| state[48])
    }),
    case!(last_step_overflows, "NVIDIA/cudf#10368", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, last_step_overflows, (2, 32), 1_200_000_000, 1_200_000_000, &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(token_times_heads, "sgl-project/sglang#29608", |run| {
        let tokens: Vec<u32> = (0..32).map(|i| 131_060 + i).collect();
        let (input, mut y) = (run.upload(&tokens)?, run.zeroed::<u64>(32)?);
        launch!(run, token_times_heads, (1, 32), 128, 256, &input, &mut y);
        run.expect(&y, |i| (131_060 + i as u64) * 32_768)
    }),
);
