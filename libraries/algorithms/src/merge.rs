//! Two sorted sequences to one, in two launches: one finds where the tiles of the output begin in the inputs, the other merges them; see
//! [`merge_path`](crate::merge_path).

use std::marker::PhantomData;

use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::Error;
use crate::merge_path::{THREADS, find_splits, items_of, launch_of, merge_tiles, values_bytes};
use crate::output::IntoOutput;

/// A merge that was described and has not run; see [`crate::SortedInputs::merge`](crate::SortedInputs::merge).
#[must_use = "nothing runs before `into`"]
pub struct Merge<'s, 'a, K: Plain, L> {
    pub(crate) stream: &'s Stream,
    pub(crate) a: DeviceSlice<'a, K>,
    pub(crate) b: DeviceSlice<'a, K>,
    pub(crate) less: L,
    pub(crate) plan: Option<&'s mut MergePlan<K>>,
}

/// A merge of pairs that was described and has not run; see [`crate::SortedInputs::merge_pairs`](crate::SortedInputs::merge_pairs).
#[must_use = "nothing runs before `into`"]
pub struct MergePairs<'s, 'a, K: Plain, V: Plain, L> {
    pub(crate) keys: Merge<'s, 'a, K, L>,
    pub(crate) a_values: DeviceSlice<'a, V>,
    pub(crate) b_values: DeviceSlice<'a, V>,
}

/// The memory of a merge, for use again and again and in graphs: of no more than the elements that it was made for.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::MergePlan;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let (a, b, mut y) = (device.upload(&[1u32, 3])?, device.upload(&[2])?, device.zeroed(3)?);
/// let mut plan = MergePlan::new(&device, a.len() + b.len())?;
/// stream.merge(&a, &b, |a, b| a < b).plan(&mut plan).into(&mut y)?;
/// assert_eq!(y.to_vec(&stream)?, [1, 2, 3]);
/// assert_eq!(plan.bytes(), 8);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct MergePlan<K: Plain> {
    splits: DeviceBuffer<u64>,
    keys: PhantomData<fn() -> K>,
}

impl<K: Plain> MergePlan<K> {
    /// Memory for merges to up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(MergePlan {
            splits: device.alloc_uninit(Self::tiles(len))?,
            keys: PhantomData,
        })
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        Ok(MergePlan {
            splits: pool.alloc_uninit(Self::tiles(len), stream)?,
            keys: PhantomData,
        })
    }

    /// Bytes of device memory: 8 for each tile.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.splits.len() * size_of::<u64>()
    }

    fn tiles(len: usize) -> usize {
        len.div_ceil(items_of::<K>() * THREADS)
    }
}

impl<'s, K, L> Merge<'s, '_, K, L>
where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut MergePlan<K>) -> Self {
        Merge {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the merge; the elements will be the first of `out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` or the plan is for fewer elements; [`Error::TooMany`] for more than 2^31 tiles; what launches and allocations
    /// report.
    #[track_caller]
    pub fn into(self, out: impl IntoOutput<K>) -> Result<(), Error> {
        let mut none = self.stream.device().alloc_uninit::<u8>(0)?;
        let empty = self.stream.device().alloc_uninit(0)?;
        let values = (empty.as_slice(), empty.as_slice());
        merge::<K, u8, L, false>(self, values, (out.output(), none.as_slice_mut()))
    }
}

impl<'s, K, V, L> MergePairs<'s, '_, K, V, L>
where
    K: Plain,
    V: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(mut self, plan: &'s mut MergePlan<K>) -> Self {
        self.keys.plan = Some(plan);
        self
    }

    /// Queues the merge; keys and values will be the first elements of the outputs. Does not wait.
    ///
    /// # Errors
    /// [`Error::DifferentLengths`] if an input has not as many values as keys; else as [`Merge::into`].
    #[track_caller]
    pub fn into(
        self,
        keys_out: impl IntoOutput<K>,
        values_out: impl IntoOutput<V>,
    ) -> Result<(), Error> {
        for (keys, values) in [
            (self.keys.a, self.a_values.len()),
            (self.keys.b, self.b_values.len()),
        ] {
            if keys.len() != values {
                return Err(Error::DifferentLengths {
                    first: "the keys of an input of a merge",
                    first_len: keys.len(),
                    second: "its values",
                    second_len: values,
                });
            }
        }
        let values = (self.a_values, self.b_values);
        merge::<K, V, L, true>(self.keys, values, (keys_out.output(), values_out.output()))
    }
}

/// Merges, with the number of elements of a thread that fits the keys.
#[track_caller]
fn merge<K, V, L, const PAIRS: bool>(
    keys: Merge<'_, '_, K, L>,
    values: (DeviceSlice<'_, V>, DeviceSlice<'_, V>),
    out: (DeviceSliceMut<'_, K>, DeviceSliceMut<'_, V>),
) -> Result<(), Error>
where
    K: Plain,
    V: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    match const { items_of::<K>() } {
        17 => launches::<K, V, L, 17, PAIRS>(keys, values, out),
        9 => launches::<K, V, L, 9, PAIRS>(keys, values, out),
        5 => launches::<K, V, L, 5, PAIRS>(keys, values, out),
        2 => launches::<K, V, L, 2, PAIRS>(keys, values, out),
        _ => launches::<K, V, L, 1, PAIRS>(keys, values, out),
    }
}

#[track_caller]
fn launches<K, V, L, const ITEMS: usize, const PAIRS: bool>(
    keys: Merge<'_, '_, K, L>,
    values: (DeviceSlice<'_, V>, DeviceSlice<'_, V>),
    (mut out, mut out_values): (DeviceSliceMut<'_, K>, DeviceSliceMut<'_, V>),
) -> Result<(), Error>
where
    K: Plain,
    V: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    let (stream, n) = (keys.stream, keys.a.len() + keys.b.len());
    let n_values = if PAIRS { n } else { 0 };
    Error::check_room("the output of a merge", out.len(), n)?;
    Error::check_room(
        "the output for the values of a merge",
        out_values.len(),
        n_values,
    )?;
    if n == 0 {
        return Ok(());
    }
    let mut own;
    let plan = match keys.plan {
        Some(plan) => plan,
        None => {
            own = MergePlan::on(stream, n)?;
            &mut own
        }
    };
    let tiles = MergePlan::<K>::tiles(n);
    Error::check_room("the plan of a merge", plan.splits.len(), tiles)?;
    let shape = launch_of(n, ITEMS * THREADS)?;
    let mut splits = plan.splits.slice_mut(..tiles)?;
    find_splits::<K, L, true>(
        stream,
        (keys.a, keys.b),
        ITEMS * THREADS,
        0,
        keys.less,
        &mut splits,
    )?;
    Ok(merge_tiles::<K, V, L, ITEMS, PAIRS, true>::launch(
        stream,
        shape.dynamic_shared(const { values_bytes::<V>(ITEMS, PAIRS) }),
        keys.a,
        keys.b,
        values.0,
        values.1,
        splits.as_slice(),
        0,
        keys.less,
        out.slice_mut(..n)?,
        out_values.slice_mut(..n_values)?,
    )?)
}
