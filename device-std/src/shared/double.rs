//! Two buffers that take turns: one is read while the other is written, and one barrier exchanges them.

use super::phases::{Publish, TileBarrier, TileName, sealed};
use super::slots::Slots;
use crate::const_text::Text;
use crate::scope::{Brand, Tied};
use crate::{Block, Plain};
use core::ops::Deref;

/// Two buffers of `N` elements shared by a block, before the first is published: each thread writes its own slots of that one.
///
/// For loops in which each step reads what all threads wrote in the step before. A [`SharedTile`](super::SharedTile) has two barriers for each
/// such step, this has one: [`publish`](Self::publish) makes a [`DoubleView`], which reads one buffer while it writes the other, and
/// [`DoubleView::publish`] exchanges them. Slots belong to threads as those of a `SharedTile` do, and slots that were not written hold an
/// unspecified value. Takes `2 * N * size_of::<T>()` bytes of shared memory, and counts as one of the kernel's seven tiles.
/// CUDA: `__shared__ T tile[2][N]`, one `__syncthreads` for each step. Compute capability: 7.5.
///
/// Each step adds the neighbour at twice the distance, so that thread `t` ends with the sum of `0..=t`:
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DisjointSlice, DoubleTile, Index1D};
/// fn sums(i: Index1D, block: Block, mut tile: DoubleTile<u32, 64>, mut y: DisjointSlice<u32>) {
///     let t = block.thread();
///     tile.set_own(0, t as u32);
///     let mut tile = tile.publish(&block);
///     let mut distance = 1;
///     while distance < 64 {
///         let other = if t >= distance { tile[t - distance] } else { 0 };
///         tile.set_own(0, tile[t] + other); // of the other buffer
///         tile.publish(&block); // the only barrier of the step
///         distance *= 2;
///     }
///     if let Some(y) = y.get_mut(i) {
///         *y = tile[t];
///     }
/// }
/// # enum Site {}
/// # impl warploom_device_std::shared::TileName for Site { const NAME: &'static str = "tile"; const TILES: u32 = 1; }
/// # let mut y = vec![0u32; 128];
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # run(Shape::new([2, 1, 1], [64, 1, 1]), &|| unsafe {
/// #     sums(Index1D::from_launch(), Block::from_launch(), DoubleTile::from_launch::<0, Site>(),
/// #         DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert!(y.iter().enumerate().all(|(i, y)| *y as usize == (i % 64) * (i % 64 + 1) / 2));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Reading before the first publish:
/// ```compile_fail,E0608
/// fn kernel(tile: warploom_device_std::DoubleTile<u32, 64>) -> u32 { tile[0] }
/// ```
/// Keeping what was read over the exchange, behind which other threads write it:
/// ```compile_fail,E0502
/// use warploom_device_std::{Block, DoubleTile};
/// fn kernel(block: Block, tile: DoubleTile<u32, 64>) -> u32 {
///     let mut view = tile.publish(&block);
///     let kept: &[u32] = &view;
///     view.publish(&block);
///     kept[1]
/// }
/// ```
/// Two copies of one tile:
/// ```compile_fail,E0599
/// use warploom_device_std::{Block, DoubleTile};
/// fn kernel(block: Block, tile: DoubleTile<u32, 64>) { let copy = tile.publish(&block).clone(); }
/// ```
/// A slot of another thread:
/// ```compile_fail,E0594
/// use warploom_device_std::{Block, DoubleTile};
/// fn kernel(block: Block, tile: DoubleTile<u32, 64>) {
///     let mut view = tile.publish(&block);
///     view[0] = 1;
/// }
/// ```
/// A tile of one's own:
/// ```compile_fail,E0133
/// let tile: warploom_device_std::DoubleTile<u32, 64> = warploom_device_std::DoubleTile::from_launch::<0, ()>();
/// ```
#[must_use = "no thread can read a tile before it is published"]
pub struct DoubleTile<'k, T: Plain, const N: usize> {
    buffers: Buffers<T, N>,
    _brand: Brand<'k>,
}

/// What is read and what is written. Both may be exchanged at the tile's barrier alone.
struct Buffers<T, const N: usize> {
    shown: Slots<T, N>,
    next: Slots<T, N>,
    barrier: TileBarrier,
}

impl<'k, T: Plain, const N: usize> Tied<'k> for DoubleTile<'k, T, N> {}

impl<'k, T: Plain, const N: usize> DoubleTile<'k, T, N> {
    /// The number of slots of a buffer.
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
        // SAFETY: this thread's slots of a buffer that no thread reads before the next publish.
        unsafe { self.buffers.next.fill(value) };
    }

    /// Writes the `k`-th slot of this thread: slot `t + k * B` of thread `t` in a block of `B`.
    ///
    /// # Panics
    /// When that slot is not below `N`, as an index out of bounds; the message names both.
    #[inline(always)]
    #[track_caller]
    pub fn set_own(&mut self, k: usize, value: T) {
        // SAFETY: as for `fill`.
        unsafe { self.buffers.next.set_own(k, value) };
    }

    /// Waits until every thread of the block published or returned; then all may read what was written.
    ///
    /// All threads of the block that have not returned must publish equally often: if one never does, a GPU waits for ever and the
    /// emulator reports a deadlock.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn publish(self, block: &Block<'_>) -> DoubleView<'k, T, N> {
        Publish::publish(self, block)
    }

    /// # Safety
    /// As [`SharedTile::from_launch`](super::SharedTile::from_launch).
    #[doc(hidden)]
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn from_launch<const ORDINAL: u32, Site: TileName>() -> Self {
        const {
            super::refuse_oversized::<[T; 2], N>(
                Text::new()
                    .with("the double tile `")
                    .with(Site::NAME)
                    .with("` has "),
                " pairs of slots",
                "take a smaller tile and fill it several times",
            );
        };
        let [shown, next] = Slots::two_of_site::<ORDINAL, Site>();
        DoubleTile {
            buffers: Buffers {
                shown,
                next,
                barrier: const { TileBarrier::of::<Site>(ORDINAL) },
            },
            _brand: Brand::new(),
        }
    }
}

impl<T: Plain, const N: usize> Buffers<T, N> {
    /// The buffers behind the barrier: all read what was written, and write what was read.
    #[inline(always)]
    fn exchange(&mut self) {
        let (shown, next) = (self.next, self.shown);
        (self.shown, self.next) = (shown.after_barrier(), next.after_barrier());
    }
}

impl<T: Plain, const N: usize> sealed::Phase for DoubleTile<'_, T, N> {
    #[inline(always)]
    fn barrier(&self) -> TileBarrier {
        self.buffers.barrier
    }
}

impl<'k, T: Plain, const N: usize> Publish for DoubleTile<'k, T, N> {
    type Published = DoubleView<'k, T, N>;

    #[inline(always)]
    unsafe fn after_barrier(mut self) -> DoubleView<'k, T, N> {
        self.buffers.exchange();
        DoubleView { tile: self }
    }
}

/// A published [`DoubleTile`]: all threads of the block read one buffer, and each writes its own slots of the other.
///
/// Derefs to the buffer that is read, a `[T]` of length `N`. Slots that are not written before the next [`publish`](Self::publish) keep what
/// they held two steps before.
///
/// ```
/// use warploom_device_std::{Block, DoubleTile, DoubleView};
/// fn smooth<'k>(block: Block<'k>, tile: DoubleTile<'k, f32, 66>) -> DoubleView<'k, f32, 66> {
///     let mut view = tile.publish(&block);
///     for _ in 0..10 {
///         view.fill(|shown, slot| {
///             if slot == 0 || slot == 65 { shown[slot] } else { (shown[slot - 1] + shown[slot + 1]) / 2.0 }
///         });
///         view.publish(&block);
///     }
///     view
/// }
/// ```
#[must_use = "publishing without reading costs a barrier"]
pub struct DoubleView<'k, T: Plain, const N: usize> {
    tile: DoubleTile<'k, T, N>,
}

impl<T: Plain, const N: usize> DoubleView<'_, T, N> {
    /// Writes all slots of this thread in the other buffer: `value` takes what is shown, and the number of the slot.
    #[inline(always)]
    pub fn fill(&mut self, mut value: impl FnMut(&[T], usize) -> T) {
        // SAFETY: as for `deref`; the slice ends with this call.
        let shown = unsafe { self.tile.buffers.shown.as_slice() };
        // SAFETY: this thread's slots of a buffer that no thread reads before the next publish.
        unsafe { self.tile.buffers.next.fill(|slot| value(shown, slot)) };
    }

    /// Writes the `k`-th slot of this thread in the other buffer: slot `t + k * B` of thread `t` in a block of `B`.
    ///
    /// # Panics
    /// When that slot is not below `N`, as an index out of bounds; the message names both.
    #[inline(always)]
    #[track_caller]
    pub fn set_own(&mut self, k: usize, value: T) {
        self.tile.set_own(k, value);
    }

    /// Waits until every thread of the block published or returned; then all read what was written, and write the buffer that was read.
    ///
    /// See [`DoubleTile::publish`].
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn publish(&mut self, block: &Block<'_>) {
        Publish::publish(self, block);
    }
}

impl<T: Plain, const N: usize> sealed::Phase for &mut DoubleView<'_, T, N> {
    #[inline(always)]
    fn barrier(&self) -> TileBarrier {
        self.tile.buffers.barrier
    }
}

impl<T: Plain, const N: usize> Publish for &mut DoubleView<'_, T, N> {
    type Published = ();

    #[inline(always)]
    unsafe fn after_barrier(self) {
        self.tile.buffers.exchange();
    }
}

impl<T: Plain, const N: usize> Deref for DoubleView<'_, T, N> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: no thread writes this buffer before the next publish (docs/safety.md), which takes the view by `&mut`: the slice has ended.
        unsafe { self.tile.buffers.shown.as_slice() }
    }
}
