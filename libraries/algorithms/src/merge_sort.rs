//! Sorting by a comparison.
//!
//! One launch sorts tiles ([`sort_tiles`]), then each pass merges neighbouring runs, from one buffer to another ([`merge_path`](crate::merge_path)): two
//! launches, one that finds where the tiles of the merge begin, and one that merges. Which of output and workspace is first depends on the number of
//! passes, so that the last one ends in the output.

mod first_pass; // the kernel before the merges
mod pairs; // keys with values

pub(crate) use first_pass::{pad, sort_own, sort_tiles};
pub use pairs::MergeSortPairs;

use std::mem::swap;

use warploom::prelude::*;
use warploom::{DeviceSliceMut, MemoryError};

use crate::Error;
use crate::input::{Empty, Fetch, Input, Memory, constant};
use crate::merge_path::{THREADS, find_splits, items_of, launch_of, merge_tiles, values_bytes};
use crate::output::IntoOutput;

/// A sort that was described and has not run; see [`crate::Sorts::merge_sort`](crate::Sorts::merge_sort).
#[must_use = "nothing runs before `into`"]
pub struct MergeSort<'s, 'a, M: Memory, F, K: Plain, L> {
    pub(crate) stream: &'s Stream,
    pub(crate) keys: Input<'a, M, F>,
    pub(crate) less: L,
    pub(crate) plan: Option<&'s mut MergeSortPlan<K>>,
}

/// The memory of a sort, for use again and again and in graphs: of no more than the elements that it was made for.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::MergeSortPlan;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let (x, mut y) = (device.upload(&[2u32, 3, 1])?, device.zeroed(3)?);
/// let mut plan = MergeSortPlan::new(&device, x.len())?;
/// stream.merge_sort(&x, |a, b| a < b).plan(&mut plan).into(&mut y)?;
/// assert_eq!(y.to_vec(&stream)?, [1, 2, 3]);
/// assert_eq!(plan.bytes(), 0); // more than a tile of elements needs memory
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct MergeSortPlan<K: Plain, V: Plain = u8> {
    keys: DeviceBuffer<K>,
    values: DeviceBuffer<V>,
    splits: DeviceBuffer<u64>,
}

impl<K: Plain> MergeSortPlan<K> {
    /// Memory for sorts of up to `len` keys.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let (len, tiles) = needs::<K>(len);
        Ok(MergeSortPlan {
            keys: device.alloc_uninit(len)?,
            values: device.alloc_uninit(0)?,
            splits: device.alloc_uninit(tiles)?,
        })
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let ((len, tiles), pool) = (needs::<K>(len), stream.device().pool()?);
        Ok(MergeSortPlan {
            keys: pool.alloc_uninit(len, stream)?,
            values: pool.alloc_uninit(0, stream)?,
            splits: pool.alloc_uninit(tiles, stream)?,
        })
    }
}

impl<K: Plain, V: Plain> MergeSortPlan<K, V> {
    /// Memory for sorts of up to `len` keys with their values.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn with_values(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let (len, tiles) = needs::<K>(len);
        Ok(MergeSortPlan {
            keys: device.alloc_uninit(len)?,
            values: device.alloc_uninit(len)?,
            splits: device.alloc_uninit(tiles)?,
        })
    }

    fn with_values_on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let ((len, tiles), pool) = (needs::<K>(len), stream.device().pool()?);
        Ok(MergeSortPlan {
            keys: pool.alloc_uninit(len, stream)?,
            values: pool.alloc_uninit(len, stream)?,
            splits: pool.alloc_uninit(tiles, stream)?,
        })
    }

    /// Bytes of device memory: a copy of keys and values, and 8 for each tile.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.len() * size_of::<K>()
            + self.values.len() * size_of::<V>()
            + self.splits.len() * size_of::<u64>()
    }
}

/// Elements of the workspace, and tiles; none where one tile has all elements.
fn needs<K>(len: usize) -> (usize, usize) {
    let tiles = len.div_ceil(items_of::<K>() * THREADS);
    if tiles > 1 { (len, tiles) } else { (0, 0) }
}

impl<'s, M, F, K, L> MergeSort<'s, '_, M, F, K, L>
where
    M: Memory,
    F: Fetch<M, Item = K>,
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut MergeSortPlan<K>) -> Self {
        MergeSort {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the sort; the elements will be the first of `out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` or the plan is for fewer elements; [`Error::TooMany`] for more than 2^31 tiles; what launches and allocations
    /// report.
    #[track_caller]
    pub fn into(self, out: impl IntoOutput<K>) -> Result<(), Error> {
        let (stream, n) = (self.stream, self.keys.len());
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = MergeSortPlan::on(stream, n)?;
                &mut own
            }
        };
        let no_values = constant(0, n);
        let mut empty = stream.device().alloc_uninit(0)?;
        let out = (out.output(), empty.as_slice_mut());
        sort::<_, _, _, _, K, u8, L, false>(stream, self.keys, no_values, self.less, plan, out)
    }
}

/// Sorts, with the number of elements of a thread that fits the keys.
#[track_caller]
fn sort<M, F, N, G, K, V, L, const PAIRS: bool>(
    stream: &Stream,
    keys: Input<'_, M, F>,
    values: Input<'_, N, G>,
    less: L,
    plan: &mut MergeSortPlan<K, V>,
    out: (DeviceSliceMut<'_, K>, DeviceSliceMut<'_, V>),
) -> Result<(), Error>
where
    M: Memory,
    F: Fetch<M, Item = K>,
    N: Memory,
    G: Fetch<N, Item = V>,
    K: Plain,
    V: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    match const { items_of::<K>() } {
        17 => passes::<_, _, _, _, _, _, _, 17, PAIRS>(stream, keys, values, less, plan, out),
        9 => passes::<_, _, _, _, _, _, _, 9, PAIRS>(stream, keys, values, less, plan, out),
        5 => passes::<_, _, _, _, _, _, _, 5, PAIRS>(stream, keys, values, less, plan, out),
        2 => passes::<_, _, _, _, _, _, _, 2, PAIRS>(stream, keys, values, less, plan, out),
        _ => passes::<_, _, _, _, _, _, _, 1, PAIRS>(stream, keys, values, less, plan, out),
    }
}

/// All launches.
#[track_caller]
fn passes<M, F, N, G, K, V, L, const ITEMS: usize, const PAIRS: bool>(
    stream: &Stream,
    keys: Input<'_, M, F>,
    values: Input<'_, N, G>,
    less: L,
    plan: &mut MergeSortPlan<K, V>,
    (mut out, mut out_values): (DeviceSliceMut<'_, K>, DeviceSliceMut<'_, V>),
) -> Result<(), Error>
where
    M: Memory,
    F: Fetch<M, Item = K>,
    N: Memory,
    G: Fetch<N, Item = V>,
    K: Plain,
    V: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
{
    let n = keys.len();
    let of_values = |len: usize| if PAIRS { len } else { 0 };
    Error::check_room("the output of a sort", out.len(), n)?;
    Error::check_room(
        "the output for the values of a sort",
        out_values.len(),
        of_values(n),
    )?;
    if n == 0 {
        return Ok(());
    }
    let (room, tiles) = needs::<K>(n);
    let shape = launch_of(n, ITEMS * THREADS)?;
    Error::check_room("the plan of a sort", plan.keys.len(), room)?;
    Error::check_room("the plan of a sort", plan.values.len(), of_values(room))?;
    Error::check_room("the plan of a sort", plan.splits.len(), tiles)?;
    let passes = n.div_ceil(ITEMS * THREADS).next_power_of_two().ilog2();

    let (mut to, mut to_values) = (out.slice_mut(..n)?, out_values.slice_mut(..of_values(n))?);
    let (mut from, mut from_values) = (
        plan.keys.slice_mut(..room)?,
        plan.values.slice_mut(..of_values(room))?,
    );
    let mut splits = plan.splits.slice_mut(..tiles)?;
    if passes % 2 == 1 {
        swap(&mut to, &mut from);
        swap(&mut to_values, &mut from_values);
    }
    let (empty, empty_values) = (Empty::new(stream.device())?, Empty::new(stream.device())?);
    let (a, b, c) = M::arguments(keys.slices, &empty);
    let (d, e, f) = N::arguments(values.slices, &empty_values);
    sort_tiles::<M, F, N, G, K, V, L, ITEMS, PAIRS>::launch(
        stream,
        shape,
        a,
        b,
        c,
        keys.fetch,
        d,
        e,
        f,
        values.fetch,
        less,
        &mut to,
        &mut to_values,
    )?;
    for pass in 0..passes {
        swap(&mut to, &mut from);
        swap(&mut to_values, &mut from_values);
        find_splits::<K, L, false>(
            stream,
            (from.as_slice(), from.as_slice()),
            ITEMS * THREADS,
            pass,
            less,
            &mut splits,
        )?;
        merge_tiles::<K, V, L, ITEMS, PAIRS, false>::launch(
            stream,
            shape.dynamic_shared(const { values_bytes::<V>(ITEMS, PAIRS) }),
            from.as_slice(),
            from.as_slice(),
            from_values.as_slice(),
            from_values.as_slice(),
            splits.as_slice(),
            pass,
            less,
            &mut to,
            &mut to_values,
        )?;
    }
    Ok(())
}
