//! Each element of an input to the same place of the output: the kernel behind everything whose elements do not depend on each other.

use warploom::DeviceSliceMut;
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::Error;
use crate::input::{Concat, Empty, Fetch, Input, IntoInput, Memory, Permuted};
use crate::output::IntoOutput;
use crate::tuning::by_size;

/// Threads of a block.
const THREADS: usize = 256;
/// From so many elements on, a thread has several of an input whose loads wait for others.
const MANY: usize = 1 << 22;

/// A transformation that was described and has not run; see [`crate::Transforms::transform`](crate::Transforms::transform).
#[must_use = "nothing runs before `into`"]
pub struct Transform<'s, 'a, M: Memory, F> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
}

/// The gathering of elements of `I` from the places of `J`.
pub type Gather<'s, 'a, I, J> = Transform<
    's,
    'a,
    <<I as IntoInput<'a>>::Memory as Concat<<J as IntoInput<'a>>::Memory>>::Both,
    Permuted<
        <I as IntoInput<'a>>::Memory,
        <I as IntoInput<'a>>::Fetch,
        <J as IntoInput<'a>>::Memory,
        <J as IntoInput<'a>>::Fetch,
    >,
>;

impl<M, F, T> Transform<'_, '_, M, F>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
{
    /// Queues the transformation; the elements will be the first of `out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` has fewer elements; [`Error::TooMany`] for more than 2^31 blocks, which are 2^40 elements; what the launch reports.
    #[track_caller]
    pub fn into(self, out: impl IntoOutput<T>) -> Result<(), Error> {
        let (stream, x, mut out) = (self.stream, self.input, out.output());
        Error::check_room("the output of a transformation", out.len(), x.len())?;
        if x.is_empty() {
            return Ok(());
        }
        let y = out.slice_mut(..x.len())?;
        // A thread that waits for one element before it loads the next has places under way that are near to each other, more of them in the cache; of places in no order any number
        // is as good. Searches for 2^28 values took 1.03 times as long so (H200).
        match const { F::CHAINED } {
            0 => {}
            1 => return chained::<M, F, T, 1, 8>(stream, x, y),
            _ => return chained::<M, F, T, 8, 4>(stream, x, y),
        }
        // Elements of a thread: what is under way for each multiprocessor is then 32 KiB and more.
        match const { by_size::<T>([16, 16, 8, 4, 2]) } {
            16 => tiles::<M, F, T, 16, 1>(stream, x, y),
            8 => tiles::<M, F, T, 8, 1>(stream, x, y),
            4 => tiles::<M, F, T, 4, 1>(stream, x, y),
            _ => tiles::<M, F, T, 2, 1>(stream, x, y),
        }
    }
}

/// [`tiles`] of an input whose loads wait for others. With few elements one of each thread, so that many wait at the same time.
#[track_caller]
fn chained<M, F, T, const ITEMS: usize, const ROUNDS: usize>(
    stream: &Stream,
    x: Input<'_, M, F>,
    y: DeviceSliceMut<'_, T>,
) -> Result<(), Error>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
{
    if x.len() < MANY {
        tiles::<M, F, T, 1, 1>(stream, x, y)
    } else {
        tiles::<M, F, T, ITEMS, ROUNDS>(stream, x, y)
    }
}

#[track_caller]
fn tiles<M, F, T, const ITEMS: usize, const ROUNDS: usize>(
    stream: &Stream,
    x: Input<'_, M, F>,
    y: DeviceSliceMut<'_, T>,
) -> Result<(), Error>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
{
    let shape = launch_of(x.len(), ITEMS * ROUNDS)?;
    let empty = Empty::new(stream.device())?;
    let (a, b, c) = M::arguments(x.slices, &empty);
    Ok(transform_tiles::<M, F, T, ITEMS, ROUNDS>::launch(
        stream, shape, a, b, c, x.fetch, y,
    )?)
}

/// A block for each `items` elements of its threads.
pub(crate) fn launch_of(n: usize, items: usize) -> Result<Launch, Error> {
    match i32::try_from(n.div_ceil(THREADS * items)) {
        Ok(blocks) => Ok(Launch::new(blocks as u32, THREADS as u32)),
        Err(_) => Err(Error::TooMany {
            what: "an algorithm with a block for each tile",
            most: i32::MAX as u64 * (THREADS * items) as u64,
            len: n,
        }),
    }
}

/// `ITEMS` elements of each thread in each of `ROUNDS` rounds; neighbours are of different threads. All of a round are computed before the first is stored.
#[kernel(block(256), dependent_launch)]
pub fn transform_tiles<M, F, T, const ITEMS: usize, const ROUNDS: usize>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    mut y: DisjointSlice<T>,
) where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
{
    launch_dependents();
    let round = THREADS * ITEMS;
    let tile = round * ROUNDS;
    let (thread, first, n) = (block.thread(), block.index() * tile, y.len());
    if first >= n {
        return;
    }
    let count = (n - first).min(tile);
    let view = M::view(a, b, c);
    let start = y.raw().wrapping_add(first);
    // SAFETY: `i < count`, so within the slice; the tiles of blocks are disjoint, and numbers of two threads of a block differ modulo `THREADS`.
    let write = |i: usize, item| unsafe { start.wrapping_add(i).write(item) };
    if count == tile {
        for done in (0..tile).step_by(round) {
            let items: [T; ITEMS] =
                fetch.several(view, first + done, round, |k| thread + k * THREADS);
            unroll_all::<ITEMS>(|k| write(done + thread + k * THREADS, items[k]));
        }
        return;
    }
    let part = fetch.part(view, first, count);
    let mut i = thread;
    while i < count {
        write(i, part(i));
        i += THREADS;
    }
}
