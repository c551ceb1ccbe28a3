//! Moves between tensor memory and registers: which lane gets what.

use crate::intrinsics::{self as raw, Code};
use crate::mma::Registers;
use crate::wgmma::Sum;
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// How the cells of a part of tensor memory are dealt out to the lanes of a warp.
pub trait Shape: sealed::Sealed + 'static {
    /// Rows: 32 or 16.
    const ROWS: usize;
    /// Columns.
    const COLUMNS: usize;
    /// Registers of a lane.
    const REGISTERS: usize = Self::ROWS * Self::COLUMNS / 32;
    /// Part of the number of an instruction.
    #[doc(hidden)]
    const NUMBER: u32;

    /// Row and column of register `register` of lane `lane`. Registers behind [`REGISTERS`](Self::REGISTERS) are those of repetitions.
    ///
    /// ```
    /// use warploom_device_std::tcgen05::{Shape, Shape16x256b, Shape32x32b};
    /// assert_eq!(Shape32x32b::coords(5, 7), (5, 7)); // a lane has a row
    /// assert_eq!(Shape16x256b::coords(5, 7), (9, 11)); // as accumulators of `wgmma` are dealt out
    /// ```
    #[must_use]
    fn coords(lane: usize, register: usize) -> (usize, usize);
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident $number:literal $rows:literal $columns:literal |$l:ident, $r:ident| $coords:expr; $($repeat:literal)*;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}
        impl sealed::Sealed for $name {}
        impl Shape for $name {
            const ROWS: usize = $rows;
            const COLUMNS: usize = $columns;
            const NUMBER: u32 = $number;

            #[inline(always)]
            fn coords($l: usize, $r: usize) -> (usize, usize) {
                $coords
            }
        }
        $(impl Moves for Repeated<$name, $repeat> {
            type Words = [u32; $repeat * $rows * $columns / 32];
        })*
    )*};
}

/// A shape, `TIMES` times along the columns.
#[derive(Debug)]
pub struct Repeated<S, const TIMES: usize>(PhantomData<S>);

/// Shapes with the numbers of repetitions that an instruction has.
#[diagnostic::on_unimplemented(
    message = "no instruction moves `{Self}`",
    label = "not a shape with a number of repetitions",
    note = "a power of 2, at most 128 for Shape32x32b and Shape16x64b, 64 for Shape16x128b, 32 for Shape16x256b"
)]
pub trait Moves {
    /// The registers of a lane.
    type Words: Registers<Word = u32>;
}

shapes! {
    /// A lane has a row. PTX: `.32x32b`.
    Shape32x32b 0 32 1 |l, r| (l, r); 1 2 4 8 16 32 64 128;
    /// PTX: `.16x64b`.
    Shape16x64b 1 16 2 |l, r| (l / 4 + l % 2 * 8, l / 2 % 2 + r * 2); 1 2 4 8 16 32 64 128;
    /// PTX: `.16x128b`.
    Shape16x128b 2 16 4 |l, r| (l / 4 + r % 2 * 8, l % 4 + r / 2 * 4); 1 2 4 8 16 32 64;
    /// Neighbours of a row are in two registers of a lane, as in accumulators of `wgmma` and `mma`. PTX: `.16x256b`.
    Shape16x256b 3 16 8 |l, r| (l / 4 + r / 2 % 2 * 8, l % 4 * 2 + r % 2 + r / 4 * 8); 1 2 4 8 16 32;
}

/// The number of a move.
pub(super) struct Number<S, const TIMES: usize>(PhantomData<S>);

impl<S: Shape, const TIMES: usize> Code for Number<S, TIMES> {
    const CODE: u32 = S::NUMBER | (TIMES as u32) << 8;
}

/// Registers that are being loaded: they cannot be read before [`wait`](Self::wait).
///
/// ```compile_fail,E0599
/// use warploom_device_std::tcgen05::{Accumulator, Shape32x32b};
/// use warploom_device_std::wgmma::WarpGroup;
/// fn kernel(group: WarpGroup, sums: Accumulator<'_, 128, 64, f32>) {
///     let first = sums.load::<Shape32x32b, 8>(group, 0, 0).get(0); // not while they are being loaded
/// }
/// ```
#[must_use = "loads are waited for with `wait()`"]
pub struct Loading<'a, D: Sum, S: Shape, const TIMES: usize>
where
    Repeated<S, TIMES>: Moves,
{
    numbers: Loaded<D, S, TIMES>,
    _from: PhantomData<&'a ()>,
}

/// What a lane has loaded of an accumulator.
pub struct Loaded<D: Sum, S: Shape, const TIMES: usize>
where
    Repeated<S, TIMES>: Moves,
{
    words: <Repeated<S, TIMES> as Moves>::Words,
    /// Row and column of what the warp has loaded.
    first: (usize, usize),
    _of: PhantomData<(D, S)>,
}

impl<D: Sum, S: Shape, const TIMES: usize> Loading<'_, D, S, TIMES>
where
    Repeated<S, TIMES>: Moves,
{
    /// Loads from `address`, which is that of row and column `first`.
    ///
    /// # Safety
    /// All lanes of the warp make this call; the cells are allocated, and the warp may access them.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub(super) unsafe fn begin(address: u32, first: (usize, usize)) -> Self {
        let mut words: <Repeated<S, TIMES> as Moves>::Words = Registers::zeroed();
        // SAFETY: as many registers as the number says, which are not read before `wait`; the caller's promise.
        unsafe { raw::tcgen05_load::<Number<S, TIMES>>(words.write(), address) };
        Loading {
            numbers: Loaded {
                words,
                first,
                _of: PhantomData,
            },
            _from: PhantomData,
        }
    }

    /// Waits for this load and those that the thread began before. PTX: `tcgen05.wait::ld`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn wait(mut self) -> Loaded<D, S, TIMES> {
        // SAFETY: as many registers as the number says; lanes that do not come leave numbers without meaning.
        unsafe { raw::tcgen05_loaded::<Number<S, TIMES>>(self.numbers.words.write()) };
        self.numbers
    }
}

impl<D: Sum, S: Shape, const TIMES: usize> Loaded<D, S, TIMES>
where
    Repeated<S, TIMES>: Moves,
{
    /// Elements that a lane has.
    pub const ELEMENTS: usize = S::REGISTERS * TIMES;

    /// The lane's element `i`, a constant.
    ///
    /// # Panics
    /// When `i` is not below [`ELEMENTS`](Self::ELEMENTS).
    #[inline(always)]
    #[must_use]
    pub fn get(&self, i: usize) -> D {
        D::of_bits(u64::from(self.words.word(i as u32)))
    }

    /// The lane's registers: one for each element, of which one of 16 bits has the lower half.
    #[inline(always)]
    #[must_use]
    pub fn registers(self) -> <Repeated<S, TIMES> as Moves>::Words {
        self.words
    }

    /// Calls `with(row, column, element)` for each element of the lane, as code without a loop.
    #[inline(always)]
    pub fn for_each(&self, mut with: impl FnMut(usize, usize, D)) {
        let lane = raw::lane_id() as usize;
        each_of(Self::ELEMENTS, |i| {
            let (row, column) = S::coords(lane, i);
            with(self.first.0 + row, self.first.1 + column, self.get(i));
        });
    }
}

/// Stores what `of(row, column)` gives for the cells of a lane, counted from `first`, and waits until it is there.
///
/// # Safety
/// As for [`Loading::begin`]; nothing else accesses the cells.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub(super) unsafe fn store<S: Shape, const TIMES: usize>(
    address: u32,
    first: (usize, usize),
    mut of: impl FnMut(usize, usize) -> u32,
) where
    Repeated<S, TIMES>: Moves,
{
    let lane = raw::lane_id() as usize;
    let mut words: <Repeated<S, TIMES> as Moves>::Words = Registers::zeroed();
    let to = words.write();
    each_of(S::REGISTERS * TIMES, |i| {
        let (row, column) = S::coords(lane, i);
        // SAFETY: one of as many registers.
        unsafe {
            to.wrapping_add(i)
                .write(of(first.0 + row, first.1 + column))
        };
    });
    // SAFETY: as many registers as the number says; the caller's promise.
    unsafe { raw::tcgen05_store::<Number<S, TIMES>>(words.read(), address) };
    // SAFETY: all lanes of the warp are here, the caller promises.
    unsafe { raw::tcgen05_wait_stores() };
}

/// Calls `with` for 0 to `count - 1`, at most 127, as so many copies.
#[inline(always)]
fn each_of(count: usize, mut with: impl FnMut(usize)) {
    macro_rules! copies {
        ($($k:literal)*) => { $(
            if count > 4 * $k { with(4 * $k); }
            if count > 4 * $k + 1 { with(4 * $k + 1); }
            if count > 4 * $k + 2 { with(4 * $k + 2); }
            if count > 4 * $k + 3 { with(4 * $k + 3); }
        )* };
    }
    copies!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every cell belongs to one register of one lane.
    fn is_dealt_out_once<S: Shape>(times: usize) {
        let columns = S::COLUMNS * times;
        let mut owners = [[0u32; 32]; 32];
        for lane in 0..32 {
            for register in 0..S::REGISTERS * times {
                let (row, column) = S::coords(lane, register);
                owners[row][column] += 1;
            }
        }
        for (row, owners) in owners.iter().enumerate() {
            for (column, owners) in owners.iter().enumerate() {
                let is_cell = row < S::ROWS && column < columns;
                assert_eq!(*owners, u32::from(is_cell), "{row}, {column}");
            }
        }
    }

    #[test]
    fn shapes_deal_out_each_cell_once() {
        is_dealt_out_once::<Shape32x32b>(4);
        is_dealt_out_once::<Shape16x64b>(4);
        is_dealt_out_once::<Shape16x128b>(4);
        is_dealt_out_once::<Shape16x256b>(4);
    }
}
