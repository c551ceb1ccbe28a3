//! Where runs begin, in one pass over memory.
//!
//! As a selection of the elements that are unequal to the one before: rows are exchanged, so that each thread compares its own consecutive elements and a warp needs one scan of
//! their numbers, and what is selected waits side by side in shared memory.

use warploom::device_std::atomic::Atomic;
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::begins::{self, Place};
use crate::input::{Fetch, Memory};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::state::{Count, State, Value, WORDS};
use crate::tile;

/// Runs that begin in some elements, and how many elements there are from the last beginning on; of all elements if no run begins.
#[derive(Clone, Copy)]
pub(super) struct Heads<const LENGTHS: bool> {
    begun: usize,
    rest: u32,
}

impl<const LENGTHS: bool> State for Heads<LENGTHS> {
    const WORDS: usize = 2 + LENGTHS as usize;
    const NUMBER: bool = true;

    #[inline(always)]
    fn to_words(self) -> [u32; WORDS] {
        let [low, high, ..] = Count(self.begun).to_words();
        [low, high, if LENGTHS { self.rest } else { 0 }, 0, 0, 0]
    }

    #[inline(always)]
    fn from_words([low, high, rest, ..]: [u32; WORDS]) -> Self {
        let Count(begun) = Count::from_words([low, high, 0, 0, 0, 0]);
        Heads { begun, rest }
    }
}

/// Bytes in shared memory for an element.
pub(super) const fn staged_bytes<K, V, const LENGTHS: bool>() -> usize {
    size_of::<K>()
        + if LENGTHS {
            size_of::<u16>()
        } else {
            size_of::<V>()
        }
}

/// The key of each run, and with it the run's length, if `V` is `u32`, or else its first value.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn heads_of_tiles<M, F, K, V, const ITEMS: usize, const LENGTHS: bool>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    states: &[Atomic<u64>],
    memory: DynamicShared<u64>,
    mut keys: DisjointSlice<K>,
    mut values: DisjointSlice<V>,
    mut count: DisjointSlice<u64>,
) where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
{
    launch_dependents();
    let shared = shared_array!(u32, tile::SHARED);
    let whole = tile::THREADS * ITEMS;
    let pass = HeadsPass::<M, F, K, V, ITEMS, LENGTHS> {
        view: M::view(a, b, c),
        fetch,
        n,
        staged: memory.as_ptr(),
        keys: keys.raw(),
        values: values.raw(),
        count: count.raw(),
    };
    lookback::run(&block, &warp, (states, shared), (whole, n), &pass);
}

/// Beginnings of runs, as [`lookback::run`] runs it.
struct HeadsPass<'k, M: Memory + 'k, F, K, V, const ITEMS: usize, const LENGTHS: bool> {
    view: M::View<'k>,
    fetch: F,
    n: usize,
    staged: *mut u64,
    keys: *mut K,
    values: *mut V,
    count: *mut u64,
}

/// What a warp has of a tile besides what is in shared memory.
#[derive(Clone, Copy)]
struct OfWarp {
    /// Runs that begin.
    begun: u32,
    /// Elements from the last beginning on.
    rest: u32,
}

/// Shared memory for what a warp has: keys, and values or else positions in the warp's part, one of both in the same memory.
struct Staged<K, V, const ITEMS: usize> {
    keys: tile::Part<K, ITEMS>,
    values: tile::Part<V, ITEMS>,
    positions: tile::Part<u16, ITEMS>,
}

impl<M, F, K, V, const ITEMS: usize, const LENGTHS: bool> HeadsPass<'_, M, F, K, V, ITEMS, LENGTHS>
where
    M: Memory,
    K: Plain,
    V: Plain,
{
    #[inline(always)]
    fn staged(&self, warp: &Warp<'_>, slot: Slot) -> Staged<K, V, ITEMS> {
        let (whole, bytes) = (tile::THREADS * ITEMS, staged_bytes::<K, V, LENGTHS>());
        let (distance, before_keys) = (whole * bytes, whole * (bytes - size_of::<K>()));
        let keys = self.staged.wrapping_byte_add(before_keys).cast();
        let others = self.staged;
        Staged {
            keys: tile::Part::of_warp(warp, keys, slot, distance),
            values: tile::Part::of_warp(warp, others.cast(), slot, distance),
            positions: tile::Part::of_warp(warp, others.cast(), slot, distance),
        }
    }
}

impl<M, F, K, V, const ITEMS: usize, const LENGTHS: bool> OnePass
    for HeadsPass<'_, M, F, K, V, ITEMS, LENGTHS>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
{
    type State = Heads<LENGTHS>;
    /// And the key before those of the warp.
    type Items = ([(K, V); ITEMS], K);
    type Kept = OfWarp;

    #[inline(always)]
    fn prefetch(&self, warp: &Warp<'_>, number: usize) {
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let lane = warp.lane() as usize;
        self.fetch.prefetch(self.view, first, 32 * ITEMS, lane);
    }

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> Self::Items {
        let (items, previous) =
            begins::load::<M, F, K, V, ITEMS>(block, self.view, self.fetch, number, self.n);
        (items, previous.0)
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        (number, slot): (usize, Slot),
        full: bool,
        (items, previous): Self::Items,
    ) -> (Heads<LENGTHS>, OfWarp) {
        let place = Place::of::<ITEMS>(warp, number, self.n, full);
        let staged = self.staged(warp, slot);
        staged.keys.put_rows(items.map(|(key, _)| key));
        if !LENGTHS {
            staged.values.put_rows(items.map(|(_, value)| value));
        }
        warp.sync();
        // One after the other, so that registers have keys or values.
        let begins = begins::side_by_side(warp, place, staged.keys, previous);
        let values = if LENGTHS {
            None
        } else {
            Some(staged.values.of_thread())
        };
        warp.sync();
        // If a comparison has ended a lane, runs are not numbered as the places are that the warp has.
        if tile::is_whole(warp) {
            let mut rank = begins.earlier as usize;
            unroll_all::<ITEMS>(|k| {
                if begins.at(k) {
                    if let Some(values) = values {
                        // SAFETY: one place for each beginning in the warp, of which there are no more than elements.
                        unsafe { staged.values.set(rank, values[k]) };
                    } else {
                        let at = ITEMS as u32 * place.lane + k as u32;
                        // SAFETY: as above.
                        unsafe { staged.positions.set(rank, at as u16) };
                    }
                    rank += 1;
                }
            });
        }
        let begun = begins.all;
        let rest = if LENGTHS {
            (place.len as u32).wrapping_sub(begins.last::<ITEMS>(warp))
        } else {
            0
        };
        let state = Heads {
            begun: begun as usize,
            rest,
        };
        (state, OfWarp { begun, rest })
    }

    #[inline(always)]
    fn combine(&self, a: Heads<LENGTHS>, b: Heads<LENGTHS>) -> Heads<LENGTHS> {
        Heads {
            begun: a.begun + b.begun,
            rest: if b.begun > 0 {
                b.rest
            } else {
                a.rest.wrapping_add(b.rest)
            },
        }
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Heads<LENGTHS>>, full: bool, own: OfWarp) {
        let lane = warp.lane() as usize;
        let first = tile::first_of_warp::<ITEMS>(tile.number, warp.index());
        let len = tile::len_of_warp::<ITEMS>(first, self.n, full);
        let staged = self.staged(warp, tile.slot);
        let before = match (tile.before, tile.warps) {
            (Some(tiles), Some(warps)) => Some(self.combine(tiles, warps)),
            (tiles, warps) => tiles.or(warps),
        };
        let Heads { begun, rest } = before.unwrap_or(Heads { begun: 0, rest: 0 });
        let mut at = lane;
        while at < own.begun as usize {
            // SAFETY: a place that `stage` wrote, one of the `own.begun` first ones.
            let key = unsafe { staged.keys.get(at) };
            // SAFETY: the number of runs before this one: below `n`, and another for each.
            unsafe { tile::put(self.keys, begun + at, key) };
            if !LENGTHS {
                // SAFETY: as above.
                let value = unsafe { staged.values.get(at) };
                // SAFETY: as above.
                unsafe { tile::put(self.values, begun + at, value) };
            } else if at > 0 {
                // Where a run begins, the one before it ends.
                // SAFETY: as above.
                let end = u32::from(unsafe { staged.positions.get(at) });
                // SAFETY: as above.
                let start = u32::from(unsafe { staged.positions.get(at - 1) });
                let length = of_length(end.wrapping_sub(start));
                // SAFETY: as above, of the run before.
                unsafe { tile::put(self.values, begun + at - 1, length) };
            }
            at += 32;
        }
        if LENGTHS && lane == 0 && own.begun > 0 && begun > 0 {
            // SAFETY: as above.
            let end = u32::from(unsafe { staged.positions.get(0) });
            let length = of_length(end.wrapping_add(rest));
            // SAFETY: as above, of the last run of earlier warps.
            unsafe { tile::put(self.values, begun - 1, length) };
        }
        if !full && len > 0 && first + len == self.n && lane == 0 {
            let runs = begun + own.begun as usize;
            if LENGTHS {
                let length = if own.begun > 0 {
                    own.rest
                } else {
                    rest.wrapping_add(own.rest)
                };
                // The first element of all begins a run, so there is one, unless a comparison has ended that thread.
                if let Some(run) = runs.checked_sub(1) {
                    // SAFETY: the last run, behind which none begins.
                    unsafe { tile::put(self.values, run, of_length(length)) };
                }
            }
            // SAFETY: one lane of the one warp that has the last element; the launch has a count.
            unsafe { tile::put(self.count, 0, runs as u64) };
        }
    }
}

/// A length as a `V`, which is `u32`.
#[inline(always)]
fn of_length<V: Plain>(length: u32) -> V {
    let Value(length) = Value::from_words([length, 0, 0, 0, 0, 0]);
    length
}
