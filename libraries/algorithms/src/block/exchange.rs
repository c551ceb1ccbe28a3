//! Items to other threads: each is written to a place of the tile, and read by the thread that has the place.

use std::array::from_fn;

use warploom::device_std::groups::Group;
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::slots::{Slots, is_padded, slots_bytes};
use super::storage::{Piece, Scratch, piece};

piece! {
    /// The memory of everything that changes the arrangement of `ITEMS` items of `T` of each thread.
    Exchange<T; ITEMS>(THREADS) = bytes::<T>(THREADS, ITEMS);
}

/// Bytes for a tile.
pub(super) const fn bytes<T>(threads: usize, items: usize) -> usize {
    slots_bytes::<T>(threads * items, is_padded(items))
}

/// Slots for the items of a tile, behind the first `offset` bytes of the storage.
#[inline(always)]
pub(super) fn tile<G: Group, S: Scratch<G>, T: Plain, const ITEMS: usize>(
    storage: &mut S,
    offset: usize,
) -> Slots<'_, T> {
    const {
        assert!(ITEMS > 0, "a thread has at least one item");
        assert!(
            bytes::<T>(S::THREADS, ITEMS) <= S::BYTES,
            "the storage is too small for the items of the tile: name the piece in `block_storage!`"
        );
    }
    let region = storage.region();
    region.slots(offset, S::THREADS * ITEMS, is_padded(ITEMS))
}

/// Writes item `k` to place `to(k)`, if the tile has it, and gives what is then at the places `from(k)`.
#[inline(always)]
pub(super) fn through<G: Group, S: Scratch<G>, T: Plain, const ITEMS: usize>(
    group: &G,
    storage: &mut S,
    items: [T; ITEMS],
    to: impl Fn(usize) -> usize,
    from: impl Fn(usize) -> usize,
) -> [T; ITEMS] {
    let slots = tile::<G, S, T, ITEMS>(storage, 0);
    group.sync();
    unroll_all::<ITEMS>(|k| slots.write(to(k), items[k]));
    group.sync();
    from_fn(|k| slots.read(from(k)))
}

/// [`Pieces::compact_to_striped`](super::Pieces::compact_to_striped): `count` items that have places, and what is behind them.
#[inline(always)]
pub(super) fn compact<G: Group, S: Scratch<G>, T: Plain, const ITEMS: usize>(
    group: &G,
    storage: &mut S,
    items: [T; ITEMS],
    places: [u32; ITEMS],
    from: impl Fn(usize) -> usize,
    (count, or): (u32, T),
) -> [T; ITEMS] {
    let slots = tile::<G, S, T, ITEMS>(storage, 0);
    group.sync();
    unroll_all::<ITEMS>(|k| {
        if places[k] < count {
            slots.write(places[k] as usize, items[k]);
        }
    });
    group.sync();
    from_fn(|k| {
        if from(k) < count as usize {
            slots.read(from(k))
        } else {
            or
        }
    })
}

/// As [`through`], where no item leaves its warp: a barrier of the warp lies between.
#[inline(always)]
pub(super) fn through_warps<'k, S: Scratch<Block<'k>>, T: Plain, const ITEMS: usize>(
    block: Block<'k>,
    storage: &mut S,
    items: [T; ITEMS],
    to: impl Fn(usize) -> usize,
    from: impl Fn(usize) -> usize,
) -> [T; ITEMS] {
    let slots = tile::<Block<'k>, S, T, ITEMS>(storage, 0);
    block.sync();
    unroll_all::<ITEMS>(|k| slots.write(to(k), items[k]));
    block.tile::<32>().sync();
    from_fn(|k| slots.read(from(k)))
}

/// The number of the thread in its group of `S::THREADS`.
#[inline(always)]
pub(super) fn rank<G: Group, S: Scratch<G>>(group: &G) -> usize {
    let rank = group.rank() as usize;
    // SAFETY: the group has `S::THREADS` threads: a storage is made for a block that was counted, and its warps are whole.
    unsafe { std::hint::assert_unchecked(rank < S::THREADS) };
    rank
}

/// The place in the tile of item `k` of thread `rank`, if each thread has neighbouring items.
#[inline(always)]
pub(super) fn blocked<const ITEMS: usize>(rank: usize) -> impl Fn(usize) -> usize + Copy {
    move |k| rank * ITEMS + k
}

/// As [`blocked`], if neighbouring items belong to neighbouring threads of `threads`.
#[inline(always)]
pub(super) fn striped(rank: usize, threads: usize) -> impl Fn(usize) -> usize + Copy {
    move |k| rank + k * threads
}

/// As [`blocked`], if each warp has neighbouring items, and neighbouring ones of these belong to its neighbouring lanes.
#[inline(always)]
pub(super) fn warp_striped<const ITEMS: usize>(rank: usize) -> impl Fn(usize) -> usize + Copy {
    move |k| rank / 32 * (32 * ITEMS) + k * 32 + rank % 32
}
