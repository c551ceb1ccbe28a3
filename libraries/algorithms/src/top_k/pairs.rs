//! The largest or smallest keys with their values.
//!
//! As for keys alone; the last launch takes the values too, which it computes for the selected keys only.

use warploom::device_std::Plain;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSliceMut, MemoryError};

use super::{STATE, TopK, each, load_found, place_of};
use crate::Error;
use crate::input::{Empty, Fetch, Input, Memory};
use crate::output::IntoOutput;
use crate::radix_sort::{IntoSlice, Order, RadixKey, SortPairs, SortPlan};

/// A selection of keys with values that was described and has not run; see [`crate::Selections::top_k_pairs`](crate::Selections::top_k_pairs).
#[must_use = "nothing runs before `into`"]
pub struct TopKPairs<'s, 'a, K: RadixKey, M: Memory, F: Fetch<M, Item: Plain>> {
    keys: TopK<'s, 'a, K>,
    values: Input<'a, M, F>,
    plan: Option<&'s mut TopKPairsPlan<K, F::Item>>,
}

/// The memory of a selection of keys with values, for use again and again and in graphs: of no more elements than it was made for, out of any number.
pub struct TopKPairsPlan<K: RadixKey, V: Plain> {
    state: DeviceBuffer<u32>,
    keys: DeviceBuffer<K>,
    values: DeviceBuffer<V>,
    sort: SortPlan<K, V>,
}

impl<K: RadixKey, V: Plain> TopKPairsPlan<K, V> {
    /// Memory for selections of up to `k` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, k: usize) -> Result<Self, MemoryError> {
        Ok(TopKPairsPlan {
            state: device.alloc_uninit(STATE)?,
            keys: device.alloc_uninit(k)?,
            values: device.alloc_uninit(k)?,
            sort: SortPlan::pairs(device, k)?,
        })
    }

    /// Bytes of device memory: 16 KiB, `k` keys and values, and those of a sort of as many pairs.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let pairs = self.keys.len() * (size_of::<K>() + size_of::<V>());
        STATE * size_of::<u32>() + pairs + self.sort.bytes()
    }
}

impl<'s, 'a, K, M, F, V> TopKPairs<'s, 'a, K, M, F>
where
    K: RadixKey,
    M: Memory,
    F: Fetch<M, Item = V>,
    V: Plain,
{
    pub(crate) fn new(
        stream: &'s Stream,
        keys: impl IntoSlice<'a, K>,
        values: Input<'a, M, F>,
        k: usize,
    ) -> Self {
        TopKPairs {
            keys: TopK::new(stream, keys, k),
            values,
            plan: None,
        }
    }

    /// The smallest keys, from the smallest, instead of the largest.
    pub fn smallest(mut self) -> Self {
        self.keys.largest = false;
        self
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut TopKPairsPlan<K, V>) -> Self {
        self.plan = Some(plan);
        self
    }

    /// Queues the selection into the first `k` elements of `keys` and `values`. Does not wait.
    ///
    /// # Errors
    /// As [`TopK::into`], for `values` too; [`Error::DifferentLengths`] unless there are as many values as keys.
    pub fn into(
        mut self,
        keys: impl IntoOutput<K>,
        values: impl IntoOutput<V>,
    ) -> Result<(), Error> {
        let (keys, values, k) = (keys.output(), values.output(), self.keys.k);
        Error::check_room("the output for selected keys", keys.len(), k)?;
        Error::check_room("the output for selected values", values.len(), k)?;
        self.keys.check_lengths()?;
        if self.values.len() != self.keys.keys.len() {
            return Err(Error::DifferentLengths {
                first: "the list of keys",
                first_len: self.keys.keys.len(),
                second: "the list of values",
                second_len: self.values.len(),
            });
        }
        if k == 0 {
            return Ok(());
        }
        let (keys, values) = (keys.into_slice(..k)?, values.into_slice(..k)?);
        if let Some(plan) = self.plan.take() {
            Error::check_room("the plan of a selection", plan.keys.len(), k)?;
            let (taken_keys, taken_values) = (&mut plan.keys, &mut plan.values);
            self.take(&mut plan.state, taken_keys, taken_values)?;
            let sort = self.sorted(taken_keys, taken_values)?;
            return sort.plan(&mut plan.sort).into(keys, values);
        }
        let stream = self.keys.stream;
        let pool = stream.device().pool()?;
        let mut state = pool.alloc_uninit(STATE, stream)?;
        let mut taken_keys = pool.alloc_uninit(k, stream)?;
        let mut taken_values = pool.alloc_uninit(k, stream)?;
        self.take(&mut state, &mut taken_keys, &mut taken_values)?;
        self.sorted(&taken_keys, &taken_values)?.into(keys, values)
    }

    /// Queues all launches but those of the sort.
    fn take(
        &self,
        state: &mut DeviceBuffer<u32>,
        keys: &mut DeviceBuffer<K>,
        values: &mut DeviceBuffer<V>,
    ) -> Result<(), Error> {
        let (stream, k) = (self.keys.stream, self.keys.k);
        let (shape, order) = self.keys.find_digits(state)?;
        let empty = Empty::new(stream.device())?;
        let (a, b, c) = M::arguments(self.values.slices, &empty);
        let to_keys: DeviceSliceMut<'_, K> = keys.slice_mut(..k)?;
        Ok(take_selected_pairs::<K, M, F, V>::launch(
            stream,
            shape,
            self.keys.keys,
            a,
            b,
            c,
            self.values.fetch,
            order,
            state.as_atomics(),
            to_keys,
            values.slice_mut(..k)?,
        )?)
    }

    /// The sort of the pairs that were taken.
    fn sorted<'t>(
        &self,
        keys: &'t DeviceBuffer<K>,
        values: &'t DeviceBuffer<V>,
    ) -> Result<SortPairs<'s, 't, K, V>, Error>
    where
        's: 't,
    {
        let k = self.keys.k;
        let sort = SortPairs::new(self.keys.stream, keys.slice(..k)?, values.slice(..k)?);
        Ok(if self.keys.largest {
            sort.descending()
        } else {
            sort
        })
    }
}

/// Takes keys as [`take_selected`](super::take_selected) does, and their values.
#[kernel(block(256), dependent_launch)]
pub fn take_selected_pairs<K, M, F, V>(
    block: Block,
    keys: &[K],
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    values: F,
    order: Order,
    state: &[Atomic<u32>],
    mut to_keys: DisjointSlice<K>,
    mut to_values: DisjointSlice<V>,
) where
    K: RadixKey,
    M: Memory,
    F: Fetch<M, Item = V>,
    V: Plain,
{
    launch_dependents();
    let found = shared_array!(u32, super::MOST_PASSES);
    load_found(block, order.passes(), found, state);
    let view = M::view(a, b, c);
    let place = place_of(order, found, state, to_keys.len().min(to_values.len()));
    let (to_keys, to_values) = (to_keys.raw(), to_values.raw());
    each(block, keys, |key, i| {
        if let Some(place) = place(key) {
            let value = values.get(view, i);
            // SAFETY: within both outputs, and each place is given out once; see `place_of`.
            unsafe { to_keys.wrapping_add(place).write(key) };
            // SAFETY: as above.
            unsafe { to_values.wrapping_add(place).write(value) };
        }
    });
}
