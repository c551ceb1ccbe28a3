//! Four warps that work together.

use super::accumulator::{Accumulator, Columns, HoldsSums};
use super::batch::Batch;
use super::types::Sum;
use crate::Block;
use crate::index::linear_thread;
use crate::intrinsics::{self as raw, Code};
use crate::scope::{Brand, Tied};
use core::marker::PhantomData;

/// Four warps of a block, 128 threads whose numbers follow each other from a multiple of 128 on. PTX: a warpgroup.
///
/// What is done with it, all 128 threads do together, with the same operands: where threads are missing or do something else, a GPU waits for ever or gives
/// unspecified numbers; the emulator reports it.
#[derive(Clone, Copy)]
pub struct WarpGroup<'k> {
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for WarpGroup<'k> {}

impl<'k> WarpGroup<'k> {
    /// Threads of a group.
    pub const THREADS: usize = 128;

    /// The group of this thread. The block has a multiple of 128 threads.
    #[inline(always)]
    #[must_use]
    pub fn new(_block: Block<'k>) -> Self {
        WarpGroup {
            _brand: Brand::new(),
        }
    }

    /// The number of the group in its block. The same in all lanes of a warp as the compiler sees it too, so that a branch on it is none to it.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> usize {
        let own = linear_thread() / 128;
        // SAFETY: lanes that do not come leave a number without meaning.
        unsafe { raw::shuffle_idx(u32::MAX, own, 0, 31) as usize }
    }

    /// The thread's number in the group.
    #[inline(always)]
    #[must_use]
    pub fn thread(self) -> usize {
        linear_thread() as usize % 128
    }

    /// Whether this lane is the one that was chosen of its warp: for what one thread does for all, as bulk copies. PTX: `elect.sync`. Compute capability: 9.0.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use]
    pub fn elected(self) -> bool {
        // SAFETY: lanes that do not come leave an answer without meaning.
        unsafe { raw::elect_one() }
    }

    /// Waits for the other threads of the group at the block's barrier `ID`, which orders their accesses to memory. PTX: `bar.sync ID, 128`.
    ///
    /// # Safety
    /// `ID` is 1 to 15. Nothing else uses this barrier of the block: no tile of the kernel and no other group.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn sync<const ID: u32>(self) {
        const {
            assert!(
                ID > 0 && ID < 16,
                "a block has the barriers 1 to 15 beside its own"
            )
        };
        // SAFETY: the caller's promise.
        unsafe { raw::barrier_sync_threads(ID, 128) }
    }

    /// Begins to add products to `sums`: orders what was done to its registers before them. PTX: `wgmma.fence`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn begin<'v, const N: usize, D: Sum>(self, sums: Accumulator<N, D>) -> Batch<'v, N, D>
    where
        Columns<N>: HoldsSums<D>,
    {
        Batch::begin(sums)
    }

    /// Gives registers back to the multiprocessor until each thread has `COUNT`: those that other groups ask for. PTX: `setmaxnreg.dec`. Compute capability: 9.0a.
    ///
    /// `COUNT` is a multiple of 8 from 24 to 256. The kernel has a bound of registers (`#[kernel(block(..), max_registers = ..)]` or the number of its threads),
    /// and none of the group's threads uses more from here on. On the emulator nothing happens.
    ///
    /// # Safety
    /// All threads of the group make this call together, and none has fewer registers before.
    #[inline(always)]
    pub unsafe fn decrease_registers<const COUNT: u32>(self) {
        // SAFETY: the caller's promise.
        unsafe { raw::set_registers::<Count<COUNT, 0>>() }
    }

    /// Waits until each thread of the group can have `COUNT` registers. PTX: `setmaxnreg.inc`. Compute capability: 9.0a.
    ///
    /// # Safety
    /// As [`decrease_registers`](Self::decrease_registers), and other groups have given back as many as are asked for.
    #[inline(always)]
    pub unsafe fn increase_registers<const COUNT: u32>(self) {
        // SAFETY: the caller's promise.
        unsafe { raw::set_registers::<Count<COUNT, 1>>() }
    }
}

/// The number of `setmaxnreg`.
struct Count<const COUNT: u32, const UP: u32>(PhantomData<()>);

impl<const COUNT: u32, const UP: u32> Code for Count<COUNT, UP> {
    const CODE: u32 = {
        assert!(
            COUNT >= 24 && COUNT <= 256 && COUNT.is_multiple_of(8),
            "a thread of a warp group has 24 to 256 registers, a multiple of 8"
        );
        COUNT | UP << 16
    };
}
