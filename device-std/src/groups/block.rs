//! Reductions and scans over a block: within each warp by shuffles, between warps through shared memory.
//!
//! The memory is 516 bytes, one for all calls of a kernel. Why that is sound, and why two calls cannot disturb each other:
//!
//! 1. Each access is a relaxed atomic of one word, and plain types have no invalid values. So whatever threads do that meet a barrier
//!    from different calls (which is a mistake of the program), they get wrong values and nothing worse.
//! 2. If all threads make the same calls, as they must, a call writes before its first barrier, reads between its barriers, and
//!    ends with a barrier after which no thread reads any more: the next call may write.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Block;
use crate::warp::shuffle::{Words, exchange};
use crate::warp::{Reduce, Shuffle, combine};
use crate::{intrinsics as raw, warp_id};

/// All lanes: it has the caller in it and is the same in every lane, as the intrinsics ask. A lane that never makes the call lets the
/// others wait for ever, which safe code may do.
const FULL: u32 = u32::MAX;
const WARPS: usize = 32;
/// One word for the warps that are there, then up to four for each warp.
const SCRATCH: usize = 1 + 4 * WARPS;
/// From so many whole warps on their values are combined by shuffles; fewer are read one after the other in less time.
const MANY: u32 = 8;

impl Block<'_> {
    /// Combines the values of all threads that have not returned, the same in each; `op` must be associative and commutative.
    ///
    /// All threads of the block must make the call: it holds two barriers. The order is fixed for a number of threads (pairs within a
    /// warp, then pairs of warps if these are 8, 16 or 32 whole ones, otherwise warp after warp), so equal inputs give equal bits, on a GPU
    /// and on the emulator. At most 16 bytes per value. Costs five to ten shuffles, and 516 bytes of shared memory in a kernel that uses
    /// it.
    /// CUDA: `cg::reduce` and a shared array; `BlockReduce` of CUB.
    /// ```
    /// # use warploom_emulator::{run, Shape};
    /// use warploom_device_std::Block;
    /// fn kernel(block: Block) {
    ///     let t = block.thread() as u64;
    ///     assert_eq!(block.reduce(t, |a, b| a + b), 69 * 70 / 2);
    ///     assert_eq!(block.inclusive_scan(t, |a, b| a + b), t * (t + 1) / 2);
    ///     assert_eq!(block.exclusive_scan(1, 0, |a, b| a + b), t);
    /// }
    /// # run(Shape::new([2, 1, 1], [70, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce<T: Shuffle>(self, value: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `FULL`.
        let present = unsafe { raw::vote_ballot(FULL, true) };
        // SAFETY: see `FULL`; these lanes are there.
        let of_warp = unsafe { combine::reduce_present(FULL, 32, present, value, &op) };
        let scratch = Scratch::of_block();
        let all = scratch.write(of_warp, present.trailing_zeros());
        let threads = crate::block_dim().count() as u32;
        let count = threads / 32;
        // Both conditions are uniform in the block. Where its size is a constant, this way has no further branch.
        let sum = if all && is_many(threads) && count.is_power_of_two() {
            // Every `count` lanes have all values, so each ends with the sum of all.
            let mut sum = scratch.read::<T>(raw::lane_id() & (count - 1));
            let mut flip = count / 2;
            while flip > 0 {
                // SAFETY: see `FULL`.
                let other =
                    unsafe { exchange!(T, sum, |word| raw::shuffle_bfly(FULL, word, flip, 31)) };
                sum = op(sum, other);
                flip /= 2;
            }
            sum
        } else {
            let warps = match all {
                true => FULL >> (32 - threads.div_ceil(32)),
                false => scratch.mark_again(of_warp),
            };
            let mut sum = scratch.read::<T>(warps.trailing_zeros());
            let mut rest = warps & warps.wrapping_sub(1);
            while rest != 0 {
                sum = op(sum, scratch.read(rest.trailing_zeros()));
                rest &= rest - 1;
            }
            sum
        };
        crate::sync_threads();
        sum
    }

    /// The sum over all threads that have not returned; integers wrap. See [`reduce`](Self::reduce).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_sum<T: Reduce>(self, value: T) -> T {
        self.reduce(value, T::sum)
    }

    /// The least value over all threads that have not returned; a NaN counts only if all are. See [`reduce`](Self::reduce).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_min<T: Reduce>(self, value: T) -> T {
        self.reduce(value, T::least)
    }

    /// The greatest value over all threads that have not returned; a NaN counts only if all are. See [`reduce`](Self::reduce).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_max<T: Reduce>(self, value: T) -> T {
        self.reduce(value, T::greatest)
    }

    /// Combines the values of the threads up to the caller that have not returned, in order; `op` must be associative.
    ///
    /// All threads of the block must make the call: it holds two barriers. CUDA: `BlockScan` of CUB.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn inclusive_scan<T: Shuffle>(self, value: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `FULL`.
        let in_warp = unsafe { combine::scan(FULL, 32, value, &op) };
        match before_warp(in_warp, &op) {
            Some(before) => op(before, in_warp),
            None => in_warp,
        }
    }

    /// As [`inclusive_scan`](Self::inclusive_scan), over the threads before the caller; `first` in the first of them.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn exclusive_scan<T: Shuffle>(self, value: T, first: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `FULL`.
        let in_warp = unsafe { combine::scan(FULL, 32, value, &op) };
        let before = before_warp(in_warp, &op);
        // SAFETY: see `FULL`.
        let present = unsafe { raw::vote_ballot(FULL, true) };
        let below = present & raw::lanemask_lt();
        let source = if below == 0 {
            raw::lane_id()
        } else {
            31 - below.leading_zeros()
        };
        // SAFETY: see `FULL`.
        let left =
            unsafe { exchange!(T, in_warp, |word| raw::shuffle_idx(FULL, word, source, 31)) };
        match before {
            None if below == 0 => first,
            None => left,
            Some(before) if below == 0 => before,
            Some(before) => op(before, left),
        }
    }
}

/// What the warps before this one come to; `None` in the first that is there. `in_warp` is the scan within the warp.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
fn before_warp<T: Shuffle>(in_warp: T, op: &impl Fn(T, T) -> T) -> Option<T> {
    // SAFETY: see `FULL`.
    let last = 31 - unsafe { raw::vote_ballot(FULL, true) }.leading_zeros();
    let scratch = Scratch::of_block();
    let warps = scratch.share(in_warp, last);
    let sum = match warps {
        // A lane for each warp; those without one repeat the last, which is not used.
        Warps::Whole(count) => {
            let of_warp = scratch.read::<T>(raw::lane_id().min(count - 1));
            // SAFETY: see `FULL`.
            let up_to = unsafe { combine::scan(FULL, 32, of_warp, op) };
            let source = warp_id().saturating_sub(1);
            // SAFETY: see `FULL`.
            let before =
                unsafe { exchange!(T, up_to, |word| raw::shuffle_idx(FULL, word, source, 31)) };
            (warp_id() > 0).then_some(before)
        }
        Warps::Some(mask) => {
            let mut rest = mask & ((1 << warp_id()) - 1);
            let mut sum = None;
            while rest != 0 {
                let next = scratch.read(rest.trailing_zeros());
                sum = Some(match sum {
                    Some(sum) => op(sum, next),
                    None => next,
                });
                rest &= rest - 1;
            }
            sum
        }
    };
    crate::sync_threads();
    sum
}

/// Which warps have written their values.
#[derive(Clone, Copy)]
enum Warps {
    /// So many, [`MANY`] or more, from the first on, of 32 lanes each.
    Whole(u32),
    /// Those of this mask.
    Some(u32),
}

/// Whether the values of a block of so many threads, which are all there, are combined by shuffles.
#[inline(always)]
const fn is_many(threads: u32) -> bool {
    threads.is_multiple_of(32) && threads >= 32 * MANY
}

/// The block's memory for partial results.
#[derive(Clone, Copy)]
struct Scratch {
    words: *const AtomicU32,
}

/// Gives each use its own memory.
enum Site {}

impl Scratch {
    #[inline(always)]
    fn of_block() -> Self {
        Scratch {
            words: raw::shared_site::<u32, SCRATCH, Site>().cast(),
        }
    }

    #[inline(always)]
    fn word(&self, at: usize) -> &AtomicU32 {
        debug_assert!(at < SCRATCH);
        // SAFETY: `at` is below `SCRATCH` in all calls here.
        let word = unsafe { self.words.add(at) };
        // SAFETY: the memory is the block's, and every access to it is atomic.
        unsafe { &*word }
    }

    /// Lane `speaker` of each warp writes the value of its warp; after a barrier, all threads know which warps did.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn share<T: Shuffle>(&self, of_warp: T, speaker: u32) -> Warps {
        if !self.write(of_warp, speaker) {
            return Warps::Some(self.mark(speaker));
        }
        let threads = crate::block_dim().count() as u32;
        if is_many(threads) {
            return Warps::Whole(threads / 32);
        }
        Warps::Some(FULL >> (32 - threads.div_ceil(32)))
    }

    /// Lane `speaker` of each warp writes the value of its warp; after a barrier, all threads know whether no thread has returned: all warps take part
    /// then.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn write<T: Shuffle>(&self, of_warp: T, speaker: u32) -> bool {
        self.put(of_warp, speaker);
        // SAFETY: barrier 0 belongs to no tile.
        let here = unsafe { raw::barrier_count(0, true) };
        here == crate::block_dim().count() as u32
    }

    /// Lane `speaker` writes the value of its warp.
    #[inline(always)]
    fn put<T: Shuffle>(&self, of_warp: T, speaker: u32) {
        if raw::lane_id() == speaker {
            let words = Words::of(of_warp).0;
            let mut at = 0;
            while at < T::WORDS {
                self.word(1 + 4 * warp_id() as usize + at)
                    .store(words[at], Relaxed);
                at += 1;
            }
        }
    }

    /// [`mark`](Self::mark) by lanes that are there now: what combines values may have ended the threads of others by a panic.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn mark_again<T: Shuffle>(&self, of_warp: T) -> u32 {
        // SAFETY: see `FULL`.
        let speaker = unsafe { raw::vote_ballot(FULL, true) }.trailing_zeros();
        self.put(of_warp, speaker);
        self.mark(speaker)
    }

    /// Where threads have returned: which warps are there.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn mark(&self, speaker: u32) -> u32 {
        let speaks = raw::lane_id() == speaker;
        if speaks {
            self.word(0).store(0, Relaxed);
        }
        crate::sync_threads();
        if speaks {
            self.word(0).fetch_or(1 << warp_id(), Relaxed);
        }
        crate::sync_threads();
        self.word(0).load(Relaxed)
    }

    /// What warp `warp` wrote.
    #[inline(always)]
    fn read<T: Shuffle>(&self, warp: u32) -> T {
        let mut words = [0; 4];
        let mut at = 0;
        while at < T::WORDS {
            words[at] = self
                .word(1 + 4 * (warp as usize % WARPS) + at)
                .load(Relaxed);
            at += 1;
        }
        Words(words).value()
    }
}
