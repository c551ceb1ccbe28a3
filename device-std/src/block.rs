//! The block as a group of threads, and the grid as a group of blocks.

use crate::index::linear_thread;
use crate::scope::{Brand, Tied};
use crate::{block_dim, block_idx, grid_dim, intrinsics as raw};

/// Waits until every thread of the block that has not returned arrives; orders memory accesses within the block.
///
/// All threads of the block that have not returned must call it equally often: if one never does, a GPU waits for ever and the
/// emulator reports a deadlock with the source location where each lane waits. A thread that returned or panicked counts as arrived.
/// CUDA: `__syncthreads`. PTX `barrier.cta.sync`, 6.0. Panics outside of a kernel.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::sync_threads;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     sync_threads(); // all 40 threads of the block
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub fn sync_threads() {
    // SAFETY: barrier 0 belongs to no tile.
    unsafe { raw::barrier(0) }
}

/// The block of this thread. A witness: comes as a kernel parameter.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DisjointSlice, PerBlock};
/// fn sizes(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
///     if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
///         *y = block.threads() as u32;
///     }
/// }
/// # let mut y = vec![0u32; 3];
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [3, 1, 1], block: [33, 2, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     sizes(Block::from_launch(), DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!(y, [66; 3]);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Clone, Copy)]
pub struct Block<'k> {
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for Block<'k> {}

impl<'k> Block<'k> {
    /// The thread's number in the block, x fastest: `0..threads()`.
    #[inline(always)]
    #[must_use]
    pub fn thread(self) -> usize {
        linear_thread() as usize
    }

    /// The number of threads of a block. CUDA: the product of `blockDim`.
    #[inline(always)]
    #[must_use]
    pub fn threads(self) -> usize {
        block_dim().count() as usize
    }

    /// The block's number in the grid, x fastest.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> usize {
        grid_dim().linear(block_idx()) as usize
    }

    /// The barrier of the block; see [`sync_threads`].
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn sync(self) {
        sync_threads();
    }

    /// In thread 0 of the block the right to the block's own element; `None` in the others.
    #[inline(always)]
    #[must_use]
    pub fn leader(self) -> Option<BlockLeader<'k>> {
        if linear_thread() == 0 {
            Some(BlockLeader {
                block: self.index(),
                _brand: self._brand,
            })
        } else {
            None
        }
    }

    /// # Safety
    /// Called by the code around a kernel.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        Block {
            _brand: Brand::new(),
        }
    }
}

/// Held by one thread of each block, thread 0: the right to the block's element of a [`crate::DisjointSlice`] by [`crate::PerBlock`].
///
/// ```compile_fail,E0277
/// fn kernel(block: warploom_device_std::Block) {
///     let leader = block.leader();
///     std::thread::scope(|scope| { scope.spawn(move || leader.map(|l| l.block())); });
/// }
/// ```
#[derive(Clone, Copy)]
pub struct BlockLeader<'k> {
    block: usize,
    _brand: Brand<'k>,
}

impl BlockLeader<'_> {
    /// The block's number in the grid, x fastest.
    #[inline(always)]
    #[must_use]
    pub fn block(self) -> usize {
        self.block
    }
}

/// The whole launch. A witness: comes as a kernel parameter.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::Grid;
/// run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
///     # let grid = unsafe { Grid::from_launch() };
///     assert_eq!((grid.blocks(), grid.threads()), (2, 80));
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Clone, Copy)]
pub struct Grid<'k> {
    _brand: Brand<'k>,
}

impl<'k> Tied<'k> for Grid<'k> {}

impl Grid<'_> {
    /// The number of blocks of the launch.
    #[inline(always)]
    #[must_use]
    pub fn blocks(self) -> usize {
        grid_dim().count() as usize
    }

    /// The thread's number in the launch: blocks in order, the threads of each x fastest.
    #[inline(always)]
    #[must_use]
    pub fn thread(self) -> usize {
        let block = grid_dim().linear(block_idx()) * block_dim().count();
        block as usize + linear_thread() as usize
    }

    /// The number of threads of the launch.
    #[inline(always)]
    #[must_use]
    pub fn threads(self) -> usize {
        self.blocks() * block_dim().count() as usize
    }

    /// # Safety
    /// Called by the code around a kernel.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch() -> Self {
        Grid {
            _brand: Brand::new(),
        }
    }
}
