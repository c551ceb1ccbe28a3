//! Runs of equal keys in one pass over memory.
//!
//! As a scan: rows of pairs are exchanged through shared memory, so that each thread has consecutive ones. What threads, warps and tiles tell each other is how
//! many runs begin in them, and the value of the last one: a value of what is earlier is combined with the elements before the first beginning alone.

use warploom::device_std::atomic::Atomic;
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use crate::deterministic::InOrder;
use crate::input::{Fetch, Memory};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::state::Segments;
use crate::tile;

/// What is written: the value of each run.
pub(super) const REDUCE: u32 = 0;
/// What is written: for each element the value of its run up to it.
pub(super) const INCLUSIVE: u32 = 1;
/// What is written: for each element the value of its run before it.
pub(super) const EXCLUSIVE: u32 = 2;

/// What a warp has of a tile besides the elements in shared memory.
#[derive(Clone, Copy)]
struct OfWarp<V> {
    /// Elements before the first beginning of a run.
    first: usize,
    /// Runs that begin.
    begun: usize,
    /// The value of the last run, as far as it is in the warp.
    value: V,
}

/// Tiles of pairs: [`REDUCE`], [`INCLUSIVE`] or [`EXCLUSIVE`].
#[kernel(block(256), max_registers(80))]
pub fn runs_of_tiles<
    M,
    F,
    K,
    V,
    O,
    const ITEMS: usize,
    const MODE: u32,
    const DETERMINISTIC: bool,
>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    op: O,
    init: V,
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
    O: Fn(V, V) -> V + Copy + Send + Sync + 'static,
{
    let shared = shared_array!(u32, tile::SHARED);
    let whole = tile::THREADS * ITEMS;
    let pass = ByKeyPass::<M, F, K, V, O, ITEMS, MODE> {
        view: M::view(a, b, c),
        fetch,
        n,
        op,
        init,
        staged: memory.as_ptr(),
        keys: keys.raw(),
        values: values.raw(),
        count: count.raw(),
    };
    if DETERMINISTIC {
        let pass = InOrder(pass);
        lookback::run(&block, &warp, (states, shared), (whole, n), &pass);
    } else {
        lookback::run(&block, &warp, (states, shared), (whole, n), &pass);
    }
}

/// Runs of keys, as [`lookback::run`] runs them.
struct ByKeyPass<'k, M: Memory + 'k, F, K: Plain, V: Plain, O, const ITEMS: usize, const MODE: u32>
{
    view: M::View<'k>,
    fetch: F,
    n: usize,
    op: O,
    init: V,
    staged: *mut u64,
    keys: *mut K,
    values: *mut V,
    count: *mut u64,
}

impl<M: Memory, F, K: Plain, V: Plain, O, const ITEMS: usize, const MODE: u32>
    ByKeyPass<'_, M, F, K, V, O, ITEMS, MODE>
{
    /// Where the warp's keys and values wait.
    #[inline(always)]
    fn parts(&self, warp: &Warp<'_>, slot: Slot) -> (tile::Part<K, ITEMS>, tile::Part<V, ITEMS>) {
        let whole = tile::THREADS * ITEMS;
        let distance = whole * (size_of::<K>() + size_of::<V>());
        let keys = self.staged.wrapping_byte_add(whole * size_of::<V>());
        (
            tile::Part::of_warp(warp, keys.cast(), slot, distance),
            tile::Part::of_warp(warp, self.staged.cast(), slot, distance),
        )
    }
}

/// What a thread has of a tile.
#[derive(Clone, Copy)]
struct Thread<V> {
    lane: usize,
    /// Elements.
    here: u32,
    /// A bit for each where a run begins.
    begins: u32,
    /// Runs that begin in earlier threads of the warp.
    earlier_begun: u32,
    /// What the earlier threads of the warp have, if there are any.
    earlier: V,
}

impl<V: Copy> Thread<V> {
    /// What the warp has up to element `k`, the thread having `value` up to it.
    #[inline(always)]
    fn up_to(&self, k: usize, value: V, op: impl Fn(V, V) -> V) -> V {
        // The bits up to `k`.
        if self.lane > 0 && self.begins & ((2u32 << k) - 1) == 0 {
            op(self.earlier, value)
        } else {
            value
        }
    }

    /// What the warp has before element `k`, if that is not its first, from what the thread has up to each.
    #[inline(always)]
    fn before(&self, k: usize, up_to: &[V], op: impl Fn(V, V) -> V) -> Option<V> {
        match k {
            0 => (self.lane > 0).then_some(self.earlier),
            _ => Some(self.up_to(k - 1, up_to[k - 1], op)),
        }
    }
}

impl<M, F, K, V, O, const ITEMS: usize, const MODE: u32> ByKeyPass<'_, M, F, K, V, O, ITEMS, MODE>
where
    M: Memory,
    K: Plain,
    V: Plain,
    O: Fn(V, V) -> V + Copy,
{
    /// Puts each key with which a run begins, and the value of the run before it, side by side for the warp.
    #[inline(always)]
    fn stage_runs(
        &self,
        thread: Thread<V>,
        own_keys: [K; ITEMS],
        up_to: [V; ITEMS],
        (keys, values): (tile::Part<K, ITEMS>, tile::Part<V, ITEMS>),
    ) {
        let mut rank = thread.earlier_begun as usize;
        unroll_all::<ITEMS>(|k| {
            if thread.begins >> k & 1 != 0 {
                // SAFETY: one place for each beginning in the warp, of which there are no more than elements.
                unsafe { keys.set(rank, own_keys[k]) };
                if let Some(before) = thread.before(k, &up_to, self.op) {
                    // SAFETY: as above.
                    unsafe { values.set(rank, before) };
                }
                rank += 1;
            }
        });
    }

    /// Puts the result for each element, but without what is before the warp where no run began in it.
    #[inline(always)]
    fn stage_scan(&self, thread: Thread<V>, up_to: [V; ITEMS], values: tile::Part<V, ITEMS>) {
        unroll_all::<ITEMS>(|k| {
            if (k as u32) < thread.here {
                let begun = thread.earlier_begun > 0 || thread.begins & ((1 << k) - 1) != 0;
                let value = if MODE == INCLUSIVE {
                    thread.up_to(k, up_to[k], self.op)
                } else if thread.begins >> k & 1 != 0 {
                    self.init
                } else {
                    match thread.before(k, &up_to, self.op) {
                        Some(before) if begun => (self.op)(self.init, before),
                        Some(before) => before,
                        None => self.init,
                    }
                };
                // SAFETY: this element's place.
                unsafe { values.set(ITEMS * thread.lane + k, value) };
            }
        });
    }
}

impl<M, F, K, V, O, const ITEMS: usize, const MODE: u32> OnePass
    for ByKeyPass<'_, M, F, K, V, O, ITEMS, MODE>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
    O: Fn(V, V) -> V + Copy,
{
    type State = Segments<V>;
    /// And the key before those of the warp.
    type Items = ([(K, V); ITEMS], K);
    type Kept = OfWarp<V>;

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> Self::Items {
        let warp = (block.thread() / 32) as u32;
        let (tile, first) = (
            number * tile::THREADS * ITEMS,
            tile::first_of_warp::<ITEMS>(number, warp),
        );
        let items: [(K, V); ITEMS] =
            tile::load::<M, F, ITEMS>(block, self.view, self.fetch, tile, self.n);
        let previous = if first > 0 && first <= self.n {
            self.fetch.get(self.view, first - 1).0
        } else {
            items[0].0
        };
        (items, previous)
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        (number, slot): (usize, Slot),
        full: bool,
        (items, previous): Self::Items,
    ) -> (Segments<V>, OfWarp<V>) {
        let (lane, op) = (warp.lane() as usize, self.op);
        let (keys, values) = self.parts(warp, slot);
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let len = tile::len_of_warp::<ITEMS>(first, self.n, full);
        // Nothing is computed from what stands in for elements behind the end, nor from the last element's value if that is in no result: the closure may panic
        // for such values.
        let last = usize::from(MODE == EXCLUSIVE && first + len == self.n);
        // This thread's elements, and those of them with which something is computed. Compared with constants, so that no register has the place of each.
        let here = len.saturating_sub(ITEMS * lane).min(ITEMS) as u32;
        let computed = here.min(len.saturating_sub(last + ITEMS * lane) as u32);
        let used = |k| full || (k as u32) < computed;
        warp.sync();
        let own_keys = keys.rows_to_threads(warp, items.map(|(key, _)| key));
        // What the elements of this thread up to each have.
        let mut up_to = values.rows_to_threads(warp, items.map(|(_, value)| value));
        warp.sync();
        let of_last = warp.shuffle_up(own_keys[ITEMS - 1], 1);
        let mut before = if lane == 0 { previous } else { of_last };
        let mut begins = 0u32;
        unroll_all::<ITEMS>(|k| {
            let key = own_keys[k];
            let begin = key != before || (k == 0 && lane == 0 && first == 0);
            before = key;
            begins |= u32::from((full || (k as u32) < here) && begin) << k;
        });
        unroll_all::<ITEMS>(|k| {
            if k > 0 && !used(k) {
                up_to[k] = up_to[k - 1];
            } else if k > 0 && begins >> k & 1 == 0 {
                up_to[k] = op(up_to[k - 1], up_to[k]);
            }
        });
        // What all threads up to this one have.
        let (mut begun, mut value) = (begins.count_ones(), up_to[ITEMS - 1]);
        for delta in [1, 2, 4, 8, 16] {
            let (begun_before, before) =
                (warp.shuffle_up(begun, delta), warp.shuffle_up(value, delta));
            if warp.lane() >= delta {
                if begun == 0 && used(0) {
                    value = op(before, value);
                }
                begun += begun_before;
            }
        }
        let lanes = warp.ballot(begins != 0).lowest();
        let own_first = ITEMS as u32 * warp.lane() + begins.trailing_zeros();
        let first_begin = warp.shuffle_idx(own_first, lanes.unwrap_or(0));
        let last_lane = (len.saturating_sub(1 + last) / ITEMS) as u32;
        let kept = OfWarp {
            first: lanes.map_or(32 * ITEMS, |_| first_begin as usize),
            begun: warp.shuffle_idx(begun, 31) as usize,
            value: warp.shuffle_idx(value, last_lane),
        };
        let thread = Thread {
            lane,
            here: if full { ITEMS as u32 } else { here },
            begins,
            earlier_begun: begun - begins.count_ones(),
            earlier: warp.shuffle_up(value, 1),
        };
        if MODE == REDUCE {
            // If the closure has ended a lane, runs are not numbered as the places are that the warp has.
            if tile::is_whole(warp) {
                self.stage_runs(thread, own_keys, up_to, (keys, values));
            }
        } else {
            self.stage_scan(thread, up_to, values);
        }
        let state = Segments {
            begun: kept.begun,
            value: kept.value,
        };
        (state, kept)
    }

    #[inline(always)]
    fn combine(&self, a: Segments<V>, b: Segments<V>) -> Segments<V> {
        Segments {
            begun: a.begun + b.begun,
            value: if b.begun > 0 {
                b.value
            } else {
                (self.op)(a.value, b.value)
            },
        }
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Segments<V>>, full: bool, own: OfWarp<V>) {
        let (op, lane) = (self.op, warp.lane() as usize);
        let (staged_keys, staged_values) = self.parts(warp, tile.slot);
        let first = tile::first_of_warp::<ITEMS>(tile.number, warp.index());
        let len = tile::len_of_warp::<ITEMS>(first, self.n, full);
        if !full && len == 0 {
            return;
        }
        let before = match (tile.before, tile.warps) {
            (Some(tiles), Some(warps)) => Some(self.combine(tiles, warps)),
            (tiles, warps) => tiles.or(warps),
        };
        let begun = before.map_or(0, |before| before.begun);
        // Of what the warp has, from this lane's first on.
        let from_lane = |n: usize| n.saturating_sub(lane);
        let (begins, unbegun, left) = (from_lane(own.begun), from_lane(own.first), from_lane(len));
        for k in 0..ITEMS {
            let at = lane + 32 * k;
            let first_of_warp = k == 0 && lane == 0;
            if MODE == REDUCE {
                if 32 * k >= begins {
                    continue;
                }
                // SAFETY: a place of the `begun` first ones, all of which were written before the barriers since then.
                let key = unsafe { staged_keys.get(at) };
                // SAFETY: one run per beginning, so another place for each, below the number of elements.
                unsafe { tile::put(self.keys, begun + at, key) };
                // Where a run begins, the one before it ends.
                let value = match before {
                    None if first_of_warp => continue,
                    Some(before) if first_of_warp && own.first == 0 => before.value,
                    Some(before) if first_of_warp => {
                        // SAFETY: as above; an element stands before this beginning.
                        let own = unsafe { staged_values.get(at) };
                        op(before.value, own)
                    }
                    // SAFETY: as above.
                    _ => unsafe { staged_values.get(at) },
                };
                if first_of_warp && begun == 0 {
                    continue;
                }
                // SAFETY: as above, of the run before.
                unsafe { tile::put(self.values, begun + at - 1, value) };
            } else if full || 32 * k < left {
                let local = || {
                    // SAFETY: an element's place, which was written before the barriers since then.
                    unsafe { staged_values.get(at) }
                };
                let value = match before {
                    Some(before) if 32 * k < unbegun => {
                        if MODE == INCLUSIVE {
                            op(before.value, local())
                        } else if first_of_warp {
                            op(self.init, before.value)
                        } else {
                            op(self.init, op(before.value, local()))
                        }
                    }
                    _ => local(),
                };
                // SAFETY: within the slice, and the place is this thread's alone: a tile is of one block, by the counter.
                unsafe { tile::put(self.values, first + at, value) };
            }
        }
        if MODE == REDUCE && !full && first + len == self.n && lane == 0 {
            let value = match before {
                Some(before) if own.begun == 0 => op(before.value, own.value),
                _ => own.value,
            };
            // The first element of all begins a run, so there is one.
            let run = (begun + own.begun).wrapping_sub(1);
            // SAFETY: the last run, behind which none begins.
            unsafe { tile::put(self.values, run, value) };
            // SAFETY: one thread of the one warp that has the last element; the launch has a count.
            unsafe { tile::put(self.count, 0, (begun + own.begun) as u64) };
        }
    }
}
