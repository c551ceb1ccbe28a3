//! Runs of equal keys: their values combined, or scanned within each run.
//!
//! As a scan, in rows of 32 elements. Where runs begin in a row is a mask, from `ballot`: a lane takes from a lane before it only if no run begins between. What warps
//! and tiles tell each other is how many runs begin in them, and the value of the last one.

use std::array::from_fn;
use std::marker::PhantomData;

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::{Segments, State, Value, WORDS};
use crate::{Error, tile};

/// Elements of a thread.
const ITEMS: usize = 12;

/// What is written: the value of each run.
const REDUCE: u32 = 0;
/// What is written: for each element the value of its run up to it.
const INCLUSIVE: u32 = 1;
/// What is written: for each element the value of its run before it.
const EXCLUSIVE: u32 = 2;

/// An algorithm over runs of equal keys that was described and has not run; see [`crate::Reductions::by_key`](crate::Reductions::by_key).
#[must_use = "nothing runs before `reduce`, `reduce_count`, `inclusive_scan` or `exclusive_scan`"]
pub struct ByKey<'s, 'a, M: Memory, F, V, O> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) op: O,
    pub(crate) plan: Option<&'s mut ByKeyPlan<V>>,
}

/// The memory of an algorithm over runs of equal keys, for use again and again and in graphs: of no more than the elements that it was made for.
pub struct ByKeyPlan<V> {
    states: DeviceBuffer<u64>,
    value: PhantomData<fn() -> V>,
}

impl<V: Plain> ByKeyPlan<V> {
    /// Memory for up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(ByKeyPlan {
            states: device.alloc_uninit(Self::words(len))?,
            value: PhantomData,
        })
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        Ok(ByKeyPlan {
            states: pool.alloc_uninit(Self::words(len), stream)?,
            value: PhantomData,
        })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.len() * size_of::<u64>()
    }

    const fn words(len: usize) -> usize {
        lookback::words::<Segments<V>>(tile::tiles(len, ITEMS))
    }
}

impl<'s, M, F, K, V, O> ByKey<'s, '_, M, F, V, O>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
    O: Fn(V, V) -> V + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut ByKeyPlan<V>) -> Self {
        ByKey {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the reduction: the key of each run from the first of `keys` on, its value from the first of `values` on, how many runs in the first of `count`.
    /// Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `keys` or `values` have room for fewer elements than the input has, `count` for none, or the plan is for fewer; what launches and
    /// allocations report.
    pub fn reduce(
        self,
        keys: impl IntoOutput<K>,
        values: impl IntoOutput<V>,
        count: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        let (n, mut count) = (self.input.len(), count.output());
        let (mut keys, mut values) = (keys.output(), values.output());
        Error::check_room("the output for keys", keys.len(), n)?;
        Error::check_room("the output for values", values.len(), n)?;
        Error::check_room("the count of runs", count.len(), 1)?;
        if n == 0 {
            return Ok(count.slice_mut(..1)?.fill(0, self.stream)?);
        }
        let (keys, values) = (keys.slice_mut(..n)?, values.slice_mut(..n)?);
        self.run::<REDUCE>(None, keys, values, count)
    }

    /// Runs the reduction and waits for how many runs there are; see [`reduce`](Self::reduce).
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce); what the wait reports.
    pub fn reduce_count(
        self,
        keys: impl IntoOutput<K>,
        values: impl IntoOutput<V>,
    ) -> Result<usize, Error> {
        let stream = self.stream;
        let mut count = stream.device().pool()?.alloc_uninit(1, stream)?;
        self.reduce(keys, values, &mut count)?;
        Ok(count.get(0, stream)? as usize)
    }

    /// Queues a scan within each run: for each element what the elements of its run up to it have. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `values` or the plan is for fewer elements; what launches and allocations report.
    pub fn inclusive_scan(self, values: impl IntoOutput<V>) -> Result<(), Error> {
        self.scan::<INCLUSIVE>(None, values.output())
    }

    /// Queues a scan within each run: for each element what `init` and the elements of its run before it have. Does not wait.
    ///
    /// # Errors
    /// As [`inclusive_scan`](Self::inclusive_scan).
    pub fn exclusive_scan(self, init: V, values: impl IntoOutput<V>) -> Result<(), Error> {
        self.scan::<EXCLUSIVE>(Some(init), values.output())
    }

    fn scan<const MODE: u32>(
        self,
        init: Option<V>,
        mut values: DeviceSliceMut<'_, V>,
    ) -> Result<(), Error> {
        let n = self.input.len();
        Error::check_room("the output of a scan", values.len(), n)?;
        if n == 0 {
            return Ok(());
        }
        let device = self.stream.device();
        let (mut keys, mut count) = (device.alloc_uninit(0)?, device.alloc_uninit(0)?);
        let values = values.slice_mut(..n)?;
        self.run::<MODE>(init, keys.as_slice_mut(), values, count.as_slice_mut())
    }

    fn run<const MODE: u32>(
        self,
        init: Option<V>,
        keys: DeviceSliceMut<'_, K>,
        values: DeviceSliceMut<'_, V>,
        count: DeviceSliceMut<'_, u64>,
    ) -> Result<(), Error> {
        let (n, stream) = (self.input.len(), self.stream);
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = ByKeyPlan::on(stream, n)?;
                &mut own
            }
        };
        let words = ByKeyPlan::<V>::words(n);
        Error::check_room("the plan of runs", plan.states.len(), words)?;
        plan.states.slice_mut(..words)?.fill(0, stream)?;
        let states: DeviceSlice<'_, Atomic<u64>> = plan.states.as_atomics().slice(..words)?;
        let empty = Empty::new(stream.device())?;
        let (a, b, c): Arguments<'_, M> = M::arguments(self.input.slices, &empty);
        let Value(nothing) = Value::from_words([0; WORDS]);
        Ok(runs_of_tiles::<M, F, K, V, O, MODE>::launch(
            stream,
            tile::launch(n, ITEMS)?,
            a,
            b,
            c,
            self.input.fetch,
            n,
            self.op,
            init.unwrap_or(nothing),
            states,
            keys,
            values,
            count,
        )?)
    }
}

/// One tile of pairs: [`REDUCE`], [`INCLUSIVE`] or [`EXCLUSIVE`].
#[kernel(block(256), max_registers(80))]
pub fn runs_of_tiles<M, F, K, V, O, const MODE: u32>(
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
    let number = lookback::next_tile(&block, states, shared);
    let (first, whole) = (number * (tile::THREADS * ITEMS), tile::THREADS * ITEMS);
    let view = M::view(a, b, c);
    let items: [(K, V); ITEMS] = tile::load(&block, view, fetch, first, n);
    let place = first + tile::place::<ITEMS>(&block);
    // The key before the warp's first one.
    let of_warp = place - warp.lane() as usize;
    let mut previous = items[0].0;
    if of_warp > 0 && of_warp <= n {
        previous = fetch.get(view, of_warp - 1).0;
    }
    let begins: [u32; ITEMS] = from_fn(|k| {
        let (at, key) = (place + 32 * k, items[k].0);
        // Lane 31 gives lane 0 the last key of the row before.
        let given = if warp.lane() == 31 { previous } else { key };
        let before = warp.shuffle_idx(given, (warp.lane() + 31) % 32);
        previous = key;
        warp.ballot(at < n && (at == 0 || key != before)).bits()
    });
    let rows: [V; ITEMS] = from_fn(|k| scan_row(&warp, begins[k], items[k].1, op));
    let of_rows: [Segments<V>; ITEMS] = from_fn(|k| Segments {
        begun: u64::from(begins[k].count_ones()),
        value: warp.shuffle_idx(rows[k], 31),
    });
    let combine = |a: Segments<V>, b: Segments<V>| Segments {
        begun: a.begun + b.begun,
        value: if b.begun > 0 {
            b.value
        } else {
            op(a.value, b.value)
        },
    };
    let mut of_warp = of_rows[0];
    for &of_row in &of_rows[1..] {
        of_warp = combine(of_warp, of_row);
    }
    let (warps, of_tile) = tile::before_warp(&block, &warp, shared, of_warp, combine);
    let tiles = lookback::before(&block, &warp, (states, shared), number, of_tile, combine);
    let before_tile = tiles.map_or(0, |tiles| tiles.begun);
    let mut before = tiles;
    if let Some(warps) = warps {
        before = Some(before.map_or(warps, |before| combine(before, warps)));
    }
    for k in 0..ITEMS {
        let (at, up_to) = (place + 32 * k, begins[k] & warp.lanes_up_to().bits());
        let mut value = rows[k];
        if up_to == 0
            && let Some(before) = before
        {
            value = op(before.value, value);
        }
        let earlier = warp.shuffle_up(value, 1);
        if MODE == REDUCE {
            let run = before.map_or(0, |before| before.begun) + u64::from(up_to.count_ones());
            // The first element of all begins a run, so there is one up to each.
            let run = (run as usize).wrapping_sub(1);
            let begins_here = begins[k] & warp.own_lane().bits() != 0;
            if begins_here {
                // SAFETY: one run per beginning, so another place for each, below the number of elements.
                unsafe { tile::put(&mut keys, run, items[k].0) };
            }
            // Where a run begins, the one before it ends: beginnings are counted once, so that a comparison which answers
            // otherwise elsewhere cannot give two threads one place.
            let of_previous = match before {
                Some(before) if warp.lane() == 0 => before.value,
                _ => earlier,
            };
            if begins_here && run > 0 {
                // SAFETY: as above, of the run before.
                unsafe { tile::put(&mut values, run - 1, of_previous) };
            }
            if at + 1 == n {
                // SAFETY: the last run, behind which none begins.
                unsafe { tile::put(&mut values, run, value) };
            }
        } else if at < n {
            let value = match before {
                _ if MODE == INCLUSIVE => value,
                _ if up_to & warp.own_lane().bits() != 0 => init,
                _ if warp.lane() > 0 => op(init, earlier),
                Some(before) => op(init, before.value),
                None => init,
            };
            // SAFETY: within the slice, and the place is this thread's alone: a tile is of one block, by the counter.
            unsafe { tile::put(&mut values, at, value) };
        }
        before = Some(before.map_or(of_rows[k], |before| combine(before, of_rows[k])));
    }
    if MODE == REDUCE && first + whole >= n && block.thread() == 0 {
        // SAFETY: one thread of the one block that has the last tile; the launch has a count.
        unsafe { tile::put(&mut count, 0, before_tile + of_tile.begun) };
    }
}

/// For each lane what the lanes of its run up to it have; runs begin at the bits of `begins`.
#[inline(always)]
fn scan_row<V: Plain>(warp: &Warp<'_>, begins: u32, mut value: V, op: impl Fn(V, V) -> V) -> V {
    let up_to = begins & warp.lanes_up_to().bits();
    // The lane where the run begins, or lane 0 if it began in an earlier row.
    let first = 31 - (up_to | 1).leading_zeros();
    for delta in [1, 2, 4, 8, 16] {
        let before = warp.shuffle_up(value, delta);
        if warp.lane() >= first + delta {
            value = op(before, value);
        }
    }
    value
}
