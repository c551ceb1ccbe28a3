//! Products that go on: a matrix while they are added to it.

use super::accumulator::Accumulator;
use super::descriptor::{instruction_descriptor, kind, of_warp_group};
use super::factor::RowsInMemory;
use crate::Mbarrier;
use crate::index::linear_thread;
use crate::intrinsics::{self as raw, Code};
use crate::wgmma::{Columns, HoldsSums, Input, KMajor, Major, Multiply, Operand, Sum};
use core::marker::PhantomData;

/// A matrix to which products are being added. Made by [`Accumulator::begin`].
///
/// All threads of the block make the same calls; the first one gives the instructions. What products read is borrowed for `'v`: until they have been waited for.
#[must_use = "products are waited for with `commit().wait()`"]
pub struct Batch<'m, 'v, const M: usize, const N: usize, D: Sum>
where
    Columns<N>: HoldsSums<D>,
{
    sums: Accumulator<'m, M, N, D>,
    _reads: PhantomData<&'v ()>,
}

/// A matrix whose products are under way: it cannot be read. Made by [`Batch::commit`].
///
/// ```compile_fail,E0599
/// use warploom_device_std::{Block, tcgen05::{Accumulator, Shape32x32b}, wgmma::WarpGroup};
/// fn kernel(block: Block, group: WarpGroup, sums: Accumulator<'_, 128, 64, f32>) {
///     let flight = sums.begin(block).commit();
///     let first = flight.load::<Shape32x32b, 8>(group, 0, 0);
/// }
/// ```
#[must_use = "products are waited for with `wait()`"]
pub struct InFlight<'m, 'v, const M: usize, const N: usize, D: Sum>
where
    Columns<N>: HoldsSums<D>,
{
    sums: Accumulator<'m, M, N, D>,
    _reads: PhantomData<&'v ()>,
}

/// Where A is.
#[derive(Clone, Copy)]
struct Place {
    column: u32,
    matrix: u64,
}

impl<'m, 'v, const M: usize, const N: usize, D: Sum> Batch<'m, 'v, M, N, D>
where
    Columns<N>: HoldsSums<D>,
{
    #[inline(always)]
    pub(super) fn of(sums: Accumulator<'m, M, N, D>) -> Self {
        Batch {
            sums,
            _reads: PhantomData,
        }
    }

    /// Adds a product of operands in shared memory: `a · b`. PTX: `tcgen05.mma.cta_group::1`. Compute capability: 10.0a.
    ///
    /// ```compile_fail,E0277
    /// use warploom_device_std::{Bf16, F16, tcgen05::Batch, wgmma::{KMajor, Operand}};
    /// fn mixed<'v>(batch: Batch<'_, 'v, 128, 64, f32>, a: Operand<'v, F16, 128, KMajor>, b: Operand<'v, Bf16, 64, KMajor>) {
    ///     let _ = batch.multiply_add(a, b); // no tensor core multiplies `F16` with `Bf16`
    /// }
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn multiply_add<TA, TB, MA, MB>(
        self,
        a: Operand<'v, TA, M, MA>,
        b: Operand<'v, TB, N, MB>,
    ) -> Self
    where
        TA: Multiply<TB, D>,
        TB: Input,
        MA: Major,
        MB: Major,
    {
        self.issue::<Number<TA, 0, 0>, TA, TB, MA, MB>(in_shared(a), b)
    }

    /// Puts a product in the place of the matrix: `a · b`. What it was does not matter, so nothing has to be set to zero.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn multiply<TA, TB, MA, MB>(
        self,
        a: Operand<'v, TA, M, MA>,
        b: Operand<'v, TB, N, MB>,
    ) -> Self
    where
        TA: Multiply<TB, D>,
        TB: Input,
        MA: Major,
        MB: Major,
    {
        self.issue::<Number<TA, 0, 1>, TA, TB, MA, MB>(in_shared(a), b)
    }

    /// Performs an arrive operation on `barrier` when the products so far are complete: what they read may be written again then. PTX: `tcgen05.commit`.
    ///
    /// # Safety
    /// `barrier` is a barrier, as that of [`Accumulator::new`] is, of which no phase gets more arrivals than its count; its memory is used for nothing else until the arrival.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn arrive_after(&self, barrier: Mbarrier<'_>) {
        if linear_thread() == 0 {
            // SAFETY: the caller's promise.
            unsafe { raw::tcgen05_commit(barrier.as_ptr()) };
        }
    }

    /// Ends the batch: its products can be waited for. PTX: `tcgen05.commit`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn commit(self) -> InFlight<'m, 'v, M, N, D> {
        // SAFETY: the barrier of the matrix, whose phase has no other arrival.
        unsafe { self.arrive_after(self.sums.done) };
        InFlight {
            sums: self.sums,
            _reads: PhantomData,
        }
    }

    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    fn issue<C: Code, TA: Input, TB: Input, MA: Major, MB: Major>(
        self,
        a: Place,
        b: Operand<'v, TB, N, MB>,
    ) -> Self {
        let (d, b) = (self.sums.address, of_warp_group(b.descriptor()));
        let descriptor = const { instruction_descriptor::<M, N, D, TA, TB, MA, MB>() };
        if linear_thread() == 0 {
            // SAFETY: D has as many columns, and no thread accesses it before the commit; the operands are not written until then, since views promise it.
            unsafe { raw::tcgen05_product::<C>(d, a.column, a.matrix, b, descriptor) };
        }
        self
    }
}

impl<'v, const N: usize, D: Sum> Batch<'_, 'v, 128, N, D>
where
    Columns<N>: HoldsSums<D>,
{
    /// Adds a product of which A is in tensor memory.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn multiply_add_rows<TA, TB, MB>(
        self,
        a: RowsInMemory<'v, TA>,
        b: Operand<'v, TB, N, MB>,
    ) -> Self
    where
        TA: Multiply<TB, D>,
        TB: Input,
        MB: Major,
    {
        self.issue::<Number<TA, 1, 0>, TA, TB, KMajor, MB>(in_tensor_memory(a), b)
    }

    /// Puts a product of which A is in tensor memory in the place of the matrix.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn multiply_rows<TA, TB, MB>(
        self,
        a: RowsInMemory<'v, TA>,
        b: Operand<'v, TB, N, MB>,
    ) -> Self
    where
        TA: Multiply<TB, D>,
        TB: Input,
        MB: Major,
    {
        self.issue::<Number<TA, 1, 1>, TA, TB, KMajor, MB>(in_tensor_memory(a), b)
    }
}

#[inline(always)]
fn in_shared<T: Input, const M: usize, MA: Major>(a: Operand<'_, T, M, MA>) -> Place {
    Place {
        column: 0,
        matrix: of_warp_group(a.descriptor()),
    }
}

#[inline(always)]
fn in_tensor_memory<T: Input>(a: RowsInMemory<'_, T>) -> Place {
    Place {
        column: a.address,
        matrix: 0,
    }
}

impl<'m, const M: usize, const N: usize, D: Sum> InFlight<'m, '_, M, N, D>
where
    Columns<N>: HoldsSums<D>,
{
    /// Waits until the products are done, and gives the matrix back. PTX: `mbarrier.try_wait.parity`, `tcgen05.fence::after_thread_sync`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn wait(self) -> Accumulator<'m, M, N, D> {
        let Accumulator {
            address,
            done,
            parity,
            ..
        } = self.sums;
        // SAFETY: the barrier of the matrix: each thread waits for each of its phases, one after the other.
        unsafe { done.wait_parity(parity) };
        // SAFETY: in a kernel.
        unsafe { raw::tcgen05_after_sync() };
        Accumulator::at(address, done, parity ^ 1)
    }
}

/// The number of a product.
struct Number<TA, const IN_TENSOR_MEMORY: u32, const REPLACES: u32>(PhantomData<TA>);

impl<TA: Input, const IN_TENSOR_MEMORY: u32, const REPLACES: u32> Code
    for Number<TA, IN_TENSOR_MEMORY, REPLACES>
{
    const CODE: u32 = kind::<TA>() | IN_TENSOR_MEMORY << 2 | REPLACES << 3;
}
