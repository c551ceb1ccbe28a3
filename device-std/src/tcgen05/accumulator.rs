//! The matrix D, in columns of tensor memory.

use super::batch::Batch;
use super::memory::{ColumnRange, address, meet};
use super::moves::{Loading, Moves, Repeated, Shape, store};
use crate::wgmma::{Columns, HoldsSums, Sum, WarpGroup};
use crate::{Block, Mbarrier, intrinsics as raw};
use core::marker::PhantomData;

/// A matrix of `M` rows and `N` columns of `D` in tensor memory, to which nothing is being added. Each thread of the block has one, of the same matrix.
///
/// `M` is 64 or 128. `N` is a multiple of 8 (of 16 where `M` is 128), at most 256; for `i32` also one of 16 or at most 32. A column of the matrix has a column of tensor
/// memory, whatever `D` is. Warp `w` of a group has rows `32 w` and following of 128, `16 w` and following of 64, and accesses those alone. Not `Copy`: who
/// adds to it cannot read it meanwhile.
///
/// ```compile_fail,E0382
/// use warploom_device_std::Block;
/// use warploom_device_std::tcgen05::{Accumulator, Shape32x32b};
/// use warploom_device_std::wgmma::WarpGroup;
/// fn kernel(block: Block, group: WarpGroup, sums: Accumulator<'_, 128, 64, f32>) {
///     let batch = sums.begin(block);
///     let first = sums.load::<Shape32x32b, 8>(group, 0, 0); // not while products may be added to it
/// }
/// ```
/// It is refused as long as a load of it is under way:
/// ```compile_fail,E0505
/// # use warploom_device_std::Block;
/// # use warploom_device_std::tcgen05::{Accumulator, Shape32x32b};
/// # use warploom_device_std::wgmma::WarpGroup;
/// # fn kernel(block: Block, group: WarpGroup, sums: Accumulator<'_, 128, 64, f32>) {
/// let first = sums.load::<Shape32x32b, 8>(group, 0, 0);
/// let batch = sums.begin(block);
/// let first = first.wait();
/// # }
/// ```
pub struct Accumulator<'m, const M: usize, const N: usize, D: Sum = f32>
where
    Columns<N>: HoldsSums<D>,
{
    pub(super) address: u32,
    pub(super) done: Mbarrier<'m>,
    /// Of the phase that the next commit ends.
    pub(super) parity: u32,
    _of: PhantomData<(&'m mut (), D)>,
}

impl<'m, const M: usize, const N: usize, D: Sum> Accumulator<'m, M, N, D>
where
    Columns<N>: HoldsSums<D>,
{
    const EXISTS: () = {
        assert!(
            M == 64 || M == 128,
            "a product in tensor memory has 64 or 128 rows"
        );
        assert!(
            M == 64 || N.is_multiple_of(16),
            "a product in tensor memory of 128 rows has a multiple of 16 columns"
        );
    };
    /// Rows of a warp.
    const ROWS: usize = M / 4;

    /// The matrix in these columns, with unspecified values. `done` is the barrier at which products that are added to it end.
    ///
    /// ```compile_fail,E0080
    /// use warploom_device_std::{Mbarrier, tcgen05::{Accumulator, ColumnRange}};
    /// fn kernel(columns: ColumnRange<'_, 64>, done: Mbarrier) {
    ///     let sums = unsafe { Accumulator::<96, 64>::new(columns, done) }; // neither 64 rows nor 128
    /// }
    /// # let _: fn(ColumnRange<'_, 64>, Mbarrier) = kernel;
    /// ```
    /// ```compile_fail,E0308
    /// # use warploom_device_std::{Mbarrier, tcgen05::{Accumulator, ColumnRange}};
    /// # fn kernel(columns: ColumnRange<'_, 64>, done: Mbarrier) {
    /// let sums = unsafe { Accumulator::<128, 128>::new(columns, done) }; // fewer columns than the matrix has
    /// # }
    /// ```
    /// # Safety
    /// `done` is a barrier with a count of 1, initialised in front of a [`fence_mbarrier_init`](crate::intrinsics::fence_mbarrier_init) and a barrier of the block, in its first phase.
    /// Nothing else arrives at it or uses its memory as long as the matrix or what is made of it is used.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(columns: ColumnRange<'m, N>, done: Mbarrier<'m>) -> Self {
        const { Self::EXISTS };
        Self::at(columns.address, done, 0)
    }

    #[inline(always)]
    pub(super) fn at(address: u32, done: Mbarrier<'m>, parity: u32) -> Self {
        Accumulator {
            address,
            done,
            parity,
            _of: PhantomData,
        }
    }

    /// Begins to add products to the matrix, when all threads of the block have come here: orders their loads and stores before. PTX: `tcgen05.wait::ld`,
    /// `tcgen05.fence::before_thread_sync`, `bar.sync`, `tcgen05.fence::after_thread_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn begin<'v>(self, block: Block<'_>) -> Batch<'m, 'v, M, N, D> {
        // SAFETY: lanes that do not come leave numbers without meaning.
        unsafe { raw::tcgen05_wait_loads() };
        meet(block);
        Batch::of(self)
    }

    /// Begins to load elements: those of rows `part · S::ROWS` and following of the warp's own rows, of columns `column` and following, `TIMES · S::COLUMNS` of
    /// them. PTX: `tcgen05.ld`. Compute capability: 10.0a.
    ///
    /// # Panics
    /// When the warp has no such part, or the matrix no such columns.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn load<S: Shape, const TIMES: usize>(
        &self,
        group: WarpGroup<'_>,
        part: usize,
        column: usize,
    ) -> Loading<'_, D, S, TIMES>
    where
        Repeated<S, TIMES>: Moves,
    {
        let (at, first) = self.place::<S, TIMES>(group, part, column);
        // SAFETY: the cells belong to the matrix, and the rows are the warp's; lanes that do not come leave numbers without meaning.
        unsafe { Loading::begin(at, first) }
    }

    /// Stores elements `of(row, column)`, those that [`load`](Self::load) with the same arguments loads, and waits until they are there. PTX: `tcgen05.st`,
    /// `tcgen05.wait::st`. Compute capability: 10.0a.
    ///
    /// # Panics
    /// As [`load`](Self::load).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn store<S: Shape, const TIMES: usize>(
        &mut self,
        group: WarpGroup<'_>,
        part: usize,
        column: usize,
        mut of: impl FnMut(usize, usize) -> D,
    ) where
        Repeated<S, TIMES>: Moves,
    {
        let (at, first) = self.place::<S, TIMES>(group, part, column);
        // SAFETY: the cells belong to the matrix, which no product writes now, and the rows are the warp's.
        unsafe { store::<S, TIMES>(at, first, |row, column| of(row, column).into_bits() as u32) };
    }

    /// Address of a part of the warp's rows, and which row and column of the matrix it is.
    #[inline(always)]
    #[track_caller]
    fn place<S: Shape, const TIMES: usize>(
        &self,
        group: WarpGroup<'_>,
        part: usize,
        column: usize,
    ) -> (u32, (usize, usize)) {
        const {
            assert!(
                S::ROWS <= Self::ROWS,
                "a warp has 16 rows of a matrix of 64: take a shape of 16 rows"
            );
        };
        assert!(
            part < const { Self::ROWS / S::ROWS },
            "a warp has no such part of an accumulator's rows"
        );
        assert!(
            column <= N && const { TIMES * S::COLUMNS } <= N - column,
            "a move of tensor memory reaches beyond the columns of the accumulator"
        );
        let warp = group.thread() / 32;
        let at = address(self.address, warp * 32 + part * S::ROWS, column);
        (at, (warp * Self::ROWS + part * S::ROWS, column))
    }
}
