//! Whole algorithms of a block: reductions, histograms, tiles, with the fewest barriers that they need.

use core::sync::atomic::Ordering;

use warploom::prelude::*;

use crate::case::{cases, correct, floats, noise, start};

/// A tree in one array: threads that are done wait at the barriers all the same.
#[kernel]
fn tree_of_sums(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32, PerBlock>) {
    let sums = shared_array!(u32, 128);
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: barriers between the steps.
    unsafe {
        sums.set(t, x[i.get()]);
        let mut width = n;
        while width > 1 {
            block.sync();
            let half = width.div_ceil(2);
            if t + half < width {
                sums.set(t, sums.get(t) + sums.get(t + half));
            }
            width = half;
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = sums.get(0);
        }
    }
}

/// Two sums through the same slots, with a barrier in front of the second.
#[kernel]
fn mean_and_deviation(block: Block, warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let slots = shared_array!(u32, 4);
    let (own, w, n) = (x[i.get()], warp.index() as usize, block.threads() as u32);
    // SAFETY: barriers between writing, reading and writing again.
    unsafe {
        let total = |value: u32| {
            let sum = warp.reduce_sum(value);
            block.sync();
            if warp.lane() == 0 {
                slots.set(w, sum);
            }
            block.sync();
            (0..4).map(|k| slots.get(k)).sum::<u32>()
        };
        let mean = total(own) / n;
        let deviation = total(own.abs_diff(mean));
        if let Some(y) = y.get_mut(i) {
            *y = 1000 * mean + deviation;
        }
    }
}

/// Bins for each warp, added up behind a barrier.
#[kernel]
fn bins_of_each_warp(block: Block, warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let bins = shared_array!(u32, 64);
    let (t, first) = (block.thread(), 32 * warp.index() as usize);
    // SAFETY: a warp's bins are zeroed and counted by its lanes, behind a barrier of the warp; a barrier of the block before others read.
    unsafe {
        bins.set(t, 0);
        warp.sync();
        let bin = first + x[i.get()] as usize % 32;
        bins.atomic(bin).fetch_add(1, Ordering::Relaxed);
        block.sync();
        if t < 32 {
            *y.raw().add(32 * block.index() + t) = bins.get(t) + bins.get(32 + t);
        }
    }
}

/// A stencil with a halo on both sides, over several tiles in one array.
#[kernel]
fn stencil_over_tiles(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let tile = shared_array!(u32, 66);
    let (t, n) = (block.thread(), x.len());
    // SAFETY: barriers before and after others read; each thread writes its own results.
    unsafe {
        for first in (0..n).step_by(64) {
            let at = first + t;
            tile.set(t + 1, if at < n { x[at] } else { 0 });
            if t == 0 {
                tile.set(0, if first > 0 { x[first - 1] } else { 0 });
                tile.set(65, if first + 64 < n { x[first + 64] } else { 0 });
            }
            block.sync();
            if at < n {
                *y.raw().add(at) = tile.get(t) + tile.get(t + 1) + tile.get(t + 2);
            }
            block.sync();
        }
    }
}

/// A product of matrices in tiles, the edges filled with zeros.
#[kernel(block(8, 8))]
fn product_in_tiles(n: u32, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let (left, right) = (shared_array!(f32, 64), shared_array!(f32, 64));
    let (x, y, n) = (thread_idx().x as usize, thread_idx().y as usize, n as usize);
    let (column, row) = (
        8 * block_idx().x as usize + x,
        8 * block_idx().y as usize + y,
    );
    let mut sum = 0.0;
    // SAFETY: each thread writes its own elements, with barriers around; the guards keep to the matrices.
    unsafe {
        for k in (0..n).step_by(8) {
            let inside = row < n && k + x < n;
            left.set(8 * y + x, if inside { a[row * n + k + x] } else { 0.0 });
            let inside = k + y < n && column < n;
            right.set(
                8 * y + x,
                if inside { b[(k + y) * n + column] } else { 0.0 },
            );
            sync_threads();
            for j in 0..8 {
                sum += left.get(8 * y + j) * right.get(8 * j + x);
            }
            sync_threads();
        }
        if row < n && column < n {
            *c.raw().add(row * n + column) = sum;
        }
    }
}

/// A row of softmax with the running maximum and sum of each warp.
#[kernel]
fn weights_of_a_row(block: Block, warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (most, sums) = (shared_array!(u32, 2), shared_array!(u32, 2));
    let (own, w) = (x[i.get()], warp.index() as usize);
    // SAFETY: one lane of each warp writes both slots of its warp; a barrier before others read.
    unsafe {
        let largest = warp.reduce_max(own);
        let sum = warp.reduce_sum(100 + own - largest);
        if warp.lane() == 0 {
            most.set(w, largest);
            sums.set(w, sum);
        }
        block.sync();
        let all = most.get(0).max(most.get(1));
        let total: u32 = (0..2).map(|k| sums.get(k) - 32 * (all - most.get(k))).sum();
        if let Some(y) = y.get_mut(i) {
            *y = total;
        }
    }
}

/// One warp for each row of a sparse matrix.
#[kernel]
fn warp_for_each_row(
    warp: Warp,
    block: Block,
    rows: &[u32],
    columns: &[u32],
    values: &[u32],
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let row = 2 * block.index() + warp.index() as usize;
    if row + 1 >= rows.len() {
        return;
    }
    let mut sum = 0;
    for k in (rows[row] + warp.lane()..rows[row + 1]).step_by(32) {
        sum += values[k as usize] * x[columns[k as usize] as usize];
    }
    sum = warp.reduce_sum(sum);
    if warp.lane() == 0 {
        // SAFETY: one lane for each row.
        unsafe { *y.raw().add(row) = sum };
    }
}

/// A permutation: the places come from the data, and no two are the same.
#[kernel]
fn places_from_the_data(i: Index1D, places: &[u32], x: &[u32], mut y: DisjointSlice<u32>) {
    let at = places[i.get()] as usize;
    // SAFETY: `places` is a permutation.
    unsafe { *y.raw().add(at) = x[i.get()] };
}

/// Cells of a grid in two shared arrays that take turns.
#[kernel(block(8, 8))]
fn cells_in_two_arrays(steps: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    let cells = shared_array!(u32, 128);
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let own = 8 * row + column;
    // SAFETY: a step reads one array and writes the other; barriers between the steps.
    unsafe {
        cells.set(own, x[own]);
        sync_threads();
        for step in 0..steps as usize {
            let (from, to) = (step % 2 * 64, (step + 1) % 2 * 64);
            let at = |row: usize, column: usize| cells.get(from + row % 8 * 8 + column % 8);
            let sum = at(row + 7, column)
                + at(row + 1, column)
                + at(row, column + 7)
                + at(row, column + 1);
            cells.set(to + own, sum % 5);
            sync_threads();
        }
        *y.raw().add(own) = cells.get(steps as usize % 2 * 64 + own);
    }
}

/// Dynamic shared memory, cut into a part of words and a part of bytes.
#[kernel]
fn two_parts_of_dynamic_memory(
    block: Block,
    i: Index1D,
    shared: DynamicShared<u8>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (t, n) = (block.thread(), block.threads());
    // SAFETY: each thread writes its own element of each part; a barrier before others read.
    unsafe {
        let (words, bytes) = (shared.as_ptr().cast::<u32>(), shared.as_ptr().add(4 * n));
        *words.add(t) = x[i.get()];
        *bytes.add(t) = t as u8;
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = *words.add(n - 1 - t) + u32::from(*bytes.add((t + 1) % n));
        }
    }
}

/// Threads behind the end go on to the barriers with a neutral value, and return after the last.
#[kernel]
fn returned_after_the_last_barrier(
    block: Block,
    i: Index1D,
    n: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let tile = shared_array!(u32, 64);
    let (t, inside) = (block.thread(), i.get() < n as usize);
    // SAFETY: a barrier between writing and reading.
    unsafe {
        tile.set(t, if inside { x[i.get()] } else { 0 });
        block.sync();
        if !inside {
            return;
        }
        *y.raw().add(i.get()) = (t..64).map(|k| tile.get(k)).sum();
    }
}

/// The first warp has its own work behind the barrier, and no other thread waits for it.
#[kernel]
fn first_warp_goes_on(block: Block, warp: Warp, x: &[u32], mut y: DisjointSlice<u32, PerBlock>) {
    let sums = shared_array!(u32, 4);
    let sum = warp.reduce_sum(x[128 * block.index() + block.thread()]);
    // SAFETY: each warp has its own slot; a barrier before the first warp reads.
    unsafe {
        if warp.lane() == 0 {
            sums.set(warp.index() as usize, sum);
        }
        block.sync();
        if warp.index() > 0 {
            return;
        }
        let part = if warp.lane() < 4 {
            sums.get(warp.lane() as usize)
        } else {
            0
        };
        let total = warp.reduce_sum(part);
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = total;
        }
    }
}

cases!("algorithms.rs":
    correct!(tree_of_sums, |run| {
        let x = noise(200);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        start!(run, tree_of_sums, (2, 100), &input, &mut y);
        run.expect(&y, |b| x[100 * b..][..100].iter().sum())
    }),
    correct!(mean_and_deviation, |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(128)?);
        start!(run, mean_and_deviation, (1, 128), &input, &mut y);
        let mean = x.iter().sum::<u32>() / 128;
        run.expect(&y, |_| 1000 * mean + x.iter().map(|v| v.abs_diff(mean)).sum::<u32>())
    }),
    correct!(bins_of_each_warp, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, bins_of_each_warp, (1, 64), &input, &mut y);
        run.expect(&y, |bin| x.iter().filter(|&&v| v as usize % 32 == bin).count() as u32)
    }),
    correct!(stencil_over_tiles, |run| {
        let x = noise(150);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(150)?);
        start!(run, stencil_over_tiles, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[i.saturating_sub(1)..(i + 2).min(150)].iter().sum())
    }),
    correct!(product_in_tiles, |run| {
        let n = 11;
        let (a, b) = (floats(n * n), floats(n * n));
        let (left, right, mut c) = (run.upload(&a)?, run.upload(&b)?, run.zeroed::<f32>(n * n)?);
        start!(run, product_in_tiles, Launch::new((2, 2), (8, 8)), 11, &left, &right, &mut c);
        run.expect(&c, |i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum())
    }),
    correct!(weights_of_a_row, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, weights_of_a_row, (1, 64), &input, &mut y);
        let most = x.iter().max().copied().unwrap_or(0);
        run.expect(&y, |_| x.iter().map(|v| 100 + v - most).sum())
    }),
    correct!(warp_for_each_row, |run| {
        let rows = [0_u32, 5, 45, 45, 50];
        let columns: Vec<u32> = (0..50).map(|k| k * 7 % 20).collect();
        let (values, x) = (noise(50), noise(20));
        let (starts, at, v, input) = (run.upload(&rows)?, run.upload(&columns)?, run.upload(&values)?, run.upload(&x)?);
        let mut y = run.zeroed::<u32>(4)?;
        start!(run, warp_for_each_row, (3, 64), &starts, &at, &v, &input, &mut y);
        run.expect(&y, |row| {
            let of_row = rows[row] as usize..rows[row + 1] as usize;
            of_row.map(|k| values[k] * x[columns[k] as usize]).sum()
        })
    }),
    correct!(places_from_the_data, |run| {
        let (places, x) = ((0..96).map(|i| i * 35 % 96).collect::<Vec<u32>>(), noise(96));
        let (at, input, mut y) = (run.upload(&places)?, run.upload(&x)?, run.zeroed::<u32>(96)?);
        start!(run, places_from_the_data, (3, 32), &at, &input, &mut y);
        run.expect(&y, |k| places.iter().position(|&place| place as usize == k).map_or(0, |i| x[i]))
    }),
    correct!(cells_in_two_arrays, |run| {
        let mut x: Vec<u32> = noise(64).into_iter().map(|v| v % 5).collect();
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, cells_in_two_arrays, Launch::new(1, (8, 8)), 3, &input, &mut y);
        for _ in 0..3 {
            let at = |row: usize, column: usize| x[row % 8 * 8 + column % 8];
            let next = |own: usize| {
                let (row, column) = (own / 8, own % 8);
                (at(row + 7, column) + at(row + 1, column) + at(row, column + 7) + at(row, column + 1)) % 5
            };
            x = (0..64).map(next).collect();
        }
        run.expect(&y, |i| x[i])
    }),
    correct!(two_parts_of_dynamic_memory, |run| {
        let x = noise(100);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(100)?);
        start!(run, two_parts_of_dynamic_memory, Launch::new(2, 50).dynamic_shared(250), &input, &mut y);
        run.expect(&y, |i| x[i / 50 * 50 + 49 - i % 50] + (i as u32 + 1) % 50)
    }),
    correct!(returned_after_the_last_barrier, |run| {
        let x = noise(50);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(50)?);
        start!(run, returned_after_the_last_barrier, (1, 64), 50, &input, &mut y);
        run.expect(&y, |i| x[i..].iter().sum())
    }),
    correct!(first_warp_goes_on, |run| {
        let x = noise(256);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        start!(run, first_warp_goes_on, (2, 128), &input, &mut y);
        run.expect(&y, |b| x[128 * b..][..128].iter().sum())
    }),
);
