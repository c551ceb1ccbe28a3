//! Matrices of which each warp has a rectangle: what tensor cores compute.

use super::{DisjointSlice2D, Space, sealed};
use crate::warp::WarpPatch;
use crate::warp::number_in_launch;
use crate::{Plain, Warp, block_dim, grid_dim};
use core::marker::PhantomData;

/// Rectangles of `ROWS` rows and `COLUMNS` columns of a [`DisjointSlice2D`] belong to the warps of the launch in turn: row by row of rectangles, warp `w` has
/// number `w`, then number `w` plus the warps of the launch, and so on.
///
/// Warps are numbered as in [`PerWarp`](super::PerWarp). Rectangles that do not lie wholly in the matrix belong to no warp.
/// Fragments are stored into them: [`wmma`](crate::wmma).
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
/// use warploom_device_std::{DisjointSlice2D, Warp, WarpPatches};
/// fn number(warp: Warp, mut m: DisjointSlice2D<f32, WarpPatches<16, 16>>) {
///     if let Some(mut patch) = m.get_mut(warp) {
///         let number = patch.row() * 10 + patch.column();
///         Fragment::<Accumulator, M16N16K16, f32>::filled(number as f32).store(warp, &mut patch, (0, 0), RowMajor);
///     }
/// }
/// # #[repr(align(32))]
/// # struct Matrix([f32; 48 * 32]);
/// # let mut m = Matrix([0.0; 48 * 32]);
/// # let at = m.0.as_mut_ptr().expose_provenance();
/// # run(Shape::new([3, 1, 1], [64, 1, 1]), &|| unsafe {
/// #     number(Warp::from_launch(), DisjointSlice2D::from_launch(core::ptr::with_exposed_provenance_mut(at), 48, 32));
/// # })?;
/// # assert_eq!((m.0[0], m.0[47], m.0[48 * 31 + 17]), (0.0, 32.0, 176.0));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// They have no elements of single threads, which would be others:
/// ```compile_fail,E0308
/// use warploom_device_std::{DisjointSlice2D, Index2D, WarpPatches};
/// fn kernel(i: Index2D, mut m: DisjointSlice2D<f32, WarpPatches<16, 16>>) {
///     m.get_mut(i);
/// }
/// ```
/// One patch at a time, and only while the matrix is borrowed:
/// ```compile_fail,E0499
/// use warploom_device_std::{DisjointSlice2D, Warp, WarpPatches};
/// fn kernel(warp: Warp, mut m: DisjointSlice2D<f32, WarpPatches<16, 16>>) {
///     let (a, b) = (m.get_mut(warp), m.get_mut(warp));
///     drop((a, b));
/// }
/// ```
pub enum WarpPatches<const ROWS: usize, const COLUMNS: usize> {}

impl<const ROWS: usize, const COLUMNS: usize> sealed::Sealed for WarpPatches<ROWS, COLUMNS> {}
impl<const ROWS: usize, const COLUMNS: usize> Space for WarpPatches<ROWS, COLUMNS> {}

impl<T: Plain, const ROWS: usize, const COLUMNS: usize>
    DisjointSlice2D<'_, T, WarpPatches<ROWS, COLUMNS>>
{
    /// The first patch of the warp, or `None` if there are not so many.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, warp: Warp<'_>) -> Option<WarpPatch<'_, T, ROWS, COLUMNS>> {
        self.iter_mut(warp).next()
    }

    /// All patches of the warp, from low to high.
    #[inline(always)]
    pub fn iter_mut(&mut self, _warp: Warp<'_>) -> WarpPatchIter<'_, T, ROWS, COLUMNS> {
        const {
            assert!(
                ROWS > 0 && COLUMNS > 0,
                "a patch has at least one row and one column"
            );
        }
        let across = self.width / COLUMNS;
        WarpPatchIter {
            start: self.start,
            width: self.width,
            across,
            count: across * (self.height / ROWS),
            next: number_in_launch(),
            _matrix: PhantomData,
        }
    }
}

/// The patches of one warp in a matrix by [`WarpPatches`]; see [`DisjointSlice2D::iter_mut`].
///
/// ```
/// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
/// use warploom_device_std::{DisjointSlice2D, Warp, WarpPatches};
/// fn clear(warp: Warp, mut m: DisjointSlice2D<f32, WarpPatches<16, 16>>) {
///     for mut patch in m.iter_mut(warp) {
///         Fragment::<Accumulator, M16N16K16, f32>::filled(0.0).store(warp, &mut patch, (0, 0), RowMajor);
///     }
/// }
/// ```
pub struct WarpPatchIter<'a, T, const ROWS: usize, const COLUMNS: usize> {
    start: *mut T,
    width: usize,
    across: usize,
    count: usize,
    next: usize,
    _matrix: PhantomData<&'a mut [T]>,
}

impl<'a, T: Plain, const ROWS: usize, const COLUMNS: usize> Iterator
    for WarpPatchIter<'a, T, ROWS, COLUMNS>
{
    type Item = WarpPatch<'a, T, ROWS, COLUMNS>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next;
        if at >= self.count {
            return None;
        }
        let warps = u64::from(block_dim().count().div_ceil(u64::from(Warp::LANES)) as u32)
            * grid_dim().count();
        self.next = at.saturating_add(warps as usize);
        let (row, column) = (at / self.across, at % self.across);
        // SAFETY: the patch lies within the matrix, so its first element does.
        let start = unsafe { self.start.add(row * ROWS * self.width + column * COLUMNS) };
        // SAFETY: patches of two numbers have no element in common, and a number is congruent to that of one warp modulo the number of warps; it never
        // comes twice, and the matrix stays borrowed.
        Some(unsafe { WarpPatch::new(start, self.width, (row, column)) })
    }
}
