//! One pass of a sort: all items to the places that one digit gives them, in one sweep over memory.
//!
//! A block takes the next tile, and finds the places of its items in the tile (`rank.rs`) and the number of items with each digit. It needs to know
//! how many such items are in earlier tiles, and learns that from a word for each tile and digit, by looking back (*decoupled look-back*):
//!
//! | upper 2 bits | lower 30 bits |
//! |---|---|
//! | 0 | nothing yet |
//! | [`OWN`] | items of this tile |
//! | [`ALL`] | items of this and all earlier tiles |
//!
//! Each block sets `OWN` as soon as it has counted; then it walks from the tile before to earlier ones, adding, until it meets `ALL`; then it sets its own
//! `ALL`. It waits only for tiles whose blocks have started, because tiles are numbered by a counter and not by the number of the block. A word is all that
//! a block learns from others, so no memory order is needed.
//!
//! Items go to their places in shared memory first, from where the threads write them side by side.

use std::sync::atomic::Ordering;

use warploom::device_std::atomic::{Relaxed, spin_wait};
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use super::exchange::{Exchange, put};
use super::key::RadixKey;
use super::part::Part;
use super::rank::{Counters, DIGITS, Digit, LANES, Ranks, THREADS, clear, item, rank};

/// The word holds the number of items of its own tile.
const OWN: u32 = 1 << 30;
/// The word holds the number of items of its tile and all earlier ones.
const ALL: u32 = 2 << 30;
/// The number in a word.
const NUMBER: u32 = OWN - 1;
/// Items at most that words can count.
pub(super) const MOST_ITEMS: usize = NUMBER as usize;
/// Values of more bytes are not exchanged in shared memory, for which they are too large, but written as they are read.
const EXCHANGED: usize = 8;

/// Bytes of the largest item that is exchanged, of a key and a value of so many bytes.
pub(super) const fn exchanged_bytes((key, value): (usize, usize)) -> usize {
    if value <= EXCHANGED && value > key {
        value
    } else {
        key
    }
}

/// Bytes of shared memory that a block has on every device.
pub(super) const MOST_MEMORY: usize = 48 << 10;

/// Bytes of the memory that is not dynamic.
pub(super) const OTHER_MEMORY: usize = (DIGITS + DIGITS / LANES + 8) * size_of::<u32>();

/// Whether the counters are where the items are exchanged later: if there is no room for both.
const fn is_shared(items: usize, size: usize) -> bool {
    items * THREADS * size + Counters::BYTES + OTHER_MEMORY > MOST_MEMORY
}

/// Dynamic shared memory for `items` items of each thread, of `size` bytes: places for all, and the counters.
pub(super) const fn memory_bytes(items: usize, size: usize) -> usize {
    let places = items * THREADS * size;
    if !is_shared(items, size) {
        places + Counters::BYTES
    } else if places > Counters::BYTES {
        places
    } else {
        Counters::BYTES
    }
}

/// One launch: what it sorts by, and where in the state its words are.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub(super) struct Sweep {
    /// What it sorts by.
    pub(super) digit: Digit,
    /// The counter that gives out tiles.
    pub(super) counter: usize,
    /// Where in the output the items with each digit begin.
    pub(super) starts: usize,
    /// Where the last tile leaves the same for the launch that goes on in the same pass.
    pub(super) next_starts: usize,
    /// The words of this launch, all 0.
    pub(super) words: usize,
    /// Those of the next launch, which this one sets to 0.
    pub(super) next_words: usize,
    /// How many tiles these are for; 0 if there is no next launch.
    pub(super) next_tiles: usize,
}

/// Moves `keys`, and `values` if `PAIRS`, to their places in the output. In 80 registers, so that a multiprocessor has two blocks.
#[kernel(
    block(384),
    launch_bounds(max_threads = 384, min_blocks = 2),
    dependent_launch
)]
pub(super) fn radix_sweep<K: RadixKey, V: Plain, const ITEMS: usize, const PAIRS: bool>(
    block: Block,
    warp: Warp,
    memory: DynamicShared<u8>,
    keys: &[K],
    values: &[V],
    sweep: Sweep,
    state: &[Atomic<u32>],
    keys_out: DisjointSlice<K>,
    values_out: DisjointSlice<V>,
) {
    launch_dependents();
    sweep_tile::<K, V, ITEMS, PAIRS>(
        block, warp, memory, keys, values, sweep, state, keys_out, values_out,
    );
}

/// [`radix_sweep`] in 56 registers, so that a multiprocessor has three blocks.
#[kernel(
    block(384),
    launch_bounds(max_threads = 384, min_blocks = 3),
    dependent_launch
)]
pub(super) fn radix_sweep_3<K: RadixKey, V: Plain, const ITEMS: usize, const PAIRS: bool>(
    block: Block,
    warp: Warp,
    memory: DynamicShared<u8>,
    keys: &[K],
    values: &[V],
    sweep: Sweep,
    state: &[Atomic<u32>],
    keys_out: DisjointSlice<K>,
    values_out: DisjointSlice<V>,
) {
    launch_dependents();
    sweep_tile::<K, V, ITEMS, PAIRS>(
        block, warp, memory, keys, values, sweep, state, keys_out, values_out,
    );
}

/// What a block does.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "those of the kernels")]
fn sweep_tile<K: RadixKey, V: Plain, const ITEMS: usize, const PAIRS: bool>(
    block: Block,
    warp: Warp,
    memory: DynamicShared<u8>,
    keys: &[K],
    values: &[V],
    sweep: Sweep,
    state: &[Atomic<u32>],
    mut keys_out: DisjointSlice<K>,
    mut values_out: DisjointSlice<V>,
) {
    let size = const { exchanged_bytes((size_of::<K>(), size_of::<V>())) };
    let is_shared = is_shared(ITEMS, size);
    let counters = Counters::new(memory, if is_shared { 0 } else { ITEMS * THREADS * size });
    let starts = shared_array!(u32, DIGITS);
    let exchange = Exchange::<ITEMS>::new(memory, size);
    let thread = block.thread();
    let digit = sweep.digit;
    let tile = next_tile(block, counters, &state[sweep.counter]);
    let part = Part::<ITEMS>::new(block, tile, keys.len());
    let own = part.items(keys);
    let digits = part.digits(digit, own);
    let word = |tile: usize| &state[sweep.words + tile * DIGITS + thread];
    let counted = |count| {
        if thread < DIGITS {
            word(tile).store(if tile == 0 { ALL } else { OWN } | count, Relaxed);
        }
    };
    let placed = |k, place| {
        if !is_shared {
            // SAFETY: `rank` gives each item of the tile a place of its own; nothing was read yet.
            unsafe { exchange.write(place, own[k]) }
        }
    };
    // SAFETY: these are digits; if the memory is shared, the exchange uses the memory after the next barrier, else it has other memory.
    let Ranks {
        places,
        count,
        smaller,
    } = unsafe { rank(block, warp, counters, digits, counted, placed) };
    if is_shared {
        block.sync();
        // SAFETY: `rank` gives each item of the tile a place of its own; a barrier lies behind the use of the counters.
        unroll_all::<ITEMS>(|k| unsafe { exchange.write(places.get(k), own[k]) });
    }
    if thread < DIGITS {
        let start = state[sweep.starts + thread].load(Relaxed);
        let earlier = if tile == 0 { 0 } else { look_back(tile, word) };
        if tile > 0 {
            word(tile).store(ALL | (earlier + count), Relaxed);
        }
        let start = start + earlier;
        // Place `i` of the tile goes to `start + i`. Below 0 for now, where there are more smaller digits in the tile than before it.
        starts
            .atomic(thread)
            .store(start.wrapping_sub(smaller), Ordering::Relaxed);
        if part.first + part.len as usize == keys.len() {
            // In the last tile of all, `count` has places without items.
            state[sweep.next_starts + thread].store(start.wrapping_add(count), Relaxed);
        }
        clear_next(block, tile, sweep, state);
    }
    block.sync();
    // SAFETY: written above by all threads below `DIGITS`, and not since; a barrier lies between.
    let start = |key: K| unsafe { starts.get(digit.of(key) as usize) };
    let (keys_out, values_out) = (keys_out.raw(), values_out.raw());
    let mut targets = [0; ITEMS];
    part.for_each_place(block, |k, place| {
        // SAFETY: the write above filled all places; a barrier lies between.
        let key = unsafe { exchange.read::<K>(place) };
        targets[k] = start(key).wrapping_add(place as u32);
        // SAFETY: the targets of all items of all tiles are the numbers below the length, each once: digit by digit, tile by tile, in the order of places.
        unsafe { put(keys_out, targets[k] as usize, key) };
    });
    if !PAIRS {
        return;
    }
    if size_of::<V>() > EXCHANGED {
        unroll_all::<ITEMS>(|k| {
            let i = item::<ITEMS>(block, k);
            if i < part.len as usize {
                let target = start(own[k]).wrapping_add(places.get(k));
                // SAFETY: as for the keys.
                unsafe { put(values_out, target as usize, values[part.first + i]) };
            }
        });
        return;
    }
    let own = part.items(values);
    block.sync();
    // SAFETY: as for the keys; a barrier lies behind the reads of those.
    unroll_all::<ITEMS>(|k| unsafe { exchange.write(places.get(k), own[k]) });
    block.sync();
    part.for_each_place(block, |k, place| {
        // SAFETY: the write above filled all places; a barrier lies between.
        let value = unsafe { exchange.read::<V>(place) };
        // SAFETY: as for the keys.
        unsafe { put(values_out, targets[k] as usize, value) };
    });
}

/// The number of the next tile, and all counters 0. Holds a barrier; nothing has used the counters' memory before.
#[inline(always)]
fn next_tile(block: Block, counters: Counters, tiles: &Atomic<u32>) -> usize {
    let number = shared_array!(u32, 1);
    if block.thread() == 0 {
        let next = tiles.fetch_add(1, Relaxed);
        number.atomic(0).store(next, Ordering::Relaxed);
    }
    // SAFETY: the first use of the memory.
    unsafe { clear(block, counters) };
    block.sync();
    number.atomic(0).load(Ordering::Relaxed) as usize
}

/// Sets the words of the next launch to 0, those of all tiles by all blocks together.
#[inline(always)]
fn clear_next(block: Block, tile: usize, sweep: Sweep, state: &[Atomic<u32>]) {
    let mut cleared = tile;
    while cleared < sweep.next_tiles {
        state[sweep.next_words + cleared * DIGITS + block.thread()].store(0, Relaxed);
        cleared += grid_dim().x as usize;
    }
}

/// How many items with the digit of this thread are in tiles before `tile`.
#[inline(always)]
fn look_back<'a>(tile: usize, word: impl Fn(usize) -> &'a Atomic<u32>) -> u32 {
    let mut sum = 0;
    let mut before = tile;
    loop {
        before -= 1;
        let mut now = word(before).load(Relaxed);
        while now == 0 {
            spin_wait(0);
            now = word(before).load(Relaxed);
        }
        sum += now & NUMBER;
        // Tile 0 never has `OWN`, so this ends there.
        if now >= ALL {
            return sum;
        }
    }
}
