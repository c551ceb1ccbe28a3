//! Elements to places that an input gives.

use std::array::from_fn;

use warploom::device_std::atomic::{Atomic, AtomicValue, Relaxed};
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::Error;
use crate::input::{Concat, Empty, Fetch, Input, IntoInput, Memory, Place, Zipped};
use crate::output::IntoOutput;
use crate::transform::launch_of;

/// Elements of a thread.
const ITEMS: usize = 4;
/// Threads of a block.
const THREADS: usize = 256;

/// A scatter that was described and has not run; see [`crate::Transforms::scatter`](crate::Transforms::scatter).
#[must_use = "nothing runs before `into`"]
pub struct Scatter<'s, 'a, M: Memory, F> {
    pub(crate) stream: &'s Stream,
    /// Elements with their places.
    pub(crate) input: Input<'a, M, F>,
}

/// The scatter of the elements of `I` to the places of `J`.
pub type ScatterOf<'s, 'a, I, J> = Scatter<
    's,
    'a,
    <<I as IntoInput<'a>>::Memory as Concat<<J as IntoInput<'a>>::Memory>>::Both,
    Zipped<
        <I as IntoInput<'a>>::Memory,
        <I as IntoInput<'a>>::Fetch,
        <J as IntoInput<'a>>::Memory,
        <J as IntoInput<'a>>::Fetch,
    >,
>;

impl<M, F, T, P> Scatter<'_, '_, M, F>
where
    M: Memory,
    F: Fetch<M, Item = (T, P)>,
    P: Place,
{
    /// Queues the scatter: of each pair of an element and a place, `out[place]` will be the element. Does not wait; the other elements of `out` stay as they are.
    ///
    /// An element has 1, 2, 4 or 8 bytes, so that it is stored as one ([`AtomicValue`]). Of several elements for one place any one is stored, not always the same. A place that `out` does not have is a panic in the kernel.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more than 2^31 blocks, which are 2^41 elements; what the launch reports.
    #[track_caller]
    pub fn into(self, out: impl IntoOutput<T>) -> Result<(), Error>
    where
        T: AtomicValue,
    {
        const {
            assert!(
                size_of::<T>() <= 8,
                "elements of at most 8 bytes are stored as one; for others there is `into_distinct`"
            );
        }
        let (stream, x, out) = (self.stream, self.input, out.output());
        if x.is_empty() {
            return Ok(());
        }
        let shape = launch_of(x.len(), ITEMS)?;
        let empty = Empty::new(stream.device())?;
        let (a, b, c) = M::arguments(x.slices, &empty);
        Ok(scatter_tiles::<M, F, T, P>::launch(
            stream,
            shape,
            a,
            b,
            c,
            x.fetch,
            x.len(),
            out,
        )?)
    }

    /// As [`into`](Self::into), for elements of any type, which need not be stored as one.
    ///
    /// # Errors
    /// As [`into`](Self::into).
    ///
    /// # Safety
    /// No two elements have the same place: stores of two threads to one place are a race. The emulator reports it.
    #[track_caller]
    pub unsafe fn into_distinct(self, out: impl IntoOutput<T>) -> Result<(), Error>
    where
        T: Plain,
    {
        let (stream, x, out) = (self.stream, self.input, out.output());
        if x.is_empty() {
            return Ok(());
        }
        let shape = launch_of(x.len(), ITEMS)?;
        let empty = Empty::new(stream.device())?;
        let (a, b, c) = M::arguments(x.slices, &empty);
        Ok(scatter_distinct_tiles::<M, F, T, P>::launch(
            stream,
            shape,
            a,
            b,
            c,
            x.fetch,
            x.len(),
            out,
        )?)
    }
}

/// Stores each element as one, so that stores to one place are no race.
#[kernel(block(256), dependent_launch)]
pub fn scatter_tiles<M, F, T, P>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    pairs: F,
    n: usize,
    mut y: DisjointSlice<T>,
) where
    M: Memory,
    F: Fetch<M, Item = (T, P)>,
    T: AtomicValue,
    P: Place,
{
    launch_dependents();
    let (start, len) = (y.raw(), y.len());
    each::<M, F, T, P>(block, M::view(a, b, c), pairs, (n, len), |place, value| {
        let element = start.wrapping_add(place).cast::<Atomic<T>>();
        // SAFETY: within the slice, which `each` checked; an `Atomic` has the layout of its value, and all accesses of the launch are atomic.
        unsafe { &*element }.store(value, Relaxed);
    });
}

/// Stores elements whose places are distinct.
#[kernel(block(256), dependent_launch)]
pub fn scatter_distinct_tiles<M, F, T, P>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    pairs: F,
    n: usize,
    mut y: DisjointSlice<T>,
) where
    M: Memory,
    F: Fetch<M, Item = (T, P)>,
    T: Plain,
    P: Place,
{
    launch_dependents();
    let (start, len) = (y.raw(), y.len());
    each::<M, F, T, P>(block, M::view(a, b, c), pairs, (n, len), |place, value| {
        // SAFETY: within the slice, which `each` checked; who launched this promised that no two places are the same.
        unsafe { start.wrapping_add(place).write(value) };
    });
}

/// Each of this thread's pairs, with a place below `len`.
#[inline(always)]
fn each<M: Memory, F: Fetch<M, Item = (T, P)>, T: Copy, P: Place>(
    block: Block,
    view: M::View<'_>,
    pairs: F,
    (n, len): (usize, usize),
    store: impl Fn(usize, T),
) {
    let first = block.index() * THREADS * ITEMS;
    if first >= n {
        return;
    }
    let count = (n - first).min(THREADS * ITEMS);
    let part = pairs.part(view, first, count);
    let store = |(value, place): (T, P)| {
        let place = place.place();
        assert!(
            place < len,
            "place {place} of an output with {len} elements"
        );
        store(place, value);
    };
    let thread = block.thread();
    if count == THREADS * ITEMS {
        let pairs: [_; ITEMS] = from_fn(|k| part(thread + k * THREADS));
        unroll_all::<ITEMS>(|k| store(pairs[k]));
        return;
    }
    let mut i = thread;
    while i < count {
        store(part(i));
        i += THREADS;
    }
}
