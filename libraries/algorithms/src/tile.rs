//! Tiles: the elements of a block, how its threads load them, and how its warps learn what earlier warps have.
//!
//! A warp has `32 * ITEMS` elements of the tile, in rows of 32: lane `l` has element `l` of each row. So accesses to memory are coalesced as they are.

use std::array::from_fn;
use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;

use crate::Error;
use crate::input::{Fetch, Memory};
use crate::state::{State, WORDS, each};

/// Threads of a block.
pub(crate) const THREADS: usize = 256;
/// Warps of a block.
pub(crate) const WARPS: usize = THREADS / 32;
/// Words of shared memory: for each warp what it has, what it found, and whether that is complete; and a number.
pub(crate) const SHARED: usize = 2 * WARPS * WORDS + WARPS + 1;
/// Where it stands which warps' windows are complete.
const COMPLETE: usize = 2 * WARPS * WORDS;
/// Where the number is.
const NUMBER: usize = COMPLETE + WARPS;

/// The shared memory of a block with tiles.
pub(crate) type Shared<'a> = SharedArray<'a, u32, SHARED>;

/// Tiles for `len` elements, `items` per thread.
pub(crate) const fn tiles(len: usize, items: usize) -> usize {
    len.div_ceil(THREADS * items)
}

/// The launch for `len` elements, `items` per thread.
pub(crate) fn launch(len: usize, items: usize) -> Result<Launch, Error> {
    let tiles = tiles(len, items);
    // The most blocks of a grid.
    match i32::try_from(tiles) {
        Ok(_) => Ok(Launch::new(tiles as u32, THREADS as u32)),
        Err(_) => Err(Error::TooMany {
            what: "one launch",
            most: (i32::MAX as u64) * (THREADS * items) as u64,
            len,
        }),
    }
}

/// The place of this thread's first element in the tile; the next ones are 32 apart.
#[inline(always)]
pub(crate) fn place<const ITEMS: usize>(block: &Block<'_>) -> usize {
    let thread = block.thread();
    thread / 32 * (32 * ITEMS) + thread % 32
}

/// This thread's elements of the tile that begins with element `first`. Those behind the end are copies of the tile's first element.
#[inline(always)]
pub(crate) fn load<M: Memory, F: Fetch<M>, const ITEMS: usize>(
    block: &Block<'_>,
    view: M::View<'_>,
    fetch: F,
    first: usize,
    n: usize,
) -> [F::Item; ITEMS] {
    let (place, whole, left) = (place::<ITEMS>(block), THREADS * ITEMS, n - first);
    if left >= whole {
        let part = fetch.part(view, first, whole);
        from_fn(|k| part(place + 32 * k))
    } else {
        let part = fetch.part(view, first, left);
        from_fn(|k| {
            let at = place + 32 * k;
            part(if at < left { at } else { 0 })
        })
    }
}

/// Bytes of dynamic shared memory for an exchange of `items` elements of each thread.
pub(crate) const fn exchange_bytes<T>(items: usize) -> u32 {
    (THREADS * items * size_of::<T>()) as u32
}

/// This thread's elements, of rows of 32 in its warp, for consecutive ones of the warp's. All lanes of the warp make the call.
#[inline(always)]
pub(crate) fn rows_to_threads<T: Plain, const ITEMS: usize>(
    warp: &Warp<'_>,
    exchange: DynamicShared<'_, T>,
    items: [T; ITEMS],
) -> [T; ITEMS] {
    let (part, lane) = part_of_warp::<T, ITEMS>(warp, exchange);
    for (k, &item) in items.iter().enumerate() {
        // SAFETY: this lane's place in the warp's part, which no other lane accesses before the barrier.
        unsafe { part.wrapping_add(32 * k + lane).write(item) };
    }
    warp.sync();
    // SAFETY: in the warp's part, whose places were all written before the barrier, and are read alone until the next one.
    from_fn(|k| unsafe { part.wrapping_add(ITEMS * lane + k).read() })
}

/// The other way; in the same memory, after [`rows_to_threads`] or before it with a barrier between.
#[inline(always)]
pub(crate) fn threads_to_rows<T: Plain, const ITEMS: usize>(
    warp: &Warp<'_>,
    exchange: DynamicShared<'_, T>,
    items: [T; ITEMS],
) -> [T; ITEMS] {
    let (part, lane) = part_of_warp::<T, ITEMS>(warp, exchange);
    warp.sync();
    for (k, &item) in items.iter().enumerate() {
        // SAFETY: as in `rows_to_threads`; all lanes have read what was there.
        unsafe { part.wrapping_add(ITEMS * lane + k).write(item) };
    }
    warp.sync();
    // SAFETY: as in `rows_to_threads`.
    from_fn(|k| unsafe { part.wrapping_add(32 * k + lane).read() })
}

/// Where the warp's part of the memory begins, and this lane's number.
#[inline(always)]
fn part_of_warp<T: Plain, const ITEMS: usize>(
    warp: &Warp<'_>,
    exchange: DynamicShared<'_, T>,
) -> (*mut T, usize) {
    let first = warp.index() as usize * 32 * ITEMS;
    let part = exchange.as_ptr().wrapping_add(first);
    (part, warp.lane() as usize)
}

/// Writes element `at` of `y`.
///
/// # Safety
/// `at` is below the length of `y`, and no other thread accesses the element.
#[inline(always)]
pub(crate) unsafe fn put<T: Plain>(y: &mut DisjointSlice<'_, T>, at: usize, value: T) {
    // Wrapping: the write alone needs a place within.
    let to = y.raw().wrapping_add(at);
    // SAFETY: the caller's.
    unsafe { to.write(value) };
}

/// Writes this thread's elements of the tile that begins with element `first`, as far as `y` has them.
///
/// # Safety
/// No other block has this tile, and no thread accesses its elements of `y` in another way.
#[inline(always)]
pub(crate) unsafe fn store<T: Plain, const ITEMS: usize>(
    block: &Block<'_>,
    y: &mut DisjointSlice<'_, T>,
    first: usize,
    items: [T; ITEMS],
) {
    let (place, whole) = (place::<ITEMS>(block), THREADS * ITEMS);
    let left = y.len().saturating_sub(first).min(whole);
    let at = first + place;
    if left == whole {
        for (k, &item) in items.iter().enumerate() {
            // SAFETY: the whole tile is within; the place is this thread's, by the caller's promise.
            unsafe { put(y, at + 32 * k, item) };
        }
    } else {
        for (k, &item) in items.iter().enumerate() {
            if place + 32 * k < left {
                // SAFETY: within, as was just seen; the place is this thread's, by the caller's promise.
                unsafe { put(y, at + 32 * k, item) };
            }
        }
    }
}

/// The number that the block's first thread has, in all threads. Holds a barrier.
#[inline(always)]
pub(crate) fn share_number(
    block: &Block<'_>,
    shared: Shared<'_>,
    number: impl FnOnce() -> u32,
) -> u32 {
    if block.thread() == 0 {
        shared.atomic(NUMBER).store(number(), Relaxed);
    }
    block.sync();
    shared.atomic(NUMBER).load(Relaxed)
}

/// What the warps before this one have, and what all have; `own` is the same in the lanes of a warp. Holds a barrier.
#[inline(always)]
pub(crate) fn before_warp<S: State>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    shared: Shared<'_>,
    own: S,
    combine: impl Fn(S, S) -> S,
) -> (Option<S>, S) {
    let index = warp.index() as usize;
    if warp.lane() == 0 {
        write(shared, index, own);
    }
    block.sync();
    let mut all: S = read(shared, 0);
    let mut before = None;
    for other in 1..WARPS {
        if other == index {
            before = Some(all);
        }
        all = combine(all, read(shared, other));
    }
    (before, all)
}

/// Puts what lane 0 of each warp found, and whether it is complete, where all threads can read it by [`window`]. Holds a barrier.
#[inline(always)]
pub(crate) fn share_window<S: State>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    shared: Shared<'_>,
    (complete, state): (bool, S),
) {
    let index = warp.index() as usize;
    if warp.lane() == 0 {
        write(shared, WARPS + index, state);
        shared
            .atomic(COMPLETE + index)
            .store(u32::from(complete), Relaxed);
    }
    block.sync();
}

/// What the warp `index` found, by [`share_window`].
#[inline(always)]
pub(crate) fn window<S: State>(shared: Shared<'_>, index: usize) -> (bool, S) {
    let complete = shared.atomic(COMPLETE + index).load(Relaxed) != 0;
    (complete, read(shared, WARPS + index))
}

/// What all lanes up to this one have, of a whole warp.
///
/// `Warp::inclusive_scan` would ask whether all lanes are there; here they are.
#[inline(always)]
pub(crate) fn scan_row<T: Plain>(warp: &Warp<'_>, mut value: T, op: impl Fn(T, T) -> T) -> T {
    for delta in [1, 2, 4, 8, 16] {
        let before = warp.shuffle_up(value, delta);
        if warp.lane() >= delta {
            value = op(before, value);
        }
    }
    value
}

#[inline(always)]
fn write<S: State>(shared: Shared<'_>, slot: usize, state: S) {
    each(state.to_words(), S::WORDS, |k, word| {
        shared.atomic(slot * WORDS + k).store(word, Relaxed);
        word
    });
}

#[inline(always)]
fn read<S: State>(shared: Shared<'_>, slot: usize) -> S {
    S::from_words(each([0; WORDS], S::WORDS, |k, _| {
        shared.atomic(slot * WORDS + k).load(Relaxed)
    }))
}
