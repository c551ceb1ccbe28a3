//! The lane that writes for its warp.

use crate::index::linear_thread;
use crate::scope::Brand;
use crate::{block_dim, block_idx, grid_dim};

/// Held by one thread of each warp, lane 0: the right to the warp's element of a [`crate::DisjointSlice`] by [`crate::PerWarp`].
///
/// Made by [`Warp::leader`](crate::Warp::leader).
///
/// ```compile_fail,E0277
/// fn kernel(warp: warploom_device_std::Warp) {
///     let leader = warp.leader();
///     std::thread::scope(|scope| { scope.spawn(move || leader.map(|l| l.warp())); });
/// }
/// ```
#[derive(Clone, Copy)]
pub struct WarpLeader<'k> {
    warp: usize,
    _brand: Brand<'k>,
}

impl<'k> WarpLeader<'k> {
    /// The right of this thread, if it has it.
    #[inline(always)]
    pub(super) fn of_thread(brand: Brand<'k>) -> Option<WarpLeader<'k>> {
        let thread = linear_thread();
        if !thread.is_multiple_of(super::Warp::LANES) {
            return None;
        }
        Some(WarpLeader {
            warp: number_in_launch(),
            _brand: brand,
        })
    }

    /// The warp's number in the launch: blocks in order, x fastest, the warps of each in order.
    ///
    /// A launch has `blocks * threads.div_ceil(32)` warps, where `threads` are those of a block.
    #[inline(always)]
    #[must_use]
    pub fn warp(self) -> usize {
        self.warp
    }
}

/// The number of the thread's warp in the launch: blocks and their threads are numbered without gaps, so that no two warps have one number.
#[inline(always)]
pub(crate) fn number_in_launch() -> usize {
    let block = grid_dim().linear(block_idx()) as usize;
    let warps = block_dim().count().div_ceil(u64::from(super::Warp::LANES)) as usize;
    block * warps + (linear_thread() / super::Warp::LANES) as usize
}
