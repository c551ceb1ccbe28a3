//! Slices that kernels write: each hands a thread its own elements, and only those.
//!
//! Every thread of a launch holds the same slice, so `&mut [T]` would be a lie. A [`DisjointSlice`] gives out `&mut T` against a
//! witness, and its [`Space`] says which element a witness stands for. The space is part of the parameter's type: no kernel can use
//! two spaces on one parameter, and none takes a stride or a width per call. So two threads never get one element.

mod append; // elements whose number the kernel finds out
mod brackets; // `y[i]` and its error
mod patches; // rectangles of a matrix, one for each thread
mod warp_patches; // rectangles of a matrix for each warp
mod windows; // parts of one block each, with a halo

pub use append::AppendSlice;
#[doc(hidden)]
pub use append::header;
pub use patches::{Patch, Patches};
pub use warp_patches::{WarpPatchIter, WarpPatches};
pub use windows::{WindowIter, Windows, Windows2D};

use crate::scope::{Brand, Tied};
use crate::{BlockLeader, Index1D, Index2D, Plain, WarpLeader};
use core::marker::PhantomData;

/// How the elements of a [`DisjointSlice`] are dealt out: [`Linear`], [`PerBlock`], [`PerWarp`], [`GridStride`], [`Chunks`] or [`Windows`]; of a
/// [`DisjointSlice2D`]: [`Linear`], [`Patches`], [`WarpPatches`] or [`Windows2D`].
///
/// ```compile_fail,E0277
/// struct Mine; // a space of one's own could give two threads one element
/// impl warploom_device_std::output::Space for Mine {}
/// ```
pub trait Space: sealed::Sealed {
    /// How many elements a block writes along x and y, so that a launch can be checked to cover the output; 0 where it is not.
    #[doc(hidden)]
    const CORE: [usize; 2] = [0, 0];
}

mod sealed {
    pub trait Sealed {}
}

/// Element `i` belongs to the thread with index `i`; in a matrix, element `(x, y)` to the thread `(x, y)`.
///
/// ```
/// use warploom_device_std::{DisjointSlice, Index1D, Linear};
/// fn double(i: Index1D, mut y: DisjointSlice<f32, Linear>) {
///     if let Some(y) = y.get_mut(i) {
///         *y *= 2.0;
///     }
/// }
/// ```
pub enum Linear {}
/// Element `b` belongs to thread 0 of block `b`.
///
/// ```
/// use warploom_device_std::{Block, DisjointSlice, PerBlock};
/// fn sizes(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
///     if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
///         *y = block.threads() as u32;
///     }
/// }
/// ```
pub enum PerBlock {}
/// Element `w` belongs to lane 0 of warp `w` of the launch: the warps of block 0 first, then those of block 1, each block with a last warp
/// that may have fewer threads.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice, Index1D, PerWarp, Warp};
/// fn sums(i: Index1D, warp: Warp, x: &[u32], mut y: DisjointSlice<u32, PerWarp>) {
///     let sum = warp.reduce_sum(x.get(i.get()).copied().unwrap_or(0));
///     if let Some(y) = warp.leader().and_then(|leader| y.get_mut(leader)) {
///         *y = sum;
///     }
/// }
/// # let (x, mut y) = ([1u32; 192], [0u32; 6]);
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # run(Shape::new([2, 1, 1], [96, 1, 1]), &|| unsafe {
/// #     let y = DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n);
/// #     sums(Index1D::from_launch(), Warp::from_launch(), &x, y);
/// # })?;
/// # assert_eq!(y, [32; 6]);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub enum PerWarp {}
/// Elements `i`, `i + threads`, `i + 2 * threads` … belong to the thread with index `i`.
///
/// ```
/// use warploom_device_std::{DisjointSlice, GridStride, Index1D};
/// fn double(i: Index1D, mut y: DisjointSlice<f32, GridStride>) {
///     y.iter_mut(i).for_each(|(_, y)| *y *= 2.0);
/// }
/// ```
pub enum GridStride {}
/// Elements `i * N .. (i + 1) * N` belong to the thread with index `i`. A shorter rest at the end belongs to no thread.
///
/// ```
/// use warploom_device_std::{Chunks, DisjointSlice, Index1D};
/// fn pairs(i: Index1D, mut y: DisjointSlice<f32, Chunks<2>>) {
///     if let Some(y) = y.get_mut(i) {
///         *y = [1.0, 2.0];
///     }
/// }
/// ```
pub enum Chunks<const N: usize> {}

impl sealed::Sealed for Linear {}
impl sealed::Sealed for PerBlock {}
impl sealed::Sealed for PerWarp {}
impl sealed::Sealed for GridStride {}
impl<const N: usize> sealed::Sealed for Chunks<N> {}
impl Space for Linear {}
impl Space for PerBlock {}
impl Space for PerWarp {}
impl Space for GridStride {}
impl<const N: usize> Space for Chunks<N> {}

/// A slice in device memory of which each thread may change its own elements.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice, GridStride, Index1D};
/// fn fill(i: Index1D, mut y: DisjointSlice<u32, GridStride>) {
///     for (at, y) in y.iter_mut(i) {
///         *y = at as u32;
///     }
/// }
/// # let mut y = vec![0u32; 1000];
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [2, 1, 1], block: [33, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     fill(Index1D::from_launch(), DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert!(y.iter().enumerate().all(|(at, y)| *y == at as u32));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// One space per parameter:
/// ```compile_fail,E0599
/// use warploom_device_std::{Block, DisjointSlice, Index1D};
/// fn kernel(i: Index1D, block: Block, mut y: DisjointSlice<u32>) {
///     y.get_mut(i);
///     for (_, y) in y.iter_mut(i) { *y = 1 } // the elements of other threads as well
/// }
/// ```
/// ```compile_fail,E0308
/// use warploom_device_std::{Block, DisjointSlice, Index1D, PerBlock};
/// fn kernel(i: Index1D, mut y: DisjointSlice<u32, PerBlock>) {
///     y.get_mut(i);
/// }
/// ```
/// One element at a time, and only while the slice is borrowed:
/// ```compile_fail,E0499
/// use warploom_device_std::{DisjointSlice, Index1D};
/// fn kernel(i: Index1D, mut y: DisjointSlice<u32>) {
///     let (a, b) = (y.get_mut(i), y.get_mut(i));
///     drop((a, b));
/// }
/// ```
pub struct DisjointSlice<'k, T: Plain, S: Space = Linear> {
    start: *mut T,
    len: usize,
    _space: PhantomData<S>,
    _brand: Brand<'k>,
}

impl<'k, T: Plain, S: Space> Tied<'k> for DisjointSlice<'k, T, S> {}

impl<T: Plain, S: Space> DisjointSlice<'_, T, S> {
    /// The number of elements.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first element, for code that takes disjointness into its own hands.
    ///
    /// Writing through it is `unsafe` and promises: within [`len`](Self::len), and no two threads access one element at the same time
    /// unless both read or both use atomics.
    #[inline(always)]
    #[must_use]
    pub fn raw(&mut self) -> *mut T {
        self.start
    }

    /// # Safety
    /// `start` points to `len` elements, valid for reads and writes until the launch ends. Every thread of the launch gets the same
    /// `start` and `len`, once, and nothing else accesses the elements during the launch.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch(start: *mut T, len: usize) -> Self {
        DisjointSlice {
            start,
            len,
            _space: PhantomData,
            _brand: Brand::new(),
        }
    }
}

impl<T: Plain> DisjointSlice<'_, T, Linear> {
    /// The element of the thread `i`, or `None` behind the end.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, i: Index1D<'_>) -> Option<&mut T> {
        if i.get() >= self.len {
            return None;
        }
        // SAFETY: within the slice.
        let element = unsafe { self.start.add(i.get()) };
        // SAFETY: `i` is this thread's alone, and `self` stays borrowed, so no other reference to this element exists.
        Some(unsafe { &mut *element })
    }
}

impl<T: Plain> DisjointSlice<'_, T, PerBlock> {
    /// The element of the block whose leader this thread is, or `None` behind the end.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, leader: BlockLeader<'_>) -> Option<&mut T> {
        if leader.block() >= self.len {
            return None;
        }
        // SAFETY: within the slice.
        let element = unsafe { self.start.add(leader.block()) };
        // SAFETY: one thread per block holds `leader`, and `self` stays borrowed, so no other reference to this element exists.
        Some(unsafe { &mut *element })
    }
}

impl<T: Plain> DisjointSlice<'_, T, PerWarp> {
    /// The element of the warp whose leader this thread is, or `None` behind the end.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, leader: WarpLeader<'_>) -> Option<&mut T> {
        if leader.warp() >= self.len {
            return None;
        }
        // SAFETY: within the slice.
        let element = unsafe { self.start.add(leader.warp()) };
        // SAFETY: one thread per warp holds `leader`, and `self` stays borrowed, so no other reference to this element exists.
        Some(unsafe { &mut *element })
    }
}

impl<T: Plain> DisjointSlice<'_, T, GridStride> {
    /// The elements of the thread `i`, each with its place in the slice, from low to high.
    #[inline(always)]
    pub fn iter_mut(&mut self, i: Index1D<'_>) -> GridStrideIter<'_, T> {
        GridStrideIter {
            start: self.start,
            next: i.get(),
            stride: i.count(),
            len: self.len,
            _slice: PhantomData,
        }
    }
}

impl<T: Plain, const N: usize> DisjointSlice<'_, T, Chunks<N>> {
    /// The `N` elements of the thread `i`, or `None` where fewer than `N` are left.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, i: Index1D<'_>) -> Option<&mut [T; N]> {
        const { assert!(N > 0, "a chunk has at least one element") };
        if i.get() >= self.len / N {
            return None;
        }
        // SAFETY: `i < len / N`, so the chunk lies within the slice.
        let chunk = unsafe { self.start.add(i.get() * N) };
        // SAFETY: chunks of two threads do not overlap, and `self` stays borrowed.
        Some(unsafe { &mut *chunk.cast::<[T; N]>() })
    }
}

/// The elements of one thread in a slice by [`GridStride`]; see [`DisjointSlice::iter_mut`].
///
/// ```
/// use warploom_device_std::{DisjointSlice, GridStride, Index1D};
/// fn last(i: Index1D, mut y: DisjointSlice<f32, GridStride>) {
///     if let Some((_, y)) = y.iter_mut(i).last() {
///         *y = 1.0;
///     }
/// }
/// ```
pub struct GridStrideIter<'a, T> {
    start: *mut T,
    next: usize,
    stride: usize,
    len: usize,
    _slice: PhantomData<&'a mut [T]>,
}

impl<'a, T: Plain> Iterator for GridStrideIter<'a, T> {
    type Item = (usize, &'a mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next;
        if at >= self.len {
            return None;
        }
        self.next = if size_of::<T>() == 0 {
            at.saturating_add(self.stride)
        } else {
            // SAFETY: `at` is below a number of elements that are in memory, so below 2^63; a launch has fewer than 2^42 threads.
            unsafe { at.unchecked_add(self.stride) }
        };
        // SAFETY: within the slice.
        let element = unsafe { self.start.add(at) };
        // SAFETY: `at` is congruent to this thread's index modulo the number of threads and never comes twice.
        Some((at, unsafe { &mut *element }))
    }
}

/// A matrix in device memory, row by row, of which each thread may change its own element, or its own of the [`Patches`].
///
/// Element `(x, y)` is number `y * width + x`. The width belongs to the launch, not to the call.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice2D, Index2D};
/// fn products(i: Index2D, mut m: DisjointSlice2D<u32>) {
///     if let Some(m) = m.get_mut(i) {
///         *m = (i.x() * i.y()) as u32;
///     }
/// }
/// # let mut m = vec![0u32; 7 * 5];
/// # let at = m.as_mut_ptr().expose_provenance();
/// # let shape = Shape { grid: [2, 2, 1], block: [4, 3, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     products(Index2D::from_launch(), DisjointSlice2D::from_launch(core::ptr::with_exposed_provenance_mut(at), 7, 5));
/// # })?;
/// # assert_eq!(m[3 * 7 + 6], 18);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub struct DisjointSlice2D<'k, T: Plain, S: Space = Linear> {
    start: *mut T,
    width: usize,
    height: usize,
    _space: PhantomData<S>,
    _brand: Brand<'k>,
}

impl<'k, T: Plain, S: Space> Tied<'k> for DisjointSlice2D<'k, T, S> {}

impl<T: Plain> DisjointSlice2D<'_, T, Linear> {
    /// The element in column `i.x()` of row `i.y()`, or `None` outside.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, i: Index2D<'_>) -> Option<&mut T> {
        if i.x() >= self.width || i.y() >= self.height {
            return None;
        }
        // SAFETY: a row of the matrix, which is in memory, so the offsets of its elements do not overflow.
        let row = unsafe { i.y().unchecked_mul(self.width) };
        // SAFETY: as above, for an element.
        let at = unsafe { row.unchecked_add(i.x()) };
        // SAFETY: column and row lie within the matrix.
        let element = unsafe { self.start.add(at) };
        // SAFETY: two index pairs name two elements; `i` is this thread's alone, and `self` stays borrowed.
        Some(unsafe { &mut *element })
    }
}

impl<T: Plain, S: Space> DisjointSlice2D<'_, T, S> {
    /// The number of columns.
    #[inline(always)]
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[inline(always)]
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The first element; what writing through it promises is said at [`DisjointSlice::raw`].
    #[inline(always)]
    #[must_use]
    pub fn raw(&mut self) -> *mut T {
        self.start
    }

    /// # Safety
    /// As [`DisjointSlice::from_launch`], for `width * height` elements; width and height are the same in every thread.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch(start: *mut T, width: usize, height: usize) -> Self {
        DisjointSlice2D {
            start,
            width,
            height,
            _space: PhantomData,
            _brand: Brand::new(),
        }
    }
}
