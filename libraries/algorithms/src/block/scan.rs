//! Scans of several items per thread: within the thread, within the warp by shuffles, between warps through the storage.

use warploom::device_std::groups::{Group, WarpGroup};
use warploom::device_std::hint::unroll_all;
use warploom::device_std::warp::Shuffle;
use warploom::prelude::*;

use super::exchange::rank;
use super::slots::{Slots, slots_bytes};
use super::storage::{Piece, Scratch, piece};
use crate::tile::scan_by;

piece! {
    /// The memory of scans, and of reductions of the first items, of `T`.
    Scan<T;>(THREADS) = bytes::<T>(THREADS);
}

/// Bytes for the sums of warps.
pub(super) const fn bytes<T>(threads: usize) -> usize {
    slots_bytes::<T>(threads / 32, false)
}

/// What the threads before this one come to, `None` in the first, and what all come to.
#[inline(always)]
pub(super) fn before_thread<'k, S: Scratch<Block<'k>>, T: Shuffle>(
    block: Block<'k>,
    storage: &mut S,
    own: T,
    op: impl Fn(T, T) -> T,
) -> (Option<T>, T) {
    const {
        assert!(
            bytes::<T>(S::THREADS) <= S::BYTES,
            "the storage is too small for a scan: name the piece in `block_storage!`"
        );
    }
    let sums = storage.region().slots(0, S::THREADS / 32, false);
    block.sync();
    between_warps::<S, T>(block, sums, own, op)
}

/// As [`before_thread`], with the memory for the sums of warps, which no thread uses any more. Holds one barrier.
#[inline(always)]
pub(super) fn between_warps<'k, S: Scratch<Block<'k>>, T: Shuffle>(
    block: Block<'k>,
    sums: Slots<'_, T>,
    own: T,
    op: impl Fn(T, T) -> T,
) -> (Option<T>, T) {
    let warps = S::THREADS / 32;
    let (thread, tile) = (rank::<_, S>(&block), block.tile::<32>());
    let (warp, lane) = (thread / 32, thread % 32);
    let up_to = scan_lanes(block, own, &op);
    if lane == 31 {
        sums.write(warp, up_to);
    }
    let left = tile.shuffle_up(up_to, 1);
    block.sync();
    if warps == 1 {
        return ((lane > 0).then_some(left), sums.read(0));
    }
    // A lane for each warp; those without one repeat the last.
    let of_warps = scan_lanes(block, sums.read(lane.min(warps - 1)), &op);
    let all = tile.shuffle_idx(of_warps, warps as u32 - 1);
    let earlier = tile.shuffle_idx(of_warps, (warp as u32).saturating_sub(1));
    let before = match (warp > 0, lane > 0) {
        (false, false) => None,
        (false, true) => Some(left),
        (true, false) => Some(earlier),
        (true, true) => Some(op(earlier, left)),
    };
    (before, all)
}

/// [`BlockPieces::inclusive_scan_items`](super::BlockPieces::inclusive_scan_items).
#[inline(always)]
pub(super) fn inclusive<'k, S: Scratch<Block<'k>>, T: Shuffle, const ITEMS: usize>(
    block: Block<'k>,
    storage: &mut S,
    items: [T; ITEMS],
    op: impl Fn(T, T) -> T,
) -> ([T; ITEMS], T) {
    let up_to = scan_own(items, &op);
    let (before, all) = before_thread(block, storage, up_to[ITEMS - 1], &op);
    let scanned = match before {
        Some(before) => up_to.map(|item| op(before, item)),
        None => up_to,
    };
    (scanned, all)
}

/// [`BlockPieces::exclusive_scan_items`](super::BlockPieces::exclusive_scan_items).
#[inline(always)]
pub(super) fn exclusive<'k, S: Scratch<Block<'k>>, T: Shuffle, const ITEMS: usize>(
    block: Block<'k>,
    storage: &mut S,
    items: [T; ITEMS],
    first: T,
    op: impl Fn(T, T) -> T,
) -> ([T; ITEMS], T) {
    let up_to = scan_own(items, &op);
    let (before, all) = before_thread(block, storage, up_to[ITEMS - 1], &op);
    let start = match before {
        Some(before) => op(first, before),
        None => first,
    };
    (shifted(start, up_to, &op), op(first, all))
}

/// [`BlockPieces::reduce_first`](super::BlockPieces::reduce_first).
#[inline(always)]
pub(super) fn reduce_first<'k, S: Scratch<Block<'k>>, T: Shuffle, const ITEMS: usize>(
    block: Block<'k>,
    storage: &mut S,
    items: [T; ITEMS],
    valid: usize,
    op: impl Fn(T, T) -> T,
) -> Option<T> {
    const {
        assert!(
            bytes::<T>(S::THREADS) <= S::BYTES,
            "the storage is too small for a reduction: name the piece `Scan` in `block_storage!`"
        );
    }
    let (thread, tile) = (rank::<_, S>(&block), block.tile::<32>());
    let own_valid = valid.saturating_sub(thread * ITEMS);
    let mut own = items[0];
    unroll_all::<ITEMS>(|k| {
        if k > 0 && k < own_valid {
            own = op(own, items[k]);
        }
    });
    // Those that have items are the first; of these lanes no scan sees a later one.
    let threads = valid.div_ceil(ITEMS).min(S::THREADS);
    let up_to = scan_lanes(block, own, &op);
    let sums = storage.region().slots(0, S::THREADS / 32, false);
    block.sync();
    if thread < threads && (thread % 32 == 31 || thread + 1 == threads) {
        sums.write(thread / 32, up_to);
    }
    block.sync();
    let last = threads.div_ceil(32).saturating_sub(1);
    let of_warps = scan_lanes(block, sums.read((thread % 32).min(last)), &op);
    let all = tile.shuffle_idx(of_warps, last as u32);
    (threads > 0).then_some(all)
}

/// What all lanes up to this one have. Blocks of pieces have whole warps.
#[inline(always)]
fn scan_lanes<T: Shuffle>(block: Block<'_>, value: T, op: impl Fn(T, T) -> T) -> T {
    let tile = block.tile::<32>();
    scan_by(
        tile.rank(),
        value,
        |value, delta| tile.shuffle_up(value, delta),
        op,
    )
}

/// What items up to each come to.
#[inline(always)]
pub(crate) fn scan_own<T: Copy, const ITEMS: usize>(
    mut items: [T; ITEMS],
    op: impl Fn(T, T) -> T,
) -> [T; ITEMS] {
    unroll_all::<ITEMS>(|k| {
        if k > 0 {
            items[k] = op(items[k - 1], items[k]);
        }
    });
    items
}

/// What comes before each item, `start` before the first, if `up_to` is what items up to each come to.
#[inline(always)]
pub(crate) fn shifted<T: Copy, const ITEMS: usize>(
    start: T,
    up_to: [T; ITEMS],
    op: impl Fn(T, T) -> T,
) -> [T; ITEMS] {
    let mut before = [start; ITEMS];
    unroll_all::<ITEMS>(|k| {
        if k > 0 {
            before[k] = op(start, up_to[k - 1]);
        }
    });
    before
}
