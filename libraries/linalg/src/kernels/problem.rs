//! What all kernels are told: sizes, distances, which tile is whose.

use warploom::prelude::*;

/// Bias for nothing, for each row, for each column.
pub(crate) const NO_BIAS: u32 = 0;
/// An element of the bias for each row of the matrix that the kernel writes.
pub(crate) const ROW_BIAS: u32 = 1;
/// An element of the bias for each column of the matrix that the kernel writes.
pub(crate) const COLUMN_BIAS: u32 = 2;

/// A product as a kernel sees it, which writes rows: those of the transposed product if the caller's result is column-major.
#[repr(C)]
#[derive(Clone, Copy, Debug, KernelArg)]
pub(crate) struct Problem {
    /// Elements from one line of A to the next.
    pub lda: u64,
    /// Elements from one line of B to the next.
    pub ldb: u64,
    /// Elements from one row of C to the next.
    pub ldc: u64,
    /// Elements from one A to the next.
    pub stride_a: u64,
    /// Elements from one B to the next.
    pub stride_b: u64,
    /// Elements from one C to the next.
    pub stride_c: u64,
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A and rows of B.
    pub k: u32,
    /// Rows of tiles.
    pub tiles_m: u32,
    /// Columns of tiles.
    pub tiles_n: u32,
    /// Rows of tiles that are done together, column by column, so that tiles that run at the same time share operands in the second cache.
    pub group: u32,
    /// Parts of K, each done by a block of its own.
    pub splits: u32,
    /// Length of a part of K: a multiple of that of a tile.
    pub part: u32,
    /// Number of the first matrix of this launch.
    pub first_batch: u32,
    /// Whether rows and columns of the caller's result are exchanged.
    pub exchanged: u32,
    /// One of the constants above.
    pub bias: u32,
    /// No meaning: there are no bytes of padding.
    pub unused: u32,
}

/// What a block does.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// The row of tiles.
    pub(crate) tile_m: u32,
    /// The column of tiles.
    pub(crate) tile_n: u32,
    /// The part of K.
    pub(crate) split: u32,
    /// The number of the matrix.
    pub(crate) batch: usize,
    /// The first of K.
    pub(crate) k_start: u32,
    /// Behind the last of K.
    pub(crate) k_end: u32,
}

impl Problem {
    /// What the block with these indices does.
    #[inline(always)]
    pub(crate) fn work(&self, x: u32, y: u32) -> Work {
        // At least 1, as all three are: without a division by zero there is no panic in the kernel.
        let tiles = (self.tiles_m * self.tiles_n).max(1);
        let (split, tile) = (x / tiles, x % tiles);
        let in_group = (self.group * self.tiles_n).max(1);
        let first = tile / in_group * self.group;
        let (rows, within) = (self.group.min(self.tiles_m - first).max(1), tile % in_group);
        let k_start = split * self.part;
        Work {
            tile_m: first + within % rows,
            tile_n: within / rows,
            split,
            batch: self.first_batch as usize + y as usize,
            k_start,
            k_end: self.k.min(k_start + self.part),
        }
    }
}
