//! Merging two sorted sequences in equal parts: of the merged sequence each block has a tile, and of a tile each thread has a few elements.
//!
//! The first `d` elements of the merge are the first `i` of `a` and the first `d - i` of `b`; a binary search finds `i` ([`split_tile`], [`split_all`]).
//! So each part is found without the parts before it. Merges are stable: of equal elements those of `a` come first.
//!
//! A comparison is the user's function and need not be an order. So no address depends on it unchecked: searches end within the bounds
//! that they started with, and what a tile has of `a` and `b` is cut to what there is. Then the values are wrong, and nothing else.

mod joined; // the elements of a tile, in memory
mod pass; // kernels: the splits of all tiles, and their merge
mod tile; // elements in shared memory, and the merge of a thread
mod values; // of keys

pub(crate) use joined::Joined;
pub(crate) use pass::{find_splits, merge_tiles};
pub(crate) use tile::{
    ELEMENTS, POSITIONS, Run, TileMemory, merge_from, merge_in_tile, store, striped,
};
pub(crate) use values::values_bytes;

use warploom::prelude::*;

use crate::Error;

/// Threads of a block.
pub(crate) const THREADS: usize = 256;

/// Elements of a thread, by the size of an element: odd where several fit, so that the threads of a warp use different banks of shared memory.
pub(crate) const fn items_of<K>() -> usize {
    const {
        assert!(
            size_of::<K>() <= 64,
            "elements that are sorted or merged have at most 64 bytes; give a smaller key, and the rest as the value of a pair"
        );
    }
    match size_of::<K>() {
        0..=4 => 17,
        5..=8 => 9,
        9..=16 => 5,
        17..=32 => 2,
        _ => 1,
    }
}

/// A block for each tile of `tile` of `n` elements.
pub(crate) fn launch_of(n: usize, tile: usize) -> Result<Launch, Error> {
    let tiles = n.div_ceil(tile);
    match i32::try_from(tiles) {
        Ok(tiles) => Ok(Launch::new(tiles as u32, THREADS as u32)),
        Err(_) => Err(Error::TooMany {
            what: "a sort or a merge",
            most: i32::MAX as u64 * tile as u64,
            len: n,
        }),
    }
}

/// How many of the first `d` elements of a merge are of `a`, for sequences in a tile. `d <= a_len + b_len`. The result is at least
/// `d - b_len` and at most `min(d, a_len)`, whatever `less` answers.
#[inline(always)]
pub(crate) fn split_tile<K>(
    d: u32,
    (a_len, b_len): (u32, u32),
    (a, b): (impl Fn(u32) -> K, impl Fn(u32) -> K),
    less: impl Fn(K, K) -> bool,
) -> u32 {
    let (mut low, mut high) = (d.saturating_sub(b_len), d.min(a_len));
    while low < high {
        let middle = low + (high - low) / 2;
        // `middle < high <= a_len`; `low <= middle < d` and `d - low <= b_len`: both elements exist.
        if less(b(d - 1 - middle), a(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// As [`split_tile`], in as many steps as the range of the search can need, of which `longest` is the length at most: a loop that ends by what it loads, by atomics, is taken by ptxas
/// for one that waits for another thread, and yields to other warps in each step. That took more than twice as long (H200).
#[inline(always)]
pub(crate) fn split_in_steps<K>(
    d: u32,
    (a_len, b_len): (u32, u32),
    (a, b): (impl Fn(u32) -> K, impl Fn(u32) -> K),
    longest: u32,
    less: impl Fn(K, K) -> bool,
) -> u32 {
    let (mut low, mut high) = (d.saturating_sub(b_len), d.min(a_len));
    for _ in 0..u32::BITS - longest.leading_zeros() {
        if low < high {
            let middle = low + (high - low) / 2;
            // As in `split_tile`: both elements exist.
            if less(b(d - 1 - middle), a(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
    }
    low
}

/// As [`split_tile`], for sequences of any length: `lanes` lanes side by side search together, with the same arguments and the same result. Each step takes as long as
/// memory does, and divides the range by `lanes`, which is a power of two from 2 to 32. All lanes of the warp make the call.
#[inline(always)]
pub(crate) fn split_all<K>(
    warp: Warp,
    lanes: u32,
    d: usize,
    (a_len, b_len): (usize, usize),
    (a, b): (impl Fn(usize) -> K, impl Fn(usize) -> K),
    less: impl Fn(K, K) -> bool,
) -> usize {
    let own = warp.lane() % lanes;
    let first = warp.lane() - own;
    let shift = lanes.trailing_zeros();
    let (mut low, mut high) = (d.saturating_sub(b_len), d.min(a_len));
    while warp.any(low < high) {
        // Where a part of the range begins: below `high` if there is any. The first lane has none to ask about.
        let len = high - low;
        let probe = |lane: u32| low + ((len * lane as usize) >> shift);
        let middle = probe(own);
        // As in `split_tile`: both elements exist.
        let is_behind = own > 0 && low < high && less(b(d - 1 - middle), a(middle));
        // The first lane whose place is not among the first `d` elements.
        let behind = u64::from(warp.ballot(is_behind).bits() >> first) | 1 << lanes;
        let lane = behind.trailing_zeros().min(lanes);
        let (after, until) = (probe(lane - 1) + 1, probe(lane));
        if lane > 1 {
            low = after.min(high);
        }
        if lane < lanes {
            high = until;
        }
    }
    low
}

/// Lanes that search together for the split of a tile. Eight where there are few tiles, so that a search takes a third of the steps; two of many tiles, whose searches
/// hide each other's latency: more would read more.
pub(crate) fn searchers(tiles: usize) -> u32 {
    if tiles <= 8192 { 8 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[kernel]
    fn splits(
        thread: Index1D,
        warp: Warp,
        a: &[u32],
        b: &[u32],
        lanes: u32,
        mut y: DisjointSlice<u32>,
    ) {
        let d = (thread.get() / lanes as usize).min(a.len() + b.len());
        let (lengths, elements) = ((a.len(), b.len()), (|i| a[i], |i| b[i]));
        let split = split_all(warp, lanes, d, lengths, elements, |x, y| x < y);
        if let Some(y) = y.get_mut(thread) {
            *y = split as u32;
        }
    }

    /// For each number of elements of the merge, how many of them are of `a`.
    fn expected(a: &[u32], b: &[u32]) -> Vec<u32> {
        let (mut i, mut splits) = (0, vec![0]);
        for d in 1..=a.len() + b.len() {
            let of_b = d - 1 - i;
            if i < a.len() && (of_b == b.len() || a[i] <= b[of_b]) {
                i += 1;
            }
            splits.push(i as u32);
        }
        splits
    }

    #[test]
    fn searches_in_steps_and_those_that_end_find_the_same_splits() {
        let elements = |len: u32, step: u32| (0..len).map(|i| i * step / 7).collect::<Vec<_>>();
        for (a, b) in [(0, 9), (9, 0), (1, 1), (8, 8), (16, 16), (16, 5), (7, 15)] {
            for (a, b) in [
                (elements(a, 9), elements(b, 5)),
                (elements(a, 0), elements(b, 0)),
                (elements(a, 7), elements(b, 700)),
            ] {
                let lengths = (a.len() as u32, b.len() as u32);
                let elements = (|i: u32| a[i as usize], |j: u32| b[j as usize]);
                for d in 0..=lengths.0 + lengths.1 {
                    let longest = lengths.0.max(lengths.1);
                    let found = split_in_steps(d, lengths, elements, longest, |x, y| x < y);
                    let expected = split_tile(d, lengths, elements, |x, y| x < y);
                    assert_eq!(found, expected, "{a:?} {b:?} at {d}");
                }
            }
        }
    }

    /// As many lanes as launches have, and all others.
    #[test]
    fn any_number_of_lanes_finds_the_splits_of_a_merge() -> warploom::Result<()> {
        let device = Device::emulator();
        let stream = device.stream()?;
        let elements =
            |len: u32, step: u32| -> Vec<u32> { (0..len).map(|i| i * step / 7).collect() };
        for (a, b) in [(0, 40), (40, 0), (1, 1), (100, 37), (37, 150), (64, 64)] {
            for (a, b) in [
                (elements(a, 9), elements(b, 5)),
                (elements(a, 0), elements(b, 0)),
                (elements(a, 7), elements(b, 700)),
            ] {
                let expected = expected(&a, &b);
                let (a, b) = (device.upload(&a)?, device.upload(&b)?);
                for lanes in [2u32, 4, 8, 16, 32] {
                    let threads = expected.len() * lanes as usize;
                    let mut y = device.zeroed(threads)?;
                    splits::launch(&stream, Launch::covering(threads), &a, &b, lanes, &mut y)?;
                    for (found, expected) in
                        y.to_vec(&stream)?.chunks(lanes as usize).zip(&expected)
                    {
                        assert_eq!(found, vec![*expected; lanes as usize], "{lanes} lanes");
                    }
                }
            }
        }
        Ok(())
    }
}
