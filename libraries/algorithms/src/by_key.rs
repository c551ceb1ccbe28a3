//! Runs of equal keys: their values combined, or scanned within each run.

mod kernel; // one pass over memory

use std::marker::PhantomData;

use warploom::device_std::atomic::Atomic;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::lookback;
use crate::output::IntoOutput;
use crate::state::{Segments, State, Value, WORDS};
use crate::{Error, runs, tile};

use kernel::{EXCLUSIVE, INCLUSIVE, REDUCE, runs_of_tiles};

/// Pairs of a thread: of up to 8 bytes, of up to 16, and larger ones. Odd numbers keep the exchange free of bank conflicts.
const EIGHT: usize = 9;
const SIXTEEN: usize = 5;
const LARGER: usize = 2;

/// Pairs of a thread.
const fn items<K, V>() -> usize {
    assert!(size_of::<K>() <= 16, "runs are of keys of at most 16 bytes");
    let bytes = size_of::<K>() + size_of::<V>();
    let items = match bytes {
        0..=8 => EIGHT,
        9..=16 => SIXTEEN,
        _ => LARGER,
    };
    tile::fitting(items, bytes)
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
            states: device.alloc_uninit(Self::most_words(len))?,
            pair: PhantomData,
        })
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        Ok(ByKeyPlan {
            states: pool.alloc_uninit(Self::words(len), stream)?,
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

    const fn words(len: usize) -> usize {
        lookback::words::<Segments<V>>(tile::tiles(len, items::<K, V>()))
    }

    /// And those of an algorithm that takes the plan too.
    const fn most_words(len: usize) -> usize {
        let own = Self::words(len);
        let of_lengths = runs::words::<K, V, true>(len);
        let of_firsts = runs::words::<K, V, false>(len);
        let of_runs = if of_lengths > of_firsts {
            of_lengths
        } else {
            of_firsts
        };
        if own > of_runs { own } else { of_runs }
    }
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
        self.run::<REDUCE>(None, keys, values, count)
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
        self.scan::<INCLUSIVE>(None, values.output())
    }

    /// Queues a scan within each run: for each element what `init` and the elements of its run before it have. Does not wait.
    ///
    /// # Errors
    /// As [`inclusive_scan`](Self::inclusive_scan).
    pub fn exclusive_scan(self, init: V, values: impl IntoOutput<V>) -> Result<(), Error> {
        self.scan::<EXCLUSIVE>(Some(init), values.output())
    }

    fn scan<const MODE: u32>(
        self,
        init: Option<V>,
        mut values: DeviceSliceMut<'_, V>,
    ) -> Result<(), Error> {
        let n = self.input.len();
        Error::check_room("the output of a scan", values.len(), n)?;
        if n == 0 {
            return Ok(());
        }
        let device = self.stream.device();
        let (mut keys, mut count) = (device.alloc_uninit(0)?, device.alloc_uninit(0)?);
        let values = values.slice_mut(..n)?;
        self.run::<MODE>(init, keys.as_slice_mut(), values, count.as_slice_mut())
    }

    fn run<const MODE: u32>(
        self,
        init: Option<V>,
        keys: DeviceSliceMut<'_, K>,
        values: DeviceSliceMut<'_, V>,
        count: DeviceSliceMut<'_, u64>,
    ) -> Result<(), Error> {
        let (n, stream) = (self.input.len(), self.stream);
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = ByKeyPlan::on(stream, n)?;
                &mut own
            }
        };
        let words = ByKeyPlan::<(K, V)>::words(n);
        Error::check_room("the plan of runs", plan.states.len(), words)?;
        plan.states.slice_mut(..words)?.fill(0, stream)?;
        let states: DeviceSlice<'_, Atomic<u64>> = plan.states.as_atomics().slice(..words)?;
        let empty = Empty::new(stream.device())?;
        let Value(nothing) = Value::from_words([0; WORDS]);
        let launch = ByKeyLaunch {
            stream,
            slices: M::arguments(self.input.slices, &empty),
            fetch: self.input.fetch,
            n,
            op: self.op,
            init: init.unwrap_or(nothing),
            states,
            keys,
            values,
            count,
        };
        match const { items::<K, V>() } {
            EIGHT => launch.run::<EIGHT, MODE, DETERMINISTIC>(),
            SIXTEEN => launch.run::<SIXTEEN, MODE, DETERMINISTIC>(),
            _ => launch.run::<LARGER, MODE, DETERMINISTIC>(),
        }
    }
}

/// The arguments of the kernel.
struct ByKeyLaunch<'l, M: Memory, F, K: Plain, V: Plain, O> {
    stream: &'l Stream,
    slices: Arguments<'l, M>,
    fetch: F,
    n: usize,
    op: O,
    init: V,
    states: DeviceSlice<'l, Atomic<u64>>,
    keys: DeviceSliceMut<'l, K>,
    values: DeviceSliceMut<'l, V>,
    count: DeviceSliceMut<'l, u64>,
}

impl<M, F, K, V, O> ByKeyLaunch<'_, M, F, K, V, O>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
    O: Fn(V, V) -> V + Copy + Send + Sync + 'static,
{
    fn run<const ITEMS: usize, const MODE: u32, const DETERMINISTIC: bool>(
        self,
    ) -> Result<(), Error> {
        let bytes = tile::slots_bytes(ITEMS, size_of::<K>() + size_of::<V>());
        let shape = tile::one_pass(self.n, ITEMS)?.dynamic_shared(bytes);
        let (a, b, c) = self.slices;
        Ok(
            runs_of_tiles::<M, F, K, V, O, ITEMS, MODE, DETERMINISTIC>::launch(
                self.stream,
                shape,
                a,
                b,
                c,
                self.fetch,
                self.n,
                self.op,
                self.init,
                self.states,
                self.keys,
                self.values,
                self.count,
            )?,
        )
    }
}
