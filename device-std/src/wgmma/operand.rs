//! A and B in shared memory: tiles that may be read, and the parts of them that an instruction multiplies.

use super::types::{Input, SixteenBits};
use crate::shared::{Swizzle, SwizzledTile};
use crate::tma::fence_proxy_async;
use crate::{Block, intrinsics as raw};
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// How a matrix lies in a tile.
pub trait Major: sealed::Sealed {
    /// Whether a row of the tile has the elements of one k.
    #[doc(hidden)]
    const TRANSPOSED: u32;
}

/// A row of the tile has neighbours along k: it is a row of A, or a column of B.
#[derive(Debug)]
pub enum KMajor {}

/// A row of the tile has the elements of one k: it is a column of A, or a row of B. For elements of 16 bits.
#[derive(Debug)]
pub enum MnMajor {}

impl sealed::Sealed for KMajor {}
impl sealed::Sealed for MnMajor {}
impl Major for KMajor {
    const TRANSPOSED: u32 = 0;
}
impl Major for MnMajor {
    const TRANSPOSED: u32 = 1;
}

/// A [`SwizzledTile`] that no thread writes, for products to read.
pub struct TileView<'v, T: Input, const ROWS: usize, const COLS: usize, S: Swizzle> {
    start: *const u8,
    _of: PhantomData<(T, S)>,
    _reads: PhantomData<&'v ()>,
}

impl<T: Input, const R: usize, const C: usize, S: Swizzle> Clone for TileView<'_, T, R, C, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Input, const R: usize, const C: usize, S: Swizzle> Copy for TileView<'_, T, R, C, S> {}

/// `LINES` rows of A, or columns of B, of as many elements as an instruction multiplies.
pub struct Operand<'v, T: Input, const LINES: usize, M: Major> {
    pub(super) start: *const u8,
    /// How the lines lie behind `start`: the descriptor of the matrix without the address.
    pub(super) layout: u64,
    _of: PhantomData<(T, M)>,
    _reads: PhantomData<&'v ()>,
}

impl<T: Input, const LINES: usize, M: Major> Clone for Operand<'_, T, LINES, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Input, const LINES: usize, M: Major> Copy for Operand<'_, T, LINES, M> {}

impl<'k, T: Input, const ROWS: usize, const COLS: usize, S: Swizzle>
    SwizzledTile<'k, T, ROWS, COLS, S>
{
    /// The tile, for products to read.
    ///
    /// # Safety
    /// What was written to it is visible to this group's products: bulk copies have been waited for, and threads that wrote it called
    /// [`fence_proxy_async`](crate::tma::fence_proxy_async) and then met this group at a barrier. No thread and no copy writes it until the products that
    /// read it have been waited for; they are waited for before their sums are dropped or forgotten. All threads of the group multiply it, with the same operands (of the
    /// block, where the sums are in [tensor memory](crate::tcgen05)).
    #[inline(always)]
    #[must_use]
    pub unsafe fn view<'v>(self) -> TileView<'v, T, ROWS, COLS, S>
    where
        'k: 'v,
    {
        TileView::of(self.as_ptr())
    }

    /// The tile, for products to read, behind a barrier of the block at which all its threads say that they have written it.
    ///
    /// # Safety
    /// As for [`view`](Self::view), but that what was written need not be visible yet.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub unsafe fn published<'v>(self, block: Block<'_>) -> TileView<'v, T, ROWS, COLS, S>
    where
        'k: 'v,
    {
        fence_proxy_async();
        block.sync();
        TileView::of(self.as_ptr())
    }
}

impl<'v, T: Input, const ROWS: usize, const COLS: usize, S: Swizzle>
    TileView<'v, T, ROWS, COLS, S>
{
    const MODE: u64 = match S::SPAN {
        128 => 1,
        64 => 2,
        32 => 3,
        _ => 0,
    };
    /// Bytes of a panel, and of its first eight rows.
    const PANEL: u64 = (ROWS * S::SPAN) as u64;
    const EIGHT: u64 = 8 * S::SPAN as u64;

    #[inline(always)]
    fn of(start: *const u8) -> Self {
        TileView {
            start,
            _of: PhantomData,
            _reads: PhantomData,
        }
    }

    /// Descriptor of a matrix, with its two distances in bytes.
    const fn layout(leading: u64, stride: u64) -> u64 {
        (leading >> 4) << 16 | (stride >> 4) << 32 | Self::MODE << 62
    }

    /// Rows `row` and following of the tile, elements `k` and following of each: rows of A, or columns of B.
    ///
    /// # Panics
    /// When `row` is no multiple of 8, or `k` none of [`T::K`](Input::K), or the tile ends before the last element.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn rows<const LINES: usize>(self, row: usize, k: usize) -> Operand<'v, T, LINES, KMajor> {
        assert!(
            row.is_multiple_of(8) && k.is_multiple_of(T::K),
            "an operand of a warp group begins at a multiple of 8 rows and of 32 bytes"
        );
        assert!(
            row <= ROWS && LINES <= ROWS - row && k < COLS && T::K <= COLS - k,
            "an operand of a warp group reaches beyond the end of the tile"
        );
        let byte = k * size_of::<T>();
        let panel = byte / S::SPAN * const { Self::PANEL as usize };
        let layout = const {
            match Self::MODE {
                0 => Self::layout(Self::PANEL, Self::EIGHT),
                _ => Self::layout(16, Self::EIGHT), // the first is not read
            }
        };
        self.operand(panel + row * S::SPAN + byte % S::SPAN, layout)
    }

    /// Columns `column` and following of the tile, rows `k` and following: rows of A, or columns of B, in a tile whose rows have the elements of one k.
    ///
    /// # Panics
    /// When `column` is not the first of a panel, or `k` is no multiple of 16, or the tile ends before the last element.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn columns<const LINES: usize>(
        self,
        column: usize,
        k: usize,
    ) -> Operand<'v, T, LINES, MnMajor>
    where
        T: SixteenBits,
    {
        let in_panel = SwizzledTile::<T, ROWS, COLS, S>::PANEL_COLS;
        assert!(
            column.is_multiple_of(in_panel) && k.is_multiple_of(16),
            "a transposed operand of a warp group begins at a panel and at a multiple of 16 rows"
        );
        assert!(
            column <= COLS && LINES <= COLS - column && k < ROWS && 16 <= ROWS - k,
            "an operand of a warp group reaches beyond the end of the tile"
        );
        let layout = const {
            match Self::MODE {
                0 => Self::layout(Self::EIGHT, Self::PANEL),
                _ => Self::layout(Self::PANEL, Self::EIGHT),
            }
        };
        let panel = column / in_panel * const { Self::PANEL as usize };
        self.operand(panel + k * S::SPAN, layout)
    }

    #[inline(always)]
    fn operand<const LINES: usize, M: Major>(
        self,
        offset: usize,
        layout: u64,
    ) -> Operand<'v, T, LINES, M> {
        Operand {
            start: self.start.wrapping_add(offset),
            layout,
            _of: PhantomData,
            _reads: PhantomData,
        }
    }
}

impl<T: Input, const LINES: usize, M: Major> Operand<'_, T, LINES, M> {
    /// Where it begins and how it lies there. On the device the descriptor is complete.
    #[inline(always)]
    pub(super) fn place(self) -> (*const u8, u64) {
        (self.start, self.descriptor())
    }

    /// Its descriptor. On the device it is complete.
    #[inline(always)]
    pub(crate) fn descriptor(self) -> u64 {
        let address = u64::from(raw::address_to_shared(self.start.cast_mut()));
        self.layout | address >> 4 & 0x3fff
    }
}
