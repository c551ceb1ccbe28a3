//! Pieces for the lanes of a warp, without memory: several items per lane, which shuffles combine.
//!
//! Those with memory are [`Pieces`](crate::block::Pieces): loads, exchanges, merge sort and neighbours are the same methods for warps and blocks. Of one value per
//! lane a [`Warp`] has reductions and scans itself.

use warploom::device_std::warp::Shuffle;
use warploom::prelude::*;

use crate::block::scan::{scan_own, shifted};

/// What the lanes of a [`Warp`] do with several items each, without memory.
///
/// Blocked arrangement: a lane has items side by side. All lanes that have not returned make the call. Lanes that returned are left out, as by [`Warp::reduce`]. No
/// barrier, no shared memory; values of at most 16 bytes. Compute capability: 7.5. CUDA: `WarpReduce` and `WarpScan` of CUB.
///
/// ```
/// use warploom::prelude::*;
/// use warploom_algorithms::warp::WarpPieces;
/// #[kernel(block(64))]
/// fn kernel(warp: Warp) {
///     let lane = warp.lane();
///     let items = [2 * lane, 2 * lane + 1];
///     assert_eq!(warp.reduce_items(items, |a, b| a + b), 63 * 32);
///     let (up_to, all) = warp.inclusive_scan_items(items, |a, b| a + b);
///     assert_eq!((up_to[1], all), ((2 * lane + 1) * (lane + 1), 63 * 32));
///     let (before, _) = warp.exclusive_scan_items(items, 10, |a, b| a + b);
///     assert_eq!(before, [10 + up_to[0] - items[0], 10 + up_to[0]]);
/// }
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// kernel::launch(&stream, (2, 64))?;
/// # stream.synchronize()?;
/// # Ok::<(), warploom::Error>(())
/// ```
pub trait WarpPieces: Copy + sealed::Sealed {
    /// All items combined, the same in each lane; `op` is associative and commutative.
    #[must_use]
    fn reduce_items<T: Shuffle, const ITEMS: usize>(
        self,
        items: [T; ITEMS],
        op: impl Fn(T, T) -> T,
    ) -> T;

    /// What the items up to each come to, in their order, and what all come to; `op` is associative.
    #[must_use]
    fn inclusive_scan_items<T: Shuffle, const ITEMS: usize>(
        self,
        items: [T; ITEMS],
        op: impl Fn(T, T) -> T,
    ) -> ([T; ITEMS], T);

    /// What `first` and the items before each come to, in their order, and what `first` and all come to; `op` is associative.
    #[must_use]
    fn exclusive_scan_items<T: Shuffle, const ITEMS: usize>(
        self,
        items: [T; ITEMS],
        first: T,
        op: impl Fn(T, T) -> T,
    ) -> ([T; ITEMS], T);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for warploom::device_std::Warp<'_> {}
}

impl WarpPieces for Warp<'_> {
    #[inline(always)]
    fn reduce_items<T: Shuffle, const ITEMS: usize>(
        self,
        items: [T; ITEMS],
        op: impl Fn(T, T) -> T,
    ) -> T {
        self.reduce(scan_own(items, &op)[ITEMS - 1], op)
    }

    #[inline(always)]
    fn inclusive_scan_items<T: Shuffle, const ITEMS: usize>(
        self,
        items: [T; ITEMS],
        op: impl Fn(T, T) -> T,
    ) -> ([T; ITEMS], T) {
        let own = scan_own(items, &op);
        let (before, all) = before_lane(self, own[ITEMS - 1], &op);
        match before {
            Some(before) => (own.map(|item| op(before, item)), all),
            None => (own, all),
        }
    }

    #[inline(always)]
    fn exclusive_scan_items<T: Shuffle, const ITEMS: usize>(
        self,
        items: [T; ITEMS],
        first: T,
        op: impl Fn(T, T) -> T,
    ) -> ([T; ITEMS], T) {
        let own = scan_own(items, &op);
        let (before, all) = before_lane(self, own[ITEMS - 1], &op);
        let start = match before {
            Some(before) => op(first, before),
            None => first,
        };
        (shifted(start, own, &op), op(first, all))
    }
}

/// What the lanes below this one come to, `None` in the lowest, and what all come to.
#[inline(always)]
fn before_lane<T: Shuffle>(warp: Warp<'_>, own: T, op: impl Fn(T, T) -> T) -> (Option<T>, T) {
    let up_to = warp.inclusive_scan(own, op);
    let here = warp.ballot(true);
    let below = (here & warp.lanes_below()).bits();
    let left = warp.shuffle_idx(up_to, 31 - (below | 1).leading_zeros());
    let all = warp.shuffle_idx(up_to, 31 - (here.bits() | 1).leading_zeros());
    ((below != 0).then_some(left), all)
}
