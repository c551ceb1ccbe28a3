//! The matrix D, in the registers of the threads of a group.

use super::group::WarpGroup;
use super::types::{Input, Sum};
use crate::F16;
use crate::mma::{A, Registers};

mod sealed {
    pub trait Sealed {}
}

/// A number of columns.
#[derive(Debug)]
pub enum Columns<const N: usize> {}

/// Numbers of columns that a matrix D of `D` may have.
#[diagnostic::on_unimplemented(
    message = "no product of a warp group has so many columns of type `{D}`: `{Self}`",
    label = "not a number of columns for these sums",
    note = "f32, F16: a multiple of 8, at most 256; i32: 8, 24, or a multiple of 16, at most 256"
)]
pub trait HoldsSums<D: Sum>: sealed::Sealed {
    /// The registers of a thread.
    type Registers: Registers;
}

macro_rules! columns {
    ($($n:literal)*) => {$(
        impl sealed::Sealed for Columns<$n> {}
        impl HoldsSums<f32> for Columns<$n> {
            type Registers = [f32; $n / 2];
        }
        impl HoldsSums<F16> for Columns<$n> {
            type Registers = [u32; $n / 4];
        }
    )*};
}

macro_rules! columns_of_integers {
    ($($n:literal)*) => {$(
        impl HoldsSums<i32> for Columns<$n> {
            type Registers = [i32; $n / 2];
        }
    )*};
}

columns! {
    8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128
    136 144 152 160 168 176 184 192 200 208 216 224 232 240 248 256
}
columns_of_integers! { 8 16 24 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256 }

/// A thread's part of a matrix of 64 rows and `N` columns of `D`, in its registers.
///
/// Element `i` of thread `t` of the group is in row `16 · (t / 32) + t % 32 / 4 + 8 · (i / 2 % 2)` and column `8 · (i / 4) + 2 · (t % 4) + i % 2`: see
/// [`coords`](Self::coords). Elements of 16 bits share registers, two in each. Not `Copy`: a second one would be as many registers.
///
/// ```
/// use warploom_device_std::wgmma::Accumulator;
/// assert_eq!(Accumulator::<256, f32>::ELEMENTS, 128);
/// assert_eq!(Accumulator::<256, f32>::coords(33, 5), (16, 11));
/// ```
/// ```compile_fail,E0277
/// let sums = warploom_device_std::wgmma::Accumulator::<12, f32>::zero(); // no multiple of 8
/// ```
/// ```compile_fail,E0277
/// let sums = warploom_device_std::wgmma::Accumulator::<40, i32>::zero(); // integers have fewer numbers of columns
/// ```
pub struct Accumulator<const N: usize, D: Sum = f32>
where
    Columns<N>: HoldsSums<D>,
{
    pub(super) registers: <Columns<N> as HoldsSums<D>>::Registers,
}

impl<const N: usize, D: Sum> Accumulator<N, D>
where
    Columns<N>: HoldsSums<D>,
{
    /// Rows of the matrix.
    pub const ROWS: usize = 64;
    /// Elements that each thread holds.
    pub const ELEMENTS: usize = N / 2;

    /// All zeros.
    #[inline(always)]
    #[must_use]
    pub fn zero() -> Self {
        Accumulator {
            registers: Registers::zeroed(),
        }
    }

    /// The matrix whose elements are `of(row, column)`, which is called for those of the thread, as code without a loop.
    #[inline(always)]
    #[must_use]
    pub fn from_fn(group: WarpGroup<'_>, mut of: impl FnMut(usize, usize) -> D) -> Self {
        Self::zero().map(group, |row, column, _| of(row, column))
    }

    /// The matrix of which the thread has these registers.
    #[inline(always)]
    #[must_use]
    pub fn from_registers(registers: <Columns<N> as HoldsSums<D>>::Registers) -> Self {
        Accumulator { registers }
    }

    /// The thread's registers.
    #[inline(always)]
    #[must_use]
    pub fn registers(self) -> <Columns<N> as HoldsSums<D>>::Registers {
        self.registers
    }

    /// Row and column of element `i` of thread `thread` of the group.
    #[inline(always)]
    #[must_use]
    pub const fn coords(thread: usize, i: usize) -> (usize, usize) {
        (
            thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8,
            i / 4 * 8 + thread % 4 * 2 + i % 2,
        )
    }

    /// The thread's element `i`. For an `i` that is no constant the whole matrix would have to leave the registers, which fails the build.
    ///
    /// # Panics
    /// When `i` is not below [`ELEMENTS`](Self::ELEMENTS).
    #[inline(always)]
    #[must_use]
    pub fn get(&self, i: usize) -> D {
        self.registers.unpack(i as u32)
    }

    /// Calls `with(row, column, element)` for each element of the thread, as code without a loop.
    #[inline(always)]
    pub fn for_each(&self, group: WarpGroup<'_>, mut with: impl FnMut(usize, usize, D)) {
        self.for_each_pair(group, |row, column, [left, right]| {
            with(row, column, left);
            with(row, column + 1, right);
        });
    }

    /// Calls `with(row, column, [element, element])` for each two neighbours in a row that the thread has, as code without a loop. `column` is even.
    #[inline(always)]
    pub fn for_each_pair(&self, group: WarpGroup<'_>, mut with: impl FnMut(usize, usize, [D; 2])) {
        let (row, column) = Self::coords(group.thread(), 0);
        each_of::<N>(|eight| {
            for below in [0, 1] {
                let i = eight * 4 + below * 2;
                let pair = [self.get(i), self.get(i + 1)];
                with(row + below * 8, column + eight * 8, pair);
            }
        });
    }

    /// The matrix whose elements are `of(row, column, element)`, as code without a loop.
    #[inline(always)]
    #[must_use]
    pub fn map(mut self, group: WarpGroup<'_>, mut of: impl FnMut(usize, usize, D) -> D) -> Self {
        let (row, column) = Self::coords(group.thread(), 0);
        each_of::<N>(|eight| {
            for below in [0, 1] {
                let i = eight * 4 + below * 2;
                let (row, column) = (row + below * 8, column + eight * 8);
                let left = of(row, column, self.get(i));
                let right = of(row, column + 1, self.get(i + 1));
                self.set_pair(i, left, right);
            }
        });
        self
    }

    /// Replaces elements `i`, which is even, and `i + 1`.
    #[inline(always)]
    fn set_pair(&mut self, i: usize, left: D, right: D) {
        debug_assert!(i + 1 < Self::ELEMENTS);
        let (left, right) = (left.into_bits() as u32, right.into_bits() as u32);
        let to = self.registers.write();
        if D::BITS == 16 {
            // SAFETY: one of the `N / 4` registers; so is the caller's constant.
            unsafe { to.wrapping_add(i / 2).write(left | right << 16) };
        } else {
            // SAFETY: one of the `N / 2` registers.
            unsafe { to.wrapping_add(i).write(left) };
            // SAFETY: as above.
            unsafe { to.wrapping_add(i + 1).write(right) };
        }
    }

    /// Elements `16 · part` to `16 · part + 15` of each row as a fragment of A, each the number that `of` makes of it: a product can be multiplied again without
    /// shared memory. `part` has to be a constant, as `i` of [`get`](Self::get).
    ///
    /// # Panics
    /// When the matrix has no such columns.
    #[inline(always)]
    #[must_use]
    pub fn rows_of_16<T>(&self, part: usize, mut of: impl FnMut(D) -> T) -> A<T::Shape, T>
    where
        T: super::SixteenBits,
    {
        let first = part * 8;
        // Register `r` of A has rows `8 (r % 2)` and columns `8 (r / 2)`, as registers of D have.
        A::from_registers([0, 1, 2, 3].map(|r: usize| {
            let mut bits = |i: usize| of(self.get(first + r * 2 + i)).into_bits() as u32;
            bits(0) | bits(1) << 16
        }))
    }
}

/// Calls `with` for 0 to `N / 8 - 1`, as so many copies.
#[inline(always)]
fn each_of<const N: usize>(mut with: impl FnMut(usize)) {
    macro_rules! copies {
        ($($k:literal)*) => { $( if N / 8 > $k { with($k); } )* };
    }
    copies!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

/// The parts of an instruction's number that say what D is.
pub(super) const fn number<const N: usize, D: Sum>() -> u32 {
    (N as u32 / 8) | (D::SUM_NUMBER << 14)
}

/// The parts of an instruction's number that say what A and B are.
pub(super) const fn inputs<TA: Input, TB: Input>() -> u32 {
    (TA::NUMBER << 6) | (TB::NUMBER << 10)
}
