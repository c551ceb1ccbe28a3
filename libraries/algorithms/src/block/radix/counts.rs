//! A sort by digits of four bits, whose items are counted in registers.
//!
//! 1. A thread counts its items of each digit in the 16 fields of a word of 64 bits; what a field had before an item is the item's rank among those of its digit in the thread.
//! 2. A scan over the lanes of the counts of all digits, in fields of eight bits: the items of earlier lanes.
//! 3. The counts of the warps, the smallest digit first and then the earliest warp, are scanned by each warp for itself, behind the one barrier of a rank.
//!
//! So twice as many passes as by eight bits take less time together: no lane looks for others with its digit, and no counter is in shared memory.

use std::array::from_fn;

use warploom::device_std::groups::Tile;
use warploom::device_std::hint::unroll_all;
use warploom::device_std::integer::funnel_shift_right;
use warploom::prelude::*;

use super::super::exchange::{blocked, rank, through};
use super::super::slots::{Slots, is_padded, slots_bytes};
use super::super::storage::Scratch;
use crate::radix_sort::{Order, RadixKey};

/// Bits of a digit.
const BITS: u32 = 4;
/// Items of a thread at most: those of 31 lanes are counted in eight bits.
const MOST_ITEMS: usize = 8;

/// Whether threads of blocks of `threads` with `items` items sort so: larger blocks, which can have 64 registers each, sort by digits of eight bits.
pub(super) const fn are_for(threads: usize, items: usize) -> bool {
    threads <= 512 && items <= MOST_ITEMS
}

/// Bytes for the counts of the warps.
pub(super) const fn bytes(threads: usize) -> usize {
    slots_bytes::<u32>(32 * counts_of_lane(threads), false)
}

/// Each lane scans the counts of one digit in half of the warps.
const fn counts_of_lane(threads: usize) -> usize {
    (threads / 32).div_ceil(2)
}

/// Keys and values of each thread, side by side, sorted by the order; item `k` of the result is that of place `out(k)`.
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
    mut keys: [K; ITEMS],
    mut values: [V; ITEMS],
    order: Order,
    out: impl Fn(usize) -> usize,
) -> ([K; ITEMS], [V; ITEMS]) {
    let own = blocked::<ITEMS>(rank::<_, S>(&block));
    let passes = order.passes_by(BITS);
    if passes == 0 {
        keys = through(&block, storage, keys, own, &out);
        if PAIRS {
            values = through(&block, storage, values, own, &out);
        }
        return (keys, values);
    }
    let len = S::THREADS * ITEMS;
    let region = storage.region();
    let sums = region.slots::<u32>(0, 32 * const { counts_of_lane(S::THREADS) }, false);
    let behind = const { bytes(S::THREADS) };
    let of_keys = region.slots::<K>(behind, len, is_padded(ITEMS));
    let of_values = || region.slots::<V>(behind, len, is_padded(ITEMS));
    // The other uses of the memory.
    block.sync();
    for pass in 0..passes {
        let digit = order.digit_by(BITS, pass);
        let digits = keys.map(|key| digit.of(key) & 15);
        // Its barrier lies between the reads of the pass before and these writes.
        let places = ranks::<S, ITEMS>(block, sums, digits);
        let from = |k| if pass + 1 == passes { out(k) } else { own(k) };
        unroll_all::<ITEMS>(|k| of_keys.write_anywhere(places[k], keys[k]));
        block.sync();
        keys = from_fn(|k| of_keys.read(from(k)));
        if PAIRS {
            block.sync();
            unroll_all::<ITEMS>(|k| of_values().write_anywhere(places[k], values[k]));
            block.sync();
            values = from_fn(|k| of_values().read(from(k)));
        }
    }
    (keys, values)
}

/// The places of blocked items by their digits, which are below 16: a permutation of the tile, stable. One barrier, behind what it writes to `sums`; a barrier must lie between its
/// reads and its next call.
#[inline(always)]
fn ranks<'k, S: Scratch<Block<'k>>, const ITEMS: usize>(
    block: Block<'k>,
    sums: Slots<'_, u32>,
    digits: [u32; ITEMS],
) -> [u32; ITEMS] {
    let tile = block.tile::<32>();
    let (warp, lane) = (rank::<_, S>(&block) as u32 / 32, tile.rank() % 32);
    let lanes = Lanes::of(&tile);
    let mut counts = 0u64;
    // Four bits for each item, the last lowest.
    let mut ranks = 0u32;
    unroll_all::<ITEMS>(|k| {
        let field = 4 * digits[k];
        let rank = opaque(counts.wrapping_shr(field) as u32 & 15);
        ranks = (ranks << 4).wrapping_add(rank);
        counts = counts.wrapping_add(1u64.wrapping_shl(field));
    });
    let own = Counts::of(counts);
    let earlier = own.of_earlier_lanes(lanes);

    // Of the first 16 lanes each tells the count of a digit in the warp.
    let (all_earlier, all_own) = (earlier.of_lane(&tile, 31), own.of_lane(&tile, 31));
    let half = const { counts_of_lane(S::THREADS) as u32 };
    let (side, row) = if warp < half {
        (0, warp)
    } else {
        (1, warp - half)
    };
    if lane < 16 {
        let count = all_earlier.get(lane) + all_own.get(lane);
        sums.write((32 * row + 2 * lane + side) as usize, count);
    }
    block.sync();
    // Of digit `lane / 2` in the first or the second half of the warps.
    let first = lane % 2 * half;
    let (mut sum, mut before_warp) = (0u32, 0u32);
    for row in 0..half {
        if first + row < const { S::THREADS as u32 / 32 } {
            let count = sums.read((32 * row + lane) as usize);
            sum = sum.wrapping_add(count);
            if first + row < warp {
                before_warp = before_warp.wrapping_add(count);
            }
        }
    }
    // Where the items of the digit begin, in the lane of the own warp's half: those in earlier warps of the other half are counted by the scan.
    let start = lanes.scan(sum).wrapping_sub(sum).wrapping_add(before_warp);
    let mut places = [0; ITEMS];
    unroll_all::<ITEMS>(|k| {
        let of_digit = tile.shuffle_idx(start, 2 * digits[k] + side);
        places[k] = of_digit
            .wrapping_add(earlier.get(digits[k]))
            .wrapping_add(ranks >> (4 * (ITEMS - 1 - k)) & 15);
    });
    places
}

/// Scans over the lanes of a warp.
#[derive(Clone, Copy)]
struct Lanes<'a, 'k> {
    tile: &'a Tile<'k, 32>,
    /// For each step of a scan 1 if there is a lane that far below, or else 0.
    has: [u32; 5],
}

impl<'a, 'k> Lanes<'a, 'k> {
    #[inline(always)]
    fn of(tile: &'a Tile<'k, 32>) -> Self {
        let has = from_fn(|step| opaque(u32::from(tile.rank() >= 1 << step)));
        Lanes { tile, has }
    }

    /// The sum up to each lane.
    #[inline(always)]
    fn scan(self, mut sum: u32) -> u32 {
        unroll_all::<5>(|step| {
            let other = self.tile.shuffle_up(sum, 1 << step);
            sum = other.wrapping_mul(self.has[step]).wrapping_add(sum);
        });
        sum
    }
}

/// `x`, of which LLVM knows nothing: it would select one of two sums where a factor is 0 or 1, and keep what is packed into a word beside the word.
#[inline(always)]
fn opaque(x: u32) -> u32 {
    funnel_shift_right(x, 0, 0)
}

/// A count of eight bits for each of 16 digits: those of even digits, then those of odd ones.
#[derive(Clone, Copy)]
struct Counts([u32; 4]);

impl Counts {
    /// Of fields of four bits.
    #[inline(always)]
    fn of(fields: u64) -> Self {
        let [even, odd] = [0, 4].map(|shift| fields >> shift & 0x0f0f_0f0f_0f0f_0f0f);
        Counts([
            even as u32,
            (even >> 32) as u32,
            odd as u32,
            (odd >> 32) as u32,
        ])
    }

    #[inline(always)]
    fn get(self, digit: u32) -> u32 {
        let [a, b, c, d] = self.0;
        let (low, high) = if digit & 1 == 0 { (a, b) } else { (c, d) };
        let fields = u64::from(high) << 32 | u64::from(low);
        fields.wrapping_shr(4 * (digit & 14)) as u32 & 255
    }

    /// What the lanes before each one have. All of a warp can be 256 of one digit, which runs over into the next field and is taken away again.
    #[inline(always)]
    fn of_earlier_lanes(self, lanes: Lanes<'_, '_>) -> Self {
        Counts(self.0.map(|own| lanes.scan(own).wrapping_sub(own)))
    }

    /// What a lane has.
    #[inline(always)]
    fn of_lane(self, tile: &Tile<'_, 32>, lane: u32) -> Self {
        Counts(self.0.map(|own| tile.shuffle_idx(own, lane)))
    }
}
