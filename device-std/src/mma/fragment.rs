//! The matrices that a warp holds in its registers.

use core::marker::PhantomData;

use super::element::{Element, SumElement};
use super::registers::Registers;
use super::shape::{Holds, HoldsSums, SumShape};
use crate::intrinsics::{place_in_a, place_in_b, place_in_d};
use crate::warp::WarpMemory;
use crate::{Plain, Warp};

/// A lane's part of the matrix A of a product of shape `S`: `S::M` rows, `S::K` columns of `T`.
///
/// With `p` elements in a register, element `i` of lane `l` is in register `i / p` and has row `l / 4 + 8 · (i / p % 2)` and column
/// `p · (l % 4) + i % p + 4 · p · (i / p / 2)`: see [`coords`](Self::coords).
pub struct A<S: Holds<T>, T: Element> {
    pub(super) registers: S::A,
    _of: PhantomData<(fn() -> S, T)>,
}

/// A lane's part of the matrix B of a product of shape `S`: `S::K` rows, `S::N` columns of `T`.
///
/// With `p` elements in a register, element `i` of lane `l` has row `p · (l % 4) + i % p + 4 · p · (i / p)` and column `l / 4`: see
/// [`coords`](Self::coords).
pub struct B<S: Holds<T>, T: Element> {
    pub(super) registers: S::B,
    _of: PhantomData<(fn() -> S, T)>,
}

/// A lane's part of the matrix C or D of a product: `S::M` rows, `S::N` columns of `T`.
///
/// Element `i` of lane `l` has row `l / 4 + 8 · (i / 2)` and column `2 · (l % 4) + i % 2`: see [`coords`](Self::coords).
pub struct D<S: HoldsSums<T>, T: SumElement> {
    pub(super) registers: S::Registers,
    _of: PhantomData<(fn() -> S, T)>,
}

macro_rules! fragments {
    ($($name:ident $shape:ident $element:ident $registers:ident, ($rows:ident, $columns:ident), $place:expr;)*) => {$(
        impl<S: $shape<T>, T: $element> Clone for $name<S, T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<S: $shape<T>, T: $element> Copy for $name<S, T> {}

        impl<S: $shape<T>, T: $element> $name<S, T> {
            /// Elements that each lane holds.
            pub const ELEMENTS: u32 = S::$rows * S::$columns / 32;

            /// The fragment of which the lane has these registers.
            #[inline(always)]
            #[must_use]
            pub fn from_registers(registers: S::$registers) -> Self {
                Self { registers, _of: PhantomData }
            }

            /// The lane's registers. Elements of less than 32 bits share them, the first in the lowest bits.
            #[inline(always)]
            #[must_use]
            pub fn registers(self) -> S::$registers {
                self.registers
            }

            /// Row and column of element `i` of lane `lane`.
            #[inline(always)]
            #[must_use]
            pub const fn coords(lane: u32, i: u32) -> (u32, u32) {
                $place(lane, i, T::PER_REGISTER)
            }

            /// The lane's element `i`.
            ///
            /// # Panics
            /// When `i` is not below [`Self::ELEMENTS`].
            #[inline(always)]
            #[must_use]
            pub fn get(&self, i: u32) -> T {
                self.registers.unpack(i)
            }

            /// The matrix whose elements are `of(row, column)`, which is called for those of the lane.
            #[inline(always)]
            #[must_use]
            pub fn from_fn(warp: Warp<'_>, mut of: impl FnMut(usize, usize) -> T) -> Self {
                let lane = warp.lane();
                Self::from_registers(S::$registers::pack(|i| {
                    let (row, column) = Self::coords(lane, i);
                    of(row as usize, column as usize)
                }))
            }

            /// The matrix in which each element is `value`.
            #[inline(always)]
            #[must_use]
            pub fn splat(value: T) -> Self {
                Self::from_registers(S::$registers::pack(|_| value))
            }

            /// Calls `with(row, column, element)` for each element of the lane.
            #[inline(always)]
            pub fn for_each(&self, warp: Warp<'_>, mut with: impl FnMut(usize, usize, T)) {
                let lane = warp.lane();
                for i in 0..Self::ELEMENTS {
                    let (row, column) = Self::coords(lane, i);
                    with(row as usize, column as usize, self.get(i));
                }
            }
        }

        impl<S: $shape<T>, T: $element + Plain> $name<S, T> {
            /// The matrix whose rows begin every `stride` elements of `from`.
            ///
            /// One load for each element, or for neighbours in a row as far as the alignment is known. From shared memory
            /// `ldmatrix` is faster, where it exists.
            ///
            /// # Panics
            /// When `from` ends before the last element. It is checked once.
            #[inline(always)]
            #[must_use]
            #[track_caller]
            pub fn from_rows(warp: Warp<'_>, from: &[T], stride: usize) -> Self {
                extent(from.len(), stride, (S::$rows, S::$columns));
                // SAFETY: within the slice, which the line above has checked for the last element of the matrix.
                Self::from_fn(warp, |row, column| unsafe { *from.get_unchecked(row * stride + column) })
            }

            /// The matrix whose columns begin every `stride` elements of `from`.
            ///
            /// # Panics
            /// When `from` ends before the last element. It is checked once.
            #[inline(always)]
            #[must_use]
            #[track_caller]
            pub fn from_columns(warp: Warp<'_>, from: &[T], stride: usize) -> Self {
                extent(from.len(), stride, (S::$columns, S::$rows));
                // SAFETY: as above, with rows and columns exchanged.
                Self::from_fn(warp, |row, column| unsafe { *from.get_unchecked(column * stride + row) })
            }
        }
    )*};
}

fragments! {
    A Holds Element A, (M, K), in_a;
    B Holds Element B, (K, N), in_b;
    D HoldsSums SumElement Registers, (M, N), in_d;
}

#[inline(always)]
const fn in_a(lane: u32, i: u32, per_register: u32) -> (u32, u32) {
    match per_register {
        32 => place_in_a::<32>(lane, i),
        8 => place_in_a::<8>(lane, i),
        4 => place_in_a::<4>(lane, i),
        2 => place_in_a::<2>(lane, i),
        _ => place_in_a::<1>(lane, i),
    }
}

#[inline(always)]
const fn in_b(lane: u32, i: u32, per_register: u32) -> (u32, u32) {
    match per_register {
        32 => place_in_b::<32>(lane, i),
        8 => place_in_b::<8>(lane, i),
        4 => place_in_b::<4>(lane, i),
        2 => place_in_b::<2>(lane, i),
        _ => place_in_b::<1>(lane, i),
    }
}

#[inline(always)]
const fn in_d(lane: u32, i: u32, _per_register: u32) -> (u32, u32) {
    place_in_d(lane, i)
}

/// Panics when `lines` lines of `length` elements, which begin every `stride` elements, do not fit in `len`.
#[inline(always)]
#[track_caller]
pub(super) fn extent(len: usize, stride: usize, (lines, length): (u32, u32)) {
    let fits = stride
        .checked_mul(lines as usize - 1)
        .and_then(|last| last.checked_add(length as usize))
        .is_some_and(|end| end <= len);
    assert!(
        fits,
        "a matrix fragment reaches beyond the end of the slice"
    );
}

#[cold]
#[inline(never)]
#[track_caller]
#[expect(clippy::panic, reason = "the documented panic of a store")]
fn refuse_place(
    [height, width]: [usize; 2],
    [row, column]: [usize; 2],
    [rows, columns]: [usize; 2],
) -> ! {
    panic!(
        "a matrix of {height} rows and {width} columns, stored from row {row} and column {column} on, does not lie within the warp's {rows} rows and {columns} columns"
    )
}

impl<S: HoldsSums<T>, T: SumElement> D<S, T> {
    /// The matrix whose elements are `of` those of this one.
    #[inline(always)]
    #[must_use]
    pub fn map<U: SumElement>(self, mut of: impl FnMut(T) -> U) -> D<S, U>
    where
        S: HoldsSums<U>,
    {
        D::from_registers(<S as HoldsSums<U>>::Registers::pack(|i| of(self.get(i))))
    }

    /// All zeros.
    #[inline(always)]
    #[must_use]
    pub fn zero() -> Self {
        Self::splat(T::of_bits(0))
    }
}

impl<S: HoldsSums<T>, T: SumElement + Plain> D<S, T> {
    /// Writes the matrix into memory of the warp's own: its first element becomes that in row `row` and column `column` of `to`.
    ///
    /// `to` is the warp's part of an output ([`WarpPatches`](crate::output::WarpPatches)) or of shared memory
    /// ([`SharedPatches`](crate::SharedPatches)). All lanes of the warp make this call with the same arguments; stores follow what the warp did with
    /// that memory before. CUDA: the lanes' own stores.
    ///
    /// # Panics
    /// If the matrix does not lie within `to`.
    ///
    /// ```
    /// use warploom_device_std::mma::{D, M16N8};
    /// use warploom_device_std::{DisjointSlice2D, Warp, WarpPatches};
    /// fn number(warp: Warp, mut m: DisjointSlice2D<f32, WarpPatches<16, 16>>) {
    ///     if let Some(mut patch) = m.get_mut(warp) {
    ///         let d = D::<M16N8, f32>::from_fn(warp, |row, column| (100 * row + column) as f32);
    ///         d.store(warp, &mut patch, (0, 8));
    ///     }
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn store(
        &self,
        warp: Warp<'_>,
        to: &mut impl WarpMemory<T>,
        (row, column): (usize, usize),
    ) {
        let place = to.place();
        let [rows, columns] = place.size;
        let (height, width) = (<S as SumShape>::M as usize, <S as SumShape>::N as usize);
        if row > rows || height > rows - row || column > columns || width > columns - column {
            refuse_place([height, width], [row, column], [rows, columns]);
        }
        // Other lanes may have accessed the elements that this one writes.
        warp.sync();
        // SAFETY: within the memory (checked just now).
        let first = unsafe { place.start.add(row * place.stride + column) };
        // SAFETY: all rows were checked; no other warp accesses the memory, and the lanes of this one are behind what they did with it.
        unsafe { self.store_rows(warp, first, place.stride) };
    }

    /// Writes the matrix: its rows begin every `stride` elements behind `to`.
    ///
    /// # Safety
    /// All elements of the matrix are valid to write there, and no other thread accesses them at the same time. The other lanes write
    /// their own elements, so the calls of a warp do not meet.
    #[inline(always)]
    pub unsafe fn store_rows(&self, warp: Warp<'_>, to: *mut T, stride: usize) {
        self.for_each(warp, |row, column, value| {
            // SAFETY: an element of the matrix (the caller's promise).
            let to = unsafe { to.add(row * stride + column) };
            // SAFETY: as above.
            unsafe { to.write(value) };
        });
    }
}
