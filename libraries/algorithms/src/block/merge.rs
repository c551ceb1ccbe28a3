//! Sorting by a comparison: every thread its own items in registers, then merges of 2, 4 … threads through the storage.

use std::array::from_fn;

use warploom::device_std::groups::Group;
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::exchange::{blocked, bytes, rank, through};
use super::slots::{is_padded, slots_bytes};
use super::storage::{Piece, Scratch, piece};
use crate::merge_path::{Run, merge_from, split_in_steps};
use crate::merge_sort::{pad, sort_own};

piece! {
    /// The memory of [`merge_sort`](super::Pieces::merge_sort) of `ITEMS` items of `T` of each thread.
    MergeSort<T; ITEMS>(THREADS) = bytes::<T>(THREADS, ITEMS);
    /// The memory of [`merge_sort_pairs`](super::Pieces::merge_sort_pairs) of `ITEMS` keys of `K` and as many values of `V` of each thread.
    MergeSortPairs<K, V; ITEMS>(THREADS) = pairs_bytes::<K, V>(THREADS, ITEMS);
}

const fn pairs_bytes<K, V>(threads: usize, items: usize) -> usize {
    let sorted = bytes::<K>(threads, items) + slots_bytes::<u16>(threads * items, is_padded(items));
    let moved = bytes::<V>(threads, items);
    if sorted > moved { sorted } else { moved }
}

/// The first `valid` items of the tile, sorted; with `PAIRS` also where in the tile each was.
#[inline(always)]
pub(super) fn sort<G: Group, S: Scratch<G>, K: Plain, const ITEMS: usize, const PAIRS: bool>(
    group: &G,
    storage: &mut S,
    mut items: [K; ITEMS],
    valid: usize,
    less: impl Fn(K, K) -> bool + Copy,
) -> ([K; ITEMS], [u16; ITEMS]) {
    const {
        assert!(
            ITEMS * S::THREADS <= 1 << 16,
            "a tile that is sorted has at most 65536 items"
        );
        assert!(
            bytes::<K>(S::THREADS, ITEMS) <= S::BYTES,
            "the storage is too small for a merge sort: name the piece in `block_storage!`"
        );
    }
    let len = ITEMS * S::THREADS;
    let (rank, count) = (rank::<G, S>(group), valid.min(len) as u32);
    let own = blocked::<ITEMS>(rank);
    let first = (rank * ITEMS) as u32;
    let mut positions = from_fn(|k| own(k) as u16);
    if (count as usize) < len {
        pad(&mut items, count.saturating_sub(first), less);
    }
    sort_own(&mut items, &mut positions, less);

    let region = storage.region();
    let keys = region.slots::<K>(0, len, is_padded(ITEMS));
    let sources = || region.slots::<u16>(bytes::<K>(S::THREADS, ITEMS), len, is_padded(ITEMS));
    let rank = rank as u32;
    let mut half = 1; // threads whose items are sorted
    while half < S::THREADS as u32 {
        group.sync();
        unroll_all::<ITEMS>(|k| keys.write(own(k), items[k]));
        if PAIRS {
            unroll_all::<ITEMS>(|k| sources().write(own(k), positions[k]));
        }
        group.sync();
        let start = rank & !(2 * half - 1);
        let [first, middle, end] =
            [0, half, 2 * half].map(|of| ((start + of) * ITEMS as u32).min(count));
        let (a, b) = (
            Run {
                start: first,
                end: middle,
            },
            Run { start: middle, end },
        );
        let get = |i: u32| keys.read_anywhere(i);
        let elements = (|i| get(a.start + i), |i| get(b.start + i));
        let d = ((rank - start) * ITEMS as u32).min(a.len() + b.len());
        let longest = half * ITEMS as u32;
        let of_a = split_in_steps(d, (a.len(), b.len()), elements, longest, less);
        let (merged, places) = merge_from(get, a, b, (of_a, d - of_a), less);
        items = merged;
        if PAIRS {
            positions = places.map(|place| sources().read_anywhere(u32::from(place)));
        }
        half *= 2;
    }
    (items, positions)
}

/// The first `valid` pairs of the tile, sorted by their keys.
#[inline(always)]
pub(super) fn sort_pairs<G: Group, S: Scratch<G>, K: Plain, V: Plain, const ITEMS: usize>(
    group: &G,
    storage: &mut S,
    keys: [K; ITEMS],
    values: [V; ITEMS],
    valid: usize,
    less: impl Fn(K, K) -> bool + Copy,
) -> ([K; ITEMS], [V; ITEMS]) {
    const {
        assert!(
            pairs_bytes::<K, V>(S::THREADS, ITEMS) <= S::BYTES,
            "the storage is too small for a merge sort of pairs: name the piece in `block_storage!`"
        );
    }
    let (keys, sources) = sort::<G, S, K, ITEMS, true>(group, storage, keys, valid, less);
    let own = blocked::<ITEMS>(rank::<G, S>(group));
    let values = through(group, storage, values, own, |k| sources[k] as usize);
    (keys, values)
}
