//! Where the items of a tile go, within the tile: a stable sort by one digit.
//!
//! 1. Each warp counts the digits of its items, in counters of its own.
//! 2. One thread for each digit adds up the counters of the warps. With the sum over the smaller digits (a scan over the block) each counter becomes the
//!    place of the warp's first item with that digit.
//! 3. Each warp takes its items in their order, 32 at once. Lanes with equal digits find each other; the highest one moves the counter by as many,
//!    and each has the old value plus the number of such lanes below it.
//!
//! So places are a permutation of the tile, whatever the digits are.

use std::array::from_fn;
use std::hint::assert_unchecked;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic::{Scoped, scope};
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::key::{RadixBits, RadixKey};

/// Threads of a block.
pub(super) const THREADS: usize = 384;
/// Warps of a block.
const WARPS: usize = THREADS / LANES;
/// Threads of a warp.
pub(super) const LANES: usize = 32;
/// Values of a digit.
pub(crate) const DIGITS: usize = 256;
/// Bits of a digit at most.
pub(crate) const DIGIT_BITS: u32 = 8;
/// Counters: one for each warp and digit.
pub(super) const COUNTERS: usize = WARPS * DIGITS;

/// By which bits.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub(crate) struct Order {
    /// The lowest bit.
    pub(crate) start: u32,
    /// Behind the highest bit.
    pub(crate) end: u32,
    /// Whether large keys come first.
    pub(crate) descending: bool,
}

impl Order {
    /// How many digits that are.
    #[inline(always)]
    pub(crate) fn passes(self) -> u32 {
        (self.end - self.start).div_ceil(DIGIT_BITS)
    }

    /// The digit of a pass.
    #[inline(always)]
    pub(crate) fn digit(self, pass: u32) -> Digit {
        let shift = self.start + pass * DIGIT_BITS;
        let width = (self.end - shift).min(DIGIT_BITS);
        let mask = u32::MAX >> (32 - width);
        Digit {
            shift,
            mask,
            flip: if self.descending { mask } else { 0 },
            one: 1,
        }
    }
}

/// Which bits of a key a pass sorts by.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub(crate) struct Digit {
    /// The lowest bit.
    pub(super) shift: u32,
    /// Ones, as many as there are bits.
    pub(super) mask: u32,
    /// What the order reverses: `mask` if it descends, else 0.
    pub(super) flip: u32,
    /// 1; see [`equal_by_votes`].
    pub(super) one: u32,
}

impl Digit {
    /// Below [`DIGITS`].
    #[inline(always)]
    fn mask(self) -> u32 {
        // SAFETY: so it is made, by `Order::digit` alone. Unchecked, because digits with another `and` would take registers of their own.
        unsafe { assert_unchecked(self.mask < DIGITS as u32) };
        self.mask
    }

    /// That of `key`.
    #[inline(always)]
    pub(crate) fn of<K: RadixKey>(self, key: K) -> u32 {
        key.bits().shifted(self.shift) & self.mask() ^ self.flip & self.mask()
    }

    /// No other is larger: what places behind the last element have.
    #[inline(always)]
    pub(super) fn last(self) -> u32 {
        self.mask()
    }
}

/// The counters of a block.
pub(super) type Counters<'a> = SharedArray<'a, u32, COUNTERS>;

/// What [`rank`] finds.
pub(super) struct Ranks<const ITEMS: usize> {
    /// The place of each item of this thread.
    pub(super) places: [u32; ITEMS],
    /// Items with the digit that has the number of this thread; 0 from thread [`DIGITS`] on.
    pub(super) count: u32,
    /// Items with a smaller one.
    pub(super) smaller: u32,
}

/// The number in its tile of this thread's first item; the others follow at a distance of a warp. So a warp has items side by side, in their order.
#[inline(always)]
pub(super) fn first_item<const ITEMS: usize>(block: Block) -> u32 {
    let (thread, lanes) = (block.thread() as u32, LANES as u32);
    thread / lanes * (lanes * ITEMS as u32) + thread % lanes
}

/// The number in its tile of item `k` of this thread.
#[inline(always)]
pub(super) fn item<const ITEMS: usize>(block: Block, k: usize) -> usize {
    first_item::<ITEMS>(block) as usize + k * LANES
}

/// Sets all counters to 0. A barrier must follow.
#[inline(always)]
pub(super) fn clear(block: Block, counters: Counters) {
    let thread = block.thread();
    unroll_all::<{ COUNTERS / THREADS }>(|k| {
        counters.atomic(thread + k * THREADS).store(0, Relaxed);
    });
}

/// The places of all items of a block by their digits, which are below [`DIGITS`]. Between [`clear`] and this lies a barrier; all threads make the call.
/// `one` is that of the digits. `counted` gets the number of items with the digit that has the number of the thread, and `placed` the place of item `k`, both as early as they are there:
/// after the first and the last barrier in here.
#[inline(always)]
pub(super) fn rank<const ITEMS: usize>(
    block: Block,
    warp: Warp,
    counters: Counters,
    digits: [u32; ITEMS],
    one: u32,
    counted: impl FnOnce(u32),
    mut placed: impl FnMut(usize, u32),
) -> Ranks<ITEMS> {
    let thread = block.thread();
    let first = (thread / LANES * DIGITS) as u32;
    unroll_all::<ITEMS>(|k| {
        let counter = counters.atomic((first + digits[k]) as usize);
        counter.scoped::<scope::Block>().fetch_add(1, RELAXED);
    });
    block.sync();
    let mut counts = [0; WARPS];
    if thread < DIGITS {
        counts = from_fn(|warp| counters.atomic(warp * DIGITS + thread).load(Relaxed));
    }
    let count = counts.iter().sum();
    counted(count);
    let smaller = sum_before(block, warp, count);
    if thread < DIGITS {
        let mut next = smaller;
        unroll_all::<WARPS>(|warp| {
            let counter = counters.atomic(warp * DIGITS + thread);
            counter.store(next, Relaxed);
            next += counts[warp];
        });
    }
    block.sync();
    // The same number again. Otherwise LLVM keeps the addresses of all counters from the loop above, in as many registers.
    let first = warp.shuffle_idx(first, 0);
    let mut places = [0; ITEMS];
    // Written out: what holds votes is not copied by compilers.
    unroll_all::<ITEMS>(|k| {
        let digit = digits[k];
        let peers = equal(warp, digit, one);
        let leader = 31 - peers.bits().leading_zeros();
        let upto = (peers & warp.lanes_up_to()).count();
        let mut before = 0;
        if warp.lane() == leader {
            let counter = counters.atomic(first.wrapping_add(digit) as usize);
            before = counter.scoped::<scope::Block>().fetch_add(upto, RELAXED);
        }
        let place = warp.shuffle_idx(before, leader) + upto - 1;
        placed(k, place);
        places[k] = place;
    });
    Ranks {
        places,
        count,
        smaller,
    }
}

/// The sum of the counts of threads before this one, in threads below [`DIGITS`]. Holds one barrier, where a scan by the block has three.
#[inline(always)]
fn sum_before(block: Block, warp: Warp, count: u32) -> u32 {
    let sums = shared_array!(u32, DIGITS / LANES);
    let (thread, lane) = (block.thread(), warp.lane());
    let mut sum = count;
    if thread < DIGITS {
        unroll_all::<5>(|k| {
            let before = warp.shuffle_up(sum, 1 << k);
            sum += if lane < 1 << k { 0 } else { before };
        });
        if lane == 31 {
            sums.atomic(thread / LANES).store(sum, Relaxed);
        }
    }
    block.sync();
    let mut before = sum - count;
    if thread < DIGITS {
        unroll_all::<{ DIGITS / LANES }>(|k| {
            let sum = sums.atomic(k).load(Relaxed);
            before += if k < thread / LANES { sum } else { 0 };
        });
    }
    before
}

const RELAXED: warploom::device_std::atomic::Relaxed = warploom::device_std::atomic::Relaxed;

/// The lanes with the same digit. On the emulator by the form that takes one step.
#[inline(always)]
fn equal(warp: Warp, digit: u32, one: u32) -> LaneMask {
    if arch() > 0 {
        equal_by_votes(warp, digit, one)
    } else {
        warp.match_any(digit)
    }
}

/// [`Warp::match_any`], by a vote for each bit: a GPU has an instruction for the whole, which takes a step for each different value.
/// `one` is 1, which LLVM does not see: it then tests a bit once, by a mask, instead of twice, one of them after a shift (4 instructions a bit for 7).
#[inline(always)]
fn equal_by_votes(warp: Warp, digit: u32, one: u32) -> LaneMask {
    let mut equal = LaneMask::FULL;
    unroll_all::<{ DIGIT_BITS as usize }>(|bit| {
        let is_one = digit & one << bit != 0;
        let ones = warp.ballot(is_one);
        equal &= if is_one { ones } else { !ones };
    });
    equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[kernel]
    fn by_both(i: Index1D, warp: Warp, digits: &[u32], mut y: DisjointSlice<[u32; 2]>) {
        let digit = digits[i.get()];
        let lanes = [equal_by_votes(warp, digit, 1), warp.match_any(digit)];
        if let Some(y) = y.get_mut(i) {
            *y = lanes.map(LaneMask::bits);
        }
    }

    #[test]
    fn votes_find_what_a_match_finds() -> warploom::Result<()> {
        let device = Device::emulator();
        let stream = device.stream()?;
        let digits: Vec<u32> = (0..320)
            .map(|i| i * i * 37 % 256 / (1 + i / 32 * 25))
            .collect();
        let digits = device.upload(&digits)?;
        let mut lanes = device.zeroed::<[u32; 2]>(320)?;
        by_both::launch(&stream, (10, 32), &digits, &mut lanes)?;
        for [votes, matched] in lanes.to_vec(&stream)? {
            assert_eq!(votes, matched);
        }
        Ok(())
    }
}
