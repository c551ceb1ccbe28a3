//! What all elements up to each have, in one pass over memory.
//!
//! A warp loads its part of the block's tile in rows of 32 elements, coalesced, and exchanges them through shared memory, so that each thread has consecutive
//! elements. These are scanned one after the other in registers, the threads' values by shuffles, those of the warps through shared memory, and those of the
//! tiles by look-back; then the values go back to rows. An odd number of elements per thread keeps the exchange free of bank conflicts.

use warploom::device_std::atomic::Atomic;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback::{self, OnePass, Slot, Tile};
use crate::output::IntoOutput;
use crate::state::{State, Value, WORDS};
use crate::tuning::by_size;
use crate::{Error, tile};

/// Elements of a thread: of up to 4 bytes, of up to 8, and larger ones.
const FOUR: usize = 23;
const EIGHT: usize = 11;
const SIXTEEN: usize = 5;

/// Elements of a thread.
const fn items<T>() -> usize {
    let items = by_size::<T>([FOUR, FOUR, FOUR, EIGHT, SIXTEEN]);
    tile::fitting(items, size_of::<T>())
}

/// A scan that was described and has not run; see [`crate::Scans::inclusive_scan`](crate::Scans::inclusive_scan).
#[must_use = "nothing runs before `into`"]
pub struct Scan<
    's,
    'a,
    M: Memory,
    F,
    T: Plain,
    O,
    const INCLUSIVE: bool,
    const DETERMINISTIC: bool = false,
> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) init: Option<T>,
    pub(crate) op: O,
    pub(crate) plan: Option<&'s mut ScanPlan<T>>,
}

/// The memory of a scan, for use again and again and in graphs: of no more than the elements that it was made for.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::ScanPlan;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let (x, mut y) = (device.filled(10_000, 1u32)?, device.zeroed(10_000)?);
/// let mut plan = ScanPlan::new(&device, x.len())?;
/// for _ in 0..2 {
///     stream.inclusive_scan(&x, |a, b| a + b).plan(&mut plan).into(&mut y)?;
///     assert_eq!(y.get(9_999, &stream)?, 10_000);
/// }
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct ScanPlan<T: Plain> {
    states: DeviceBuffer<u64>,
    element: std::marker::PhantomData<T>,
}

impl<T: Plain> ScanPlan<T> {
    /// Memory for scans of up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(Self::of(device.alloc_uninit(Self::words(len))?))
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        Ok(Self::of(pool.alloc_uninit(Self::words(len), stream)?))
    }

    fn of(states: DeviceBuffer<u64>) -> Self {
        ScanPlan {
            states,
            element: std::marker::PhantomData,
        }
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.len() * size_of::<u64>()
    }

    fn words(len: usize) -> usize {
        lookback::words::<Value<T>>(tile::tiles(len, items::<T>()))
    }
}

impl<'s, 'a, M, F, T, O, const INCLUSIVE: bool, const DETERMINISTIC: bool>
    Scan<'s, 'a, M, F, T, O, INCLUSIVE, DETERMINISTIC>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    /// Combines `init` with each value as what stands before the first element. CUDA: `cub::DeviceScan::InclusiveScanInit`.
    pub fn init(self, init: T) -> Self {
        Scan {
            init: Some(init),
            ..self
        }
    }

    /// Combines in an order that depends on the number of elements and the type alone: equal inputs give equal bits in each run, on every device. Of integers
    /// they are equal without it.
    pub fn deterministic(self) -> Scan<'s, 'a, M, F, T, O, INCLUSIVE, true> {
        Scan {
            stream: self.stream,
            input: self.input,
            init: self.init,
            op: self.op,
            plan: self.plan,
        }
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut ScanPlan<T>) -> Self {
        Scan {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the scan: as many values as the input has elements, from the first of `out` on. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` or the plan is for fewer elements; what launches and allocations report.
    pub fn into(self, out: impl IntoOutput<T>) -> Result<(), Error> {
        let mut out = out.output();
        let n = self.input.len();
        Error::check_room("the output of a scan", out.len(), n)?;
        if n == 0 {
            return Ok(());
        }
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = ScanPlan::on(self.stream, n)?;
                &mut own
            }
        };
        let words = ScanPlan::<T>::words(n);
        Error::check_room("the plan of a scan", plan.states.len(), words)?;
        plan.states.slice_mut(..words)?.fill(0, self.stream)?;
        let states = plan.states.as_atomics().slice(..words)?;
        let empty = Empty::new(self.stream.device())?;
        let slices = M::arguments(self.input.slices, &empty);
        let out = out.slice_mut(..n)?;
        let launch = ScanLaunch {
            stream: self.stream,
            slices,
            fetch: self.input.fetch,
            op: self.op,
            init: self.init,
            states,
            out,
        };
        match const { items::<T>() } {
            FOUR => launch.run::<FOUR, INCLUSIVE, DETERMINISTIC>(),
            EIGHT => launch.run::<EIGHT, INCLUSIVE, DETERMINISTIC>(),
            _ => launch.run::<SIXTEEN, INCLUSIVE, DETERMINISTIC>(),
        }
    }
}

/// The arguments of the kernel.
struct ScanLaunch<'l, M: Memory, F, T: Plain, O> {
    stream: &'l Stream,
    slices: Arguments<'l, M>,
    fetch: F,
    op: O,
    init: Option<T>,
    states: DeviceSlice<'l, Atomic<u64>>,
    out: DeviceSliceMut<'l, T>,
}

impl<M, F, T, O> ScanLaunch<'_, M, F, T, O>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    fn run<const ITEMS: usize, const INCLUSIVE: bool, const DETERMINISTIC: bool>(
        self,
    ) -> Result<(), Error> {
        let shape = tile::one_pass(self.out.len(), ITEMS)?
            .dynamic_shared(tile::slots_bytes(ITEMS, size_of::<T>()));
        let (a, b, c) = self.slices;
        let Value(nothing) = Value::from_words([0; WORDS]);
        Ok(
            scan_tiles::<M, F, T, O, ITEMS, INCLUSIVE, DETERMINISTIC>::launch(
                self.stream,
                shape,
                a,
                b,
                c,
                self.fetch,
                self.op,
                self.init.unwrap_or(nothing),
                self.init.is_some(),
                self.states,
                self.out,
            )?,
        )
    }
}

/// Scans as many elements as `y` has. `INCLUSIVE`: each value has its own element in it; otherwise there is an `init`.
#[kernel(block(256), max_registers(80), dependent_launch)]
pub fn scan_tiles<
    M,
    F,
    T,
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
    init: T,
    has_init: bool,
    states: &[Atomic<u64>],
    exchange: DynamicShared<T>,
    mut y: DisjointSlice<T>,
) where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let shared = shared_array!(u32, tile::SHARED);
    let (len, whole) = (y.len(), tile::THREADS * ITEMS);
    let pass = ScanPass::<M, F, T, O, ITEMS, INCLUSIVE, DETERMINISTIC> {
        view: M::view(a, b, c),
        fetch,
        op,
        init,
        has_init,
        exchange: exchange.as_ptr(),
        y: y.raw(),
        len,
    };
    lookback::run(&block, &warp, (states, shared), (whole, len), &pass);
}

/// A scan, as [`lookback::run`] runs it.
struct ScanPass<
    'k,
    M: Memory + 'k,
    F,
    T: Plain,
    O,
    const ITEMS: usize,
    const INCLUSIVE: bool,
    const DETERMINISTIC: bool,
> {
    view: M::View<'k>,
    fetch: F,
    op: O,
    init: T,
    has_init: bool,
    exchange: *mut T,
    y: *mut T,
    len: usize,
}

impl<
    M: Memory,
    F,
    T: Plain,
    O,
    const ITEMS: usize,
    const INCLUSIVE: bool,
    const DETERMINISTIC: bool,
> ScanPass<'_, M, F, T, O, ITEMS, INCLUSIVE, DETERMINISTIC>
{
    #[inline(always)]
    fn part(&self, warp: &Warp<'_>, slot: Slot) -> tile::Part<T, ITEMS> {
        let distance = tile::THREADS * ITEMS * size_of::<T>();
        tile::Part::of_warp(warp, self.exchange, slot, distance)
    }
}

impl<'k, M, F, T, O, const ITEMS: usize, const INCLUSIVE: bool, const DETERMINISTIC: bool> OnePass
    for ScanPass<'k, M, F, T, O, ITEMS, INCLUSIVE, DETERMINISTIC>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    O: Fn(T, T) -> T + Copy,
{
    const DETERMINISTIC: bool = DETERMINISTIC;
    type State = Value<T>;
    type Items = [T; ITEMS];
    type Kept = ();

    #[inline(always)]
    fn prefetch(&self, warp: &Warp<'_>, number: usize) {
        let first = tile::first_of_warp::<ITEMS>(number, warp.index());
        let lane = warp.lane() as usize;
        self.fetch.prefetch(self.view, first, 32 * ITEMS, lane);
    }

    #[inline(always)]
    fn load(&self, block: &Block<'_>, number: usize) -> [T; ITEMS] {
        let first = number * tile::THREADS * ITEMS;
        tile::load::<M, F, ITEMS>(block, self.view, self.fetch, first, self.len)
    }

    #[inline(always)]
    fn stage(
        &self,
        warp: &Warp<'_>,
        (number, slot): (usize, Slot),
        full: bool,
        rows: [T; ITEMS],
    ) -> (Value<T>, ()) {
        let (op, part) = (self.op, self.part(warp, slot));
        // Nothing is computed from what stands in for elements behind the end, nor from the last element if that is in no result: the closure may panic for
        // such values.
        let first = (number * tile::THREADS + (32 * warp.index() + warp.lane()) as usize) * ITEMS;
        let left = self.len.saturating_sub(first + usize::from(!INCLUSIVE));
        let left = left.min(ITEMS) as u32;
        let used = |k| full || (k as u32) < left;
        let mut values = part.rows_to_threads(warp, rows);
        for k in 1..ITEMS {
            values[k] = if used(k) {
                op(values[k - 1], values[k])
            } else {
                values[k - 1]
            };
        }
        let up_to = tile::scan_row(warp, values[ITEMS - 1], used(0), op);
        let earlier = warp.shuffle_up(up_to, 1);
        if warp.lane() > 0 && used(0) {
            values = values.map(|value| op(earlier, value));
        }
        part.put(values);
        (Value(warp.shuffle_idx(up_to, 31)), ())
    }

    #[inline(always)]
    fn combine(&self, Value(earlier): Value<T>, Value(later): Value<T>) -> Value<T> {
        Value((self.op)(earlier, later))
    }

    #[inline(always)]
    unsafe fn finish(&self, warp: &Warp<'_>, tile: Tile<Value<T>>, full: bool, (): ()) {
        let (op, part, lane) = (self.op, self.part(warp, tile.slot), warp.lane() as usize);
        let first_of_warp = tile::first_of_warp::<ITEMS>(tile.number, warp.index());
        if !full && first_of_warp >= self.len {
            return;
        }
        let first = first_of_warp + lane;
        let left = self.len.saturating_sub(first);
        let mut before = self.has_init.then_some(self.init);
        if let Some(Value(tiles)) = tile.before {
            before = Some(after(before, tiles, op));
        }
        if let Some(Value(warps)) = tile.warps {
            before = Some(after(before, warps, op));
        }
        for k in 0..ITEMS {
            if full || 32 * k < left {
                let value = if !INCLUSIVE && k == 0 && lane == 0 {
                    before.unwrap_or(self.init)
                } else {
                    let at = lane + 32 * k - usize::from(!INCLUSIVE);
                    // SAFETY: in the part, all of which was written before the barriers since then.
                    after(before, unsafe { part.get(at) }, op)
                };
                // SAFETY: within, as was just seen; the tile is of one block, and the place of one thread.
                unsafe { tile::put(self.y, first + 32 * k, value) };
            }
        }
        warp.sync();
    }
}

/// `value`, with `before` before it if there is one.
#[inline(always)]
fn after<T>(before: Option<T>, value: T, op: impl Fn(T, T) -> T) -> T {
    match before {
        Some(before) => op(before, value),
        None => value,
    }
}
