//! Ranks by a digit, and sorts by ranks; the technique is that of the device-wide sort (`radix_sort/rank.rs`), for blocks of any number of warps.
//!
//! Counters and items are in the same memory, one after the other: ranks are in registers before items are exchanged. Threads with few items sort by digits of four bits
//! instead, which they count in registers ([`counts`]).

mod counts; // ranks by digits of four bits

use warploom::device_std::LaneMask;
use warploom::device_std::groups::{Group, Tile, WarpGroup};
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::exchange::{blocked, bytes, rank, striped, through, warp_striped};
use super::scan::between_warps;
use super::slots::{Slots, slots_bytes};
use super::storage::{Piece, Scratch, piece};
use crate::radix_sort::{Order, RadixBits, RadixKey};

/// Bits of a digit of the sorts.
const BITS: u32 = 8;

/// The memory of [`radix_rank`](super::BlockPieces::radix_rank) by digits of `BITS` bits.
pub struct RadixRank<const BITS: u32>;

impl<const BITS: u32, const THREADS: usize> Piece<THREADS> for RadixRank<BITS> {
    const BYTES: usize = rank_bytes(THREADS, BITS);
}

piece! {
    /// The memory of [`radix_sort`](super::BlockPieces::radix_sort) of `ITEMS` keys of `K` of each thread.
    RadixSort<K; ITEMS>(THREADS) = sort_bytes::<K, u8>(THREADS, ITEMS);
    /// The memory of [`radix_sort_pairs`](super::BlockPieces::radix_sort_pairs) of `ITEMS` keys of `K` and as many values of `V` of each thread.
    RadixSortPairs<K, V; ITEMS>(THREADS) = sort_bytes::<K, V>(THREADS, ITEMS);
}

/// A counter for each warp and digit, and the sums of warps.
const fn rank_bytes(threads: usize, bits: u32) -> usize {
    counters(threads, bits) * 4 + slots_bytes::<u32>(threads / 32, false)
}

const fn counters(threads: usize, bits: u32) -> usize {
    (threads / 32) << bits
}

const fn sort_bytes<K, V>(threads: usize, items: usize) -> usize {
    let (keys, values) = (bytes::<K>(threads, items), bytes::<V>(threads, items));
    let moved = if keys > values { keys } else { values };
    if counts::are_for(threads, items) {
        return counts::bytes(threads) + moved;
    }
    let ranks = rank_bytes(threads, BITS);
    if moved > ranks { moved } else { ranks }
}

/// By which bits of [`RadixKey::bits`] a block sorts, and in which direction.
///
/// ```
/// use warploom_algorithms::block::RadixOrder;
/// let exponent = RadixOrder { start: 23, end: 31, ..RadixOrder::ASCENDING };
/// assert!(!exponent.descending && RadixOrder::DESCENDING.descending);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadixOrder {
    /// The lowest bit.
    pub start: u32,
    /// Behind the highest bit; more than the key has count as all.
    pub end: u32,
    /// Whether large keys come first.
    pub descending: bool,
}

impl RadixOrder {
    /// By all bits, small keys first.
    pub const ASCENDING: Self = RadixOrder {
        start: 0,
        end: u32::MAX,
        descending: false,
    };
    /// By all bits, large keys first.
    pub const DESCENDING: Self = RadixOrder {
        descending: true,
        ..Self::ASCENDING
    };

    #[inline(always)]
    fn of<K: RadixKey>(self) -> Order {
        let end = self.end.min(<K::Bits as RadixBits>::BITS);
        Order {
            start: self.start.min(end),
            end,
            descending: self.descending,
        }
    }
}

/// [`BlockPieces::radix_rank`](super::BlockPieces::radix_rank).
#[inline(always)]
pub(super) fn ranks<'k, S: Scratch<Block<'k>>, const ITEMS: usize, const BITS: u32>(
    block: Block<'k>,
    storage: &mut S,
    digits: [u32; ITEMS],
) -> [u32; ITEMS] {
    const {
        assert!(
            BITS > 0 && BITS <= 8,
            "the digit of a radix rank has 1 to 8 bits"
        );
        assert!(
            rank_bytes(S::THREADS, BITS) <= S::BYTES,
            "the storage is too small for a radix rank: name the piece in `block_storage!`"
        );
    }
    ranks_in::<S, ITEMS, BITS>(block, storage, digits)
}

/// [`ranks`] in a storage whose size the caller has compared: a sort that has no use for it names it, too, and may have less.
#[inline(always)]
fn ranks_in<'k, S: Scratch<Block<'k>>, const ITEMS: usize, const BITS: u32>(
    block: Block<'k>,
    storage: &mut S,
    digits: [u32; ITEMS],
) -> [u32; ITEMS] {
    let values = const { 1 << BITS };
    let (thread, tile) = (rank::<_, S>(&block), block.tile::<32>());
    let digits = digits.map(|digit| digit as usize & (values - 1));
    let region = storage.region();
    let count = counters(S::THREADS, BITS);
    let counters = region.slots::<u32>(0, count, false);
    let sums = region.slots::<u32>(4 * count, S::THREADS / 32, false);
    block.sync();
    let mut i = thread;
    while i < count {
        counters.write(i, 0);
        i += S::THREADS;
    }
    block.sync();
    let first = thread / 32 * values;
    unroll_all::<ITEMS>(|k| {
        counters.add(first + digits[k], 1);
    });
    block.sync();
    counts_to_places::<S, BITS>(block, counters, sums);
    block.sync();
    let mut places = [0; ITEMS];
    unroll_all::<ITEMS>(|k| {
        let peers = equal::<BITS>(&tile, digits[k] as u32);
        let leader = 31 - peers.bits().leading_zeros();
        let upto = (peers & LaneMask::from_bits(u32::MAX >> (31 - tile.rank()))).count();
        let mut before = 0;
        if tile.rank() == leader {
            before = counters.add(first + digits[k], upto);
        }
        places[k] = tile.shuffle_idx(before, leader) + upto - 1;
    });
    places
}

/// Each counter, of a warp's items with a digit, becomes the place of the first of them. A thread has neighbouring digits.
#[inline(always)]
fn counts_to_places<'k, S: Scratch<Block<'k>>, const BITS: u32>(
    block: Block<'k>,
    counters: Slots<'_, u32>,
    sums: Slots<'_, u32>,
) {
    let (thread, values, warps) = (rank::<_, S>(&block), const { 1 << BITS }, S::THREADS / 32);
    let each = (1usize << BITS).div_ceil(S::THREADS);
    let mut own = 0u32;
    for digit in thread * each..(thread + 1) * each {
        if digit < values {
            for warp in 0..warps {
                own += counters.read(warp * values + digit);
            }
        }
    }
    let (before, _) = between_warps::<S, u32>(block, sums, own, |a, b| a + b);
    let mut next = before.unwrap_or(0);
    for digit in thread * each..(thread + 1) * each {
        if digit < values {
            for warp in 0..warps {
                let count = counters.read(warp * values + digit);
                counters.write(warp * values + digit, next);
                next += count;
            }
        }
    }
}

/// The lanes with the same digit. On the emulator by the form that takes one step; a GPU takes a step for each different value in that one.
#[inline(always)]
fn equal<const BITS: u32>(tile: &Tile<'_, 32>, digit: u32) -> LaneMask {
    if arch() == 0 {
        return tile.match_any(digit);
    }
    let mut equal = LaneMask::FULL;
    unroll_all::<8>(|bit| {
        if bit < BITS as usize {
            let is_one = digit >> bit & 1 != 0;
            let ones = tile.ballot(is_one);
            equal &= if is_one { ones } else { !ones };
        }
    });
    equal
}

/// Where sorted items go.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Arranged {
    Blocked,
    Striped,
}

/// Keys and values of each thread, side by side, sorted by the order.
#[inline(always)]
pub(super) fn sort<
    'k,
    S: Scratch<Block<'k>>,
    K: RadixKey,
    V: Plain,
    const ITEMS: usize,
    const PAIRS: bool,
>(
    block: Block<'k>,
    storage: &mut S,
    keys: [K; ITEMS],
    values: [V; ITEMS],
    order: RadixOrder,
    arranged: Arranged,
) -> ([K; ITEMS], [V; ITEMS]) {
    const {
        assert!(
            sort_bytes::<K, V>(S::THREADS, ITEMS) <= S::BYTES,
            "the storage is too small for a radix sort: name the piece in `block_storage!`"
        );
    }
    let thread = rank::<_, S>(&block);
    let (own, rows) = (blocked::<ITEMS>(thread), warp_striped::<ITEMS>(thread));
    let out = |k| match arranged {
        Arranged::Blocked => own(k),
        Arranged::Striped => striped(thread, S::THREADS)(k),
    };
    let order = order.of::<K>();
    if const { counts::are_for(S::THREADS, ITEMS) } {
        return counts::sort::<S, K, V, ITEMS, PAIRS>(block, storage, keys, values, order, out);
    }
    let passes = order.passes();
    // In rows, where a rank finds them in their order; without a pass at once where they belong.
    let start = |k| if passes == 0 { out(k) } else { rows(k) };
    let mut keys = through(&block, storage, keys, own, start);
    let mut values = values;
    if PAIRS {
        values = through(&block, storage, values, own, start);
    }
    for pass in 0..passes {
        let digit = order.digit(pass);
        let digits = keys.map(|key| digit.of(key));
        let places = ranks_in::<S, ITEMS, BITS>(block, storage, digits);
        let place = |k: usize| places[k] as usize;
        let from = |k| if pass + 1 == passes { out(k) } else { rows(k) };
        keys = through(&block, storage, keys, place, from);
        if PAIRS {
            values = through(&block, storage, values, place, from);
        }
    }
    (keys, values)
}

/// [`BlockPieces::radix_sort`](super::BlockPieces::radix_sort), with the arrangement of the result.
#[inline(always)]
pub(super) fn sort_keys<'k, S: Scratch<Block<'k>>, K: RadixKey, const ITEMS: usize>(
    block: Block<'k>,
    storage: &mut S,
    keys: [K; ITEMS],
    order: RadixOrder,
    arranged: Arranged,
) -> [K; ITEMS] {
    let none = [0u8; ITEMS];
    sort::<S, K, u8, ITEMS, false>(block, storage, keys, none, order, arranged).0
}

/// [`BlockPieces::radix_sort_pairs`](super::BlockPieces::radix_sort_pairs).
#[inline(always)]
pub(super) fn sort_pairs<'k, S: Scratch<Block<'k>>, K: RadixKey, V: Plain, const ITEMS: usize>(
    block: Block<'k>,
    storage: &mut S,
    keys: [K; ITEMS],
    values: [V; ITEMS],
    order: RadixOrder,
) -> ([K; ITEMS], [V; ITEMS]) {
    let arranged = Arranged::Blocked;
    sort::<S, K, V, ITEMS, true>(block, storage, keys, values, order, arranged)
}
