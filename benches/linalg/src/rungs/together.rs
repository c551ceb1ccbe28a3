//! Rungs in which all warps do the same: `wgmma` on tiles that bulk copies bring, with one stage and with a ring of four.

use warploom::device_std::pipeline::{Ring, Turn};
use warploom::device_std::wgmma::{Accumulator, WarpGroup};
use warploom::device_std::{SharedLayout, shared::Swizzle128, shared_array};
use warploom::prelude::*;

use super::tiles::{K, M, N, STAGE_BYTES, Tiles, add_stage, store_pairs};

/// Dynamic shared memory of a block, for each stage.
pub(crate) const BYTES: u32 = SharedLayout::new()
    .with_tiles::<Bf16, M, K, Swizzle128, 1>()
    .with_tiles::<Bf16, N, K, Swizzle128, 1>()
    .bytes();

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $stages:literal;)*) => {$(
        $(#[$doc])*
        #[kernel(block(256), launch_bounds(256, 1))]
        pub(crate) fn $name(
            block: Block,
            warp: Warp,
            memory: DynamicShared<u8>,
            a: TensorSource<Bf16, 2>,
            b: TensorSource<Bf16, 2>,
            n: u32,
            k: u32,
            mut c: DisjointSlice<Bf16>,
        ) {
            let mut carve = memory.carve();
            let barriers = shared_array!([u64; 2], $stages);
            // SAFETY: initialised below, in front of the block's barrier.
            let ring: Ring<'_, $stages> = unsafe { Ring::new(barriers) };
            let tiles = Tiles::<$stages> { a: carve.take_tiles(), b: carve.take_tiles() };
            if block.thread() == 0 {
                // SAFETY: one thread, in front of the block's barrier.
                unsafe { ring.init(8) };
            }
            block.sync();
            let group = WarpGroup::new(block);
            let across = n as usize / N;
            let (row, column) = (block.index() / across * M, block.index() % across * N);
            let own = if group.index() == 0 { 0 } else { 64 };
            let steps = k as usize / K;
            let fill = |step: usize| {
                let turn = Turn::<$stages>::of(step);
                // SAFETY: one thread alone fills the ring; the copies below write as many bytes.
                let full = unsafe { ring.fill(turn, STAGE_BYTES) };
                let (to_a, to_b) = (tiles.a.stage(turn.stage()), tiles.b.stage(turn.stage()));
                let x = (step * K) as i32;
                // SAFETY: no thread reads the stage, which is empty, before its barrier says that it is full; a box is one panel.
                unsafe { a.load(to_a.panel(0), [x, row as i32], full) };
                // SAFETY: as above.
                unsafe { b.load(to_b.panel(0), [x, column as i32], full) };
            };
            if block.thread() == 0 {
                for step in 0..steps.min($stages) {
                    fill(step);
                }
            }
            let mut sums = Accumulator::<N, f32>::zero();
            for step in 0..steps {
                let turn = Turn::<$stages>::of(step);
                ring.wait_full(turn);
                // SAFETY: the stage is full, and released behind its products.
                let batch = unsafe { add_stage(tiles, group.begin(sums), own, turn.stage()) };
                sums = batch.commit().wait();
                // SAFETY: once for each turn; its products have been waited for.
                unsafe { ring.release(turn, warp) };
                if block.thread() == 0 && step + $stages < steps {
                    fill(step + $stages);
                }
            }
            if (row + own + 63) * n as usize + column + N <= c.len() {
                // SAFETY: within the slice (checked); the rows are this group's alone.
                unsafe { store_pairs(group, &sums, c.raw(), (row + own, column), n as usize) };
            }
        }
    )*};
}

kernels! {
    /// One stage: copies and products take turns.
    one_stage 1;
    /// Four stages: up to three are copied while one is multiplied.
    four_stages 4;
}
