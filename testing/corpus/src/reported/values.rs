//! Memory that no thread has written: masks, counters, tails, parts of records.

use std::hint::black_box;

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, count, launch, noise};

/// NVIDIA/cudf#8873: the padding behind the last word of the null mask is counted too.
#[kernel]
fn padding_of_the_null_mask<const BUG: bool>(
    i: Index1D,
    words: u32,
    mask: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let words = if BUG { mask.len() } else { words as usize };
    let mut set = 0;
    if i.get() < words {
        set = mask[i.get()].count_ones(); //~ WL0021
    }
    if let Some(y) = y.get_mut(i) {
        *y = if i.get() < 5 { set } else { 0 };
    }
}

/// gpufit/Gpufit#76: the number of iterations of a fit is compared before anything has been stored there.
#[kernel]
fn iterations_not_initialised<const BUG: bool>(
    i: Index1D,
    now: u32,
    mut iterations: DisjointSlice<u32>,
    mut y: DisjointSlice<u32>,
) {
    let own = iterations.raw().wrapping_add(i.get());
    // SAFETY: each thread has its own element.
    unsafe {
        if i.get() < y.len() && *own == 0 {
            //~^ WL0021
            *own = now;
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// hustvl/HAIS#32: the counters of clusters come from an allocation that was thought to be zero.
#[kernel]
fn counters_from_an_allocation<const BUG: bool>(
    i: Index1D,
    cluster: &[u32],
    counts: &[Atomic<u32>],
) {
    counts[cluster[i.get()] as usize].fetch_add(1, Relaxed); //~ WL0021
}

/// mrphys/tensorflow-nufft#20: points are spread to a grid that only other paths of the program zero.
#[kernel]
fn spread_to_an_unset_grid<const BUG: bool>(
    i: Index1D,
    at: &[u32],
    x: &[u32],
    grid: &[Atomic<u32>],
) {
    for k in 0..3 {
        let cell = at[i.get()] as usize + k;
        grid[cell].fetch_max(x[i.get()], Relaxed); //~ WL0021
    }
}

/// pytorch/FBGEMM#5754: rows of a segment behind the greatest length get no gradient, and are read all the same.
#[kernel]
unsafe fn rows_without_gradient<const BUG: bool>(
    i: Index1D,
    pass: u32,
    limit: u32,
    gradients: *mut f32,
    mut y: DisjointSlice<f32>,
) {
    // SAFETY: an element for each thread. The bug is the point.
    unsafe {
        let own = gradients.add(i.get());
        if pass == 0 {
            if i.get() % 32 < limit as usize {
                *own = 2.0;
            }
        } else if let Some(y) = y.get_mut(i) {
            *y = 0.5 * *own; //~ WL0021
        }
    }
}

/// Sets the status of each tile, and leaves its value alone.
#[kernel]
unsafe fn statuses(i: Index1D, tiles: *mut u32) {
    // SAFETY: each thread has its own tile.
    unsafe {
        let status = tiles.add(2 * i.get());
        if i.get() >= 10 {
            *status = 0;
        }
    }
}

/// NVIDIA/cub#98: the whole descriptor of a tile is read, and its value only used if the status says that there is one.
#[kernel]
fn value_beside_its_status<const BUG: bool>(i: Index1D, tiles: &[u64], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let tile = tiles.as_ptr().wrapping_add(i.get()).cast::<u32>();
        // SAFETY: both halves of an element; the bug is intended.
        let (status, value) = unsafe {
            let status = *tile;
            if BUG || status == 1 {
                (status, black_box(*tile.add(1))) //~ WL0021
            } else {
                (status, 0)
            }
        };
        *y = if status == 1 { value } else { 0 };
    }
}

/// OP-DSL/OP2-Common#162: a reduction of all threads, of which those without an element have stored nothing.
#[kernel]
fn reduction_of_all_threads<const BUG: bool>(
    block: Block,
    n: u32,
    x: &[u32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let temporary = shared_array!(u32, 64);
    let (t, n) = (block.thread(), n as usize);
    let mut half = 32;
    // SAFETY: barriers between the steps. The bug is the point.
    unsafe {
        if t < n {
            temporary.set(t, x[t]);
        } else if !BUG {
            temporary.set(t, 0);
        }
        block.sync();
        while half > 0 {
            if t < half {
                let other = temporary.get(t + half); //~ WL0020
                temporary.set(t, temporary.get(t).max(other)); //~? WL0020
            }
            block.sync();
            half /= 2;
        }
        if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
            *y = temporary.get(0);
        }
    }
}

cases!("values.rs":
    case!(padding_of_the_null_mask, "NVIDIA/cudf#8873", |run| {
        let (words, mut mask) = (noise(5), run.uninit::<u32>(16)?);
        mask.copy_from(0, &words, run.stream)?;
        let mut y = run.zeroed::<u32>(32)?;
        launch!(run, padding_of_the_null_mask, (1, 32), 5, &mask, &mut y);
        run.expect(&y, |i| if i < 5 { words[i].count_ones() } else { 0 })
    }),
    case!(iterations_not_initialised, "gpufit/Gpufit#76", |run| {
        let mut iterations = if run.bug { run.uninit(40)? } else { run.zeroed::<u32>(40)? };
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, iterations_not_initialised, (1, 64), 3, &mut iterations, &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(counters_from_an_allocation, "hustvl/HAIS#32", |run| {
        let cluster: Vec<u32> = (0..64).map(|i| i % 5).collect();
        let input = run.upload(&cluster)?;
        let mut counts = if run.bug { run.uninit(5)? } else { run.zeroed::<u32>(5)? };
        launch!(run, counters_from_an_allocation, (2, 32), &input, counts.as_atomics());
        run.expect(&counts, |k| cluster.iter().filter(|&&c| c as usize == k).count() as u32)
    }),
    case!(spread_to_an_unset_grid, "mrphys/tensorflow-nufft#20", |run| {
        let (at, x) = (count::<u32>(32), noise(32));
        let (places, input) = (run.upload(&at)?, run.upload(&x)?);
        let mut grid = if run.bug { run.uninit(34)? } else { run.zeroed::<u32>(34)? };
        launch!(run, spread_to_an_unset_grid, (1, 32), &places, &input, grid.as_atomics());
        run.expect(&grid, |cell| (cell.saturating_sub(2)..=cell.min(31)).map(|i| x[i]).max().unwrap_or(0))
    }),
    case!(rows_without_gradient, "pytorch/FBGEMM#5754", |run| {
        let gradients = if run.bug { run.uninit(64)? } else { run.zeroed::<f32>(64)? };
        let mut y = run.zeroed::<f32>(64)?;
        let start = std::ptr::with_exposed_provenance_mut(gradients.raw_ptr() as usize);
        // SAFETY: 64 elements that stay allocated until the result is compared; the bug is intended.
        unsafe {
            launch!(run, rows_without_gradient, (2, 32), 0, 20, start, &mut y);
            launch!(run, rows_without_gradient, (2, 32), 1, 20, start, &mut y);
        }
        run.expect(&y, |i| if i % 32 < 20 { 1.0 } else { 0.0 })
    }),
    case!(value_beside_its_status, "NVIDIA/cub#98", |run| {
        let mut tiles = run.uninit::<u64>(32)?;
        tiles.copy_from(0, &[1 + (5 << 32); 10], run.stream)?;
        let mut status = run.zeroed::<u32>(32)?;
        let view = std::ptr::with_exposed_provenance_mut::<u32>(tiles.raw_ptr() as usize);
        // SAFETY: 64 words that stay allocated until the result is compared.
        unsafe { statuses::launch(run.stream, (1, 32), view)? };
        launch!(run, value_beside_its_status, (1, 32), &tiles, &mut status);
        run.expect(&status, |i| if i < 10 { 5 } else { 0 })
    }),
    case!(reduction_of_all_threads, "OP-DSL/OP2-Common#162", |run| {
        let x = noise(40);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1)?);
        launch!(run, reduction_of_all_threads, (1, 64), 40, &input, &mut y);
        run.expect(&y, |_| x.iter().max().copied().unwrap_or(0))
    }),
);
