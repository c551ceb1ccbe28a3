//! Union, intersection and differences of two sorted inputs.
//!
//! Four launches: where the tiles of the merge of both begin ([`merge_path`](crate::merge_path)); how many elements of each tile are kept; where those of a tile begin in
//! the output, by one block; and the tiles once more, which store what they keep. Equal elements are paired in order: the first of `a` with the
//! first of `b`, and so on. An operation is which elements it keeps: those of `a` with a partner, those of `a` without, those of `b` without.

mod kernels; // elements that are kept, counted and stored

pub(crate) use kernels::{set_counts, set_offsets, set_store};

use std::marker::PhantomData;

use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::Error;
use crate::merge_path::{THREADS, find_splits, items_of, launch_of};
use crate::output::IntoOutput;

/// Which elements a set operation keeps.
pub trait SetRule: sealed::Sealed + 'static {
    /// Those of `a` with an equal one of `b`.
    #[doc(hidden)]
    const PAIRED: bool;
    /// Those of `a` without.
    #[doc(hidden)]
    const ONLY_A: bool;
    /// Those of `b` without an equal one of `a`.
    #[doc(hidden)]
    const ONLY_B: bool;
    /// Elements of the output at most, for inputs of these lengths.
    #[doc(hidden)]
    fn most(a: usize, b: usize) -> usize {
        let only_a = if Self::ONLY_A { a } else { 0 };
        let only_b = if Self::ONLY_B { b } else { 0 };
        let paired = if Self::PAIRED { a.min(b) } else { 0 };
        (only_a + only_b).max(paired)
    }
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident: $paired:literal $only_a:literal $only_b:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl sealed::Sealed for $name {}
        impl SetRule for $name {
            const PAIRED: bool = $paired;
            const ONLY_A: bool = $only_a;
            const ONLY_B: bool = $only_b;
        }
    )* };
}
rules! {
    /// See [`crate::SortedInputs::set_union`](crate::SortedInputs::set_union).
    Union: true true true;
    /// See [`crate::SortedInputs::set_intersection`](crate::SortedInputs::set_intersection).
    Intersection: true false false;
    /// See [`crate::SortedInputs::set_difference`](crate::SortedInputs::set_difference).
    Difference: false true false;
    /// See [`crate::SortedInputs::set_symmetric_difference`](crate::SortedInputs::set_symmetric_difference).
    SymmetricDifference: false true true;
}

/// A set operation that was described and has not run; see [`crate::SortedInputs::set_union`](crate::SortedInputs::set_union).
#[must_use = "nothing runs before `into`"]
pub struct SetOperation<'s, 'a, K: Plain, L, R> {
    stream: &'s Stream,
    a: DeviceSlice<'a, K>,
    b: DeviceSlice<'a, K>,
    less: L,
    plan: Option<&'s mut SetPlan<K>>,
    rule: PhantomData<fn() -> R>,
}

/// The memory of a set operation, for use again and again and in graphs: of inputs with no more elements together than it was made for.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::SetPlan;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let (a, b) = (device.upload(&[1u32, 3])?, device.upload(&[3u32, 4])?);
/// let (mut y, mut count) = (device.zeroed(4)?, device.zeroed(1)?);
/// let mut plan = SetPlan::new(&device, a.len() + b.len())?;
/// stream.set_union(&a, &b, |a, b| a < b).plan(&mut plan).into(&mut y, &mut count)?;
/// assert_eq!((y.to_vec(&stream)?, count.get(0, &stream)?), (vec![1, 3, 4, 0], 3));
/// assert_eq!(plan.bytes(), 24);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct SetPlan<K: Plain> {
    splits: DeviceBuffer<u64>,
    offsets: DeviceBuffer<u64>,
    keys: PhantomData<fn() -> K>,
}

impl<K: Plain> SetPlan<K> {
    /// Memory for inputs of up to `len` elements together.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let tiles = len.div_ceil(items_of::<K>() * THREADS);
        Ok(SetPlan {
            splits: device.alloc_uninit(tiles)?,
            offsets: device.alloc_uninit(tiles + 1)?,
            keys: PhantomData,
        })
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let tiles = len.div_ceil(items_of::<K>() * THREADS);
        let pool = stream.device().pool()?;
        Ok(SetPlan {
            splits: pool.alloc_uninit(tiles, stream)?,
            offsets: pool.alloc_uninit(tiles + 1, stream)?,
            keys: PhantomData,
        })
    }

    /// Bytes of device memory: 16 for each tile, and 8.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.splits.len() + self.offsets.len()) * size_of::<u64>()
    }
}

impl<'s, 'a, K, L, R> SetOperation<'s, 'a, K, L, R>
where
    K: Plain,
    L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    R: SetRule,
{
    pub(crate) fn new(
        stream: &'s Stream,
        a: DeviceSlice<'a, K>,
        b: DeviceSlice<'a, K>,
        less: L,
    ) -> Self {
        SetOperation {
            stream,
            a,
            b,
            less,
            plan: None,
            rule: PhantomData,
        }
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut SetPlan<K>) -> Self {
        SetOperation {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the operation; the elements will be the first of `out`, and how many there are the first element of `count`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` has not room for as many elements as there can be, `count` has none, or the plan is for fewer elements;
    /// [`Error::TooMany`] for more than 2^31 tiles; what launches and allocations report.
    #[track_caller]
    pub fn into(self, out: impl IntoOutput<K>, count: impl IntoOutput<u64>) -> Result<(), Error> {
        let (out, mut count) = (out.output(), count.output());
        let (a_len, b_len) = (self.a.len(), self.b.len());
        Error::check_room(
            "the output of a set operation",
            out.len(),
            R::most(a_len, b_len),
        )?;
        Error::check_room("the count of a set operation", count.len(), 1)?;
        let count = count.slice_mut(..1)?;
        match const { items_of::<K>() } {
            17 => self.launches::<17>(out, count),
            9 => self.launches::<9>(out, count),
            5 => self.launches::<5>(out, count),
            2 => self.launches::<2>(out, count),
            _ => self.launches::<1>(out, count),
        }
    }

    #[track_caller]
    fn launches<const ITEMS: usize>(
        self,
        out: DeviceSliceMut<'_, K>,
        mut count: DeviceSliceMut<'_, u64>,
    ) -> Result<(), Error> {
        let (stream, a, b, less) = (self.stream, self.a, self.b, self.less);
        let n = a.len() + b.len();
        if n == 0 {
            return Ok(count.fill(0, stream)?);
        }
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = SetPlan::on(stream, n)?;
                &mut own
            }
        };
        let tiles = n.div_ceil(ITEMS * THREADS);
        Error::check_room("the plan of a set operation", plan.splits.len(), tiles)?;
        let shape = launch_of(n, ITEMS * THREADS)?;
        let (mut splits, mut offsets) = (
            plan.splits.slice_mut(..tiles)?,
            plan.offsets.slice_mut(..=tiles)?,
        );
        find_splits::<K, L, true>(stream, (a, b), ITEMS * THREADS, 0, less, &mut splits)?;
        let splits = splits.as_slice();
        set_counts::<K, L, R, ITEMS>::launch(stream, shape, a, b, splits, less, &mut offsets)?;
        let one = Launch::new(1, THREADS as u32);
        set_offsets::<R>::launch(stream, one, &mut offsets, count)?;
        Ok(set_store::<K, L, R, ITEMS>::launch(
            stream,
            shape,
            a,
            b,
            splits,
            offsets.as_slice(),
            less,
            out,
        )?)
    }
}
