//! Matrices in device memory: how the elements of a buffer are arranged.

use std::fmt;
use std::marker::PhantomData;

use warploom::device_std::Plain;
use warploom::{DeviceBuffer, DeviceSlice, DeviceSliceMut};

use crate::Error;
use crate::kernels::warp_groups::operands::{AlongK, Grouped, Lies};

/// The largest extent of a matrix, and distance of its lines.
pub(crate) const MOST: usize = i32::MAX as usize;

mod sealed {
    pub trait Sealed {}
}

/// Which elements are neighbours in memory: [`RowMajor`] or [`ColumnMajor`].
pub trait Layout: sealed::Sealed + fmt::Debug + Copy + Send + Sync + 'static {
    /// Whether elements of a row are neighbours.
    #[doc(hidden)]
    const ROWS: bool;
    /// The layout of the same memory as the transposed matrix.
    #[doc(hidden)]
    type Transposed: Layout;
    /// The layout of the first operand when the result has this layout: of `A`, or of the transposed `B`.
    #[doc(hidden)]
    type First<A: Layout, B: Layout>: Layout;
    /// The layout of the second operand.
    #[doc(hidden)]
    type Second<A: Layout, B: Layout>: Layout;
    /// How a first operand of this layout lies for warp groups.
    #[doc(hidden)]
    type AsFirst<T: Grouped>: Lies<T>;
    /// How a second operand of this layout lies for warp groups.
    #[doc(hidden)]
    type AsSecond<T: Grouped>: Lies<T>;
}

/// The elements of a row are neighbours.
#[derive(Clone, Copy, Debug)]
pub struct RowMajor;
/// The elements of a column are neighbours, as in cuBLAS.
#[derive(Clone, Copy, Debug)]
pub struct ColumnMajor;

impl sealed::Sealed for RowMajor {}
impl sealed::Sealed for ColumnMajor {}

impl Layout for RowMajor {
    const ROWS: bool = true;
    type Transposed = ColumnMajor;
    type First<A: Layout, B: Layout> = A;
    type Second<A: Layout, B: Layout> = B;
    type AsFirst<T: Grouped> = AlongK;
    type AsSecond<T: Grouped> = T::Across;
}

// The kernels write rows: a result in columns is the transposed product, of transposed operands in reverse order.
impl Layout for ColumnMajor {
    const ROWS: bool = false;
    type Transposed = RowMajor;
    type First<A: Layout, B: Layout> = B::Transposed;
    type Second<A: Layout, B: Layout> = A::Transposed;
    type AsFirst<T: Grouped> = T::Across;
    type AsSecond<T: Grouped> = AlongK;
}

/// What a matrix to read can be made of: `&DeviceBuffer<T>`, [`DeviceSlice`] or a reference to one.
pub trait IntoElements<'a, T: Plain>: sealed::Sealed {
    /// The elements.
    #[doc(hidden)]
    fn elements(self) -> DeviceSlice<'a, T>;
}

impl<T: Plain> sealed::Sealed for &DeviceBuffer<T> {}
impl<'a, T: Plain> IntoElements<'a, T> for &'a DeviceBuffer<T> {
    fn elements(self) -> DeviceSlice<'a, T> {
        self.as_slice()
    }
}

impl<T: Plain> sealed::Sealed for DeviceSlice<'_, T> {}
impl<'a, T: Plain> IntoElements<'a, T> for DeviceSlice<'a, T> {
    fn elements(self) -> DeviceSlice<'a, T> {
        self
    }
}

impl<T: Plain> sealed::Sealed for &DeviceSlice<'_, T> {}
impl<'a, T: Plain> IntoElements<'a, T> for &DeviceSlice<'a, T> {
    fn elements(self) -> DeviceSlice<'a, T> {
        *self
    }
}

/// What a matrix to write can be made of: `&mut DeviceBuffer<T>`, [`DeviceSliceMut`] or `&mut` one.
pub trait IntoElementsMut<'a, T: Plain>: sealed::Sealed {
    /// The elements.
    #[doc(hidden)]
    fn elements_mut(self) -> DeviceSliceMut<'a, T>;
}

impl<T: Plain> sealed::Sealed for &mut DeviceBuffer<T> {}
impl<'a, T: Plain> IntoElementsMut<'a, T> for &'a mut DeviceBuffer<T> {
    fn elements_mut(self) -> DeviceSliceMut<'a, T> {
        self.as_slice_mut()
    }
}

impl<T: Plain> sealed::Sealed for DeviceSliceMut<'_, T> {}
impl<'a, T: Plain> IntoElementsMut<'a, T> for DeviceSliceMut<'a, T> {
    fn elements_mut(self) -> DeviceSliceMut<'a, T> {
        self
    }
}

impl<T: Plain> sealed::Sealed for &mut DeviceSliceMut<'_, T> {}
impl<'a, T: Plain> IntoElementsMut<'a, T> for &'a mut DeviceSliceMut<'_, T> {
    fn elements_mut(self) -> DeviceSliceMut<'a, T> {
        self.reborrow()
    }
}

/// Where the elements of one or several matrices are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrangement {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Elements from one line (row or column) to the next.
    pub(crate) leading: usize,
    pub(crate) batches: usize,
    /// Elements from one matrix to the next.
    pub(crate) stride: usize,
}

impl Arrangement {
    fn dense(rows: usize, columns: usize, leading: usize) -> Self {
        Arrangement {
            rows,
            columns,
            leading,
            batches: 1,
            stride: 0,
        }
    }

    /// Elements of a line, and lines.
    fn lines(&self, rows: bool) -> (usize, usize) {
        if rows {
            (self.columns, self.rows)
        } else {
            (self.rows, self.columns)
        }
    }

    /// Elements from the first to the last of a matrix.
    fn span(&self, rows: bool) -> Option<usize> {
        let (length, lines) = self.lines(rows);
        if length == 0 || lines == 0 {
            return Some(0);
        }
        (lines - 1).checked_mul(self.leading)?.checked_add(length)
    }

    /// That the matrices are within `len` elements.
    fn check(&self, what: &'static str, rows: bool, len: usize) -> Result<(), Error> {
        let (length, lines) = self.lines(rows);
        if lines > 1 && self.leading < length {
            return Err(Error::LinesOverlap {
                what,
                leading: self.leading,
                length,
            });
        }
        if lines > 1 && length > 0 && self.leading > MOST {
            return Err(Error::TooLarge {
                what: "the distance of the lines of a matrix",
                value: self.leading,
                most: MOST,
            });
        }
        let end = match (self.batches, self.span(rows)) {
            (0, _) | (_, Some(0)) => Some(0),
            (batches, Some(span)) => (batches - 1)
                .checked_mul(self.stride)
                .and_then(|last| last.checked_add(span)),
            (_, None) => None,
        };
        match end {
            Some(end) if end <= len => Ok(()),
            end => Err(Error::TooShort {
                what,
                len,
                rows: self.rows,
                columns: self.columns,
                leading: self.leading,
                batches: self.batches,
                needed: end.unwrap_or(usize::MAX),
            }),
        }
    }

    /// That no two matrices have an element in common.
    fn check_apart(&self, what: &'static str, rows: bool) -> Result<(), Error> {
        match self.span(rows) {
            Some(length) if self.batches > 1 && self.stride < length => {
                Err(Error::BatchesOverlap {
                    what,
                    stride: self.stride,
                    length,
                })
            }
            _ => Ok(()),
        }
    }
}

macro_rules! arranged {
    ($name:ident $trait:ident $elements:ident) => {
        impl<'a, T: Plain> $name<'a, T, RowMajor> {
            /// A matrix whose rows follow each other.
            pub fn row_major(elements: impl $trait<'a, T>, rows: usize, columns: usize) -> Self {
                Self {
                    elements: elements.$elements(),
                    arranged: Arrangement::dense(rows, columns, columns),
                    _layout: PhantomData,
                }
            }
        }

        impl<'a, T: Plain> $name<'a, T, ColumnMajor> {
            /// A matrix whose columns follow each other.
            pub fn column_major(elements: impl $trait<'a, T>, rows: usize, columns: usize) -> Self {
                Self {
                    elements: elements.$elements(),
                    arranged: Arrangement::dense(rows, columns, rows),
                    _layout: PhantomData,
                }
            }
        }

        impl<'a, T: Plain, L: Layout> $name<'a, T, L> {
            /// Lines begin every `elements` elements: rows of a row-major matrix, columns of a column-major one. cuBLAS: `lda`.
            pub fn leading(mut self, elements: usize) -> Self {
                self.arranged.leading = elements;
                self
            }

            /// `count` matrices, which begin every `stride` elements.
            pub fn batches(mut self, count: usize, stride: usize) -> Self {
                (self.arranged.batches, self.arranged.stride) = (count, stride);
                self
            }

            /// The transposed matrix, of the same memory.
            pub fn transposed(self) -> $name<'a, T, L::Transposed> {
                let Arrangement { rows, columns, .. } = self.arranged;
                $name {
                    elements: self.elements,
                    arranged: Arrangement {
                        rows: columns,
                        columns: rows,
                        ..self.arranged
                    },
                    _layout: PhantomData,
                }
            }

            /// Rows of each matrix.
            #[must_use]
            pub fn rows(&self) -> usize {
                self.arranged.rows
            }

            /// Columns of each matrix.
            #[must_use]
            pub fn columns(&self) -> usize {
                self.arranged.columns
            }

            pub(crate) fn check(&self, what: &'static str) -> Result<(), Error> {
                self.arranged.check(what, L::ROWS, self.elements.len())
            }
        }
    };
}

/// One or several matrices to read.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_linalg::Matrix;
/// # let device = Device::emulator();
/// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let rows = Matrix::row_major(&x, 2, 3); // 1 2 3, 4 5 6
/// let columns = Matrix::column_major(&x, 2, 2).leading(3); // 1 4, 2 5
/// assert_eq!((rows.transposed().rows(), columns.rows()), (3, 2));
/// # Ok::<(), warploom::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use = "a matrix is what a product is made of"]
pub struct Matrix<'a, T: Plain, L: Layout> {
    pub(crate) elements: DeviceSlice<'a, T>,
    pub(crate) arranged: Arrangement,
    _layout: PhantomData<L>,
}

/// One or several matrices to write. None of their elements is in two places.
#[must_use = "a matrix is what a product is written to"]
pub struct MatrixMut<'a, T: Plain, L: Layout> {
    pub(crate) elements: DeviceSliceMut<'a, T>,
    pub(crate) arranged: Arrangement,
    _layout: PhantomData<L>,
}

arranged!(Matrix IntoElements elements);
arranged!(MatrixMut IntoElementsMut elements_mut);

impl<T: Plain, L: Layout> MatrixMut<'_, T, L> {
    pub(crate) fn check_apart(&self, what: &'static str) -> Result<(), Error> {
        self.arranged.check_apart(what, L::ROWS)
    }
}
