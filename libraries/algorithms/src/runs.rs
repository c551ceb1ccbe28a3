//! Runs of equal elements: their lengths, and the first value of each.

mod kernel; // one pass over memory

use warploom::prelude::*;

use crate::by_key::ByKeyPlan;
use crate::input::{Arguments, Empty, Fetch, Input, Memory};
use crate::output::IntoOutput;
use crate::{Error, lookback, tile, tile_states};

use kernel::{Heads, heads_of_tiles, staged_bytes};

/// Elements of a thread, by the bytes that wait in shared memory for each.
const SIX: usize = 17;
const EIGHT: usize = 15;
const TWELVE: usize = 7;
const EIGHTEEN: usize = 5;
const LARGER: usize = 2;

/// Elements of a thread.
const fn items<K, V, const LENGTHS: bool>() -> usize {
    assert!(size_of::<K>() <= 16, "runs are of keys of at most 16 bytes");
    let bytes = staged_bytes::<K, V, LENGTHS>();
    let items = match bytes {
        0..=6 => SIX,
        7..=8 => EIGHT,
        9..=12 => TWELVE,
        13..=18 => EIGHTEEN,
        _ => LARGER,
    };
    tile::fitting(items, bytes)
}

/// Words of a plan for `len` elements.
pub(crate) const fn words<K, V, const LENGTHS: bool>(len: usize) -> usize {
    lookback::words::<Heads<LENGTHS>>(tile::tiles(len, items::<K, V, LENGTHS>()))
}

/// What there is of each run of equal elements, described and not yet run: see [`crate::Reductions::run_lengths`](crate::Reductions::run_lengths),
/// [`unique_by_key`](crate::Reductions::unique_by_key).
#[must_use = "nothing runs before `reduce` or `reduce_count`"]
pub struct Runs<'s, 'a, M: Memory, F, P, const LENGTHS: bool> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) plan: Option<&'s mut ByKeyPlan<P>>,
}

impl<'s, M, F, K, V, const LENGTHS: bool> Runs<'s, '_, M, F, (K, V), LENGTHS>
where
    M: Memory,
    F: Fetch<M, Item = (K, V)>,
    K: Plain + PartialEq,
    V: Plain,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut ByKeyPlan<(K, V)>) -> Self {
        Runs {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the algorithm: the key of each run from the first of `keys` on, its length or first value from the first of `values` on, how many runs in the first of
    /// `count`. Does not wait.
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
        match const { items::<K, V, LENGTHS>() } {
            SIX => self.run::<SIX>(keys, values, count),
            EIGHT => self.run::<EIGHT>(keys, values, count),
            TWELVE => self.run::<TWELVE>(keys, values, count),
            EIGHTEEN => self.run::<EIGHTEEN>(keys, values, count),
            _ => self.run::<LARGER>(keys, values, count),
        }
    }

    /// Runs the algorithm and waits for how many runs there are; see [`reduce`](Self::reduce).
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

    fn run<const ITEMS: usize>(
        self,
        keys: impl IntoOutput<K>,
        values: impl IntoOutput<V>,
        count: impl IntoOutput<u64>,
    ) -> Result<(), Error> {
        let (n, stream) = (self.input.len(), self.stream);
        let (mut keys, mut values, mut count) = (keys.output(), values.output(), count.output());
        Error::check_room("the output for keys", keys.len(), n)?;
        Error::check_room("the output for values", values.len(), n)?;
        Error::check_room("the count of runs", count.len(), 1)?;
        if n == 0 {
            return Ok(count.slice_mut(..1)?.fill(0, stream)?);
        }
        let (planned, mut own) = (self.plan.map(ByKeyPlan::states), None);
        let what = ("the plan of runs", words::<K, V, LENGTHS>(n));
        let states = tile_states::cleared(planned, &mut own, what, stream)?;
        let bytes = tile::slots_bytes(ITEMS, staged_bytes::<K, V, LENGTHS>());
        let empty = Empty::new(stream.device())?;
        let (a, b, c): Arguments<'_, M> = M::arguments(self.input.slices, &empty);
        Ok(heads_of_tiles::<M, F, K, V, ITEMS, LENGTHS>::launch(
            stream,
            tile::one_pass(n, ITEMS)?.dynamic_shared(bytes),
            a,
            b,
            c,
            self.input.fetch,
            n,
            states,
            keys.slice_mut(..n)?,
            values.slice_mut(..n)?,
            count,
        )?)
    }
}
