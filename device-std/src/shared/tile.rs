//! Shared memory in phases: each thread writes its own slots, a barrier, all read, a barrier, and so on.
//!
//! Why a tile is sound is said in `phases.rs`; the whole argument is in docs/safety.md.

use super::phases::{Publish, Reclaim, TileBarrier, TileName, sealed};
use super::slots::Slots;
use crate::const_text::Text;
use crate::scope::{Brand, Tied};
use crate::{Block, Plain};
use core::ops::Deref;

/// `N` elements shared by a block, while each thread writes its own slots. No thread reads before [`publish`](Self::publish).
///
/// Slots belong to threads in turn: of a block of `B` threads, thread `t` owns the slots `t`, `t + B`, `t + 2 * B` …
/// A slot that was not written holds an unspecified value. At most seven tiles per kernel.
/// Each phase costs a barrier. [`DoubleTile`](super::DoubleTile) needs one barrier where this needs two, and twice the memory; several
/// tiles change their phase at one barrier by [`Publish`] and [`Reclaim`].
/// CUDA: `__shared__ T tile[N]`, one of the block's 16 named barriers. Compute capability: 7.5, as everything here.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DisjointSlice, Index1D, SharedTile};
/// fn reverse(i: Index1D, block: Block, mut tile: SharedTile<u32, 64>, x: &[u32], mut y: DisjointSlice<u32>) {
///     let start = block.index() * 64;
///     tile.fill(|slot| x[start + slot]);
///     let tile = tile.publish(&block); // from here all may read
///     if let Some(y) = y.get_mut(i) {
///         *y = tile[63 - block.thread()];
///     }
/// }
/// # enum Site {}
/// # impl warploom_device_std::shared::TileName for Site { const NAME: &'static str = "tile"; const TILES: u32 = 1; }
/// # let (x, mut y) = (Vec::from_iter(0..192u32), vec![0u32; 192]);
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # let shape = Shape { grid: [3, 1, 1], block: [64, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// # run(shape, &|| unsafe {
/// #     reverse(Index1D::from_launch(), Block::from_launch(), SharedTile::from_launch::<0, Site>(), &x,
/// #         DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!((y[0], y[63], y[64]), (63, 0, 127));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Writing after publishing:
/// ```compile_fail,E0382
/// use warploom_device_std::{Block, SharedTile};
/// fn kernel(block: Block, mut tile: SharedTile<u32, 64>) {
///     let view = tile.publish(&block);
///     tile.set_own(0, view[0]);
/// }
/// ```
/// Reading before:
/// ```compile_fail,E0608
/// fn kernel(tile: warploom_device_std::SharedTile<u32, 64>) -> u32 { tile[0] }
/// ```
/// Keeping what was read over the next phase:
/// ```compile_fail,E0505
/// use warploom_device_std::{Block, SharedTile};
/// fn kernel(block: Block, tile: SharedTile<u32, 64>) -> u32 {
///     let view = tile.publish(&block);
///     let kept: &[u32] = &view;
///     let mut tile = view.reclaim(&block);
///     tile.set_own(0, 1);
///     kept[1]
/// }
/// ```
/// Keeping it longer than the view:
/// ```compile_fail,E0515
/// use warploom_device_std::{Block, SharedTile};
/// fn kernel<'k>(block: Block<'k>, tile: SharedTile<'k, u32, 64>) -> &'k [u32] {
///     let view = tile.publish(&block);
///     &*view
/// }
/// ```
/// Types that an unwritten slot could break:
/// ```compile_fail,E0277
/// fn kernel(tile: warploom_device_std::SharedTile<&'static u32, 64>) {}
/// ```
/// Two copies of one tile:
/// ```compile_fail,E0599
/// fn kernel(tile: warploom_device_std::SharedTile<u32, 64>) { let copy = tile.clone(); }
/// ```
/// A tile of one's own:
/// ```compile_fail,E0133
/// let tile: warploom_device_std::SharedTile<u32, 64> = warploom_device_std::SharedTile::from_launch::<0, ()>();
/// ```
#[must_use = "no thread can read a tile before it is published"]
pub struct SharedTile<'k, T: Plain, const N: usize> {
    slots: Slots<T, N>,
    barrier: TileBarrier,
    _brand: Brand<'k>,
}

impl<'k, T: Plain, const N: usize> Tied<'k> for SharedTile<'k, T, N> {}

impl<'k, T: Plain, const N: usize> SharedTile<'k, T, N> {
    /// The number of slots.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are no slots.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }

    /// Writes all slots of this thread. When every thread of the block does so, all `N` slots are written.
    #[inline(always)]
    pub fn fill(&mut self, value: impl FnMut(usize) -> T) {
        // SAFETY: this thread's slots, which no thread reads before the next publish.
        unsafe { self.slots.fill(value) };
    }

    /// Writes the `k`-th slot of this thread: slot `t + k * B` of thread `t` in a block of `B`.
    ///
    /// # Panics
    /// When that slot is not below `N`, as an index out of bounds; the message names both.
    #[inline(always)]
    #[track_caller]
    pub fn set_own(&mut self, k: usize, value: T) {
        // SAFETY: as for `fill`.
        unsafe { self.slots.set_own(k, value) };
    }

    /// The `k`-th slot of this thread, as this thread wrote it last.
    ///
    /// # Panics
    /// As [`set_own`](Self::set_own).
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn get_own(&self, k: usize) -> T {
        // SAFETY: this thread's slots, which no other thread writes.
        unsafe { self.slots.get_own(k) }
    }

    /// Waits until every thread of the block published or returned; then all may read.
    ///
    /// All threads of the block that have not returned must publish and reclaim equally often: if one never does, a GPU waits for
    /// ever and the emulator reports a deadlock.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn publish(self, block: &Block<'_>) -> TileView<'k, T, N> {
        Publish::publish(self, block)
    }

    /// # Safety
    /// Called by the code around a kernel, once in each thread for each `ORDINAL` of the kernel; `Site` belongs to this kernel with
    /// these types. No other code of the kernel uses the barriers of its tiles (see [`TileName::TILES`]).
    #[doc(hidden)]
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn from_launch<const ORDINAL: u32, Site: TileName>() -> Self {
        const {
            super::refuse_oversized::<T, N>(
                Text::new()
                    .with("the shared tile `")
                    .with(Site::NAME)
                    .with("` has "),
                " slots",
                "take a smaller tile and fill it several times",
            );
        };
        SharedTile {
            slots: Slots::of_site::<ORDINAL, Site>(),
            barrier: const { TileBarrier::of::<Site>(ORDINAL) },
            _brand: Brand::new(),
        }
    }
}

impl<T: Plain, const N: usize> sealed::Phase for SharedTile<'_, T, N> {
    #[inline(always)]
    fn barrier(&self) -> TileBarrier {
        self.barrier
    }
}

impl<'k, T: Plain, const N: usize> Publish for SharedTile<'k, T, N> {
    type Published = TileView<'k, T, N>;

    #[inline(always)]
    unsafe fn after_barrier(self) -> TileView<'k, T, N> {
        TileView {
            tile: SharedTile {
                slots: self.slots.after_barrier(),
                ..self
            },
        }
    }
}

/// A published [`SharedTile`]: all threads of the block read it, none writes. Derefs to `[T]`, of length `N`.
///
/// ```
/// use warploom_device_std::{Block, SharedTile, TileView};
/// fn sum<'k>(block: Block<'k>, tile: SharedTile<'k, f32, 64>) -> f32 {
///     let view: TileView<'k, f32, 64> = tile.publish(&block);
///     view.iter().sum()
/// }
/// ```
#[must_use = "publishing without reading costs a barrier"]
pub struct TileView<'k, T: Plain, const N: usize> {
    tile: SharedTile<'k, T, N>,
}

impl<'k, T: Plain, const N: usize> TileView<'k, T, N> {
    /// Waits until every thread of the block reclaimed or returned; then each may write its own slots again.
    ///
    /// The old values stay in the slots that are not written anew.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn reclaim(self, block: &Block<'_>) -> SharedTile<'k, T, N> {
        Reclaim::reclaim(self, block)
    }
}

impl<T: Plain, const N: usize> sealed::Phase for TileView<'_, T, N> {
    #[inline(always)]
    fn barrier(&self) -> TileBarrier {
        self.tile.barrier
    }
}

impl<'k, T: Plain, const N: usize> Reclaim for TileView<'k, T, N> {
    type Reclaimed = SharedTile<'k, T, N>;

    #[inline(always)]
    unsafe fn after_barrier(self) -> SharedTile<'k, T, N> {
        SharedTile {
            slots: self.tile.slots.after_barrier(),
            ..self.tile
        }
    }
}

impl<T: Plain, const N: usize> Deref for TileView<'_, T, N> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: no thread writes while this view exists (docs/safety.md), and the slice ends with the borrow of the view.
        unsafe { self.tile.slots.as_slice() }
    }
}
