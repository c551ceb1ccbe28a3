//! Products that go on: an accumulator while they are added to it.

use super::accumulator::{Accumulator, Columns, HoldsSums, inputs, number};
use super::operand::{Major, Operand};
use super::types::{Input, Multiply, Sum};
use crate::intrinsics::{self as raw, Code};
use crate::mma::{A, Registers};
use core::marker::PhantomData;

/// Sums to which products are being added. Made by [`WarpGroup::begin`](super::WarpGroup::begin).
///
/// What products read is borrowed for `'v`: until they have been waited for.
#[must_use = "products are waited for with `commit().wait()`"]
pub struct Batch<'v, const N: usize, D: Sum>
where
    Columns<N>: HoldsSums<D>,
{
    sums: Accumulator<N, D>,
    _reads: PhantomData<&'v ()>,
}

/// Sums whose products are under way. Made by [`Batch::commit`].
///
/// ```compile_fail,E0382
/// use warploom_device_std::wgmma::{Accumulator, WarpGroup};
/// fn kernel(group: WarpGroup) {
///     let sums = Accumulator::<64, f32>::zero();
///     let batch = group.begin(sums);
///     let first = sums.get(0); // not while products may be added to it
/// }
/// ```
#[must_use = "products are waited for with `wait()`"]
pub struct InFlight<'v, const N: usize, D: Sum>
where
    Columns<N>: HoldsSums<D>,
{
    sums: Accumulator<N, D>,
    _reads: PhantomData<&'v ()>,
}

impl<'v, const N: usize, D: Sum> Batch<'v, N, D>
where
    Columns<N>: HoldsSums<D>,
{
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub(super) fn begin(mut sums: Accumulator<N, D>) -> Self {
        // SAFETY: as many registers as the number says; threads that do not come leave numbers without meaning.
        unsafe { raw::wgmma_fence::<Registered<N, D, 0>>(sums.registers.write()) };
        Batch {
            sums,
            _reads: PhantomData,
        }
    }

    /// Adds a product of operands in shared memory: `a · b`. PTX: `wgmma.mma_async.sync.aligned`. Compute capability: 9.0a.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn multiply_add<TA, TB, MA, MB>(
        self,
        a: Operand<'v, TA, 64, MA>,
        b: Operand<'v, TB, N, MB>,
    ) -> Self
    where
        TA: Multiply<TB, D>,
        TB: Input,
        MA: Major,
        MB: Major,
    {
        self.issue::<Shared<N, D, TA, TB, MA, MB, 0>>(core::ptr::null(), a.place(), b.place())
    }

    /// Puts a product in the place of the sums: `a · b`. What they were does not matter, so nothing has to be set to zero.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn multiply<TA, TB, MA, MB>(
        self,
        a: Operand<'v, TA, 64, MA>,
        b: Operand<'v, TB, N, MB>,
    ) -> Self
    where
        TA: Multiply<TB, D>,
        TB: Input,
        MA: Major,
        MB: Major,
    {
        self.issue::<Shared<N, D, TA, TB, MA, MB, 1>>(core::ptr::null(), a.place(), b.place())
    }

    /// Adds a product of which A is in registers: each warp of the group has its 16 rows of it, in the layout of [`mma`](crate::mma).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn multiply_add_rows<TA, TB, MB>(
        self,
        a: &A<TA::Shape, TA>,
        b: Operand<'v, TB, N, MB>,
    ) -> Self
    where
        TA: Multiply<TB, D>,
        TB: Input,
        MB: Major,
    {
        let registers = a.registers();
        let nowhere = (core::ptr::null(), 0);
        self.issue::<InRegisters<N, D, TA, TB, MB>>(registers.as_ptr(), nowhere, b.place())
    }

    /// Ends the batch: its products are a group, which can be waited for. PTX: `wgmma.commit_group`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn commit(self) -> InFlight<'v, N, D> {
        // SAFETY: threads that do not come leave numbers without meaning.
        unsafe { raw::wgmma_commit() };
        InFlight {
            sums: self.sums,
            _reads: PhantomData,
        }
    }

    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn issue<C: Code>(
        mut self,
        of_a: *const u32,
        (a, layout_a): (*const u8, u64),
        (b, layout_b): (*const u8, u64),
    ) -> Self {
        let d = self.sums.registers.write();
        // SAFETY: as many registers as the number says; the operands may be read until the products have been waited for, since views of tiles promise it.
        unsafe { raw::wgmma_product::<C>(d, of_a, a, layout_a, b, layout_b) };
        self
    }
}

impl<'v, const N: usize, D: Sum> InFlight<'v, N, D>
where
    Columns<N>: HoldsSums<D>,
{
    /// Waits until all products that this group of threads has begun are done. PTX: `wgmma.wait_group 0`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn wait(self) -> Accumulator<N, D> {
        self.wait_but::<0>().sums
    }

    /// Waits until at most the latest `PENDING` batches of this group of threads are under way: what earlier ones read may be written again. PTX:
    /// `wgmma.wait_group`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn wait_but<const PENDING: u32>(mut self) -> Self {
        // SAFETY: as many registers as the number says; threads that do not come leave numbers without meaning.
        unsafe { raw::wgmma_wait::<Registered<N, D, PENDING>>(self.sums.registers.write()) };
        self
    }

    /// As [`wait_but`](Self::wait_but), and gives the accumulator back: other sums may stay under way.
    ///
    /// # Safety
    /// At least `PENDING` batches of other sums were committed behind the last one of these.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub unsafe fn wait_before<const PENDING: u32>(self) -> Accumulator<N, D> {
        self.wait_but::<PENDING>().sums
    }

    /// Adds more products behind those that are under way.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn go_on(self) -> Batch<'v, N, D> {
        Batch::begin(self.sums)
    }
}

/// The numbers of instructions that use the registers of D alone.
struct Registered<const N: usize, D, const PENDING: u32>(PhantomData<D>);

impl<const N: usize, D: Sum, const PENDING: u32> Code for Registered<N, D, PENDING> {
    const CODE: u32 = {
        assert!(
            PENDING < 8,
            "at most seven batches of products may stay under way"
        );
        number::<N, D>() | PENDING << 24
    };
}

/// The number of a product of operands in shared memory.
struct Shared<const N: usize, D, TA, TB, MA, MB, const REPLACES: u32>(
    PhantomData<(D, TA, TB, MA, MB)>,
);

impl<const N: usize, D: Sum, TA: Input, TB: Input, MA: Major, MB: Major, const REPLACES: u32> Code
    for Shared<N, D, TA, TB, MA, MB, REPLACES>
{
    const CODE: u32 = number::<N, D>()
        | inputs::<TA, TB>()
        | MA::TRANSPOSED << 17
        | MB::TRANSPOSED << 18
        | REPLACES << 19;
}

/// The number of a product of which A is in registers.
struct InRegisters<const N: usize, D, TA, TB, MB>(PhantomData<(D, TA, TB, MB)>);

impl<const N: usize, D: Sum, TA: Input, TB: Input, MB: Major> Code
    for InRegisters<N, D, TA, TB, MB>
{
    const CODE: u32 = number::<N, D>() | inputs::<TA, TB>() | 1 << 16 | MB::TRANSPOSED << 18;
}
