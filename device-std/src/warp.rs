//! The warp: 32 threads that exchange registers and vote without memory.
//!
//! The plain forms name all 32 lanes. In a ragged last warp, or after some lanes returned, the missing lanes count as returned and
//! the others do not wait for them. Every lane that has not returned must make the call: if one never does, a GPU waits for ever and the
//! emulator reports a deadlock. The `_mask` forms name the lanes that take part and are `unsafe`: a GPU does not check the mask.
//! Parts of a warp that need no promise are groups: [`Warp::tile`], [`Warp::coalesced`].

use crate::intrinsics as raw;
use crate::scope::{Brand, Tied};

pub(crate) mod combine; // reductions and scans over any mask
mod lane_mask; // a set of lanes
mod leader; // the lane that writes for the warp
mod masked; // the forms that name the lanes
mod numbers; // what reductions and matches take
pub(crate) mod patch; // memory of one warp
pub(crate) mod shuffle; // values as words, segments

pub use lane_mask::{LaneIter, LaneMask};
pub use leader::WarpLeader;
pub(crate) use leader::number_in_launch;
pub use numbers::{Match, Reduce, ReduceBits};
pub use patch::{WarpMemory, WarpPatch};
pub use shuffle::{Shuffle, Width};

/// All lanes: it has the caller in it and is the same in every lane, as the intrinsics ask. A lane that never makes the call lets the
/// others wait for ever, which safe code may do.
const FULL: u32 = u32::MAX;

/// The warp of this thread. A witness: comes as a kernel parameter.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice, Index1D, Warp};
/// fn neighbours(i: Index1D, warp: Warp, mut y: DisjointSlice<f32>) {
///     let right = warp.shuffle_down(i.get() as f32, 1);
///     if let Some(y) = y.get_mut(i) {
///         *y = right;
///     }
/// }
/// # let mut y = vec![0f32; 64];
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     neighbours(Index1D::from_launch(), Warp::from_launch(), DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!((y[3], y[31], y[32]), (4.0, 31.0, 33.0)); // the last lane keeps its own
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Clone, Copy)]
pub struct Warp<'k> {
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for Warp<'k> {}

impl<'k> Warp<'k> {
    /// The number of lanes of a warp.
    pub const LANES: u32 = 32;

    /// The thread's lane, 0..32.
    #[inline(always)]
    #[must_use]
    pub fn lane(self) -> u32 {
        raw::lane_id()
    }

    /// The number of the warp in its block.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> u32 {
        crate::warp_id()
    }

    /// In lane 0 of the warp the right to the warp's own element; `None` in the others.
    #[inline(always)]
    #[must_use]
    pub fn leader(self) -> Option<WarpLeader<'k>> {
        WarpLeader::of_thread(self._brand)
    }

    /// Waits for the other lanes; orders memory accesses within the warp. CUDA: `__syncwarp`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync(self) {
        // SAFETY: see `FULL`.
        unsafe { self.sync_mask(FULL) };
    }

    /// The lanes that happen to run together with this one, its own among them. CUDA: `__activemask`.
    ///
    /// A hint, no promise: lanes may part and join at any time, and it does not tell which lanes took a branch. To work with those
    /// that are here, use [`coalesced`](Self::coalesced).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn active_mask(self) -> LaneMask {
        LaneMask::from_bits(raw::active_mask())
    }

    /// The lanes below the thread's own. PTX: `%lanemask_lt`.
    #[inline(always)]
    #[must_use]
    pub fn lanes_below(self) -> LaneMask {
        LaneMask::from_bits(raw::lanemask_lt())
    }

    /// The lanes above the thread's own. PTX: `%lanemask_gt`.
    #[inline(always)]
    #[must_use]
    pub fn lanes_above(self) -> LaneMask {
        LaneMask::from_bits(raw::lanemask_gt())
    }

    /// The thread's own lane and those below. PTX: `%lanemask_le`.
    #[inline(always)]
    #[must_use]
    pub fn lanes_up_to(self) -> LaneMask {
        LaneMask::from_bits(raw::lanemask_le())
    }

    /// The thread's own lane and those above. PTX: `%lanemask_ge`.
    #[inline(always)]
    #[must_use]
    pub fn lanes_from(self) -> LaneMask {
        LaneMask::from_bits(raw::lanemask_ge())
    }

    /// The thread's own lane alone. PTX: `%lanemask_eq`.
    #[inline(always)]
    #[must_use]
    pub fn own_lane(self) -> LaneMask {
        LaneMask::from_bits(raw::lanemask_eq())
    }

    /// The value of lane `lane` (counted modulo 32). Unspecified if that lane returned. CUDA: `__shfl_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_idx<T: Shuffle>(self, value: T, lane: u32) -> T {
        self.shuffle_idx_in(value, lane, Width::W32)
    }

    /// The value of lane `lane` (counted modulo the width) of the own segment. Unspecified if that lane returned. CUDA: `__shfl_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_idx_in<T: Shuffle>(self, value: T, lane: u32, width: Width) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.shuffle_idx_mask_in(FULL, value, lane, width) }
    }

    /// The value of the lane `delta` (counted modulo 32) below; the lowest `delta` lanes keep their own. CUDA: `__shfl_up_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_up<T: Shuffle>(self, value: T, delta: u32) -> T {
        self.shuffle_up_in(value, delta, Width::W32)
    }

    /// The value of the lane `delta` (counted modulo 32) below; the lowest `delta` lanes of each segment keep their own. CUDA:
    /// `__shfl_up_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_up_in<T: Shuffle>(self, value: T, delta: u32, width: Width) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.shuffle_up_mask_in(FULL, value, delta, width) }
    }

    /// The value of the lane `delta` (counted modulo 32) above; the last `delta` lanes keep their own. CUDA: `__shfl_down_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_down<T: Shuffle>(self, value: T, delta: u32) -> T {
        self.shuffle_down_in(value, delta, Width::W32)
    }

    /// The value of the lane `delta` (counted modulo 32) above; the last `delta` lanes of each segment keep their own. CUDA:
    /// `__shfl_down_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_down_in<T: Shuffle>(self, value: T, delta: u32, width: Width) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.shuffle_down_mask_in(FULL, value, delta, width) }
    }

    /// The value of the lane whose number differs in the bits of `flip` (counted modulo 32). CUDA: `__shfl_xor_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_xor<T: Shuffle>(self, value: T, flip: u32) -> T {
        self.shuffle_xor_in(value, flip, Width::W32)
    }

    /// The value of the lane whose number differs in the bits of `flip` (counted modulo 32). A lane of an earlier segment may be read;
    /// where the source is in a later one, the lane keeps its own. CUDA: `__shfl_xor_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn shuffle_xor_in<T: Shuffle>(self, value: T, flip: u32, width: Width) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.shuffle_xor_mask_in(FULL, value, flip, width) }
    }

    /// The lanes in which `p` holds; not those that returned. CUDA: `__ballot_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn ballot(self, p: bool) -> LaneMask {
        // SAFETY: see `FULL`.
        unsafe { self.ballot_mask(FULL, p) }
    }

    /// True in every lane if `p` holds in at least one lane that has not returned. CUDA: `__any_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn any(self, p: bool) -> bool {
        // SAFETY: see `FULL`.
        unsafe { self.any_mask(FULL, p) }
    }

    /// True in every lane if `p` holds in all lanes that have not returned. CUDA: `__all_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn all(self, p: bool) -> bool {
        // SAFETY: see `FULL`.
        unsafe { self.all_mask(FULL, p) }
    }

    /// True in every lane if `p` is the same in all lanes that have not returned. PTX: `vote.sync.uni`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn uniform(self, p: bool) -> bool {
        // SAFETY: see `FULL`.
        unsafe { self.uniform_mask(FULL, p) }
    }

    /// The lanes that hold the same `value`, bit for bit: 0.0 is not -0.0, and equal NaNs are equal. CUDA: `__match_any_sync`.
    ///
    /// ```
    /// # use warploom_emulator::{run, Shape};
    /// # use warploom_device_std::{LaneMask, Warp};
    /// fn kernel(warp: Warp) {
    ///     let group = warp.match_any(warp.lane() / 16);
    ///     assert_eq!(group, if warp.lane() < 16 { LaneMask::first(16) } else { !LaneMask::first(16) });
    /// }
    /// # run(Shape::new([1, 1, 1], [32, 1, 1]), &|| kernel(unsafe { Warp::from_launch() }))?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn match_any<T: Match>(self, value: T) -> LaneMask {
        // SAFETY: see `FULL`.
        unsafe { self.match_any_mask(FULL, value) }
    }

    /// The lanes that have not returned if all of them hold the same `value`, bit for bit. CUDA: `__match_all_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn match_all<T: Match>(self, value: T) -> Option<LaneMask> {
        // SAFETY: see `FULL`.
        unsafe { self.match_all_mask(FULL, value) }
    }

    /// The sum over the lanes that have not returned, the same bits in each. Integers wrap. CUDA: `__reduce_add_sync`.
    ///
    /// For `u32` and `i32` one instruction in images for sm_80 and later. Else a vote and five shuffles in a whole warp; one shuffle per
    /// lane in any other. Floats are added in pairs, so the result differs from a sum in lane order by rounding.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_sum<T: Reduce>(self, value: T) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.reduce_sum_mask(FULL, value) }
    }

    /// The least value over the lanes that have not returned, the same in each; a NaN counts only if all are. CUDA: `__reduce_min_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_min<T: Reduce>(self, value: T) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.reduce_min_mask(FULL, value) }
    }

    /// The greatest value over the lanes that have not returned, the same in each; a NaN counts only if all are. CUDA: `__reduce_max_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_max<T: Reduce>(self, value: T) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.reduce_max_mask(FULL, value) }
    }

    /// The bits that are set in all lanes that have not returned, the same in each. CUDA: `__reduce_and_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_and<T: ReduceBits>(self, value: T) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.reduce_and_mask(FULL, value) }
    }

    /// The bits that are set in any lane that has not returned, the same in each. CUDA: `__reduce_or_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_or<T: ReduceBits>(self, value: T) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.reduce_or_mask(FULL, value) }
    }

    /// The bits that are set in an odd number of the lanes that have not returned, the same in each. CUDA: `__reduce_xor_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce_xor<T: ReduceBits>(self, value: T) -> T {
        // SAFETY: see `FULL`.
        unsafe { self.reduce_xor_mask(FULL, value) }
    }

    /// Combines the values of the lanes that have not returned; `op` must be associative and commutative.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn reduce<T: Shuffle>(self, value: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `FULL`.
        unsafe { combine::reduce(FULL, Self::LANES, value, &op) }
    }

    /// Combines the values of the lanes up to the caller's own that have not returned, in lane order; `op` must be associative.
    ///
    /// ```
    /// # use warploom_emulator::{run, Shape};
    /// # use warploom_device_std::Warp;
    /// fn kernel(warp: Warp) {
    ///     let sum = warp.inclusive_scan(warp.lane(), |a, b| a + b);
    ///     assert_eq!(sum, warp.lane() * (warp.lane() + 1) / 2);
    ///     assert_eq!(warp.exclusive_scan(warp.lane(), 0, |a, b| a + b), sum - warp.lane());
    /// }
    /// # run(Shape::new([1, 1, 1], [40, 1, 1]), &|| kernel(unsafe { Warp::from_launch() }))?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn inclusive_scan<T: Shuffle>(self, value: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `FULL`.
        unsafe { combine::scan(FULL, Self::LANES, value, &op) }
    }

    /// As [`inclusive_scan`](Self::inclusive_scan), over the lanes below the caller's own; `first` in the lowest lane.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn exclusive_scan<T: Shuffle>(self, value: T, first: T, op: impl Fn(T, T) -> T) -> T {
        // SAFETY: see `FULL`.
        unsafe { combine::scan_before(FULL, Self::LANES, value, first, &op) }
    }

    /// # Safety
    /// Called by the code around a kernel.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        Warp {
            _brand: Brand::new(),
        }
    }
}
