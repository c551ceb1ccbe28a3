//! What all elements of a segment up to each have, in one pass over memory, however long segments are.
//!
//! A block finds the offsets that lie in its tile, by a search of each warp, and notes them as bits, a word for each row of 32 elements. Rows are then scanned as runs of equal
//! keys are (`by_key.rs`), and tiles learn what earlier ones have by the look-back of `deterministic.rs`, so that floats have the same bits in each run.

use std::array::from_fn;
use std::sync::atomic::Ordering;

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Empty, Fetch, Input, IntoInput, Item, Memory, Place};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::{State, Value, WORDS};
use crate::tuning::by_size;
use crate::{Error, deterministic, tile};

/// Elements of a thread, by their size; as many rows has a warp.
const ITEMS: [usize; 5] = [11, 11, 11, 5, 3];
/// Rows of a tile at most.
const MOST_ROWS: usize = tile::WARPS * 11;

/// A segmented scan that was described and has not run; see [`crate::Scans::segmented_inclusive_scan`](crate::Scans::segmented_inclusive_scan).
#[must_use = "nothing runs before `into`"]
pub struct SegmentedScan<'s, 'a, 'b, I, J, O, const INCLUSIVE: bool>
where
    I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    J: IntoInput<'b>,
{
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, I::Memory, I::Fetch>,
    pub(crate) offsets: Input<'b, J::Memory, J::Fetch>,
    pub(crate) init: Option<Item<'a, I>>,
    pub(crate) op: O,
    pub(crate) plan: Option<&'s mut SegmentedScanPlan<Item<'a, I>>>,
}

/// The memory of a segmented scan, for use again and again and in graphs: of no more elements than it was made for, in any number of segments.
pub struct SegmentedScanPlan<T: Plain> {
    states: DeviceBuffer<u64>,
    element: std::marker::PhantomData<T>,
}

impl<T: Plain> SegmentedScanPlan<T> {
    /// Memory for scans of up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(SegmentedScanPlan {
            states: device.alloc_uninit(Self::words(len))?,
            element: std::marker::PhantomData,
        })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.len() * size_of::<u64>()
    }

    const fn words(len: usize) -> usize {
        lookback::words::<Begun<T>>(tile::tiles(len, by_size::<T>(ITEMS)))
    }
}

impl<'s, 'a, 'b, I, J, T, O, const INCLUSIVE: bool> SegmentedScan<'s, 'a, 'b, I, J, O, INCLUSIVE>
where
    I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = T>>,
    J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    /// Combines `init` with each value as what stands before the first element of a segment.
    pub fn init(self, init: T) -> Self {
        SegmentedScan {
            init: Some(init),
            ..self
        }
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut SegmentedScanPlan<T>) -> Self {
        SegmentedScan {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the scan: a value for each element of a segment, at the place of the element in `out`. What belongs to no segment stays as it is. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` or the plan is for fewer elements than the input has; what launches and allocations report.
    pub fn into(self, out: impl IntoOutput<T>) -> Result<(), Error> {
        let (stream, n, mut out) = (self.stream, self.input.len(), out.output());
        Error::check_room("the output of a segmented scan", out.len(), n)?;
        if n == 0 || self.offsets.len() < 2 {
            return Ok(());
        }
        let words = SegmentedScanPlan::<T>::words(n);
        let mut own;
        let states = match self.plan {
            Some(plan) => &mut plan.states,
            None => {
                own = stream.device().pool()?.alloc_uninit(words, stream)?;
                &mut own
            }
        };
        Error::check_room("the plan of a segmented scan", states.len(), words)?;
        states.slice_mut(..words)?.fill(0, stream)?;
        let launch = SegmentsLaunch {
            stream,
            input: self.input,
            offsets: self.offsets,
            init: self.init,
            op: self.op,
            states: states.as_atomics().slice(..words)?,
            out: out.slice_mut(..n)?,
        };
        match const { by_size::<T>(ITEMS) } {
            11 => launch.run::<11, INCLUSIVE>(),
            5 => launch.run::<5, INCLUSIVE>(),
            _ => launch.run::<3, INCLUSIVE>(),
        }
    }
}

/// The arguments of the kernel.
struct SegmentsLaunch<'l, 'a, 'b, M: Memory, F, N: Memory, G, T: Plain, O> {
    stream: &'l Stream,
    input: Input<'a, M, F>,
    offsets: Input<'b, N, G>,
    init: Option<T>,
    op: O,
    states: DeviceSlice<'l, Atomic<u64>>,
    out: DeviceSliceMut<'l, T>,
}

impl<M, F, N, G, T, O> SegmentsLaunch<'_, '_, '_, M, F, N, G, T, O>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    N: Memory,
    G: Fetch<N, Item: Place>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    fn run<const ITEMS: usize, const INCLUSIVE: bool>(self) -> Result<(), Error> {
        let device = self.stream.device();
        let (empty, empty_offsets) = (Empty::new(device)?, Empty::new(device)?);
        let (a, b, c) = M::arguments(self.input.slices, &empty);
        let (d, e, f) = N::arguments(self.offsets.slices, &empty_offsets);
        let Value(nothing) = Value::from_words([0; WORDS]);
        Ok(scan_segments::<M, F, N, G, T, O, ITEMS, INCLUSIVE>::launch(
            self.stream,
            tile::one_tile_each(self.input.len, ITEMS)?,
            a,
            b,
            c,
            self.input.fetch,
            d,
            e,
            f,
            self.offsets.fetch,
            self.offsets.len,
            self.init.unwrap_or(nothing),
            self.init.is_some(),
            self.op,
            self.states,
            self.out,
        )?)
    }
}

/// Whether a segment begins in some elements, and the value of the last segment among them.
#[derive(Clone, Copy)]
pub(crate) struct Begun<T> {
    begun: bool,
    value: T,
}

impl<T: Plain> State for Begun<T> {
    const WORDS: usize = 1 + Value::<T>::WORDS;

    #[inline(always)]
    fn to_words(self) -> [u32; WORDS] {
        let [a, b, c, d, ..] = Value(self.value).to_words();
        [u32::from(self.begun), a, b, c, d, 0]
    }

    #[inline(always)]
    fn from_words([begun, a, b, c, d, _]: [u32; WORDS]) -> Self {
        let Value(value) = Value::from_words([a, b, c, d, 0, 0]);
        Begun {
            begun: begun != 0,
            value,
        }
    }
}

/// One tile of elements. `INCLUSIVE`: each value has its own element in it; otherwise `init` is what the first of a segment has.
#[kernel(block(256), max_registers(80))]
pub fn scan_segments<M, F, N, G, T, O, const ITEMS: usize, const INCLUSIVE: bool>(
    block: Block,
    warp: Warp,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    elements: F,
    d: &[N::A],
    e: &[N::B],
    f: &[N::C],
    offsets: G,
    bounds: usize,
    init: T,
    has_init: bool,
    op: O,
    states: &[Atomic<u64>],
    mut y: DisjointSlice<T>,
) where
    M: Memory,
    F: Fetch<M, Item = T>,
    N: Memory,
    G: Fetch<N, Item: Place>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    let shared = shared_array!(u32, tile::SHARED);
    let begins = shared_array!(u32, MOST_ROWS);
    let (thread, n) = (block.thread(), y.len());
    if thread < MOST_ROWS {
        begins.atomic(thread).store(0, Ordering::Relaxed);
    }
    // Holds the barrier after which bits are set.
    let number = lookback::next_tile(&block, states, shared);
    let tile = tile::THREADS * ITEMS;
    let first = number * tile;
    let items: [T; ITEMS] = tile::load::<M, F, ITEMS>(&block, M::view(a, b, c), elements, first, n);
    let view = N::view(d, e, f);
    let offset = |i: usize| offsets.get(view, i).place();
    check_offsets(offset, bounds, (number, tile::tiles(n, ITEMS)), thread, n);
    let mut i = first_not_below(&warp, offset, bounds, first) + thread;
    while i < bounds {
        let place = offset(i).wrapping_sub(first);
        if place >= tile {
            break;
        }
        let word = begins.atomic(place / 32);
        word.fetch_or(1 << (place % 32), Ordering::Relaxed);
        i += tile::THREADS;
    }
    let within = offset(0)..offset(bounds - 1).min(n);
    block.sync();
    let (row, place) = (
        warp.index() as usize * ITEMS,
        first + tile::place::<ITEMS>(&block),
    );
    let is_inside = within.start <= first && first + tile <= within.end;
    // Read where they are needed, and not kept: so are the values of whole rows, since a load or a shuffle more costs less than a register for each row.
    let begins = |k: usize| {
        let begins = begins.atomic(row + k).load(Ordering::Relaxed);
        // What is in no segment is one of its own, so that it is never combined.
        if is_inside {
            begins
        } else {
            begins | warp.ballot(!within.contains(&(place + 32 * k))).bits()
        }
    };
    let rows: [T; ITEMS] = from_fn(|k| scan_row(&warp, begins(k), items[k], op));
    let of_row = |begins: u32, k: usize| Begun {
        begun: begins != 0,
        value: warp.shuffle_idx(rows[k], 31),
    };
    let combine = |a: Begun<T>, b: Begun<T>| Begun {
        begun: a.begun || b.begun,
        value: if b.begun {
            b.value
        } else {
            op(a.value, b.value)
        },
    };
    let mut of_warp = of_row(begins(0), 0);
    for k in 1..ITEMS {
        of_warp = combine(of_warp, of_row(begins(k), k));
    }
    let (warps, of_tile) = tile::before_warp(&block, &warp, shared, of_warp, tile::WARPS, combine);
    let mut before =
        deterministic::before(&block, &warp, (states, shared), number, of_tile, combine);
    if let Some(warps) = warps {
        before = Some(before.map_or(warps, |before| combine(before, warps)));
    }
    for (k, &row) in rows.iter().enumerate() {
        let (at, begins) = (place + 32 * k, begins(k));
        let up_to = begins & warp.lanes_up_to().bits();
        let mut value = row;
        if up_to == 0
            && let Some(before) = before
        {
            value = op(before.value, value);
        }
        if INCLUSIVE {
            if has_init {
                value = op(init, value);
            }
        } else {
            let earlier = warp.shuffle_up(value, 1);
            value = match before {
                _ if begins & warp.own_lane().bits() != 0 => init,
                _ if warp.lane() > 0 => op(init, earlier),
                Some(before) => op(init, before.value),
                None => init,
            };
        }
        if within.contains(&at) {
            // SAFETY: below `n`, and the place is this thread's alone: a tile is of one block, by the counter.
            unsafe { tile::put(y.raw(), at, value) };
        }
        let of_row = of_row(begins, k);
        before = Some(before.map_or(of_row, |before| combine(before, of_row)));
    }
}

/// Panics unless offsets ascend up to `n`: each tile's block checks its share of them.
#[inline(always)]
fn check_offsets(
    offset: impl Fn(usize) -> usize,
    bounds: usize,
    (tile, tiles): (usize, usize),
    thread: usize,
    n: usize,
) {
    let mut segment = tile * tile::THREADS + thread;
    while segment + 1 < bounds {
        let (start, end) = (offset(segment), offset(segment + 1));
        assert!(
            start <= end && end <= n,
            "segment {segment} is {start}..{end} of an input with {n} elements"
        );
        segment += tiles * tile::THREADS;
    }
}

/// How many of the `len` offsets are below `least`, the same in all lanes; all lanes of the warp make the call. 32 offsets are read at once.
#[inline(always)]
fn first_not_below(
    warp: &Warp<'_>,
    offset: impl Fn(usize) -> usize,
    len: usize,
    least: usize,
) -> usize {
    let (mut start, mut end) = (0, len);
    while start < end {
        let step = (end - start) / 32 + 1;
        let at = start + (warp.lane() as usize + 1) * step - 1;
        let below = warp.ballot(at < end && offset(at) < least).count() as usize;
        // At most 32 steps, of which those below are within; what the next lane read is not below, or behind the end.
        start += below * step;
        end = end.min(start + step - 1);
    }
    start
}

/// For each lane what the lanes of its segment up to it have; segments begin at the bits of `begins`.
#[inline(always)]
fn scan_row<T: Plain>(warp: &Warp<'_>, begins: u32, mut value: T, op: impl Fn(T, T) -> T) -> T {
    let up_to = begins & warp.lanes_up_to().bits();
    // The lane where the segment begins, or lane 0 if it began in an earlier row.
    let first = 31 - (up_to | 1).leading_zeros();
    for delta in [1, 2, 4, 8, 16] {
        let before = warp.shuffle_up(value, delta);
        if warp.lane() >= first + delta {
            value = op(before, value);
        }
    }
    value
}
