//! Reads of shared memory that no thread of the block has written.

use core::sync::atomic::Ordering::Relaxed;

use warploom::device_std::AsyncTiles;
use warploom::prelude::*;

use crate::case::{case, cases, count, doubles, launch, noise};

/// 32 slots for the sums of warps, in a block of eight.
#[kernel]
fn slots_not_filled<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let slots = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        if !BUG && t < 32 {
            slots.set(t, 0);
        }
        block.sync();
        let sum = warp.reduce_sum(x[i.get()]);
        if warp.lane() == 0 {
            slots.set(warp.index() as usize, sum);
        }
        block.sync();
        if t < 32 {
            let own = slots.get(t); //~ WL0020
            let total = warp.reduce_sum(own);
            if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
                *y = total;
            }
        }
    }
}

/// Counters that start with whatever is there.
#[kernel]
fn bins_not_zeroed<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let bins = shared_array!(u32, 100);
    let t = block.thread();
    if !BUG {
        bins.atomic(t).store(0, Relaxed);
    }
    block.sync();
    bins.atomic(x[i.get()] as usize).fetch_add(1, Relaxed); //~ WL0020
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = bins.atomic(t).load(Relaxed); //~? WL0020
    }
}

/// Half of each word is written, all of it is read.
#[kernel]
fn half_words<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let words = shared_array!(u32, 64);
    let t = block.thread();
    let halves = words.as_ptr().cast::<u16>();
    // SAFETY: each thread has its own word. The bug is the point.
    unsafe {
        *halves.add(2 * t) = t as u16;
        if !BUG {
            *halves.add(2 * t + 1) = 1;
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = words.get(t); //~ WL0020
        }
    }
}

/// A tile of 128 that a block of 96 fills.
#[kernel]
fn tile_half_filled<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 128);
    let t = block.thread();
    let last = if BUG { 127 } else { block.threads() - 1 };
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let value = tile.get(last - t); //~ WL0020
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A stencil whose cells beyond the edges are never filled.
#[kernel]
fn halo_not_filled<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[f64],
    mut y: DisjointSlice<f64>,
) {
    let tile = shared_array!(f64, 66);
    let (t, at, n) = (block.thread(), i.get(), x.len());
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(t + 1, x[at]);
        if !BUG && t == 0 {
            tile.set(0, x[(at + n - 1) % n]);
        }
        if t == 63 {
            tile.set(65, x[(at + 1) % n]);
        }
        block.sync();
        let left = tile.get(t); //~ WL0020
        if let Some(y) = y.get_mut(i) {
            *y = left + tile.get(t + 1) + tile.get(t + 2);
        }
    }
}

/// Two arrays in dynamic shared memory, of which only the first is filled.
#[kernel]
fn second_array_empty<const BUG: bool>(
    block: Block,
    i: Index1D,
    shared: DynamicShared<u32>,
    a: &[u32],
    b: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: barriers between writing and reading. The bug is the point.
    unsafe {
        shared.set(t, a[i.get()]);
        shared.set(if BUG { t } else { n + t }, b[i.get()]);
        block.sync();
        let (left, right) = (n - 1 - t, 2 * n - 1 - t);
        let right = shared.get(right); //~ WL0020
        if let Some(y) = y.get_mut(i) {
            *y = shared.get(left) + right;
        }
    }
}

/// A stage of 48 elements, of which the source had 40. Safe code: the value is any.
#[kernel]
fn stage_with_a_short_source<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let memory = shared_array!([u32; 48], 1);
    let mut tiles = AsyncTiles::new(memory);
    tiles.copy(&block, x);
    if let Some(stage) = tiles.wait(&block) {
        let at = if BUG {
            i.get()
        } else {
            i.get().min(x.len() - 1)
        };
        let value = stage.get(at); //~ WL0020
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A table that the first block fills, for all blocks.
#[kernel]
fn filled_by_block_0<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let table = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        if !BUG || block.index() == 0 {
            table.set(t, (t * t) as u32);
        }
        block.sync();
        let value = table.get(31 - t); //~ WL0020
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A sum that begins with nothing.
#[kernel]
fn sum_of_nothing<const BUG: bool>(block: Block, x: &[f64], mut y: DisjointSlice<f64, PerBlock>) {
    let sum = shared_array!(f64, 1);
    let n = block.threads();
    if let Some(leader) = block.leader() {
        // SAFETY: one thread of the block accesses it. The bug is the point.
        unsafe {
            if !BUG {
                sum.set(0, 0.0);
            }
            for v in &x[block.index() * n..][..n] {
                let before = sum.get(0); //~ WL0020
                sum.set(0, before + v);
            }
            if let Some(y) = y.get_mut(leader) {
                *y = sum.get(0);
            }
        }
    }
}

/// Flags of one byte that are set, but never cleared.
#[kernel]
fn flags_never_cleared<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let flags = shared_array!(u8, 70);
    let (t, n) = (block.thread(), block.threads());
    let large = x[i.get()] >= 50;
    // SAFETY: each thread writes its own, a barrier before the others read. The bug is the point.
    unsafe {
        if large || !BUG {
            flags.set(t, u8::from(large));
        }
        block.sync();
        let flag = flags.get(n - 1 - t); //~ WL0020
        if let Some(y) = y.get_mut(i) {
            *y = u32::from(flag);
        }
    }
}

cases!("shared.rs":
    case!(slots_not_filled, "P-17 reduce", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(512))?, run.zeroed::<u32>(2)?);
        launch!(run, slots_not_filled, (2, 256), &x, &mut y);
        run.expect(&y, |b| 65_536 * b as u32 + 32_640)
    }),
    case!(bins_not_zeroed, "histogram", |run| {
        let x = noise(300);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(300)?);
        launch!(run, bins_not_zeroed, (3, 100), &input, &mut y);
        run.expect(&y, |i| x[i / 100 * 100..][..100].iter().filter(|&&v| v as usize == i % 100).count() as u32)
    }),
    case!(half_words, "", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, half_words, (1, 64), &mut y);
        run.expect(&y, |i| i as u32 | 1 << 16)
    }),
    case!(tile_half_filled, "wrong block size", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(192))?, run.zeroed::<u32>(192)?);
        launch!(run, tile_half_filled, (2, 96), &x, &mut y);
        run.expect(&y, |i| (i / 96 * 96 + 95 - i % 96) as u32)
    }),
    case!(halo_not_filled, "stencil", |run| {
        let x = doubles(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f64>(192)?);
        launch!(run, halo_not_filled, (3, 64), &input, &mut y);
        run.expect(&y, |i| x[(i + 191) % 192] + x[i] + x[(i + 1) % 192])
    }),
    case!(second_array_empty, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(140))?, run.zeroed::<u32>(140)?);
        launch!(run, second_array_empty, Launch::new(2, 70).dynamic_shared(560), &x, &x, &mut y);
        run.expect(&y, |i| 2 * (i / 70 * 70 + 69 - i % 70) as u32)
    }),
    case!(stage_with_a_short_source, "cp.async", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(40))?, run.zeroed::<u32>(48)?);
        launch!(run, stage_with_a_short_source, (1, 48), &x, &mut y);
        run.expect(&y, |i| i.min(39) as u32)
    }),
    case!(filled_by_block_0, "", |run| {
        let mut y = run.zeroed::<u32>(96)?;
        launch!(run, filled_by_block_0, (3, 32), &mut y);
        run.expect(&y, |i| (31 - i as u32 % 32).pow(2))
    }),
    case!(sum_of_nothing, "", |run| {
        let x = doubles(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f64>(2)?);
        launch!(run, sum_of_nothing, (2, 64), &input, &mut y);
        run.expect(&y, |b| x[64 * b..][..64].iter().sum())
    }),
    case!(flags_never_cleared, "", |run| {
        let x = noise(140);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(140)?);
        launch!(run, flags_never_cleared, (2, 70), &input, &mut y);
        run.expect(&y, |i| u32::from(x[i / 70 * 70 + 69 - i % 70] >= 50))
    }),
);
