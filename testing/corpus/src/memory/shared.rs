//! Out of bounds in shared memory.

use warploom::device_std::atomic::{Atomic, Relaxed, scope};
use warploom::prelude::*;

use crate::case::{case, cases, count, doubles, floats, launch, noise};

/// The right neighbour of the last element of a tile.
#[kernel]
fn tile_one_past<const BUG: bool>(block: Block, i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = shared_array!(f32, 64);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading; indices below 64. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let right = if BUG { t + 1 } else { (t + 1) % 64 };
        if let Some(y) = y.get_mut(i) {
            *y = *tile.as_ptr().add(right); //~ WL0002
        }
    }
}

/// The sum of a block by neighbours, whose number is no power of two.
#[kernel]
fn reduce_six<const BUG: bool>(
    block: Block,
    shared: DynamicShared<u32>,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let (t, n, s) = (block.thread(), block.threads(), shared.as_ptr());
    // SAFETY: barriers between the steps; below `n`. The bug is the point.
    unsafe {
        *s.add(t) = x[block.index() * n + t];
        block.sync();
        let mut stride = 1;
        while stride < n {
            if t.is_multiple_of(2 * stride) && (BUG || t + stride < n) {
                *s.add(t) += *s.add(t + stride); //~ WL0002
            }
            block.sync();
            stride *= 2;
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = *s;
        }
    }
}

/// Dynamic shared memory for `f32`, used for `f64`.
#[kernel]
fn dynamic_too_small<const BUG: bool>(
    block: Block,
    i: Index1D,
    shared: DynamicShared<f64>,
    x: &[f64],
    mut y: DisjointSlice<f64>,
) {
    let (t, s) = (block.thread(), shared.as_ptr());
    // SAFETY: a barrier between writing and reading; the launch gives 8 bytes for each thread. The bug is the point.
    unsafe {
        *s.add(t) = x[i.get()]; //~ WL0002
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = *s.add(t / 2);
        }
    }
}

/// A tile without padding, indexed as if it had some.
#[kernel(block(32, 8))]
fn padding_forgotten<const BUG: bool>(x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 256);
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let pitch = if BUG { 40 } else { 32 };
    let at = row * 32 + column;
    // SAFETY: each thread has its own element; below 256. The bug is the point.
    unsafe {
        *tile.as_ptr().add(row * pitch + column) = x[at]; //~ WL0002
        sync_threads();
        *y.raw().add(at) = *tile.as_ptr().add(row * pitch + column) + 1; //~? WL0002
    }
}

/// The element before the first one.
#[kernel]
fn tile_before_the_start<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[i64],
    mut y: DisjointSlice<i64>,
) {
    let tile = shared_array!(i64, 96);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading; at least 0. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let left = if BUG {
            t.wrapping_sub(1)
        } else {
            t.saturating_sub(1)
        };
        if let Some(y) = y.get_mut(i) {
            *y = *tile.as_ptr().wrapping_add(left); //~ WL0002
        }
    }
}

/// More values than bins.
#[kernel]
fn value_without_bin<const BUG: bool>(block: Block, i: Index1D, x: &[u32], totals: &[Atomic<u32>]) {
    let bins = shared_array!(u32, 64);
    let t = block.thread();
    bins.atomic(t)
        .store(0, core::sync::atomic::Ordering::Relaxed);
    block.sync();
    let value = x[i.get()] as usize;
    let bin = if BUG { value } else { value % 64 };
    // SAFETY: below 64; the bug is intended.
    let bin = unsafe { Atomic::<u32, scope::Block>::from_ptr(bins.as_ptr().add(bin)) };
    bin.fetch_add(1, Relaxed); //~ WL0002
    block.sync();
    totals[t].fetch_add(
        bins.atomic(t).load(core::sync::atomic::Ordering::Relaxed),
        Relaxed,
    );
}

/// Slots for eight warps in a block of ten.
#[kernel]
fn more_warps_than_slots<const BUG: bool>(
    block: Block,
    warp: Warp,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let slots = shared_array!(u32, 8);
    let sum = warp.reduce_sum(x[block.thread()]);
    // SAFETY: a barrier between writing and reading; below 8. The bug is the point.
    unsafe {
        if warp.lane() == 0 {
            *slots.as_ptr().add(warp.index() as usize) = sum; //~ WL0002
        }
        block.sync();
        let mut total = 0;
        for k in 0..8 {
            total += slots.get(k);
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = total;
        }
    }
}

/// A stencil of radius 2 that sums up radius 2.5.
#[kernel]
fn halo_too_small<const BUG: bool>(block: Block, i: Index1D, x: &[i32], mut y: DisjointSlice<i32>) {
    let tile = shared_array!(i32, 68);
    let (t, first) = (block.thread(), block.index() * 64);
    // SAFETY: a barrier between writing and reading; below 68. The bug is the point.
    unsafe {
        tile.set(t, x[first + t]);
        if t < 4 {
            tile.set(64 + t, x[first + 64 + t]);
        }
        block.sync();
        let mut sum = 0;
        for k in 0..5 + usize::from(BUG) {
            sum += *tile.as_ptr().add(t + k); //~ WL0002
        }
        if let Some(y) = y.get_mut(i) {
            *y = sum;
        }
    }
}

/// Four elements at a time from an array of 62.
#[kernel]
fn shared_vector_over_the_end<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 62);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading; below 62, aligned to 16. The bug is the point.
    unsafe {
        for k in (t..62).step_by(16) {
            tile.set(k, x[k]);
        }
        block.sync();
        let mut last = 0;
        if BUG || 4 * t + 4 <= 62 {
            let four = *tile.as_ptr().cast::<u128>().add(t); //~ WL0002
            last = (four >> 96) as u32;
        }
        if let Some(y) = y.get_mut(i) {
            *y = last;
        }
    }
}

/// Two buffers that take turns, of which a third is used.
#[kernel]
fn stage_of_three<const BUG: bool>(
    block: Block,
    i: Index1D,
    rounds: u32,
    mut y: DisjointSlice<u32>,
) {
    let stages = shared_array!(u32, 64);
    let (t, n) = (block.thread(), 32);
    let mut sum = 0;
    for round in 0..rounds as usize {
        let stage = round % if BUG { 3 } else { 2 };
        // SAFETY: each stage is read by all before it is written again, two barriers later; below 64. The bug is the point.
        unsafe {
            *stages.as_ptr().add(stage * n + t) = (round + t) as u32; //~ WL0002
            block.sync();
            sum += *stages.as_ptr().add(stage * n + n - 1 - t); //~? WL0002
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

cases!("shared.rs":
    case!(tile_one_past, "shift one index", |run| {
        let x = floats(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(192)?);
        launch!(run, tile_one_past, (3, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + (i + 1) % 64])
    }),
    case!(reduce_six, "P-26 reduce", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(24))?, run.zeroed::<u32>(4)?);
        launch!(run, reduce_six, Launch::new(4, 6).dynamic_shared(24), &x, &mut y);
        run.expect(&y, |b| 36 * b as u32 + 15)
    }),
    case!(dynamic_too_small, "wrong dynamic shared size", |run| {
        let x = doubles(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f64>(128)?);
        launch!(run, dynamic_too_small, Launch::new(2, 64).dynamic_shared(run.pick(256, 512)), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + i % 64 / 2])
    }),
    case!(padding_forgotten, "transpose", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(256))?, run.zeroed::<u32>(256)?);
        launch!(run, padding_forgotten, Launch::new(1, (32, 8)), &x, &mut y);
        run.expect(&y, |i| i as u32 + 1)
    }),
    case!(tile_before_the_start, "shift one index", |run| {
        let (x, mut y) = (run.upload(&count::<i64>(192))?, run.zeroed::<i64>(192)?);
        launch!(run, tile_before_the_start, (2, 96), &x, &mut y);
        run.expect(&y, |i| if i % 96 == 0 { i as i64 } else { i as i64 - 1 })
    }),
    case!(value_without_bin, "P-29 histogram", |run| {
        let x = noise(256);
        let (input, mut totals) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, value_without_bin, (4, 64), &input, totals.as_atomics());
        run.expect(&totals, |bin| x.iter().filter(|&&v| v as usize % 64 == bin).count() as u32)
    }),
    case!(more_warps_than_slots, "reduce, wrong block size", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(320))?, run.zeroed::<u32>(2)?);
        launch!(run, more_warps_than_slots, (2, run.pick(320, 256)), &x, &mut y);
        run.expect(&y, |_| 255 * 128)
    }),
    case!(halo_too_small, "stencil", |run| {
        let x = Vec::from_iter(noise(132).into_iter().map(|v| v as i32));
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<i32>(128)?);
        launch!(run, halo_too_small, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i..i + 5].iter().sum())
    }),
    case!(shared_vector_over_the_end, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(62))?, run.zeroed::<u32>(16)?);
        launch!(run, shared_vector_over_the_end, (1, 16), &x, &mut y);
        run.expect(&y, |i| if i < 15 { 4 * i as u32 + 3 } else { 0 })
    }),
    case!(stage_of_three, "pipeline", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, stage_of_three, (2, 32), 5, &mut y);
        run.expect(&y, |i| 10 + 5 * (31 - i as u32 % 32))
    }),
);
