//! A function of each element of device memory, which may change it.
//!
//! As a transformation in place: a thread loads all its elements, calls the function with each in registers, and stores all. So as many loads are under way as in a transformation,
//! whatever the function does with an element.

use std::array::from_fn;

use warploom::DeviceSliceMut;
use warploom::device_std::hint::unroll_all;
use warploom::device_std::launch_dependents;
use warploom::prelude::*;

use crate::Error;
use crate::input::{Empty, Fetch, Input, Memory};
use crate::transform::launch_of;
use crate::tuning::by_size;

/// Threads of a block.
const THREADS: usize = 256;
/// Elements of a thread, by their size.
const ITEMS: [usize; 5] = [16, 16, 8, 4, 2];

/// A function of each element that was described and has not run; see [`crate::Transforms::for_each_mut`](crate::Transforms::for_each_mut).
#[must_use = "nothing runs before `run`"]
pub struct ForEachMut<'s, 'a, 'b, T: Plain, M: Memory, F, G> {
    pub(crate) stream: &'s Stream,
    pub(crate) elements: DeviceSliceMut<'a, T>,
    pub(crate) input: Input<'b, M, F>,
    pub(crate) f: G,
}

impl<T, M, F, G> ForEachMut<'_, '_, '_, T, M, F, G>
where
    T: Plain,
    M: Memory,
    F: Fetch<M>,
    G: Fn(&mut T, F::Item) + Copy + Send + Sync + 'static,
{
    /// Queues the calls. Does not wait.
    ///
    /// # Errors
    /// [`Error::DifferentLengths`] unless the input has as many elements; [`Error::TooMany`] for more than 2^31 blocks, which are 2^40 elements; what the launch reports.
    pub fn run(self) -> Result<(), Error> {
        if self.elements.len() != self.input.len() {
            return Err(Error::DifferentLengths {
                first: "the memory that a function may change",
                first_len: self.elements.len(),
                second: "the input beside it",
                second_len: self.input.len(),
            });
        }
        if self.elements.is_empty() {
            return Ok(());
        }
        match const { by_size::<T>(ITEMS) } {
            16 => self.tiles::<16>(),
            8 => self.tiles::<8>(),
            4 => self.tiles::<4>(),
            _ => self.tiles::<2>(),
        }
    }

    fn tiles<const ITEMS: usize>(self) -> Result<(), Error> {
        let empty = Empty::new(self.stream.device())?;
        let (a, b, c) = M::arguments(self.input.slices, &empty);
        Ok(change_tiles::<T, M, F, G, ITEMS>::launch(
            self.stream,
            launch_of(self.elements.len(), ITEMS)?,
            a,
            b,
            c,
            self.input.fetch,
            self.f,
            self.elements,
        )?)
    }
}

/// Calls `f` with each element of `x` and that of the input with the same number.
#[kernel(block(256), dependent_launch)]
pub fn change_tiles<T, M, F, G, const ITEMS: usize>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    f: G,
    mut x: DisjointSlice<T>,
) where
    T: Plain,
    M: Memory,
    F: Fetch<M>,
    G: Fn(&mut T, F::Item) + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let tile = THREADS * ITEMS;
    let (thread, first, n) = (block.thread(), block.index() * tile, x.len());
    if first >= n {
        return;
    }
    let count = (n - first).min(tile);
    let part = fetch.part(M::view(a, b, c), first, count);
    let start = x.raw().wrapping_add(first);
    // SAFETY: `i < count`, so within the slice; the tiles of blocks are disjoint, and numbers of two threads of a block differ modulo `THREADS`.
    let read = |i: usize| unsafe { start.wrapping_add(i).read() };
    // SAFETY: as above.
    let write = |i: usize, item: T| unsafe { start.wrapping_add(i).write(item) };
    if count == tile {
        let items: [(T, F::Item); ITEMS] = from_fn(|k| {
            let i = thread + k * THREADS;
            (read(i), part(i))
        });
        let items = items.map(|(mut element, item)| {
            f(&mut element, item);
            element
        });
        unroll_all::<ITEMS>(|k| write(thread + k * THREADS, items[k]));
        return;
    }
    let mut i = thread;
    while i < count {
        let mut element = read(i);
        f(&mut element, part(i));
        write(i, element);
        i += THREADS;
    }
}
