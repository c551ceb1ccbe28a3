//! The items of a tile, as the threads of a block have them.

use std::array::from_fn;

use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::key::RadixKey;
use super::rank::{Digit, LANES, THREADS, first_item};

/// The items of a tile: all of `ITEMS * THREADS`, or fewer in the last tile.
#[derive(Clone, Copy)]
pub(super) struct Part<const ITEMS: usize> {
    /// The first one.
    pub(super) first: usize,
    /// How many there are.
    pub(super) len: u32,
    /// This thread's first one, from `first`.
    own: u32,
}

impl<const ITEMS: usize> Part<ITEMS> {
    /// Items at most.
    const MOST: usize = ITEMS * THREADS;

    /// Those of tile `tile` of `n` items.
    #[inline(always)]
    pub(super) fn new(block: Block, tile: usize, n: usize) -> Self {
        let first = tile * Self::MOST;
        Part {
            first,
            len: (n - first).min(Self::MOST) as u32,
            own: first_item::<ITEMS>(block),
        }
    }

    #[inline(always)]
    fn is_full(self) -> bool {
        self.len as usize == Self::MOST
    }

    /// The items of this thread; some other item in place of those that are not there.
    #[inline(always)]
    pub(super) fn items<T: Plain>(self, all: &[T]) -> [T; ITEMS] {
        let part = &all[self.first..][..self.len as usize];
        let own = self.own as usize;
        if self.is_full() {
            let part = &part[..Self::MOST];
            from_fn(|k| part[own + k * LANES])
        } else {
            let other = part[0];
            from_fn(|k| part.get(own + k * LANES).copied().unwrap_or(other))
        }
    }

    /// The digits of this thread's items. Those that are not there have the last digit, and so places behind all others.
    #[inline(always)]
    pub(super) fn digits<K: RadixKey>(self, digit: Digit, items: [K; ITEMS]) -> [u32; ITEMS] {
        if self.is_full() {
            items.map(|key| digit.of(key))
        } else {
            from_fn(|k| {
                if self.own + ((k * LANES) as u32) < self.len {
                    digit.of(items[k])
                } else {
                    digit.last()
                }
            })
        }
    }

    /// Calls `run` with the number among this thread's places, and the place, of each with an item. Places side by side belong to threads side by side.
    #[inline(always)]
    pub(super) fn for_each_place(self, block: Block, mut run: impl FnMut(usize, usize)) {
        let thread = block.thread();
        if self.is_full() {
            unroll_all::<ITEMS>(|k| run(k, thread + k * THREADS));
        } else {
            unroll_all::<ITEMS>(|k| {
                let place = thread + k * THREADS;
                if place < self.len as usize {
                    run(k, place);
                }
            });
        }
    }
}
