//! Few elements: one block sorts them by all digits, without memory between the passes.

use std::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::exchange::{Exchange, put};
use super::key::RadixKey;
use super::part::Part;
use super::rank::{COUNTERS, Order, clear, item, rank};

/// Bytes of the largest item that is exchanged: a key, or the number of a value.
pub(super) const fn exchanged_bytes<K>(pairs: bool) -> usize {
    if pairs && size_of::<K>() < 4 {
        4
    } else {
        size_of::<K>()
    }
}

/// Sorts at most one tile, with one block. Values are not moved before the end: their numbers are.
#[kernel(block(384))]
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
    let counters = shared_array!(u32, COUNTERS);
    let exchange = Exchange::<ITEMS>::new(memory, exchanged_bytes::<K>(PAIRS));
    let part = Part::<ITEMS>::new(block, 0, keys.len());
    let mut own = part.items(keys);
    let mut numbers: [u32; ITEMS] = from_fn(|k| item::<ITEMS>(block, k) as u32);
    for pass in 0..order.passes() {
        clear(block, counters);
        block.sync();
        let digits = part.digits(order.digit(pass), own);
        let placed = |k, place| {
            // SAFETY: `rank` gives each item a place of its own; its barriers lie behind the reads of the pass before.
            unsafe { exchange.write(place, own[k]) }
        };
        let places = rank(block, warp, counters, digits, 1, |_| (), placed).places;
        block.sync();
        // SAFETY: all places were written; a barrier lies between.
        own = unsafe { exchange.own(block) };
        if PAIRS {
            block.sync();
            // SAFETY: as above; the barrier lies behind the reads of keys.
            unroll_all::<ITEMS>(|k| unsafe { exchange.write(places[k], numbers[k]) });
            block.sync();
            // SAFETY: as above.
            numbers = unsafe { exchange.own(block) };
        }
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
