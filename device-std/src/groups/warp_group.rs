//! What lanes do together, for all parts of a warp.

use super::Group;
use crate::warp::shuffle::{exchange, to_first, to_last};
use crate::warp::{LaneMask, Match, Reduce, ReduceBits, Shuffle, combine};
use crate::{Warp, intrinsics as raw};

/// Which lanes a group has, and how its ranks lie among them.
pub trait Parts {
    /// The number of lanes, if they are a segment of the warp of that width; else 0.
    #[doc(hidden)]
    const WIDTH: u32;
    /// The lanes of the group, the caller's own among them, the same in each lane: so the intrinsics can be called with it. A lane that
    /// never makes the call lets the others wait for ever, which safe code may do.
    #[doc(hidden)]
    fn mask(&self) -> u32;
    /// The lane of `rank`, counted modulo the size, and in which segments: operands *b* and *c* of `shfl.sync.idx`, which takes *b* modulo the width of the segments.
    #[doc(hidden)]
    fn lane_of(&self, rank: u32) -> (u32, u32);
    /// Lanes of the group as ranks.
    #[doc(hidden)]
    fn ranks(&self, lanes: u32) -> u32;
}

/// What the lanes of a [`Tile`](super::Tile), a [`Coalesced`](super::Coalesced) group or a [`Warp`] do together.
///
/// All of them work on ranks: rank 0 is the group's lowest lane, and masks have bit `r` for rank `r`. Each call waits for all lanes of
/// the group that have not returned, and orders no memory ([`sync`](Group::sync) does). If a lane of the group never makes the call, a
/// GPU waits for ever and the emulator reports a deadlock. The value of a lane that returned is unspecified.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Warp, groups::{Group, WarpGroup}};
/// fn is_sorted(group: &impl WarpGroup, value: f32) -> bool {
///     let left = group.shuffle_up(value, 1);
///     group.all(group.rank() == 0 || left <= value)
/// }
/// # run(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
/// #     let warp = unsafe { Warp::from_launch() };
/// assert!(is_sorted(&warp.tile::<8>(), warp.lane() as f32));
/// # })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub trait WarpGroup: Group + Parts {
    /// The lanes of the warp that the group was made of.
    #[inline(always)]
    #[must_use]
    fn lanes(&self) -> LaneMask {
        LaneMask::from_bits(self.mask())
    }

    /// The value of rank `rank` (counted modulo the size). CUDA: `shfl`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn shuffle_idx<T: Shuffle>(&self, value: T, rank: u32) -> T {
        let (mask, (lane, clamp)) = (self.mask(), self.lane_of(rank));
        // SAFETY: see `Parts::mask`.
        unsafe { exchange!(T, value, |word| raw::shuffle_idx(mask, word, lane, clamp)) }
    }

    /// The value of the rank `delta` below; the lowest `delta` ranks keep their own. CUDA: `shfl_up`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn shuffle_up<T: Shuffle>(&self, value: T, delta: u32) -> T {
        if Self::WIDTH != 0 {
            let (mask, delta) = (self.mask(), if delta < 32 { delta } else { 0 });
            let clamp = to_first(Self::WIDTH);
            // SAFETY: see `Parts::mask`.
            return unsafe {
                exchange!(T, value, |word| raw::shuffle_up(mask, word, delta, clamp))
            };
        }
        let rank = self.rank();
        let source = if delta <= rank { rank - delta } else { rank };
        self.shuffle_idx(value, source)
    }

    /// The value of the rank `delta` above; the last `delta` ranks keep their own. CUDA: `shfl_down`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn shuffle_down<T: Shuffle>(&self, value: T, delta: u32) -> T {
        if Self::WIDTH != 0 {
            let (mask, delta) = (self.mask(), if delta < 32 { delta } else { 0 });
            let clamp = to_last(Self::WIDTH);
            // SAFETY: see `Parts::mask`.
            return unsafe {
                exchange!(T, value, |word| raw::shuffle_down(mask, word, delta, clamp))
            };
        }
        let (rank, size) = (self.rank(), self.size());
        let source = if delta < size - rank {
            rank + delta
        } else {
            rank
        };
        self.shuffle_idx(value, source)
    }

    /// The value of the rank whose number differs in the bits of `flip`; its own where there is no such rank. CUDA: `shfl_xor`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn shuffle_xor<T: Shuffle>(&self, value: T, flip: u32) -> T {
        if Self::WIDTH != 0 {
            let (mask, flip) = (self.mask(), if flip < Self::WIDTH { flip } else { 0 });
            let clamp = to_last(Self::WIDTH);
            // SAFETY: see `Parts::mask`.
            return unsafe {
                exchange!(T, value, |word| raw::shuffle_bfly(mask, word, flip, clamp))
            };
        }
        let rank = self.rank();
        let source = if rank ^ flip < self.size() {
            rank ^ flip
        } else {
            rank
        };
        self.shuffle_idx(value, source)
    }

    /// The ranks in which `p` holds; not those that returned. CUDA: `ballot`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn ballot(&self, p: bool) -> LaneMask {
        // SAFETY: see `Parts::mask`.
        LaneMask::from_bits(self.ranks(unsafe { raw::vote_ballot(self.mask(), p) }))
    }

    /// True in every thread of the group if `p` holds in at least one that has not returned. CUDA: `any`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn any(&self, p: bool) -> bool {
        // SAFETY: see `Parts::mask`.
        unsafe { raw::vote_any(self.mask(), p) }
    }

    /// True in every thread of the group if `p` holds in all that have not returned. CUDA: `all`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn all(&self, p: bool) -> bool {
        // SAFETY: see `Parts::mask`.
        unsafe { raw::vote_all(self.mask(), p) }
    }

    /// True in every thread of the group if `p` is the same in all that have not returned.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn uniform(&self, p: bool) -> bool {
        // SAFETY: see `Parts::mask`.
        unsafe { raw::vote_uni(self.mask(), p) }
    }

    /// The ranks that hold the same `value`, bit for bit. CUDA: `match_any`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn match_any<T: Match>(&self, value: T) -> LaneMask {
        // SAFETY: see `Parts::mask`.
        LaneMask::from_bits(self.ranks(unsafe { value.any_of(self.mask()) }))
    }

    /// The ranks that have not returned if all of them hold the same `value`, bit for bit. CUDA: `match_all`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn match_all<T: Match>(&self, value: T) -> Option<LaneMask> {
        // SAFETY: see `Parts::mask`.
        let same = unsafe { value.all_of(self.mask()) };
        (same != 0).then(|| LaneMask::from_bits(self.ranks(same)))
    }

    /// Combines the values of the threads that have not returned, the same in each; `op` must be associative and commutative. CUDA:
    /// `reduce`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn reduce<T: Shuffle>(&self, value: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::reduce(self.mask(), Self::WIDTH, value, &op) }
    }

    /// The sum; integers wrap. CUDA: `reduce` with `plus`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn reduce_sum<T: Reduce>(&self, value: T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::sum(self.mask(), Self::WIDTH, value) }
    }

    /// The least value; a NaN counts only if all are. CUDA: `reduce` with `less`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn reduce_min<T: Reduce>(&self, value: T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::least(self.mask(), Self::WIDTH, value) }
    }

    /// The greatest value; a NaN counts only if all are. CUDA: `reduce` with `greater`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn reduce_max<T: Reduce>(&self, value: T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::greatest(self.mask(), Self::WIDTH, value) }
    }

    /// The bits that are set in all threads. CUDA: `reduce` with `bit_and`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn reduce_and<T: ReduceBits>(&self, value: T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::and(self.mask(), Self::WIDTH, value) }
    }

    /// The bits that are set in any thread. CUDA: `reduce` with `bit_or`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn reduce_or<T: ReduceBits>(&self, value: T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::or(self.mask(), Self::WIDTH, value) }
    }

    /// The bits that are set in an odd number of threads. CUDA: `reduce` with `bit_xor`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn reduce_xor<T: ReduceBits>(&self, value: T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::xor(self.mask(), Self::WIDTH, value) }
    }

    /// Combines the values of the ranks up to the caller's own that have not returned, in order; `op` must be associative.
    /// CUDA: `inclusive_scan`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn inclusive_scan<T: Shuffle>(&self, value: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::scan(self.mask(), Self::WIDTH, value, &op) }
    }

    /// As [`inclusive_scan`](Self::inclusive_scan), over the ranks below the caller's own; `first` in the lowest. CUDA: `exclusive_scan`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    fn exclusive_scan<T: Shuffle>(&self, value: T, first: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `Parts::mask`.
        unsafe { combine::scan_before(self.mask(), Self::WIDTH, value, first, &op) }
    }
}

impl Parts for Warp<'_> {
    const WIDTH: u32 = 32;

    #[inline(always)]
    fn mask(&self) -> u32 {
        u32::MAX
    }

    #[inline(always)]
    fn lane_of(&self, rank: u32) -> (u32, u32) {
        (rank, to_last(32))
    }

    #[inline(always)]
    fn ranks(&self, lanes: u32) -> u32 {
        lanes
    }
}

impl WarpGroup for Warp<'_> {}
