//! What all elements up to each have, in one pass over memory.
//!
//! A warp loads its part of the block's tile in rows of 32 elements, coalesced, and exchanges them through shared memory, so that each thread has consecutive
//! elements. These are scanned one after the other in registers, the threads' values by shuffles, those of the warps through shared memory, and those of the
//! tiles by look-back; then the values go back to rows. An odd number of elements per thread keeps the exchange free of bank conflicts.

use std::array::from_fn;

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::{State, Value, WORDS};
use crate::tuning::by_size;
use crate::{Error, tile};

/// Elements of a thread, by their size.
const ITEMS: [usize; 5] = [23, 23, 23, 11, 7];

/// A scan that was described and has not run; see [`crate::Scans::inclusive_scan`](crate::Scans::inclusive_scan).
#[must_use = "nothing runs before `into`"]
pub struct Scan<'s, 'a, M: Memory, F, T: Plain, O, const INCLUSIVE: bool> {
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
        lookback::words::<Value<T>>(tile::tiles(len, by_size::<T>(ITEMS)))
    }
}

impl<'s, M, F, T, O, const INCLUSIVE: bool> Scan<'s, '_, M, F, T, O, INCLUSIVE>
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
        match const { by_size::<T>(ITEMS) } {
            23 => launch.run::<23, INCLUSIVE>(),
            11 => launch.run::<11, INCLUSIVE>(),
            _ => launch.run::<7, INCLUSIVE>(),
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
    fn run<const ITEMS: usize, const INCLUSIVE: bool>(self) -> Result<(), Error> {
        let shape =
            tile::launch(self.out.len(), ITEMS)?.dynamic_shared(tile::exchange_bytes::<T>(ITEMS));
        let (a, b, c) = self.slices;
        let Value(nothing) = Value::from_words([0; WORDS]);
        Ok(scan_tiles::<M, F, T, O, ITEMS, INCLUSIVE>::launch(
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
        )?)
    }
}

/// Scans as many elements as `y` has. `INCLUSIVE`: each value has its own element in it; otherwise there is an `init`.
#[kernel(block(256), max_registers(64))]
pub fn scan_tiles<M, F, T, O, const ITEMS: usize, const INCLUSIVE: bool>(
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
    let shared = shared_array!(u32, tile::SHARED);
    let number = lookback::next_tile(&block, states, shared);
    let (first, n) = (number * (tile::THREADS * ITEMS), y.len());
    let rows: [T; ITEMS] = tile::load(&block, M::view(a, b, c), fetch, first, n);
    let mut values = tile::rows_to_threads(&warp, exchange, rows);
    for k in 1..ITEMS {
        values[k] = op(values[k - 1], values[k]);
    }
    let up_to = tile::scan_row(&warp, values[ITEMS - 1], op);
    let of_warp = warp.shuffle_idx(up_to, 31);
    let earlier = warp.shuffle_up(up_to, 1);
    let combine = |Value(a), Value(b)| Value(op(a, b));
    let (warps, of_tile) = tile::before_warp(&block, &warp, shared, Value(of_warp), combine);
    let tiles = lookback::before(&block, &warp, (states, shared), number, of_tile, combine);
    let mut before = has_init.then_some(init);
    if let Some(Value(tiles)) = tiles {
        before = Some(after(before, tiles, op));
    }
    if let Some(Value(warps)) = warps {
        before = Some(after(before, warps, op));
    }
    if warp.lane() > 0 {
        before = Some(after(before, earlier, op));
    }
    if let Some(before) = before {
        let own = values;
        values = from_fn(|k| match k.checked_sub(usize::from(!INCLUSIVE)) {
            Some(k) => op(before, own[k]),
            None => before,
        });
    }
    let values = tile::threads_to_rows(&warp, exchange, values);
    // SAFETY: tiles are of one block each, by the counter, and places in them of one thread.
    unsafe { tile::store(&block, &mut y, first, values) };
}

/// `value`, with `before` before it if there is one.
#[inline(always)]
fn after<T>(before: Option<T>, value: T, op: impl Fn(T, T) -> T) -> T {
    match before {
        Some(before) => op(before, value),
        None => value,
    }
}
