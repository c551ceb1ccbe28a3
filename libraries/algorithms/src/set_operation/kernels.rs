//! The elements that are kept, in one pass over memory.
//!
//! Tiles and threads have parts of the merge that cut no pair of equal elements ([`balance`](super::balance)), so that each thread merges its own elements and sees which have
//! partners. Blocks take tiles as those of [`lookback::run`](crate::lookback::run) do.

use std::array::from_fn;
use std::sync::atomic::Ordering;

use warploom::device_std::atomic::Atomic;
use warploom::device_std::hint::unroll_all;
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

impl<'k, K: Plain> Inputs<'k, K> {
    /// Of `tile` elements or one more or less. Whatever the splits are, these elements exist, one at least and `tile + 1` at most.
    #[inline(always)]
    fn part(self, number: usize, tile: usize) -> Part {
        let lengths = (self.a.len(), self.b.len());
        let (d, split) = (number * tile, self.splits[number]);
        let (a, b) = unpacked(d, split, lengths);
        let (a_end, b_end) = match self.splits.get(number + 1) {
            Some(&next) => unpacked(d + tile, next, lengths),
            None => lengths,
        };
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

impl<K: Plain, const ITEMS: usize> Sets<'_, K, ITEMS> {
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
        let of_a = split_tile(
            d,
            lengths,
            (|i| self.get(i), |j| self.get(self.a_count + j)),
            less,
        );
        let elements = (
            |i: usize| self.get(i as u32),
            |j: usize| self.get(self.a_count + j as u32),
        );
        let split = (of_a as usize, (d - of_a) as usize);
        let (i, j) = balanced(split, self.b_count as usize, elements, less);
        (i as u32, j as u32)
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
        let (mut x, mut y) = (self.near(i), self.near(j));
        let (mut items, mut kept) = ([x; ITEMS], 0);
        let mut is_partner = false;
        unroll_all::<ITEMS>(|k| {
            let j = places + k as u32 - i;
            let (has_a, has_b) = (i < a_end, j < b_end && !is_partner);
            let take_a = has_a && !is_partner && !(j < b_end && less(y, x));
            // Compared as an item: what is used here is not computed where it is stored, which would keep both elements in registers until then.
            items[k] = if take_a { x } else { y };
            is_partner = take_a && j < b_end && !less(items[k], y);
            let keep = R::PAIRED && is_partner
                || R::ONLY_A && take_a && !is_partner
                || R::ONLY_B && !take_a && has_b;
            // The first is the highest bit: a chain, whose predicates are not kept until its end.
            kept = kept << 1 | u32::from(keep);
            if k + 1 < ITEMS {
                // One load, of whichever input went on.
                let next = self.near(1 + if take_a { i } else { j });
                (x, y) = if take_a { (next, y) } else { (x, next) };
                i += u32::from(take_a);
            }
        });
        (items, kept.reverse_bits() >> (u32::BITS - ITEMS as u32))
    }
}

/// The kept elements of all tiles, and how many they are.
#[kernel(block(256), max_registers(80))]
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
        for k in 0..ITEMS {
            let i = striped(thread, k);
            if i < room {
                // SAFETY: one of the `all` first places; the rest is the caller's.
                let item = unsafe { memory.get(i) };
                // SAFETY: within the output; the places of tiles are disjoint, as each is told how many come before it.
                unsafe { tile::put(self.kept, before + i as usize, item) };
            }
        }
    }
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
    let mut part = inputs.part(number, whole);
    // The number of the tile that was staged before, and how many of its elements are kept.
    let mut waiting: Option<(u32, u32)> = None;
    let mut second = false;
    let add = |Count(a), Count(b)| Count(a + b);
    loop {
        // What the last tile had was written by all.
        tile::sync(&block)?;
        let mut staged = None;
        if number < tiles {
            let memory = place(second);
            // SAFETY: barriers lie behind all other accesses, and before them.
            unsafe { inputs.of(part).load(memory, thread) };
            let next = (thread == 0).then(claim);
            let sets = Sets {
                memory,
                a_count: part.a_count,
                b_count: part.b_count,
            };
            tile::sync(&block)?;
            let d = (thread * ITEMS as u32).saturating_sub(u32::from(part.late));
            let start = sets.split(d, less);
            starts
                .atomic(thread as usize)
                .store(start.0 | start.1 << 16, Ordering::Relaxed);
            tile::set_number(shared, next);
            tile::sync(&block)?;
            let mut end = (part.a_count, part.b_count);
            if thread + 1 < THREADS as u32 {
                let next = starts.atomic(thread as usize + 1).load(Ordering::Relaxed);
                end = (next & 0xffff, next >> 16);
            }
            let (items, kept) = sets.kept::<R>(start, end, less);
            // If the comparison has ended a thread, these are wrong: then the barrier ends the block.
            let own = kept.count_ones();
            let up_to = tile::scan_row(&warp, own, true, |a, b| a + b);
            let of_warp = Count(warp.shuffle_idx(up_to, 31) as usize);
            let (warps, Count(all)) =
                tile::before_warp(&block, &warp, shared, of_warp, tile::WARPS, add)?;
            if number + 1 < tiles {
                TileStates::of::<Count>(states).announce(&block, number, Count(all));
            }
            let at = warps.map_or(0, |Count(n)| n as u32) + up_to - own;
            // SAFETY: a place for each kept element of the block's threads, which are at most `ITEMS` each; behind the barrier no elements are read.
            unsafe { memory.put_kept(at, items, kept) };
            staged = Some((number as u32, all as u32));
            number = tile::number(shared) as usize;
            if number < tiles {
                // Loaded when the tile's turn comes: registers that waited for the elements would be spilled, which waits for memory.
                part = inputs.part(number, whole);
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
