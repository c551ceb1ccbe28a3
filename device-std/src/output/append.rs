//! Outputs to which threads append: how many elements there will be is known when the kernel is over.

use crate::atomic::{Atomic, Relaxed};
use crate::scope::{Brand, Tied};
use crate::warp::shuffle::exchange;
use crate::{Plain, intrinsics as raw};

/// Memory in a device to which every thread may append elements; the host gives an `AppendBuffer<T>`.
///
/// For kernels that keep some of what they see: compaction, the next frontier of a graph search, the pairs of a join. Each element has a place
/// of its own, in no particular order; those that the lanes of a warp append together lie side by side, in the order of the lanes. When the kernel
/// is over, the host asks the buffer how many there are. Elements that find no place are left out and counted, so that the host gets
/// an error with the capacity that was needed. A kernel cannot read what is appended; the next one can.
/// CUDA: `y[atomicAdd(&count, 1)] = value`, with one `atomicAdd` for the lanes that are there, as with `cg::coalesced_threads`. Compute
/// capability: 7.5.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{AppendSlice, Index1D};
/// fn even(i: Index1D, x: &[u32], mut kept: AppendSlice<u32>) {
///     if let Some(x) = x.get(i.get())
///         && x % 2 == 0
///     {
///         kept.push(*x);
///     }
/// }
/// # let (x, mut kept) = (Vec::from_iter(0..100u32), vec![0u32; 2 + 60]);
/// # let (at, n) = (kept.as_mut_ptr().expose_provenance(), kept.len());
/// # run(Shape::new([4, 1, 1], [32, 1, 1]), &|| unsafe {
/// #     even(Index1D::from_launch(), &x, AppendSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!(kept[..2], [50, 0]);
/// # kept[2..52].sort_unstable();
/// # assert!((0..50).all(|at| kept[2 + at] == 2 * at as u32));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// What is appended cannot be read, for other threads are writing it:
/// ```compile_fail,E0608
/// fn kernel(kept: warploom_device_std::AppendSlice<u32>) -> u32 { kept[0] }
/// ```
/// Two copies would do no harm, but there are none:
/// ```compile_fail,E0599
/// fn kernel(kept: warploom_device_std::AppendSlice<u32>) { let copy = kept.clone(); }
/// ```
pub struct AppendSlice<'k, T: Plain> {
    /// The count, and behind [`HEADER`](Self::HEADER) the elements.
    start: *mut T,
    /// As many as there is room for.
    capacity: usize,
    _brand: Brand<'k>,
}

impl<'k, T: Plain> Tied<'k> for AppendSlice<'k, T> {}

/// So many elements of `T` stand where the count is, before the elements.
///
/// # Panics
/// When it is evaluated for a type without bytes.
#[doc(hidden)]
#[must_use]
pub const fn header<T>() -> usize {
    assert!(
        size_of::<T>() > 0,
        "elements without bytes have no places to be appended to"
    );
    size_of::<u64>().div_ceil(size_of::<T>())
}

impl<T: Plain> AppendSlice<'_, T> {
    const HEADER: usize = header::<T>();

    /// How many elements there is room for, those included that earlier kernels appended.
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Appends `value`; its place, or `None` if there is no room left.
    ///
    /// Lanes that run together here share one atomic addition. Lanes may call it as often as they like, in any branch.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn push(&mut self, value: T) -> Option<usize> {
        // SAFETY: aligned (see `from_launch`), valid during the launch, whose threads access it here alone.
        let count: &Atomic<u64> = unsafe { Atomic::from_ptr(self.start.cast()) };
        let lanes = raw::active_mask();
        let before = lanes & raw::lanemask_lt();
        let first = match before {
            0 => count.fetch_add(u64::from(lanes.count_ones()), Relaxed),
            _ => 0,
        };
        // SAFETY: this lane is one of them. Said because counting the zeros of 0 is a case of its own.
        unsafe { core::hint::assert_unchecked(lanes != 0) };
        let lowest = lanes.trailing_zeros();
        // SAFETY: the lanes that run together here, this one among them; all come to this call, for nothing between can end one.
        let first =
            unsafe { exchange!(u64, first, |word| raw::shuffle_idx(lanes, word, lowest, 31)) };
        let place = first + u64::from(before.count_ones());
        if place >= self.capacity as u64 {
            return None;
        }
        // SAFETY: behind the count, and below the capacity.
        let element = unsafe { self.start.add(Self::HEADER + place as usize) };
        // SAFETY: the count never repeats a value, so no other thread of this launch has the place, and no thread reads it.
        unsafe { element.write(value) };
        Some(place as usize)
    }

    /// # Safety
    /// As [`DisjointSlice::from_launch`](super::DisjointSlice::from_launch); and `start` is a multiple of 8, and the first
    /// [`header`] elements hold a `u64` that only grew since the last of the elements behind them could be accessed otherwise.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch(start: *mut T, len: usize) -> Self {
        AppendSlice {
            start,
            capacity: len.saturating_sub(Self::HEADER),
            _brand: Brand::new(),
        }
    }
}
