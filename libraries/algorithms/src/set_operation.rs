//! Union, intersection and differences of two sorted inputs.
//!
//! Two launches: where the tiles of the merge of both begin, by [`merge_path`](crate::merge_path); and the tiles, which store what they keep, in one pass. Equal elements are
//! paired in order: the first of `a` with the first of `b`, and so on. An operation is which elements it keeps: those of `a` with a partner, those of `a` without, those of
//! `b` without.

mod balance; // splits that cut no pair
mod kernels; // the elements that are kept

use balance::set_splits;
use kernels::set_tiles;

use std::marker::PhantomData;

use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::merge_path::{THREADS, items_of, searchers};
use crate::output::IntoOutput;
use crate::state::Count;
use crate::{Error, lookback, tile, tile_states};

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
    states: DeviceBuffer<u64>,
    keys: PhantomData<fn() -> K>,
}

/// Elements of a tile: one less than it has room for, as a split may have one element more before it than another.
const fn tile_of<K>() -> usize {
    items_of::<K>() * THREADS - 1
}

impl<K: Plain> SetPlan<K> {
    /// Memory for inputs of up to `len` elements together.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        let tiles = len.div_ceil(tile_of::<K>());
        Ok(SetPlan {
            splits: device.alloc_uninit(tiles)?,
            states: device.alloc_uninit(lookback::words::<Count>(tiles))?,
            keys: PhantomData,
        })
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let tiles = len.div_ceil(tile_of::<K>());
        let pool = stream.device().pool()?;
        Ok(SetPlan {
            splits: pool.alloc_uninit(tiles, stream)?,
            states: pool.alloc_uninit(lookback::words::<Count>(tiles), stream)?,
            keys: PhantomData,
        })
    }

    /// Bytes of device memory: 16 for each tile, and 8.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.splits.len() + self.states.len()) * size_of::<u64>()
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
        let tile = tile_of::<K>();
        let tiles = n.div_ceil(tile);
        Error::check_room("the plan of a set operation", plan.splits.len(), tiles)?;
        let shape = tile::one_pass_of(tiles, tile, n)?;
        let words = lookback::words::<Count>(tiles);
        let what = ("the plan of a set operation", words);
        let states = tile_states::clear(&mut plan.states, what, stream)?;
        let mut splits = plan.splits.slice_mut(..tiles)?;
        let lanes = searchers(tiles);
        let searches = Launch::covering(tiles * lanes as usize);
        set_splits::<K, L>::launch(stream, searches, a, b, tile, lanes, less, &mut splits)?;
        let splits = splits.as_slice();
        Ok(set_tiles::<K, L, R, ITEMS>::launch(
            stream, shape, a, b, splits, states, less, out, count,
        )?)
    }
}
