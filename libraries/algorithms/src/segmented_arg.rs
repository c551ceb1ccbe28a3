//! The smallest or largest element of each segment, with its place.
//!
//! A segmented reduction of pairs of bits and place, computed on the way; then one launch that computes the elements at these places.

use warploom::device_std::KernelArg;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, MemoryError};

use crate::Error;
use crate::arg::first_of;
use crate::input::{Empty, Fetch, Input, IntoInput, Item, Memory, Place};
use crate::output::IntoOutput;
use crate::radix_sort::{RadixBits, RadixKey};
use crate::segmented_reduce::SegmentedReduce;

/// A search in each segment that was described and has not run; see
/// [`crate::Reductions::segmented_arg_min`](crate::Reductions::segmented_arg_min).
#[must_use = "nothing runs before `into`"]
pub struct SegmentedArg<'s, 'a, 'b, I, J, const LARGEST: bool>
where
    I: IntoInput<'a>,
    J: IntoInput<'b>,
{
    stream: &'s Stream,
    input: Input<'a, I::Memory, I::Fetch>,
    offsets: Input<'b, J::Memory, J::Fetch>,
    plan: Option<&'s mut SegmentedArgPlan>,
}

/// The memory of a search in each segment, for use again and again and in graphs: of no more segments than it was made for, of any type.
pub struct SegmentedArgPlan {
    best: DeviceBuffer<[u64; 2]>,
}

impl SegmentedArgPlan {
    /// Memory for searches in up to `segments` segments.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, segments: usize) -> Result<Self, MemoryError> {
        Ok(SegmentedArgPlan {
            best: device.alloc_uninit(segments)?,
        })
    }

    /// Bytes of device memory: 16 for each segment.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.best.len() * size_of::<[u64; 2]>()
    }
}

impl<'s, 'a, 'b, I, J, K, const LARGEST: bool> SegmentedArg<'s, 'a, 'b, I, J, LARGEST>
where
    I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = K>>,
    J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
    K: RadixKey,
{
    pub(crate) fn new(stream: &'s Stream, input: I, offsets: J) -> Self {
        SegmentedArg {
            stream,
            input: input.input(),
            offsets: offsets.input(),
            plan: None,
        }
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut SegmentedArgPlan) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Queues the search: for each segment its element to `values`, and its number in the whole input to `indices`. For an empty segment the number is `u64::MAX`, and the
    /// element of `values` stays as it is. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if an output or the plan is for fewer segments; [`Error::TooMany`] for more than 2^31 blocks; what launches and allocations report.
    pub fn into(
        self,
        values: impl IntoOutput<Item<'a, I>>,
        indices: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        const {
            assert!(
                K::Bits::BITS <= 64,
                "a place goes with a key of at most 64 bits; for others there is `reduce`"
            );
        }
        let (stream, segments) = (self.stream, self.offsets.len().saturating_sub(1));
        let (mut values, mut indices) = (values.output(), indices.output());
        Error::check_room("the output for elements", values.len(), segments)?;
        Error::check_room("the output for their numbers", indices.len(), segments)?;
        if segments == 0 {
            return Ok(());
        }
        let mut own;
        let best = match self.plan {
            Some(plan) => &mut plan.best,
            None => {
                own = stream.device().pool()?.alloc_uninit(segments, stream)?;
                &mut own
            }
        };
        Error::check_room("the plan of a search in segments", best.len(), segments)?;
        let mut best = best.slice_mut(..segments)?;
        let x = self.input;
        let numbered = Input::new(x.slices, x.len, Numbered(x.fetch));
        // Bits that no element goes after, at a place behind all.
        let init = [if LARGEST { 0 } else { u64::MAX }, u64::MAX];
        let reduce: SegmentedReduce<'_, '_, '_, Input<'_, I::Memory, Numbered<I::Fetch>>, J, _> =
            SegmentedReduce {
                stream,
                input: numbered,
                offsets: self.offsets,
                init,
                op: better::<LARGEST>,
            };
        reduce.into(&mut best)?;
        let best: DeviceSlice<'_, [u64; 2]> = best.as_slice();
        let empty = Empty::new(stream.device())?;
        let (a, b, c) = I::Memory::arguments(x.slices, &empty);
        Ok(elements_at::<I::Memory, I::Fetch, K>::launch(
            stream,
            Launch::covering(segments),
            a,
            b,
            c,
            x.fetch,
            best,
            values.slice_mut(..segments)?,
            indices.slice_mut(..segments)?,
        )?)
    }
}

/// The better of two pairs of bits and place.
#[inline(always)]
fn better<const LARGEST: bool>(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    if first_of::<_, LARGEST>((b[0], b[1]), (a[0], a[1])) {
        b
    } else {
        a
    }
}

/// The bits of a key, and its number.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Numbered<F>(F);

// SAFETY: a rule.
unsafe impl<F: KernelArg> KernelArg for Numbered<F> {}

impl<M: Memory, F: Fetch<M, Item: RadixKey>> Fetch<M> for Numbered<F> {
    type Item = [u64; 2];

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> [u64; 2] {
        [self.0.get(view, i).bits().to_u64(), i as u64]
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> [u64; 2] + Copy + 'v {
        let part = self.0.part(view, base, len);
        move |k| [part(k).bits().to_u64(), (base + k) as u64]
    }
}

/// The element and the place of each segment, from the pairs of bits and place.
#[kernel(dependent_launch)]
pub fn elements_at<M, F, K>(
    i: Index1D,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    best: &[[u64; 2]],
    mut values: DisjointSlice<K>,
    mut indices: DisjointSlice<u64>,
) where
    M: Memory,
    F: Fetch<M, Item = K>,
    K: RadixKey,
{
    launch_dependents();
    let Some(&[_, place]) = best.get(i.get()) else {
        return;
    };
    if let Some(index) = indices.get_mut(i) {
        *index = place;
    }
    if place != u64::MAX
        && let Some(value) = values.get_mut(i)
    {
        *value = fetch.get(M::view(a, b, c), place as usize);
    }
}
