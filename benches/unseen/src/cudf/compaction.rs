//! A filter of a column: a mask of the rows that satisfy a comparison, a count of them for each block, and the rows themselves, in order.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cudf",
    name: "compaction",
    run,
};

/// A bit per row, 32 rows in a word.
#[kernel]
fn compare(
    i: Index1D,
    warp: Warp,
    column: &[i32],
    limit: i32,
    mut mask: DisjointSlice<u32, PerWarp>,
) {
    let bits = warp.ballot(column.get(i.get()).is_some_and(|&value| value > limit));
    if let Some(mask) = warp.leader().and_then(|leader| mask.get_mut(leader)) {
        *mask = bits.bits();
    }
}

#[kernel(block(256))]
fn count_rows(i: Index1D, block: Block, mask: &[u32], mut counts: DisjointSlice<u32, PerBlock>) {
    let own = mask.get(i.get()).map_or(0, |word| word.count_ones());
    let count = block.reduce_sum(own);
    if let Some(total) = block.leader().and_then(|leader| counts.get_mut(leader)) {
        *total = count;
    }
}

// A thread writes as many rows as its word has bits, where the words before it end: raw.
#[kernel(block(256))]
fn scatter(
    i: Index1D,
    block: Block,
    mask: &[u32],
    offsets: &[u32],
    column: &[i32],
    mut result: DisjointSlice<i32>,
) {
    let mut bits = mask.get(i.get()).copied().unwrap_or(0);
    let before = block.exclusive_scan(bits.count_ones(), 0, |a, b| a + b);
    let mut place = (offsets[block.index()] + before) as usize;
    while bits != 0 {
        let row = 32 * i.get() + bits.trailing_zeros() as usize;
        let value = column[row];
        assert!(place < result.len());
        // SAFETY: within the slice; places of two rows differ, as sums of counts.
        unsafe { *result.raw().add(place) = value };
        place += 1;
        bits &= bits - 1;
    }
}

const LIMIT: i32 = 40;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [20_000, 1 << 24][scale as usize];
    let column: Vec<i32> = below(n, 100, 1).iter().map(|&x| x as i32).collect();
    let words = n.div_ceil(32);
    let word = |rows: &[i32]| {
        rows.iter()
            .rev()
            .fold(0, |word, &x| word << 1 | u32::from(x > LIMIT))
    };
    let mask: Vec<u32> = column.chunks(32).map(word).collect();
    let counts: Vec<u32> = mask
        .chunks(256)
        .map(|words| words.iter().map(|w| w.count_ones()).sum())
        .collect();
    let offsets = counts.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum - count)
    });
    let offsets: Vec<u32> = offsets.collect();
    let rows: Vec<i32> = column.iter().copied().filter(|&x| x > LIMIT).collect();
    let (d_column, d_offsets) = (side.upload(&column)?, side.upload(&offsets)?);

    let mut d_mask = side.output(&vec![0; words], mask, 0.0)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&d_column, LIMIT, &d_mask.buffer, n as i32];
    // SAFETY: rows, a limit, a bit for each row, how many there are.
    let twin = unsafe { Call::new("compare", blocks, 256, arguments) };
    side.kernel("compare", vec![twin], &mut d_mask, |stream, mask| {
        let shape = Launch::new(blocks, 256);
        Ok(compare::launch(
            stream,
            shape,
            &d_column,
            LIMIT,
            &mut mask.buffer,
        )?)
    })?;

    let mask = &d_mask.buffer;
    let blocks = words.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);
    let mut d_counts = side.output(&vec![u32::MAX; blocks as usize], counts, 0.0)?;
    let arguments = arguments![mask, &d_counts.buffer, words as i32];
    // SAFETY: words, a number for each block, how many words there are.
    let twin = unsafe { Call::new("count_rows", blocks, 256, arguments) };
    side.kernel("count_rows", vec![twin], &mut d_counts, |stream, counts| {
        Ok(count_rows::launch(stream, shape, mask, &mut counts.buffer)?)
    })?;

    let mut result = side.output(&vec![-1; rows.len()], rows, 0.0)?;
    let arguments = arguments![mask, &d_offsets, &d_column, &result.buffer, words as i32];
    // SAFETY: words, where the rows of each block go, the rows, room for those with a bit, how many words there are.
    let twin = unsafe { Call::new("scatter", blocks, 256, arguments) };
    side.kernel("scatter", vec![twin], &mut result, |stream, result| {
        let result = &mut result.buffer;
        Ok(scatter::launch(
            stream, shape, mask, &d_offsets, &d_column, result,
        )?)
    })
}
