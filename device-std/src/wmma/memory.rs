//! Fragments from and to memory.
//!
//! Why the safe functions are sound, whatever lanes do: each lane checks the memory that it names, of plain elements, and the instruction accesses lines of it alone.
//! If lanes name different places, which PTX leaves undefined, each access is still in what one of them has checked. docs/safety.md has the whole argument.

use super::shapes::{Accumulator, Layout, MatrixA, MatrixB, Shape};
use super::traits::{Factor, Sum};
use super::{Elements, Fragment, Tf32};
use crate::Warp;
use crate::warp::patch::{Place, WarpMemory};

/// The bytes of which a stride is a multiple, for all types. CUDA's guide says so of `half` and `float`.
const STRIDE_BYTES: usize = 16;

/// The bytes to which a matrix is aligned: CUDA's guide has 32. Of factors with at most 8 bits, neighbouring fragments would not be: a line has 16 bytes, to which PTX
/// aligns it.
const fn alignment<T: Elements>() -> usize {
    if T::BITS <= 8 { 16 } else { 32 }
}

macro_rules! loads_of_factors {
    ($($role:ident $name:literal;)*) => {$(
        impl<S: Shape, L: Layout, T: Factor<$role, S, L>> Fragment<$role, S, T, L> {
            #[doc = concat!("The part of ", $name, " that begins with the first element of `from`, and whose lines are `stride` elements apart: rows if the fragment's")]
            /// layout is `RowMajor`, columns if it is `ColMajor`.
            ///
            /// All lanes of the warp make this call with the same arguments. One instruction; lanes wait for each other; orders no memory: a barrier
            /// lies between writes of other threads and this. CUDA: `wmma::load_matrix_sync`. PTX: `wmma.load`.
            ///
            /// # Panics
            /// If `from` has too few elements for all lines, if `stride` is less than a line, or no multiple of 16 bytes, or if `from` does not start at a
            /// multiple of 32 bytes (of 16 for elements of at most 8 bits).
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn load(_warp: Warp<'_>, from: &[T::Value], stride: usize) -> Self {
                let [lines, length] = T::LINES;
                check::<T>(from.as_ptr().addr(), from.len(), lines, length, stride);
                // SAFETY: the matrix was checked just now; the lanes are those of the warp.
                Self::of(unsafe { <T as Factor<$role, S, L>>::load(from.as_ptr(), stride as u32) })
            }

            /// As [`load`](Self::load), from memory of which the caller knows that it is there.
            ///
            /// # Safety
            /// All lines of the matrix are within memory that is valid for reads and that no thread writes at the same time; `from` and `stride` are
            /// aligned as [`load`](Self::load) says. All lanes of the warp make this call with the same arguments.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            #[must_use]
            pub unsafe fn load_raw(_warp: Warp<'_>, from: *const T::Value, stride: usize) -> Self {
                // SAFETY: the caller's promise.
                Self::of(unsafe { <T as Factor<$role, S, L>>::load(from, stride as u32) })
            }
        }

        impl<S: Shape, L: Layout> Fragment<$role, S, Tf32, L>
        where
            Tf32: Factor<$role, S, L>,
        {
            /// As [`load`](Self::load), from numbers that are rounded to [`Tf32`] when they are in the fragment.
            ///
            /// # Panics
            /// As [`load`](Self::load).
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn load_rounded(_warp: Warp<'_>, from: &[f32], stride: usize) -> Self {
                let [lines, length] = <Tf32 as Factor<$role, S, L>>::LINES;
                check::<f32>(from.as_ptr().addr(), from.len(), lines, length, stride);
                // SAFETY: the matrix was checked just now, and any `f32` has the bits of a `Tf32`; the lanes are those of the warp.
                let loaded = Self::of(unsafe { <Tf32 as Factor<$role, S, L>>::load(from.as_ptr().cast(), stride as u32) });
                loaded.map(|x| Tf32::from_f32(f32::from_bits(x.to_bits())))
            }
        }
    )*};
}

loads_of_factors! {
    MatrixA "`A`";
    MatrixB "`B`";
}

impl<S: Shape, T: Sum<S>> Fragment<Accumulator, S, T> {
    /// The part of a matrix that begins with the first element of `from`, and whose rows (or columns, with `ColMajor`) are `stride` elements apart.
    ///
    /// All lanes of the warp make this call with the same arguments. One instruction; lanes wait for each other; orders no memory.
    /// CUDA: `wmma::load_matrix_sync` with a `layout_t`. PTX: `wmma.load.c`.
    ///
    /// # Panics
    /// If `from` has too few elements for all lines, if `stride` is less than a line, or no multiple of 16 bytes, or if `from` does not start at a
    /// multiple of 32 bytes.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn load<L: Layout>(_warp: Warp<'_>, from: &[T::Value], stride: usize, _layout: L) -> Self {
        let [lines, length] = lines::<S, L>();
        check::<T>(from.as_ptr().addr(), from.len(), lines, length, stride);
        // SAFETY: the matrix was checked just now; the lanes are those of the warp.
        Self::of(unsafe { <T as Sum<S>>::load::<L>(from.as_ptr(), stride as u32) })
    }

    /// As [`load`](Self::load), from memory of which the caller knows that it is there.
    ///
    /// # Safety
    /// All lines of the matrix are within memory that is valid for reads and that no thread writes at the same time; `from` and `stride` are aligned as
    /// [`load`](Self::load) says. All lanes of the warp make this call with the same arguments.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub unsafe fn load_raw<L: Layout>(
        _warp: Warp<'_>,
        from: *const T::Value,
        stride: usize,
        _layout: L,
    ) -> Self {
        // SAFETY: the caller's promise.
        Self::of(unsafe { <T as Sum<S>>::load::<L>(from, stride as u32) })
    }

    /// As [`load`](Self::load), from memory of the warp's own: the element in row `row` and column `column` of `from` is the first.
    ///
    /// Sees what the warp stored there before.
    ///
    /// # Panics
    /// As [`store`](Self::store).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn load_own<L: Layout>(
        warp: Warp<'_>,
        from: &impl WarpMemory<T::Value>,
        (row, column): (usize, usize),
        _layout: L,
    ) -> Self {
        let place = from.place();
        check_place::<S, T, L>(&place, row, column);
        // Other lanes may have stored the elements that this one loads.
        warp.sync();
        // SAFETY: within the memory (checked just now).
        let first = unsafe { place.start.add(row * place.stride + column) };
        // SAFETY: the lines were checked; no other warp accesses the memory, and the lanes of this one are behind their stores.
        Self::of(unsafe { <T as Sum<S>>::load::<L>(first, place.stride as u32) })
    }

    // Rule: factors-are-not-stored
    // There is no such instruction: some lanes have copies of others' elements.
    /// Writes the matrix into memory of the warp's own, from row `row` and column `column` of `to` on: with `ColMajor` transposed, columns as rows of `to`.
    ///
    /// `to` is the warp's part of an output ([`WarpPatches`](crate::output::WarpPatches)) or of shared memory
    /// ([`SharedPatches`](crate::SharedPatches)). All lanes of the warp make this call with the same arguments. Lanes wait for each other, and stores
    /// follow what the warp did with that memory before. CUDA: `wmma::store_matrix_sync`. PTX: `wmma.store`.
    ///
    /// # Panics
    /// If the matrix does not lie within `to`; if the first element is not at a multiple of 32 bytes; if rows of `to` are not a multiple of 16 bytes apart.
    #[inline(always)]
    #[track_caller]
    pub fn store<L: Layout>(
        &self,
        warp: Warp<'_>,
        to: &mut impl WarpMemory<T::Value>,
        (row, column): (usize, usize),
        _layout: L,
    ) {
        let place = to.place();
        check_place::<S, T, L>(&place, row, column);
        // Other lanes may have accessed the elements that this one writes.
        warp.sync();
        // SAFETY: within the memory (checked just now).
        let first = unsafe { place.start.add(row * place.stride + column) };
        // SAFETY: the lines were checked; no other warp accesses the memory, and the lanes of this one are behind what they did with it.
        unsafe { <T as Sum<S>>::store::<L>(&self.registers, first, place.stride as u32) };
    }

    /// Writes the matrix from `to` on, with rows (columns with `ColMajor`) that are `stride` elements apart.
    ///
    /// One instruction; lanes wait for each other; orders no memory. CUDA: `wmma::store_matrix_sync`. PTX: `wmma.store`.
    ///
    /// # Safety
    /// All lines of the matrix are within memory that is valid for writes, and no other warp accesses it at the same time; what the lanes of this warp did
    /// with it before is behind a [`Warp::sync`]. `to` is a multiple of 32 bytes, `stride` one of 16 bytes and no less than a line. All lanes of the warp make this
    /// call with the same arguments.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn store_raw<L: Layout>(
        &self,
        _warp: Warp<'_>,
        to: *mut T::Value,
        stride: usize,
        _layout: L,
    ) {
        // SAFETY: the caller's promise.
        unsafe { <T as Sum<S>>::store::<L>(&self.registers, to, stride as u32) };
    }
}

/// Lines of neighbours of a matrix of sums, and elements of a line.
const fn lines<S: Shape, L: Layout>() -> [usize; 2] {
    if L::IS_ROW_MAJOR {
        [S::M, S::N]
    } else {
        [S::N, S::M]
    }
}

/// Elements in 16 bytes.
const fn unit<T: Elements>() -> usize {
    8 * STRIDE_BYTES / T::BITS
}

/// Panics if a matrix of `lines` lines of `length` elements does not lie in the `len` values at `at`, or not as the instruction asks.
#[inline(always)]
#[track_caller]
fn check<T: Elements>(at: usize, len: usize, lines: usize, length: usize, stride: usize) {
    let elements = len * (size_of::<T::Value>() * 8 / T::BITS);
    if stride < length || !stride.is_multiple_of(unit::<T>()) {
        refuse_stride(stride, unit::<T>(), length);
    }
    // With a stride that is no longer than the memory the product does not overflow.
    if stride > elements || (lines - 1) * stride + length > elements || stride > MOST_STRIDE {
        refuse_extent(lines, length, stride, elements);
    }
    if !at.is_multiple_of(alignment::<T>()) {
        refuse_address(at, alignment::<T>());
    }
}

/// The instruction takes a stride of 32 bits, in elements.
const MOST_STRIDE: usize = u32::MAX as usize;

/// Panics if a matrix from there on does not lie in the memory, or not as the instruction asks.
#[inline(always)]
#[track_caller]
fn check_place<S: Shape, T: Elements, L: Layout>(
    place: &Place<T::Value>,
    row: usize,
    column: usize,
) {
    let [lines, length] = lines::<S, L>();
    let [rows, columns] = place.size;
    if row > rows || lines > rows - row || column > columns || length > columns - column {
        refuse_place(lines, length, row, column, rows, columns);
    }
    if !place.stride.is_multiple_of(unit::<T>()) || place.stride > MOST_STRIDE {
        refuse_stride(place.stride, unit::<T>(), length);
    }
    let at = place.start.addr() + (row * place.stride + column) * size_of::<T::Value>();
    if !at.is_multiple_of(alignment::<T>()) {
        refuse_address(at, alignment::<T>());
    }
}

macro_rules! refusals {
    ($(fn $name:ident($($arg:ident),*) $text:literal;)*) => {$(
        #[cold]
        #[inline(never)]
        #[track_caller]
        fn $name($($arg: usize),*) -> ! {
            panic!($text)
        }
    )*};
}

refusals! {
    fn refuse_stride(stride, unit, length)
        "a matrix with {stride} elements from line to line: that is a multiple of {unit} elements, of 16 bytes, and not less than a line of {length}";
    fn refuse_extent(lines, length, stride, len)
        "a matrix of {lines} lines of {length} elements with {stride} from line to line does not lie in the {len} elements that there are";
    fn refuse_address(at, align)
        "a matrix at the address {at:#x}: its first element is at a multiple of {align} bytes";
    fn refuse_place(lines, length, row, column, rows, columns)
        "{lines} lines of {length} elements from row {row} and column {column} on do not lie in the warp's {rows} rows of {columns} elements";
}
