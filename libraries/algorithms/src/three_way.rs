//! A partition in three parts, each in order and without gaps, in one pass over memory.
//!
//! As [`select`](crate::select), with two masks for each row of a warp: of the elements of the first part, and of those of the second. Two counts travel between tiles, of 32 bits each: with 64 the words of
//! a look-back's states took so many registers that elements were spilled.

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::Value;
use crate::tuning::by_size;
use crate::{Error, tile};

/// Elements of a thread, by their size.
const ITEMS: [usize; 5] = [10, 10, 10, 6, 4];

/// A partition in three parts that was described and has not run; see [`crate::Selections::three_way_partition`](crate::Selections::three_way_partition).
#[must_use = "nothing runs before `into` or `counts`"]
pub struct ThreeWayPartition<'s, 'a, M: Memory, F, P, Q> {
    stream: &'s Stream,
    input: Input<'a, M, F>,
    first: P,
    second: Q,
    plan: Option<&'s mut ThreeWayPlan>,
}

/// The memory of a partition in three parts, for use again and again and in graphs: of no more than the elements that it was made for, of any type.
pub struct ThreeWayPlan {
    states: DeviceBuffer<u64>,
}

impl ThreeWayPlan {
    /// Memory for partitions of up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let states = device.alloc_uninit(Self::words(len, ITEMS[4]))?;
        Ok(ThreeWayPlan { states })
    }

    fn on(stream: &Stream, len: usize, items: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        let states = pool.alloc_uninit(Self::words(len, items), stream)?;
        Ok(ThreeWayPlan { states })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.len() * size_of::<u64>()
    }

    const fn words(len: usize, items: usize) -> usize {
        lookback::words::<Value<[u32; 2]>>(tile::tiles(len, items))
    }
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
    pub fn plan(mut self, plan: &'s mut ThreeWayPlan) -> Self {
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
        let items = by_size::<F::Item>(ITEMS);
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = ThreeWayPlan::on(stream, n, items)?;
                &mut own
            }
        };
        let words = ThreeWayPlan::words(n, items);
        Error::check_room("the plan of a partition", plan.states.len(), words)?;
        plan.states.slice_mut(..words)?.fill(0, stream)?;
        let empty = Empty::new(stream.device())?;
        let launch = PartitionLaunch {
            stream,
            slices: M::arguments(self.input.slices, &empty),
            fetch: self.input.fetch,
            n,
            predicates: (self.first, self.second),
            states: plan.states.as_atomics().slice(..words)?,
            parts: [
                first.slice_mut(..n)?,
                second.slice_mut(..n)?,
                rest.slice_mut(..n)?,
            ],
            counts: counts.slice_mut(..2)?,
        };
        match const { by_size::<F::Item>(ITEMS) } {
            10 => launch.run::<10>(),
            6 => launch.run::<6>(),
            _ => launch.run::<4>(),
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
        let (a, b, c) = self.slices;
        let [first, second, rest] = self.parts;
        Ok(partition_tiles::<M, F, F::Item, P, Q, ITEMS>::launch(
            self.stream,
            tile::one_tile_each(self.n, ITEMS)?,
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
#[kernel(block(256), max_registers(64))]
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
    let shared = shared_array!(u32, tile::SHARED);
    let number = lookback::next_tile(&block, states, shared);
    let start = number * (tile::THREADS * ITEMS);
    let items: [T; ITEMS] = tile::load::<M, F, ITEMS>(&block, M::view(a, b, c), fetch, start, n);
    let place = start + tile::place::<ITEMS>(&block);
    // Lane `k` keeps the masks of row `k`, so that they take two registers. The counts of a tile, of 2560 elements at most, are the halves of one word.
    let (mut masks, mut of_warp) = ([0, 0], 0);
    for (k, &item) in items.iter().enumerate() {
        let (mut to_first, mut to_second) = (false, false);
        if place + 32 * k < n {
            to_first = in_first(item);
            to_second = !to_first && in_second(item);
        }
        let rows = [warp.ballot(to_first), warp.ballot(to_second)];
        if warp.lane() as usize == k {
            masks = rows.map(|row| row.bits());
        }
        of_warp += rows[0].count() | rows[1].count() << 16;
    }
    let add = |Value(a), Value(b)| Value(a + b);
    let (warps, Value(of_tile)) =
        tile::before_warp(&block, &warp, shared, Value(of_warp), tile::WARPS, add);
    let of_tile = split(of_tile);
    let add =
        |Value([a, b]): Value<[u32; 2]>, Value([c, d]): Value<[u32; 2]>| Value([a + c, b + d]);
    let tiles = lookback::of_one_tile(&block, &warp, (states, shared), number, Value(of_tile), add);
    let Value(before_tile) = tiles.unwrap_or(Value([0, 0]));
    // Where the warp's elements of each part begin; within the warp 32 bits count.
    let of_warps = split(warps.map_or(0, |Value(warps)| warps));
    let to_first = (before_tile[0] + of_warps[0]) as usize;
    let to_second = (before_tile[1] + of_warps[1]) as usize;
    let lane = warp.lane();
    let to_rest = place - lane as usize - to_first - to_second;
    let (own, below) = (warp.own_lane().bits(), warp.lanes_below().bits());
    let (mut firsts, mut seconds) = (0, 0);
    for (k, &item) in items.iter().enumerate() {
        let rows = masks.map(|mask| warp.shuffle_idx(mask, k as u32));
        // How many elements of each part are before this one in the warp: another number for each element of the part.
        let in_first = firsts + (rows[0] & below).count_ones();
        let in_second = seconds + (rows[1] & below).count_ones();
        if rows[0] & own != 0 {
            // SAFETY: fewer than `n` elements are before this one in its part, and no other has this number.
            unsafe { tile::put(first.raw(), to_first + in_first as usize, item) };
        } else if rows[1] & own != 0 {
            // SAFETY: as above.
            unsafe { tile::put(second.raw(), to_second + in_second as usize, item) };
        } else if place + 32 * k < n {
            // Of the elements before this one those of the other parts.
            let in_rest = lane + 32 * k as u32 - in_first - in_second;
            // SAFETY: as above.
            unsafe { tile::put(rest.raw(), to_rest + in_rest as usize, item) };
        }
        firsts += rows[0].count_ones();
        seconds += rows[1].count_ones();
    }
    if start + tile::THREADS * ITEMS >= n && block.thread() == 0 {
        for (k, of_tile) in of_tile.into_iter().enumerate() {
            // SAFETY: one thread of the one block that has the last tile; the launch has two counts.
            unsafe { tile::put(counts.raw(), k, u64::from(before_tile[k] + of_tile)) };
        }
    }
}

/// The two counts in the halves of a word.
#[inline(always)]
fn split(counts: u32) -> [u32; 2] {
    [counts & 0xffff, counts >> 16]
}
