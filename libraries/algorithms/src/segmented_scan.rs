//! What all elements of a segment up to each have, however long segments are: with the look-back of `deterministic.rs`, so that floats have the same bits in each run.

mod kernel; // one pass over memory

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Empty, Fetch, Input, IntoInput, Item, Memory, Place};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::{Begun, State, Value, WORDS};
use crate::tuning::by_size;
use crate::{Error, tile, tile_states};

use kernel::{MOST_ITEMS, scan_segments};

/// Elements of a thread: of up to 4 bytes, of up to 8, and larger ones. Odd numbers keep the exchange free of bank conflicts.
const FOUR: usize = MOST_ITEMS;
const EIGHT: usize = 9;
const SIXTEEN: usize = 5;

/// Elements of a thread.
const fn items<T>() -> usize {
    let items = by_size::<T>([FOUR, FOUR, FOUR, EIGHT, SIXTEEN]);
    tile::fitting(items, size_of::<T>())
}

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
        lookback::words::<Begun<T>>(tile::tiles(len, items::<T>()))
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
        let (planned, mut own) = (self.plan.map(|plan| &mut plan.states), None);
        let what = ("the plan of a segmented scan", words);
        let states = tile_states::cleared(planned, &mut own, what, stream)?;
        let launch = SegmentsLaunch {
            stream,
            input: self.input,
            offsets: self.offsets,
            init: self.init,
            op: self.op,
            states,
            out: out.slice_mut(..n)?,
        };
        match const { items::<T>() } {
            FOUR => launch.run::<FOUR, INCLUSIVE>(),
            EIGHT => launch.run::<EIGHT, INCLUSIVE>(),
            _ => launch.run::<SIXTEEN, INCLUSIVE>(),
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
        let shape = tile::one_pass(self.input.len, ITEMS)?
            .dynamic_shared(tile::slots_bytes(ITEMS, size_of::<T>()));
        Ok(scan_segments::<M, F, N, G, T, O, ITEMS, INCLUSIVE>::launch(
            self.stream,
            shape,
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
