//! Products of warp groups that read what is written meanwhile, or was written without a proxy fence.

use warploom::device_std::shared::{Swizzle128, SwizzledTiles};
use warploom::device_std::wgmma::{Accumulator, WarpGroup};
use warploom::device_std::{swizzled_tiles, tma};
use warploom::prelude::*;

use crate::case::{case, cases, launch};

/// The second group writes the tile again when the first has begun to multiply, not when it has waited.
#[kernel]
fn rewritten_before_the_wait<const BUG: bool>(block: Block, mut y: DisjointSlice<f32>) {
    let tiles: SwizzledTiles<'_, Bf16, 64, 64, Swizzle128, 1> = swizzled_tiles!(block);
    let tile = tiles.stage(0);
    let group = WarpGroup::new(block);
    // SAFETY: each thread has its own elements. That they are written again too early is the point.
    let view = unsafe {
        tile.fill(block.thread(), 256, |_, _| Bf16::from_f32(1.0));
        tile.published(block)
    };
    let batch = group.begin(Accumulator::<8, f32>::zero());
    let mut flight = batch
        .multiply_add(view.rows(0, 0), view.rows(0, 0))
        .commit();
    if !BUG || group.index() == 1 {
        flight = flight.wait_but::<0>();
    }
    block.sync();
    if group.index() == 1 {
        let (row, column) = (group.thread() % 64, group.thread() / 64);
        // SAFETY: as above.
        unsafe { tile.set(row, column, Bf16::from_f32(2.0)) }; //~ WL0101 second
    }
    let sums = flight.wait(); //~ WL0101 first
    if group.index() == 0 {
        let out = y.raw();
        sums.for_each(group, |row, column, sum| {
            // SAFETY: each element belongs to one thread of the only block.
            unsafe { out.wrapping_add(row * 8 + column).write(sum) };
        });
    }
}

/// What threads wrote is multiplied behind a barrier, but without a fence between the ways by which threads and products reach memory.
#[kernel]
fn written_without_a_proxy_fence<const BUG: bool>(block: Block, mut y: DisjointSlice<f32>) {
    let tiles: SwizzledTiles<'_, Bf16, 64, 64, Swizzle128, 1> = swizzled_tiles!(block);
    let tile = tiles.stage(0);
    let group = WarpGroup::new(block);
    // SAFETY: each thread has its own elements.
    unsafe { tile.fill(block.thread(), 128, |_, _| Bf16::from_f32(1.0)) }; //~ WL0024 second
    if !BUG {
        tma::fence_proxy_async();
    }
    block.sync();
    // SAFETY: no thread writes again. That the fence is missing is the point.
    let view = unsafe { tile.view() };
    let batch = group.begin(Accumulator::<8, f32>::zero());
    let batch = batch.multiply_add(view.rows(0, 0), view.rows(0, 0)); //~ WL0024 first
    let sums = batch.commit().wait();
    let out = y.raw();
    sums.for_each(group, |row, column, sum| {
        // SAFETY: each element belongs to one thread of the only block.
        unsafe { out.wrapping_add(row * 8 + column).write(sum) };
    });
}

cases!("warp_groups.rs":
    case!(rewritten_before_the_wait, "", |run| {
        let mut y = run.zeroed::<f32>(512)?;
        launch!(run, rewritten_before_the_wait, (1, 256), &mut y);
        run.expect(&y, |_| 16.0)
    }),
    case!(written_without_a_proxy_fence, "", |run| {
        let mut y = run.zeroed::<f32>(512)?;
        launch!(run, written_without_a_proxy_fence, (1, 128), &mut y);
        run.expect(&y, |_| 16.0)
    }),
);
