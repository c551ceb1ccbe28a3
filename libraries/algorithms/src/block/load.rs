//! Items from global memory to registers, and back.

use std::array::from_fn;
use std::mem::MaybeUninit;

use warploom::device_std::Chunks;
use warploom::device_std::groups::Group;
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

/// Bytes that one instruction loads at most, on every GPU.
const VECTOR: usize = 16;
/// Vectors of a thread at most.
const MOST: usize = 16;

/// For each vector of so many bytes. As integers of 128 bits: LLVM takes one for a vector in every place, and has the alignment of its address.
macro_rules! vectors {
    ($bytes:expr, $j:ident => $body:expr) => {
        unroll_all::<MOST>(|$j| {
            if $j < $bytes / VECTOR {
                $body
            }
        })
    };
}

/// Items `first + place(k)` of `x`; `or` where `x` has none. `len` is above all places.
#[inline(always)]
fn from<T: Plain, const ITEMS: usize>(
    x: &[T],
    first: usize,
    len: usize,
    or: T,
    place: impl Fn(usize) -> usize,
) -> [T; ITEMS] {
    match first.checked_add(len).and_then(|end| x.get(first..end)) {
        Some(tile) => from_fn(|k| {
            let place = place(k);
            debug_assert!(place < len);
            // SAFETY: places are below `len`: all callers have the thread's number below the group's size, and `k` below `ITEMS`.
            *unsafe { tile.get_unchecked(place) }
        }),
        None => {
            let rest = x.get(first..).unwrap_or(&[]);
            from_fn(|k| rest.get(place(k)).copied().unwrap_or(or))
        }
    }
}

/// [`Pieces::load_striped`](super::Pieces::load_striped).
#[inline(always)]
pub(super) fn striped<G: Group, T: Plain, const ITEMS: usize>(
    group: &G,
    x: &[T],
    first: usize,
    or: T,
) -> [T; ITEMS] {
    let (rank, size) = (group.rank() as usize, group.size() as usize);
    from(x, first, size * ITEMS, or, |k| rank + k * size)
}

/// Items of the tile, warp-striped; see [`BlockPieces::load_warp_transposed`](super::BlockPieces::load_warp_transposed).
#[inline(always)]
pub(super) fn warp_striped<T: Plain, const ITEMS: usize>(
    block: Block<'_>,
    x: &[T],
    first: usize,
    or: T,
) -> [T; ITEMS] {
    let (warp, lane) = (block.thread() / 32, block.thread() % 32);
    let len = block.threads().next_multiple_of(32) * ITEMS;
    from(x, first, len, or, |k| (warp * ITEMS + k) * 32 + lane)
}

/// [`Pieces::load_blocked`](super::Pieces::load_blocked).
#[inline(always)]
pub(super) fn blocked<G: Group, T: Plain, const ITEMS: usize>(
    group: &G,
    x: &[T],
    first: usize,
    or: T,
) -> [T; ITEMS] {
    let (rank, size) = (group.rank() as usize, group.size() as usize);
    let len = size * ITEMS;
    if is_vector::<T>(ITEMS) {
        let tile = first.checked_add(len).and_then(|end| x.get(first..end));
        if let Some(tile) = tile
            && tile.as_ptr().addr().is_multiple_of(VECTOR)
        {
            let own = tile.as_ptr().wrapping_add(rank * ITEMS).cast::<u128>();
            let mut items = MaybeUninit::<[T; ITEMS]>::uninit();
            let to = items.as_mut_ptr().cast::<u128>();
            vectors!(ITEMS * size_of::<T>(), j => {
                // SAFETY: vector `j` is one of this thread's, which are within the tile as `rank < size`, and aligned as the tile is.
                let vector = unsafe { own.wrapping_add(j).read() };
                // SAFETY: `items` has as many vectors.
                unsafe { to.wrapping_add(j).write_unaligned(vector) };
            });
            // SAFETY: all bytes were written, and any bytes are values of a plain type.
            return unsafe { items.assume_init() };
        }
    }
    from(x, first, len, or, |k| rank * ITEMS + k)
}

/// Whether `items` items are whole vectors.
const fn is_vector<T>(items: usize) -> bool {
    size_of::<T>() > 0
        && size_of::<T>() <= VECTOR
        && (items * size_of::<T>()).is_multiple_of(VECTOR)
}

/// [`BlockPieces::store_blocked`](super::BlockPieces::store_blocked).
#[inline(always)]
pub(super) fn store_blocked<T: Plain, const ITEMS: usize>(
    i: Index1D<'_>,
    y: &mut DisjointSlice<'_, T, Chunks<ITEMS>>,
    items: [T; ITEMS],
) {
    let Some(own) = y.get_mut(i) else { return };
    if is_vector::<T>(ITEMS) && own.as_ptr().addr().is_multiple_of(VECTOR) {
        let (from, to) = (
            items.as_ptr().cast::<u128>(),
            own.as_mut_ptr().cast::<u128>(),
        );
        vectors!(ITEMS * size_of::<T>(), j => {
            // SAFETY: `items` has as many vectors, of a type without padding.
            let vector = unsafe { from.wrapping_add(j).read_unaligned() };
            // SAFETY: so has what `own` refers to, which is aligned.
            unsafe { to.wrapping_add(j).write(vector) };
        });
    } else {
        *own = items;
    }
}

/// [`BlockPieces::store_striped`](super::BlockPieces::store_striped).
#[inline(always)]
pub(super) fn store_striped<T: Plain, const ITEMS: usize, const TILE: usize>(
    i: Index1D<'_>,
    y: &mut DisjointSlice<'_, T, Windows<TILE, 0>>,
    items: [T; ITEMS],
) {
    let mut own = y.iter_mut(i);
    unroll_all::<ITEMS>(|k| {
        if let Some((_, y)) = own.next() {
            *y = items[k];
        }
    });
}
