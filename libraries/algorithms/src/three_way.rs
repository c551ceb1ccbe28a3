//! A partition in three parts, each in order and without gaps, in one pass over memory.
//!
//! As [`select`](crate::select), with two masks for each row of a warp: of the elements of the first part, and of those of the second. Two counts travel between tiles, of 32 bits each.

use warploom::device_std::atomic::Atomic;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::output::IntoOutput;
use crate::select::{SelectPlan, staged, staged_bytes};
use crate::state::Value;
use crate::tuning::by_size;
use crate::{Error, tile, tile_states};

/// Elements of a thread: of up to 4 bytes, of up to 8, and larger ones.
const FOUR: usize = 16;
const EIGHT: usize = 8;
const LARGER: usize = 4;

/// Elements of a thread.
const fn items<T>() -> usize {
    let items = by_size::<T>([FOUR, FOUR, FOUR, EIGHT, LARGER]);
    tile::fitting(items, staged_bytes::<T>())
}

/// How many elements the first and the second part have.
type Counts = [u32; 2];

/// A partition in three parts that was described and has not run; see [`crate::Selections::three_way_partition`](crate::Selections::three_way_partition).
#[must_use = "nothing runs before `into` or `counts`"]
pub struct ThreeWayPartition<'s, 'a, M: Memory, F, P, Q> {
    stream: &'s Stream,
    input: Input<'a, M, F>,
    first: P,
    second: Q,
    plan: Option<&'s mut SelectPlan>,
}

impl<'s, 'a, M, F, P, Q> ThreeWayPartition<'s, 'a, M, F, P, Q>
where
    M: Memory,
    F: Fetch<M, Item: Plain>,
    P: Fn(F::Item) -> bool + Copy + Send + Sync + 'static,
    Q: Fn(F::Item) -> bool + Copy + Send + Sync + 'static,
{
    pub(crate) fn new(stream: &'s Stream, input: Input<'a, M, F>, first: P, second: Q) -> Self {
        ThreeWayPartition {
            stream,
            input,
            first,
            second,
            plan: None,
        }
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut SelectPlan) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Queues the partition: each part from the first element of its output on; how many elements the first and the second part have in the first two of `counts`.
    /// Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if an output has room for fewer elements than the input has, `counts` for fewer than two, or the plan is for fewer; [`Error::TooMany`]
    /// from 2^32 elements on; what launches and allocations report.
    pub fn into(
        self,
        first: impl IntoOutput<F::Item>,
        second: impl IntoOutput<F::Item>,
        rest: impl IntoOutput<F::Item>,
        counts: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        let (n, stream) = (self.input.len(), self.stream);
        let (mut first, mut second, mut rest) = (first.output(), second.output(), rest.output());
        let mut counts = counts.output();
        Error::check_room("the output for the first part", first.len(), n)?;
        Error::check_room("the output for the second part", second.len(), n)?;
        Error::check_room("the output for the rest", rest.len(), n)?;
        Error::check_room("the counts of a partition", counts.len(), 2)?;
        if u32::try_from(n).is_err() {
            return Err(Error::TooMany {
                what: "a partition in three parts",
                most: u32::MAX.into(),
                len: n,
            });
        }
        if n == 0 {
            return Ok(counts.slice_mut(..2)?.fill(0, stream)?);
        }
        let words = SelectPlan::words::<Value<Counts>>(n, const { items::<F::Item>() });
        let (planned, mut own) = (self.plan.map(|plan| &mut plan.states), None);
        let what = ("the plan of a partition", words);
        let states = tile_states::cleared(planned, &mut own, what, stream)?;
        let empty = Empty::new(stream.device())?;
        let launch = PartitionLaunch {
            stream,
            slices: M::arguments(self.input.slices, &empty),
            fetch: self.input.fetch,
            n,
            predicates: (self.first, self.second),
            states,
            parts: [
                first.slice_mut(..n)?,
                second.slice_mut(..n)?,
                rest.slice_mut(..n)?,
            ],
            counts: counts.slice_mut(..2)?,
        };
        match const { items::<F::Item>() } {
            FOUR => launch.run::<FOUR>(),
            EIGHT => launch.run::<EIGHT>(),
            _ => launch.run::<LARGER>(),
        }
    }

    /// Runs the partition and waits for how many elements the first and the second part have; see [`into`](Self::into).
    ///
    /// # Errors
    /// As [`into`](Self::into); what the wait reports.
    pub fn counts(
        self,
        first: impl IntoOutput<F::Item>,
        second: impl IntoOutput<F::Item>,
        rest: impl IntoOutput<F::Item>,
    ) -> Result<(usize, usize), Error> {
        let stream = self.stream;
        let mut counts: DeviceBuffer<u64> = stream.device().pool()?.alloc_uninit(2, stream)?;
        self.into(first, second, rest, &mut counts)?;
        let counts = counts.to_vec(stream)?;
        Ok((counts[0] as usize, counts[1] as usize))
    }
}

/// The arguments of the kernel.
struct PartitionLaunch<'l, M: Memory, F: Fetch<M, Item: Plain>, P, Q> {
    stream: &'l Stream,
    slices: Arguments<'l, M>,
    fetch: F,
    n: usize,
    predicates: (P, Q),
    states: DeviceSlice<'l, Atomic<u64>>,
    parts: [DeviceSliceMut<'l, F::Item>; 3],
    counts: DeviceSliceMut<'l, u64>,
}

impl<M, F, P, Q> PartitionLaunch<'_, M, F, P, Q>
where
    M: Memory,
    F: Fetch<M, Item: Plain>,
    P: Fn(F::Item) -> bool + Copy + Send + Sync + 'static,
    Q: Fn(F::Item) -> bool + Copy + Send + Sync + 'static,
{
    fn run<const ITEMS: usize>(self) -> Result<(), Error> {
        let bytes = tile::slots_bytes(ITEMS, staged_bytes::<F::Item>());
        let shape = tile::one_pass(self.n, ITEMS)?.dynamic_shared(bytes);
        let (a, b, c) = self.slices;
        let [first, second, rest] = self.parts;
        Ok(partition_tiles::<M, F, F::Item, P, Q, ITEMS>::launch(
            self.stream,
            shape,
            a,
            b,
            c,
            self.fetch,
            self.n,
            self.predicates.0,
            self.predicates.1,
            self.states,
            first,
            second,
            rest,
            self.counts,
        )?)
    }
}

/// Elements for which `in_first` holds to `first`, others for which `in_second` holds to `second`, others to `rest`; the last tile's block writes the counts of
/// the first two. Each predicate is asked once for an element, the second only if the first does not hold.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn partition_tiles<M, F, T, P, Q, const ITEMS: usize>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    in_first: P,
    in_second: Q,
    states: &[Atomic<u64>],
    memory: DynamicShared<u64>,
    mut first: DisjointSlice<T>,
    mut second: DisjointSlice<T>,
    mut rest: DisjointSlice<T>,
    mut counts: DisjointSlice<u64>,
) where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    P: Fn(T) -> bool + Copy + Send + Sync + 'static,
    Q: Fn(T) -> bool + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let shared = shared_array!(u32, tile::SHARED);
    let whole = tile::THREADS * ITEMS;
    let pass = PartitionPass::<M, F, T, P, Q, ITEMS> {
        view: M::view(a, b, c),
        fetch,
        n,
        predicates: (in_first, in_second),
        staged: memory.as_ptr(),
        parts: [first.raw(), second.raw(), rest.raw()],
        counts: counts.raw(),
    };
    lookback::run(&block, &warp, (states, shared), (whole, n), &pass);
}

/// A partition, as [`lookback::run`] runs it.
struct PartitionPass<'k, M: Memory + 'k, F, T: Plain, P, Q, const ITEMS: usize> {
    view: M::View<'k>,
    fetch: F,
    n: usize,
    predicates: (P, Q),
    staged: *mut u64,
    parts: [*mut T; 3],
    counts: *mut u64,
}

impl<M: Memory, F, T: Plain, P, Q, const ITEMS: usize> PartitionPass<'_, M, F, T, P, Q, ITEMS> {
    /// Where the warp's elements or their places wait: one of both is used, in the same memory.
    #[inline(always)]
    fn parts(&self, warp: &Warp<'_>, slot: Slot) -> (tile::Part<T, ITEMS>, tile::Part<u32, ITEMS>) {
        let distance = tile::THREADS * ITEMS * staged_bytes::<T>();
        let elements = tile::Part::of_warp(warp, self.staged.cast(), slot, distance);
        let places = tile::Part::of_warp(warp, self.staged.cast(), slot, distance);
        (elements, places)
    }
}

impl<M, F, T, P, Q, const ITEMS: usize> OnePass for PartitionPass<'_, M, F, T, P, Q, ITEMS>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    P: Fn(T) -> bool + Copy,
    Q: Fn(T) -> bool + Copy,
{
    type State = Value<Counts>;
    type Items = [T; ITEMS];
    /// Elements of the first and the second part that the warp has.
    type Kept = [u32; 2];

    #[inline(always)]
    fn prefetch(&self, warp: &Warp<'_>, number: usize) {
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let lane = warp.lane() as usize;
        self.fetch.prefetch(self.view, first, 32 * ITEMS, lane);
    }

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> [T; ITEMS] {
        let first = number * tile::THREADS * ITEMS;
        tile::load::<M, F, ITEMS>(block, self.view, self.fetch, first, self.n)
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        (number, slot): (usize, Slot),
        full: bool,
        items: [T; ITEMS],
    ) -> (Value<Counts>, [u32; 2]) {
        let lane = warp.lane() as usize;
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let left = tile::len_of_warp::<ITEMS>(first, self.n, full).saturating_sub(lane);
        let (in_first, in_second) = self.predicates;
        let (elements, places) = self.parts(warp, slot);
        warp.sync();
        // For each part a bit for each row; so that all counts are there before an element is given its place.
        let (mut own, mut counts) = ([0u32; 2], [0; 2]);
        for (k, &item) in items.iter().enumerate() {
            let here = full || 32 * k < left;
            let to_first = here && in_first(item);
            let to_second = here && !to_first && in_second(item);
            for (part, to) in [to_first, to_second].into_iter().enumerate() {
                own[part] |= u32::from(to) << k;
                counts[part] += warp.ballot(to).count();
            }
        }
        let below = warp.lanes_below().bits();
        let mut earlier = [0; 2];
        for (k, &item) in items.iter().enumerate() {
            let to = own.map(|bits| bits & 1 << k != 0);
            let rows = to.map(|to| warp.ballot(to).bits());
            let ranks = [0, 1].map(|part| earlier[part] + (rows[part] & below).count_ones());
            let at = match to {
                [true, _] => ranks[0],
                [_, true] => counts[0] + ranks[1],
                // The elements before this one in the warp, and those of the first two parts behind it.
                _ => (lane + 32 * k) as u32 + (counts[0] - ranks[0]) + (counts[1] - ranks[1]),
            } as usize;
            if full || 32 * k < left {
                if staged::<T>() {
                    // SAFETY: the three parts side by side, each in order: a place below the warp's number of elements for each of them.
                    unsafe { elements.set(at, item) };
                } else {
                    // SAFETY: as above.
                    unsafe { places.set(at, (lane + 32 * k) as u32) };
                }
            }
            for part in [0, 1] {
                earlier[part] += rows[part].count_ones();
            }
        }
        (Value(counts), counts)
    }

    #[inline(always)]
    fn combine(&self, Value([a, b]): Value<Counts>, Value([c, d]): Value<Counts>) -> Value<Counts> {
        Value([a + c, b + d])
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Value<Counts>>, full: bool, own: Counts) {
        let lane = warp.lane() as usize;
        let first = tile::first_of_warp::<ITEMS>(tile.number, warp.index());
        let len = tile::len_of_warp::<ITEMS>(first, self.n, full);
        let (elements, places) = self.parts(warp, tile.slot);
        let [tiles, warps] =
            [tile.before, tile.warps].map(|counts| counts.unwrap_or(Value([0, 0])));
        let Value(before) = self.combine(tiles, warps);
        let before = before.map(|count| count as usize);
        let own = own.map(|count| count as usize);
        // Where the first element of the warp's part would be if all before it in the warp were of that part.
        let to = [
            before[0],
            before[1].wrapping_sub(own[0]),
            first
                .wrapping_sub(before[0] + before[1])
                .wrapping_sub(own[0] + own[1]),
        ];
        // Of the elements from this lane's first on. Compared with constants, so that no register has the place of each.
        let ends = [own[0], own[0] + own[1], len].map(|end| end.saturating_sub(lane));
        for k in 0..ITEMS {
            let (at, row) = (lane + 32 * k, 32 * k);
            if row >= ends[2] {
                continue;
            }
            let item = if staged::<T>() {
                // SAFETY: a place that `stage` wrote.
                unsafe { elements.get(at) }
            } else {
                // SAFETY: as above.
                let place = unsafe { places.get(at) };
                self.fetch.get(self.view, first + place as usize)
            };
            let (part, to) = if row < ends[0] {
                (self.parts[0], to[0])
            } else if row < ends[1] {
                (self.parts[1], to[1])
            } else {
                (self.parts[2], to[2])
            };
            // SAFETY: the number of elements before this one in its part: below `n`, and another for each of them.
            unsafe { tile::put(part, to.wrapping_add(at), item) };
        }
        if !full && len > 0 && first + len == self.n && lane == 0 {
            for part in [0, 1] {
                // SAFETY: one lane of the one warp that has the last element; the launch has two counts.
                unsafe { tile::put(self.counts, part, (before[part] + own[part]) as u64) };
            }
        }
    }
}
