//! Fragments from and to shared memory, a row of 16 bytes for each lane: `ldmatrix` and `stmatrix`.

use super::element::{E4m3, E5m2, Element, SumElement};
use super::fragment::{A, B, D, extent};
use super::registers::Registers;
use super::shape::{Holds, HoldsSums, M16N8};
use super::tf32::Tf32;
use crate::shared::{DoubleView, SharedArray, TileView};
use crate::{Bf16, F16, Plain, Warp, intrinsics as raw};

mod sealed {
    pub trait Sealed {}
}

/// Shared memory that all threads of the block may read now: a [`TileView`] or a [`DoubleView`].
pub trait SharedElements<T>: sealed::Sealed {
    /// All elements.
    fn elements(&self) -> &[T];
}

macro_rules! views {
    ($($view:ident aligned $bytes:expr;)*) => {$(
        impl<T: Plain, const N: usize> sealed::Sealed for $view<'_, T, N> {}
        impl<T: Plain, const N: usize> SharedElements<T> for $view<'_, T, N> {
            #[inline(always)]
            fn elements(&self) -> &[T] {
                const { assert!($bytes % 16 == 0, "the buffers of a tile for `ldmatrix` have a multiple of 16 bytes") };
                self
            }
        }
    )*};
}

// Shared memory of a tile begins at a multiple of 16 bytes, the second buffer of a double one behind the first.
views! {
    TileView aligned 16;
    DoubleView aligned N * size_of::<T>();
}

/// Elements that `ldmatrix` moves in rows of 16 bytes: those of 8, 16 and 32 bits.
pub trait InRows: Element + Plain {
    /// Elements in 16 bytes.
    #[doc(hidden)]
    const IN_ROW: u32 = 128 / Self::BITS;
}

impl InRows for F16 {}
impl InRows for Bf16 {}
impl InRows for Tf32 {}
impl InRows for E4m3 {}
impl InRows for E5m2 {}
impl InRows for i8 {}
impl InRows for u8 {}

/// Elements that `ldmatrix` and `stmatrix` transpose: those of 16 bits.
pub trait Transposes: InRows + SumElement {}

impl Transposes for F16 {}
impl Transposes for Bf16 {}

/// Loads `R` from rows whose place in the fragment is `of(matrix, row)`, as first line and element in it.
#[inline(always)]
#[track_caller]
fn load<R: Registers, T: InRows>(
    warp: Warp<'_>,
    from: &[T],
    (at, stride): (usize, usize),
    transposed: bool,
    of: impl FnOnce(u32, u32) -> (u32, u32),
) -> R {
    let row = row_of_lane(warp, R::COUNT, from.as_ptr(), (at, stride), of).cast();
    let mut registers = R::zeroed();
    let to = registers.write();
    match (R::COUNT, transposed) {
        // SAFETY: the row of each lane is within the elements, which are in shared memory and may be read; `R` has as many registers.
        (1, false) => unsafe { raw::ldmatrix_x1(to, row) },
        // SAFETY: as above.
        (1, true) => unsafe { raw::ldmatrix_x1_trans(to, row) },
        // SAFETY: as above.
        (2, false) => unsafe { raw::ldmatrix_x2(to, row) },
        // SAFETY: as above.
        (2, true) => unsafe { raw::ldmatrix_x2_trans(to, row) },
        // SAFETY: as above.
        (_, false) => unsafe { raw::ldmatrix_x4(to, row) },
        // SAFETY: as above.
        (_, true) => unsafe { raw::ldmatrix_x4_trans(to, row) },
    }
    registers
}

/// Where the row begins whose address the lane gives. `start` is a multiple of 16 bytes.
#[inline(always)]
#[track_caller]
fn row_of_lane<T>(
    warp: Warp<'_>,
    matrices: u32,
    start: *const T,
    (at, stride): (usize, usize),
    of: impl FnOnce(u32, u32) -> (u32, u32),
) -> *const T {
    let bytes = |elements: usize| elements * size_of::<T>();
    assert!(
        bytes(at).is_multiple_of(16) && bytes(stride).is_multiple_of(16),
        "rows of `ldmatrix` and `stmatrix` begin at multiples of 16 bytes"
    );
    let lane = warp.lane() % (8 * matrices);
    let (line, element) = of(lane / 8, lane % 8);
    start.wrapping_add(at + line as usize * stride + element as usize)
}

macro_rules! loads {
    ($($name:ident $registers:ident ($rows:ident, $columns:ident):
        $plain:ident |$i:ident, $j:ident, $in_row:ident| $plain_place:expr,
        $transposed:ident |$ti:ident, $tj:ident| $transposed_place:expr;
    )*) => {$(
        impl<S: Holds<T>, T: InRows> $name<S, T> {
            loads! { @method $plain, $name, $registers, $rows, $columns, false, T::IN_ROW, |$i, $j, $in_row| $plain_place }
        }

        impl<S: Holds<T>, T: InRows + Transposes> $name<S, T> {
            loads! { @method $transposed, $name, $registers, $rows, $columns, true, 8, |$ti, $tj, _in_row| $transposed_place }
        }
    )*};
    (@method ldmatrix_rows, $name:ident, $registers:ident, $rows:ident, $columns:ident, $transposed:literal, $in_row:expr, |$i:ident, $j:ident, $n:ident| $place:expr) => {
        /// The matrix whose rows begin every `stride` elements of `from`, from element `at` on. PTX: `ldmatrix`. Compute capability: 7.5.
        ///
        /// All lanes of the warp make this call together, with the same arguments.
        ///
        /// # Panics
        /// When `from` ends before the last element; it is checked once. When `at` or `stride` is not a multiple of 16 bytes.
        #[inline(always)]
        #[must_use]
        #[track_caller]
        pub fn ldmatrix_rows(warp: Warp<'_>, from: &impl SharedElements<T>, at: usize, stride: usize) -> Self {
            let from = from.elements();
            extent(from.len().saturating_sub(at), stride, (S::$rows, S::$columns));
            Self::from_registers(load::<S::$registers, T>(warp, from, (at, stride), $transposed, |$i, $j| {
                let $n = $in_row;
                $place
            }))
        }
    };
    (@method ldmatrix_columns, $name:ident, $registers:ident, $rows:ident, $columns:ident, $transposed:literal, $in_row:expr, |$i:ident, $j:ident, $n:ident| $place:expr) => {
        /// The matrix whose columns begin every `stride` elements of `from`, from element `at` on. PTX: `ldmatrix`. Compute capability: 7.5.
        ///
        /// All lanes of the warp make this call together, with the same arguments.
        ///
        /// # Panics
        /// When `from` ends before the last element; it is checked once. When `at` or `stride` is not a multiple of 16 bytes.
        #[inline(always)]
        #[must_use]
        #[track_caller]
        pub fn ldmatrix_columns(warp: Warp<'_>, from: &impl SharedElements<T>, at: usize, stride: usize) -> Self {
            let from = from.elements();
            extent(from.len().saturating_sub(at), stride, (S::$columns, S::$rows));
            Self::from_registers(load::<S::$registers, T>(warp, from, (at, stride), $transposed, |$i, $j| {
                let $n = $in_row;
                $place
            }))
        }
    };
}

// Register `i` of A holds rows from 8 (i % 2) and 16 bytes of columns from 16 (i / 2); of B, 16 bytes of rows from 16 i.
loads! {
    A A (M, K): ldmatrix_rows |i, j, n| (8 * (i % 2) + j, n * (i / 2)), ldmatrix_columns |i, j| (8 * (i / 2) + j, 8 * (i % 2));
    B B (K, N): ldmatrix_columns |i, j, n| (j, n * i), ldmatrix_rows |i, j| (8 * i + j, 0);
}

impl<T: Transposes> D<M16N8, T>
where
    M16N8: HoldsSums<T, Registers = [u32; 2]>,
{
    /// Writes the matrix: its rows begin every `stride` elements of `to`, from element `at` on. PTX: `stmatrix`. Compute capability: 9.0.
    ///
    /// All lanes of the warp make this call together, with the same arguments.
    ///
    /// # Panics
    /// When `to` ends before the last element; it is checked once. When `at` or `stride` is not a multiple of 16 bytes.
    ///
    /// # Safety
    /// No other warp accesses these elements at the same time, and lanes of this warp only behind a barrier of the warp or block.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn stmatrix_rows<const N: usize>(
        &self,
        warp: Warp<'_>,
        to: SharedArray<'_, T, N>,
        at: usize,
        stride: usize,
    ) {
        extent(N.saturating_sub(at), stride, (16, 8));
        let start = to.as_ptr().cast_const();
        let row = row_of_lane(warp, 2, start, (at, stride), |i, j| (8 * i + j, 0));
        // SAFETY: within the array, which is in shared memory; the rest is the caller's promise.
        unsafe { raw::stmatrix_x2(row.cast_mut().cast(), self.registers.read()) };
    }

    /// Writes the matrix: its columns begin every `stride` elements of `to`, from element `at` on. PTX: `stmatrix` with `.trans`. Compute
    /// capability: 9.0.
    ///
    /// All lanes of the warp make this call together, with the same arguments.
    ///
    /// # Panics
    /// As [`stmatrix_rows`](Self::stmatrix_rows).
    ///
    /// # Safety
    /// As for [`stmatrix_rows`](Self::stmatrix_rows).
    #[inline(always)]
    #[track_caller]
    pub unsafe fn stmatrix_columns<const N: usize>(
        &self,
        warp: Warp<'_>,
        to: SharedArray<'_, T, N>,
        at: usize,
        stride: usize,
    ) {
        extent(N.saturating_sub(at), stride, (8, 16));
        let start = to.as_ptr().cast_const();
        let row = row_of_lane(warp, 2, start, (at, stride), |i, j| (j, 8 * i));
        // SAFETY: as above.
        unsafe { raw::stmatrix_x2_trans(row.cast_mut().cast(), self.registers.read()) };
    }
}
