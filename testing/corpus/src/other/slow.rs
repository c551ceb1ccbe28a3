//! Right, and slower than need be: found where performance is asked about.

use core::sync::atomic::Ordering;

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;
use warploom::texture::Sampler;

use crate::case::{case, cases, count, floats, launch, noise};

/// Neighbouring threads read elements that are 32 apart.
#[kernel]
fn stride_of_32<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let n = x.len() / 32;
    let at = if BUG {
        i.get() % n * 32 + i.get() / n
    } else {
        i.get()
    };
    if let Some(y) = y.get_mut(i) {
        *y = x[at] + 1.0; //~ WL0500
    }
}

/// A matrix whose columns, not rows, belong to neighbouring threads.
#[kernel(dim(2))]
fn rows_by_neighbours<const BUG: bool>(x: &[u32], mut y: DisjointSlice<u32>) {
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let (at, n) = (32 * row + column, 32);
    let from = if BUG { n * column + row } else { at };
    // SAFETY: each thread has its own element.
    unsafe { *y.raw().add(at) = x[from] + 1 }; //~ WL0500
}

/// All lanes read one column of a tile without padding.
#[kernel(block(32, 4))]
fn column_of_a_tile<const BUG: bool>(x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = shared_array!(f32, 1056);
    let (column, first) = (thread_idx().x as usize, thread_idx().y as usize);
    let pitch = if BUG { 32 } else { 33 };
    // SAFETY: each thread writes its own elements; a barrier before others read.
    unsafe {
        for row in (first..32).step_by(4) {
            tile.set(pitch * row + column, x[32 * row + column]);
        }
        sync_threads();
        for row in (first..32).step_by(4) {
            let value = tile.get(pitch * column + row); //~ WL0501
            *y.raw().add(32 * row + column) = value;
        }
    }
}

/// Sums of warps in slots that are 32 apart.
#[kernel]
fn slots_of_one_bank<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let slots = shared_array!(u32, 256);
    let sum = warp.reduce_sum(x[i.get()]);
    let stride = if BUG { 32 } else { 1 };
    // SAFETY: each warp has its own slot; a barrier before others read.
    unsafe {
        if warp.lane() == 0 {
            slots.set(stride * warp.index() as usize, sum);
        }
        block.sync();
        if block.thread() < 32 {
            let mut part = 0;
            if block.thread() < 8 {
                part = slots.get(stride * block.thread()); //~ WL0501
            }
            let total = warp.reduce_sum(part);
            if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
                *y = total;
            }
        }
    }
}

/// A long way that every fourth lane takes.
#[kernel]
fn every_fourth_lane<const BUG: bool>(
    i: Index1D,
    x: &[u32],
    rounds: u32,
    mut y: DisjointSlice<u32>,
) {
    let at = i.get();
    let long = if BUG { at % 4 == 1 } else { at / 32 % 4 == 1 };
    let mut v = x[at];
    if long {
        for k in 0..rounds {
            let other = x[(at + k as usize) % x.len()]; //~ WL0502 //~? WL0500
            v = v.rotate_left(k % 5 + 1) ^ other;
        }
    } else {
        for k in 0..rounds {
            v = v.wrapping_mul(3) + (x[(at + k as usize) % x.len()] & 1);
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = v & 1;
    }
}

/// Blocks of 33 threads: the second warp has one lane.
#[kernel]
fn one_lane_of_a_warp<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    //~ WL0503 nowhere
    if let Some(y) = y.get_mut(i) {
        *y = 2.0 * x[i.get()];
    }
}

/// A barrier after another, and nothing in between.
#[kernel]
fn barrier_for_nothing<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: each thread writes its own element; a barrier before others read.
    unsafe {
        tile.set(t, x[i.get()]);
        block.sync();
        let value = tile.get(63 - t);
        if BUG {
            block.sync(); //~ WL0504
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// Every thread adds to one counter.
#[kernel]
fn one_counter_for_all<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    x: &[u32],
    counter: &[Atomic<u32>],
) {
    let v = x[i.get()];
    if BUG {
        counter[0].fetch_add(v, Relaxed); //~ WL0505
    } else {
        let sum = warp.reduce_sum(v);
        if warp.lane() == 0 {
            counter[0].fetch_add(sum, Relaxed);
        }
    }
}

/// The same in shared memory, for a value that most threads have.
#[kernel]
fn one_bin_for_most<const BUG: bool>(
    block: Block,
    warp: Warp,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let count = shared_array!(u32, 1);
    if block.thread() == 0 {
        count.atomic(0).store(0, Ordering::Relaxed);
    }
    block.sync();
    let mut votes = 0;
    for x in x.chunks(i.count()) {
        let large = x[i.get()] >= 5;
        if !BUG {
            votes += warp.ballot(large).count();
        } else if large {
            count.atomic(0).fetch_add(1, Ordering::Relaxed); //~ WL0505
        }
    }
    if !BUG && warp.lane() == 0 {
        count.atomic(0).fetch_add(votes, Ordering::Relaxed);
    }
    block.sync();
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = count.atomic(0).load(Ordering::Relaxed);
    }
}

/// Neighbouring threads read elements of an array that are far apart in both directions.
#[kernel]
fn diagonal_of_an_array<const BUG: bool>(i: Index1D, x: Texture2d<f32>, mut y: DisjointSlice<f32>) {
    let k = i.get() as u32;
    let (column, row) = if BUG {
        (k % 32 * 8, k % 64)
    } else {
        (k % 256, k / 256)
    };
    if let Some(y) = y.get_mut(i) {
        *y = x.sample(column as f32 + 0.5, row as f32 + 0.5) + 1.0; //~ WL0506
    }
}

/// Neighbouring threads read a column of pitched memory, which lies in rows also for textures.
#[kernel]
fn column_of_pitched_memory<const BUG: bool>(
    i: Index1D,
    x: Texture2d<f32>,
    mut y: DisjointSlice<f32>,
) {
    let k = i.get() as u32;
    let (column, row) = if BUG {
        (k / 64, k % 64)
    } else {
        (k % 256, k / 256)
    };
    if let Some(y) = y.get_mut(i) {
        *y = x.sample(column as f32 + 0.5, row as f32 + 0.5) + 1.0; //~ WL0500
    }
}

cases!("slow.rs":
    case!(diagonal_of_an_array, "", |run| {
        let array = run.device.array_from((256, 64), &vec![2.0f32; 256 * 64])?;
        let mut y = run.zeroed::<f32>(2048)?;
        launch!(run, diagonal_of_an_array, (8, 256), &array.texture(Sampler::new())?, &mut y);
        run.expect(&y, |_| 3.0)
    }),
    case!(column_of_pitched_memory, "", |run| {
        let rows = run.device.pitched_zeroed::<f32>((256, 64))?;
        let mut y = run.zeroed::<f32>(2048)?;
        launch!(run, column_of_pitched_memory, (8, 256), &rows.texture(Sampler::new())?, &mut y);
        run.expect(&y, |_| 1.0)
    }),
    case!(stride_of_32, "P-41", |run| {
        let x = vec![2.0f32; 2048];
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(2048)?);
        launch!(run, stride_of_32, (8, 256), &input, &mut y);
        run.expect(&y, |_| 3.0)
    }),
    case!(rows_by_neighbours, "P-41", |run| {
        let (x, mut y) = (run.upload(&[6u32; 1024])?, run.zeroed::<u32>(1024)?);
        launch!(run, rows_by_neighbours, Launch::new(1, (32, 32)), &x, &mut y);
        run.expect(&y, |_| 7)
    }),
    case!(column_of_a_tile, "P-20 transpose", |run| {
        let x = floats(1024);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(1024)?);
        launch!(run, column_of_a_tile, Launch::new(1, (32, 4)), &input, &mut y);
        run.expect(&y, |i| x[i % 32 * 32 + i / 32])
    }),
    case!(slots_of_one_bank, "P-20 reduce", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(40 * 256))?, run.zeroed::<u32>(40)?);
        launch!(run, slots_of_one_bank, (40, 256), &x, &mut y);
        run.expect(&y, |b| 65_536 * b as u32 + 255 * 128)
    }),
    case!(every_fourth_lane, "P-27", |run| {
        let (x, mut y) = (run.upload(&[0u32; 256])?, run.zeroed::<u32>(256)?);
        launch!(run, every_fourth_lane, (2, 128), &x, 40, &mut y);
        run.expect(&y, |_| 0)
    }),
    case!(one_lane_of_a_warp, "wrong block size", |run| {
        let x = floats(33 * 32);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(33 * 32)?);
        launch!(run, one_lane_of_a_warp, (run.pick(32, 33), run.pick(33, 32)), &input, &mut y);
        run.expect(&y, |i| 2.0 * x[i])
    }),
    case!(barrier_for_nothing, "", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        launch!(run, barrier_for_nothing, (2, 64), &input, &mut y);
        run.expect(&y, |i| x[i / 64 * 64 + 63 - i % 64])
    }),
    case!(one_counter_for_all, "P-40", |run| {
        let x = noise(1024);
        let (input, mut counter) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, one_counter_for_all, (4, 256), &input, counter.as_atomics());
        run.expect(&counter, |_| x.iter().sum())
    }),
    case!(one_bin_for_most, "P-40 histogram", |run| {
        let x = noise(8 * 512);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, one_bin_for_most, (2, 256), &input, &mut y);
        run.expect(&y, |b| (0..4096).filter(|i| i / 256 % 2 == b && x[*i] >= 5).count() as u32)
    }),
);
