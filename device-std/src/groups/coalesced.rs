//! The lanes that took a branch together.

use super::warp_group::Parts;
use super::{Group, WarpGroup};
use crate::scope::Brand;
use crate::warp::shuffle::to_last;
use crate::{LaneMask, Warp, intrinsics as raw};

/// The lanes of a warp that ran together when the group was made, for instance those that took a branch. CUDA: `coalesced_group`.
///
/// Ranks count these lanes from the lowest. The group keeps its lanes when they go different ways later; what it does waits for all of
/// them that have not returned. Which lanes run together is up to the hardware: those that took a branch may come as several groups,
/// and lanes that come from elsewhere do not join. On the emulator the group is as large as it can be: all lanes that reach this place
/// of the program.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Warp, groups::{Group, WarpGroup}};
/// use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// /// One atomic addition for all lanes that are here; each gets its own place.
/// fn reserve(warp: Warp, counter: &AtomicU32) -> u32 {
///     let here = warp.coalesced();
///     let start = if here.is_first() { counter.fetch_add(here.size(), Relaxed) } else { 0 };
///     here.shuffle_idx(start, 0) + here.rank()
/// }
/// # let (counter, seen) = (AtomicU32::new(0), AtomicU32::new(0));
/// # run(Shape::new([3, 1, 1], [64, 1, 1]), &|| {
/// #     let warp = unsafe { Warp::from_launch() };
/// if warp.lane() % 3 == 0 {
///     let place = reserve(warp, &counter);
/// #     seen.fetch_add(place, Relaxed);
/// }
/// # })?;
/// # assert_eq!(counter.into_inner(), 3 * 2 * 11);
/// # assert_eq!(seen.into_inner(), (0..66).sum());
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Clone, Copy)]
pub struct Coalesced<'k> {
    lanes: u32,
    _brand: Brand<'k>,
}

impl<'k> Warp<'k> {
    /// The lanes that run together with this one now. CUDA: `coalesced_threads`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn coalesced(self) -> Coalesced<'k> {
        Coalesced {
            lanes: raw::active_mask(),
            _brand: Brand::new(),
        }
    }
}

impl Group for Coalesced<'_> {
    #[inline(always)]
    fn rank(&self) -> u32 {
        (self.lanes & raw::lanemask_lt()).count_ones()
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        self.lanes.count_ones()
    }

    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn sync(&self) {
        // SAFETY: see `Parts::mask`.
        unsafe { raw::warp_sync(self.lanes) };
    }
}

impl Parts for Coalesced<'_> {
    const WIDTH: u32 = 0;

    #[inline(always)]
    fn mask(&self) -> u32 {
        self.lanes
    }

    #[inline(always)]
    fn lane_of(&self, rank: u32) -> (u32, u32) {
        let lanes = LaneMask::from_bits(self.lanes);
        let lane = if lanes == LaneMask::FULL {
            rank
        } else {
            // Never 0, for the caller's own lane is one of them; said so that no check for a division by 0 is left.
            lanes.nth(rank % self.size().max(1)).unwrap_or(0)
        };
        (lane, to_last(32))
    }

    #[inline(always)]
    fn ranks(&self, lanes: u32) -> u32 {
        if self.lanes == u32::MAX {
            return lanes;
        }
        let mut ranks = 0;
        let mut rest = self.lanes;
        let mut bit = 1;
        while rest != 0 {
            if lanes & rest & rest.wrapping_neg() != 0 {
                ranks |= bit;
            }
            rest &= rest - 1;
            bit <<= 1;
        }
        ranks
    }
}

impl WarpGroup for Coalesced<'_> {}
