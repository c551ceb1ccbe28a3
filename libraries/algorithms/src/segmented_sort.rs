//! Many sorts at once: of the elements between given places.
//!
//! Two stable sorts of all elements: by their keys, then by the number of their segment. So the time depends neither on how many segments there are nor on
//! how long they are.

use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, MemoryError};

use crate::Error;
use crate::output::IntoOutput;
use crate::radix_sort::{IntoSlice, RadixKey, SortPairs, SortPlan};

/// A segmented sort that was described and has not run; see [`crate::Sorts::segmented_sort`](crate::Sorts::segmented_sort).
#[must_use = "nothing runs before `into`"]
pub struct SegmentedSort<'s, 'a, K: RadixKey> {
    stream: &'s Stream,
    keys: DeviceSlice<'a, K>,
    ends: DeviceSlice<'a, u32>,
    descending: bool,
    plan: Option<&'s mut SegmentedSortPlan<K>>,
}

/// The memory of a segmented sort, for use again and again and in graphs: of no more elements than it was made for, in any number of segments.
pub struct SegmentedSortPlan<K: RadixKey> {
    /// The segment of each key of the input, and of the output.
    segments: DeviceBuffer<u32>,
    /// Those of the keys between the two sorts.
    sorted_segments: DeviceBuffer<u32>,
    sorted_keys: DeviceBuffer<K>,
    by_key: SortPlan<K, u32>,
    by_segment: SortPlan<u32, K>,
}

impl<K: RadixKey> SegmentedSortPlan<K> {
    /// Memory for sorts of up to `len` keys.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(SegmentedSortPlan {
            segments: device.alloc_uninit(len)?,
            sorted_segments: device.alloc_uninit(len)?,
            sorted_keys: device.alloc_uninit(len)?,
            by_key: SortPlan::pairs(device, len)?,
            by_segment: SortPlan::pairs(device, len)?,
        })
    }

    /// Bytes of device memory: three times the keys and 16 for each, and about a 20th.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let own = self.segments.len() * (2 * size_of::<u32>() + size_of::<K>());
        own + self.by_key.bytes() + self.by_segment.bytes()
    }
}

impl<'s, 'a, K: RadixKey> SegmentedSort<'s, 'a, K> {
    pub(crate) fn new(
        stream: &'s Stream,
        keys: impl IntoSlice<'a, K>,
        ends: impl IntoSlice<'a, u32>,
    ) -> Self {
        SegmentedSort {
            stream,
            keys: keys.input().slices.0,
            ends: ends.input().slices.0,
            descending: false,
            plan: None,
        }
    }

    /// From the largest key of each segment to the smallest.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut SegmentedSortPlan<K>) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Queues the sort into the first elements of `out`. Does not wait.
    ///
    /// # Errors
    /// As [`Sort::into`](crate::Sort::into); [`Error::TooMany`] from 2^32 segments on.
    pub fn into(mut self, out: impl IntoOutput<K>) -> Result<(), Error> {
        let (out, n) = (out.output(), self.keys.len());
        Error::check_room("the output of a segmented sort", out.len(), n)?;
        for len in [n, self.ends.len()] {
            if u32::try_from(len).is_err() {
                return Err(Error::TooMany {
                    what: "a segmented sort",
                    most: u32::MAX.into(),
                    len,
                });
            }
        }
        if n == 0 {
            return Ok(());
        }
        if let Some(plan) = self.plan.take() {
            let SegmentedSortPlan {
                segments,
                sorted_segments,
                sorted_keys,
                by_key,
                by_segment,
            } = plan;
            Error::check_room("the plan of a segmented sort", segments.len(), n)?;
            self.number(segments)?;
            let sort = self.by_key(segments)?.plan(by_key);
            sort.into(&mut *sorted_keys, &mut *sorted_segments)?;
            let sort = self.by_segment(sorted_keys, sorted_segments)?;
            return sort.plan(by_segment).into(segments, out);
        }
        let pool = self.stream.device().pool()?;
        let mut segments = pool.alloc_uninit(n, self.stream)?;
        let mut sorted_segments = pool.alloc_uninit(n, self.stream)?;
        let mut sorted_keys = pool.alloc_uninit(n, self.stream)?;
        self.number(&mut segments)?;
        self.by_key(&segments)?
            .into(&mut sorted_keys, &mut sorted_segments)?;
        self.by_segment(&sorted_keys, &sorted_segments)?
            .into(&mut segments, out)
    }

    /// Queues the numbers of segments.
    fn number(&self, segments: &mut DeviceBuffer<u32>) -> Result<(), Error> {
        let segments = segments.slice_mut(..self.keys.len())?;
        let shape = Launch::covering(segments.len());
        Ok(segment_numbers::<K>::launch(
            self.stream,
            shape,
            self.ends,
            segments,
        )?)
    }

    /// The first sort.
    fn by_key<'b>(
        &self,
        segments: &'b DeviceBuffer<u32>,
    ) -> Result<SortPairs<'s, 'b, K, u32>, Error>
    where
        'a: 'b,
    {
        let segments = segments.slice(..self.keys.len())?;
        let sort = SortPairs::new(self.stream, self.keys, segments);
        Ok(if self.descending {
            sort.descending()
        } else {
            sort
        })
    }

    /// The second sort, by as many bits as numbers of segments have.
    fn by_segment<'b>(
        &self,
        keys: &'b DeviceBuffer<K>,
        segments: &'b DeviceBuffer<u32>,
    ) -> Result<SortPairs<'s, 'b, u32, K>, Error> {
        let n = self.keys.len();
        let bits = u32::BITS - (self.ends.len() as u32).leading_zeros();
        let sort = SortPairs::new(self.stream, segments.slice(..n)?, keys.slice(..n)?);
        Ok(sort.bits(0..bits))
    }
}

/// The number of each element's segment: how many segments end before it or at it.
// For keys of some type, so that the crate that sorts compiles it: this crate has no device code of its own.
#[kernel(dependent_launch)]
pub fn segment_numbers<K: RadixKey>(i: Index1D, ends: &[u32], mut y: DisjointSlice<u32>) {
    launch_dependents();
    if let Some(y) = y.get_mut(i) {
        *y = ends.partition_point(|&end| end as usize <= i.get()) as u32;
    }
}
