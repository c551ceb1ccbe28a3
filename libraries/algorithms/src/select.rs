//! The elements that a function selects, in order and without gaps, in one pass over memory.
//!
//! Tiles, rows and look-back as for scans; but what is scanned are counts, which `ballot` gives for a row at once. Each warp puts what it selects side by side
//! in shared memory, so that what it writes to memory is coalesced.

use warploom::device_std::KernelArg;
use warploom::device_std::atomic::Atomic;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::output::IntoOutput;
use crate::state::{Count, State, Value, each};
use crate::tuning::by_size;
use crate::{Error, tile, tile_states};

/// Elements of a thread: of up to 4 bytes, of up to 8, and larger ones.
const FOUR: usize = 20;
const EIGHT: usize = 9;
const LARGER: usize = 4;

/// Elements of a thread.
const fn items<U>() -> usize {
    let items = by_size::<U>([FOUR, FOUR, FOUR, EIGHT, LARGER]);
    tile::fitting(items, staged_bytes::<U>())
}

/// A selection that was described and has not run; see [`crate::Selections::select`](crate::Selections::select),
/// [`filter_map`](crate::Selections::filter_map), [`unique`](crate::Selections::unique).
#[must_use = "nothing runs before `into`, `into_with_rest` or `count`"]
pub struct Select<'s, 'a, M: Memory, F, C> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) choose: C,
    pub(crate) plan: Option<&'s mut SelectPlan>,
}

/// What is selected from elements `I`, as values `U`: a closure of the caller's, or what is unequal to the element before it.
pub trait Choose<I, U>: sealed::Sealed + KernelArg + Send + Sync {
    /// Whether the element before is needed.
    #[doc(hidden)]
    const PREVIOUS: bool = false;

    /// The value that is selected, or else, if it is wanted, that for the rest.
    #[doc(hidden)]
    fn choose(self, previous: Option<I>, item: I) -> Result<U, Option<U>>;

    /// The element of the lane before; for lane 0 that of lane 31 in `row_before`; or what `load` loads. All lanes of the warp make the call.
    #[doc(hidden)]
    fn shifted(warp: &Warp<'_>, row_before: I, row: I, load: impl FnOnce() -> I) -> I {
        let _ = (warp, row_before, load);
        row
    }
}

/// Elements for which a predicate holds.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Where<P>(pub(crate) P);
/// Elements for which a predicate holds, and the others apart.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Parts<P>(P);
/// Values that a function makes of some elements.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Mapped<P>(pub(crate) P);
/// Elements that are unequal to the one before.
#[derive(Clone, Copy, Debug)]
pub struct Changed;

// SAFETY: a closure, which a launch takes by value if it has these bounds; the device pass refuses one with addresses of the host.
unsafe impl<P: Copy + Send + Sync + 'static> KernelArg for Where<P> {}
// SAFETY: as above.
unsafe impl<P: Copy + Send + Sync + 'static> KernelArg for Parts<P> {}
// SAFETY: as above.
unsafe impl<P: Copy + Send + Sync + 'static> KernelArg for Mapped<P> {}
// SAFETY: no bytes.
unsafe impl KernelArg for Changed {}

mod sealed {
    pub trait Sealed {}
}

impl<P> sealed::Sealed for Where<P> {}
impl<P> sealed::Sealed for Parts<P> {}
impl<P> sealed::Sealed for Mapped<P> {}
impl sealed::Sealed for Changed {}

impl<I: Copy, P: Fn(I) -> bool + Copy + Send + Sync + 'static> Choose<I, I> for Where<P> {
    #[inline(always)]
    fn choose(self, _: Option<I>, item: I) -> Result<I, Option<I>> {
        if self.0(item) { Ok(item) } else { Err(None) }
    }
}

impl<I: Copy, P: Fn(I) -> bool + Copy + Send + Sync + 'static> Choose<I, I> for Parts<P> {
    #[inline(always)]
    fn choose(self, _: Option<I>, item: I) -> Result<I, Option<I>> {
        if self.0(item) {
            Ok(item)
        } else {
            Err(Some(item))
        }
    }
}

impl<I, U, P: Fn(I) -> Option<U> + Copy + Send + Sync + 'static> Choose<I, U> for Mapped<P> {
    #[inline(always)]
    fn choose(self, _: Option<I>, item: I) -> Result<U, Option<U>> {
        self.0(item).ok_or(None)
    }
}

impl<I: Plain + PartialEq> Choose<I, I> for Changed {
    const PREVIOUS: bool = true;

    #[inline(always)]
    fn choose(self, previous: Option<I>, item: I) -> Result<I, Option<I>> {
        match previous {
            Some(previous) if previous == item => Err(None),
            _ => Ok(item),
        }
    }

    #[inline(always)]
    fn shifted(warp: &Warp<'_>, row_before: I, row: I, load: impl FnOnce() -> I) -> I {
        // More than lanes exchange.
        if size_of::<I>() > 16 {
            return load();
        }
        let lane = warp.lane();
        let given = if lane == 31 { row_before } else { row };
        let words = each(
            Value(given).to_words(),
            size_of::<I>().div_ceil(4),
            |_, word| warp.shuffle_idx(word, (lane + 31) % 32),
        );
        let Value(before) = Value::from_words(words);
        before
    }
}

/// The memory of a selection or of a partition in three parts, for use again and again and in graphs: of no more than the elements that it was made for, of any type.
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
    pub(crate) states: DeviceBuffer<u64>,
}

impl SelectPlan {
    /// Memory for selections among up to `len` elements, and for partitions of them.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        // The largest states, of the smallest tiles.
        let states = device.alloc_uninit(Self::words::<Value<[u32; 2]>>(len, LARGER))?;
        Ok(SelectPlan { states })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.len() * size_of::<u64>()
    }

    pub(crate) const fn words<S: State>(len: usize, items: usize) -> usize {
        lookback::words::<S>(tile::tiles(len, items))
    }
}

impl<'s, 'a, M: Memory, F: Fetch<M>, C> Select<'s, 'a, M, F, C> {
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut SelectPlan) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Queues the selection: the selected elements from the first of `selected` on, how many in the first of `count`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `selected` has room for fewer elements than the input has, `count` for none, or the plan is for fewer; what launches and
    /// allocations report.
    pub fn into<U: Plain>(
        self,
        selected: impl IntoOutput<U>,
        count: impl IntoOutput<u64>,
    ) -> Result<(), Error>
    where
        C: Choose<F::Item, U>,
    {
        let mut rest = self.stream.device().alloc_uninit(0)?;
        let (selected, rest) = (selected.output(), rest.as_slice_mut());
        self.run::<U, false>(selected, rest, count.output())
    }

    /// Runs the selection and waits for how many elements were selected; they stand from the first of `selected` on.
    ///
    /// # Errors
    /// As [`into`](Self::into); what the wait reports.
    pub fn count<U: Plain>(self, selected: impl IntoOutput<U>) -> Result<usize, Error>
    where
        C: Choose<F::Item, U>,
    {
        let stream = self.stream;
        let mut count = stream.device().pool()?.alloc_uninit(1, stream)?;
        self.into(selected, &mut count)?;
        Ok(count.get(0, stream)? as usize)
    }

    fn run<U: Plain, const REST: bool>(
        self,
        mut selected: DeviceSliceMut<'_, U>,
        mut rest: DeviceSliceMut<'_, U>,
        mut count: DeviceSliceMut<'_, u64>,
    ) -> Result<(), Error>
    where
        C: Choose<F::Item, U>,
    {
        let (n, stream) = (self.input.len(), self.stream);
        let of_rest = if REST { n } else { 0 };
        Error::check_room("the output of a selection", selected.len(), n)?;
        Error::check_room(
            "the output for the rest of a selection",
            rest.len(),
            of_rest,
        )?;
        Error::check_room("the count of a selection", count.len(), 1)?;
        if n == 0 {
            return Ok(count.slice_mut(..1)?.fill(0, stream)?);
        }
        let words = SelectPlan::words::<Count>(n, const { items::<U>() });
        let (planned, mut own) = (self.plan.map(|plan| &mut plan.states), None);
        let what = ("the plan of a selection", words);
        let states = tile_states::cleared(planned, &mut own, what, stream)?;
        let empty = Empty::new(stream.device())?;
        let launch = SelectLaunch {
            stream,
            slices: M::arguments(self.input.slices, &empty),
            fetch: self.input.fetch,
            n,
            choose: self.choose,
            states,
            selected: selected.slice_mut(..n)?,
            rest: rest.slice_mut(..of_rest)?,
            count,
        };
        match const { items::<U>() } {
            FOUR => launch.run::<FOUR, REST>(),
            EIGHT => launch.run::<EIGHT, REST>(),
            _ => launch.run::<LARGER, REST>(),
        }
    }
}

impl<M, F, P> Select<'_, '_, M, F, Where<P>>
where
    M: Memory,
    F: Fetch<M, Item: Plain>,
    P: Fn(F::Item) -> bool + Copy + Send + Sync + 'static,
{
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
        let parts = Select {
            stream: self.stream,
            input: self.input,
            choose: Parts(self.choose.0),
            plan: self.plan,
        };
        parts.run::<_, true>(selected.output(), rest.output(), count.output())
    }
}

/// The arguments of the kernel.
struct SelectLaunch<'l, M: Memory, F, C, U: Plain> {
    stream: &'l Stream,
    slices: Arguments<'l, M>,
    fetch: F,
    n: usize,
    choose: C,
    states: DeviceSlice<'l, Atomic<u64>>,
    selected: DeviceSliceMut<'l, U>,
    rest: DeviceSliceMut<'l, U>,
    count: DeviceSliceMut<'l, u64>,
}

impl<M, F, C, U> SelectLaunch<'_, M, F, C, U>
where
    M: Memory,
    F: Fetch<M>,
    C: Choose<F::Item, U>,
    U: Plain,
{
    fn run<const ITEMS: usize, const REST: bool>(self) -> Result<(), Error> {
        let bytes = tile::slots_bytes(ITEMS, staged_bytes::<U>());
        let shape = tile::one_pass(self.n, ITEMS)?.dynamic_shared(bytes);
        let (a, b, c) = self.slices;
        Ok(select_tiles::<M, F, C, U, ITEMS, REST>::launch(
            self.stream,
            shape,
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

/// Whether values wait in shared memory. Of larger ones their places do, and they are chosen anew.
pub(crate) const fn staged<U>() -> bool {
    size_of::<U>() <= 16
}

/// Bytes in shared memory for an element of the input.
pub(crate) const fn staged_bytes<U>() -> usize {
    if staged::<U>() {
        size_of::<U>()
    } else {
        size_of::<u32>()
    }
}

/// What `choose` selects to `selected`, and with `REST` the others to `rest`; the last tile's block writes how many were selected.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn select_tiles<M, F, C, U, const ITEMS: usize, const REST: bool>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    choose: C,
    states: &[Atomic<u64>],
    memory: DynamicShared<u64>,
    mut selected: DisjointSlice<U>,
    mut rest: DisjointSlice<U>,
    mut count: DisjointSlice<u64>,
) where
    M: Memory,
    F: Fetch<M>,
    C: Choose<F::Item, U>,
    U: Plain,
{
    launch_dependents();
    let shared = shared_array!(u32, tile::SHARED);
    let whole = tile::THREADS * ITEMS;
    let pass = SelectPass::<M, F, C, U, ITEMS, REST> {
        view: M::view(a, b, c),
        fetch,
        n,
        choose,
        staged: memory.as_ptr(),
        selected: selected.raw(),
        rest: rest.raw(),
        count: count.raw(),
    };
    lookback::run(&block, &warp, (states, shared), (whole, n), &pass);
}

/// A selection, as [`lookback::run`] runs it.
struct SelectPass<'k, M: Memory + 'k, F, C, U: Plain, const ITEMS: usize, const REST: bool> {
    view: M::View<'k>,
    fetch: F,
    n: usize,
    choose: C,
    staged: *mut u64,
    selected: *mut U,
    rest: *mut U,
    count: *mut u64,
}

impl<M: Memory, F, C, U: Plain, const ITEMS: usize, const REST: bool>
    SelectPass<'_, M, F, C, U, ITEMS, REST>
{
    /// Where the warp's values or their places wait: one of both is used, in the same memory.
    #[inline(always)]
    fn parts(&self, warp: &Warp<'_>, slot: Slot) -> (tile::Part<U, ITEMS>, tile::Part<u32, ITEMS>) {
        let distance = tile::THREADS * ITEMS * staged_bytes::<U>();
        let values = tile::Part::of_warp(warp, self.staged.cast(), slot, distance);
        let places = tile::Part::of_warp(warp, self.staged.cast(), slot, distance);
        (values, places)
    }
}

impl<M, F, C, U, const ITEMS: usize, const REST: bool> OnePass
    for SelectPass<'_, M, F, C, U, ITEMS, REST>
where
    M: Memory,
    F: Fetch<M>,
    C: Choose<F::Item, U>,
    U: Plain,
{
    type State = Count;
    /// And the element before those of the warp, if it is needed.
    type Items = ([F::Item; ITEMS], F::Item);
    /// Elements that the warp selects.
    type Kept = usize;

    #[inline(always)]
    fn prefetch(&self, warp: &Warp<'_>, number: usize) {
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let lane = warp.lane() as usize;
        self.fetch.prefetch(self.view, first, 32 * ITEMS, lane);
    }

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> Self::Items {
        let warp = (block.thread() / 32) as u32;
        let (tile, first) = (
            number * tile::THREADS * ITEMS,
            tile::first_of_warp::<ITEMS>(number, warp),
        );
        let load = || tile::load::<M, F, ITEMS>(block, self.view, self.fetch, tile, self.n);
        if C::PREVIOUS {
            let previous = tile::previous(self.view, self.fetch, first, self.n);
            return (load(), previous);
        }
        let items = load();
        (items, items[0])
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        (number, slot): (usize, Slot),
        full: bool,
        (items, mut previous): Self::Items,
    ) -> (Count, usize) {
        let lane = warp.lane() as usize;
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let len = tile::len_of_warp::<ITEMS>(first, self.n, full);
        let (values, places) = self.parts(warp, slot);
        warp.sync();
        let left = len.saturating_sub(lane);
        let mut count = 0;
        for (k, &item) in items.iter().enumerate() {
            let at = lane + 32 * k;
            let before = C::PREVIOUS.then(|| {
                let load = || match (first + at).checked_sub(1) {
                    Some(before) if full || 32 * k < left => self.fetch.get(self.view, before),
                    _ => item,
                };
                C::shifted(warp, previous, item, load)
            });
            previous = item;
            let before = before.filter(|_| first + at > 0);
            let choice = if full || 32 * k < left {
                self.choose.choose(before, item)
            } else {
                Err(None)
            };
            let row = warp.ballot(choice.is_ok()).bits();
            let earlier = count + (row & warp.lanes_below().bits()).count_ones() as usize;
            let to = match choice {
                Ok(_) => earlier,
                // From the end on backwards.
                Err(_) => 32 * ITEMS - 1 - (at - earlier),
            };
            match choice {
                // SAFETY: selected elements from the front of the part, the others from its end: a place below `32 * ITEMS` for each.
                Ok(value) | Err(Some(value)) if staged::<U>() => unsafe {
                    values.set(to, value);
                },
                // SAFETY: as above.
                Ok(_) | Err(Some(_)) => unsafe { places.set(to, at as u32) },
                Err(None) => {}
            }
            count += row.count_ones() as usize;
        }
        (Count(count), count)
    }

    #[inline(always)]
    fn combine(&self, Count(a): Count, Count(b): Count) -> Count {
        Count(a + b)
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Count>, full: bool, count: usize) {
        let lane = warp.lane() as usize;
        let [tiles, warps] = [tile.before, tile.warps].map(|n| n.map_or(0, |Count(n)| n));
        let (before, first) = (
            tiles + warps,
            tile::first_of_warp::<ITEMS>(tile.number, warp.index()),
        );
        let len = tile::len_of_warp::<ITEMS>(first, self.n, full);
        let (values, places) = self.parts(warp, tile.slot);
        let (fetch, view) = (self.fetch, self.view);
        let choose = self.choose;
        let value = |at: usize| {
            if staged::<U>() {
                // SAFETY: a place that `stage` wrote: of the `count` first ones, or of those of the rest.
                return Ok(unsafe { values.get(at) });
            }
            // SAFETY: as above.
            let place = first + unsafe { places.get(at) } as usize;
            let previous = (C::PREVIOUS && place > 0).then(|| fetch.get(view, place - 1));
            choose.choose(previous, fetch.get(view, place))
        };
        // Of the elements from this lane's first on. Compared with constants, so that no register has the place of each.
        let (selected, left) = (count.saturating_sub(lane), len.saturating_sub(lane));
        for k in 0..ITEMS {
            let at = lane + 32 * k;
            if 32 * k < selected {
                if let Ok(value) = value(at) {
                    // SAFETY: the number of selected elements before this one: below `n`, and another for each of them.
                    unsafe { tile::put(self.selected, before + at, value) };
                }
            } else if REST && 32 * k < left {
                let nth = at - count;
                if let Ok(value) | Err(Some(value)) = value(32 * ITEMS - 1 - nth) {
                    // SAFETY: as above, with the number of elements before this one that were not selected.
                    unsafe { tile::put(self.rest, first - before + nth, value) };
                }
            }
        }
        if !full && len > 0 && first + len == self.n && lane == 0 {
            // SAFETY: one lane of the one warp that has the last element; the launch has a count.
            unsafe { tile::put(self.count, 0, (before + count) as u64) };
        }
    }
}
