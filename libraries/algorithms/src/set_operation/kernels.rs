//! The elements that are kept, in one pass over memory.
//!
//! Tiles and threads have parts of the merge that cut no pair of equal elements ([`balance`](super::balance)), so that each thread merges its own elements and sees which have
//! partners. Blocks take tiles as those of [`lookback::run`](crate::lookback::run) do.

use std::array::from_fn;
use std::sync::atomic::Ordering;

use warploom::device_std::atomic::Atomic;
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use super::SetRule;
use super::balance::{balanced, unpacked};
use crate::lookback::{self, TileStates};
use crate::merge_path::{ELEMENTS, Joined, THREADS, TileMemory, split_tile, striped};
use crate::state::Count;
use crate::tile::{self, Ended};

/// The inputs, and where their tiles begin.
#[derive(Clone, Copy)]
struct Inputs<'k, K> {
    a: &'k [K],
    b: &'k [K],
    splits: &'k [u64],
}

/// What a tile has of both inputs.
#[derive(Clone, Copy)]
struct Part {
    a: usize,
    b: usize,
    a_count: u32,
    b_count: u32,
    /// Whether an element more than those of earlier tiles comes before it.
    late: bool,
}

impl Part {
    /// Puts the part where all threads of the block find it behind a barrier ([`shared`](Self::shared)).
    #[inline(always)]
    fn share(self, words: SharedArray<'_, u64, 3>) {
        let counts = u64::from(self.a_count) << 32 | u64::from(self.b_count) << 1;
        let part = [self.a as u64, self.b as u64, counts | u64::from(self.late)];
        unroll_all::<3>(|k| words.atomic(k).store(part[k], Ordering::Relaxed));
    }

    #[inline(always)]
    fn shared(words: SharedArray<'_, u64, 3>) -> Self {
        let [a, b, counts] = from_fn(|k| words.atomic(k).load(Ordering::Relaxed));
        Part {
            a: a as usize,
            b: b as usize,
            a_count: (counts >> 32) as u32,
            b_count: counts as u32 >> 1,
            late: counts & 1 != 0,
        }
    }
}

impl<'k, K: Plain> Inputs<'k, K> {
    /// The splits at both ends of a tile; none behind the last one.
    #[inline(always)]
    fn ends(self, number: usize) -> (u64, Option<u64>) {
        (self.splits[number], self.splits.get(number + 1).copied())
    }

    /// Of `tile` elements or one more or less, between these splits. Whatever they are, the elements exist, one at least and `tile + 1` at most.
    #[inline(always)]
    fn part(self, number: usize, (split, next): (u64, Option<u64>), tile: usize) -> Part {
        let lengths = (self.a.len(), self.b.len());
        let d = number * tile;
        let (a, b) = unpacked(d, split, lengths);
        let (a_end, b_end) = next.map_or(lengths, |next| unpacked(d + tile, next, lengths));
        let a_count = a_end.saturating_sub(a).min(tile);
        let b_count = b_end.saturating_sub(b).min(tile + 1 - a_count);
        if a_count + b_count == 0 {
            // Not of splits of one merge.
            let of_a = u32::from(!self.a.is_empty());
            return Part {
                a: 0,
                b: 0,
                a_count: of_a,
                b_count: 1 - of_a,
                late: false,
            };
        }
        Part {
            a,
            b,
            a_count: a_count as u32,
            b_count: b_count as u32,
            late: split & 1 != 0,
        }
    }

    /// The elements of the part.
    #[inline(always)]
    fn of(self, part: Part) -> Joined<'k, K> {
        let a = self.a.as_ptr().wrapping_add(part.a);
        let b = self.b.as_ptr().wrapping_add(part.b);
        // SAFETY: they exist, and are not many ([`part`](Self::part)).
        unsafe { Joined::of((a, part.a_count), (b, part.b_count)) }
    }
}

/// The elements of a tile in shared memory, those of `a` before those of `b`.
#[derive(Clone, Copy)]
struct Sets<'a, K, const ITEMS: usize> {
    memory: TileMemory<'a, K, ITEMS>,
    a_count: u32,
    b_count: u32,
}

impl<'a, K: Plain, const ITEMS: usize> Sets<'a, K, ITEMS> {
    #[inline(always)]
    fn of(part: Part, memory: TileMemory<'a, K, ITEMS>) -> Self {
        Sets {
            memory,
            a_count: part.a_count,
            b_count: part.b_count,
        }
    }

    #[inline(always)]
    fn get(self, i: u32) -> K {
        // SAFETY: callers ask for elements below `a_count + b_count`, which are no more than the memory has; a barrier lies behind the writes.
        unsafe { self.memory.get(i) }
    }

    /// Element `i`, or the last that there is room for.
    #[inline(always)]
    fn near(self, i: u32) -> K {
        // SAFETY: within the memory, all of which was written before the barrier.
        unsafe { self.memory.get(i.min(TileMemory::<K, ITEMS>::LEN - 1)) }
    }

    /// Where the part of a thread begins: at the split of element `d`, or at an end.
    #[inline(always)]
    fn split(self, d: u32, less: impl Fn(K, K) -> bool + Copy) -> (u32, u32) {
        let d = d.min(self.a_count + self.b_count);
        let lengths = (self.a_count, self.b_count);
        let elements = (|i| self.get(i), |j| self.get(self.a_count + j));
        let of_a = split_tile(d, lengths, elements, less);
        let elements = (|i| self.get(i), |j| self.get(self.a_count + j));
        balanced((of_a, d - of_a), self.b_count, elements, less)
    }

    /// The elements from one split to the next in the order of the merge, and a bit for each that is kept.
    ///
    /// Of equal elements each of `a` comes before its partner of `b`, which is never kept. If the last element is one, there may be an element more than items.
    #[inline(always)]
    fn kept<R: SetRule>(
        self,
        (mut i, j): (u32, u32),
        (a_end, b_end): (u32, u32),
        less: impl Fn(K, K) -> bool,
    ) -> ([K; ITEMS], u32) {
        let (j, b_end) = (self.a_count + j, self.a_count + b_end);
        // Each step takes one: so the place in `b` follows from that in `a`.
        let places = i + j;
        let all = (a_end + b_end).saturating_sub(places).min(ITEMS as u32);
        let (mut x, mut y) = (self.near(i), self.near(j));
        let mut items = [x; ITEMS];
        // Bit `k` of item `k`: whether it is of `a` and has a partner. Whether it is of `a` at all is by how much `i` grows: bit `k` weighs what `i` is behind the item less what it
        // is before. So each `i` but the first and the last counts half of its bit, and no step keeps one more predicate.
        let (mut paired, mut of_a) = (0u32, i.wrapping_neg());
        let mut is_partner = false;
        unroll_all::<ITEMS>(|k| {
            let j = places + k as u32 - i;
            // All conditions in each step: elements behind the end are some, too, and predicates are combined by the comparisons.
            let has_b = j < b_end;
            let take_a = (i < a_end) & !is_partner & !(has_b & less(y, x));
            // Compared as an item: what is used here is not computed where it is stored, which would keep both elements in registers until then. Where none of `b` is kept,
            // items of `b` are not asked for.
            items[k] = if take_a || !R::ONLY_B { x } else { y };
            is_partner = take_a & has_b & !less(items[k], y);
            paired |= u32::from(is_partner) << k;
            let next = 1 + if take_a { i } else { j };
            i += u32::from(take_a);
            if k + 1 < ITEMS {
                of_a = of_a.wrapping_sub(i << k);
                // One load, of whichever input went on.
                let next = self.near(next);
                (x, y) = if take_a { (next, y) } else { (x, next) };
            } else {
                of_a = of_a.wrapping_add(i << k);
            }
        });
        // A partner comes behind its element of `a`.
        let there = (1u32 << all).wrapping_sub(1);
        let single = there & !paired & !(paired << 1);
        let single = match (R::ONLY_A, R::ONLY_B) {
            (true, true) => single,
            (true, false) => single & of_a,
            (false, true) => single & !of_a,
            (false, false) => 0,
        };
        let paired = if R::PAIRED { paired } else { 0 };
        // Not as one predicate for each item, which LLVM would make of the bits where these are all: predicates are few.
        (items, tile::opaque(single | paired))
    }
}

/// The kept elements of all tiles, and how many they are.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn set_tiles<K, L, R, const ITEMS: usize>(
    block: Block,
    warp: Warp,
    a: &[K],
    b: &[K],
    splits: &[u64],
    states: &[Atomic<u64>],
    less: L,
    mut y: DisjointSlice<K>,
    mut count: DisjointSlice<u64>,
) where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    R: SetRule,
{
    launch_dependents();
    let inputs = Inputs { a, b, splits };
    let output = Output {
        kept: y.raw(),
        room: y.len(),
        count: count.raw(),
    };
    // After a panic the launch has failed, whatever the other threads do.
    let _ = run_tiles::<K, L, R, ITEMS>((block, warp), inputs, states, less, output);
}

/// Where results go.
#[derive(Clone, Copy)]
struct Output<K> {
    kept: *mut K,
    /// Elements that there is room for.
    room: usize,
    count: *mut u64,
}

impl<K: Plain> Output<K> {
    /// Writes the first `all` elements of the memory behind `before` others; fewer if there is no room for them, as when the comparison is no order.
    ///
    /// # Safety
    /// They were written, with a barrier since then; of each tile `before` is how many come from the tiles before it.
    #[inline(always)]
    unsafe fn write<const ITEMS: usize>(
        self,
        memory: TileMemory<'_, K, ITEMS>,
        thread: u32,
        before: usize,
        all: usize,
    ) {
        let room = self.room.saturating_sub(before).min(all) as u32;
        // Compared with constants, as the places in both memories are at constant distances.
        let left = room.saturating_sub(thread);
        let kept = self.kept.wrapping_add(before);
        for k in 0..ITEMS {
            if striped(0, k) < left {
                let i = striped(thread, k);
                // SAFETY: one of the `all` first places; the rest is the caller's.
                let item = unsafe { memory.get(i) };
                // SAFETY: within the output; the places of tiles are disjoint, as each is told how many come before it.
                unsafe { tile::put(kept, i as usize, item) };
            }
        }
    }
}

/// Where the part of a thread begins, from the halves of a word.
#[inline(always)]
fn unpacked_start(packed: u32) -> (u32, u32) {
    (packed & 0xffff, packed >> 16)
}

#[inline(always)]
fn run_tiles<K, L, R, const ITEMS: usize>(
    (block, warp): (Block, Warp),
    inputs: Inputs<'_, K>,
    states: &[Atomic<u64>],
    less: L,
    output: Output<K>,
) -> Result<(), Ended>
where
    K: Plain,
    L: Fn(K, K) -> bool + Copy,
    R: SetRule,
{
    let shared = shared_array!(u32, tile::SHARED);
    let starts = shared_array!(u32, THREADS);
    let next_part = shared_array!(u64, 3);
    // Two places: for the elements of a tile, and for what the tile before it keeps.
    let elements = shared_array!(u128, 2 * ELEMENTS);
    let place = |second: bool| TileMemory::<K, ITEMS>::half_of(elements, second);
    let (thread, tiles) = (block.thread() as u32, inputs.splits.len());
    let whole = THREADS * ITEMS - 1;
    let claim = || lookback::claim(&warp, states);
    let mut number = tile::share_number(&block, shared, claim) as usize;
    if number >= tiles {
        return Ok(());
    }
    let mut part = inputs.part(number, inputs.ends(number), whole);
    // The number of the tile that was staged before, and how many of its elements are kept.
    let mut waiting: Option<(u32, u32)> = None;
    let mut second = false;
    let add = |Count(a), Count(b)| Count(a + b);
    loop {
        // What the last tile had was written by all.
        tile::sync(&block)?;
        let mut staged = None;
        if number < tiles {
            let (memory, own_number) = (place(second), number);
            // SAFETY: barriers lie behind all other accesses, and before them.
            unsafe { inputs.of(part).load(memory, thread) };
            let next = (thread == 0).then(claim);
            let sets = Sets::of(part, memory);
            tile::sync(&block)?;
            let d = (thread * ITEMS as u32).saturating_sub(u32::from(part.late));
            let start = sets.split(d, less);
            let packed = start.0 | start.1 << 16;
            starts
                .atomic(thread as usize)
                .store(packed, Ordering::Relaxed);
            tile::set_number(shared, next);
            tile::sync(&block)?;
            let mut end = (part.a_count, part.b_count);
            let next = thread as usize + 1;
            if next < THREADS {
                end = unpacked_start(starts.atomic(next).load(Ordering::Relaxed));
            }
            number = tile::number(shared) as usize;
            // One thread finds the next part, for which it loads here and computes behind the merge.
            let finds = thread + 1 == THREADS as u32 && number < tiles;
            let ends = finds.then(|| inputs.ends(number));
            let (items, kept) = sets.kept::<R>(start, end, less);
            // If the comparison has ended a thread, these are wrong: then the barrier ends the block.
            let own = kept.count_ones();
            let up_to = tile::scan_row(&warp, own, true, |a, b| a + b);
            let of_warp = Count(warp.shuffle_idx(up_to, 31) as usize);
            if let Some(ends) = ends {
                inputs.part(number, ends, whole).share(next_part);
            }
            let (warps, Count(all)) =
                tile::before_warp(&block, &warp, shared, of_warp, tile::WARPS, add)?;
            if own_number + 1 < tiles {
                TileStates::of::<Count>(states).announce(&block, own_number, Count(all));
            }
            let at = warps.map_or(0, |Count(n)| n as u32) + up_to - own;
            // SAFETY: a place for each kept element of the block's threads, which are at most `ITEMS` each; behind the barrier no elements are read.
            unsafe { memory.put_kept(at, items, kept) };
            staged = Some((own_number as u32, all as u32));
            if number < tiles {
                // Loaded when the tile's turn comes: registers that waited for the elements would be spilled, which waits for memory.
                part = Part::shared(next_part);
                inputs.of(part).prefetch::<ITEMS>(thread);
            }
            second = !second;
        }
        if let Some((of, all)) = waiting {
            let (of, all) = (of as usize, all as usize);
            let full = of + 1 < tiles;
            let own = full.then_some(Count(all));
            let states = TileStates::of::<Count>(states);
            let before = states.before(&block, &warp, shared, of, own, add)?;
            let before = before.map_or(0, |Count(n)| n);
            // Behind a tile that was staged it is the turn of the waiting one's place.
            let memory = place(second != staged.is_none());
            // SAFETY: a barrier lies behind the writes of `all` elements, and `before` come from earlier tiles.
            unsafe { output.write(memory, thread, before, all) };
            if !full && thread == 0 {
                // SAFETY: one thread of the block that has the last tile; the launch has a count.
                unsafe { tile::put(output.count, 0, (before + all) as u64) };
            }
        }
        if staged.is_none() {
            return Ok(());
        }
        waiting = staged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_elements_that_exist_whatever_the_splits_are() {
        let x = [0u8; 40];
        let tile = 15;
        for (a_len, b_len) in [(0, 31), (31, 0), (1, 30), (16, 15), (29, 2)] {
            let inputs = Inputs {
                a: &x[..a_len],
                b: &x[..b_len],
                splits: &[],
            };
            let splits = (0..2 * 33).chain([u64::MAX - 1, u64::MAX]);
            for (first, next) in splits
                .clone()
                .flat_map(|a| splits.clone().map(move |b| (a, b)))
            {
                for (number, next) in [(0, Some(next)), (1, Some(next)), (2, None)] {
                    let part = inputs.part(number, (first, next), tile);
                    let (a, b) = (part.a_count as usize, part.b_count as usize);
                    assert!((1..=tile + 1).contains(&(a + b)), "{first} {next:?}");
                    assert!(
                        part.a + a <= a_len && part.b + b <= b_len,
                        "{first} {next:?}"
                    );
                }
            }
        }
    }
}
