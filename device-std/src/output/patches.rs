//! Matrices of which each thread has a rectangle: what a thread computes that keeps several results in registers.

use super::{DisjointSlice2D, Space, sealed};
use crate::{Index2D, Plain};
use core::marker::PhantomData;

/// Rows `y * ROWS .. (y + 1) * ROWS` of columns `x * COLUMNS .. (x + 1) * COLUMNS` belong to the thread `(x, y)` of a [`DisjointSlice2D`].
///
/// Patches that do not lie wholly in the matrix belong to no thread.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice2D, Index2D, Patches};
/// fn number(i: Index2D, mut m: DisjointSlice2D<u32, Patches<2, 3>>) {
///     if let Some(mut patch) = m.get_mut(i) {
///         patch.set([[1, 2, 3], [4, 5, 6]]);
///     }
/// }
/// # let mut m = vec![0u32; 6 * 4];
/// # let at = m.as_mut_ptr().expose_provenance();
/// # let shape = Shape { grid: [1, 1, 1], block: [4, 4, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     number(Index2D::from_launch(), DisjointSlice2D::from_launch(core::ptr::with_exposed_provenance_mut(at), 6, 4));
/// # })?;
/// # assert_eq!(m[..12], [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// A matrix by patches has no elements of single threads, which would be others:
/// ```compile_fail,E0308
/// use warploom_device_std::{DisjointSlice2D, Index2D, Patches};
/// fn kernel(i: Index2D, mut m: DisjointSlice2D<u32, Patches<2, 2>>) {
///     let element: Option<&mut u32> = m.get_mut(i);
/// }
/// ```
/// One patch at a time, and only while the matrix is borrowed:
/// ```compile_fail,E0499
/// use warploom_device_std::{DisjointSlice2D, Index2D, Patches};
/// fn kernel(i: Index2D, mut m: DisjointSlice2D<u32, Patches<2, 2>>) {
///     let (a, b) = (m.get_mut(i), m.get_mut(i));
///     drop((a, b));
/// }
/// ```
pub enum Patches<const ROWS: usize, const COLUMNS: usize> {}

impl<const ROWS: usize, const COLUMNS: usize> sealed::Sealed for Patches<ROWS, COLUMNS> {}
impl<const ROWS: usize, const COLUMNS: usize> Space for Patches<ROWS, COLUMNS> {}

/// The rectangle of one thread: `ROWS` rows of `COLUMNS` elements that are neighbours in memory.
///
/// ```
/// use warploom_device_std::output::Patch;
/// fn double(patch: &mut Patch<'_, f32, 4, 2>) {
///     for row in 0..4 {
///         patch.row_mut(row).iter_mut().for_each(|value| *value *= 2.0);
///     }
/// }
/// ```
pub struct Patch<'a, T, const ROWS: usize, const COLUMNS: usize> {
    start: *mut T,
    width: usize,
    _matrix: PhantomData<&'a mut [T]>,
}

impl<T: Plain, const ROWS: usize, const COLUMNS: usize>
    DisjointSlice2D<'_, T, Patches<ROWS, COLUMNS>>
{
    /// The patch in column `i.x()` and row `i.y()` of patches, or `None` where it would leave the matrix.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, i: Index2D<'_>) -> Option<Patch<'_, T, ROWS, COLUMNS>> {
        const {
            assert!(
                ROWS > 0 && COLUMNS > 0,
                "a patch has at least one row and one column"
            );
        }
        if i.x() >= self.width / COLUMNS || i.y() >= self.height / ROWS {
            return None;
        }
        // SAFETY: the patch lies within the matrix, so its first element does.
        let start = unsafe { self.start.add(i.y() * ROWS * self.width + i.x() * COLUMNS) };
        Some(Patch {
            start,
            width: self.width,
            _matrix: PhantomData,
        })
    }
}

impl<T: Plain, const ROWS: usize, const COLUMNS: usize> Patch<'_, T, ROWS, COLUMNS> {
    /// Row `row` of the patch.
    ///
    /// # Panics
    /// When `row` is not below `ROWS`, as an index out of bounds.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn row_mut(&mut self, row: usize) -> &mut [T; COLUMNS] {
        let () = [(); ROWS][row];
        // SAFETY: `row` was checked just now, and the patch lies within the matrix (see `get_mut`).
        let start = unsafe { self.start.add(row * self.width) };
        // SAFETY: patches of two threads have no element in common: one index pair has one thread, and rows or columns of two patches
        // differ. `self` stays borrowed.
        unsafe { &mut *start.cast::<[T; COLUMNS]>() }
    }

    /// Writes all elements, row by row.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "an iterator over the array by value would keep it in memory"
    )]
    pub fn set(&mut self, values: [[T; COLUMNS]; ROWS]) {
        for row in 0..ROWS {
            *self.row_mut(row) = values[row];
        }
    }
}
