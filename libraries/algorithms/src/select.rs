//! The elements for which a predicate holds, in order and without gaps, in one pass over memory.
//!
//! Tiles, rows and look-back as for scans; but what is scanned are counts, which `ballot` gives for a row at once.

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
const ITEMS: [usize; 5] = [16, 16, 16, 8, 4];

/// A selection that was described and has not run; see [`crate::Selections::select`](crate::Selections::select).
#[must_use = "nothing runs before `into`, `into_with_rest` or `count`"]
pub struct Select<'s, 'a, M: Memory, F, P> {
    pub(crate) selection: Selection<'s, 'a, M, F>,
    pub(crate) predicate: P,
}

/// A selection with a function that was described and has not run; see [`crate::Selections::filter_map`](crate::Selections::filter_map).
#[must_use = "nothing runs before `into` or `count`"]
pub struct FilterMap<'s, 'a, M: Memory, F, P> {
    pub(crate) selection: Selection<'s, 'a, M, F>,
    pub(crate) f: P,
}

/// What all selections have.
pub(crate) struct Selection<'s, 'a, M: Memory, F> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) plan: Option<&'s mut SelectPlan>,
}

/// The memory of a selection, for use again and again and in graphs: of no more than the elements that it was made for, of any type.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::SelectPlan;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let x = device.upload(&Vec::from_iter(0..10_000u32))?;
/// let (mut kept, mut count) = (device.zeroed(10_000)?, device.zeroed(1)?);
/// let mut plan = SelectPlan::new(&device, x.len())?;
/// stream.select(&x, |x| x % 3 == 0).plan(&mut plan).into(&mut kept, &mut count)?;
/// assert_eq!(count.to_vec(&stream)?, [3334]);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct SelectPlan {
    states: DeviceBuffer<u64>,
}

impl SelectPlan {
    /// Memory for selections among up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let states = device.alloc_uninit(Self::words(len, ITEMS[4]))?;
        Ok(SelectPlan { states })
    }

    fn on(stream: &Stream, len: usize, items: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        let states = pool.alloc_uninit(Self::words(len, items), stream)?;
        Ok(SelectPlan { states })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.len() * size_of::<u64>()
    }

    const fn words(len: usize, items: usize) -> usize {
        lookback::words::<Value<u64>>(tile::tiles(len, items))
    }
}

impl<'s, M, F, P> Select<'s, '_, M, F, P>
where
    M: Memory,
    F: Fetch<M, Item: Plain>,
    P: Fn(F::Item) -> bool + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut SelectPlan) -> Self {
        self.selection.plan = Some(plan);
        self
    }

    /// Queues the selection: the selected elements from the first of `selected` on, how many in the first of `count`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `selected` has room for fewer elements than the input has, `count` for none, or the plan is for fewer; what launches and
    /// allocations report.
    pub fn into(
        self,
        selected: impl IntoOutput<F::Item>,
        count: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        let predicate = self.predicate;
        let choose = move |item| {
            if predicate(item) {
                Ok(item)
            } else {
                Err(Nothing {})
            }
        };
        self.selection
            .run(choose, selected.output(), None, count.output())
    }

    /// As [`into`](Self::into), and the other elements from the first of `rest` on, in order too. CUDA: `cub::DevicePartition`,
    /// `thrust::stable_partition_copy`.
    ///
    /// # Errors
    /// As [`into`](Self::into), for `rest` too.
    pub fn into_with_rest(
        self,
        selected: impl IntoOutput<F::Item>,
        rest: impl IntoOutput<F::Item>,
        count: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        let predicate = self.predicate;
        let choose = move |item| if predicate(item) { Ok(item) } else { Err(item) };
        let rest = Some(rest.output());
        self.selection
            .run(choose, selected.output(), rest, count.output())
    }

    /// Runs the selection and waits for how many elements were selected; they stand from the first of `selected` on.
    ///
    /// # Errors
    /// As [`into`](Self::into); what the wait reports.
    pub fn count(self, selected: impl IntoOutput<F::Item>) -> Result<usize, Error> {
        let stream = self.selection.stream;
        let mut count = stream.device().pool()?.alloc_uninit(1, stream)?;
        self.into(selected, &mut count)?;
        Ok(count.get(0, stream)? as usize)
    }
}

impl<'s, M, F, P, U> FilterMap<'s, '_, M, F, P>
where
    M: Memory,
    F: Fetch<M>,
    P: Fn(F::Item) -> Option<U> + Copy + Send + Sync + 'static,
    U: Plain,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut SelectPlan) -> Self {
        self.selection.plan = Some(plan);
        self
    }

    /// Queues the selection: the values from the first of `selected` on, how many in the first of `count`. Does not wait.
    ///
    /// # Errors
    /// As [`Select::into`].
    pub fn into(
        self,
        selected: impl IntoOutput<U>,
        count: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        let f = self.f;
        let choose = move |item| f(item).ok_or(Nothing {});
        self.selection
            .run(choose, selected.output(), None, count.output())
    }

    /// Runs the selection and waits for how many values there are; they stand from the first of `selected` on.
    ///
    /// # Errors
    /// As [`Select::into`]; what the wait reports.
    pub fn count(self, selected: impl IntoOutput<U>) -> Result<usize, Error> {
        let stream = self.selection.stream;
        let mut count = stream.device().pool()?.alloc_uninit(1, stream)?;
        self.into(selected, &mut count)?;
        Ok(count.get(0, stream)? as usize)
    }
}

/// What stands for an element that is not written anywhere.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Nothing {}

impl<M: Memory, F: Fetch<M>> Selection<'_, '_, M, F> {
    fn run<U: Plain, R: Plain, C>(
        self,
        choose: C,
        mut selected: DeviceSliceMut<'_, U>,
        mut rest: Option<DeviceSliceMut<'_, R>>,
        mut count: DeviceSliceMut<'_, u64>,
    ) -> Result<(), Error>
    where
        C: Fn(F::Item) -> Result<U, R> + Copy + Send + Sync + 'static,
    {
        let (n, stream) = (self.input.len(), self.stream);
        Error::check_room("the output of a selection", selected.len(), n)?;
        if let Some(rest) = &rest {
            Error::check_room("the output for the rest of a selection", rest.len(), n)?;
        }
        Error::check_room("the count of a selection", count.len(), 1)?;
        if n == 0 {
            return Ok(count.slice_mut(..1)?.fill(0, stream)?);
        }
        let items = by_size::<U>(ITEMS);
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = SelectPlan::on(stream, n, items)?;
                &mut own
            }
        };
        let words = SelectPlan::words(n, items);
        Error::check_room("the plan of a selection", plan.states.len(), words)?;
        plan.states.slice_mut(..words)?.fill(0, stream)?;
        let empty = Empty::new(stream.device())?;
        let mut nothing = stream.device().alloc_uninit(0)?;
        let launch = SelectLaunch {
            stream,
            slices: M::arguments(self.input.slices, &empty),
            fetch: self.input.fetch,
            n,
            choose,
            states: plan.states.as_atomics().slice(..words)?,
            selected: selected.slice_mut(..n)?,
            rest: match &mut rest {
                Some(rest) => rest.slice_mut(..n)?,
                None => nothing.as_slice_mut(),
            },
            count,
        };
        match const { by_size::<U>(ITEMS) } {
            16 => launch.run::<16>(),
            8 => launch.run::<8>(),
            _ => launch.run::<4>(),
        }
    }
}

/// The arguments of the kernel.
struct SelectLaunch<'l, M: Memory, F, C, U: Plain, R: Plain> {
    stream: &'l Stream,
    slices: Arguments<'l, M>,
    fetch: F,
    n: usize,
    choose: C,
    states: DeviceSlice<'l, Atomic<u64>>,
    selected: DeviceSliceMut<'l, U>,
    rest: DeviceSliceMut<'l, R>,
    count: DeviceSliceMut<'l, u64>,
}

impl<M, F, C, U, R> SelectLaunch<'_, M, F, C, U, R>
where
    M: Memory,
    F: Fetch<M>,
    C: Fn(F::Item) -> Result<U, R> + Copy + Send + Sync + 'static,
    U: Plain,
    R: Plain,
{
    fn run<const ITEMS: usize>(self) -> Result<(), Error> {
        let (a, b, c) = self.slices;
        Ok(select_tiles::<M, F, C, U, R, ITEMS>::launch(
            self.stream,
            tile::launch(self.n, ITEMS)?,
            a,
            b,
            c,
            self.fetch,
            self.n,
            self.choose,
            self.states,
            self.selected,
            self.rest,
            self.count,
        )?)
    }
}

/// What `choose` selects to `selected`, and the others, unless they have no bytes, to `rest`; the last tile's block writes how many were selected.
#[kernel(block(256), max_registers(64))]
pub fn select_tiles<M, F, C, U, R, const ITEMS: usize>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    choose: C,
    states: &[Atomic<u64>],
    mut selected: DisjointSlice<U>,
    mut rest: DisjointSlice<R>,
    mut count: DisjointSlice<u64>,
) where
    M: Memory,
    F: Fetch<M>,
    C: Fn(F::Item) -> Result<U, R> + Copy + Send + Sync + 'static,
    U: Plain,
    R: Plain,
{
    let shared = shared_array!(u32, tile::SHARED);
    let number = lookback::next_tile(&block, states, shared);
    let first = number * (tile::THREADS * ITEMS);
    let items: [F::Item; ITEMS] = tile::load(&block, M::view(a, b, c), fetch, first, n);
    let place = first + tile::place::<ITEMS>(&block);
    // Which elements of a row are selected is a mask that all lanes have; lane `k` keeps that of row `k`, so that it takes one register.
    let (mut mask, mut of_warp) = (0, 0);
    for (k, &item) in items.iter().enumerate() {
        let row = warp.ballot(place + 32 * k < n && choose(item).is_ok());
        if warp.lane() as usize == k {
            mask = row.bits();
        }
        of_warp += row.count();
    }
    let add = |Value(a): Value<u64>, Value(b)| Value(a + b);
    let (warps, of_tile) = tile::before_warp(&block, &warp, shared, Value(u64::from(of_warp)), add);
    let tiles = lookback::before(&block, &warp, (states, shared), number, of_tile, add);
    let before_tile = tiles.map_or(0, |Value(before)| before);
    let before = (before_tile + warps.map_or(0, |Value(before)| before)) as usize;
    let (own, below) = (warp.own_lane().bits(), warp.lanes_below().bits());
    // Of the warp's elements before the row.
    let mut rows = 0;
    for (k, &item) in items.iter().enumerate() {
        let row = warp.shuffle_idx(mask, k as u32);
        let (at, earlier) = (place + 32 * k, rows + (row & below).count_ones());
        // Chosen anew, so that no register holds the choice meanwhile; what was counted decides.
        match choose(item) {
            Ok(value) if row & own != 0 => {
                // SAFETY: the number of selected elements before this one: below `n`, and another for each of them.
                unsafe { tile::put(&mut selected, before + earlier as usize, value) };
            }
            Err(value) if size_of::<R>() > 0 && at < n && row & own == 0 => {
                // SAFETY: as above, with the number of elements before this one that were not selected.
                unsafe { tile::put(&mut rest, at - before - earlier as usize, value) };
            }
            _ => {}
        }
        rows += row.count_ones();
    }
    let Value(of_tile) = of_tile;
    if first + tile::THREADS * ITEMS >= n && block.thread() == 0 {
        // SAFETY: one thread of the one block that has the last tile; the launch has a count.
        unsafe { tile::put(&mut count, 0, before_tile + of_tile) };
    }
}
