//! What the rungs with `wgmma` share: tiles, the product of a stage, the order of tiles, stores.

use warploom::device_std::shared::{Swizzle128, SwizzledTile, SwizzledTiles};
use warploom::device_std::tma;
use warploom::device_std::wgmma::{Accumulator, Batch, WarpGroup};
use warploom::prelude::*;

/// Rows of a tile of C, 64 for each of two groups of warps.
pub(crate) const M: usize = 128;
/// Columns of a tile of C.
pub(crate) const N: usize = 256;
/// Columns of A and B in a stage.
pub(crate) const K: usize = 64;
/// Bytes that are copied for a stage.
pub(crate) const STAGE_BYTES: u32 = ((M + N) * K * 2) as u32;
/// Columns that a group stages at once for a store by bulk copies: 128 bytes.
pub(crate) const PIECE: usize = 64;

/// What is in the stages of a block.
#[derive(Clone, Copy)]
pub(crate) struct Tiles<'k, const STAGES: usize> {
    pub(crate) a: SwizzledTiles<'k, Bf16, M, K, Swizzle128, STAGES>,
    pub(crate) b: SwizzledTiles<'k, Bf16, N, K, Swizzle128, STAGES>,
}

/// Adds the products of a stage: 64 rows of A from `own` on with all of B.
///
/// # Safety
/// The copies that filled the stage have been waited for; it is filled again when its products have been.
#[inline(always)]
pub(crate) unsafe fn add_stage<'v, const STAGES: usize>(
    tiles: Tiles<'v, STAGES>,
    batch: Batch<'v, N, f32>,
    own: usize,
    stage: usize,
) -> Batch<'v, N, f32> {
    // SAFETY: the caller's promise.
    let a = unsafe { tiles.a.stage(stage).view() };
    // SAFETY: as above.
    let b = unsafe { tiles.b.stage(stage).view() };
    batch
        .multiply_add(a.rows(own, 0), b.rows(0, 0))
        .multiply_add(a.rows(own, 16), b.rows(0, 16))
        .multiply_add(a.rows(own, 32), b.rows(0, 32))
        .multiply_add(a.rows(own, 48), b.rows(0, 48))
}

/// Tiles of C: so many rows and columns of them, and how many rows are computed together, column by column.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) together: u32,
}

impl Order {
    /// Row and column of tile `number`, in tiles.
    #[inline(always)]
    pub(crate) fn place(self, number: u32) -> (usize, usize) {
        // At least 1: without a division by zero there is no panic in the kernel.
        let of_rows = (self.together * self.columns).max(1);
        let (first, within) = (number / of_rows * self.together, number % of_rows);
        let height = self.together.min(self.rows - first).max(1);
        (
            (first + within % height) as usize,
            (within / height) as usize,
        )
    }
}

#[inline(always)]
fn pair([left, right]: [f32; 2]) -> u32 {
    let bits = |x: f32| u32::from(Bf16::from_f32(x).to_bits());
    bits(left) | bits(right) << 16
}

/// Stores a group's sums, each lane its pairs of neighbours.
///
/// # Safety
/// C has `n` columns and these 64 rows and 256 columns, which are this group's alone.
#[inline(always)]
pub(crate) unsafe fn store_pairs(
    group: WarpGroup<'_>,
    sums: &Accumulator<N, f32>,
    c: *mut Bf16,
    (row, column): (usize, usize),
    n: usize,
) {
    let to = c.wrapping_add(row * n + column);
    sums.for_each_pair(group, |row, column, sums| {
        let to = to.wrapping_add(row * n + column).cast::<u32>();
        // SAFETY: two elements of the tile (the caller's promise), aligned since all extents are even.
        unsafe { to.write(pair(sums)) };
    });
}

/// Stores a group's sums by bulk copies of 64 rows and 64 columns, through two pieces of shared memory in turn.
///
/// # Safety
/// All threads of the group. `staged` is the group's own; the barrier 1 plus the number of the group is used for nothing else. The rest as for [`store_pairs`].
#[inline(always)]
pub(crate) unsafe fn store_in_bulk<const ID: u32>(
    group: WarpGroup<'_>,
    sums: &Accumulator<N, f32>,
    c: TensorTarget<'_, Bf16, 2>,
    (row, column): (usize, usize),
    staged: SwizzledTiles<'_, Bf16, 64, PIECE, Swizzle128, 2>,
) {
    let first = group.thread() == 0;
    macro_rules! pieces {
        ($($piece:literal)*) => {$(
            let tile = staged.stage($piece % 2);
            if first {
                // SAFETY: copies of this thread, promised where they begin.
                unsafe { tma::wait_group_read::<1>() };
            }
            // SAFETY: the barrier is this group's (the caller's promise).
            unsafe { group.sync::<ID>() };
            sums.for_each_pair(group, |row, column, sums| {
                if column / PIECE == $piece {
                    let offset = SwizzledTile::<Bf16, 64, PIECE, Swizzle128>::offset(row, column % PIECE);
                    // SAFETY: two elements of the piece that are this thread's alone: the copy that read it has been waited for.
                    unsafe { tile.as_ptr().wrapping_add(offset).cast::<u32>().write(pair(sums)) };
                }
            });
            tma::fence_proxy_async();
            // SAFETY: as above.
            unsafe { group.sync::<ID>() };
            if first {
                // SAFETY: all threads have written the piece and fenced; the elements are this group's alone.
                unsafe { c.store(tile.as_ptr(), [(column + $piece * PIECE) as i32, row as i32]) };
                // SAFETY: this thread has no other groups.
                unsafe { tma::commit_group() };
            }
        )*};
    }
    pieces!(0 1 2 3);
}
