//! The warp: 32 threads that exchange registers and vote without memory.
//!
//! The plain forms name all 32 lanes. In a ragged last warp, or after some lanes returned, the missing lanes count as returned and
//! nobody waits for them. Every lane that has not returned must make the call: if one never does, a GPU waits for ever and the
//! emulator reports a deadlock. The `_mask` forms name the lanes that take part and are `unsafe`: a GPU does not check the mask.

use crate::intrinsics as raw;
use crate::scope::Brand;

const FULL: u32 = u32::MAX;
/// PTX operand *c* of a shuffle over all 32 lanes: `idx`, `down` and `bfly` stop at lane 31 …
const TO_LAST: u32 = 31;
/// … and `up` stops at lane 0.
const TO_FIRST: u32 = 0;

/// The warp of this thread. A witness: comes as a kernel parameter.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device::{DisjointSlice, Index1D, Warp};
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

impl Warp<'_> {
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

    /// Waits for the other lanes; orders memory accesses within the warp. CUDA: `__syncwarp`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync(self) {
        raw::warp_sync(FULL);
    }

    /// The value of lane `lane` (counted modulo 32). Unspecified if that lane returned. CUDA: `__shfl_sync`.
    #[inline(always)]
    #[must_use]
    pub fn shuffle_idx<T: Shuffle>(self, value: T, lane: u32) -> T {
        value.map_words(|word| raw::shuffle_idx(FULL, word, lane, TO_LAST))
    }

    /// The value of the lane `delta` below; the lanes below `delta` keep their own. CUDA: `__shfl_up_sync`.
    #[inline(always)]
    #[must_use]
    pub fn shuffle_up<T: Shuffle>(self, value: T, delta: u32) -> T {
        value.map_words(|word| raw::shuffle_up(FULL, word, delta, TO_FIRST))
    }

    /// The value of the lane `delta` above; the last `delta` lanes keep their own. CUDA: `__shfl_down_sync`.
    #[inline(always)]
    #[must_use]
    pub fn shuffle_down<T: Shuffle>(self, value: T, delta: u32) -> T {
        value.map_words(|word| raw::shuffle_down(FULL, word, delta, TO_LAST))
    }

    /// The value of the lane whose number differs in the bits of `flip` (less than 32). CUDA: `__shfl_xor_sync`.
    #[inline(always)]
    #[must_use]
    pub fn shuffle_xor<T: Shuffle>(self, value: T, flip: u32) -> T {
        value.map_words(|word| raw::shuffle_bfly(FULL, word, flip, TO_LAST))
    }

    /// Bit `l` of the answer tells whether `p` holds in lane `l`; 0 for lanes that returned. CUDA: `__ballot_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn ballot(self, p: bool) -> u32 {
        raw::vote_ballot(FULL, p)
    }

    /// True in every lane if `p` holds in at least one lane that has not returned. CUDA: `__any_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn any(self, p: bool) -> bool {
        raw::vote_any(FULL, p)
    }

    /// True in every lane if `p` holds in all lanes that have not returned. CUDA: `__all_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn all(self, p: bool) -> bool {
        raw::vote_all(FULL, p)
    }

    /// The sum over the lanes that have not returned, the same bits in each. Integers wrap.
    ///
    /// A vote and five shuffles in a whole warp; one shuffle per lane in any other. Floats are added in pairs, so the result differs
    /// from a sum in lane order by rounding.
    #[inline(always)]
    #[must_use]
    pub fn reduce_sum<T: Reduce>(self, value: T) -> T {
        self.reduce(value, T::sum)
    }

    /// The least value over the lanes that have not returned, the same in each; a NaN counts only if all are.
    #[inline(always)]
    #[must_use]
    pub fn reduce_min<T: Reduce>(self, value: T) -> T {
        self.reduce(value, T::least)
    }

    /// The greatest value over the lanes that have not returned, the same in each; a NaN counts only if all are.
    #[inline(always)]
    #[must_use]
    pub fn reduce_max<T: Reduce>(self, value: T) -> T {
        self.reduce(value, T::greatest)
    }

    /// Combines the values of the lanes that have not returned; `op` must be associative and commutative.
    #[inline(always)]
    #[must_use]
    pub fn reduce<T: Shuffle>(self, value: T, op: impl Fn(T, T) -> T) -> T {
        let present = self.ballot(true);
        if present == FULL {
            // The distances 16, 8, 4, 2, 1: after the last each lane has met all 32. Both of a pair combine the same two values.
            let mut sum = value;
            let mut flip = Self::LANES / 2;
            while flip > 0 {
                sum = op(sum, self.shuffle_xor(sum, flip));
                flip /= 2;
            }
            return sum;
        }
        // `present` is the same in each lane, so all make the same calls; the caller is in it.
        let mut rest = present & present.wrapping_sub(1);
        let mut sum = self.shuffle_idx(value, present.trailing_zeros());
        while rest != 0 {
            sum = op(sum, self.shuffle_idx(value, rest.trailing_zeros()));
            rest &= rest - 1;
        }
        sum
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

/// The forms that name the lanes that take part.
///
/// # Safety
/// For each: the caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
/// A GPU does not check it; the emulator does.
impl Warp<'_> {
    /// [`sync`](Self::sync) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn sync_mask(self, mask: u32) {
        raw::warp_sync(mask);
    }

    /// [`shuffle_idx`](Self::shuffle_idx) among the lanes of `mask`; unspecified if lane `lane` is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn shuffle_idx_mask<T: Shuffle>(self, mask: u32, value: T, lane: u32) -> T {
        value.map_words(|word| raw::shuffle_idx(mask, word, lane, TO_LAST))
    }

    /// [`shuffle_up`](Self::shuffle_up) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn shuffle_up_mask<T: Shuffle>(self, mask: u32, value: T, delta: u32) -> T {
        value.map_words(|word| raw::shuffle_up(mask, word, delta, TO_FIRST))
    }

    /// [`shuffle_down`](Self::shuffle_down) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn shuffle_down_mask<T: Shuffle>(self, mask: u32, value: T, delta: u32) -> T {
        value.map_words(|word| raw::shuffle_down(mask, word, delta, TO_LAST))
    }

    /// [`shuffle_xor`](Self::shuffle_xor) among the lanes of `mask`; unspecified where the source is not in it.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn shuffle_xor_mask<T: Shuffle>(self, mask: u32, value: T, flip: u32) -> T {
        value.map_words(|word| raw::shuffle_bfly(mask, word, flip, TO_LAST))
    }

    /// [`ballot`](Self::ballot) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn ballot_mask(self, mask: u32, p: bool) -> u32 {
        raw::vote_ballot(mask, p)
    }

    /// [`any`](Self::any) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn any_mask(self, mask: u32, p: bool) -> bool {
        raw::vote_any(mask, p)
    }

    /// [`all`](Self::all) among the lanes of `mask`.
    ///
    /// # Safety
    /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
    #[inline(always)]
    pub unsafe fn all_mask(self, mask: u32, p: bool) -> bool {
        raw::vote_all(mask, p)
    }
}

/// What a shuffle moves: integers of 8 to 64 bits, `f32`, `f64`. 64 bits travel as two words, so they cost two shuffles.
pub trait Shuffle: crate::Plain + sealed::Sealed {
    #[doc(hidden)]
    #[must_use]
    fn map_words(self, exchange: impl Fn(u32) -> u32) -> Self;
}

/// What [`Warp::reduce_sum`], [`Warp::reduce_min`] and [`Warp::reduce_max`] combine.
pub trait Reduce: Shuffle {
    #[doc(hidden)]
    #[must_use]
    fn sum(self, other: Self) -> Self;
    #[doc(hidden)]
    #[must_use]
    fn least(self, other: Self) -> Self;
    #[doc(hidden)]
    #[must_use]
    fn greatest(self, other: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integer {
    ($($ty:ty, $words:ident;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Shuffle for $ty {
            #[inline(always)]
            fn map_words(self, exchange: impl Fn(u32) -> u32) -> Self {
                integer!(@$words self, exchange, $ty)
            }
        }
        impl Reduce for $ty {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
    (@one $value:expr, $exchange:ident, $ty:ty) => { $exchange($value as u32) as $ty };
    (@two $value:expr, $exchange:ident, $ty:ty) => {{
        let (low, high) = ($exchange($value as u32), $exchange(($value >> 32) as u32));
        (low as u64 | (high as u64) << 32) as $ty
    }};
}
integer! {
    u8, one; u16, one; u32, one; u64, two; usize, two;
    i8, one; i16, one; i32, one; i64, two; isize, two;
}

macro_rules! float {
    ($($ty:ty)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Shuffle for $ty {
            #[inline(always)]
            fn map_words(self, exchange: impl Fn(u32) -> u32) -> Self {
                <$ty>::from_bits(self.to_bits().map_words(exchange))
            }
        }
        impl Reduce for $ty {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}
float!(f32 f64);
