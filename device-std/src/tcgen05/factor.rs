//! A in tensor memory.

use super::memory::{ColumnRange, address, meet};
use super::moves::{Moves, Repeated, Shape32x32b, store};
use crate::Block;
use crate::wgmma::{Input, WarpGroup};
use core::marker::PhantomData;

/// A matrix A of 128 rows in `COLUMNS` columns of tensor memory: [`K`](Self::K) elements of a row. Elements of 16 bits share cells, two in each, those of 8 bits four.
///
/// ```compile_fail,E0502
/// use warploom_device_std::{Bf16, Block, tcgen05::FactorInMemory, wgmma::WarpGroup};
/// fn kernel(block: Block, group: WarpGroup, mut a: FactorInMemory<'_, Bf16, 32>) {
///     let view = a.publish(block);
///     a.store::<32>(group, 0, |_, _| Bf16::ZERO); // not as long as products may read it
///     let rows = view.rows(0);
/// }
/// ```
pub struct FactorInMemory<'m, T: Input, const COLUMNS: usize> {
    address: u32,
    _of: PhantomData<(&'m mut (), T)>,
}

/// A [`FactorInMemory`] that no thread writes, for products to read.
pub struct FactorView<'v, T: Input, const COLUMNS: usize> {
    address: u32,
    _of: PhantomData<(&'v (), T)>,
}

impl<T: Input, const COLUMNS: usize> Clone for FactorView<'_, T, COLUMNS> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Input, const COLUMNS: usize> Copy for FactorView<'_, T, COLUMNS> {}

/// 128 rows of as many elements as an instruction multiplies, in tensor memory.
pub struct RowsInMemory<'v, T: Input> {
    pub(super) address: u32,
    _of: PhantomData<(&'v (), T)>,
}

impl<T: Input> Clone for RowsInMemory<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Input> Copy for RowsInMemory<'_, T> {}

impl<'m, const COLUMNS: usize> ColumnRange<'m, COLUMNS> {
    /// A matrix A in these columns, with unspecified values.
    #[inline(always)]
    #[must_use]
    pub fn factor<T: Input>(self) -> FactorInMemory<'m, T, COLUMNS> {
        FactorInMemory {
            address: self.address,
            _of: PhantomData,
        }
    }
}

impl<T: Input, const COLUMNS: usize> FactorInMemory<'_, T, COLUMNS> {
    /// Elements of a row.
    pub const K: usize = COLUMNS * Self::IN_CELL;
    /// Elements of a cell.
    const IN_CELL: usize = 4 / size_of::<T>();

    /// Stores elements `of(row, k)` of the thread's row, `TIMES` cells of them from element `k` on, and waits until they are there. PTX: `tcgen05.st.32x32b`,
    /// `tcgen05.wait::st`. Compute capability: 10.0a.
    ///
    /// # Panics
    /// When `k` is not the first element of a cell, or the row ends before the last.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn store<const TIMES: usize>(
        &mut self,
        group: WarpGroup<'_>,
        k: usize,
        mut of: impl FnMut(usize, usize) -> T,
    ) where
        Repeated<Shape32x32b, TIMES>: Moves,
    {
        let column = k / Self::IN_CELL;
        assert!(
            k.is_multiple_of(Self::IN_CELL),
            "elements of tensor memory are stored from the first of a cell on"
        );
        assert!(
            column <= COLUMNS && TIMES <= COLUMNS - column,
            "a move of tensor memory reaches beyond the columns of the matrix"
        );
        let row = group.thread() / 32 * 32;
        let at = address(self.address, row, column);
        let cell = |row: usize, column: usize| {
            let mut bits = 0;
            let mut one = |within: usize| {
                if within < Self::IN_CELL {
                    let element = of(row, column * Self::IN_CELL + within).into_bits() as u32;
                    bits |= element << (within * 8 * size_of::<T>());
                }
            };
            one(0);
            one(1);
            one(2);
            one(3);
            bits
        };
        // SAFETY: the cells belong to the matrix, which is borrowed alone; the rows are the warp's.
        unsafe { store::<Shape32x32b, TIMES>(at, (row, column), cell) };
    }

    /// The matrix, for products to read, when all threads of the block have come here.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn publish(&self, block: Block<'_>) -> FactorView<'_, T, COLUMNS> {
        meet(block);
        FactorView {
            address: self.address,
            _of: PhantomData,
        }
    }
}

impl<'v, T: Input, const COLUMNS: usize> FactorView<'v, T, COLUMNS> {
    /// Elements `k` and following of each row, as many as an instruction multiplies.
    ///
    /// # Panics
    /// When `k` is no multiple of [`T::K`](Input::K), or the rows end before the last element.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn rows(self, k: usize) -> RowsInMemory<'v, T> {
        assert!(
            k.is_multiple_of(T::K),
            "rows of tensor memory begin at a multiple of 32 bytes"
        );
        assert!(
            k < FactorInMemory::<'v, T, COLUMNS>::K
                && T::K <= FactorInMemory::<'v, T, COLUMNS>::K - k,
            "rows of tensor memory reach beyond the end of the matrix"
        );
        RowsInMemory {
            address: address(
                self.address,
                0,
                k / FactorInMemory::<'v, T, COLUMNS>::IN_CELL,
            ),
            _of: PhantomData,
        }
    }
}
