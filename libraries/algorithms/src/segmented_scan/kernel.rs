//! Segments in one pass over memory.
//!
//! As a scan: rows of elements are exchanged through shared memory, so that each thread has consecutive ones. Each warp finds the offsets that lie in its part of the
//! tile, and notes them as bits. What threads, warps and tiles tell each other is whether a segment begins in them, and the value of the last one. An exclusive scan
//! is an inclusive one of the elements before each: so a segment's last element is combined with nothing.

use std::array::from_fn;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic::Atomic;
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::input::{Fetch, Memory, Place};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::state::Begun;
use crate::tile;

/// Elements of a thread at most.
pub(super) const MOST_ITEMS: usize = 15;
/// A bit for each element of a tile at most; as many words has a warp as a thread has elements.
const BEGINS: usize = tile::WARPS * MOST_ITEMS;

/// Tiles of elements. `INCLUSIVE`: each value has its own element in it; otherwise `init` is what the first of a segment has. `splits` are those of [`segment_splits`]
/// for the parts of warps, or empty: then each warp searches for its own.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn scan_segments<M, F, N, G, T, O, const ITEMS: usize, const INCLUSIVE: bool>(
    grid: Grid,
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    d: &[N::A],
    e: &[N::B],
    f: &[N::C],
    fetch_offset: G,
    bounds: usize,
    splits: &[u64],
    init: T,
    has_init: bool,
    op: O,
    states: &[Atomic<u64>],
    exchange: DynamicShared<T>,
    mut y: DisjointSlice<T>,
) where
    M: Memory,
    F: Fetch<M, Item = T>,
    N: Memory,
    G: Fetch<N, Item: Place>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let shared = shared_array!(u32, tile::SHARED);
    let begins = shared_array!(u32, BEGINS);
    let (len, whole) = (y.len(), tile::THREADS * ITEMS);
    let offsets = Offsets {
        view: N::view(d, e, f),
        fetch: fetch_offset,
        bounds,
        splits,
    };
    offsets.check(&grid, &block, len);
    let pass = SegmentsPass::<M, F, N, G, T, O, ITEMS, INCLUSIVE> {
        view: M::view(a, b, c),
        fetch,
        offsets,
        init,
        has_init,
        op,
        begins,
        exchange: exchange.as_ptr(),
        y: y.raw(),
        len,
    };
    lookback::run(&block, &warp, (states, shared), (whole, len), &pass);
}

/// Segments, as [`lookback::run`] runs them.
struct SegmentsPass<
    'k,
    M: Memory + 'k,
    F,
    N: Memory + 'k,
    G,
    T: Plain,
    O,
    const ITEMS: usize,
    const INCLUSIVE: bool,
> {
    view: M::View<'k>,
    fetch: F,
    offsets: Offsets<'k, N, G>,
    init: T,
    has_init: bool,
    op: O,
    begins: SharedArray<'k, u32, BEGINS>,
    exchange: *mut T,
    y: *mut T,
    len: usize,
}

/// What a warp has of a tile besides the values in shared memory: places in its part.
#[derive(Clone, Copy)]
struct OfWarp {
    /// The first element with which a segment begins, or the number of elements.
    first: u32,
    /// Where segments are: the elements before and behind are in none.
    inside: (u32, u32),
}

impl<M: Memory, F, N, G, T: Plain, O, const ITEMS: usize, const INCLUSIVE: bool>
    SegmentsPass<'_, M, F, N, G, T, O, ITEMS, INCLUSIVE>
where
    N: Memory,
    G: Fetch<N, Item: Place>,
{
    #[inline(always)]
    fn part(&self, warp: &Warp<'_>, slot: Slot) -> tile::Part<T, ITEMS> {
        let distance = tile::THREADS * ITEMS * size_of::<T>();
        tile::Part::of_warp(warp, self.exchange, slot, distance)
    }

    /// Which of the thread's consecutive elements begin a segment, as bits, if the warp's first element is `first`. All lanes make the call.
    #[inline(always)]
    fn begins(&self, warp: &Warp<'_>, first: usize, split: Option<u64>) -> u32 {
        let lane = warp.lane() as usize;
        let word = |k: usize| {
            let of_warp = warp.index() as usize * ITEMS;
            self.begins.atomic(of_warp + k)
        };
        if lane < ITEMS {
            word(lane).store(0, Relaxed);
        }
        warp.sync();
        self.offsets
            .for_each_from(warp, (first, split), 32 * ITEMS, |place| {
                word(place / 32).fetch_or(1 << (place % 32), Relaxed);
            });
        warp.sync();
        let (at, shift) = (ITEMS * lane / 32, ITEMS * lane % 32);
        // The last thread's bits end with the last word.
        let [low, high] = [at, (at + 1).min(ITEMS - 1)].map(|k| u64::from(word(k).load(Relaxed)));
        ((high << 32 | low) >> shift) as u32 & low_bits(ITEMS as u32)
    }
}

impl<M, F, N, G, T, O, const ITEMS: usize, const INCLUSIVE: bool> OnePass
    for SegmentsPass<'_, M, F, N, G, T, O, ITEMS, INCLUSIVE>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    N: Memory,
    G: Fetch<N, Item: Place>,
    T: Plain,
    O: Fn(T, T) -> T + Copy,
{
    const DETERMINISTIC: bool = true;
    type State = Begun<T>;
    /// And the element before those of the warp, for an exclusive scan, and the split of the warp's part.
    type Items = ([T; ITEMS], T, Option<u64>);
    type Kept = OfWarp;

    #[inline(always)]
    fn prefetch(&self, warp: &Warp<'_>, number: usize) {
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let lane = warp.lane() as usize;
        self.fetch.prefetch(self.view, first, 32 * ITEMS, lane);
    }

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> Self::Items {
        let warp = (block.thread() / 32) as u32;
        let (tile, first) = (
            number * tile::THREADS * ITEMS,
            tile::first_of_warp::<ITEMS>(number, warp),
        );
        let split = self.offsets.split(first / (32 * ITEMS));
        let load = || tile::load::<M, F, ITEMS>(block, self.view, self.fetch, tile, self.len);
        if !INCLUSIVE {
            let previous = tile::previous(self.view, self.fetch, first, self.len);
            return (load(), previous, split);
        }
        let items = load();
        (items, items[0], split)
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        (number, slot): (usize, Slot),
        _full: bool,
        (rows, previous, split): Self::Items,
    ) -> (Begun<T>, OfWarp) {
        let (lane, op, part) = (warp.lane(), self.op, self.part(warp, slot));
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        // Registers have them no longer while offsets are searched for; there are barriers before others read them.
        part.put_rows(rows);
        let inside = self.offsets.inside(self.len);
        let inside = [inside.start, inside.end].map(|end| {
            let in_part = end.saturating_sub(first).min(32 * ITEMS);
            in_part as u32
        });
        // Bits of the thread's elements.
        let below = inside.map(|end| {
            let of_thread = end.saturating_sub(ITEMS as u32 * lane);
            low_bits(of_thread.min(ITEMS as u32))
        });
        let own_inside = below[1] & !below[0];
        let begins = self.begins(warp, first, split);
        let own = part.of_thread();
        let of_last = warp.shuffle_up(own[ITEMS - 1], 1);
        let mut values: [T; ITEMS] = from_fn(|k| {
            let begin = begins & own_inside & 1 << k != 0;
            match k {
                _ if INCLUSIVE && self.has_init && begin => op(self.init, own[k]),
                _ if INCLUSIVE => own[k],
                _ if begin => self.init,
                0 if lane == 0 => previous,
                0 => of_last,
                _ => own[k - 1],
            }
        });
        // What is in no segment is one of its own, so that it is never combined.
        let begins = begins | (low_bits(ITEMS as u32) & !own_inside);
        unroll_all::<ITEMS>(|k| {
            if k > 0 && begins & 1 << k == 0 {
                values[k] = op(values[k - 1], values[k]);
            }
        });
        let lanes = warp.ballot(begins != 0);
        let up_to = tile::scan_segmented_row(warp, lanes.bits(), values[ITEMS - 1], true, op);
        let earlier = warp.shuffle_up(up_to, 1);
        unroll_all::<ITEMS>(|k| {
            if lane > 0 && begins & low_bits(k as u32 + 1) == 0 {
                values[k] = op(earlier, values[k]);
            }
        });
        part.put(values);
        let own_first = ITEMS as u32 * lane + begins.trailing_zeros();
        let lowest = lanes.lowest();
        let first_begin = warp.shuffle_idx(own_first, lowest.unwrap_or(0));
        let kept = OfWarp {
            first: lowest.map_or(32 * ITEMS as u32, |_| first_begin),
            inside: (inside[0], inside[1]),
        };
        let state = Begun {
            begun: lowest.is_some(),
            value: warp.shuffle_idx(up_to, 31),
        };
        (state, kept)
    }

    #[inline(always)]
    fn combine(&self, a: Begun<T>, b: Begun<T>) -> Begun<T> {
        a.with(b, self.op)
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Begun<T>>, _full: bool, own: OfWarp) {
        let (part, lane) = (self.part(warp, tile.slot), warp.lane());
        let first = tile::first_of_warp::<ITEMS>(tile.number, warp.index());
        let before = match (tile.before, tile.warps) {
            (Some(tiles), Some(warps)) if own.first > 0 => Some(self.combine(tiles, warps)),
            (tiles, warps) => warps.or(tiles),
        };
        // Of what the warp has, from this lane's first on. Compared with constants, so that no register has the place of each.
        let from_lane = |n: u32| n.saturating_sub(lane);
        let (begin, start) = (from_lane(own.first), from_lane(own.inside.0));
        let end = from_lane(own.inside.1);
        for k in 0..ITEMS {
            let row = 32 * k as u32;
            if start <= row && row < end {
                let at = (lane + row) as usize;
                // SAFETY: an element's place, which was written before the barriers since then.
                let mut value = unsafe { part.get(at) };
                if let Some(before) = before
                    && row < begin
                {
                    value = (self.op)(before.value, value);
                }
                // SAFETY: within the slice, and the place is this thread's alone: a tile is of one block, by the counter.
                unsafe { tile::put(self.y, first + at, value) };
            }
        }
    }
}

/// Where segments begin, and where the last one ends.
struct Offsets<'k, N: Memory + 'k, G> {
    view: N::View<'k>,
    fetch: G,
    /// How many: one more than segments, at least two.
    bounds: usize,
    /// How many offsets are below the first element of each warp's part of each tile; empty if that is not known.
    splits: &'k [u64],
}

impl<N: Memory, G: Fetch<N, Item: Place>> Offsets<'_, N, G> {
    #[inline(always)]
    fn get(&self, i: usize) -> usize {
        self.fetch.get(self.view, i).place()
    }

    /// The split of a warp's part, if it is known.
    #[inline(always)]
    fn split(&self, part: usize) -> Option<u64> {
        self.splits.get(part).copied()
    }

    /// The elements of all segments, of `n`.
    #[inline(always)]
    fn inside(&self, n: usize) -> Range<usize> {
        self.get(0)..self.get(self.bounds - 1).min(n)
    }

    /// Panics unless offsets ascend up to `n`: each thread checks its share of them, but the first of a block, which gives the block its tiles.
    #[inline(always)]
    fn check(&self, grid: &Grid<'_>, block: &Block<'_>, n: usize) {
        let Some(thread) = block.thread().checked_sub(1) else {
            return;
        };
        let mut segment = block.index() * (tile::THREADS - 1) + thread;
        while segment + 1 < self.bounds {
            let (start, end) = (self.get(segment), self.get(segment + 1));
            assert!(
                start <= end && end <= n,
                "segment {segment} is {start}..{end} of an input with {n} elements"
            );
            segment += grid.blocks() * (tile::THREADS - 1);
        }
    }

    /// Calls `of` with the distance from `first` of each offset for which that is below `len`, not always with equal ones. All lanes of the warp make the call.
    #[inline(always)]
    fn for_each_from(
        &self,
        warp: &Warp<'_>,
        (first, split): (usize, Option<u64>),
        len: usize,
        of: impl Fn(usize),
    ) {
        let mut i = match split {
            Some(split) => split as usize,
            None => self.first_not_below(warp, 0, first),
        };
        loop {
            let own = i + warp.lane() as usize;
            let distance = if own < self.bounds {
                self.get(own).wrapping_sub(first)
            } else {
                len
            };
            if distance < len {
                of(distance);
            }
            if warp.any(distance >= len) {
                return;
            }
            i += 32;
            let [lowest, highest] = [0, 31].map(|lane| warp.shuffle_idx(distance, lane));
            if lowest == highest {
                // Many empty segments at one place.
                i = self.first_not_below(warp, i, first + highest + 1);
            }
        }
    }

    /// How many offsets are below `least`, of which `start` are known to be; the same in all lanes. All lanes of the warp make the call. 32 offsets are read at once.
    #[inline(always)]
    fn first_not_below(&self, warp: &Warp<'_>, mut start: usize, least: usize) -> usize {
        let mut end = self.bounds;
        while start < end {
            let step = (end - start) / 32 + 1;
            let at = start + (warp.lane() as usize + 1) * step - 1;
            let below = warp.ballot(at < end && self.get(at) < least).count() as usize;
            // At most 32 steps, of which those below are within; what the next lane read is not below, or behind the end.
            start += below * step;
            end = end.min(start + step - 1);
        }
        start
    }
}

/// How many offsets are below each multiple of `part`.
#[kernel(block(256), dependent_launch)]
pub fn segment_splits<N, G>(
    thread: Index1D,
    d: &[N::A],
    e: &[N::B],
    f: &[N::C],
    fetch_offset: G,
    bounds: usize,
    part: usize,
    mut splits: DisjointSlice<u64>,
) where
    N: Memory,
    G: Fetch<N, Item: Place>,
{
    launch_dependents();
    let (view, least) = (N::view(d, e, f), thread.get() * part);
    if let Some(split) = splits.get_mut(thread) {
        let (mut start, mut end) = (0, bounds);
        while start < end {
            let middle = start + (end - start) / 2;
            if fetch_offset.get(view, middle).place() < least {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        *split = start as u64;
    }
}

/// As many bits as `n`, which is below 32.
#[inline(always)]
const fn low_bits(n: u32) -> u32 {
    (1 << n) - 1
}
