//! Items beside those of a thread, and what is computed from two neighbours.

use warploom::device_std::groups::Group;
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::exchange::rank;
use super::slots::{Slots, slots_bytes};
use super::storage::{Piece, Scratch, piece};

piece! {
    /// The memory of what compares neighbours of `T`: [`left_neighbours`](super::Pieces::left_neighbours), [`heads`](super::Pieces::heads) and the others.
    Neighbours<T;>(THREADS) = slots_bytes::<T>(THREADS, false);
}

/// A slot for each thread.
#[inline(always)]
fn slots<G: Group, S: Scratch<G>, T: Plain>(storage: &mut S) -> Slots<'_, T> {
    const {
        assert!(
            slots_bytes::<T>(S::THREADS, false) <= S::BYTES,
            "the storage is too small for neighbours: name the piece in `block_storage!`"
        );
    }
    storage.region().slots(0, S::THREADS, false)
}

/// The last item of the thread before this one; `None` in the first.
#[inline(always)]
pub(super) fn left<G: Group, S: Scratch<G>, T: Plain, const ITEMS: usize>(
    group: &G,
    storage: &mut S,
    items: [T; ITEMS],
) -> Option<T> {
    let (slots, rank) = (slots::<G, S, T>(storage), rank::<G, S>(group));
    group.sync();
    slots.write(rank, items[ITEMS - 1]);
    group.sync();
    (rank > 0).then(|| slots.read(rank.saturating_sub(1)))
}

/// The first item of the thread behind this one; `None` in the last.
#[inline(always)]
pub(super) fn right<G: Group, S: Scratch<G>, T: Plain, const ITEMS: usize>(
    group: &G,
    storage: &mut S,
    items: [T; ITEMS],
) -> Option<T> {
    let (slots, rank) = (slots::<G, S, T>(storage), rank::<G, S>(group));
    group.sync();
    slots.write(rank, items[0]);
    group.sync();
    (rank + 1 < S::THREADS).then(|| slots.read(rank + 1))
}

/// What `of` makes of each item and the one before it, `none` of the first if there is none.
#[inline(always)]
pub(super) fn with_left<T: Copy, U: Copy, const ITEMS: usize>(
    items: [T; ITEMS],
    left: Option<T>,
    none: impl Fn(T) -> U,
    of: impl Fn(T, T) -> U,
) -> [U; ITEMS] {
    let first = match left {
        Some(left) => of(left, items[0]),
        None => none(items[0]),
    };
    let mut result = [first; ITEMS];
    unroll_all::<ITEMS>(|k| {
        if k > 0 {
            result[k] = of(items[k - 1], items[k]);
        }
    });
    result
}

/// What `of` makes of each item and the one behind it, `none` of the last if there is none.
#[inline(always)]
pub(super) fn with_right<T: Copy, U: Copy, const ITEMS: usize>(
    items: [T; ITEMS],
    right: Option<T>,
    none: impl Fn(T) -> U,
    of: impl Fn(T, T) -> U,
) -> [U; ITEMS] {
    let last = match right {
        Some(right) => of(items[ITEMS - 1], right),
        None => none(items[ITEMS - 1]),
    };
    let mut result = [last; ITEMS];
    unroll_all::<ITEMS>(|k| {
        if k + 1 < ITEMS {
            result[k] = of(items[k], items[k + 1]);
        }
    });
    result
}
