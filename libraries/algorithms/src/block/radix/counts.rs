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
use warploom::prelude::*;

use super::super::exchange::{blocked, rank, through};
use super::super::slots::{Slots, is_padded, slots_bytes};
use super::super::storage::Scratch;
use crate::radix_sort::{Order, RadixKey};
use crate::tile::opaque;

/// Bits of a digit.
const BITS: u32 = 4;
/// A thread's count of a digit is in the field of four bits from bit `digit << FIELD_SHIFT` on.
const FIELD_SHIFT: u32 = 2;
/// That bit of digit 1.
const FIELD: u32 = 1 << FIELD_SHIFT;
/// Items of a thread at most: those of 31 lanes are counted in eight bits.
const MOST_ITEMS: usize = 8;

/// Whether threads of blocks of `threads` with `items` items sort so: larger blocks, which can have 64 registers each, sort by digits of eight bits.
pub(super) const fn are_for(threads: usize, items: usize) -> bool {
    threads <= 512 && items <= MOST_ITEMS
}

/// Counts that a lane scans at most: those of one digit in half of the warps of 512 threads.
const MOST_COUNTS: usize = 8;

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
    let thread = Thread::of::<S>(block);
    // The other uses of the memory.
    block.sync();
    for pass in 0..passes {
        let digit = order.digit_by(BITS, pass);
        // LLVM would compute with the digits beside.
        let fields = keys.map(|key| opaque(digit.shifted_of(key, FIELD_SHIFT) & 15 << FIELD_SHIFT));
        // Its barrier lies between the reads of the pass before and these writes.
        let places = ranks::<S, ITEMS>(&thread, sums, fields);
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

/// What a thread computes once for all passes.
struct Thread<'k> {
    block: Block<'k>,
    tile: Tile<'k, 32>,
    /// For each step of a scan over the lanes 1 if there is a lane that far below, or else 0.
    has: [u32; 5],
    /// 0 in the first half of the block's warps, else 1.
    side: u32,
    /// The field of the digit whose count in the warp this lane writes.
    field: u32,
    /// Where that is in `sums`.
    of_warp: u32,
    /// For each of the counts that this lane scans -1 if it is of no earlier warp, or else 0.
    not_before: [u32; MOST_COUNTS],
}

impl<'k> Thread<'k> {
    #[inline(always)]
    fn of<S: Scratch<Block<'k>>>(block: Block<'k>) -> Self {
        let tile = block.tile::<32>();
        let (warp, lane) = (rank::<_, S>(&block) as u32 / 32, tile.rank() % 32);
        let half = const { counts_of_lane(S::THREADS) as u32 };
        let (side, row, digit) = (warp / half, warp % half, lane % 16);
        let first = lane % 2 * half;
        Thread {
            has: from_fn(|step| opaque(u32::from(lane >= 1 << step))),
            // Of lane 0, as of all: the assembler would compute it at each use.
            side: tile.shuffle_idx(side, 0),
            field: opaque(digit << FIELD_SHIFT),
            of_warp: 32 * row + 2 * digit + side,
            not_before: from_fn(|k| opaque(u32::from(first + k as u32 >= warp).wrapping_neg())),
            block,
            tile,
        }
    }

    /// The sum up to each lane.
    #[inline(always)]
    fn scan(&self, mut sum: u32) -> u32 {
        unroll_all::<5>(|step| {
            let other = self.tile.shuffle_up(sum, 1 << step);
            sum = other.wrapping_mul(self.has[step]).wrapping_add(sum);
        });
        sum
    }
}

/// The places of blocked items by their digits, each given by its field in a word of 64 bits: a permutation of the tile, stable, if no thread of the block has ended. One barrier,
/// behind what it writes to `sums`; a barrier must lie between its reads and its next call.
#[inline(always)]
fn ranks<'k, S: Scratch<Block<'k>>, const ITEMS: usize>(
    thread: &Thread<'k>,
    sums: Slots<'_, u32>,
    fields: [u32; ITEMS],
) -> [u32; ITEMS] {
    let tile = &thread.tile;
    let mut counts = 0u64;
    let mut ranks = [0; ITEMS];
    unroll_all::<ITEMS>(|k| {
        ranks[k] = field_of(counts, fields[k]);
        counts = counts.wrapping_add(1u64.wrapping_shl(fields[k]));
    });
    let earlier = Counts::of_earlier_lanes(thread, counts);

    // Lanes 16 to 31 tell the same as lanes 0 to 15.
    let (all_earlier, all_own) = (earlier.of_lane(tile, 31), tile.shuffle_idx(counts, 31));
    let of_warp = all_earlier.get(thread.field) + field_of(all_own, thread.field);
    sums.write(thread.of_warp as usize, of_warp);
    thread.block.sync();
    // Of digit `lane / 2` in the first or the second half of the warps.
    let (half, warps) = const { (counts_of_lane(S::THREADS), S::THREADS / 32) };
    let (mut sum, mut not_before) = (0u32, 0u32);
    unroll_all::<MOST_COUNTS>(|k| {
        // Of an odd number of warps the second half has one less.
        if k < half && (2 * half == warps || tile.rank() as usize % 2 * half + k < warps) {
            let count = sums.read(32 * k + (tile.rank() % 32) as usize);
            sum = sum.wrapping_add(count);
            not_before = count
                .wrapping_mul(thread.not_before[k])
                .wrapping_add(not_before);
        }
    });
    // Where the items of the digit begin, in the lane of the own warp's half: those in earlier warps of the other half are counted by the scan.
    let start = thread.scan(sum).wrapping_add(not_before);
    let mut places = [0; ITEMS];
    unroll_all::<ITEMS>(|k| {
        let of_digit = tile.shuffle_idx(start, (fields[k] >> (FIELD_SHIFT - 1)) + thread.side);
        places[k] = of_digit
            .wrapping_add(earlier.get(fields[k]))
            .wrapping_add(ranks[k]);
    });
    places
}

/// The count of four bits from bit `field` on.
#[inline(always)]
fn field_of(counts: u64, field: u32) -> u32 {
    opaque(counts.wrapping_shr(field) as u32 & 15)
}

/// A count of eight bits for each of 16 digits: those of even digits, then those of odd ones.
#[derive(Clone, Copy)]
struct Counts([u32; 4]);

impl Counts {
    /// What the lanes before each one have, from fields of four bits. All of a warp can be 256 of one digit, which runs over into the next field and is taken away again.
    #[inline(always)]
    fn of_earlier_lanes(thread: &Thread, fields: u64) -> Self {
        let [even, odd] = [0, 4].map(|shift| fields >> shift & 0x0f0f_0f0f_0f0f_0f0f);
        let own = [
            even as u32,
            (even >> 32) as u32,
            odd as u32,
            (odd >> 32) as u32,
        ];
        Counts(own.map(|own| thread.scan(own).wrapping_sub(own)))
    }

    /// Of the digit with the field `field`.
    #[inline(always)]
    fn get(self, field: u32) -> u32 {
        let [a, b, c, d] = self.0;
        let (low, high) = if field & FIELD == 0 { (a, b) } else { (c, d) };
        let fields = u64::from(high) << 32 | u64::from(low);
        fields.wrapping_shr(field & !FIELD) as u32 & 255
    }

    /// What a lane has.
    #[inline(always)]
    fn of_lane(self, tile: &Tile<'_, 32>, lane: u32) -> Self {
        Counts(self.0.map(|own| tile.shuffle_idx(own, lane)))
    }
}
