//! Between blocks, in global memory: nothing orders them, whatever order they happened to run in.

use warploom::device_std::DeviceCell;
use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// Every block writes the first element.
#[kernel]
fn every_block_writes<const BUG: bool>(block: Block, mut y: DisjointSlice<u32>) {
    let y = y.raw();
    if block.leader().is_some() && (BUG || block.index() == 0) {
        // SAFETY: one thread writes. The bug is the point.
        unsafe { *y = 40 + block.index() as u32 }; //~ WL0112
    }
}

/// Blocks write 65 elements each of parts of 64.
#[kernel]
fn parts_overlap<const BUG: bool>(block: Block, mut y: DisjointSlice<u32>) {
    let (b, y) = (block.index(), y.raw());
    let mut k = block.thread();
    while k < 64 + usize::from(BUG) {
        // SAFETY: each element has one thread. The bug is the point.
        unsafe { *y.add(64 * b + k) = b as u32 + 1 }; //~ WL0112
        k += block.threads();
    }
}

/// The place of the tile in the matrix is left out: all blocks write the first tile.
#[kernel(block(8, 8))]
fn tile_without_its_place<const BUG: bool>(n: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    let (column, row, n) = (thread_idx().x as usize, thread_idx().y as usize, n as usize);
    let (left, top) = (8 * block_idx().x as usize, 8 * block_idx().y as usize);
    let value = x[(top + row) * n + left + column];
    let at = if BUG {
        row * n + column
    } else {
        (top + row) * n + left + column
    };
    // SAFETY: each element has one thread. The bug is the point.
    unsafe { *y.raw().add(at) = 2.0 * value }; //~ WL0112
}

/// `total += part`, by one thread of each block.
#[kernel]
fn total_without_atomics<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let part = warp.reduce_sum(x[i.get()]);
    if block.leader().is_some() {
        let y = y.raw().wrapping_add(if BUG { 0 } else { block.index() });
        // SAFETY: one thread for each element. The bug is the point.
        unsafe { *y += part }; //~ WL0113 //~? WL0112
    }
}

/// A stencil in place: each block reads its neighbour's first element.
#[kernel]
unsafe fn stencil_in_place<const BUG: bool>(
    block: Block,
    i: Index1D,
    n: u32,
    x: *const f32,
    y: *mut f32,
) {
    let (at, n) = (i.get(), n as usize);
    // SAFETY: `n` elements each; `x` and `y` do not overlap. The bug is the point.
    unsafe {
        let sum = *x.add(at) + *x.add((at + 1) % n); //~ WL0113 second
        block.sync();
        *y.add(at) = sum; //~ WL0113 first
    }
}

/// A barrier of the block, where all blocks have to wait.
#[kernel(cooperative)]
fn block_barrier_for_the_grid<const BUG: bool>(
    grid: CooperativeGrid,
    block: Block,
    i: Index1D,
    mut parts: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let parts = parts.raw();
    let (b, blocks) = (block.index(), grid.blocks());
    // SAFETY: one thread for each part; a barrier of the grid before others read. The bug is the point.
    unsafe {
        if block.thread() == 0 {
            *parts.add(b) = b as u32 * 10; //~ WL0113 second
        }
        if BUG {
            block.sync();
        } else {
            grid.sync();
        }
        let value = *parts.add((b + 1) % blocks); //~ WL0113 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// Two buffers take turns in a loop over the grid, and the barrier between the rounds is gone.
#[kernel(cooperative)]
fn rounds_without_the_grid<const BUG: bool>(
    grid: CooperativeGrid,
    rounds: u32,
    mut a: DisjointSlice<u32>,
    mut b: DisjointSlice<u32>,
) {
    let (at, n) = (grid.thread(), grid.threads());
    let (mut from, mut to) = (a.raw(), b.raw());
    for _ in 0..rounds {
        // SAFETY: each thread writes its own element; a barrier of the grid between the rounds. The bug is the point.
        unsafe {
            let value = *from.add((at + 1) % n); //~ WL0113 first //~? WL0111
            *to.add(at) = value + 1; //~ WL0113 second //~? WL0111
        }
        if !BUG {
            grid.sync();
        }
        core::mem::swap(&mut from, &mut to);
    }
}

/// The sums of blocks go where other blocks still read.
#[kernel]
unsafe fn sums_into_the_input<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: *const u32,
    y: *mut u32,
) {
    // SAFETY: an element for each thread and one for each block; `x` and `y` do not overlap. The bug is the point.
    unsafe {
        let own = *x.add(i.get()); //~ WL0113 second
        let sum = warp.reduce_sum(own);
        if block.leader().is_some() {
            *y.add(block.index()) = sum; //~ WL0113 first
        }
    }
}

/// A hint that makes the work shorter, and no result wrong: written by some block, read by others. It is a race all the same.
#[kernel]
fn harmless_hint<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut hint: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let hint = hint.raw();
    let b = block.index();
    // SAFETY: read by the block that wrote it. The bug is the point.
    unsafe {
        let start = *hint.add(if BUG { 0 } else { b }); //~ WL0113 first
        if let Some(y) = y.get_mut(i) {
            let limit = x[i.get()];
            *y = (start.min(limit)..limit).last().map_or(limit, |v| v + 1);
        }
        block.sync();
        if block.leader().is_some() {
            *hint.add(b) = 1; //~ WL0113 second
        }
    }
}

device_static! {
    static LAST: DeviceCell<u32> = DeviceCell::new(0);
}

/// A static in global memory that each block sets.
#[kernel]
fn static_set_by_all<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    if block.leader().is_some() && (BUG || block.index() == 0) {
        // SAFETY: one thread of the grid. The bug is the point.
        unsafe { LAST.set(block.index() as u32 + 1) }; //~ WL0112
    }
    if let Some(y) = y.get_mut(i) {
        *y = 3;
    }
}

/// Bytes of one word: of two blocks they may be neighbours, but not the same.
#[kernel]
fn bytes_of_two_blocks<const BUG: bool>(block: Block, mut y: DisjointSlice<u8>) {
    let (b, t) = (block.index(), block.thread());
    let at = if BUG { 2 * t + b / 2 } else { 2 * t + b };
    // SAFETY: each thread has its own byte. The bug is the point.
    unsafe { *y.raw().add(at) = b as u8 + 1 }; //~ WL0112
}

cases!("blocks.rs":
    case!(every_block_writes, "", |run| {
        let mut y = run.zeroed::<u32>(1)?;
        launch!(run, every_block_writes, (5, 33), &mut y);
        run.expect(&y, |_| 40)
    }),
    case!(parts_overlap, "shift one index", |run| {
        let mut y = run.zeroed::<u32>(3 * 64 + 1)?;
        launch!(run, parts_overlap, (3, 32), &mut y);
        run.expect(&y, |i| if i < 192 { i as u32 / 64 + 1 } else { 0 })
    }),
    case!(tile_without_its_place, "P-22 matmul", |run| {
        let x = floats(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(256)?);
        launch!(run, tile_without_its_place, Launch::new((2, 2), (8, 8)), 16, &input, &mut y);
        run.expect(&y, |i| 2.0 * x[i])
    }),
    case!(total_without_atomics, "P-01 reduce", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(128))?, run.zeroed::<u32>(4)?);
        launch!(run, total_without_atomics, (4, 32), &x, &mut y);
        run.expect(&y, |b| 1024 * b as u32 + 496)
    }),
    case!(stencil_in_place, "P-25 stencil", |run| {
        let x = floats(192);
        let (input, other) = (run.upload(&x)?, run.zeroed::<f32>(192)?);
        let from = std::ptr::with_exposed_provenance(input.raw_ptr() as usize);
        let y = if run.bug { &input } else { &other };
        let to = std::ptr::with_exposed_provenance_mut(y.raw_ptr() as usize);
        // SAFETY: 192 elements in buffers that stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, stencil_in_place, (6, 32), 192, from, to) };
        run.expect(y, |i| x[i] + x[(i + 1) % 192])
    }),
    case!(block_barrier_for_the_grid, "P-13 grid sync", |run| {
        let (mut parts, mut y) = (run.zeroed::<u32>(4)?, run.zeroed::<u32>(128)?);
        launch!(run, block_barrier_for_the_grid, (4, 32), &mut parts, &mut y);
        run.expect(&y, |i| (i as u32 / 32 + 1) % 4 * 10)
    }),
    case!(rounds_without_the_grid, "P-13 grid sync", |run| {
        let (mut a, mut b) = (run.upload(&count::<u32>(96))?, run.zeroed::<u32>(96)?);
        launch!(run, rounds_without_the_grid, (3, 32), 4, &mut a, &mut b);
        run.expect(&a, |i| (i as u32 + 4) % 96 + 4)
    }),
    case!(sums_into_the_input, "P-25 reduce", |run| {
        let (x, other) = (run.upload(&count::<u32>(256))?, run.zeroed::<u32>(256)?);
        let from = std::ptr::with_exposed_provenance(x.raw_ptr() as usize);
        let y = if run.bug { &x } else { &other };
        let to = std::ptr::with_exposed_provenance_mut(y.raw_ptr() as usize);
        // SAFETY: 256 elements in buffers that stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, sums_into_the_input, (8, 32), from, to) };
        run.expect(y, |b| if b < 8 { 1024 * b as u32 + 496 } else { 0 })
    }),
    case!(harmless_hint, "benign", |run| {
        let x = noise(128);
        let (input, mut hint, mut y) = (run.upload(&x)?, run.zeroed::<u32>(4)?, run.zeroed::<u32>(128)?);
        launch!(run, harmless_hint, (4, 32), &input, &mut hint, &mut y);
        run.expect(&y, |i| x[i])
    }),
    case!(static_set_by_all, "P-37", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, static_set_by_all, (3, 32), &mut y);
        run.expect(&y, |_| 3)
    }),
    case!(bytes_of_two_blocks, "", |run| {
        let mut y = run.zeroed::<u8>(64)?;
        launch!(run, bytes_of_two_blocks, (2, 32), &mut y);
        run.expect(&y, |i| i as u8 % 2 + 1)
    }),
);
