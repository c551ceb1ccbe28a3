//! A histogram of bytes: each block counts in shared memory, a second kernel adds the blocks' counts.

use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::words;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "histogram256",
    run,
};

const BINS: usize = 256;
const BLOCKS: usize = 240;

/// Each block counts the bytes of its words, and writes its 256 counts.
#[kernel(block(256))]
fn histogram256(i: Index1D, block: Block, data: &[u32], mut partial: DisjointSlice<u32>) {
    let counts = shared_array!(u32, BINS);
    counts.atomic(block.thread()).store(0, Relaxed);
    block.sync();
    for word in data.iter().skip(i.get()).step_by(i.count()) {
        for byte in word.to_le_bytes() {
            counts.atomic(byte as usize).fetch_add(1, Relaxed);
        }
    }
    block.sync();
    if let Some(partial) = partial.get_mut(i) {
        *partial = counts.atomic(block.thread()).load(Relaxed);
    }
}

/// A block per bin adds the counts of all blocks.
#[kernel(block(256))]
fn merge_histogram256(
    block: Block,
    partial: &[u32],
    mut tile: SharedTile<u32, 256>,
    mut histogram: DisjointSlice<u32, PerBlock>,
) {
    let bin = block.index();
    let mut sum: u32 = partial
        .chunks_exact(BINS)
        .skip(block.thread())
        .step_by(256)
        .map(|counts| counts[bin])
        .sum();
    let mut stride = 128;
    while stride > 0 {
        tile.set_own(0, sum);
        let view = tile.publish(&block);
        if block.thread() < stride {
            sum += view[block.thread() + stride];
        }
        tile = view.reclaim(&block);
        stride /= 2;
    }
    if let Some(leader) = block.leader()
        && let Some(histogram) = histogram.get_mut(leader)
    {
        *histogram = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [5_000, 1 << 24][scale as usize];
    let blocks = [6, BLOCKS][scale as usize];
    let data = words(n, 1);
    let mut expected_partial = vec![0; blocks * BINS];
    let mut expected = vec![0; BINS];
    for (i, word) in data.iter().enumerate() {
        let block = i / 256 % blocks;
        for byte in word.to_le_bytes() {
            expected_partial[block * BINS + byte as usize] += 1;
            expected[byte as usize] += 1;
        }
    }

    let d_data = side.upload(&data)?;
    let mut partial = side.output(&vec![u32::MAX; blocks * BINS], expected_partial, 0.0)?;
    let mut histogram = side.output(&[u32::MAX; BINS], expected, 0.0)?;

    let arguments = arguments![&d_data, &partial.buffer, n as i32];
    // SAFETY: words, 256 counts for each block, and the number of words.
    let twin = unsafe { Call::new("histogram256", blocks as u32, 256, arguments) };
    side.kernel(
        "histogram256",
        vec![twin],
        &mut partial,
        |stream, partial| {
            let shape = Launch::new(blocks as u32, 256);
            Ok(histogram256::launch(
                stream,
                shape,
                &d_data,
                &mut partial.buffer,
            )?)
        },
    )?;

    let arguments = arguments![&partial.buffer, &histogram.buffer, blocks as i32];
    // SAFETY: 256 counts for each block, 256 sums, and the number of blocks.
    let twin = unsafe { Call::new("merge_histogram256", BINS as u32, 256, arguments) };
    side.kernel(
        "merge_histogram256",
        vec![twin],
        &mut histogram,
        |stream, histogram| {
            let shape = Launch::new(BINS as u32, 256);
            Ok(merge_histogram256::launch(
                stream,
                shape,
                &partial.buffer,
                &mut histogram.buffer,
            )?)
        },
    )
}
