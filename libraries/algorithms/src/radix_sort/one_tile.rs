//! Few elements: one block sorts them by all digits, without memory between the passes.

use std::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use super::exchange::{Exchange, put};
use super::key::RadixKey;
use super::part::Part;
use super::rank::{Counters, Order, THREADS, clear, item, rank};

/// Bytes of the largest item that is exchanged: a key, or the number of a value.
const fn exchanged_bytes(key: usize, pairs: bool) -> usize {
    if pairs && key < 4 { 4 } else { key }
}

/// Dynamic shared memory for `items` items of each thread, with keys of `key` bytes: for counters, then for the exchange.
pub(super) const fn memory_bytes(items: usize, key: usize, pairs: bool) -> usize {
    let places = items * THREADS * exchanged_bytes(key, pairs);
    if places > Counters::BYTES {
        places
    } else {
        Counters::BYTES
    }
}

/// Sorts at most one tile, with one block. Values are not moved before the end: their numbers are.
#[kernel(block(384), dependent_launch)]
pub(super) fn radix_tile<K: RadixKey, V: Plain, const ITEMS: usize, const PAIRS: bool>(
    block: Block,
    warp: Warp,
    memory: DynamicShared<u8>,
    keys: &[K],
    values: &[V],
    order: Order,
    mut keys_out: DisjointSlice<K>,
    mut values_out: DisjointSlice<V>,
) {
    launch_dependents();
    // One after the other in the same memory.
    let counters = Counters::new(memory, 0);
    let exchange = Exchange::<ITEMS>::new(memory, exchanged_bytes(size_of::<K>(), PAIRS));
    let part = Part::<ITEMS>::new(block, 0, keys.len());
    let mut own = part.items(keys);
    let mut numbers: [u32; ITEMS] = from_fn(|k| item::<ITEMS>(block, k) as u32);
    for pass in 0..order.passes() {
        // SAFETY: a barrier lies behind the reads of the pass before.
        unsafe { clear(block, counters) };
        block.sync();
        let digits = part.digits(order.digit(pass), own);
        // SAFETY: these are digits; the exchange uses the memory after the next barrier.
        let places = unsafe { rank(block, warp, counters, digits, |_| (), |_, _| ()) }.places;
        block.sync();
        // SAFETY: `rank` gives each item a place of its own; a barrier lies behind the use of the counters.
        unroll_all::<ITEMS>(|k| unsafe { exchange.write(places.get(k), own[k]) });
        block.sync();
        // SAFETY: all places were written; a barrier lies between.
        own = unsafe { exchange.own(block) };
        if PAIRS {
            block.sync();
            // SAFETY: as above; the barrier lies behind the reads of keys.
            unroll_all::<ITEMS>(|k| unsafe { exchange.write(places.get(k), numbers[k]) });
            block.sync();
            // SAFETY: as above.
            numbers = unsafe { exchange.own(block) };
        }
        block.sync();
    }
    let (keys_out, values_out) = (keys_out.raw(), values_out.raw());
    unroll_all::<ITEMS>(|k| {
        let i = item::<ITEMS>(block, k);
        if i < keys.len() {
            // SAFETY: the output has as many elements as `keys` (the host checked), and each item has its own number.
            unsafe { put(keys_out, i, own[k]) };
            if PAIRS {
                // SAFETY: as above.
                unsafe { put(values_out, i, values[numbers[k] as usize]) };
            }
        }
    });
}
