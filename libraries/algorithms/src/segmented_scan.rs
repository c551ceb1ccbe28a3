//! What all elements of a segment up to each have, however long segments are: with the look-back of `deterministic.rs`, so that floats have the same bits in each run.

mod kernel; // one pass over memory

use std::marker::PhantomData;

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Empty, Fetch, Input, IntoInput, Item, Memory, Place};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::{Begun, State, Value, WORDS};
use crate::tuning::by_size;
use crate::{Error, tile, tile_states};

use kernel::{MOST_ITEMS, scan_segments, segment_splits};

/// Elements of a thread: of up to 4 bytes, of up to 8, and larger ones. Odd numbers keep the exchange free of bank conflicts.
const FOUR: usize = MOST_ITEMS;
const EIGHT: usize = 9;
const SIXTEEN: usize = 5;

/// From so many elements on a kernel before the pass finds where the offsets of each warp's part begin: a warp's own search is a chain of reads, a tenth of the time of a
/// scan of 2^28 elements (H200). For fewer elements one more launch takes longer.
const SPLITS_FROM: usize = 1 << 22;

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
    splits: DeviceBuffer<u64>,
    element: PhantomData<T>,
}

impl<T: Plain> SegmentedScanPlan<T> {
    /// Memory for scans of up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(SegmentedScanPlan {
            states: device.alloc_uninit(Self::words(len))?,
            splits: device.alloc_uninit(Self::splits(len, SPLITS_FROM))?,
            element: PhantomData,
        })
    }

    fn on(stream: &Stream, len: usize, splits_from: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        Ok(SegmentedScanPlan {
            states: pool.alloc_uninit(Self::words(len), stream)?,
            splits: pool.alloc_uninit(Self::splits(len, splits_from), stream)?,
            element: PhantomData,
        })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.states.len() + self.splits.len()) * size_of::<u64>()
    }

    const fn words(len: usize) -> usize {
        lookback::words::<Begun<T>>(tile::tiles(len, items::<T>()))
    }

    /// One for each warp's part of each tile, or none.
    const fn splits(len: usize, from: usize) -> usize {
        if len < from {
            return 0;
        }
        tile::tiles(len, items::<T>()) * tile::WARPS
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
        self.queue(out, SPLITS_FROM)
    }

    fn queue(self, out: impl IntoOutput<T>, splits_from: usize) -> Result<(), Error> {
        let (stream, n, mut out) = (self.stream, self.input.len(), out.output());
        Error::check_room("the output of a segmented scan", out.len(), n)?;
        if n == 0 || self.offsets.len() < 2 {
            return Ok(());
        }
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = SegmentedScanPlan::on(stream, n, splits_from)?;
                &mut own
            }
        };
        let what = "the plan of a segmented scan";
        let splits = SegmentedScanPlan::<T>::splits(n, splits_from);
        Error::check_room(what, plan.splits.len(), splits)?;
        let words = SegmentedScanPlan::<T>::words(n);
        let states = tile_states::clear(&mut plan.states, (what, words), stream)?;
        let launch = SegmentsLaunch {
            stream,
            input: self.input,
            offsets: self.offsets,
            init: self.init,
            op: self.op,
            states,
            splits: plan.splits.slice_mut(..splits)?,
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
    /// Room for them, or for none.
    splits: DeviceSliceMut<'l, u64>,
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
    fn run<const ITEMS: usize, const INCLUSIVE: bool>(mut self) -> Result<(), Error> {
        let device = self.stream.device();
        let (empty, empty_offsets) = (Empty::new(device)?, Empty::new(device)?);
        let (a, b, c) = M::arguments(self.input.slices, &empty);
        let (d, e, f) = N::arguments(self.offsets.slices, &empty_offsets);
        let Value(nothing) = Value::from_words([0; WORDS]);
        if !self.splits.is_empty() {
            segment_splits::<N, G>::launch(
                self.stream,
                Launch::covering(self.splits.len()),
                d,
                e,
                f,
                self.offsets.fetch,
                self.offsets.len,
                32 * ITEMS,
                &mut self.splits,
            )?;
        }
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
            self.splits.as_slice(),
            self.init.unwrap_or(nothing),
            self.init.is_some(),
            self.op,
            self.states,
            self.out,
        )?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scans as _;

    /// Elements of 4 bytes in a tile.
    const TILE: usize = tile::THREADS * FOUR;

    /// Inclusive and exclusive sums of segments, by warps that search for their offsets, and with the splits of a launch before.
    fn check(first: usize, lengths: &[usize], behind: usize) -> Result<(), Error> {
        let mut offsets = vec![first as u64];
        for &len in lengths {
            offsets.push(offsets.last().copied().unwrap_or(0) + len as u64);
        }
        let n = first + lengths.iter().sum::<usize>() + behind;
        let x = Vec::from_iter((1..=n as u32).map(|i| i.wrapping_mul(2_654_435_769)));
        let (mut inclusive, mut exclusive) = (vec![0; n], vec![0; n]);
        for ends in offsets.windows(2) {
            let mut sum = 7u32;
            for i in ends[0] as usize..ends[1] as usize {
                exclusive[i] = sum;
                sum = sum.wrapping_add(x[i]);
                inclusive[i] = sum;
            }
        }
        let device = Device::emulator();
        let stream = device.stream()?;
        let (x, offsets) = (device.upload(&x)?, device.upload(&offsets)?);
        for splits_from in [0, usize::MAX] {
            let [mut a, mut b] = [device.zeroed(n)?, device.zeroed(n)?];
            let scan = stream.segmented_inclusive_scan(&x, &offsets, u32::wrapping_add);
            scan.init(7).queue(&mut a, splits_from)?;
            let scan = stream.segmented_exclusive_scan(&x, &offsets, 7, u32::wrapping_add);
            scan.queue(&mut b, splits_from)?;
            let found = (a.to_vec(&stream)?, b.to_vec(&stream)?);
            assert_eq!(found.0, inclusive, "splits from {splits_from}");
            assert_eq!(found.1, exclusive, "splits from {splits_from}");
        }
        Ok(())
    }

    #[test]
    fn splits_are_those_that_warps_find() -> Result<(), Error> {
        check(0, &[], 5)?;
        check(0, &[0, 1, 0], 0)?;
        check(3, &[40, 0, 480, 1, 479, 481], 9)?;
        check(TILE + 1, &[TILE - 1, 0, 2 * TILE, 1], TILE)?;
        check(0, &[0; 1000], 1)?;
        check(0, &Vec::from_iter((0..900).map(|i| i * 7 % 23)), 0)
    }

    #[test]
    fn plans_have_room_for_splits_from_a_size_on() -> Result<(), Error> {
        let device = Device::emulator();
        let plan = SegmentedScanPlan::<u32>::new(&device, SPLITS_FROM - 1)?;
        assert_eq!(plan.splits.len(), 0);
        let plan = SegmentedScanPlan::<u32>::new(&device, SPLITS_FROM)?;
        assert_eq!(plan.splits.len(), SPLITS_FROM.div_ceil(TILE) * 8);
        Ok(())
    }

    #[test]
    fn a_plan_without_room_for_splits_is_too_short() -> Result<(), Error> {
        let device = Device::emulator();
        let stream = device.stream()?;
        let (x, offsets) = (device.upload(&[1u32; 9])?, device.upload(&[0u32, 9])?);
        let mut plan = SegmentedScanPlan::new(&device, 9)?;
        let mut y = device.zeroed(9)?;
        let scan = stream.segmented_inclusive_scan(&x, &offsets, u32::wrapping_add);
        let refused = scan.plan(&mut plan).queue(&mut y, 0);
        assert!(matches!(
            refused,
            Err(Error::TooShort {
                room: 0,
                needed: 8,
                ..
            })
        ));
        Ok(())
    }
}
