//! The smallest or largest element, with its place.
//!
//! At most [`BLOCKS`] blocks, as for a reduction, each of which writes the key and the place of its best element; then one block among these.

use std::array::from_fn;

use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut, MemoryError};

use crate::Error;
use crate::input::{Empty, Fetch, Input, Memory};
use crate::output::IntoOutput;
use crate::radix_sort::{RadixBits, RadixKey};
use crate::tuning::by_size;

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks at most: eight for each of 132 multiprocessors.
const BLOCKS: usize = 8 * 132;
/// Elements of a thread in each round, by their size.
const ITEMS: [usize; 5] = [16, 16, 16, 8, 4];

/// Elements that a thread of the last launch loads at once: with its first one all that there are, 1056 by 256 threads.
const ROUND: usize = BLOCKS.div_ceil(THREADS) - 1;

/// The bits of an element's key, and its place.
type Best = [u64; 2];

/// A search for the smallest or largest element that was described and has not run; see [`crate::Reductions::arg_min`](crate::Reductions::arg_min).
#[must_use = "nothing runs before `into` or `to_host`"]
pub struct ArgReduce<'s, 'a, M: Memory, F, const LARGEST: bool> {
    stream: &'s Stream,
    input: Input<'a, M, F>,
    plan: Option<&'s mut ArgPlan>,
}

/// The memory of a search for the smallest or largest element, for use again and again and in graphs: of no more elements than it was made for, of any type.
pub struct ArgPlan {
    partial: DeviceBuffer<Best>,
}

impl ArgPlan {
    /// Memory for searches among up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(ArgPlan {
            partial: device.alloc_uninit(blocks(len, ITEMS[4]))?,
        })
    }

    /// Bytes of device memory: 16,896 at most.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.partial.len() * size_of::<Best>()
    }
}

/// Blocks for `len` elements.
fn blocks(len: usize, items: usize) -> usize {
    len.div_ceil(THREADS * items).min(BLOCKS)
}

impl<'s, 'a, M, F, K, const LARGEST: bool> ArgReduce<'s, 'a, M, F, LARGEST>
where
    M: Memory,
    F: Fetch<M, Item = K>,
    K: RadixKey,
{
    pub(crate) fn new(stream: &'s Stream, input: Input<'a, M, F>) -> Self {
        ArgReduce {
            stream,
            input,
            plan: None,
        }
    }

    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut ArgPlan) -> Self {
        ArgReduce {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the search: the element will be the first of `value`, its number the first of `index`. Without elements the number is `u64::MAX`, and `value` stays as it is.
    /// Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if an output has no element or the plan is for fewer elements; what launches and allocations report.
    pub fn into(self, value: impl IntoOutput<K>, index: impl IntoOutput<u64>) -> Result<(), Error> {
        const {
            assert!(
                K::Bits::BITS <= 64,
                "a place goes with a key of at most 64 bits; for others there is `reduce`"
            );
        }
        let (mut value, mut index) = (value.output(), index.output());
        Error::check_room("the output for the element", value.len(), 1)?;
        Error::check_room("the output for its number", index.len(), 1)?;
        let (n, stream) = (self.input.len(), self.stream);
        let (value, mut index) = (value.slice_mut(..1)?, index.slice_mut(..1)?);
        if n == 0 {
            return Ok(index.fill(u64::MAX, stream)?);
        }
        let blocks = blocks(n, by_size::<K>(ITEMS));
        let mut own;
        let partial = match self.plan {
            Some(plan) => &mut plan.partial,
            None => {
                own = stream.device().pool()?.alloc_uninit(blocks, stream)?;
                &mut own
            }
        };
        Error::check_room("the plan of a search", partial.len(), blocks)?;
        let partial = partial.slice_mut(..blocks)?;
        let search = Search::<M, F, K, LARGEST> {
            stream,
            input: self.input,
            key: std::marker::PhantomData,
        };
        match const { by_size::<K>(ITEMS) } {
            16 => search.run::<16>(partial, value, index),
            8 => search.run::<8>(partial, value, index),
            _ => search.run::<4>(partial, value, index),
        }
    }

    /// Runs the search and waits for the number of the element and the element; `None` without elements.
    ///
    /// # Errors
    /// As [`into`](Self::into); what the wait reports.
    pub fn to_host(self) -> Result<Option<(u64, K)>, Error> {
        if self.input.is_empty() {
            return Ok(None);
        }
        let stream = self.stream;
        let pool = stream.device().pool()?;
        let mut value = pool.alloc_uninit(1, stream)?;
        let mut index = pool.alloc_uninit(1, stream)?;
        self.into(&mut value, &mut index)?;
        Ok(Some((index.get(0, stream)?, value.get(0, stream)?)))
    }
}

/// What both launches have.
struct Search<'l, 'a, M: Memory, F, K, const LARGEST: bool> {
    stream: &'l Stream,
    input: Input<'a, M, F>,
    key: std::marker::PhantomData<K>,
}

impl<M, F, K, const LARGEST: bool> Search<'_, '_, M, F, K, LARGEST>
where
    M: Memory,
    F: Fetch<M, Item = K>,
    K: RadixKey,
{
    fn run<const ITEMS: usize>(
        self,
        mut partial: DeviceSliceMut<'_, Best>,
        value: DeviceSliceMut<'_, K>,
        index: DeviceSliceMut<'_, u64>,
    ) -> Result<(), Error> {
        let (stream, x) = (self.stream, self.input);
        let empty = Empty::new(stream.device())?;
        let (a, b, c) = M::arguments(x.slices, &empty);
        let shape = Launch::new(partial.len() as u32, THREADS as u32);
        best_of_tiles::<M, F, K, ITEMS, LARGEST>::launch(
            stream,
            shape,
            a,
            b,
            c,
            x.fetch,
            x.len,
            &mut partial,
        )?;
        let partial: DeviceSlice<'_, Best> = partial.as_slice();
        let one = Launch::new(1, THREADS as u32);
        Ok(best_of_blocks::<M, F, K, LARGEST>::launch(
            stream, one, a, b, c, x.fetch, partial, value, index,
        )?)
    }
}

/// The place of the best element of each block's tiles.
#[kernel(block(256), dependent_launch)]
pub fn best_of_tiles<M, F, K, const ITEMS: usize, const LARGEST: bool>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    mut y: DisjointSlice<Best, PerBlock>,
) where
    M: Memory,
    F: Fetch<M, Item = K>,
    K: RadixKey,
{
    launch_dependents();
    let view = M::view(a, b, c);
    let (thread, tile, tiles) = (block.thread(), THREADS * ITEMS, grid_dim().x as usize);
    let mut best: Option<(K::Bits, usize)> = None;
    // A thread meets its elements in ascending order, so that of equal ones the first stays.
    let mut meet = |bits: K::Bits, place: usize| match best {
        Some((so_far, _)) if !before::<_, LARGEST>(bits, so_far) => {}
        _ => best = Some((bits, place)),
    };
    let mut first = block.index() * tile;
    while n - first >= tile {
        let part = fetch.part(view, first, tile);
        let items: [K::Bits; ITEMS] = from_fn(|k| part(thread + k * THREADS).bits());
        let (mut bits, mut row) = (items[0], 0);
        for (k, &item) in items.iter().enumerate() {
            if before::<_, LARGEST>(item, bits) {
                (bits, row) = (item, k as u32);
            }
        }
        meet(bits, first + thread + row as usize * THREADS);
        first += tiles * tile;
        if first >= n {
            break;
        }
    }
    if first < n {
        let part = fetch.part(view, first, n - first);
        let mut k = thread;
        while k < n - first {
            meet(part(k).bits(), first + k);
            k += THREADS;
        }
    }
    // A thread without an element has the block's first once more, which changes nothing.
    let (bits, place) = best.unwrap_or_else(|| {
        let place = (block.index() * tile).min(n.saturating_sub(1));
        (fetch.get(view, place).bits(), place)
    });
    let best = block.reduce([bits.to_u64(), place as u64], better::<LARGEST>);
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = best;
    }
}

/// The best of the elements at these places, and its place.
#[kernel(block(256), dependent_launch)]
pub fn best_of_blocks<M, F, K, const LARGEST: bool>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    bests: &[Best],
    mut value: DisjointSlice<K, PerBlock>,
    mut index: DisjointSlice<u64, PerBlock>,
) where
    M: Memory,
    F: Fetch<M, Item = K>,
    K: RadixKey,
{
    launch_dependents();
    let view = M::view(a, b, c);
    // A launch of `best_of_tiles` has a block at least; threads without an element of their own have the last once more, which changes nothing.
    let Some(last) = bests.len().checked_sub(1) else {
        return;
    };
    let mut best = bests[block.thread().min(last)];
    let mut first = THREADS;
    while first <= last {
        // All are loaded before the first is compared.
        let others: [Best; ROUND] =
            from_fn(|k| bests[(first + block.thread() + k * THREADS).min(last)]);
        for other in others {
            best = better::<LARGEST>(best, other);
        }
        first += ROUND * THREADS;
    }
    let [_, place] = block.reduce(best, better::<LARGEST>);
    if let Some(value) = block.leader().and_then(|leader| value.get_mut(leader)) {
        *value = fetch.get(view, place as usize);
    }
    if let Some(index) = block.leader().and_then(|leader| index.get_mut(leader)) {
        *index = place;
    }
}

/// Whether `a` goes before `b`, both being bits of keys.
#[inline(always)]
pub(crate) fn before<B: Ord, const LARGEST: bool>(a: B, b: B) -> bool {
    if LARGEST { a > b } else { a < b }
}

/// Whether `a` goes before `b`; of equal bits the smaller place does.
#[inline(always)]
pub(crate) fn first_of<B: Ord + Copy, const LARGEST: bool>(a: (B, u64), b: (B, u64)) -> bool {
    before::<_, LARGEST>(a.0, b.0) || (a.0 == b.0 && a.1 < b.1)
}

/// That of both which goes first.
#[inline(always)]
fn better<const LARGEST: bool>(a: Best, b: Best) -> Best {
    if first_of::<_, LARGEST>((b[0], b[1]), (a[0], a[1])) {
        b
    } else {
        a
    }
}
