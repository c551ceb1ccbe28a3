//! Shared memory in phases whose parts belong to warps: what tensor cores compute, before the block reads it.

use super::phases::{Publish, Reclaim, TileBarrier, TileName, sealed};
use super::slots::Slots;
use crate::const_text::Text;
use crate::scope::{Brand, Tied};
use crate::warp::WarpPatch;
use crate::{Block, Plain, Warp};
use core::ops::Deref;

/// `PATCHES` rectangles of `ROWS` rows and `COLUMNS` columns shared by a block, while each warp stores fragments into its own.
///
/// As [`SharedTile`](crate::SharedTile), with warps in the place of threads: rectangle `w` belongs to warp `w` of the block, and no thread reads before
/// [`publish`](Self::publish). One of the at most seven tiles of a kernel. Rows are neighbours in memory; `COLUMNS` is a multiple of 16 bytes and may be more than
/// a fragment has, so that columns of it lie in different banks. What was not stored holds an unspecified value.
/// CUDA: `__shared__ T tile[PATCHES][ROWS][COLUMNS]`, `wmma::store_matrix_sync` to `tile[warp]`, then `__syncthreads`. Compute capability: 7.5.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
/// use warploom_device_std::{Block, DisjointSlice, Index1D, SharedPatches, Warp};
/// /// The first row of each warp's sums, one after the other.
/// fn rows(i: Index1D, warp: Warp, block: Block, mut tile: SharedPatches<f32, 16, 20, 2>, mut y: DisjointSlice<f32>) {
///     let sums = Fragment::<Accumulator, M16N16K16, f32>::filled(warp.index() as f32);
///     if let Some(mut patch) = tile.get_mut(warp) {
///         sums.store(warp, &mut patch, (0, 0), RowMajor);
///     }
///     let tile = tile.publish(&block); // from here all threads read
///     if let (Some(y), t) = (y.get_mut(i), block.thread()) {
///         *y = tile.patch(1 - t / 32)[0][t % 16];
///     }
/// }
/// # enum Site {}
/// # impl warploom_device_std::shared::TileName for Site { const NAME: &'static str = "tile"; const TILES: u32 = 1; }
/// # let mut y = [9f32; 128];
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # run(Shape::new([2, 1, 1], [64, 1, 1]), &|| unsafe {
/// #     rows(Index1D::from_launch(), Warp::from_launch(), Block::from_launch(), SharedPatches::from_launch::<0, Site>(),
/// #         DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # assert_eq!((y[0], y[31], y[32], y[64]), (1.0, 1.0, 0.0, 1.0));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Storing after publishing:
/// ```compile_fail,E0382
/// use warploom_device_std::{Block, SharedPatches, Warp};
/// fn kernel(warp: Warp, block: Block, mut tile: SharedPatches<f32, 16, 16, 2>) {
///     let view = tile.publish(&block);
///     let _ = tile.get_mut(warp);
/// }
/// ```
/// Keeping the warp's part over the barrier:
/// ```compile_fail,E0505
/// use warploom_device_std::{Block, SharedPatches, Warp};
/// use warploom_device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
/// fn kernel(warp: Warp, block: Block, mut tile: SharedPatches<f32, 16, 16, 2>, sums: Fragment<Accumulator, M16N16K16, f32>) {
///     let Some(mut patch) = tile.get_mut(warp) else { return };
///     let view = tile.publish(&block);
///     sums.store(warp, &mut patch, (0, 0), RowMajor);
/// }
/// ```
#[must_use = "no thread reads it before it is published"]
pub struct SharedPatches<
    'k,
    T: Plain,
    const ROWS: usize,
    const COLUMNS: usize,
    const PATCHES: usize,
> {
    slots: Slots<[[T; COLUMNS]; ROWS], PATCHES>,
    barrier: TileBarrier,
    _brand: Brand<'k>,
}

impl<'k, T: Plain, const R: usize, const C: usize, const P: usize> Tied<'k>
    for SharedPatches<'k, T, R, C, P>
{
}

impl<'k, T: Plain, const R: usize, const C: usize, const P: usize> SharedPatches<'k, T, R, C, P> {
    /// The rectangle of the warp, or `None` if there are not so many.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, warp: Warp<'_>) -> Option<WarpPatch<'_, T, R, C>> {
        let number = warp.index() as usize;
        if number >= P {
            return None;
        }
        // SAFETY: within the tile.
        let start = unsafe { self.slots.start().add(number) };
        // SAFETY: no other warp of the block has this number, and no thread reads before the next publish; `self` stays borrowed.
        Some(unsafe { WarpPatch::new(start.cast(), C, (0, 0)) })
    }

    /// Waits until every thread of the block published or returned; then all may read. See [`SharedTile::publish`](crate::SharedTile::publish).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn publish(self, block: &Block<'_>) -> PatchesView<'k, T, R, C, P> {
        Publish::publish(self, block)
    }

    /// # Safety
    /// As [`SharedTile::from_launch`](crate::SharedTile::from_launch).
    #[doc(hidden)]
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn from_launch<const ORDINAL: u32, Site: TileName>() -> Self {
        const {
            assert!(
                (size_of::<T>() * C).is_multiple_of(16),
                "a row of shared patches is a multiple of 16 bytes"
            );
            super::refuse_oversized::<[[T; C]; R], P>(
                Text::new()
                    .with("the shared tile `")
                    .with(Site::NAME)
                    .with("` has "),
                " patches",
                "take fewer or smaller ones",
            );
        };
        SharedPatches {
            slots: Slots::of_site::<ORDINAL, Site>(),
            barrier: const { TileBarrier::of::<Site>(ORDINAL) },
            _brand: Brand::new(),
        }
    }
}

impl<T: Plain, const R: usize, const C: usize, const P: usize> sealed::Phase
    for SharedPatches<'_, T, R, C, P>
{
    #[inline(always)]
    fn barrier(&self) -> TileBarrier {
        self.barrier
    }
}

impl<'k, T: Plain, const R: usize, const C: usize, const P: usize> Publish
    for SharedPatches<'k, T, R, C, P>
{
    type Published = PatchesView<'k, T, R, C, P>;

    #[inline(always)]
    unsafe fn after_barrier(self) -> PatchesView<'k, T, R, C, P> {
        PatchesView {
            tile: SharedPatches {
                slots: self.slots.after_barrier(),
                ..self
            },
        }
    }
}

/// Published [`SharedPatches`]: all threads of the block read them, none writes. Derefs to `[T]`, rectangle by rectangle and row by row.
///
/// ```
/// use warploom_device_std::shared::PatchesView;
/// fn sum(view: &PatchesView<'_, f32, 16, 16, 4>) -> f32 {
///     view.iter().sum()
/// }
/// ```
#[must_use = "publishing without reading costs a barrier"]
pub struct PatchesView<'k, T: Plain, const ROWS: usize, const COLUMNS: usize, const PATCHES: usize>
{
    tile: SharedPatches<'k, T, ROWS, COLUMNS, PATCHES>,
}

impl<'k, T: Plain, const R: usize, const C: usize, const P: usize> PatchesView<'k, T, R, C, P> {
    /// The rectangle of warp `number` of the block.
    ///
    /// # Panics
    /// When `number` is not below the number of rectangles, as an index out of bounds.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn patch(&self, number: usize) -> &[[T; C]; R] {
        &self.patches()[number]
    }

    /// Waits until every thread of the block reclaimed or returned; then each warp may store into its rectangle again.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn reclaim(self, block: &Block<'_>) -> SharedPatches<'k, T, R, C, P> {
        Reclaim::reclaim(self, block)
    }

    #[inline(always)]
    fn patches(&self) -> &[[[T; C]; R]] {
        // SAFETY: no thread writes while this view exists (docs/safety.md), and the slice ends with the borrow of the view.
        unsafe { self.tile.slots.as_slice() }
    }
}

impl<T: Plain, const R: usize, const C: usize, const P: usize> sealed::Phase
    for PatchesView<'_, T, R, C, P>
{
    #[inline(always)]
    fn barrier(&self) -> TileBarrier {
        self.tile.barrier
    }
}

impl<'k, T: Plain, const R: usize, const C: usize, const P: usize> Reclaim
    for PatchesView<'k, T, R, C, P>
{
    type Reclaimed = SharedPatches<'k, T, R, C, P>;

    #[inline(always)]
    unsafe fn after_barrier(self) -> SharedPatches<'k, T, R, C, P> {
        SharedPatches {
            slots: self.tile.slots.after_barrier(),
            ..self.tile
        }
    }
}

impl<T: Plain, const R: usize, const C: usize, const P: usize> Deref
    for PatchesView<'_, T, R, C, P>
{
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        self.patches().as_flattened().as_flattened()
    }
}
