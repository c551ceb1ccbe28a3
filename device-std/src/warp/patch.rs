//! Memory that belongs to one warp, into which it stores fragments.

use crate::Plain;
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// Rows of elements that are one warp's own: a part of an output, or of shared memory.
pub trait WarpMemory<T>: sealed::Sealed {
    /// Where they are.
    #[doc(hidden)]
    fn place(&self) -> Place<T>;
}

/// Where rows of a warp are.
#[doc(hidden)]
pub struct Place<T> {
    /// The first element.
    pub(crate) start: *mut T,
    /// Rows, and elements of a row.
    pub(crate) size: [usize; 2],
    /// Elements from row to row.
    pub(crate) stride: usize,
}

/// The rectangle of one warp: `ROWS` rows of `COLUMNS` elements that are neighbours in memory.
///
/// Lanes have no elements of their own in it: fragments are stored into it and loaded from it.
///
/// ```
/// use warploom_device_std::Warp;
/// use warploom_device_std::warp::WarpPatch;
/// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
/// fn double(warp: Warp, patch: &mut WarpPatch<'_, f32, 16, 32>) {
///     for column in [0, 16] {
///         let part = Fragment::<Accumulator, M16N16K16, f32>::load_own(warp, patch, (0, column), RowMajor);
///         part.map(|x| 2.0 * x).store(warp, patch, (0, column), RowMajor);
///     }
/// }
/// ```
pub struct WarpPatch<'a, T, const ROWS: usize, const COLUMNS: usize> {
    start: *mut T,
    stride: usize,
    number: (usize, usize),
    _memory: PhantomData<&'a mut [T]>,
}

impl<T: Plain, const ROWS: usize, const COLUMNS: usize> WarpPatch<'_, T, ROWS, COLUMNS> {
    /// # Safety
    /// `ROWS` rows of `COLUMNS` elements, `stride` apart, are in memory as long as `'a`, and no other warp accesses them.
    #[inline(always)]
    pub(crate) unsafe fn new(start: *mut T, stride: usize, number: (usize, usize)) -> Self {
        const {
            assert!(
                ROWS > 0 && COLUMNS > 0,
                "a patch has at least one row and one column"
            );
        }
        WarpPatch {
            start,
            stride,
            number,
            _memory: PhantomData,
        }
    }

    /// The first row of the matrix that is in the patch. 0 in shared memory.
    #[inline(always)]
    #[must_use]
    pub fn row(&self) -> usize {
        self.number.0 * ROWS
    }

    /// The first column of the matrix that is in the patch. 0 in shared memory.
    #[inline(always)]
    #[must_use]
    pub fn column(&self) -> usize {
        self.number.1 * COLUMNS
    }
}

impl<T, const ROWS: usize, const COLUMNS: usize> sealed::Sealed
    for WarpPatch<'_, T, ROWS, COLUMNS>
{
}

impl<T: Plain, const ROWS: usize, const COLUMNS: usize> WarpMemory<T>
    for WarpPatch<'_, T, ROWS, COLUMNS>
{
    #[inline(always)]
    fn place(&self) -> Place<T> {
        Place {
            start: self.start,
            size: [ROWS, COLUMNS],
            stride: self.stride,
        }
    }
}
