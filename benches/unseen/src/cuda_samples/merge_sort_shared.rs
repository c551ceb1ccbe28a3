//! Parts of 1024 keys with values, sorted by merges in shared memory; each thread finds its elements' ranks by binary search.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cuda_samples",
    name: "merge_sort_shared",
    run,
};

const PART: usize = 1024;
const THREADS: usize = 512;

/// How many of the sorted `keys` are less than `key`.
fn below_key(key: u32, keys: impl Fn(usize) -> u32, len: usize) -> usize {
    let mut position = 0;
    let mut stride = len;
    while stride > 0 {
        let next = (position + stride).min(len);
        if keys(next - 1) < key {
            position = next;
        }
        stride >>= 1;
    }
    position
}

/// How many of the sorted `keys` are `key` or less.
fn up_to_key(key: u32, keys: impl Fn(usize) -> u32, len: usize) -> usize {
    let mut position = 0;
    let mut stride = len;
    while stride > 0 {
        let next = (position + stride).min(len);
        if keys(next - 1) <= key {
            position = next;
        }
        stride >>= 1;
    }
    position
}

/// A block sorts 1024 pairs, stably: runs of 1, 2, 4 and so on are merged in pairs.
#[kernel(block(512))]
fn merge_sort_shared(
    block: Block,
    keys: &[u32],
    values: &[u32],
    mut sorted_keys: DisjointSlice<u32>,
    mut sorted_values: DisjointSlice<u32>,
) {
    let s_keys = shared_array!(u32, PART);
    let s_values = shared_array!(u32, PART);
    let (thread, first) = (block.thread(), block.index() * PART);
    for at in [thread, thread + THREADS] {
        // SAFETY: each thread sets its own two places.
        unsafe { s_keys.set(at, keys[first + at]) };
        // SAFETY: as above.
        unsafe { s_values.set(at, values[first + at]) };
    }
    let mut stride = 1;
    while stride < PART {
        let low = thread & (stride - 1);
        let base = 2 * (thread - low);
        block.sync();
        let (a, b) = (base + low, base + low + stride);
        // SAFETY: all threads only read between these two barriers. Places that depend on the data have no safe form.
        let (key_a, value_a) = unsafe { (s_keys.get(a), s_values.get(a)) };
        // SAFETY: as above.
        let (key_b, value_b) = unsafe { (s_keys.get(b), s_values.get(b)) };
        // SAFETY: as above.
        let second = |k: usize| unsafe { s_keys.get(base + stride + k) };
        // SAFETY: as above.
        let first = |k: usize| unsafe { s_keys.get(base + k) };
        let place_a = below_key(key_a, second, stride) + low;
        let place_b = up_to_key(key_b, first, stride) + low;
        block.sync();
        for (place, key, value) in [(place_a, key_a, value_a), (place_b, key_b, value_b)] {
            // SAFETY: ranks in a merged run are distinct, and each run has its own places.
            unsafe { s_keys.set(base + place, key) };
            // SAFETY: as above.
            unsafe { s_values.set(base + place, value) };
        }
        stride <<= 1;
    }
    block.sync();
    let (sorted_keys, sorted_values) = (sorted_keys.raw(), sorted_values.raw());
    for at in [thread, thread + THREADS] {
        // SAFETY: the grid covers the data, and each thread has its own two places. No output type has two that are 512 apart within a block.
        unsafe { *sorted_keys.add(first + at) = s_keys.get(at) };
        // SAFETY: as above.
        unsafe { *sorted_values.add(first + at) = s_values.get(at) };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [2048, 1 << 22][scale as usize];
    let keys = below(n, 10_000, 1);
    let values: Vec<u32> = (0..n as u32).collect();
    let mut pairs: Vec<(u32, u32)> = keys.iter().copied().zip(values.iter().copied()).collect();
    pairs
        .chunks_mut(PART)
        .for_each(|part| part.sort_by_key(|pair| pair.0));
    let (expected_keys, expected_values) = pairs.into_iter().unzip();
    let (d_keys, d_values) = (side.upload(&keys)?, side.upload(&values)?);
    let nothing = vec![u32::MAX; n];
    let sorted_keys = side.output(&nothing, expected_keys, 0.0)?;
    let mut sorted = (sorted_keys, side.output(&nothing, expected_values, 0.0)?);
    let blocks = (n / PART) as u32;
    let arguments = arguments![&d_keys, &d_values, &sorted.0.buffer, &sorted.1.buffer];
    // SAFETY: four arrays that the grid covers.
    let twin = unsafe { Call::new("merge_sort_shared", blocks, THREADS as u32, arguments) };
    side.kernel(
        "merge_sort_shared",
        vec![twin],
        &mut sorted,
        |stream, (keys, values)| {
            let shape = Launch::new(blocks, THREADS as u32);
            let (keys, values) = (&mut keys.buffer, &mut values.buffer);
            Ok(merge_sort_shared::launch(
                stream, shape, &d_keys, &d_values, keys, values,
            )?)
        },
    )
}
