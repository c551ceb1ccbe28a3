//! Tiles: the elements of a block, how its threads load them, and how its warps learn what earlier warps have.
//!
//! A warp has `32 * ITEMS` elements of the tile, in rows of 32: lane `l` has element `l` of each row. So accesses to memory are coalesced as they are.

use std::array::from_fn;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::hint::unroll_all;
use warploom::device_std::integer::funnel_shift_right;
use warploom::prelude::*;

use crate::Error;
use crate::input::{Fetch, Memory};
use crate::lookback::Slot;
use crate::state::{State, WORDS, each};

/// Threads of a block that have elements: all of them, or all but the warp that looks back.
pub(crate) const THREADS: usize = 256;
/// Warps of a block that have elements.
pub(crate) const WARPS: usize = THREADS / 32;
/// Threads of a block with a warp that looks back.
pub(crate) const WITH_LOOK_BACK: usize = THREADS + 32;
/// Words of shared memory: for each warp what it has and what it found, and the number of the next tile.
pub(crate) const SHARED: usize = 2 * WARPS * WORDS + 1;
/// Where the number is.
const NUMBER: usize = 2 * WARPS * WORDS;

/// The shared memory of a block with tiles.
pub(crate) type Shared<'a> = SharedArray<'a, u32, SHARED>;

/// [`SHARED`] words of shared memory.
pub(crate) trait Words: Copy {
    fn word(&self, at: usize) -> &AtomicU32;
}

impl Words for Shared<'_> {
    #[inline(always)]
    fn word(&self, at: usize) -> &AtomicU32 {
        self.atomic(at)
    }
}

/// Those of one slot, of a block that has some for each.
#[derive(Clone, Copy)]
pub(crate) struct OfSlot<'a>(pub(crate) SharedOfSlots<'a>, pub(crate) Slot);

/// The shared memory of a block with a warp that looks back.
pub(crate) type SharedOfSlots<'a> = SharedArray<'a, u32, { Slot::ALL * SHARED }>;

impl Words for OfSlot<'_> {
    #[inline(always)]
    fn word(&self, at: usize) -> &AtomicU32 {
        let OfSlot(shared, slot) = *self;
        let start = match slot {
            Slot::First => 0,
            Slot::Second => SHARED,
        };
        shared.atomic(start + at)
    }
}

/// Tiles for `len` elements, `items` per thread.
pub(crate) const fn tiles(len: usize, items: usize) -> usize {
    len.div_ceil(THREADS * items)
}

/// Blocks at most of a one-pass algorithm: four for each of 160 multiprocessors. Those that start when others end find no tile left.
const ONE_PASS_BLOCKS: u32 = 640;

/// The launch of a one-pass algorithm for `len` elements, `items` per thread.
pub(crate) fn one_pass(len: usize, items: usize) -> Result<Launch, Error> {
    one_pass_of(tiles(len, items), THREADS * items, len)
}

/// As [`one_pass`], with a warp that looks back.
pub(crate) fn one_pass_beside(len: usize, items: usize) -> Result<Launch, Error> {
    Ok(one_pass(len, items)?.block(WITH_LOOK_BACK as u32))
}

/// The launch of a one-pass algorithm for `len` elements in `tiles` tiles of `tile` elements.
pub(crate) fn one_pass_of(tiles: usize, tile: usize, len: usize) -> Result<Launch, Error> {
    // The most blocks of a grid. Numbers of tiles have 32 bits, and each block of a one-pass algorithm is given one that is no tile.
    match i32::try_from(tiles) {
        Ok(_) => Ok(Launch::new(
            (tiles as u32).min(ONE_PASS_BLOCKS),
            THREADS as u32,
        )),
        Err(_) => Err(Error::TooMany {
            what: "one launch",
            most: (i32::MAX as u64) * tile as u64,
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

/// This thread's elements of the tile that begins with element `first`. In place of those behind the end, other elements.
#[inline(always)]
pub(crate) fn load<M: Memory, F: Fetch<M>, const ITEMS: usize>(
    block: &Block<'_>,
    view: M::View<'_>,
    fetch: F,
    first: usize,
    n: usize,
) -> [F::Item; ITEMS] {
    let (place, left) = (place::<ITEMS>(block), n - first);
    // The thread's part of the input, so that places in it are constants: what is computed from the thread's number would wait in registers.
    if left >= THREADS * ITEMS {
        let part = fetch.part(view, first + place, 32 * (ITEMS - 1) + 1);
        from_fn(|k| part(32 * k))
    } else {
        let (at, len) = match left.checked_sub(place) {
            None | Some(0) => (first, 1),
            Some(own) => (first + place, own),
        };
        let part = fetch.part(view, at, len);
        let own = part(0);
        from_fn(|k| if 32 * k < len { part(32 * k) } else { own })
    }
}

/// The element before element `first` of `n`, of which there is one; another one if there is none before it. Without a branch, and to be loaded before the elements themselves: so no
/// load waits for another.
#[inline(always)]
pub(crate) fn previous<M: Memory, F: Fetch<M>>(
    view: M::View<'_>,
    fetch: F,
    first: usize,
    n: usize,
) -> F::Item {
    fetch.get(view, first.min(n).saturating_sub(1))
}

/// Bytes of shared memory for `items` elements of `bytes` bytes of each thread, in each [`Slot`].
pub(crate) const fn slots_bytes(items: usize, bytes: usize) -> u32 {
    (Slot::ALL * THREADS * items * bytes) as u32
}

/// `items`, which fit into the 64 KiB of shared memory that a block can have on every device.
pub(crate) const fn fitting(items: usize, bytes: usize) -> usize {
    let all = slots_bytes(items, bytes) as usize + Slot::ALL * SHARED * size_of::<u32>();
    assert!(all <= 64 << 10, "fewer elements of each thread are needed");
    items
}

/// The first element that warp `warp` of a block has of tile `number`.
#[inline(always)]
pub(crate) const fn first_of_warp<const ITEMS: usize>(number: usize, warp: u32) -> usize {
    (number * WARPS + warp as usize) * (32 * ITEMS)
}

/// Elements that a warp has from `first` on, of `n`; `full`: of a tile that others follow.
#[inline(always)]
pub(crate) fn len_of_warp<const ITEMS: usize>(first: usize, n: usize, full: bool) -> usize {
    if full {
        return 32 * ITEMS;
    }
    n.saturating_sub(first).min(32 * ITEMS)
}

/// Shared memory for the `32 * ITEMS` elements that a warp has of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Part<T, const ITEMS: usize> {
    first: *mut T,
    lane: usize,
}

impl<T: Plain, const ITEMS: usize> Part<T, ITEMS> {
    /// The warp's part of the shared memory at `of_block`, which has room for `THREADS * ITEMS` elements, `distance` bytes after which it is the turn of the second
    /// slot.
    #[inline(always)]
    pub(crate) fn of_warp(warp: &Warp<'_>, of_block: *mut T, slot: Slot, distance: usize) -> Self {
        let slot = match slot {
            Slot::First => of_block,
            Slot::Second => of_block.wrapping_byte_add(distance),
        };
        let first = slot.wrapping_add(warp.index() as usize * 32 * ITEMS);
        let lane = warp.lane() as usize;
        Part { first, lane }
    }

    /// This thread's elements, of rows of 32 in its warp, for consecutive ones of the warp's. All lanes of the warp make the call.
    #[inline(always)]
    pub(crate) fn rows_to_threads(self, warp: &Warp<'_>, items: [T; ITEMS]) -> [T; ITEMS] {
        self.put_rows(items);
        warp.sync();
        self.of_thread()
    }

    /// Puts this thread's elements, of rows of 32 in its warp.
    #[inline(always)]
    pub(crate) fn put_rows(self, items: [T; ITEMS]) {
        for (k, &item) in items.iter().enumerate() {
            // SAFETY: this lane's place in the warp's part, which no other lane accesses before the barrier.
            unsafe { self.first.wrapping_add(32 * k + self.lane).write(item) };
        }
    }

    /// This thread's consecutive elements, of those that all lanes have put, with a barrier of the warp since then.
    #[inline(always)]
    pub(crate) fn of_thread(self) -> [T; ITEMS] {
        // SAFETY: in the warp's part, whose places were all written before the barrier, and are read alone until the next one.
        from_fn(|k| unsafe { self.first.wrapping_add(ITEMS * self.lane + k).read() })
    }

    /// Puts consecutive elements where [`rows_to_threads`](Self::rows_to_threads) read this thread's.
    #[inline(always)]
    pub(crate) fn put(self, items: [T; ITEMS]) {
        for (k, &item) in items.iter().enumerate() {
            // SAFETY: places in the warp's part that this lane alone accesses, before and after, between barriers.
            unsafe { self.first.wrapping_add(ITEMS * self.lane + k).write(item) };
        }
    }

    /// Puts an element at `at` in the warp's part.
    ///
    /// # Safety
    /// `at` is below `32 * ITEMS`, and no other lane accesses the place between the barriers before and after.
    #[inline(always)]
    pub(crate) unsafe fn set(self, at: usize, item: T) {
        // SAFETY: in the warp's part; the caller excludes races.
        unsafe { self.first.wrapping_add(at).write(item) };
    }

    /// Puts those of `items` that have a bit in `kept`, side by side from `at` on in the warp's part.
    ///
    /// # Safety
    /// As many places as `kept` has bits are below `32 * ITEMS`, and no other lane accesses them between the barriers before and after.
    #[inline(always)]
    pub(crate) unsafe fn put_kept(self, at: usize, items: [T; ITEMS], kept: u32) {
        // SAFETY: in the warp's part; the caller excludes races.
        unsafe { put_kept(self.first.wrapping_add(at), items, kept) };
    }

    /// Element `at` of the warp's part.
    ///
    /// # Safety
    /// `at` is below `32 * ITEMS`, the place was written, and a barrier stands between each write and this.
    #[inline(always)]
    pub(crate) unsafe fn get(self, at: usize) -> T {
        // SAFETY: in the warp's part, whose places hold some value; the caller excludes races.
        unsafe { self.first.wrapping_add(at).read() }
    }
}

/// Writes those of `items` that have a bit in `kept`, side by side from `to` on. The beginnings of runs and their lengths count ranks instead: with this they took 1.03 to 1.09 times
/// as long (H200).
///
/// # Safety
/// There is room for as many elements as `kept` has bits, and no other thread accesses it between the barriers before and after.
#[inline(always)]
pub(crate) unsafe fn put_kept<T: Plain, const ITEMS: usize>(
    mut to: *mut T,
    items: [T; ITEMS],
    kept: u32,
) {
    unroll_all::<ITEMS>(|k| {
        let bit = kept & 1 << k;
        if bit != 0 {
            // SAFETY: the caller's.
            unsafe { to.write(items[k]) };
        }
        // Apart from the branch, which is a predicate of the store then; in bytes, so that the bit is shifted once.
        to = to.wrapping_byte_add((bit as usize >> k) * size_of::<T>());
    });
}

/// `x`, of which LLVM knows nothing: it would select one of two sums where a factor is 0 or 1, and keep what is packed into a word beside the word.
#[inline(always)]
pub(crate) fn opaque(x: u32) -> u32 {
    funnel_shift_right(x, 0, 0)
}

/// Writes element `at` of the memory that begins at `y`.
///
/// # Safety
/// The memory has such an element, and no other thread accesses it.
#[inline(always)]
pub(crate) unsafe fn put<T: Plain>(y: *mut T, at: usize, value: T) {
    // Wrapping: the write alone needs a place within.
    let to = y.wrapping_add(at);
    // SAFETY: the caller's.
    unsafe { to.write(value) };
}

/// The number that the block's first thread has, in all threads. Holds a barrier.
#[inline(always)]
pub(crate) fn share_number(
    block: &Block<'_>,
    shared: impl Words,
    of_first: impl FnOnce() -> u32,
) -> u32 {
    set_number(shared, (block.thread() == 0).then(of_first));
    block.sync();
    number(shared)
}

/// Puts the number that the block's first thread has, and no other, where all threads find it by [`number`] after a barrier.
#[inline(always)]
pub(crate) fn set_number(shared: impl Words, number: Option<u32>) {
    if let Some(number) = number {
        shared.word(NUMBER).store(number, Relaxed);
    }
}

/// The number of [`set_number`].
#[inline(always)]
pub(crate) fn number(shared: impl Words) -> u32 {
    shared.word(NUMBER).load(Relaxed)
}

/// A thread of the block or the warp has ended: a closure of the caller's panicked in it.
pub(crate) struct Ended;

/// As [`Block::sync`].
///
/// # Errors
/// In all threads, if one of the block has ended: what it would have written is missing, and the others must return.
#[inline(always)]
pub(crate) fn sync(block: &Block<'_>) -> Result<(), Ended> {
    if block.sync_count(true) < block.threads() as u32 {
        return Err(Ended);
    }
    Ok(())
}

/// Whether no lane of the warp has ended: otherwise what it would have given to the others is missing. A barrier of the lanes.
#[inline(always)]
pub(crate) fn is_whole(warp: &Warp<'_>) -> bool {
    warp.ballot(true).bits() == u32::MAX
}

/// What the warps before this one have, and what all have but the last of `warps`, if those are fewer than the block has; `own` is the same in the lanes of a warp.
/// Holds a barrier.
///
/// # Errors
/// [`sync`].
#[inline(always)]
pub(crate) fn before_warp<S: State>(
    block: &Block<'_>,
    warp: &Warp<'_>,
    shared: impl Words,
    own: S,
    warps: usize,
    combine: impl Fn(S, S) -> S,
) -> Result<(Option<S>, S), Ended> {
    let index = warp.index() as usize;
    put_own(warp, shared, index, own);
    sync(block)?;
    Ok(of_warps(shared, (index, warps), combine))
}

/// Puts what this warp, whose number is `index`, has, the same in its lanes, for [`of_warps`] after a barrier.
#[inline(always)]
pub(crate) fn put_own<S: State>(warp: &Warp<'_>, shared: impl Words, index: usize, own: S) {
    if warp.lane() == 0 {
        write(shared, index, own);
    }
}

/// The result of [`before_warp`] for the warp `index`, behind its barrier. A warp that has no elements comes after all others.
#[inline(always)]
pub(crate) fn of_warps<S: State>(
    shared: impl Words,
    (index, warps): (usize, usize),
    combine: impl Fn(S, S) -> S,
) -> (Option<S>, S) {
    let mut all: S = read(shared, 0);
    let mut before = None;
    for other in 1..WARPS {
        if other == index {
            before = Some(all);
        }
        if other + 1 < warps || warps == WARPS {
            all = combine(all, read(shared, other));
        }
    }
    (before, all)
}

/// Puts what lane 0 of this warp found, as number `index`, below [`WARPS`], where all threads can read it by [`window`], after a barrier.
#[inline(always)]
pub(crate) fn put_window<S: State>(warp: &Warp<'_>, shared: impl Words, index: usize, state: S) {
    if warp.lane() == 0 {
        write(shared, WARPS + index, state);
    }
}

/// What was found as number `index`, by [`put_window`].
#[inline(always)]
pub(crate) fn window<S: State>(shared: impl Words, index: usize) -> S {
    read(shared, WARPS + index)
}

/// What all lanes up to this one have, of a whole warp, in the lanes that are `used`: those up to one of them.
///
/// `Warp::inclusive_scan` would ask whether all lanes are there; here they are.
#[inline(always)]
pub(crate) fn scan_row<T: Plain>(
    warp: &Warp<'_>,
    value: T,
    used: bool,
    op: impl Fn(T, T) -> T,
) -> T {
    let up = |value, delta| warp.shuffle_up(value, delta);
    // Lane 0 combines nothing.
    scan_by(if used { warp.lane() } else { 0 }, value, up, op)
}

/// As [`scan_row`], within segments, which begin in the lanes of the bits `begins`.
#[inline(always)]
pub(crate) fn scan_segmented_row<T: Plain>(
    warp: &Warp<'_>,
    begins: u32,
    mut value: T,
    used: bool,
    op: impl Fn(T, T) -> T,
) -> T {
    let up_to = begins & warp.lanes_up_to().bits();
    // The lane where the segment begins, or lane 0 if it began in an earlier row.
    let first = 31 - (up_to | 1).leading_zeros();
    // Lanes of the segment before this one.
    let earlier = if used { warp.lane() - first } else { 0 };
    for delta in [1, 2, 4, 8, 16] {
        let before = warp.shuffle_up(value, delta);
        if earlier >= delta {
            value = op(before, value);
        }
    }
    value
}

/// As [`scan_row`], for lanes that shuffle by `up`.
#[inline(always)]
pub(crate) fn scan_by<T: Copy>(
    lane: u32,
    mut value: T,
    up: impl Fn(T, u32) -> T,
    op: impl Fn(T, T) -> T,
) -> T {
    for delta in [1, 2, 4, 8, 16] {
        let before = up(value, delta);
        if lane >= delta {
            value = op(before, value);
        }
    }
    value
}

#[inline(always)]
fn write<S: State>(shared: impl Words, slot: usize, state: S) {
    each(state.to_words(), S::WORDS, |k, word| {
        shared.word(slot * WORDS + k).store(word, Relaxed);
        word
    });
}

#[inline(always)]
fn read<S: State>(shared: impl Words, slot: usize) -> S {
    S::from_words(each([0; WORDS], S::WORDS, |k, _| {
        shared.word(slot * WORDS + k).load(Relaxed)
    }))
}
