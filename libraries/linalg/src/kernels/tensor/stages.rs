//! The copies that fill the stages of a block.

use warploom::device_std::intrinsics as raw;

use super::super::loads::{CHUNK, Copies, TILE_BYTES};
use super::super::warp_tiles::Tensor;

/// The copies of both operands of a block, and where their tiles go.
pub(super) struct Operands<A: Tensor, const ROWS: usize, const COLUMNS: usize, const THREADS: usize>
{
    pub(super) a: Copies<A::Element>,
    pub(super) b: Copies<A::Element>,
    /// The first k of the tile that is copied next.
    pub(super) k: u32,
    pub(super) k_end: u32,
    pub(super) memory: *mut u8,
}

/// A stage that is filled, and whether whole chunks of A and of B are copied to it.
pub(super) struct Filled {
    to: *mut u8,
    a: bool,
    b: bool,
}

impl<A: Tensor, const ROWS: usize, const COLUMNS: usize, const THREADS: usize>
    Operands<A, ROWS, COLUMNS, THREADS>
{
    /// Begins to fill stage `slot`, which all warps have read, or which was not used yet: gathers what is not copied by whole chunks.
    #[inline(always)]
    pub(super) fn begin(&self, slot: usize) -> Filled {
        let to = self
            .memory
            .wrapping_add(slot * (ROWS + COLUMNS) * TILE_BYTES);
        let filled = Filled {
            to,
            a: self.a.whole(self.k),
            b: self.b.whole(self.k),
        };
        if !(filled.a && filled.b) && self.k < self.k_end {
            if !filled.a {
                // SAFETY: the stage is free, as said above.
                unsafe { self.a.gather(to, self.k, chunks::<ROWS, THREADS>()) };
            }
            if !filled.b {
                let to = to.wrapping_add(ROWS * TILE_BYTES);
                // SAFETY: as above.
                unsafe { self.b.gather(to, self.k, chunks::<COLUMNS, THREADS>()) };
            }
        }
        filled
    }

    /// Begins the copies of a fourth of the whole chunks.
    #[inline(always)]
    pub(super) fn copy(&self, filled: &Filled, quarter: u32) {
        let of = |chunks: u32| chunks * quarter / 4..chunks * (quarter + 1) / 4;
        if filled.a {
            for i in of(chunks::<ROWS, THREADS>()) {
                // SAFETY: the stage is free, as said for `begin`, and the tile is whole.
                unsafe { self.a.copy(filled.to, i) };
            }
        }
        if filled.b {
            let to = filled.to.wrapping_add(ROWS * TILE_BYTES);
            for i in of(chunks::<COLUMNS, THREADS>()) {
                // SAFETY: as above.
                unsafe { self.b.copy(to, i) };
            }
        }
    }

    /// Ends the copies of a tile and goes on to the next.
    #[inline(always)]
    pub(super) fn end(&mut self) {
        self.a.advance();
        self.b.advance();
        self.k += (TILE_BYTES / size_of::<A::Element>()) as u32;
        // SAFETY: each tile has a group, also those that do not exist, so that their numbers are as `wait` expects.
        unsafe { raw::copy_async_commit() };
    }
}

/// Chunks of a thread in a tile of so many lines.
const fn chunks<const LINES: usize, const THREADS: usize>() -> u32 {
    (LINES * TILE_BYTES / CHUNK / THREADS) as u32
}
