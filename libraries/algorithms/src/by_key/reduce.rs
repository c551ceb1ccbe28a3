//! The value of each run of equal keys, in one pass over memory.
//!
//! Rows are exchanged, so that each thread has consecutive pairs: it compares its own keys and combines its own values, and warps need one scan of both for all their elements. The
//! pairs of runs are put side by side in shared memory, as a selection does. What threads, warps and tiles tell each other is how many runs begin in them, and the value of the last
//! one: a value of what is earlier is combined with the elements before the first beginning alone.

use warploom::device_std::atomic::Atomic;
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::begins::{self, Place, Rows};
use crate::deterministic::InOrder;
use crate::input::{Fetch, Memory};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::state::Segments;
use crate::tile;

/// What a warp has of a tile besides the elements in shared memory.
#[derive(Clone, Copy)]
struct OfWarp<V> {
    /// Whether a run begins with the thread's first element. That of lane 0 is asked for.
    first: bool,
    /// Runs that begin.
    begun: u32,
    /// The value of the last run, as far as it is in the warp.
    value: V,
}

/// Tiles of pairs.
#[kernel(block(288), max_registers(72), dependent_launch)]
pub fn reduce_runs<M, F, K, V, O, const ITEMS: usize>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    op: O,
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
    launch_dependents();
    let shared = shared_array!(u32, 2 * tile::SHARED);
    let (n, whole) = (values.len(), tile::THREADS * ITEMS);
    let pass = ReducePass::<M, F, K, V, O, ITEMS> {
        view: M::view(a, b, c),
        fetch,
        n,
        op,
        staged: memory.as_ptr(),
        keys: keys.raw(),
        values: values.raw(),
        count: count.raw(),
    };
    lookback::run_beside(&block, &warp, (states, shared), (whole, n), &pass);
}

/// The same with states that are combined in the same way in each run.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn reduce_runs_in_order<M, F, K, V, O, const ITEMS: usize>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    op: O,
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
    launch_dependents();
    let shared = shared_array!(u32, tile::SHARED);
    let (n, whole) = (values.len(), tile::THREADS * ITEMS);
    let pass = ReducePass::<M, F, K, V, O, ITEMS> {
        view: M::view(a, b, c),
        fetch,
        n,
        op,
        staged: memory.as_ptr(),
        keys: keys.raw(),
        values: values.raw(),
        count: count.raw(),
    };
    let pass = InOrder(pass);
    lookback::run(&block, &warp, (states, shared), (whole, n), &pass);
}

/// Runs of keys, as [`lookback::run_beside`] or [`lookback::run`] runs them.
struct ReducePass<'k, M: Memory + 'k, F, K, V, O, const ITEMS: usize> {
    view: M::View<'k>,
    fetch: F,
    n: usize,
    op: O,
    staged: *mut u64,
    keys: *mut K,
    values: *mut V,
    count: *mut u64,
}

impl<M: Memory, F, K: Plain, V: Plain, O, const ITEMS: usize> ReducePass<'_, M, F, K, V, O, ITEMS> {
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

impl<M, F, K, V, O, const ITEMS: usize> OnePass for ReducePass<'_, M, F, K, V, O, ITEMS>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
    O: Fn(V, V) -> V + Copy,
{
    type State = Segments<V>;
    type Items = Rows<K, V, ITEMS>;
    type Kept = OfWarp<V>;

    #[inline(always)]
    fn prefetch(&self, warp: &Warp<'_>, number: usize) {
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let lane = warp.lane() as usize;
        self.fetch.prefetch(self.view, first, 32 * ITEMS, lane);
    }

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> Self::Items {
        begins::load::<M, F, K, V, ITEMS>(block, self.view, self.fetch, number, self.n)
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        (number, slot): (usize, Slot),
        full: bool,
        (rows, previous): Self::Items,
    ) -> (Segments<V>, OfWarp<V>) {
        let (staged_keys, staged_values) = self.parts(warp, slot);
        let place = Place::of::<ITEMS>(warp, number, self.n, full);
        staged_keys.put_rows(rows.map(|(key, _)| key));
        staged_values.put_rows(rows.map(|(_, value)| value));
        warp.sync();
        // One after the other, so that registers have keys or values.
        let begins = begins::side_by_side(warp, place, staged_keys, previous.0);
        let values = staged_values.of_thread();
        warp.sync();
        // Of each element, what the elements before it have, as far as they are of the same thread and run. Nothing is computed from what stands in for elements behind the end:
        // the closure may panic for such values.
        let (mut before, mut own) = (values, values[0]);
        unroll_all::<ITEMS>(|k| {
            before[k] = own;
            if k > 0 && begins.at(k) {
                own = values[k];
            } else if k > 0 && place.has::<ITEMS>(k) {
                own = (self.op)(own, values[k]);
            }
        });
        // If a closure has ended a lane, runs are not numbered as the places are that the warp has.
        let (start, is_whole) = (begins.earlier as usize, tile::is_whole(warp));
        if is_whole {
            // SAFETY: one place for each beginning in the warp, of which there are no more than elements.
            unsafe { staged_values.put_kept(start, before, begins.own) };
        }
        let lanes = warp.ballot(begins.own != 0).bits();
        let used = place.has::<ITEMS>(0);
        let all = tile::scan_segmented_row(warp, lanes, own, used, self.op);
        let earlier = warp.shuffle_up(all, 1);
        let kept = OfWarp {
            first: begins.at(0),
            begun: begins.all,
            value: warp.shuffle_idx(all, place.last_lane::<ITEMS>()),
        };
        // What earlier threads have of the run before the first beginning. A lane that the closure ends here is asked about at the next barrier.
        if begins.own != 0 && place.lane > 0 && is_whole {
            let value = if begins.at(0) {
                earlier
            } else {
                // SAFETY: this thread wrote the place above.
                (self.op)(earlier, unsafe { staged_values.get(start) })
            };
            // SAFETY: as above; no other thread has the place.
            unsafe { staged_values.set(start, value) };
        }
        let state = Segments {
            begun: kept.begun as usize,
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
        let mut at = lane;
        while at < own.begun as usize {
            // SAFETY: a place of the `begun` first ones, all of which were written before the barriers since then.
            let key = unsafe { staged_keys.get(at) };
            // SAFETY: one run per beginning, so another place for each, below the number of elements.
            unsafe { tile::put(self.keys, begun + at, key) };
            // Where a run begins, the one before it ends.
            if at > 0 {
                // SAFETY: as above.
                let value = unsafe { staged_values.get(at) };
                // SAFETY: as above, of the run before.
                unsafe { tile::put(self.values, begun + at - 1, value) };
            }
            at += 32;
        }
        if let Some(before) = before
            && lane == 0
            && own.begun > 0
        {
            let value = if own.first {
                before.value
            } else {
                // SAFETY: as above; an element of the warp stands before this beginning.
                op(before.value, unsafe { staged_values.get(0) })
            };
            // SAFETY: as above, of the run before, of which there is one: the first element of all begins a run.
            unsafe { tile::put(self.values, begun.wrapping_sub(1), value) };
        }
        if !full && first + len == self.n && lane == 0 {
            let value = match before {
                Some(before) if own.begun == 0 => op(before.value, own.value),
                _ => own.value,
            };
            let runs = begun + own.begun as usize;
            // The first element of all begins a run, so there is one.
            // SAFETY: the last run, behind which none begins.
            unsafe { tile::put(self.values, runs.wrapping_sub(1), value) };
            // SAFETY: one thread of the one warp that has the last element; the launch has a count.
            unsafe { tile::put(self.count, 0, runs as u64) };
        }
    }
}
