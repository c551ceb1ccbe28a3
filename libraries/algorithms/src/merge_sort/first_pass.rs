//! Sorts each tile: every thread its elements in registers, then merges of 2, 4 … 256 threads in shared memory.

use std::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::input::{Fetch, Memory};
use crate::merge_path::{
    ELEMENTS, POSITIONS, Run, THREADS, TileMemory, merge_in_tile, store, striped,
};

/// Sorts the tile of each block. With `PAIRS` the values go with their keys: sorted are the keys and their positions in the tile, and each value is read
/// once, from where its key was. The output has as many elements as the input.
#[kernel(block(256), dependent_launch)]
pub fn sort_tiles<M, F, N, G, K, V, L, const ITEMS: usize, const PAIRS: bool>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    keys: F,
    d: &[N::A],
    e: &[N::B],
    f: &[N::C],
    values: G,
    less: L,
    mut y: DisjointSlice<K>,
    mut y_values: DisjointSlice<V>,
) where
    M: Memory,
    F: Fetch<M, Item = K>,
    N: Memory,
    G: Fetch<N, Item = V>,
    K: Plain,
    V: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let tile = TileMemory::<K, ITEMS>::LEN;
    let (thread, first) = (block.thread() as u32, block.index() * tile as usize);
    if first >= y.len() || (PAIRS && y_values.len() < y.len()) {
        return;
    }
    let count = (y.len() - first).min(tile as usize) as u32;
    let (elements, numbers) = (
        shared_array!(u128, ELEMENTS),
        shared_array!(u128, POSITIONS),
    );
    let memory = TileMemory::<K, ITEMS>::of(elements);
    let sources = TileMemory::<u16, ITEMS>::of(numbers);

    let part = keys.part(M::view(a, b, c), first, count as usize);
    let loaded: [K; ITEMS] = from_fn(|k| part(striped(thread, k).min(count - 1) as usize));
    // SAFETY: the first access to the memory.
    unsafe { memory.write_striped(thread, loaded) };
    block.sync();
    // SAFETY: all was written before the barrier.
    let mut items = unsafe { memory.read_blocked(thread) };
    let mut positions = from_fn(|k| (thread as usize * ITEMS + k) as u16);
    if count < tile {
        pad(
            &mut items,
            count.saturating_sub(thread * ITEMS as u32),
            less,
        );
    }
    sort_own(&mut items, &mut positions, less);

    let mut threads = 2; // whose elements are merged
    while threads <= THREADS as u32 {
        block.sync();
        // SAFETY: what was read before was read before the barrier.
        unsafe { memory.write_blocked(thread, items) };
        if PAIRS {
            // SAFETY: as above.
            unsafe { sources.write_blocked(thread, positions) };
        }
        block.sync();
        let group = thread & !(threads - 1);
        let [start, middle, end] =
            [0, threads / 2, threads].map(|of| ((group + of) * ITEMS as u32).min(count));
        let (a, b) = (Run { start, end: middle }, Run { start: middle, end });
        let d = (thread - group) * ITEMS as u32;
        // SAFETY: all was written before the barrier, and the runs lie within the tile.
        let merged = unsafe { merge_in_tile(memory, a, b, d, less) };
        items = merged.0;
        if PAIRS {
            // SAFETY: all was written before the barrier; `merge_in_tile` gives positions within the tile.
            positions = from_fn(|k| unsafe { sources.get(u32::from(merged.1[k])) });
        }
        threads *= 2;
    }

    block.sync();
    // SAFETY: the reads lie before the barrier.
    unsafe { memory.write_blocked(thread, items) };
    if PAIRS {
        // SAFETY: as above.
        unsafe { sources.write_blocked(thread, positions) };
    }
    block.sync();
    // SAFETY: all was written before the barrier.
    let items = unsafe { memory.read_striped(thread) };
    // SAFETY: `first + count <= y.len()`; each block has its tile.
    unsafe { store::<K, ITEMS>(&mut y, first, count, thread, |k| items[k]) };
    if PAIRS {
        let part = values.part(N::view(d, e, f), first, count as usize);
        // SAFETY: all was written before the barrier.
        let positions = unsafe { sources.read_striped(thread) };
        let value = |k: usize| part(u32::from(positions[k]).min(count - 1) as usize);
        // SAFETY: as for the keys; there are no fewer values than keys, which was checked above.
        unsafe { store::<V, ITEMS>(&mut y_values, first, count, thread, value) };
    }
}

/// Puts the largest of the first `own` elements behind them: a stable sort leaves it there.
#[inline(always)]
pub(crate) fn pad<K: Copy, const ITEMS: usize>(
    items: &mut [K; ITEMS],
    own: u32,
    less: impl Fn(K, K) -> bool,
) {
    let mut largest = items[0];
    unroll_all::<ITEMS>(|k| {
        if k as u32 >= own {
            items[k] = largest;
        } else if less(largest, items[k]) {
            largest = items[k];
        }
    });
}

/// Odd-even transposition: only neighbours change places, and only if the second is less, so it is stable; every index is a constant, so the elements
/// stay in registers.
#[inline(always)]
pub(crate) fn sort_own<K: Copy, const ITEMS: usize>(
    items: &mut [K; ITEMS],
    positions: &mut [u16; ITEMS],
    less: impl Fn(K, K) -> bool,
) {
    unroll_all::<ITEMS>(|round| {
        unroll_all::<ITEMS>(|k| {
            if k % 2 == round % 2 && k + 1 < ITEMS {
                let swap = less(items[k + 1], items[k]);
                (items[k], items[k + 1]) = if swap {
                    (items[k + 1], items[k])
                } else {
                    (items[k], items[k + 1])
                };
                (positions[k], positions[k + 1]) = if swap {
                    (positions[k + 1], positions[k])
                } else {
                    (positions[k], positions[k + 1])
                };
            }
        });
    });
}
