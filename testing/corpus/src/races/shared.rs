//! Between the warps of a block, in shared memory: small patterns, all widths.

use warploom::device_std::atomic::{AcqRel, Atomic};
use warploom::prelude::*;

use crate::case::{case, cases, count, doubles, launch, noise};

/// One thread of each warp writes its number into one place.
#[kernel]
fn one_slot_for_all_warps<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    mut y: DisjointSlice<u32>,
) {
    let slot = shared_array!(u32, 1);
    // SAFETY: one thread writes, a barrier before the others read. The bug is the point.
    unsafe {
        if warp.lane() == 0 && (BUG || warp.index() == 0) {
            slot.set(0, warp.index() + 9); //~ WL0100
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = slot.get(0);
        }
    }
}

/// 128 threads write 64 elements of 8 bytes.
#[kernel]
fn index_modulo_half<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u64>) {
    let tile = shared_array!(u64, 128);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: each thread has its own, a barrier before others read. The bug is the point.
    unsafe {
        tile.set(t, 0);
        block.sync();
        let own = if BUG { t % 64 } else { t };
        tile.set(own, t as u64); //~ WL0100
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = tile.get(n - 1 - t);
        }
    }
}

/// Words of 4 bytes, and words of 8 bytes that overlap them.
#[kernel]
fn words_over_pairs<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let words = shared_array!(u32, 128);
    let (t, start) = (block.thread(), words.as_ptr());
    // SAFETY: the first warp writes words 0 to 31, the second 32 to 95; a barrier before others read. The bug is the point.
    unsafe {
        if t < 32 {
            *start.add(t) = t as u32; //~ WL0100 first
        } else {
            let first = if BUG { 30 } else { 32 };
            let pair = start.add(first + 2 * (t - 32)).cast::<u64>();
            *pair = t as u64; //~ WL0100 second
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = *start.add(31 - t % 32);
        }
    }
}

/// Bytes: two warps write the same 32.
#[kernel]
fn bytes_of_two_warps<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let bytes = shared_array!(u8, 64);
    let t = block.thread();
    // SAFETY: each thread has its own byte, a barrier before others read. The bug is the point.
    unsafe {
        bytes.set(t, 0);
        block.sync();
        bytes.set(if BUG { t % 32 } else { t }, t as u8); //~ WL0100
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = u32::from(bytes.get(63 - t));
        }
    }
}

/// `sum += x`, by one thread of each warp.
#[kernel]
fn sum_without_atomics<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let sum = shared_array!(u32, 1);
    let part = warp.reduce_sum(x[i.get()]);
    // SAFETY: one thread at a time; barriers between them. The bug is the point.
    unsafe {
        if block.thread() == 0 {
            sum.set(0, 0);
        }
        for turn in 0..4 {
            if turn == 0 || !BUG {
                block.sync();
            }
            if warp.lane() == 0 && warp.index() == turn {
                let sum = sum.as_ptr();
                *sum += part; //~ WL0101 //~? WL0100
            }
        }
        block.sync();
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = sum.get(0);
        }
    }
}

/// Thread 0 sets what all use.
#[kernel]
fn set_by_thread_0<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[f64],
    mut y: DisjointSlice<f64>,
) {
    let scale = shared_array!(f64, 1);
    // SAFETY: one thread writes, a barrier before the others read. The bug is the point.
    unsafe {
        if block.thread() == 0 {
            scale.set(0, 1.0);
        }
        block.sync();
        if block.thread() == 0 {
            scale.set(0, 2.5); //~ WL0101|WL0103 second
        }
        if !BUG {
            block.sync();
        }
        let scale = scale.get(0); //~ WL0101|WL0103 first
        if let Some(y) = y.get_mut(i) {
            *y = scale * x[i.get()];
        }
    }
}

/// A barrier of the warp where one of the block is needed.
#[kernel]
fn warp_barrier_for_the_block<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 96);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(t, 0);
        block.sync();
        tile.set(t, x[i.get()]); //~ WL0101 second
        if BUG {
            warp.sync();
        } else {
            block.sync();
        }
        let value = tile.get((t + 40) % n); //~ WL0101 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// Values of 16 bytes that cross from warp to warp.
#[kernel]
fn sixteen_bytes<const BUG: bool>(block: Block, i: Index1D, x: &[u64], mut y: DisjointSlice<u64>) {
    let tile = shared_array!(u128, 64);
    let (t, other) = (block.thread(), (block.thread() + 32) % 64);
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(t, 0);
        block.sync();
        let v = u128::from(x[i.get()]);
        tile.set(t, v << 64 | v); //~ WL0101 second
        if !BUG {
            block.sync();
        }
        let value = tile.get(other); //~ WL0101 first
        if let Some(y) = y.get_mut(i) {
            *y = (value >> 64) as u64 + value as u64;
        }
    }
}

/// Halves of words: one warp writes the lower ones, the other reads the whole word.
#[kernel]
fn half_of_what_is_read<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let words = shared_array!(u32, 32);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        if t < 32 {
            words.set(t, 7 << 16);
        }
        block.sync();
        if t < 32 {
            let half = words.as_ptr().add(t).cast::<u16>();
            *half = t as u16; //~ WL0101 second
        }
        if !BUG {
            block.sync();
        }
        let mut value = 0;
        if t >= 32 {
            value = words.get(t - 32); //~ WL0101 first
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// No schedule makes the result wrong: the old value and the new one count the same. It is a race all the same.
#[kernel]
fn right_in_every_schedule<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let (t, other) = (block.thread(), (block.thread() + 32) % 64);
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        tile.set(t, x[i.get()] + 100); //~ WL0101 second
        if !BUG {
            block.sync();
        }
        let value = tile.get(other) % 100; //~ WL0101 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// A count by atomics, complete with its order, beside data that only a barrier would hand over.
#[kernel]
fn barrier_dropped_beside_a_count<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    count: &[Atomic<u32>],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let (t, other) = (block.thread(), (block.thread() + 32) % 64);
    // SAFETY: a barrier between writing and reading. The bug is the point.
    unsafe {
        tile.set(t, 0);
        block.sync();
        if x[i.get()] >= 50 {
            count[0].fetch_add(1, AcqRel);
        }
        tile.set(t, x[i.get()]); //~ WL0101 second
        if !BUG {
            block.sync();
        }
        let value = tile.get(other); //~ WL0101 first
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

cases!("shared.rs":
    case!(one_slot_for_all_warps, "", |run| {
        let mut y = run.zeroed::<u32>(192)?;
        launch!(run, one_slot_for_all_warps, (2, 96), &mut y);
        run.expect(&y, |_| 9)
    }),
    case!(index_modulo_half, "shift one index", |run| {
        let mut y = run.zeroed::<u64>(256)?;
        launch!(run, index_modulo_half, (2, 128), &mut y);
        run.expect(&y, |i| 127 - i as u64 % 128)
    }),
    case!(words_over_pairs, "", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, words_over_pairs, (1, 64), &mut y);
        run.expect(&y, |i| 31 - i as u32 % 32)
    }),
    case!(bytes_of_two_warps, "", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, bytes_of_two_warps, (1, 64), &mut y);
        run.expect(&y, |i| 63 - i as u32)
    }),
    case!(sum_without_atomics, "P-01", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(384))?, run.zeroed::<u32>(3)?);
        launch!(run, sum_without_atomics, (3, 128), &x, &mut y);
        run.expect(&y, |b| 128 * 128 * b as u32 + 127 * 64)
    }),
    case!(set_by_thread_0, "P-03", |run| {
        let x = doubles(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f64>(192)?);
        launch!(run, set_by_thread_0, (2, 96), &input, &mut y);
        run.expect(&y, |i| 2.5 * x[i])
    }),
    case!(warp_barrier_for_the_block, "P-14", |run| {
        let x = noise(192);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(192)?);
        launch!(run, warp_barrier_for_the_block, (2, 96), &input, &mut y);
        run.expect(&y, |i| x[i / 96 * 96 + (i % 96 + 40) % 96])
    }),
    case!(sixteen_bytes, "", |run| {
        let (x, mut y) = (run.upload(&count::<u64>(128))?, run.zeroed::<u64>(128)?);
        launch!(run, sixteen_bytes, (2, 64), &x, &mut y);
        run.expect(&y, |i| 2 * (i / 64 * 64 + (i + 32) % 64) as u64)
    }),
    case!(half_of_what_is_read, "", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, half_of_what_is_read, (1, 64), &mut y);
        run.expect(&y, |i| if i < 32 { 0 } else { 7 << 16 | (i as u32 - 32) })
    }),
    case!(right_in_every_schedule, "benign", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, right_in_every_schedule, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + (i + 32) % 64])
    }),
    case!(barrier_dropped_beside_a_count, "drop one barrier", |run| {
        let x = noise(128);
        let (input, mut count, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?, run.zeroed::<u32>(128)?);
        launch!(run, barrier_dropped_beside_a_count, (2, 64), &input, count.as_atomics(), &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + (i + 32) % 64])
    }),
);
