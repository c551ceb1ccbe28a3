//! Which elements of a tile are kept, counted and stored.

use std::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::SetRule;
use crate::merge_path::{ELEMENTS, Part, THREADS, TileMemory, split_tile, striped};

/// The elements of a tile in shared memory, and all elements in global memory.
struct Sets<'a, K, const ITEMS: usize> {
    a: &'a [K],
    b: &'a [K],
    part: Part,
    tile: TileMemory<'a, K, ITEMS>,
}

impl<K: Plain, const ITEMS: usize> Sets<'_, K, ITEMS> {
    /// Element `i` of `a`.
    #[inline(always)]
    fn a(&self, i: usize) -> K {
        let in_tile = i.wrapping_sub(self.part.a);
        if in_tile < self.part.a_count {
            // SAFETY: within the tile, which `load` filled, with a barrier behind it.
            unsafe { self.tile.get(in_tile as u32) }
        } else {
            self.a[i]
        }
    }

    /// Element `j` of `b`.
    #[inline(always)]
    fn b(&self, j: usize) -> K {
        let in_tile = j.wrapping_sub(self.part.b);
        if in_tile < self.part.b_count {
            // SAFETY: as for `a`.
            unsafe { self.tile.get((self.part.a_count + in_tile) as u32) }
        } else {
            self.b[j]
        }
    }

    /// Reads the tile to shared memory.
    #[inline(always)]
    fn load(&self, block: Block, thread: u32) {
        let keys = self.part.of(self.a, self.b);
        let loaded = from_fn(|k| keys.get(striped(thread, k)));
        // SAFETY: the first access to the memory.
        unsafe { self.tile.write_striped(thread, loaded) };
        block.sync();
    }

    /// The elements of this thread, and a bit for each that is kept.
    #[inline(always)]
    fn kept<R: SetRule>(&self, thread: u32, less: impl Fn(K, K) -> bool) -> ([K; ITEMS], u32) {
        let Part {
            a,
            b,
            a_count,
            b_count,
            ..
        } = self.part;
        let (a_end, b_end) = (a + a_count, b + b_count);
        let total = (a_count + b_count) as u32;
        let d = (thread * ITEMS as u32).min(total);
        let elements = (|i| self.a(a + i as usize), |j| self.b(b + j as usize));
        let of_a = split_tile(d, (a_count as u32, b_count as u32), elements, &less);
        let (mut i, mut j) = (a + of_a as usize, b + (d - of_a) as usize);
        let (mut items, mut kept) = ([self.a_or_b(); ITEMS], 0);
        // The value whose equals are paired, and where it begins in `a`.
        let mut run = None;
        unroll_all::<ITEMS>(|k| {
            if i >= a_end && j >= b_end {
                return;
            }
            let take_b = j < b_end && (i >= a_end || less(self.b(j), self.a(i)));
            let item = if take_b { self.b(j) } else { self.a(i) };
            let start = match run {
                None => self.start_in_a(i, item, &less),
                Some((value, start)) if !less(value, item) => start,
                Some(_) => i,
            };
            run = Some((item, start));
            // So many of `a` are equal to the item and come before it in the merge: of all elements of `a` before it, those from `start` on.
            let equal = i.saturating_sub(start);
            let keep = if take_b {
                // All of `a` that are equal come before the first of `b`: there is a partner for the first `equal` of `b`.
                R::ONLY_B && j >= equal && !less(self.b(j - equal), item)
            } else {
                // No element of `b` before `j` is equal.
                let paired = j + equal < self.b.len() && !less(item, self.b(j + equal));
                if paired { R::PAIRED } else { R::ONLY_A }
            };
            items[k] = item;
            kept |= u32::from(keep) << k;
            if take_b {
                j += 1;
            } else {
                i += 1;
            }
        });
        (items, kept)
    }

    /// Any element of the tile.
    #[inline(always)]
    fn a_or_b(&self) -> K {
        // SAFETY: as for `a`; a tile has an element at least.
        unsafe { self.tile.get(0) }
    }

    /// The first of the elements of `a` before `i` that is not less than `item`; `i` if there is none.
    #[inline(always)]
    fn start_in_a(&self, i: usize, item: K, less: impl Fn(K, K) -> bool) -> usize {
        if i == 0 || less(self.a(i - 1), item) {
            return i;
        }
        let (mut low, mut high) = (0, i - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if less(self.a(middle), item) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Of each tile the number of elements that are kept.
#[kernel(block(256))]
pub fn set_counts<K, L, R, const ITEMS: usize>(
    block: Block,
    a: &[K],
    b: &[K],
    splits: &[u64],
    less: L,
    mut counts: DisjointSlice<u64, PerBlock>,
) where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    R: SetRule,
{
    let (thread, index) = (block.thread() as u32, block.index());
    let tile = THREADS * ITEMS;
    let mut count = 0;
    if let Some(part) = Part::of_tile::<true>(index, tile, 0, (a.len(), b.len()), splits) {
        let memory = shared_array!(u128, ELEMENTS);
        let sets = Sets::<K, ITEMS> {
            a,
            b,
            part,
            tile: TileMemory::of(memory),
        };
        sets.load(block, thread);
        count = sets.kept::<R>(thread, less).1.count_ones();
    }
    let count = block.reduce_sum(count);
    if let Some(y) = block.leader().and_then(|leader| counts.get_mut(leader)) {
        *y = u64::from(count);
    }
}

/// Counts to sums of those before, in one block: element `i` becomes the sum of the elements before it, and the last one, which has no count, the sum of all, as `total`. Generic, so
/// that no program has the kernel that does not use it.
#[kernel(block(256))]
pub fn set_offsets<R>(
    block: Block,
    mut offsets: DisjointSlice<u64>,
    mut total: DisjointSlice<u64, PerBlock>,
) where
    R: SetRule,
{
    const ITEMS: usize = 8;
    let (thread, n) = (block.thread(), offsets.len() - 1);
    let start = offsets.raw();
    let mut before = 0;
    let mut first = 0;
    while first < n {
        let own = first + thread * ITEMS;
        let counts: [u64; ITEMS] = from_fn(|k| {
            if own + k < n {
                // SAFETY: within the slice; elements `own ..` of this round are this thread's.
                unsafe { start.wrapping_add(own + k).read() }
            } else {
                0
            }
        });
        let sum = counts.iter().sum::<u64>();
        let mut offset = before + block.exclusive_scan(sum, 0, |a, b| a + b);
        unroll_all::<ITEMS>(|k| {
            if own + k < n {
                // SAFETY: as above.
                unsafe { start.wrapping_add(own + k).write(offset) };
            }
            offset += counts[k];
        });
        before += block.reduce_sum(sum);
        first += THREADS * ITEMS;
    }
    if let Some(leader) = block.leader() {
        // SAFETY: within the slice; one thread writes it.
        unsafe { start.wrapping_add(n).write(before) };
        if let Some(total) = total.get_mut(leader) {
            *total = before;
        }
    }
}

/// Stores the elements of each tile that are kept, from the tile's offset on.
#[kernel(block(256))]
pub fn set_store<K, L, R, const ITEMS: usize>(
    block: Block,
    a: &[K],
    b: &[K],
    splits: &[u64],
    offsets: &[u64],
    less: L,
    mut y: DisjointSlice<K>,
) where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    R: SetRule,
{
    let (thread, index) = (block.thread() as u32, block.index());
    let tile = THREADS * ITEMS;
    let Some(part) = Part::of_tile::<true>(index, tile, 0, (a.len(), b.len()), splits) else {
        return;
    };
    let memory = shared_array!(u128, ELEMENTS);
    let memory = TileMemory::of(memory);
    let sets = Sets::<K, ITEMS> {
        a,
        b,
        part,
        tile: memory,
    };
    sets.load(block, thread);
    let (items, kept) = sets.kept::<R>(thread, less);
    // With the barriers of the scan, behind which the tile's elements are no longer read.
    let mut at = block.exclusive_scan(kept.count_ones(), 0, |a, b| a + b);
    // If the comparison has ended a thread, what is scanned and written lacks what it had.
    if block.sync_count(true) < THREADS as u32 {
        return;
    }
    unroll_all::<ITEMS>(|k| {
        if kept & (1 << k) != 0 {
            // SAFETY: `at` is below the number of elements of the tile; the scan over all threads gives each kept element its own place.
            unsafe { memory.set(at, items[k]) };
            at += 1;
        }
    });
    block.sync();
    // A comparison that answers otherwise than when it was counted does not write into another tile's part.
    let first = (offsets[index] as usize).min(y.len());
    let end = (offsets[index + 1] as usize).min(y.len());
    let count = block
        .reduce_sum(kept.count_ones())
        .min(end.saturating_sub(first) as u32);
    let start = y.raw().wrapping_add(first);
    let mut i = thread;
    while i < count {
        // SAFETY: behind the barrier the first `count` elements are what the threads wrote.
        let item = unsafe { memory.get(i) };
        // SAFETY: `first + i < end <= y.len()`; the parts of tiles are disjoint, as offsets do not decrease.
        unsafe { start.wrapping_add(i as usize).write(item) };
        i += THREADS as u32;
    }
}
