//! Runs of equal keys: their values combined, or scanned within each run.

mod reduce; // one value of each run
mod scan; // a value of each element

use std::marker::PhantomData;

use warploom::prelude::*;
use warploom::{DeviceSliceMut, MemoryError};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::{Begun, Segments, State, Value, WORDS};
use crate::{Error, runs, tile, tile_states};

use reduce::{reduce_runs, reduce_runs_in_order};
use scan::scan_runs;

/// Pairs of a thread: of up to 8 bytes, of up to 16, and larger ones. Odd numbers keep the exchange free of bank conflicts. Of a scan the values wait in shared memory, of a
/// reduction keys and values.
const SCANNED_EIGHT: usize = 15;
const SCANNED_SIXTEEN: usize = 7;
const SCANNED_LARGER: usize = 3;
const REDUCED_EIGHT: usize = 15;
const REDUCED_SIXTEEN: usize = 5;
const REDUCED_LARGER: usize = 2;

/// What a plan that is too short is called.
const PLAN: &str = "the plan of runs";

/// Those for the sizes of a key and a value.
const fn by_bytes<K, V>(eight: usize, sixteen: usize, larger: usize) -> usize {
    assert!(size_of::<K>() <= 16, "runs are of keys of at most 16 bytes");
    match size_of::<K>() + size_of::<V>() {
        0..=8 => eight,
        9..=16 => sixteen,
        _ => larger,
    }
}

const fn scanned<K, V>() -> usize {
    let items = by_bytes::<K, V>(SCANNED_EIGHT, SCANNED_SIXTEEN, SCANNED_LARGER);
    tile::fitting(items, size_of::<V>())
}

const fn reduced<K, V>() -> usize {
    let items = by_bytes::<K, V>(REDUCED_EIGHT, REDUCED_SIXTEEN, REDUCED_LARGER);
    tile::fitting(items, size_of::<K>() + size_of::<V>())
}

/// An algorithm over runs of equal keys that was described and has not run; see [`crate::Reductions::by_key`](crate::Reductions::by_key).
#[must_use = "nothing runs before `reduce`, `reduce_count`, `inclusive_scan` or `exclusive_scan`"]
pub struct ByKey<'s, 'a, M: Memory, F, P, O, const DETERMINISTIC: bool = false> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) op: O,
    pub(crate) plan: Option<&'s mut ByKeyPlan<P>>,
}

/// The memory of an algorithm over runs of equal keys, [`ByKey`] or [`Runs`](crate::Runs), for use again and again and in graphs: of no more than the elements that it was made for.
pub struct ByKeyPlan<P> {
    states: DeviceBuffer<u64>,
    pair: PhantomData<fn() -> P>,
}

impl<K: Plain, V: Plain> ByKeyPlan<(K, V)> {
    /// Memory for up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(ByKeyPlan {
            states: device.alloc_uninit(Self::words(len))?,
            pair: PhantomData,
        })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.len() * size_of::<u64>()
    }

    pub(crate) fn states(&mut self) -> &mut DeviceBuffer<u64> {
        &mut self.states
    }

    const fn words_of_reduction(len: usize) -> usize {
        lookback::words::<Segments<V>>(tile::tiles(len, reduced::<K, V>()))
    }

    const fn words_of_scan(len: usize) -> usize {
        lookback::words::<Begun<V>>(tile::tiles(len, scanned::<K, V>()))
    }

    /// Words for each of the algorithms that take the plan.
    const fn words(len: usize) -> usize {
        most([
            Self::words_of_reduction(len),
            Self::words_of_scan(len),
            runs::words::<K, V, true>(len),
            runs::words::<K, V, false>(len),
        ])
    }
}

const fn most([a, b, c, d]: [usize; 4]) -> usize {
    let (ab, cd) = (if a > b { a } else { b }, if c > d { c } else { d });
    if ab > cd { ab } else { cd }
}

impl<'s, 'a, M, F, K, V, O, const DETERMINISTIC: bool> ByKey<'s, 'a, M, F, (K, V), O, DETERMINISTIC>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
    O: Fn(V, V) -> V + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut ByKeyPlan<(K, V)>) -> Self {
        ByKey {
            plan: Some(plan),
            ..self
        }
    }

    /// Combines in an order that depends on the elements, their number and their types alone: equal inputs give equal bits in each run, on every device. Of integers they are equal
    /// without it.
    pub fn deterministic(self) -> ByKey<'s, 'a, M, F, (K, V), O, true> {
        ByKey {
            stream: self.stream,
            input: self.input,
            op: self.op,
            plan: self.plan,
        }
    }

    /// Queues the reduction: the key of each run from the first of `keys` on, its value from the first of `values` on, how many runs in the first of `count`.
    /// Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `keys` or `values` have room for fewer elements than the input has, `count` for none, or the plan is for fewer; what launches and
    /// allocations report.
    pub fn reduce(
        self,
        keys: impl IntoOutput<K>,
        values: impl IntoOutput<V>,
        count: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        let (n, mut count) = (self.input.len(), count.output());
        let (mut keys, mut values) = (keys.output(), values.output());
        Error::check_room("the output for keys", keys.len(), n)?;
        Error::check_room("the output for values", values.len(), n)?;
        Error::check_room("the count of runs", count.len(), 1)?;
        if n == 0 {
            return Ok(count.slice_mut(..1)?.fill(0, self.stream)?);
        }
        let (keys, values) = (keys.slice_mut(..n)?, values.slice_mut(..n)?);
        match const { reduced::<K, V>() } {
            REDUCED_EIGHT => self.reduce_tiles::<REDUCED_EIGHT>(keys, values, count),
            REDUCED_SIXTEEN => self.reduce_tiles::<REDUCED_SIXTEEN>(keys, values, count),
            _ => self.reduce_tiles::<REDUCED_LARGER>(keys, values, count),
        }
    }

    fn reduce_tiles<const ITEMS: usize>(
        self,
        keys: DeviceSliceMut<'_, K>,
        values: DeviceSliceMut<'_, V>,
        count: DeviceSliceMut<'_, u64>,
    ) -> Result<(), Error> {
        let (n, stream) = (self.input.len(), self.stream);
        let (planned, mut own) = (self.plan.map(ByKeyPlan::states), None);
        let words = ByKeyPlan::<(K, V)>::words_of_reduction(n);
        let states = tile_states::cleared(planned, &mut own, (PLAN, words), stream)?;
        let empty = Empty::new(stream.device())?;
        let (a, b, c): Arguments<'_, M> = M::arguments(self.input.slices, &empty);
        let bytes = tile::slots_bytes(ITEMS, size_of::<K>() + size_of::<V>());
        let (fetch, op) = (self.input.fetch, self.op);
        if DETERMINISTIC {
            let shape = tile::one_pass(n, ITEMS)?.dynamic_shared(bytes);
            reduce_runs_in_order::<M, F, K, V, O, ITEMS>::launch(
                stream, shape, a, b, c, fetch, op, states, keys, values, count,
            )?;
        } else {
            let shape = tile::one_pass_beside(n, ITEMS)?.dynamic_shared(bytes);
            reduce_runs::<M, F, K, V, O, ITEMS>::launch(
                stream, shape, a, b, c, fetch, op, states, keys, values, count,
            )?;
        }
        Ok(())
    }

    /// Runs the reduction and waits for how many runs there are; see [`reduce`](Self::reduce).
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce); what the wait reports.
    pub fn reduce_count(
        self,
        keys: impl IntoOutput<K>,
        values: impl IntoOutput<V>,
    ) -> Result<usize, Error> {
        let stream = self.stream;
        let mut count = stream.device().pool()?.alloc_uninit(1, stream)?;
        self.reduce(keys, values, &mut count)?;
        Ok(count.get(0, stream)? as usize)
    }

    /// Queues a scan within each run: for each element what the elements of its run up to it have. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `values` or the plan is for fewer elements; what launches and allocations report.
    pub fn inclusive_scan(self, values: impl IntoOutput<V>) -> Result<(), Error> {
        self.scan::<true>(None, values.output())
    }

    /// Queues a scan within each run: for each element what `init` and the elements of its run before it have. Does not wait.
    ///
    /// # Errors
    /// As [`inclusive_scan`](Self::inclusive_scan).
    pub fn exclusive_scan(self, init: V, values: impl IntoOutput<V>) -> Result<(), Error> {
        self.scan::<false>(Some(init), values.output())
    }

    fn scan<const INCLUSIVE: bool>(
        self,
        init: Option<V>,
        mut values: DeviceSliceMut<'_, V>,
    ) -> Result<(), Error> {
        let n = self.input.len();
        Error::check_room("the output of a scan", values.len(), n)?;
        if n == 0 {
            return Ok(());
        }
        let values = values.slice_mut(..n)?;
        match const { scanned::<K, V>() } {
            SCANNED_EIGHT => self.scan_tiles::<SCANNED_EIGHT, INCLUSIVE>(init, values),
            SCANNED_SIXTEEN => self.scan_tiles::<SCANNED_SIXTEEN, INCLUSIVE>(init, values),
            _ => self.scan_tiles::<SCANNED_LARGER, INCLUSIVE>(init, values),
        }
    }

    fn scan_tiles<const ITEMS: usize, const INCLUSIVE: bool>(
        self,
        init: Option<V>,
        values: DeviceSliceMut<'_, V>,
    ) -> Result<(), Error> {
        let (n, stream) = (self.input.len(), self.stream);
        let (planned, mut own) = (self.plan.map(ByKeyPlan::states), None);
        let words = ByKeyPlan::<(K, V)>::words_of_scan(n);
        let states = tile_states::cleared(planned, &mut own, (PLAN, words), stream)?;
        let empty = Empty::new(stream.device())?;
        let (a, b, c): Arguments<'_, M> = M::arguments(self.input.slices, &empty);
        let bytes = tile::slots_bytes(ITEMS, size_of::<V>());
        let shape = tile::one_pass(n, ITEMS)?.dynamic_shared(bytes);
        let Value(nothing) = Value::from_words([0; WORDS]);
        let (fetch, op, init) = (self.input.fetch, self.op, init.unwrap_or(nothing));
        Ok(
            scan_runs::<M, F, K, V, O, ITEMS, INCLUSIVE, DETERMINISTIC>::launch(
                stream, shape, a, b, c, fetch, op, init, states, values,
            )?,
        )
    }
}
