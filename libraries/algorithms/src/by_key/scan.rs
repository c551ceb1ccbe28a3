//! Scans within runs of equal keys, in one pass over memory.
//!
//! As a scan: rows of values are exchanged through shared memory, so that each thread has consecutive ones; keys are compared in rows. What threads, warps and tiles tell each
//! other is whether a run begins in them, and the value of the last one. An exclusive scan is an inclusive one of the elements before each: so a run's last element is combined
//! with nothing.

use std::array::from_fn;

use warploom::device_std::atomic::Atomic;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::begins::{self, Begins, Place, Rows};
use crate::input::{Fetch, Memory};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::state::Begun;
use crate::tile;

/// Tiles of pairs. `INCLUSIVE`: each value has its own element in it; otherwise `init` is what the first of a run has.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn scan_runs<
    M,
    F,
    K,
    V,
    O,
    const ITEMS: usize,
    const INCLUSIVE: bool,
    const DETERMINISTIC: bool,
>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    op: O,
    init: V,
    states: &[Atomic<u64>],
    exchange: DynamicShared<V>,
    mut y: DisjointSlice<V>,
) where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
    O: Fn(V, V) -> V + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let shared = shared_array!(u32, tile::SHARED);
    let (n, whole) = (y.len(), tile::THREADS * ITEMS);
    let pass = ScanPass::<M, F, V, O, ITEMS, INCLUSIVE, DETERMINISTIC> {
        view: M::view(a, b, c),
        fetch,
        n,
        op,
        init,
        exchange: exchange.as_ptr(),
        y: y.raw(),
    };
    lookback::run(&block, &warp, (states, shared), (whole, n), &pass);
}

/// Runs of keys, as [`lookback::run`] runs them.
struct ScanPass<
    'k,
    M: Memory + 'k,
    F,
    V,
    O,
    const ITEMS: usize,
    const INCLUSIVE: bool,
    const DETERMINISTIC: bool,
> {
    view: M::View<'k>,
    fetch: F,
    n: usize,
    op: O,
    init: V,
    exchange: *mut V,
    y: *mut V,
}

impl<
    M: Memory,
    F,
    V: Plain,
    O,
    const ITEMS: usize,
    const INCLUSIVE: bool,
    const DETERMINISTIC: bool,
> ScanPass<'_, M, F, V, O, ITEMS, INCLUSIVE, DETERMINISTIC>
{
    #[inline(always)]
    fn part(&self, warp: &Warp<'_>, slot: Slot) -> tile::Part<V, ITEMS> {
        let distance = tile::THREADS * ITEMS * size_of::<V>();
        tile::Part::of_warp(warp, self.exchange, slot, distance)
    }
}

impl<M, F, K, V, O, const ITEMS: usize, const INCLUSIVE: bool, const DETERMINISTIC: bool> OnePass
    for ScanPass<'_, M, F, V, O, ITEMS, INCLUSIVE, DETERMINISTIC>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
    O: Fn(V, V) -> V + Copy,
{
    const DETERMINISTIC: bool = DETERMINISTIC;
    type State = Begun<V>;
    type Items = Rows<K, V, ITEMS>;
    /// The first element of the warp with which a run begins, or as many as there is room for.
    type Kept = u32;

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
    ) -> (Begun<V>, u32) {
        let (part, lane) = (self.part(warp, slot), warp.lane());
        let place = Place::of::<ITEMS>(warp, number, self.n, full);
        part.put_rows(rows.map(|(_, value)| value));
        let keys = rows.map(|(key, _)| key);
        let begins = Begins::of_rows(warp, place, keys, previous.0);
        warp.sync();
        let own = part.of_thread();
        let values = if INCLUSIVE {
            own
        } else {
            let of_last = warp.shuffle_up(own[ITEMS - 1], 1);
            from_fn(|k| match k {
                _ if begins.at(k) => self.init,
                0 if lane == 0 => previous.1,
                0 => of_last,
                _ => own[k - 1],
            })
        };
        let scanned = begins::scan(warp, place, begins, values, self.op);
        part.put(scanned.up_to);
        let state = Begun {
            begun: begins.all > 0,
            value: warp.shuffle_idx(scanned.all, 31),
        };
        (state, begins.first::<ITEMS>(warp))
    }

    #[inline(always)]
    fn combine(&self, a: Begun<V>, b: Begun<V>) -> Begun<V> {
        a.with(b, self.op)
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Begun<V>>, full: bool, first_begin: u32) {
        let (part, lane) = (self.part(warp, tile.slot), warp.lane() as usize);
        let first = tile::first_of_warp::<ITEMS>(tile.number, warp.index());
        let before = match (tile.before, tile.warps) {
            (Some(tiles), Some(warps)) if first_begin > 0 => Some(self.combine(tiles, warps)),
            (tiles, warps) => warps.or(tiles),
        };
        // Of what the warp has, from this lane's first on. Compared with constants, so that no register has the place of each.
        let left = tile::len_of_warp::<ITEMS>(first, self.n, full).saturating_sub(lane);
        let unbegun = (first_begin as usize).saturating_sub(lane);
        for k in 0..ITEMS {
            if full || 32 * k < left {
                let at = lane + 32 * k;
                // SAFETY: an element's place, which was written before the barriers since then.
                let mut value = unsafe { part.get(at) };
                if let Some(before) = before
                    && 32 * k < unbegun
                {
                    value = (self.op)(before.value, value);
                }
                // SAFETY: within the slice, and the place is this thread's alone: a tile is of one block, by the counter.
                unsafe { tile::put(self.y, first + at, value) };
            }
        }
    }
}
